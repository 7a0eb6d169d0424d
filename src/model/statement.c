// SPDX-License-Identifier: MIT

// Recursion by way of blocks ends at KAL_BLOCK_DEPTH and KAL_BUILD_PART_DEPTH.

#include "model/build_impl.h"

#include <string.h>

typedef void (*StatementFn)(KalBuild *b, const KalNode *node);

static void build_title(KalBuild *b, const KalNode *node)
{
    const KalNode *title = node->of.unary.operand;
    if (b->names.scope->owner || b->names.frame) {
        kal_build_error(b, node->span, "model stands outside of components and loops");
        return;
    }
    if (node->span.source != b->main) {
        return; // the title of a file that is used
    }
    if (b->title.source) {
        kal_build_error(b, node->span, "a model has one title");
        kal_build_note(b, b->title, "the first is here");
        return;
    }
    b->title = node->span;
    const char *text =
        kal_model_text(b->model, title->of.text.data, title->of.text.length);
    if (!text) {
        kal_build_no_memory(b);
        return;
    }
    b->model->title = text;
}

static StatementFn find_function(KalNodeKind kind)
{
    switch (kind) {
    case KAL_NODE_MODEL: return build_title;
    case KAL_NODE_PARAM: return kal_build_param;
    case KAL_NODE_COORD: return kal_build_coord;
    case KAL_NODE_LET: return kal_build_let;
    case KAL_NODE_KINETIC:
    case KAL_NODE_POTENTIAL:
    case KAL_NODE_DISSIPATION:
    case KAL_NODE_EXTERNAL_POWER:
    case KAL_NODE_NONIDEAL_POWER: return kal_build_energy;
    case KAL_NODE_FORCE:
    case KAL_NODE_NONIDEAL: return kal_build_force;
    case KAL_NODE_MASS: return kal_build_mass;
    case KAL_NODE_CONSTRAINT: return kal_build_constraint;
    case KAL_NODE_PRESCRIBE: return kal_build_prescribe;
    case KAL_NODE_ACTUATOR: return kal_build_actuator;
    case KAL_NODE_SERVO: return kal_build_servo;
    case KAL_NODE_INIT: return kal_build_init;
    case KAL_NODE_SIMULATE: return kal_build_simulate;
    case KAL_NODE_OUTPUT: return kal_build_output;
    case KAL_NODE_EVENT: return kal_build_event;
    case KAL_NODE_PLOT: return kal_build_plot;
    case KAL_NODE_DRAW: return kal_build_draw;
    case KAL_NODE_FOR: return kal_build_for;
    case KAL_NODE_COMPONENT:
    case KAL_NODE_FN: return kal_build_definition;
    case KAL_NODE_PART: return kal_build_part;
    case KAL_NODE_USE: return kal_build_use;
    default: return NULL; // no statement
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
void kal_build_statements(KalBuild *b, const KalNode *first)
{
    for (const KalNode *s = first; s && kal_build_step(b, s->span, 1); s = s->next) {
        const KalPoolMark mark = kal_pool_mark(&b->pool);
        b->statement = s->span;
        const StatementFn build = find_function(s->kind);
        if (build) {
            build(b, s);
        }
        kal_pool_release(&b->pool, mark);
    }
}
