// SPDX-License-Identifier: MIT

// A second opinion on a run, sample by sample: the motion once more by implicit equations
// (route.c), twice, once much more exact than the run and once as exact.  The difference of
// the two says how much two right answers may differ; the run may differ from the exact one
// by a hundred times as much, theory, section 19.
//
// Where the second way cannot follow, at events, where constraints lose rank, the time is
// listed as a gap with its reason; it begins again after that.

#include "sim/access.h"
#include "verify/route.h"

#include <kalaba/verify.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GAPS = 16,     // that are told one by one
    FAILURES = 20, // of the second computation, before it is given up
    TEXT_SIZE = 400,
    GAP_SIZE = TEXT_SIZE + 60 // a reason, and how many pieces there are
};

// The second motion is this much more exact than the run is asked to be.
static const double FINER = 1.0 / 30.0;
// Runs are seldom less exact than this, whatever is asked (docs/running.md).
static const double LOOSEST = 1e-8;
// Backward differentiation gets no further than this.
static const double FINEST = 1e-12;
static const double FINEST_ATOL = 1e-13;
// Differences may be this many times what is expected.
static const double ALLOWED = 100.0;

static const char LOSES_RANK[] = "the constraints lose rank on the way";

struct KalVerify {
    KalContext *ctx;
    const KalSystem *system;
    KalInstant *instant;
    KalRoute fine;   // the second opinion
    KalRoute coarse; // the same, as inexact as the run
    KalRun *run;     // of the sample at hand
    bool begun;      // the routes are at time t
    bool tried;      // there was a sample at time t
    double t;
    int failures;
    int events; // of the run, until then
    long switches;
    long peaks;
    int passages;
    long crossings;
    KalVerifyReport report;
    KalVerifyDifference size;   // of the numbers that are compared
    char reason[TEXT_SIZE];     // why the routes have not begun
    KalVerifyGap gaps[GAPS];    // as the report has them
    char texts[GAPS][GAP_SIZE]; // their reasons
    char latest[TEXT_SIZE];     // the reason of the newest
    int pieces;                 // that the last one stands for when the list is full
};

// The user may interrupt the second computation as well.
static bool go_on(void *user)
{
    const KalRun *run = ((const KalVerify *)user)->run;
    const KalRunOptions options = kal_run_get_options(run);
    return !options.watch || options.watch(options.user, run);
}

static KalStatus init(KalVerify *v)
{
    if (v->system->n_states > 0 || v->system->n_holds > 0) {
        return kal_fail(v->ctx, KAL_ERR_FORMULATION,
                        "a verification knows positions and velocities alone, and the "
                        "model has states or held values");
    }
    if (v->system->model->n_contacts > 0) {
        return kal_fail(v->ctx, KAL_ERR_FORMULATION,
                        "a verification knows constraints that act for good, and not "
                        "contact or friction '%s'",
                        v->system->model->contacts[0].name);
    }
    KAL_TRY(v->system->tangent.derived // which sparse instants need
                ? kal_instant_create(v->ctx, v->system, &v->instant)
                : kal_instant_create_dense(v->ctx, v->system,
                                           "a verification without derivatives for "
                                           "stiff systems",
                                           &v->instant));
    v->fine.go_on = go_on;
    v->fine.user = v;
    v->coarse.go_on = go_on;
    v->coarse.user = v;
    KAL_TRY(kal_route_init(&v->fine, v->instant));
    return kal_route_init(&v->coarse, v->instant);
}

KalStatus kal_verify_create(KalContext *ctx, const KalSystem *system,
                            KalVerify **out_verify)
{
    KAL_NEED(ctx, ctx && system && out_verify);
    KalVerify *v = KAL_NEW(ctx, KalVerify);
    if (!v) {
        return kal_no_memory(ctx, "to verify a run");
    }
    v->ctx = ctx;
    v->system = system;
    v->report = (KalVerifyReport){.method = "IDA, stabilized index 2",
                                  .allowed = ALLOWED,
                                  .vague = NAN,
                                  .gaps = v->gaps};
    const KalStatus status = init(v);
    if (status != KAL_OK) {
        kal_verify_destroy(v);
        return status;
    }
    *out_verify = v;
    return KAL_OK;
}

void kal_verify_destroy(KalVerify *verify)
{
    if (!verify) {
        return;
    }
    kal_route_clear(&verify->coarse);
    kal_route_clear(&verify->fine);
    kal_instant_destroy(verify->instant);
    kal_free(verify->ctx, verify, sizeof *verify);
}

KalVerifyReport kal_verify_report(const KalVerify *verify)
{
    if (!verify) {
        return (KalVerifyReport){.method = "", .vague = NAN};
    }
    KalVerifyReport report = verify->report;
    report.passed = report.time > 0.0 && report.ratio <= report.allowed;
    return report;
}

