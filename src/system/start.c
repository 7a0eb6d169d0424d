// SPDX-License-Identifier: MIT

// A consistent start: theory section 13.
//
// Positions first (seek.c), then velocities at these positions.  Velocities nearest to
// those written in the metric M, subject to constraints, are what an impact leaves: (13.4) is
// solved as one, by Newton's method where constraints are nonlinear in the velocities.  What
// is held is a row of its own.

#include "system/start.h"

#include "system/border.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NEWTON_STEPS = 60, // for constraints that are nonlinear in the velocities
    VELOCITY_STARTS = 20,
    NAMES_SIZE = 1000
};

// Values that moved less than this, relative to their size or to 1, did not move.
static const double MOVED = 1e-13;

// Velocities: the natural constraints and one row for each velocity that is held.
typedef struct Velocities {
    KalInstant *instant;
    KalMotion *motion;
    const bool *held; // n
    KalWorkspace workspace;
    double *A;          // (m + n) × n
    double *b;          // m + n
    double *Q;          // n, zero
    double *v;          // n: as written
    const char **names; // m + n: of the rows
    int rows;
} Velocities;

static void lay_out(KalCarver *carver, void *owner)
{
    Velocities *w = owner;
    const size_t n = (size_t)w->instant->system->n;
    const size_t m = (size_t)w->instant->system->m;
    w->A = kal_carve_doubles(carver, m + n, n);
    w->b = kal_carve_doubles(carver, m + n, 1);
    w->Q = kal_carve_doubles(carver, n, 1);
    w->v = kal_carve_doubles(carver, n, 1);
    w->names = kal_carve_names(carver, m + n);
}

// The rows of constraints are followed by one row for each velocity that is held.
static KalStatus init_velocities(Velocities *w, KalInstant *instant, const bool *held)
{
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    *w = (Velocities){.instant = instant, .held = held, .rows = (int)m};
    KAL_TRY(
        kal_workspace_make(instant->ctx, "to find a start", lay_out, w, &w->workspace));
    memcpy(w->names, kal_system_constraint_names(instant->system),
           m * sizeof *w->names);
    memcpy(w->v, kal_instant_qd(instant), n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        if (held[i]) {
            w->A[(size_t)w->rows * n + i] = 1.0;
            w->names[w->rows] = kal_system_coordinate_names(instant->system)[i];
            w->b[w->rows++] = w->v[i];
        }
    }
    assert((size_t)w->rows <= m + n);
    return kal_motion_create(instant->ctx, NULL, (int)n, w->rows, &w->motion);
}

static void clear_velocities(Velocities *w)
{
    kal_motion_destroy(w->motion);
    kal_workspace_clear(w->instant->ctx, &w->workspace);
}

// Linearize the constraints about the present velocities: A v = A v₀ − ψ(v₀).
static KalStatus linearize(Velocities *w)
{
    assert(w->A && w->b);
    const int n = w->instant->system->n;
    const double *v = kal_instant_qd(w->instant);
    KAL_TRY(kal_instant_residuals(w->instant, KAL_PROGRAM_VELOCITY));
    memcpy(w->A, w->instant->A,
           (size_t)w->instant->system->m * (size_t)n * sizeof(double));
    for (int i = 0; i < w->instant->system->m; i++) {
        double sum = -w->instant->residuals[i];
        for (int j = 0; j < n; j++) {
            sum += w->A[i * n + j] * v[j];
        }
        w->b[i] = sum;
    }
    return KAL_OK;
}

// How far the velocities went in a step, relative to their size.
static double measure_step(const double *before, const double *after, int n)
{
    assert(n >= 0);
    double step = 0.0;
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        step = fmax(step, fabs(after[i] - before[i]));
        size = fmax(size, fabs(after[i]));
    }
    return size > 0.0 ? step / size : step;
}

