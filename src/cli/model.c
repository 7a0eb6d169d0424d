// SPDX-License-Identifier: MIT

// What commands that take a model have in common: reading it with the files that it uses,
// overriding parameters, loading, messages and exit status.
//
// A job is given back in one place, in the order of its parts; commands only fill it.

#include "model.h"

#include "output.h"
#include "progress.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `user` is a flag that says whether anything was told, or NULL where nobody asks.
static void write_stderr(void *user, const char *text, size_t length)
{
    assert(text || length == 0);
    fwrite(text, 1, length, stderr);
    if (user) {
        *(bool *)user = true;
    }
}

// One failure is told once: as an object for scripts, as a line for people, and not at
// all when the reader of the model has shown it in its text already.
KalExit kal_model_job_fail(const KalModelJob *job, const char *message,
                           const char *const *names, int n_names)
{
    assert(message && n_names >= 0);
    if (job->silent) {
        return KAL_EXIT_FAULT;
    }
    if (job->json) {
        kal_show_error_json(message, names, n_names, kal_standard_output);
    } else if (!job->told) {
        kal_message_print("%s", message);
    }
    return KAL_EXIT_FAULT;
}

KalExit kal_model_job_fail_plain(const KalModelJob *job)
{
    return kal_model_job_fail(job, kal_context_message(job->ctx), NULL, 0);
}

// What a job reads beside its model.
typedef struct Use {
    KalModelJob *job;
    KalInputText input;
    char folder[PATH_MAX]; // of the model
} Use;

// The part of a path before its last slash.
static void find_folder(const char *path, char out_folder[PATH_MAX])
{
    assert(path);
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + (slash == path) : 1;
    (void)snprintf(out_folder, PATH_MAX, "%.*s", length, slash ? path : ".");
}

// Reads a file that the model uses.
static const char *read_text(void *user, const char *path, KalSink text)
{
    Use *use = (Use *)user;
    const KalModelJob *job = use->job;
    KalInputText *input = &use->input;
    const KalInputOrigin origin = {
        .ctx = job->ctx,
        .ledger = job->ledger,
        .role = "a file that the model uses",
        .path = path,
        .folder = job->arguments->options[KAL_OPTION_OUTSIDE] ? NULL : use->folder};
    kal_input_clear(input);
    if (!kal_input_init(input, &origin)) {
        return input->message;
    }
    text.write(text.user, input->text, input->length);
    kal_input_clear(input);
    return NULL;
}

// Split -p NAME=VALUE in copies that the caller frees; NULL after a message.
static char *split(const char *text, KalOverride *out_override)
{
    assert(text);
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0') {
        kal_message_print("option '-p' takes NAME=VALUE, not '%s'", text);
        return NULL;
    }
    char *copy = strdup(text);
    if (!copy) {
        kal_message_print("out of memory");
        return NULL;
    }
    copy[equals - text] = '\0';
    *out_override = (KalOverride){copy, copy + (equals - text) + 1};
    return copy;
}

// A part of loading ends.
static void end_phase(KalModelJob *job, KalLoadPhase phase)
{
    assert(phase >= KAL_LOAD_READ && phase <= KAL_LOAD_COMPILE);
    const double now = kal_clock();
    job->seconds[phase] = now - job->began;
    job->began = now;
}

static void enter_phase(void *user, KalLoadPhase phase)
{
    static const char *const texts[] = {[KAL_LOAD_READ] = "reading the model",
                                        [KAL_LOAD_DERIVE] = "deriving the equations",
                                        [KAL_LOAD_COMPILE] = "compiling them"};
    ((KalModelJob *)user)->stage.text = texts[phase];
    if (phase > KAL_LOAD_READ) { // which began when the file was opened
        end_phase((KalModelJob *)user, (KalLoadPhase)(phase - 1));
    }
}

// Say how a model may be larger, unless it was allowed to be.
static void tell_of_huge(const KalModelJob *job, KalStatus status)
{
    const bool huge = job->arguments->options[KAL_OPTION_HUGE] != NULL;
    if (status == KAL_ERR_LIMIT && !huge && !job->json && !job->silent) {
        (void)fputs("kalaba: a model that is trusted may be sixteen times as large: "
                    "--huge\n",
                    stderr);
    }
}