// When the list is full its last gap stands for all that follow, and says how many they are.
static void fold_gap(KalVerify *v, double to)
{
    v->pieces++;
    v->gaps[GAPS - 1].to = to;
    (void)snprintf(v->texts[GAPS - 1], GAP_SIZE,
                   "%d pieces of this time, the last because %s", v->pieces, v->latest);
}

// Note a time that was not verified.  It joins the one before if that has the same reason.
static void add_gap(KalVerify *v, double from, double to, const char *reason)
{
    const int n = v->report.n_gaps;
    assert(n >= 0 && n <= GAPS && from <= to);
    if (n > 0 && v->gaps[n - 1].to == from && strcmp(v->latest, reason) == 0) {
        v->gaps[n - 1].to = to;
        return;
    }
    (void)snprintf(v->latest, TEXT_SIZE, "%s", reason);
    if (n == GAPS) {
        fold_gap(v, to);
        return;
    }
    (void)snprintf(v->texts[n], GAP_SIZE, "%s", reason);
    v->gaps[n] = (KalVerifyGap){.from = from, .to = to, .reason = v->texts[n]};
    v->report.n_gaps++;
    v->pieces = 1;
}

// The largest difference of two vectors, or entry of one; NaN stays.
static double largest(const double *x, const double *y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double difference = fabs(x[i] - (y ? y[i] : 0.0));
        most = difference > most || isnan(difference) ? difference : most;
    }
    return most;
}