// The velocities nearest to those written that satisfy the linearized constraints,
// theory (13.4), over and over until they stand still.
static KalStatus iterate(Velocities *w)
{
    assert(w->rows <= w->instant->system->m + w->instant->system->n);
    const int n = w->instant->system->n;
    double *v = kal_instant_qd(w->instant);
    for (int k = 0; k < NEWTON_STEPS; k++) {
        KAL_TRY(linearize(w));
        const KalMotionProblem problem = {
            .n = n,
            .m = w->rows,
            .M = w->instant->M,
            .Q = w->Q,
            .A = w->A,
            .b = w->b,
            .coordinates = kal_system_coordinate_names(w->instant->system),
            .constraints = w->names};
        KalMotionAnswer answer;
        KAL_TRY(kal_motion_impact(w->motion, &problem, w->v, &answer));
        const double step = measure_step(v, answer.qdd, n);
        for (int i = 0; i < n; i++) {
            v[i] = w->held[i] ? w->v[i] : answer.qdd[i];
        }
        if (step < 1e-15) {
            break;
        }
    }
    return kal_instant_residuals(w->instant, KAL_PROGRAM_VELOCITY);
}

// The constraints that are not met; with them those that miss by more than half of what they are
// allowed, for two that contradict each other share the miss.
static int count_unmet(KalInstant *instant, const double *x)
{
    return kal_residuals_unmet(instant, x, 1.0, NULL) > 0
               ? kal_residuals_unmet(instant, x, 0.5, instant->failed)
               : 0;
}

// Constraints nonlinear in the velocities may have no direction to go at the guess, such
// as a prescribed speed at rest; so try others about it.
static KalStatus iterate_around(Velocities *w, bool *out_met)
{
    const int n = w->instant->system->n;
    double *v = kal_instant_qd(w->instant);
    for (int attempt = 0; attempt <= VELOCITY_STARTS; attempt++) {
        for (int i = 0; i < n && attempt > 0; i++) {
            const double angle = 2.399963229728653 * (double)(attempt + i * i + 3 * i);
            // The golden angle, so that tries spread evenly.
            const double size = ldexp(fmax(1.0, fabs(w->v[i])), attempt % 5 - 2);
            v[i] = w->held[i] ? w->v[i] : w->v[i] + size * sin(angle);
        }
        const KalStatus status = iterate(w);
        *out_met = status == KAL_OK && count_unmet(w->instant, v) == 0;
        if (*out_met || (status != KAL_OK && status != KAL_ERR_CONTRADICTION)) {
            return status;
        }
    }
    return KAL_OK;
}

// Values that are held may contradict the constraints by rounding alone.
static KalStatus accept_as_written(Velocities *w, bool *out_met)
{
    double *v = kal_instant_qd(w->instant);
    memcpy(v, w->v, (size_t)w->instant->system->n * sizeof(double));
    KAL_TRY(kal_instant_residuals(w->instant, KAL_PROGRAM_VELOCITY));
    *out_met = kal_residuals_unmet(w->instant, v, 1.0, NULL) == 0;
    return KAL_OK;
}

// Names of constraints for a sentence.
static void list_names(const KalInstant *instant, int count, char text[NAMES_SIZE])
{
    assert(count >= 0 && count <= instant->system->m);
    const char *const *names = kal_system_constraint_names(instant->system);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < NAMES_SIZE; i++) {
        used += (size_t)snprintf(text + used, NAMES_SIZE - used, "%s%s (off by %.3g)",
                                 i > 0 ? ", " : "", names[instant->failed[i]],
                                 instant->residuals[instant->failed[i]]);
    }
}

static bool is_any(const bool *held, int n)
{
    assert(n >= 0);
    bool any = false;
    for (int i = 0; i < n; i++) {
        any = any || held[i];
    }
    return any;
}

static KalStatus fail_start(KalInstant *instant, const bool *held, int count,
                            const char *what)
{
    assert(what);
    char names[NAMES_SIZE];
    list_names(instant, count, names);
    return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                    is_any(held, instant->system->n)
                        ? "no %s satisfy the constraints together with the values that "
                          "are held: %s"
                        : "no %s were found that satisfy the constraints: %s",
                    what, names);
}

