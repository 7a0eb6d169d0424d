// SPDX-License-Identifier: MIT

// Random systems against the laws that define their equations.  Energies are sums of
// squares of random forms; derivatives along random curves are taken by differences of
// high order, which know nothing of formulas.  Constraints are made from integrals and
// from forms that have none, mixed by random functions, so that their kinds are known.
// KAL_PROPERTY_PROBLEMS sets how many systems there are.

#include "derive/classify.h"
#include "derive/conserve.h"
#include "expr/order.h"
#include "rng.h"
#include "system.h"
#include "zero/identity.h"

#include <kalaba/motion.h>

enum {
    N_MAX = 7,
    FORMS_MAX = 5
};

static const double STEP = 0.015;
static const double TOLERANCE = 1e-8;

static Rng rng;
static int far; // where coordinates are, with branches between there and 0
static uint64_t seed;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static bool holds(bool condition, const char *what)
{
    if (!condition) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# system %llu: %s\n", (unsigned long long)seed, what);
        }
    }
    return condition;
}

static void holds_near(double got, double want, double size, const char *what)
{
    if (!(fabs(got - want) <= TOLERANCE * tap_scale() * (1.0 + size))) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# system %llu: %s is %.15g, not %.15g\n", (unsigned long long)seed,
                   what, got, want);
        }
    }
}

static void begin_system(uint64_t number, int n)
{
    static const char *const names[N_MAX] = {"q1", "q2", "q3", "q4", "q5", "q6", "q7"};
    seed = number;
    rng = (Rng){number};
    begin();
    for (int i = 0; i < n; i++) {
        coordinate(names[i]);
    }
}

static KalExpr small_number(void)
{
    return kal_number(g, kal_rational(rng_int(&rng, 1, 7), rng_int(&rng, 2, 5)));
}

static KalExpr coordinate_at(int i)
{
    return model->coordinates[i].q;
}

static KalExpr some_coordinate(void)
{
    const KalExpr q = coordinate_at(rng_int(&rng, 0, (int)model->n_coordinates - 1));
    return far == 0 ? q : kal_sub(g, q, kal_int(g, far));
}

// A term that is another near 0, or none.
static KalExpr with_branches(KalExpr term)
{
    const KalExpr q = coordinate_at(rng_int(&rng, 0, (int)model->n_coordinates - 1));
    const KalExpr edge = kal_int(g, far / 2);
    const KalExpr zero = kal_int(g, 0);
    const KalExpr beyond = kal_sub(g, q, edge);
    switch (rng_int(&rng, 0, 5)) {
    case 0: return kal_select(g, kal_binary(g, KAL_OP_LT, edge, q), term, zero);
    case 1: return kal_select(g, kal_binary(g, KAL_OP_LE, q, edge), q, term);
    case 2: return kal_mul(g, kal_binary(g, KAL_OP_MAX, zero, beyond), term);
    case 3:
        return kal_add(g, term, kal_add(g, kal_unary(g, KAL_OP_ABS, beyond), beyond));
    case 4: return kal_mul(g, kal_unary(g, KAL_OP_SIGN, beyond), term);
    default: return term;
    }
}

// A function of coordinates and, if asked for, time.
static KalExpr some_function(bool with_time)
{
    KalExpr sum = small_number();
    for (int k = rng_int(&rng, 1, 2); k > 0; k--) {
        const KalExpr x = some_coordinate();
        const KalExpr y =
            with_time && rng_int(&rng, 0, 2) == 0 ? model->time : some_coordinate();
        KalExpr term = x;
        switch (rng_int(&rng, 0, 5)) {
        case 0: term = kal_mul(g, x, y); break;
        case 1: term = kal_sin(g, kal_add(g, x, kal_mul(g, small_number(), y))); break;
        case 2: term = kal_mul(g, kal_cos(g, x), y); break;
        case 3:
            term =
                kal_unary(g, KAL_OP_EXP, kal_div(g, kal_mul(g, x, y), kal_int(g, 9)));
            break;
        case 4: term = kal_div(g, y, kal_add(g, kal_int(g, 3), kal_sin(g, x))); break;
        default: term = kal_powi(g, x, 2); break;
        }
        term = far == 0 ? term : with_branches(term);
        sum = kal_add(g, sum, kal_mul(g, small_number(), term));
    }
    return sum;
}

