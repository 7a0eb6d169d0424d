// SPDX-License-Identifier: MIT

// The numbers of a page: for each column what it is, and its values as the bytes of
// doubles, lowest first, in base 64.  A column that never changes has one number.

#include "json/base64.h"
#include "report/report_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Low byte first, as Float64Array of browsers has it on all machines that are in use.
static void put_double(KalBase64 *e, double value)
{
    unsigned char bytes[8];
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(bits >> 8 * i & 0xFFU);
    }
    kal_base64_put(e, bytes, sizeof bytes);
}

static double value_at(const KalReportData *data, size_t row, size_t column)
{
    assert(row < data->n_rows && data->rows[row] < kal_table_rows(data->report->table));
    return kal_table_row(data->report->table, data->rows[row])[column];
}

// A NaN is not equal to itself, so that a column with one is never constant.
static bool is_constant(const KalReportData *data, size_t column)
{
    assert(column < kal_table_columns(data->report->table));
    for (size_t i = 1; i < data->n_rows; i++) {
        if (!(value_at(data, i, column) == value_at(data, 0, column))) {
            return false;
        }
    }
    return true;
}

// The writer of JSON would copy a text of this length: the digits go to its sink
// directly, between quotes.
static void write_values(const KalReportData *data, KalJsonWriter *w, size_t column)
{
    assert(w->sink.write);
    KalBase64 encoder = {.sink = w->sink};
    w->sink.write(w->sink.user, "\"", 1);
    for (size_t i = 0; i < data->n_rows; i++) {
        put_double(&encoder, value_at(data, i, column));
    }
    kal_base64_end(&encoder);
    w->sink.write(w->sink.user, "\"", 1);
    w->comma = true;
}

// A column that never changes is one number.
static void write_column(const KalReportData *data, KalJsonWriter *w, size_t column)
{
    const KalQuantity quantity = kal_table_column(data->report->table, column);
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "name", quantity.name);
    kal_json_put_text(w, "unit", quantity.unit);
    kal_json_put_text(w, "kind", kal_record_kind(data->report->record, column));
    if (!kal_quantity_is_unique(quantity)) {
        kal_json_put_bool(w, "unique", false);
    }
    kal_json_write_key(w, "values");
    if (data->n_rows > 0 && is_constant(data, column)) {
        kal_json_write_number(w, value_at(data, 0, column));
    } else {
        write_values(data, w, column);
    }
    kal_json_write_end(w, '}');
}

void kal_report_write_columns(const KalReportData *data, KalJsonWriter *w)
{
    assert(data->report && data->report->table);
    kal_json_put_number(w, "rows", (double)data->n_rows);
    kal_json_write_key(w, "columns");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < kal_table_columns(data->report->table); i++) {
        write_column(data, w, i);
    }
    kal_json_write_end(w, ']');
}
