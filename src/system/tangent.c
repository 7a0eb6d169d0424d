// SPDX-License-Identifier: MIT

// Derivatives of accelerations by implicit differentiation of the equations of motion:
// theory (15.9).
//
// With R = M a − Q − C − Aᵀλ and S = A a − b as formulas of the state, accelerations
// and multipliers, R = 0 and S = 0 for any state: so the derivative of a along a
// direction solves the same equations with −∂R and −∂S for forces and right-hand sides.
// One factorization would do for all directions; the matrices are small and each is
// solved for as an instant is.

#include "system/tangent.h"

#include <assert.h>
#include <string.h>

// R and S on their way: n + m formulas, and 2 n symbols.
typedef struct Residuals {
    KalGraph *g;
    const KalSystem *system;
    KalExpr *R;
    KalExpr *S;
    KalExpr *y;
} Residuals;

static void subtract(Residuals *r, KalExpr *sum, KalExpr a, KalExpr b)
{
    *sum = kal_sub(r->g, *sum, kal_mul(r->g, a, b));
}

static void add(Residuals *r, KalExpr *sum, KalExpr a, KalExpr b)
{
    *sum = kal_add(r->g, *sum, kal_mul(r->g, a, b));
}

// M is kept as its lower triangle.
static void add_inertia(Residuals *r)
{
    assert(r->system->equations->M.start);
    const KalSparse *M = &r->system->equations->M;
    const KalCoordinate *c = r->system->model->coordinates;
    for (size_t row = 0; row < M->rows; row++) {
        for (int64_t k = M->start[row]; k < M->start[row + 1]; k++) {
            const size_t column = (size_t)M->column[k];
            add(r, &r->R[row], M->value[k], c[column].a);
            if (column != row) {
                add(r, &r->R[column], M->value[k], c[row].a);
            }
        }
    }
}

static void add_constraints(Residuals *r)
{
    const KalSparse *A = &r->system->equations->A;
    const KalModel *model = r->system->model;
    for (size_t row = 0; row < A->rows; row++) {
        for (int64_t k = A->start[row]; k < A->start[row + 1]; k++) {
            const size_t column = (size_t)A->column[k];
            subtract(r, &r->R[column], A->value[k], model->constraints[row].reaction);
            add(r, &r->S[row], A->value[k], model->coordinates[column].a);
        }
    }
}

// R = M a − Q − C − Aᵀλ and S = A a − b, with a and λ as symbols.
static void form(Residuals *r)
{
    assert(r->R && r->y);
    const KalEquations *e = r->system->equations;
    const KalModel *model = r->system->model;
    for (size_t i = 0; i < e->n; i++) {
        r->y[i] = model->coordinates[i].q;
        r->y[e->n + i] = model->coordinates[i].v;
        r->R[i] = kal_neg(r->g, e->Q[i]);
        // Where C depends on reactions these are of the ideal part: left out, the matrix
        // is an approximation, which is all that its users need.
        if (e->has_C && !e->has_reactions) {
            r->R[i] = kal_sub(r->g, r->R[i], e->C[i]);
        }
    }
    for (size_t i = 0; i < e->m; i++) {
        r->S[i] = kal_neg(r->g, e->b[i]);
    }
    add_inertia(r);
    add_constraints(r);
}

// Jacobians of R, S and the rates of states by positions, velocities and states, theory
// (15.9).
KalStatus kal_tangent_derive(KalSystem *system)
{
    assert(!system->tangent.R.start);
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t states = (size_t)system->n_states;
    const size_t size = kal_system_state_size(system);
    const size_t count = n + m + size + states;
    KalGraph *g = system->model->graph;
    KalExpr *block = (KalExpr *)kal_alloc(system->ctx, count, sizeof *block);
    if (!block) {
        return kal_no_memory(system->ctx, "for derivatives");
    }
    Residuals r = {
        .g = g, .system = system, .R = block, .S = block + n, .y = block + n + m};
    form(&r);
    KalExpr *rates = r.y + size;
    for (size_t i = 0; i < states; i++) {
        r.y[2 * n + i] = system->model->states[i].symbol;
        rates[i] = system->model->states[i].rate;
    }
    KalStatus status = kal_jacobian(g, r.R, n, r.y, size, &system->tangent.R);
    if (status == KAL_OK) {
        status = kal_jacobian(g, r.S, m, r.y, size, &system->tangent.S);
    }
    if (status == KAL_OK) {
        status = kal_jacobian(g, rates, states, r.y, size, &system->tangent.F);
    }
    kal_free(system->ctx, block, count * sizeof *block);
    return status;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalTangent *tangent = owner;
    const size_t n = (size_t)tangent->n;
    const size_t m = (size_t)tangent->m;
    tangent->R = kal_carve_doubles(carver, n, tangent->size);
    tangent->S = kal_carve_doubles(carver, m, tangent->size);
    tangent->F = kal_carve_doubles(carver, tangent->size - 2 * n, tangent->size);
    tangent->A = kal_carve_doubles(carver, m, n);
    tangent->b = kal_carve_doubles(carver, m, 1);
    tangent->force = kal_carve_doubles(carver, n, 1);
}

