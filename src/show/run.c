// SPDX-License-Identifier: MIT

// What `run` shows.

#include "sim/run.h"

#include "base/number.h"
#include "base/utf8.h"
#include "json/member.h"
#include "show/page.h"

#include <kalaba/show.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_SHOWN = 40,
    INCIDENTS_SHOWN = 20,
    NAME_SIZE = 200
};

// The parts of a run, and where their times are.
static const struct {
    const char *name;
    size_t offset;
} phases[] = {
    {"reading",     offsetof(KalRunTimes, reading)    },
    {"deriving",    offsetof(KalRunTimes, deriving)   },
    {"compiling",   offsetof(KalRunTimes, compiling)  },
    {"starting",    offsetof(KalRunTimes, starting)   },
    {"integrating", offsetof(KalRunTimes, integrating)},
    {"recording",   offsetof(KalRunTimes, recording)  },
    {"writing",     offsetof(KalRunTimes, writing)    },
};

static double phase_of(const KalRunTimes *times, size_t i)
{
    double seconds = 0.0;
    memcpy(&seconds, (const char *)times + phases[i].offset, sizeof seconds);
    return seconds;
}

// What did work.
typedef struct Works {
    const KalWork *list;
    size_t count;
} Works;

static Works works_of(KalRun *run)
{
    Works works = {.list = NULL};
    works.count = kal_run_works(run, &works.list);
    return works;
}

// JSON.

// A number that may be missing.
static void write_maybe(KalJsonWriter *w, const char *key, double value)
{
    kal_json_write_key(w, key);
    if (isfinite(value)) {
        kal_json_write_number(w, value);
    } else {
        kal_json_write_null(w);
    }
}

static void write_singles(KalJsonWriter *w, const Works *works, KalWorkKind kind)
{
    kal_json_write_key(w, kal_work_kind_word(kind));
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < works->count; i++) {
        if (works->list[i].kind == kind) {
            kal_json_put_number(w, works->list[i].of, works->list[i].work);
        }
    }
    kal_json_write_end(w, '}');
}

static void write_works(KalJsonWriter *w, const Works *works, const KalRunStatistics *s)
{
    kal_json_write_key(w, "work");
    kal_json_write_begin(w, '{');
    size_t i = 0; // works come by their kinds
    for (int kind = 0; kind < KAL_WORK_DRIVE; kind++) {
        const bool present = i < works->count && (int)works->list[i].kind == kind;
        kal_json_put_number(w, kal_work_kind_word((KalWorkKind)kind),
                            present ? works->list[i++].work : 0.0);
    }
    write_singles(w, works, KAL_WORK_DRIVE);
    write_singles(w, works, KAL_WORK_CONTROL);
    kal_json_put_number(w, "events", s->energy_events);
    kal_json_write_end(w, '}');
    write_maybe(w, "balance", s->energy_balance);
}

static void write_constants(KalJsonWriter *w, const KalRun *run)
{
    const KalConstant *constants = NULL;
    const size_t count = kal_run_constants(run, &constants);
    kal_json_write_key(w, "conserved");
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < count; i++) {
        write_maybe(w, constants[i].name, constants[i].drift);
    }
    kal_json_write_end(w, '}');
}

static void write_inputs(KalJsonWriter *w, const KalRun *run)
{
    const KalEffort *inputs = NULL;
    const size_t count = kal_run_efforts(run, &inputs);
    kal_json_write_key(w, "controls");
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_key(w, inputs[i].name);
        kal_json_write_begin(w, '{');
        kal_json_put_number(w, "demanded", inputs[i].demanded);
        kal_json_put_number(w, "delivered", inputs[i].delivered);
        write_maybe(w, "limit", inputs[i].limit);
        kal_json_put_number(w, "limited", inputs[i].limited);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, '}');
}

static void write_statistics(KalJsonWriter *w, KalRun *run)
{
    const KalRunStatistics *s = &run->statistics;
    const Works works = works_of(run);
    kal_json_write_key(w, "energy");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "initial", s->energy_initial);
    kal_json_put_number(w, "final", s->energy_final);
    kal_json_put_number(w, "drift", s->energy_drift);
    kal_json_put_number(w, "lost", s->energy_lost);
    if (run->system->has_balance) {
        write_works(w, &works, s);
    }
    kal_json_write_end(w, '}');
    write_constants(w, run);
    write_inputs(w, run);
    kal_json_write_key(w, "constraint_error");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "position", s->position_error);
    kal_json_put_number(w, "velocity", s->velocity_error);
    kal_json_write_end(w, '}');
    kal_json_put_number(w, "steps", (double)s->steps);
    kal_json_put_number(w, "rejected", (double)s->rejected);
    kal_json_put_number(w, "evaluations", (double)s->evaluations);
    kal_json_put_number(w, "events", s->events);
    kal_json_put_number(w, "switches", (double)s->switches);
    kal_json_put_number(w, "passages", s->passages);
}

