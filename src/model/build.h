// SPDX-License-Identifier: MIT

/// @file
/// From the text of a model to its formulas.
///
/// Building reads the text and the files it uses, resolves names, unrolls loops, sums,
/// vectors and components, checks units, and leaves a KalModel.  docs/language/reference.md
/// says what statements mean.
///
/// A text is untrusted.  Whatever it holds, building ends in bounded time and memory, with
/// a model or with diagnostics; the limits are below, and each has its own message.
///
/// Texts are kept in a list of sources.  Spans in diagnostics and in the model point into
/// them, so the list outlives both, whether building succeeds or not.

#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "model/model.h"

#include <kalaba/model.h>

enum {
    KAL_BUILD_SCALARS = 1000000, ///< numbers declared, and elements of one vector
    KAL_BUILD_PASSES = 5000000,  ///< passes of all loops and terms of all sums
    KAL_BUILD_STEPS = 50000000,  ///< pieces of expressions looked at
    KAL_BUILD_NAMES = 1000000,   ///< declared in all parts
    KAL_BUILD_PARTS = 100000,    ///< parts, those inside of parts included
    KAL_BUILD_PART_DEPTH = 50,   ///< parts in each other
    KAL_BUILD_CALL_DEPTH = 50,   ///< calls of functions in each other
    KAL_BUILD_VECTOR_DEPTH = 8,  ///< vectors in each other
    KAL_BUILD_ARGUMENTS = 100,   ///< of a function or component
    KAL_BUILD_FILES = 200,       ///< used by a model
    KAL_BUILD_NAME = 1000,       ///< bytes of a name with those of its parts
    KAL_BUILD_MEMORY = 1 << 29,  ///< bytes besides formulas
};

/// A list of texts.
typedef struct KalSources KalSources;

/// Make an empty list.  The caller owns it.
KAL_CHECKED KalStatus kal_sources_create(KalContext *ctx, KalSources **out_sources);

/// Free a list and its texts.  NULL is allowed.
void kal_sources_destroy(KalSources *sources);

/// The context that the list was made in.
KalContext *kal_sources_context(const KalSources *sources);

/// Copy a text into the list; it lives as long as that.  KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_sources_add(KalSources *sources, const char *name,
                                      const char *text, size_t length,
                                      const KalSource **out_source);

/// Write all names and texts, each with its length, in the order in which they came.
void kal_sources_write(const KalSources *sources, KalSink sink);

/// Reads a file that a model uses, by kal_sources_add() with the path as its name.  Any
/// failure but KAL_ERR_NOMEM becomes a diagnostic that says why.
typedef KalStatus (*KalReadFile)(void *user, KalSources *sources, const char *path,
                                 const KalSource **out_source);

/// What a build depends on besides the text.  Zeroed: no overrides, no files.
typedef struct KalBuildOptions {
    const KalOverride *overrides;
    size_t n_overrides;
    KalReadFile read; ///< NULL: `use "file.kal"` is an error
    void *user;       ///< passed to `read`
    /// Whether `use` may name files by absolute paths or with `..`.
    bool allow_outside;
    /// States become coordinates without mass, and their rates constraints.
    bool as_coordinates;
} KalBuildOptions;

/// Build the model of a text in the list.  `options` may be NULL.  The caller owns the
/// model and keeps the sources as long as it.  What is wrong, or looks so, is added to the
/// diagnostics, all of it as far as that is possible.  KAL_ERR_SYNTAX when the text or an
/// override is at fault, KAL_ERR_LIMIT when it asks for too much, and the context has the
/// first error; KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_model_build(KalSources *sources, const KalSource *main,
                                      const KalBuildOptions *options,
                                      KalDiagnostics *diagnostics,
                                      KalModel **out_model);

#endif