KalStatus kal_tangent_init(KalTangent *tangent, KalContext *ctx,
                           const KalSystem *system)
{
    assert(tangent && ctx && system);
    *tangent = (KalTangent){
        .n = system->n, .m = system->m, .size = kal_system_state_size(system)};
    KAL_TRY(kal_workspace_make(ctx, "for derivatives", lay_out, tangent,
                               &tangent->workspace));
    return kal_motion_create(ctx, NULL, system->n, system->m, &tangent->motion);
}

void kal_tangent_clear(KalTangent *tangent, KalContext *ctx)
{
    kal_motion_destroy(tangent->motion);
    kal_workspace_clear(ctx, &tangent->workspace);
    *tangent = (KalTangent){.motion = NULL};
}

// The problem with the rows that count and no forces yet.
static KalMotionProblem pick_rows(KalTangent *tangent, const KalInstant *instant,
                                  const int *rows, int count)
{
    assert(count >= 0 && count <= tangent->m);
    const size_t n = (size_t)instant->system->n;
    for (int k = 0; k < count; k++) {
        memcpy(tangent->A + (size_t)k * n, instant->A + (size_t)rows[k] * n,
               n * sizeof(double));
        tangent->b[k] = instant->b[rows[k]];
    }
    return (KalMotionProblem){.n = instant->system->n,
                              .m = count,
                              .M = instant->M,
                              .Q = tangent->force,
                              .A = tangent->A,
                              .b = tangent->b};
}

// Accelerations and the multipliers of all forces, C among them, for the formulas.
static KalStatus find_multipliers(KalTangent *tangent, KalInstant *instant,
                                  const KalMotionProblem *problem, const int *rows)
{
    assert(problem->n == instant->system->n);
    const KalSystem *system = instant->system;
    double *reactions = instant->variables + system->layout.reactions;
    KalMotionAnswer answer;
    for (int i = 0; i < system->n; i++) {
        tangent->force[i] =
            instant->Q[i] + (system->equations->has_C ? instant->C[i] : 0.0);
    }
    KAL_TRY(kal_motion_solve(tangent->motion, problem, &answer));
    memcpy(instant->variables + system->layout.qdd, answer.qdd,
           (size_t)system->n * sizeof(double));
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int k = 0; k < problem->m; k++) {
        reactions[instant->rows[rows[k]]] = answer.multipliers[k];
    }
    return KAL_OK;
}

KalStatus kal_tangent_fill(KalTangent *tangent, KalInstant *instant, const int *rows,
                           int count, double *out_J)
{
    assert(out_J && (rows || count == 0));
    assert(instant->system->tangent.derived && !instant->bare);
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    const KalMotionProblem problem = pick_rows(tangent, instant, rows, count);
    KAL_TRY(find_multipliers(tangent, instant, &problem, rows));
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_TANGENT));
    const double *next = kal_scatter(&system->tangent.R, instant->results, tangent->R);
    next = kal_scatter(&system->tangent.S, next, tangent->S);
    kal_scatter(&system->tangent.F, next, tangent->F);
    const size_t size = tangent->size;
    KAL_TRY(kal_contacts_add_slopes(instant, tangent->R, size));
    for (size_t j = 0; j < size; j++) {
        KalMotionAnswer answer;
        // Column j of ∂a/∂y: a solve with −∂R/∂yⱼ for the forces and −∂S/∂yⱼ for b.
        for (size_t i = 0; i < n; i++) {
            tangent->force[i] = -tangent->R[i * size + j];
        }
        for (int k = 0; k < count; k++) {
            tangent->b[k] = -tangent->S[(size_t)instant->rows[rows[k]] * size + j];
        }
        KAL_TRY(kal_motion_solve(tangent->motion, &problem, &answer));
        memcpy(out_J + j * size + n, answer.qdd, n * sizeof(double));
        if (j >= n && j < 2 * n) {
            out_J[j * size + (j - n)] = 1.0;
        }
        for (size_t i = 2 * n; i < size; i++) {
            out_J[j * size + i] = tangent->F[(i - 2 * n) * size + j];
        }
    }
    return KAL_OK;
}
