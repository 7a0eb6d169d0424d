// SPDX-License-Identifier: MIT

// Speeds that make the velocities short formulas: theory (20.2) and (20.3).
//
// All velocities are speeds at first.  Each constraint takes one away: either the velocity
// of a coordinate follows from the others, or two speeds are replaced by one along the
// direction that the constraint leaves free in their plane.
//
// What holds between constraints: q' = S v + s satisfies those that are resolved, for
// any speeds v; V and v0 express the speeds by velocities, so that each is a
// combination of them; k + (constraints resolved) = n.  Which constraint is resolved
// next, and by what, is a matter of taste only: the shortest formulas that divide by
// nothing that may vanish.

#include "reduce/reduction.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    WORK = 20 * 1000 * 1000, // in terms touched
    VANISHES = 100 // as many terms as something that is zero somewhere counts for
};

// What a constraint is resolved by, in the order of preference.
typedef enum Kind {
    SINGLE_NUMBER,    // a coefficient is a number
    PAIR_NUMBER,      // two have squares with a number as their sum
    SINGLE_PARAMETER, // a coefficient is of parameters only
    PAIR_PARAMETER,
    PAIR_PLAIN, // two without functions, such as x and y
    ANY,        // divides by something that may vanish
    NONE
} Kind;

// A way to resolve a constraint.
typedef struct Pivot {
    Kind kind;
    int terms; // of what is divided by
    size_t row;
    size_t i;
    size_t j; // the second of a pair
} Pivot;

// A constraint in the present speeds, with polynomials as coefficients.
typedef struct Row {
    KalPoly p[KAL_REDUCTION_MOST];
    KalFraction rest;
} Row;

typedef struct Basis {
    KalReduction *r;
    KalField *field;
    KalRing *ring;
    size_t n;
    size_t k;                                              // speeds now
    KalFraction S[KAL_REDUCTION_MOST][KAL_REDUCTION_MOST]; // by speeds
    KalFraction s[KAL_REDUCTION_MOST];
    KalFraction V[KAL_REDUCTION_MOST][KAL_REDUCTION_MOST]; // speeds in velocities
    KalFraction v0[KAL_REDUCTION_MOST];
    int coordinate[KAL_REDUCTION_MOST]; // whose velocity a speed is, −1: none
    bool done[KAL_REDUCTION_MOST];      // constraints that are resolved
} Basis;

// A fraction with its relations used, in lowest terms.
static KalFraction tidy(const Basis *b, KalFraction a)
{
    const KalPoly above = kal_field_reduce(b->field, a.above);
    if (kal_poly_is_zero(b->ring, above)) {
        return kal_fraction_int(b->field, 0);
    }
    return kal_fraction_cancel(
        b->field, (KalFraction){above, kal_field_reduce(b->field, a.below)});
}

static KalFraction add_product(const Basis *b, KalFraction sum, KalFraction x,
                               KalFraction y)
{
    return kal_fraction_add(b->field, sum, kal_fraction_mul(b->field, x, y));
}

static KalFraction whole(const Basis *b, KalPoly p)
{
    return (KalFraction){p, kal_poly_int(b->ring, 1)};
}

// A q' + a with q' in the present speeds.
static KalStatus express(const Basis *b, size_t row, KalFraction *alpha,
                         KalFraction *rest)
{
    assert(row < b->r->rank && b->k <= KAL_REDUCTION_MOST);
    const KalReduction *r = b->r;
    KAL_TRY(kal_field_read(b->field, r->a[row], rest));
    for (size_t j = 0; j < b->k; j++) {
        alpha[j] = kal_fraction_int(b->field, 0);
    }
    for (size_t i = 0; i < b->n; i++) {
        KalFraction entry;
        KAL_TRY(kal_field_read(b->field, r->A[row * b->n + i], &entry));
        *rest = add_product(b, *rest, entry, b->s[i]);
        for (size_t j = 0; j < b->k; j++) {
            alpha[j] = add_product(b, alpha[j], entry, b->S[j][i]);
        }
    }
    for (size_t j = 0; j < b->k; j++) {
        alpha[j] = kal_field_shorten(b->field, tidy(b, alpha[j]));
    }
    return kal_ring_status(b->ring);
}

