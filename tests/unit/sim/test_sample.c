// SPDX-License-Identifier: MIT

// Samples of runs, and what is known about a run in numbers.

#include "run_lab.h"
#include "system/instant.h"

#include <math.h>

static const char fall[] = "coord y\nkinetic 1/2*y'^2\npotential 10*y\ninit y = 1\n"
                           "simulate 0 .. 1 every 0.3\n";

// The times that were sampled; a failure when there are to be no more.
typedef struct Times {
    int count;
    int most;
    double t[20];
} Times;

static KalStatus take(void *user, KalRun *run)
{
    Times *times = (Times *)user;
    if (times->count == times->most) {
        return KAL_ERR_LIMIT;
    }
    // The state is that of the time, in closed form.
    const double t = kal_run_time(run);
    near(kal_instant_q(kal_run_instant(run))[0], 1.0 - 5.0 * t * t, 1e-9);
    times->t[times->count++] = t;
    return KAL_OK;
}

static void samples_are_even_and_the_end_is_one(void)
{
    static const double expected[] = {0.0, 0.3, 0.6, 0.9, 1.0};
    Lab lab;
    Times times = {.most = 20};
    if (lab_load(&lab, fall) && ok(lab_start(&lab) == KAL_OK)) {
        ok(kal_run_sample(lab.run, take, &times) == KAL_OK);
        ok(times.count == 5 && kal_run_is_over(lab.run));
        for (int i = 0; i < times.count && i < 5; i++) {
            near(times.t[i], expected[i], 1e-15);
        }
    }
    lab_close(&lab);
}

// 0.1 has no exact double: ten of them are 1 but for rounding, and there are 11 samples.
static void rounding_makes_no_sample(void)
{
    Lab lab;
    Times times = {.most = 20};
    if (lab_load(&lab, fall)) {
        lab.options.every = 0.1;
        ok(lab_start(&lab) == KAL_OK);
        ok(kal_run_sample(lab.run, take, &times) == KAL_OK);
        ok(times.count == 11 && times.t[10] == 1.0);
    }
    lab_close(&lab);
}

// From wherever the run is, and where it was left by a failure.
static void sampling_goes_on(void)
{
    Lab lab;
    Times times = {.most = 2};
    if (lab_load(&lab, fall) && ok(lab_start(&lab) == KAL_OK)) {
        ok(kal_run_advance(lab.run, 0.25) == KAL_OK);
        ok(kal_run_sample(lab.run, take, &times) == KAL_ERR_LIMIT);
        ok(times.count == 2 && times.t[0] == 0.25 && times.t[1] == 0.3);
        near(kal_run_time(lab.run), 0.6, 1e-15);
        times = (Times){.most = 20};
        ok(kal_run_sample(lab.run, take, &times) == KAL_OK);
        ok(times.count == 3 && times.t[2] == 1.0);
    }
    lab_close(&lab);
}

static void an_event_ends_the_sampling(void)
{
    Lab lab;
    Times times = {.most = 20};
    if (lab_load(&lab, "coord y\nkinetic 1/2*y'^2\npotential 10*y\ninit y = 1\n"
                       "event down: y falling stop\nsimulate 0 .. 9 every 0.1\n")
        && ok(lab_start(&lab) == KAL_OK)) {
        ok(kal_run_sample(lab.run, take, &times) == KAL_OK);
        ok(times.count == 6);
        near(times.t[5], sqrt(0.2), 1e-9);
        const KalIncident *incidents = NULL;
        ok(kal_run_incidents(lab.run, &incidents) == 1);
        same_text(incidents[0].name, "down");
        same_text(kal_incident_word(incidents[0].kind), "event");
    }
    lab_close(&lab);
}

// Every statistic is described, with the value that the structure has.
static void statistics_are_described(void)
{
    Lab lab;
    if (lab_load(&lab, fall) && ok(lab_go(&lab) == KAL_OK)) {
        const KalRunStatistics s = kal_run_statistics(lab.run);
        KalStatistic list[KAL_STATISTIC_COUNT];
        int k = 0;
        kal_run_describe(lab.run, list);
#define CHECK(type, member, of, json_key, as, when, text, words) \
    same_text(list[k].name, #member);                            \
    same_text(list[k].label, text);                              \
    ok(list[k].value == (double)s.member);                       \
    k++;
        KAL_STATISTIC_LIST(CHECK)
#undef CHECK
        ok(k == KAL_STATISTIC_COUNT && s.steps > 0 && s.energy_initial == 10.0);
        ok(list[0].visible && list[0].value == (double)s.steps);
    }
    lab_close(&lab);
}

// Keys and labels are told apart.
static void no_two_statistics_have_one_name(void)
{
    Lab lab;
    if (lab_load(&lab, fall) && ok(lab_start(&lab) == KAL_OK)) {
        KalStatistic list[KAL_STATISTIC_COUNT];
        kal_run_describe(lab.run, list);
        for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
            for (int j = 0; j < i; j++) {
                ok(strcmp(list[i].label, list[j].label) != 0);
                ok(list[i].part != list[j].part
                   || strcmp(list[i].key, list[j].key) != 0);
            }
        }
    }
    lab_close(&lab);
}

