// SPDX-License-Identifier: MIT

// Random models with branches far from 0 against an independent evaluator: derivatives of
// the test's own formulas by jets in long double, and accelerations by singular values.
// What is compared is all that an instant gives: M, Q, A, b, C, accelerations, forces,
// multipliers, energies, outputs and verdicts; and what an examination calls conserved,
// linear or integrable.  KAL_PROPERTY_PROBLEMS sets how many models there are,
// KAL_PROPERTY_FIRST the number of the first one; with KAL_PROPERTY_ALL all models that fail
// are printed.

#include "random_motion.h"
#include "system/examine.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    PASSES = 5, // the first without noise
    SHOWN = 5   // models that are printed in full
};

// How much larger errors may be than the spread that noise of the size of rounding makes.
static const double ALLOWED = 1e4;
static const Real ROUNDING = 0x1p-53L;
// A state nearer than this to a change of branch decides nothing.
static const Real MARGIN = 1e-6L;

static RandomModel made;
static uint64_t number;
static int shown;
static int refused; // instants that have an answer, by the reference

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static uint64_t first_number(void)
{
    const char *text = getenv("KAL_PROPERTY_FIRST");
    return text ? (uint64_t)atoi(text) : 0;
}

static void print_commented(const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        printf("#   %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_model(void)
{
    print_commented(made.text);
    printf("#   # --at \"t=%.17g", (double)made.f.state[0]);
    for (int i = 0; i < made.n; i++) {
        printf(", %s=%.17g, %s'=%.17g", random_names[i],
               (double)made.f.state[JET_Q + i], random_names[i],
               (double)made.f.state[JET_V + i]);
    }
    printf("\"\n");
}

static void complain(const char *format, ...) KAL_PRINTF(1, 2);

// The first complaints come with the model.
static void complain(const char *format, ...)
{
    static uint64_t printed = UINT64_MAX;
    va_list args;
    tap_failures++;
    shown += printed != number;
    if (shown > SHOWN && !getenv("KAL_PROPERTY_ALL")) {
        return;
    }
    printf("# model %llu: ", (unsigned long long)number);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    if (printed != number) {
        print_model();
    }
    printed = number;
}

// What a pass gives: the motion, and the outputs.
typedef struct Pass {
    ReferenceMotion motion;
    Real outputs[RANDOM_OUTPUTS];
    Real energy;
} Pass;

static Pass passes[PASSES];
static Real largest; // of accelerations and forces: zeros by cancelling are dust of it
static Real terms;   // the largest of those that meet in constraint forces

// What formulas may use once the instant is solved.
static void set_known(const Pass *pass)
{
    Jets *f = &made.f;
    for (int i = 0; i < made.m; i++) {
        f->known[RANDOM_REACTION + i] = pass->motion.lambda[i];
    }
    for (int j = 0; j < made.n; j++) {
        f->known[RANDOM_CFORCE + j] = pass->motion.ideal[j] + pass->motion.nonideal[j];
    }
    f->known[RANDOM_ENERGY] = pass->energy;
}

static void set_accelerations(const ReferenceMotion *p)
{
    for (int j = 0; j < made.n; j++) {
        made.f.state[JET_A + j] = p ? p->qdd[j] : 0.0L;
    }
}

// Solve an instant from its formulas; reactions in C are those of the ideal part.
static void solve_pass(Pass *pass)
{
    ReferenceMotion *p = &pass->motion;
    set_accelerations(NULL);
    jet_eval(&made.f);
    random_fill_masses(&made, p);
    for (int i = 0; i < made.m; i++) {
        random_fill_row(&made, p, i, &made.rows[i]);
    }
    pass->energy =
        random_value(&made, made.kinetic) + random_value(&made, made.potential);
    reference_solve(p);
    set_known(pass);
    jet_eval(&made.f);
    random_fill_masses(&made, p);
    reference_solve(p);
    set_known(pass);
    set_accelerations(p);
    jet_eval(&made.f);
    for (int i = 0; i < made.n_outputs; i++) {
        pass->outputs[i] = random_value(&made, made.outputs[i]);
    }
    set_accelerations(NULL);
}

// How many times larger the rounding of forces is on coordinates without mass, which are held
// by rows that push others less.
static Real find_leverage(const ReferenceMotion *p)
{
    Real leverage = 1.0L;
    for (int k = 0; k < made.m; k++) {
        Real with_mass = 0.0L;
        Real without = 0.0L;
        for (int i = 0; i < made.n; i++) {
            Real *side = p->M[i][i] != 0.0L ? &with_mass : &without;
            *side = fmaxl(*side, fabsl(p->A[k][i]));
        }
        leverage = with_mass > 0.0L ? fmaxl(leverage, without / with_mass) : leverage;
    }
    return leverage;
}

static void find_largest(void)
{
    const ReferenceMotion *p = &passes[0].motion;
    largest = 0.0L;
    terms = 0.0L;
    for (int i = 0; i < made.n; i++) {
        largest = fmaxl(largest, fabsl(p->qdd[i]));
        largest = fmaxl(largest, fabsl(p->Q[i]) + fabsl(p->C[i]) + fabsl(p->ideal[i]));
        for (int k = 0; k < made.m; k++) {
            terms = fmaxl(terms, fabsl(p->A[k][i] * p->lambda[k]));
        }
    }
    largest *= find_leverage(p);
}

// All passes; the sizes of the terms in b come from the spread of b.
static void solve_passes(void)
{
    made.f.margin = 1.0L;
    for (int k = 0; k < PASSES; k++) {
        ReferenceMotion *p = &passes[k].motion;
        memset(p, 0, sizeof *p);
        p->n = made.n;
        p->m = made.m;
        p->ranks_given = k > 0 && passes[0].motion.verdict != REFERENCE_UNCLEAR;
        p->rank_A = passes[0].motion.rank_A;
        p->free_rank = passes[0].motion.free_rank;
        made.f.noisy = k > 0;
        made.f.noise = (Rng){(uint64_t)k};
        for (int j = 0; j < made.n && k > 0; j++) {
            p->noise[j] = JET_NOISE * (Real)rng_entry(&made.f.noise);
        }
        solve_pass(&passes[k]);
        if (k == 0 && made.f.margin < MARGIN) {
            return;
        }
    }
    made.f.noisy = false;
    ReferenceMotion *base = &passes[0].motion;
    for (int i = 0; i < made.m; i++) {
        for (int k = 1; k < PASSES; k++) {
            base->b_size[i] = fmaxl(
                base->b_size[i], fabsl(passes[k].motion.b[i] - base->b[i]) / JET_NOISE);
        }
    }
    reference_solve(base);
    jet_eval(&made.f);
    find_largest();
}

// What is compared.
typedef struct Place {
    const char *what;
    int i;
    int j;
} Place;

// Compare a number with the one that stands at the same place in all passes.
static void compare(double got, const Real *want, Real size, const Place place)
{
    const char *base = (const char *)want;
    Real spread = 0.0L;
    for (int k = 1; k < PASSES; k++) {
        const Real other =
            *(const Real *)(const void *)(base + (size_t)k * sizeof(Pass));
        spread = fmaxl(spread, fabsl(other - *want));
    }
    const Real allowed =
        tap_scale() * ROUNDING
        * (ALLOWED * (spread / JET_NOISE + fabsl(*want) + size) + 512.0L * largest);
    if (!(fabsl(got - *want) <= allowed)) {
        complain("%s[%d,%d] is %.15g, not %.15Lg; allowed %.2Lg", place.what,
                 place.i + 1, place.j + 1, got, *want, allowed);
    }
}

static void compare_givens(const KalMotionProblem *got)
{
    const ReferenceMotion *want = &passes[0].motion;
    for (int i = 0; i < made.n; i++) {
        compare(got->Q[i], &want->Q[i], 0.0L, (Place){"Q", i, 0});
        for (int j = 0; j < made.n; j++) {
            compare(got->M[i * made.n + j], &want->M[i][j], 0.0L, (Place){"M", i, j});
        }
    }
    for (int i = 0; i < made.m; i++) {
        compare(got->b[i], &want->b[i], 0.0L, (Place){"b", i, 0});
        for (int j = 0; j < made.n; j++) {
            compare(got->A[i * made.n + j], &want->A[i][j], 0.0L, (Place){"A", i, j});
        }
    }
}

static void compare_answer(const KalMotionAnswer *got)
{
    const ReferenceMotion *want = &passes[0].motion;
    for (int i = 0; i < made.n && want->verdict == REFERENCE_UNIQUE; i++) {
        compare(got->qdd[i], &want->qdd[i], 0.0L, (Place){"qdd", i, 0});
        compare(got->force_ideal[i], &want->ideal[i], terms, (Place){"ideal", i, 0});
        compare(got->force_nonideal[i], &want->nonideal[i], terms,
                (Place){"nonideal", i, 0});
    }
    for (int i = 0; i < made.m && want->verdict == REFERENCE_UNIQUE; i++) {
        compare(got->multipliers[i], &want->lambda[i], 0.0L, (Place){"lambda", i, 0});
    }
    for (int i = 0; i < made.m; i++) {
        if ((got->dependent_set[i] >= 0) != want->dependent[i]) {
            complain("%s is %s", made.rows[i].name,
                     want->dependent[i] ? "dependent" : "independent");
        }
    }
    if (got->rank_A != want->rank_A
        || got->rank_Mhat != want->rank_A + want->free_rank) {
        complain("ranks are %d, %d, not %d, %d", got->rank_A, got->rank_Mhat,
                 want->rank_A, want->rank_A + want->free_rank);
    }
    if (got->unique != (want->verdict == REFERENCE_UNIQUE)) {
        complain("unique is %d", got->unique);
    }
}

static void compare_outputs(KalInstant *instant, const KalContext *ctx)
{
    const double *got = NULL;
    if (kal_instant_outputs(instant, &got) != KAL_OK) {
        complain("outputs: %s", kal_context_message(ctx));
        return;
    }
    for (int i = 0; i < made.n_outputs; i++) {
        compare(got[i], &passes[0].outputs[i], terms, (Place){"output", i, 0});
    }
}

// Whether a non-ideal force uses a reaction that is not unique, which is refused.
static bool rests_on_a_choice(void)
{
    return made.nonideal_of >= 0 && passes[0].motion.dependent[made.nonideal_of];
}

static void compare_verdict(KalStatus status, const KalContext *ctx)
{
    static const KalStatus want[] = {[REFERENCE_UNIQUE] = KAL_OK,
                                     [REFERENCE_FREE] = KAL_OK,
                                     [REFERENCE_NONE] = KAL_ERR_NO_ACCELERATION,
                                     [REFERENCE_CONTRADICTION] = KAL_ERR_CONTRADICTION};
    const ReferenceVerdict verdict = passes[0].motion.verdict;
    if (status == want[verdict] || rests_on_a_choice()) {
        return;
    }
    if (want[verdict] == KAL_OK) {
        refused++;
        printf("# model %llu is refused: %s\n", (unsigned long long)number,
               kal_context_message(ctx));
        if (getenv("KAL_PROPERTY_ALL")) {
            print_model();
        }
    } else {
        complain("status %d, not %d: %s", (int)status, (int)want[verdict],
                 status == KAL_OK ? "it has an answer" : kal_context_message(ctx));
    }
}

static void put_state(KalInstant *instant)
{
    *kal_instant_t(instant) = (double)made.f.state[0];
    for (int i = 0; i < made.n; i++) {
        kal_instant_q(instant)[i] = (double)made.f.state[JET_Q + i];
        kal_instant_qd(instant)[i] = (double)made.f.state[JET_V + i];
    }
}

// One state of a loaded model.
static void compare_instant(KalContext *ctx, const KalSystem *system)
{
    KalInstant *instant = NULL;
    KalMotionAnswer answer;
    if (kal_instant_create(ctx, system, &instant) != KAL_OK) {
        complain("instant: %s", kal_context_message(ctx));
        return;
    }
    put_state(instant);
    const KalStatus status = kal_instant_solve(instant, &answer);
    const KalMotionProblem problem = kal_instant_problem(instant);
    const ReferenceVerdict verdict = passes[0].motion.verdict;
    compare_givens(&problem);
    if (verdict != REFERENCE_UNCLEAR) {
        compare_verdict(status, ctx);
    }
    if (status == KAL_OK && verdict != REFERENCE_UNCLEAR) {
        compare_answer(&answer);
    }
    if (status == KAL_OK && verdict == REFERENCE_UNIQUE) {
        compare_outputs(instant, ctx);
    }
    kal_instant_destroy(instant);
}

static bool load(KalContext **ctx, KalSystem **system)
{
    *system = NULL;
    ok(kal_context_create(NULL, NULL, ctx) == KAL_OK);
    return kal_system_load(*ctx, "oracle.kal", made.text, made.used, NULL, system)
           == KAL_OK;
}

static void make_constraints(void)
{
    made.on_constraints = random_chance(&made, 2);
    for (int k = rng_int(&made.rng, 0, made.n); k > 0; k--) {
        random_constraint(&made);
    }
    if (random_chance(&made, 4)) {
        random_drive(&made);
    }
    for (int k = rng_int(&made.rng, -2, 2); k > 0 && made.m > 0; k--) {
        random_copy(&made);
    }
}

// A model with some of everything.
static void make_any(void)
{
    random_begin(&made, number, rng_int(&(Rng){number}, 1, JET_N));
    const bool definite = !random_chance(&made, 4);
    for (int k = rng_int(&made.rng, 0, 2); k > 0; k--) {
        random_let(&made);
    }
    random_kinetic(&made, definite);
    for (int k = rng_int(&made.rng, 0, 2); k > 0; k--) {
        random_potential(&made);
    }
    void (*const more[])(RandomModel *) = {random_dissipation, random_power,
                                           random_force};
    for (int k = rng_int(&made.rng, 0, 3); k > 0; k--) {
        more[rng_int(&made.rng, 0, 2)](&made);
    }
    if (definite && random_chance(&made, 5)) {
        random_mass(&made);
    }
    make_constraints();
    if (made.m > 0 && random_chance(&made, 3)) {
        random_nonideal(
            &made, made.rows[0].name[0] == 'c' && random_chance(&made, 2) ? 0 : -1);
    }
    random_outputs(&made);
}

// All that an instant gives, at a state far from 0.
static void instants_are_those_of_the_oracle(void)
{
    const int count = problems(50);
    int compared = 0;
    int solved = 0;
    shown = 0;
    refused = 0;
    for (int k = 0; k < count; k++) {
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        number = first_number() + (uint64_t)k;
        make_any();
        solve_passes();
        if (made.f.margin < MARGIN) {
            continue;
        }
        compared++;
        solved += passes[0].motion.verdict == REFERENCE_UNIQUE;
        if (load(&ctx, &system)) {
            compare_instant(ctx, system);
        } else {
            complain("refused: %s", kal_context_message(ctx));
        }
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
    printf("# %d models, %d of them with one acceleration\n", compared, solved);
    ok(compared > count / 2 && solved > count / 4);
    // A refusal is no wrong answer, but a rare one at most is to be had.
    ok(refused <= count / 200);
}

// A model of which much may be constant, and what would spoil it lies far away.
static void make_examined(void)
{
    random_begin(&made, number, rng_int(&(Rng){number}, 1, JET_N));
    made.time = random_chance(&made, 4);
    made.hidden = random_chance(&made, 2) ? rng_int(&made.rng, 0, made.n - 1) : -1;
    if (random_chance(&made, 2)) {
        random_let(&made);
    }
    random_kinetic(&made, true);
    random_potential(&made);
    if (made.n > 1 && random_chance(&made, 3)) {
        random_gyration(&made);
    }
    for (int k = rng_int(&made.rng, -1, 2); k > 0; k--) {
        if (random_chance(&made, 2)) {
            random_pfaffian(&made);
        } else {
            random_constraint(&made);
        }
    }
    void (*const spoil[])(RandomModel *) = {random_dissipation, random_power,
                                            random_force, random_potential};
    if (random_chance(&made, 2)) {
        made.time = random_chance(&made, 2);
        made.hidden = -1;
        spoil[rng_int(&made.rng, 0, 3)](&made);
    }
}

// Velocity level of a row: its residual or the rate of it, and where its slopes are.
static Real speed_of(const RandomRow *row, int *by)
{
    *by = row->level == RANDOM_POSITION ? JET_Q : JET_V;
    return row->level == RANDOM_POSITION   ? random_drift(&made, row->residual, -1)
           : row->level == RANDOM_VELOCITY ? random_value(&made, row->residual)
                                           : 0.0L;
}

// Move the velocities of a state onto the constraints, by Newton's method.
static bool project_velocities(void)
{
    for (int step = 0; step < 40; step++) {
        Reference slopes = {{0.0L}};
        Real miss[REFERENCE_MOST] = {0.0L};
        Real change[REFERENCE_MOST] = {0.0L};
        Real worst = 0.0L;
        Singular of;
        jet_eval(&made.f);
        for (int i = 0; i < made.m; i++) {
            int by = 0;
            miss[i] = speed_of(&made.rows[i], &by);
            worst = fmaxl(worst, fabsl(miss[i]));
            for (int j = 0; j < made.n; j++) {
                slopes[i][j] = made.rows[i].level == RANDOM_ACCELERATION
                                   ? 0.0L
                                   : random_slope(&made, made.rows[i].residual, by + j);
            }
        }
        if (worst < 1e-16L) {
            return true;
        }
        singular_values(slopes, made.m, made.n, &of);
        singular_solve(&of, singular_rank(&of, of.s[0]), miss, change);
        for (int j = 0; j < made.n; j++) {
            made.f.state[JET_V + j] -= change[j];
        }
    }
    return false;
}

// What a rate may be that is zero because velocities or accelerations are, but for rounding.
static Real dust(const ReferenceMotion *p)
{
    Real size = 1.0L;
    for (int i = 0; i < made.n; i++) {
        size += fabsl(p->Q[i]) + fabsl(p->ideal[i]);
    }
    return 1e-6L * size;
}

// The rate of a sum of energies or of a momentum along the motion, relative to its terms.
static Real rate_of_energy(const ReferenceMotion *p)
{
    const Real *v = made.f.state + JET_V;
    const int parts[] = {made.kinetic, made.potential};
    Real sum = 0.0L;
    Real size = dust(p);
    for (int k = 0; k < 2; k++) {
        sum += random_slope(&made, parts[k], 0);
        size += fabsl(random_slope(&made, parts[k], 0));
        for (int j = 0; j < made.n; j++) {
            const Real moved = random_slope(&made, parts[k], JET_Q + j) * v[j];
            const Real pushed = random_slope(&made, parts[k], JET_V + j) * p->qdd[j];
            sum += moved + pushed;
            size += fabsl(moved) + fabsl(pushed);
        }
    }
    return fabsl(sum) / size;
}

static Real rate_of_momentum(const ReferenceMotion *p, int i)
{
    const Real *v = made.f.state + JET_V;
    Real sum = random_bend(&made, made.kinetic, JET_V + i, 0);
    Real size = dust(p) + fabsl(sum);
    for (int j = 0; j < made.n; j++) {
        const Real moved =
            random_bend(&made, made.kinetic, JET_V + i, JET_Q + j) * v[j];
        const Real pushed =
            random_bend(&made, made.kinetic, JET_V + i, JET_V + j) * p->qdd[j];
        sum += moved + pushed;
        size += fabsl(moved) + fabsl(pushed);
    }
    return fabsl(sum) / size;
}

// What is called conserved is so in this state, if the state is allowed and moves.
static int compare_conserved(const KalConservation *found)
{
    const ReferenceMotion *p = &passes[0].motion;
    char name[32];
    int proven = 0;
    for (size_t k = 0; k < found->n; k++) {
        Real rate = 0.0L;
        if (strcmp(found->list[k].name, "energy") == 0) {
            rate = rate_of_energy(p);
            proven++;
        }
        for (int i = 0; i < made.n; i++) {
            snprintf(name, sizeof name, "momentum(%s)", random_names[i]);
            if (strcmp(found->list[k].name, name) == 0) {
                rate = rate_of_momentum(p, i);
                proven++;
            }
        }
        if (!(rate <= 1e-9L)) {
            complain("%s is not constant: its rate is %.3Lg of its terms",
                     found->list[k].name, rate);
        }
    }
    return proven;
}

// ω ∧ dω of a constraint linear in the velocities, relative to its terms.
static Real frobenius(int node)
{
    const Real *v = made.f.state + JET_V;
    const int n = made.n;
    Real form[JET_N + 1] = {0.0L};
    Real slopes[JET_N + 1][JET_N + 1] = {{0.0L}};
    Real most = 0.0L;
    form[n] = random_value(&made, node);
    for (int j = 0; j <= n; j++) {
        const int z = j < n ? JET_Q + j : 0;
        slopes[n][j] = random_slope(&made, node, z);
        for (int i = 0; i < n; i++) {
            slopes[i][j] = random_bend(&made, node, JET_V + i, z);
            slopes[n][j] -= slopes[i][j] * v[i];
        }
    }
    for (int i = 0; i < n; i++) {
        form[i] = random_slope(&made, node, JET_V + i);
        form[n] -= form[i] * v[i];
    }
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) {
                const Real parts[] = {form[i] * slopes[k][j], -form[i] * slopes[j][k],
                                      form[j] * slopes[i][k], -form[j] * slopes[k][i],
                                      form[k] * slopes[j][i], -form[k] * slopes[i][j]};
                Real sum = 0.0L;
                Real size = 1e-6L;
                for (int e = 0; e < 6; e++) {
                    sum += parts[e];
                    size += fabsl(parts[e]);
                }
                most = fmaxl(most, fabsl(sum) / size);
            }
        }
    }
    return most;
}

