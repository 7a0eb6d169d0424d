// SPDX-License-Identifier: MIT

// Random mechanisms of the parts of `use spatial` move, at the defaults, as another
// formulation has it: regular masses and angular velocities (rigid.h).  None is refused;
// energies and momenta stay; ranks are those of the joints' rows; losses of rank are told
// where they are, and nowhere else.  KAL_PROPERTY_PROBLEMS sets how many there are, one for
// every 500; KAL_PROPERTY_SEED where they begin.

#include "examples.h"
#include "fault.h"
#include "mechanism.h"
#include "system/examine.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <string.h>

enum {
    SAMPLES = 10,
    USUAL = 20000, // problems of other tests
    SHARE = 500,   // of them are one mechanism
    MOST_EVALUATIONS = 200000
};

// Errors of steps of 1e-9 may grow as those of the start do in the other formulation.
static const double MOTION_TOLERANCE = 3e-8;
static const double ENERGY_TOLERANCE = 3e-8; // of what moved
static const double MOST_GROWTH = 1e3;       // of errors: beyond, nothing is compared

static long environment(const char *name, long value)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : value;
}

// The motion of the other formulation

typedef struct Track {
    Real y[SAMPLES + 1][RIGID_STATE];
    double growth[SAMPLES + 1]; // of small errors, the largest so far
    int trusted;                // samples from the first that are worth comparing
    int passages;               // losses of rank in them
    Real least;                 // singular value of the joints
    bool unsure;                // it is small at the end: has one more been lost?
    double speed;               // the largest, at least 1
} Track;

// Two states: places relative to their size, turns, velocities relative to a speed.
static double distance(const Mechanism *mech, const Real *x, const Real *y,
                       double speed)
{
    Real worst = 0.0L;
    for (int i = 0; i < mech->system.n_bodies; i++) {
        const Real *a = x + RIGID_NUMBERS * i;
        const Real *b = y + RIGID_NUMBERS * i;
        Real same = 0.0L;
        Real opposite = 0.0L;
        for (int k = 0; k < 4; k++) {
            same = fmaxl(same, fabsl(a[3 + k] - b[3 + k]));
            opposite = fmaxl(opposite, fabsl(a[3 + k] + b[3 + k]));
        }
        worst = fmaxl(worst, fminl(same, opposite));
        for (int k = 0; k < 3; k++) {
            worst = fmaxl(worst, fabsl(a[k] - b[k]) / (1.0L + fabsl(b[k])));
        }
        for (int k = 7; k < RIGID_NUMBERS; k++) {
            worst = fmaxl(worst, fabsl(a[k] - b[k]) / speed);
        }
    }
    return (double)worst;
}

static double largest_speed(const Mechanism *mech, const Real *y)
{
    Real worst = 0.0L;
    for (int i = 0; i < mech->system.n_bodies; i++) {
        for (int k = 7; k < RIGID_NUMBERS; k++) {
            worst = fmaxl(worst, fabsl(y[RIGID_NUMBERS * i + k]));
        }
    }
    return (double)worst;
}

// The singular value that makes the rank of joints what it is.
static Real last_value(const Mechanism *mech, const Real *y)
{
    RigidSingular s;
    rigid_singular(&mech->system, y, &s);
    return mech->system.rank > 0 ? s.values[mech->system.rank - 1] : 1.0L;
}

// The smallest one in a time h from a state, by golden section.
static Real smallest_value(const Mechanism *mech, const Real *y, Real h)
{
    const Real golden = 0.6180339887498949L;
    Real low = 0.0L;
    Real high = h;
    Real least = INFINITY;
    RigidSystem here = mech->system;
    rigid_choose(&here, y);
    while (high - low > 1e-6L * h) {
        Real values[2];
        for (int i = 0; i < 2; i++) {
            Real next[RIGID_STATE];
            const Real part = i == 0 ? 1.0L - golden : golden;
            (void)rigid_try(&here, y, low + part * (high - low), next);
            values[i] = last_value(mech, next);
            least = fminl(least, values[i]);
        }
        const Real cut = golden * (high - low);
        if (values[0] < values[1]) {
            high = low + cut;
        } else {
            low = high - cut;
        }
    }
    return least;
}

