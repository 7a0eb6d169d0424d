// SPDX-License-Identifier: MIT

// The formulas of a system laid out for readers: shortened, with names that look different.
//
// The formulas are copied to a graph of their own and shortened there (algebra/collect.h),
// unless there are too many of them.  Symbols that would look the same in print, as x1 and
// x_1 do, are told apart by writing all but one of them out.

#include "closed/sheet.h"

#include "algebra/collect.h"
#include "base/index.h"
#include "expr/copy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLLECT_MAX = 400,    // formulas of a system that is laid out anew
    TEXT_MAX = 40000,     // characters of all formulas beyond which parts get names
    AS_TYPED_PERCENT = 80 // energies stay as typed unless they become shorter than this
};

static const char *name_of(void *user, uint32_t id)
{
    const KalSheet *sheet = (const KalSheet *)user;
    assert(id < sheet->eq->model->n_symbols + (size_t)KAL_SHEET_NAMES);
    const size_t n = sheet->eq->model->n_symbols;
    return id < n ? sheet->eq->model->symbols[id].name : sheet->named[id - n].name;
}

static bool is_literal(void *user, uint32_t id)
{
    const KalSheet *sheet = (const KalSheet *)user;
    return id < sheet->eq->model->n_symbols && sheet->looks[id].literal;
}

KalPrintOptions kal_sheet_options(const KalSheet *sheet, KalFormat format)
{
    return (KalPrintOptions){.format = format,
                             .name = name_of,
                             .literal = is_literal,
                             .user = (void *)sheet};
}

static void add_to_hash(void *user, const char *text, size_t length)
{
    uint64_t *hash = (uint64_t *)user;
    *hash = kal_hash_text(*hash, text, length);
}

// What a symbol looks like when nothing is written out.
static KalStatus look_at(const KalSheet *sheet, uint32_t id, uint64_t *out_hash)
{
    assert(out_hash);
    KalPrintOptions options = kal_sheet_options(sheet, KAL_FORMAT_LATEX);
    options.literal = NULL;
    *out_hash = KAL_HASH_BEGIN;
    return kal_print(sheet->g, kal_symbol(sheet->g, id), &options,
                     (KalSink){add_to_hash, out_hash});
}

static int compare_looks(const void *a, const void *b)
{
    const KalLook *one = (const KalLook *)a;
    const KalLook *other = (const KalLook *)b;
    return one->hash != other->hash ? (one->hash < other->hash ? -1 : 1)
           : one->id < other->id    ? -1
                                    : one->id > other->id;
}

static int compare_ids(const void *a, const void *b)
{
    const KalLook *one = (const KalLook *)a;
    const KalLook *other = (const KalLook *)b;
    return one->id < other->id ? -1 : one->id > other->id;
}

// Greek letters are themselves in any writing; the words for them are not.
static bool is_greek(const KalSheet *sheet, const KalLook *look)
{
    return ((unsigned char)sheet->eq->model->symbols[look->id].name[0] & 0x80U) != 0;
}

// All but one of those that look the same are written out.
static void tell_apart(const KalSheet *sheet, KalLook *first, size_t n)
{
    assert(n > 0);
    size_t kept = 0;
    for (size_t i = n; i-- > 0;) {
        kept = is_greek(sheet, &first[i]) ? i : kept;
    }
    for (size_t i = 0; i < n; i++) {
        first[i].literal = i != kept;
    }
}

// Derivatives are written out with their coordinates.
static void follow_coordinates(KalSheet *sheet)
{
    const KalModel *model = sheet->eq->model;
    for (size_t id = 0; id < model->n_symbols; id++) {
        const KalSymbol *symbol = &model->symbols[id];
        if (symbol->kind == KAL_SYMBOL_VELOCITY
            || symbol->kind == KAL_SYMBOL_ACCELERATION) {
            const size_t q = id - (size_t)(symbol->kind - KAL_SYMBOL_COORDINATE);
            assert(model->symbols[q].index == symbol->index);
            sheet->looks[id].literal =
                sheet->looks[id].literal || sheet->looks[q].literal;
        }
    }
}

