// SPDX-License-Identifier: MIT

// A table as CSV: read it, write it, read that again; then the same with too little
// memory, and with a small limit; and as the units of another table.

#include "fault.h"
#include "output.h"
#include "table/csv.h"
#include "target.h"

#include <stdio.h>

static char written[OUTPUT_SIZE];
static char again[OUTPUT_SIZE];

static void write_table(const KalTable *table, Output *output)
{
    const KalSink sink = {.write = keep, .user = output};
    kal_csv_write_units(table, sink);
    demand(kal_csv_write(table, sink) == KAL_OK);
}

// What is written gives the same table, and is written the same.
static void demand_round_trip(KalContext *ctx, const KalTable *table)
{
    Output first = {.text = written};
    Output second = {.text = again};
    KalTable *other = NULL;
    write_table(table, &first);
    if (first.length == OUTPUT_SIZE) {
        return; // it was cut
    }
    demand(kal_csv_parse(ctx, "fuzz", first.text, first.length, 0, &other) == KAL_OK);
    demand(kal_table_rows(other) == kal_table_rows(table));
    demand(kal_table_columns(other) == kal_table_columns(table));
    write_table(other, &second);
    demand(first.length == second.length
           && memcmp(first.text, second.text, first.length) == 0);
    kal_table_destroy(other);
}

static void demand_error(const KalContext *ctx, KalStatus status)
{
    static char message[8192];
    const Output output = {.text = message,
                           .length = (size_t)snprintf(message, sizeof message, "%s",
                                                      kal_context_message(ctx))};
    demand(status == KAL_ERR_SYNTAX || status == KAL_ERR_NUMBER
           || status == KAL_ERR_LIMIT);
    demand(output.length > 0 && output.length < sizeof message);
    demand_plain(&output);
}

// Read with `calls_left` allocations, negative for any number, and `limit` bytes.
static void run(const uint8_t *data, size_t size, long calls_left, size_t limit)
{
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
        return;
    }
    const KalStatus status =
        kal_csv_parse(ctx, "fuzz", (const char *)data, size, limit, &table);
    demand((status == KAL_OK) == (table != NULL));
    if (status == KAL_ERR_NOMEM) {
        demand(calls_left >= 0 && kal_context_message(ctx)[0] != '\0');
    } else if (status != KAL_OK) {
        demand_error(ctx, status);
    } else if (calls_left < 0) {
        demand_round_trip(ctx, table);
    }
    kal_table_destroy(table);
    demand(kal_context_bytes(ctx) == fault.live_bytes);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

// The same bytes as a file of units beside a table.
static void run_columns(const uint8_t *data, size_t size, long calls_left)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    demand(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    demand(kal_table_create(ctx, size + 1000, &table) == KAL_OK);
    demand(kal_table_add_column(table, (KalQuantity){.name = "t"}) == KAL_OK);
    demand(kal_table_add_column(table, (KalQuantity){.name = "x"}) == KAL_OK);
    fault.calls_left = calls_left;
    const KalStatus status =
        kal_csv_parse_columns(ctx, "fuzz", (const char *)data, size, table);
    if (status == KAL_ERR_NOMEM) {
        demand(calls_left >= 0);
    } else if (status != KAL_OK) {
        demand_error(ctx, status);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size, -1, 0);
    run(data, size, 1 + (long)(size % 13), 0);
    run(data, size, -1, size + size / 2);
    run_columns(data, size, -1);
    run_columns(data, size, (long)(size % 7));
    return 0;
}
