// SPDX-License-Identifier: MIT

// A table as one JSON object: notes, parameters, and columns each with its values, so
// that a script takes one without going through rows.

#include "json/member.h"
#include "table/format_impl.h"
#include "table/table_impl.h"

#include <assert.h>

static void write_label(KalJsonWriter *w, const KalQuantity *quantity)
{
    assert(quantity->unit && quantity->description);
    kal_json_put_text(w, "unit", quantity->unit);
    kal_json_put_text(w, "description", quantity->description);
}

static void write_notes(KalJsonWriter *w, const KalTable *table)
{
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < kal_table_notes(table); i++) {
        const KalTableNote note = kal_table_note(table, i);
        kal_json_write_key(w, note.key);
        if (note.text) {
            kal_json_write_string(w, note.text);
        } else {
            kal_json_write_number(w, note.number);
        }
    }
    kal_json_write_end(w, '}');
}

static void write_parameters(KalJsonWriter *w, const KalTable *table)
{
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < kal_table_parameters(table); i++) {
        const KalTableParameter parameter = kal_table_parameter(table, i);
        kal_json_write_key(w, parameter.quantity.name);
        kal_json_write_begin(w, '{');
        write_label(w, &parameter.quantity);
        kal_json_put_number(w, "value", parameter.value);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, '}');
}

static void write_columns(KalJsonWriter *w, const KalTable *table)
{
    kal_json_write_begin(w, '{');
    for (size_t j = 0; j < kal_table_columns(table); j++) {
        const KalQuantity column = kal_table_column(table, j);
        kal_json_write_key(w, column.name);
        kal_json_write_begin(w, '{');
        write_label(w, &column);
        kal_json_write_key(w, "values");
        kal_json_write_begin(w, '[');
        for (size_t i = 0; i < kal_table_rows(table); i++) {
            kal_json_write_number(w, kal_table_row(table, i)[j]);
        }
        kal_json_write_end(w, ']');
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, '}');
}

KalStatus kal_json_table_write(const KalTable *table, KalSink sink)
{
    assert(table && sink.write);
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_bool(&w, KAL_TABLE_INCOMPLETE_NOTE, kal_table_is_incomplete(table));
    kal_json_write_key(&w, "notes");
    write_notes(&w, table);
    kal_json_write_key(&w, "parameters");
    write_parameters(&w, table);
    kal_json_write_key(&w, "columns");
    write_columns(&w, table);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
    return KAL_OK;
}
