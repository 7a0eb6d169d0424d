// SPDX-License-Identifier: MIT

// The search for equilibria and steady motions: from the start of the model, from places of
// a grid and from places drawn at random (multistart), theory, section 18.  What is found is
// brought into bounds, compared with what is known, and judged by its modes.  Nothing proves
// that all were found; the same seed finds the same.
//
// Where equilibria form families one of each connected part is listed: a walk along the
// family tells whether two belong together.

#include "analysis/balance.h"
#include "analysis/pencil.h"
#include "analysis/where.h"
#include "base/texts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for equilibria";

enum {
    DEFAULT_STARTS = 31,
    MOST_STARTS = 1000000,
    SAMPLES = 3,          // states that decide which coordinates are ignorable
    KEPT_BYTES = 1 << 26, // for what was found
};

// Numbers of two states that differ by less, relative to their size or to 1, are equal.
static const double SAME = 1e-6;

// A search.
typedef struct Search {
    KalAnalysis *a;
    KalBalancer *b;
    KalEquilibriumOptions options;
    KalBounds bounds;
    bool *ignorable; // n
    double *start;   // 2n: of the model
    double *y;       // 2n
    uint64_t random;
    int states; // at the start
    KalEquilibria result;
} Search;

// Uniform in 0 … 1, from the state of a counter: SplitMix64 (Steele, Lea, Flood, 2014).
static double draw(Search *s)
{
    s->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = s->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

// Position i is declared in radians.
static bool is_angle(const Search *s, int i)
{
    assert(i >= 0 && i < 2 * s->a->system->n);
    const int n = s->a->system->n;
    const char *unit = s->a->system->model->coordinates[i % n].unit;
    return i < n && unit && strcmp(unit, "rad") == 0;
}

// A place to begin at: within bounds where there are any, else about the start; angles
// are anywhere.
static void scatter(Search *s, double spread)
{
    const int n = s->a->system->n;
    const double pi = acos(-1.0);
    double *y = kal_instant_q(s->a->instant);
    for (int i = 0; i < 2 * n; i++) {
        const double low = s->bounds.low[i];
        const double high = s->bounds.high[i];
        const double at = draw(s);
        assert(at >= 0.0 && at < 1.0 && low <= high);
        if (isfinite(low) && isfinite(high)) {
            y[i] = low + at * (high - low);
        } else if (is_angle(s, i)) {
            y[i] = pi * (2.0 * at - 1.0);
        } else {
            y[i] =
                s->start[i] + spread * fmax(1.0, fabs(s->start[i])) * (2.0 * at - 1.0);
        }
    }
}

// Which coordinates nothing depends on, at the present state; all others lose their mark.
static KalStatus unmark(Search *s)
{
    KalAnalysis *a = s->a;
    KalLinearization l;
    KAL_TRY(kal_analysis_linearize(a, &l));
    memset(a->linear.driven, 0, (size_t)a->linear.n_states * sizeof *a->linear.driven);
    kal_analysis_mark_ignorable(a, a->linear.driven);
    for (int k = 0; k < a->linear.n_positions; k++) {
        s->ignorable[a->linear.state[k]] =
            s->ignorable[a->linear.state[k]] && a->linear.driven[k];
    }
    return KAL_OK;
}

// Coordinates that are ignorable at the start and at some states about it.
static KalStatus find_ignorable(Search *s)
{
    KalInstant *instant = s->a->instant;
    const size_t n = (size_t)s->a->system->n;
    memset(s->ignorable, 1, n * sizeof *s->ignorable);
    KAL_TRY(unmark(s));
    s->b->steady = true;
    for (int k = 0; k < SAMPLES; k++) {
        bool met = false;
        scatter(s, 0.3);
        KAL_TRY(kal_balancer_settle(s->b, &met));
        if (met && unmark(s) == KAL_ERR_NOMEM) {
            return KAL_ERR_NOMEM;
        }
    }
    memcpy(kal_instant_q(instant), s->start, 2 * n * sizeof(double));
    return KAL_OK;
}

// As the options ask.
static bool is_balanced(const Search *s, const KalLinearization *l)
{
    return s->b->steady ? l->steady : l->at_rest;
}

// Bring an angle into its bounds, or to −π … π, if the system is the same there.
static KalStatus turn_back(Search *s, int i)
{
    assert(i >= 0 && i < s->a->system->n && !s->a->pencil);
    const double turn = 2.0 * acos(-1.0);
    const bool bounded = isfinite(s->bounds.low[i]);
    double *y = kal_instant_q(s->a->instant);
    const double turns = bounded ? ceil((s->bounds.low[i] - y[i]) / turn - SAME)
                                 : -ceil(y[i] / turn - 0.5 - SAME);
    const double kept = y[i];
    KalLinearization l;
    if (turns == 0.0 || !is_angle(s, i)) {
        return KAL_OK;
    }
    y[i] += turns * turn;
    const KalStatus status = kal_analysis_linearize(s->a, &l);
    if (status != KAL_OK || !is_balanced(s, &l)) {
        y[i] = kept;
    }
    return status == KAL_ERR_NOMEM ? status : KAL_OK;
}

// Where constraints are dependent but for rounding they seem to hold everything: then
// there are fewer states than usual, and no equilibrium is proven.
static bool is_inside(const Search *s)
{
    const double *y = kal_instant_q(s->a->instant);
    if (!s->a->pencil && s->a->linear.n_states < s->states) {
        return false;
    }
    for (int i = 0; i < 2 * s->a->system->n; i++) {
        const double slack = SAME * fmax(1.0, fabs(y[i]));
        if (y[i] < s->bounds.low[i] - slack || y[i] > s->bounds.high[i] + slack) {
            return false;
        }
    }
    return true;
}

// Whether two states are one; ignorable coordinates do not count, and a turn is nothing
// for an angle that was brought to one end of its range.
static bool is_same(const Search *s, const double *x, const double *y)
{
    const int n = s->a->system->n;
    const double turn = 2.0 * acos(-1.0);
    for (int i = 0; i < 2 * n; i++) {
        const double d = fabs(x[i] - y[i]);
        const double most = SAME * fmax(1.0, fmax(fabs(x[i]), fabs(y[i])));
        const bool turned =
            is_angle(s, i) && fabs(d - turn) <= most && !isfinite(s->bounds.low[i]);
        if (d > most && !turned && !(i < n && s->options.steady && s->ignorable[i])) {
            return false;
        }
    }
    return true;
}

// What was found so far.
static const KalEquilibrium *list(const Search *s)
{
    return (const KalEquilibrium *)s->a->search.found.data;
}

// Whether the present state is in the list already.
static bool is_listed(const Search *s)
{
    const double *y = kal_instant_q(s->a->instant);
    for (int k = 0; k < s->result.count; k++) {
        if (is_same(s, list(s)[k].q, y)) { // velocities follow coordinates
            return true;
        }
    }
    return false;
}

// Whether it belongs to a family that is in the list, in a part that is as stable.
static KalStatus is_related(Search *s, const KalModes *modes, bool *out_related)
{
    const size_t size = 2 * (size_t)s->a->system->n * sizeof(double);
    double *y = kal_instant_q(s->a->instant);
    memcpy(s->y, y, size);
    *out_related = false;
    for (int k = 0; k < s->result.count && !*out_related; k++) {
        const KalEquilibrium *other = &list(s)[k];
        if (modes->family == 0 || other->family != modes->family
            || other->stability != modes->stability) {
            continue;
        }
        KAL_TRY(kal_balancer_walk(s->b, other->q, s->y, out_related));
    }
    memcpy(y, s->y, size);
    return KAL_OK;
}

// The reason of a verdict, with what there is to say against it.
static KalStatus compose(Search *s, const char *reason, const char **out_reason)
{
    assert(reason && s->a->search.kept);
    const char *kinks = NULL;
    const char *but =
        "; but the equations have a kink or a jump here, and this is true "
        "of one side: ";
    KAL_TRY(kal_analysis_kinks(s->a, &kinks));
    const size_t room = strlen(reason) + (kinks ? strlen(but) + strlen(kinks) : 0) + 1;
    char *text = (char *)kal_arena_alloc(s->a->search.kept, room, 1);
    if (!text) {
        return kal_no_memory(s->a->ctx, PURPOSE);
    }
    (void)snprintf(text, room, "%s%s%s", reason, kinks ? but : "", kinks ? kinks : "");
    *out_reason = text;
    return KAL_OK;
}

// Add the present state with what the modes say about it.
static KalStatus add(Search *s, const KalModes *modes)
{
    KalAnalysis *a = s->a;
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const char *reason = NULL;
    KAL_TRY(compose(s, modes->reason, &reason));
    double *numbers =
        (double *)kal_arena_alloc(a->search.kept, 3 * n + m, sizeof *numbers);
    bool *shared = (bool *)kal_arena_alloc(a->search.kept, m + 1, sizeof *shared);
    if (!numbers || !shared) {
        return kal_no_memory(s->a->ctx, PURPOSE);
    }
    memcpy(numbers, kal_instant_q(a->instant), 2 * n * sizeof *numbers);
    for (size_t i = 0; i < n; i++) {
        numbers[2 * n + i] = a->answer.force_ideal[i] + a->answer.force_nonideal[i];
    }
    for (int k = 0; k < a->instant->n_active; k++) {
        numbers[3 * n + (size_t)a->instant->rows[k]] = a->answer.multipliers[k];
        shared[a->instant->rows[k]] = a->answer.dependent_set[k] >= 0;
    }
    KAL_TRY(kal_instant_evaluate(a->instant, KAL_PROGRAM_ENERGY));
    const KalEquilibrium entry = {.q = numbers,
                                  .qd = numbers + n,
                                  .force = numbers + 2 * n,
                                  .multipliers = numbers + 3 * n,
                                  .shared = shared,
                                  .potential = a->instant->results[1],
                                  .stability = modes->stability,
                                  .decays = modes->decays,
                                  .family = modes->family,
                                  .reason = reason};
    KAL_TRY(kal_block_add(a->ctx, &a->search.found, &entry, sizeof entry));
    s->result.count++;
    assert((size_t)s->result.count * sizeof entry == a->search.found.size);
    return KAL_OK;
}

// Modes on the leaf that the state is on; a family goes through all leaves.
static KalStatus find_modes(Search *s, KalModes *modes)
{
    KalAnalysis *a = s->a;
    KalModes whole = {.family = 0};
    KAL_TRY(kal_analysis_modes(a, &whole));
    assert(a->chart.all_leaves);
    a->chart.all_leaves = false;
    const KalStatus status = kal_analysis_modes(a, modes);
    a->chart.all_leaves = true;
    modes->family = whole.family;
    s->b->steady = s->options.steady;
    s->b->ignorable = s->ignorable;
    return status;
}

// Modes of a large system, unless its energy has told already.  Where they are not found, which is
// where very many coincide, the state is one of rest all the same.
static KalStatus judge_large(Search *s, KalModes *modes)
{
    bool minimum = false;
    *modes =
        (KalModes){.stability = KAL_STABILITY_STABLE,
                   .reason = "the potential energy has a minimum on the constraints"};
    KAL_TRY(kal_pencil_is_minimum(s->a->pencil, &minimum));
    const KalStatus status = minimum ? KAL_OK : kal_analysis_modes(s->a, modes);
    if (status != KAL_ERR_NUMBER && status != KAL_ERR_LIMIT) {
        return status;
    }
    *modes = (KalModes){.stability = KAL_STABILITY_UNDECIDED,
                        .reason = "its modes could not be found"};
    return kal_pencil_look(s->a->pencil, true);
}

// The same in a large system, where no families are sought.
static KalStatus take_large(Search *s)
{
    KalModes modes;
    if (!is_inside(s) || is_listed(s)) {
        return KAL_OK;
    }
    KAL_TRY(judge_large(s, &modes));
    return add(s, &modes);
}

// Take the balanced state that was arrived at, unless it is known or out of bounds.
static KalStatus take(Search *s)
{
    assert(s->result.count < KAL_EQUILIBRIA_LIMIT);
    if (s->a->pencil) {
        return take_large(s);
    }
    KalModes modes;
    bool related = false;
    for (int i = 0; i < s->a->system->n; i++) {
        KAL_TRY(turn_back(s, i));
    }
    KAL_TRY(kal_balancer_clean(s->b));
    if (!is_inside(s) || is_listed(s)) {
        return KAL_OK;
    }
    KAL_TRY(find_modes(s, &modes));
    if (s->options.each) {
        return add(s, &modes);
    }
    KAL_TRY(is_related(s, &modes, &related));
    if (related) {
        return KAL_OK;
    }
    KAL_TRY(find_modes(s, &modes)); // the walk has been elsewhere
    return add(s, &modes);
}

// Seek from the present state; steady motions with the speeds that they have, if possible.
static KalStatus seek(Search *s, bool *out_found)
{
    if (s->a->pencil) {
        return kal_pencil_seek_rest(s->a->pencil, out_found);
    }
    KalBalancer *b = s->b;
    const size_t size = 2 * (size_t)s->a->system->n * sizeof(double);
    double *y = kal_instant_q(s->a->instant);
    assert(s->y);
    memcpy(s->y, y, size);
    b->steady = s->options.steady;
    b->ignorable = s->ignorable;
    b->hold_speeds = true;
    KAL_TRY(kal_balancer_seek(b, out_found));
    b->hold_speeds = false;
    if (!*out_found && b->steady) {
        memcpy(y, s->y, size);
        return kal_balancer_seek(b, out_found);
    }
    return KAL_OK;
}

// Search from the present state.  That nothing can be said there is no failure.
static KalStatus search_here(Search *s)
{
    bool found = false;
    KAL_TRY(seek(s, &found));
    s->result.starts++;
    s->result.arrived += found;
    const KalStatus status = found ? take(s) : KAL_OK;
    return status == KAL_ERR_NOMEM || status == KAL_ERR_LIMIT
                   || status == KAL_ERR_INTERRUPTED
               ? status
               : KAL_OK;
}

// Places of the grid that cannot be brought onto the constraints count for nothing.
static KalStatus search_grid(Search *s)
{
    for (size_t k = 0; k < s->options.n_grid && s->result.count < KAL_EQUILIBRIA_LIMIT;
         k++) {
        KAL_TRY(kal_ask(s->a->ctx));
        const KalStatus status = kal_analysis_bring(s->a, s->options.grid[k]);
        if (status != KAL_OK && status != KAL_ERR_CONTRADICTION) {
            return status;
        }
        KAL_TRY(status == KAL_OK ? search_here(s) : KAL_OK);
    }
    return kal_analysis_place(s->a, NULL, NULL);
}

// Spreads of three sizes in turn: near states and far ones.
static KalStatus search_all(Search *s)
{
    static const double spreads[] = {1.0, 0.3, 3.0};
    KAL_TRY(search_grid(s));
    for (int k = 0; k < s->options.starts && s->result.count < KAL_EQUILIBRIA_LIMIT;
         k++) {
        KAL_TRY(kal_ask(s->a->ctx));
        if (k > 0) {
            scatter(s, spreads[k % 3]);
        }
        KAL_TRY(search_here(s));
    }
    return KAL_OK;
}

// Forget what was found before; go to the start; read bounds.
static KalStatus prepare(Search *s)
{
    KalAnalysis *a = s->a;
    const size_t n = (size_t)a->system->n;
    kal_arena_destroy(a->search.kept);
    a->search.kept = NULL;
    a->search.found.size = 0;
    KAL_TRY(kal_arena_create(a->ctx, KEPT_BYTES, &a->search.kept));
    double *numbers = (double *)kal_arena_alloc(a->search.kept, 8 * n, sizeof *numbers);
    s->ignorable = (bool *)kal_arena_alloc(a->search.kept, n, sizeof *s->ignorable);
    if (!numbers || !s->ignorable) {
        return kal_no_memory(s->a->ctx, PURPOSE);
    }
    s->bounds = (KalBounds){.low = numbers, .high = numbers + 2 * n};
    s->start = numbers + 4 * n;
    s->y = numbers + 6 * n;
    KAL_TRY(a->pencil ? KAL_OK : kal_analysis_balancer(a, &s->b));
    KAL_TRY(kal_analysis_place(a, NULL, NULL));
    a->chart.all_leaves = true;
    memcpy(s->start, kal_instant_q(a->instant), 2 * n * sizeof *s->start);
    if (!a->pencil && kal_analysis_count_states(a, &s->states) == KAL_ERR_NOMEM) {
        return KAL_ERR_NOMEM;
    }
    KAL_TRY(kal_bounds_read(a->instant, s->options.where, &s->bounds));
    return s->options.steady ? find_ignorable(s) : KAL_OK;
}

KalStatus kal_analysis_equilibria(KalAnalysis *a, const KalEquilibriumOptions *options,
                                  KalEquilibria *out_equilibria)
{
    KAL_NEED(a ? a->ctx : NULL, a && options && out_equilibria
                                    && kal_has_texts(options->grid, options->n_grid));
    Search s = {.a = a, .options = *options, .random = options->seed};
    if (!a->forms.timeless) {
        return kal_fail(a->ctx, KAL_ERR_USAGE,
                        "the equations depend on time: there are no equilibria");
    }
    if (a->pencil && options->steady) {
        return kal_fail(a->ctx, KAL_ERR_LIMIT,
                        "steady motions are sought in systems of up to %d coordinates "
                        "and constraints",
                        KAL_ANALYSIS_LIMIT);
    }
    if (options->starts < 0 || options->starts > MOST_STARTS) {
        return kal_fail(a->ctx, KAL_ERR_USAGE, "the number of starts is 1 to %d",
                        MOST_STARTS);
    }
    if (options->starts == 0 && options->n_grid == 0) {
        s.options.starts = options->steady || a->pencil ? 1 : DEFAULT_STARTS;
    }
    KalStatus status = prepare(&s);
    if (status == KAL_OK) {
        status = search_all(&s);
    }
    a->chart.all_leaves = false;
    KAL_TRY(status);
    s.result.list = list(&s);
    *out_equilibria = s.result;
    return KAL_OK;
}

KalStatus kal_analysis_go(KalAnalysis *a, int number)
{
    KAL_NEED(a ? a->ctx : NULL, a);
    const int count = (int)(a->search.found.size / sizeof(KalEquilibrium));
    if (number < 1 || number > count) {
        return kal_fail(a->ctx, KAL_ERR_USAGE,
                        "there is no equilibrium %d: %d %s found", number, count,
                        count == 1 ? "was" : "were");
    }
    const KalEquilibrium *found =
        (const KalEquilibrium *)a->search.found.data + number - 1;
    memcpy(kal_instant_q(a->instant), found->q,
           2 * (size_t)a->system->n * sizeof(double));
    return KAL_OK;
}
