// SPDX-License-Identifier: MIT

// From the text of a model to a system:
//
//     load()                      text → tree → model (model/model.h)
//     kal_system_compile_model()  model → equations → programs (system.c)

#include "base/block.h"
#include "lang/source.h"
#include "system/load_impl.h"

#include <assert.h>
#include <string.h>

enum {
    TABLE_BYTES = 1 << 26 // for what a system keeps in its arena
};

void kal_load_enter(const KalLoadOptions *options, KalLoadPhase phase)
{
    if (options->enter) {
        options->enter(options->enter_user, phase);
    }
}

// A file on its way into the list of sources.
typedef struct Reading {
    const KalLoadOptions *options;
    KalContext *ctx;
    KalBlock text;
    KalStatus status;
} Reading;

static void append_text(void *user, const char *text, size_t length)
{
    assert(text || length == 0);
    Reading *reading = (Reading *)user;
    if (reading->status == KAL_OK
        && length > KAL_SOURCE_LIMIT + (size_t)1 - reading->text.size) {
        length = KAL_SOURCE_LIMIT + (size_t)1 - reading->text.size;
    }
    if (reading->status == KAL_OK) {
        reading->status = kal_block_add(reading->ctx, &reading->text, text, length);
    }
}

static KalStatus read_file(void *user, KalSources *sources, const char *path,
                           const KalSource **out_source)
{
    assert(path && out_source);
    Reading *reading = (Reading *)user;
    reading->text.size = 0;
    reading->status = KAL_OK;
    const KalSink sink = {append_text, reading};
    const char *why = reading->options->read(reading->options->user, path, sink);
    if (why) {
        return kal_fail(reading->ctx, KAL_ERR_FILE, "%s", why);
    }
    KAL_TRY(reading->status);
    return kal_sources_add(sources, path, (const char *)reading->text.data,
                           reading->text.size, out_source);
}

static KalStatus build(KalSystem *system, const KalLoadOptions *options)
{
    assert(system->source && !system->model);
    Reading reading = {.options = options, .ctx = system->ctx};
    const KalBuildOptions build_options = {.overrides = options->overrides,
                                           .n_overrides = options->n_overrides,
                                           .read = options->read ? read_file : NULL,
                                           .user = &reading,
                                           .allow_outside = options->allow_outside,
                                           .as_coordinates = options->analysis};
    const KalStatus status =
        kal_model_build(system->sources, system->source, &build_options,
                        system->diagnostics, &system->model);
    kal_block_clear(system->ctx, &reading.text);
    return status;
}

// A text to load with its name.
typedef struct Text {
    const char *name;
    const char *data;
    size_t length;
} Text;

// The title that the model gives itself or, failing that, the name of its file without
// folder and ending.
static KalStatus find_title(KalSystem *system, const char *name)
{
    assert(name && system->model);
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *point = strrchr(base, '.');
    const size_t length = point && point > base ? (size_t)(point - base) : strlen(base);
    system->title = *system->model->title ? system->model->title
                                          : kal_model_text(system->model, base, length);
    return system->title ? KAL_OK : kal_no_memory(system->ctx, "for a title");
}

// Whether a program runs once in a while only, so that machine code would not pay.
static bool runs_seldom(KalProgramId id)
{
    return id == KAL_PROGRAM_SETTINGS || id == KAL_PROGRAM_START
           || id == KAL_PROGRAM_ACTIONS;
}

// Machine code of all others; of so few operations it saves some 20 ns an evaluation, and pages for
// it take 60 µs.
static KalStatus make_code(KalSystem *system)
{
    enum {
        FEW = 40
    };

    KalProgram *programs[KAL_PROGRAMS];
    size_t operations = 0;
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        programs[id] = runs_seldom((KalProgramId)id) ? NULL : system->programs[id];
        operations += programs[id] ? kal_program_operations(programs[id]) : 0;
    }
    return operations <= FEW
               ? KAL_OK
               : kal_native_share(system->ctx, programs, KAL_PROGRAMS, &system->code);
}

