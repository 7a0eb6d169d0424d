// SPDX-License-Identifier: MIT

// Instants of large systems say what dense ones do.

#include "instant_lab.h"
#include "rng.h"
#include "system/instant.h"

// 70 links: 210 coordinates, a few more than dense instants have.
#define CHAIN                                                                       \
    "param N = 70, g = 9.81\n"                                                      \
    "component Link() {\n coord x, y, a\n kinetic (x'^2 + y'^2)/2 + a'^2/24\n"      \
    " potential g*y\n}\n"                                                           \
    "part link[i in 1..N] = Link()\n"                                               \
    "constraint hang: [link[1].x - cos(link[1].a)/2, link[1].y - sin(link[1].a)/2]" \
    " = [0, 0]\n"                                                                   \
    "for i in 2..N {\n constraint pin[i]: [link[i].x - cos(link[i].a)/2,"           \
    " link[i].y - sin(link[i].a)/2] = [link[i-1].x + cos(link[i-1].a)/2,"           \
    " link[i-1].y + sin(link[i-1].a)/2]\n}\n"                                       \
    "for i in 1..N {\n init link[i].a ~ 0.1*sin(i), link[i].x ~ i - 0.5,"           \
    " link[i].y ~ 0, link[i].a' ~ 0.2*cos(i)\n}\n"                                  \
    "simulate 0 .. 1 every 1\n"

// The same moved on by a frame, twice over; and a coordinate without mass.
#define MORE                                                                         \
    "coord s\nconstraint tie: s = link[3].x + link[4].x\ninit s ~ 0\n"               \
    "constraint twin: 2*link[5].x - cos(link[5].a) = 2*link[4].x + cos(link[4].a)\n" \
    "output share = reaction(twin)\n"                                                \
    "output both = reaction(pin[5].x) + 2*reaction(twin)\n"                          \
    "output other = reaction(pin[9].y)\n"

// Both kinds of instants of one text, started and solved.
typedef struct Pair {
    Lab lab;
    KalInstant *dense;
    KalMotionAnswer sparse_answer;
    KalMotionAnswer dense_answer;
} Pair;

// Starts may differ, for guesses move onto curves; so the dense instant is put to the
// state of the other, which must meet the constraints.
static bool copy_state(Pair *pair)
{
    KalMisfit misfit;
    const KalLayout *layout = &pair->lab.system->layout;
    memcpy(pair->dense->variables, pair->lab.instant->variables,
           layout->qdd * sizeof(double));
    return kal_instant_misfit(pair->dense, &misfit) == KAL_OK && misfit.count == 0;
}

static bool open_pair(Pair *pair, const char *text)
{
    KalStartReport report;
    *pair = (Pair){.dense = NULL};
    return lab_expect(&pair->lab, text) && ok(pair->lab.instant->large.solver != NULL)
           && ok(!pair->lab.instant->A && !pair->lab.instant->motion)
           && ok(kal_instant_create_dense(pair->lab.ctx, pair->lab.system, "a test",
                                          &pair->dense)
                 == KAL_OK)
           && ok(kal_instant_start(pair->lab.instant, &report) == KAL_OK)
           && ok(copy_state(pair))
           && ok(kal_instant_solve(pair->lab.instant, &pair->sparse_answer) == KAL_OK)
           && ok(kal_instant_solve(pair->dense, &pair->dense_answer) == KAL_OK);
}

static void close_pair(Pair *pair)
{
    kal_instant_destroy(pair->dense);
    lab_close(&pair->lab);
}

static void compare(const double *got, const double *want, int n, double allowed)
{
    for (int i = 0; i < n; i++) {
        near(got[i], want[i], allowed);
    }
}

static void states_and_answers_agree(void)
{
    Pair pair;
    if (open_pair(&pair, CHAIN MORE)) {
        const int n = pair.dense_answer.n;
        const KalMotionAnswer *got = &pair.sparse_answer;
        const KalMotionAnswer *want = &pair.dense_answer;
        compare(got->qdd, want->qdd, n, 1e-9);
        compare(got->force_ideal, want->force_ideal, n, 1e-9);
        ok(got->m == want->m && got->rank_A == want->rank_A);
        ok(got->rank_M == n - 1 && want->rank_M == n - 1);
        ok(got->unique && want->unique);
        ok(got->n_dependent_sets == 1 && want->n_dependent_sets == 1);
        for (int i = 0; i < got->m; i++) {
            ok(got->dependent_set[i] == want->dependent_set[i]);
        }
    }
    close_pair(&pair);
}

