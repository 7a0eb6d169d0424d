// SPDX-License-Identifier: MIT

#include "export/border.h"

#include "expr/diff.h"

#include <assert.h>

static const KalSwitch *switch_of(const KalExportPlan *plan, uint32_t i)
{
    return &plan->system->pieces.switches[i];
}

bool kal_export_timer_steps(const KalExportPlan *plan, size_t i)
{
    return switch_of(plan, plan->borders.timed[i])->steps;
}

// What tells how far the border is.
static KalExpr schedule_of(const KalSwitch *s)
{
    return s->steps ? s->level : s->function;
}

// Whether a function of time rises or falls all the time, so that its borders are easily
// found: it is linear, or a level of a table, which rises, at what is linear.
static KalStatus is_monotone(const KalExportPlan *plan, const KalSwitch *s,
                             bool *out_yes)
{
    KalGraph *g = plan->draft.model->graph;
    const KalExpr time = plan->draft.model->time;
    const KalExprNode node = kal_graph_node(g, schedule_of(s));
    const bool table = kal_op_is_spline((KalOp)node.op);
    KalExpr slope;
    KalExpr second;
    *out_yes = false;
    if (!s->timed) {
        return KAL_OK;
    }
    KAL_TRY(kal_diff(g, table ? node.arg[0] : schedule_of(s), time, &slope));
    KAL_TRY(kal_diff(g, slope, time, &second));
    *out_yes = second.index == kal_int(g, 0).index;
    return kal_graph_status(g);
}

// Each switch is of one list.
static KalStatus sort_switches(KalExportPlan *plan, KalExpr *led, KalExpr *timed)
{
    KalExportBorders *b = &plan->borders;
    for (uint32_t i = 0; i < plan->system->pieces.n_switches; i++) {
        const KalSwitch *s = switch_of(plan, i);
        bool monotone = false;
        KAL_TRY(is_monotone(plan, s, &monotone));
        if (monotone) {
            timed[b->n_timed] = schedule_of(s);
            b->timed[b->n_timed++] = i;
        } else {
            led[b->n_led] = s->function;
            b->led[b->n_led++] = i;
            b->solves = b->solves || !s->bounded;
        }
    }
    return KAL_OK;
}

static KalStatus write_as(KalExportPlan *plan, KalExportProgram place, const char *name,
                          const KalProgram *program)
{
    KalCProgram *p = &plan->programs[place];
    *p = plan->programs[KAL_EXPORT_GIVENS];
    p->program = program;
    p->name = name;
    return kal_c_program_prepared(plan->ctx, p, &plan->prepared[place]);
}

static KalStatus compile(KalExportPlan *plan, const KalExpr *led, const KalExpr *timed)
{
    KalExportBorders *b = &plan->borders;
    const KalSystem *system = &plan->draft.system;
    if (b->n_led > 0) {
        KAL_TRY(kal_system_compile(system, led, b->n_led, &b->program));
        KAL_TRY(write_as(plan, KAL_EXPORT_BORDERS, "borders", b->program));
    }
    if (b->n_timed > 0) {
        KAL_TRY(kal_system_compile(system, timed, b->n_timed, &b->schedule));
        KAL_TRY(write_as(plan, KAL_EXPORT_TIMERS, "timers", b->schedule));
    }
    return KAL_OK;
}

KalStatus kal_export_list_borders(KalExportPlan *plan)
{
    assert(plan->borders.n_led == 0 && plan->borders.n_timed == 0);
    const size_t count = plan->system->pieces.n_switches;
    KalExpr *led = kal_arena_alloc(plan->arena, count + 1, sizeof *led);
    KalExpr *timed = kal_arena_alloc(plan->arena, count + 1, sizeof *timed);
    plan->borders.led = kal_arena_alloc(plan->arena, count + 1, sizeof(uint32_t));
    plan->borders.timed = kal_arena_alloc(plan->arena, count + 1, sizeof(uint32_t));
    if (!led || !timed || !plan->borders.led || !plan->borders.timed) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    KAL_TRY(sort_switches(plan, led, timed));
    return compile(plan, led, timed);
}
