// SPDX-License-Identifier: MIT

// Models written in two ways: with vectors, arrays, loops, functions and components, and
// with all of that written out.  Both give the same values at random points.
// KAL_PROPERTY_PROBLEMS sets how many models there are.

#include "model.h"

#include "rng.h"

enum {
    PIECE = 40000, // bytes of an expression
    TEXT = 400000, // bytes of a model
    DEPTH = 4
};

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? (int)strtol(text, NULL, 10) : 20000;
    return all / share > 10 ? all / share : 10;
}

// Values by kind and place, so that models with other names agree.
static double place_value(KalSymbolKind kind, uint32_t index, unsigned seed)
{
    char name[64];
    snprintf(name, sizeof name, "%d %u", (int)kind, index);
    return lab_symbol(name, seed);
}

static double value_at(const Lab *lab, KalExpr e, unsigned seed)
{
    static double values[4096];
    double result = NAN;
    ok(lab->model->n_symbols <= 4096);
    for (size_t i = 0; i < lab->model->n_symbols; i++) {
        const KalSymbol *s = &lab->model->symbols[i];
        values[i] = s->kind == KAL_SYMBOL_PARAMETER
                        ? lab->model->parameters[s->index].number
                        : place_value(s->kind, s->index, seed);
    }
    ok(kal_eval(lab->model->graph, &e, 1, values, &result) == KAL_OK);
    return result;
}

static void agree(double got, double want, const char *text, uint64_t seed)
{
    if (!(fabs(got - want) <= 1e-9 * (1.0 + fabs(want)))) {
        printf("# seed %llu: %.17g, not %.17g: %.300s\n", (unsigned long long)seed, got,
               want, text);
        ok(false && "both ways of writing it have one value");
    }
}

static void fill(char *piece, const char *format, ...) KAL_PRINTF(2, 3);

// Print an expression; fits() finds out when it was cut.
static void fill(char *piece, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(piece, PIECE, format, args);
    va_end(args);
}

// A vector of three as one expression and as three.
typedef struct Pair {
    char whole[PIECE];
    char element[3][PIECE];
} Pair;

static const char *scalar(Rng *rng)
{
    static const char *const texts[] = {"a", "b",      "c",     "k",
                                        "2", "sin(a)", "(t*b)", "0.5"};
    return texts[rng_int(rng, 0, 7)];
}

static bool fits(const Pair *pair)
{
    return strlen(pair->whole) < PIECE / 20 && strlen(pair->element[0]) < PIECE / 20
           && strlen(pair->element[1]) < PIECE / 20
           && strlen(pair->element[2]) < PIECE / 20;
}

static void make_vector(Rng *rng, Pair *out)
{
    for (int i = 0; i < 3; i++) {
        fill(out->element[i], "%s*%s", scalar(rng), scalar(rng));
    }
    fill(out->whole, "[%s, %s, %s]", out->element[0], out->element[1], out->element[2]);
}

static void combine_cross(const Pair *a, const Pair *b, Pair *out)
{
    fill(out->whole, "cross(%s, %s)", a->whole, b->whole);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        fill(out->element[i], "((%s)*(%s) - (%s)*(%s))", a->element[j], b->element[k],
             a->element[k], b->element[j]);
    }
}

// The matrix with rows a, b, a times c.
static void combine_matrix(const Pair *a, const Pair *b, const Pair *c, Pair *out)
{
    const Pair *rows[] = {a, b, a};
    fill(out->whole, "([%s, %s, %s]*%s)", a->whole, b->whole, a->whole, c->whole);
    for (int i = 0; i < 3; i++) {
        fill(out->element[i], "((%s)*(%s) + (%s)*(%s) + (%s)*(%s))",
             rows[i]->element[0], c->element[0], rows[i]->element[1], c->element[1],
             rows[i]->element[2], c->element[2]);
    }
}

static void combine_transposed(const Pair *a, const Pair *b, const Pair *c, Pair *out)
{
    const Pair *rows[] = {a, b, a};
    fill(out->whole, "(transpose([%s, %s, %s])*%s)", a->whole, b->whole, a->whole,
         c->whole);
    for (int i = 0; i < 3; i++) {
        fill(out->element[i], "((%s)*(%s) + (%s)*(%s) + (%s)*(%s))",
             rows[0]->element[i], c->element[0], rows[1]->element[i], c->element[1],
             rows[2]->element[i], c->element[2]);
    }
}

