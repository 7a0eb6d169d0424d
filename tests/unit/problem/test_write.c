// SPDX-License-Identifier: MIT

#include "tap.h"

#include <kalaba/problem.h>

typedef struct Text {
    char bytes[65536];
    size_t length;
} Text;

static Text text; // of the case that runs

static void keep(void *user, const char *bytes, size_t length)
{
    (void)user;
    if (ok(text.length + length < sizeof text.bytes)) {
        memcpy(text.bytes + text.length, bytes, length);
        text.length += length;
        text.bytes[text.length] = '\0';
    }
}

static KalSink empty_text(void)
{
    text.length = 0;
    return (KalSink){.write = keep};
}

// A document and an answer made by hand: the third row is the sum of the others, z has
// neither mass nor constraint.
typedef struct Sample {
    KalContext *ctx;
    KalProblem *problem;
    KalMotionAnswer answer;
} Sample;

static void init_sample(Sample *sample, const char *document)
{
    static const double qdd[] = {0.5, -0.0, 0.1};
    static const double ideal[] = {1.0, -2.0, 0.0};
    static const double nonideal[] = {0.25, 0.5, 0.0};
    static const double multipliers[] = {1.0, 2.0, 3.0};
    static const bool indeterminate[] = {false, false, true};
    static const int dependent_set[] = {0, 0, 0};

    *sample = (Sample){.ctx = NULL};
    sample->answer = (KalMotionAnswer){.n = 3,
                                       .m = 3,
                                       .qdd = qdd,
                                       .force_ideal = ideal,
                                       .force_nonideal = nonideal,
                                       .multipliers = multipliers,
                                       .rank_M = 2,
                                       .rank_A = 2,
                                       .rank_Mhat = 2,
                                       .indeterminate = indeterminate,
                                       .n_dependent_sets = 1,
                                       .dependent_set = dependent_set,
                                       .residual_constraints = 1e-16,
                                       .residual_motion = 2.5e-17};
    ok(kal_context_create(NULL, NULL, &sample->ctx) == KAL_OK);
    ok(kal_problem_parse(sample->ctx, "p", document, strlen(document), &sample->problem)
       == KAL_OK);
}

static void clear_sample(Sample *sample)
{
    kal_problem_destroy(sample->problem);
    kal_context_destroy(sample->ctx);
}

#define MATRICES                                                         \
    "\"M\": [[1,0,0],[0,1,0],[0,0,0]], \"Q\": [1,2,0], \"b\": [1,2,3], " \
    "\"A\": [[1,0,0],[0,1,0],[1,1,0]]"

#define NAMES                                                                    \
    "\"coordinates\": [\"x\", \"y\\u001b\", \"z\"], \"constraints\": [\"one\", " \
    "\"two\", \"sum\"]"

static void json_has_every_key_of_eval(void)
{
    Sample s;
    init_sample(&s,
                "{" MATRICES ", " NAMES ", \"C\": [0.5,1,0], \"model\": \"\\\"m\\\"\","
                " \"t\": 2, \"q\": [1,2,3], \"qd\": [4,5,6]}");
    kal_problem_write_json(s.problem, &s.answer, empty_text());
    same_text(
        text.bytes,
        "{\"model\": \"\\\"m\\\"\", \"t\": 2, \"coordinates\": [\"x\", \"y\\u001b\", "
        "\"z\"], \"q\": [1, 2, 3], \"qd\": [4, 5, 6], \"M\": [[1, 0, 0], [0, 1, 0], "
        "[0, 0, 0]], \"Q\": [1, 2, 0], \"A\": [[1, 0, 0], [0, 1, 0], [1, 1, 0]], "
        "\"b\": "
        "[1, 2, 3], \"C\": [0.5, 1, 0], \"constraints\": [\"one\", \"two\", \"sum\"], "
        "\"qdd\": [0.5, -0, 0.1], \"force\": {\"ideal\": [1, -2, 0], \"nonideal\": "
        "[0.25, "
        "0.5, 0], \"total\": [1.25, -1.5, 0]}, \"multipliers\": {\"one\": 1, \"two\": "
        "2, "
        "\"sum\": 3}, \"unique_reaction\": {\"one\": false, \"two\": false, \"sum\": "
        "false}, \"rank\": {\"M\": 2, \"A\": 2, \"Mhat\": 2}, \"unique\": false, "
        "\"indeterminate\": [\"z\"], \"dependent_sets\": [[\"one\", \"two\", "
        "\"sum\"]], "
        "\"consistent\": true, \"residual\": 1e-16, \"residual_motion\": 2.5e-17}\n");
    clear_sample(&s);
}

