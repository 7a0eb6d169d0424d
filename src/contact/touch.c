// SPDX-License-Identifier: MIT

// Contact laws as a linear complementarity problem, theory (21.3) to (21.8).
//
// Unknowns are the force N of each gap and, where a slip of one row may hold, the parts of its
// friction to both sides, f = a − b, and the size s of its slip.  Then
//
//     N ≥ 0  ⟂  rate of the gap ≥ 0
//     a ≥ 0  ⟂  s + rate of the slip ≥ 0
//     b ≥ 0  ⟂  s − rate of the slip ≥ 0
//     s ≥ 0  ⟂  limit − a − b ≥ 0
//
// is Coulomb's law.  M is copositive then, for zᵀMz = fᵀGf + μNs ≥ 0, and Lemke's path cannot
// miss a solution that rates without self-stress have (M. Anitescu and F. A. Potra, Nonlinear
// Dynamics 14, 1997).  A slip that moves has a friction proportional to N and no unknown.  A
// slip of two rows is tried as held, by eliminating its rows; where that takes more than its
// limit it slides, in the direction that its motion then takes.  Touches that begin to slide
// stay so, hence there are no more rounds than touches.
//
// Frictions that are smaller once they slide are treated so too: what cannot hold at the
// static limit slides at the other one.
//
// All is scaled so that G has ones on its diagonal and the largest free rate is 1.  Whatever
// was found is put into the laws before it is returned.

#include "contact/touch_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    TURNS = 500,    // of a direction that is looked for
    MOST_BONDED = 6 // slips of two rows of which all sets are tried
};

// Rates up to this are zero.
static const double ZERO = 1e-10;
// A direction stands still.
static const double STILL = 1e-14;

static int most_shared(const KalTouchSolver *s)
{
    const int unknowns = KAL_TOUCH_UNKNOWNS * s->rows;
    return unknowns < KAL_TOUCH_SHARED_MOST ? unknowns : KAL_TOUCH_SHARED_MOST;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalTouchSolver *s = owner;
    const size_t n = (size_t)s->n;
    const size_t rows = (size_t)s->rows;
    const size_t unknowns = KAL_TOUCH_UNKNOWNS * rows;
    s->scale = kal_carve_doubles(carver, rows, 1);
    s->G = kal_carve_doubles(carver, rows, rows);
    s->free = kal_carve_doubles(carver, rows, 1);
    s->bonded = kal_carve_doubles(carver, rows, rows);
    s->bonded_free = kal_carve_doubles(carver, rows, 1);
    s->is_bonded = kal_carve_bools(carver, rows);
    s->states = kal_carve(carver, n, sizeof *s->states);
    s->map = kal_carve_doubles(carver, rows, unknowns);
    s->known = kal_carve_doubles(carver, rows, 1);
    s->tried = kal_carve_doubles(carver, unknowns, 1);
    s->trial = kal_carve_bools(carver, unknowns);
    s->deeds = kal_carve_ints(carver, n);
    s->M = kal_carve_doubles(carver, unknowns, unknowns);
    s->q = kal_carve_doubles(carver, unknowns, 1);
    s->z = kal_carve_doubles(carver, unknowns, 1);
    s->basic = kal_carve_bools(carver, unknowns);
    s->forces = kal_carve_doubles(carver, rows, 1);
    s->rates = kal_carve_doubles(carver, rows, 1);
    s->other = kal_carve_doubles(carver, rows, 1);
    s->touches = kal_carve(carver, n, sizeof *s->touches);
    s->blamed = kal_carve_bools(carver, n);
    const size_t most = (size_t)most_shared(s);
    s->tight = kal_carve_ints(carver, most);
    s->effects = kal_carve_doubles(carver, most, most);
    s->slopes = kal_carve_doubles(carver, most, 1);
    s->moved = kal_carve_doubles(carver, KAL_TOUCH_SHARED_MOST, 2);
    s->takes_part = kal_carve_bools(carver, most);
    s->limits = kal_carve(carver, most, sizeof *s->limits);
    s->hold.cones = kal_carve(carver, n, sizeof *s->hold.cones);
    s->hold.effects = kal_carve_doubles(carver, rows, rows);
    s->hold.rows = kal_carve_ints(carver, rows);
    s->hold.forces = kal_carve_doubles(carver, rows, 1);
    s->hold.shared = kal_carve_doubles(carver, rows, 1);
}

