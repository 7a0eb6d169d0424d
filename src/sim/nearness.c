// SPDX-License-Identifier: MIT

// How near the rows of the instant are to losing rank, looked at closely: by what each has of
// its own.  Rows are in the metric of the projector, with the length that is left of them as a
// part of what they once had, so that one measure, theory (15.5), is zero where a row comes to
// depend on others and where it vanishes.

#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The slope is taken over this part of a step.
static const double PART = 1e-5;
// Rows that have become shorter by less of their length may not have.
static const double SHORTER = 1e-13;

// The rows of the instant, each as long as the part that is left of it; *out_parts: these, if
// somebody wants them.
static void take_rows(KalRun *run, double *out_parts)
{
    KalProjector *p = &run->projection.projector;
    kal_projector_set_rows(p, NULL);
    for (int i = 0; i < run->instant->n_active; i++) {
        const double part = kal_rows_part_left(run, i);
        for (int j = 0; j < p->free; j++) {
            p->G[i * p->free + j] *= part;
        }
        if (out_parts) {
            out_parts[i] = part;
        }
    }
}

void kal_nearness_take(KalRun *run)
{
    kal_projector_set_metric(&run->projection.projector);
    take_rows(run, NULL);
}

int kal_nearness_rank(KalRun *run)
{
    int rank = 0;
    kal_projector_rank(&run->projection.projector, run->rank.sines);
    while (rank < run->instant->n_active && run->rank.sines[rank] > KAL_DEPENDENT) {
        rank++;
    }
    assert(rank <= run->projection.projector.n);
    return rank;
}

// Take the measures of rows in the order of the last ranking.  Returns the least.
static double measure(KalRun *run)
{
    assert(run->rank.rank >= 0 && run->rank.rank <= run->instant->n_active);
    KalRankWatch *watch = &run->rank;
    double least = 1.0;
    kal_projector_split(&run->projection.projector, watch->rank, watch->rests,
                        watch->sines);
    for (int k = 0; k < watch->rank; k++) {
        least = fmin(least, watch->sines[k]);
    }
    return least;
}

void kal_nearness_keep(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    watch->sine = measure(run);
    kal_projector_lift(&run->projection.projector, watch->rank, watch->rests);
    memcpy(watch->kept_sines, watch->sines, (size_t)watch->rank * sizeof(double));
    memcpy(watch->kept_rests, watch->rests,
           (size_t)watch->rank * (size_t)run->system->n * sizeof(double));
    watch->keeps = true;
}

double kal_nearness_compare(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    kal_nearness_take(run);
    (void)measure(run);
    memcpy(watch->copy, watch->kept_rests,
           (size_t)watch->rank * (size_t)run->system->n * sizeof(double));
    return kal_projector_compare(&run->projection.projector, watch->rank, watch->copy,
                                 watch->rests, watch->sines);
}

// Those that the last of the ranking, from the place `rank` on, are or depend on.  A row that
// vanishes depends on no other.
static bool is_concerned(KalRun *run, int rank, int place)
{
    KalProjector *p = &run->projection.projector;
    bool concerned = place >= rank && place < run->rank.rank;
    for (int k = rank; k < run->rank.rank && place < rank && !concerned; k++) {
        concerned = kal_projector_takes_part(p, rank, k, place);
    }
    return concerned;
}

void kal_nearness_mark(KalRun *run, int rank)
{
    assert(rank >= 0 && rank < run->rank.rank);
    for (int k = 0; k < run->instant->n_active; k++) {
        run->rank.concerned[run->projection.projector.order[k]] =
            is_concerned(run, rank, k);
    }
}

// What is left of each row.
static void take_parts(const KalRun *run, double *out_parts)
{
    for (int i = 0; i < run->instant->n_active; i++) {
        out_parts[i] = kal_rows_part_left(run, i);
    }
}