// Divide a row by something that divides all of its coefficients.
static void divide(const Basis *b, Row *row, KalPoly by)
{
    assert(!kal_poly_is_zero(b->ring, by));
    for (size_t j = 0; j < b->k; j++) {
        (void)kal_poly_divide(b->ring, row->p[j], by, &row->p[j]);
    }
    row->rest = tidy(b, kal_fraction_div(b->field, row->rest, whole(b, by)));
}

// The constraint with polynomials that share no factor.
static KalStatus make_row(const Basis *b, size_t index, Row *out)
{
    assert(index < b->r->rank);
    KalFraction alpha[KAL_REDUCTION_MOST] = {
        {{0}, {0}}
    };
    KalFraction rest;
    KAL_TRY(express(b, index, alpha, &rest));
    KalPoly common = kal_poly_int(b->ring, 1);
    KalPoly shared = KAL_NO_POLY;
    for (size_t j = 0; j < b->k; j++) {
        KalPoly left = alpha[j].below;
        (void)kal_poly_divide(b->ring, left, kal_poly_gcd(b->ring, common, left),
                              &left);
        common = kal_poly_mul(b->ring, common, left);
    }
    for (size_t j = 0; j < b->k; j++) {
        KalPoly left = common;
        (void)kal_poly_divide(b->ring, common, alpha[j].below, &left);
        out->p[j] = kal_poly_mul(b->ring, alpha[j].above, left);
        shared = kal_poly_gcd(b->ring, shared, out->p[j]);
    }
    out->rest = kal_fraction_mul(b->field, rest, whole(b, common));
    if (!kal_poly_is_zero(b->ring, shared)) {
        divide(b, out, shared);
    }
    return kal_ring_status(b->ring);
}

// 0: a number, 1: of parameters, 2: of symbols, 3: with functions.
static int look(const Basis *b, KalPoly p)
{
    const KalModel *model = b->r->eq->model;
    int most = 0;
    for (int v = 0; v < kal_field_atoms(b->field); v++) {
        if (kal_poly_degree(b->ring, p, v) <= 0) {
            continue;
        }
        const KalExprNode node = kal_graph_node(b->r->g, kal_field_atom(b->field, v));
        const bool symbol = node.op == KAL_OP_SYMBOL;
        const bool parameter =
            symbol && node.arg[0].index < model->n_symbols
            && model->symbols[node.arg[0].index].kind == KAL_SYMBOL_PARAMETER;
        const int own = parameter || node.op == KAL_OP_PI ? 1 : (symbol ? 2 : 3);
        most = own > most ? own : most;
    }
    return most;
}

// The sum of the squares of two coefficients, without what they share.
static KalPoly squares(const Basis *b, KalPoly p, KalPoly q)
{
    const KalPoly shared = kal_poly_gcd(b->ring, p, q);
    (void)kal_poly_divide(b->ring, p, shared, &p);
    (void)kal_poly_divide(b->ring, q, shared, &q);
    const KalPoly sum =
        kal_poly_add(b->ring, kal_poly_mul(b->ring, p, p), kal_poly_mul(b->ring, q, q));
    return kal_field_reduce(b->field, sum);
}