static void write_times(KalJsonWriter *w, const KalRunTimes *times)
{
    kal_json_put_number(w, "seconds", times->total);
    kal_json_write_key(w, "phases");
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        kal_json_put_number(w, phases[i].name, phase_of(times, i));
    }
    kal_json_write_end(w, '}');
}

static void write_incidents(KalJsonWriter *w, const KalRun *run)
{
    const KalIncident *incidents = NULL;
    const size_t count = kal_run_incidents(run, &incidents);
    kal_json_write_key(w, "incidents");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_begin(w, '{');
        kal_json_put_number(w, "t", incidents[i].t);
        kal_json_put_text(w, "text", incidents[i].text);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_warnings(KalJsonWriter *w, KalRun *run)
{
    const char *const *texts = NULL;
    const size_t count = kal_run_warnings(run, &texts);
    kal_json_write_key(w, "warnings");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_string(w, texts[i]);
    }
    kal_json_write_end(w, ']');
}

static void write_difference(KalJsonWriter *w, const char *key,
                             const KalVerifyDifference *d)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "q", d->q);
    kal_json_put_number(w, "qd", d->qd);
    kal_json_put_number(w, "force", d->force);
    kal_json_write_end(w, '}');
}

static void write_gaps(KalJsonWriter *w, const KalVerifyReport *report)
{
    kal_json_write_key(w, "not_verified");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < report->n_gaps; i++) {
        kal_json_write_begin(w, '{');
        kal_json_put_number(w, "from", report->gaps[i].from);
        kal_json_put_number(w, "to", report->gaps[i].to);
        kal_json_put_text(w, "reason", report->gaps[i].reason);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_verification(KalJsonWriter *w, const KalShowOptions *options)
{
    if (!options->verify) {
        return;
    }
    const KalVerifyReport report = kal_verify_report(options->verify);
    kal_json_write_key(w, "verify");
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "method", report.method);
    write_difference(w, "largest_difference", &report.difference);
    kal_json_put_number(w, "at", report.at);
    write_difference(w, "expected", &report.expected);
    kal_json_put_number(w, "ratio", report.ratio);
    kal_json_put_number(w, "allowed", report.allowed);
    kal_json_put_bool(w, "passed", report.passed);
    kal_json_put_number(w, "samples", report.samples);
    kal_json_put_number(w, "time", report.time);
    kal_json_put_number(w, "restarts", report.restarts);
    write_gaps(w, &report);
    kal_json_put_number(w, "seconds", options->verify_seconds);
    kal_json_write_end(w, '}');
}

static void write_unique(KalJsonWriter *w, KalRun *run)
{
    const bool *doubts = kal_instant_doubts(run->instant);
    kal_json_write_key(w, "unique_output");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < run->system->n_outputs; i++) {
        kal_json_put_bool(w, kal_system_output_names(run->system)[i], !doubts[i]);
    }
    kal_json_write_end(w, '}');
}

static void write_json(KalRun *run, const double *outputs, const KalRunTimes *times,
                       const KalShowOptions *options, KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    const KalSystem *system = run->system;
    const char *const *names = kal_system_coordinate_names(system);
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(system));
    kal_json_put_number(&w, "t", run->t);
    kal_json_put_values(&w, "q", names, kal_instant_q(run->instant), system->n);
    kal_json_put_values(&w, "qd", names, kal_instant_qd(run->instant), system->n);
    kal_json_put_values(&w, "outputs", kal_system_output_names(system), outputs,
                        system->n_outputs);
    write_unique(&w, run);
    write_statistics(&w, run);
    write_times(&w, times);
    kal_json_put_text(&w, "stopped_by", run->stopped_by);
    kal_json_put_bool(&w, "stiff", run->statistics.stiff);
    write_incidents(&w, run);
    write_warnings(&w, run);
    write_verification(&w, options);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// Text.

static void write_remarked(KalPage *page, const char *name, size_t width, double value,
                           const char *remark)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print(value, 12, text);
    kal_page_string(page, "  ");
    kal_page_safe(page, name);
    const size_t used = kal_text_width(name);
    kal_page_repeat(page, ' ', width > used ? width - used : 0);
    kal_page_format(page, "  %s%s\n", text, remark);
}

static void write_value(KalPage *page, const char *name, size_t width, double value)
{
    write_remarked(page, name, width, value, "");
}

