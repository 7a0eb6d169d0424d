// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "tap.h"

#include <kalaba/problem.h>

static KalProblem *parse(KalContext *ctx, const char *text)
{
    KalProblem *problem = NULL;
    if (!ok(kal_problem_parse(ctx, "p", text, strlen(text), &problem) == KAL_OK)) {
        printf("# %s\n", kal_context_message(ctx));
    }
    return problem;
}

static void refuses(const char *text, KalStatus want, const char *message)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalProblem *problem = NULL;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_problem_parse(ctx, "p", text, strlen(text), &problem) == want);
    has_text(kal_context_message(ctx), message);
    ok(problem == NULL);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void a_full_document_is_kept(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalProblem *problem =
        parse(ctx, "{\"constraints\": [\"rod\"], \"b\": [-25], \"A\": [[3, -4]],\n"
                   " \"coordinates\": [\"x\", \"y\"], \"Q\": [0, -9.81],\n"
                   " \"M\": [[1, 2], [2, 5]], \"C\": [0.5, 1], \"t\": 3,\n"
                   " \"q\": [1, 2], \"qd\": [3, 4], \"model\": \"m\",\n"
                   " \"formulation\": \"lagrange\"}");
    const KalMotionProblem p = kal_problem_get(problem);
    ok(p.n == 2 && p.m == 1);
    ok(p.M[0] == 1.0 && p.M[1] == 2.0 && p.M[2] == 2.0 && p.M[3] == 5.0);
    ok(p.Q[0] == 0.0 && p.Q[1] == -9.81);
    ok(p.A[0] == 3.0 && p.A[1] == -4.0 && p.b[0] == -25.0);
    ok(p.C[0] == 0.5 && p.C[1] == 1.0);
    same_text(p.coordinates[0], "x");
    same_text(p.coordinates[1], "y");
    same_text(p.constraints[0], "rod");
    ok(kal_problem_formulation(problem) == KAL_FORMULATION_LAGRANGE);
    kal_problem_set_formulation(problem, KAL_FORMULATION_NULLSPACE);
    ok(kal_problem_formulation(problem) == KAL_FORMULATION_NULLSPACE);
    kal_problem_destroy(problem);
    kal_context_destroy(ctx);
}

static void what_is_left_out_has_a_default(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalProblem *problem = parse(ctx, "{\"M\": [[1]], \"Q\": [2]}");
    const KalMotionProblem p = kal_problem_get(problem);
    ok(p.n == 1 && p.m == 0);
    ok(p.A == NULL && p.b == NULL && p.C == NULL && p.constraints == NULL);
    same_text(p.coordinates[0], "q[1]");
    ok(kal_problem_formulation(problem) == KAL_FORMULATION_DEFAULT);
    kal_problem_destroy(problem);

    problem = parse(ctx, "{\"M\": [[1]], \"Q\": [2], \"A\": [[1],[1]], \"b\": [0,0]}");
    same_text(kal_problem_get(problem).constraints[1], "c[2]");
    kal_problem_destroy(problem);
    kal_problem_destroy(NULL);
    kal_context_destroy(ctx);
}

static void null_is_as_good_as_absent(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalProblem *problem = parse(
        ctx, "{\"M\": [[1]], \"Q\": [2], \"A\": null, \"b\": null, \"C\": null, "
             "\"coordinates\": null, \"constraints\": null, \"formulation\": null, "
             "\"model\": null, \"t\": null, \"q\": null, \"qd\": null}");
    ok(kal_problem_get(problem).m == 0);
    kal_problem_destroy(problem);
    problem = parse(ctx, "{\"M\": [[1]], \"Q\": [2], \"A\": [], \"b\": [], "
                         "\"constraints\": [], \"model\": \"\"}");
    ok(kal_problem_get(problem).m == 0);
    kal_problem_destroy(problem);
    kal_context_destroy(ctx);
}