static bool is_bent(int node)
{
    Real most = 0.0L;
    for (int i = 0; i < made.n; i++) {
        for (int j = 0; j < made.n; j++) {
            most = fmaxl(most, fabsl(random_bend(&made, node, JET_V + i, JET_V + j)));
        }
    }
    return most > 1e-12L;
}

// Kinds of constraints, as far as one state can refute them.
static void compare_kinds(const KalClassification *found)
{
    for (int i = 0; i < made.m; i++) {
        const KalConstraintClass *of = &found->classes[i];
        const RandomRow *row = &made.rows[i];
        if (row->level == RANDOM_VELOCITY && of->linear_in_velocity
            && is_bent(row->residual)) {
            complain("%s is not linear in velocities", row->name);
        }
        if (row->level == RANDOM_VELOCITY && of->kind == KAL_CONSTRAINT_INTEGRABLE
            && made.m == 1 && !is_bent(row->residual)
            && frobenius(row->residual) > 1e-9L) {
            complain("%s is not integrable: %.3Lg", row->name,
                     frobenius(row->residual));
        }
        if (row->level != RANDOM_ACCELERATION && !of->time_dependent
            && of->kind != KAL_CONSTRAINT_INTEGRABLE
            && fabsl(random_slope(&made, row->residual, 0)) > 1e-9L) {
            complain("%s depends on time", row->name);
        }
    }
}