// Read, derive and compile, with the times that each takes.
static KalExit load(KalModelJob *job, const KalOverride *overrides, int count)
{
    assert(!job->system);
    assert(count >= 0);
    Use use = {.job = job};
    find_folder(job->arguments->operands[0], use.folder);
    const KalLoadOptions options = {
        .overrides = overrides,
        .n_overrides = (size_t)count,
        .read = read_text,
        .user = &use,
        .allow_outside = job->arguments->options[KAL_OPTION_OUTSIDE] != NULL,
        .stiff = job->stiff,
        .more = job->more,
        .balance = job->runs,
        .analysis = job->analysis,
        .enter = enter_phase,
        .enter_user = job,
        .messages = {job->json || job->silent ? NULL : write_stderr, &job->told},
    };
    kal_context_set_huge(job->ctx, job->arguments->options[KAL_OPTION_HUGE] != NULL);
    kal_stage_begin(&job->stage, job->ctx, "reading the model", job->quiet);
    const KalStatus status = kal_system_load(job->ctx, job->input.name, job->input.text,
                                             job->input.length, &options, &job->system);
    kal_stage_end(&job->stage, job->ctx);
    kal_input_clear(&use.input);
    end_phase(job, KAL_LOAD_COMPILE);
    job->status = status;
    if (status != KAL_OK) {
        job->told = job->told && status == KAL_ERR_SYNTAX;
        const KalExit code = kal_model_job_fail_plain(job);
        tell_of_huge(job, status);
        return code;
    }
    if (!job->quiet) {
        kal_system_write_warnings(job->system, (KalSink){write_stderr, NULL});
    }
    return KAL_EXIT_DONE;
}

// Values of -p for this load.
static KalExit load_overridden(KalModelJob *job)
{
    const char *texts[KAL_REPEATS_LIMIT];
    const int count = kal_arguments_list(job->arguments, KAL_OPTION_PARAMETER, texts);
    assert(count >= 0 && count <= KAL_REPEATS_LIMIT);
    KalOverride *overrides =
        calloc((size_t)count + 1, sizeof *overrides); // never of size 0
    KalExit status = overrides ? KAL_EXIT_DONE : KAL_EXIT_FAULT;
    int copies = 0;
    while (copies < count && status == KAL_EXIT_DONE) {
        if (split(texts[copies], &overrides[copies])) {
            copies++;
        } else {
            status = KAL_EXIT_USAGE;
        }
    }
    if (status == KAL_EXIT_DONE) {
        status = load(job, overrides, count);
    }
    for (int i = 0; i < copies; i++) {
        free((char *)overrides[i].name);
    }
    free(overrides);
    return status;
}

// The override joins those of '-p'.  The system that there is stays if the new one
// cannot be loaded.
KalExit kal_model_job_reload(KalModelJob *job, const char *override)
{
    assert(override);
    KalArguments arguments = *job->arguments;
    KalModelJob other = *job;
    if (arguments.n_repeats == KAL_REPEATS_LIMIT) {
        kal_message_print("there are too many options '-p'");
        return KAL_EXIT_USAGE;
    }
    arguments.repeat_rows[arguments.n_repeats] = KAL_OPTION_PARAMETER;
    arguments.repeats[arguments.n_repeats++] = override;
    other.arguments = &arguments;
    other.system = NULL;
    other.quiet = true;
    const KalExit status = load_overridden(&other);
    if (status == KAL_EXIT_DONE) {
        kal_system_destroy(job->system);
        job->system = other.system;
    }
    return status;
}

