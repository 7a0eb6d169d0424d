// SPDX-License-Identifier: MIT

#include "base/block.h"
#include "context.h"
#include "fault.h"
#include "rng.h"
#include "sample.h"
#include "table/csv.h"
#include "tap.h"

typedef struct Text {
    KalContext *ctx;
    KalBlock block;
} Text;

static void keep(void *user, const char *bytes, size_t size)
{
    Text *text = user;
    ok(kal_block_add(text->ctx, &text->block, bytes, size) == KAL_OK);
}

static KalTable *parse(KalContext *ctx, const char *text)
{
    KalTable *table = NULL;
    ok(kal_csv_parse(ctx, "in.csv", text, strlen(text), 0, &table) == KAL_OK);
    return table;
}

// What is written for a table that was read.
static void writes(const char *text, const char *want)
{
    KalContext *ctx = new_context();
    KalTable *table = parse(ctx, text);
    Text out = {.ctx = ctx};
    ok(kal_csv_write(table, (KalSink){keep, &out}) == KAL_OK);
    keep(&out, "", 1);
    same_text(out.block.data, want);
    kal_block_clear(ctx, &out.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void refuses(const char *text, KalStatus want, const char *message)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(kal_csv_parse(ctx, "in.csv", text, strlen(text), 0, &table) == want);
    ok(table == NULL);
    same_text(kal_context_message(ctx), message);
    ok(kal_context_bytes(ctx) < 10000);
    kal_context_destroy(ctx);
}

static void names_are_quoted_when_they_must(void)
{
    writes("t,link[2].a',\"a,b\",\"say \"\"hi\"\"\",\"#y\",\" x \"\n",
           "t,link[2].a',\"a,b\",\"say \"\"hi\"\"\",\"#y\",\" x \"\n");
}

static void numbers_have_the_digits_they_need(void)
{
    writes("x\n0.1\n-0\n1e300\n5e-324\n0.30000000000000004\n1\n"
           "1.7976931348623157e308\n",
           "x\n0.1\n-0\n1e+300\n4.94065645841247e-324\n0.30000000000000004\n1\n"
           "1.7976931348623157e+308\n");
}

static void what_is_not_finite_has_one_spelling(void)
{
    writes("x,y\nNaN,-nan\nINF,-Infinity\n,+inf\n\"nan\",\" 1 \"\n",
           "x,y\nnan,nan\ninf,-inf\nnan,inf\nnan,1\n");
}

static void other_programs_are_understood(void)
{
    writes(
        "\xef\xbb\xbf# made elsewhere\r\n\r\nt , \"x\"\r\n+1 ,\t.5\r\n\r\n2.,007\r\n",
        "t,x\n1,0.5\n2,7\n");
    writes("x\n1", "x\n1\n");
    writes("x\n# 3\n1\n\n\n2\n#", "x\n1\n2\n");
    writes("x", "x\n");
    writes("\"a\",b\n1,\n", "a,b\n1,nan\n");
}

static void incomplete_tables_say_so_in_a_column(void)
{
    KalContext *ctx = new_context();
    KalTable *table = parse(ctx, "t,(incomplete)\n1,1\n2,1\n");
    ok(kal_table_is_incomplete(table) && kal_table_columns(table) == 1);
    ok(kal_table_rows(table) == 2 && kal_table_row(table, 1)[0] == 2.0);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    writes("t,(incomplete)\n1,1\n", "t,(incomplete)\n1,1\n");
    writes("t,(incomplete)\n", "t,(incomplete)\n");
}

static void units_are_read_back_from_their_line(void)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    Text out = {.ctx = ctx};
    ok(sample_create(ctx, &table) == KAL_OK);
    kal_csv_write_units(table, (KalSink){keep, &out});
    ok(kal_csv_write(table, (KalSink){keep, &out}) == KAL_OK);
    KalTable *again = NULL;
    ok(kal_csv_parse(ctx, "in.csv", out.block.data, out.block.size, 0, &again)
       == KAL_OK);
    for (size_t j = 0; j < SAMPLE_COLUMNS; j++) {
        same_text(kal_table_column(again, j).name, sample_columns[j].name);
        same_text(kal_table_column(again, j).unit, sample_columns[j].unit);
        for (size_t i = 0; i < SAMPLE_ROWS; i++) {
            ok(sample_same(kal_table_row(again, i)[j], sample_values[i][j]));
        }
    }
    kal_block_clear(ctx, &out.block);
    kal_table_destroy(again);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void columns_are_a_table_of_their_own(void)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    Text out = {.ctx = ctx};
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){"t", "s", "time"}) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){"a,b", "", "two\nlines"}) == KAL_OK);
    kal_csv_write_columns(table, (KalSink){keep, &out});
    keep(&out, "", 1);
    same_text(out.block.data,
              "name,unit,description\nt,s,time\n\"a,b\",\"\",\"two\nlines\"\n");
    kal_block_clear(ctx, &out.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void errors_have_their_place(void)
{
    refuses("", KAL_ERR_SYNTAX,
            "in.csv:1:1: the text ends here; expected the names of the columns");
    refuses("# x\n", KAL_ERR_SYNTAX,
            "in.csv:2:1: the text ends here; expected the names of the columns");
    refuses("0,1\n", KAL_ERR_SYNTAX,
            "in.csv:1:1: the first line holds numbers; expected the names of the "
            "columns");
    refuses("(incomplete)\n", KAL_ERR_SYNTAX,
            "in.csv:1:1: the first line holds none; expected the names of the columns");
    refuses("x,y\n1\n", KAL_ERR_SYNTAX,
            "in.csv:2:1: the line has 1 fields; expected 2, as in the first line");
    refuses("x,y\n1,2\n1,2,3\n", KAL_ERR_SYNTAX,
            "in.csv:3:5: the line has more than 2 fields; expected 2, as in the first "
            "line");
    refuses("x,y\n1,zwei\n", KAL_ERR_SYNTAX,
            "in.csv:2:3: 'zwei' found; expected a number");
    refuses(
        "θ;y\n1;2\n", KAL_ERR_SYNTAX,
        "in.csv:2:1: '1;2' found; expected a number; columns are separated by commas, "
        "and decimals have points");
    refuses("x\n1e999\n", KAL_ERR_NUMBER,
            "in.csv:2:1: the number 1e999 is too large; expected less than 1.8e308 in "
            "magnitude");
    refuses("x,x\n", KAL_ERR_SYNTAX, "in.csv:1:3: there is a column 'x' already");
    refuses("x,\n", KAL_ERR_SYNTAX, "in.csv:1:3: the name of a column is empty");
    refuses("(incomplete),x\n", KAL_ERR_SYNTAX,
            "in.csv:1:1: the name of a column may not be '(incomplete)', which marks "
            "files of tables that ended early");
    refuses("x\n\"1\n2\n", KAL_ERR_SYNTAX,
            "in.csv:2:1: a field without an end; expected a closing \"");
    refuses("\"x\"y\n", KAL_ERR_SYNTAX,
            "in.csv:1:4: text after a closing \"; expected ',' or the end of the line");
    refuses("# units: s\nt,x\n", KAL_ERR_SYNTAX,
            "in.csv:1:10: 1 units; expected one for each column");
    refuses("# units: s,m\nt\n", KAL_ERR_SYNTAX,
            "in.csv:1:12: more units than the 1 columns");
}

static void numbers_are_strict(void)
{
    const char *wrong[] = {"-",   "+",       ".",      "e5",    "1e",
                           "1e+", "--1",     "1.2.3",  "0x1p3", "1 2",
                           "1,",  "infinit", "nan(1)", "1d5",   "\x1b[0m"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[64];
        KalContext *ctx = new_context();
        KalTable *table = NULL;
        snprintf(text, sizeof text, "x\n%s\n", wrong[i]);
        ok(kal_csv_parse(ctx, "in.csv", text, strlen(text), 0, &table)
           == KAL_ERR_SYNTAX);
        has_text(kal_context_message(ctx), "in.csv:2:");
        ok(!strchr(kal_context_message(ctx), '\x1b'));
        kal_context_destroy(ctx);
    }
}

static void nul_bytes_and_limits_are_refused(void)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(kal_csv_parse(ctx, "in.csv", "a\0b\n", 4, 0, &table) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "in.csv:1:1: a NUL byte");
    ok(kal_csv_parse(ctx, "in.csv", "x\n1\0\n", 5, 0, &table) == KAL_ERR_SYNTAX);
    ok(kal_csv_parse(ctx, "in.csv", "x\n1\n2\n", 6, 5, &table) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "in.csv has 6 bytes; expected at most 5");
    ok(kal_csv_parse(ctx, "in.csv", "x\n1\n2\n3\n", 8, 20, &table) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "the table is full");
    ok(table == NULL);
    kal_context_destroy(ctx);
}