// Times and velocities that were sampled.
typedef struct Rows {
    int count;
    double t[40];
    double v[40];
} Rows;

static KalStatus take_row(void *user, KalRun *run)
{
    Rows *rows = (Rows *)user;
    if (rows->count < 40) {
        rows->t[rows->count] = kal_run_time(run);
        rows->v[rows->count++] = kal_instant_qd(kal_run_instant(run))[0];
    }
    return KAL_OK;
}

// The velocity is −10 before the bounce at t = 1, and 5 behind it.  An event that only stops
// has one row.
static void a_jump_has_a_row_on_either_side(void)
{
    Lab lab;
    Rows rows = {.count = 0};
    if (lab_load(&lab, "coord y\nkinetic 1/2*y'^2\npotential 10*y\ninit y = 5\n"
                       "event bounce: y falling set y' = -y'/2\n"
                       "event end: t - 1.25 rising stop\n"
                       "simulate 0 .. 2 every 0.4\n")
        && ok(lab_start(&lab) == KAL_OK)) {
        ok(kal_run_sample(lab.run, take_row, &rows) == KAL_OK);
        const double t[] = {0.0, 0.4, 0.8, 1.0, 1.0, 1.2, 1.25};
        const double v[] = {0.0, -4.0, -8.0, -10.0, 5.0, 3.0, 2.5};
        ok(rows.count == 7);
        for (int i = 0; i < 7; i++) {
            near(rows.t[i], t[i], 1e-12);
            near(rows.v[i], v[i], 1e-10);
        }
    }
    lab_close(&lab);
}

// What a sample shows, whoever asks for it.
typedef struct Shown {
    KalRecord *record;
    int every; // how many samples apart the instant is looked at first, too
    int count;
} Shown;

static double time_of(const KalInstant *instant)
{
    return instant->variables[0];
}

static KalStatus show(void *user, KalRun *run)
{
    Shown *shown = (Shown *)user;
    if (shown->every > 0 && shown->count++ % shown->every == 0) {
        ok(time_of(kal_run_instant(run)) == kal_run_time(run));
    }
    return kal_record_take(shown->record, run);
}

// Samples in company with others, known ahead of the run.
static KalTable *sample_together(Lab *lab, KalRecord *record, int every)
{
    Shown shown = {.record = record, .every = every};
    ok(lab_start(lab) == KAL_OK && kal_run_sample(lab->run, show, &shown) == KAL_OK);
    ok(time_of(kal_run_instant(lab->run)) == kal_run_time(lab->run));
    return kal_record_table(record);
}

// Samples at the same times, each looked at alone.
static KalTable *sample_alone(Lab *lab, KalRecord *record, const KalTable *other)
{
    ok(lab_start(lab) == KAL_OK);
    for (size_t i = 0; i < kal_table_rows(other); i++) {
        ok(kal_run_advance(lab->run, kal_table_row(other, i)[0]) == KAL_OK);
        ok(kal_record_take(record, lab->run) == KAL_OK);
    }
    return kal_record_table(record);
}

// The ends of steps, where samples can be too, are returned to twice by who looks elsewhere
// first; anywhere else bits are the same.
static void compare_tables(const KalTable *a, const KalTable *b)
{
    const size_t rows = kal_table_rows(a);
    const size_t columns = kal_table_columns(a);
    size_t same = 0;
    ok(kal_table_rows(b) == rows && kal_table_columns(b) == columns && rows > 100);
    for (size_t i = 0; i < rows; i++) {
        const double *x = kal_table_row(a, i);
        const double *y = kal_table_row(b, i);
        same += memcmp(x, y, columns * sizeof *x) == 0;
        for (size_t j = 0; j < columns; j++) {
            near(x[j], y[j], 1e-12 * (1.0 + fabs(y[j])));
        }
    }
    ok(same + 1 >= rows);
}

static void compare_ways(const char *text, const char *const *patterns, size_t count,
                         int every)
{
    Lab lab;
    KalRecord *records[2] = {NULL, NULL};
    if (lab_load(&lab, text)
        && ok(kal_record_create(lab.ctx, lab.system, patterns, count, &records[0])
                  == KAL_OK
              && kal_record_create(lab.ctx, lab.system, patterns, count, &records[1])
                     == KAL_OK)) {
        const KalTable *together = sample_together(&lab, records[0], every);
        const KalRunStatistics s = kal_run_statistics(lab.run);
        lab_again(&lab);
        const KalTable *alone = sample_alone(&lab, records[1], together);
        const KalRunStatistics t = kal_run_statistics(lab.run);
        compare_tables(together, alone);
        // Who looks alone comes back to the end of each step once more.
        ok(s.steps == t.steps && s.evaluations <= t.evaluations
           && t.evaluations <= s.evaluations + t.steps);
        near(s.energy_drift, t.energy_drift, 1e-13);
        near(s.energy_balance, t.energy_balance, 1e-13);
        near(s.position_error, t.position_error, 1e-14);
        near(s.velocity_error, t.velocity_error, 1e-14);
    }
    kal_record_destroy(records[0]);
    kal_record_destroy(records[1]);
    lab_close(&lab);
}

