// SPDX-License-Identifier: MIT

// Messages of a build, and its limits.
//
// An error is told once for each place of the text: a loop or a part that comes by again has
// nothing new to say.  Limits on steps, passes and numbers bound time and memory for any
// text; the first that is exceeded stops the build.

#include "model/build_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    MESSAGE_SIZE = 1001,
    INDICES_SHOWN = 4
};

KalSpan kal_build_shown(const KalBuild *b, KalSpan span)
{
    for (size_t i = 0; b->overrides.list && i < b->options->n_overrides; i++) {
        const KalReplacement *r = &b->overrides.list[i];
        if (r->parsed && span.source == r->parsed) {
            span.source = r->shown;
            span.begin = span.begin > r->offset ? span.begin - r->offset : 0;
            span.end = span.end > r->offset ? span.end - r->offset : 0;
        }
    }
    return span;
}

// Whether an error at this place was told before.
static bool is_told(KalBuild *b, KalSpan span)
{
    uint64_t key = (uint64_t)(uintptr_t)span.source * UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ ((uint64_t)span.begin << 32 | span.end)) | 1U;
    uint64_t value;
    if (kal_map_find(&b->report.told, key, &value)) {
        return true;
    }
    kal_build_check(b, kal_map_set(b->ctx, &b->report.told, key, 1));
    return false;
}

// " (here i = 3, j = 1)": the indices of loops, the innermost first.
static void print_indices(const KalBuild *b, char *out_text, size_t size)
{
    assert(size > 0);
    size_t length = 0;
    int count = 0;
    out_text[0] = '\0';
    for (const KalFrame *f = b->names.frame; f && count < INDICES_SHOWN; f = f->outer) {
        if (f->n == 1 && f->bindings[0].is_index && length < size) {
            length += (size_t)snprintf(out_text + length, size - length, "%s%s = %lld",
                                       count == 0 ? " (here " : ", ",
                                       kal_build_atom_text(b, f->bindings[0].atom),
                                       (long long)f->bindings[0].number);
            count++;
        }
    }
    if (count > 0 && length + 1 < size) {
        memcpy(out_text + length, ")", 2);
    }
}

static void report(KalBuild *b, KalSpan span, const char *format, va_list args)
    KAL_PRINTF(3, 0);

static void report(KalBuild *b, KalSpan span, const char *format, va_list args)
{
    b->report.errors++;
    b->report.muted = b->status != KAL_OK || is_told(b, span);
    if (b->report.muted) {
        return;
    }
    char message[MESSAGE_SIZE];
    char indices[256];
    (void)vsnprintf(message, sizeof message, format, args);
    print_indices(b, indices, sizeof indices);
    kal_diagnostics_add(b->diagnostics, KAL_SEVERITY_ERROR, kal_build_shown(b, span),
                        "%s%s", message, indices);
}

void kal_build_error(KalBuild *b, KalSpan span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(b, span, format, args);
    va_end(args);
}

KalValue kal_build_bad(KalBuild *b, KalSpan span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(b, span, format, args);
    va_end(args);
    return KAL_BAD_VALUE;
}

static void tell(KalBuild *b, KalSeverity severity, KalSpan span, const char *format,
                 va_list args) KAL_PRINTF(4, 0);

// A message that is no error, and is not counted as one.
static void tell(KalBuild *b, KalSeverity severity, KalSpan span, const char *format,
                 va_list args)
{
    assert(severity != KAL_SEVERITY_ERROR);
    char message[MESSAGE_SIZE];
    if (!b->report.muted) {
        (void)vsnprintf(message, sizeof message, format, args);
        kal_diagnostics_add(b->diagnostics, severity, kal_build_shown(b, span), "%s",
                            message);
    }
}

void kal_build_note(KalBuild *b, KalSpan span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(b, KAL_SEVERITY_NOTE, span, format, args);
    va_end(args);
}

