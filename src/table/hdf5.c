// SPDX-License-Identifier: MIT

// Tables as HDF5.
//
// A file is made in memory and handed over in one piece.  When a disk fills up under it,
// HDF5 1.10 cannot close the file any more and crashes when the program ends; in memory
// there is nothing that can fill up, and the disk is the business of base/whole_file.c.
//
// Texts have a fixed length.  Those of variable length lie in a part of the file that has
// no checksum, and HDF5 1.10 crashes when it is damaged; the reader passes over them.

#include "base/block.h"
#include "base/utf8.h"
#include "base/whole_file.h"
#include "table/format_impl.h"
#include "table/hdf5_impl.h"
#include "table/stream.h"
#include "table/table_impl.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// In hdf5.h some constants call the library first, to open it and to check its version.
// Ours is open before any of them is used.
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

enum {
    DESCRIPTOR_NAME = 32,
    GROWTH = 1 << 20 // bytes by which the image grows at least
};

KalStatus kal_hdf5_table_check(KalContext *ctx)
{
    KalHdf5Library lib;
    return kal_hdf5_load(ctx, &lib);
}

// The reverse of kal_hdf5_escape(); other names with '%' stay as they are.
static void unescape_name(char *name)
{
    assert(name);
    char *end = name;
    for (const char *c = name; *c != '\0'; c++) {
        const bool slash = strncmp(c, "%2F", 3) == 0;
        const bool percent = strncmp(c, "%25", 3) == 0;
        const bool dot = strncmp(c, "%2E", 3) == 0;
        if (slash || percent || dot) {
            *end++ = slash ? '/' : percent ? '%' : '.';
            c += 2;
        } else {
            *end++ = *c;
        }
    }
    assert(end <= name + strlen(name));
    *end = '\0';
}

static void write_notes(KalHdf5 *h, const KalTable *table, hid_t file)
{
    const unsigned char incomplete = kal_table_is_incomplete(table);
    kal_hdf5_write_attribute(h, file, KAL_TABLE_INCOMPLETE_NOTE,
                             h->lib.H5T_NATIVE_UCHAR_g, &incomplete);
    for (size_t i = 0; i < kal_table_notes(table); i++) {
        const KalTableNote note = kal_table_note(table, i);
        kal_hdf5_write_note(h, file, &note);
    }
}

// A dataset of doubles with its unit and description.  The second space says which of the
// numbers at `values` it gets; without any it stays empty.
static void write_dataset(KalHdf5 *h, hid_t group, const KalQuantity *quantity,
                          const hid_t spaces[2], const double *values)
{
    assert(quantity->name && spaces);
    const hid_t file = spaces[0];
    const hid_t memory = spaces[1];
    char name[KAL_HDF5_NAME_SIZE];
    kal_hdf5_escape(quantity->name, name);
    const hid_t dataset =
        kal_hdf5_seen(h, h->lib.H5Dcreate2(group, name, h->lib.H5T_IEEE_F64LE_g, file,
                                           h->link, h->dataset, H5P_DEFAULT));
    if (values) {
        kal_hdf5_seen(h, h->lib.H5Dwrite(dataset, h->lib.H5T_NATIVE_DOUBLE_g, memory,
                                         file, H5P_DEFAULT, values));
    }
    kal_hdf5_write_label(h, dataset, quantity);
    kal_hdf5_drop(h, dataset);
}

static void write_parameters(KalHdf5 *h, const KalTable *table, hid_t file)
{
    const hid_t group =
        kal_hdf5_seen(h, h->lib.H5Gcreate2(file, KAL_HDF5_PARAMETERS, h->link, h->group,
                                           H5P_DEFAULT));
    const hid_t scalar = kal_hdf5_seen(h, h->lib.H5Screate(H5S_SCALAR));
    const hid_t spaces[2] = {scalar, scalar};
    for (size_t i = 0; i < kal_table_parameters(table); i++) {
        const KalTableParameter parameter = kal_table_parameter(table, i);
        write_dataset(h, group, &parameter.quantity, spaces, &parameter.value);
    }
    kal_hdf5_drop(h, scalar);
    kal_hdf5_drop(h, group);
}

