// SPDX-License-Identifier: MIT

// What a sweep came to, or will: for people and for scripts.  A run that failed is a
// result like any other, so that failures are counted by their reason and the command
// succeeds.

#include "sweep/sweep.h"

#include "base/number.h"
#include "json/member.h"
#include "show/page.h"

#include <kalaba/show.h>

#include <assert.h>
#include <math.h>

static double count_failed(const KalSweepSummary *s)
{
    assert(s->runs >= s->before);
    double failed = 0.0;
    for (int i = 0; i < KAL_SWEEP_STATUSES; i++) {
        failed += i == KAL_OK ? 0.0 : (double)s->statuses[i];
    }
    return failed;
}

// What makes a word one of several things.
static const char *plural(double count)
{
    return count == 1.0 ? "" : "s";
}

// Runs that were done before an interruption took their time then.
static double rate(const KalSweepSummary *s, const KalSweepFacts *facts)
{
    assert(facts->seconds >= 0.0);
    const double done =
        count_failed(s) + (double)s->statuses[KAL_OK] - (double)s->before;
    return facts->seconds > 0.0 ? done / facts->seconds : 0.0;
}

static bool is_shared(const KalSweepFacts *facts, size_t i)
{
    return facts->not_unique && facts->not_unique[i];
}

static void write_shared(KalJsonWriter *w, const KalSweep *sweep,
                         const KalSweepFacts *facts)
{
    kal_json_write_key(w, "not_unique");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < kal_sweep_kept(sweep); i++) {
        if (is_shared(facts, i)) {
            kal_json_write_string(w, kal_sweep_value(sweep, i).name);
        }
    }
    kal_json_write_end(w, ']');
}

static void write_json(const KalSweep *sweep, const KalSweepSummary *s,
                       const KalSweepFacts *facts, KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(sweep->given));
    kal_json_put_number(&w, "runs", (double)s->runs);
    kal_json_put_number(&w, "ok", (double)s->statuses[KAL_OK]);
    kal_json_put_number(&w, "failed", count_failed(s));
    kal_json_write_key(&w, "reasons");
    kal_json_write_begin(&w, '{');
    for (int i = 0; i < KAL_SWEEP_STATUSES; i++) {
        if (i != KAL_OK && s->statuses[i] > 0) {
            kal_json_put_number(&w, kal_status_text((KalStatus)i),
                                (double)s->statuses[i]);
        }
    }
    kal_json_write_end(&w, '}');
    kal_json_put_number(&w, "resumed", (double)s->before);
    kal_json_put_text(&w, "file", facts->file);
    kal_json_put_number(&w, "seconds", facts->seconds);
    kal_json_put_number(&w, "rate", rate(s, facts));
    write_shared(&w, sweep, facts);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

static void write_reasons(KalPage *page, const KalSweepSummary *s)
{
    for (int i = 0; i < KAL_SWEEP_STATUSES; i++) {
        if (i != KAL_OK && s->statuses[i] > 0) {
            kal_page_format(page, "    %10.0f  %s\n", (double)s->statuses[i],
                            kal_status_text((KalStatus)i));
        }
    }
}

static KalStatus write_page(const KalSweep *sweep, const KalSweepSummary *s,
                            const KalSweepFacts *facts, KalSink sink)
{
    KalPage page = kal_page(sweep->ctx);
    const double failed = count_failed(s);
    kal_page_safe(&page, kal_system_title(sweep->given));
    kal_page_format(&page, "\n  %.0f run%s, %.0f failed\n", (double)s->runs,
                    plural((double)s->runs), failed);
    write_reasons(&page, s);
    if (s->before > 0) {
        kal_page_format(&page, "  %.0f of them were done before\n", (double)s->before);
    }
    kal_page_format(&page, "  %.3g s, %.4g runs a second\n", facts->seconds,
                    rate(s, facts));
    for (size_t i = 0; i < kal_sweep_kept(sweep); i++) {
        if (is_shared(facts, i)) {
            kal_page_string(&page, "  not unique: ");
            kal_page_safe(&page, kal_sweep_value(sweep, i).name);
            kal_page_string(&page, "\n");
        }
    }
    if (facts->file) {
        kal_page_string(&page, "  ");
        kal_page_safe(&page, facts->file);
        kal_page_string(&page, "\n");
    }
    return kal_page_finish(&page, sink);
}

KalStatus kal_show_sweep(const KalSweep *sweep, const KalSweepSummary *summary,
                         const KalSweepFacts *facts, const KalShowOptions *options,
                         KalSink sink)
{
    KAL_NEED(sweep ? sweep->ctx : NULL,
             sweep && summary && facts && options && sink.write);
    if (options->format == KAL_SHOW_JSON) {
        write_json(sweep, summary, facts, sink);
        return KAL_OK;
    }
    return write_page(sweep, summary, facts, sink);
}

static void write_columns_json(KalJsonWriter *w, const KalSweep *sweep)
{
    kal_json_write_key(w, "inputs");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < kal_sweep_inputs(sweep); i++) {
        kal_json_write_string(w, kal_sweep_input(sweep, i).name);
    }
    kal_json_write_end(w, ']');
    kal_json_write_key(w, "values");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < kal_sweep_kept(sweep); i++) {
        kal_json_write_string(w, kal_sweep_value(sweep, i).name);
    }
    kal_json_write_end(w, ']');
}

static void write_plan_json(const KalSweep *sweep, const KalSweepFacts *facts,
                            KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(sweep->given));
    kal_json_put_number(&w, "runs", (double)kal_sweep_runs(sweep));
    kal_json_put_number(&w, "structures", (double)sweep->n_structures);
    write_columns_json(&w, sweep);
    kal_json_put_number(&w, "bytes", facts->bytes);
    kal_json_put_number(&w, "seconds", facts->seconds);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

KalStatus kal_show_sweep_plan(const KalSweep *sweep, const KalSweepFacts *facts,
                              const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && facts && options && sink.write);
    if (options->format == KAL_SHOW_JSON) {
        write_plan_json(sweep, facts, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(sweep->ctx);
    kal_page_safe(&page, kal_system_title(sweep->given));
    const double runs = (double)kal_sweep_runs(sweep);
    const size_t inputs = kal_sweep_inputs(sweep);
    const size_t values = kal_sweep_kept(sweep);
    kal_page_format(&page, "\n  %.0f run%s, %zu input%s, %zu value%s of each\n", runs,
                    plural(runs), inputs, plural((double)inputs), values,
                    plural((double)values));
    kal_page_format(&page, "  about %.3g s, by a probe\n  about %.3g MB\n",
                    facts->seconds, facts->bytes * 1e-6);
    return kal_page_finish(&page, sink);
}