// What to do about it at the start of a run.
static KalStatus advise(const KalInstant *instant, const bool *held, KalStatus status)
{
    if (status != KAL_ERR_CONTRADICTION && status != KAL_ERR_NUMBER) {
        return status;
    }
    char why[2 * NAMES_SIZE];
    (void)snprintf(why, sizeof why, "%s", kal_context_message(instant->ctx));
    if (status == KAL_ERR_NUMBER) {
        return kal_fail(instant->ctx, status, "%s; init can begin in another one", why);
    }
    return kal_fail(instant->ctx, status,
                    is_any(held, 2 * instant->system->n)
                        ? "%s; hold fewer values with '=' in init, or give better "
                          "guesses with '~'"
                        : "%s; give better guesses with '~' in init, unless the "
                          "constraints contradict each other",
                    why);
}

// Go to where all together miss each other least.  If that is rounding they do not contradict
// each other; else blame those that are not met there, so that whom to blame and by how much
// are of one state.
static KalStatus go_nearest(Velocities *w, int *failed)
{
    double *v = kal_instant_qd(w->instant);
    memcpy(v, w->v, (size_t)w->instant->system->n * sizeof(double));
    KAL_TRY(kal_seek_least_miss(w->instant, w->held));
    *failed = count_unmet(w->instant, v);
    return *failed == 0 ? KAL_OK
                        : fail_start(w->instant, w->held, *failed, "velocities");
}

static KalStatus find_positions(KalInstant *instant, const bool *held, int *out_failed)
{
    assert(held && out_failed);
    bool met = false;
    KalStatus status = kal_seek_positions(instant, held, &met);
    if (status == KAL_OK && !met) {
        *out_failed = count_unmet(instant, kal_instant_q(instant));
        status = fail_start(instant, held, *out_failed, "positions");
    }
    return status;
}

static KalStatus settle_velocities(Velocities *w, int *out_failed)
{
    assert(out_failed);
    bool met = false;
    KalStatus status = iterate_around(w, &met);
    if ((status == KAL_OK || status == KAL_ERR_CONTRADICTION) && !met) {
        status = accept_as_written(w, &met);
    }
    return status == KAL_OK && !met ? go_nearest(w, out_failed) : status;
}

static KalStatus seek_velocities(KalInstant *instant, const bool *held, int *out_failed)
{
    bool met = false;
    KAL_TRY(kal_seek_velocities(instant, held, &met));
    if (met) {
        return KAL_OK;
    }
    *out_failed = count_unmet(instant, kal_instant_qd(instant));
    return fail_start(instant, held, *out_failed, "velocities");
}

// Whether the velocities, as they are written, leave nothing to be found.
static KalStatus are_right(KalInstant *instant, bool *out_right)
{
    *out_right = true;
    KAL_TRY(kal_instant_residuals(instant, KAL_PROGRAM_VELOCITY));
    for (int i = 0; i < instant->system->m; i++) {
        *out_right = *out_right && instant->residuals[i] == 0.0;
    }
    return KAL_OK;
}

// Velocities that satisfy everything already stay as they are, to the bit.
static KalStatus find_velocities(KalInstant *instant, const bool *held, int *out_failed)
{
    Velocities w;
    bool right = false;
    if (instant->large.solver) {
        return seek_velocities(instant, held, out_failed);
    }
    KAL_TRY(kal_instant_givens(instant));
    KAL_TRY(are_right(instant, &right));
    if (right) {
        return KAL_OK;
    }
    KalStatus status = init_velocities(&w, instant, held);
    if (status == KAL_OK) {
        status = settle_velocities(&w, out_failed);
    }
    clear_velocities(&w);
    return status;
}