static KalStatus init(KalTouchSolver *s)
{
    KAL_TRY(kal_workspace_make(s->ctx, "for contacts", lay_out, s, &s->workspace));
    const int most = most_shared(s);
    s->most_shared = most;
    KAL_TRY(kal_share_create(s->ctx, most, most, most, &s->share));
    return kal_lcp_create(s->ctx, KAL_TOUCH_UNKNOWNS * s->rows, &s->lcp);
}

KalStatus kal_touch_create(KalContext *ctx, int n, int rows,
                           KalTouchSolver **out_solver)
{
    assert(ctx && n >= 0 && rows >= 0 && out_solver);
    KalTouchSolver *s = KAL_NEW(ctx, KalTouchSolver);
    if (!s) {
        return kal_no_memory(ctx, "for contacts");
    }
    s->ctx = ctx;
    s->n = n;
    s->rows = rows;
    const KalStatus status = init(s);
    if (status != KAL_OK) {
        kal_touch_destroy(s);
        return status;
    }
    *out_solver = s;
    return KAL_OK;
}

void kal_touch_destroy(KalTouchSolver *solver)
{
    if (!solver) {
        return;
    }
    kal_lcp_destroy(solver->lcp);
    kal_share_destroy(solver->share);
    kal_workspace_clear(solver->ctx, &solver->workspace);
    kal_free(solver->ctx, solver, sizeof *solver);
}

// Rows scaled so that G has ones on its diagonal, the two of a slip alike, and free rates
// have the largest size 1, unless all are so small that rounding would have a say.
static void take_scales(KalTouchSolver *s, const KalTouchProblem *p)
{
    assert(p->n <= s->n && p->rows <= s->rows);
    for (int i = 0; i < p->rows; i++) {
        const double square = p->G[i * p->rows + i];
        s->scale[i] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    }
    for (int i = 0; i < p->n; i++) {
        const KalTouchLaw *law = &p->laws[i];
        if (law->n_slips == 2) {
            const double both = fmin(s->scale[law->slip[0]], s->scale[law->slip[1]]);
            s->scale[law->slip[0]] = both;
            s->scale[law->slip[1]] = both;
        }
    }
    s->size = p->dust / ZERO;
    for (int i = 0; i < p->rows; i++) {
        s->size = fmax(s->size, fabs(p->free[i] * s->scale[i]));
    }
    s->size = s->size > 0.0 ? s->size : 1.0;
    assert(s->size > 0.0);
}

static void take_problem(KalTouchSolver *s, const KalTouchProblem *p)
{
    const int rows = p->rows;
    take_scales(s, p);
    for (int i = 0; i < rows; i++) {
        s->free[i] = p->free[i] * s->scale[i] / s->size;
        for (int j = 0; j < rows; j++) {
            s->G[i * rows + j] = p->G[i * rows + j] * s->scale[i] * s->scale[j];
        }
    }
}

// The limit of a friction in scaled forces.
static void set_limit(KalTouchSolver *s, const KalTouchLaw *law, KalTouchState *state,
                      bool hold)
{
    assert(law->n_slips > 0 && s->size > 0.0);
    const double slip = s->scale[law->slip[0]];
    const double gap = law->gap == KAL_NO_ROW ? 1.0 : s->scale[law->gap];
    state->slope = (hold ? law->slope_hold : law->slope) * gap / slip;
    state->force = (hold ? law->force_hold : law->force) / (slip * s->size);
}

