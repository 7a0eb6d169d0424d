// SPDX-License-Identifier: MIT

/// @file
/// Texts within HTML.

#ifndef SHOW_HTML_H
#define SHOW_HTML_H

#include <kalaba/text.h>

/// Write a text so that HTML shows it and obeys none of it, within an element or a quoted
/// attribute.  Bytes that are not UTF-8 and control characters but for tabs and line ends
/// become U+FFFD.
void kal_html_write(KalSink sink, const char *text, size_t length);

#endif
