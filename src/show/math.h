// SPDX-License-Identifier: MIT

/// @file
/// Pieces of LaTeX: texts of the user's, units, and formulas that fit on a page.

#ifndef SHOW_MATH_H
#define SHOW_MATH_H

#include "show/page.h"

/// How a document begins, up to its title.
void kal_math_preamble(KalPage *page);

/// A text of the user's for text mode, or for Markdown.
void kal_math_text(KalPage *page, const char *text, bool markdown);

/// A unit such as kg*m^2, for math mode.
void kal_math_unit(KalPage *page, const char *unit);

/// About how many letters wide a formula is.
size_t kal_math_width(const char *formula, size_t length);

/// Write the right side of an aligned equation: in lines of about `room` letters, broken
/// before + and −, also within parentheses.
void kal_math_lines(KalPage *page, const char *formula, size_t length, size_t room);

#endif
