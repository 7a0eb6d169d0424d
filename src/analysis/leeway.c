// SPDX-License-Identifier: MIT

// Ranges of rest under contacts and dry friction, theory (21.13).
//
// With the contacts closed that are so at the start, configurations with one way left to move
// are a curve.  At each of its points the laws of contact and friction say whether nothing
// accelerates, without velocities; what they decide is used as it is.  The curve is followed
// in both directions by small steps; where rest begins or ends, or where the acceleration
// along it changes its sign, the place is found by bisection.
//
// With several ways left there is a coordinate for each: that of which the rows, and the
// coordinates before it, leave most.  All of these but one are held as at the start, which
// leaves one way; so each of them has a curve.

#include "analysis/forms.h"
#include "base/arena.h"
#include "linalg/kernels.h"
#include "linalg/span.h"
#include "system/contact.h"
#include "system/draft.h"
#include "system/instant.h"
#include "system/start.h"

#include <kalaba/leeway.h>

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for states of rest";

enum {
    STEPS = 1000, // in each direction
    HALVINGS = 60,
    MOST_RANGES = 2 * STEPS + 2 // one a step, and one at the end
};

// A step along the curve, of the size of the coordinates or 1.
static const double STEP = 0.01;
// Accelerations up to this part of those that forces would give are none.
static const double REST = 1e-11;
// What is left of a row that depends on others.
static const double DEPENDENT = 1e-9;
// Other gaps may be negative by this.
static const double ENTERED = 1e-9;

struct KalLeeway {
    KalContext *ctx;
    const KalSystem *system;
    KalInstant *instant;
    KalArena *arena; // all that follows
    bool *active;    // m: constraints, and gaps of closed contacts
    bool *closed;    // contacts
    double *rows;    // n × n: orthonormal
    bool *held;      // n: coordinates that stay
    int *ways;       // n: coordinates of ways
    int most_ranges;
    int along;       // the coordinate of the way at hand, −1 if there is one way
    double *start;   // n, as what follows
    double *tangent; // of the curve, at the present place
    double *course;  // the same, at the start
    double *q;
    double *kept;
    bool undecided; // what lies next to the last end that was found
    KalRestRange *list;
    const char **names;
    KalRestRanges ranges;
};

// A place on the curve.
typedef struct Place {
    bool there;   // the curve leads to it
    bool rests;   // nothing accelerates
    double along; // the acceleration along the curve
} Place;

static KalStatus allocate(KalLeeway *w)
{
    assert(w->system->n > 0 && !w->arena);
    const size_t n = (size_t)w->system->n;
    const size_t contacts = w->system->model->n_contacts;
    KAL_TRY(kal_arena_create(w->ctx, SIZE_MAX / 2, &w->arena));
    w->active = kal_arena_alloc(w->arena, (size_t)w->system->m + 1, sizeof(bool));
    w->closed = kal_arena_alloc(w->arena, contacts + 1, sizeof(bool));
    w->rows = kal_arena_alloc(w->arena, n * n, sizeof(double));
    w->held = kal_arena_alloc(w->arena, n, sizeof(bool));
    w->ways = kal_arena_alloc(w->arena, n, sizeof(int));
    w->start = kal_arena_alloc(w->arena, 5 * n, sizeof(double));
    w->names = kal_arena_alloc(w->arena, contacts + 1, sizeof *w->names);
    if (!w->active || !w->closed || !w->rows || !w->held || !w->ways || !w->start
        || !w->names) {
        return kal_no_memory(w->ctx, PURPOSE);
    }
    w->tangent = w->start + n;
    w->course = w->start + 2 * n;
    w->q = w->start + 3 * n;
    w->kept = w->start + 4 * n;
    return KAL_OK;
}

// The row of a coordinate after others; 1 if it is independent of them.
static int add_coordinate(KalLeeway *w, int j, int count)
{
    const size_t n = (size_t)w->system->n;
    double *row = w->rows + (size_t)count * n;
    memset(row, 0, n * sizeof *row);
    row[j] = 1.0;
    return kal_span_add((int)n, w->rows, count, DEPENDENT);
}

