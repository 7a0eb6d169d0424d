// SPDX-License-Identifier: MIT

// The order of a derivation: symbols, then motion (M, Q, C), constraints (A, b) and control
// (servos, B), theory (9.11) to (9.24).
//
// Faults of the model are diagnostics, and the derivation goes on to find more of them;
// only at its end do they make it fail.  All formulas are made in the graph of the model;
// vectors live in the arena of the equations, what is needed on the way in another.

#include "derive/equations.h"

#include "derive/derive_impl.h"
#include "expr/prune.h"

#include <assert.h>

enum {
    ARENA_BYTES = 1 << 30 // of vectors: an end for models beyond any use
};

// Zeroed: KAL_NO_EXPR is all zeros.
static KalStatus new_vector(const KalDerivation *d, KalArena *arena, size_t m,
                            KalExpr **out_vector)
{
    KalExpr *vector = kal_arena_alloc(arena, m, sizeof *vector);
    if (!vector) {
        return kal_no_memory(d->ctx, "for equations of motion");
    }
    *out_vector = vector;
    return KAL_OK;
}

KalStatus kal_derivation_vector(const KalDerivation *d, size_t m, KalExpr **out_vector)
{
    return new_vector(d, d->eq->arena, m, out_vector);
}

KalStatus kal_derivation_scratch(const KalDerivation *d, size_t m, KalExpr **out_vector)
{
    return new_vector(d, d->scratch, m, out_vector);
}

KalStatus kal_derivation_drift(const KalDerivation *d, const KalExpr *e, size_t n,
                               KalExpr *out_rates)
{
    return kal_total(d->g, e, n, &d->drift, out_rates);
}

// The drift has time as its last variable, with rate 1, behind the coordinates with their
// velocities: theory (9.13).
static KalStatus list_symbols(KalDerivation *d)
{
    const size_t n = d->model->n_coordinates;
    KalExpr *symbols = kal_arena_alloc(d->scratch, 3 * (n + 1), sizeof *symbols);
    if (!symbols) {
        return kal_no_memory(d->ctx, "for equations of motion");
    }
    d->q = symbols;
    d->v = symbols + n + 1;
    d->a = symbols + 2 * (n + 1);
    for (size_t i = 0; i < n; i++) {
        d->q[i] = d->model->coordinates[i].q;
        d->v[i] = d->model->coordinates[i].v;
        d->a[i] = d->model->coordinates[i].a;
    }
    d->q[n] = d->model->time;
    d->v[n] = kal_int(d->g, 1);
    d->drift = (KalRates){d->q, d->v, n + 1};
    d->first = kal_graph_count(d->g);
    return kal_graph_status(d->g);
}

static KalKept roots_of(const KalSparse *matrix)
{
    return (KalKept){matrix->value,
                     matrix->start ? (size_t)matrix->start[matrix->rows] : 0};
}

static KalKept roots_in(KalExpr *vector, size_t n)
{
    return (KalKept){vector, vector ? n : 0};
}

// Steps on the way to the equations, which are more than half of all formulas, are forgotten.
static KalStatus forget_steps(const KalDerivation *d)
{
    KalEquations *eq = d->eq;
    const KalKept roots[] = {
        {&eq->kinetic,   1},
        {&eq->potential, 1},
        {&eq->stored,    1},
        roots_of(&eq->M),
        roots_of(&eq->A),
        roots_of(&eq->psi_q),
        roots_of(&eq->servo_A),
        roots_of(&eq->B),
        roots_in(eq->Q, eq->n),
        roots_in(eq->C, eq->n),
        roots_in(eq->b, eq->m),
        roots_in(eq->phi, eq->m),
        roots_in(eq->psi, eq->m),
        roots_in(eq->psi_t, eq->m),
        roots_in(eq->servo_b, eq->n_servos),
        roots_in(eq->servo_e, eq->n_servos),
    };
    return kal_graph_prune(d->g, d->first, roots, sizeof roots / sizeof roots[0]);
}

// What a part of the derivation needs on the way ends with it.
static KalStatus derive_part(KalDerivation *d, KalStatus (*derive)(KalDerivation *))
{
    KalArena *scratch = d->scratch;
    KAL_TRY(kal_arena_create(d->ctx, ARENA_BYTES, &d->scratch));
    const KalStatus status = derive(d);
    kal_arena_destroy(d->scratch);
    d->scratch = scratch;
    KAL_TRY(status);
    return forget_steps(d);
}

// Motion first: constraints and control use its symbols, and say what they find wrong.
static KalStatus derive_all(KalDerivation *d)
{
    const size_t errors = kal_diagnostics_count(d->diagnostics, KAL_SEVERITY_ERROR);
    KAL_TRY(list_symbols(d));
    KAL_TRY(derive_part(d, kal_derive_motion));
    KAL_TRY(derive_part(d, kal_derive_constraints));
    KAL_TRY(derive_part(d, kal_derive_control));
    if (kal_diagnostics_count(d->diagnostics, KAL_SEVERITY_ERROR) > errors) {
        return kal_diagnostics_fail(d->diagnostics, KAL_ERR_SYNTAX);
    }
    return KAL_OK;
}

static KalStatus derive_into(const KalModel *model, KalDiagnostics *diagnostics,
                             KalEquations *eq)
{
    KalDerivation d = {.model = model,
                       .g = model->graph,
                       .ctx = model->ctx,
                       .diagnostics = diagnostics,
                       .eq = eq};
    KAL_TRY(kal_arena_create(d.ctx, ARENA_BYTES, &eq->arena));
    KAL_TRY(kal_arena_create(d.ctx, ARENA_BYTES, &d.scratch));
    const KalStatus status = derive_all(&d);
    kal_arena_destroy(d.scratch);
    return status;
}

KalStatus kal_derive(const KalModel *model, KalDiagnostics *diagnostics,
                     KalEquations **out_equations)
{
    assert(model && diagnostics && out_equations);
    KAL_TRY(kal_graph_status(model->graph));
    KalEquations *eq = KAL_NEW(model->ctx, KalEquations);
    if (!eq) {
        return kal_no_memory(model->ctx, "for equations of motion");
    }
    eq->model = model;
    eq->n = model->n_coordinates;
    eq->m = model->n_constraints;
    eq->n_servos = model->n_servos;
    const KalStatus status = derive_into(model, diagnostics, eq);
    if (status != KAL_OK) {
        kal_equations_destroy(eq);
        return status;
    }
    *out_equations = eq;
    return KAL_OK;
}

void kal_equations_destroy(KalEquations *equations)
{
    if (!equations) {
        return;
    }
    kal_sparse_clear(&equations->M);
    kal_sparse_clear(&equations->A);
    kal_sparse_clear(&equations->psi_q);
    kal_sparse_clear(&equations->servo_A);
    kal_sparse_clear(&equations->B);
    kal_arena_destroy(equations->arena);
    kal_free(equations->model->ctx, equations, sizeof *equations);
}
