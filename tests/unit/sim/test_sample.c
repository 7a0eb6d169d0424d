// SPDX-License-Identifier: MIT

// Samples of runs, and what is known about a run in numbers.

#include "run_lab.h"

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

TAP_RUN(TAP_CASE(samples_are_even_and_the_end_is_one),
        TAP_CASE(rounding_makes_no_sample), TAP_CASE(sampling_goes_on),
        TAP_CASE(an_event_ends_the_sampling), TAP_CASE(statistics_are_described),
        TAP_CASE(no_two_statistics_have_one_name),
        TAP_CASE(a_jump_has_a_row_on_either_side))
