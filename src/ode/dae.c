// SPDX-License-Identifier: MIT

// Implicit equations F(t, y, y') = 0, of differential and algebraic unknowns, by backward
// differentiation formulas of orders 1 to 5 with error control, by IDA of SUNDIALS
// (docs/theory/verification.md; Brenan, Campbell, Petzold, Numerical Solution of
// Initial-Value Problems in Differential-Algebraic Equations, chapter 5).
//
// y' is replaced by a difference quotient of the last states, and each step solves what
// remains by Newton's iteration, with a Jacobian found by differences.  Errors are
// controlled in differential unknowns only.  y and y' of the start have to satisfy the
// equations; the rate of the system says y'.  There is no projection.
//
// IDA has the history; y and its copy before the last step are kept here, so that a failure
// can be undone: IDA then begins anew.  SUNDIALS takes its own memory, past the context.

#include "base/workspace.h"
#include "ode/ode_impl.h"
#include "ode/sundials.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_STATES = 2048, // for matrices are full
    TEXT_SIZE = 256
};

typedef struct Dae {
    KalIntegrator base;
    bool fresh;           // IDA is to start anew from the present state
    long rejected_before; // in earlier starts
    KalStatus refusal;    // of a callback in the step at hand
    char text[TEXT_SIZE]; // what IDA says about its failure
    KalWorkspace workspace;
    double *now;        // y, and y' after it
    double *tolerances; // of y
    double *marks;      // 1: of a differential unknown, 0: of an algebraic one
    double *y_old;      // before the last step, and y' after it
    KalIdaLibrary call;
    SUNContext sun;
    void *ida;
    N_Vector y;
    N_Vector yp;
    N_Vector atols;
    N_Vector kinds;
    N_Vector sample; // wherever the user wants it
    SUNMatrix J;
    SUNLinearSolver linear;
} Dae;

// IDA would print; failures are told through the context instead.
static void keep_text(int code, const char *module, const char *function, char *text,
                      void *user)
{
    Dae *d = user;
    (void)module;
    if (code < 0) {
        (void)snprintf(d->text, sizeof d->text, "%s: %s", function, text);
    }
}

// As with CVODE: 0 is done, 1 asks for a smaller step, −1 ends the integration.
static int call_residual(realtype t, N_Vector y, N_Vector yp, N_Vector residual,
                         void *user)
{
    Dae *d = user;
    d->base.counts.evaluations++;
    const KalStatus status = d->base.system.residual(
        d->base.system.user, t, d->call.N_VGetArrayPointer(y),
        d->call.N_VGetArrayPointer(yp), d->call.N_VGetArrayPointer(residual));
    if (status == KAL_OK) {
        return 0;
    }
    d->refusal = status;
    if (!kal_ode_may_retry(&d->base.system, status)) {
        return -1;
    }
    d->base.counts.retries++;
    return 1;
}

// The objects that IDA works with; some may be missing.
static bool make_parts(Dae *d)
{
    const sunindextype n = d->base.system.n;
    if (d->call.SUNContext_Create(NULL, &d->sun) != 0) {
        return false;
    }
    d->y = d->call.N_VMake_Serial(n, d->now, d->sun);
    d->yp = d->call.N_VMake_Serial(n, d->now + n, d->sun);
    d->atols = d->call.N_VMake_Serial(n, d->tolerances, d->sun);
    d->kinds = d->call.N_VMake_Serial(n, d->marks, d->sun);
    d->sample = d->call.N_VMake_Serial(n, d->now, d->sun);
    d->J = d->call.SUNDenseMatrix(n, n, d->sun);
    d->ida = d->call.IDACreate(d->sun);
    if (!d->y || !d->yp || !d->atols || !d->kinds || !d->sample || !d->J || !d->ida) {
        return false;
    }
    d->linear = d->call.SUNLinSol_Dense(d->y, d->J, d->sun);
    return d->linear != NULL;
}

// All that IDA has to know; 0 when it agrees.
static int set_up(Dae *d)
{
    int flag = d->call.IDASetErrHandlerFn(d->ida, keep_text, d);
    flag = flag ? flag : d->call.IDAInit(d->ida, call_residual, 0.0, d->y, d->yp);
    flag = flag ? flag : d->call.IDASetUserData(d->ida, d);
    flag =
        flag ? flag : d->call.IDASVtolerances(d->ida, d->base.options.rtol, d->atols);
    flag = flag ? flag : d->call.IDASetId(d->ida, d->kinds);
    flag = flag ? flag : d->call.IDASetSuppressAlg(d->ida, SUNTRUE);
    flag = flag ? flag : d->call.IDASetMaxStep(d->ida, d->base.options.max_step);
    return flag ? flag : d->call.IDASetLinearSolver(d->ida, d->linear, d->J);
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
               : kal_no_memory(base->ctx, "to set up IDA: %s", d->text);
}

