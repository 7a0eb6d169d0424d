// SPDX-License-Identifier: MIT

/// @file
/// Texts as a figure shows them: letters in italics, dots above, sub- and superscripts.
///
/// A styled text is UTF-8 in which some control characters change the style of what
/// follows.  Texts of the user never hold such: control characters, and others that a
/// terminal would obey or that hide or reorder text, are escaped when a styled text is
/// made, and long names are shortened in the middle.

#ifndef FIGURE_STYLED_H
#define FIGURE_STYLED_H

#include <stdbool.h>
#include <stddef.h>

/// What the control characters mean.
#define KAL_STYLE_ITALIC  "\x01"
#define KAL_STYLE_UPRIGHT "\x02"
#define KAL_STYLE_LOWER   "\x03" ///< a subscript
#define KAL_STYLE_UPPER   "\x04" ///< a superscript
#define KAL_STYLE_LINE    "\x05" ///< neither
#define KAL_STYLE_DOT     "\x06" ///< the next letters have a dot above them, or one more

/// A styled text.  It begins upright, on the line.  What does not fit is dropped.
typedef struct KalStyled {
    char text[2048]; ///< ends with NUL
    size_t length;
} KalStyled;

/// Letters of one style.
typedef struct KalLetters {
    const char *text;
    size_t length;
    bool italic;
    int level; ///< -1: subscript, 0: on the line, 1: superscript
    int dots;
} KalLetters;

/// Add to the end; `text` may be styled.
void kal_styled_add(KalStyled *styled, const char *text);

/// Add a text of the user's, at most `limit` characters of it.
void kal_styled_add_text(KalStyled *styled, const char *text, size_t limit);

/// Add the name of a quantity as mathematics writes it: `theta1'` becomes θ with a dot and
/// the subscript 1, `link[2].x` an x with the subscript link,2, `reaction(rod)` a λ with
/// the subscript rod.  Names of another form are shown as they are.
void kal_styled_add_name(KalStyled *styled, const char *name);

/// Add a unit: `kg*m^2/s` has a dot and a superscript.
void kal_styled_add_unit(KalStyled *styled, const char *unit);

/// Add what is written at a tick, with a sign as long as a digit; the power of ten if
/// `power` is set.
void kal_styled_add_tick(KalStyled *styled, const char *text, bool power);

/// Take the first run away from a text that `*rest` points to; `style` is its start, {0}
/// at the beginning, and becomes that of the rest.  False at the end.
bool kal_styled_next(const char **rest, KalLetters *style);

/// A name in plain characters, for a terminal: with Greek letters and primes if `unicode`
/// is set, otherwise with ? for what is not ASCII.
void kal_plain_name(const char *name, bool unicode, char out_text[], size_t size);

#endif
