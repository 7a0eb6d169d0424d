// SPDX-License-Identifier: MIT

// What `run` shows: the state in which it ended, what happened on the way, how it went,
// and a second opinion if there is one.
//
// Statistics, phases and kinds of work come as lists (kalaba/run.h), which are written
// in their order: one that is added there appears in both formats.  Text shows the
// statistics that say something of this run, JSON shows all.

#include "base/number.h"
#include "base/utf8.h"
#include "show/incidents.h"
#include "show/page.h"
#include "sim/access.h"
#include "system/system.h"

#include <kalaba/show.h>

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_SHOWN = 40,
    INCIDENTS_SHOWN = 20,
    NAME_SIZE = 200
};

// The phases of a run, and where their times are.
static const struct {
    const char *name;
    size_t offset;
} phases[] = {

#define PHASE(name, meaning) {#name, offsetof(KalRunTimes, name)},
    KAL_RUN_PHASE_LIST(PHASE)
#undef PHASE
};

static double phase_of(const KalRunTimes *times, size_t i)
{
    assert(i < sizeof phases / sizeof phases[0]);
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

// The statistics of a part.
static void write_part(KalJsonWriter *w, const KalStatistic *list,
                       KalStatisticPart part)
{
    assert(list);
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        if (list[i].part == part && list[i].form == KAL_STATISTIC_AS_FLAG) {
            kal_json_put_bool(w, list[i].key, list[i].value != 0.0);
        } else if (list[i].part == part) {
            kal_json_put_number(w, list[i].key, list[i].value);
        }
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

static void write_works(KalJsonWriter *w, const Works *works, const KalStatistic *list)
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
    assert(i <= works->count);
    write_singles(w, works, KAL_WORK_CONTROL);
    write_part(w, list, KAL_STATISTIC_OF_WORK);
    kal_json_write_end(w, '}');
    write_part(w, list, KAL_STATISTIC_OF_BALANCE);
}

static void write_constants(KalJsonWriter *w, const KalRun *run)
{
    const KalConstant *constants = NULL;
    const size_t count = kal_run_constants(run, &constants);
    kal_json_write_key(w, "conserved");
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < count; i++) {
        kal_json_put_number(w, constants[i].name, constants[i].drift);
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
        kal_json_put_number(w, "limit", inputs[i].limit);
        kal_json_put_number(w, "limited", inputs[i].limited);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, '}');
}

static void write_statistics(KalJsonWriter *w, KalRun *run)
{
    KalStatistic list[KAL_STATISTIC_COUNT];
    const Works works = works_of(run);
    kal_run_describe(run, list);
    kal_json_write_key(w, "energy");
    kal_json_write_begin(w, '{');
    write_part(w, list, KAL_STATISTIC_OF_ENERGY);
    if (kal_run_system(run)->balance.derived) {
        write_works(w, &works, list);
    }
    kal_json_write_end(w, '}');
    write_constants(w, run);
    write_inputs(w, run);
    kal_json_write_key(w, "constraint_error");
    kal_json_write_begin(w, '{');
    write_part(w, list, KAL_STATISTIC_OF_CONSTRAINTS);
    kal_json_write_end(w, '}');
    write_part(w, list, KAL_STATISTIC_OF_RUN);
}

static void write_times(KalJsonWriter *w, const KalRunTimes *times)
{
    assert(times->total >= 0.0);
    kal_json_put_number(w, "seconds", times->total);
    kal_json_write_key(w, "phases");
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        kal_json_put_number(w, phases[i].name, phase_of(times, i));
    }
    kal_json_write_end(w, '}');
}

void kal_show_incidents(const KalRun *run, KalJsonWriter *writer)
{
    assert(run && writer);
    KalJsonWriter *w = writer;
    const KalIncident *incidents = NULL;
    const size_t count = kal_run_incidents(run, &incidents);
    kal_json_write_key(w, "incidents");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_begin(w, '{');
        kal_json_put_number(w, "t", incidents[i].t);
        kal_json_put_text(w, "name", incidents[i].name);
        kal_json_put_text(w, "what", kal_incident_word(incidents[i].kind));
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
    assert(key && d);
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
    kal_json_put_number(w, "vague", report.vague);
    kal_json_put_number(w, "allowed", report.allowed);
    kal_json_put_bool(w, "passed", report.passed);
    kal_json_put_number(w, "samples", report.samples);
    kal_json_put_number(w, "time", report.time);
    kal_json_put_number(w, "restarts", report.restarts);
    write_gaps(w, &report);
    kal_json_put_number(w, "seconds", options->verify_seconds);
    kal_json_write_end(w, '}');
}