// What two coefficients share is divided by too, if there are others.
static Pivot judge_pair(const Basis *b, const Row *row, size_t i, size_t j)
{
    assert(i < j && j < b->k);
    const KalPoly sum = squares(b, row->p[i], row->p[j]);
    const int shared = look(b, kal_poly_gcd(b->ring, row->p[i], row->p[j]));
    const int kind = look(b, sum);
    Pivot pivot = {.kind = ANY, .i = i, .j = j};
    // Velocities of coordinates go together, such as those of a point.
    const bool alike = b->coordinate[i] >= 0 && b->coordinate[j] >= 0;
    pivot.terms = (alike ? 2 : 4) * kal_poly_terms(b->ring, sum);
    if (shared >= 2) {
        pivot.terms += VANISHES;
    } else if (kind == 0 && shared == 0) {
        pivot.kind = PAIR_NUMBER;
    } else if (kind <= 1) {
        pivot.kind = PAIR_PARAMETER;
    } else if (kind == 2) {
        pivot.kind = PAIR_PLAIN;
    }
    return pivot;
}

// A single product, such as cos(a), is zero somewhere; a sum need not be.
static Pivot judge_single(const Basis *b, const Row *row, size_t i)
{
    assert(i < b->k);
    const int kind = look(b, row->p[i]);
    Pivot pivot = {.kind = ANY, .i = i, .j = i};
    pivot.terms = kal_poly_terms(b->ring, row->p[i]);
    if (kind == 0) {
        pivot.kind = SINGLE_NUMBER;
    } else if (kind == 1) {
        pivot.kind = SINGLE_PARAMETER;
    } else if (pivot.terms == 1) {
        pivot.terms = VANISHES;
    }
    return pivot;
}

// Of coordinates that are as good the last is resolved, so that the first stay.
static bool is_better(const Pivot *a, const Pivot *b)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind;
    }
    return a->terms < b->terms || (a->terms == b->terms && a->i == a->j);
}

// A constraint on positions with functions in it mostly has a coordinate that the others
// follow: no pairs there.
static bool is_allowed(const Basis *b, const Pivot *pivot, size_t row)
{
    const KalEquations *eq = b->r->eq;
    return pivot->kind != ANY || pivot->i == pivot->j
           || eq->phi[b->r->rows[row]].index == 0;
}

// The best way to resolve a constraint.
static void judge(const Basis *b, const Row *row, size_t index, Pivot *best)
{
    for (size_t i = 0; i < b->k; i++) {
        if (kal_poly_is_zero(b->ring, row->p[i])) {
            continue;
        }
        for (size_t j = i; j < b->k; j++) {
            if (kal_poly_is_zero(b->ring, row->p[j])) {
                continue;
            }
            Pivot pivot = i == j ? judge_single(b, row, i) : judge_pair(b, row, i, j);
            pivot.row = index;
            if (is_allowed(b, &pivot, index) && is_better(&pivot, best)) {
                *best = pivot;
            }
        }
    }
}

// The order of the others stays: names and equations follow it.
static void remove_speed(Basis *b, size_t j)
{
    assert(j < b->k);
    for (size_t l = j; l + 1 < b->k; l++) {
        memcpy(b->S[l], b->S[l + 1], sizeof b->S[l]);
        memcpy(b->V[l], b->V[l + 1], sizeof b->V[l]);
        b->v0[l] = b->v0[l + 1];
        b->coordinate[l] = b->coordinate[l + 1];
    }
    b->k--;
}

// Let a direction of the velocities make up for all but one or two of the speeds:
// theory (20.2), (20.3).
static void make_up(Basis *b, const Row *row, const Pivot *pivot,
                    const KalFraction *direction)
{
    assert(pivot->i < b->k && pivot->j < b->k);
    for (size_t i = 0; i < b->n; i++) {
        const KalFraction way = direction[i];
        b->s[i] = tidy(b, kal_fraction_sub(b->field, b->s[i],
                                           kal_fraction_mul(b->field, way, row->rest)));
        for (size_t l = 0; l < b->k; l++) {
            if (l != pivot->i && l != pivot->j) {
                const KalFraction part =
                    kal_fraction_mul(b->field, way, whole(b, row->p[l]));
                b->S[l][i] = tidy(b, kal_fraction_sub(b->field, b->S[l][i], part));
            }
        }
    }
}

