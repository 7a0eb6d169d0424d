// SPDX-License-Identifier: MIT

// Tables: functions from points, which stand in the model or in a file beside it.
//
// The points are numbers that are known before anything moves, and the pieces between them
// are made once (expr/spline.h).  What formulas have of a table is the address of one of its
// functions; the model keeps the table as long as its formulas.

#include "model/build_impl.h"
#include "model/statement_impl.h"
#include "table/csv.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 29, // of a file as numbers
    LIST_SIZE = 200
};

// The points of a table on their way.
typedef struct Points {
    double *block; // 2 × n numbers, x and then y
    size_t n;
    KalUnitId argument;
    KalUnitId value;
    const KalSource *source; // the file; NULL where the points are in the model
} Points;

// What a table is made by.
typedef struct Options {
    const KalNode *x; // or NULL
    const KalNode *y;
    KalSplineMethod method;
    KalSplineOutside outside;
} Options;

static bool make_room(KalBuild *b, Points *points, size_t n)
{
    points->block = (double *)kal_alloc(b->ctx, 2 * n + 1, sizeof(double));
    points->n = points->block ? n : 0;
    if (!points->block) {
        kal_build_no_memory(b);
    }
    return points->block != NULL;
}

static void clear(KalBuild *b, Points *points)
{
    kal_free(b->ctx, points->block,
             points->block ? (2 * points->n + 1) * sizeof(double) : 0);
}

// Options.

#define METHOD_WORD(name, word, smooth) word,
#define OUTSIDE_WORD(name, word)        word,

static void read_option(KalBuild *b, const KalNode *option, Options *options)
{
    static const char *const methods[] = {KAL_SPLINE_METHOD_LIST(METHOD_WORD)};
    static const char *const outsides[] = {KAL_SPLINE_OUTSIDE_LIST(OUTSIDE_WORD)};
    const KalNode *value = option->of.option.value;
    int word = 0;
    if (option->op == KAL_OPTION_COLUMN_X) {
        options->x = value;
    } else if (option->op == KAL_OPTION_COLUMN_Y) {
        options->y = value;
    } else if (option->op == KAL_OPTION_TABLE_METHOD) {
        if (kal_build_word(b, value, methods, KAL_SPLINE_METHODS, &word)) {
            options->method = (KalSplineMethod)word;
        }
    } else if (kal_build_word(b, value, outsides, KAL_SPLINE_OUTSIDES, &word)) {
        options->outside = (KalSplineOutside)word;
    }
}

static Options read_options(KalBuild *b, const KalNode *node)
{
    Options options = {.x = NULL};
    for (const KalNode *o = node->of.table.options; o; o = o->next) {
        read_option(b, o, &options);
    }
    return options;
}

// Points in the model.

// The numbers of a vector, which then determine the structure of the model, and their unit.
static bool read_numbers(KalBuild *b, KalValue vector, const KalNode *node, double *out,
                         KalUnitId *out_unit)
{
    const KalArray *array = vector.of.array;
    for (uint32_t i = 0; i < array->n; i++) {
        const KalValue item = array->items[i];
        if (item.kind == KAL_VALUE_BAD || !kal_build_step(b, node->span, 1)
            || !kal_build_number(b, item.of.expr, &out[i])) {
            return false;
        }
        const KalUnitId unit = kal_build_declared(item.unit);
        *out_unit = i == 0 ? unit
                           : kal_build_agree(b, unit, *out_unit, node->span,
                                             "an element", "those before it");
        kal_build_mark_structural(b, item.of.expr);
    }
    return true;
}

static KalValue read_vector(KalBuild *b, const KalNode *node, const KalNode *unit)
{
    static const KalUsage usage = {KAL_MARKS_CONSTANT,
                                   "a table, which is known before anything moves"};
    KalValue value = kal_build_eval_for(b, node, usage);
    value = kal_build_apply_unit(b, value, unit, node);
    if (value.kind == KAL_VALUE_BAD
        || (value.kind == KAL_VALUE_ARRAY && value.of.array->depth == 1
            && value.of.array->n > 0
            && value.of.array->items[0].kind == KAL_VALUE_SCALAR)) {
        return value;
    }
    return kal_build_bad(b, node->span, "a table takes two vectors of numbers, not %s",
                         kal_build_describe(value).text);
}