static void missing_parts_are_told(void)
{
    refuses("{}", KAL_ERR_SHAPE, "p:1:1: M is missing; expected");
    refuses("\n {\"Q\": [1]}", KAL_ERR_SHAPE, "p:2:2: M is missing");
    refuses("{\"M\": null, \"Q\": [1]}", KAL_ERR_SHAPE, "p:1:1: M is missing");
    refuses("{\"M\": [[1]]}", KAL_ERR_SHAPE, "p:1:1: Q is missing; expected");
    refuses("{\"M\": [], \"Q\": []}", KAL_ERR_SHAPE, "p:1:7: M is empty; expected");
    refuses("{\"M\": [[1]], \"Q\": [1], \"A\": [[1]]}", KAL_ERR_SHAPE,
            "p:1:29: A without b; expected both or neither");
    refuses("{\"b\": [], \"M\": [[1]], \"Q\": [1]}", KAL_ERR_SHAPE,
            "p:1:7: b without A; expected both or neither");
}

static void wrong_sizes_are_told(void)
{
    refuses("{\"M\": [[1,0],\n [0]], \"Q\": [1,2]}", KAL_ERR_SHAPE,
            "p:2:2: M, row 2 has length 1; expected 2, as many as M has rows");
    refuses("{\"M\": [[1,0,0],[0,1,0]], \"Q\": [1,2]}", KAL_ERR_SHAPE,
            "p:1:8: M, row 1 has length 3; expected 2");
    refuses("{\"M\": [[1]], \"Q\": [1,2]}", KAL_ERR_SHAPE,
            "p:1:19: Q has length 2; expected 1, one for each coordinate");
    refuses("{\"M\": [[1]], \"Q\": [1], \"A\": [[1],[]], \"b\": [1,2]}", KAL_ERR_SHAPE,
            "p:1:34: A, row 2 has length 0; expected 1, one for each coordinate");
    refuses("{\"M\": [[1]], \"Q\": [1], \"A\": [[1]], \"b\": []}", KAL_ERR_SHAPE,
            "p:1:41: b has length 0; expected 1, one for each constraint");
    refuses("{\"M\": [[1]], \"Q\": [1], \"C\": []}", KAL_ERR_SHAPE, "C has length 0");
    refuses("{\"M\": [[1]], \"Q\": [1], \"q\": []}", KAL_ERR_SHAPE, "q has length 0");
    refuses("{\"M\": [[1]], \"Q\": [1], \"qd\": []}", KAL_ERR_SHAPE, "qd has length 0");
    refuses("{\"M\": [[1]], \"Q\": [1], \"coordinates\": [\"x\", \"y\"]}",
            KAL_ERR_SHAPE, "p:1:39: coordinates has length 2; expected 1, one for");
    refuses("{\"M\": [[1]], \"Q\": [1], \"constraints\": [\"c\"]}", KAL_ERR_SHAPE,
            "p:1:39: constraints has length 1; expected 0, one for each constraint");
}

static void wrong_types_are_told(void)
{
    refuses("[]", KAL_ERR_SYNTAX,
            "p:1:1: the document is an array; expected an object");
    refuses("{\"M\": 1}", KAL_ERR_SYNTAX, "p:1:7: M is a number; expected an array of");
    refuses("{\"M\": [1]}", KAL_ERR_SYNTAX, "p:1:8: M, row 1 is a number; expected");
    refuses("{\"M\": [[{}]]}", KAL_ERR_SYNTAX, "p:1:9: M, row 1, entry 1 is an object");
    refuses("{\"Q\": \"x\"}", KAL_ERR_SYNTAX,
            "p:1:7: Q is a string; expected an array");
    refuses("{\"Q\": [null]}", KAL_ERR_SYNTAX, "Q, entry 1 is null; expected a number");
    refuses("{\"Q\": [1, [2]]}", KAL_ERR_SYNTAX, "p:1:11: Q, entry 2 is an array");
    refuses("{\"t\": \"0\"}", KAL_ERR_SYNTAX, "t is a string; expected a number");
    refuses("{\"model\": 1}", KAL_ERR_SYNTAX, "model is a number; expected a title");
    refuses("{\"formulation\": 1}", KAL_ERR_SYNTAX,
            "formulation is a number; expected");
    refuses("{\"coordinates\": \"x\"}", KAL_ERR_SYNTAX,
            "coordinates is a string; expe");
    refuses("{\"coordinates\": [1]}", KAL_ERR_SYNTAX,
            "entry 1 is a number; expected a");
}