// Which values are held.
static void fill_held(const KalModel *model, bool *held_q, bool *held_qd)
{
    assert(held_q && held_qd);
    for (size_t i = 0; i < model->n_coordinates; i++) {
        held_q[i] = model->coordinates[i].start_q.kind == KAL_START_HELD;
        held_qd[i] = model->coordinates[i].start_v.kind == KAL_START_HELD;
    }
}

// How far the state is from what was written; true if anything moved.
static bool note_moves(KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const int n = system->n;
    const double *velocities = instant->settings.start_qd;
    bool any = false;
    if (system->n_results[KAL_PROGRAM_START] > 0
        && kal_instant_evaluate(instant, KAL_PROGRAM_START) == KAL_OK) {
        velocities = instant->results; // as written, for these positions
    }
    for (int i = 0; i < 2 * n; i++) {
        const double written = i < n ? instant->settings.start_q[i] : velocities[i - n];
        const double now =
            instant->variables[system->layout.q + (size_t)i]; // q, then velocities
        const double move = now - written;
        const bool moved = fabs(move) > MOVED * fmax(1.0, fabs(written));
        instant->moved[i] = moved ? move : 0.0;
        any = any || moved;
    }
    return any;
}

// Velocities that are given by positions, as these are now; others stay, and so do those
// that are `named` by someone else (n of them).
static KalStatus follow_positions(KalInstant *instant, const bool *named)
{
    const KalSystem *system = instant->system;
    double *qd = kal_instant_qd(instant);
    if (system->n_results[KAL_PROGRAM_START] == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_START));
    for (int i = 0; i < system->n; i++) {
        qd[i] = named[i] ? qd[i] : instant->results[i];
    }
    return KAL_OK;
}

// Whether a gap, or its rate, is given by coordinates or velocities that are held (n of them).
static bool is_given(const KalInstant *instant, int64_t gap, const bool *held)
{
    const size_t n = (size_t)instant->system->n;
    const double *row = instant->contacts.A + (size_t)instant->contacts.place[gap] * n;
    bool given = true;
    for (size_t j = 0; j < n; j++) {
        given = given && (row[j] == 0.0 || held[j]);
    }
    return given;
}

// Let the gaps that are 0 or negative be closed, and constraints; true if there is one more of
// these.  One that is given stays where it is, if it is 0 to rounding.
static KalStatus close_gaps(KalInstant *instant, const bool *held, bool *out_more)
{
    const KalModel *model = instant->system->model;
    *out_more = false;
    KAL_TRY(kal_instant_givens(instant));
    for (size_t i = 0; i < model->n_contacts; i++) {
        KalContactState *state = &instant->contacts.states[i];
        const int64_t gap = model->contacts[i].gap;
        KalContactPlace place;
        KAL_TRY(kal_contact_look(instant, i, &place));
        if (place.touches && !state->closed) {
            const bool moves = place.entered || !is_given(instant, gap, held);
            state->closed = true;
            kal_instant_set_active(instant, (int)gap, moves);
            *out_more = *out_more || moves;
        }
    }
    return KAL_OK;
}

// Positions with closed contacts: what touches stays, so there are as many rounds as contacts
// at most.
static KalStatus find_contacts(KalInstant *instant, const bool *held, int *out_failed)
{
    const KalModel *model = instant->system->model;
    bool more = model->n_contacts > 0;
    while (more) {
        KAL_TRY(close_gaps(instant, held, &more));
        KAL_TRY(more ? find_positions(instant, held, out_failed) : KAL_OK);
    }
    for (size_t i = 0; i < model->n_contacts; i++) {
        if (model->contacts[i].gap != KAL_NO_GAP
            && instant->contacts.states[i].closed) {
            kal_instant_set_active(instant, (int)model->contacts[i].gap, true);
        }
    }
    return KAL_OK;
}

// Gaps whose rates are given are no constraints of velocities, none is if not `any`.
static void release_gaps(KalInstant *instant, const bool *held, bool any)
{
    const KalModel *model = instant->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const int64_t gap = model->contacts[i].gap;
        if (gap != KAL_NO_GAP && instant->contacts.states[i].closed
            && (!any || is_given(instant, gap, held))) {
            kal_instant_set_active(instant, (int)gap, false);
        }
    }
}