// Rows of what acts in the present state and of coordinates that stay, orthonormal; and how many.
static KalStatus find_rows(KalLeeway *w, int *out_count)
{
    const int n = w->system->n;
    const size_t size = (size_t)n * sizeof(double);
    KalInstant *instant = w->instant;
    int count = 0;
    kal_instant_activate(instant, w->active);
    KAL_TRY(kal_instant_givens(instant));
    for (int i = 0; i < instant->n_active && count < n; i++) {
        memcpy(w->rows + (size_t)count * (size_t)n, instant->A + (size_t)i * (size_t)n,
               size);
        count += kal_span_add(n, w->rows, count, DEPENDENT);
    }
    for (int j = 0; j < n && count < n; j++) {
        count += w->held[j] ? add_coordinate(w, j, count) : 0;
    }
    *out_count = count;
    return KAL_OK;
}

// The tangent in the present state that goes on from the one before.
static KalStatus find_tangent(KalLeeway *w)
{
    const int n = w->system->n;
    int count = 0;
    KAL_TRY(find_rows(w, &count));
    kal_span_reduce(n, w->rows, count, w->tangent);
    const double length = kal_length(n, w->tangent);
    for (int j = 0; length > 0.0 && j < n; j++) {
        w->tangent[j] /= length;
    }
    return KAL_OK;
}

// A first tangent: what the rows leave most of a coordinate, which is returned.
static int choose_tangent(KalLeeway *w, int count)
{
    const int n = w->system->n;
    double longest = 0.0;
    int chosen = 0;
    for (int j = 0; j < n; j++) {
        memset(w->q, 0, (size_t)n * sizeof *w->q);
        w->q[j] = 1.0;
        kal_span_reduce(n, w->rows, count, w->q);
        const double length = kal_length(n, w->q);
        if (length > longest * (1.0 + DEPENDENT)) {
            longest = length;
            chosen = j;
            for (int k = 0; k < n; k++) {
                w->course[k] = w->q[k] / length;
            }
        }
    }
    return chosen;
}

// Whether no contact that is open is entered.
static KalStatus look_at_gaps(KalLeeway *w, bool *out_free)
{
    const KalModel *model = w->system->model;
    *out_free = true;
    KAL_TRY(kal_instant_evaluate(w->instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *values = (const KalContactValues *)w->instant->results;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const bool counts = model->contacts[i].gap != KAL_NO_GAP && !w->closed[i];
        *out_free = *out_free && !(counts && values[i].gap < -ENTERED);
    }
    return KAL_OK;
}

// The largest acceleration that forces alone would give a coordinate.
static double usual_acceleration(const KalInstant *instant)
{
    const size_t n = (size_t)instant->system->n;
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double mass = instant->M[j * (n + 1)];
        largest = mass > 0.0 ? fmax(largest, fabs(instant->Q[j]) / mass) : largest;
    }
    return largest;
}

// Where the laws have no answer, or several, nothing is known to rest.
static bool is_undecided(KalStatus status)
{
    return status == KAL_ERR_CONTRADICTION || status == KAL_ERR_NOT_UNIQUE
           || status == KAL_ERR_NUMBER;
}

// Judge the present positions, without velocities.
static KalStatus judge(KalLeeway *w, Place *out)
{
    const size_t n = (size_t)w->system->n;
    KalInstant *instant = w->instant;
    KalMotionAnswer answer;
    double largest = 0.0;
    memset(kal_instant_qd(instant), 0, n * sizeof(double));
    KAL_TRY(look_at_gaps(w, &out->there));
    instant->contacts.stale = true;
    const KalStatus status = kal_instant_solve(instant, &answer);
    if (is_undecided(status)) {
        *out = (Place){.there = out->there, .rests = false, .along = NAN};
        return KAL_OK;
    }
    KAL_TRY(status);
    for (size_t j = 0; j < n; j++) {
        largest = fmax(largest, fabs(answer.qdd[j]));
    }
    out->along = kal_dot(w->system->n, answer.qdd, w->tangent);
    KAL_TRY(kal_instant_need_givens(instant));
    out->rests = out->there && largest <= REST * usual_acceleration(instant);
    return KAL_OK;
}

// Go a way along the curve from a place and judge what is there.
static KalStatus go(KalLeeway *w, const double *from, double way, Place *out)
{
    const size_t n = (size_t)w->system->n;
    double *q = kal_instant_q(w->instant);
    bool met = true;
    memcpy(q, from, n * sizeof *q);
    KAL_TRY(find_tangent(w));
    for (size_t j = 0; j < n; j++) {
        q[j] += way * w->tangent[j];
    }
    const KalStatus status = kal_seek_near(w->instant, w->held, &met);
    if (is_undecided(status) || !met) {
        *out = (Place){.there = false, .rests = false, .along = NAN};
        return KAL_OK;
    }
    KAL_TRY(status);
    KAL_TRY(find_tangent(w));
    return judge(w, out);
}