// Some states, far from 0, of a model that was examined.
static int compare_examination(const KalCheck *check)
{
    int proven = 0;
    for (int k = 0; k < 6; k++) {
        random_state(&made);
        if (!project_velocities()) {
            continue;
        }
        solve_passes();
        if (made.f.margin < MARGIN) {
            continue;
        }
        compare_kinds(check->classification);
        if (passes[0].motion.verdict == REFERENCE_UNIQUE) {
            proven += compare_conserved(check->conserved);
        }
    }
    return proven;
}

// What an examination calls conserved, linear, integrable or free of time is so.
static void examinations_hold_far_away(void)
{
    const int count = problems(50);
    int proven = 0;
    shown = 0;
    for (int k = 0; k < count; k++) {
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        KalCheck *check = NULL;
        number = 1000000 + first_number() + (uint64_t)k;
        make_examined();
        if (load(&ctx, &system) && kal_check_create(ctx, system, &check) == KAL_OK) {
            proven += compare_examination(check);
        } else {
            complain("refused: %s", kal_context_message(ctx));
        }
        kal_check_destroy(check);
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
    printf("# %d constants in %d models\n", proven, count);
    ok(proven > count / 2);
}

// Whether a model with this statement after its energies is refused.
static bool is_refused(const char *format, int node)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    const char *end = strchr(format, '|');
    random_say(&made, "%.*s%s%s\n", (int)(end - format), format,
               jet_text(&made.f, node), end + 1);
    const bool loaded = load(&ctx, &system);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return !loaded;
}

