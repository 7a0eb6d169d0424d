// SPDX-License-Identifier: MIT

/// @file
/// A model as C sources that need nothing but the C library (docs/export.md).

#ifndef KALABA_EXPORT_H
#define KALABA_EXPORT_H

#include <kalaba/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Limits of exports.
enum {
    KAL_EXPORT_NAME_SIZE = 64, ///< room for the name that functions begin with
    KAL_EXPORT_FILES = 5       ///< that are written
};

/// How to export.  Zeroed: doubles, and the title of the model.
typedef struct KalExportOptions {
    const char
        *name;   ///< that functions begin with, made an identifier of C if it is none;
                 ///< NULL: the title of the model
    bool single; ///< floats instead of doubles
} KalExportOptions;

/// What an export came to.
typedef struct KalExportReport {
    char name[KAL_EXPORT_NAME_SIZE];
    size_t bytes;      ///< of NAME.h and NAME.c
    size_t work_bytes; ///< of the work memory, on a machine with ints of 4 bytes
    size_t
        operations; ///< of an acceleration by the eliminated formulas; 0: there are none
    size_t at_most; ///< of one by the general solution after them: the worst case
    bool redundant; ///< rows are left out, for they repeat others
} KalExportReport;

/// Write NAME.h, NAME.c, main.c, CMakeLists.txt and meson.build into a folder, which is made
/// if it is not there.  Files that are there and were not written by this function are not
/// touched (KAL_ERR_FILE).  All files are written before the first gets its name.
/// KAL_ERR_USAGE when the model has what cannot be exported, which the explanation names;
/// KAL_ERR_LIMIT, KAL_ERR_FILE, KAL_ERR_NOMEM, and whatever keeps the model from
/// starting.
KAL_API KAL_CHECKED KalStatus kal_export_c(KalContext *ctx, const KalSystem *system,
                                           const KalExportOptions *options,
                                           const char *folder,
                                           KalExportReport *out_report);

/// How to export an FMU.
typedef struct KalFmuOptions {
    const char *name; ///< as of KalExportOptions
    int version;      ///< of FMI: 2 or 3
} KalFmuOptions;

/// What an FMU came to.
typedef struct KalFmuReport {
    char name[KAL_EXPORT_NAME_SIZE]; ///< the model identifier
    char token[KAL_EXPORT_NAME_SIZE];
    size_t variables;
    size_t states; ///< continuous ones
} KalFmuReport;

/// Write an FMU (Functional Mock-up Unit) for model exchange and co-simulation: sources, a
/// library for this machine made by the system's compiler `cc`, and a description.  The file
/// is whole or not there.  KAL_ERR_USAGE when the model has what an FMU cannot have yet, which
/// the explanation names; KAL_ERR_FILE, also when there is no compiler; else as
/// kal_export_c().
KAL_API KAL_CHECKED KalStatus kal_export_fmu(KalContext *ctx, const KalSystem *system,
                                             const KalFmuOptions *options,
                                             const char *path,
                                             KalFmuReport *out_report);

#ifdef __cplusplus
}
#endif

#endif
