// SPDX-License-Identifier: MIT

#include "ode/stiff.h"

#include "ode/ode_impl.h"
#include "ode/sundials.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ARRAYS = 4, // y, y_old, scratch, atol
    TEXT_SIZE = 256
};

// Of theory (12.11).
static const double STEP_PART = 0.3;
static const double LEAST_TOLERANCE = 100.0 * DBL_EPSILON;
// A projection may move a state by this many times the tolerances.
static const double FAR = 10.0;

struct KalStiff {
    KalContext *ctx;
    KalOdeSystem system;
    KalOdeOptions options;
    bool begun; // there is a state
    bool fresh; // CVODE is to start anew from it
    double t;
    double t_end;
    double direction;
    KalOdeStep last;
    KalOdeCounts counts;
    long rejected_before; // in earlier starts
    KalStatus refusal;    // of a callback in the step at hand
    char text[TEXT_SIZE]; // what CVODE says about its failure
    double *y;
    double *y_old;
    double *scratch;
    double *atol;
    double *block;
    KalCvodeLibrary call;
    SUNContext sun;
    void *cvode;
    N_Vector state;  // y
    N_Vector sample; // wherever the user wants it
    SUNMatrix J;
    SUNLinearSolver linear;
};

// CVODE would print; failures are told through the context instead.
static void keep_text(int code, const char *module, const char *function, char *text,
                      void *user)
{
    KalStiff *s = user;
    (void)module;
    if (code < 0) {
        (void)snprintf(s->text, sizeof s->text, "%s: %s", function, text);
    }
}

// What a callback answers, in CVODE's terms: done, a smaller step, no further.
static int answer(KalStiff *s, KalStatus status)
{
    if (status == KAL_OK) {
        return 0;
    }
    s->refusal = status;
    if (!kal_ode_may_retry(&s->system, status)) {
        return -1;
    }
    s->counts.retries++;
    return 1;
}

static int call_rate(realtype t, N_Vector y, N_Vector rate, void *user)
{
    KalStiff *s = user;
    s->counts.evaluations++;
    return answer(s, kal_ode_rate(s->ctx, &s->system, t, s->call.N_VGetArrayPointer(y),
                                  s->call.N_VGetArrayPointer(rate)));
}

static KalStatus jacobian(KalStiff *s, double t, const double *y, double *J)
{
    KAL_TRY(s->system.jacobian(s->system.user, t, y, J));
    double sum = 0.0;
    const size_t entries = (size_t)s->system.n * (size_t)s->system.n;
    for (size_t i = 0; i < entries; i++) {
        sum += 0.0 * J[i]; // 0, or NaN when one is not finite
    }
    return sum == 0.0
               ? KAL_OK
               : kal_fail(s->ctx, KAL_ERR_NUMBER,
                          "a derivative of the rates is not finite at t = %.17g", t);
}

// Parameters as CVODE has them.
static int call_jacobian(realtype t, // NOLINT(readability-function-size)
                         N_Vector y, N_Vector rate, SUNMatrix J, void *user,
                         N_Vector work1, N_Vector work2, N_Vector work3)
{
    KalStiff *s = user;
    (void)rate;
    (void)work1;
    (void)work2;
    (void)work3;
    s->counts.jacobians++;
    return answer(s, jacobian(s, t, s->call.N_VGetArrayPointer(y),
                              s->call.SUNDenseMatrix_Data(J)));
}

// Whether the projection has moved a state further than errors of a step explain.
static bool is_far(const KalStiff *s, const double *from)
{
    return kal_ode_shift(s->system.n, s->options.rtol, s->atol, from, s->scratch) > FAR;
}

// Ask for a smaller step.
static int refuse_way(KalStiff *s, double t)
{
    s->refusal =
        kal_fail(s->ctx, KAL_ERR_STEP,
                 "near t = %.17g every step leads too far from the constraints", t);
    s->counts.retries++;
    return 1;
}

