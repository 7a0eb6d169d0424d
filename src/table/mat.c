// SPDX-License-Identifier: MIT

// A MAT file of version 4 is a sequence of matrices, each a head of five 32-bit numbers, a
// name and the entries, column by column.  Dymola and OpenModelica put six of them into a
// result.  In the layout they call binTrans each variable has a column of `name`,
// `description` and `dataInfo` and a row of the data; data_1 holds what does not change,
// at the first and last instant, and data_2 the rest.  So a column of data_2 is a row of
// our table.

#include "table/format_impl.h"
#include "table/table_impl.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The type of a matrix, little endian: ten times the type of its entries, and 1 for text.
enum {
    DOUBLES = 0,
    INTEGERS = 20,
    TEXT = 51
};

enum {
    LARGEST = INT32_MAX, // number in a head, and bytes of a matrix that readers take
    LABEL_SIZE =
        2 * KAL_TABLE_LABEL_LIMIT + 4 // a description, a unit, " []" and the end
};

static const KalTableParameter incomplete_mark = {
    .quantity = {.name = KAL_TABLE_INCOMPLETE_COLUMN,
                 .unit = "",
                 .description = "rows are missing"},
    .value = 1.0
};

static void put(KalSink sink, const void *bytes, size_t size)
{
    assert(bytes || size == 0);
    sink.write(sink.user, bytes, size);
}

// Little endian, whatever the machine.
static void put_integer(KalSink sink, int32_t value)
{
    const uint32_t bits = (uint32_t)value;
    const unsigned char bytes[4] = {
        (unsigned char)(bits & 0xff), (unsigned char)(bits >> 8 & 0xff),
        (unsigned char)(bits >> 16 & 0xff), (unsigned char)(bits >> 24)};
    put(sink, bytes, sizeof bytes);
}

// The same for the eight bytes of an IEEE double.
static void put_double(KalSink sink, double value)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(bits >> 8 * i & 0xff);
    }
    put(sink, bytes, sizeof bytes);
}

// The head of a matrix.
static void put_head(KalSink sink, const char *name, int32_t type, size_t rows,
                     size_t columns)
{
    assert(name);
    assert(rows <= LARGEST && columns <= LARGEST);
    put_integer(sink, type);
    put_integer(sink, (int32_t)rows);
    put_integer(sink, (int32_t)columns);
    put_integer(sink, 0); // no imaginary parts
    put_integer(sink, (int32_t)strlen(name) + 1);
    put(sink, name, strlen(name) + 1);
}

// Constants: the parameters, and the mark when rows are missing.
static size_t constant_count(const KalTable *table)
{
    return kal_table_parameters(table) + kal_table_is_incomplete(table);
}

static KalTableParameter constant(const KalTable *table, size_t i)
{
    assert(i < constant_count(table));
    return i < kal_table_parameters(table) ? kal_table_parameter(table, i)
                                           : incomplete_mark;
}

static size_t variable_count(const KalTable *table)
{
    return kal_table_columns(table) + constant_count(table);
}

// Columns, then constants.  Readers look for the name `time`, which our `t` gets unless
// it is taken.
static KalQuantity variable(const KalTable *table, size_t i)
{
    assert(i < variable_count(table));
    const size_t n = kal_table_columns(table);
    KalQuantity quantity =
        i < n ? kal_table_column(table, i) : constant(table, i - n).quantity;
    if (i == 0 && strcmp(quantity.name, "t") == 0
        && kal_table_find_column(table, "time") == n) {
        quantity.name = "time";
    }
    return quantity;
}

// What the file is: read column by column, its lines are spelled downwards.
static void put_class(KalSink sink)
{
    static const char lines[4][12] = {"Atrajectory", "1.1        ", "           ",
                                      "binTrans   "};
    put_head(sink, "Aclass", TEXT, 4, 11);
    for (int j = 0; j < 11; j++) {
        for (int i = 0; i < 4; i++) {
            put(sink, &lines[i][j], 1);
        }
    }
}

// Print a text of a variable; returns its length.
typedef size_t Printer(const KalQuantity *quantity, char out_text[LABEL_SIZE]);

