// SPDX-License-Identifier: MIT

/// @file
/// What the files that build a model share.
///
/// A build walks the statements of a text in order, once.  Expressions become values: a
/// formula with its unit, an array of values, or a part.  Names are found in frames (loop
/// indices, arguments of functions), then in scopes (a part's, then the global one).
///
/// Errors do not stop a build.  What goes wrong is reported where it is, and the value
/// becomes *bad*: whatever is made of a bad value is bad without another word, so that one
/// mistake makes one error.  Only exhausted memory or a limit stops a build: `status` is
/// then not KAL_OK, all evaluation returns bad at once, and loops end.
///
/// Memory: values in the pool live as long as the statement that made them; what a name
/// stands for is copied to the arena (kal_build_keep()).

#ifndef MODEL_BUILD_IMPL_H
#define MODEL_BUILD_IMPL_H

#include "base/stack.h"
#include "model/expression_impl.h"
#include "model/override_impl.h"
#include "model/pool.h"
#include "model/quantity_impl.h"
#include "model/report_impl.h"

/// A file or library that a model uses.
typedef struct KalUsedFile KalUsedFile;

/// The files of a model, by use.c.
typedef struct KalBuildFiles {
    KalUsedFile *first;
    KalUsedFile *reading; ///< innermost of those being read
    size_t count;
} KalBuildFiles;

/// Parts of a model, by component.c.
typedef struct KalBuildParts {
    KalEntry *active[KAL_BUILD_PART_DEPTH]; ///< components being worked on
    unsigned n_active;
    size_t count; ///< of parts so far
} KalBuildParts;

/// Which lists of the model have what.
typedef struct KalBuildLists {
    KalMap drives; ///< coordinate + 1 → constraint
    KalMap starts; ///< coordinate and order → KalScope *
    KalMap names;  ///< names in the lists
} KalBuildLists;

/// The first members are the build itself; each part below is the work of the files that it
/// names.
struct KalBuild {
    KalContext *ctx;
    KalSources *sources;
    const KalSource *main;
    const KalBuildOptions *options;
    KalDiagnostics *diagnostics;
    KalModel *model;
    KalGraph *graph; ///< the model's
    KalArena *arena;
    KalPool pool;
    KalStatus status;
    KalStack stack;       ///< where the build began
    KalEnvironment names; ///< where names are looked for at present
    KalSpan title;        ///< of the `model` statement
    KalSpan statement;    ///< the one that is being built

    KalBuildReport report;
    KalBuildWork work;
    KalWords words;
    KalDeclarations declared;
    KalEvaluation eval;
    KalFormulaNotes formulas;
    KalUnitTable units;
    KalBuildParts parts;
    KalBuildLists lists;
    KalOverrides overrides;
    KalBuildFiles files;
    KalBlock later; ///< statements whose formulas wait for the end, by dynamic.c
};

/// Puts the model itself on the list of files (use.c).
void kal_build_init_files(KalBuild *b);

/// The text of a file that a model has data in, read once; NULL after an error.
const KalSource *kal_build_read_data(KalBuild *b, const KalNode *name);

/// Builds the formulas that waited for the end, and puts them in the place of promises.
void kal_build_finish_dynamics(KalBuild *b);

/// Notes that the formula of a law waits for the end; `power` is what it acts on.
void kal_build_promise_law(KalBuild *b, const KalNode *node, KalValue power);

/// Frees the trees of files that the model uses.
void kal_build_clear_files(KalBuild *b);

#endif