// One speed makes up for the rest of the row.
static void resolve_single(Basis *b, const Row *row, const Pivot *pivot)
{
    assert(pivot->i < b->k && !kal_poly_is_zero(b->ring, row->p[pivot->i]));
    KalFraction direction[KAL_REDUCTION_MOST];
    const KalFraction by = whole(b, row->p[pivot->i]);
    for (size_t i = 0; i < b->n; i++) {
        direction[i] = kal_fraction_div(b->field, b->S[pivot->i][i], by);
    }
    make_up(b, row, pivot, direction);
    remove_speed(b, pivot->i);
}

static KalFraction combine(const Basis *b, const KalFraction factor[2], KalFraction x,
                           KalFraction y)
{
    return tidy(b,
                add_product(b, kal_fraction_mul(b->field, factor[0], x), factor[1], y));
}

// With coefficients p and q of two speeds and σ = p² + q²: the part of their plane along
// (p, q) makes up for the rest of the row, the part across, along (q, −p), becomes the new
// speed.
static void resolve_pair(Basis *b, Row *row, const Pivot *pivot)
{
    assert(pivot->i < pivot->j && pivot->j < b->k);
    KalFraction direction[KAL_REDUCTION_MOST];
    const size_t i = pivot->i;
    const size_t j = pivot->j;
    const KalPoly shared = kal_poly_gcd(b->ring, row->p[i], row->p[j]);
    const KalFraction sum = whole(b, squares(b, row->p[i], row->p[j]));
    (void)kal_poly_divide(b->ring, row->p[i], shared, &row->p[i]);
    (void)kal_poly_divide(b->ring, row->p[j], shared, &row->p[j]);
    const bool flip = kal_poly_sign(b->ring, row->p[j]) < 0;
    const KalFraction p = whole(b, row->p[i]);
    const KalFraction q = whole(b, row->p[j]);
    const KalFraction minus = kal_fraction_int(b->field, -1);
    const KalFraction below = kal_fraction_mul(b->field, sum, whole(b, shared));
    const KalFraction across[2] = {kal_fraction_div(b->field, p, below),
                                   kal_fraction_div(b->field, q, below)};
    const KalFraction free[2] = {flip ? kal_fraction_mul(b->field, minus, q) : q,
                                 flip ? p : kal_fraction_mul(b->field, minus, p)};
    const KalFraction speed[2] = {kal_fraction_div(b->field, free[0], sum),
                                  kal_fraction_div(b->field, free[1], sum)};
    for (size_t l = 0; l < b->n; l++) {
        direction[l] = combine(b, across, b->S[i][l], b->S[j][l]);
    }
    make_up(b, row, pivot, direction);
    for (size_t l = 0; l < b->n; l++) {
        b->S[i][l] = combine(b, free, b->S[i][l], b->S[j][l]);
        b->V[i][l] = combine(b, speed, b->V[i][l], b->V[j][l]);
    }
    b->v0[i] = combine(b, speed, b->v0[i], b->v0[j]);
    b->coordinate[i] = -1;
    remove_speed(b, j);
}

// See how a constraint can be resolved.
static KalStatus consider(const Basis *b, size_t i, Pivot *best)
{
    assert(i < b->r->rank);
    Row row;
    if (b->done[i]) {
        return KAL_OK;
    }
    KAL_TRY(make_row(b, i, &row));
    judge(b, &row, i, best);
    return KAL_OK;
}

// Resolve the constraint that is easiest to resolve.
static KalStatus resolve_next(Basis *b)
{
    assert(b->k > 0);
    Pivot best = {.kind = NONE};
    Row row;
    for (size_t i = 0; i < b->r->rank; i++) {
        KAL_TRY(consider(b, i, &best));
    }
    if (best.kind == NONE) {
        return kal_reduction_too_large(b->r);
    }
    KAL_TRY(make_row(b, best.row, &row));
    if (best.i == best.j) {
        resolve_single(b, &row, &best);
    } else {
        resolve_pair(b, &row, &best);
    }
    b->done[best.row] = true;
    return kal_ring_status(b->ring);
}