// Σ function × velocity; its factors are kept.
static KalExpr some_form(bool with_time, KalExpr *factors)
{
    KalExpr sum = kal_int(g, 0);
    for (size_t j = 0; j < model->n_coordinates; j++) {
        factors[j] =
            rng_int(&rng, 0, 3) == 0 ? kal_int(g, 0) : some_function(with_time);
        sum = kal_add(g, sum, kal_mul(g, factors[j], model->coordinates[j].v));
    }
    return sum;
}

static void add_term(KalTermKind kind, KalExpr value)
{
    const KalContribution entry = {.kind = kind, .value = value};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
}

static void add_constraint(KalExpr residual)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const KalConstraint entry = {.name = names[model->n_constraints],
                                 .residual = residual,
                                 .driven = KAL_NOT_DRIVEN};
    uint32_t index = 0;
    ok(kal_model_add_constraint(model, entry, &index) == KAL_OK);
    system_names();
}

// M is the sum of the squares that T was made of, and nothing of it is lost.
static void masses_are_sums_of_squares(void)
{
    const int count = problems(40);
    for (int k = 0; k < count; k++) {
        begin_system((uint64_t)k, rng_int(&(Rng){(uint64_t)k}, 1, 5));
        const size_t n = model->n_coordinates;
        const int forms = rng_int(&rng, 1, 4);
        KalExpr factors[4][N_MAX];
        for (int i = 0; i < forms; i++) {
            const KalExpr form =
                kal_add(g, some_form(true, factors[i]), some_function(true));
            add_term(KAL_TERM_KINETIC, kal_div(g, kal_powi(g, form, 2), kal_int(g, 2)));
        }
        derive();
        for (size_t id = 0; id < model->n_symbols; id++) {
            system_values[id] = rng_entry(&rng);
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                double want = 0.0;
                double size = 0.0;
                for (int f_i = 0; f_i < forms; f_i++) {
                    const double part =
                        value_of(factors[f_i][i]) * value_of(factors[f_i][j]);
                    want += part;
                    size += fabs(part);
                }
                holds_near(value_of(lower(&eq->M, i, j)), want, size, "M");
            }
        }
        end();
    }
}

// A curve q_i(t) = a + b t + c sin(w t + d).
typedef struct Curve {
    double a[N_MAX];
    double b[N_MAX];
    double c[N_MAX];
    double w[N_MAX];
    double d[N_MAX];
} Curve;

static Curve some_curve(void)
{
    Curve curve;
    for (int i = 0; i < N_MAX; i++) {
        curve.a[i] = rng_entry(&rng) + far;
        curve.b[i] = rng_entry(&rng);
        curve.c[i] = rng_entry(&rng);
        curve.w[i] = rng_entry(&rng);
        curve.d[i] = rng_entry(&rng);
    }
    return curve;
}

// Put the state of the curve at a time into the values of the symbols.
static void set_state(const Curve *curve, double t)
{
    system_values[kal_graph_node(g, model->time).arg[0].index] = t;
    for (size_t i = 0; i < model->n_coordinates; i++) {
        const KalCoordinate *c = &model->coordinates[i];
        const double phase = curve->w[i] * t + curve->d[i];
        const double amplitude = curve->c[i];
        const double w = curve->w[i];
        system_values[kal_graph_node(g, c->q).arg[0].index] =
            curve->a[i] + curve->b[i] * t + amplitude * sin(phase);
        system_values[kal_graph_node(g, c->v).arg[0].index] =
            curve->b[i] + amplitude * w * cos(phase);
        system_values[kal_graph_node(g, c->a).arg[0].index] =
            -amplitude * w * w * sin(phase);
    }
}