// Whether a condition of positions and time has only one value, as far as many states show: one
// in which they cancel does.
static bool never_changes(int condition)
{
    enum {
        STATES = 300
    };

    Jets *f = &made.f;
    int times = 0;
    for (int k = 0; k < STATES; k++) {
        const double size = pow(10.0, 4.0 * rng_unit(&made.rng));
        f->state[0] = size * rng_entry(&made.rng);
        for (int i = 0; i < made.n; i++) {
            f->state[JET_Q + i] = size * rng_entry(&made.rng);
        }
        jet_eval(f);
        times += random_value(&made, condition) != 0.0L;
    }
    return times == 0 || times == STATES;
}

// Linear on one side of a branch far away, and on the other side linear or not.
static void nonlinear_branches_are_refused(void)
{
    static const char *const statements[] = {"constraint c: x'' + | = 1",
                                             "actuator u: |\nservo s: x = 0, rate = 1"};
    const int count = problems(50);
    shown = 0;
    for (int k = 0; k < count; k++) {
        Jets *f = &made.f;
        number = 2000000 + first_number() + (uint64_t)k;
        random_begin(&made, number, 2);
        random_kinetic(&made, true);
        const int which = rng_int(&made.rng, 0, 1);
        const int *rates = which == 0 ? made.a : made.v;
        const int one = jet_mul(f, random_const(&made, 2.0), rates[0]);
        const int other = jet_mul(f, random_const(&made, 2.0), rates[1]);
        const bool bent = random_chance(&made, 2);
        const int far =
            bent ? jet_mul(f, other, rates[rng_int(&made.rng, 0, 1)]) : other;
        const bool switched = random_chance(&made, 4); // by the rates themselves
        const int rate = rates[rng_int(&made.rng, 0, 1)];
        const int condition = switched ? jet_less(f, rate, random_const(&made, 50.0), 0)
                                       : random_condition(&made);
        const int node = random_chance(&made, 2) ? jet_choose(f, condition, one, far)
                                                 : jet_choose(f, condition, far, one);
        const bool refuse = bent || switched;
        if (is_refused(statements[which], node) != refuse
            && (!refuse || switched || !never_changes(condition))) {
            complain(refuse ? "accepted, though it is not linear"
                            : "refused, though linear");
        }
    }
}

TAP_RUN(TAP_CASE(instants_are_those_of_the_oracle),
        TAP_CASE(examinations_hold_far_away), TAP_CASE(nonlinear_branches_are_refused))
