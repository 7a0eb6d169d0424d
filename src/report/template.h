// SPDX-License-Identifier: MIT

/// @file
/// Pages from templates, in which comments mark gaps: `<!--kalaba:title-->`.

#ifndef REPORT_TEMPLATE_H
#define REPORT_TEMPLATE_H

#include <kalaba/text.h>

#include <stddef.h>

/// Fills the gap of a name.
typedef void (*KalTemplateFill)(void *user, const char *name, size_t length);

/// Write a template of `length` bytes to a sink, its gaps filled.
void kal_template_fill(const char *text, size_t length, KalSink sink,
                       KalTemplateFill fill, void *user);

/// A sink for JSON within a script element: no < of it can begin a tag.  It writes to `sink`.
KalSink kal_template_quote(KalSink *sink);

#endif