// CVODE wants the way to the manifold, not the point on it.
static int call_project(realtype t, N_Vector y, N_Vector correction, realtype tolerance,
                        N_Vector error, void *user)
{
    KalStiff *s = user;
    const double *from = s->call.N_VGetArrayPointer(y);
    double *way = s->call.N_VGetArrayPointer(correction);
    (void)tolerance;
    (void)error;
    s->counts.projections++;
    memcpy(s->scratch, from, (size_t)s->system.n * sizeof(double));
    const KalStatus status = s->system.project(s->system.user, t, s->scratch);
    for (int i = 0; i < s->system.n && status == KAL_OK; i++) {
        way[i] = s->scratch[i] - from[i];
    }
    return status == KAL_OK && is_far(s, from) ? refuse_way(s, t) : answer(s, status);
}

static KalStatus no_memory(KalStiff *s)
{
    return kal_fail(s->ctx, KAL_ERR_NOMEM, "no memory for CVODE with %d states",
                    s->system.n);
}

// The vectors and matrices that CVODE works with; some may be missing.
static bool make_parts(KalStiff *s)
{
    const sunindextype n = s->system.n;
    if (s->call.SUNContext_Create(NULL, &s->sun) != 0) {
        return false;
    }
    s->state = s->call.N_VMake_Serial(n, s->y, s->sun);
    s->sample = s->call.N_VMake_Serial(n, s->scratch, s->sun);
    s->J = s->call.SUNDenseMatrix(n, n, s->sun);
    s->cvode = s->call.CVodeCreate(CV_BDF, s->sun);
    if (!s->state || !s->sample || !s->J || !s->cvode) {
        return false;
    }
    s->linear = s->call.SUNLinSol_Dense(s->state, s->J, s->sun);
    return s->linear != NULL;
}

// The part of the tolerances that a step may have, theory (12.11).  CVODE bounds the root
// of the mean of squares; so that no component exceeds its own tolerance, all are given as
// if alone.  And errors of steps add up over a run.
static double share_of_step(const KalStiff *s)
{
    const double tolerance = s->options.rtol > 0.0 ? s->options.rtol : s->options.atol;
    const double alone = 1.0 / sqrt((double)s->system.n);
    const double part = alone * fmin(1.0, STEP_PART * pow(tolerance, 1.0 / 5.0));
    return fmin(alone, fmax(part, LEAST_TOLERANCE / tolerance));
}

// Theory (12.16).
double kal_stiff_least_tolerance(int n)
{
    return pow(LEAST_TOLERANCE * sqrt((double)n) / STEP_PART, 5.0 / 6.0);
}

static int set_tolerances(KalStiff *s)
{
    const double share = share_of_step(s);
    for (int i = 0; i < s->system.n; i++) {
        s->atol[i] = s->options.atols ? s->options.atols[i] : s->options.atol;
        s->scratch[i] = share * s->atol[i];
    }
    s->options.atols = NULL; // borrowed for this call only
    s->call.N_VSetArrayPointer(s->scratch, s->sample);
    return s->call.CVodeSVtolerances(s->cvode, share * s->options.rtol, s->sample);
}

// All that CVODE has to know but for the state; 0 when it agrees.
static int set_up(KalStiff *s)
{
    int flag = s->call.CVodeSetErrHandlerFn(s->cvode, keep_text, s);
    flag = flag ? flag : s->call.CVodeInit(s->cvode, call_rate, 0.0, s->state);
    flag = flag ? flag : s->call.CVodeSetUserData(s->cvode, s);
    flag = flag ? flag : set_tolerances(s);
    flag = flag ? flag : s->call.CVodeSetLinearSolver(s->cvode, s->linear, s->J);
    flag = flag ? flag : s->call.CVodeSetJacFn(s->cvode, call_jacobian);
    // Stiff directions of mechanical systems turn as they move: whenever CVODE factors
    // its matrix anew, an old Jacobian would cost more steps than it saves.
    flag = flag ? flag : s->call.CVodeSetJacEvalFrequency(s->cvode, 1);
    flag = flag ? flag : s->call.CVodeSetMaxStep(s->cvode, s->options.max_step);
    if (s->system.project) {
        flag = flag ? flag : s->call.CVodeSetProjFn(s->cvode, call_project);
        flag = flag ? flag : s->call.CVodeSetProjErrEst(s->cvode, SUNFALSE);
    }
    return flag;
}