// A twin makes its share arbitrary, but not what both do together, nor others.
static void doubts_agree(void)
{
    Pair pair;
    if (open_pair(&pair, CHAIN MORE)) {
        const double *got = NULL;
        const double *want = NULL;
        const bool *sparse = kal_instant_doubts(pair.lab.instant);
        const bool *dense = kal_instant_doubts(pair.dense);
        ok(sparse[0] && !sparse[1] && !sparse[2]);
        ok(dense[0] && !dense[1] && !dense[2]);
        ok(kal_instant_outputs(pair.lab.instant, &got) == KAL_OK);
        ok(kal_instant_outputs(pair.dense, &want) == KAL_OK);
        near(got[1], want[1], 1e-9);
        near(got[2], want[2], 1e-9);
    }
    close_pair(&pair);
}

// A link that falls from rest, level: its end goes down with 3/2 g, and its hinge carries a
// quarter of its weight.  All others hang on springs of their own, which do not pull.
static void a_free_link_falls_as_the_textbook_says(void)
{
    static const char text[] =
        "component Link() {\n coord x, y, a\n kinetic (x'^2 + y'^2)/2 + a'^2/24\n"
        " potential 9.81*y\n"
        " constraint pin: [x - cos(a)/2, y - sin(a)/2] = [0, 0]\n"
        " init x ~ 0.5, y ~ 0, a ~ 0\n}\n"
        "part link[i in 1..200] = Link()\nsimulate 0 .. 1 every 1\n";
    Lab lab;
    if (lab_expect(&lab, text)) {
        KalStartReport report;
        KalMotionAnswer answer;
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
        for (int i = 0; i < 200; i++) {
            near(answer.qdd[3 * i], 0.0, 1e-13);
            near(answer.qdd[3 * i + 1], -0.75 * 9.81, 1e-13);
            near(answer.qdd[3 * i + 2], -1.5 * 9.81, 1e-13);
            near(answer.multipliers[2 * i + 1], 0.25 * 9.81, 1e-13);
        }
    }
    lab_close(&lab);
}

static void expect_failure(const char *text, KalStatus status, const char *message)
{
    Lab lab;
    if (lab_expect(&lab, text)) {
        KalStartReport report;
        KalMotionAnswer answer;
        KalStatus got = kal_instant_start(lab.instant, &report);
        got = got == KAL_OK ? kal_instant_solve(lab.instant, &answer) : got;
        ok(got == status);
        has_text(kal_context_message(lab.ctx), message);
    }
    lab_close(&lab);
}

static void faults_name_who_is_to_blame(void)
{
    expect_failure(CHAIN "coord s\n", KAL_ERR_NOT_UNIQUE,
                   "nothing determines the acceleration of s");
    expect_failure(CHAIN "constraint far: link[1].x = 5\n", KAL_ERR_CONTRADICTION,
                   "no positions were found");
    expect_failure(CHAIN "constraint odd: link[7].a'' = 1\n"
                         "constraint even: 2*link[7].a'' = 3\n",
                   KAL_ERR_CONTRADICTION, "odd, even contradict each other");
}

static void names_of_a_fault_are_those_of_constraints(void)
{
    Lab lab;
    if (lab_expect(&lab, CHAIN "constraint odd: link[7].a'' = 1\n"
                               "constraint even: 2*link[7].a'' = 3\n")) {
        KalStartReport report;
        KalMotionAnswer answer;
        const char *const *names = NULL;
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_CONTRADICTION);
        ok(kal_instant_fault_names(lab.instant, &names) == 2);
        same_text(names[0], "odd");
        same_text(names[1], "even");
    }
    lab_close(&lab);
}