// The first derivative of f at 0, to order eight.
static double slope(double (*f_of)(void *, double), void *user)
{
    static const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    double sum = 0.0;
    for (int k = 1; k <= 4; k++) {
        sum += weights[k - 1] * (f_of(user, k * STEP) - f_of(user, -k * STEP));
    }
    return sum / STEP;
}

// A formula along a curve, at a time and with one symbol moved.
typedef struct Along {
    KalExpr e;
    const Curve *curve;
    double t;
    uint32_t id; // of the symbol that is moved
} Along;

static double at_time(void *user, double dt)
{
    const Along *along = user;
    set_state(along->curve, along->t + dt);
    return value_of(along->e);
}

static double at_symbol(void *user, double dx)
{
    const Along *along = user;
    set_state(along->curve, along->t);
    system_values[along->id] += dx;
    return value_of(along->e);
}

// ∂e/∂symbol at a time.
static double partial(const Along *along, KalExpr e, KalExpr symbol, double dt)
{
    Along inner = {e, along->curve, along->t + dt,
                   kal_graph_node(g, symbol).arg[0].index};
    return slope(at_symbol, &inner);
}

// The momentum of a coordinate as a function of time.
static double momentum_at(void *user, double dt)
{
    const Along *along = user;
    return partial(along, along->e, model->coordinates[along->id].v, dt);
}

// M q'' − Q = d/dt ∂T/∂q' − ∂T/∂q + ∂V/∂q − ∂(P − D)/∂q' − force, on any curve.
static void equations_are_those_of_Lagrange(void)
{
    const int count = problems(200);
    for (int k = 0; k < count; k++) {
        far = k % 2 * 60;
        begin_system(1000000 + (uint64_t)k, rng_int(&(Rng){(uint64_t)k}, 1, 4));
        const size_t n = model->n_coordinates;
        KalExpr T = kal_int(g, 0);
        KalExpr factors[N_MAX];
        for (int i = rng_int(&rng, 1, 3); i > 0; i--) {
            const KalExpr form =
                kal_add(g, some_form(true, factors), some_function(true));
            T = kal_add(g, T, kal_powi(g, form, 2));
        }
        const KalExpr V = some_function(true);
        const KalExpr P = kal_mul(g, some_function(true), some_form(true, factors));
        const KalExpr D = kal_powi(g, some_form(false, factors), 2);
        const KalExpr force_1 =
            kal_mul(g, some_function(true), model->coordinates[0].v);
        add_term(KAL_TERM_KINETIC, T);
        add_term(KAL_TERM_POTENTIAL, V);
        add_term(KAL_TERM_POWER, P);
        add_term(KAL_TERM_DISSIPATION, D);
        const KalContribution entry = {.kind = KAL_TERM_FORCE, .value = force_1};
        ok(kal_model_add_contribution(model, entry) == KAL_OK);
        derive();
        const Curve curve = some_curve();
        const double t = rng_entry(&rng);
        for (size_t i = 0; i < n; i++) {
            const KalCoordinate *c = &model->coordinates[i];
            Along along = {T, &curve, t, (uint32_t)i};
            double want = slope(momentum_at, &along);
            double size = fabs(want);
            const double parts[] = {
                -partial(&along, T, c->q, 0.0), partial(&along, V, c->q, 0.0),
                -partial(&along, P, c->v, 0.0), partial(&along, D, c->v, 0.0)};
            for (int p = 0; p < 4; p++) {
                want += parts[p];
                size += fabs(parts[p]);
            }
            set_state(&curve, t);
            want -= i == 0 ? value_of(force_1) : 0.0;
            double got = -value_of(eq->Q[i]);
            for (size_t j = 0; j < n; j++) {
                got +=
                    value_of(lower(&eq->M, i, j)) * value_of(model->coordinates[j].a);
            }
            holds_near(got, want, size, "Lagrange's equation");
        }
        end();
    }
    far = 0;
}