static KalStatus check(KalContext *ctx, const KalOdeSystem *system,
                       const KalOdeOptions *options)
{
    KAL_TRY(kal_ode_check(ctx, system, options));
    if (!system->jacobian || options->fixed_step > 0.0 || system->n_integrals > 0) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "the stiff method needs a Jacobian and has neither fixed steps "
                        "nor integrals");
    }
    if (system->n > KAL_STIFF_LIMIT) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%d states are too many for the stiff method: at most %d",
                        system->n, KAL_STIFF_LIMIT);
    }
    return KAL_OK;
}

KalStatus kal_stiff_create(KalContext *ctx, const KalOdeSystem *system,
                           const KalOdeOptions *options, KalStiff **out_solver)
{
    const KalOdeOptions chosen = options ? *options : kal_ode_options();
    KalCvodeLibrary library;
    KAL_TRY(check(ctx, system, &chosen));
    KAL_TRY(kal_cvode_library_open(ctx, KAL_CVODE_NAME, &library));
    KalStiff *s = KAL_NEW(ctx, KalStiff);
    if (!s) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for an integrator");
    }
    const size_t n = (size_t)system->n;
    s->ctx = ctx;
    s->call = library;
    s->system = *system;
    s->options = chosen;
    s->block = kal_alloc(ctx, ARRAYS * n, sizeof(double));
    s->y = s->block;
    s->y_old = s->block + n;
    s->scratch = s->block + 2 * n;
    s->atol = s->block + 3 * n;
    KalStatus status = KAL_OK;
    if (!s->block || !make_parts(s)) {
        status = no_memory(s);
    } else if (set_up(s) != CV_SUCCESS) {
        status = kal_fail(ctx, KAL_ERR_NOMEM, "CVODE could not be set up: %s", s->text);
    }
    if (status != KAL_OK) {
        kal_stiff_destroy(s);
        return status;
    }
    *out_solver = s;
    return KAL_OK;
}

void kal_stiff_destroy(KalStiff *solver)
{
    KalStiff *s = solver;
    if (!s) {
        return;
    }
    s->call.CVodeFree(&s->cvode);
    if (s->linear) {
        s->call.SUNLinSolFree(s->linear);
    }
    if (s->J) {
        s->call.SUNMatDestroy(s->J);
    }
    s->call.N_VDestroy(s->sample);
    s->call.N_VDestroy(s->state);
    s->call.SUNContext_Free(&s->sun);
    kal_free(s->ctx, s->block, ARRAYS * (size_t)s->system.n * sizeof(double));
    kal_free(s->ctx, s, sizeof *s);
}

static void count_rejected(KalStiff *s)
{
    long errors = 0;
    long unsolved = 0;
    (void)s->call.CVodeGetNumErrTestFails(s->cvode, &errors);
    (void)s->call.CVodeGetNumNonlinSolvConvFails(s->cvode, &unsolved);
    s->counts.rejected = s->rejected_before + errors + unsolved;
}

int kal_stiff_order(const KalStiff *solver)
{
    int order = 1;
    (void)solver->call.CVodeGetLastOrder(solver->cvode, &order);
    return order > 1 ? order : 1;
}

KalOdeCounts kal_stiff_counts(const KalStiff *solver)
{
    return solver->counts;
}

// Tell CVODE where to stop; an infinite end is as far as numbers go.
static int set_stop(KalStiff *s)
{
    const double stop = isfinite(s->t_end) ? s->t_end : s->direction * DBL_MAX;
    return s->call.CVodeSetStopTime(s->cvode, stop);
}

// Let CVODE begin anew with the present state.
static int begin_anew(KalStiff *s)
{
    s->rejected_before = s->counts.rejected;
    int flag = s->call.CVodeReInit(s->cvode, s->t, s->state);
    flag =
        flag ? flag
             : s->call.CVodeSetInitStep(s->cvode, s->direction * s->options.first_step);
    flag = flag ? flag : set_stop(s);
    s->fresh = false;
    return flag;
}

KalStatus kal_stiff_start(KalStiff *solver, double t, const double *y, double t_end)
{
    KalStiff *s = solver;
    KAL_TRY(kal_ode_check_start(s->ctx, s->system.n, t, y, t_end));
    memcpy(s->y, y, (size_t)s->system.n * sizeof(double));
    s->t = t;
    s->t_end = t_end;
    s->direction = t_end > t ? 1.0 : -1.0;
    s->begun = true;
    s->fresh = true;
    s->last = kal_ode_no_step(t, s->y);
    return KAL_OK;
}

