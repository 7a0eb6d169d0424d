// SPDX-License-Identifier: MIT

/// @file
/// What the tests of programs share: a program with its work memory.

#ifndef PROG_LAB_H
#define PROG_LAB_H

#include "expr/eval.h"
#include "graph.h"
#include "prog/program.h"
#include "tangle.h"

/// Formulas of symbols 0 and so on: first parameters, then variables.
typedef struct Lab {
    KalProgram *program;
    double *work;
} Lab;

static inline void lab_open(Lab *lab, const KalExpr *outputs, size_t n_outputs,
                            size_t n_parameters, size_t n_variables)
{
    KalExpr *symbols = calloc(n_parameters + n_variables + 1, sizeof *symbols);
    for (size_t i = 0; symbols && i < n_parameters + n_variables; i++) {
        symbols[i] = kal_symbol(g, (uint32_t)i);
    }
    const KalProgramSpec spec = {.outputs = outputs,
                                 .n_outputs = n_outputs,
                                 .parameters = symbols,
                                 .n_parameters = n_parameters,
                                 .variables = symbols + n_parameters,
                                 .n_variables = n_variables};
    *lab = (Lab){.work = NULL};
    ok(symbols && kal_program_create(g, &spec, &lab->program) == KAL_OK);
    lab->work =
        lab->program ? calloc(kal_program_work(lab->program), sizeof(double)) : NULL;
    ok(lab->work != NULL);
    free(symbols);
}

static inline void lab_close(Lab *lab)
{
    kal_program_destroy(lab->program);
    free(lab->work);
}

/// Prepare and evaluate; the values of variables follow those of parameters.
static inline void lab_eval(const Lab *lab, const double *values, size_t n_parameters,
                            double *out_values)
{
    kal_program_prepare(lab->program, values, lab->work);
    kal_program_eval(lab->program, values + n_parameters, lab->work, out_values);
}

#endif