// Singular values along a motion, to find where the last one has its minima.
typedef struct Watch {
    Real y[2][RIGID_STATE]; // of the last two steps
    Real value[2];
    Real step; // between them
    int seen;
} Watch;

static void watch_step(const Mechanism *mech, Watch *watch, const Real *y, Real step,
                       Track *track)
{
    const Real value = last_value(mech, y);
    track->least = fminl(track->least, value);
    if (mech->passes && watch->seen >= 2 && watch->value[1] < watch->value[0]
        && watch->value[1] <= value) {
        track->passages +=
            smallest_value(mech, watch->y[0], watch->step + step) < 1e-4L;
    }
    memcpy(watch->y[0], watch->y[1], sizeof watch->y[0]);
    memcpy(watch->y[1], y, sizeof watch->y[1]);
    watch->value[0] = watch->value[1];
    watch->value[1] = value;
    watch->step = step;
    watch->seen++;
}

// Whether the parts themselves make sense here: ends of springs apart, angles of torsion
// springs within their turn, discs not flat.
static bool makes_sense(const Mechanism *mech, const Real *y)
{
    bool sense = true;
    for (int i = 0; i < mech->system.n_forces; i++) {
        const RigidForce *force = &mech->system.forces[i];
        RigidPair pair;
        if (force->kind == RIGID_TORSION_SPRING) {
            sense = sense
                    && fabsl(rigid_angle(&mech->system.joints[force->joint], y)) < 2.8L;
        } else if (force->kind == RIGID_SPRING || force->kind == RIGID_DAMPER) {
            rigid_force_pair(force, y, &pair);
            sense = sense && rigid_dot(pair.d, pair.d) > 0.02L;
        }
    }
    for (int i = 0; i < mech->system.n_joints; i++) {
        if (mech->system.joints[i].kind == RIGID_ROLLING) {
            RigidFrame frame;
            Real unused[2][3];
            rigid_frame(y, mech->system.joints[i].b, &frame);
            sense = sense
                    && rigid_disc(&frame, &mech->system.joints[i], unused[0], unused[1])
                           > 0.2L;
        }
    }
    return sense;
}

// Follow the motion from the first sample on.  Loops end where rank is nearly lost, but for
// those that are to go through such places.
static void follow_reference(const Mechanism *mech, Track *track, bool watched)
{
    Real y[RIGID_STATE] = {0.0L};
    Real h = 0.02L;
    Watch watch = {.seen = 0};
    memcpy(y, track->y[0], sizeof y);
    const Real first = last_value(mech, y);
    track->least = first;
    track->speed = fmax(1.0, largest_speed(mech, y));
    for (track->trusted = 1; track->trusted <= SAMPLES; track->trusted++) {
        Real left = (Real)mech->until / SAMPLES;
        while (left > 1e-12L) {
            const Real step = rigid_step(&mech->system, y, left, &h);
            if (watched && !mech->tree) {
                watch_step(mech, &watch, y, step, track);
            }
            const bool lost = !mech->passes && track->least < 0.1L * first;
            if (step == 0.0L || lost || !makes_sense(mech, y)) {
                return;
            }
            h = fminl(h, mech->tree ? 0.2L : 0.04L);
            left -= step;
        }
        memcpy(track->y[track->trusted], y, sizeof y);
        track->speed = fmax(track->speed, largest_speed(mech, y));
    }
    track->unsure = mech->passes && last_value(mech, y) < 0.2L * first;
}

// How errors of the start grow, from one with every error that joints allow.
static void measure_growth(Mechanism *mech, Track *track)
{
    static const Real size = 1e-7L;
    static Track other;
    Real x[RIGID_SPEEDS];
    Real *y = other.y[0];
    memcpy(y, track->y[0], sizeof other.y[0]);
    for (int k = 0; k < 6 * mech->system.n_bodies; k++) {
        x[k] = size * rng_entry(&mech->rng);
        y[RIGID_NUMBERS * (k / 6) + 7 + k % 6] +=
            size * (Real)track->speed * rng_entry(&mech->rng);
    }
    rigid_displace(mech->system.n_bodies, x, y);
    for (int i = 0; i < 3; i++) {
        rigid_project(&mech->system, y);
    }
    follow_reference(mech, &other, false);
    track->trusted = other.trusted < track->trusted ? other.trusted : track->trusted;
    double growth = 1.0;
    const double start = distance(mech, y, track->y[0], track->speed);
    for (int k = 0; k < track->trusted; k++) {
        growth =
            fmax(growth, distance(mech, other.y[k], track->y[k], track->speed) / start);
        track->growth[k] = growth;
        if (growth > MOST_GROWTH) {
            track->trusted = k;
        }
    }
}

