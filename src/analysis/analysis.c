// SPDX-License-Identifier: MIT

#include "analysis/balance.h"
#include "analysis/kink.h"

#include <string.h>

// Bytes for the names and numbers of the largest system.
static const size_t TABLE_BYTES = (size_t)1 << 31;

static KalStatus fail_memory(const KalAnalysis *a)
{
    return kal_fail(a->ctx, KAL_ERR_NOMEM, "no memory for an analysis");
}

// Room for `count` numbers; false when there is none.
static bool take(KalAnalysis *a, size_t count, double **out_numbers)
{
    *out_numbers = (double *)kal_arena_alloc(a->arena, count, sizeof(double));
    return *out_numbers != NULL;
}

static bool take_table(KalAnalysis *a, KalResidualTable *table)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    return take(a, 2 * n * n, &table->R_y) && take(a, 2 * n * m, &table->S_y)
           && take(a, k * n, &table->R_w) && take(a, k * m, &table->S_w);
}

static bool take_tables(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t p = (size_t)a->system->n_outputs;
    return take_table(a, &a->full) && take_table(a, &a->ideal)
           && take(a, 2 * n * n, &a->C_y) && take(a, n * m, &a->C_l)
           && take(a, n * k, &a->C_w) && take(a, m * n, &a->psi_q)
           && take(a, m * k, &a->phi_w) && take(a, m * k, &a->psi_w)
           && take(a, 2 * n * p, &a->o_y) && take(a, n * p, &a->o_a)
           && take(a, m * p, &a->o_l) && take(a, p * k, &a->o_w);
}

static bool take_results(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t p = (size_t)a->system->n_outputs;
    const size_t z = 2 * n;
    return take(a, (z + k) * z, &a->directions) && take(a, n, &a->force)
           && take(a, m, &a->b) && take(a, n, &a->da) && take(a, m, &a->dl)
           && take(a, m, &a->multipliers) && take(a, z * z, &a->A)
           && take(a, z * k, &a->B) && take(a, p * z, &a->C) && take(a, p * k, &a->D)
           && take(a, z, &a->conditions) && take(a, z * z, &a->shapes);
}

// What the choice of states takes.
static bool take_chart(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const size_t k = (size_t)a->inputs.count;
    const size_t rows = m + (a->forms.classes ? a->forms.classes->integrals.rows : 0);
    a->pivot = (int *)kal_arena_alloc(a->arena, rows, sizeof(int));
    a->later_row = (bool *)kal_arena_alloc(a->arena, rows, sizeof(bool));
    a->follows_q = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    a->follows_v = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    a->rows = (int *)kal_arena_alloc(a->arena, m, sizeof(int));
    return a->pivot && a->later_row && a->follows_q && a->follows_v && a->rows
           && take(a, n, &a->weights) && take(a, n, &a->masses)
           && take(a, rows * (2 * n + k), &a->W) && take(a, m * n, &a->A_rows);
}

static bool take_modes(KalAnalysis *a)
{
    const size_t z = 2 * (size_t)a->system->n;
    a->state = (int *)kal_arena_alloc(a->arena, z, sizeof(int));
    a->order = (int *)kal_arena_alloc(a->arena, z, sizeof(int));
    a->ignorable = (bool *)kal_arena_alloc(a->arena, z, sizeof(bool));
    a->driven = (bool *)kal_arena_alloc(a->arena, z, sizeof(bool));
    a->state_names = (const char **)kal_arena_alloc(a->arena, z, sizeof(char *));
    a->values = (double complex *)kal_arena_alloc(a->arena, z, sizeof *a->values);
    a->vectors = (double complex *)kal_arena_alloc(a->arena, z * z, sizeof *a->vectors);
    a->modes = (KalMode *)kal_arena_alloc(a->arena, z, sizeof *a->modes);
    a->inner = (KalEigenvalue *)kal_arena_alloc(a->arena, z, sizeof *a->inner);
    a->spectrum_work = kal_arena_alloc(a->arena, kal_eigen_general_work((int)z), 1);
    return a->state && a->order && a->ignorable && a->driven && a->state_names
           && a->values && a->vectors && a->modes && a->inner && a->spectrum_work;
}

static KalStatus name_states(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const char *const *names = kal_system_coordinate_names(a->system);
    a->names = (const char **)kal_arena_alloc(a->arena, 2 * n, sizeof(char *));
    for (size_t i = 0; i < n && a->names; i++) {
        const size_t length = strlen(names[i]);
        char *velocity = (char *)kal_arena_alloc(a->arena, length + 2, 1);
        if (!velocity) {
            return fail_memory(a);
        }
        memcpy(velocity, names[i], length);
        velocity[length] = '\'';
        a->names[i] = names[i];
        a->names[n + i] = velocity;
    }
    return a->names ? KAL_OK : fail_memory(a);
}

static KalStatus refuse(KalContext *ctx, const KalSystem *system)
{
    if (system->n > KAL_ANALYSIS_LIMIT || system->m > KAL_ANALYSIS_LIMIT) {
        return kal_fail(
            ctx, KAL_ERR_LIMIT,
            "the model has %d coordinates and %d constraints; systems of up "
            "to %d of each can be analyzed",
            system->n, system->m, KAL_ANALYSIS_LIMIT);
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
        kal_program_prepare(form->program, parameters, form->numbers);
    }
    if (a->kinks.n > 0) {
        kal_program_prepare(a->kinks.program, parameters, a->kinks.work);
    }
    a->usual_states = -1;
    a->found.size = 0;
}

static KalStatus init(KalAnalysis *a, const KalSystem *original, const char *inputs)
{
    const KalSystem *system = a->system;
    KAL_TRY(refuse(a->ctx, original));
    KAL_TRY(kal_draft_init(&a->draft, a->ctx, original));
    KAL_TRY(kal_arena_create(a->ctx, TABLE_BYTES, &a->arena));
    KAL_TRY(kal_inputs_find(system, a->arena, inputs, &a->inputs));
    KAL_TRY(kal_forms_init(&a->forms, system, &a->inputs));
    if (!take_tables(a) || !take_results(a) || !take_chart(a) || !take_modes(a)) {
        return fail_memory(a);
    }
    KAL_TRY(name_states(a));
    KAL_TRY(kal_kinks_init(&a->kinks, a));
    KAL_TRY(kal_responder_init(&a->responder, a->ctx, a->arena, system->n, system->m));
    KAL_TRY(kal_motion_create(a->ctx, NULL, system->n, system->m, &a->motion));
    KAL_TRY(kal_instant_create(a->ctx, system, &a->instant));
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
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for an analysis");
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
    kal_block_clear(a->ctx, &a->found);
    kal_arena_destroy(a->kept);
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

KalStatus kal_analysis_balancer(KalAnalysis *a, KalBalancer **out_balancer)
{
    if (!a->balancer) {
        KalBalancer *balancer =
            (KalBalancer *)kal_arena_alloc(a->arena, 1, sizeof *balancer);
        if (!balancer) {
            return fail_memory(a);
        }
        KAL_TRY(kal_balancer_init(balancer, a));
        a->balancer = balancer;
    }
    *out_balancer = a->balancer;
    return KAL_OK;
}