// Find the symbols that look the same, such as x1, x_1 and x[1].
static KalStatus compare_symbols(KalSheet *sheet)
{
    const size_t n = sheet->eq->model->n_symbols;
    sheet->looks = (KalLook *)kal_alloc(sheet->ctx, n, sizeof *sheet->looks);
    if (n > 0 && !sheet->looks) {
        return kal_no_memory(sheet->ctx, "to show equations");
    }
    for (size_t id = 0; id < n; id++) {
        sheet->looks[id].id = (uint32_t)id;
        KAL_TRY(look_at(sheet, (uint32_t)id, &sheet->looks[id].hash));
    }
    qsort(sheet->looks, n, sizeof *sheet->looks, compare_looks);
    for (size_t i = 0, next = 0; i < n; i = next) {
        next = i + 1;
        while (next < n && sheet->looks[next].hash == sheet->looks[i].hash) {
            next++;
        }
        tell_apart(sheet, sheet->looks + i, next - i);
    }
    qsort(sheet->looks, n, sizeof *sheet->looks, compare_ids);
    follow_coordinates(sheet);
    return KAL_OK;
}

KalExpr kal_sheet_entry(const KalSparse *pattern, const KalExpr *values, size_t row,
                        size_t column)
{
    assert(values || !pattern->start);
    if (!pattern->start) {
        return KAL_NO_EXPR;
    }
    for (int64_t k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
        if ((size_t)pattern->column[k] == column) {
            return values[k];
        }
    }
    return KAL_NO_EXPR;
}

KalExpr kal_sheet_mass(const KalSheet *sheet, size_t row, size_t column)
{
    return row >= column ? kal_sheet_entry(&sheet->eq->M, sheet->M, row, column)
                         : kal_sheet_entry(&sheet->eq->M, sheet->M, column, row);
}