// The library

typedef struct Trial {
    KalContext *ctx;
    KalSystem *system;
    KalRun *run;
    KalInstant *instant; // to look at states of the run
    Fault fault;
} Trial;

// Torsion springs have a coordinate and a constraint each, behind those of all others.
static int count_twists(const Mechanism *mech)
{
    int count = 0;
    for (int i = 0; i < mech->system.n_forces; i++) {
        count += mech->system.forces[i].kind == RIGID_TORSION_SPRING;
    }
    return count;
}

// 13 numbers for each body from the 14 of the library.
static void read_state(const Mechanism *mech, KalInstant *instant, Real *y)
{
    const double *q = kal_instant_q(instant);
    const double *qd = kal_instant_qd(instant);
    for (int i = 0; i < mech->system.n_bodies; i++) {
        Real *of = y + RIGID_NUMBERS * i;
        Real e[4];
        Real rate[4];
        for (int k = 0; k < 7; k++) {
            of[k] = (Real)q[7 * i + k];
        }
        for (int k = 0; k < 4; k++) {
            e[k] = (Real)q[7 * i + 3 + k];
            rate[k] = (Real)qd[7 * i + 3 + k];
        }
        for (int k = 0; k < 3; k++) {
            of[7 + k] = (Real)qd[7 * i + k];
        }
        Real *w = of + 10; // the vector of 2 e' ē
        rigid_cross(e + 1, rate + 1, w);
        for (int k = 0; k < 3; k++) {
            w[k] = 2.0L * (e[0] * rate[1 + k] - rate[0] * e[1 + k] + w[k]);
        }
    }
}

// Ranks and sets of the library at a state are those of the joints' rows, if these have
// clear ones.
static bool judge(const Mechanism *mech, Trial *trial, const Real *y)
{
    RigidSingular s;
    KalMotionAnswer answer;
    const int units = mech->system.n_bodies;
    int rank = 0;
    rigid_singular(&mech->system, y, &s);
    while (rank < s.m && s.values[rank] > 1e-5L) {
        rank++;
    }
    if (rank < s.m && s.values[rank] > 1e-12L) {
        return true;
    }
    if (!ok(kal_instant_solve(trial->instant, &answer) == KAL_OK)) {
        return false;
    }
    bool good = near(answer.rank_A, rank + units + count_twists(mech), 0.0)
                && ok(answer.unique);
    for (int i = 0; good && i < s.m; i++) {
        Real weight = 0.0L;
        for (int k = rank; k < s.m; k++) {
            weight = fmaxl(weight, fabsl(s.combinations[k][i]));
        }
        const bool unique = answer.dependent_set[units + i] < 0;
        good = ok(unique ? weight < 1e-5L : weight > 1e-12L);
    }
    return good;
}

// The verdicts of `check` are those of the start.
static bool check_agrees(Trial *trial)
{
    KalMotionAnswer answer;
    KalCheck *check = NULL;
    const bool good = ok(kal_check_create(trial->ctx, trial->system, &check) == KAL_OK)
                      && ok(kal_check_is_consistent(check))
                      && ok(kal_instant_solve(trial->instant, &answer) == KAL_OK)
                      && near(check->answer.rank_A, answer.rank_A, 0.0)
                      && ok(check->answer.unique);
    kal_check_destroy(check);
    return good;
}

static bool patient(void *user, const KalRun *run)
{
    (void)user;
    return kal_run_statistics(run).evaluations < MOST_EVALUATIONS;
}

