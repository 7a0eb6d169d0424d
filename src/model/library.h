// SPDX-License-Identifier: MIT

/// @file
/// The models that are shipped with the library, for `use planar`.
///
/// Their texts are the files of models/, which the build puts into a table.

#ifndef MODEL_LIBRARY_H
#define MODEL_LIBRARY_H

#include <stddef.h>

enum {
    KAL_LIBRARY_LIMIT = 64 ///< models, at most
};

/// A model of the table.
typedef struct KalLibraryModel {
    const char *name; ///< of its file, without .kal
    const char *text;
    size_t length;
} KalLibraryModel;

/// The table, which is generated, and how many models are in it.
const KalLibraryModel *kal_library_table(int *out_count);

/// The model of a name; NULL when there is none.
const KalLibraryModel *kal_library_find(const char *name);

/// The names of all models; returns how many.
int kal_library_names(const char *out_names[KAL_LIBRARY_LIMIT]);

#endif