// The last place in the direction of `way` that is as `from` is, at most that far: it rests, or
// accelerates to the same side.  The instant is there, and if nothing rests so far, beyond.
static KalStatus bisect(KalLeeway *w, const double *from, double way, bool rests,
                        double side, Place *out)
{
    double low = 0.0;
    double high = 1.0;
    w->undecided = false;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        KAL_TRY(go(w, from, middle * way, out));
        const bool same = rests ? out->rests : !out->rests && out->along * side > 0.0;
        w->undecided = same ? w->undecided : out->there && isnan(out->along);
        low = same ? middle : low;
        high = same ? high : middle;
        if (!rests && out->rests) {
            return KAL_OK; // between two sides
        }
    }
    return go(w, from, (rests ? low : high) * way, out);
}

static KalStatus keep_end(KalLeeway *w, const double **out_end)
{
    const size_t n = (size_t)w->system->n;
    double *end = kal_arena_alloc(w->arena, n, sizeof *end);
    if (!end) {
        return kal_no_memory(w->ctx, PURPOSE);
    }
    memcpy(end, kal_instant_q(w->instant), n * sizeof *end);
    *out_end = end;
    return KAL_OK;
}

// A coordinate in radians has gone half a turn from the start.
static bool has_turned(const KalLeeway *w)
{
    const KalModel *model = w->system->model;
    const double *q = kal_instant_q(w->instant);
    bool turned = false;
    for (size_t j = 0; j < (size_t)w->system->n; j++) {
        const char *unit = model->coordinates[j].unit;
        turned = turned
                 || (unit && strcmp(unit, "rad") == 0
                     && fabs(q[j] - w->start[j]) > acos(-1.0));
    }
    return turned;
}

// The end of a range that begins at `from`, which rests, no farther than one step.  It goes on
// if the laws do not tell.
static KalStatus find_end(KalLeeway *w, const double *from, double way,
                          const double **out_end, bool *out_goes_on)
{
    Place place;
    KAL_TRY(bisect(w, from, way, true, 0.0, &place));
    *out_goes_on = w->undecided;
    return keep_end(w, out_end);
}

static void add_range(KalLeeway *w, KalRestRange *range)
{
    assert(w->ranges.count < w->most_ranges);
    range->along = w->along;
    w->list[w->ranges.count++] = *range;
    *range = (KalRestRange){.from = NULL};
}

// A state of rest between two places, if there is one: it may be a short range.
static KalStatus find_between(KalLeeway *w, const double *from, double way, double side,
                              KalRestRange *range)
{
    Place place;
    KAL_TRY(bisect(w, from, way, false, side, &place));
    if (!place.rests) {
        return KAL_OK;
    }
    const double *middle = NULL;
    KAL_TRY(keep_end(w, &middle));
    KAL_TRY(find_end(w, middle, -way, &range->from, &range->from_goes_on));
    KAL_TRY(find_end(w, middle, way, &range->to, &range->to_goes_on));
    add_range(w, range);
    return KAL_OK;
}

// What lies between two places next to each other, of which the second is the present one.
static KalStatus compare(KalLeeway *w, const Place *before, const Place *now,
                         double way, KalRestRange *range)
{
    const size_t size = (size_t)w->system->n * sizeof(double);
    memcpy(w->q, kal_instant_q(w->instant), size);
    if (before->rests && !now->rests) {
        KAL_TRY(find_end(w, w->kept, way, &range->to, &range->to_goes_on));
        add_range(w, range);
    } else if (!before->rests && now->rests) {
        KAL_TRY(find_end(w, w->q, -way, &range->from, &range->from_goes_on));
    } else if (!before->rests && before->along * now->along < 0.0) {
        KAL_TRY(find_between(w, w->kept, way, before->along, range));
    }
    memcpy(kal_instant_q(w->instant), w->q, size);
    return find_tangent(w);
}

// The size of the coordinates of the start, at least 1.
static double size_of_start(const KalLeeway *w)
{
    double size = 1.0;
    for (size_t j = 0; j < (size_t)w->system->n; j++) {
        size = fmax(size, fabs(w->start[j]));
    }
    return size;
}