static void combine_sum(Rng *rng, const Pair *a, const Pair *b, Pair *out)
{
    const char *factor = scalar(rng);
    const char *sign = rng_int(rng, 0, 1) ? "+" : "-";
    fill(out->whole, "(%s*%s %s %s/(2 + %s^2))", factor, a->whole, sign, b->whole,
         factor);
    for (int i = 0; i < 3; i++) {
        fill(out->element[i], "((%s)*(%s) %s (%s)/(2 + (%s)^2))", factor, a->element[i],
             sign, b->element[i], factor);
    }
}

static void combine_choice(const Pair *a, const Pair *b, Pair *out)
{
    fill(out->whole, "(-if(a > dot(%s, %s), %s, %s))", a->whole, b->whole, a->whole,
         b->whole);
    for (int i = 0; i < 3; i++) {
        fill(out->element[i], "(-if(a > (%s)*(%s) + (%s)*(%s) + (%s)*(%s), %s, %s))",
             a->element[0], b->element[0], a->element[1], b->element[1], a->element[2],
             b->element[2], a->element[i], b->element[i]);
    }
}

static void combine(Rng *rng, const Pair *in, Pair *out)
{
    switch (rng_int(rng, 0, 4)) {
    case 0: combine_cross(&in[0], &in[1], out); break;
    case 1: combine_matrix(&in[0], &in[1], &in[2], out); break;
    case 2: combine_transposed(&in[0], &in[1], &in[2], out); break;
    case 3: combine_choice(&in[0], &in[1], out); break;
    default: combine_sum(rng, &in[0], &in[1], out); break;
    }
}

static void make_pair(Rng *rng, Pair *out)
{
    static Pair pool[DEPTH + 3];
    int n = 3;
    for (int i = 0; i < 3; i++) {
        make_vector(rng, &pool[i]);
    }
    const int operations = rng_int(rng, 1, DEPTH);
    for (int k = 0; k < operations; k++) {
        static Pair in[3];
        for (int i = 0; i < 3; i++) {
            in[i] = pool[rng_int(rng, 0, n - 1)];
        }
        combine(rng, in, &pool[n]);
        if (!fits(&pool[n])) {
            break;
        }
        n++;
    }
    *out = pool[n - 1];
}

// A text that grows.
typedef struct Writer {
    char text[TEXT];
    size_t length;
} Writer;

static void put(Writer *w, const char *format, ...) KAL_PRINTF(2, 3);

static void put(Writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, TEXT - w->length, format, args);
    va_end(args);
}

static void vectors_are_their_elements(void)
{
    static Pair pair;
    static Writer writer;
    const char *text = writer.text;
    const int count = problems(20);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number};
        const uint64_t seed = rng.state;
        Lab lab;
        make_pair(&rng, &pair);
        writer.length = 0;
        put(&writer,
            "param k = 3\ncoord a, b, c\nlet v = %s\noutput w = v, d = v'\n"
            "output e = [%s, %s, %s]\noutput f = [(%s)', (%s)', (%s)']\n"
            "output n = norm(v), m = sqrt((%s)^2 + (%s)^2 + (%s)^2)\n",
            pair.whole, pair.element[0], pair.element[1], pair.element[2],
            pair.element[0], pair.element[1], pair.element[2], pair.element[0],
            pair.element[1], pair.element[2]);
        lab_build(&lab, text);
        const KalOutput *o = lab.model->outputs;
        ok(lab.model->n_outputs == 14);
        for (unsigned point = 1; point <= 3; point++) {
            for (int i = 0; i < 6; i++) { // w and d, against e and f
                agree(value_at(&lab, o[i].value, point),
                      value_at(&lab, o[6 + i].value, point), text, seed);
            }
            agree(value_at(&lab, o[12].value, point),
                  value_at(&lab, o[13].value, point), text, seed);
        }
        lab_close(&lab);
    }
}