static void slide(KalTouchSolver *s, const KalTouchLaw *law, KalTouchState *state,
                  const double *direction)
{
    state->part = KAL_PART_SLIDE;
    memcpy(state->direction, direction, sizeof state->direction);
    set_limit(s, law, state, false);
}

// The part that each contact plays at first: one that moves slides in its direction, a
// slip of one row that is at rest is left to the complementarity problem, one of two rows
// is taken for held.
static void begin(KalTouchSolver *s, const KalTouchProblem *p)
{
    for (int i = 0; i < p->n; i++) {
        const KalTouchLaw *law = &p->laws[i];
        KalTouchState *state = &s->states[i];
        *state =
            (KalTouchState){.part = KAL_PART_PUSH, .N = -1, .a = -1, .b = -1, .s = -1};
        if (law->bound) {
            assert(law->gap == KAL_NO_ROW && law->n_slips == 1);
            state->part = KAL_PART_BOUND;
        } else if (law->n_slips > 0 && law->moves) {
            slide(s, law, state, law->direction);
        } else if (law->n_slips > 0) {
            state->part = law->n_slips == 1 ? KAL_PART_OPEN : KAL_PART_BONDED;
            set_limit(s, law, state, true);
        }
    }
}

// The friction of a touch by its unknowns, where it is at a limit or may come to one.
static void map_friction(KalTouchSolver *s, const KalTouchLaw *law,
                         const KalTouchState *state)
{
    assert(law->n_slips > 0 || state->part == KAL_PART_PUSH);
    const size_t most = KAL_TOUCH_UNKNOWNS * (size_t)s->rows;
    if (state->part == KAL_PART_OPEN) {
        s->map[(size_t)law->slip[0] * most + (size_t)state->a] = 1.0;
        s->map[(size_t)law->slip[0] * most + (size_t)state->b] = -1.0;
    }
    for (int k = 0; state->part == KAL_PART_SLIDE && k < law->n_slips; k++) {
        double *row = s->map + (size_t)law->slip[k] * most;
        s->known[law->slip[k]] = -state->force * state->direction[k];
        if (state->N >= 0) {
            row[state->N] = -state->slope * state->direction[k];
        }
    }
}

// Number the unknowns, and say what forces they are.
static void map_forces(KalTouchSolver *s, const KalTouchProblem *p)
{
    const size_t most = KAL_TOUCH_UNKNOWNS * (size_t)s->rows;
    int count = 0;
    memset(s->map, 0, (size_t)p->rows * most * sizeof(double));
    memset(s->known, 0, (size_t)p->rows * sizeof(double));
    for (int i = 0; i < p->n; i++) {
        const KalTouchLaw *law = &p->laws[i];
        KalTouchState *state = &s->states[i];
        state->N = law->gap == KAL_NO_ROW ? -1 : count++;
        state->a = state->part == KAL_PART_OPEN ? count++ : -1;
        state->b = state->part == KAL_PART_OPEN ? count++ : -1;
        state->s = state->part == KAL_PART_OPEN ? count++ : -1;
        if (state->N >= 0) {
            s->map[(size_t)law->gap * most + (size_t)state->N] = 1.0;
        }
        map_friction(s, law, state);
    }
    s->unknowns = count;
    assert(s->unknowns <= KAL_TOUCH_UNKNOWNS * s->rows);
}

// A row of M and q: the rate of a row of the problem.
static void fill_rate(KalTouchSolver *s, const KalTouchProblem *p, int row, int unknown)
{
    assert(0 <= row && row < p->rows && 0 <= unknown && unknown < s->unknowns);
    const size_t most = KAL_TOUCH_UNKNOWNS * (size_t)s->rows;
    const double *G = s->bonded + (size_t)row * (size_t)p->rows;
    for (int j = 0; j < s->unknowns; j++) {
        double sum = 0.0;
        for (int k = 0; k < p->rows; k++) {
            sum += G[k] * s->map[(size_t)k * most + (size_t)j];
        }
        s->M[unknown * s->unknowns + j] = sum;
    }
    s->q[unknown] = s->bonded_free[row];
    for (int k = 0; k < p->rows; k++) {
        s->q[unknown] += G[k] * s->known[k];
    }
}

