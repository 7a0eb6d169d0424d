// SPDX-License-Identifier: MIT

// All stages of a step as one program: made where a run is long, and nobody notices but for time.

#include "run_lab.h"
#include "sim/run_impl.h"

enum {
    RUNS = 12, // of which the last have the program
    MOST = 16  // numbers of a state
};

static const char crank[] =
    "param l1 = 0.2, l2 = 0.5, g = 9.81\ncoord a, b, x\n"
    "kinetic 0.05*a'^2 + 0.08*b'^2 + 0.2*(l1*a'*cos(a) + l2/2*b'*cos(b))^2 + "
    "0.25*x'^2\n"
    "potential g*(l1*sin(a) + l2*sin(b))\n"
    "constraint loop: [l1*cos(a) + l2*cos(b) - x, l1*sin(a) + l2*sin(b)] = [0, 0]\n"
    "init a = 0.8, a' = 9, b ~ -0.3, x ~ 0.6\n"
    "simulate 0 .. 10 every 0.01, rtol = 1e-8, atol = 1e-8\n";

// Its two arms are as long, so that it passes a place where rows lose their rank.
static const char folding[] =
    "coord a, b, x\nkinetic 0.5*a'^2 + 0.3*b'^2 + 0.4*x'^2\n"
    "constraint loop: [cos(a) + cos(b) - x, sin(a) + sin(b)] = [0, 0]\n"
    "init a = 0.4, a' = 2, b ~ -0.4, x ~ 1.8\n"
    "simulate 0 .. 30 every 0.01, rtol = 1e-8, atol = 1e-8\n";

// What a run comes to.
typedef struct End {
    double state[MOST];
    KalRunStatistics statistics;
} End;

static void take_end(Lab *lab, End *out_end)
{
    const size_t size = 2 * (size_t)lab->system->n;
    *out_end = (End){.state = {0.0}};
    ok(size <= MOST);
    memcpy(out_end->state, kal_instant_q(kal_run_instant(lab->run)),
           size * sizeof(double));
    out_end->statistics = kal_run_statistics(lab->run);
}

static bool is_same(const End *a, const End *b)
{
    return memcmp(a->state, b->state, sizeof a->state) == 0
           && a->statistics.steps == b->statistics.steps
           && a->statistics.rejected == b->statistics.rejected
           && a->statistics.crossings == b->statistics.crossings
           && a->statistics.evaluations == b->statistics.evaluations
           && a->statistics.energy_drift == b->statistics.energy_drift;
}

static bool has_program(const Lab *lab)
{
    return lab->run->integration.stages.program != NULL;
}

// The same run over and over; all but the first may take all stages at once.
static void repeat(Lab *lab, int runs)
{
    End first;
    KalStartReport report;
    ok(lab_start(lab) == KAL_OK);
    for (int k = 0; k < runs; k++) {
        End end;
        ok(k == 0 || kal_run_start(lab->run, &report) == KAL_OK);
        ok(kal_run_advance(lab->run, lab->options.until) == KAL_OK);
        ok(k > 0 || !has_program(lab));
        take_end(lab, k == 0 ? &first : &end);
        ok(k == 0 || is_same(&first, &end));
    }
}

static void many_runs_have_the_bits_of_the_first(void)
{
    const char *const models[] = {crank, folding};
    for (int k = 0; k < 2; k++) {
        Lab lab;
        if (lab_load_with(&lab, models[k], (KalLoadOptions){.stiff = false})) {
            repeat(&lab, RUNS);
            ok(has_program(&lab) == kal_has_wide());
            ok(k == 0 || kal_run_statistics(lab.run).crossings > 0);
        }
        lab_close(&lab);
    }
}

// A program that was made for other parameters.
static void other_parameters_are_heeded(void)
{
    const KalSetting settings[] = {
        {.name = "g", .value = 3.0}
    };
    KalStartReport report;
    End old;
    End fresh;
    Lab lab;
    if (lab_load_with(&lab, crank, (KalLoadOptions){.stiff = false})) {
        repeat(&lab, RUNS);
        for (int k = 0; k < 2; k++) {
            ok(kal_run_set_parameters(lab.run, settings, 1) == KAL_OK);
            ok(kal_run_start(lab.run, &report) == KAL_OK);
            ok(kal_run_advance(lab.run, lab.options.until) == KAL_OK);
            ok(has_program(&lab) == (k == 0 && kal_has_wide()));
            take_end(&lab, k == 0 ? &old : &fresh);
            if (k == 0) {
                lab_again(&lab);
                ok(kal_run_create(lab.ctx, lab.system, &lab.options, &lab.run)
                   == KAL_OK);
            }
        }
        ok(is_same(&old, &fresh));
    }
    lab_close(&lab);
}

// Interpreted they would take longer than one by one.
static void without_machine_code_there_is_none(void)
{
    Lab lab;
    if (lab_load_with(&lab, crank, (KalLoadOptions){.stiff = false})) {
        kal_context_set_native(lab.ctx, false);
        repeat(&lab, RUNS);
        ok(!has_program(&lab));
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(many_runs_have_the_bits_of_the_first),
        TAP_CASE(other_parameters_are_heeded),
        TAP_CASE(without_machine_code_there_is_none))