static bool read_vectors(KalBuild *b, const KalNode *node, Points *points)
{
    const KalNode *first = node->of.table.data;
    const KalNode *second = first->next;
    const KalValue x = read_vector(b, first, NULL);
    const KalValue y = read_vector(b, second, node->of.table.unit);
    if (x.kind == KAL_VALUE_BAD || y.kind == KAL_VALUE_BAD) {
        return false;
    }
    const uint32_t n = x.of.array->n;
    if (y.of.array->n != n) {
        kal_build_error(b, second->span,
                        "a table has as many values as arguments, not %u and %u",
                        y.of.array->n, n);
        return false;
    }
    return make_room(b, points, n)
           && read_numbers(b, x, first, points->block, &points->argument)
           && read_numbers(b, y, second, points->block + n, &points->value);
}

// Points in a file.

// The names of columns, as far as there is room.
static void list_columns(const KalTable *table, char out_list[LIST_SIZE])
{
    size_t length = 0;
    out_list[0] = '\0';
    for (size_t i = 0; i < kal_table_columns(table) && length < LIST_SIZE; i++) {
        length += (size_t)snprintf(out_list + length, LIST_SIZE - length, "%s%s",
                                   i == 0 ? "" : ", ", kal_table_column(table, i).name);
    }
}

// The column that an option names, or the one of a place; false after an error.
static bool find_column(KalBuild *b, const KalNode *node, const KalTable *table,
                        const KalNode *name, size_t *column)
{
    char text[KAL_BUILD_NAME];
    char list[LIST_SIZE];
    if (name) {
        (void)snprintf(text, sizeof text, "%.*s", (int)name->of.text.length,
                       name->of.text.data);
        *column = kal_table_find_column(table, text);
    }
    if (*column < kal_table_columns(table)) {
        return true;
    }
    list_columns(table, list);
    kal_build_error(b, name ? name->span : node->of.table.data->span,
                    "there is no such column in the file; it has %s", list);
    return false;
}

static bool take_columns(KalBuild *b, const KalNode *node, const KalTable *table,
                         const Options *options, Points *points)
{
    size_t x = 0;
    size_t y = 1;
    if (!find_column(b, node, table, options->x, &x)
        || !find_column(b, node, table, options->y, &y)
        || !kal_build_step(b, node->span, kal_table_rows(table))
        || !make_room(b, points, kal_table_rows(table))) {
        return false;
    }
    const double factor =
        kal_build_is_degree(b, node->of.table.unit) ? acos(-1.0) / 180.0 : 1.0;
    for (size_t i = 0; i < points->n; i++) {
        const double *row = kal_table_row(table, i);
        points->block[i] = row[x];
        points->block[points->n + i] = factor * row[y];
    }
    return true;
}

// The columns of a CSV file are read as numbers; messages of the reader become errors at
// the name of the file.
static bool read_file(KalBuild *b, const KalNode *node, const Options *options,
                      Points *points)
{
    const KalSource *source = kal_build_read_data(b, node->of.table.data);
    KalTable *table = NULL;
    if (!source) {
        return false;
    }
    const KalStatus status = kal_csv_parse(b->ctx, source->name, source->text,
                                           source->length, MOST_BYTES, &table);
    if (status != KAL_OK) {
        if (status == KAL_ERR_NOMEM) {
            kal_build_check(b, status);
        } else {
            kal_build_error(b, node->of.table.data->span, "%s",
                            kal_context_message(b->ctx));
        }
        return false;
    }
    points->source = source;
    points->value = kal_build_read_unit(b, node->of.table.unit);
    const bool good = take_columns(b, node, table, options, points);
    kal_table_destroy(table);
    return good;
}

// Making the table.

// Where a point is: "road.csv:17" or "point 3".
static void report_fault(KalBuild *b, const KalNode *node, const Points *points,
                         const char *fault, size_t place)
{
    const KalSpan span = node->of.table.data->span;
    size_t line = 0;
    const double *x = points->block;
    if (place >= points->n) {
        kal_build_error(b, span, "%s, not %zu", fault, points->n);
    } else if (!points->source) {
        kal_build_error(b, span, "%s; this is point %zu, (%.9g, %.9g)", fault,
                        place + 1, x[place], x[points->n + place]);
    } else if (kal_build_check(b, kal_csv_find_line(b->ctx, points->source->text,
                                                    points->source->length, place,
                                                    &line))) {
        kal_build_error(b, span, "%s:%zu: %s; here is (%.9g, %.9g)",
                        points->source->name, line, fault, x[place],
                        x[points->n + place]);
    }
}

