// SPDX-License-Identifier: MIT

// The derived flag of a Pfaffian system, after Cartan: of the forms those combinations stay
// whose brackets (brackets.c) vanish, again and again, until none is lost.  What is left
// satisfies Frobenius' condition and is integrable: theory (10.8) to (10.12).

#include "derive/closure.h"

#include "derive/closure_impl.h"

#include <assert.h>

// What memory is for.
static const char PURPOSE[] = "to classify constraints";

enum {
    NODES_MAX = 1 << 19,       // that the search may add to the graph
    SLOPE_NODES_MAX = 1 << 22, // that one differentiation may, at worst
    LOOKS_MAX = 6,             // points of doubles that are compared
    FAR_LOOKS = 3              // of which so many are far away
};

#define NOT_YET SIZE_MAX

static const double work_max = 5e8; // multiplications of scalars, a second or two

// A matrix of formulas on its way.
typedef struct Rows {
    KalExpr *at; // count × n
    size_t count;
    size_t n;
} Rows;

// Sums and products in which KAL_NO_EXPR is zero.
static KalExpr product(KalGraph *g, KalExpr a, KalExpr b)
{
    return a.index == 0 || b.index == 0 ? KAL_NO_EXPR : kal_mul(g, a, b);
}

static KalExpr sum(KalGraph *g, KalExpr a, KalExpr b)
{
    return a.index == 0 ? b : b.index == 0 ? a : kal_add(g, a, b);
}

static KalExpr negative(KalGraph *g, KalExpr a)
{
    return a.index == 0 ? a : kal_neg(g, a);
}

// Rows of zeros; `at` is NULL when there is no memory.
static Rows new_rows(const KalPfaffSystem *system, size_t count, size_t n)
{
    return (Rows){kal_arena_alloc(system->arena, count * n, sizeof(KalExpr)), count, n};
}

// An entry that is zero in disguise becomes nothing, and one that is equal to something
// short becomes that: else they grow.
static KalStatus tidy_entry(KalPfaffSystem *system, KalExpr *e)
{
    assert(system->probe);
    KalVerdict verdict = {.zero = false};
    if (e->index == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_probe_test(system->probe, e, 1, &verdict));
    if (verdict.zero) {
        *e = KAL_NO_EXPR;
        return KAL_OK;
    }
    return kal_probe_simplify(system->probe, e);
}

// All entries of a row.
static KalStatus tidy(KalPfaffSystem *system, KalExpr *e, size_t n)
{
    KAL_TRY(kal_graph_status(system->g));
    for (size_t j = 0; j < n; j++) {
        KAL_TRY(tidy_entry(system, &e[j]));
    }
    return KAL_OK;
}

// to −= factor × by, where the factor is what is to vanish.
static KalStatus eliminate(KalPfaffSystem *system, Rows rows, size_t to, size_t by,
                           size_t pivot)
{
    assert(to < rows.count && by < rows.count && to != by && pivot < rows.n);
    KalExpr *row = rows.at + to * rows.n;
    const KalExpr factor = negative(system->g, row[pivot]);
    if (factor.index == 0) {
        return KAL_OK;
    }
    for (size_t j = 0; j < rows.n; j++) {
        const KalExpr part = product(system->g, factor, rows.at[by * rows.n + j]);
        row[j] = sum(system->g, row[j], part);
    }
    row[pivot] = KAL_NO_EXPR;
    return tidy(system, row, rows.n);
}

// Row k of a reduced echelon form whose pivots are known not to vanish.
static KalStatus reduce_row(KalPfaffSystem *system, Rows rows, size_t k,
                            const size_t *pivot)
{
    assert(k < rows.count);
    KalExpr *row = rows.at + k * rows.n;
    for (size_t l = 0; l < k; l++) {
        KAL_TRY(eliminate(system, rows, k, l, pivot[l]));
    }
    const KalExpr by = row[pivot[k]];
    for (size_t j = 0; j < rows.n; j++) {
        row[j] = row[j].index == 0 ? row[j] : kal_div(system->g, row[j], by);
    }
    KAL_TRY(tidy(system, row, rows.n));
    for (size_t l = 0; l < k; l++) {
        KAL_TRY(eliminate(system, rows, l, k, pivot[k]));
    }
    return kal_graph_status(system->g);
}

// Whether the formulas have become too large to go on with.
static bool has_grown(const KalPfaffSystem *system)
{
    return kal_graph_count(system->g) - system->first_node > NODES_MAX;
}