// Velocities with closed contacts at rest, if those that are held leave that.
static KalStatus find_rates(KalInstant *instant, const bool *held, int *out_failed)
{
    if (instant->system->model->n_contacts == 0) {
        return find_velocities(instant, held, out_failed);
    }
    const size_t n = (size_t)instant->system->n;
    memcpy(instant->contacts.slide.Q, kal_instant_qd(instant), n * sizeof(double));
    KAL_TRY(kal_instant_givens(instant));
    release_gaps(instant, held, true);
    KalStatus status = find_velocities(instant, held, out_failed);
    if (status == KAL_ERR_CONTRADICTION) {
        memcpy(kal_instant_qd(instant), instant->contacts.slide.Q, n * sizeof(double));
        release_gaps(instant, held, false);
        status = find_velocities(instant, held, out_failed);
    }
    return status;
}

// Positions, then velocities; the report says which of them failed.
static KalStatus find(KalInstant *instant, const bool *held, const bool *named,
                      KalStartReport *report)
{
    const int n = instant->system->n;
    KAL_TRY(find_positions(instant, held, &report->n_failed));
    KAL_TRY(named ? find_contacts(instant, held, &report->n_failed) : KAL_OK);
    KAL_TRY(named ? follow_positions(instant, named + n) : KAL_OK);
    report->velocity = true;
    return named
               ? kal_border_find_rates(instant, find_rates, held + n, &report->n_failed)
               : find_velocities(instant, held + n, &report->n_failed);
}

// Let gaps that an event has made negative be constraints; true if there is one more of them.
static KalStatus close_entered(KalInstant *instant, bool *out_more)
{
    const KalModel *model = instant->system->model;
    *out_more = false;
    KAL_TRY(kal_instant_givens(instant));
    for (size_t i = 0; i < model->n_contacts; i++) {
        KalContactPlace place;
        KAL_TRY(kal_contact_look(instant, i, &place));
        if (place.entered && !instant->active[model->contacts[i].gap]) {
            kal_instant_set_active(instant, (int)model->contacts[i].gap, true);
            *out_more = true;
        }
    }
    return KAL_OK;
}

// Contacts are one-sided: what an event sets may open them, and where it enters them the other
// positions move, in as many rounds as there are contacts at most.  Velocities are left to the
// impact that follows.
static KalStatus settle_beside_contacts(KalInstant *instant, const bool *held)
{
    int failed = 0;
    bool more = true;
    KAL_TRY(instant->n_active > 0 ? find_positions(instant, held, &failed) : KAL_OK);
    while (more) {
        KAL_TRY(close_entered(instant, &more));
        KAL_TRY(more ? find_positions(instant, held, &failed) : KAL_OK);
    }
    for (int k = 0; k < instant->contacts.n_rows; k++) {
        instant->active[instant->contacts.rows[k]] = false;
    }
    kal_instant_activate(instant, instant->active);
    return instant->n_active > 0
               ? find_velocities(instant, held + instant->system->n, &failed)
               : KAL_OK;
}

// Without constraints any state will do.
KalStatus kal_instant_settle(KalInstant *instant, const bool *held)
{
    KalStartReport report = {.moved = false};
    if (instant->system->model->n_contacts > 0) {
        kal_contacts_suspend(instant);
        KAL_TRY(settle_beside_contacts(instant, held));
        return kal_contacts_resume(instant);
    }
    return instant->n_active > 0 ? find(instant, held, NULL, &report) : KAL_OK;
}

