// SPDX-License-Identifier: MIT

/// @file
/// What the tests of the language share: parse a text, and show what came of it.

#ifndef LANG_LAB_H
#define LANG_LAB_H

#include "fault.h"
#include "lang/parser.h"
#include "lang/print.h"
#include "tap.h"

enum {
    SHOWN_SIZE = 1 << 16
};

/// Text that a sink keeps; what does not fit is dropped.
typedef struct Shown {
    char text[SHOWN_SIZE];
    size_t length;
} Shown;

static inline void shown_write(void *user, const char *text, size_t length)
{
    Shown *shown = user;
    const size_t room = SHOWN_SIZE - 1 - shown->length;
    const size_t kept = length < room ? length : room;
    memcpy(shown->text + shown->length, text, kept);
    shown->length += kept;
    shown->text[shown->length] = '\0';
}

static inline KalSink shown_sink(Shown *shown)
{
    shown->length = 0;
    shown->text[0] = '\0';
    return (KalSink){.write = shown_write, .user = shown};
}

/// A text with all that parsing it needs and gives.
typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalSource *source;
    KalDiagnostics *diagnostics;
    KalTree *tree;
    KalStatus status;
} Lab;

/// Parse with `calls_left` allocations, negative for any number.
static inline void lab_open_with(Lab *lab, const char *text, size_t length,
                                 long calls_left)
{
    *lab = (Lab){.fault = {.calls_left = calls_left}};
    lab->status = kal_context_create(fault_alloc, &lab->fault, &lab->ctx);
    if (lab->status == KAL_OK) {
        lab->status = kal_source_create(lab->ctx, "m", text, length, &lab->source);
    }
    if (lab->status == KAL_OK) {
        lab->status = kal_diagnostics_create(lab->ctx, &lab->diagnostics);
    }
    if (lab->status == KAL_OK) {
        lab->status = kal_parse(lab->ctx, lab->source, lab->diagnostics, &lab->tree);
    }
}

static inline void lab_open(Lab *lab, const char *text)
{
    lab_open_with(lab, text, strlen(text), -1);
}

static inline void lab_close(Lab *lab)
{
    kal_tree_destroy(lab->tree);
    kal_diagnostics_destroy(lab->diagnostics);
    if (lab->ctx) {
        kal_source_destroy(lab->ctx, lab->source);
    }
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

static inline const char *lab_print(const Lab *lab)
{
    static Shown shown;
    kal_statements_print(kal_tree_first(lab->tree), shown_sink(&shown));
    return shown.text;
}

static inline const char *lab_errors(const Lab *lab)
{
    static Shown shown;
    kal_diagnostics_write(lab->diagnostics, shown_sink(&shown));
    return shown.text;
}

/// The text is a model, which prints as `want`, and that prints as itself.
static inline void prints(const char *text, const char *want)
{
    Lab lab;
    lab_open(&lab, text);
    if (!ok(lab.status == KAL_OK)) {
        printf("# %s# %s\n", text, lab_errors(&lab));
    } else {
        same_text(lab_print(&lab), want);
        Lab again;
        lab_open(&again, want);
        ok(again.status == KAL_OK);
        if (again.status == KAL_OK) {
            same_text(lab_print(&again), want);
            ok(kal_node_equal(kal_tree_first(lab.tree), kal_tree_first(again.tree)));
        }
        lab_close(&again);
    }
    lab_close(&lab);
}

/// The text prints as itself, with a line end.
static inline void keeps(const char *text)
{
    static char line[SHOWN_SIZE];
    snprintf(line, sizeof line, "%s\n", text);
    prints(text, line);
}

/// The text has errors, which say `want` among other things.
static inline void refuses(const char *text, const char *want)
{
    Lab lab;
    lab_open(&lab, text);
    ok(lab.status == KAL_ERR_SYNTAX && !lab.tree);
    has_text(lab_errors(&lab), want);
    has_text(kal_context_message(lab.ctx), "m:");
    lab_close(&lab);
}

static inline const char *kind_text(KalNodeKind kind)
{
    static const char *const names[] = {
#define KAL_NODE(name, member) #name,
#include "lang/nodes.def"
    };
    return names[kind];
}

static inline void put_text(Shown *shown, const char *text)
{
    shown_write(shown, text, strlen(text));
}

/// A chain of nodes: names and numbers as they are, others as (KIND op part part).
static inline void dump_chain(const KalNode *first, Shown *shown)
{
    static const char *const joins[] = {"", "+", "-", "*", "/"};
    for (const KalNode *node = first; node; node = node->next) {
        put_text(shown, node == first ? "" : " ");
        put_text(shown, joins[node->join]);
        if (!kal_node_has_slots(node)) {
            const bool number = node->kind == KAL_NODE_NUMBER;
            shown_write(shown, number ? node->of.number.text : node->of.text.data,
                        number ? node->of.number.length : node->of.text.length);
            continue;
        }
        char head[64];
        snprintf(head, sizeof head, node->op ? "(%s %u" : "(%s", kind_text(node->kind),
                 node->op);
        put_text(shown, head);
        for (int i = 0; i < KAL_NODE_SLOTS; i++) {
            put_text(shown, node->of.slot[i] ? " " : "");
            dump_chain(node->of.slot[i], shown);
        }
        put_text(shown, ")");
    }
}

/// The expression is this tree.
static inline void is_tree(const char *expression, const char *want)
{
    static char text[SHOWN_SIZE];
    static Shown shown;
    Lab lab;
    snprintf(text, sizeof text, "kinetic %s", expression);
    lab_open(&lab, text);
    if (!ok(lab.status == KAL_OK)) {
        printf("# %s\n# %s\n", text, lab_errors(&lab));
    } else {
        shown_sink(&shown);
        dump_chain(kal_tree_first(lab.tree)->of.unary.operand, &shown);
        same_text(shown.text, want);
    }
    lab_close(&lab);
}

#endif