static bool open_trial(const Mechanism *mech, Trial *trial)
{
    KalStartReport report;
    *trial = (Trial){.fault = {.calls_left = -1}};
    if (!ok(kal_context_create(fault_alloc, &trial->fault, &trial->ctx) == KAL_OK)
        || !ok(kal_system_load(trial->ctx, "random.kal", mech->text, mech->used, NULL,
                               &trial->system)
               == KAL_OK)) {
        return false;
    }
    KalRunOptions options = kal_run_options(trial->system);
    options.watch = patient;
    return ok(kal_system_coordinates(trial->system)
              == 7 * mech->system.n_bodies + count_twists(mech))
           && ok(kal_instant_create(trial->ctx, trial->system, &trial->instant)
                 == KAL_OK)
           && ok(kal_run_create(trial->ctx, trial->system, &options, &trial->run)
                 == KAL_OK)
           && ok(kal_instant_start(trial->instant, &report) == KAL_OK)
           && ok(kal_run_start(trial->run, &report) == KAL_OK);
}

static void close_trial(Trial *trial)
{
    kal_run_destroy(trial->run);
    kal_instant_destroy(trial->instant);
    kal_system_destroy(trial->system);
    kal_context_destroy(trial->ctx);
    ok(trial->fault.live_bytes == 0);
}

// Constants of the motion

static bool keeps_energy(const Mechanism *mech)
{
    bool keeps = true;
    for (int i = 0; i < mech->system.n_forces; i++) {
        const RigidForce *force = &mech->system.forces[i];
        keeps = keeps && force->c == 0.0L && force->kind != RIGID_MOTOR;
    }
    for (int i = 0; i < mech->system.n_joints; i++) {
        keeps = keeps && mech->system.joints[i].kind != RIGID_DRIVE
                && mech->system.joints[i].kind != RIGID_SLIDE;
    }
    return keeps;
}

// Whether nothing but one ball joint, or nothing at all, holds on to the ground.  Then
// angular momentum about `out_point` stays, under gravity its vertical part; but a bushing
// that damps across the line between its ends is a couple.
static bool turns_freely(const Mechanism *mech, bool *out_free, Real *out_point)
{
    int balls = 0;
    int others = 0;
    memset(out_point, 0, 3 * sizeof *out_point);
    for (int i = 0; i < mech->system.n_joints; i++) {
        const RigidJoint *joint = &mech->system.joints[i];
        if (joint->a == RIGID_GROUND && joint->kind == RIGID_BALL) {
            balls++;
            memcpy(out_point, joint->at_a, sizeof joint->at_a);
        } else if (joint->a == RIGID_GROUND) {
            others++;
        }
    }
    for (int i = 0; i < mech->system.n_forces; i++) {
        const RigidForce *force = &mech->system.forces[i];
        const bool couple = force->kind == RIGID_BUSHING && force->c != 0.0L;
        others += force->a == RIGID_GROUND || couple;
    }
    *out_free = balls == 0;
    return others == 0 && balls <= 1;
}

static bool momenta_stay(const Mechanism *mech, const Real *start, const Real *now)
{
    Real point[3];
    Real momentum[2][3];
    Real angular[2][3];
    Real weight = 0.0L;
    bool is_free = false;
    if (!turns_freely(mech, &is_free, point)) {
        return true;
    }
    const Real size =
        rigid_momentum(&mech->system, start, point, momentum[0], angular[0])
        + rigid_momentum(&mech->system, now, point, momentum[1], angular[1]);
    for (int i = 0; i < mech->system.n_bodies; i++) {
        weight += mech->system.bodies[i].m;
    }
    const Real speed = (Real)(largest_speed(mech, start) + largest_speed(mech, now));
    const Real most = weight * (speed + 0.1L); // of what hardly moves, too
    const Real moment = size + 0.1L * weight;
    bool good = true;
    for (int k = mech->weightless ? 0 : 2; k < 3; k++) {
        good = near((double)((angular[1][k] - angular[0][k]) / moment), 0.0,
                    ENERGY_TOLERANCE)
               && good;
    }
    for (int k = 0; is_free && mech->weightless && k < 3; k++) {
        good = near((double)((momentum[1][k] - momentum[0][k]) / most), 0.0,
                    ENERGY_TOLERANCE)
               && good;
    }
    return good;
}