// Gauss–Jordan elimination of formulas, row after row.
static KalStatus reduce(KalPfaffSystem *system, Rows rows, const size_t *pivot)
{
    for (size_t k = 0; k < rows.count && !has_grown(system); k++) {
        KAL_TRY(reduce_row(system, rows, k, pivot));
    }
    return KAL_OK;
}

// The independent forms, solved for their pivots, take the place of the forms.
static KalStatus solve_forms(KalPfaffSystem *system, const KalBrackets *b)
{
    const size_t n = system->forms.n;
    assert(b->rank <= system->forms.r);
    const Rows solved = new_rows(system, b->rank, n);
    if (!solved.at) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t k = 0; k < b->rank; k++) {
        for (size_t j = 0; j < n; j++) {
            solved.at[k * n + j] = system->forms.W[b->form[k] * n + j];
        }
    }
    KAL_TRY(reduce(system, solved, b->pivot));
    if (!has_grown(system)) {
        system->forms.W = solved.at;
        system->forms.r = solved.count;
        system->pivot = b->pivot;
    }
    return KAL_OK;
}

// The component of the direction X_f in variable j, from the solved forms.
static KalExpr direction(const KalPfaffSystem *system, const KalBrackets *b, size_t f,
                         size_t j)
{
    assert(j < system->forms.n && f < system->forms.n);
    if (b->solved[j] != 0) {
        const KalPfaffForms *solved = &system->forms;
        return negative(system->g, solved->W[(b->solved[j] - 1) * solved->n + f]);
    }
    return f == j ? kal_int(system->g, 1) : KAL_NO_EXPR;
}

// dω_i(X_f, X_g) for all independent forms i, of one pair: theory (10.9).
static void fill_bracket(const KalPfaffSystem *system, const KalBrackets *b,
                         KalFreePair of, KalExpr *beta)
{
    KalGraph *g = system->g;
    for (size_t s = 0; s < system->n_slopes; s++) {
        const KalSlope *slope = &system->slopes[s];
        const size_t place = b->place[slope->form];
        assert(place <= b->rank);
        if (place != 0) {
            const KalExpr fj = direction(system, b, of.f, slope->j);
            const KalExpr fk = direction(system, b, of.f, slope->k);
            const KalExpr gj = direction(system, b, of.g, slope->j);
            const KalExpr gk = direction(system, b, of.g, slope->k);
            const KalExpr minor =
                sum(g, product(g, fj, gk), negative(g, product(g, fk, gj)));
            beta[place - 1] = sum(g, beta[place - 1], product(g, slope->value, minor));
        }
    }
}

// The independent brackets as rows, solved for the forms that they exclude.
static KalStatus solve_brackets(KalPfaffSystem *system, const KalBrackets *b,
                                Rows *out_brackets)
{
    assert(b->n_pairs <= b->rank);
    const Rows rows = new_rows(system, b->n_pairs, b->rank);
    if (!rows.at) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t k = 0; k < b->n_pairs; k++) {
        fill_bracket(system, b, b->pairs[k], rows.at + k * rows.n);
        KAL_TRY(tidy(system, rows.at + k * rows.n, rows.n));
    }
    KAL_TRY(reduce(system, rows, b->lost));
    *out_brackets = rows;
    return KAL_OK;
}

// Whether some bracket excludes the form at a place.
static bool is_lost(const KalBrackets *b, size_t place)
{
    assert(place < b->rank);
    bool lost = false;
    for (size_t k = 0; k < b->n_pairs && !lost; k++) {
        lost = b->lost[k] == place;
    }
    return lost;
}

// ω_a − Σ (entry of a) ω_lost: what no bracket excludes, theory (10.11).
static KalStatus fill_form(KalPfaffSystem *system, Rows brackets, const KalBrackets *b,
                           size_t a, KalExpr *out_form)
{
    assert(a < b->rank && brackets.n == b->rank);
    const size_t n = system->forms.n;
    const KalExpr *W = system->forms.W;
    for (size_t j = 0; j < n; j++) {
        out_form[j] = W[b->form[a] * n + j];
    }
    for (size_t k = 0; k < brackets.count; k++) {
        const KalExpr factor = negative(system->g, brackets.at[k * brackets.n + a]);
        const KalExpr *lost = W + b->form[b->lost[k]] * n;
        for (size_t j = 0; j < n; j++) {
            out_form[j] =
                sum(system->g, out_form[j], product(system->g, factor, lost[j]));
        }
    }
    return tidy(system, out_form, n);
}