// The rows of a slip that may hold.
static void fill_slip(KalTouchSolver *s, const KalTouchProblem *p, int i)
{
    assert(s->states[i].part == KAL_PART_OPEN && p->laws[i].n_slips == 1);
    const size_t n = (size_t)s->unknowns;
    const KalTouchState *state = &s->states[i];
    double *a = s->M + (size_t)state->a * n;
    double *b = s->M + (size_t)state->b * n;
    double *limit = s->M + (size_t)state->s * n;
    fill_rate(s, p, p->laws[i].slip[0], state->a);
    for (size_t j = 0; j < n; j++) {
        b[j] = -a[j];
        limit[j] = 0.0;
    }
    s->q[state->b] = -s->q[state->a];
    a[state->s] += 1.0;
    b[state->s] += 1.0;
    limit[state->a] = -1.0;
    limit[state->b] = -1.0;
    s->q[state->s] = state->force;
    if (state->N >= 0) {
        limit[state->N] = state->slope;
    }
}

// The row of a gap.  The rate of one that depends on rows which are held is theirs: off zero by
// rounding it asks for a force that changes nothing, and no path finds one.
static void fill_gap(KalTouchSolver *s, const KalTouchProblem *p, int i)
{
    assert(s->states[i].N >= 0);
    const int gap = p->laws[i].gap;
    double *q = &s->q[s->states[i].N];
    fill_rate(s, p, gap, s->states[i].N);
    if (s->bonded[gap * p->rows + gap] <= KAL_TOUCH_DEPENDENT
        && fabs(*q) <= KAL_TOUCH_TRUE) {
        *q = 0.0;
    }
}

static void fill_problem(KalTouchSolver *s, const KalTouchProblem *p)
{
    for (int i = 0; i < p->n; i++) {
        const KalTouchState *state = &s->states[i];
        if (state->N >= 0) {
            fill_gap(s, p, i);
        }
        if (state->part == KAL_PART_OPEN) {
            fill_slip(s, p, i);
        }
    }
}

// Forces and rates of all rows for some unknowns.
void kal_touch_expand(KalTouchSolver *s, const KalTouchProblem *p, const double *z,
                      double *forces, double *rates)
{
    assert(p->rows <= s->rows && s->unknowns >= 0);
    const size_t most = KAL_TOUCH_UNKNOWNS * (size_t)s->rows;
    const int rows = p->rows;
    for (int i = 0; i < rows; i++) {
        forces[i] = s->known[i];
        for (int j = 0; j < s->unknowns; j++) {
            forces[i] += s->map[(size_t)i * most + (size_t)j] * z[j];
        }
    }
    for (int i = 0; i < rows; i++) {
        double sum = s->bonded_free[i];
        for (int k = 0; s->is_bonded[i] && k < rows; k++) {
            sum += s->bonded[i * rows + k] * (s->is_bonded[k] ? 0.0 : forces[k]);
        }
        rates[i] = sum; // of bonded rows: their force
    }
    for (int i = 0; i < rows; i++) {
        forces[i] = s->is_bonded[i] ? rates[i] : forces[i];
    }
    for (int i = 0; i < rows; i++) {
        rates[i] = s->free[i];
        for (int k = 0; k < rows; k++) {
            rates[i] += s->G[i * rows + k] * forces[k];
        }
    }
}

static double length_of(const double *x, int n)
{
    return n == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
}

// The slip of a touch, in forces or in rates; missing rows are zero.
static void slip_of(const KalTouchLaw *law, const double *of,
                    double out[KAL_TOUCH_SLIPS])
{
    for (int k = 0; k < KAL_TOUCH_SLIPS; k++) {
        out[k] = k < law->n_slips ? of[law->slip[k]] : 0.0;
    }
}

