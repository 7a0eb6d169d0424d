// SPDX-License-Identifier: MIT

// The workspace of an analysis, made once for a system: formulas of the derivatives in a
// draft (system/draft.h), so that the system itself does not change, programs for them, and all
// tables that linearizing, modes and equilibria fill.

#include "analysis/balance.h"
#include "analysis/kink.h"
#include "analysis/pencil.h"
#include "analysis/view.h"

#include <assert.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for an analysis";

// Bytes for the names and numbers of the largest system.
static const size_t TABLE_BYTES = (size_t)1 << 31;

// Room for `count` numbers; false when there is none.
static bool take(KalAnalysis *a, size_t count, double **out_numbers)
{
    *out_numbers = (double *)kal_arena_alloc(a->arena, count, sizeof(double));
    return *out_numbers != NULL;
}

// Derivatives of R and S for one motion.
static bool take_table(KalAnalysis *a, KalResidualTable *table)
{
    assert(a->arena && a->inputs.count >= 0);
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    return take(a, 2 * n * n, &table->R_y) && take(a, 2 * n * m, &table->S_y)
           && take(a, k * n, &table->R_w) && take(a, k * m, &table->S_w);
}

// What the formulas give in numbers.
static bool take_tables(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t p = (size_t)a->system->n_outputs;
    return take_table(a, &a->d.full) && take_table(a, &a->d.ideal)
           && take(a, 2 * n * n, &a->d.C_y) && take(a, n * m, &a->d.C_l)
           && take(a, n * k, &a->d.C_w) && take(a, m * n, &a->d.psi_q)
           && take(a, m * k, &a->d.phi_w) && take(a, m * k, &a->d.psi_w)
           && take(a, 2 * n * p, &a->d.o_y) && take(a, n * p, &a->d.o_a)
           && take(a, m * p, &a->d.o_l) && take(a, p * k, &a->d.o_w);
}

// What linearizing computes from them; at most 2n states.
static bool take_results(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t p = (size_t)a->system->n_outputs;
    const size_t z = 2 * n;
    return take(a, (z + k) * z, &a->chart.directions) && take(a, n, &a->solve.force)
           && take(a, m, &a->solve.b) && take(a, n, &a->solve.da)
           && take(a, m, &a->solve.dl) && take(a, m, &a->solve.multipliers)
           && take(a, z * z, &a->linear.A) && take(a, z * k, &a->linear.B)
           && take(a, p * z, &a->linear.C) && take(a, p * k, &a->linear.D)
           && take(a, z, &a->spectrum.conditions)
           && take(a, z * z, &a->spectrum.shapes);
}

// What the choice of states takes.
static bool take_chart(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t rows = m + (a->forms.classes ? a->forms.classes->integrals.rows : 0);
    a->chart.pivot = (int *)kal_arena_alloc(a->arena, rows, sizeof(int));
    a->chart.later_row = (bool *)kal_arena_alloc(a->arena, rows, sizeof(bool));
    a->chart.follows_q = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    a->chart.follows_v = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    a->chart.rows = (int *)kal_arena_alloc(a->arena, m, sizeof(int));
    return a->chart.pivot && a->chart.later_row && a->chart.follows_q
           && a->chart.follows_v && a->chart.rows && take(a, n, &a->chart.weights)
           && take(a, n, &a->chart.masses) && take(a, rows * (2 * n + k), &a->chart.W)
           && take(a, m * n, &a->chart.A_rows);
}

// Which numbers are states.
static bool take_states(KalAnalysis *a)
{
    const size_t z = 2 * (size_t)a->system->n;
    a->linear.state = (int *)kal_arena_alloc(a->arena, z, sizeof(int));
    a->linear.driven = (bool *)kal_arena_alloc(a->arena, z, sizeof(bool));
    a->linear.state_names = (const char **)kal_arena_alloc(a->arena, z, sizeof(char *));
    return a->linear.state && a->linear.driven && a->linear.state_names;
}

// What a large system takes of all this: nothing that has n × n numbers.
static bool take_few(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    a->chart.follows_q = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    return a->chart.follows_q && take_states(a) && take(a, n, &a->chart.weights)
           && take(a, n, &a->chart.masses);
}