static void unknown_words_are_told(void)
{
    refuses("{\"coordinate\": []}", KAL_ERR_SYNTAX,
            "p:1:2: unknown key \"coordinate\"; expected one of M, Q, A, b, C, "
            "coordinates, constraints, formulation, model, t, q, qd; did you mean "
            "\"coordinates\"?");
    refuses("{\"m\": []}", KAL_ERR_SYNTAX, "did you mean \"M\"?");
    refuses("{\"a\\u001b[31m\": 1}", KAL_ERR_SYNTAX, "unknown key \"a\\u{1b}[31m\"");
    refuses("{\"M\\u0000\": 1}", KAL_ERR_SYNTAX, "unknown key \"M\\u{0}\"");
    refuses("{\"formulation\": \"lagrang\"}", KAL_ERR_SYNTAX,
            "p:1:17: unknown formulation \"lagrang\"; expected one of default, ");
    refuses("{\"formulation\": \"lagrang\"}", KAL_ERR_SYNTAX, "mean \"lagrange\"?");
    refuses("{\"formulation\": \"default\\u0000\"}", KAL_ERR_SYNTAX, "unknown formu");
}

static void repetition_is_told(void)
{
    refuses("{\"M\": [[1]], \"M\": [[1]]}", KAL_ERR_SYNTAX,
            "p:1:14: M is given twice; expected each key once");
    refuses("{\"C\": null, \"C\": null}", KAL_ERR_SYNTAX, "p:1:13: C is given twice");
    refuses("{\"constraints\": [\"a\", \"b\", \"\\u0061\"]}", KAL_ERR_SYNTAX,
            "p:1:28: constraints, entry 3 is \"a\" again; expected names that differ");
}

static void names_that_cannot_be_kept_are_told(void)
{
    refuses("{\"coordinates\": [\"\"]}", KAL_ERR_SYNTAX,
            "p:1:18: coordinates, entry 1 is empty; expected a name");
    refuses("{\"coordinates\": [\"a\\u0000b\"]}", KAL_ERR_SYNTAX,
            "p:1:18: coordinates, entry 1 contains \\u0000; expected a name without");
    refuses("{\"model\": \"a\\u0000b\"}", KAL_ERR_SYNTAX, "model contains \\u0000");
}

static void names_are_shown_safely(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalProblem *problem = parse(
        ctx, "{\"M\": [[1,0],[0,1]], \"Q\": [1,2], \"coordinates\": [\"a\\nb\", "
             "\"012345678901234567890123456789012345678901234567890123456789\"]}");
    const KalMotionProblem p = kal_problem_get(problem);
    same_text(p.coordinates[0], "a\\u{a}b");
    same_text(p.coordinates[1], "01234567890123456789012345678…0123456789");
    kal_problem_destroy(problem);
    kal_context_destroy(ctx);
}

static void bad_numbers_and_texts_are_told(void)
{
    refuses("{\"M\": [[1]], \"Q\": [-1e999]}", KAL_ERR_NUMBER,
            "p:1:20: the number -1e999 is too large; expected less than 1.8e308");
    refuses("{\"M\": [[NaN]]}", KAL_ERR_SYNTAX,
            "p:1:9: 'NaN' found; expected a number");
    refuses("{\"M\": [[1]], \"Q\": [1]", KAL_ERR_SYNTAX, "p:1:22: the text ends here");
    refuses("{\"M\": [[1]], \"Q\": [1]} {}", KAL_ERR_SYNTAX, "p:1:24: '{' found");
}

