// SPDX-License-Identifier: MIT

// MAT files byte by byte, as the description of version 4 has them: a head of five 32-bit
// numbers, a name, the entries column by column.

#include "base/block.h"
#include "sample.h"
#include "table/format_impl.h"
#include "tap.h"

#include <stdint.h>

typedef struct Bytes {
    KalContext *ctx;
    KalBlock block;
    size_t at;
} Bytes;

static void keep(void *user, const char *bytes, size_t size)
{
    Bytes *out = user;
    ok(kal_block_add(out->ctx, &out->block, bytes, size) == KAL_OK);
}

static const unsigned char *take(Bytes *bytes, size_t size)
{
    ok(size <= bytes->block.size - bytes->at);
    const unsigned char *data = (const unsigned char *)bytes->block.data + bytes->at;
    bytes->at += size;
    return data;
}

static uint64_t take_little(Bytes *bytes, size_t size)
{
    const unsigned char *data = take(bytes, size);
    uint64_t value = 0;
    for (size_t i = size; i > 0; i--) {
        value = value << 8 | data[i - 1];
    }
    return value;
}

static int32_t take_integer(Bytes *bytes)
{
    return (int32_t)(uint32_t)take_little(bytes, 4);
}

static double take_double(Bytes *bytes)
{
    const uint64_t bits = take_little(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void head_is(Bytes *bytes, const char *name, int type, int rows, int columns)
{
    ok(take_integer(bytes) == type);
    ok(take_integer(bytes) == rows);
    ok(take_integer(bytes) == columns);
    ok(take_integer(bytes) == 0);
    ok(take_integer(bytes) == (int32_t)strlen(name) + 1);
    same_text((const char *)take(bytes, strlen(name) + 1), name);
}

static void text_is(Bytes *bytes, const char *want, size_t width)
{
    char text[256];
    memcpy(text, take(bytes, width), width);
    for (size_t i = strlen(want); i < width; i++) {
        ok(text[i] == ' ');
    }
    text[strlen(want)] = '\0';
    same_text(text, want);
}

static void class_is_right(Bytes *bytes)
{
    const char *want[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    head_is(bytes, "Aclass", 51, 4, 11);
    for (size_t j = 0; j < 11; j++) {
        for (size_t i = 0; i < 4; i++) {
            ok(*take(bytes, 1) == (unsigned char)want[i][j]);
        }
    }
}

static void place_is(Bytes *bytes, int matrix, int row, int beyond)
{
    ok(take_integer(bytes) == matrix);
    ok(take_integer(bytes) == row);
    ok(take_integer(bytes) == 0);
    ok(take_integer(bytes) == beyond);
}

static Bytes write_table(KalContext *ctx, const KalTable *table)
{
    Bytes bytes = {.ctx = ctx};
    ok(kal_mat_table_write(table, (KalSink){keep, &bytes}) == KAL_OK);
    return bytes;
}

static KalTable *new_table(KalContext *ctx, const char *first, const char *second)
{
    KalTable *table = NULL;
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){first, "s", ""}) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){second, "m", "place"}) == KAL_OK);
    return table;
}

static void every_byte_is_where_it_belongs(void)
{
    const double rows[3][2] = {
        {0.0, -0.0  },
        {0.5, NAN   },
        {1.5, 1e-310}
    };
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = new_table(ctx, "t", "longer");
    ok(kal_table_set_parameter(table, (KalQuantity){"m", "kg", "mass"}, 2.5) == KAL_OK);
    for (int i = 0; i < 3; i++) {
        ok(kal_table_add_row(table, rows[i]) == KAL_OK);
    }
    Bytes bytes = write_table(ctx, table);
    class_is_right(&bytes);
    head_is(&bytes, "name", 51, 6, 3);
    text_is(&bytes, "time", 6);
    text_is(&bytes, "longer", 6);
    text_is(&bytes, "m", 6);
    head_is(&bytes, "description", 51, 9, 3);
    text_is(&bytes, "[s]", 9);
    text_is(&bytes, "place [m]", 9);
    text_is(&bytes, "mass [kg]", 9);
    head_is(&bytes, "dataInfo", 20, 4, 3);
    place_is(&bytes, 0, 1, -1);
    place_is(&bytes, 2, 2, -1);
    place_is(&bytes, 1, 2, 0);
    head_is(&bytes, "data_1", 0, 2, 2);
    ok(take_double(&bytes) == 0.0 && take_double(&bytes) == 2.5);
    ok(take_double(&bytes) == 1.5 && take_double(&bytes) == 2.5);
    head_is(&bytes, "data_2", 0, 2, 3);
    for (int i = 0; i < 3; i++) {
        ok(sample_same(take_double(&bytes), rows[i][0]));
        ok(sample_same(take_double(&bytes), rows[i][1]));
    }
    ok(bytes.at == bytes.block.size);
    kal_block_clear(ctx, &bytes.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// Without rows and descriptions, and incomplete.
static void empty_tables_keep_the_layout(void)
{
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){.name = "t"}) == KAL_OK);
    Bytes bytes = write_table(ctx, table);
    class_is_right(&bytes);
    head_is(&bytes, "name", 51, 4, 1);
    text_is(&bytes, "time", 4);
    head_is(&bytes, "description", 51, 1, 1);
    text_is(&bytes, "", 1);
    head_is(&bytes, "dataInfo", 20, 4, 1);
    place_is(&bytes, 0, 1, -1);
    head_is(&bytes, "data_1", 0, 1, 2);
    ok(isnan(take_double(&bytes)) && isnan(take_double(&bytes)));
    head_is(&bytes, "data_2", 0, 1, 0);
    ok(bytes.at == bytes.block.size);
    kal_block_clear(ctx, &bytes.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void first_name_is(const char *first, const char *second, const char *want)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = new_table(ctx, first, second);
    kal_table_set_incomplete(table, true);
    Bytes bytes = write_table(ctx, table);
    class_is_right(&bytes);
    head_is(&bytes, "name", 51, 12, 3);
    text_is(&bytes, want, 12);
    text_is(&bytes, second, 12);
    text_is(&bytes, "(incomplete)", 12);
    kal_block_clear(ctx, &bytes.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void t_is_called_time_if_it_can_be(void)
{
    first_name_is("t", "x", "time");
    first_name_is("t", "time", "t");
    first_name_is("x", "t", "x");
}

TAP_RUN(TAP_CASE(every_byte_is_where_it_belongs),
        TAP_CASE(empty_tables_keep_the_layout), TAP_CASE(t_is_called_time_if_it_can_be))