// Links of weight 1 and length 1 in the shape of a catenary between two hinges are at rest:
// with the pull H along the level, the slope of link i is its distance from the middle, in
// links, over H; and that is what the hinges say.
static void a_catenary_of_ten_thousand_links_is_at_rest(void)
{
    enum {
        N = 10000
    };

    const double pull = 3000.0;
    char text[2000];
    Lab lab;
    snprintf(text, sizeof text,
             "param N = %d, H = %g\n"
             "component Link() {\n coord x, y, a\n kinetic (x'^2 + y'^2)/2 + a'^2/24\n"
             " potential y\n}\npart link[i in 1..N] = Link()\n"
             "constraint near: [link[1].x - cos(link[1].a)/2,"
             " link[1].y - sin(link[1].a)/2] = [0, 0]\n"
             "for i in 2..N {\n constraint pin[i]: [link[i].x - cos(link[i].a)/2,"
             " link[i].y - sin(link[i].a)/2] = [link[i-1].x + cos(link[i-1].a)/2,"
             " link[i-1].y + sin(link[i-1].a)/2]\n}\n"
             "constraint far: link[N].y + sin(link[N].a)/2 = 0\n"
             "force link[N].x = H, link[N].a = -H*sin(link[N].a)/2\n"
             "for i in 1..N { init link[i].a = atan((i - (N + 1)/2)/H) }\n"
             "for i in 1..N { init link[i].x ~ i, link[i].y ~ 0 }\n"
             "simulate 0 .. 1 every 1\n",
             N, pull);
    if (lab_expect(&lab, text)) {
        KalStartReport report;
        KalMotionAnswer answer;
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
        double most = 0.0;
        for (int j = 0; j < 3 * N; j++) {
            most = fmax(most, fabs(answer.qdd[j]));
        }
        ok(most < 1e-8);
        near(answer.multipliers[0], -pull, 1e-6);
        near(answer.multipliers[1], N / 2.0, 1e-6);
    }
    lab_close(&lab);
}

// Bodies on ball joints in a line: rounding of some pivots could grow from row to row, but
// cancels, and no row is suspected of depending on others.
static void a_straight_chain_in_space_leaves_nothing_out(void)
{
    static const char text[] =
        "use spatial\nparam N = 150\n"
        "part b[i in 1..N] = Body(m = 1, I = [0.01, 0.09, 0.09])\n"
        "part top = Ball(b = b[1], at_b = [-0.5, 0, 0])\n"
        "part joint[i in 2..N] = Ball(a = b[i-1], b = b[i], at_a = [0.5, 0, 0],"
        " at_b = [-0.5, 0, 0])\n"
        "for i in 1..N { init b[i].x ~ i - 0.5 }\nsimulate 0 .. 1 every 1\n";
    Lab lab;
    if (lab_expect(&lab, text)) {
        KalInstant *instant = lab.instant;
        KalStartReport report;
        KalMotionAnswer answer;
        int *rows = lab.instant->ranks.independent;
        ok(kal_instant_start(instant, &report) == KAL_OK);
        ok(kal_instant_solve(instant, &answer) == KAL_OK && answer.rank_A == 600);
        instant->ranks.n_independent = instant->n_active;
        for (int k = 0; k < instant->n_active; k++) {
            rows[k] = k;
        }
        ok(kal_large_instant_factor(instant) == KAL_OK);
        ok(kal_large_instant_independent(instant, rows) == 600);
    }
    lab_close(&lab);
}

// Control is made of dense matrices, which have their limit.
// The guess has the end of a chain twenty rods from where it is nailed, and rods a tenth too
// long.
static void starts_are_found_from_guesses_that_are_many_parts_off(void)
{
    static const char text[] =
        "param N = 300, L = 2, w = 1.2\nlet r = L/N\ncoord x[N], y[N]\n"
        "kinetic sum(i in 1..N : x[i]'^2 + y[i]'^2)/2\n"
        "constraint left: [x[1], y[1]] = [0, 0]\n"
        "constraint right: [x[N], y[N]] = [w, 0.13]\n"
        "for i in 2..N {\n"
        " constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = r^2\n}\n"
        "for i in 1..N {\n init x[i] ~ w*(i-1)/(N-1), y[i] ~ -0.9*sin(pi*(i-1)/(N-1))"
        "\n}\nsimulate 0 .. 1 every 1\n";
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, text)) {
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        const double *x = kal_instant_q(lab.instant);
        const double *y = x + 300;
        near(x[299], 1.2, 1e-9);
        near(y[299], 0.13, 1e-9);
        for (int i = 1; i < 300; i++) {
            near(hypot(x[i] - x[i - 1], y[i] - y[i - 1]), 2.0 / 300.0, 1e-10);
        }
    }
    lab_close(&lab);
}

