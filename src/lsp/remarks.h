// SPDX-License-Identifier: MIT

/// @file
/// What is remarked on a text: diagnostics, as the Language Server Protocol has them.
///
/// They are those of loading the model, from text to programs.  A model is untrusted text, so it
/// is loaded in a child with limits, as the studio does it, wherever there are limits.

#ifndef LSP_REMARKS_H
#define LSP_REMARKS_H

#include "json/writer.h"
#include "lang/source.h"
#include "show/page.h"
#include "studio/worker.h"

/// Put the remarks on a text on a page, as elements of a list.  Limits of 0: loaded in this
/// process.  `*out_fate`, NULL before, says why the text was not loaded to its end; what is on
/// the page then is of no use.  KAL_ERR_FILE when there can be no child, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_lsp_find_remarks(const KalSource *source,
                                           const KalChildLimits *limits, KalPage *list,
                                           const char **out_fate);

/// An error at the beginning of a text, as an element of a list.
void kal_lsp_put_reason(KalJsonWriter *writer, const char *reason);

#endif