// To the end of the curve against its course, or of the search; which of the two it is, and after
// how many steps.
static KalStatus go_back(KalLeeway *w, double way, bool *out_ends, int *out_steps)
{
    const size_t size = (size_t)w->system->n * sizeof(double);
    Place place = {.there = true};
    memcpy(kal_instant_q(w->instant), w->start, size);
    memcpy(w->tangent, w->course, size);
    *out_steps = 0;
    while (*out_steps < STEPS && place.there && !has_turned(w)) {
        memcpy(w->kept, kal_instant_q(w->instant), size);
        KAL_TRY(go(w, w->kept, -way, &place));
        ++*out_steps;
    }
    *out_ends = !place.there;
    if (!place.there) {
        memcpy(kal_instant_q(w->instant), w->kept, size);
    }
    return find_tangent(w);
}

// The first end of a range that the curve begins with: `ends` says that it goes no further.
static KalStatus begin_range(KalLeeway *w, double way, bool ends, KalRestRange *range)
{
    const size_t size = (size_t)w->system->n * sizeof(double);
    range->from_goes_on = !ends;
    memcpy(w->kept, kal_instant_q(w->instant), size);
    KAL_TRY(ends ? find_end(w, w->kept, -way, &range->from, &range->from_goes_on)
                 : keep_end(w, &range->from));
    memcpy(kal_instant_q(w->instant), w->kept, size);
    return find_tangent(w);
}

// The last one, from the last place that was reached.
static KalStatus end_range(KalLeeway *w, const double *last, double way, bool ends,
                           KalRestRange *range)
{
    range->to_goes_on = !ends;
    memcpy(kal_instant_q(w->instant), last, (size_t)w->system->n * sizeof(double));
    KAL_TRY(ends ? find_end(w, last, way, &range->to, &range->to_goes_on)
                 : keep_end(w, &range->to));
    add_range(w, range);
    return KAL_OK;
}

// Follow the curve from one end to the other.
static KalStatus scan(KalLeeway *w)
{
    const size_t size = (size_t)w->system->n * sizeof(double);
    const double way = STEP * size_of_start(w);
    KalRestRange range = {.from = NULL};
    bool ends = false;
    int back = 0;
    Place before;
    KAL_TRY(go_back(w, way, &ends, &back));
    KAL_TRY(judge(w, &before));
    KAL_TRY(before.rests ? begin_range(w, way, ends, &range) : KAL_OK);
    Place now = before;
    for (int k = 0; k < back + STEPS && now.there; k++) {
        KAL_TRY(kal_ask(w->ctx));
        memcpy(w->kept, kal_instant_q(w->instant), size);
        KAL_TRY(go(w, w->kept, way, &now));
        ends = !now.there;
        now.there = now.there && !(k >= back && has_turned(w));
        KAL_TRY(now.there ? compare(w, &before, &now, way, &range) : KAL_OK);
        before = now.there ? now : before;
    }
    const double *last = now.there ? w->q : w->kept;
    return before.rests ? end_range(w, last, way, ends, &range) : KAL_OK;
}

// One state alone.
static KalStatus look_here(KalLeeway *w)
{
    KalRestRange range = {.from = NULL};
    Place place;
    KAL_TRY(judge(w, &place));
    if (place.rests) {
        KAL_TRY(keep_end(w, &range.from));
        range.to = range.from;
        add_range(w, &range);
    }
    return KAL_OK;
}

// Which contacts are closed at the start, and the constraints that act then.
static KalStatus note_closed(KalLeeway *w)
{
    const KalModel *model = w->system->model;
    KalInstant *instant = w->instant;
    memcpy(w->active, instant->active, (size_t)w->system->m * sizeof(bool));
    KAL_TRY(kal_instant_givens(instant));
    for (int i = 0; i < w->system->m; i++) {
        w->active[i] = w->active[i] && model->constraints[i].role == KAL_ROLE_USUAL;
    }
    for (size_t i = 0; i < model->n_contacts; i++) {
        KalContactPlace place;
        KAL_TRY(kal_contact_look(instant, i, &place));
        w->closed[i] = place.touches;
        if (w->closed[i]) {
            w->active[model->contacts[i].gap] = true;
            w->names[w->ranges.n_closed++] = model->contacts[i].name;
        }
    }
    return KAL_OK;
}