KalStatus kal_instant_impact(KalInstant *instant, const bool *held)
{
    const size_t n = (size_t)instant->system->n;
    const bool contacts = instant->system->model->n_contacts > 0;
    int failed = 0;
    bool *none = (bool *)kal_alloc(instant->ctx, n, sizeof *none); // all are false
    if (!none) {
        return kal_no_memory(instant->ctx, "for an impact");
    }
    if (contacts) { // they push, in an impact of their own
        kal_contacts_suspend(instant);
    }
    const KalStatus status = instant->n_active > 0
                                 ? find_velocities(instant, held ? held : none, &failed)
                                 : KAL_OK;
    kal_free(instant->ctx, none, n * sizeof *none);
    KAL_TRY(status);
    return contacts ? kal_contacts_resume(instant) : KAL_OK;
}

// The values that are given: by a text, or by their places.
typedef struct Given {
    const char *text;           // or NULL
    const KalStartPoint *point; // or NULL
} Given;

static KalStatus set_given(KalInstant *instant, Given given, bool *named)
{
    if (given.text) {
        return kal_instant_set_named(instant, "start", given.text, named);
    }
    for (size_t k = 0; k < given.point->n; k++) {
        const size_t place = (size_t)given.point->places[k];
        assert(place < kal_system_targets(instant->system));
        kal_instant_q(instant)[place] = given.point->values[k]; // velocities follow
        named[place] = true;
    }
    return KAL_OK;
}

// Begin with the values of the model, but for those that are given; these are held.
// `named` has room for kal_system_targets().
static KalStatus set_values(KalInstant *instant, Given given, bool *held, bool *named)
{
    assert(held && named);
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    instant->variables[0] = instant->settings.asked.from;
    memcpy(kal_instant_q(instant), instant->settings.start_q, n * sizeof(double));
    memcpy(kal_instant_qd(instant), instant->settings.start_qd, n * sizeof(double));
    kal_instant_reset_dynamics(instant);
    fill_held(system->model, held, held + n);
    memset(named, 0, kal_system_targets(system) * sizeof *named);
    if (!given.text && !given.point) {
        return KAL_OK;
    }
    KAL_TRY(set_given(instant, given, named));
    KAL_TRY(follow_positions(instant, named + n));
    for (size_t i = 0; i < 2 * n; i++) {
        held[i] = held[i] || named[i];
    }
    return instant->variables[0] == instant->settings.asked.from
               ? KAL_OK
               : kal_fail(instant->ctx, KAL_ERR_USAGE,
                          "a start has the first time of 'simulate', not another");
}

// Values first, then what acts, then positions and velocities; the report says what
// moved, failed starts included.
static KalStatus start(KalInstant *instant, Given given, KalStartReport *out_report)
{
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    KalStartReport report = {.moved = false};
    const size_t count = 2 * n + kal_system_targets(system);
    bool *held = (bool *)kal_alloc(instant->ctx, count, sizeof *held);
    if (!held) {
        return kal_no_memory(instant->ctx, "to find a start");
    }
    KalStatus status = set_values(instant, given, held, held + 2 * n);
    kal_instant_activate(instant, system->starts_active);
    kal_contacts_reset(instant);
    instant->contacts.stale = system->model->n_contacts > 0;
    if (status == KAL_OK && system->m > 0) {
        status = advise(instant, held, find(instant, held, held + 2 * n, &report));
    }
    kal_free(instant->ctx, held, count * sizeof *held);
    if (status == KAL_OK) {
        status = kal_instant_renew(instant, NULL);
    }
    report.moved = note_moves(instant);
    report.moved_q = instant->moved;
    report.moved_qd = instant->moved + n;
    report.failed = instant->failed;
    *out_report = report;
    return status;
}

KalStatus kal_instant_start_from(KalInstant *instant, const char *text,
                                 KalStartReport *out_report)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_report);
    return start(instant, (Given){.text = text}, out_report);
}

KalStatus kal_instant_start_at(KalInstant *instant, const KalStartPoint *point,
                               KalStartReport *out_report)
{
    return start(instant, (Given){.point = point}, out_report);
}

KalStatus kal_instant_start(KalInstant *instant, KalStartReport *out_report)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_report);
    return kal_instant_start_from(instant, NULL, out_report);
}