// One new form for each that no bracket excludes.
static KalStatus fill_forms(KalPfaffSystem *system, Rows brackets, const KalBrackets *b,
                            Rows next)
{
    KalStatus status = KAL_OK;
    size_t row = 0;
    for (size_t a = 0; a < b->rank && status == KAL_OK; a++) {
        if (!is_lost(b, a)) {
            status = fill_form(system, brackets, b, a, next.at + row++ * next.n);
        }
    }
    assert(row <= next.count);
    return status;
}

// The next derived system takes the place of the forms, which are solved.
static KalStatus derive_forms(KalPfaffSystem *system, const KalBrackets *b)
{
    assert(b->n_pairs > 0 && b->n_pairs < b->rank);
    Rows brackets = {0};
    KAL_TRY(solve_brackets(system, b, &brackets));
    if (has_grown(system)) {
        return KAL_OK;
    }
    const Rows next = new_rows(system, b->rank - b->n_pairs, system->forms.n);
    if (!next.at) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    KAL_TRY(fill_forms(system, brackets, b, next));
    system->forms.W = next.at;
    system->forms.r = next.count;
    system->pivot = NULL;
    return kal_graph_status(system->g);
}

// Entries that are not zero.
typedef struct Nonzeros {
    KalExpr *e;    // count
    size_t *place; // count: in W
    size_t count;
} Nonzeros;

// Entries of the forms that are not zero, with their places.
static KalStatus list_nonzeros(const KalPfaffSystem *system, Nonzeros *out_nonzeros)
{
    const KalPfaffForms *forms = &system->forms;
    const size_t most = forms->r * forms->n;
    Nonzeros found = {.count = 0};
    found.e = kal_arena_alloc(system->arena, most, sizeof *found.e);
    found.place = kal_arena_alloc(system->arena, most, sizeof *found.place);
    if (!found.e || !found.place) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t i = 0; i < most; i++) {
        if (forms->W[i].index != 0) {
            found.place[found.count] = i;
            found.e[found.count++] = forms->W[i];
        }
    }
    *out_nonzeros = found;
    return KAL_OK;
}

// dω = Σ ∂W_k/∂z_j dz_j ∧ dz_k: the slopes of all entries; dz_j ∧ dz_j is zero.
static KalStatus list_slopes(KalPfaffSystem *system, const KalSparse *J,
                             const Nonzeros *entries)
{
    assert(J->rows == entries->count);
    const size_t n = system->forms.n;
    const size_t count = (size_t)J->start[J->rows];
    system->slopes = kal_arena_alloc(system->arena, count, sizeof *system->slopes);
    system->n_slopes = 0;
    if (!system->slopes) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t e = 0; e < entries->count; e++) {
        const size_t place = entries->place[e];
        for (int64_t s = J->start[e]; s < J->start[e + 1]; s++) {
            const KalSlope slope = {(uint32_t)(place / n), (uint32_t)J->column[s],
                                    (uint32_t)(place % n), J->value[s]};
            assert(slope.form < system->forms.r && slope.j < n && slope.k < n);
            system->slopes[system->n_slopes] = slope;
            system->n_slopes += slope.j != slope.k;
        }
    }
    return KAL_OK;
}

// Differentials of the forms.  All formulas that a look needs are put into `out_all`.
static KalStatus differentiate(KalPfaffSystem *system, KalExpr **out_all,
                               size_t *out_count)
{
    Nonzeros entries = {.count = 0};
    KalSparse J = {0};
    KAL_TRY(list_nonzeros(system, &entries));
    KAL_TRY(kal_jacobian(system->g, entries.e, entries.count, system->forms.z,
                         system->forms.n, &J));
    const KalStatus status = list_slopes(system, &J, &entries);
    kal_sparse_clear(&J);
    KAL_TRY(status);
    const size_t count = entries.count;
    const size_t total = count + system->n_slopes;
    KalExpr *all = kal_arena_alloc(system->arena, total, sizeof *all);
    if (!all) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t i = 0; i < total; i++) {
        all[i] = i < count ? entries.e[i] : system->slopes[i - count].value;
    }
    *out_all = all;
    *out_count = total;
    return KAL_OK;
}

// Prepare formulas, and note what their residues are good for.
static KalStatus prepare(KalPfaffSystem *system, const KalExpr *e, size_t n,
                         KalClosure *closure)
{
    KalPurity purity = {.exact = false};
    KAL_TRY(kal_probe_prepare(system->probe, e, n, system->field, &purity));
    closure->exact =
        closure->exact && purity.exact && system->field == KAL_ARITHMETIC_RESIDUES;
    closure->piecewise = closure->piecewise || purity.piecewise;
    return KAL_OK;
}