// One column of numbers that lie in memory row by row.
static void select_column(KalHdf5 *h, hid_t memory, size_t rows, size_t column)
{
    assert(rows > 0);
    const hsize_t start[2] = {0, column};
    const hsize_t count[2] = {rows, 1};
    kal_hdf5_seen(h, h->lib.H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL,
                                                count, NULL));
}

static void write_columns(KalHdf5 *h, const KalTable *table, hid_t file)
{
    const size_t rows = kal_table_rows(table);
    const hsize_t size[2] = {rows, kal_table_columns(table)};
    const double *values = rows > 0 ? kal_table_row(table, 0) : NULL;
    const hid_t group = kal_hdf5_seen(
        h, h->lib.H5Gcreate2(file, KAL_HDF5_COLUMNS, h->link, h->group, H5P_DEFAULT));
    const hid_t spaces[2] = {kal_hdf5_seen(h, h->lib.H5Screate_simple(1, size, NULL)),
                             kal_hdf5_seen(h, h->lib.H5Screate_simple(2, size, NULL))};
    for (size_t j = 0; j < kal_table_columns(table) && !h->failed; j++) {
        const KalQuantity column = kal_table_column(table, j);
        if (rows > 0) {
            select_column(h, spaces[1], rows, j);
        }
        write_dataset(h, group, &column, spaces, values);
    }
    kal_hdf5_drop(h, spaces[1]);
    kal_hdf5_drop(h, spaces[0]);
    kal_hdf5_drop(h, group);
}

// A file in memory.  HDF5 takes two of the same name for one; the address makes ours
// differ from those of other threads.
static hid_t create_image(KalHdf5 *h, size_t bytes)
{
    assert(h->lib.H5Fcreate);
    char name[64];
    snprintf(name, sizeof name, "kalaba-table-%p", (void *)h);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    const hid_t access =
        kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_FILE_ACCESS_ID_g));
    const hid_t create =
        kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_FILE_CREATE_ID_g));
    kal_hdf5_seen(h, h->lib.H5Pset_fapl_core(access, bytes + GROWTH, false));
    kal_hdf5_seen(h,
                  h->lib.H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
    kal_hdf5_seen(h, h->lib.H5Pset_attr_creation_order(create, order));
    kal_hdf5_seen(
        h, h->lib.H5Pset_attr_phase_change(create, 0,
                                           0)); // so they may have more than 64 KiB
    kal_hdf5_seen(h, h->lib.H5Pset_obj_track_times(create, false));
    const hid_t file =
        kal_hdf5_seen(h, h->lib.H5Fcreate(name, H5F_ACC_TRUNC, create, access));
    kal_hdf5_drop(h, create);
    kal_hdf5_drop(h, access);
    return file;
}