KalStatus kal_stiff_set_end(KalStiff *solver, double t_end)
{
    KalStiff *s = solver;
    if (!s->begun || !(s->direction * (t_end - s->t) >= 0.0)) {
        return kal_fail(s->ctx, KAL_ERR_USAGE,
                        "the end, t = %.17g, lies behind the present time, %.17g",
                        t_end, s->t);
    }
    s->t_end = t_end;
    // Rounding may have taken CVODE a little further than it said: then it begins anew.
    if (!s->fresh && set_stop(s) != CV_SUCCESS) {
        s->fresh = true;
    }
    return KAL_OK;
}

// Whether a failure of CVODE is that of a callback.
static bool is_refused(const KalStiff *s, int flag)
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
    case CV_REPTD_PROJFUNC_ERR: return s->refusal != KAL_OK;
    default: return false;
    }
}

static KalStatus explain(KalStiff *s, int flag)
{
    double h = 0.0;
    if (is_refused(s, flag)) {
        return s->refusal;
    }
    switch (flag) {
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
    case CV_TOO_MUCH_ACC:
    case CV_SUCCESS:
        (void)s->call.CVodeGetCurrentStep(s->cvode, &h);
        return kal_ode_collapse(s->ctx, s->t, h);
    case CV_MEM_FAIL: return no_memory(s);
    default:
        return kal_fail(s->ctx, KAL_ERR_STEP, "CVODE gives up at t = %.17g: %s", s->t,
                        s->text);
    }
}

// One step of CVODE; answers its flag.
static int advance(KalStiff *s, double *out_t)
{
    s->refusal = KAL_OK;
    s->text[0] = '\0';
    int flag = s->fresh ? begin_anew(s) : CV_SUCCESS;
    if (flag == CV_SUCCESS) {
        // The first step looks this far ahead; later ones look at its sign only.
        const double ahead = s->direction * (1.0 + fabs(s->t));
        const double goal = isfinite(s->t_end) ? s->t_end : s->t + ahead;
        flag = s->call.CVode(s->cvode, goal, s->state, out_t, CV_ONE_STEP);
    }
    return flag;
}

KalStatus kal_stiff_step(KalStiff *solver, KalOdeStep *out_step)
{
    KalStiff *s = solver;
    const size_t size = (size_t)s->system.n * sizeof(double);
    if (!s->begun || s->t == s->t_end) {
        return kal_fail(s->ctx, KAL_ERR_USAGE, "there is no step to take");
    }
    memcpy(s->y_old, s->y, size);
    s->last = kal_ode_no_step(s->t, s->y);
    double t_new = s->t;
    const int flag = advance(s, &t_new);
    count_rejected(s);
    if (flag < 0 || t_new == s->t) {
        memcpy(s->y, s->y_old, size);
        s->fresh = true;
        return explain(s, flag);
    }
    s->last = (KalOdeStep){.t_old = s->t,
                           .t_new = t_new,
                           .y_old = s->y_old,
                           .y_new = s->y,
                           .finished = t_new == s->t_end};
    s->t = t_new;
    s->counts.steps++;
    *out_step = s->last;
    return KAL_OK;
}

KalStatus kal_stiff_interpolate(KalStiff *solver, double t, double *out_y)
{
    KalStiff *s = solver;
    const KalOdeStep *last = &s->last;
    KAL_TRY(kal_ode_check_inside(s->ctx, last, t));
    if (t == last->t_old || t == last->t_new) {
        const double *y = t == last->t_old ? last->y_old : last->y_new;
        memcpy(out_y, y, (size_t)s->system.n * sizeof(double));
        return KAL_OK;
    }
    s->call.N_VSetArrayPointer(out_y, s->sample);
    const int flag = s->call.CVodeGetDky(s->cvode, t, 0, s->sample);
    s->call.N_VSetArrayPointer(s->scratch, s->sample);
    return flag == CV_SUCCESS ? KAL_OK
                              : kal_fail(s->ctx, KAL_ERR_USAGE,
                                         "CVODE does not interpolate: %s", s->text);
}
