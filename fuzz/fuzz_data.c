// SPDX-License-Identifier: MIT

// The file of a table: a model reads the bytes, in every method; then the same with too little
// memory.

#include "fault.h"
#include "model/build.h"
#include "output.h"
#include "target.h"

#include <math.h>
#include <string.h>

typedef struct Bytes {
    const char *text;
    size_t size;
} Bytes;

static KalStatus read_bytes(void *user, KalSources *sources, const char *path,
                            const KalSource **out_source)
{
    const Bytes *bytes = user;
    return kal_sources_add(sources, path, bytes->text, bytes->size, out_source);
}

// Whatever the numbers are, a table that was made has finite values at its points.
static void demand_tables(const KalModel *model)
{
    for (size_t i = 0; i < model->n_tables; i++) {
        const KalSpline *spline = model->tables[i].spline;
        for (size_t k = 0; k <= spline->pieces; k++) {
            const double x = spline->knots[k];
            demand(isfinite(kal_spline_value(&spline->functions[0], x)));
            demand(k == 0 || x > spline->knots[k - 1]);
        }
    }
}

// Build with `calls_left` allocations, negative for any number.
static void run(Bytes bytes, long calls_left)
{
    static const char text[] = "table f = \"d\"\n"
                               "table g = \"d\", x = x, y = y, method = linear\n"
                               "table h = \"d\", method = monotone, outside = hold\n"
                               "table k = \"d\", outside = repeat\n"
                               "output o = f(t) + g'(t) + h''(t) + k(t)\n";
    const KalBuildOptions options = {.read = read_bytes, .user = &bytes};
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    KalSources *sources = NULL;
    KalDiagnostics *diagnostics = NULL;
    const KalSource *source = NULL;
    KalModel *model = NULL;
    if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
        return;
    }
    if (kal_sources_create(ctx, &sources) == KAL_OK
        && kal_diagnostics_create(ctx, &diagnostics) == KAL_OK
        && kal_sources_add(sources, "fuzz", text, strlen(text), &source) == KAL_OK
        && kal_model_build(sources, source, &options, diagnostics, &model) == KAL_OK) {
        demand_tables(model);
    }
    kal_model_destroy(model);
    kal_diagnostics_destroy(diagnostics);
    kal_sources_destroy(sources);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Bytes bytes = {(const char *)data, size};
    run(bytes, -1);
    run(bytes, 1 + (long)(size % 61));
    return 0;
}