// Look at brackets where all formulas have values: once at residues, at several points of
// doubles, of which the one that shows most counts.
static KalStatus look(KalPfaffSystem *system, const KalExpr *all, size_t count,
                      KalBrackets *out_brackets, bool *out_seen)
{
    const KalArithmetic field = system->field;
    KalBrackets best = {.rank = 0};
    int looks = field == KAL_ARITHMETIC_RESIDUES ? 1 : LOOKS_MAX;
    bool seen = false;
    for (int point = 0; looks > 0; point++, looks--) {
        KalBrackets found = {.rank = 0};
        point = kal_probe_find_point(system->probe, all, count, field, point);
        if (point < 0) {
            break;
        }
        KAL_TRY(kal_brackets_find(system, field, point, &found));
        if (!seen || found.rank + found.n_pairs > best.rank + best.n_pairs) {
            best = found;
        }
        seen = true;
        // The last FAR_LOOKS points are far ones, if there are any left.
        point = point < KAL_PROBE_NEAR && looks == FAR_LOOKS + 1 ? KAL_PROBE_NEAR - 1
                                                                 : point;
    }
    *out_brackets = best;
    *out_seen = seen;
    return KAL_OK;
}

// Whether derivatives of the forms would be too many: each may be as large as what was
// made so far, for each variable.
static bool is_large(const KalPfaffSystem *system)
{
    const uint64_t made = kal_graph_count(system->g) - system->first_node;
    return made * system->forms.n > SLOPE_NODES_MAX;
}

// Differentiate the forms and look at their brackets.  False in *out_seen, with the reason
// in the closure, if that cannot be done.
static KalStatus examine(KalPfaffSystem *system, KalClosure *closure,
                         KalBrackets *out_brackets, bool *out_seen)
{
    KalExpr *all = NULL;
    size_t count = 0;
    if (is_large(system)) {
        closure->end = KAL_CLOSURE_NODES;
        *out_seen = false;
        return KAL_OK;
    }
    KAL_TRY(differentiate(system, &all, &count));
    KAL_TRY(prepare(system, all, count, closure));
    KAL_TRY(look(system, all, count, out_brackets, out_seen));
    if (!*out_seen || !out_brackets->finished) {
        closure->end = *out_seen ? KAL_CLOSURE_WORK : KAL_CLOSURE_POINTS;
        *out_seen = false;
    }
    return KAL_OK;
}

// Go from the forms to the next derived system.  *out_more is false when that is no other
// one, or when the search cannot go on.
static KalStatus step(KalPfaffSystem *system, KalClosure *closure, bool *out_more)
{
    bool seen = false;
    KalBrackets brackets = {.rank = 0};
    *out_more = false;
    KAL_TRY(examine(system, closure, &brackets, &seen));
    closure->rank = closure->rank == NOT_YET ? brackets.rank : closure->rank;
    assert(!seen || brackets.n_pairs <= brackets.rank);
    if (!seen || brackets.n_pairs == 0) {
        return KAL_OK; // all are integrable, as far as can be seen
    }
    if (brackets.n_pairs == brackets.rank) {
        system->forms.r = 0; // none is
        return KAL_OK;
    }
    KAL_TRY(solve_forms(system, &brackets));
    if (!has_grown(system)) {
        KAL_TRY(examine(system, closure, &brackets, &seen));
    }
    if (!has_grown(system) && seen) {
        KAL_TRY(derive_forms(system, &brackets));
    }
    if (has_grown(system)) {
        closure->end = KAL_CLOSURE_NODES;
        seen = false;
    }
    *out_more = seen;
    return KAL_OK;
}

// One derived system after the other until nothing more is lost.
static KalStatus run(KalPfaffSystem *system, KalClosure *closure)
{
    assert(system->probe);
    closure->exact = true;
    closure->rank = NOT_YET;
    for (bool more = system->forms.r > 0; more;) {
        KAL_TRY(step(system, closure, &more));
    }
    return KAL_OK;
}

// The entries of a form at a point.
static KalScalar *values_of(const KalPfaffSystem *system, const KalExpr *form,
                            KalArithmetic field, int point, KalScalar *row)
{
    for (size_t j = 0; j < system->forms.n; j++) {
        row[j] = form[j].index == 0
                     ? kal_scalar_of(field, kal_rational(0, 1))
                     : kal_probe_value(system->probe, form[j], field, point);
    }
    return row;
}

