// SPDX-License-Identifier: MIT

/// @file
/// Small mechanical systems for tests, made from texts of formulas.
///
/// One system at a time, `model` with its graph `g` and context `ctx`.  Formulas are those
/// of formula.h, with the model's names: x, x', x''.  Values of symbols are kept by name.

#ifndef SUPPORT_SYSTEM_H
#define SUPPORT_SYSTEM_H

#include "derive/equations.h"
#include "expr/eval.h"
#include "fault.h"
#include "formula.h"
#include "tap.h"

static Fault system_fault;
static KalContext *ctx;
static KalGraph *g;
static KalModel *model;
static KalDiagnostics *diagnostics;
static KalEquations *eq;
static double system_values[FORMULA_NAMES];

// Formulas know the model's symbols by their ids.
static inline void system_names(void)
{
    for (size_t id = formula_n_names; id < model->n_symbols; id++) {
        snprintf(formula_names[id], FORMULA_NAME_SIZE, "%s", model->symbols[id].name);
    }
    formula_n_names = (uint32_t)model->n_symbols;
}

static inline void begin(void)
{
    system_fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &system_fault, &ctx) == KAL_OK);
    ok(kal_model_create(ctx, &model) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &diagnostics) == KAL_OK);
    g = model->graph;
    eq = NULL;
    formula_n_names = 0;
    memset(system_values, 0, sizeof system_values);
    system_names();
}

static inline void end(void)
{
    kal_equations_destroy(eq);
    kal_diagnostics_destroy(diagnostics);
    kal_model_destroy(model);
    kal_context_destroy(ctx);
    ok(system_fault.live_bytes == 0);
}

static inline KalExpr f(const char *text)
{
    const KalExpr e = formula_parse(g, text);
    ok(e.index != 0 && formula_n_names == model->n_symbols); // no unknown names
    return e;
}

static inline const char *text_of(KalExpr e)
{
    return formula_print(g, e, KAL_FORMAT_TEXT);
}

static inline const char *keep(const char *text)
{
    return kal_model_text(model, text, strlen(text));
}

static inline void coordinate(const char *name)
{
    uint32_t index = 0;
    ok(kal_model_add_coordinate(model, (KalCoordinate){.name = keep(name)}, &index)
       == KAL_OK);
    system_names();
}

/// Coordinates by names with a space between each two.
static inline void coordinates(const char *names)
{
    while (*names != '\0') {
        char name[FORMULA_NAME_SIZE];
        const size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        coordinate(name);
        names += length + (names[length] == ' ');
    }
}

static inline void parameter(const char *name, double value)
{
    const KalParameter entry = {
        .name = keep(name), .value = kal_const(g, value), .number = value};
    uint32_t index = 0;
    ok(kal_model_add_parameter(model, entry, &index) == KAL_OK);
    system_names();
    system_values[model->n_symbols - 1] = value;
}

static inline void term(KalTermKind kind, const char *text)
{
    const KalContribution entry = {.kind = kind, .value = f(text)};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
}

static inline uint32_t coordinate_of(const char *name)
{
    for (uint32_t i = 0; i < model->n_coordinates; i++) {
        if (strcmp(model->coordinates[i].name, name) == 0) {
            return i;
        }
    }
    ok(false && "a coordinate of this name");
    return 0;
}

/// A FORCE or NONIDEAL on a coordinate.
static inline void force(KalTermKind kind, const char *name, const char *text)
{
    const KalContribution entry = {
        .kind = kind, .row = coordinate_of(name), .value = f(text)};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
}

static inline void mass(const char *a, const char *b, const char *text)
{
    const KalContribution entry = {.kind = KAL_TERM_MASS,
                                   .row = coordinate_of(a),
                                   .column = coordinate_of(b),
                                   .value = f(text)};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
}

static inline void constraint(const char *name, const char *residual)
{
    const KalConstraint entry = {
        .name = keep(name), .residual = f(residual), .driven = KAL_NOT_DRIVEN};
    uint32_t index = 0;
    ok(kal_model_add_constraint(model, entry, &index) == KAL_OK);
    system_names();
}

static inline void servo(const char *name, const char *residual, const char *rate)
{
    const KalServo entry = {
        .name = keep(name), .residual = f(residual), .rate = f(rate)};
    ok(kal_model_add_servo(model, entry) == KAL_OK);
}

static inline void actuator(const char *name, const char *power)
{
    const KalActuator entry = {.name = keep(name), .power = f(power)};
    uint32_t index = 0;
    ok(kal_model_add_actuator(model, entry, &index) == KAL_OK);
    system_names();
}

static inline void derive(void)
{
    ok(kal_derive(model, diagnostics, &eq) == KAL_OK);
    ok(kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR) == 0);
}

static inline void set(const char *name, double value)
{
    system_values[formula_id(name, strlen(name))] = value;
    ok(formula_n_names == model->n_symbols);
}

static inline double value_of(KalExpr e)
{
    double value = NAN;
    if (e.index == 0) {
        return 0.0; // what a sparse matrix does not have
    }
    ok(kal_eval(g, &e, 1, system_values, &value) == KAL_OK);
    return value;
}

/// An entry of a symmetric matrix that is kept as its lower triangle.
static inline KalExpr lower(const KalSparse *M, size_t i, size_t j)
{
    return kal_sparse_get(M, i > j ? i : j, i > j ? j : i);
}

#endif
