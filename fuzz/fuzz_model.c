// SPDX-License-Identifier: MIT

// A model text: parse it, show its errors, print its tree and parse that again, bring it
// into its canonical form; then parse it with too little memory.

#include "fault.h"
#include "lang/parser.h"
#include "lang/print.h"
#include "output.h"
#include "target.h"

#include <kalaba/format.h>

static char printed[OUTPUT_SIZE];
static char again[OUTPUT_SIZE];
static char errors[OUTPUT_SIZE];

typedef struct Text {
    KalContext *ctx;
    KalSource *source;
    KalDiagnostics *diagnostics;
    KalTree *tree;
    KalStatus status;
} Text;

static Text open_text(KalContext *ctx, const char *bytes, size_t size)
{
    Text text = {.ctx = ctx};
    text.status = kal_source_create(ctx, "fuzz", bytes, size, &text.source);
    if (text.status == KAL_OK) {
        text.status = kal_diagnostics_create(ctx, &text.diagnostics);
    }
    if (text.status == KAL_OK) {
        text.status = kal_parse(ctx, text.source, text.diagnostics, &text.tree);
    }
    demand((text.status == KAL_OK) == (text.tree != NULL));
    return text;
}

static void close_text(Text *text)
{
    kal_tree_destroy(text->tree);
    kal_diagnostics_destroy(text->diagnostics);
    kal_source_destroy(text->ctx, text->source);
}

static void print_tree(const Text *text, Output *output)
{
    const KalSink sink = {.write = keep, .user = output};
    kal_statements_print(kal_tree_first(text->tree), sink);
}

// What is printed gives the same tree, and prints the same.
static void demand_round_trip(const Text *text)
{
    Output first = {.text = printed};
    Output second = {.text = again};
    print_tree(text, &first);
    if (first.length == OUTPUT_SIZE) {
        return; // it was cut
    }
    Text other = open_text(text->ctx, first.text, first.length);
    demand(other.status == KAL_OK || other.status == KAL_ERR_LIMIT);
    if (other.status == KAL_OK) {
        demand(kal_node_equal(kal_tree_first(text->tree), kal_tree_first(other.tree)));
        print_tree(&other, &second);
        demand(first.length == second.length
               && memcmp(first.text, second.text, first.length) == 0);
    }
    close_text(&other);
}

static void form(KalContext *ctx, const char *bytes, size_t size, Output *output)
{
    const KalSink nowhere = {.write = NULL};
    const KalStatus status = kal_model_format(ctx, "fuzz", bytes, size, nowhere,
                                              (KalSink){.write = keep, .user = output});
    demand(status == KAL_OK || status == KAL_ERR_LIMIT);
}

// A model has a canonical form, which is its own.
static void demand_form(KalContext *ctx, const char *bytes, size_t size)
{
    Output first = {.text = printed};
    Output second = {.text = again};
    form(ctx, bytes, size, &first);
    if (first.length < OUTPUT_SIZE) {
        form(ctx, first.text, first.length, &second);
        demand(first.length == second.length
               && memcmp(first.text, second.text, first.length) == 0);
    }
}

static void demand_errors(const Text *text)
{
    Output output = {.text = errors};
    demand(text->status == KAL_ERR_SYNTAX || text->status == KAL_ERR_LIMIT);
    demand(kal_context_message(text->ctx)[0] != '\0');
    if (text->diagnostics) {
        demand(kal_diagnostics_count(text->diagnostics, KAL_SEVERITY_ERROR) > 0);
        kal_diagnostics_write(text->diagnostics,
                              (KalSink){.write = keep, .user = &output});
        demand(output.length > 0);
        demand_plain(&output);
    }
}

// Parse with `calls_left` allocations, negative for any number.
static void run(const uint8_t *data, size_t size, long calls_left)
{
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
        return;
    }
    Text text = open_text(ctx, (const char *)data, size);
    if (calls_left >= 0) {
        demand(text.status == KAL_OK || kal_context_message(ctx)[0] != '\0');
    } else if (text.status == KAL_OK) {
        demand_round_trip(&text);
        demand_form(ctx, (const char *)data, size);
    } else {
        demand_errors(&text);
    }
    close_text(&text);
    demand(kal_context_bytes(ctx) == fault.live_bytes);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size, -1);
    run(data, size, 1 + (long)(size % 13));
    return 0;
}
