// SPDX-License-Identifier: MIT

// Ranges hold the values of all points in them; switches keep to the piece they are on.

#include "expr/switch.h"
#include "lab.h"
#include "splines.h"

enum {
    SYMBOLS = 3,
    POINTS = 40 // of a box
};

static KalRange range_of(Rng *rng)
{
    const double at = rng_scale(rng, 1.0) * (rng_int(rng, 0, 1) ? 1.0 : -1.0);
    const double width =
        rng_int(rng, 0, 3) > 0 ? fabs(at) * rng_unit(rng) : 10.0 * rng_unit(rng);
    return (KalRange){at, at + width};
}

// All values in a box lie in the ranges; what has no value may have any range.
static void hold(const Lab *lab, size_t n, const KalRange *box, Rng *rng)
{
    KalRange bounds[2 * KAL_OP_COUNT + SPLINE_NODES];
    double got[2 * KAL_OP_COUNT + SPLINE_NODES];
    KalRange *work = calloc(kal_program_work(lab->program), sizeof *work);
    kal_program_prepare(lab->program, NULL, lab->work);
    kal_program_bound(lab->program, box, lab->work, work, bounds);
    for (int k = 0; k < POINTS; k++) {
        double values[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) {
            const double part = k < 8 ? (double)(k >> i & 1) : rng_unit(rng);
            values[i] = box[i].low + part * (box[i].high - box[i].low);
            values[i] = fmin(fmax(values[i], box[i].low), box[i].high);
        }
        kal_program_eval(lab->program, values, lab->work, got);
        for (size_t i = 0; i < n; i++) {
            const bool inside = got[i] >= bounds[i].low && got[i] <= bounds[i].high;
            if (!ok(isnan(got[i]) || inside)) {
                printf("# output %zu: %a not in %a … %a\n", i, got[i], bounds[i].low,
                       bounds[i].high);
            }
        }
    }
    free(work);
}

static void ranges_hold_values_of_operators(void)
{
    begin();
    kal_graph_set_plain(g, true);
    KalExpr x[SYMBOLS];
    KalExpr all[2 * KAL_OP_COUNT + SPLINE_NODES];
    size_t n = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        x[i] = kal_symbol(g, i);
    }
    for (int op = KAL_OP_ADD; op < KAL_OP_COUNT; op++) {
        if (op != KAL_OP_POWI && !kal_op_is_spline((KalOp)op)) {
            all[n++] = kal_build(g, (KalOp)op, x);
        }
    }
    n += spline_nodes(g, x[0], all + n);
    for (int32_t power = -3; power < 7; power++) {
        all[n++] = kal_powi(g, x[0], power);
    }
    Lab lab;
    lab_open(&lab, all, n, 0, SYMBOLS);
    Rng rng = {.state = 7};
    for (int k = 0; k < 3000; k++) {
        KalRange box[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) {
            box[i] = range_of(&rng);
        }
        hold(&lab, n, box, &rng);
    }
    lab_close(&lab);
    end();
}

static void ranges_hold_values_of_formulas(void)
{
    begin();
    const KalExpr e[] = {f("sin(a*b) - c^2/(1 + b^2)"),
                         f("if(a < b and not (c > 0), exp(a/10), abs(b) - 3)"),
                         f("sqrt(a^2 + 1)*min(b, c) + max(a, 2)*sign(c)"),
                         f("(a - 1)^2 - cos(3*b)*tanh(c)")};
    Lab lab;
    lab_open(&lab, e, 4, 0, SYMBOLS);
    Rng rng = {.state = 8};
    for (int k = 0; k < 3000; k++) {
        KalRange box[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) {
            box[i] = range_of(&rng);
        }
        hold(&lab, 4, box, &rng);
    }
    lab_close(&lab);
    end();
}

// A range that shrinks to a point shrinks to the value.
static void ranges_of_points_are_narrow(void)
{
    begin();
    const KalExpr e = f("sin(a*b) - c^2/(1 + b^2) + exp(a)*cos(c)");
    const double values[] = {0.7, -1.3, 2.1};
    double want = 0.0;
    Lab lab;
    lab_open(&lab, &e, 1, 0, SYMBOLS);
    lab_eval(&lab, values, 0, &want);
    KalRange *work = calloc(kal_program_work(lab.program), sizeof *work);
    KalRange box[SYMBOLS];
    KalRange got;
    for (int i = 0; i < SYMBOLS; i++) {
        box[i] = (KalRange){values[i], values[i]};
    }
    kal_program_bound(lab.program, box, lab.work, work, &got);
    near(got.low, want, 1e-13);
    near(got.high, want, 1e-13);
    free(work);
    lab_close(&lab);
    end();
}

