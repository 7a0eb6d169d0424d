// SPDX-License-Identifier: MIT

// Servos of random models at one instant, against theory (14.1) to (14.4) in long double: the
// model's formulas by jets (random_motion.h), nature's motion and that of each actuator by
// singular values (reference.h).  Compared are accelerations, inputs and refusals.
// KAL_PROPERTY_PROBLEMS sets how many models there are, KAL_PROPERTY_FIRST the number of the
// first one.

#include "random_motion.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    PASSES = 5, // the first without noise
    SHOWN = 5   // models that are printed
};

// How much larger errors may be than the spread that noise of the size of rounding makes.
static const Real ALLOWED = 1e4L;
static const Real ROUNDING = 0x1p-53L;
// A state nearer than this to a change of branch decides nothing.
static const Real MARGIN = 1e-6L;

static RandomModel made;
static RandomRow servos[JET_N];
static double rates[JET_N];
static int n_servos;
static int actuators[JET_N];
static double weights[JET_N];
static int n_actuators;
static uint64_t number;
static int shown;

typedef enum Verdict {
    UNCLEAR,
    MET,
    UNREACHED, // the actuators cannot meet the servos
} Verdict;

typedef struct Pass {
    Verdict verdict;
    Real qdd[JET_N];
    Real inputs[JET_N];
} Pass;

static Pass passes[PASSES];

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static void add_servo(int level)
{
    Jets *f = &made.f;
    const int i = rng_int(&made.rng, 0, made.n - 1);
    RandomRow *row = &servos[n_servos];
    row->level = level ? RANDOM_VELOCITY : RANDOM_POSITION;
    row->residual = level ? jet_add(f, jet_mul(f, random_odd(&made, 2.0), made.v[i]),
                                    random_form(&made))
                          : jet_add(f, jet_mul(f, random_odd(&made, 1.0), made.q[i]),
                                    random_function(&made));
    rates[n_servos] = fabs(random_number(&made, 3.0));
    random_say(&made, "servo s%d: %s = 0, rate = %.17g\n", n_servos + 1,
               jet_text(f, row->residual), rates[n_servos]);
    n_servos++;
}

// A form in the velocities, or one velocity: that of a coordinate that is held, perhaps.
static void add_actuator(int along)
{
    Jets *f = &made.f;
    const int form = along >= 0 ? jet_mul(f, random_const(&made, 2.0), made.v[along])
                                : random_form(&made);
    weights[n_actuators] = fabs(random_number(&made, 4.0));
    actuators[n_actuators++] = form;
    random_say(&made, "actuator u%d: %s, weight = %.17g\n", n_actuators,
               jet_text(f, form), weights[n_actuators - 1]);
    random_say(&made, "output o%d = control(u%d)\n", n_actuators, n_actuators);
}

static void hold(int i)
{
    Jets *f = &made.f;
    const int residual = jet_mul(f, random_odd(&made, 1.0), made.q[i]);
    random_row(&made, RANDOM_POSITION, residual);
}

static void make(void)
{
    random_begin(&made, number, rng_int(&(Rng){number}, 1, JET_N));
    n_servos = 0;
    n_actuators = 0;
    random_kinetic(&made, true);
    random_potential(&made);
    if (random_chance(&made, 2)) {
        random_force(&made);
    }
    const int held = made.n > 1 && random_chance(&made, 3) ? made.n - 1 : -1;
    if (held >= 0) {
        hold(held);
    } else if (made.n > 1 && random_chance(&made, 2)) {
        random_constraint(&made);
    }
    const int free = made.n - made.m;
    for (int k = rng_int(&made.rng, 1, free); k > 0; k--) {
        add_servo(rng_int(&made.rng, 0, 1));
    }
    const bool in_vain = held >= 0 && random_chance(&made, 4);
    const int most = random_chance(&made, 4) ? 0 : rng_int(&made.rng, n_servos, made.n);
    for (int k = in_vain ? 1 : most; k > 0; k--) {
        add_actuator(in_vain ? held : -1);
    }
}

static ReferenceMotion begin_motion(int rows)
{
    ReferenceMotion p = {.n = made.n, .m = rows};
    random_fill_masses(&made, &p);
    for (int i = 0; i < made.m; i++) {
        random_fill_row(&made, &p, i, &made.rows[i]);
    }
    return p;
}

// Aₛ and bₛ of (14.1), as rows behind those of nature.
static void fill_servos(ReferenceMotion *p)
{
    for (int i = 0; i < n_servos; i++) {
        const RandomRow *row = &servos[i];
        const Real k = (Real)rates[i];
        const Real e = random_value(&made, row->residual);
        const int at = made.m + i;
        random_fill_row(&made, p, at, row);
        p->b[at] -= row->level == RANDOM_VELOCITY
                        ? k * e
                        : 2.0L * k * random_drift(&made, row->residual, -1) + k * k * e;
    }
}

