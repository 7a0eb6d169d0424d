// SPDX-License-Identifier: MIT

/// @file
/// The HDF5 library, loaded when a table needs it and not with the program.
///
/// hdf5.h is there for types and constants; nothing links against the library.  Functions
/// are called through the members of KalHdf5Library that bear their names.  Types and
/// classes of properties, which hdf5.h defines by variables of the library, are members
/// too.

#ifndef TABLE_HDF5_LIBRARY_H
#define TABLE_HDF5_LIBRARY_H

#include "base/context.h"

#include <hdf5.h>

/// The functions that we call.
#define KAL_HDF5_FUNCTIONS(X)       \
    X(H5Acreate2)                   \
    X(H5Aexists)                    \
    X(H5Aget_name)                  \
    X(H5Aget_num_attrs)             \
    X(H5Aget_space)                 \
    X(H5Aget_type)                  \
    X(H5Aopen)                      \
    X(H5Aopen_by_idx)               \
    X(H5Aread)                      \
    X(H5Awrite)                     \
    X(H5Dcreate2)                   \
    X(H5Dget_create_plist)          \
    X(H5Dget_space)                 \
    X(H5Dget_type)                  \
    X(H5Dopen2)                     \
    X(H5Dread)                      \
    X(H5Dwrite)                     \
    X(H5Dwrite_chunk)               \
    X(H5Eget_auto2)                 \
    X(H5Eset_auto2)                 \
    X(H5Ewalk2)                     \
    X(H5Fcreate)                    \
    X(H5Fflush)                     \
    X(H5Fget_file_image)            \
    X(H5Fget_vfd_handle)            \
    X(H5Fopen)                      \
    X(H5Gcreate2)                   \
    X(H5Gget_create_plist)          \
    X(H5Gget_info)                  \
    X(H5Gopen2)                     \
    X(H5Idec_ref)                   \
    X(H5Lcreate_hard)               \
    X(H5Lexists)                    \
    X(H5Lget_info)                  \
    X(H5Lget_name_by_idx)           \
    X(H5open)                       \
    X(H5Pcreate)                    \
    X(H5Pget_attr_creation_order)   \
    X(H5Pget_external_count)        \
    X(H5Pget_layout)                \
    X(H5Pget_link_creation_order)   \
    X(H5Pset_attr_creation_order)   \
    X(H5Pset_attr_phase_change)     \
    X(H5Pset_char_encoding)         \
    X(H5Pset_chunk)                 \
    X(H5Pset_deflate)               \
    X(H5Pset_fapl_core)             \
    X(H5Pset_file_locking)          \
    X(H5Pset_libver_bounds)         \
    X(H5Pset_link_creation_order)   \
    X(H5Pset_obj_track_times)       \
    X(H5Pset_shuffle)               \
    X(H5Screate)                    \
    X(H5Screate_simple)             \
    X(H5Sget_simple_extent_dims)    \
    X(H5Sget_simple_extent_ndims)   \
    X(H5Sget_simple_extent_npoints) \
    X(H5Sselect_hyperslab)          \
    X(H5Tcopy)                      \
    X(H5Tget_class)                 \
    X(H5Tget_cset)                  \
    X(H5Tget_size)                  \
    X(H5Tis_variable_str)           \
    X(H5Tset_cset)                  \
    X(H5Tset_size)

/// The variables that we read.
#define KAL_HDF5_IDS(X)              \
    X(H5P_CLS_ATTRIBUTE_CREATE_ID_g) \
    X(H5P_CLS_DATASET_CREATE_ID_g)   \
    X(H5P_CLS_FILE_ACCESS_ID_g)      \
    X(H5P_CLS_FILE_CREATE_ID_g)      \
    X(H5P_CLS_GROUP_CREATE_ID_g)     \
    X(H5P_CLS_LINK_CREATE_ID_g)      \
    X(H5T_C_S1_g)                    \
    X(H5T_IEEE_F64LE_g)              \
    X(H5T_NATIVE_DOUBLE_g)           \
    X(H5T_NATIVE_UCHAR_g)

#define KAL_HDF5_FUNCTION_MEMBER(name) __typeof__(name) *(name);
#define KAL_HDF5_ID_MEMBER(name)       hid_t name;

/// An open library.
typedef struct KalHdf5Library {
    KAL_HDF5_FUNCTIONS(KAL_HDF5_FUNCTION_MEMBER)
    KAL_HDF5_IDS(KAL_HDF5_ID_MEMBER)
} KalHdf5Library;

/// Open the HDF5 of the program if it has one, otherwise the first of `names`, which end
/// with NULL, that is there.  It stays in the program until that ends, and opening it again
/// costs next to nothing.  KAL_ERR_FILE, with what to install, when none is there or it
/// is not one that we know.
KAL_CHECKED KalStatus kal_hdf5_library_open(KalContext *ctx, const char *const *names,
                                            KalHdf5Library *out_lib);

#endif