void kal_build_warn(KalBuild *b, KalSpan span, const char *format, ...)
{
    b->report.muted = b->status != KAL_OK || is_told(b, span);
    va_list args;
    va_start(args, format);
    tell(b, KAL_SEVERITY_WARNING, span, format, args);
    va_end(args);
}

void kal_build_limit(KalBuild *b, KalSpan span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(b, span, format, args);
    va_end(args);
    if (b->status == KAL_OK) {
        b->status = KAL_ERR_LIMIT;
    }
}

bool kal_build_check(KalBuild *b, KalStatus status)
{
    if (status != KAL_OK && b->status == KAL_OK) {
        b->status = status;
    }
    return status == KAL_OK;
}

void kal_build_no_memory(KalBuild *b)
{
    const size_t bytes = kal_arena_bytes(b->arena) + kal_arena_bytes(b->model->arena);
    if (bytes > kal_usual_times(b->ctx, KAL_BUILD_MEMORY) / 4) {
        kal_build_limit(b, b->statement,
                        "the model is too large: its names and vectors need more than "
                        "%zu MiB",
                        bytes >> 20);
        return;
    }
    kal_build_check(b, kal_no_memory(b->ctx, "to build the model"));
}

// Work and depth are counted here, so that any text ends in bounded time and stack.
bool kal_build_step(KalBuild *b, KalSpan span, size_t count)
{
    if (b->status != KAL_OK) {
        return false;
    }
    if (!kal_stack_has_room(b->stack)) {
        kal_build_error(
            b, span,
            "nested too deeply: expressions, functions and parts that are in "
            "each other here take more of the stack than is allowed");
        return false;
    }
    b->work.steps += count;
    if (b->work.steps > kal_usual_times(b->ctx, KAL_BUILD_STEPS)) {
        kal_build_limit(b, span,
                        "the model is too large: more than %zu pieces of expressions "
                        "are evaluated before this one",
                        kal_usual_times(b->ctx, KAL_BUILD_STEPS));
        return false;
    }
    return true;
}

bool kal_build_pass(KalBuild *b, KalSpan span)
{
    if (b->status != KAL_OK) {
        return false;
    }
    b->work.passes++;
    if (b->work.passes > kal_usual_times(b->ctx, KAL_BUILD_PASSES)) {
        kal_build_limit(b, span,
                        "the model is too large: its loops and sums go through more "
                        "than %zu passes",
                        kal_usual_times(b->ctx, KAL_BUILD_PASSES));
        return false;
    }
    return true;
}

bool kal_build_count(KalBuild *b, KalSpan span, size_t count)
{
    if (b->status != KAL_OK) {
        return false;
    }
    b->work.scalars += count;
    if (b->work.scalars > kal_usual_times(b->ctx, KAL_BUILD_SCALARS)) {
        kal_build_limit(b, span,
                        "the model is too large: it declares more than %zu numbers",
                        kal_usual_times(b->ctx, KAL_BUILD_SCALARS));
        return false;
    }
    return true;
}

// What has failed in the graph becomes an error at the place in the text that is being
// built.
KalValue kal_build_graph_failed(KalBuild *b, KalSpan span)
{
    const KalStatus status = kal_graph_status(b->graph);
    if (status == KAL_ERR_NUMBER) {
        const bool zero = kal_graph_culprit(b->graph).index != 0;
        kal_graph_recover(b->graph);
        return kal_build_bad(b, span,
                             zero ? "this divides by zero"
                                  : "the numbers in this give no finite value");
    }
    if (status == KAL_ERR_LIMIT) {
        kal_build_limit(b, span,
                        "the model is too large: its formulas have more than "
                        "%d pieces",
                        (int)kal_graph_count(b->graph));
        return KAL_BAD_VALUE;
    }
    kal_build_check(b, status == KAL_OK ? KAL_ERR_NOMEM : status);
    return KAL_BAD_VALUE;
}
