// SPDX-License-Identifier: MIT

// solve: one instant from matrices in a JSON file.

#include "command.h"
#include "input.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>

enum {
    OPTION_JSON,
    OPTION_FORMULATION,
    OPTION_QUIET,
};

static const KalCommandOption options[] = {
    [OPTION_JSON] = {"--json",        NULL,   "print one JSON object instead of tables", false},
    [OPTION_FORMULATION] = {"--formulation", "WORD",
                     "solve by this formulation, whatever the file says",                false},
    [OPTION_QUIET] = {"-q",            NULL,   "no warnings",                             false},
};

#define FORMULATION_WORD(name, word, meaning) word,
static const char *const formulations[] = {KAL_FORMULATION_LIST(FORMULATION_WORD)};
#undef FORMULATION_WORD

// One problem on its way through the program.
typedef struct Job {
    bool json;
    bool quiet;
    const KalFormulation *formulation; // NULL: the file decides
    KalInputText input;
    KalLedger ledger;
    KalContext *ctx;
    KalProblem *problem;
    KalMotion *motion;
} Job;

// As an object with the names at fault, or as a line.
static KalExit report_failure(const Job *job, const char *message)
{
    assert(message);
    if (job->json) {
        const KalMotionFault fault =
            job->motion ? kal_motion_fault(job->motion) : (KalMotionFault){.count = 0};
        kal_problem_write_error_json(job->problem, message, &fault,
                                     kal_standard_output);
    } else {
        kal_message_print("%s", message);
    }
    return KAL_EXIT_FAULT;
}

static KalStatus solve(Job *job)
{
    assert(job->problem && !job->motion);
    KalMotionOptions motion_options = kal_motion_options();
    motion_options.formulation = kal_problem_formulation(job->problem);
    const KalMotionProblem givens = kal_problem_get(job->problem);
    KalMotionAnswer answer;
    KalStatus status =
        kal_motion_create(job->ctx, &motion_options, givens.n, givens.m, &job->motion);
    if (status == KAL_OK) {
        status = kal_motion_solve(job->motion, &givens, &answer);
    }
    if (status != KAL_OK) {
        return status;
    }
    if (job->json) {
        kal_problem_write_json(job->problem, &answer, kal_standard_output);
    } else {
        kal_problem_write_text(job->problem, &answer, kal_wants_color(),
                               kal_standard_output);
    }
    if (!answer.unique && !job->quiet) {
        kal_warn_not_unique(&answer, givens.coordinates);
    }
    return KAL_OK;
}

// The text is not needed after parsing and may be large: it is freed before solving.
static KalExit run_job(Job *job, const char *path)
{
    assert(path && !job->ctx);
    if (kal_context_create(NULL, NULL, &job->ctx) != KAL_OK
        || !kal_ledger_init(&job->ledger)) {
        return report_failure(job, kal_status_text(KAL_ERR_NOMEM));
    }
    const KalInputOrigin origin = {
        .ctx = job->ctx, .ledger = &job->ledger, .role = "the problem", .path = path};
    if (!kal_input_init(&job->input, &origin)) {
        return report_failure(job, job->input.message);
    }
    KalStatus status = kal_problem_parse(job->ctx, job->input.name, job->input.text,
                                         job->input.length, &job->problem);
    kal_input_clear(&job->input);
    if (status == KAL_OK) {
        if (job->formulation) {
            kal_problem_set_formulation(job->problem, *job->formulation);
        }
        status = solve(job);
    }
    return status == KAL_OK ? KAL_EXIT_DONE
                            : report_failure(job, kal_context_message(job->ctx));
}

static KalExit run_solve(const KalArguments *arguments)
{
    const char *word = arguments->options[OPTION_FORMULATION];
    KalFormulation formulation = KAL_FORMULATION_DEFAULT;
    if (word && !kal_formulation_find(word, &formulation)) {
        const int count = (int)(sizeof formulations / sizeof formulations[0]);
        const char *near = kal_word_find_near(word, formulations, count);
        kal_message_print("unknown formulation '%s'; %s%s%s", word,
                          near ? "did you mean '" : "see 'kalaba help solve",
                          near ? near : "", near ? "'?" : "'");
        return KAL_EXIT_USAGE;
    }
    Job job = {.json = arguments->options[OPTION_JSON] != NULL,
               .quiet = arguments->options[OPTION_QUIET] != NULL,
               .formulation = word ? &formulation : NULL};
    const KalExit status =
        run_job(&job, arguments->n_operands > 0 ? arguments->operands[0] : "-");
    kal_motion_destroy(job.motion);
    kal_problem_destroy(job.problem);
    kal_context_destroy(job.ctx);
    kal_input_clear(&job.input);
    kal_ledger_clear(&job.ledger);
    return job.ledger.clash ? KAL_EXIT_USAGE : status;
}

static void print_formulation(const char *word, const char *meaning)
{
    printf("  %-16s  %s\n", word, meaning);
}

static void print_details(void)
{
    fputs("\nFILE is a JSON object; - or nothing means standard input.\n"
          "  M   mass matrix, n rows of n numbers; it may be singular\n"
          "  Q   impressed force, n numbers\n"
          "  A   constraints A q'' = b, m rows of n numbers; rows may be dependent\n"
          "  b   m numbers\n"
          "  C   for non-ideal constraints: n numbers\n"
          "A and b, and C, may be left out; so may \"coordinates\" and \"constraints\" "
          "(names),\n\"formulation\", \"model\" (a title), \"t\", \"q\" and \"qd\".  "
          "At most 4096 coordinates\nand 4096 constraints.\n"
          "\nFormulations:\n",
          stdout);
#define FORMULATION_LINE(name, word, meaning) print_formulation(word, meaning);
    KAL_FORMULATION_LIST(FORMULATION_LINE)
#undef FORMULATION_LINE
    fputs(
        "\nExamples:\n"
        "  A bead of mass 1 on a wire of slope 3/4 under gravity:\n"
        "    echo '{\"M\": [[1,0],[0,1]], \"Q\": [0,-9.81], \"A\": [[3,-4]], "
        "\"b\": [0]}' | kalaba solve\n"
        "  The same from a file, for a script:\n"
        "    kalaba solve bead.json --json\n"
        "  A second opinion:\n"
        "    kalaba solve bead.json --formulation lagrange\n"
        "\nExit status: 0 solved (with a warning when the acceleration is not unique),"
        "\n1 no answer: the file or its numbers are at fault, 2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_solve = {
    .name = "solve",
    .operands = "[FILE|-]",
    .purpose = "one instant of constrained motion from matrices in a JSON file",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_solve,
};