static bool energy_stays(const Mechanism *mech, const Real *start, const Real *now)
{
    const Real T0 = rigid_kinetic(&mech->system, start);
    const Real T = rigid_kinetic(&mech->system, now);
    const Real V0 = rigid_potential(&mech->system, start);
    const Real V = rigid_potential(&mech->system, now);
    Real size = T0 + T + fabsl(V - V0);
    for (int i = 0; i < mech->system.n_bodies; i++) {
        size += 0.1L * mech->system.bodies[i].m; // of what hardly moves
    }
    return near((double)((T + V - T0 - V0) / size), 0.0, ENERGY_TOLERANCE);
}

// One mechanism

static bool compare_sample(const Mechanism *mech, Trial *trial, const Track *track,
                           int k)
{
    Real y[RIGID_STATE];
    KalInstant *instant = kal_run_instant(trial->run);
    const size_t n = (size_t)kal_system_coordinates(trial->system);
    if (!ok(kal_run_advance(trial->run, mech->until * k / SAMPLES) == KAL_OK)) {
        return false;
    }
    read_state(mech, instant, y);
    *kal_instant_t(trial->instant) = kal_run_time(trial->run);
    memcpy(kal_instant_q(trial->instant), kal_instant_q(instant), n * sizeof(double));
    memcpy(kal_instant_qd(trial->instant), kal_instant_qd(instant), n * sizeof(double));
    return near(distance(mech, y, track->y[k], track->speed), 0.0,
                MOTION_TOLERANCE * track->growth[k])
           && (!keeps_energy(mech) || energy_stays(mech, track->y[0], y))
           && momenta_stay(mech, track->y[0], y) && judge(mech, trial, y);
}

// Take over the start of the library, which has to be the one that was written.
static bool take_start(Mechanism *mech, Trial *trial, Track *track)
{
    Real *y = track->y[0];
    RigidSingular s;
    read_state(mech, kal_run_instant(trial->run), y);
    bool good = near(
        distance(mech, y, mech->y, fmax(1.0, largest_speed(mech, mech->y))), 0.0, 1e-9);
    rigid_singular(&mech->system, y, &s);
    mech->system.rank = 0;
    while (mech->system.rank < s.m && s.values[mech->system.rank] > 1e-8L) {
        mech->system.rank++;
    }
    good = judge(mech, trial, y) && good;
    good = check_agrees(trial) && good;
    good = near((double)rigid_project_positions(&mech->system, y), 0.0, 1e-11) && good;
    good = near((double)rigid_project_velocities(&mech->system, y), 0.0, 1e-10) && good;
    return good;
}

static bool passages_told(const Mechanism *mech, Trial *trial, const Track *track)
{
    const KalRunStatistics statistics = kal_run_statistics(trial->run);
    return mech->passes && track->trusted <= SAMPLES
               ? true // where they were counted is not where the run ended
               : near(statistics.passages, track->passages, track->unsure ? 1.0 : 0.0);
}

static bool try_mechanism(Mechanism *mech, Trial *trial, int *compared)
{
    static Track track;
    memset(&track, 0, sizeof track);
    if (!open_trial(mech, trial) || !take_start(mech, trial, &track)) {
        return false;
    }
    follow_reference(mech, &track, true);
    measure_growth(mech, &track);
    bool good = true;
    for (int k = 1; good && k < track.trusted; k++) {
        good = compare_sample(mech, trial, &track, k);
        ++*compared;
    }
    return good && passages_told(mech, trial, &track);
}

// All that is needed to look into a failure.
static void tell(const Mechanism *mech, const Trial *trial, long seed)
{
    RigidSingular s;
    rigid_singular(&mech->system, mech->y, &s);
    const int rank = mech->system.rank > 0 ? mech->system.rank : s.m;
    printf("# seed %ld, %s, at t = %.9g: %s\n", seed, mech->family,
           trial->run ? kal_run_time(trial->run) : 0.0,
           kal_context_message(trial->ctx));
    printf("# singular value %d of %d rows of joints at the start: %.3Lg\n%s# end\n",
           rank, s.m, rank > 0 ? s.values[rank - 1] : 1.0L, mech->text);
}

