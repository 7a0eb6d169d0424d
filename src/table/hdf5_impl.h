// SPDX-License-Identifier: MIT

/// @file
/// HDF5 as this module uses it: calls whose failures are noted, texts, labels.
///
/// HDF5 keeps a stack of errors and prints it by itself; we silence it for the time of a
/// call and take the innermost message into ours.  Once a call fails, handles are negative
/// and all calls that use them fail as well: so we look once, at the end of a step.

#ifndef TABLE_HDF5_IMPL_H
#define TABLE_HDF5_IMPL_H

#include "table/hdf5_library.h"

#include <kalaba/table.h>

/// @name Names in files
/// @{
#define KAL_HDF5_COLUMNS     "columns"
#define KAL_HDF5_PARAMETERS  "parameters"
#define KAL_HDF5_UNIT        "unit"
#define KAL_HDF5_DESCRIPTION "description"

/// @}

enum {
    KAL_HDF5_REASON_SIZE = 256,
    KAL_HDF5_NAME_SIZE = 3 * KAL_TABLE_LABEL_LIMIT + 1 ///< of a link, all of it escaped
};

/// HDF5 at work.
typedef struct KalHdf5 {
    KalContext *ctx;
    KalHdf5Library lib;
    bool failed;
    char reason[KAL_HDF5_REASON_SIZE]; ///< of the first failure, in the words of HDF5
    H5E_auto2_t printer; ///< what the program had set to be called on errors
    void *printer_user;

    /// @name For writing: names are UTF-8, groups keep their order, nothing notes the time
    /// @{
    hid_t attribute;
    hid_t link;
    hid_t group;
    hid_t dataset;
    /// @}
} KalHdf5;

/// Open the library.  KAL_ERR_FILE with what to install.
KAL_CHECKED KalStatus kal_hdf5_load(KalContext *ctx, KalHdf5Library *out_lib);

/// Let HDF5 print nothing, until it may speak again.
void kal_hdf5_silence(KalHdf5 *h);
void kal_hdf5_speak_again(const KalHdf5 *h);

/// Look at what a call of HDF5 returned; the answer is the same.
hid_t kal_hdf5_seen(KalHdf5 *h, hid_t result);

/// Give a handle back, of whatever it is.
void kal_hdf5_drop(KalHdf5 *h, hid_t id);

/// @name The properties of what is written
/// @{
void kal_hdf5_open_properties(KalHdf5 *h);
void kal_hdf5_close_properties(KalHdf5 *h);
/// @}

/// HDF5 takes '/' for a path: %2F stands for it, and %25 for '%'.
void kal_hdf5_escape(const char *name, char out_text[KAL_HDF5_NAME_SIZE]);

/// A text of `size` bytes that ends with a NUL.
hid_t kal_hdf5_text_type(KalHdf5 *h, size_t size, H5T_cset_t letters);

/// @name Attributes
/// @{
void kal_hdf5_write_attribute(KalHdf5 *h, hid_t object, const char *name, hid_t type,
                              const void *value);
void kal_hdf5_write_text(KalHdf5 *h, hid_t object, const char *name, const char *text);
/// Unit and description.
void kal_hdf5_write_label(KalHdf5 *h, hid_t object, const KalQuantity *quantity);
/// A text or a number.
void kal_hdf5_write_note(KalHdf5 *h, hid_t object, const KalTableNote *note);
/// @}

#endif