static bool is_clear(const ReferenceMotion *p)
{
    return p->verdict == REFERENCE_UNIQUE;
}

// The shortest change of nature's acceleration that meets the servos, (14.2).
static void meet_freely(Pass *pass, ReferenceMotion *both, const Real *nature)
{
    for (int j = 0; j < made.n; j++) {
        both->Q[j] = 0.0L;
    }
    for (int i = 0; i < both->m; i++) {
        both->b[i] = i < made.m ? 0.0L : both->b[i];
        for (int j = 0; i >= made.m && j < made.n; j++) {
            both->b[i] -= both->A[i][j] * nature[j];
        }
    }
    reference_solve(both);
    pass->verdict =
        is_clear(both) && both->rank_A == both->m && made.m + n_servos <= made.n
            ? MET
            : UNCLEAR;
    for (int j = 0; j < made.n; j++) {
        pass->qdd[j] = nature[j] + both->qdd[j];
    }
}

// The acceleration of a unit of input j alone, column j of R.
static bool respond(int j, Real *out_column)
{
    ReferenceMotion p = begin_motion(made.m);
    for (int i = 0; i < made.n; i++) {
        p.Q[i] = random_slope(&made, actuators[j], JET_V + i);
        p.C[i] = 0.0L;
    }
    memset(p.b, 0, sizeof p.b);
    reference_solve(&p);
    memcpy(out_column, p.qdd, (size_t)made.n * sizeof *out_column);
    return is_clear(&p);
}

// A number as rounding might leave it, in passes with noise: what a solver meets are numbers, and
// where large ones cancel their rounding stays.
static Real rounded(Real x)
{
    const Real noise = made.f.noisy ? JET_NOISE * (Real)rng_entry(&made.f.noise) : 0.0L;
    return x * (1.0L + noise);
}

// What the servos see of the inputs: S = AₛR W^(−1/2), rows of length one by the size of
// their terms; what nature leaves to do is y.
static bool fill_reach(const ReferenceMotion *both, const Real *nature, Reference R,
                       Reference S, Real *y)
{
    bool clear = true;
    for (int j = 0; j < n_actuators; j++) {
        Real column[JET_N];
        clear = respond(j, column) && clear;
        for (int i = 0; i < made.n; i++) {
            R[i][j] = column[i];
        }
    }
    for (int i = 0; i < n_servos; i++) {
        const Real *row = both->A[made.m + i];
        Real size = 0.0L;
        y[i] = both->b[made.m + i];
        for (int l = 0; l < made.n; l++) {
            y[i] -= row[l] * nature[l];
            for (int j = 0; j < n_actuators; j++) {
                const Real term = row[l] * R[l][j] / sqrtl((Real)weights[j]);
                S[i][j] += term;
                size = fmaxl(size, fabsl(term));
            }
        }
        size = size > 0.0L ? size : 1.0L;
        y[i] /= size;
        for (int j = 0; j < n_actuators; j++) {
            S[i][j] = rounded(S[i][j] / size);
        }
    }
    return clear;
}

// Inputs of least weight, (14.3) and (14.4).
static void meet_by_actuators(Pass *pass, const ReferenceMotion *both,
                              const Real *nature)
{
    Reference R = {{0.0L}};
    Reference S = {{0.0L}};
    Real y[REFERENCE_MOST] = {0.0L};
    Real u[REFERENCE_MOST] = {0.0L};
    Singular of;
    const bool clear = fill_reach(both, nature, R, S, y);
    singular_values(S, n_servos, n_actuators, &of);
    int rank = 0;
    while (rank < n_actuators && of.s[rank] > 1e-4L) {
        rank++;
    }
    const Real next = rank < n_actuators ? of.s[rank] : 0.0L;
    singular_solve(&of, rank, y, u);
    // Servos that say the same may be met together all the same: those decide nothing.
    const bool fewer = rank > 0 && rank < n_servos;
    pass->verdict = !clear || fewer || (rank == 0 && next > 1e-14L) ? UNCLEAR
                    : rank == n_servos                              ? MET
                                                                    : UNREACHED;
    for (int i = 0; i < made.n; i++) {
        pass->qdd[i] = rounded(nature[i]);
        for (int j = 0; j < n_actuators; j++) {
            pass->inputs[j] = u[j] / sqrtl((Real)weights[j]);
            pass->qdd[i] += rounded(R[i][j] * pass->inputs[j]);
        }
    }
}