// The mechanism of a seed; answers how many states of it were compared, -1 when it fails.
static int try_seed(long seed)
{
    static Mechanism mech;
    Trial trial;
    int compared = 0;
    const int before = tap_failures;
    tap_failures = 0; // each says why it failed
    mechanism_make(&mech, (uint64_t)seed);
    ok(mech.used < MECHANISM_TEXT);
    if (!try_mechanism(&mech, &trial, &compared)) {
        tell(&mech, &trial, seed);
        compared = -1;
    }
    close_trial(&trial);
    tap_failures += before;
    return compared;
}

static void mechanisms_move_as_another_formulation_has_it(void)
{
    const long first = environment("KAL_PROPERTY_SEED", 0);
    const long asked = environment("KAL_PROPERTY_PROBLEMS", USUAL) / SHARE;
    const long last = first + (asked > 0 ? asked : 1);
    int tried = 0;
    int failed = 0;
    int states = 0;
    for (long seed = first; seed < last; seed++) {
        const int compared = try_seed(seed);
        tried++;
        failed += compared < 0;
        states += compared > 0 ? compared : 0;
    }
    printf("# %d mechanisms, %d failed, %d states compared\n", tried, failed, states);
    ok(tried < 30 || states > 5 * (tried - failed)); // most are worth it all the way
}

// Mechanisms that were refused or misjudged once: starts that leave nothing but rounding to
// change, traces of 1e-29 in A and M that outweighed what is meant, terms of b that cancel, a
// row of which all terms are rounding of accelerations elsewhere, a state of rest whose
// accelerations are nothing but rounding.
static void mechanisms_that_failed_once(void)
{
    static const long seeds[] = {110, 196, 360, 1341, 1600, 1790, 2365};
    const size_t share = (size_t)examples_share();
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i += share) {
        ok(try_seed(seeds[i]) > 0);
    }
}

// Four-bars whose drive leads to a dead point: that is said, and the drive is named.  Coming
// near it takes seconds, so two stand for all, one under sanitizers, unless the environment has
// KAL_TEST_ALL.
static void driven_loops_that_lock_say_so(void)
{
    static const long seeds[] = {800, 845, 1325, 1460};
    static Mechanism mech;
    const size_t count = getenv("KAL_TEST_ALL") ? sizeof seeds / sizeof seeds[0] : 2;
    for (size_t i = 0; i < count; i += (size_t)examples_share()) {
        Trial trial;
        mechanism_make(&mech, (uint64_t)seeds[i]);
        if (open_trial(&mech, &trial)) {
            ok(kal_run_advance(trial.run, mech.until) == KAL_ERR_STEP);
            has_text(kal_context_message(trial.ctx), "locks");
            has_text(kal_context_message(trial.ctx), "drive");
        }
        close_trial(&trial);
    }
}

// The other formulation itself

static void follow_alone(const RigidSystem *system, Real *y, Real time)
{
    Real h = 0.02L;
    while (time > 1e-15L) {
        const Real step = rigid_step(system, y, time, &h);
        if (!ok(step > 0.0L)) {
            return;
        }
        time -= step;
    }
}

// A ball on a string goes around at Ω² = g/(L cos θ), its own spin being Ω.
static void conical_pendulum(void)
{
    static Mechanism mech;
    const Real L = 0.7L;
    const Real angle = 0.6L;
    const Real rate = sqrtl(9.81L / (L * cosl(angle)));
    const Real r[3] = {L * sinl(angle), 0.0L, -L * cosl(angle)};
    const Real none[4] = {1.0L, 0.0L, 0.0L, 0.0L};
    const Real origin[3] = {0.0L, 0.0L, 0.0L};
    mech = (Mechanism){.mass = 1.0L};
    mech.system.rank = -1;
    (void)add_body(&mech, r, none);
    RigidBody *body = &mech.system.bodies[0];
    *body = (RigidBody){
        .m = 2.0L,
        .inertia = {0.1L,  0, 0, 0, 0.1L, 0, 0, 0, 0.1L},
        .gravity = {0, 0, -9.81L}
    };
    (void)add_joint(&mech, RIGID_BALL, RIGID_GROUND, 0, origin, r);
    mech.y[8] = rate * r[0];
    mech.y[12] = rate;
    const Real E =
        rigid_kinetic(&mech.system, mech.y) + rigid_potential(&mech.system, mech.y);
    follow_alone(&mech.system, mech.y, 1.3L);
    near((double)mech.y[0], (double)(r[0] * cosl(rate * 1.3L)), 1e-11);
    near((double)mech.y[1], (double)(r[0] * sinl(rate * 1.3L)), 1e-11);
    near((double)mech.y[2], (double)r[2], 1e-11);
    near((double)(rigid_kinetic(&mech.system, mech.y)
                  + rigid_potential(&mech.system, mech.y)),
         (double)E, 1e-11);
}

