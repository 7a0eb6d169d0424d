// SPDX-License-Identifier: MIT

// Backward differentiation formulas (BDF) of variable order 1 to 5 with error control, for
// stiff problems, by CVODE of SUNDIALS (docs/theory/integration.md; Hairer, Wanner, Solving
// Ordinary Differential Equations II, sections III.1 and V.1).
//
// Each step solves an implicit equation by Newton's iteration, with the Jacobian of the
// system.  Steps are projected before their error is looked at, and the formula goes on
// from the projected state.  CVODE bounds the root mean square of errors; theory (12.11)
// says how its tolerances are chosen so that every component keeps its own.
//
// CVODE has the history of the motion; the present state, its copy before the last step and
// the counts are kept here, so that a failure can be undone: CVODE then begins anew with
// the present state (`fresh`).  SUNDIALS takes its own memory, past the context: some 20
// vectors and, unless the system solves linear equations itself, two n × n matrices.
// `project_stages` of the options is not for this method.

#include "base/workspace.h"
#include "ode/sundials_work.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STATES = 4096 // of full matrices
};

// Of theory (12.11).
static const double STEP_PART = 0.3;
static const double LEAST_TOLERANCE = 100.0 * DBL_EPSILON;
// Of theory (12.20).
static const double CLOCK = 4.0;
// A projection may move a state by this many times the tolerances.
static const double FAR = 10.0;

typedef struct Bdf {
    KalIntegrator base;
    double *y;
    double *y_old;
    double *scratch;
    double *atol;
    double *rate; // the last one
    KalWorkspace workspace;
    KalCvodeLibrary call;
    KalSundialsWork work; // its one vector is y
} Bdf;

static int answer(Bdf *s, KalStatus status)
{
    return kal_sundials_answer(&s->base, &s->work, status);
}

static int call_rate(realtype t, N_Vector y, N_Vector rate, void *user)
{
    Bdf *s = user;
    double *found = s->work.call->N_VGetArrayPointer(rate);
    s->base.counts.evaluations++;
    const KalStatus status = kal_ode_rate(s->base.ctx, &s->base.system, t,
                                          s->work.call->N_VGetArrayPointer(y), found);
    if (status == KAL_OK) {
        memcpy(s->rate, found, (size_t)s->base.system.n * sizeof(double));
    }
    return answer(s, status);
}

// The Jacobian of the system, column after column, all of it finite.
static KalStatus jacobian(Bdf *s, double t, const double *y, double *J)
{
    KAL_TRY(s->base.system.jacobian(s->base.system.user, t, y, J));
    double sum = 0.0;
    const size_t entries = (size_t)s->base.system.n * (size_t)s->base.system.n;
    for (size_t i = 0; i < entries; i++) {
        sum += 0.0 * J[i]; // 0, or NaN when one is not finite
    }
    return sum == 0.0
               ? KAL_OK
               : kal_fail(s->base.ctx, KAL_ERR_NUMBER,
                          "a derivative of the rates is not finite at t = %.17g", t);
}

// Parameters as CVODE has them.
static int call_jacobian(realtype t, // NOLINT(readability-function-size)
                         N_Vector y, N_Vector rate, SUNMatrix J, void *user,
                         N_Vector work1, N_Vector work2, N_Vector work3)
{
    Bdf *s = user;
    (void)rate;
    (void)work1;
    (void)work2;
    (void)work3;
    s->base.counts.jacobians++;
    return answer(s, jacobian(s, t, s->work.call->N_VGetArrayPointer(y),
                              s->work.call->SUNDenseMatrix_Data(J)));
}

// A system that solves linear equations itself is told by which matrix, whenever CVODE wants
// another one; its slopes are those of the state then.  Parameters as CVODE has them.
static int call_prepare(realtype t, // NOLINT(readability-function-size)
                        N_Vector y, N_Vector rate, SUNMatrix A, booleantype keep_slopes,
                        booleantype *out_new_slopes, realtype gamma, void *user,
                        N_Vector work1, N_Vector work2, N_Vector work3)
{
    Bdf *s = user;
    const KalNewtonPlace place = {
        .t = t, .y = s->work.call->N_VGetArrayPointer(y), .factor = gamma};
    (void)rate;
    (void)A;
    (void)keep_slopes;
    (void)work1;
    (void)work2;
    (void)work3;
    s->base.counts.jacobians++;
    *out_new_slopes = SUNTRUE;
    return answer(s, s->base.system.prepare(s->base.system.user, &place));
}