// The job is copied: its own system and messages stay as they are.
KalStatus kal_model_job_load_with(const KalModelJob *job, const KalOverride *overrides,
                                  size_t n, KalSystem **out_system)
{
    assert(out_system);

    enum {
        TEXT_SIZE = 1000
    };

    KalArguments arguments = *job->arguments;
    KalModelJob other = *job;
    char *texts = calloc(n + 1, TEXT_SIZE);
    for (size_t i = 0; texts && i < n && arguments.n_repeats < KAL_REPEATS_LIMIT; i++) {
        char *text = texts + i * TEXT_SIZE;
        (void)snprintf(text, TEXT_SIZE, "%s=%s", overrides[i].name, overrides[i].value);
        arguments.repeat_rows[arguments.n_repeats] = KAL_OPTION_PARAMETER;
        arguments.repeats[arguments.n_repeats++] = text;
    }
    other.arguments = &arguments;
    other.system = NULL;
    other.quiet = true;
    other.silent = true;
    other.status = KAL_ERR_NOMEM;
    (void)(texts ? load_overridden(&other) : KAL_EXIT_FAULT);
    free(texts);
    *out_system = other.system;
    return other.status;
}

// Machine code is made unless the environment says otherwise.
static void heed_environment(KalContext *ctx)
{
    const char *wish = getenv("KALABA_JIT");
    kal_context_set_native(ctx, !wish || strcmp(wish, "0") != 0);
}

// From arguments to a loaded model, then the command.
static KalExit run(KalModelJob *job, KalExit (*command)(KalModelJob *job))
{
    const KalArguments *arguments = job->arguments;
    if (arguments->n_operands == 0) {
        kal_message_print("no model is given; - means standard input");
        return KAL_EXIT_USAGE;
    }
    if (kal_context_create(NULL, NULL, &job->ctx) != KAL_OK
        || !kal_ledger_init(job->ledger)) {
        return kal_model_job_fail(job, kal_status_text(KAL_ERR_NOMEM), NULL, 0);
    }
    heed_environment(job->ctx);
    const KalInputOrigin origin = {.ctx = job->ctx,
                                   .ledger = job->ledger,
                                   .role = "the model",
                                   .path = arguments->operands[0]};
    if (!kal_input_init(&job->input, &origin)) {
        return kal_model_job_fail(job, job->input.message, NULL, 0);
    }
    const KalExit status = load_overridden(job);
    return status == KAL_EXIT_DONE ? command(job) : status;
}

// `how` says what it is loaded for.
static KalExit run_job(const KalArguments *arguments, const KalModelJob *how,
                       KalExit (*command)(KalModelJob *job))
{
    assert(arguments && how && command);
    KalLedger ledger = {.count = 0};
    KalModelJob job = {.arguments = arguments,
                       .ledger = &ledger,
                       .runs = how->runs,
                       .stiff = how->stiff,
                       .analysis = how->analysis,
                       .more = how->more,
                       .began = kal_clock(),
                       .json = arguments->options[KAL_OPTION_JSON] != NULL,
                       .quiet = arguments->options[KAL_OPTION_QUIET] != NULL};
    const KalExit status = run(&job, command);
    kal_instant_destroy(job.instant);
    kal_system_destroy(job.system);
    kal_context_destroy(job.ctx);
    kal_input_clear(&job.input);
    kal_ledger_clear(&ledger);
    return ledger.clash ? KAL_EXIT_USAGE : status;
}

KalExit kal_model_job_run(const KalArguments *arguments,
                          KalExit (*command)(KalModelJob *job))
{
    return run_job(arguments, &(KalModelJob){.more = NULL}, command);
}

KalExit kal_model_job_analyze(const KalArguments *arguments,
                              KalExit (*command)(KalModelJob *job))
{
    return run_job(arguments, &(KalModelJob){.analysis = true}, command);
}

KalExit kal_model_job_simulate(const KalArguments *arguments, bool stiff,
                               KalExit (*command)(KalModelJob *job))
{
    return run_job(arguments, &(KalModelJob){.runs = true, .stiff = stiff}, command);
}

KalExit kal_model_job_run_with(const KalArguments *arguments, const char *more,
                               KalExit (*command)(KalModelJob *job))
{
    return run_job(arguments, &(KalModelJob){.more = more}, command);
}

KalExit kal_model_job_repeat(const KalArguments *arguments, bool stiff,
                             KalExit (*command)(KalModelJob *job))
{
    return run_job(arguments, &(KalModelJob){.stiff = stiff}, command);
}
