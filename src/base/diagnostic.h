// SPDX-License-Identifier: MIT

/// @file
/// Diagnostics: what is wrong with a text, and where.
///
/// A text that errors can point into is a KalSource; a stretch of it is a KalSpan, in
/// bytes.  Line and column are counted only when a diagnostic is shown.
///
/// Whoever examines a text adds what it finds to a list and goes on.  Adding cannot fail
/// visibly: a list that is out of memory still counts, and kal_diagnostics_status() says
/// why messages are missing.  A list keeps KAL_DIAGNOSTIC_LIMIT diagnostics of each
/// severity and only counts the rest, so hopeless input costs no more than bad input.
///
/// Sources are borrowed: they must live as long as the list is read.

#ifndef BASE_DIAGNOSTIC_H
#define BASE_DIAGNOSTIC_H

#include "base/context.h"

#include <kalaba/text.h>

#include <stdint.h>

enum {
    KAL_DIAGNOSTIC_LIMIT = 100, ///< kept of each severity; more are counted
};

/// A text with the name that messages give to it.
typedef struct KalSource {
    const char *name; ///< ends with a NUL
    const char *text; ///< `length` bytes and a NUL, which is not counted
    uint32_t length;
    uint32_t
        prefix; ///< bytes that nobody wrote, on the first line: columns begin after them
    uint32_t columns; ///< before the text, if it is part of a longer line
} KalSource;

/// The bytes from `begin` up to, not including, `end` of a source.  One without a source
/// points nowhere.
typedef struct KalSpan {
    const KalSource *source;
    uint32_t begin;
    uint32_t end;
} KalSpan;

/// Where a byte of a source is, for people: both count from 1, columns in characters.
typedef struct KalPlace {
    size_t line;
    size_t column;
} KalPlace;

/// How bad it is.  A note adds to the diagnostic before it.
typedef enum KalSeverity {
    KAL_SEVERITY_ERROR,
    KAL_SEVERITY_WARNING,
    KAL_SEVERITY_NOTE,
} KalSeverity;

/// One of a list.
typedef struct KalDiagnostic KalDiagnostic;

struct KalDiagnostic {
    const KalDiagnostic *next; ///< the one added after it, or NULL
    KalSeverity severity;
    KalSpan span;
    const char *message; ///< one line, without place or severity
};

/// A list of diagnostics, in the order in which they were added.
typedef struct KalDiagnostics KalDiagnostics;

/// Make an empty list.  The caller owns it.
KAL_CHECKED KalStatus kal_diagnostics_create(KalContext *ctx,
                                             KalDiagnostics **out_list);

/// Free a list.  NULL is allowed.
void kal_diagnostics_destroy(KalDiagnostics *list);

/// Add to the list.  The message is copied; it says in one line what is wrong and what
/// was expected, without a full stop.  Of one longer than 1000 bytes the end is dropped.
void kal_diagnostics_add(KalDiagnostics *list, KalSeverity severity, KalSpan span,
                         const char *format, ...) KAL_PRINTF(4, 5);

/// KAL_OK, or KAL_ERR_NOMEM when a diagnostic was counted but could not be kept.
KalStatus kal_diagnostics_status(const KalDiagnostics *list);

/// How many of a severity were added, those not kept included.
size_t kal_diagnostics_count(const KalDiagnostics *list, KalSeverity severity);

/// The first of those kept, or NULL; `next` leads to the others.
const KalDiagnostic *kal_diagnostics_first(const KalDiagnostics *list);

/// Write all of them, each with its line of the source and a mark below what it points
/// at, and at the end how many were not kept:
///
///     sleigh.kal:5:18: error: expected an expression, found ')'
///         kinetic 1/2*(m + )
///                          ^
///
/// Safe on a terminal whatever the source holds: characters that it would obey are
/// escaped.  Tabs become four spaces, and of long lines the part near the mark is shown.
void kal_diagnostics_write(const KalDiagnostics *list, KalSink sink);

/// Fail with the first error as the context's explanation, `file:line:column: message`
/// and how many more there are; with KAL_ERR_NOMEM when there was no memory to keep it.
/// The list must hold an error.
KalStatus kal_diagnostics_fail(const KalDiagnostics *list, KalStatus status);

/// Count lines and columns up to a byte.  Takes time in proportion to `at`.
KalPlace kal_source_place(const KalSource *source, uint32_t at);

#endif