// Whether the projection has moved a state further than errors of a step explain.
static bool is_far(const Bdf *s, const double *from)
{
    const KalOdeAllowed allowed = {
        .rtol = s->base.options.rtol, .atol = s->atol, .rate = s->rate, .t = s->base.t};
    return kal_ode_shift(s->base.system.n, &allowed, from, s->scratch) > FAR;
}

// Ask for a smaller step.
static int refuse_way(Bdf *s, double t)
{
    s->work.refusal =
        kal_fail(s->base.ctx, KAL_ERR_STEP,
                 "near t = %.17g every step leads too far from the constraints", t);
    s->base.counts.retries++;
    return 1;
}

// CVODE wants the way to the manifold, not the point on it.
static int call_project(realtype t, N_Vector y, N_Vector correction, realtype tolerance,
                        N_Vector error, void *user)
{
    Bdf *s = user;
    const double *from = s->work.call->N_VGetArrayPointer(y);
    double *way = s->work.call->N_VGetArrayPointer(correction);
    (void)tolerance;
    (void)error;
    s->base.counts.projections++;
    memcpy(s->scratch, from, (size_t)s->base.system.n * sizeof(double));
    const KalStatus status = s->base.system.project(s->base.system.user, t, s->scratch);
    for (int i = 0; i < s->base.system.n && status == KAL_OK; i++) {
        way[i] = s->scratch[i] - from[i];
    }
    return status == KAL_OK && is_far(s, from) ? refuse_way(s, t) : answer(s, status);
}

// The vectors and matrices that CVODE works with; some may be missing.
static bool make_parts(Bdf *s)
{
    double *const arrays[] = {s->y};
    s->work.call = &s->call.common;
    s->work.system = &s->base.system;
    s->work.title = "CVODE";
    s->work.ask = (KalSundialsQuestions){
        .derivative = s->call.CVodeGetDky,
        .last_order = s->call.CVodeGetLastOrder,
        .error_failures = s->call.CVodeGetNumErrTestFails,
        .newton_failures = s->call.CVodeGetNumNonlinSolvConvFails,
    };
    if (!kal_sundials_make(&s->work, arrays, 1)) {
        return false;
    }
    s->work.solver = s->call.CVodeCreate(CV_BDF, s->work.sun);
    return s->work.solver != NULL;
}

// The part of the tolerances that a step may have, theory (12.11).  CVODE bounds the root
// of the mean of squares; so that no component exceeds its own tolerance, all are given as
// if alone.  And errors of steps add up over a run.
static double share_of_step(const Bdf *s)
{
    const double tolerance =
        s->base.options.rtol > 0.0 ? s->base.options.rtol : s->base.options.atol;
    const double alone = 1.0 / sqrt((double)s->base.system.n);
    const double part = alone * fmin(1.0, STEP_PART * pow(tolerance, 1.0 / 5.0));
    assert(part > 0.0 && part <= alone);
    return fmin(alone, fmax(part, LEAST_TOLERANCE / tolerance));
}

// Theory (12.16).
static double least_tolerance(int n)
{
    return pow(LEAST_TOLERANCE * sqrt((double)n) / STEP_PART, 5.0 / 6.0);
}

// The reciprocals of what errors may be, theory (12.11) and (12.20).
static int call_weights(N_Vector y, N_Vector weights, void *user)
{
    const Bdf *s = user;
    const double *state = s->work.call->N_VGetArrayPointer(y);
    double *weight = s->work.call->N_VGetArrayPointer(weights);
    const double share = share_of_step(s);
    const double late = CLOCK * DBL_EPSILON * fabs(s->base.t);
    for (int i = 0; i < s->base.system.n; i++) {
        const double asked = s->base.options.rtol * fabs(state[i]) + s->atol[i];
        assert(asked >= 0.0 || isnan(asked));
        weight[i] = 1.0 / (share * asked + fmin(late * fabs(s->rate[i]), asked));
        if (!isfinite(weight[i])) {
            return -1; // a tolerance of zero at zero
        }
    }
    return 0;
}

