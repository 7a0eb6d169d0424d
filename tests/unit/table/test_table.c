// SPDX-License-Identifier: MIT

#include "context.h"
#include "fault.h"
#include "sample.h"
#include "tap.h"

static KalTable *new_table(KalContext *ctx, size_t limit)
{
    KalTable *table = NULL;
    ok(kal_table_create(ctx, limit, &table) == KAL_OK);
    return table;
}

static KalStatus add_column(KalTable *table, const char *name)
{
    return kal_table_add_column(table, (KalQuantity){.name = name});
}

static void keeps_what_it_was_given(void)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(sample_create(ctx, &table) == KAL_OK);
    ok(kal_table_columns(table) == SAMPLE_COLUMNS);
    ok(kal_table_rows(table) == SAMPLE_ROWS);
    for (size_t j = 0; j < SAMPLE_COLUMNS; j++) {
        const KalQuantity column = kal_table_column(table, j);
        same_text(column.name, sample_columns[j].name);
        same_text(column.unit, sample_columns[j].unit);
        same_text(column.description, sample_columns[j].description);
        ok(kal_table_find_column(table, column.name) == j);
    }
    ok(memcmp(kal_table_row(table, 0), sample_values, sizeof sample_values) == 0);
    ok(kal_table_find_column(table, "y") == SAMPLE_COLUMNS);
    ok(kal_table_find_column(table, "") == SAMPLE_COLUMNS);
    ok(!kal_table_is_incomplete(table));
    kal_table_set_incomplete(table, true);
    ok(kal_table_is_incomplete(table));
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void parameters_and_notes_are_set_again_in_place(void)
{
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    ok(kal_table_set_parameter(table, (KalQuantity){"m", "kg", "mass"}, 1.0) == KAL_OK);
    ok(kal_table_set_parameter(table, (KalQuantity){"a", NULL, NULL}, 2.0) == KAL_OK);
    ok(kal_table_set_parameter(table, (KalQuantity){"m", "g", "less"}, 3.0) == KAL_OK);
    ok(kal_table_parameters(table) == 2);
    const KalTableParameter m = kal_table_parameter(table, 0);
    ok(m.value == 3.0);
    same_text(m.quantity.name, "m");
    same_text(m.quantity.unit, "g");
    same_text(m.quantity.description, "less");
    same_text(kal_table_parameter(table, 1).quantity.unit, "");

    ok(kal_table_set_text(table, "method", "auto") == KAL_OK);
    ok(kal_table_set_number(table, "steps", 7.0) == KAL_OK);
    ok(kal_table_set_number(table, "method", 8.0) == KAL_OK);
    ok(kal_table_set_text(table, "steps", "many") == KAL_OK);
    ok(kal_table_notes(table) == 2);
    ok(kal_table_note(table, 0).number == 8.0 && !kal_table_note(table, 0).text);
    same_text(kal_table_note(table, 0).key, "method");
    same_text(kal_table_note(table, 1).text, "many");
    ok(kal_table_note(table, 1).number == 0.0);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void refuses(KalContext *ctx, KalStatus got, KalStatus want, const char *part)
{
    ok(got == want);
    has_text(kal_context_message(ctx), part);
}

static void names_are_checked(void)
{
    static char long_name[KAL_TABLE_LABEL_LIMIT + 2];
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    memset(long_name, 'a', KAL_TABLE_LABEL_LIMIT + 1);
    ok(add_column(table, "x") == KAL_OK);
    refuses(ctx, add_column(table, "x"), KAL_ERR_USAGE, "column 'x' already");
    refuses(ctx, add_column(table, ""), KAL_ERR_USAGE, "is empty");
    refuses(ctx, add_column(table, NULL), KAL_ERR_USAGE, "is empty");
    refuses(ctx, add_column(table, "a\xff"), KAL_ERR_USAGE, "not UTF-8 at byte 2");
    refuses(ctx, add_column(table, "a\nb"), KAL_ERR_USAGE, "control character");
    refuses(ctx, add_column(table, "(incomplete)"), KAL_ERR_USAGE, "(incomplete)");
    refuses(ctx, add_column(table, long_name), KAL_ERR_LIMIT, "at most 4096");
    refuses(ctx, kal_table_add_column(table, (KalQuantity){"y", "m\t", ""}),
            KAL_ERR_USAGE, "the unit has a control character");
    refuses(ctx, kal_table_add_column(table, (KalQuantity){"y", "m", "\xc3"}),
            KAL_ERR_USAGE, "the description is not UTF-8");
    refuses(ctx, kal_table_set_parameter(table, (KalQuantity){.name = ""}, 1.0),
            KAL_ERR_USAGE, "parameter is empty");
    refuses(ctx, kal_table_set_text(table, "incomplete", "no"), KAL_ERR_USAGE,
            "incomplete");
    refuses(ctx, kal_table_set_number(table, "", 1.0), KAL_ERR_USAGE, "key of a note");
    refuses(ctx, kal_table_set_text(table, "k", "\x80"), KAL_ERR_USAGE,
            "the text of a note is not UTF-8");
    ok(kal_table_columns(table) == 1 && kal_table_parameters(table) == 0
       && kal_table_notes(table) == 0);
    long_name[KAL_TABLE_LABEL_LIMIT] = '\0';
    ok(add_column(table, long_name) == KAL_OK);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void columns_come_before_rows(void)
{
    const double one = 1.0;
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    refuses(ctx, kal_table_add_row(table, &one), KAL_ERR_USAGE, "without columns");
    ok(add_column(table, "x") == KAL_OK);
    ok(kal_table_add_row(table, &one) == KAL_OK);
    refuses(ctx, add_column(table, "y"), KAL_ERR_USAGE, "no more columns");
    ok(kal_table_rows(table) == 1);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// The name takes 2 bytes, unit and description 1 each.
static void a_full_table_says_so_and_keeps_its_rows(void)
{
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 4 + 10 * sizeof(double));
    ok(add_column(table, "x") == KAL_OK);
    for (int i = 0; i < 10; i++) {
        const double value = i;
        ok(kal_table_add_row(table, &value) == KAL_OK);
    }
    const double value = 10.0;
    refuses(ctx, kal_table_add_row(table, &value), KAL_ERR_LIMIT,
            "10 rows of 1 columns and its texts take 84 of the 84 bytes");
    refuses(ctx, kal_table_set_text(table, "k", ""), KAL_ERR_LIMIT,
            "the table is full");
    ok(kal_table_rows(table) == 10 && kal_table_notes(table) == 0);
    for (size_t i = 0; i < 10; i++) {
        ok(kal_table_row(table, i)[0] == (double)i);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// Names in falling order, which makes each go before all others, and names in an order
// that is neither.
static void many_names_are_found(void)
{
    enum {
        COUNT = 5000
    };

    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "q[%d]", i % 2 ? COUNT - i : i * 7919 % 100003);
        if (kal_table_find_column(table, name) == kal_table_columns(table)) {
            ok(add_column(table, name) == KAL_OK);
        } else {
            ok(add_column(table, name) == KAL_ERR_USAGE);
        }
    }
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        ok(kal_table_find_column(table, kal_table_column(table, i).name) == i);
    }
    ok(kal_table_columns(table) > COUNT / 2);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void columns_have_a_limit(void)
{
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    char name[32];
    for (int i = 0; i < KAL_TABLE_COLUMN_LIMIT; i++) {
        snprintf(name, sizeof name, "%06d", i);
        ok(add_column(table, name) == KAL_OK);
    }
    refuses(ctx, add_column(table, "x"), KAL_ERR_LIMIT, "at most 65536 columns");
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void memory_grows_geometrically(void)
{
    KalContext *ctx = new_context();
    KalTable *table = new_table(ctx, 0);
    const double row[3] = {1.0, 2.0, 3.0};
    ok(add_column(table, "a") == KAL_OK && add_column(table, "b") == KAL_OK
       && add_column(table, "c") == KAL_OK);
    const size_t before = kal_context_allocations(ctx);
    for (int i = 0; i < 100000; i++) {
        ok(kal_table_add_row(table, row) == KAL_OK);
    }
    ok(kal_context_allocations(ctx) - before < 30);
    ok(kal_context_bytes(ctx) < 2 * 100000 * sizeof row + 100000);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long calls = 1; // the context is there
    for (; status != KAL_OK && calls < 200; calls++) {
        Fault fault = {.calls_left = calls};
        KalContext *ctx = NULL;
        KalTable *table = NULL;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        status = sample_create(ctx, &table);
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !table));
        ok(status == KAL_OK || kal_context_message(ctx)[0] != '\0');
        kal_table_destroy(table);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK && calls > 10);
}

TAP_RUN(TAP_CASE(keeps_what_it_was_given),
        TAP_CASE(parameters_and_notes_are_set_again_in_place),
        TAP_CASE(names_are_checked), TAP_CASE(columns_come_before_rows),
        TAP_CASE(a_full_table_says_so_and_keeps_its_rows),
        TAP_CASE(many_names_are_found), TAP_CASE(columns_have_a_limit),
        TAP_CASE(memory_grows_geometrically), TAP_CASE(every_allocation_may_fail))