// Memory of the model keeps it, since formulas hold its address.
static const KalSpline *make_spline(KalBuild *b, const KalNode *node,
                                    const Points *points, const KalSplineSpec *spec)
{
    size_t place = 0;
    const char *fault = kal_spline_fault(spec, &place);
    if (fault) {
        report_fault(b, node, points, fault, place);
        return NULL;
    }
    void *memory = kal_arena_alloc(b->model->arena, 1, kal_spline_bytes(spec->n));
    if (!memory) {
        kal_build_no_memory(b);
        return NULL;
    }
    KalSpline *spline = NULL;
    const KalStatus status = kal_spline_make(b->ctx, spec, memory, &spline);
    if (status == KAL_ERR_NUMBER) {
        kal_build_error(b, node->of.table.data->span, "%s",
                        kal_context_message(b->ctx));
        return NULL;
    }
    return kal_build_check(b, status) ? spline : NULL;
}

// The table under its full name, among those of the model and as a name of the scope.
static void declare(KalBuild *b, const KalNode *node, const Points *points,
                    const Options *options)
{
    const KalTarget target = {.name = node->of.table.name, .node = node->of.table.name};
    KalNameText full;
    if (!kal_build_name(b, &target, 0, &full)) {
        return;
    }
    const char *name = kal_build_keep_name(b, &full);
    const KalSplineSpec spec = {.name = name,
                                .x = points->block,
                                .y = points->block + points->n,
                                .n = points->n,
                                .method = options->method,
                                .outside = options->outside};
    const KalSpline *spline = name ? make_spline(b, node, points, &spec) : NULL;
    KalTableUse *use = (KalTableUse *)kal_arena_alloc(b->arena, 1, sizeof *use);
    if (!spline || !use) {
        return;
    }
    *use = (KalTableUse){spline, points->argument, points->value};
    const KalModelTable entry = {name, target.node->span, spline};
    KalEntry *declared = kal_build_declare(b, KAL_ENTRY_TABLE, target.name);
    if (declared && kal_build_check(b, kal_model_add_table(b->model, entry))) {
        declared->table = use;
    }
}

void kal_build_table(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_TABLE);
    const size_t errors = b->report.errors;
    const Options options = read_options(b, node);
    const bool file = node->of.table.data->kind == KAL_NODE_STRING;
    Points points = {.argument = KAL_UNIT_ANY, .value = KAL_UNIT_ANY};
    const KalNode *column = options.x ? options.x : options.y;
    if (column && !file) {
        kal_build_error(b, column->span, "x and y name columns of a file");
    }
    if (b->report.errors == errors
        && (file ? read_file(b, node, &options, &points)
                 : read_vectors(b, node, &points))) {
        declare(b, node, &points, &options);
    }
    if (b->report.errors != errors) {
        kal_build_spoil(b, KAL_ENTRY_TABLE, node->of.table.name);
    }
    clear(b, &points);
}

// Using it.

KalValue kal_build_look_up(KalBuild *b, KalEntry *entry, unsigned primes,
                           const KalNode *node)
{
    const KalTableUse *use = entry->table;
    const KalNode *argument = node->of.call.arguments;
    const KalValue x = kal_build_scalar(b, argument);
    if (x.kind == KAL_VALUE_BAD || !use) { // it was not made, which was reported
        return KAL_BAD_VALUE;
    }
    if (primes > KAL_SPLINE_ORDER) {
        return kal_build_bad(b, node->span, "a table has derivatives to the order %d",
                             KAL_SPLINE_ORDER);
    }
    (void)kal_build_agree(b, kal_build_declared(x.unit), use->argument, argument->span,
                          "this", "the arguments of the table");
    KalUnitId unit = use->value;
    for (unsigned i = 0; i < primes; i++) {
        const bool known = use->argument != KAL_UNIT_ANY;
        unit = known ? kal_build_unit_over(b, unit, use->argument) : KAL_UNIT_ANY;
    }
    const uint32_t before = kal_graph_count(b->graph);
    const KalExpr e =
        kal_spline(b->graph, use->spline, (KalSplineFunctionKind)primes, x.of.expr);
    kal_build_origin(b, before, node->span);
    return kal_build_scalar_of(b, e, x.marks, unit, node);
}