// The array that was borrowed is copied: `options.atols` is NULL after this.
static int set_tolerances(Bdf *s)
{
    assert(s->atol);
    for (int i = 0; i < s->base.system.n; i++) {
        s->atol[i] =
            s->base.options.atols ? s->base.options.atols[i] : s->base.options.atol;
    }
    return s->call.CVodeWFtolerances(s->work.solver, call_weights);
}

// All that CVODE has to know but for the state; 0 when it agrees.
static int set_up(Bdf *s)
{
    const KalCvodeLibrary *call = &s->call;
    void *cvode = s->work.solver;
    assert(cvode);
    int flag = call->CVodeSetErrHandlerFn(cvode, kal_sundials_keep_text, &s->work);
    flag = flag ? flag : call->CVodeInit(cvode, call_rate, 0.0, s->work.vectors[0]);
    flag = flag ? flag : call->CVodeSetUserData(cvode, s);
    flag = flag ? flag : set_tolerances(s);
    flag = flag ? flag : call->CVodeSetLinearSolver(cvode, s->work.linear, s->work.J);
    flag = flag                     ? flag
           : s->base.system.prepare ? call->CVodeSetLinSysFn(cvode, call_prepare)
                                    : call->CVodeSetJacFn(cvode, call_jacobian);
    // Stiff directions of mechanical systems turn as they move: whenever CVODE factors
    // its matrix anew, an old Jacobian would cost more steps than it saves.
    flag = flag ? flag : call->CVodeSetJacEvalFrequency(cvode, 1);
    flag = flag ? flag : call->CVodeSetMaxStep(cvode, s->base.options.max_step);
    if (s->base.system.project) {
        flag = flag ? flag : call->CVodeSetProjFn(cvode, call_project);
        flag = flag ? flag : call->CVodeSetProjErrEst(cvode, SUNFALSE);
    }
    return flag;
}

static void lay_out(KalCarver *carver, void *owner)
{
    Bdf *s = (Bdf *)owner;
    const size_t n = (size_t)s->base.system.n;
    s->y = kal_carve_doubles(carver, n, 1);
    s->y_old = kal_carve_doubles(carver, n, 1);
    s->scratch = kal_carve_doubles(carver, n, 1);
    s->atol = kal_carve_doubles(carver, n, 1);
    s->rate = kal_carve_doubles(carver, n, 1);
}

static KalStatus init(KalIntegrator *base)
{
    Bdf *s = (Bdf *)base;
    KAL_TRY(kal_cvode_library_open(base->ctx, KAL_CVODE_NAME, &s->call));
    KAL_TRY(kal_workspace_make(base->ctx, "for CVODE", lay_out, s, &s->workspace));
    if (!make_parts(s)) {
        return kal_no_memory(base->ctx, "for CVODE with %d states", base->system.n);
    }
    return set_up(s) == CV_SUCCESS
               ? KAL_OK
               : kal_no_memory(base->ctx, "to set up CVODE: %s", s->work.text);
}

static void clear(KalIntegrator *base)
{
    Bdf *s = (Bdf *)base;
    if (s->work.solver) {
        s->call.CVodeFree(&s->work.solver);
    }
    kal_sundials_clear(&s->work);
    kal_workspace_clear(base->ctx, &s->workspace);
}

static int order(const KalIntegrator *base)
{
    return kal_sundials_order(&((const Bdf *)base)->work);
}

// Tell CVODE where to stop; an infinite end is as far as numbers go.
static int set_stop(Bdf *s)
{
    const double stop =
        isfinite(s->base.t_end) ? s->base.t_end : s->base.direction * DBL_MAX;
    return s->call.CVodeSetStopTime(s->work.solver, stop);
}

// Let CVODE begin anew with the present state; it chooses a first step of 0 itself.
static int begin_anew(Bdf *s, double first_step)
{
    s->work.rejected_before = s->base.counts.rejected;
    assert(first_step >= 0.0 && isfinite(s->base.t));
    int flag = s->call.CVodeReInit(s->work.solver, s->base.t, s->work.vectors[0]);
    flag =
        flag ? flag
             : s->call.CVodeSetInitStep(s->work.solver, s->base.direction * first_step);
    flag = flag ? flag : set_stop(s);
    s->work.fresh = false;
    return flag;
}

static KalStatus start(KalIntegrator *base, const double *y)
{
    Bdf *s = (Bdf *)base;
    memcpy(s->y, y, (size_t)base->system.n * sizeof(double));
    s->work.fresh = true;
    base->last = kal_ode_no_step(base->t, s->y);
    return KAL_OK;
}

