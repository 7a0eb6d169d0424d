// SPDX-License-Identifier: MIT

// Implicit equations F(t, y, y') = 0, of differential and algebraic unknowns, by backward
// differentiation formulas of orders 1 to 5 with error control, by IDA of SUNDIALS
// (docs/theory/verification.md; Brenan, Campbell, Petzold, Numerical Solution of
// Initial-Value Problems in Differential-Algebraic Equations, chapter 5).
//
// y' is replaced by a difference quotient of the last states, and each step solves what
// remains by Newton's iteration, with a Jacobian found by differences unless the system solves
// linear equations itself.  Errors are
// controlled in differential unknowns only.  y and y' of the start have to satisfy the
// equations; the rate of the system says y'.  There is no projection.
//
// IDA has the history; y and its copy before the last step are kept here, so that a failure
// can be undone: IDA then begins anew.  SUNDIALS takes its own memory, past the context.

#include "base/workspace.h"
#include "ode/sundials_work.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STATES = 2048 // of full matrices
};

typedef struct Dae {
    KalIntegrator base;
    KalWorkspace workspace;
    double *now;        // y, and y' after it
    double *tolerances; // of y
    double *marks;      // 1: of a differential unknown, 0: of an algebraic one
    double *y_old;      // before the last step, and y' after it
    KalIdaLibrary call;
    KalSundialsWork work;
} Dae;

// Which vector of the work is what.
enum {
    STATE, // y
    RATE,  // y'
    TOLERANCES,
    KINDS,
    VECTORS
};

static N_Vector vector(const Dae *d, int which)
{
    assert(which < VECTORS);
    return d->work.vectors[which];
}

static int call_residual(realtype t, N_Vector y, N_Vector yp, N_Vector residual,
                         void *user)
{
    Dae *d = user;
    d->base.counts.evaluations++;
    const KalSundialsLibrary *call = d->work.call;
    const KalStatus status = d->base.system.residual(
        d->base.system.user, t, call->N_VGetArrayPointer(y),
        call->N_VGetArrayPointer(yp), call->N_VGetArrayPointer(residual));
    return kal_sundials_answer(&d->base, &d->work, status);
}

// A system that solves linear equations itself is told by which matrix.  Parameters as IDA has
// them.
static int call_prepare(realtype t, // NOLINT(readability-function-size)
                        realtype factor, N_Vector y, N_Vector yp, N_Vector residual,
                        SUNMatrix J, void *user, N_Vector work1, N_Vector work2,
                        N_Vector work3)
{
    Dae *d = user;
    const KalNewtonPlace place = {.t = t,
                                  .y = d->work.call->N_VGetArrayPointer(y),
                                  .yp = d->work.call->N_VGetArrayPointer(yp),
                                  .factor = factor};
    (void)residual;
    (void)J;
    (void)work1;
    (void)work2;
    (void)work3;
    d->base.counts.jacobians++;
    return kal_sundials_answer(&d->base, &d->work,
                               d->base.system.prepare(d->base.system.user, &place));
}

// The objects that IDA works with; some may be missing.
static bool make_parts(Dae *d)
{
    const int n = d->base.system.n;
    double *const arrays[VECTORS] = {
        [STATE] = d->now,
        [RATE] = d->now + n,
        [TOLERANCES] = d->tolerances,
        [KINDS] = d->marks,
    };
    d->work.call = &d->call.common;
    d->work.system = &d->base.system;
    d->work.title = "IDA";
    d->work.ask = (KalSundialsQuestions){
        .derivative = d->call.IDAGetDky,
        .last_order = d->call.IDAGetLastOrder,
        .error_failures = d->call.IDAGetNumErrTestFails,
        .newton_failures = d->call.IDAGetNumNonlinSolvConvFails,
    };
    if (!kal_sundials_make(&d->work, arrays, VECTORS)) {
        return false;
    }
    d->work.solver = d->call.IDACreate(d->work.sun);
    return d->work.solver != NULL;
}

// All that IDA has to know; 0 when it agrees.
static int set_up(Dae *d)
{
    const KalIdaLibrary *call = &d->call;
    void *ida = d->work.solver;
    const double rtol = d->base.options.rtol;
    int flag = call->IDASetErrHandlerFn(ida, kal_sundials_keep_text, &d->work);
    flag = flag ? flag
                : call->IDAInit(ida, call_residual, 0.0, vector(d, STATE),
                                vector(d, RATE));
    flag = flag ? flag : call->IDASetUserData(ida, d);
    flag = flag ? flag : call->IDASVtolerances(ida, rtol, vector(d, TOLERANCES));
    flag = flag ? flag : call->IDASetId(ida, vector(d, KINDS));
    flag = flag ? flag : call->IDASetSuppressAlg(ida, SUNTRUE);
    flag = flag ? flag : call->IDASetMaxStep(ida, d->base.options.max_step);
    flag = flag ? flag : call->IDASetLinearSolver(ida, d->work.linear, d->work.J);
    const bool asks = d->base.system.prepare != NULL;
    return flag || !asks ? flag : call->IDASetJacFn(ida, call_prepare);
}

static void lay_out(KalCarver *carver, void *owner)
{
    Dae *d = (Dae *)owner;
    const size_t n = (size_t)d->base.system.n;
    d->now = kal_carve_doubles(carver, 2 * n, 1);
    d->tolerances = kal_carve_doubles(carver, n, 1);
    d->marks = kal_carve_doubles(carver, n, 1);
    d->y_old = kal_carve_doubles(carver, 2 * n, 1);
}