static size_t print_name(const KalQuantity *quantity, char out_text[LABEL_SIZE])
{
    return (size_t)snprintf(out_text, LABEL_SIZE, "%s", quantity->name);
}

// The unit is at the end of the description: `length of the rod [m]`.
static size_t print_description(const KalQuantity *quantity, char out_text[LABEL_SIZE])
{
    const bool unit = quantity->unit[0] != '\0';
    const bool both = unit && quantity->description[0] != '\0';
    return (size_t)snprintf(out_text, LABEL_SIZE, "%s%s%s%s%s", quantity->description,
                            both ? " " : "", unit ? "[" : "", quantity->unit,
                            unit ? "]" : "");
}

// A text for each variable, filled up with spaces.  Readers stumble over texts of width 0.
static void put_texts(const KalTable *table, KalSink sink, const char *name,
                      Printer *print)
{
    assert(name && print);
    char text[LABEL_SIZE];
    const size_t count = variable_count(table);
    size_t width = 1;
    for (size_t i = 0; i < count; i++) {
        const KalQuantity quantity = variable(table, i);
        const size_t length = print(&quantity, text);
        width = length > width ? length : width;
    }
    put_head(sink, name, TEXT, width, count);
    for (size_t i = 0; i < count; i++) {
        const KalQuantity quantity = variable(table, i);
        const size_t length = print(&quantity, text);
        assert(length <= width && width < LABEL_SIZE);
        memset(text + length, ' ', width - length);
        put(sink, text, width);
    }
}

// For each variable: the matrix that holds it, 0 for the abscissa of all; its row there;
// 0 to interpolate linearly; and beyond the ends 0 to stay the same, -1 to be undefined.
static void put_places(const KalTable *table, KalSink sink)
{
    const size_t n = kal_table_columns(table);
    put_head(sink, "dataInfo", INTEGERS, 4, variable_count(table));
    for (size_t i = 0; i < variable_count(table); i++) {
        const bool column = i < n;
        const int32_t matrix = column ? (i == 0 ? 0 : 2) : 1;
        const size_t row = column ? i + 1 : i - n + 2;
        put_integer(sink, matrix);
        put_integer(sink, (int32_t)row);
        put_integer(sink, 0);
        put_integer(sink, column ? -1 : 0);
    }
}

// The first and the last instant, each followed by the constants.
static void put_constants(const KalTable *table, KalSink sink)
{
    const size_t rows = kal_table_rows(table);
    const double ends[2] = {
        rows > 0 ? kal_table_row(table, 0)[0] : NAN,
        rows > 0 ? kal_table_row(table, rows - 1)[0] : NAN,
    };
    put_head(sink, "data_1", DOUBLES, 1 + constant_count(table), 2);
    for (int j = 0; j < 2; j++) {
        put_double(sink, ends[j]);
        for (size_t i = 0; i < constant_count(table); i++) {
            put_double(sink, constant(table, i).value);
        }
    }
}

// One row of the table after the other.
static void put_rows(const KalTable *table, KalSink sink)
{
    const size_t n = kal_table_columns(table);
    put_head(sink, "data_2", DOUBLES, n, kal_table_rows(table));
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        const double *row = kal_table_row(table, i);
        for (size_t j = 0; j < n; j++) {
            put_double(sink, row[j]);
        }
    }
}

KalStatus kal_mat_table_write(const KalTable *table, KalSink sink)
{
    assert(table && sink.write && kal_table_columns(table) > 0);
    const size_t row = kal_table_columns(table) * sizeof(double);
    if (kal_table_rows(table) > LARGEST / row) {
        return kal_fail(
            kal_table_context(table), KAL_ERR_LIMIT,
            "a MAT file of version 4 holds 2 GiB; the table has %zu rows of "
            "%zu bytes, which an .h5 file can hold",
            kal_table_rows(table), row);
    }
    put_class(sink);
    put_texts(table, sink, "name", print_name);
    put_texts(table, sink, "description", print_description);
    put_places(table, sink);
    put_constants(table, sink);
    put_rows(table, sink);
    return KAL_OK;
}
