// SPDX-License-Identifier: MIT

// A table as CSV, drawn: in characters, and planned for a sheet.  The first bytes choose
// the axes, the rest is the table.

#include "fault.h"
#include "figure/plan.h"
#include "output.h"
#include "table/csv.h"
#include "target.h"

static char drawn[OUTPUT_SIZE];

// Letters are half as wide as high.
static double measure(void *user, const char *styled, double size)
{
    (void)user;
    return 0.5 * size * (double)strlen(styled);
}

static void demand_plan(const KalFigure *figure)
{
    static KalPlan plan;
    kal_plan_make(figure, (KalMeasure){measure, NULL}, &plan);
    for (size_t i = 0; i < figure->n_panels; i++) {
        const KalPanelPlan *panel = &plan.panels[i];
        const KalAxis *axis = &plan.axes.y[i];
        demand(axis->low < axis->high);
        demand(panel->ticks.count >= 2 && panel->frame.width > 0.0);
        KalThin thin = kal_thin(figure->ctx, 0.2, 0.05);
        kal_figure_trace(figure, &plan.axes, i, 0, panel->frame, &thin);
        demand(kal_thin_finish(&thin) == KAL_OK);
        kal_block_clear(figure->ctx, &thin.points);
    }
}

static void draw(KalContext *ctx, const KalTable *table, unsigned choice)
{
    KalFigureOptions options = kal_figure_options();
    KalFigure *figure = NULL;
    size_t omitted = 0;
    options.title = kal_table_column(table, 0).name;
    options.log_x = choice & 1U;
    options.log_y = choice & 2U;
    options.from = choice & 0x40U ? 0.5 : options.from;
    options.equal = choice & 4U && !(choice & 3U);
    options.width = 20.0 + (double)(choice >> 3 & 0xfU) * 40.0;
    if (kal_figure_create(ctx, table, &options, &figure) != KAL_OK) {
        return;
    }
    if (kal_figure_add_usual_panels(figure, &omitted) == KAL_OK) {
        const KalTerminal terminal = {.columns = 30 + (int)(choice >> 8),
                                      .rows = (int)(choice & 0x3fU),
                                      .unicode = choice & 0x80U};
        Output output = {.text = drawn};
        demand(kal_figure_print(figure, &terminal, (KalSink){keep, &output}) == KAL_OK);
        demand_plain(&output);
        demand_plan(figure);
    }
    kal_figure_destroy(figure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    if (size < 2) {
        return 0;
    }
    const unsigned choice = (unsigned)data[0] << 8 | data[1];
    demand(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    if (kal_csv_parse(ctx, "fuzz", (const char *)data + 2, size - 2, 0, &table)
        == KAL_OK) {
        draw(ctx, table, choice);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
    return 0;
}
