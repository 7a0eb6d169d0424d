// SPDX-License-Identifier: MIT

// Parameters that are set for an instant, a run or an analysis.

#include "run_lab.h"

#include <math.h>

static const char text[] =
    "param m = 2, g = 9.81, k = 2*m, w = k + 1, N = 2\n"
    "coord x, s[N]\nkinetic 1/2*m*x'^2 + sum(i in 1..N : 1/2*s[i]'^2)\n"
    "potential m*g*x + 1/2*k*x^2\ndissipation 1/2*0.1*x'^2\n"
    "init x = w/10, x' = x*m\noutput weight = m*g\nsimulate 0 .. 1 every 0.1\n";

static KalStatus set(KalInstant *instant, const char *name, double value)
{
    const KalSetting setting = {name, value};
    return kal_instant_set_parameters(instant, &setting, 1);
}

static double parameter(const KalSystem *system, const KalInstant *instant,
                        const char *name)
{
    for (int i = 0; i < kal_system_parameters(system); i++) {
        if (strcmp(kal_system_parameter(system, i).name, name) == 0) {
            return kal_instant_parameters(instant)[i];
        }
    }
    return NAN;
}

static void what_depends_on_parameters_follows(void)
{
    Lab lab;
    KalInstant *instant = NULL;
    if (lab_load(&lab, text)
        && ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        ok(set(instant, "m", 3.0) == KAL_OK);
        near(parameter(lab.system, instant, "k"), 6.0, 0.0);
        near(parameter(lab.system, instant, "w"), 7.0, 0.0);
        near(kal_instant_q(instant)[0], 0.7, 1e-15);
        near(kal_instant_qd(instant)[0], 2.1, 1e-15);
        // a parameter that follows may be held, and does not change what it follows
        ok(set(instant, "k", 1.0) == KAL_OK);
        near(parameter(lab.system, instant, "m"), 2.0, 0.0);
        near(parameter(lab.system, instant, "w"), 2.0, 0.0);
        ok(kal_instant_set_parameters(instant, NULL, 0) == KAL_OK);
        near(parameter(lab.system, instant, "k"), 4.0, 0.0);
        near(kal_system_parameter(lab.system, 0).value, 2.0, 0.0);
    }
    kal_instant_destroy(instant);
    lab_close(&lab);
}

static void wrong_settings_change_nothing(void)
{
    Lab lab;
    KalInstant *instant = NULL;
    if (lab_load(&lab, text)
        && ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        const KalSetting twice[] = {
            {"m", 1.0},
            {"m", 2.0}
        };
        ok(set(instant, "m", 3.0) == KAL_OK);
        ok(set(instant, "N", 3.0) == KAL_ERR_FORMULATION);
        has_text(kal_context_message(lab.ctx), "'N' determines the structure");
        ok(set(instant, "N", 2.0) == KAL_OK); // as it is
        ok(set(instant, "m", 3.0) == KAL_OK);
        ok(set(instant, "mm", 3.0) == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.ctx), "no parameter 'mm'");
        ok(set(instant, "g", NAN) == KAL_ERR_NUMBER);
        ok(kal_instant_set_parameters(instant, twice, 2) == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.ctx), "twice");
        near(parameter(lab.system, instant, "m"), 3.0, 0.0);
        ok(kal_system_parameter(lab.system, 4).fixed);
        ok(!kal_system_parameter(lab.system, 0).fixed);
    }
    kal_instant_destroy(instant);
    lab_close(&lab);
}

// x/a*a is written as x, which has a value where what was written has none.
static void simplifications_are_not_forgotten(void)
{
    static const char model[] = "param a = 2, b = 0\ncoord x\nkinetic 1/2*x'^2\n"
                                "potential a/a*x\noutput o = b/b*x\ninit x = 1\n";
    Lab lab;
    KalInstant *instant = NULL;
    if (lab_load(&lab, model)
        && ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        ok(set(instant, "a", -1.0) == KAL_OK);
        ok(set(instant, "a", 0.0) == KAL_ERR_NUMBER);
        has_text(kal_context_message(lab.ctx), "comes to 0");
        ok(set(instant, "b", 1.0) == KAL_ERR_FORMULATION);
        has_text(kal_context_message(lab.ctx), "'b' decided");
    }
    kal_instant_destroy(instant);
    lab_close(&lab);
}

