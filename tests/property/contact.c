// SPDX-License-Identifier: MIT

// Random contacts of all ranks: whatever is found obeys the laws, and agrees with a search
// through all sets of closed contacts.  KAL_PROPERTY_PROBLEMS sets how many.

#include "contact/touch.h"
#include "linalg/lu.h"
#include "rng.h"
#include "tap.h"

enum {
    TOUCHES = 6,
    ROWS = 2 * TOUCHES,
    BODIES = 5 // dimensions of the motion
};

static KalContext *ctx;
static KalTouchSolver *solver;
static KalTouchAnswer answer;
static KalTouchLaw laws[TOUCHES];
static double A[ROWS][BODIES]; // rows, with unit masses
static double G[ROWS * ROWS];
static double free_rates[ROWS];
static int touches;
static int rows;
static uint64_t seed;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_touch_create(ctx, TOUCHES, ROWS, &solver) == KAL_OK);
}

static void end(void)
{
    kal_touch_destroy(solver);
    kal_context_destroy(ctx);
}

// Rows of small whole numbers are often dependent.
static void make(Rng *rng, int dimensions, bool friction)
{
    double pull[BODIES];
    touches = rng_int(rng, 1, friction ? 3 : TOUCHES);
    rows = friction ? 2 * touches : touches;
    for (int j = 0; j < BODIES; j++) {
        pull[j] = (double)rng_int(rng, -3, 3);
    }
    for (int i = 0; i < rows; i++) {
        free_rates[i] = 0.0;
        for (int j = 0; j < BODIES; j++) {
            A[i][j] = j < dimensions ? (double)rng_int(rng, -2, 2) : 0.0;
            free_rates[i] += A[i][j] * pull[j];
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < rows; k++) {
            G[i * rows + k] = 0.0;
            for (int j = 0; j < BODIES; j++) {
                G[i * rows + k] += A[i][j] * A[k][j];
            }
        }
    }
    for (int i = 0; i < touches; i++) {
        const double mu = 0.25 * rng_int(rng, 0, 3);
        laws[i] = (KalTouchLaw){.gap = i};
        if (friction) {
            laws[i].n_slips = 1;
            laws[i].slip[0] = touches + i;
            laws[i].slope = mu;
            laws[i].slope_hold = mu;
        }
    }
}

static KalTouchEnd solve(void)
{
    const KalTouchProblem problem = {
        .n = touches, .laws = laws, .rows = rows, .G = G, .free = free_rates};
    return kal_touch_solve(solver, &problem, &answer);
}

// The laws as they are in books.
static void check_laws(void)
{
    for (int i = 0; i < touches; i++) {
        const double N = answer.forces[i];
        const double rate = answer.rates[i];
        ok(N >= -1e-7 && rate >= -1e-7);
        near(N * rate, 0.0, 1e-6);
        if (laws[i].n_slips == 1) {
            const double f = answer.forces[touches + i];
            const double slip = answer.rates[touches + i];
            ok(fabs(f) <= laws[i].slope * N + 1e-6);
            near(f * slip, -laws[i].slope * N * fabs(slip), 1e-5);
        }
    }
    for (int i = 0; i < rows; i++) {
        double rate = free_rates[i];
        for (int k = 0; k < rows; k++) {
            rate += G[i * rows + k] * answer.forces[k];
        }
        near(answer.rates[i], rate, 1e-8);
    }
}

// Rates with the contacts of a set closed; false where the set is dependent or disobeys.
static bool try_set(unsigned set, double *rates)
{
    double M[TOUCHES * TOUCHES];
    double x[TOUCHES];
    double work[TOUCHES];
    int perm[TOUCHES];
    int member[TOUCHES];
    int count = 0;
    for (int i = 0; i < touches; i++) {
        if ((set >> i & 1U) != 0) {
            member[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        x[i] = -free_rates[member[i]];
        for (int k = 0; k < count; k++) {
            M[i * count + k] = G[member[i] * rows + member[k]];
        }
    }
    if (!kal_lu_factor(count, M, perm)) {
        return false;
    }
    kal_lu_solve(count, M, perm, work, x);
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && x[i] >= -1e-9;
    }
    for (int i = 0; i < touches; i++) {
        rates[i] = free_rates[i];
        for (int k = 0; k < count; k++) {
            rates[i] += G[i * rows + member[k]] * x[k];
        }
        good = good && rates[i] >= -1e-9;
    }
    return good;
}

// Without friction rates are unique: every set that obeys gives the same.
static void sets_of_closed_contacts_agree(void)
{
    begin();
    for (int k = 0; k < problems(1) && tap_failures == 0; k++) {
        Rng rng = {++seed};
        make(&rng, rng_int(&rng, 1, BODIES), false);
        ok(solve()
           == KAL_TOUCH_FOUND); // pulls are accelerations, so there is a solution
        check_laws();
        for (unsigned set = 0; set < 1U << touches; set++) {
            double rates[TOUCHES];
            for (int i = 0; try_set(set, rates) && i < touches; i++) {
                near(answer.rates[i], rates[i], 1e-7);
            }
        }
    }
    end();
}

// With friction at rest there is always a solution; what is found obeys.
static void frictions_obey_coulomb(void)
{
    int found = 0;
    begin();
    for (int k = 0; k < problems(4) && tap_failures == 0; k++) {
        Rng rng = {++seed};
        make(&rng, rng_int(&rng, 2, BODIES), true);
        if (solve() == KAL_TOUCH_FOUND) {
            found++;
            check_laws();
        }
    }
    ok(found > problems(4) / 2);
    printf("# %d of %d found\n", found, problems(4));
    end();
}

// Rows in other units have the same solution in them.
static void units_change_nothing(void)
{
    begin();
    for (int k = 0; k < problems(4) && tap_failures == 0; k++) {
        Rng rng = {++seed};
        double unit[ROWS];
        double forces[ROWS];
        make(&rng, rng_int(&rng, 1, BODIES), false);
        const KalTouchEnd first = solve();
        memcpy(forces, answer.rates, (size_t)rows * sizeof *forces);
        for (int i = 0; i < rows; i++) {
            unit[i] = ldexp(1.0, rng_int(&rng, -20, 20));
        }
        for (int i = 0; i < rows; i++) {
            free_rates[i] *= unit[i];
            for (int j = 0; j < rows; j++) {
                G[i * rows + j] *= unit[i] * unit[j];
            }
        }
        ok(solve() == first);
        for (int i = 0; i < rows; i++) {
            near(answer.rates[i] / unit[i], forces[i], 1e-7);
        }
    }
    end();
}

TAP_RUN(TAP_CASE(sets_of_closed_contacts_agree), TAP_CASE(frictions_obey_coulomb),
        TAP_CASE(units_change_nothing))
