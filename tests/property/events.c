// SPDX-License-Identifier: MIT

// Random events against a reference that shares nothing with the library.  Forces are constant
// but for one that begins at a time, so positions are parabolas, in long double; functions of
// events are sampled closely, and zeros halved down.  Compared are the events that happen,
// their order and times, and the state at the end.  Models in which an event lies on the edge
// (a dip that comes near zero, two events at once, more than a few) decide nothing.
// KAL_PROPERTY_PROBLEMS sets how many models there are, KAL_PROPERTY_FIRST the first.

#include "rng.h"
#include "run_lab.h"

#include <stdarg.h>

enum {
    MOST = 3,        // coordinates or events
    HAPPENINGS = 12, // in a run
    SAMPLES = 6000,  // of a run
    TEXT = 4000,
    SHOWN = 5
};

typedef long double Real;

static const Real END = 2.0L;
// Nearer than this to zero, or to each other, decides nothing.
static const Real EDGE = 1e-6L;
// Nor do events that follow each other sooner, which pile up perhaps.
static const Real PAUSE = 3e-3L;

typedef enum Shape {
    LINE,    // q - c
    PRODUCT, // (q - c) (p - d)
    WAVE,    // q + d sin(9 t) - c
    SQUARE,  // (q - c)² - d², d ≥ 0
    TOUCH,   // (q - c)²
    CORNER,  // |q - c|
    CLOCK,   // t - c
    SHAPES
} Shape;

typedef struct Event {
    Shape shape;
    int q;
    int p;
    double c;
    double d;
    int way;       // -1, 0, 1 as it falls, both, rises
    int changes;   // the coordinate whose velocity it sets
    double factor; // of the velocity before
    double push;   // added to it
} Event;

typedef struct Happening {
    int event;
    Real t;
} Happening;

// A model, and where the reference is in it.
typedef struct Scene {
    Rng rng;
    int n;
    int n_events;
    double force[MOST];
    double late; // more force on the first coordinate, after `begin`
    double begin;
    double q0[MOST];
    double v0[MOST];
    Event events[MOST];
    Real t;
    Real q[MOST];
    Real v[MOST];
    int side[MOST]; // 0: has to leave zero
    Happening list[HAPPENINGS];
    int count;
    bool clear;
    char text[TEXT];
    size_t used;
} Scene;

static int shown;

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static void say(Scene *s, const char *format, ...) KAL_PRINTF(2, 3);

static void say(Scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->used += (size_t)vsnprintf(s->text + s->used, TEXT - s->used, format, args);
    va_end(args);
}

static double number(Scene *s, double size)
{
    return round(1000.0 * size * rng_entry(&s->rng)) / 1000.0;
}

static void say_event(Scene *s, int k)
{
    static const char *const ways[] = {"falling ", "", "rising "};
    const Event *e = &s->events[k];
    char function[200];
    switch (e->shape) {
    case LINE: snprintf(function, sizeof function, "x%d - (%.3f)", e->q, e->c); break;
    case PRODUCT:
        snprintf(function, sizeof function, "(x%d - (%.3f))*(x%d - (%.3f))", e->q, e->c,
                 e->p, e->d);
        break;
    case WAVE:
        snprintf(function, sizeof function, "x%d + %.3f*sin(9*t) - (%.3f)", e->q, e->d,
                 e->c);
        break;
    case SQUARE:
        snprintf(function, sizeof function, "(x%d - (%.3f))^2 - %.3f^2", e->q, e->c,
                 e->d);
        break;
    case TOUCH:
        snprintf(function, sizeof function, "(x%d - (%.3f))^2", e->q, e->c);
        break;
    case CORNER:
        snprintf(function, sizeof function, "abs(x%d - (%.3f))", e->q, e->c);
        break;
    default: snprintf(function, sizeof function, "t - (%.3f)", e->c); break;
    }
    say(s, "event e%d: %s %sset x%d' = (%.3f)*x%d' + (%.3f)\n", k, function,
        ways[e->way + 1], e->changes, e->factor, e->changes, e->push);
}