// Whether dependent constraints leave an output open.
static void write_unique(KalJsonWriter *w, KalRun *run)
{
    const bool *doubts = kal_instant_doubts(kal_run_instant(run));
    kal_json_write_key(w, "unique_output");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < kal_run_system(run)->n_outputs; i++) {
        kal_json_put_bool(w, kal_system_output_names(kal_run_system(run))[i],
                          !doubts[i]);
    }
    kal_json_write_end(w, '}');
}

// Columns of the table that were not unique in any sample.
static void write_not_unique(KalJsonWriter *w, const KalTable *table)
{
    kal_json_write_key(w, "not_unique");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        const KalQuantity column = kal_table_column(table, i);
        if (!kal_quantity_is_unique(column)) {
            kal_json_write_string(w, column.name);
        }
    }
    kal_json_write_end(w, ']');
}

static void write_json(KalRun *run, const double *outputs, const KalRunTimes *times,
                       const KalShowOptions *options, KalJsonWriter *w)
{
    assert(w && times && options);
    const KalSystem *system = kal_run_system(run);
    const char *const *names = kal_system_coordinate_names(system);
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "model", kal_system_title(system));
    kal_json_put_number(w, "t", kal_run_time(run));
    kal_json_put_values(w, "q", names, kal_instant_q(kal_run_instant(run)), system->n);
    kal_json_put_values(w, "qd", names, kal_instant_qd(kal_run_instant(run)),
                        system->n);
    kal_json_put_values(w, "states", kal_system_state_names(system),
                        kal_instant_states(kal_run_instant(run)), system->n_states);
    kal_json_put_values(w, "holds", kal_system_hold_names(system),
                        kal_instant_holds(kal_run_instant(run)), system->n_holds);
    kal_json_put_values(w, "outputs", kal_system_output_names(system), outputs,
                        system->n_outputs);
    write_unique(w, run);
    if (options->table) {
        write_not_unique(w, options->table);
    }
    write_statistics(w, run);
    write_times(w, times);
    kal_json_put_text(w, "stopped_by", kal_run_stopped_by(run));
    kal_show_incidents(run, w);
    write_warnings(w, run);
    write_verification(w, options);
    kal_json_write_end(w, '}');
}

// Text.