// Eigenvalues, their vectors and what is said about them.
static bool take_modes(KalAnalysis *a)
{
    const size_t z = 2 * (size_t)a->system->n;
    a->spectrum.order = (int *)kal_arena_alloc(a->arena, z, sizeof(int));
    a->spectrum.ignorable = (bool *)kal_arena_alloc(a->arena, z, sizeof(bool));
    a->spectrum.values =
        (double complex *)kal_arena_alloc(a->arena, z, sizeof *a->spectrum.values);
    a->spectrum.vectors =
        (double complex *)kal_arena_alloc(a->arena, z * z, sizeof *a->spectrum.vectors);
    a->spectrum.modes =
        (KalMode *)kal_arena_alloc(a->arena, z, sizeof *a->spectrum.modes);
    a->spectrum.inner =
        (KalEigenvalue *)kal_arena_alloc(a->arena, z, sizeof *a->spectrum.inner);
    a->spectrum.work = kal_arena_alloc(a->arena, kal_eigen_general_work((int)z), 1);
    return take_states(a) && a->spectrum.order && a->spectrum.ignorable
           && a->spectrum.values && a->spectrum.vectors && a->spectrum.modes
           && a->spectrum.inner && a->spectrum.work;
}

// Velocities are called as their coordinates, with a prime.
static KalStatus name_states(KalAnalysis *a)
{
    assert(a->arena);
    const size_t n = (size_t)a->system->n;
    const char *const *names = kal_system_coordinate_names(a->system);
    a->names = (const char **)kal_arena_alloc(a->arena, 2 * n, sizeof(char *));
    for (size_t i = 0; i < n && a->names; i++) {
        const size_t length = strlen(names[i]);
        char *velocity = (char *)kal_arena_alloc(a->arena, length + 2, 1);
        if (!velocity) {
            return kal_no_memory(a->ctx, PURPOSE);
        }
        memcpy(velocity, names[i], length);
        velocity[length] = '\'';
        a->names[i] = names[i];
        a->names[n + i] = velocity;
    }
    return a->names ? KAL_OK : kal_no_memory(a->ctx, PURPOSE);
}

static bool is_large(const KalSystem *system)
{
    return system->n > KAL_ANALYSIS_LIMIT || system->m > KAL_ANALYSIS_LIMIT;
}

// What is analyzed in small systems alone.
static KalStatus refuse_large(KalContext *ctx, const KalSystem *system)
{
    const KalEquations *e = system->equations;
    size_t other = 0; // the first constraint that is not on positions
    while (other < e->m && e->phi[other].index != KAL_NO_EXPR.index) {
        other++;
    }
    if (other == e->m && !e->has_C) {
        return KAL_OK;
    }
    return kal_fail(
        ctx, KAL_ERR_LIMIT,
        "the model has %d coordinates and %d constraints; systems of more than %d of "
        "either can be analyzed if all constraints are ideal and on positions, and "
        "%s%s",
        system->n, system->m, KAL_ANALYSIS_LIMIT,
        other < e->m ? kal_system_constraint_names(system)[other]
                     : "there are forces that are not",
        other < e->m ? " is not" : "");
}

// What cannot be analyzed, before anything is derived.
static KalStatus refuse(KalContext *ctx, const KalSystem *system)
{
    assert(system->n >= 0 && system->m >= 0);
    KAL_TRY(is_large(system) ? refuse_large(ctx, system) : KAL_OK);
    if (system->n_states > 0) {
        return kal_fail(ctx, KAL_ERR_FORMULATION,
                        "a model with states is loaded for analysis with `analysis`");
    }
    if (system->n_holds > 0) {
        return kal_fail(
            ctx, KAL_ERR_FORMULATION,
            "'%s' is renewed from time to time, so that small motions are no "
            "exponentials: write a law or a state without renewals to "
            "analyze the model",
            kal_system_hold_names(system)[0]);
    }
    if (system->model->n_contacts > 0) {
        return kal_fail(ctx, KAL_ERR_FORMULATION,
                        "contact or friction '%s': what comes and goes cannot be "
                        "linearized; write what is closed or holds as a constraint to "
                        "analyze the model",
                        system->model->contacts[0].name);
    }
    if (system->n_servos > 0) {
        return kal_fail(ctx, KAL_ERR_FORMULATION,
                        "a model with servo constraints cannot be linearized: remove "
                        "the servos, and the actuators are inputs");
    }
    return KAL_OK;
}

// Be ready for the parameters of the instant; what was found for others does not hold.
static void prepare(KalAnalysis *a)
{
    const double *parameters = kal_instant_parameters(a->instant);
    for (int id = 0; id < KAL_FORMS; id++) {
        const KalForm *form = &a->forms.forms[id];
        assert(form->program && form->numbers);
        kal_program_prepare(form->program, parameters, form->numbers);
    }
    if (a->kinks.n > 0) {
        kal_program_prepare(a->kinks.program, parameters, a->kinks.work);
    }
    a->chart.usual_states = -1;
    a->search.found.size = 0;
}

