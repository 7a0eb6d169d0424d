// SPDX-License-Identifier: MIT

// CSV after RFC 4180, with LF line ends: names in the first line, numbers in the fewest
// digits that read back as the same double.

#include "base/number.h"
#include "table/csv.h"
#include "table/table_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void kal_csv_put(KalSink sink, const char *text)
{
    assert(sink.write && text);
    sink.write(sink.user, text, strlen(text));
}

// RFC 4180 asks for quotes, or a reader, ours or another, might take the field for a comment
// or trim it.
static bool needs_quotes(const char *text)
{
    assert(text);
    const size_t length = strlen(text);
    return text[strcspn(text, ",\"\r\n")] != '\0' || text[0] == '#' || length == 0
           || text[0] == ' ' || text[length - 1] == ' ';
}

// Quotes inside are doubled.
void kal_csv_put_field(KalSink sink, const char *text)
{
    if (!needs_quotes(text)) {
        kal_csv_put(sink, text);
        return;
    }
    kal_csv_put(sink, "\"");
    for (const char *rest = text; *rest != '\0';) {
        const size_t plain = strcspn(rest, "\"");
        sink.write(sink.user, rest, plain);
        rest += plain;
        if (*rest == '"') {
            kal_csv_put(sink, "\"\"");
            rest++;
        }
    }
    kal_csv_put(sink, "\"");
}

void kal_csv_put_number(KalSink sink, double value)
{
    char text[KAL_NUMBER_SIZE];
    if (isnan(value)) {
        kal_csv_put(sink, "nan"); // one spelling, whatever its sign
        return;
    }
    kal_number_print_exact(value, text);
    kal_csv_put(sink, text);
}

void kal_csv_write_units(const KalTable *table, KalSink sink)
{
    kal_csv_put(sink, "# units: ");
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        kal_csv_put(sink, i > 0 ? "," : "");
        kal_csv_put_field(sink, kal_table_column(table, i).unit);
    }
    kal_csv_put(sink, "\n");
}

void kal_csv_write_columns(const KalTable *table, KalSink sink)
{
    kal_csv_put(sink, "name,unit,description\n");
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        const KalQuantity column = kal_table_column(table, i);
        kal_csv_put_field(sink, column.name);
        kal_csv_put(sink, ",");
        kal_csv_put_field(sink, column.unit);
        kal_csv_put(sink, ",");
        kal_csv_put_field(sink, column.description);
        kal_csv_put(sink, "\n");
    }
}

// A table that ended early has one more column, which says so in every row: a CSV has
// no other place for it.
KalStatus kal_csv_write(const KalTable *table, KalSink sink)
{
    assert(table && sink.write);
    const size_t n = kal_table_columns(table);
    const bool incomplete = kal_table_is_incomplete(table);
    for (size_t i = 0; i < n; i++) {
        kal_csv_put(sink, i > 0 ? "," : "");
        kal_csv_put_field(sink, kal_table_column(table, i).name);
    }
    kal_csv_put(sink, incomplete ? "," KAL_TABLE_INCOMPLETE_COLUMN "\n" : "\n");
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        const double *row = kal_table_row(table, i);
        for (size_t j = 0; j < n; j++) {
            kal_csv_put(sink, j > 0 ? "," : "");
            kal_csv_put_number(sink, row[j]);
        }
        kal_csv_put(sink, incomplete ? ",1\n" : "\n");
    }
    return KAL_OK;
}
