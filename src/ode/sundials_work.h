// SPDX-License-Identifier: MIT

/// @file
/// What the integrators by CVODE and by IDA have in common: the objects of SUNDIALS that they
/// work with, what a callback refused, what the library said about a failure, and questions
/// that both libraries answer alike.
///
/// Arrays belong to the integrator; vectors only point to them.  After a failure, and after
/// every start, `fresh` says that the library has to begin anew from the present state.

#ifndef ODE_SUNDIALS_WORK_H
#define ODE_SUNDIALS_WORK_H

#include "ode/ode_impl.h"
#include "ode/sundials.h"

enum {
    KAL_SUNDIALS_MOST_VECTORS = 4,
    KAL_SUNDIALS_TEXT_SIZE = 256
};

/// The functions of CVODE and IDA that ask the same, under different names.
typedef struct KalSundialsQuestions {
    int (*derivative)(void *solver, realtype t, int order, N_Vector out);
    int (*last_order)(void *solver, int *out_order);
    int (*error_failures)(void *solver, long *out_count);
    int (*newton_failures)(void *solver, long *out_count);
} KalSundialsQuestions;

typedef struct KalSundialsWork {
    const KalSundialsLibrary *call; ///< NULL: there is no library, and so nothing else
    const KalOdeSystem *system;     ///< of the integrator
    const char *title;              ///< of the library, in messages
    KalSundialsQuestions ask;
    void *solver; ///< CVODE's or IDA's object; the integrator makes and frees it
    SUNContext sun;
    N_Vector vectors[KAL_SUNDIALS_MOST_VECTORS]; ///< over arrays of the integrator
    N_Vector sample;                             ///< over whatever the user gives
    SUNMatrix J;
    SUNLinearSolver linear;

    bool fresh;           ///< the library is to begin anew from the present state
    long rejected_before; ///< steps, before the library's last beginning
    KalStatus refusal;    ///< of a callback in the step at hand
    char text[KAL_SUNDIALS_TEXT_SIZE]; ///< what the library says about its failure
} KalSundialsWork;

/// Make vectors over `count` arrays of as many numbers as the system has, the vector for samples,
/// and the matrix with its linear solver: dense ones, or, where the system solves linear
/// equations itself, empty ones that ask it to.  Returns whether all are there;
/// kal_sundials_clear() follows in any case.
KAL_CHECKED bool kal_sundials_make(KalSundialsWork *work, double *const *arrays,
                                   int count);

/// Give back what kal_sundials_make() got, as far as it came.
void kal_sundials_clear(KalSundialsWork *work);

/// A handler of errors, for the library would print them; `user` is the work.
void kal_sundials_keep_text(int code, const char *module, const char *function,
                            char *text, void *user);

/// What a callback returns, in the terms of SUNDIALS: 0 done, 1 try a smaller step, −1 no
/// further.
int kal_sundials_answer(KalIntegrator *base, KalSundialsWork *work, KalStatus status);

/// Before a step: nothing is refused yet.
void kal_sundials_begin_step(KalSundialsWork *work);

/// After a step: the library counts from its last beginning on; the sum over all of them is
/// kept in the counts of the integrator.
void kal_sundials_count_rejected(KalIntegrator *base, const KalSundialsWork *work);

/// The state inside the last step.
KAL_CHECKED KalStatus kal_sundials_interpolate(const KalIntegrator *base,
                                               const KalSundialsWork *work, double t,
                                               double *out_y);

/// The order of the last step.
int kal_sundials_order(const KalSundialsWork *work);

#endif