// All tables of a small system are there from the beginning.
static KalStatus init_dense(KalAnalysis *a)
{
    const KalSystem *system = a->system;
    if (!take_tables(a) || !take_results(a) || !take_chart(a) || !take_modes(a)) {
        return kal_no_memory(a->ctx, PURPOSE);
    }
    KAL_TRY(kal_kinks_init(&a->kinks, a));
    KAL_TRY(kal_responder_init(&a->responder, a->ctx, a->arena, system->n, system->m));
    KAL_TRY(kal_motion_create(a->ctx, NULL, system->n, system->m, &a->motion));
    return kal_instant_create_dense(a->ctx, system, "an analysis", &a->instant);
}

static KalStatus init_large(KalAnalysis *a)
{
    a->pencil = (KalPencil *)kal_arena_alloc(a->arena, 1, sizeof *a->pencil);
    if (!a->pencil || !take_few(a)) {
        return kal_no_memory(a->ctx, PURPOSE);
    }
    KAL_TRY(kal_kinks_init(&a->kinks, a));
    KAL_TRY(kal_pencil_init(a->pencil, a));
    return kal_instant_create(a->ctx, a->system, &a->instant);
}

// In an order in which each step has what it needs; destroying takes what there is.
static KalStatus init(KalAnalysis *a, const KalSystem *original, const char *inputs)
{
    const KalSystem *system = a->system;
    KAL_TRY(refuse(a->ctx, original));
    KAL_TRY(kal_draft_init(&a->draft, a->ctx, original));
    KAL_TRY(kal_arena_create(a->ctx, TABLE_BYTES, &a->arena));
    KAL_TRY(kal_inputs_find(system, a->arena, inputs, &a->inputs));
    KAL_TRY(kal_forms_init(&a->forms, system, &a->inputs));
    KAL_TRY(name_states(a));
    KAL_TRY(is_large(original) ? init_large(a) : init_dense(a));
    prepare(a);
    return KAL_OK;
}

KalStatus kal_analysis_set_parameters(KalAnalysis *a, const KalSetting *settings,
                                      size_t n)
{
    KAL_NEED(a ? a->ctx : NULL, a && (settings || n == 0));
    if (a->forms.classes) {
        return kal_fail(a->ctx, KAL_ERR_FORMULATION,
                        "whether a constraint on velocities restricts positions may "
                        "depend on parameters: load the model with other values");
    }
    KAL_TRY(kal_instant_set_parameters(a->instant, settings, n));
    prepare(a);
    return KAL_OK;
}

KalStatus kal_analysis_create(KalContext *ctx, const KalSystem *system,
                              const char *inputs, KalAnalysis **out_analysis)
{
    KAL_NEED(ctx, ctx && system && out_analysis);
    KalAnalysis *a = KAL_NEW(ctx, KalAnalysis);
    if (!a) {
        return kal_no_memory(ctx, "for an analysis");
    }
    a->ctx = ctx;
    a->system = &a->draft.system;
    const KalStatus status = init(a, system, inputs);
    if (status != KAL_OK) {
        kal_analysis_destroy(a);
        return status;
    }
    *out_analysis = a;
    return KAL_OK;
}

void kal_analysis_destroy(KalAnalysis *a)
{
    if (!a) {
        return;
    }
    kal_block_clear(a->ctx, &a->search.found);
    kal_arena_destroy(a->search.kept);
    kal_arena_destroy(a->spectrum.kept);
    if (a->pencil) {
        kal_pencil_clear(a->pencil);
    }
    kal_instant_destroy(a->instant);
    kal_motion_destroy(a->motion);
    kal_kinks_clear(&a->kinks);
    kal_forms_clear(&a->forms);
    kal_draft_clear(&a->draft);
    kal_arena_destroy(a->arena);
    kal_free(a->ctx, a, sizeof *a);
}

KalInstant *kal_analysis_instant(KalAnalysis *analysis)
{
    if (!analysis) {
        return NULL;
    }
    return analysis->instant;
}

KalAnalysisView kal_analysis_view(const KalAnalysis *a)
{
    if (!a) {
        return (KalAnalysisView){.ctx = NULL};
    }
    return (KalAnalysisView){.ctx = a->ctx,
                             .system = a->system,
                             .instant = a->instant,
                             .names = a->names,
                             .kink = a->kinks.text[0] ? a->kinks.text : NULL};
}

KalStatus kal_analysis_balancer(KalAnalysis *a, KalBalancer **out_balancer)
{
    assert(a->arena && out_balancer);
    if (!a->search.balancer) {
        KalBalancer *balancer =
            (KalBalancer *)kal_arena_alloc(a->arena, 1, sizeof *balancer);
        if (!balancer) {
            return kal_no_memory(a->ctx, PURPOSE);
        }
        KAL_TRY(kal_balancer_init(balancer, a));
        a->search.balancer = balancer;
    }
    *out_balancer = a->search.balancer;
    return KAL_OK;
}