// The larger of two, where what is no number is the largest.
static double worse(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static void keep_worse(KalVerifyDifference *most, const KalVerifyDifference *now)
{
    most->q = worse(most->q, now->q);
    most->qd = worse(most->qd, now->qd);
    most->force = worse(most->force, now->force);
}

// What two right answers may differ by.
static KalVerifyDifference compare_routes(const KalVerify *v)
{
    const int n = v->system->n;
    return (KalVerifyDifference){
        .q = largest(v->fine.y, v->coarse.y, n),
        .qd = largest(v->fine.y + n, v->coarse.y + n, n),
        .force = largest(v->fine.elimination.cforce, v->coarse.elimination.cforce, n)};
}

// Numbers of the run and of the fine route.
static KalVerifyDifference compare_run(KalVerify *v)
{
    const int n = v->system->n;
    const KalMotionAnswer *answer = kal_run_answer(v->run);
    const double *force = v->fine.elimination.cforce;
    KalVerifyDifference now = {
        .q = largest(v->fine.y, kal_instant_q(kal_run_instant(v->run)), n),
        .qd = largest(v->fine.y + n, kal_instant_qd(kal_run_instant(v->run)), n)};
    for (int i = 0; i < n; i++) {
        const double mine = answer->force_ideal[i] + answer->force_nonideal[i];
        now.force = worse(now.force, fabs(mine - force[i]));
    }
    return now;
}

// What is expected at least: the tolerance, at the size of the numbers.
static void note_size(KalVerify *v)
{
    const int n = v->system->n;
    const double rtol = v->coarse.rtol;
    const double atol = v->coarse.atol;
    const KalVerifyDifference size = {
        .q = largest(v->fine.y, NULL, n),
        .qd = largest(v->fine.y + n, NULL, n),
        .force = largest(v->fine.elimination.cforce, NULL, n)
                 + largest(v->fine.elimination.force, NULL, n)};
    keep_worse(&v->size, &size);
    const KalVerifyDifference least = {.q = rtol * v->size.q + atol,
                                       .qd = rtol * v->size.qd + atol,
                                       .force = rtol * v->size.force + atol};
    keep_worse(&v->report.expected, &least);
}

// Errors that have grown to a part of the motion itself let anything agree.
static void note_vagueness(KalVerify *v)
{
    const double much = 0.01;
    const KalVerifyDifference *size = &v->size;
    const KalVerifyDifference *expected = &v->report.expected;
    const double least = v->coarse.atol; // of what does not move
    const bool vague =
        expected->q > much * size->q + least || expected->qd > much * size->qd + least;
    if (vague && isnan(v->report.vague)) {
        v->report.vague = kal_run_time(v->run);
    }
}

static void compare(KalVerify *v)
{
    KalVerifyReport *report = &v->report;
    if (kal_run_modes_are_doubtful(v->run)) {
        return; // the forces of one piece are as right as those of the other
    }
    note_size(v);
    const KalVerifyDifference own = compare_routes(v);
    const KalVerifyDifference now = compare_run(v);
    keep_worse(&report->expected, &own);
    keep_worse(&report->difference, &now);
    note_vagueness(v);
    double ratio = now.q / report->expected.q;
    ratio = worse(ratio, now.qd / report->expected.qd);
    ratio = worse(ratio, now.force / report->expected.force);
    if (ratio > report->ratio || isnan(ratio)) {
        report->ratio = isnan(ratio) ? INFINITY : ratio;
        report->at = kal_run_time(v->run);
    }
    report->samples++;
}

static void set_tolerances(KalVerify *v)
{
    const KalRunOptions options = kal_run_get_options(v->run);
    v->coarse.rtol = fmax(options.rtol, 10.0 * FINEST);
    v->coarse.atol = fmax(options.atol, 10.0 * FINEST_ATOL);
    // Not finer absolutely: of numbers near zero no more digits are asked.
    v->fine.rtol = fmax(FINER * fmin(options.rtol, LOOSEST), FINEST);
    v->fine.atol = fmax(fmin(options.atol, LOOSEST), FINEST_ATOL);
}

// A failure of the second computation is no failure of the run: the reason is kept.
static KalStatus give_up(KalVerify *v, KalStatus status)
{
    if (status == KAL_OK || status == KAL_ERR_NOMEM || status == KAL_ERR_INTERRUPTED) {
        return status;
    }
    v->failures++;
    v->begun = false;
    (void)snprintf(v->reason, sizeof v->reason, "%s", kal_context_message(v->ctx));
    return KAL_OK;
}

// Begin at the state of the run.
static KalStatus begin(KalVerify *v)
{
    KalRun *run = v->run;
    const double *y = kal_instant_q(kal_run_instant(run)); // velocities follow
    if (!kal_instant_has_parameters(v->instant, &kal_run_state(run)->settings)) {
        kal_instant_apply_settings(v->instant, &kal_run_state(run)->settings);
    }
    kal_instant_activate(v->instant, kal_run_state(run)->active);
    set_tolerances(v);
    v->begun = false;
    KalStatus status = kal_route_start(&v->fine, kal_run_time(run), y);
    if (status == KAL_OK) {
        status = kal_route_start(&v->coarse, kal_run_time(run), y);
    }
    if (status == KAL_OK) {
        v->begun = true;
        compare(v);
    }
    return give_up(v, status);
}

// Whether the run lost and regained rank since the last sample, or is about to.
static bool loses_rank(const KalVerify *v)
{
    const KalRunStatistics s = kal_run_statistics(v->run);
    return kal_run_has_crossed(v->run) || s.passages != v->passages
           || s.crossings != v->crossings;
}

// What is said of a change that leaves the state as it is: nothing, if there are samples at
// both of its sides, so that no time is left out.
static const char *unless_at_once(const KalVerify *v, const char *reason)
{
    return kal_run_time(v->run) > v->t ? reason : NULL;
}

// Begin again, after a time that could not be verified unless the reason is NULL.
static KalStatus restart(KalVerify *v, const char *reason)
{
    if (reason) {
        add_gap(v, v->t, kal_run_time(v->run), reason);
    }
    if (kal_run_has_crossed(v->run)) { // and what comes next cannot be either
        v->begun = false;
        (void)snprintf(v->reason, sizeof v->reason, "%s", LOSES_RANK);
        return KAL_OK;
    }
    if (v->failures >= FAILURES) {
        return KAL_OK;
    }
    v->report.restarts++;
    return begin(v);
}

// Two solutions with different tolerances go along with the run; what they differ by
// among themselves is their own error.
static KalStatus follow(KalVerify *v)
{
    const double t = kal_run_time(v->run);
    if (t <= v->t) {
        return KAL_OK;
    }
    KalStatus status = kal_route_advance(&v->fine, t);
    if (status == KAL_OK) {
        status = kal_route_advance(&v->coarse, t);
    }
    if (status == KAL_OK) {
        compare(v);
        v->report.time += t - v->t;
        return KAL_OK;
    }
    KAL_TRY(give_up(v, status));
    return restart(v, v->reason);
}

KalStatus kal_verify_take(KalVerify *verify, KalRun *run)
{
    KAL_NEED(verify ? verify->ctx : NULL, verify && run);
    KAL_TRY(kal_run_check_user(run, verify->ctx, verify->system));
    KalVerify *v = verify;
    const KalRunStatistics s = kal_run_statistics(run);
    KalStatus status = KAL_OK;
    v->run = run;
    if (!v->tried
        || !kal_instant_has_parameters(v->instant, &kal_run_state(run)->settings)) {
        status = begin(v); // of another motion, if parameters were set
    } else if (loses_rank(v)) {
        status = restart(v, LOSES_RANK);
    } else if (s.events != v->events) {
        status = restart(v, "an event changed the motion");
    } else if (s.switches != v->switches) {
        status = restart(
            v, unless_at_once(v, "a piecewise formula went over to another piece"));
    } else if (kal_run_peaks(run) != v->peaks) {
        status = restart(v, unless_at_once(v, "a pulse had its peak"));
    } else {
        status = v->begun ? follow(v) : restart(v, v->reason);
    }
    v->tried = true;
    v->t = kal_run_time(run);
    v->events = s.events;
    v->switches = s.switches;
    v->peaks = kal_run_peaks(run);
    v->passages = s.passages;
    v->crossings = s.crossings;
    v->run = NULL;
    return status;
}