static double limit_of(const KalTouchSolver *s, const KalTouchProblem *p, int i)
{
    const KalTouchLaw *law = &p->laws[i];
    const KalTouchState *state = &s->states[i];
    const double N = law->gap == KAL_NO_ROW ? 0.0 : s->forces[law->gap];
    return state->slope * fmax(N, 0.0) + state->force;
}

// Whether touch i obeys its laws: (21.3) of the gap, (21.5) of the slip.
static bool obeys(const KalTouchSolver *s, const KalTouchProblem *p, int i, double size)
{
    assert(0 <= i && i < p->n && size >= 1.0);
    const KalTouchLaw *law = &p->laws[i];
    const KalTouchState *state = &s->states[i];
    const double allowed = KAL_TOUCH_TRUE * size;
    if (law->gap != KAL_NO_ROW) {
        const double N = s->forces[law->gap];
        const double rate = s->rates[law->gap];
        if (N < -allowed || rate < -allowed || fmin(N, rate) > allowed) {
            return false;
        }
    }
    if (state->part == KAL_PART_PUSH || law->moves) {
        return true;
    }
    double f[KAL_TOUCH_SLIPS];
    double rate[KAL_TOUCH_SLIPS];
    slip_of(law, s->forces, f);
    slip_of(law, s->rates, rate);
    if (state->part
        == KAL_PART_BOUND) { // what depends on others bound is so up to this
        return fabs(rate[0]) <= fmax(KAL_TOUCH_TRUE, sqrt(KAL_TOUCH_DEPENDENT)) * size;
    }
    const double limit = limit_of(s, p, i);
    const double friction = length_of(f, law->n_slips);
    const double speed = length_of(rate, law->n_slips);
    if (friction > limit + allowed) {
        return false;
    }
    const double power = f[0] * rate[0] + f[1] * rate[1];
    return speed <= allowed
           || fabs(power + limit * speed) <= allowed * fmax(speed, 1.0);
}

// The size of forces and rates.
double kal_touch_size(const KalTouchSolver *s, int rows)
{
    assert(0 <= rows && rows <= s->rows);
    double size = 1.0;
    for (int i = 0; i < rows; i++) {
        size = fmax(size, fmax(fabs(s->forces[i]), fabs(s->rates[i])));
    }
    return size;
}

// Whether all laws are obeyed; those that are not are blamed.
static bool verify(KalTouchSolver *s, const KalTouchProblem *p)
{
    const double size = kal_touch_size(s, p->rows);
    bool good = isfinite(size);
    for (int i = 0; i < p->n; i++) {
        s->blamed[i] = !obeys(s, p, i, size);
        good = good && !s->blamed[i];
    }
    return good;
}

// One solve with parts as they are.
static bool solve_parts(KalTouchSolver *s, const KalTouchProblem *p)
{
    s->hold.shares = false;
    kal_touch_bond(s, p);
    map_forces(s, p);
    fill_problem(s, p);
    const KalLcpEnd end =
        kal_lcp_solve(s->lcp, s->unknowns, s->M, s->q, s->z, s->basic);
    s->is_ray = end == KAL_LCP_RAY;
    if (end != KAL_LCP_SOLVED) {
        return false;
    }
    kal_touch_expand(s, p, s->z, s->forces, s->rates);
    return true;
}

