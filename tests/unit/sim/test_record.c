// SPDX-License-Identifier: MIT

// Records of runs: columns, rows, notes.

#include "run_lab.h"
#include "sim/record.h"
#include "system/system.h"

static const char text[] = "model \"Slope\"\nparam m = 2 [kg], g = 9.81 [m/s^2], J = 1 "
                           "[kg*m^2]\ncoord x [m], y [m], s [rad]\n"
                           "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*s'^2\npotential m*g*y\n"
                           "constraint slope: y = x\nprescribe s = 2*t\n"
                           "output height = 2*y [m]\nsimulate 0 .. 1 every 0.25\n"
                           "plot y^2, reaction(slope), log(sin(s) - 2)\n";

static bool record(Lab *lab, const char *const *patterns, size_t count,
                   KalRecord **out_record)
{
    return lab_load(lab, text) && ok(lab_start(lab) == KAL_OK)
           && ok(kal_record_create(lab->ctx, lab->system, patterns, count, out_record)
                 == KAL_OK);
}

static void columns_have_names_and_units(void)
{
    static const char *const names[] = {"t", "x", "y", "s", "x'", "y'", "s'", "height"};
    static const char *const units[] = {"s",   "m",   "m",     "rad",
                                        "m/s", "m/s", "rad/s", "m"};
    Lab lab;
    KalRecord *made = NULL;
    if (record(&lab, NULL, 0, &made)) {
        const KalTable *table = kal_record_table(made);
        ok(kal_table_columns(table) == 8);
        for (size_t i = 0; i < 8; i++) {
            same_text(kal_table_column(table, i).name, names[i]);
            same_text(kal_table_column(table, i).unit, units[i]);
        }
    }
    kal_record_destroy(made);
    lab_close(&lab);
}

static void patterns_add_columns(void)
{
    static const char *const patterns[] = {"?''", "reaction(*", "drive(*)",
                                           "x",   "energy()",   "cforce(y)"};
    static const char *const names[] = {
        "x''", "y''", "s''", "reaction(slope)", "drive(s)", "energy()", "cforce(y)"};
    Lab lab;
    KalRecord *made = NULL;
    if (record(&lab, patterns, 6, &made)) {
        KalTable *table = kal_record_table(made);
        ok(kal_table_columns(table) == 15);
        for (size_t i = 0; i < 7; i++) {
            same_text(kal_table_column(table, 8 + i).name, names[i]);
        }
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_record_take(made, lab.run) == KAL_OK);
        const double *row = kal_table_row(table, 0);
        const double a = -9.81 / 2.0; // along x and along y
        near(row[0], 1.0, 0.0);
        near(row[1], a / 2.0, 1e-12);
        near(row[3], 2.0, 1e-12);
        near(row[7], a, 1e-12);
        near(row[8], a, 1e-12);
        near(row[10], 0.0, 1e-12);
        near(row[11], 2.0 * 9.81 / 2.0, 1e-12); // of the row (-1, 1)
        near(row[12], 0.0, 1e-12);
        near(row[14], 9.81, 1e-12);
    }
    kal_record_destroy(made);
    lab_close(&lab);
}

static void a_pattern_without_column_is_refused(void)
{
    static const char *const patterns[] = {"z*"};
    Lab lab;
    KalRecord *made = NULL;
    if (lab_load(&lab, text)) {
        ok(kal_record_create(lab.ctx, lab.system, patterns, 1, &made) == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.ctx), "z*");
        lab_close(&lab);
    }
}

// Formulas are evaluated with all that an output may use; errors are those of the run.
static void formulas_and_errors_become_columns(void)
{
    Lab lab;
    KalRecord *made = NULL;
    if (record(&lab, NULL, 0, &made)) {
        const KalCurve *curves = lab.system->model->plots[0].curves;
        KalTable *table = kal_record_table(made);
        const KalExpr list[] = {curves[0].value, curves[1].value,
                                curves[2].value}; // the last has no value
        ok(kal_record_add_errors(made) == KAL_OK);
        ok(kal_record_add_formulas(made, list, 3) == KAL_OK);
        ok(kal_table_find_column(table, "error(velocity)") == 9);
        ok(kal_table_find_column(table, "#1") == 10);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_record_take(made, lab.run) == KAL_OK);
        const double *row = kal_table_row(table, 0);
        near(row[8], 0.0, 1e-12);
        near(row[10], row[2] * row[2], 0.0);
        near(row[11], 2.0 * 9.81 / 2.0, 1e-12);
        ok(!isfinite(row[12]));
    }
    kal_record_destroy(made);
    lab_close(&lab);
}

static double number_note(const KalTable *table, const char *key)
{
    for (size_t i = 0; i < kal_table_notes(table); i++) {
        const KalTableNote note = kal_table_note(table, i);
        if (strcmp(note.key, key) == 0 && !note.text) {
            return note.number;
        }
    }
    return NAN;
}

static const char *text_note(const KalTable *table, const char *key)
{
    for (size_t i = 0; i < kal_table_notes(table); i++) {
        const KalTableNote note = kal_table_note(table, i);
        if (strcmp(note.key, key) == 0 && note.text) {
            return note.text;
        }
    }
    return "";
}

static void notes_tell_where_it_comes_from(void)
{
    Lab lab;
    KalRecord *made = NULL;
    if (record(&lab, NULL, 0, &made)) {
        KalTable *table = kal_record_table(made);
        ok(kal_record_take(made, lab.run) == KAL_OK);
        ok(kal_run_advance(lab.run, 0.5) == KAL_OK);
        ok(kal_record_finish(made, lab.run) == KAL_OK);
        ok(kal_table_is_incomplete(table));
        same_text(text_note(table, "model"), "Slope");
        same_text(text_note(table, "model_text"), text);
        same_text(text_note(table, "method"), "auto");
        same_text(text_note(table, "drift"), "project");
        near(number_note(table, "rtol"), 1e-9, 0.0);
        ok(kal_table_parameters(table) == 3);
        same_text(kal_table_parameter(table, 1).quantity.name, "g");
        near(kal_table_parameter(table, 1).value, 9.81, 0.0);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_record_finish(made, lab.run) == KAL_OK);
        ok(!kal_table_is_incomplete(table));
        ok(number_note(table, "steps") > 0.0);
    }
    kal_record_destroy(made);
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    static const char *const patterns[] = {"*"};
    for (long calls = 0; calls < 1000; calls++) {
        Lab lab;
        KalRecord *made = NULL;
        if (!lab_load(&lab, text) || !ok(lab_start(&lab) == KAL_OK)) {
            return;
        }
        lab.fault.calls_left = calls;
        KalStatus status = kal_record_create(lab.ctx, lab.system, patterns, 1, &made);
        if (status == KAL_OK) {
            status = kal_record_take(made, lab.run);
        }
        if (status == KAL_OK) {
            status = kal_record_finish(made, lab.run);
        }
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        kal_record_destroy(made);
        lab_close(&lab);
        if (status == KAL_OK) {
            ok(calls > 3);
            return;
        }
    }
}

TAP_RUN(TAP_CASE(columns_have_names_and_units), TAP_CASE(patterns_add_columns),
        TAP_CASE(a_pattern_without_column_is_refused),
        TAP_CASE(formulas_and_errors_become_columns),
        TAP_CASE(notes_tell_where_it_comes_from), TAP_CASE(every_allocation_may_fail))
