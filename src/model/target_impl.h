// SPDX-License-Identifier: MIT

/// @file
/// Declarations: names with indices, and the lists of the model that they go to.

#ifndef MODEL_TARGET_IMPL_H
#define MODEL_TARGET_IMPL_H

#include "model/name_impl.h"

enum {
    KAL_TARGET_INDICES = KAL_BUILD_VECTOR_DEPTH
};

/// A name with indices, as declarations have it.
typedef struct KalTarget {
    const KalNode *name;
    const KalNode *node;
    uint32_t n;
    int64_t index[KAL_TARGET_INDICES];
    bool is_element[KAL_TARGET_INDICES]; ///< it depends on the index of a loop
} KalTarget;

/// Reads a target; false after an error.
bool kal_build_target(KalBuild *b, const KalNode *node, KalTarget *out_target);

/// How many of the first indices are those of an element; the others are sizes.  False
/// after an error.
bool kal_build_split_indices(KalBuild *b, const KalTarget *target,
                             uint32_t *out_elements);

/// A value as an array of the sizes from index k on: a number is repeated, an array has to
/// have them.
KalValue kal_build_fit(KalBuild *b, const KalTarget *target, uint32_t k,
                       KalValue value);

/// A full name: `link[2].a`.
typedef struct KalNameText {
    char text[KAL_BUILD_NAME + 64];
    size_t length;
} KalNameText;

/// The full name of a target: of its scope, of itself, its first n indices.  False after
/// an error.
bool kal_build_name(KalBuild *b, const KalTarget *target, uint32_t n,
                    KalNameText *out_name);

/// Copies a name to the model; NULL when the build stops.
const char *kal_build_keep_name(KalBuild *b, const KalNameText *name);

/// Notes that a list of the model has a name.  False, after an error, when it had it
/// before.
bool kal_build_list_name(KalBuild *b, KalEntryKind kind, const KalNameText *name,
                         KalSpan span);

/// The entry that a target with `n` indices of elements declares: a new one, or an array
/// that gets one more element.  NULL after an error.
KalEntry *kal_build_declare_target(KalBuild *b, KalEntryKind kind,
                                   const KalTarget *target, uint32_t n);

/// Sets the value or the element of what was so declared.
void kal_build_set_target(KalBuild *b, KalEntry *entry, const KalTarget *target,
                          uint32_t n, KalValue value);

/// Does something with the scalars of a value, each with its full name.
typedef struct KalLeaves {
    KalNameText name; ///< of the value; of each scalar in turn when `leaf` is called
    bool letters;     ///< elements of short vectors are .x .y .z, else [1] [2] …
    const KalNode *node;
    /// What comes in the place of a scalar.
    KalValue (*leaf)(KalBuild *b, struct KalLeaves *leaves, KalValue scalar);
    void *user;
} KalLeaves;

KalValue kal_build_leaves(KalBuild *b, KalLeaves *leaves, KalValue value);

/// Copies a list to the model; NULL when the build stops.
void *kal_build_keep_list(KalBuild *b, const void *data, size_t size);

/// The coordinate that a scalar is; false after an error.
bool kal_build_coordinate(KalBuild *b, KalValue value, KalSpan span,
                          uint32_t *out_index);

#endif