// Whether a touch that was to hold is at its limit; the direction that it slides in then.
static bool breaks(const KalTouchSolver *s, const KalTouchProblem *p, int i,
                   double *out_direction)
{
    assert(0 <= i && i < p->n && out_direction);
    const KalTouchLaw *law = &p->laws[i];
    const KalTouchState *state = &s->states[i];
    double f[KAL_TOUCH_SLIPS];
    double rate[KAL_TOUCH_SLIPS];
    slip_of(law, s->forces, f);
    slip_of(law, s->rates, rate);
    const double size = kal_touch_size(s, p->rows);
    out_direction[1] = 0.0;
    if (state->part == KAL_PART_OPEN) {
        const bool falls =
            law->slope_hold != law->slope || law->force_hold != law->force;
        out_direction[0] = rate[0] > 0.0 ? 1.0 : -1.0;
        return falls && fabs(rate[0]) > ZERO * size;
    }
    const double friction = length_of(f, 2);
    if (state->part != KAL_PART_BONDED || friction <= limit_of(s, p, i) + ZERO * size) {
        return false;
    }
    out_direction[0] = law->leans ? law->direction[0] : -f[0] / friction;
    out_direction[1] = law->leans ? law->direction[1] : -f[1] / friction;
    return true;
}

// Whether touch i has a slip of two rows that is at rest and is to slide.
static bool begins_to_slide(const KalTouchSolver *s, const KalTouchProblem *p, int i)
{
    const KalTouchLaw *law = &p->laws[i];
    return law->n_slips == 2 && !law->moves && s->states[i].part == KAL_PART_SLIDE;
}

// One over a bound of the eigenvalues of G for slips of two rows that begin to slide.
static double step_of_directions(const KalTouchSolver *s, const KalTouchProblem *p)
{
    double bound = 1.0;
    for (int i = 0; i < p->n; i++) {
        const KalTouchLaw *law = &p->laws[i];
        for (int k = 0; begins_to_slide(s, p, i) && k < law->n_slips; k++) {
            double sum = 0.0;
            for (int j = 0; j < p->n; j++) {
                const int *slip = p->laws[j].slip;
                const double *row = s->G + (size_t)law->slip[k] * (size_t)p->rows;
                sum += begins_to_slide(s, p, j)
                           ? fabs(row[slip[0]]) + fabs(row[slip[1]])
                           : 0.0;
            }
            bound = fmax(bound, sum);
        }
    }
    return 1.0 / bound;
}

// Turn the friction of touch i against its rate: f − r v' made as long as f is.  Returns by how
// much it turned.
static double turn_direction(KalTouchSolver *s, const KalTouchProblem *p, int i,
                             double step)
{
    KalTouchState *state = &s->states[i];
    double f[KAL_TOUCH_SLIPS];
    double rate[KAL_TOUCH_SLIPS];
    slip_of(&p->laws[i], s->forces, f);
    slip_of(&p->laws[i], s->rates, rate);
    const double x = step * rate[0] - f[0];
    const double y = step * rate[1] - f[1];
    const double length = hypot(x, y);
    if (length <= ZERO) {
        return 0.0;
    }
    const double turned = fmax(fabs(x / length - state->direction[0]),
                               fabs(y / length - state->direction[1]));
    state->direction[0] = x / length;
    state->direction[1] = y / length;
    return turned;
}

// Let the directions of slips of two rows that begin to slide be those in which they do:
// over and over until they stand still.  Rates along d alone would not do, for friction that is
// almost as large as what pulls turns them by more than d is off.
static bool find_directions(KalTouchSolver *s, const KalTouchProblem *p)
{
    const double step = step_of_directions(s, p);
    for (int turn = 0; turn < TURNS; turn++) {
        double most = 0.0;
        if (!solve_parts(s, p)) {
            return false;
        }
        for (int i = 0; i < p->n; i++) {
            most = begins_to_slide(s, p, i) ? fmax(most, turn_direction(s, p, i, step))
                                            : most;
        }
        if (most <= STILL) {
            return true;
        }
    }
    return true; // as far as rounding lets it; the laws decide
}

// Whatever bonded slips would bear alone, let all that can share it.
static void share_loads(KalTouchSolver *s, const KalTouchProblem *p)
{
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        any = any || s->states[i].part == KAL_PART_BONDED;
    }
    if (any) {
        (void)kal_touch_hold_by_shares(s, p);
    }
}