#define SWING                                                             \
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"           \
    "constraint rod: x^2 + y^2 = 1\ninit x = 1, y ~ 0, x' ~ 0, y' = -1\n" \
    "output speed = sqrt(x'^2 + y'^2)\noutput pull = reaction(rod)\n"

static const char swing[] = SWING "simulate 0 .. 2 every 0.002\n";
// A force that does work, whose sum is an integral of the run.
static const char rubbed[] = SWING "force x = -0.3*x'\nsimulate 0 .. 2 every 0.002\n";
// Fewer samples than steps, so that those that are looked at together are of several.
static const char sparse[] = SWING "simulate 0 .. 16 every 0.07\n";
// The same, slowed down at the lowest point each time.
static const char slowed[] = SWING
    "event low: x set x' = 0.9*x', set y' = 0.9*y'\nsimulate 0 .. 16 every 0.07\n";
// An output that has no value once the mass is below −0.5.
static const char bounded[] = SWING "output depth = sqrt(0.5 + y)\n"
                                    "simulate 0 .. 2 every 0.002\n";

static void samples_in_company_are_those_alone(void)
{
    static const char *const more[] = {"x''", "reaction(rod)", "energy()"};
    static const char *const works[] = {"work(*)", "power(*)"};
    compare_ways(swing, NULL, 0, 0);
    compare_ways(swing, NULL, 0, 3);
    compare_ways(swing, more, 3, 0);
    compare_ways(sparse, NULL, 0, 0);
    compare_ways(sparse, more, 3, 2);
    compare_ways(rubbed, NULL, 0, 0);
    compare_ways(rubbed, works, 2, 5);
}

// None that waits for others is overtaken by an event, which has a row on either side.
static void samples_come_before_the_events_behind_them(void)
{
    Lab lab;
    KalRecord *record = NULL;
    if (lab_load(&lab, slowed)
        && ok(kal_record_create(lab.ctx, lab.system, NULL, 0, &record) == KAL_OK)) {
        const KalTable *table = sample_together(&lab, record, 0);
        const size_t rows = kal_table_rows(table);
        const size_t events = (size_t)kal_run_statistics(lab.run).events;
        double energy = INFINITY;
        ok(events > 10 && rows == 230 + 2 * events); // 16/0.07 is 228.6
        for (size_t i = 0; i < rows; i++) {
            const double *x = kal_table_row(table, i);
            const double now = 0.5 * (x[3] * x[3] + x[4] * x[4]) + 9.81 * x[2];
            ok(i == 0 || x[0] >= kal_table_row(table, i - 1)[0]);
            ok(now < energy + 1e-7); // events alone change it
            energy = now;
        }
    }
    kal_record_destroy(record);
    lab_close(&lab);
}

// The sleigh turns at a constant rate and its energy is constant, theory of nonholonomic rows.
static void samples_of_velocity_constraints_are_those_alone(void)
{
    compare_ways("coord x, y, a\nkinetic 1/2*(x'^2 + y'^2 + a'^2)\n"
                 "constraint blade: sin(a)*x' - cos(a)*y' = 0\n"
                 "init x' = 1, y' ~ 0, a' = 0.7\nsimulate 0 .. 4 every 0.003\n",
                 NULL, 0, 0);
}

static void an_output_without_value_is_told_of_its_sample(void)
{
    Lab lab;
    KalRecord *record = NULL;
    Shown shown = {.every = 0};
    if (lab_load(&lab, bounded)
        && ok(kal_record_create(lab.ctx, lab.system, NULL, 0, &record) == KAL_OK)
        && ok(lab_start(&lab) == KAL_OK)) {
        shown.record = record;
        ok(kal_run_sample(lab.run, show, &shown) == KAL_ERR_NUMBER);
        ok(time_of(kal_run_instant(lab.run)) == kal_run_time(lab.run));
        const KalTable *table = kal_record_table(record);
        const size_t rows = kal_table_rows(table);
        ok(rows > 10 && kal_table_row(table, rows - 1)[2] > -0.5);
        ok(kal_instant_q(kal_run_instant(lab.run))[1] < -0.5);
        near(kal_run_time(lab.run), 0.002 * (double)rows, 1e-12);
    }
    kal_record_destroy(record);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(samples_are_even_and_the_end_is_one),
        TAP_CASE(rounding_makes_no_sample), TAP_CASE(sampling_goes_on),
        TAP_CASE(an_event_ends_the_sampling), TAP_CASE(statistics_are_described),
        TAP_CASE(no_two_statistics_have_one_name),
        TAP_CASE(a_jump_has_a_row_on_either_side),
        TAP_CASE(samples_in_company_are_those_alone),
        TAP_CASE(samples_come_before_the_events_behind_them),
        TAP_CASE(samples_of_velocity_constraints_are_those_alone),
        TAP_CASE(an_output_without_value_is_told_of_its_sample))
