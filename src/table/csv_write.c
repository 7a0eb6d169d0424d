// SPDX-License-Identifier: MIT

// CSV after RFC 4180, with LF line ends: names in the first line, numbers in the fewest
// digits that read back as the same double.

#include "base/number.h"
#include "table/csv.h"
#include "table/table_impl.h"

#include <math.h>
#include <string.h>

static void put(KalSink sink, const char *text)
{
    sink.write(sink.user, text, strlen(text));
}

// A field is quoted when RFC 4180 asks for it, or when a reader, ours or another, might
// take it for a comment or trim it.
static bool needs_quotes(const char *text)
{
    const size_t length = strlen(text);
    return text[strcspn(text, ",\"\r\n")] != '\0' || text[0] == '#' || length == 0
           || text[0] == ' ' || text[length - 1] == ' ';
}

// Quotes inside are doubled.
static void put_field(KalSink sink, const char *text)
{
    if (!needs_quotes(text)) {
        put(sink, text);
        return;
    }
    put(sink, "\"");
    for (const char *rest = text; *rest != '\0';) {
        const size_t plain = strcspn(rest, "\"");
        sink.write(sink.user, rest, plain);
        rest += plain;
        if (*rest == '"') {
            put(sink, "\"\"");
            rest++;
        }
    }
    put(sink, "\"");
}

static void put_number(KalSink sink, double value)
{
    char text[KAL_NUMBER_SIZE];
    if (isnan(value)) {
        put(sink, "nan"); // one spelling, whatever its sign
        return;
    }
    kal_number_print_exact(value, text);
    put(sink, text);
}

void kal_csv_write_units(const KalTable *table, KalSink sink)
{
    put(sink, "# units: ");
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        put(sink, i > 0 ? "," : "");
        put_field(sink, kal_table_column(table, i).unit);
    }
    put(sink, "\n");
}

void kal_csv_write_columns(const KalTable *table, KalSink sink)
{
    put(sink, "name,unit,description\n");
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        const KalQuantity column = kal_table_column(table, i);
        put_field(sink, column.name);
        put(sink, ",");
        put_field(sink, column.unit);
        put(sink, ",");
        put_field(sink, column.description);
        put(sink, "\n");
    }
}

KalStatus kal_csv_write(const KalTable *table, KalSink sink)
{
    const size_t n = kal_table_columns(table);
    const bool incomplete = kal_table_is_incomplete(table);
    for (size_t i = 0; i < n; i++) {
        put(sink, i > 0 ? "," : "");
        put_field(sink, kal_table_column(table, i).name);
    }
    put(sink, incomplete ? "," KAL_TABLE_INCOMPLETE_COLUMN "\n" : "\n");
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        const double *row = kal_table_row(table, i);
        for (size_t j = 0; j < n; j++) {
            put(sink, j > 0 ? "," : "");
            put_number(sink, row[j]);
        }
        put(sink, incomplete ? ",1\n" : "\n");
    }
    return KAL_OK;
}