// Rounds in which touches that cannot hold begin to slide.
static bool settle(KalTouchSolver *s, const KalTouchProblem *p)
{
    for (int round = 0; round <= p->n; round++) {
        bool any = false;
        if (!find_directions(s, p)) {
            return false;
        }
        share_loads(s, p);
        for (int i = 0; i < p->n; i++) {
            double direction[KAL_TOUCH_SLIPS];
            if (breaks(s, p, i, direction)) {
                slide(s, &p->laws[i], &s->states[i], direction);
                any = true;
            }
        }
        if (!any) {
            return true;
        }
    }
    return false;
}

// The mode that a contact has by the basic variables: which of its unknowns are not zero.
static bool is_bonded(const KalTouchLaw *law)
{
    return law->n_slips == 2 && !law->moves;
}

static int count_bonded(const KalTouchProblem *p)
{
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        count += is_bonded(&p->laws[i]);
    }
    return count;
}

bool kal_touch_has_bonded(const KalTouchProblem *p)
{
    return count_bonded(p) > 0;
}

// Let a slip of two rows slide where it goes without friction; what goes nowhere is held.
static bool begin_slide(KalTouchSolver *s, const KalTouchLaw *law, KalTouchState *state)
{
    double rate[KAL_TOUCH_SLIPS];
    if (!is_bonded(law) || state->part != KAL_PART_SLIDE) {
        return false;
    }
    slip_of(law, s->rates, rate);
    const double speed = length_of(rate, 2);
    if (speed <= ZERO) {
        state->part = KAL_PART_BONDED;
        set_limit(s, law, state, true);
        return false;
    }
    const double direction[KAL_TOUCH_SLIPS] = {rate[0] / speed, rate[1] / speed};
    slide(s, law, state, direction);
    return true;
}

// Let those slips of two rows slide that are in a set, in the directions that they take without
// friction; false if there is none.
static bool begin_slides(KalTouchSolver *s, const KalTouchProblem *p, unsigned set)
{
    static const double along[KAL_TOUCH_SLIPS] = {1.0, 0.0};
    bool any = false;
    begin(s, p);
    for (int i = 0, k = 0; i < p->n; i++) {
        const bool bonded = is_bonded(&p->laws[i]);
        if (bonded && (set == ~0U || (set >> k & 1U) != 0)) {
            slide(s, &p->laws[i], &s->states[i], along);
            s->states[i].slope = 0.0;
            s->states[i].force = 0.0;
        }
        k += bonded;
    }
    if (!solve_parts(s, p)) {
        return false;
    }
    for (int i = 0; i < p->n; i++) {
        any = begin_slide(s, &p->laws[i], &s->states[i]) || any;
    }
    return any;
}

// Slips of two rows that are all held may leave no way to move, as where a wall throws back what
// slides on a floor: then each set of them slides from the beginning, until one satisfies the
// laws.  Of many only all together.
static bool settle_sliding(KalTouchSolver *s, const KalTouchProblem *p)
{
    const int count = count_bonded(p);
    const bool many = count > MOST_BONDED;
    const unsigned last = many ? ~0U : (1U << count) - 1U;
    unsigned set = many ? last - 1U : 0U;
    bool found = false;
    while (count > 0 && !found && set != last) {
        set++;
        found = begin_slides(s, p, set) && settle(s, p) && verify(s, p);
    }
    return found;
}

// The mode of what may hold or slide, and stays closed.
static void describe_open(const KalTouchSolver *s, const KalTouchState *state,
                          double rate, KalTouch *out)
{
    const bool left = s->basic[state->a];
    const bool right = s->basic[state->b];
    const bool slides = s->basic[state->s] && left != right;
    if (out->pushes) {
        out->mode = slides ? KAL_TOUCH_SLIDE : KAL_TOUCH_HOLD;
        out->grips = !slides && (left || right);
        out->direction[0] = left ? -1.0 : 1.0;
    } else if (out->slips) {
        out->mode = KAL_TOUCH_SLIDE;
        out->direction[0] = rate > 0.0 ? 1.0 : -1.0;
    }
}