static void write_remarked(KalPage *page, const char *name, size_t width, double value,
                           const char *remark)
{
    assert(name && remark);
    char text[KAL_NUMBER_SIZE];
    kal_number_print(kal_reader_number(value), 12, text);
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

// Of the rows that are shown.
static size_t widest(const char *const *names, int count)
{
    assert(count >= 0);
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

// A list of numbers with their names, if there are any.
static void write_named(KalPage *page, const char *heading, const char *const *names,
                        const double *values, int count)
{
    const size_t width = widest(names, count);
    if (count > 0) {
        kal_page_format(page, "\n%s\n", heading);
    }
    for (int i = 0; i < count && i < ROWS_SHOWN; i++) {
        write_value(page, names[i], width, values[i]);
    }
    write_rest(page, count);
}

static void write_state(KalPage *page, KalRun *run, const double *outputs)
{
    assert(outputs || kal_run_system(run)->n_outputs == 0);
    const KalSystem *system = kal_run_system(run);
    const char *const *names = kal_system_coordinate_names(system);
    const size_t width = widest(names, system->n);
    kal_page_string(page, "\nState: position and velocity\n");
    for (int i = 0; i < system->n && i < ROWS_SHOWN; i++) {
        char q[KAL_NUMBER_SIZE];
        char v[KAL_NUMBER_SIZE];
        kal_number_print(kal_reader_number(kal_instant_q(kal_run_instant(run))[i]), 12,
                         q);
        kal_number_print(kal_reader_number(kal_instant_qd(kal_run_instant(run))[i]), 12,
                         v);
        kal_page_string(page, "  ");
        kal_page_safe(page, names[i]);
        kal_page_repeat(page, ' ', width - kal_text_width(names[i]));
        kal_page_format(page, "  %-20s %s\n", q, v);
    }
    write_rest(page, system->n);
    KalInstant *instant = kal_run_instant(run);
    write_named(page, "States", kal_system_state_names(system),
                kal_instant_states(instant), system->n_states);
    write_named(page, "Held values", kal_system_hold_names(system),
                kal_instant_holds(instant), system->n_holds);
    if (system->n_outputs > 0) {
        const char *const *output_names = kal_system_output_names(system);
        const size_t output_width = widest(output_names, system->n_outputs);
        const bool *doubts = kal_instant_doubts(kal_run_instant(run));
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

// The work on the system, which says why its energy changed.
static void write_work(KalPage *page, KalRun *run, size_t width)
{
    const Works works = works_of(run);
    char name[NAME_SIZE];
    for (size_t i = 0; i < works.count && kal_run_integrates_works(run); i++) {
        (void)snprintf(name, sizeof name, "work of %s", works.list[i].name);
        write_value(page, name, width, works.list[i].work);
    }
}

// What an actuator delivered is told only where its limit kept it from what was
// demanded.
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

// The change of the energy is among the statistics already.
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

// Works come before the first statistic that is about them.
static void write_summary(KalPage *page, KalRun *run, const KalRunTimes *times)
{
    KalStatistic list[KAL_STATISTIC_COUNT];
    const size_t width = 26;
    kal_run_describe(run, list);
    kal_page_string(page, "\nStatistics\n");
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        if (list[i].part == KAL_STATISTIC_OF_WORK) {
            write_work(page, run, width);
        }
        if (list[i].visible && list[i].form == KAL_STATISTIC_AS_ERROR) {
            write_error(page, list[i].label, list[i].value);
        } else if (list[i].visible) {
            write_value(page, list[i].label, width, list[i].value);
        }
    }
    write_drifts(page, run);
    write_demands(page, run, width);
    write_phases(page, times);
}

static void write_events(KalPage *page, const KalRun *run)
{
    assert(page && run);
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

// A comparison of no time at all agrees trivially; it is told as what it is.
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
    if (!isnan(r.vague)) {
        kal_page_format(
            page,
            "  from t = %.6g on this proves little: errors of the tolerance "
            "grow to more than 1 %% of the motion; ask for smaller ones, or "
            "for a shorter time\n",
            r.vague);
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
    KalPage page = kal_page(kal_run_context(run));
    char t[KAL_NUMBER_SIZE];
    kal_number_print(kal_run_time(run), 12, t);
    kal_page_safe(&page, kal_system_title(kal_run_system(run)));
    kal_page_format(&page, "\nt = %s", t);
    if (kal_run_stopped_by(run)) {
        kal_page_string(&page, ", stopped by event ");
        kal_page_safe(&page, kal_run_stopped_by(run));
    }
    kal_page_string(&page, "\n");
    write_state(&page, run, outputs);
    write_events(&page, run);
    write_summary(&page, run, times);
    write_opinion(&page, options);
    return kal_page_finish(&page, sink);
}

static bool can_show(const KalRun *run, const KalRunTimes *times,
                     const KalShowOptions *options, KalSink sink)
{
    return run && times && options && sink.write
           && (unsigned)options->format <= KAL_SHOW_HTML;
}

KalStatus kal_show_run(KalRun *run, const KalRunTimes *times,
                       const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(run ? kal_run_context(run) : NULL, can_show(run, times, options, sink));
    const double *outputs = NULL;
    KAL_TRY(kal_instant_outputs(kal_run_instant(run), &outputs));
    if (options->format == KAL_SHOW_JSON) {
        KalJsonWriter w = {.sink = sink};
        write_json(run, outputs, times, options, &w);
        sink.write(sink.user, "\n", 1);
        return KAL_OK;
    }
    return write_page(run, outputs, times, options, sink);
}

// A member of the list `family`; the first opens it, the last closes it.
static void write_member(KalRun *run, const KalMember *member, const double *outputs,
                         const KalRunTimes *times, const KalShowOptions *options,
                         KalSink sink)
{
    assert(member->index < member->count);
    KalJsonWriter w = {.sink = sink, .comma = member->index > 0};
    if (member->index == 0) {
        kal_json_write_begin(&w, '{');
        kal_json_write_key(&w, "family");
        kal_json_write_begin(&w, '[');
    }
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "start", member->start);
    kal_json_write_key(&w, "run");
    write_json(run, outputs, times, options, &w);
    kal_json_write_end(&w, '}');
    if (member->index + 1 == member->count) {
        kal_json_write_end(&w, ']');
        kal_json_write_end(&w, '}');
        sink.write(sink.user, "\n", 1);
    }
}

KalStatus kal_show_member(KalRun *run, const KalMember *member,
                          const KalRunTimes *times, const KalShowOptions *options,
                          KalSink sink)
{
    KAL_NEED(run ? kal_run_context(run) : NULL, can_show(run, times, options, sink)
                                                    && member && member->start
                                                    && member->index < member->count);
    const double *outputs = NULL;
    KAL_TRY(kal_instant_outputs(kal_run_instant(run), &outputs));
    if (options->format == KAL_SHOW_JSON) {
        write_member(run, member, outputs, times, options, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(kal_run_context(run));
    kal_page_string(&page, member->index > 0 ? "\n" : "");
    kal_page_safe(&page, member->start);
    kal_page_string(&page, "\n\n");
    KAL_TRY(kal_page_finish(&page, sink));
    return write_page(run, outputs, times, options, sink);
}