static void json_has_null_for_what_is_unknown(void)
{
    Sample s;
    init_sample(&s, "{" MATRICES "}");
    kal_problem_write_json(s.problem, &s.answer, empty_text());
    has_text(text.bytes, "{\"model\": null, \"t\": null, \"coordinates\": [\"q[1]\", "
                         "\"q[2]\", \"q[3]\"], \"q\": null, \"qd\": null, ");
    has_text(text.bytes, "\"C\": [0, 0, 0]");
    has_text(text.bytes, "\"multipliers\": {\"c[1]\": 1, \"c[2]\": 2, \"c[3]\": 3}");
    clear_sample(&s);
}

static void text_explains_what_is_not_unique(void)
{
    Sample s;
    init_sample(&s, "{" MATRICES ", " NAMES ", \"C\": [0.5,1,0], \"model\": \"m\\n\"}");
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    same_text(
        text.bytes,
        "m\\u{a}\n"
        "3 coordinates, 3 constraints of rank 2, 1 degree of freedom: the "
        "acceleration is not unique.\n"
        "\n"
        "coordinate   acceleration   impressed Q   ideal force   non-ideal force\n"
        "x                     0.5             1             1              0.25\n"
        "y\\u{1b}               0               2            -2              0.5\n"
        "z                     0.1             0             0              0\n"
        "\n"
        "constraint   multiplier\n"
        "one                   1   not unique: depends on two, sum\n"
        "two                   2   not unique: depends on one, sum\n"
        "sum                   3   not unique: depends on one, two\n"
        "\n"
        "Constraints that depend on each other: how they share the force is not "
        "unique;\n"
        "the multipliers shown are those of least norm.\n"
        "  set 1: one, two, sum\n"
        "\n"
        "Indeterminate coordinates: z\n"
        "They can accelerate in a way that moves no mass and that no constraint\n"
        "restricts.  Of all accelerations that obey the equations the one of "
        "least norm\n"
        "is shown.\n"
        "\n"
        "Residuals, relative: constraints 1e-16, motion 2.5e-17.\n"
        "Answer: the fast path could not vouch for one; found on the "
        "rank-revealing path.\n");
    clear_sample(&s);
}

static void text_is_short_when_all_is_well(void)
{
    Sample s;
    const bool determinate[] = {false};
    init_sample(&s, "{\"M\": [[1]], \"Q\": [1]}");
    s.answer.n = 1;
    s.answer.m = 0;
    s.answer.rank_A = 0;
    s.answer.n_dependent_sets = 0;
    s.answer.indeterminate = determinate;
    s.answer.unique = true;
    s.answer.fast = true;
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    same_text(text.bytes, "1 coordinate, no constraints, 1 degree of freedom: the "
                          "acceleration is unique.\n"
                          "\n"
                          "coordinate   acceleration   impressed Q   ideal force\n"
                          "q[1]                  0.5             1             1\n"
                          "\n"
                          "Residuals, relative: constraints 1e-16, motion 2.5e-17.\n"
                          "Answer: found on the fast path, which vouches for it.\n");
    kal_problem_set_formulation(s.problem, KAL_FORMULATION_LAGRANGE);
    s.answer.fast = false;
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    has_text(text.bytes, "Answer: found by the formulation asked for.\n");
    clear_sample(&s);
}

static void a_row_of_zeros_has_its_own_remark(void)
{
    Sample s;
    const int alone[] = {-1, 0, -1};
    init_sample(&s, "{" MATRICES "}");
    s.answer.dependent_set = alone;
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    has_text(text.bytes, "c[1]                  1\n");
    has_text(text.bytes,
             "c[2]                  2   not unique: its row of A is zero\n");
    clear_sample(&s);
}