// The end may be told at any time.
static void move_end(KalIntegrator *base)
{
    Bdf *s = (Bdf *)base;
    // Rounding may have taken CVODE a little further than it said: then it begins anew.
    if (!s->work.fresh && set_stop(s) != CV_SUCCESS) {
        s->work.fresh = true;
    }
}

static void set_max_step(KalIntegrator *base)
{
    const Bdf *s = (const Bdf *)base;
    (void)s->call.CVodeSetMaxStep(s->work.solver, base->options.max_step);
}

// Whether a failure of CVODE is that of a callback.
static bool is_refused(const Bdf *s, int flag)
{
    switch (flag) {
    case CV_SUCCESS: // without having moved
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_LSETUP_FAIL:
    case CV_CONV_FAILURE:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return s->work.refusal != KAL_OK;
    default: return false;
    }
}

// A failure in our words: whose callback refused, or what CVODE could not do.
static KalStatus explain(Bdf *s, int flag)
{
    double h = 0.0;
    if (is_refused(s, flag)) {
        return s->work.refusal;
    }
    switch (flag) {
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
    case CV_TOO_MUCH_ACC:
    case CV_SUCCESS:
        (void)s->call.CVodeGetCurrentStep(s->work.solver, &h);
        return kal_ode_collapse(s->base.ctx, s->base.t, h);
    case CV_MEM_FAIL: return kal_no_memory(s->base.ctx, "for a step of CVODE");
    default:
        return kal_fail(s->base.ctx, KAL_ERR_STEP, "CVODE gives up at t = %.17g: %s",
                        s->base.t, s->work.text);
    }
}

// One internal step of CVODE, not beyond the stop time.
static int call_cvode(Bdf *s, double *out_t)
{
    // The first step looks this far ahead; later ones look at its sign only.
    const double ahead = s->base.direction * (1.0 + fabs(s->base.t));
    const double goal = isfinite(s->base.t_end) ? s->base.t_end : s->base.t + ahead;
    return s->call.CVode(s->work.solver, goal, s->work.vectors[0], out_t, CV_ONE_STEP);
}

// One step of CVODE; returns its flag.  Where all is zero but its rate, CVODE's first steps
// are smaller than the digits of t: it begins anew with one that is not, and makes it
// smaller if that is too much.
static int advance(Bdf *s, double *out_t)
{
    const double some = 64.0; // times the least step
    kal_sundials_begin_step(&s->work);
    int flag = s->work.fresh ? begin_anew(s, s->base.options.first_step) : CV_SUCCESS;
    flag = flag == CV_SUCCESS ? call_cvode(s, out_t) : flag;
    if (flag >= 0 && *out_t == s->base.t) {
        memcpy(s->y, s->y_old, (size_t)s->base.system.n * sizeof(double));
        flag = begin_anew(s, some * kal_ode_least_step(s->base.t));
        flag = flag == CV_SUCCESS ? call_cvode(s, out_t) : flag;
    }
    return flag;
}

// Whatever fails, the present state is put back and CVODE begins anew from it.
static KalStatus step(KalIntegrator *base)
{
    Bdf *s = (Bdf *)base;
    const size_t size = (size_t)base->system.n * sizeof(double);
    assert(base->last.y_new == s->y);
    memcpy(s->y_old, s->y, size);
    double t_new = base->t;
    const int flag = advance(s, &t_new);
    kal_sundials_count_rejected(base, &s->work);
    if (flag < 0 || t_new == base->t) {
        memcpy(s->y, s->y_old, size);
        s->work.fresh = true;
        return explain(s, flag);
    }
    base->last = (KalOdeStep){
        .t_old = base->t, .t_new = t_new, .y_old = s->y_old, .y_new = s->y};
    return KAL_OK;
}

static KalStatus interpolate(KalIntegrator *base, double t, double *out_y)
{
    return kal_sundials_interpolate(base, &((const Bdf *)base)->work, t, out_y);
}

const KalIntegratorKind kal_bdf = {
    .traits = {.word = "bdf", .most_states = MOST_STATES, .needs_jacobian = true},
    .size = sizeof(Bdf),
    .init = init,
    .clear = clear,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .order = order,
    .end_moved = move_end,
    .max_step_set = set_max_step,
    .least_tolerance = least_tolerance,
};