static void solve_pass(Pass *pass)
{
    *pass = (Pass){.verdict = UNCLEAR};
    jet_eval(&made.f);
    ReferenceMotion nature = begin_motion(made.m);
    ReferenceMotion both = begin_motion(made.m + n_servos);
    fill_servos(&both);
    reference_solve(&nature);
    if (!is_clear(&nature) || nature.rank_A < made.m) {
        return;
    }
    if (n_actuators == 0) {
        meet_freely(pass, &both, nature.qdd);
    } else {
        meet_by_actuators(pass, &both, nature.qdd);
    }
}

static void solve_passes(void)
{
    made.f.margin = 1.0L;
    for (int k = 0; k < PASSES; k++) {
        made.f.noisy = k > 0;
        made.f.noise = (Rng){(uint64_t)k};
        solve_pass(&passes[k]);
    }
    made.f.noisy = false;
}

static void complain(const char *what, int i, double got, Real want)
{
    tap_failures++;
    if (++shown <= SHOWN) {
        printf("# model %llu: %s %d is %.15g, not %.15Lg, with t=%.17g",
               (unsigned long long)number, what, i + 1, got, want,
               (double)made.f.state[0]);
        for (int j = 0; j < made.n; j++) {
            printf(", %s=%.17g, %s'=%.17g", random_names[j],
                   (double)made.f.state[JET_Q + j], random_names[j],
                   (double)made.f.state[JET_V + j]);
        }
        printf("\n");
        for (const char *line = made.text; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            printf("#   %.*s\n", (int)length, line);
            line += length + (line[length] == '\n');
        }
    }
}

// Compare a number with the one at the same place in all passes.
static void compare(const char *what, int i, double got, const Real *want, Real largest)
{
    Real spread = 0.0L;
    for (int k = 1; k < PASSES; k++) {
        const char *other = (const char *)want + (size_t)k * sizeof(Pass);
        spread = fmaxl(spread, fabsl(*(const Real *)(const void *)other - *want));
    }
    const Real allowed =
        tap_scale() * ROUNDING
        * (ALLOWED * (spread / JET_NOISE + fabsl(*want)) + 512.0L * largest);
    if (!(fabsl(got - *want) <= allowed)) {
        complain(what, i, got, *want);
    }
}

static void compare_answer(const KalMotionAnswer *answer, const double *outputs)
{
    Real largest = 0.0L;
    for (int i = 0; i < made.n; i++) {
        largest = fmaxl(largest, fabsl(passes[0].qdd[i]));
    }
    for (int i = 0; i < made.n; i++) {
        compare("acceleration", i, answer->qdd[i], &passes[0].qdd[i], largest);
    }
    for (int j = 0; j < n_actuators; j++) {
        compare("input", j, outputs[j], &passes[0].inputs[j], 0.0L);
    }
}

static void compare_instant(KalContext *ctx, const KalSystem *system)
{
    KalInstant *instant = NULL;
    KalMotionAnswer answer;
    const double *outputs = NULL;
    if (!ok(kal_instant_create(ctx, system, &instant) == KAL_OK)) {
        return;
    }
    *kal_instant_t(instant) = (double)made.f.state[0];
    for (int i = 0; i < made.n; i++) {
        kal_instant_q(instant)[i] = (double)made.f.state[JET_Q + i];
        kal_instant_qd(instant)[i] = (double)made.f.state[JET_V + i];
    }
    KalStatus status = kal_instant_solve(instant, &answer);
    if (status == KAL_OK) {
        status = kal_instant_outputs(instant, &outputs);
    }
    if ((status == KAL_OK) != (passes[0].verdict == MET)) {
        complain(status == KAL_OK ? "accepted" : kal_context_message(ctx), 0,
                 (double)status, (Real)passes[0].verdict);
    } else if (status == KAL_OK) {
        compare_answer(&answer, outputs);
    }
    kal_instant_destroy(instant);
}

static void servos_are_those_of_the_theory(void)
{
    const int count = setting("KAL_PROPERTY_PROBLEMS", 20000) / 50 + 10;
    int met = 0;
    int unreached = 0;
    for (int k = 0; k < count; k++) {
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        number = (uint64_t)(3000000 + setting("KAL_PROPERTY_FIRST", 0) + k);
        make();
        solve_passes();
        if (made.f.margin < MARGIN || passes[0].verdict == UNCLEAR) {
            continue;
        }
        met += passes[0].verdict == MET;
        unreached += passes[0].verdict == UNREACHED;
        ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
        if (kal_system_load(ctx, "servo.kal", made.text, made.used, NULL, &system)
            == KAL_OK) {
            compare_instant(ctx, system);
        } else {
            complain(kal_context_message(ctx), 0, 0.0, 0.0L);
        }
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
    printf("# %d models are met, %d cannot be\n", met, unreached);
    ok(met > count / 3 && unreached > count / 50);
}

TAP_RUN(TAP_CASE(servos_are_those_of_the_theory))
