// SPDX-License-Identifier: MIT

/// @file
/// Texts that exported sources are put together from.
///
/// They are the files of src/export/text, C but for some words: NAME stands for the name of the
/// model, at the beginning of longer names too, `real` for the type of numbers, EPSILON for
/// their rounding, and functions of the C library are those of doubles.  Three kinds of
/// lines are for whoever puts a source together:
///
///     /*? FLAG */   what follows, up to the line that ends it, only if the model has FLAG
///     /*! FLAG */   the same if it has not
///     /*. */        ends it
///     /*@ key */    a part that is made for the model
///
/// The build puts the files into a table.

#ifndef EXPORT_TEMPLATE_H
#define EXPORT_TEMPLATE_H

#include "show/page.h"

/// A text of the table.
typedef struct KalExportText {
    const char *name; ///< of its file, without ending
    const char *text;
    size_t length;
} KalExportText;

/// The table, which is generated, and how many texts are in it.
const KalExportText *kal_export_texts(int *out_count);

/// How texts are to be read.
typedef struct KalExportWords {
    const char *name; ///< for NAME
    bool single;      ///< floats
    /// Whether the model has a flag.
    bool (*has)(void *user, const char *flag);
    /// Write the part of a key.
    void (*insert)(void *user, const char *key, KalPage *page);
    void *user;
} KalExportWords;

/// Write a text without lines of the kinds above.
void kal_export_write_plain(KalPage *page, const KalExportWords *words,
                            const char *text);

/// Write the text of a file; there is one.
void kal_export_write_text(KalPage *page, const KalExportWords *words,
                           const char *name);

#endif
