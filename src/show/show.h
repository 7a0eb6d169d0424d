// SPDX-License-Identifier: MIT

/// @file
/// The equations of motion of a model for people: as text, LaTeX, Markdown and JSON.
///
/// Formulas are laid out for readers (algebra/collect.h).  Matrices that fit are shown as
/// such; those of large systems, or with long entries, as lists of what is not zero, and
/// where formulas are long their shared parts get names.  A closed form, the accelerations,
/// multipliers and constraint forces as formulas, is shown for systems that are small
/// enough, else the reason why it is not.

#ifndef SHOW_SHOW_H
#define SHOW_SHOW_H

#include "derive/equations.h"

#include <kalaba/show.h>

/// Show equations.  Nothing is written on failure: KAL_ERR_NOMEM, KAL_ERR_LIMIT when there
/// is too much to show.  Adds nodes to the model's graph: of a system, take a draft
/// (system/draft.h).
KAL_CHECKED KalStatus kal_show_equations(const KalEquations *equations,
                                         const KalShowOptions *options, KalSink sink);

#endif