// Names of speeds must not be those of anything in the model, for formulas with both
// are read by people.
static bool is_taken(const KalModel *model, const char *name)
{
    for (size_t i = 0; i < model->n_symbols; i++) {
        if (strcmp(model->symbols[i].name, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        if (strcmp(model->outputs[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The name of quasi-velocity i of `count`: u, or u1, u2, …
static void spell(const char *letter, size_t i, size_t count, char *out, size_t size)
{
    assert(letter && i < count);
    if (count == 1) {
        (void)snprintf(out, size, "%s", letter);
    } else {
        (void)snprintf(out, size, "%s%zu", letter, i + 1);
    }
}

// A letter whose names the model does not use.
static const char *choose_letter(const KalModel *model, size_t count)
{
    static const char *const letters[] = {"u", "w", "s", "speed"};
    for (size_t l = 0; l + 1 < sizeof letters / sizeof letters[0]; l++) {
        bool free = true;
        for (size_t i = 0; i < count; i++) {
            char name[KAL_SHEET_NAME_SIZE];
            spell(letters[l], i, count, name, sizeof name);
            free = free && !is_taken(model, name);
        }
        if (free) {
            return letters[l];
        }
    }
    return letters[3];
}

// Speeds that are not velocities of coordinates get names.
static void name_speeds(Basis *b)
{
    KalReduction *r = b->r;
    size_t count = 0;
    for (size_t j = 0; j < b->k; j++) {
        count += b->coordinate[j] < 0;
    }
    const char *letter = choose_letter(r->eq->model, count);
    size_t i = 0;
    for (size_t j = 0; j < b->k; j++) {
        if (b->coordinate[j] < 0) {
            KalNamed *named = &r->sheet.named[2 * j];
            char name[KAL_SHEET_NAME_SIZE - 1];
            spell(letter, i++, count, name, sizeof name);
            (void)snprintf(named[0].name, sizeof named[0].name, "%s", name);
            (void)snprintf(named[1].name, sizeof named[1].name, "%s'", name);
        }
    }
}

// The symbols of all speeds; those of velocities that stay speeds are the model's.
static void set_symbols(Basis *b)
{
    KalReduction *r = b->r;
    for (size_t j = 0; j < b->k; j++) {
        KalSpeed *speed = &r->speeds[j];
        if (b->coordinate[j] >= 0) {
            const KalCoordinate *c = &r->eq->model->coordinates[b->coordinate[j]];
            speed->symbol = kal_reduction_copy(r, c->v);
            speed->rate = kal_reduction_copy(r, c->a);
        } else {
            speed->symbol = r->sheet.named[2 * j].symbol;
            speed->rate = r->sheet.named[2 * j + 1].symbol;
        }
    }
}

// Σ factor × symbol + rest as a formula.
static KalStatus write_sum(const Basis *b, const KalFraction *factors,
                           const KalExpr *symbols, size_t n, KalFraction rest,
                           KalExpr *out)
{
    assert(n <= KAL_REDUCTION_MOST);
    for (size_t i = 0; i < n; i++) {
        KalFraction symbol;
        KAL_TRY(kal_field_read(b->field, symbols[i], &symbol));
        rest = add_product(b, rest, factors[i], symbol);
    }
    return kal_field_write(b->field, kal_field_shorten(b->field, tidy(b, rest)), out);
}

static KalStatus write_speeds(const Basis *b, const KalExpr *velocities)
{
    for (size_t j = 0; j < b->k; j++) {
        KalExpr *value = &b->r->speeds[j].value;
        KAL_TRY(b->coordinate[j] < 0
                    ? write_sum(b, b->V[j], velocities, b->n, b->v0[j], value)
                    : KAL_OK);
    }
    return KAL_OK;
}

static KalStatus write_velocities(const Basis *b)
{
    KalExpr speeds[KAL_REDUCTION_MOST] = {{0}};
    KalFraction factors[KAL_REDUCTION_MOST];
    for (size_t j = 0; j < b->k; j++) {
        speeds[j] = b->r->speeds[j].symbol;
    }
    for (size_t i = 0; i < b->n; i++) {
        for (size_t j = 0; j < b->k; j++) {
            factors[j] = b->S[j][i];
        }
        KAL_TRY(write_sum(b, factors, speeds, b->k, b->s[i], &b->r->velocity[i]));
    }
    return KAL_OK;
}

// At first each velocity is its own speed: S and V are the identity.  Each independent
// constraint then takes one of them away.
static KalStatus run(Basis *b, const KalExpr *velocities)
{
    assert(b->r->rank <= b->n && b->n <= KAL_REDUCTION_MOST);
    for (size_t i = 0; i < b->n; i++) {
        for (size_t j = 0; j < b->n; j++) {
            b->S[i][j] = kal_fraction_int(b->field, i == j);
            b->V[i][j] = b->S[i][j];
        }
        b->s[i] = kal_fraction_int(b->field, 0);
        b->v0[i] = b->s[i];
        b->coordinate[i] = (int)i;
    }
    for (size_t i = 0; i < b->r->rank; i++) {
        KAL_TRY(resolve_next(b));
    }
    assert(b->k == b->n - b->r->rank);
    name_speeds(b);
    set_symbols(b);
    KAL_TRY(write_speeds(b, velocities));
    return write_velocities(b);
}

// The field of constraints, velocities and speeds that may come.
static KalStatus make_field(Basis *b, KalExpr *velocities)
{
    KalReduction *r = b->r;
    KalExpr symbols[3 * KAL_REDUCTION_MOST];
    size_t count = 0;
    const size_t entries = r->rank * r->n + r->rank;
    for (size_t i = 0; i < r->n; i++) {
        velocities[i] = kal_reduction_copy(r, r->eq->model->coordinates[i].v);
        symbols[count++] = velocities[i];
    }
    for (size_t j = 0; j < r->k; j++) {
        symbols[count++] = kal_reduction_symbol(r, "u");
        (void)kal_reduction_symbol(r, "u'");
    }
    assert(count <= sizeof symbols / sizeof symbols[0]);
    KalExpr *all = (KalExpr *)kal_alloc(r->ctx, entries + count, sizeof *all);
    if (!all) {
        return kal_no_memory(r->ctx, "to reduce equations");
    }
    memcpy(all, symbols, count * sizeof *all);
    memcpy(all + count, r->A, entries * sizeof *all); // a follows A
    const KalFieldOptions options = {.print =
                                         kal_sheet_options(&r->sheet, KAL_FORMAT_TEXT),
                                     .tangents = true,
                                     .work = WORK};
    const KalStatus status =
        kal_field_create(r->g, all, entries + count, &options, &b->field);
    kal_free(r->ctx, all, (entries + count) * sizeof *all);
    return status;
}

// Speeds that make S simple: a basis of the free velocities is found in exact algebra,
// beginning with the velocities of coordinates themselves.
KalStatus kal_reduction_choose(KalReduction *r)
{
    assert(r->n <= KAL_REDUCTION_MOST && r->k == r->n - r->rank);
    KalExpr velocities[KAL_REDUCTION_MOST] = {{0}};
    Basis *b = KAL_NEW(r->ctx, Basis);
    if (!b) {
        return kal_no_memory(r->ctx, "to reduce equations");
    }
    b->r = r;
    b->n = r->n;
    b->k = r->n;
    KalStatus status = make_field(b, velocities);
    if (status == KAL_OK) {
        b->ring = kal_field_ring(b->field);
        status = run(b, velocities);
    }
    kal_field_destroy(b->field);
    kal_free(r->ctx, b, sizeof *b);
    return status;
}