static void make(Scene *s, uint64_t seed)
{
    *s = (Scene){.rng = {seed}, .clear = true};
    s->n = rng_int(&s->rng, 1, MOST);
    s->n_events = rng_int(&s->rng, 1, MOST);
    s->late = number(s, 5.0);
    s->begin = 1.0 + number(s, 0.9);
    for (int i = 0; i < s->n; i++) {
        s->force[i] = number(s, 6.0);
        s->q0[i] = number(s, 1.0);
        s->v0[i] = number(s, 3.0);
        say(s, "coord x%d\nkinetic 1/2*x%d'^2\n", i, i);
        say(s, "force x%d = %.3f%s", i, s->force[i], i > 0 ? "\n" : "");
        if (i == 0) {
            say(s, " + if(t > %.3f, %.3f, 0)\n", s->begin, s->late);
        }
        say(s, "init x%d = %.3f, x%d' = %.3f\n", i, s->q0[i], i, s->v0[i]);
    }
    for (int k = 0; k < s->n_events; k++) {
        Event *e = &s->events[k];
        e->shape = (Shape)rng_int(&s->rng, 0, SHAPES - 1);
        e->q = rng_int(&s->rng, 0, s->n - 1);
        e->p = rng_int(&s->rng, 0, s->n - 1);
        e->c = e->shape == CLOCK ? 1.0 + number(s, 0.9) : number(s, 2.0);
        e->d = fabs(number(s, 1.0));
        e->way = rng_int(&s->rng, -1, 1);
        e->changes = rng_int(&s->rng, 0, s->n - 1);
        e->factor = -fabs(number(s, 0.9));
        e->push = rng_int(&s->rng, 0, 1) == 0 ? 0.0 : number(s, 2.0);
        say_event(s, k);
    }
    say(s, "simulate 0 .. 2 every %.3f\n", 0.02 + 0.3 * rng_unit(&s->rng));
}

// The state a time after that of the scene.
static Real place(const Scene *s, int i, Real dt, Real *out_v)
{
    const Real t0 = s->t;
    const Real late = i == 0 ? (Real)s->late : 0.0L;
    const Real since = fmaxl(0.0L, t0 + dt - fmaxl(t0, (Real)s->begin));
    const Real f = (Real)s->force[i];
    if (out_v) {
        *out_v = s->v[i] + f * dt + late * since;
    }
    return s->q[i] + s->v[i] * dt + 0.5L * (f * dt * dt + late * since * since);
}

static Real value(const Scene *s, int k, Real dt)
{
    const Event *e = &s->events[k];
    const Real off = place(s, e->q, dt, NULL) - (Real)e->c;
    switch (e->shape) {
    case PRODUCT: return off * (place(s, e->p, dt, NULL) - (Real)e->d);
    case WAVE: return off + (Real)e->d * sinl(9.0L * (s->t + dt));
    case SQUARE: return off * off - (Real)e->d * (Real)e->d;
    case TOUCH: return off * off;
    case CORNER: return fabsl(off);
    case CLOCK: return s->t + dt - (Real)e->c;
    default: return off;
    }
}

// What has a zero where a touch has one, and changes its sign there.
static Real root(const Scene *s, int k, Real dt)
{
    const Shape shape = s->events[k].shape;
    return shape == TOUCH || shape == CORNER
               ? place(s, s->events[k].q, dt, NULL) - (Real)s->events[k].c
               : value(s, k, dt);
}