static KalStatus init(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    const size_t n = (size_t)base->system.n;
    KAL_TRY(kal_ida_library_open(base->ctx, KAL_IDA_NAME, &d->call));
    KAL_TRY(kal_workspace_make(base->ctx, "for IDA", lay_out, d, &d->workspace));
    if (!make_parts(d)) {
        return kal_no_memory(base->ctx, "for IDA with %d unknowns", base->system.n);
    }
    const KalOdeOptions *options = &base->options;
    for (size_t i = 0; i < n; i++) {
        const bool differential = !base->system.kinds || base->system.kinds[i] != 0.0;
        d->tolerances[i] = options->atols ? options->atols[i] : options->atol;
        d->marks[i] = differential ? 1.0 : 0.0;
    }
    base->system.kinds = NULL; // borrowed for this call only
    return set_up(d) == IDA_SUCCESS
               ? KAL_OK
               : kal_no_memory(base->ctx, "to set up IDA: %s", d->work.text);
}

static void clear(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    if (d->work.solver) {
        d->call.IDAFree(&d->work.solver);
    }
    kal_sundials_clear(&d->work);
    kal_workspace_clear(base->ctx, &d->workspace);
}

// The equations do not say y' of the start: the rate of the system does.
static KalStatus start(KalIntegrator *base, const double *y)
{
    Dae *d = (Dae *)base;
    const size_t n = (size_t)base->system.n;
    memcpy(d->now, y, n * sizeof(double));
    d->work.fresh = true;
    base->last = kal_ode_no_step(base->t, d->now);
    return kal_ode_rate(base->ctx, &base->system, base->t, d->now, d->now + n);
}

// Tell IDA where to stop, if there is such a time.
static int set_stop(const Dae *d)
{
    return isfinite(d->base.t_end)
               ? d->call.IDASetStopTime(d->work.solver, d->base.t_end)
               : IDA_SUCCESS;
}

// A finite end once told cannot be taken back, and IDA may be a little further than it
// said: then it begins anew.
static void move_end(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    d->work.fresh =
        d->work.fresh || !isfinite(base->t_end) || set_stop(d) != IDA_SUCCESS;
}

static void set_max_step(KalIntegrator *base)
{
    const Dae *d = (const Dae *)base;
    (void)d->call.IDASetMaxStep(d->work.solver, base->options.max_step);
}

// Let IDA begin anew with the present state.
static int begin_anew(Dae *d)
{
    const double first = d->base.direction * d->base.options.first_step;
    assert(isfinite(d->base.t) && isfinite(first));
    d->work.rejected_before = d->base.counts.rejected;
    int flag =
        d->call.IDAReInit(d->work.solver, d->base.t, vector(d, STATE), vector(d, RATE));
    flag = flag ? flag : d->call.IDASetInitStep(d->work.solver, first);
    flag = flag ? flag : set_stop(d);
    d->work.fresh = false;
    return flag;
}

// One step of IDA; returns its flag.
static int advance(Dae *d, double *out_t)
{
    const KalIntegrator *base = &d->base;
    // The first step is chosen by how far this is; later ones look at its sign only.
    const double ahead = base->t + base->direction * (1.0 + fabs(base->t));
    const double goal = isfinite(base->goal) ? base->goal : ahead;
    kal_sundials_begin_step(&d->work);
    const int flag = d->work.fresh ? begin_anew(d) : IDA_SUCCESS;
    return flag == IDA_SUCCESS
               ? d->call.IDASolve(d->work.solver, goal, out_t, vector(d, STATE),
                                  vector(d, RATE), IDA_ONE_STEP)
               : flag;
}

// Whatever fails, y and y' are put back and IDA begins anew from them.
static KalStatus step(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    const size_t n = (size_t)base->system.n;
    assert(base->last.y_new == d->now);
    memcpy(d->y_old, d->now, 2 * n * sizeof(double)); // y' follows y in both
    double t_new = base->t;
    const int flag = advance(d, &t_new);
    kal_sundials_count_rejected(base, &d->work);
    if (flag < 0 || t_new == base->t) {
        memcpy(d->now, d->y_old, 2 * n * sizeof(double));
        d->work.fresh = true;
        return d->work.refusal != KAL_OK
                   ? d->work.refusal
                   : kal_fail(base->ctx,
                              flag == IDA_MEM_FAIL ? KAL_ERR_NOMEM : KAL_ERR_STEP,
                              "IDA gives up at t = %.17g: %s", base->t, d->work.text);
    }
    base->last = (KalOdeStep){
        .t_old = base->t, .t_new = t_new, .y_old = d->y_old, .y_new = d->now};
    return KAL_OK;
}

static KalStatus interpolate(KalIntegrator *base, double t, double *out_y)
{
    return kal_sundials_interpolate(base, &((const Dae *)base)->work, t, out_y);
}

static int order(const KalIntegrator *base)
{
    return kal_sundials_order(&((const Dae *)base)->work);
}

const KalIntegratorKind kal_dae = {
    .traits = {.word = "dae", .most_states = MOST_STATES, .needs_residual = true},
    .size = sizeof(Dae),
    .init = init,
    .clear = clear,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .order = order,
    .end_moved = move_end,
    .max_step_set = set_max_step,
};