// An opening, `count` times a piece, and a closing.
static char *repeat(const char *begin, const char *piece, size_t count, const char *end)
{
    const size_t size = strlen(begin) + count * (strlen(piece) + 1) + strlen(end) + 1;
    char *text = malloc(size);
    if (!text) {
        abort();
    }
    char *tail = text + snprintf(text, size, "%s", begin);
    for (size_t i = 0; i < count; i++) {
        tail += snprintf(tail, size, "%s%s", i > 0 ? "," : "", piece);
    }
    snprintf(tail, size, "%s", end);
    return text;
}

static void sizes_have_a_limit(void)
{
    char *rows = repeat("{\"A\": [", "[]", KAL_PROBLEM_LIMIT + 1, "]}");
    refuses(rows, KAL_ERR_LIMIT, "p:1:7: A has too many rows; expected at most 4096");
    free(rows);
    char *row = repeat("{\"M\": [[", "0", KAL_PROBLEM_LIMIT + 1, "]]}");
    refuses(row, KAL_ERR_LIMIT,
            "p:1:8: M, row 1 has too many numbers; expected at most");
    free(row);
    char *deep = repeat("{\"M\": ", "[", 1, "[[[[[");
    refuses(deep, KAL_ERR_SYNTAX, "p:1:9: M, row 1, entry 1 is an array");
    free(deep);
}

static void many_names_have_a_limit(void)
{
    const size_t size = 20 * (KAL_PROBLEM_LIMIT + 2);
    char *text = malloc(size);
    if (!text) {
        abort();
    }
    char *tail = text + snprintf(text, size, "{\"constraints\": [\"c\"");
    for (int i = 0; i < KAL_PROBLEM_LIMIT; i++) {
        tail += snprintf(tail, 20, ",\"%d\"", (i * 7919) % 100003);
    }
    snprintf(tail, 4, "]}");
    refuses(text, KAL_ERR_LIMIT, "p:1:17: constraints has too many names; expected");
    free(text);
}

// Escaping makes a name of control characters six times as long.
static void memory_is_proportional_to_the_text(void)
{
    char *text = repeat("{\"M\": [[1]], \"Q\": [1], \"coordinates\": [\"",
                        "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", 10000, "\"]}");
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalProblem *problem = parse(ctx, text);
    ok(kal_context_bytes(ctx) < 16384 + 12 * strlen(text));
    kal_problem_destroy(problem);
    kal_context_destroy(ctx);
    free(text);
}

static KalStatus parse_all(KalContext *ctx)
{
    const char *text =
        "{\"M\": [[1,0,0],[0,1,0],[0,0,1]], \"Q\": [1,2,3], \"A\": [[1,1,1]],"
        " \"b\": [0], \"C\": [1,1,1], \"constraints\": [\"a\\nb\"], \"model\": \"m\","
        " \"q\": [0,0,0], \"qd\": [0,0,0]}";
    KalProblem *problem = NULL;
    const KalStatus status = kal_problem_parse(ctx, "p", text, strlen(text), &problem);
    ok(status == KAL_OK || has_text(kal_context_message(ctx), "memory"));
    ok((status == KAL_OK) == (problem != NULL));
    kal_problem_destroy(problem);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(parse_all);
}

TAP_RUN(TAP_CASE(a_full_document_is_kept), TAP_CASE(what_is_left_out_has_a_default),
        TAP_CASE(null_is_as_good_as_absent), TAP_CASE(missing_parts_are_told),
        TAP_CASE(wrong_sizes_are_told), TAP_CASE(wrong_types_are_told),
        TAP_CASE(unknown_words_are_told), TAP_CASE(repetition_is_told),
        TAP_CASE(names_that_cannot_be_kept_are_told), TAP_CASE(names_are_shown_safely),
        TAP_CASE(bad_numbers_and_texts_are_told), TAP_CASE(sizes_have_a_limit),
        TAP_CASE(many_names_have_a_limit), TAP_CASE(memory_is_proportional_to_the_text),
        TAP_CASE(every_allocation_may_fail))