static double rate_at(void *user, double dt)
{
    const Along *along = user;
    Along inner = {along->e, along->curve, along->t + dt, 0};
    return slope(at_time, &inner);
}

// A q'' − b is φ'' or ψ' on any curve, ψ is φ', and servos add the terms of decay.
static void constraints_follow_curves(void)
{
    const int count = problems(200);
    for (int k = 0; k < count; k++) {
        far = k % 2 * 60;
        begin_system(2000000 + (uint64_t)k, rng_int(&(Rng){(uint64_t)k}, 1, 4));
        const size_t n = model->n_coordinates;
        KalExpr factors[N_MAX];
        const KalExpr phi = some_function(true);
        const KalExpr psi =
            kal_add(g, kal_mul(g, some_form(true, factors), some_form(false, factors)),
                    kal_mul(g, some_function(true), model->coordinates[0].v));
        add_constraint(phi);
        add_constraint(psi);
        const KalExpr rate = small_number();
        const KalServo follow = {.name = "s", .residual = phi, .rate = rate};
        ok(kal_model_add_servo(model, follow) == KAL_OK);
        derive();
        const Curve curve = some_curve();
        const double t = rng_entry(&rng);
        Along along = {phi, &curve, t, 0};
        const double speed = slope(at_time, &along);
        const double acceleration = slope(rate_at, &along);
        along.e = psi;
        const double psi_rate = slope(at_time, &along);
        set_state(&curve, t);
        const double r = value_of(rate);
        const double want[] = {acceleration, psi_rate,
                               acceleration + 2.0 * r * speed + r * r * value_of(phi)};
        const double b[] = {value_of(eq->b[0]), value_of(eq->b[1]),
                            value_of(eq->servo_b[0])};
        for (size_t i = 0; i < 3; i++) {
            const KalSparse *A = i < 2 ? &eq->A : &eq->servo_A;
            double got = -b[i];
            double size = fabs(b[i]);
            for (size_t j = 0; j < n; j++) {
                got += value_of(kal_sparse_get(A, i % 2, j))
                       * value_of(model->coordinates[j].a);
            }
            holds_near(got, want[i], size + fabs(want[i]), "A q'' - b");
        }
        holds_near(value_of(eq->psi[0]), speed, fabs(speed), "phi'");
        end();
    }
    far = 0;
}

// dφ of a random function, as a form in velocities.
static KalExpr some_differential(bool with_time)
{
    const KalExpr phi = kal_add(g, some_function(with_time), some_coordinate());
    KalExpr rate = KAL_NO_EXPR;
    ok(kal_model_rate(model, &phi, 1, &rate) == KAL_OK);
    return rate;
}

// Σ_j random function × form_j for each of r forms.
static void add_mixtures(const KalExpr *forms, int r)
{
    for (int i = 0; i < r; i++) {
        KalExpr sum =
            kal_mul(g, kal_add(g, kal_int(g, 2), some_function(false)), forms[i]);
        for (int j = 0; j < r; j++) {
            if (j != i && rng_int(&rng, 0, 1) == 0) {
                sum = kal_add(g, sum, kal_mul(g, some_function(false), forms[j]));
            }
        }
        add_constraint(sum);
    }
}

// Mixed differentials are integrable however they are mixed, all of them.
static void mixed_differentials_are_integrable(void)
{
    const int count = problems(100);
    for (int k = 0; k < count; k++) {
        begin_system(3000000 + (uint64_t)k, rng_int(&(Rng){(uint64_t)k}, 2, 5));
        const int n = (int)model->n_coordinates;
        const int r = rng_int(&rng, 1, n - 1);
        const bool with_time = rng_int(&rng, 0, 1) == 0;
        KalExpr forms[FORMS_MAX];
        for (int i = 0; i < r; i++) {
            forms[i] = some_differential(with_time);
        }
        add_mixtures(forms, r);
        derive();
        KalClassification *found = NULL;
        ok(kal_classify(eq, &found) == KAL_OK);
        for (int i = 0; i < r; i++) {
            const KalConstraintClass *of = &found->classes[i];
            holds(of->level != KAL_LEVEL_VELOCITY
                      || (of->kind == KAL_CONSTRAINT_INTEGRABLE
                          && of->decision <= KAL_DECISION_EXACT),
                  "a mixture of differentials is integrable");
        }
        holds(found->rank <= (size_t)r && found->rank_exact, "rank of the integrals");
        kal_classification_destroy(found);
        end();
    }
}