static Real halve(const Scene *s, int k, Real a, Real b)
{
    const bool rises = root(s, k, a) < 0.0L;
    for (int i = 0; i < 80; i++) {
        const Real middle = 0.5L * (a + b);
        if ((root(s, k, middle) < 0.0L) == rises) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return b;
}

// Whether a function comes near zero between two samples without a change of its sign, or
// with two: the least of a few more samples.
static bool is_edgy(const Scene *s, int k, Real a, Real b)
{
    const Real left = root(s, k, a);
    const Real right = root(s, k, b);
    const Real slope = fabsl(right - left) + EDGE;
    if (fminl(fabsl(left), fabsl(right)) > 4.0L * slope) {
        return false;
    }
    for (int i = 1; i < 20; i++) {
        const Real between = root(s, k, a + (b - a) * (Real)i / 20.0L);
        if (fabsl(between) < 10.0L * EDGE || (between < 0.0L) != (left < 0.0L)) {
            return true;
        }
    }
    return fminl(fabsl(left), fabsl(right)) < 10.0L * EDGE;
}

// The first zero of function k that counts between two times; b if there is none.
static Real look(Scene *s, int k, Real a, Real b, bool *out_found)
{
    const bool touches = s->events[k].shape == TOUCH || s->events[k].shape == CORNER;
    const Real left = root(s, k, a);
    const Real right = root(s, k, b);
    *out_found = false;
    if (s->side[k] == 0) {
        const int side = value(s, k, b) > 0.0L ? 1 : -1;
        s->side[k] = fabsl(right) > EDGE ? side : 0;
        return b;
    }
    if ((left < 0.0L) == (right < 0.0L)) {
        s->clear = s->clear && !is_edgy(s, k, a, b);
        return b;
    }
    const int way = -s->side[k];
    *out_found = s->events[k].way == 0 || s->events[k].way == way;
    s->side[k] = touches || *out_found ? s->side[k] : way;
    return *out_found ? halve(s, k, a, b) : b;
}

static void move(Scene *s, Real dt)
{
    for (int i = 0; i < s->n; i++) {
        Real v;
        s->q[i] = place(s, i, dt, &v);
        s->v[i] = v;
    }
    s->t += dt;
}

static void happen(Scene *s, int k, Real dt)
{
    const Event *e = &s->events[k];
    move(s, dt);
    s->v[e->changes] = (Real)e->factor * s->v[e->changes] + (Real)e->push;
    s->clear = s->clear && s->count < HAPPENINGS && fabsl(s->v[e->changes]) > 0.05L
               && (s->count == 0 || s->t - s->list[s->count - 1].t > PAUSE);
    if (s->clear) {
        s->list[s->count++] = (Happening){k, s->t};
    }
    for (int j = 0; j < s->n_events; j++) {
        // Those that are away from zero stay on their side: positions do not jump.
        s->clear = s->clear && (j == k || fabsl(root(s, j, 0.0L)) > EDGE);
    }
    s->side[k] = 0;
}

// From the present to the next event or the end; false at the end.
static bool go_on(Scene *s)
{
    const Real step = END / SAMPLES;
    for (Real dt = 0.0L; s->clear && s->t + dt < END; dt += step) {
        const Real next = fminl(dt + step, END - s->t);
        Real first = next;
        int which = -1;
        for (int k = 0; k < s->n_events; k++) {
            bool found = false;
            const Real t = look(s, k, dt, next, &found);
            if (found) {
                s->clear = s->clear && (which < 0 || fabsl(t - first) > EDGE);
                which = which < 0 || t < first ? k : which;
                first = fminl(t, first);
            }
        }
        if (which >= 0) {
            happen(s, which, first);
            return true;
        }
    }
    move(s, END - s->t);
    return false;
}

static void solve(Scene *s)
{
    for (int i = 0; i < s->n; i++) {
        s->q[i] = (Real)s->q0[i];
        s->v[i] = (Real)s->v0[i];
    }
    for (int k = 0; k < s->n_events; k++) {
        const Real start = value(s, k, 0.0L);
        s->side[k] = start > 0.0L ? 1 : -1;
        s->clear = s->clear && fabsl(root(s, k, 0.0L)) > 0.01L;
    }
    while (s->clear && go_on(s)) {
    }
}

static void complain(const Scene *s, uint64_t seed, const char *what)
{
    tap_failures++;
    if (++shown > SHOWN) {
        return;
    }
    printf("# model %llu: %s; events should be", (unsigned long long)seed, what);
    for (int k = 0; k < s->count; k++) {
        printf(" e%d at %.12Lg", s->list[k].event, s->list[k].t);
    }
    printf("\n");
    for (const char *line = s->text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        printf("#   %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static bool lists_agree(const Scene *s, Lab *lab)
{
    const KalIncident *list = NULL;
    const size_t count = kal_run_incidents(lab->run, &list);
    int k = 0;
    bool agree = true;
    for (size_t i = 0; i < count && agree; i++) {
        char name[16];
        if (list[i].kind != KAL_INCIDENT_EVENT) {
            continue;
        }
        agree = k < s->count;
        if (agree) {
            snprintf(name, sizeof name, "e%d", s->list[k].event);
            agree = strcmp(name, list[i].name) == 0
                    && fabsl((Real)list[i].t - s->list[k].t) < 1e-7L;
        }
        k++;
    }
    return agree && k == s->count;
}

static void compare(const Scene *s, uint64_t seed)
{
    Lab lab;
    if (!lab_load(&lab, s->text)) {
        complain(s, seed, "it is refused");
        lab_close(&lab);
        return;
    }
    const KalStatus status = lab_go(&lab);
    if (status != KAL_OK) {
        complain(s, seed, kal_context_message(lab.ctx));
    } else if (!lists_agree(s, &lab)) {
        complain(s, seed, "other events happen");
    } else {
        for (int i = 0; i < s->n; i++) {
            if (!(fabsl((Real)lab_q(&lab, i) - s->q[i]) < 1e-6L
                  && fabsl((Real)lab_qd(&lab, i) - s->v[i]) < 1e-6L)) {
                complain(s, seed, "it ends elsewhere");
                break;
            }
        }
    }
    lab_close(&lab);
}

static void events_are_those_of_the_reference(void)
{
    const int count = setting("KAL_PROPERTY_PROBLEMS", 20000) / 50 + 10;
    int clear = 0;
    int happened = 0;
    for (int k = 0; k < count; k++) {
        static Scene s;
        const uint64_t seed = (uint64_t)(setting("KAL_PROPERTY_FIRST", 0) + k);
        make(&s, seed);
        solve(&s);
        if (s.clear) {
            clear++;
            happened += s.count;
            compare(&s, seed);
        }
    }
    printf("# %d models of %d, %d events\n", clear, count, happened);
    ok(clear > count / 3 && happened > clear / 2);
}

TAP_RUN(TAP_CASE(events_are_those_of_the_reference))