// Which of the forms given are combinations of those that are left.
static KalStatus mark_members(const KalPfaffSystem *system, const KalPfaffForms *given,
                              int point, KalBasis *basis, KalClosure *closure)
{
    assert(given->n == system->forms.n);
    const size_t n = given->n;
    bool added = false;
    KalScalar *row = kal_arena_alloc(system->arena, n, sizeof *row);
    if (!row) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t i = 0; i < system->forms.r; i++) {
        values_of(system, system->forms.W + i * n, basis->field, point, row);
        KAL_TRY(kal_basis_add(basis, row, &added));
    }
    for (size_t i = 0; i < given->r; i++) {
        values_of(system, given->W + i * n, basis->field, point, row);
        closure->member[i] = kal_basis_spans(basis, row);
    }
    return KAL_OK;
}

// Which of the forms that are left do not come from members.
static KalStatus mark_extras(const KalPfaffSystem *system, const KalPfaffForms *given,
                             int point, KalBasis *basis, KalClosure *closure)
{
    assert(given->n == system->forms.n);
    const size_t n = given->n;
    KalStatus status = KAL_OK;
    KalScalar *row = kal_arena_alloc(system->arena, n, sizeof *row);
    if (!row) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t i = 0; i < given->r && status == KAL_OK; i++) {
        bool added = false;
        values_of(system, given->W + i * n, basis->field, point, row);
        if (closure->member[i]) {
            status = kal_basis_add(basis, row, &added);
        }
    }
    for (size_t i = 0; i < system->forms.r && status == KAL_OK; i++) {
        values_of(system, system->forms.W + i * n, basis->field, point, row);
        status = kal_basis_add(basis, row, &closure->extra[i]);
    }
    return status;
}

// Both sets of forms in one field, at a point where they have values.
static KalStatus find_members(KalPfaffSystem *system, const KalPfaffForms *given,
                              KalClosure *closure)
{
    const KalPfaffForms both[] = {*given, system->forms};
    KalExpr *entries = kal_arena_alloc(
        system->arena, (both[0].r + both[1].r) * given->n, sizeof *entries);
    KalBasis basis = {.ctx = NULL};
    const KalArithmetic field = system->field;
    size_t count = 0;
    if (!entries) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k].r * given->n; i++) {
            entries[count] = both[k].W[i];
            count += both[k].W[i].index != 0;
        }
    }
    KAL_TRY(prepare(system, entries, count, closure));
    const int point = kal_probe_find_point(system->probe, entries, count, field, 0);
    if (point < 0) {
        closure->end = KAL_CLOSURE_POINTS;
        return KAL_OK;
    }
    KAL_TRY(kal_basis_init(system->ctx, field, given->n, given->n, &basis));
    KalStatus status = mark_members(system, given, point, &basis, closure);
    kal_basis_clear(&basis);
    KAL_TRY(status);
    KAL_TRY(kal_basis_init(system->ctx, field, given->n, given->n, &basis));
    status = mark_extras(system, given, point, &basis, closure);
    kal_basis_clear(&basis);
    return status;
}

// The last derived system, then what it means for the forms that were given.  Where nothing
// was lost all of them are members.
static KalStatus find(KalPfaffSystem *system, const KalPfaffForms *given,
                      KalClosure *closure)
{
    Nonzeros entries = {.count = 0};
    KAL_TRY(list_nonzeros(system, &entries));
    KAL_TRY(kal_probe_create(system->g, entries.e, entries.count, &system->probe));
    KAL_TRY(run(system, closure));
    for (size_t i = 0; i < given->r; i++) {
        closure->member[i] = true;
    }
    if (system->forms.W != given->W || system->forms.r != given->r) {
        KAL_TRY(find_members(system, given, closure));
    }
    assert(system->forms.r <= given->r);
    closure->forms = system->forms;
    return KAL_OK;
}

// One closure, in one arithmetic. The probe, which knows all formulas, lives as long as
// the search.
KalStatus kal_closure_find(KalGraph *g, const KalPfaffForms *forms, KalArithmetic field,
                           KalArena *arena, KalClosure *out_closure)
{
    assert(g && arena && out_closure);
    KalPfaffSystem system = {.g = g,
                             .ctx = kal_graph_context(g),
                             .arena = arena,
                             .field = field,
                             .forms = *forms,
                             .work = work_max,
                             .first_node = kal_graph_count(g)};
    KalClosure closure = {.end = KAL_CLOSURE_FOUND};
    closure.member = kal_arena_alloc(arena, forms->r, sizeof *closure.member);
    closure.extra = kal_arena_alloc(arena, forms->r, sizeof *closure.extra);
    if (!closure.member || !closure.extra) {
        return kal_no_memory(system.ctx, PURPOSE);
    }
    const KalStatus status = find(&system, forms, &closure);
    kal_probe_destroy(system.probe);
    KAL_TRY(status);
    *out_closure = closure;
    return KAL_OK;
}