// Without torque the angular velocity of a symmetric body goes around its axis at
// (I₃ − I₁)/I₁ ω₃, and R I ω stays.
static void free_symmetric_top(void)
{
    RigidSystem system = {.n_bodies = 1, .rank = 0};
    Real y[RIGID_STATE] = {0, 0, 0, 0.5L, 0.5L, 0.5L, 0.5L};
    RigidFrame frame;
    Real w[3] = {0.4L, 0.0L, 7.0L};
    Real before[2][3];
    Real after[2][3];
    const Real origin[3] = {0.0L, 0.0L, 0.0L};
    system.bodies[0] = (RigidBody){
        .m = 1.0L, .inertia = {2.0L, 0, 0, 0, 2.0L, 0, 0, 0, 0.6L}
    };
    rigid_frame(y, 0, &frame);
    rigid_times(frame.R, w, y + 10);
    (void)rigid_momentum(&system, y, origin, before[0], before[1]);
    follow_alone(&system, y, 2.0L);
    (void)rigid_momentum(&system, y, origin, after[0], after[1]);
    rigid_frame(y, 0, &frame);
    rigid_back(frame.R, frame.w, w);
    const Real phase = (0.6L - 2.0L) / 2.0L * 7.0L * 2.0L;
    near((double)w[0], (double)(0.4L * cosl(phase)), 1e-11);
    near((double)w[1], (double)(0.4L * sinl(phase)), 1e-11);
    near((double)w[2], 7.0, 1e-11);
    for (int k = 0; k < 3; k++) {
        near((double)after[1][k], (double)before[1][k], 1e-11);
    }
}

// A body on a hinge: T = 2π √(I/(m g L)) / agm(1, cos(θ/2)).
static void physical_pendulum(void)
{
    static Mechanism mech;
    const Real L = 0.4L;
    const Real angle = 2.0L;
    const Real axis[3] = {0.0L, 1.0L, 0.0L};
    const Real none[4] = {1.0L, 0.0L, 0.0L, 0.0L};
    const Real origin[3] = {0.0L, 0.0L, 0.0L};
    const Real r[3] = {-L * sinl(angle), 0.0L, -L * cosl(angle)};
    mech = (Mechanism){.mass = 1.0L};
    mech.system.rank = -1;
    (void)add_body(&mech, r, none);
    mech.system.bodies[0] = (RigidBody){
        .m = 3.0L,
        .inertia = {0.2L,  0, 0, 0, 0.3L, 0, 0, 0, 0.4L},
        .gravity = {0, 0, -9.81L}
    };
    (void)add_joint(&mech, RIGID_REVOLUTE, RIGID_GROUND, 0, origin, axis);
    Real a = 1.0L;
    Real b = cosl(0.5L * angle);
    for (int i = 0; i < 6; i++) {
        const Real mean = 0.5L * (a + b);
        b = sqrtl(a * b);
        a = mean;
    }
    const Real period =
        2.0L * acosl(-1.0L) * sqrtl((0.3L + 3.0L * L * L) / (3.0L * 9.81L * L)) / a;
    follow_alone(&mech.system, mech.y, 0.5L * period);
    near((double)mech.y[0], (double)-r[0], 1e-11);
    follow_alone(&mech.system, mech.y, 0.5L * period);
    near((double)mech.y[0], (double)r[0], 1e-11);
    near((double)mech.y[2], (double)r[2], 1e-11);
}

TAP_RUN(TAP_CASE(conical_pendulum), TAP_CASE(free_symmetric_top),
        TAP_CASE(physical_pendulum), TAP_CASE(mechanisms_that_failed_once),
        TAP_CASE(driven_loops_that_lock_say_so),
        TAP_CASE(mechanisms_move_as_another_formulation_has_it))
