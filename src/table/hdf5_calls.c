// SPDX-License-Identifier: MIT

// Calls of HDF5 that writers and readers share.  Failures are noted in `failed`, with
// the innermost reason, and later calls get handles below 0, which HDF5 refuses: so
// that a sequence of calls is checked once, in the end.

#include "table/hdf5_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// In hdf5.h some constants call the library first, to open it and to check its version.
// Ours is open before any of them is used.
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

// Errors are walked from the innermost out; the first says most.
static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    if (n == 0) {
        snprintf(user, KAL_HDF5_REASON_SIZE, "%s", error->desc ? error->desc : "");
    }
    return 0;
}

// Look at what a call of HDF5 returned; the answer is the same.
hid_t kal_hdf5_seen(KalHdf5 *h, hid_t result)
{
    if (result < 0 && !h->failed) {
        h->failed = true;
        h->lib.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, h->reason);
    }
    return result;
}

// Give a handle back, of whatever it is.
void kal_hdf5_drop(KalHdf5 *h, hid_t id)
{
    if (id >= 0) {
        kal_hdf5_seen(h, h->lib.H5Idec_ref(id));
    }
}

KalStatus kal_hdf5_load(KalContext *ctx, KalHdf5Library *out_lib)
{
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5_serial.so",
                                        "libhdf5.so.103", "libhdf5.so", NULL};
    return kal_hdf5_library_open(ctx, names, out_lib);
}

// Whatever the program had set to be called on errors comes back with kal_hdf5_speak_again().
void kal_hdf5_silence(KalHdf5 *h)
{
    h->lib.H5Eget_auto2(H5E_DEFAULT, &h->printer, &h->printer_user);
    h->lib.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void kal_hdf5_speak_again(const KalHdf5 *h)
{
    h->lib.H5Eset_auto2(H5E_DEFAULT, h->printer, h->printer_user);
}

// What a link's name may not have.
static bool is_escaped(const char *name, const char *c)
{
    const bool dot = *c == '.' && name[1] == '\0'; // alone it means the group itself
    return *c == '/' || *c == '%' || dot;
}

// HDF5 takes '/' for a path: %2F stands for it, and %25 for '%'.
void kal_hdf5_escape(const char *name, char out_text[KAL_HDF5_NAME_SIZE])
{
    assert(name && strlen(name) <= KAL_TABLE_LABEL_LIMIT);
    char *end = out_text;
    for (const char *c = name; *c != '\0'; c++) {
        if (is_escaped(name, c)) {
            end += snprintf(end, 4, "%%%02X", (unsigned)(unsigned char)*c);
        } else {
            *end++ = *c;
        }
    }
    assert(end - out_text < KAL_HDF5_NAME_SIZE);
    *end = '\0';
}

// Names are UTF-8, groups keep their order, and no time is noted: the same table is the same
// bytes.
void kal_hdf5_open_properties(KalHdf5 *h)
{
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    h->attribute =
        kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_ATTRIBUTE_CREATE_ID_g));
    kal_hdf5_seen(h, h->lib.H5Pset_char_encoding(h->attribute, H5T_CSET_UTF8));
    h->link = kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_LINK_CREATE_ID_g));
    kal_hdf5_seen(h, h->lib.H5Pset_char_encoding(h->link, H5T_CSET_UTF8));
    h->group = kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_GROUP_CREATE_ID_g));
    kal_hdf5_seen(h, h->lib.H5Pset_link_creation_order(h->group, order));
    kal_hdf5_seen(h, h->lib.H5Pset_obj_track_times(h->group, false));
    h->dataset = kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_DATASET_CREATE_ID_g));
    kal_hdf5_seen(h, h->lib.H5Pset_obj_track_times(h->dataset, false));
}

void kal_hdf5_close_properties(KalHdf5 *h)
{
    kal_hdf5_drop(h, h->dataset);
    kal_hdf5_drop(h, h->group);
    kal_hdf5_drop(h, h->link);
    kal_hdf5_drop(h, h->attribute);
}

// A text of `size` bytes that ends with a NUL.
hid_t kal_hdf5_text_type(KalHdf5 *h, size_t size, H5T_cset_t letters)
{
    assert(size > 0);
    const hid_t type = kal_hdf5_seen(h, h->lib.H5Tcopy(h->lib.H5T_C_S1_g));
    kal_hdf5_seen(h, h->lib.H5Tset_size(type, size));
    kal_hdf5_seen(h, h->lib.H5Tset_cset(type, letters));
    return type;
}

// One value.
void kal_hdf5_write_attribute(KalHdf5 *h, hid_t object, const char *name, hid_t type,
                              const void *value)
{
    assert(name && value);
    const hid_t space = kal_hdf5_seen(h, h->lib.H5Screate(H5S_SCALAR));
    const hid_t attribute = kal_hdf5_seen(
        h, h->lib.H5Acreate2(object, name, type, space, h->attribute, H5P_DEFAULT));
    kal_hdf5_seen(h, h->lib.H5Awrite(attribute, type, value));
    kal_hdf5_drop(h, attribute);
    kal_hdf5_drop(h, space);
}

void kal_hdf5_write_text(KalHdf5 *h, hid_t object, const char *name, const char *text)
{
    const hid_t type = kal_hdf5_text_type(h, strlen(text) + 1, H5T_CSET_UTF8);
    kal_hdf5_write_attribute(h, object, name, type, text);
    kal_hdf5_drop(h, type);
}

void kal_hdf5_write_label(KalHdf5 *h, hid_t object, const KalQuantity *quantity)
{
    kal_hdf5_write_text(h, object, KAL_HDF5_UNIT, quantity->unit);
    kal_hdf5_write_text(h, object, KAL_HDF5_DESCRIPTION, quantity->description);
}

// Notes are attributes of the file.

void kal_hdf5_write_note(KalHdf5 *h, hid_t object, const KalTableNote *note)
{
    assert(note->key);
    if (note->text) {
        kal_hdf5_write_text(h, object, note->key, note->text);
    } else {
        kal_hdf5_write_attribute(h, object, note->key, h->lib.H5T_NATIVE_DOUBLE_g,
                                 &note->number);
    }
}