static void describe_touch(const KalTouchSolver *s, const KalTouchProblem *p, int i,
                           double size, KalTouch *out)
{
    assert(0 <= i && i < p->n && size >= 1.0);
    const KalTouchLaw *law = &p->laws[i];
    const KalTouchState *state = &s->states[i];
    double rate[KAL_TOUCH_SLIPS];
    slip_of(law, s->rates, rate);
    const double speed = length_of(rate, law->n_slips);
    const bool leaves = law->gap != KAL_NO_ROW && s->rates[law->gap] > ZERO * size;
    const bool pushes = law->gap == KAL_NO_ROW || s->basic[state->N];
    const bool shut = pushes || (law->n_slips > 0 && !leaves);
    *out = (KalTouch){.mode = shut ? KAL_TOUCH_HOLD : KAL_TOUCH_OPEN,
                      .pushes = pushes,
                      .leaves = leaves};
    out->slips = law->n_slips > 0 && state->part != KAL_PART_BONDED
                 && (law->moves || speed > ZERO * size);
    if (state->part == KAL_PART_SLIDE) {
        memcpy(out->direction, state->direction, sizeof out->direction);
        out->mode = shut ? KAL_TOUCH_SLIDE : KAL_TOUCH_OPEN;
    } else if (state->part == KAL_PART_OPEN && shut) {
        describe_open(s, state, rate[0], out);
    } else {
        out->grips = pushes && law->n_slips > 0;
    }
}

// In the units of the problem.
static void unscale(KalTouchSolver *s, const KalTouchProblem *p)
{
    for (int i = 0; i < p->rows; i++) {
        s->forces[i] *= s->scale[i] * s->size;
        s->rates[i] *= s->size / s->scale[i];
    }
}

// Who is to blame where nothing better is known: all that have friction, else all.
static void blame(KalTouchSolver *s, const KalTouchProblem *p)
{
    const bool friction = kal_touch_has_friction(s, p);
    for (int i = 0; i < p->n; i++) {
        s->blamed[i] = !friction || kal_touch_is_rough(&s->states[i]);
    }
}

KalTouchEnd kal_touch_solve(KalTouchSolver *solver, const KalTouchProblem *problem,
                            KalTouchAnswer *out_answer)
{
    KalTouchSolver *s = solver;
    assert(problem->n <= s->n && problem->rows <= s->rows);
    take_problem(s, problem);
    begin(s, problem);
    bool solved = settle(s, problem);
    if (count_bonded(problem) > 0 && !(solved && verify(s, problem))) {
        solved = settle_sliding(s, problem);
        if (!solved) { // what is told then is about the first attempt
            begin(s, problem);
            solved = settle(s, problem);
        }
    }
    KalTouchEnd end = kal_touch_look_through(s, problem, solved);
    if (s->hold.shares) {
        memcpy(s->forces, s->hold.shared, (size_t)problem->rows * sizeof *s->forces);
    }
    if (end != KAL_TOUCH_SHARED) { // else it is known who takes part
        blame(s, problem);
    }
    if (end == KAL_TOUCH_FOUND && !verify(s, problem)) {
        end = KAL_TOUCH_LOST;
    }
    const double size = kal_touch_size(s, problem->rows);
    for (int i = 0; i < problem->n; i++) {
        describe_touch(s, problem, i, size, &s->touches[i]);
    }
    unscale(s, problem);
    *out_answer = (KalTouchAnswer){.forces = s->forces,
                                   .rates = s->rates,
                                   .touches = s->touches,
                                   .blamed = s->blamed};
    return end;
}

KalLcp *kal_touch_lcp(KalTouchSolver *solver)
{
    return solver->lcp;
}