// The derivative along a motion is the limit of quotients.
static double along(const Lab *lab, KalExpr e, double h)
{
    static double values[64];
    double result = NAN;
    for (size_t i = 0; i < lab->model->n_symbols; i++) {
        const KalSymbol *s = &lab->model->symbols[i];
        const double q = place_value(KAL_SYMBOL_COORDINATE, s->index, 1);
        const double v = place_value(KAL_SYMBOL_VELOCITY, s->index, 1);
        const double a = place_value(KAL_SYMBOL_ACCELERATION, s->index, 1);
        values[i] = s->kind == KAL_SYMBOL_TIME           ? 0.3 + h
                    : s->kind == KAL_SYMBOL_COORDINATE   ? q + h * v + h * h / 2 * a
                    : s->kind == KAL_SYMBOL_VELOCITY     ? v + h * a
                    : s->kind == KAL_SYMBOL_ACCELERATION ? a
                                                         : 3.0;
    }
    ok(kal_eval(lab->model->graph, &e, 1, values, &result) == KAL_OK);
    return result;
}

static void primes_are_derivatives(void)
{
    static Pair pair;
    static Writer writer;
    const char *text = writer.text;
    const int count = problems(20);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 500000U};
        const uint64_t seed = rng.state;
        Lab lab;
        make_pair(&rng, &pair);
        writer.length = 0;
        put(&writer,
            "param k = 3\ncoord a, b, c\nlet v = %s\nlet s = v.x + v.y*a' + b'\n"
            "output o = s, d = s', v1 = v, v2 = v''\n",
            pair.whole);
        lab_build(&lab, text);
        const KalExpr s = lab_output(&lab, "o");
        const KalExpr v = lab_output(&lab, "v1.z");
        const double h = 1e-4;
        const double slope = (along(&lab, s, h) - along(&lab, s, -h)) / (2 * h);
        const double bend =
            (along(&lab, v, h) - 2 * along(&lab, v, 0) + along(&lab, v, -h)) / (h * h);
        const double want = along(&lab, lab_output(&lab, "d"), 0);
        const double want2 = along(&lab, lab_output(&lab, "v2.z"), 0);
        const double size = 1 + fabs(along(&lab, s, 0)) + fabs(along(&lab, v, 0));
        if (!(fabs(slope - want) <= 1e-4 * (size + fabs(want)))
            || !(fabs(bend - want2) <= 1e-3 * (size + fabs(want2)))) {
            printf("# seed %llu: %g %g, %g %g: %.300s\n", (unsigned long long)seed,
                   slope, want, bend, want2, text);
            ok(false && "primes are derivatives");
        }
        lab_close(&lab);
    }
}

// A chain of n links with masses and springs, in three ways.

static void write_flat(Writer *w, int n, const double *m)
{
    put(w, "param g = 9.81");
    for (int i = 1; i <= n; i++) {
        put(w, ", m%d = %.3f", i, m[i]);
    }
    put(w, "\ncoord a1");
    for (int i = 2; i <= n; i++) {
        put(w, ", a%d", i);
    }
    put(w, "\n");
    for (int i = 1; i <= n; i++) {
        put(w, "kinetic 1/2*m%d*((0", i);
        for (int j = 1; j <= i; j++) {
            put(w, " + %d*cos(a%d)*a%d'", j, j, j);
        }
        put(w, ")^2 + (0");
        for (int j = 1; j <= i; j++) {
            put(w, " + %d*sin(a%d)*a%d'", j, j, j);
        }
        put(w, ")^2)\npotential m%d*g*(0", i);
        for (int j = 1; j <= i; j++) {
            put(w, " - %d*cos(a%d)", j, j);
        }
        put(w, ")\nconstraint c%d: a%d*(0", i, i);
        for (int j = 1; j <= n; j++) {
            if (j != i) {
                put(w, " + %d*a%d", j, j);
            }
        }
        put(w, ") = %d\ninit a%d = %d*g, a%d' ~ m%d\n", i, i, i, i, i);
    }
}