static size_t widest(const char *const *names, int count)
{
    size_t width = 0;
    for (int i = 0; i < count && i < ROWS_SHOWN; i++) {
        const size_t used = kal_text_width(names[i]);
        width = used > width ? used : width;
    }
    return width;
}

static void write_rest(KalPage *page, int count)
{
    if (count > ROWS_SHOWN) {
        kal_page_format(page, "  … and %d more\n", count - ROWS_SHOWN);
    }
}

static void write_state(KalPage *page, const KalRun *run, const double *outputs)
{
    const KalSystem *system = run->system;
    const char *const *names = kal_system_coordinate_names(system);
    const size_t width = widest(names, system->n);
    kal_page_string(page, "\nState: position and velocity\n");
    for (int i = 0; i < system->n && i < ROWS_SHOWN; i++) {
        char q[KAL_NUMBER_SIZE];
        char v[KAL_NUMBER_SIZE];
        kal_number_print(kal_instant_q(run->instant)[i], 12, q);
        kal_number_print(kal_instant_qd(run->instant)[i], 12, v);
        kal_page_string(page, "  ");
        kal_page_safe(page, names[i]);
        kal_page_repeat(page, ' ', width - kal_text_width(names[i]));
        kal_page_format(page, "  %-20s %s\n", q, v);
    }
    write_rest(page, system->n);
    if (system->n_outputs > 0) {
        const char *const *output_names = kal_system_output_names(system);
        const size_t output_width = widest(output_names, system->n_outputs);
        const bool *doubts = kal_instant_doubts(run->instant);
        kal_page_string(page, "\nOutputs\n");
        for (int i = 0; i < system->n_outputs && i < ROWS_SHOWN; i++) {
            write_remarked(page, output_names[i], output_width, outputs[i],
                           doubts[i] ? "   not unique" : "");
        }
        write_rest(page, system->n_outputs);
    }
}

static void write_error(KalPage *page, const char *name, double error)
{
    const size_t width = 26;
    const size_t used = kal_text_width(name);
    kal_page_string(page, "  ");
    kal_page_safe(page, name);
    kal_page_repeat(page, ' ', width > used ? width - used : 0);
    kal_page_format(page, "  %.2g\n", error);
}

// Why the energy changed, and what is left of it; or what should not have changed.
static void write_energy(KalPage *page, KalRun *run, size_t width)
{
    const KalRunStatistics *s = &run->statistics;
    const Works works = works_of(run);
    char name[NAME_SIZE];
    write_value(page, "energy at the start", width, s->energy_initial);
    write_value(page, "energy at the end", width, s->energy_final);
    for (size_t i = 0; i < works.count && run->balance.n > 0; i++) {
        (void)snprintf(name, sizeof name, "work of %s", works.list[i].name);
        write_value(page, name, width, works.list[i].work);
    }
    if (s->energy_events != 0.0) {
        write_value(page, "change by events", width, s->energy_events);
    }
    if (s->energy_lost != 0.0) {
        write_value(page, "energy lost in impacts", width, s->energy_lost);
    }
    if (run->balance.n > 0) {
        write_error(page, "energy balance off by", s->energy_balance);
    } else {
        write_error(page, "largest change of energy", s->energy_drift);
    }
}

static void write_demands(KalPage *page, const KalRun *run, size_t width)
{
    const KalEffort *inputs = NULL;
    const size_t count = kal_run_efforts(run, &inputs);
    char name[NAME_SIZE];
    for (size_t i = 0; i < count && i < ROWS_SHOWN; i++) {
        (void)snprintf(name, sizeof name, "most demanded of %s", inputs[i].name);
        write_value(page, name, width, inputs[i].demanded);
        if (inputs[i].delivered < inputs[i].demanded) {
            (void)snprintf(name, sizeof name, "most delivered by %s", inputs[i].name);
            write_value(page, name, width, inputs[i].delivered);
            (void)snprintf(name, sizeof name, "time %s was at its limit",
                           inputs[i].name);
            write_value(page, name, width, inputs[i].limited);
        }
    }
}

static void write_drifts(KalPage *page, const KalRun *run)
{
    const KalConstant *constants = NULL;
    const size_t count = kal_run_constants(run, &constants);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(constants[i].name, "energy") != 0 && shown++ < ROWS_SHOWN) {
            char name[NAME_SIZE];
            (void)snprintf(name, sizeof name, "change of %s", constants[i].name);
            write_error(page, name, constants[i].drift);
        }
    }
}

static void write_phases(KalPage *page, const KalRunTimes *times)
{
    kal_page_format(page, "  %-26s  %.3g s\n", "time taken", times->total);
    kal_page_string(page, "  ");
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        kal_page_format(page, "%s%s %.2g", i > 0 ? ", " : "", phases[i].name,
                        phase_of(times, i));
    }
    kal_page_string(page, " s\n");
}