// The image as it lies in memory, in one piece.
static void hand_over(KalHdf5 *h, hid_t file, KalSink sink)
{
    assert(sink.write);
    void *handle = NULL;
    kal_hdf5_seen(h, h->lib.H5Fflush(file, H5F_SCOPE_GLOBAL));
    const ssize_t size =
        (ssize_t)kal_hdf5_seen(h, h->lib.H5Fget_file_image(file, NULL, 0));
    kal_hdf5_seen(h, h->lib.H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
    if (!h->failed) {
        sink.write(sink.user, *(const char **)handle, (size_t)size);
    }
}

KalStatus kal_hdf5_table_write(const KalTable *table, KalSink sink)
{
    assert(table && sink.write);
    KalHdf5 h = {.ctx = kal_table_context(table)};
    const size_t values =
        kal_table_rows(table) * kal_table_columns(table) * sizeof(double);
    KAL_TRY(kal_hdf5_load(h.ctx, &h.lib));
    if (!kal_memory_is_there(3 * (values + GROWTH))) { // old and new while it grows
        return kal_no_memory(h.ctx, "for the image of a file");
    }
    kal_hdf5_silence(&h);
    kal_hdf5_open_properties(&h);
    const hid_t file = create_image(&h, values);
    write_notes(&h, table, file);
    write_parameters(&h, table, file);
    write_columns(&h, table, file);
    hand_over(&h, file, sink);
    kal_hdf5_drop(&h, file);
    kal_hdf5_close_properties(&h);
    kal_hdf5_speak_again(&h);
    if (h.failed) {
        return kal_fail(h.ctx, KAL_ERR_FILE, "HDF5 cannot make a file of the table: %s",
                        h.reason);
    }
    return KAL_OK;
}

// A group of datasets that all have the same number of dimensions.
typedef struct Group {
    const char *name;
    hid_t id;
    int rank;
    H5_index_t order; // as written, or by name when the file does not know
    hsize_t count;
} Group;

typedef struct Input {
    KalHdf5 h;
    const char *path;
    KalTable *table;
    char name[KAL_HDF5_NAME_SIZE]; // of the last dataset
    KalBlock unit;                 // its unit, and
    KalBlock description;          // its description
    hsize_t rows;                  // of all columns
    double *values;                // of the table, row by row
    double *column;                // the numbers of one
    size_t filled;                 // columns whose values are there
} Input;

// Say what could not be done and why.
static KalStatus fail(const Input *in, const char *what)
{
    assert(what);
    return kal_fail(in->h.ctx, KAL_ERR_FILE, "cannot read %s: %s%s%s",
                    kal_file_shown(in->path), what, in->h.failed ? "; HDF5 says: " : "",
                    in->h.reason);
}

// Say what is wrong with the last dataset.
static KalStatus refuse(const Input *in, const Group *group, KalStatus status,
                        const char *problem)
{
    char shown[KAL_PRINTABLE_SIZE];
    kal_printable_print(in->name, strlen(in->name), shown);
    return kal_fail(in->h.ctx, status, "cannot read %s: %s/%s %s%s%s",
                    kal_file_shown(in->path), group->name, shown, problem,
                    in->h.failed ? "; HDF5 says: " : "", in->h.reason);
}

// A text that the next reading does not overwrite.
static KalStatus copy_text(Input *in, const char *text, KalBlock *out_text)
{
    out_text->size = 0;
    return kal_block_add(in->h.ctx, out_text, text, strlen(text) + 1);
}

static KalStatus read_text(Input *in, hid_t attribute, hid_t type, KalBlock *out_text)
{
    assert(out_text);
    const size_t size = in->h.lib.H5Tget_size(type) + 1;
    char *text = kal_alloc(in->h.ctx, size, 1);
    if (!text) {
        return kal_no_memory(in->h.ctx, "for the texts of a table");
    }
    const hid_t memory = kal_hdf5_text_type(&in->h, size, in->h.lib.H5Tget_cset(type));
    kal_hdf5_seen(&in->h, in->h.lib.H5Aread(attribute, memory, text));
    const KalStatus status = copy_text(in, text, out_text);
    kal_hdf5_drop(&in->h, memory);
    kal_free(in->h.ctx, text, size);
    return status;
}

static bool is_number(const KalHdf5 *h, hid_t type)
{
    const H5T_class_t class = h->lib.H5Tget_class(type);
    return class == H5T_FLOAT || class == H5T_INTEGER;
}

static bool is_text(const KalHdf5 *h, hid_t type)
{
    return h->lib.H5Tget_class(type) == H5T_STRING
           && h->lib.H5Tis_variable_str(type) == 0;
}

// Whether an attribute holds one value and not many.
static bool is_single(KalHdf5 *h, hid_t attribute)
{
    const hid_t space = kal_hdf5_seen(h, h->lib.H5Aget_space(attribute));
    const hssize_t count = h->lib.H5Sget_simple_extent_npoints(space);
    kal_hdf5_drop(h, space);
    return count == 1;
}

// The text of an attribute, "" when it is missing or something else.
static KalStatus read_label(Input *in, hid_t object, const char *name,
                            KalBlock *out_text)
{
    if (in->h.lib.H5Aexists(object, name) <= 0) {
        return copy_text(in, "", out_text);
    }
    const hid_t attribute =
        kal_hdf5_seen(&in->h, in->h.lib.H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = kal_hdf5_seen(&in->h, in->h.lib.H5Aget_type(attribute));
    const bool text = is_text(&in->h, type) && is_single(&in->h, attribute);
    const KalStatus status =
        text ? read_text(in, attribute, type, out_text) : copy_text(in, "", out_text);
    kal_hdf5_drop(&in->h, type);
    kal_hdf5_drop(&in->h, attribute);
    return status;
}

// Keep an attribute of the file as a note; those that are neither a text nor a number are
// not ours.
static KalStatus read_note(Input *in, hid_t attribute, hid_t type, const char *key)
{
    if (!is_single(&in->h, attribute)) {
        return KAL_OK;
    }
    if (is_text(&in->h, type)) {
        KAL_TRY(read_text(in, attribute, type, &in->description));
        return kal_table_set_text(in->table, key, in->description.data);
    }
    if (!is_number(&in->h, type)) {
        return KAL_OK;
    }
    double number = 0.0;
    kal_hdf5_seen(&in->h,
                  in->h.lib.H5Aread(attribute, in->h.lib.H5T_NATIVE_DOUBLE_g, &number));
    if (strcmp(key, KAL_TABLE_INCOMPLETE_NOTE) == 0) {
        kal_table_set_incomplete(in->table, number != 0.0);
        return KAL_OK;
    }
    return kal_table_set_number(in->table, key, number);
}

static KalStatus read_attribute(Input *in, hid_t attribute)
{
    const ssize_t length = in->h.lib.H5Aget_name(attribute, sizeof in->name, in->name);
    kal_hdf5_seen(&in->h, length);
    if (length >= (ssize_t)sizeof in->name) {
        return fail(in, "the name of an attribute is too long");
    }
    const hid_t type = kal_hdf5_seen(&in->h, in->h.lib.H5Aget_type(attribute));
    const KalStatus status =
        in->h.failed ? KAL_OK : read_note(in, attribute, type, in->name);
    kal_hdf5_drop(&in->h, type);
    return status;
}

static H5_index_t order_of(hid_t properties,
                           herr_t (*get)(hid_t properties, unsigned *out_flags))
{
    unsigned flags = 0;
    return get(properties, &flags) >= 0 && (flags & H5P_CRT_ORDER_TRACKED) != 0
               ? H5_INDEX_CRT_ORDER
               : H5_INDEX_NAME;
}

// The attributes of the root.
static KalStatus read_notes(Input *in, hid_t file)
{
    const hid_t root =
        kal_hdf5_seen(&in->h, in->h.lib.H5Gopen2(file, "/", H5P_DEFAULT));
    const hid_t properties = kal_hdf5_seen(&in->h, in->h.lib.H5Gget_create_plist(root));
    const H5_index_t order = order_of(properties, in->h.lib.H5Pget_attr_creation_order);
    kal_hdf5_drop(&in->h, properties);
    const hid_t count = kal_hdf5_seen(&in->h, in->h.lib.H5Aget_num_attrs(root));
    KalStatus status = KAL_OK;
    for (hid_t i = 0; i < count && status == KAL_OK && !in->h.failed; i++) {
        const hid_t attribute = kal_hdf5_seen(
            &in->h, in->h.lib.H5Aopen_by_idx(root, ".", order, H5_ITER_INC, (hsize_t)i,
                                             H5P_DEFAULT, H5P_DEFAULT));
        if (attribute >= 0) {
            status = read_attribute(in, attribute);
        }
        kal_hdf5_drop(&in->h, attribute);
    }
    kal_hdf5_drop(&in->h, root);
    KAL_TRY(status);
    return in->h.failed ? fail(in, "its attributes cannot be read") : KAL_OK;
}

// Links may lead into other files, which is not what a table is for.
static bool is_inside(const KalHdf5 *h, hid_t group, const char *name)
{
    assert(name);
    H5L_info_t info;
    return h->lib.H5Lexists(group, name, H5P_DEFAULT) > 0
           && h->lib.H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0
           && info.type == H5L_TYPE_HARD;
}

// Whether the numbers of a dataset are in this file.
static bool has_own_data(KalHdf5 *h, hid_t dataset)
{
    const hid_t properties = kal_hdf5_seen(h, h->lib.H5Dget_create_plist(dataset));
    const H5D_layout_t layout = h->lib.H5Pget_layout(properties);
    const int elsewhere = h->lib.H5Pget_external_count(properties);
    kal_hdf5_drop(h, properties);
    return elsewhere == 0
           && (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS
               || layout == H5D_CHUNKED);
}

// What other programs may have put into a file of this form is refused by name: another
// shape, no numbers, or numbers in another file, which could be any file of the user.
static KalStatus check_dataset(Input *in, const Group *group, hid_t dataset,
                               hsize_t *out_rows)
{
    assert(group->rank == 0 || group->rank == 1);
    hsize_t rows = 1;
    const hid_t type = kal_hdf5_seen(&in->h, in->h.lib.H5Dget_type(dataset));
    const hid_t space = kal_hdf5_seen(&in->h, in->h.lib.H5Dget_space(dataset));
    const bool number = is_number(&in->h, type);
    const int rank = in->h.lib.H5Sget_simple_extent_ndims(space);
    if (rank == group->rank) {
        kal_hdf5_seen(&in->h, in->h.lib.H5Sget_simple_extent_dims(space, &rows, NULL));
    }
    kal_hdf5_drop(&in->h, space);
    kal_hdf5_drop(&in->h, type);
    if (in->h.failed) {
        return refuse(in, group, KAL_ERR_FILE, "cannot be read");
    }
    if (rank != group->rank || !number) {
        return refuse(in, group, KAL_ERR_SHAPE,
                      group->rank == 1 ? "is not a sequence of numbers"
                                       : "is not a single number");
    }
    if (!has_own_data(&in->h, dataset)) {
        return refuse(in, group, KAL_ERR_FILE, "has its numbers in another file");
    }
    *out_rows = rows;
    return KAL_OK;
}

// Open a dataset of a group.  Its name is kept as it was before it was escaped.
static KalStatus open_dataset(Input *in, const Group *group, hsize_t i,
                              hid_t *out_dataset)
{
    assert(i < group->count);
    const ssize_t length =
        in->h.lib.H5Lget_name_by_idx(group->id, ".", group->order, H5_ITER_INC, i,
                                     in->name, sizeof in->name, H5P_DEFAULT);
    if (kal_hdf5_seen(&in->h, length) < 0 || length >= (ssize_t)sizeof in->name) {
        return fail(in, "the name of a dataset cannot be read or is too long");
    }
    const hid_t dataset = is_inside(&in->h, group->id, in->name)
                              ? in->h.lib.H5Dopen2(group->id, in->name, H5P_DEFAULT)
                              : -1;
    unescape_name(in->name);
    if (dataset < 0) {
        return refuse(in, group, KAL_ERR_FILE, "is not a dataset of this file");
    }
    *out_dataset = dataset;
    return KAL_OK;
}

// What happens to a dataset that was opened and checked.
typedef KalStatus Visitor(Input *in, const Group *group, hid_t dataset, hsize_t rows);

// Whether a dataset says in words what became of runs, or what is not unique, which labels of
// columns say too; no number is among them.
static bool is_status(Input *in, const Group *group, hid_t dataset)
{
    const hid_t type = kal_hdf5_seen(&in->h, in->h.lib.H5Dget_type(dataset));
    const bool text = is_text(&in->h, type);
    kal_hdf5_drop(&in->h, type);
    return text && group->rank == 1
           && (strcmp(in->name, KAL_TABLE_STATUS_COLUMN) == 0
               || strcmp(in->name, KAL_TABLE_MARKS_COLUMN) == 0);
}

static KalStatus visit(Input *in, const Group *group, hsize_t i, Visitor *visitor)
{
    hid_t dataset = -1;
    hsize_t rows = 0;
    KAL_TRY(open_dataset(in, group, i, &dataset));
    const bool passed_over = is_status(in, group, dataset);
    KalStatus status = passed_over ? KAL_OK : check_dataset(in, group, dataset, &rows);
    if (status == KAL_OK && !passed_over) {
        status = visitor(in, group, dataset, rows);
    }
    kal_hdf5_drop(&in->h, dataset);
    KAL_TRY(status);
    return in->h.failed ? refuse(in, group, KAL_ERR_FILE, "cannot be read") : KAL_OK;
}

static KalStatus read_quantity(Input *in, hid_t dataset, KalQuantity *out_quantity)
{
    KAL_TRY(read_label(in, dataset, KAL_HDF5_UNIT, &in->unit));
    KAL_TRY(read_label(in, dataset, KAL_HDF5_DESCRIPTION, &in->description));
    *out_quantity = (KalQuantity){
        .name = in->name, .unit = in->unit.data, .description = in->description.data};
    return KAL_OK;
}

static KalStatus add_column(Input *in, const Group *group, hid_t dataset, hsize_t rows)
{
    assert(in->table && !in->values);
    KalQuantity quantity;
    if (kal_table_columns(in->table) == 0) {
        in->rows = rows;
    }
    if (rows != in->rows) {
        return refuse(in, group, KAL_ERR_SHAPE,
                      "has another length than the columns before it");
    }
    KAL_TRY(read_quantity(in, dataset, &quantity));
    return kal_table_add_column(in->table, quantity);
}

// By way of a column of its own: for places in memory with gaps between them HDF5 builds
// lists of 200 bytes a row.
static KalStatus fill_column(Input *in, const Group *group, hid_t dataset, hsize_t rows)
{
    assert(in->values && in->filled < kal_table_columns(in->table));
    const size_t stride = kal_table_columns(in->table);
    (void)group;
    if (!in->column) {
        in->column = (double *)kal_alloc(in->h.ctx, rows, sizeof *in->column);
    }
    if (!in->column) {
        return kal_no_memory(in->h.ctx, "to read a column");
    }
    kal_hdf5_seen(&in->h, in->h.lib.H5Dread(dataset, in->h.lib.H5T_NATIVE_DOUBLE_g,
                                            H5S_ALL, H5S_ALL, H5P_DEFAULT, in->column));
    for (size_t i = 0; i < rows; i++) {
        in->values[i * stride + in->filled] = in->column[i];
    }
    in->filled++;
    return KAL_OK;
}

static KalStatus set_parameter(Input *in, const Group *group, hid_t dataset,
                               hsize_t rows)
{
    KalQuantity quantity;
    double value = 0.0;
    (void)group;
    (void)rows;
    kal_hdf5_seen(&in->h, in->h.lib.H5Dread(dataset, in->h.lib.H5T_NATIVE_DOUBLE_g,
                                            H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    KAL_TRY(read_quantity(in, dataset, &quantity));
    return kal_table_set_parameter(in->table, quantity, value);
}

static KalStatus visit_all(Input *in, const Group *group, Visitor *visitor)
{
    for (hsize_t i = 0; i < group->count; i++) {
        KAL_TRY(visit(in, group, i, visitor));
    }
    return KAL_OK;
}

// Two passes: columns first, so that the table knows its size, then their values, each
// to its place in the rows.
static KalStatus read_columns(Input *in, const Group *group)
{
    assert(in->filled == 0);
    if (group->count == 0) {
        return fail(in, "it has no columns");
    }
    KAL_TRY(visit_all(in, group, add_column));
    if (in->rows == 0 || kal_table_columns(in->table) == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_table_add_empty_rows(in->table, in->rows, &in->values));
    return visit_all(in, group, fill_column);
}

static KalStatus read_parameters(Input *in, const Group *group)
{
    return visit_all(in, group, set_parameter);
}

static KalStatus read_group(Input *in, hid_t file, Group group,
                            KalStatus (*read)(Input *in, const Group *group))
{
    assert(group.name && read);
    H5G_info_t info = {.nlinks = 0};
    group.id = is_inside(&in->h, file, group.name)
                   ? in->h.lib.H5Gopen2(file, group.name, H5P_DEFAULT)
                   : -1;
    if (group.id < 0) {
        return kal_fail(
            in->h.ctx, KAL_ERR_FILE,
            "cannot read %s: it has no group '%s', as a table of Kalaba has",
            kal_file_shown(in->path), group.name);
    }
    const hid_t properties =
        kal_hdf5_seen(&in->h, in->h.lib.H5Gget_create_plist(group.id));
    group.order = order_of(properties, in->h.lib.H5Pget_link_creation_order);
    kal_hdf5_drop(&in->h, properties);
    kal_hdf5_seen(&in->h, in->h.lib.H5Gget_info(group.id, &info));
    group.count = info.nlinks;
    const KalStatus status =
        in->h.failed ? fail(in, "it is damaged") : read(in, &group);
    kal_hdf5_drop(&in->h, group.id);
    return status;
}

static KalStatus read_file(Input *in, hid_t file, size_t limit)
{
    KAL_TRY(kal_table_create(in->h.ctx, limit, &in->table));
    KAL_TRY(read_notes(in, file));
    if (is_inside(&in->h, file, KAL_HDF5_PARAMETERS)) {
        KAL_TRY(read_group(in, file, (Group){.name = KAL_HDF5_PARAMETERS, .rank = 0},
                           read_parameters));
    }
    return read_group(in, file, (Group){.name = KAL_HDF5_COLUMNS, .rank = 1},
                      read_columns);
}

// What the table says against texts and sizes, with the path before it.
static KalStatus name_file(const Input *in, KalStatus status)
{
    if (status != KAL_ERR_USAGE && status != KAL_ERR_LIMIT) {
        return status;
    }
    char reason[KAL_HDF5_REASON_SIZE * 4];
    snprintf(reason, sizeof reason, "%s", kal_context_message(in->h.ctx));
    return kal_fail(in->h.ctx, status == KAL_ERR_USAGE ? KAL_ERR_SYNTAX : status,
                    "cannot read %s: %s", kal_file_shown(in->path), reason);
}

// Without a lock: a file that we only read may lie where none is to be had.
// HDF5 takes a name and not a descriptor; where the system has names for descriptors, what
// was looked at is what is read, whatever has happened to the path.
static KalStatus open_file(Input *in, int descriptor, hid_t *out_file)
{
    char name[DESCRIPTOR_NAME];
    snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
    const char *path = access(name, R_OK) == 0 ? name : in->path;
    const hid_t how =
        kal_hdf5_seen(&in->h, in->h.lib.H5Pcreate(in->h.lib.H5P_CLS_FILE_ACCESS_ID_g));
    kal_hdf5_seen(&in->h, in->h.lib.H5Pset_file_locking(how, false, true));
    const hid_t file =
        kal_hdf5_seen(&in->h, in->h.lib.H5Fopen(path, H5F_ACC_RDONLY, how));
    kal_hdf5_drop(&in->h, how);
    if (in->h.failed) {
        return fail(in, "it is no HDF5 file, or damaged");
    }
    *out_file = file;
    return KAL_OK;
}

static KalStatus read_open(Input *in, int descriptor, size_t limit)
{
    hid_t file = -1;
    KAL_TRY(kal_hdf5_load(in->h.ctx, &in->h.lib));
    kal_hdf5_silence(&in->h);
    KalStatus status = open_file(in, descriptor, &file);
    if (status == KAL_OK) {
        status = name_file(in, read_file(in, file, limit));
    }
    kal_hdf5_drop(&in->h, file);
    kal_hdf5_speak_again(&in->h);
    return status;
}

// Files that are not there need no library to say so.
KalStatus kal_hdf5_table_read(KalContext *ctx, const char *path, size_t limit,
                              KalTable **out_table)
{
    assert(ctx && path && out_table);
    Input in = {.h = {.ctx = ctx}, .path = path};
    int descriptor = -1;
    KAL_TRY(kal_file_open(ctx, path, NULL, &descriptor));
    const KalStatus status = read_open(&in, descriptor, limit);
    close(descriptor);
    kal_free(ctx, in.column, in.column ? in.rows * sizeof *in.column : 0);
    kal_block_clear(ctx, &in.unit);
    kal_block_clear(ctx, &in.description);
    if (status != KAL_OK) {
        kal_table_destroy(in.table);
        return status;
    }
    *out_table = in.table;
    return KAL_OK;
}
