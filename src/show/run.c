// SPDX-License-Identifier: MIT

// What `run` shows.

#include "sim/run.h"

#include "base/number.h"
#include "base/utf8.h"
#include "json/writer.h"
#include "show/page.h"

#include <kalaba/show.h>

#include <string.h>

enum {
    ROWS_SHOWN = 40,
    INCIDENTS_SHOWN = 20,
};

// JSON.

static void write_number(KalJsonWriter *w, const char *key, double value)
{
    kal_json_write_key(w, key);
    kal_json_write_number(w, value);
}

static void write_list(KalJsonWriter *w, const char *key, const char *const *names,
                       const double *values, int count)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    for (int i = 0; i < count; i++) {
        write_number(w, names[i], values[i]);
    }
    kal_json_write_end(w, '}');
}

static void write_statistics(KalJsonWriter *w, const KalRunStatistics *s)
{
    kal_json_write_key(w, "energy");
    kal_json_write_begin(w, '{');
    write_number(w, "initial", s->energy_initial);
    write_number(w, "final", s->energy_final);
    write_number(w, "drift", s->energy_drift);
    write_number(w, "lost", s->energy_lost);
    kal_json_write_end(w, '}');
    kal_json_write_key(w, "constraint_error");
    kal_json_write_begin(w, '{');
    write_number(w, "position", s->position_error);
    write_number(w, "velocity", s->velocity_error);
    kal_json_write_end(w, '}');
    write_number(w, "steps", (double)s->steps);
    write_number(w, "rejected", (double)s->rejected);
    write_number(w, "evaluations", (double)s->evaluations);
    write_number(w, "events", s->events);
    write_number(w, "passages", s->passages);
}

static void write_incidents(KalJsonWriter *w, const KalRun *run)
{
    const KalIncident *incidents = NULL;
    const size_t count = kal_run_incidents(run, &incidents);
    kal_json_write_key(w, "incidents");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_begin(w, '{');
        write_number(w, "t", incidents[i].t);
        kal_json_write_key(w, "text");
        kal_json_write_string(w, incidents[i].text);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_json(const KalRun *run, const double *outputs, double seconds,
                       KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    const KalSystem *system = run->system;
    const char *const *names = kal_system_coordinate_names(system);
    kal_json_write_begin(&w, '{');
    kal_json_write_key(&w, "model");
    kal_json_write_string(&w, kal_system_title(system));
    write_number(&w, "t", run->t);
    write_list(&w, "q", names, kal_instant_q(run->instant), system->n);
    write_list(&w, "qd", names, kal_instant_qd(run->instant), system->n);
    write_list(&w, "outputs", kal_system_output_names(system), outputs,
               system->n_outputs);
    write_statistics(&w, &run->statistics);
    write_number(&w, "seconds", seconds);
    kal_json_write_key(&w, "stopped_by");
    if (run->stopped_by) {
        kal_json_write_string(&w, run->stopped_by);
    } else {
        kal_json_write_null(&w);
    }
    kal_json_write_key(&w, "stiff");
    kal_json_write_bool(&w, run->statistics.stiff);
    write_incidents(&w, run);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// Text.

static void write_value(KalPage *page, const char *name, size_t width, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print(value, 12, text);
    kal_page_string(page, "  ");
    kal_page_safe(page, name);
    const size_t used = kal_text_width(name);
    kal_page_repeat(page, ' ', width > used ? width - used : 0);
    kal_page_format(page, "  %s\n", text);
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
        kal_page_string(page, "\nOutputs\n");
        for (int i = 0; i < system->n_outputs && i < ROWS_SHOWN; i++) {
            write_value(page, output_names[i], output_width, outputs[i]);
        }
        write_rest(page, system->n_outputs);
    }
}

static void write_summary(KalPage *page, const KalRun *run, double seconds)
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
    if (s->passages > 0) {
        write_value(page, "passages of losses of rank", width, s->passages);
    }
    if (run->has_position) {
        kal_page_format(page, "  %-26s  %.2g\n", "worst position error",
                        s->position_error);
    }
    if (run->has_velocity) {
        kal_page_format(page, "  %-26s  %.2g\n", "worst velocity error",
                        s->velocity_error);
    }
    write_value(page, "energy at the start", width, s->energy_initial);
    write_value(page, "energy at the end", width, s->energy_final);
    kal_page_format(page, "  %-26s  %.3g\n", "largest change of energy",
                    s->energy_drift);
    if (s->energy_lost != 0.0) {
        write_value(page, "energy lost in impacts", width, s->energy_lost);
    }
    kal_page_format(page, "  %-26s  %.3g s\n", "time taken", seconds);
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

static KalStatus write_page(const KalRun *run, const double *outputs, double seconds,
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
    write_summary(&page, run, seconds);
    const KalStatus status = page.status;
    if (status == KAL_OK) {
        sink.write(sink.user, (const char *)page.block.data, page.block.size);
    }
    kal_page_clear(&page);
    return status;
}

KalStatus kal_show_run(KalRun *run, double seconds, const KalShowOptions *options,
                       KalSink sink)
{
    const double *outputs = NULL;
    KAL_TRY(kal_instant_outputs(run->instant, &outputs));
    if (options->format == KAL_SHOW_JSON) {
        write_json(run, outputs, seconds, sink);
        return KAL_OK;
    }
    return write_page(run, outputs, seconds, sink);
}