// Special values: a coordinate without mass, constraints that become dependent, a spring
// that is not there.
static void special_values_are_seen(void)
{
    static const char model[] =
        "param m = 1, c = 2\ncoord x, y\nkinetic 1/2*m*x'^2 + 1/2*y'^2\n"
        "potential 9.81*y\nconstraint a: x = y\nconstraint b: c*x = 2*y\n"
        "init x = 0, y = 0\n";
    Lab lab;
    KalInstant *instant = NULL;
    KalStartReport report;
    KalMotionAnswer answer;
    if (lab_load(&lab, model)
        && ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        ok(kal_instant_start(instant, &report) == KAL_OK);
        ok(kal_instant_solve(instant, &answer) == KAL_OK && answer.rank_A == 1);
        near(answer.qdd[0], -9.81 / 2.0, 1e-12);
        ok(set(instant, "m", 0.0) == KAL_OK);
        ok(kal_instant_start(instant, &report) == KAL_OK);
        ok(kal_instant_solve(instant, &answer) == KAL_OK && answer.rank_A == 1);
        near(answer.qdd[0], -9.81, 1e-12);
        ok(set(instant, "c", 3.0) == KAL_OK);
        ok(kal_instant_start(instant, &report) == KAL_OK);
        ok(kal_instant_solve(instant, &answer) == KAL_OK && answer.rank_A == 2);
        near(answer.qdd[0], 0.0, 1e-12);
    }
    kal_instant_destroy(instant);
    lab_close(&lab);
}

static void setting_allocates_nothing(void)
{
    Lab lab;
    if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
        const KalSetting setting = {"m", 2.5};
        const size_t before = kal_context_allocations(lab.ctx);
        for (int i = 0; i < 100; i++) {
            ok(kal_run_set_parameters(lab.run, &setting, 1) == KAL_OK);
        }
        ok(kal_context_allocations(lab.ctx) == before);
        ok(kal_run_advance(lab.run, 1.0) == KAL_ERR_USAGE); // it is to be started
    }
    lab_close(&lab);
}

// One run with a parameter set and its own value back is the run it was.
static void a_run_can_be_used_again(void)
{
    Lab lab;
    if (lab_load(&lab, text) && ok(lab_go(&lab) == KAL_OK)) {
        KalStartReport report;
        const KalSetting setting = {"m", 2.5};
        const double first = lab_q(&lab, 0);
        ok(kal_run_set_parameters(lab.run, &setting, 1) == KAL_OK);
        ok(kal_run_start(lab.run, &report) == KAL_OK);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK && lab_q(&lab, 0) != first);
        ok(kal_run_set_parameters(lab.run, NULL, 0) == KAL_OK);
        ok(kal_run_start(lab.run, &report) == KAL_OK);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK && lab_q(&lab, 0) == first);
    }
    lab_close(&lab);
}

static void options_of_the_model_are_not_missed(void)
{
    static const char model[] = "param T = 2, a = 1\ncoord x\nkinetic 1/2*x'^2\n"
                                "potential a*x\nsimulate 0 .. T every T/10\n";
    Lab lab;
    if (lab_load(&lab, model) && ok(lab_start(&lab) == KAL_OK)) {
        const KalSetting end = {"T", 3.0};
        const KalSetting other = {"a", 3.0};
        ok(kal_run_set_parameters(lab.run, &end, 1) == KAL_ERR_FORMULATION);
        has_text(kal_context_message(lab.ctx), "'simulate' depends");
        ok(kal_run_set_parameters(lab.run, &other, 1) == KAL_OK);
        ok(kal_instant_set_parameters(kal_run_instant(lab.run), &end, 1) == KAL_OK);
        lab.options = kal_instant_run_options(kal_run_instant(lab.run));
        near(lab.options.until, 3.0, 0.0);
        lab_again(&lab);
        ok(lab_start(&lab) == KAL_OK);
        ok(kal_run_set_parameters(lab.run, &end, 1) == KAL_OK);
    }
    lab_close(&lab);
}