// Differentials of single coordinates, which stay whatever they are mixed with, and forms
// x_1' − x_2 s', x_2' − x_3 s', …, of which none stays: as many integrals as differentials.
static void chains_leave_nothing_but_integrals(void)
{
    const int count = problems(100);
    for (int k = 0; k < count; k++) {
        begin_system(4000000 + (uint64_t)k, 7);
        const int integrals = rng_int(&rng, 0, 2);
        const int links = rng_int(&rng, 1, 7 - integrals - 2);
        const int s_at = integrals; // coordinate of the direction that all links share
        KalExpr forms[7];
        for (int i = 0; i < integrals; i++) {
            forms[i] = model->coordinates[i].v;
        }
        for (int i = 0; i < links; i++) {
            const KalCoordinate *link = &model->coordinates[s_at + 1 + i];
            forms[integrals + i] =
                kal_sub(g, link->v, kal_mul(g, link[1].q, model->coordinates[s_at].v));
        }
        add_mixtures(forms, integrals + links);
        derive();
        KalClassification *found = NULL;
        ok(kal_classify(eq, &found) == KAL_OK);
        holds(found->undecided == 0, "decided");
        holds(found->rank == (size_t)integrals, "integrals among nonholonomic forms");
        for (size_t i = 0; i < found->m; i++) {
            holds(found->classes[i].kind == KAL_CONSTRAINT_NONHOLONOMIC
                      || integrals > 0,
                  "links of a chain are nonholonomic");
        }
        kal_classification_destroy(found);
        end();
    }
}

// One form in three coordinates is integrable iff W · curl W = 0.
static void single_forms_obey_the_lemma(void)
{
    const int count = problems(40);
    int both[2] = {0, 0};
    for (int k = 0; k < count; k++) {
        begin_system(5000000 + (uint64_t)k, 3);
        KalExpr W[N_MAX];
        add_constraint(some_form(false, W));
        if (model->constraints[0].level != KAL_LEVEL_VELOCITY) {
            end();
            continue;
        }
        derive();
        KalExpr lemma = kal_int(g, 0);
        for (int i = 0; i < 3; i++) {
            KalExpr up = KAL_NO_EXPR;
            KalExpr down = KAL_NO_EXPR;
            ok(kal_diff(g, W[(i + 2) % 3], coordinate_at((i + 1) % 3), &up) == KAL_OK);
            ok(kal_diff(g, W[(i + 1) % 3], coordinate_at((i + 2) % 3), &down)
               == KAL_OK);
            lemma = kal_add(g, lemma, kal_mul(g, W[i], kal_sub(g, up, down)));
        }
        double most = 0.0;
        for (int point = 0; point < 5; point++) {
            for (size_t id = 0; id < model->n_symbols; id++) {
                system_values[id] = rng_entry(&rng);
            }
            most = fmax(most, fabs(value_of(lemma)));
        }
        KalClassification *found = NULL;
        ok(kal_classify(eq, &found) == KAL_OK);
        const bool integrable = found->classes[0].kind == KAL_CONSTRAINT_INTEGRABLE;
        holds(integrable == (most < 1e-10), "W curl W = 0 iff integrable");
        both[integrable]++;
        kal_classification_destroy(found);
        end();
    }
    ok(both[0] > 0 && both[1] > 0);
}