static KalStatus load(KalSystem *system, Text text, const KalLoadOptions *options)
{
    assert(!system->arena && !system->model);
    kal_load_enter(options, KAL_LOAD_READ);
    KAL_TRY(kal_arena_create(system->ctx, kal_usual_times(system->ctx, TABLE_BYTES),
                             &system->arena));
    KAL_TRY(kal_diagnostics_create(system->ctx, &system->diagnostics));
    KAL_TRY(kal_sources_create(system->ctx, &system->sources));
    KAL_TRY(kal_sources_add(system->sources, text.name, text.data, text.length,
                            &system->source));
    KAL_TRY(build(system, options));
    KAL_TRY(find_title(system, text.name));
    KAL_TRY(kal_system_compile_model(system, options));
    return make_code(system);
}

// The text with what follows it.
static KalStatus load_all(KalSystem *system, Text text, const KalLoadOptions *options)
{
    KalBlock whole = {.data = NULL};
    if (!options->more) {
        return load(system, text, options);
    }
    KalStatus status = kal_block_add(system->ctx, &whole, text.data, text.length);
    if (status == KAL_OK) {
        status = kal_block_add(system->ctx, &whole, "\n", 1);
    }
    if (status == KAL_OK) {
        status =
            kal_block_add(system->ctx, &whole, options->more, strlen(options->more));
    }
    if (status == KAL_OK) {
        text.data = (const char *)whole.data;
        text.length = whole.size;
        status = load(system, text, options);
    }
    kal_block_clear(system->ctx, &whole);
    return status;
}

static const char *severity_word(KalSeverity severity)
{
    switch (severity) {
    case KAL_SEVERITY_ERROR: return "error";
    case KAL_SEVERITY_WARNING: return "warning";
    case KAL_SEVERITY_NOTE: return "note";
    }
    return "note";
}

// Give a diagnostic to whoever wants remarks.
static void remark(const KalDiagnostic *diagnostic, const KalLoadOptions *options)
{
    const KalSpan span = diagnostic->span;
    const KalSource *source = span.source;
    const KalPlace from = source ? kal_source_place(source, span.begin) : (KalPlace){0};
    const KalPlace to = source ? kal_source_place(source, span.end) : (KalPlace){0};
    options->remark(options->remark_user,
                    &(KalRemark){.kind = severity_word(diagnostic->severity),
                                 .file = source ? source->name : NULL,
                                 .line = from.line,
                                 .column = from.column,
                                 .end_line = to.line,
                                 .end_column = to.column,
                                 .message = diagnostic->message});
}

static void remark_all(const KalSystem *system, const KalLoadOptions *options)
{
    if (!options->remark || !system->diagnostics) {
        return;
    }
    for (const KalDiagnostic *d = kal_diagnostics_first(system->diagnostics); d;
         d = d->next) {
        remark(d, options);
    }
}

// Whether the overrides are there, each with its name and value.
static bool has_overrides(const KalLoadOptions *options)
{
    for (size_t i = 0; options->overrides && i < options->n_overrides; i++) {
        if (!options->overrides[i].name || !options->overrides[i].value) {
            return false;
        }
    }
    return options->overrides || options->n_overrides == 0;
}

KalStatus kal_system_load(KalContext *ctx, const char *name, const char *text,
                          size_t length, const KalLoadOptions *options,
                          KalSystem **out_system)
{
    KAL_NEED(ctx, ctx && name && (text || length == 0) && out_system);
    static const KalLoadOptions none = {.overrides = NULL};
    KAL_NEED(ctx, !options || has_overrides(options));
    KalSystem *system = KAL_NEW(ctx, KalSystem);
    if (!system) {
        return kal_no_memory(ctx, "for a system");
    }
    system->ctx = ctx;
    options = options ? options : &none;
    const KalStatus status = load_all(system, (Text){name, text, length}, options);
    remark_all(system, options);
    if (status != KAL_OK) {
        if (options->messages.write && system->diagnostics) {
            kal_diagnostics_write(system->diagnostics, options->messages);
        }
        kal_system_destroy(system);
        return status;
    }
    *out_system = system;
    return KAL_OK;
}
