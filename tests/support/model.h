// SPDX-License-Identifier: MIT

/// @file
/// What the tests of building models share: build a text, and look at what came of it.

#ifndef SUPPORT_MODEL_H
#define SUPPORT_MODEL_H

#include "base/limits.h"
#include "expr/eval.h"
#include "fault.h"
#include "model/build.h"
#include "print/print.h"
#include "tap.h"

enum {
    LAB_TEXT_SIZE = 1 << 16
};

/// Text that a sink keeps; what does not fit is dropped.
typedef struct LabText {
    char text[LAB_TEXT_SIZE];
    size_t length;
} LabText;

static inline void lab_write(void *user, const char *text, size_t length)
{
    LabText *kept = user;
    const size_t room = LAB_TEXT_SIZE - 1 - kept->length;
    const size_t size = length < room ? length : room;
    memcpy(kept->text + kept->length, text, size);
    kept->length += size;
    kept->text[kept->length] = '\0';
}

/// A text with all that building it needs and gives.
typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalSources *sources;
    KalDiagnostics *diagnostics;
    KalModel *model; ///< NULL when building failed
    KalStatus status;
} Lab;

/// Begin in a context of `calls_left` allocations, negative for any number, where the limits of
/// models are divided by a number.
static inline void lab_begin(Lab *lab, long calls_left, size_t divisor)
{
    *lab = (Lab){.fault = {.calls_left = calls_left}};
    lab->status = kal_context_create(fault_alloc, &lab->fault, &lab->ctx);
    if (lab->status == KAL_OK) {
        kal_context_divide_limits(lab->ctx, divisor);
    }
}

/// Build a text in the context that there is.
static inline void lab_make(Lab *lab, const char *text, const KalBuildOptions *options)
{
    const KalSource *source = NULL;
    if (lab->status == KAL_OK) {
        lab->status = kal_sources_create(lab->ctx, &lab->sources);
    }
    if (lab->status == KAL_OK) {
        lab->status = kal_diagnostics_create(lab->ctx, &lab->diagnostics);
    }
    if (lab->status == KAL_OK) {
        lab->status =
            kal_sources_add(lab->sources, "m.kal", text, strlen(text), &source);
    }
    if (lab->status == KAL_OK) {
        lab->status = kal_model_build(lab->sources, source, options, lab->diagnostics,
                                      &lab->model);
    }
}

/// Build with `calls_left` allocations, negative for any number.
static inline void lab_open_with(Lab *lab, const char *text,
                                 const KalBuildOptions *options, long calls_left)
{
    lab_begin(lab, calls_left, 1);
    lab_make(lab, text, options);
}

static inline void lab_open(Lab *lab, const char *text)
{
    lab_open_with(lab, text, NULL, -1);
}

static inline void lab_close(Lab *lab)
{
    kal_model_destroy(lab->model);
    kal_diagnostics_destroy(lab->diagnostics);
    kal_sources_destroy(lab->sources);
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

/// All diagnostics, a line each: `error 3:14 what is wrong`.
static inline const char *lab_messages(const Lab *lab)
{
    static LabText kept;
    static const char *const severities[] = {"error", "warning", "note"};
    kept.length = 0;
    kept.text[0] = '\0';
    for (const KalDiagnostic *d = kal_diagnostics_first(lab->diagnostics); d;
         d = d->next) {
        char line[1200];
        KalPlace place = {0, 0};
        if (d->span.source) {
            place = kal_source_place(d->span.source, d->span.begin);
        }
        const int length =
            snprintf(line, sizeof line, "%s %zu:%zu %s\n", severities[d->severity],
                     place.line, place.column, d->message);
        lab_write(&kept, line, (size_t)length);
    }
    return kept.text;
}

/// Build a text that has to be right; there is no use in going on without the model.
static inline void lab_build(Lab *lab, const char *text)
{
    lab_open(lab, text);
    if (!lab->model) {
        printf("# %s\n# %s\nBail out! this has to build\n", text, lab_messages(lab));
        exit(1);
    }
}

/// A formula as text.
static inline const char *lab_formula(const Lab *lab, KalExpr e)
{
    static LabText kept;
    const KalPrintOptions options = {
        .format = KAL_FORMAT_TEXT, .name = kal_model_symbol_name, .user = lab->model};
    kept.length = 0;
    kept.text[0] = '\0';
    if (e.index == 0) {
        return "(none)";
    }
    ok(kal_print(lab->model->graph, e, &options, (KalSink){lab_write, &kept})
       == KAL_OK);
    return kept.text;
}

/// The formula of an output; none, and a failed check, when there is no such output.
static inline KalExpr lab_output(const Lab *lab, const char *name)
{
    for (size_t i = 0; lab->model && i < lab->model->n_outputs; i++) {
        if (strcmp(lab->model->outputs[i].name, name) == 0) {
            return lab->model->outputs[i].value;
        }
    }
    printf("# no output %s\n", name);
    ok(false && "the output exists");
    return KAL_NO_EXPR;
}

/// The value of a symbol that is no parameter: one from 0.1 to 2 that depends on its name
/// and the seed alone, so that two models agree on it.
static inline double lab_symbol(const char *name, unsigned seed)
{
    unsigned hash = 2166136261U + 977U * seed;
    for (const char *c = name; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    }
    hash ^= hash >> 15;
    hash *= 2246822519U;
    hash ^= hash >> 13;
    return 0.1 + 1.9 * (double)(hash % 100003U) / 100003.0;
}

/// The value of a formula at the point of a seed.
static inline double lab_value(const Lab *lab, KalExpr e, unsigned seed)
{
    const KalModel *model = lab->model;
    if (!model || e.index == 0) {
        return NAN;
    }
    double *values = calloc(model->n_symbols + 1, sizeof *values);
    for (size_t i = 0; values && i < model->n_symbols; i++) {
        const KalSymbol *symbol = &model->symbols[i];
        values[i] = symbol->kind == KAL_SYMBOL_PARAMETER
                        ? model->parameters[symbol->index].number
                        : lab_symbol(symbol->name, seed);
    }
    double result = NAN;
    if (!values || kal_eval(model->graph, &e, 1, values, &result) != KAL_OK) {
        result = NAN;
    }
    free(values);
    return result;
}

/// The value of an output at the point of a seed.
static inline double lab_number(const Lab *lab, const char *name, unsigned seed)
{
    return lab_value(lab, lab_output(lab, name), seed);
}

/// Whether a text builds without a word.
static inline void builds(const char *text)
{
    Lab lab;
    lab_open(&lab, text);
    ok(lab.status == KAL_OK && lab.model);
    if (lab.status != KAL_OK || *lab_messages(&lab)) {
        printf("# in: %s\n", text);
    }
    same_text(lab_messages(&lab), "");
    lab_close(&lab);
}

/// Whether building a text answers this status, with this among the messages:
/// `error 3:14 what`.
static inline void says(const char *text, KalStatus status, const char *part)
{
    Lab lab;
    lab_open(&lab, text);
    if (lab.status != status || !strstr(lab_messages(&lab), part)) {
        printf("# in: %s\n", text);
    }
    ok(lab.status == status);
    ok((lab.model != NULL) == (status == KAL_OK));
    has_text(lab_messages(&lab), part);
    lab_close(&lab);
}

/// Whether a text has this error.
static inline void fails(const char *text, const char *part)
{
    says(text, KAL_ERR_SYNTAX, part);
}

/// Whether a text has this warning.
static inline void warns(const char *text, const char *part)
{
    says(text, KAL_OK, part);
}

#endif
