// SPDX-License-Identifier: MIT

/// @file
/// What an FMU has: its variables in the order of their value references, which is that of
/// the enum in text/fmu.c.in, and the parts that are made of them.
///
///     time | parameters | inputs | q | q' | states | derivatives of these | outputs | reactions |
///     event functions | holds | kinetic and potential energy

#ifndef EXPORT_FMU_H
#define EXPORT_FMU_H

#include "export/plan.h"

/// How a parameter can be used; the order is that of text/fmu.c.in.
typedef enum KalFmuParameter {
    KAL_FMU_CONSTANT,   ///< a number in the sources
    KAL_FMU_CALCULATED, ///< by a formula of others
    KAL_FMU_FIXED,      ///< constraints depend on it: it stays after initialization
    KAL_FMU_TUNABLE
} KalFmuParameter;

/// What the standard says of the start of a variable.
typedef enum KalFmuInitial {
    KAL_FMU_EXACT,
    KAL_FMU_APPROX,      ///< a guess, or it follows from parameters
    KAL_FMU_COMPUTED,    ///< the standard's `calculated`
    KAL_FMU_INDEPENDENT, ///< of the time: nothing
    KAL_FMU_GIVEN        ///< of inputs: a start value, but nothing else
} KalFmuInitial;

/// A variable; texts are the words of the standard.
typedef struct KalFmuVariable {
    const char *name;
    const char *unit;        ///< or NULL
    const char *description; ///< or NULL
    const char *causality;
    const char *variability;
    KalFmuInitial initial;
    double start;      ///< unless it is computed
    double nominal;    ///< 0: none
    size_t derivative; ///< of which variable it is the derivative; 0: of none
} KalFmuVariable;

/// What a variable depends on: others, by their places, rising.
typedef struct KalFmuDependencies {
    size_t *on;
    size_t count;
} KalFmuDependencies;

typedef struct KalFmu {
    const KalExportPlan *plan;
    int version; ///< of FMI: 2 or 3
    KalFmuVariable *variables;
    size_t n_variables;
    size_t n_x;                       ///< continuous states
    size_t at_x;                      ///< where continuous states begin
    size_t at_dx;                     ///< where derivatives of states begin
    size_t at_out;                    ///< where outputs begin, and what follows them
    size_t at_events;                 ///< where event functions begin, then borders
    size_t n_indicators;              ///< of both
    KalFmuDependencies *dependencies; ///< of each variable from at_x on
    KalFmuParameter *parameters;      ///< how each can be used
    KalRunOptions experiment;         ///< as the model asks for
    char token[40];                   ///< of the contents; "" until it is known
} KalFmu;

/// List the variables of a plan; arrays are in the plan's arena.
/// KAL_ERR_NOMEM, KAL_ERR_USAGE.
KAL_CHECKED KalStatus kal_fmu_init(KalFmu *fmu, const KalExportPlan *plan, int version);

/// Find out what variables depend on: time, inputs and states.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_fmu_find_dependencies(KalFmu *fmu);

/// Write modelDescription.xml; what went wrong is kept by the page.
void kal_fmu_write_description(const KalFmu *fmu, KalPage *page);

/// Write sources/buildDescription.xml of FMI 3.
void kal_fmu_write_build(const KalFmu *fmu, KalPage *page);

/// Write NAME_fmu.c, and NAME_begin.c with the formulas of start values.
void kal_fmu_write_source(const KalFmu *fmu, KalPage *page);
void kal_fmu_write_begin(const KalFmu *fmu, KalPage *page);

/// A file of an archive.
typedef struct KalFmuFile {
    const char *name; ///< with folders
    KalBlock data;
} KalFmuFile;

/// Compile sources/NAME_fmu.c and sources/NAME_begin.c of these files with the system's C
/// compiler, beside the path of the archive; the library is added to the block.
/// KAL_ERR_FILE with what the compiler said.
KAL_CHECKED KalStatus kal_fmu_compile(const KalFmu *fmu, const char *path,
                                      const KalFmuFile *files, size_t n_files,
                                      KalBlock *library);

/// Write an archive of these files; it is whole or not there.  KAL_ERR_FILE, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_fmu_pack(KalContext *ctx, const char *path,
                                   const KalFmuFile *files, size_t n_files);

#endif
