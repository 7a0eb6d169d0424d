// SPDX-License-Identifier: MIT

#include "lab.h"
#include "prog/program_impl.h"

// Parameters a, b; variables c, d.
static void computes_what_formulas_say(void)
{
    begin();
    const KalExpr outputs[] = {
        f("a*c + b*d"), f("sin(c)^2*a - d/b"), f("c"), f("a"), f("2"), f("-d"), f("c")};
    Lab lab;
    lab_open(&lab, outputs, 7, 2, 2);
    double got[7];
    lab_eval(&lab, (double[]){2.0, 4.0, 0.5, -3.0}, 2, got);
    ok(got[0] == 2.0 * 0.5 - 4.0 * 3.0);
    near(got[1], 2.0 * sin(0.5) * sin(0.5) + 0.75, 4e-16);
    ok(got[2] == 0.5 && got[3] == 2.0 && got[4] == 2.0 && got[5] == 3.0);
    ok(got[6] == 0.5);
    lab_close(&lab);
    end();
}

// What depends on parameters alone is computed once, whatever the variables do.
static void prepares_what_does_not_change(void)
{
    begin();
    const KalExpr outputs[] = {f("sqrt(a)*c"), f("sqrt(a)*b^3 + exp(b)"), f("sin(2)")};
    Lab lab;
    lab_open(&lab, outputs, 3, 2, 1);
    ok(kal_program_preparations(lab.program) == 6); // sqrt, *, ^, +, exp; sin
    ok(kal_program_operations(lab.program) == 1);
    double got[3];
    kal_program_prepare(lab.program, (double[]){4.0, 2.0}, lab.work);
    for (int i = 0; i < 5; i++) {
        const double c = 1.5 * i;
        kal_program_eval(lab.program, &c, lab.work, got);
        ok(got[0] == 2.0 * c && got[1] == 2.0 * 8.0 + exp(2.0) && got[2] == sin(2.0));
    }
    kal_program_prepare(lab.program, (double[]){9.0, 2.0}, lab.work);
    kal_program_eval(lab.program, (double[]){1.0}, lab.work, got);
    ok(got[0] == 3.0 && got[1] == 3.0 * 8.0 + exp(2.0));
    lab_close(&lab);
    end();
}

// Sines that have as many others below them are one run, though some of their arguments are there
// sooner than others.
static void sines_are_computed_together(void)
{
    begin();
    const KalExpr outputs[] = {f("sin(sin(c) + 1)*cos(d)"),
                               f("cos(c/(d*a + exp(c*b))) + sin(sin(b*c*d)/d)")};
    const double values[] = {1.5, 0.5, 0.25, 2.0};
    double got[2];
    Lab lab;
    uint32_t counts[2] = {0, 0};
    int n = 0;
    lab_open(&lab, outputs, 2, 2, 2);
    const KalBlock *block = &lab.program->tapes[KAL_TAPE_EVAL].runs;
    const KalTapeRun *runs = block->data;
    for (size_t i = 0; i < block->size / sizeof *runs; i++) {
        if (runs[i].what == KAL_DO_SIN_COS && ok(n < 2)) {
            counts[n++] = runs[i].count;
        }
    }
    ok(n == 2 && counts[0] == 4 && counts[1] == 2);
    lab_eval(&lab, values, 2, got);
    near(got[0], sin(sin(0.25) + 1.0) * cos(2.0), 1e-15);
    near(got[1], cos(0.25 / (3.0 + exp(0.125))) + sin(sin(0.25) / 2.0), 1e-15);
    lab_close(&lab);
    end();
}

static void empty_programs_do_nothing(void)
{
    begin();
    const KalProgramSpec nothing = {.n_outputs = 0};
    KalProgram *program = NULL;
    ok(kal_program_create(g, &nothing, &program) == KAL_OK);
    ok(kal_program_operations(program) == 0 && kal_program_preparations(program) == 0);
    double work[4] = {0.0};
    ok(kal_program_work(program) <= 4);
    kal_program_prepare(program, NULL, work);
    kal_program_eval(program, NULL, work, NULL);
    ok(kal_program_find_fault(program, NULL, work).index == 0);
    kal_program_destroy(program);
    kal_program_destroy(NULL);
    end();
}

static void symbols_must_be_listed(void)
{
    begin();
    const KalExpr output = f("a*z");
    const KalExpr a = f("a");
    const KalProgramSpec spec = {
        .outputs = &output, .n_outputs = 1, .variables = &a, .n_variables = 1};
    KalProgram *program = NULL;
    ok(kal_program_create(g, &spec, &program) == KAL_ERR_USAGE && !program);
    has_text(kal_context_message(ctx), "neither a parameter nor a variable");
    end();
}

static void spoiled_graphs_are_refused(void)
{
    begin();
    const KalExpr output = f("a");
    const KalProgramSpec spec = {
        .outputs = &output, .n_outputs = 1, .variables = &output, .n_variables = 1};
    KalProgram *program = NULL;
    (void)kal_div(g, output, kal_int(g, 0));
    ok(kal_program_create(g, &spec, &program) == KAL_ERR_NUMBER && !program);
    end();
}

// The graph may be gone, no memory is asked for, and work memory may be reused.
static void evaluation_needs_only_the_program(void)
{
    begin();
    const KalExpr output = f("if(c > a, hypot(c, d), atan2(c, d))/b");
    Lab lab;
    lab_open(&lab, &output, 1, 2, 2);
    kal_graph_destroy(g);
    g = NULL;
    graph_fault.calls_left = 0;
    double got = 0.0;
    lab_eval(&lab, (double[]){2.0, 4.0, 3.0, 4.0}, 2, &got);
    ok(got == 1.25);
    lab_eval(&lab, (double[]){5.0, 4.0, 3.0, 4.0}, 2, &got);
    ok(got == atan2(3.0, 4.0) / 4.0);
    lab_close(&lab);
    end();
}

static KalStatus compile(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr nodes[300];
    Rng rng = {.state = 3};
    for (uint32_t i = 0; i < 4; i++) {
        nodes[i] = kal_symbol(graph, i);
    }
    for (int i = 4; i < 300; i++) { // many short runs
        const KalOp op = (KalOp)rng_int(&rng, KAL_OP_ADD, KAL_OP_MUL);
        nodes[i] = kal_build(graph, op, nodes + i - 3);
    }
    KalStatus status = kal_graph_status(graph);
    KalProgram *program = NULL;
    const KalProgramSpec spec = {.outputs = nodes,
                                 .n_outputs = 300,
                                 .parameters = nodes,
                                 .n_parameters = 2,
                                 .variables = nodes + 2,
                                 .n_variables = 2};
    if (status == KAL_OK) {
        status = kal_program_create(graph, &spec, &program);
        ok((status == KAL_OK) == (program != NULL));
    }
    kal_program_destroy(program);
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(compile);
}

TAP_RUN(TAP_CASE(computes_what_formulas_say), TAP_CASE(prepares_what_does_not_change),
        TAP_CASE(sines_are_computed_together), TAP_CASE(empty_programs_do_nothing),
        TAP_CASE(symbols_must_be_listed), TAP_CASE(spoiled_graphs_are_refused),
        TAP_CASE(evaluation_needs_only_the_program),
        TAP_CASE(every_allocation_may_fail))