static KalStatus refuse_time(KalLeeway *w)
{
    KalDraft draft = {.model = NULL};
    bool found = false;
    KalStatus status = kal_draft_init(&draft, w->ctx, w->system);
    status = status == KAL_OK ? kal_find_time(&draft.system, draft.equations.Q, &found)
                              : status;
    kal_draft_clear(&draft);
    KAL_TRY(status);
    return found ? kal_fail(w->ctx, KAL_ERR_FORMULATION,
                            "the equations depend on time: there are no states of rest")
                 : KAL_OK;
}

// A coordinate for each way that the rows leave.
static void choose_ways(KalLeeway *w, int count)
{
    for (int k = 0; k < w->ranges.freedom; k++) {
        w->ways[k] = choose_tangent(w, count + k);
        (void)add_coordinate(w, w->ways[k], count + k);
    }
}

// Along each way, while the coordinates of the others stay.
static KalStatus scan_ways(KalLeeway *w)
{
    const size_t size = (size_t)w->system->n * sizeof(double);
    for (int k = 0; k < w->ranges.freedom; k++) {
        int count = 0;
        for (int other = 0; other < w->ranges.freedom; other++) {
            w->held[w->ways[other]] = other != k;
        }
        memcpy(kal_instant_q(w->instant), w->start, size);
        KAL_TRY(find_rows(w, &count));
        (void)choose_tangent(w, count);
        w->along = w->ways[k];
        KAL_TRY(scan(w));
    }
    return KAL_OK;
}

static KalStatus make_list(KalLeeway *w)
{
    const size_t ways = w->ranges.freedom > 1 ? (size_t)w->ranges.freedom : 1;
    w->most_ranges = MOST_RANGES * (int)ways;
    w->list = kal_arena_alloc(w->arena, MOST_RANGES * ways, sizeof *w->list);
    return w->list ? KAL_OK : kal_no_memory(w->ctx, PURPOSE);
}

// With one way to move, states of rest are sought along it, with several along each; with none,
// the start is the only candidate.
static KalStatus find(KalLeeway *w, const char *at)
{
    assert(w->instant);
    const size_t n = (size_t)w->system->n;
    KalStartReport report;
    int count = 0;
    KAL_TRY(refuse_time(w));
    KAL_TRY(kal_instant_start_from(w->instant, at, &report));
    memset(kal_instant_qd(w->instant), 0, n * sizeof(double));
    memcpy(w->start, kal_instant_q(w->instant), n * sizeof(double));
    KAL_TRY(note_closed(w));
    KAL_TRY(find_rows(w, &count));
    w->ranges.freedom = w->system->n - count;
    w->along = -1;
    KAL_TRY(make_list(w));
    if (w->ranges.freedom == 0) {
        return look_here(w);
    }
    choose_ways(w, count);
    return w->ranges.freedom > 1 ? scan_ways(w) : scan(w);
}

bool kal_leeway_applies(const KalSystem *system)
{
    return system && system->model->n_contacts > 0;
}

KalStatus kal_leeway_find(KalContext *ctx, const KalSystem *system, const char *at,
                          KalLeeway **out_leeway)
{
    KAL_NEED(ctx, ctx && system && out_leeway);
    KalLeeway *w = KAL_NEW(ctx, KalLeeway);
    if (!w) {
        return kal_no_memory(ctx, PURPOSE);
    }
    w->ctx = ctx;
    w->system = system;
    KalStatus status =
        kal_instant_create_dense(ctx, system, "a search for rest", &w->instant);
    status = status == KAL_OK ? allocate(w) : status;
    status = status == KAL_OK ? find(w, at) : status;
    if (status != KAL_OK) {
        kal_leeway_destroy(w);
        return status;
    }
    *out_leeway = w;
    return KAL_OK;
}

void kal_leeway_destroy(KalLeeway *leeway)
{
    if (leeway) {
        kal_instant_destroy(leeway->instant);
        kal_arena_destroy(leeway->arena);
        kal_free(leeway->ctx, leeway, sizeof *leeway);
    }
}

KalRestRanges kal_leeway_ranges(const KalLeeway *leeway)
{
    if (!leeway) {
        return (KalRestRanges){.count = 0};
    }
    KalRestRanges ranges = leeway->ranges;
    ranges.list = leeway->list;
    ranges.closed = leeway->names;
    ranges.ways = leeway->ways;
    return ranges;
}