// Accelerations and what control does, dependent rows and a coordinate without mass among the rest.
static void compare_control(const char *servos)
{
    Pair pair;
    char text[4000];
    snprintf(text, sizeof text, "%s%s", CHAIN MORE, servos);
    if (open_pair(&pair, text)) {
        const int n = pair.dense_answer.n;
        const int inputs = pair.lab.system->n_actuators;
        const KalControlAnswer got = kal_control_get(pair.lab.instant->control);
        const KalControlAnswer want = kal_control_get(pair.dense->control);
        compare(pair.sparse_answer.qdd, pair.dense_answer.qdd, n, 1e-8);
        compare(pair.sparse_answer.force_ideal, pair.dense_answer.force_ideal, n, 1e-8);
        compare(got.force, want.force, n, 1e-8);
        compare(got.demanded, want.demanded, inputs, 1e-8);
        compare(got.inputs, want.inputs, inputs, 1e-8);
        ok(got.saturated == want.saturated);
        const double *v = kal_instant_qd(pair.lab.instant);
        for (int j = 0; j < inputs; j++) {
            near(kal_control_power(pair.lab.instant->control, j, v),
                 kal_control_power(pair.dense->control, j, v), 1e-8);
        }
    }
    close_pair(&pair);
}

static void servos_agree(void)
{
    compare_control("servo aim: link[N].y = -1 - t, rate = 3\n"
                    "servo lean: link[30].a + link[31].a = 0.1, rate = 2\n");
    compare_control(
        "actuator lift: link[N].y'\nactuator turn: link[20].a' - link[19].a'\n"
        "actuator both: link[40].x' + link[50].x', limit = 0.01\n"
        "servo aim: link[N].y = -1 - t, rate = 3\n"
        "servo lean: link[30].a + link[31].a = 0.1, rate = 2\n");
}

// What cannot be met is told in the same words, of the same names.
static void compare_refusals(const char *servos, const char *part)
{
    KalStartReport report;
    KalMotionAnswer answer;
    KalInstant *dense = NULL;
    Lab lab;
    char text[4000];
    char said[1000];
    snprintf(text, sizeof text, "%s%s", CHAIN MORE, servos);
    if (lab_expect(&lab, text)
        && ok(kal_instant_create_dense(lab.ctx, lab.system, "a test", &dense) == KAL_OK)
        && ok(kal_instant_start(lab.instant, &report) == KAL_OK)) {
        const char *const *got = NULL;
        const char *const *want = NULL;
        memcpy(dense->variables, lab.instant->variables,
               lab.system->layout.qdd * sizeof(double));
        ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_CONTRADICTION);
        snprintf(said, sizeof said, "%s", kal_context_message(lab.ctx));
        has_text(said, part);
        ok(kal_instant_solve(dense, &answer) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(lab.ctx), part);
        const size_t count = kal_instant_fault_names(lab.instant, &got);
        ok(count == kal_instant_fault_names(dense, &want) && count > 0);
        for (size_t i = 0; i < count; i++) {
            ok(strcmp(got[i], want[i]) == 0);
        }
    }
    kal_instant_destroy(dense);
    lab_close(&lab);
}

static void servos_that_cannot_be_met_are_told(void)
{
    compare_refusals("servo up: link[1].x - cos(link[1].a)/2 = 1 + t^2, rate = 3\n",
                     "they contradict each other or the constraints (hang.x, up)");
    compare_refusals("coord z\nkinetic z'^2/2\ninit z = 0\nactuator u: link[3].a'\n"
                     "servo up: z = 1, rate = 3\n",
                     "servo up cannot be met");
    compare_refusals("actuator u: link[3].a'\nservo up: link[N].y = 1, rate = 3\n"
                     "servo left: link[N].x = 1, rate = 3\n",
                     "there are not enough actuators for them together (up, left)");
}

static void contacts_make_instants_dense(void)
{
    static const char contact[] =
        "contact c: p[1].x + 1 >= 0, restitution = 0\nsimulate 0 .. 1 every 1\n";
    static const char particles[] = "component P() {\n coord x, y, z\n"
                                    " kinetic (x'^2 + y'^2 + z'^2)/2\n}\n"
                                    "part p[i in 1..%d] = P()\n%s";
    char text[400];
    Lab lab;
    snprintf(text, sizeof text, particles, 80, contact);
    if (lab_expect(&lab, text)) {
        KalStartReport report;
        KalMotionAnswer answer;
        ok(!lab.instant->large.solver);
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
    }
    lab_close(&lab);
    snprintf(text, sizeof text, particles, 1400, contact);
    ok(!lab_open(&lab, text));
    has_text(kal_context_message(lab.ctx),
             "4096 of each are the most for a model with contacts");
    lab_close(&lab);
}

static bool count_down(void *user)
{
    return --*(long *)user > 0;
}

