// SPDX-License-Identifier: MIT

// Which columns are meant, and how the table of a sweep is best shown.
//
// The table of a sweep has the columns `run`, inputs, values such as `final(x)`; no name of
// an input has brackets of that kind, so where inputs end is known without further notes.
// An input of a grid has each of its values in several rows, a random one has none twice.

#include "figure/choose.h"

#include "base/context.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

KalStatus kal_figure_fail_of_column(KalContext *ctx, const KalTable *table,
                                    const char *name)
{
    assert(name);
    const size_t count = kal_table_columns(table);
    char shown[KAL_PRINTABLE_SIZE];
    const char *near = NULL;
    kal_printable_print(name, strlen(name), shown);
    const char **names = (const char **)kal_alloc(ctx, count, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = kal_table_column(table, i).name;
    }
    if (names) {
        near = kal_word_find_near(name, names, (int)count);
        kal_free(ctx, (void *)names, count * sizeof *names);
    }
    char meant[KAL_PRINTABLE_SIZE];
    if (near) {
        kal_printable_print(near, strlen(near), meant);
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "no column is called '%s'; did you mean '%s'?", shown, meant);
    }
    char list[8 * KAL_PRINTABLE_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && i < 8; i++) {
        const char *other = kal_table_column(table, i).name;
        kal_printable_print(other, strlen(other), meant);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i > 0 ? ", " : "", meant);
    }
    return kal_fail(ctx, KAL_ERR_USAGE, "no column is called '%s'; there are %s%s",
                    shown, list, count > 8 ? ", …" : "");
}

// Whether a column is a value that a sweep keeps of its runs.
static bool is_kept(const char *name)
{
    static const char *const words[] = {"final(", "max(", "min(",
                                        "mean(",  "rms(", "when("};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(name, words[i], strlen(words[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool kal_figure_is_sweep(const KalTable *table, size_t *out_inputs)
{
    const size_t count = table ? kal_table_columns(table) : 0;
    if (count < 2 || strcmp(kal_table_column(table, 0).name, "run") != 0) {
        return false;
    }
    size_t end = 1;
    while (end < count && !is_kept(kal_table_column(table, end).name)) {
        end++;
    }
    for (size_t i = end; i < count; i++) {
        if (!is_kept(kal_table_column(table, i).name)) {
            return false;
        }
    }
    if (out_inputs) {
        *out_inputs = end - 1;
    }
    return end < count;
}

bool kal_figure_varies(const KalTable *table, size_t column)
{
    assert(column < kal_table_columns(table));
    double first = NAN;
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        const double value = kal_table_row(table, i)[column];
        if (isnan(first)) {
            first = value;
        } else if (!isnan(value) && value != first) {
            return true;
        }
    }
    return false;
}

// Whether an input has values that return.
static KalStatus returns(KalContext *ctx, const KalTable *table, size_t column,
                         bool *out_returns)
{
    KalRuler ruler = {.logarithmic = false};
    const size_t rows = kal_table_rows(table);
    KalStatus status = KAL_OK;
    *out_returns = false;
    for (size_t i = 0; i < rows && status == KAL_OK && !ruler.full; i++) {
        status = kal_ruler_note(ctx, &ruler, kal_table_row(table, i)[column]);
    }
    *out_returns = !ruler.full && ruler.count > 1 && 2 * ruler.count <= rows;
    kal_ruler_clear(ctx, &ruler);
    return status;
}

// Inputs whose values come again make axes: two of them a map, one of them bands; with
// none there is a histogram.
KalStatus kal_figure_suggest(KalContext *ctx, const KalTable *table,
                             KalFigureOptions *options)
{
    KAL_NEED(ctx, ctx && table && options);
    size_t inputs = 0;
    const char *found[2] = {NULL, NULL};
    size_t n = 0;
    if (!kal_figure_is_sweep(table, &inputs)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "the table is not that of a sweep: expected the columns run, "
                        "inputs, and values such as final(x)");
    }
    for (size_t i = 1; i <= inputs && n < 2; i++) {
        bool comes_again = false;
        KAL_TRY(returns(ctx, table, i, &comes_again));
        if (comes_again) {
            found[n++] = kal_table_column(table, i).name;
        }
    }
    if (n == 0 && inputs == 1) {
        found[n++] = kal_table_column(table, 1).name;
    }
    options->kind = n == 2   ? KAL_FIGURE_MAP
                    : n == 1 ? KAL_FIGURE_BANDS
                             : KAL_FIGURE_HISTOGRAM;
    options->x = options->x ? options->x : found[0];
    options->y = options->y ? options->y : found[1];
    return KAL_OK;
}