// Any doubles, by their bits.
static void every_number_reads_back(void)
{
    enum {
        ROWS = 20000
    };

    Rng rng = {.state = 4};
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    KalTable *again = NULL;
    Text out = {.ctx = ctx};
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){.name = "x"}) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){.name = "y"}) == KAL_OK);
    for (int i = 0; i < ROWS; i++) {
        const uint64_t bits = rng_next(&rng);
        double row[2];
        memcpy(&row[0], &bits, sizeof bits);
        row[1] = rng_entry(&rng);
        ok(kal_table_add_row(table, row) == KAL_OK);
    }
    ok(kal_csv_write(table, (KalSink){keep, &out}) == KAL_OK);
    ok(kal_csv_parse(ctx, "in.csv", out.block.data, out.block.size, 0, &again)
       == KAL_OK);
    ok(kal_table_rows(again) == ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        ok(sample_same(kal_table_row(table, i)[0], kal_table_row(again, i)[0]));
        ok(sample_same(kal_table_row(table, i)[1], kal_table_row(again, i)[1]));
    }
    kal_block_clear(ctx, &out.block);
    kal_table_destroy(again);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void rows_are_found_in_their_lines(void)
{
    const char *text = "\xef\xbb\xbf# c\n\n\"a\nb\",c\n1,2\n\n# d\n3,4\r\n5,6";
    static const size_t lines[] = {5, 8, 9};
    KalContext *ctx = new_context();
    for (size_t row = 0; row < 3; row++) {
        size_t line = 0;
        ok(kal_csv_find_line(ctx, text, strlen(text), row, &line) == KAL_OK);
        ok(line == lines[row]);
    }
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    const char *text = "# units: s,\"m\"\nt,\"x\"\"y\"\n1,2\n\"3\",4\n";
    KalStatus status = KAL_ERR_NOMEM;
    long calls = 1; // the context is there
    for (; status != KAL_OK && calls < 200; calls++) {
        Fault fault = {.calls_left = calls};
        KalContext *ctx = NULL;
        KalTable *table = NULL;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        status = kal_csv_parse(ctx, "in.csv", text, strlen(text), 0, &table);
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !table));
        kal_table_destroy(table);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK && calls > 8);
}