// A load and a start end whenever whoever watches wants it, with nothing left behind.
static void loads_and_starts_may_be_interrupted(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalStatus status = KAL_ERR_INTERRUPTED;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    const size_t empty = fault.live_bytes;
    for (long first = 1; status == KAL_ERR_INTERRUPTED && first < 1000; first++) {
        long left = first;
        KalSystem *system = NULL;
        KalInstant *instant = NULL;
        KalStartReport report;
        kal_context_set_watch(ctx, count_down, &left);
        status = kal_system_load(ctx, "test.kal", CHAIN, strlen(CHAIN), NULL, &system);
        ok(first > 1 || status == KAL_ERR_INTERRUPTED);
        status = status == KAL_OK ? kal_instant_create(ctx, system, &instant) : status;
        status = status == KAL_OK ? kal_instant_start(instant, &report) : status;
        ok(status == KAL_OK || status == KAL_ERR_INTERRUPTED);
        has_text(kal_context_message(ctx), "interrupted");
        kal_instant_destroy(instant);
        kal_system_destroy(system);
        ok(fault.live_bytes == empty);
    }
    ok(status == KAL_OK);
    kal_context_set_watch(NULL, NULL, NULL);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    Lab lab;
    KalStatus status = KAL_ERR_NOMEM;
    if (lab_expect(&lab, CHAIN MORE "servo aim: link[N].y = -1 - t, rate = 3\n")) {
        const size_t held = lab.fault.live_bytes;
        for (long calls = 0; status != KAL_OK && calls < 400;
             calls = fault_next(calls)) {
            KalInstant *instant = NULL;
            KalStartReport report;
            KalMotionAnswer answer;
            lab.fault.calls_left = calls;
            status = kal_instant_create(lab.ctx, lab.system, &instant);
            status = status == KAL_OK ? kal_instant_start(instant, &report) : status;
            status = status == KAL_OK ? kal_instant_solve(instant, &answer) : status;
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            kal_instant_destroy(instant);
            ok(lab.fault.live_bytes == held);
        }
        ok(status == KAL_OK);
        lab.fault.calls_left = -1;
    }
    lab_close(&lab);
}

// Quaternions of any orientation, entries next to nothing among them: each body has six ways to
// move, whichever pivot vanishes.
static void quaternions_leave_six_masses_each(void)
{
    enum {
        BODIES = 40
    };

    Lab lab;
    Rng rng = {.state = 7};
    KalMotionAnswer answer;
    KalStartReport report;
    if (!lab_expect(&lab, "use spatial\npart b[i in 1..40] = Body(m = 1, "
                          "I = [0.01, 0.09, 0.09])\n")) {
        return;
    }
    ok(lab.instant->large.solver != NULL);
    ok(kal_instant_start(lab.instant, &report) == KAL_OK);
    for (int i = 0; i < BODIES; i++) {
        double *e = kal_instant_q(lab.instant) + (size_t)i * 7 + 3;
        double square = 0.0;
        for (int k = 0; k < 4; k++) {
            const int digits = i % 2 == 0 ? 0 : (int)(9.0 * rng_unit(&rng));
            e[k] = (2.0 * rng_unit(&rng) - 1.0) * pow(10.0, -digits);
            square += e[k] * e[k];
        }
        for (int k = 0; k < 4; k++) {
            e[k] /= sqrt(square);
        }
    }
    if (ok(kal_instant_solve(lab.instant, &answer) == KAL_OK)) {
        ok(answer.rank_M == 6 * BODIES && answer.rank_Mhat == 7 * BODIES);
        ok(answer.rank_A == BODIES && answer.unique);
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(quaternions_leave_six_masses_each), TAP_CASE(states_and_answers_agree),
        TAP_CASE(doubts_agree), TAP_CASE(a_free_link_falls_as_the_textbook_says),
        TAP_CASE(faults_name_who_is_to_blame),
        TAP_CASE(names_of_a_fault_are_those_of_constraints),
        TAP_CASE(a_catenary_of_ten_thousand_links_is_at_rest),
        TAP_CASE(a_straight_chain_in_space_leaves_nothing_out),
        TAP_CASE(starts_are_found_from_guesses_that_are_many_parts_off),
        TAP_CASE(servos_agree), TAP_CASE(servos_that_cannot_be_met_are_told),
        TAP_CASE(contacts_make_instants_dense),
        TAP_CASE(loads_and_starts_may_be_interrupted),
        TAP_CASE(every_allocation_may_fail))
