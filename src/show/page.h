// SPDX-License-Identifier: MIT

/// @file
/// A text that is put together before any of it is shown.
///
/// Writing cannot fail visibly: a page that runs out of memory, or on which a formula did
/// not fit, keeps its status and takes no more.  Whoever finishes it checks.

#ifndef SHOW_PAGE_H
#define SHOW_PAGE_H

#include "base/block.h"
#include "closed/sheet.h"

typedef struct KalPage {
    KalContext *ctx;
    KalBlock block;
    KalStatus status;
} KalPage;

/// A number as readers want it: what has died out, far below anything that is measured, is 0,
/// and never -0.
static inline double kal_reader_number(double value)
{
    return value > -1e-100 && value < 1e-100 ? 0.0 : value;
}

static inline KalPage kal_page(KalContext *ctx)
{
    return (KalPage){.ctx = ctx};
}

void kal_page_clear(KalPage *page);

/// Show the page, unless something went wrong with it, and clear it.  Returns its status.
KAL_CHECKED KalStatus kal_page_finish(KalPage *page, KalSink sink);

void kal_page_write(KalPage *page, const char *text, size_t length);
void kal_page_string(KalPage *page, const char *text);

/// As printf.
void kal_page_format(KalPage *page, const char *format, ...) KAL_PRINTF(2, 3);

/// n times a character.
void kal_page_repeat(KalPage *page, char c, size_t n);

/// A text of the user's, with what a terminal would obey made harmless.
void kal_page_safe(KalPage *page, const char *text);

/// Characters that a text takes on a terminal.
size_t kal_text_width(const char *text);

/// The text so far; valid until more is written.
const char *kal_page_text(KalPage *page);

/// Takes what is printed.
KalSink kal_page_sink(KalPage *page);

/// A formula of the sheet.
void kal_page_formula(KalPage *page, const KalSheet *sheet, KalExpr e,
                      KalFormat format);

/// A formula that begins at a column, in lines of about `width` characters; those that
/// follow begin at the column.
void kal_page_wrapped(KalPage *page, const char *text, size_t length, size_t column,
                      size_t width);

/// Texts of many formulas; they stay where they are.
typedef struct KalTexts {
    KalPage page;
    size_t n;
    size_t *start; ///< n: where each begins
} KalTexts;

/// Print n formulas; KAL_NO_EXPR as 0.  The caller clears the texts.
KAL_CHECKED KalStatus kal_texts_init(const KalSheet *sheet, const KalExpr *e, size_t n,
                                     KalFormat format, KalTexts *out_texts);

void kal_texts_clear(KalTexts *texts);

const char *kal_texts_get(const KalTexts *texts, size_t i);

#endif