// A table for a pipe has its units in a comment or nowhere.
static void a_table_goes_to_a_sink(void)
{
    KalContext *ctx = new_context();
    KalTable *table = parse(ctx, "# units: s,m\nt,x\n0,1\n");
    KalTable *empty = NULL;
    Text out = {.ctx = ctx};
    const KalSink sink = {keep, &out};
    KalTableWriteOptions how = {.csv_units = KAL_TABLE_UNITS_COMMENT};
    ok(kal_table_write_csv(table, sink, &how) == KAL_OK);
    ok(kal_table_write_csv(table, sink, NULL) == KAL_OK);
    keep(&out, "", 1);
    same_text(out.block.data, "# units: s,m\nt,x\n0,1\nt,x\n0,1\n");
    how.csv_units = KAL_TABLE_UNITS_FILE;
    ok(kal_table_write_csv(table, sink, &how) == KAL_ERR_USAGE);
    ok(kal_table_create(ctx, 0, &empty) == KAL_OK);
    ok(kal_table_write_csv(empty, sink, NULL) == KAL_ERR_USAGE);
    kal_table_destroy(empty);
    kal_block_clear(ctx, &out.block);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(names_are_quoted_when_they_must),
        TAP_CASE(numbers_have_the_digits_they_need),
        TAP_CASE(what_is_not_finite_has_one_spelling),
        TAP_CASE(other_programs_are_understood),
        TAP_CASE(incomplete_tables_say_so_in_a_column),
        TAP_CASE(units_are_read_back_from_their_line),
        TAP_CASE(columns_are_a_table_of_their_own), TAP_CASE(a_table_goes_to_a_sink),
        TAP_CASE(errors_have_their_place), TAP_CASE(numbers_are_strict),
        TAP_CASE(nul_bytes_and_limits_are_refused), TAP_CASE(every_number_reads_back),
        TAP_CASE(rows_are_found_in_their_lines), TAP_CASE(every_allocation_may_fail))