static void clear(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    if (!d->call.IDAFree) {
        return; // there is no library, and so nothing
    }
    d->call.IDAFree(&d->ida);
    if (d->linear) {
        d->call.SUNLinSolFree(d->linear);
    }
    if (d->J) {
        d->call.SUNMatDestroy(d->J);
    }
    d->call.N_VDestroy(d->sample);
    d->call.N_VDestroy(d->kinds);
    d->call.N_VDestroy(d->atols);
    d->call.N_VDestroy(d->yp);
    d->call.N_VDestroy(d->y);
    d->call.SUNContext_Free(&d->sun);
    kal_workspace_clear(base->ctx, &d->workspace);
}

// The equations do not say y' of the start: the rate of the system does.
static KalStatus start(KalIntegrator *base, const double *y)
{
    Dae *d = (Dae *)base;
    const size_t n = (size_t)base->system.n;
    memcpy(d->now, y, n * sizeof(double));
    d->fresh = true;
    base->last = kal_ode_no_step(base->t, d->now);
    return kal_ode_rate(base->ctx, &base->system, base->t, d->now, d->now + n);
}

// Tell IDA where to stop, if there is such a time.
static int set_stop(const Dae *d)
{
    return isfinite(d->base.t_end) ? d->call.IDASetStopTime(d->ida, d->base.t_end)
                                   : IDA_SUCCESS;
}

// A finite end once told cannot be taken back, and IDA may be a little further than it
// said: then it begins anew.
static void move_end(KalIntegrator *base)
{
    Dae *d = (Dae *)base;
    d->fresh = d->fresh || !isfinite(base->t_end) || set_stop(d) != IDA_SUCCESS;
}

static void set_max_step(KalIntegrator *base)
{
    const Dae *d = (const Dae *)base;
    (void)d->call.IDASetMaxStep(d->ida, base->options.max_step);
}

// Let IDA begin anew with the present state.
static int begin_anew(Dae *d)
{
    const double first = d->base.direction * d->base.options.first_step;
    assert(isfinite(d->base.t) && isfinite(first));
    d->rejected_before = d->base.counts.rejected;
    int flag = d->call.IDAReInit(d->ida, d->base.t, d->y, d->yp);
    flag = flag ? flag : d->call.IDASetInitStep(d->ida, first);
    flag = flag ? flag : set_stop(d);
    d->fresh = false;
    return flag;
}

// IDA counts from its last start on; the sum over all of them is kept here.
static void count_rejected(Dae *d)
{
    long errors = 0;
    long unsolved = 0;
    (void)d->call.IDAGetNumErrTestFails(d->ida, &errors);
    (void)d->call.IDAGetNumNonlinSolvConvFails(d->ida, &unsolved);
    d->base.counts.rejected = d->rejected_before + errors + unsolved;
}

// One step of IDA; returns its flag.
static int advance(Dae *d, double *out_t)
{
    const KalIntegrator *base = &d->base;
    // The first step is chosen by how far this is; later ones look at its sign only.
    const double ahead = base->t + base->direction * (1.0 + fabs(base->t));
    const double goal = isfinite(base->goal) ? base->goal : ahead;
    d->refusal = KAL_OK;
    d->text[0] = '\0';
    const int flag = d->fresh ? begin_anew(d) : IDA_SUCCESS;
    return flag == IDA_SUCCESS
               ? d->call.IDASolve(d->ida, goal, out_t, d->y, d->yp, IDA_ONE_STEP)
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
    count_rejected(d);
    if (flag < 0 || t_new == base->t) {
        memcpy(d->now, d->y_old, 2 * n * sizeof(double));
        d->fresh = true;
        return d->refusal != KAL_OK
                   ? d->refusal
                   : kal_fail(base->ctx,
                              flag == IDA_MEM_FAIL ? KAL_ERR_NOMEM : KAL_ERR_STEP,
                              "IDA gives up at t = %.17g: %s", base->t, d->text);
    }
    base->last = (KalOdeStep){
        .t_old = base->t, .t_new = t_new, .y_old = d->y_old, .y_new = d->now};
    return KAL_OK;
}

static KalStatus interpolate(KalIntegrator *base, double t, double *out_y)
{
    Dae *d = (Dae *)base;
    assert(!d->fresh); // IDA has the step
    d->call.N_VSetArrayPointer(out_y, d->sample);
    const int flag = d->call.IDAGetDky(d->ida, t, 0, d->sample);
    d->call.N_VSetArrayPointer(d->now, d->sample);
    return flag == IDA_SUCCESS ? KAL_OK
                               : kal_fail(base->ctx, KAL_ERR_USAGE,
                                          "IDA does not interpolate: %s", d->text);
}

static int order(const KalIntegrator *base)
{
    const Dae *d = (const Dae *)base;
    int last = 1;
    (void)d->call.IDAGetLastOrder(d->ida, &last);
    return last > 1 ? last : 1;
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