// Every switch on both pieces, at operands on either side.
static void switches_keep_their_piece(void)
{
    static const struct {
        const char *formula;
        double above; // where a − b is positive, at (a, b)
        double below;
    } cases[] = {
        {"abs(a - b)",       1.0, -1.0},
        {"sign(a - b)",      1.0, -1.0},
        {"min(a, b)",        0.0, 1.0 },
        {"max(a, b)",        1.0, 0.0 },
        {"if(a < b, 5, 7)",  7.0, 5.0 },
        {"if(a >= b, 5, 7)", 5.0, 7.0 },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        begin();
        const KalExpr e = f(cases[k].formula);
        KalOrder order = {0};
        ok(kal_order_init(g, &e, 1, &order) == KAL_OK);
        KalProgramSwitch list[8];
        size_t n = 0;
        const KalExpr difference = f("a - b");
        for (uint32_t i = 0; i < order.count; i++) {
            if (kal_op_switches((KalOp)order.steps[i].op)) {
                const KalSwitchForm form = kal_switch_form(g, order.steps[i].node);
                const bool same = form.function.index == difference.index;
                ok(same || form.function.index == kal_neg(g, difference).index);
                list[n++] = (KalProgramSwitch){order.steps[i].node,
                                               (same ? 1 : -1) * form.orientation};
            }
        }
        ok(n == 1);
        const KalExpr symbols[] = {f("a"), f("b")};
        const KalProgramSpec spec = {.outputs = &e,
                                     .n_outputs = 1,
                                     .variables = symbols,
                                     .n_variables = 2,
                                     .switches = list,
                                     .n_switches = n};
        KalProgram *program = NULL;
        ok(kal_program_create(g, &spec, &program) == KAL_OK);
        double *work = calloc(kal_program_work(program), sizeof *work);
        kal_program_prepare(program, NULL, work);
        // At a = 1, b = 0 the difference is 1; both pieces have their formula there.
        const double values[] = {1.0, 0.0};
        const double modes[] = {1.0, -1.0, NAN};
        const double want[] = {cases[k].above, cases[k].below, cases[k].above};
        for (int i = 0; i < 3; i++) {
            double got = 0.0;
            kal_program_eval_on(program, values, &modes[i], work, &got);
            near(got, want[i], 0.0);
        }
        free(work);
        kal_program_destroy(program);
        kal_order_clear(&order);
        end();
    }
}

// What has no value at all excludes nothing: conditions made of it are undecided.
static void ranges_of_no_number_are_everything(void)
{
    begin();
    const KalExpr p = kal_symbol(g, 0);
    const KalExpr x = kal_symbol(g, 1);
    const KalExpr below = kal_binary(g, KAL_OP_LT, p, x);
    Lab lab;
    lab_open(&lab, &below, 1, 1, 1);
    const double parameter = NAN;
    const KalRange box = {-1.0, 1.0};
    KalRange bound = {2.0, 2.0};
    KalRange *work = calloc(kal_program_work(lab.program), sizeof *work);
    kal_program_prepare(lab.program, &parameter, lab.work);
    kal_program_bound(lab.program, &box, lab.work, work, &bound);
    ok(bound.low == 0.0 && bound.high == 1.0);
    free(work);
    lab_close(&lab);
    end();
}

// Of many parameters only those that are read get ranges: the number of places that are written
// does not depend on how many there are.
static void parameters_that_are_not_read_take_no_time(void)
{
    enum {
        MANY = 1000
    };

    begin();
    const KalExpr p = kal_symbol(g, MANY / 2);
    const KalExpr x = kal_symbol(g, MANY);
    const KalExpr outputs[] = {kal_sub(g, kal_mul(g, p, x), p), p};
    double parameters[MANY] = {0};
    const KalRange box = {-1.0, 2.0};
    KalRange bounds[2];
    Lab lab;
    lab_open(&lab, outputs, 2, MANY, 1);
    parameters[MANY / 2] = 3.0;
    const size_t size = kal_program_work(lab.program);
    KalRange *work = calloc(size, sizeof *work);
    kal_program_prepare(lab.program, parameters, lab.work);
    for (size_t i = 0; i < size; i++) {
        work[i] = (KalRange){NAN, NAN};
    }
    kal_program_bound(lab.program, &box, lab.work, work, bounds);
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        written += isnan(work[i].low) ? 0 : 1;
    }
    ok(written == 1 + kal_program_operations(lab.program));
    near(bounds[0].low, -6.0, 1e-13);
    near(bounds[0].high, 3.0, 1e-13);
    ok(bounds[1].low == 3.0 && bounds[1].high == 3.0);
    free(work);
    lab_close(&lab);
    end();
}

TAP_RUN(TAP_CASE(ranges_of_no_number_are_everything),
        TAP_CASE(parameters_that_are_not_read_take_no_time),
        TAP_CASE(ranges_hold_values_of_operators),
        TAP_CASE(ranges_hold_values_of_formulas), TAP_CASE(ranges_of_points_are_narrow),
        TAP_CASE(switches_keep_their_piece))
