// SPDX-License-Identifier: MIT

/// @file
/// The text of a model in its canonical form.
///
/// One statement a line, blocks indented by four spaces, spaces and parentheses where they
/// belong, at most one empty line in a row, long statements broken after a comma or an
/// operator.  Comments stay: on lines of their own, behind their statement, or behind the
/// part of it that they stood behind; those behind neighboring lines begin in one column.
/// The form of a text in canonical form is the text itself.

#ifndef KALABA_FORMAT_H
#define KALABA_FORMAT_H

#include <kalaba/context.h>
#include <kalaba/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Write a model of `length` bytes in its canonical form; `name` stands for it in messages.
/// `messages` gets all errors with their places; its `write` may be NULL.  KAL_ERR_SYNTAX
/// when the text is no model, KAL_ERR_LIMIT, KAL_ERR_NOMEM; nothing is written then.
KAL_API KAL_CHECKED KalStatus kal_model_format(KalContext *ctx, const char *name,
                                               const char *text, size_t length,
                                               KalSink messages, KalSink out);

#ifdef __cplusplus
}
#endif

#endif