// A product rule, and that a change of one number is noticed.
static void identities_are_told_from_others(void)
{
    const int count = problems(20);
    for (int k = 0; k < count; k++) {
        far = k % 2 * 60;
        begin_system(6000000 + (uint64_t)k, 3);
        const KalExpr a = some_function(true);
        const KalExpr b = some_function(true);
        const KalExpr x = coordinate_at(rng_int(&rng, 0, 2));
        const KalExpr e = kal_div(g, kal_mul(g, kal_powi(g, a, 3), kal_sin(g, x)),
                                  kal_add(g, kal_int(g, 5), b));
        KalExpr da = KAL_NO_EXPR;
        KalExpr db = KAL_NO_EXPR;
        KalExpr de = KAL_NO_EXPR;
        ok(kal_diff(g, a, x, &da) == KAL_OK);
        ok(kal_diff(g, b, x, &db) == KAL_OK);
        ok(kal_diff(g, e, x, &de) == KAL_OK);
        // e'/e = 3 a'/a + cos/sin − b'/(5 + b)
        const KalExpr log_rate =
            kal_sub(g,
                    kal_add(g, kal_div(g, kal_mul(g, kal_int(g, 3), da), a),
                            kal_div(g, kal_cos(g, x), kal_sin(g, x))),
                    kal_div(g, db, kal_add(g, kal_int(g, 5), b)));
        const KalExpr zero = kal_sub(g, de, kal_mul(g, log_rate, e));
        const KalExpr formulas[] = {
            zero,
            kal_add(g, zero, kal_mul(g, kal_number(g, kal_rational(1, 1000003)), e))};
        KalVerdict verdicts[2] = {{0}};
        ok(kal_identities(g, formulas, 2, verdicts) == KAL_OK);
        holds(verdicts[0].zero && verdicts[0].exact, "a rule of differentiation");
        holds(!verdicts[1].zero, "a rule that is off by a bit");
        holds(verdicts[1].exact || far != 0, "a rule without branches");
        end();
    }
    far = 0;
}

// Things that a system may have, by bits.
enum {
    HAS_MOVING_POTENTIAL = 1,
    HAS_DISSIPATION = 2,
    HAS_FORCE = 4,
    HAS_GYRO = 8,
    HAS_SURFACE = 16,
    HAS_MOVING_SURFACE = 32,
    HAS_FORM = 64,
    HAS_AFFINE_FORM = 128,
    CONSTRAINTS = HAS_SURFACE | HAS_MOVING_SURFACE | HAS_FORM | HAS_AFFINE_FORM
};

static void add_force(uint32_t row, KalExpr value)
{
    const KalContribution entry = {.kind = KAL_TERM_FORCE, .row = row, .value = value};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
}

static void build_conservative(int has)
{
    const size_t n = model->n_coordinates;
    KalExpr factors[N_MAX];
    KalExpr T = kal_powi(g, some_form(false, factors), 2);
    for (size_t i = 0; i < n; i++) {
        T = kal_add(g, T, kal_powi(g, model->coordinates[i].v, 2));
    }
    add_term(KAL_TERM_KINETIC, T);
    add_term(KAL_TERM_POTENTIAL, some_function((has & HAS_MOVING_POTENTIAL) != 0));
    if (has & HAS_DISSIPATION) {
        add_term(KAL_TERM_DISSIPATION, kal_powi(g, model->coordinates[1].v, 2));
    }
    if (has & HAS_FORCE) {
        add_force(0, some_function(true));
    }
    if (has & HAS_GYRO) {
        const KalExpr B = some_function(true);
        add_force(0, kal_mul(g, B, model->coordinates[1].v));
        add_force(1, kal_neg(g, kal_mul(g, B, model->coordinates[0].v)));
    }
    if (has & CONSTRAINTS) {
        const bool moves = has & (HAS_MOVING_SURFACE | HAS_AFFINE_FORM);
        const bool surface = has & (HAS_SURFACE | HAS_MOVING_SURFACE);
        KalExpr residual = surface ? some_function(moves) : some_form(moves, factors);
        residual =
            kal_add(g, residual, surface ? coordinate_at(0) : model->coordinates[0].v);
        add_constraint(moves ? kal_add(g, residual, model->time) : residual);
    }
}