static void write_summary(KalPage *page, KalRun *run, const KalRunTimes *times)
{
    const KalRunStatistics *s = &run->statistics;
    const size_t width = 26;
    kal_page_string(page, "\nStatistics\n");
    write_value(page, "steps", width, (double)s->steps);
    write_value(page, "steps rejected", width, (double)s->rejected);
    write_value(page, "accelerations evaluated", width, (double)s->evaluations);
    if (s->events > 0) {
        write_value(page, "events", width, s->events);
    }
    if (s->switches > 0) {
        write_value(page, "changes of pieces", width, (double)s->switches);
    }
    if (s->passages > 0) {
        write_value(page, "passages of losses of rank", width, s->passages);
    }
    if (run->has_position) {
        write_error(page, "worst position error", s->position_error);
    }
    if (run->has_velocity) {
        write_error(page, "worst velocity error", s->velocity_error);
    }
    write_energy(page, run, width);
    write_drifts(page, run);
    write_demands(page, run, width);
    write_phases(page, times);
}

static void write_events(KalPage *page, const KalRun *run)
{
    const KalIncident *incidents = NULL;
    const size_t count = kal_run_incidents(run, &incidents);
    if (count == 0) {
        return;
    }
    kal_page_string(page, "\nOn the way\n");
    for (size_t i = 0; i < count && i < INCIDENTS_SHOWN; i++) {
        char t[KAL_NUMBER_SIZE];
        kal_number_print(incidents[i].t, 9, t);
        kal_page_format(page, "  t = %-12s  ", t);
        kal_page_safe(page, incidents[i].text);
        kal_page_string(page, "\n");
    }
    if (count > INCIDENTS_SHOWN) {
        kal_page_format(page, "  … and %zu more\n", count - INCIDENTS_SHOWN);
    }
}

static void write_opinion(KalPage *page, const KalShowOptions *options)
{
    if (!options->verify) {
        return;
    }
    const KalVerifyReport r = kal_verify_report(options->verify);
    kal_page_format(page, "\nSecond opinion (%s): largest difference, and expected\n",
                    r.method);
    kal_page_format(page, "  %-26s  %-10.2g  %.2g\n", "positions", r.difference.q,
                    r.expected.q);
    kal_page_format(page, "  %-26s  %-10.2g  %.2g\n", "velocities", r.difference.qd,
                    r.expected.qd);
    kal_page_format(page, "  %-26s  %-10.2g  %.2g\n", "constraint forces",
                    r.difference.force, r.expected.force);
    if (r.time == 0.0 && r.ratio <= r.allowed) {
        kal_page_string(page, "  NOTHING of the motion was compared\n");
    } else {
        kal_page_format(page,
                        "  %s: at most %.2g times what is expected, at t = %.6g\n",
                        r.passed ? "agrees" : "DISAGREES", r.ratio, r.at);
    }
    kal_page_format(page, "  %d samples over a time of %.6g, %d restarts, %.3g s\n",
                    r.samples, r.time, r.restarts, options->verify_seconds);
    for (int i = 0; i < r.n_gaps; i++) {
        kal_page_format(page, "  not verified, t = %.6g .. %.6g: ", r.gaps[i].from,
                        r.gaps[i].to);
        kal_page_safe(page, r.gaps[i].reason);
        kal_page_string(page, "\n");
    }
}

static KalStatus write_page(KalRun *run, const double *outputs,
                            const KalRunTimes *times, const KalShowOptions *options,
                            KalSink sink)
{
    KalPage page = kal_page(run->ctx);
    char t[KAL_NUMBER_SIZE];
    kal_number_print(run->t, 12, t);
    kal_page_safe(&page, kal_system_title(run->system));
    kal_page_format(&page, "\nt = %s", t);
    if (run->stopped_by) {
        kal_page_string(&page, ", stopped by event ");
        kal_page_safe(&page, run->stopped_by);
    }
    kal_page_string(&page, "\n");
    write_state(&page, run, outputs);
    write_events(&page, run);
    write_summary(&page, run, times);
    write_opinion(&page, options);
    return kal_page_finish(&page, sink);
}

KalStatus kal_show_run(KalRun *run, const KalRunTimes *times,
                       const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(run ? run->ctx : NULL, run && times && options && sink.write
                                        && (unsigned)options->format <= KAL_SHOW_HTML);
    const double *outputs = NULL;
    KAL_TRY(kal_instant_outputs(run->instant, &outputs));
    if (options->format == KAL_SHOW_JSON) {
        write_json(run, outputs, times, options, sink);
        return KAL_OK;
    }
    return write_page(run, outputs, times, options, sink);
}