static void write_arrays(Writer *w, int n, const double *m)
{
    put(w, "param g = 9.81, N = %d, m[N] = [%.3f", n, m[1]);
    for (int i = 2; i <= n; i++) {
        put(w, ", %.3f", m[i]);
    }
    put(w, "]\ncoord a[N]\n"
           "for i in 1..N {\n"
           "  let x[i] = sum(j in 1..i : j*sin(a[j]))\n"
           "  let P[i] = [x[i], if(i > 1, P[i-1].y, 0) - i*cos(a[i])]\n"
           "  kinetic 1/2*m[i]*dot(P[i]', P[i]')\n"
           "  potential m[i]*g*P[i].y\n"
           "  constraint c[i]: a[i]*sum(j in 1..N, j != i : j*a[j]) = i\n"
           "  init a[i] = i*g, a[i]' ~ m[i]\n}\n");
}

static void write_parts(Writer *w, int n, const double *m)
{
    put(w,
        "param g = 9.81, N = %d\n"
        "component Link(L, m, from) {\n"
        "  coord a\n  let tip = from + L*[sin(a), -cos(a)]\n"
        "  fn energy_of(v) = 1/2*m*dot(v, v)\n"
        "  kinetic energy_of(tip')\n  potential m*g*tip[2]\n"
        "  init a = L*g, a' ~ m\n}\n",
        n);
    put(w, "let masses = [%.3f", m[1]);
    for (int i = 2; i <= n; i++) {
        put(w, ", %.3f", m[i]);
    }
    put(w, "]\npart link[i in 1..N] = Link(i, from = if(i == 1, [0, 0], link[i-1].tip),"
           " m = masses[i])\n"
           "component Tie(own, k) {\n"
           "  constraint c: own.a*sum(j in 1..N, j != k : j*link[j].a) = k\n}\n"
           "part tie[i in 1..N] = Tie(own = link[i], k = i)\n");
}

static void compare_models(const Lab *one, const Lab *other, const char *text,
                           uint64_t seed)
{
    const KalModel *a = one->model;
    const KalModel *b = other->model;
    ok(a->n_coordinates == b->n_coordinates && a->n_constraints == b->n_constraints);
    for (unsigned point = 1; point <= 3; point++) {
        for (int kind = KAL_TERM_KINETIC; kind <= KAL_TERM_POTENTIAL; kind++) {
            agree(value_at(one, kal_model_total(a, (KalTermKind)kind), point),
                  value_at(other, kal_model_total(b, (KalTermKind)kind), point), text,
                  seed);
        }
        for (size_t i = 0; i < a->n_constraints; i++) {
            agree(value_at(one, a->constraints[i].residual, point),
                  value_at(other, b->constraints[i].residual, point), text, seed);
        }
    }
    for (size_t i = 0; i < a->n_coordinates; i++) {
        const KalCoordinate *p = &a->coordinates[i];
        const KalCoordinate *q = &b->coordinates[i];
        ok(p->start_q.kind == q->start_q.kind && p->start_v.kind == q->start_v.kind);
        agree(value_at(one, p->start_q.value, 1), value_at(other, q->start_q.value, 1),
              text, seed);
        agree(value_at(one, p->start_v.value, 1), value_at(other, q->start_v.value, 1),
              text, seed);
    }
}

static void three_ways_give_one_model(void)
{
    static Writer writers[3];
    const int count = problems(100);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 900000U};
        const uint64_t seed = rng.state;
        const int n = rng_int(&rng, 2, 8);
        double m[9];
        for (int i = 1; i <= n; i++) {
            m[i] = 0.5 + rng_unit(&rng);
        }
        Lab labs[3];
        for (int k = 0; k < 3; k++) {
            writers[k].length = 0;
        }
        write_flat(&writers[0], n, m);
        write_arrays(&writers[1], n, m);
        write_parts(&writers[2], n, m);
        for (int k = 0; k < 3; k++) {
            lab_build(&labs[k], writers[k].text);
        }
        compare_models(&labs[0], &labs[1], writers[1].text, seed);
        compare_models(&labs[0], &labs[2], writers[2].text, seed);
        for (int k = 0; k < 3; k++) {
            lab_close(&labs[k]);
        }
    }
}

TAP_RUN(TAP_CASE(vectors_are_their_elements), TAP_CASE(primes_are_derivatives),
        TAP_CASE(three_ways_give_one_model))
