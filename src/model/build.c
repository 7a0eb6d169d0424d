// SPDX-License-Identifier: MIT

// The order of a build: tables, the text as a tree, its statements one after the other, and
// what can be said only at the end, such as names that nothing uses.
//
// The model is handed out only if no error was reported; `clear` frees all the rest in any
// case, also what was half made.

#include "model/build.h"

#include "lang/parser.h"
#include "model/build_impl.h"
#include "model/statement_impl.h"

#include <assert.h>

// What statements find when they begin: the names t, pi and deg, the units, the file itself.
static KalStatus init(KalBuild *b)
{
    KAL_TRY(
        kal_arena_create(b->ctx, kal_usual_times(b->ctx, KAL_BUILD_MEMORY), &b->arena));
    KAL_TRY(kal_model_create(b->ctx, &b->model));
    b->graph = b->model->graph;
    KAL_TRY(kal_build_init_names(b));
    KAL_TRY(kal_build_init_units(b));
    kal_build_init_files(b);
    KAL_TRY(b->status);
    return kal_build_init_overrides(b);
}

// Everything but the model, or that too where it was not handed out.
static void clear(KalBuild *b)
{
    kal_build_clear_overrides(b);
    kal_build_clear_files(b);
    kal_map_clear(b->ctx, &b->report.told);
    kal_index_clear(b->ctx, &b->words.atoms);
    kal_map_clear(b->ctx, &b->words.functions);
    kal_map_clear(b->ctx, &b->declared.entries);
    kal_map_clear(b->ctx, &b->declared.sites);
    kal_map_clear(b->ctx, &b->units.nodes);
    kal_map_clear(b->ctx, &b->units.results);
    kal_map_clear(b->ctx, &b->formulas.rates);
    kal_map_clear(b->ctx, &b->formulas.needs);
    kal_map_clear(b->ctx, &b->lists.drives);
    kal_map_clear(b->ctx, &b->lists.starts);
    kal_map_clear(b->ctx, &b->lists.names);
    kal_map_clear(b->ctx, &b->overrides.names);
    kal_block_clear(b->ctx, &b->words.texts);
    kal_block_clear(b->ctx, &b->later);
    kal_block_clear(b->ctx, &b->units.list);
    kal_map_clear(b->ctx, &b->units.angles);
    kal_block_clear(b->ctx, &b->formulas.numbers);
    kal_pool_clear(&b->pool);
    kal_arena_destroy(b->arena);
    kal_model_destroy(b->model);
}

// Names that nothing uses.

// What a name that is not used is called; NULL when that does not matter.
static const char *unused_text(KalEntryKind kind)
{
    switch (kind) {
    case KAL_ENTRY_PARAMETER: return "the parameter";
    case KAL_ENTRY_COORDINATE: return "the coordinate";
    case KAL_ENTRY_LET: return "the name";
    case KAL_ENTRY_ARGUMENT: return "the argument";
    case KAL_ENTRY_FUNCTION: return "the function";
    case KAL_ENTRY_TABLE: return "the table";
    case KAL_ENTRY_COMPONENT: return "the component";
    case KAL_ENTRY_OUTPUT:
    case KAL_ENTRY_PART:
    case KAL_ENTRY_CONSTRAINT:
    case KAL_ENTRY_SERVO:
    case KAL_ENTRY_ACTUATOR:
    case KAL_ENTRY_STATE:
    case KAL_ENTRY_HOLD:
    case KAL_ENTRY_EVENT: return NULL;
    }
    return NULL;
}

// Only names of the main text: libraries declare more than a model needs.
static void warn_unused(KalBuild *b)
{
    for (const KalSite *site = b->declared.first_site; site; site = site->next) {
        const char *text = unused_text(site->kind);
        if (text && !site->used && site->span.source == b->main) {
            const char *name = kal_build_atom_text(b, site->atom);
            kal_build_warn(b, site->span, "%s '%s' is never used", text, name);
        }
    }
}

// What determines a parameter that determines the structure, or a decision, does so
// itself.  From the last parameter to the first: the value of one is made of those
// before it, so that one pass backwards reaches all that it depends on.
static void spread_structural(KalBuild *b)
{
    for (size_t i = b->model->n_parameters; i-- > 0 && b->status == KAL_OK;) {
        const KalParameter *p = &b->model->parameters[i];
        if (p->structural) {
            kal_build_mark_structural(b, p->value);
        }
        if (p->decided && b->status == KAL_OK) {
            kal_build_mark_decided(b, p->value);
        }
    }
}

// The outcome: the first failure that stopped the build, else errors, else success.
static KalStatus finish(KalBuild *b)
{
    if (b->status == KAL_OK) {
        spread_structural(b);
    }
    if (b->status == KAL_OK
        && b->report.errors == 0) { // which may be why a name is not used
        warn_unused(b);
    }
    if (b->status == KAL_OK) {
        kal_build_check_overrides(b);
    }
    if (b->status == KAL_ERR_NOMEM) {
        return kal_no_memory(b->ctx, "to build the model");
    }
    KAL_TRY(kal_diagnostics_status(b->diagnostics) == KAL_OK
                ? KAL_OK
                : kal_no_memory(b->ctx, "for the messages"));
    if (b->report.errors > 0) {
        return kal_diagnostics_fail(b->diagnostics,
                                    b->status == KAL_OK ? KAL_ERR_SYNTAX : b->status);
    }
    return b->status;
}

static KalStatus build(KalBuild *b)
{
    KalTree *tree = NULL;
    KAL_TRY(init(b));
    KAL_TRY(kal_parse(b->ctx, b->main, b->diagnostics, &tree));
    b->names.scope->body = kal_tree_first(tree);
    assert(b->names.frame == NULL && b->eval.depth == 0);
    kal_build_statements(b, b->names.scope->body);
    kal_build_finish_dynamics(b);
    assert(b->eval.depth == 0 && b->eval.calls == 0 && b->parts.n_active == 0
           && !b->names.frame);
    const KalStatus status = finish(b);
    kal_tree_destroy(tree);
    return status;
}

// The builder owns everything until the model is whole.
KalStatus kal_model_build(KalSources *sources, const KalSource *main,
                          const KalBuildOptions *options, KalDiagnostics *diagnostics,
                          KalModel **out_model)
{
    assert(sources && main && diagnostics && out_model);
    static const KalBuildOptions none = {.read = NULL};
    KalBuild b = {
        .ctx = kal_sources_context(sources),
        .sources = sources,
        .main = main,
        .options = options ? options : &none,
        .diagnostics = diagnostics,
        .stack = kal_stack_begin(),
        .eval.usage = {KAL_MARKS_ALL, "an expression"}
    };
    b.pool.ctx = b.ctx;
    const KalStatus status = build(&b);
    if (status == KAL_OK) {
        *out_model = b.model;
        b.model = NULL;
    }
    clear(&b);
    return status;
}