static void color_is_only_there_when_asked_for(void)
{
    Sample s;
    init_sample(&s, "{" MATRICES ", " NAMES ", \"model\": \"m\"}");
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    ok(strchr(text.bytes, '\x1b') == NULL);
    kal_problem_write_text(s.problem, &s.answer, true, empty_text());
    has_text(text.bytes, "\x1b[1mm\x1b[0m\n");
    has_text(text.bytes, "\x1b[33mthe acceleration is not unique.\x1b[0m\n");
    clear_sample(&s);
}

enum {
    MANY = 63
};

// n = m = MANY with zeros everywhere but in the values that change from row to row.
static void long_tables_are_cut_short(void)
{
    static char document[100000];
    static double values[MANY];
    static bool flags[MANY];
    static int sets[MANY];
    char row[2 * MANY + 4] = "[0";
    for (int i = 1; i < MANY; i++) {
        strcat(row, ",0");
        flags[i] = true;
    }
    strcat(row, "]");
    char *end = document + sprintf(document, "{\"Q\": %s, \"b\": %s", row, row);
    for (int k = 0; k < 2; k++) {
        end += sprintf(end, ", \"%c\": [%s", "MA"[k], row);
        for (int i = 1; i < MANY; i++) {
            end += sprintf(end, ", %s", row);
        }
        end += sprintf(end, "]");
    }
    sprintf(end, "}");

    Sample s;
    init_sample(&s, document);
    s.answer = (KalMotionAnswer){.n = MANY,
                                 .m = MANY,
                                 .qdd = values,
                                 .force_ideal = values,
                                 .force_nonideal = values,
                                 .multipliers = values,
                                 .indeterminate = flags,
                                 .n_dependent_sets = 1,
                                 .dependent_set = sets};
    kal_problem_write_text(s.problem, &s.answer, false, empty_text());
    has_text(text.bytes, "\nq[40] ");
    ok(strstr(text.bytes, "\nq[41] ") == NULL);
    has_text(text.bytes, "\n… 23 more (use --json for all)\n");
    has_text(text.bytes,
             "c[40]                 0   not unique: depends on c[1], c[2], c[3], "
             "c[4], c[5], c[6], c[7], c[8], c[9], c[10], … 52 more\n");
    has_text(text.bytes,
             "Indeterminate coordinates: q[2], q[3], q[4], q[5], q[6], q[7], "
             "q[8], q[9], q[10], q[11], … 52 more\n");
    clear_sample(&s);
}

static void errors_name_who_is_at_fault(void)
{
    Sample s;
    const int indices[] = {0, 2};
    KalMotionFault fault = {.count = 2, .indices = indices, .constraints = true};
    init_sample(&s, "{" MATRICES ", " NAMES "}");
    kal_problem_write_error_json(s.problem, "they \"fight\"", &fault, empty_text());
    same_text(text.bytes,
              "{\"error\": {\"message\": \"they \\\"fight\\\"\", \"names\": "
              "[\"one\", \"sum\"]}}\n");
    fault.constraints = false;
    kal_problem_write_error_json(s.problem, "m", &fault, empty_text());
    has_text(text.bytes, "\"names\": [\"x\", \"z\"]");
    kal_problem_write_error_json(s.problem, "m", NULL, empty_text());
    has_text(text.bytes, "\"names\": []");
    kal_problem_write_error_json(NULL, "m", &fault, empty_text());
    same_text(text.bytes, "{\"error\": {\"message\": \"m\", \"names\": []}}\n");
    clear_sample(&s);
}

TAP_RUN(TAP_CASE(json_has_every_key_of_eval),
        TAP_CASE(json_has_null_for_what_is_unknown),
        TAP_CASE(text_explains_what_is_not_unique),
        TAP_CASE(text_is_short_when_all_is_well),
        TAP_CASE(a_row_of_zeros_has_its_own_remark),
        TAP_CASE(color_is_only_there_when_asked_for),
        TAP_CASE(long_tables_are_cut_short), TAP_CASE(errors_name_who_is_at_fault))
