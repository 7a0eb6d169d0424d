// SPDX-License-Identifier: MIT

/// @file
/// Names of a model as identifiers of C.
///
/// `bar.x` becomes bar_x, `x[1]` x_1, a Greek letter its name, any other letter its number.
/// Words of C and of the exported text get an underscore at their end, and so do names that
/// would be the same.  So every name of a list is another identifier, and the same list gives
/// the same ones.

#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include "base/arena.h"

#include <stdbool.h>

/// The identifier that files, targets of build systems and all names begin with, in the arena; NULL
/// when there is no memory.  Names of headers of C and of targets that build systems have for
/// themselves get an underscore, too.
const char *kal_c_model_name(KalArena *arena, const char *name);

/// Identifiers for `count` names, each followed by an ending, behind the `n_before` that out_names
/// holds; none is one of those before it.  False when there is no memory.
KAL_CHECKED bool kal_c_identifiers(KalArena *arena, const char *const *names,
                                   size_t count, const char *ending,
                                   const char **out_names, size_t n_before);

#endif