// Measure a little later, as velocities and accelerations go.  The givens are those of the
// instant again when this returns.
static KalStatus look_ahead(KalRun *run, double dt, double *out_parts)
{
    assert(run->kept && out_parts);
    double *v = run->instant->variables;
    const int n = run->system->n;
    const double t = v[0];
    double *q = kal_instant_q(run->instant);
    double *qd = kal_instant_qd(run->instant);
    memcpy(run->kept, q, 2 * (size_t)n * sizeof(double));
    v[0] += dt;
    for (int i = 0; i < n; i++) {
        q[i] += dt * (qd[i] + 0.5 * dt * run->answer.qdd[i]);
        qd[i] += dt * run->answer.qdd[i];
    }
    if (kal_instant_givens(run->instant) == KAL_OK) {
        take_rows(run, out_parts);
        (void)measure(run);
    }
    v[0] = t;
    memcpy(q, run->kept, 2 * (size_t)n * sizeof(double));
    return kal_instant_givens(run->instant);
}

// Foresee when a row vanishes that shortens, by (15.27), from the parts that are left of them now,
// after dt and after twice that.
static void foretell_ends(KalRun *run, double dt)
{
    assert(dt > 0.0);
    const double *now = run->rank.parts[0];
    const double *soon = run->rank.parts[1];
    const double *later = run->rank.parts[2];
    for (int i = 0; i < run->instant->n_active; i++) {
        const double bend = fmin((later[i] - 2.0 * soon[i] + now[i]) / (dt * dt), 0.0);
        const double slope = (soon[i] - now[i]) / dt - 0.5 * dt * bend;
        if (now[i] - later[i] > SHORTER) {
            kal_run_foresee_end(run, kal_distance_to_zero(now[i], slope, bend));
        }
    }
}

// How fast an angle turns whose sine is known, theory (15.10); where it is about a right
// one that cannot be told.
static double turning_of(double sine, double slope)
{
    const double cosine = sqrt(fmax(1.0 - sine * sine, 0.0));
    return cosine > 1e-3 ? fabs(slope) / cosine : 0.0;
}

// Whether a row does, or may.
static bool shortens(const KalRun *run)
{
    bool any = false;
    for (int i = 0; i < run->instant->n_active; i++) {
        any = any || run->rank.parts[0][i] - run->rank.parts[1][i] > 0.25 * SHORTER;
    }
    return any;
}

// A second look, from which bends follow, and then the first once more.
static KalStatus look_again(KalRun *run, double dt)
{
    KalRankWatch *watch = &run->rank;
    KAL_TRY(look_ahead(run, 2.0 * dt, watch->parts[2]));
    memcpy(watch->end_sines, watch->sines, (size_t)watch->rank * sizeof(double));
    foretell_ends(run, dt);
    return look_ahead(run, dt, watch->parts[1]);
}

// What comes to zero first counts; if nothing does, what is least.
KalStatus kal_nearness_foretell(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    const double h = run->horizon - run->step.t_old;
    const double dt = h > 0.0 ? PART * h : 1e-6 * (run->options.until - run->t);
    double first = INFINITY;
    kal_nearness_keep(run);
    take_parts(run, watch->parts[0]);
    for (int k = 1; k < 3; k++) {
        memcpy(watch->parts[k], watch->parts[0],
               (size_t)run->instant->n_active * sizeof(double));
    }
    const bool low = watch->sine < KAL_LOW_SINE;
    KAL_TRY(kal_instant_ask(run->instant));
    KAL_TRY(look_ahead(run, dt, watch->parts[1]));
    if (!watch->bends && dt > 0.0 && (low || shortens(run))) {
        KAL_TRY(look_again(run, dt));
    }
    watch->slope = 0.0;
    watch->bend = 0.0;
    watch->turning *= KAL_TURN_PAST;
    for (int k = 0; k < watch->rank && dt > 0.0; k++) {
        const double sine = watch->kept_sines[k];
        const double slope = (watch->sines[k] - sine) / dt;
        const double next = (watch->end_sines[k] - watch->sines[k]) / dt;
        const double bend = watch->bends ? kal_run_find_bend(run, k, sine, slope)
                            : h > 0.0    ? 0.0
                                         : kal_low_bend(sine, (next - slope) / dt);
        const double distance = kal_distance_to_zero(sine, slope, bend);
        watch->turning = fmax(watch->turning, turning_of(sine, slope));
        watch->slopes[k] = slope;
        if (distance < first) {
            first = distance;
            watch->sine = sine;
            watch->slope = slope;
            watch->bend = bend;
        }
    }
    watch->bends = dt > 0.0;
    return KAL_OK;
}