static bool is_taken(const KalSheet *sheet, const char *name)
{
    const KalModel *model = sheet->eq->model;
    for (size_t i = 0; i < model->n_symbols; i++) {
        if (strcmp(model->symbols[i].name, name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < sheet->n_named; i++) {
        if (strcmp(sheet->named[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Whether the name that is being chosen looks like one of the model.
static bool looks_taken(const KalSheet *sheet)
{
    const size_t n = sheet->eq->model->n_symbols;
    uint64_t hash = 0;
    if (look_at(sheet, (uint32_t)(n + (size_t)sheet->n_named), &hash) != KAL_OK) {
        return false; // which shows when the formula is printed
    }
    for (size_t i = 0; i < n; i++) {
        if (sheet->looks[i].hash == hash) {
            return true;
        }
    }
    return false;
}

// The letter, or the letter with the least number, that no symbol has or looks like.
KalExpr kal_sheet_name(KalSheet *sheet, const char *letter, KalExpr value)
{
    assert(letter && sheet->n_named >= 0);
    if (sheet->n_named == KAL_SHEET_NAMES) {
        return KAL_NO_EXPR;
    }
    KalNamed *named = &sheet->named[sheet->n_named];
    snprintf(named->name, sizeof named->name, "%.4s", letter);
    for (int i = 1; is_taken(sheet, named->name) || looks_taken(sheet); i++) {
        snprintf(named->name, sizeof named->name, "%.4s%d", letter, i);
    }
    const size_t id = sheet->eq->model->n_symbols + (size_t)sheet->n_named;
    named->symbol = kal_symbol(sheet->g, (uint32_t)id);
    named->value = value;
    sheet->n_named++;
    return named->symbol;
}

// Give each kind of formula its place in the one list, and copy them there.
static KalExpr *place(KalExpr **at, const KalExpr *from, size_t n)
{
    assert(from || n == 0);
    KalExpr *to = *at;
    if (n > 0) {
        memcpy(to, from, n * sizeof *to);
    }
    *at += n;
    return to;
}

static size_t count_all(const KalEquations *eq)
{
    return 2 + kal_sparse_entries(&eq->M) + 2 * eq->n + kal_sparse_entries(&eq->A)
           + eq->m + kal_sparse_entries(&eq->B) + kal_sparse_entries(&eq->servo_A)
           + eq->n_servos + eq->model->n_states;
}

static void gather(KalSheet *sheet)
{
    const KalEquations *eq = sheet->eq;
    const KalExpr energies[2] = {eq->kinetic, eq->potential};
    KalExpr *at = sheet->all;
    sheet->energies = place(&at, energies, 2);
    sheet->M = place(&at, eq->M.value, kal_sparse_entries(&eq->M));
    sheet->Q = place(&at, eq->Q, eq->n);
    sheet->A = place(&at, eq->A.value, kal_sparse_entries(&eq->A));
    sheet->b = place(&at, eq->b, eq->m);
    sheet->C = place(&at, eq->C, eq->n);
    sheet->B = place(&at, eq->B.value, kal_sparse_entries(&eq->B));
    sheet->servo_A = place(&at, eq->servo_A.value, kal_sparse_entries(&eq->servo_A));
    sheet->servo_b = place(&at, eq->servo_b, eq->n_servos);
    sheet->rates = at;
    for (size_t i = 0; i < eq->model->n_states; i++) {
        *at++ = eq->model->states[i].rate;
    }
    assert(at == sheet->all + sheet->n_all);
}

static void count_text(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

KalStatus kal_sheet_length(const KalSheet *sheet, KalExpr e, size_t *out_length)
{
    size_t length = 0;
    const KalPrintOptions options = kal_sheet_options(sheet, KAL_FORMAT_TEXT);
    const KalSink sink = {count_text, &length};
    const KalStatus status = kal_print(sheet->g, e, &options, sink);
    *out_length = status == KAL_OK ? length : SIZE_MAX;
    return status == KAL_ERR_LIMIT ? KAL_OK : status;
}

// Energies are best known as the user typed them.
static KalStatus keep_typed(KalSheet *sheet, KalExpr *energy, KalExpr typed)
{
    assert(energy);
    KalExpr copy = KAL_NO_EXPR;
    KAL_TRY(kal_copy(sheet->eq->model->graph, &typed, 1, sheet->g, &copy));
    size_t before = 0;
    size_t after = 0;
    KAL_TRY(kal_sheet_length(sheet, copy, &before));
    KAL_TRY(kal_sheet_length(sheet, *energy, &after));
    if (before != SIZE_MAX && after > before / 100 * AS_TYPED_PERCENT) {
        *energy = copy;
    }
    return KAL_OK;
}

// The formulas as the model has them.
static void keep_all(KalSheet *sheet)
{
    if (sheet->g != sheet->eq->model->graph) {
        kal_graph_destroy(sheet->g);
    }
    sheet->g = sheet->eq->model->graph;
    sheet->large = true;
    gather(sheet);
}

static KalStatus lay_out(KalSheet *sheet)
{
    assert(!sheet->large);
    const KalEquations *eq = sheet->eq;
    const KalPrintOptions options = kal_sheet_options(sheet, KAL_FORMAT_TEXT);
    KalGraph *own = NULL;
    size_t length = 0;
    KAL_TRY(kal_graph_create(sheet->ctx, &own));
    sheet->g = own;
    KAL_TRY(kal_collect(eq->model->graph, sheet->all, sheet->n_all, &options, own,
                        sheet->all));
    KAL_TRY(keep_typed(sheet, &sheet->energies[0], eq->kinetic));
    KAL_TRY(keep_typed(sheet, &sheet->energies[1], eq->potential));
    for (size_t i = 0; i < sheet->n_all && length <= TEXT_MAX; i++) {
        size_t one = 0;
        KAL_TRY(kal_sheet_length(sheet, sheet->all[i], &one));
        length = one > TEXT_MAX ? one : length + one;
    }
    if (length > TEXT_MAX) {
        keep_all(sheet);
    }
    return KAL_OK;
}

KalStatus kal_sheet_init(KalSheet *sheet, const KalEquations *eq)
{
    *sheet = (KalSheet){.ctx = eq->model->ctx, .eq = eq, .g = eq->model->graph};
    sheet->n_all = count_all(eq);
    sheet->all = (KalExpr *)kal_alloc(sheet->ctx, sheet->n_all, sizeof *sheet->all);
    if (!sheet->all) {
        return kal_no_memory(sheet->ctx, "to show equations");
    }
    KAL_TRY(compare_symbols(sheet));
    gather(sheet);
    sheet->large = sheet->n_all > COLLECT_MAX;
    return sheet->large ? kal_graph_status(sheet->g) : lay_out(sheet);
}

void kal_sheet_clear(KalSheet *sheet)
{
    if (sheet->g != sheet->eq->model->graph) {
        kal_graph_destroy(sheet->g);
    }
    kal_free(sheet->ctx, sheet->all, sheet->n_all * sizeof *sheet->all);
    kal_free(sheet->ctx, sheet->looks,
             sheet->eq->model->n_symbols * sizeof *sheet->looks);
}