// Without dissipation the energy is constant by proof; with it, that must not be said.
static void proofs_are_for_their_values(void)
{
    static const char model[] = "param c = 0\ncoord x\nkinetic 1/2*x'^2\n"
                                "potential 1/2*x^2\ndissipation 1/2*c*x'^2\n"
                                "init x = 1\nsimulate 0 .. 1 every 0.1\n";
    Lab lab;
    if (lab_load(&lab, model) && ok(lab_start(&lab) == KAL_OK)) {
        const KalConstant *constants = NULL;
        const KalWork *works = NULL;
        const char *const *warnings = NULL;
        KalStartReport report;
        const KalSetting setting = {"c", 0.5};
        ok(kal_run_constants(lab.run, &constants) == 1);
        ok(kal_run_set_parameters(lab.run, &setting, 1) == KAL_OK);
        ok(kal_run_start(lab.run, &report) == KAL_OK);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_run_constants(lab.run, &constants) == 0);
        ok(kal_run_works(lab.run, &works) > 0 && isnan(works[0].work));
        ok(kal_run_warnings(lab.run, &warnings) == 0);
        ok(isnan(kal_run_statistics(lab.run).energy_balance));
    }
    lab_close(&lab);
}

// A record and a second opinion are of the run's parameters.
static void witnesses_follow(void)
{
    Lab lab;
    KalRecord *record = NULL;
    KalVerify *verify = NULL;
    const KalSetting setting = {"m", 5.0};
    if (lab_load(&lab, text)
        && ok(kal_record_create(lab.ctx, lab.system, NULL, 0, &record) == KAL_OK)
        && ok(kal_verify_create(lab.ctx, lab.system, &verify) == KAL_OK)
        && ok(lab_start(&lab) == KAL_OK)) {
        KalStartReport report;
        ok(kal_run_set_parameters(lab.run, &setting, 1) == KAL_OK);
        ok(kal_run_start(lab.run, &report) == KAL_OK);
        for (int k = 0; k <= 5; k++) {
            ok(kal_run_advance(lab.run, 0.2 * k) == KAL_OK);
            ok(kal_record_take(record, lab.run) == KAL_OK);
            ok(kal_verify_take(verify, lab.run) == KAL_OK);
        }
        ok(kal_record_finish(record, lab.run) == KAL_OK);
        const KalTable *table = kal_record_table(record);
        near(kal_table_row(table, 5)[7], 5.0 * 9.81, 1e-12);
        near(kal_table_parameter(table, 0).value, 5.0, 0.0);
        ok(kal_verify_report(verify).passed);
    }
    kal_record_destroy(record);
    kal_verify_destroy(verify);
    lab_close(&lab);
}

// √(k/m) of a spring, for several k.
static void modes_follow(void)
{
    static const char model[] = "param m = 2, k = 8\ncoord x\nkinetic 1/2*m*x'^2\n"
                                "potential 1/2*k*x^2\n";
    static const char rolling[] =
        "param m = 2\ncoord x, y\n"
        "kinetic 1/2*m*(x'^2 + y'^2)\nconstraint c: x' = y'\n";
    Lab lab;
    KalAnalysis *analysis = NULL;
    if (lab_load(&lab, model)
        && ok(kal_analysis_create(lab.ctx, lab.system, NULL, &analysis) == KAL_OK)) {
        for (double k = 1.0; k < 20.0; k += 3.0) {
            const KalSetting setting = {"k", k};
            KalModes modes;
            ok(kal_analysis_set_parameters(analysis, &setting, 1) == KAL_OK);
            ok(kal_analysis_place(analysis, NULL, NULL) == KAL_OK);
            ok(kal_analysis_modes(analysis, &modes) == KAL_OK);
            near(fabs(modes.modes[0].im), sqrt(k / 2.0), 1e-12);
        }
    }
    kal_analysis_destroy(analysis);
    analysis = NULL;
    lab_close(&lab);
    if (lab_load(&lab, rolling)
        && ok(kal_analysis_create(lab.ctx, lab.system, NULL, &analysis) == KAL_OK)) {
        const KalSetting setting = {"m", 1.0};
        ok(kal_analysis_set_parameters(analysis, &setting, 1) == KAL_ERR_FORMULATION);
        has_text(kal_context_message(lab.ctx), "constraint on velocities");
    }
    kal_analysis_destroy(analysis);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(what_depends_on_parameters_follows),
        TAP_CASE(wrong_settings_change_nothing),
        TAP_CASE(simplifications_are_not_forgotten), TAP_CASE(special_values_are_seen),
        TAP_CASE(setting_allocates_nothing), TAP_CASE(a_run_can_be_used_again),
        TAP_CASE(options_of_the_model_are_not_missed),
        TAP_CASE(proofs_are_for_their_values), TAP_CASE(witnesses_follow),
        TAP_CASE(modes_follow))