// Values of M, Q, A, b at the state; acceleration into the symbols.
static bool move(void)
{
    double M[N_MAX * N_MAX];
    double Q[N_MAX];
    double A[N_MAX];
    double b[1] = {0.0};
    const size_t n = eq->n;
    for (size_t i = 0; i < n; i++) {
        Q[i] = value_of(eq->Q[i]);
        A[i] = eq->m > 0 ? value_of(kal_sparse_get(&eq->A, 0, i)) : 0.0;
        for (size_t j = 0; j < n; j++) {
            M[i * n + j] = value_of(lower(&eq->M, i, j));
        }
    }
    b[0] = eq->m > 0 ? value_of(eq->b[0]) : 0.0;
    const KalMotionProblem problem = {
        .n = (int)n, .m = (int)eq->m, .M = M, .Q = Q, .A = A, .b = b};
    KalMotion *motion = NULL;
    KalMotionAnswer answer;
    ok(kal_motion_create(ctx, NULL, (int)n, (int)eq->m, &motion) == KAL_OK);
    const bool solved = kal_motion_solve(motion, &problem, &answer) == KAL_OK;
    for (size_t i = 0; i < n && solved; i++) {
        system_values[kal_graph_node(g, model->coordinates[i].a).arg[0].index] =
            answer.qdd[i];
    }
    kal_motion_destroy(motion);
    return solved;
}

// A random state that obeys the constraint's velocity level, all of them being linear.
static void set_allowed_state(void)
{
    for (size_t id = 0; id < model->n_symbols; id++) {
        system_values[id] = rng_entry(&rng);
    }
    if (eq->m == 0) {
        return;
    }
    const double psi = value_of(eq->psi[0]);
    double square = 0.0;
    double A[N_MAX];
    for (size_t i = 0; i < eq->n; i++) {
        A[i] = value_of(kal_sparse_get(&eq->A, 0, i));
        square += A[i] * A[i];
    }
    for (size_t i = 0; i < eq->n; i++) {
        system_values[kal_graph_node(g, model->coordinates[i].v).arg[0].index] -=
            A[i] * psi / square;
    }
}

// What is proven conserved does not change at any state, and energy is proven whenever
// the system was made so that it must be.
static void proven_constants_do_not_change(void)
{
    const int count = problems(40);
    int proven = 0;
    for (int k = 0; k < count; k++) {
        begin_system(7000000 + (uint64_t)k, 3);
        const int has = rng_int(&rng, 0, 255) & rng_int(&rng, 0, 255);
        const bool keeps = (has & ~(HAS_GYRO | HAS_SURFACE | HAS_FORM)) == 0;
        build_conservative(has);
        derive();
        KalConservation *found = NULL;
        ok(kal_conserve(eq, &found) == KAL_OK);
        holds(found->energy || !keeps, "energy is conserved");
        set_allowed_state();
        const bool moves = move();
        for (size_t i = 0; i < found->n && moves; i++) {
            KalExpr rate = KAL_NO_EXPR;
            ok(kal_model_rate(model, &found->list[i].value, 1, &rate) == KAL_OK);
            holds_near(value_of(rate), 0.0, 100.0, found->list[i].name);
            proven++;
        }
        kal_conservation_destroy(found);
        end();
    }
    ok(proven > count / 20);
}

TAP_RUN(TAP_CASE(masses_are_sums_of_squares), TAP_CASE(equations_are_those_of_Lagrange),
        TAP_CASE(constraints_follow_curves),
        TAP_CASE(mixed_differentials_are_integrable),
        TAP_CASE(chains_leave_nothing_but_integrals),
        TAP_CASE(single_forms_obey_the_lemma),
        TAP_CASE(identities_are_told_from_others),
        TAP_CASE(proven_constants_do_not_change))
