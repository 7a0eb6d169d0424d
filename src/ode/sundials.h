// SPDX-License-Identifier: MIT

/// @file
/// What we call of SUNDIALS 6 (CVODE and IDA), declared here and loaded when needed.
///
/// Debian's headers come in a package that brings MPI, PETSc and some hundred more; the
/// two libraries themselves need nothing but the C library.  Their sonames, by which
/// sundials.c opens them, promise that these declarations fit: numbers are doubles,
/// indices have 64 bits.
///
/// Nothing links against them.  Functions are called through the members of
/// KalSundialsLibrary, KalCvodeLibrary and KalIdaLibrary that bear their names; each of the two
/// libraries has vectors and matrices of its own.

#ifndef ODE_SUNDIALS_H
#define ODE_SUNDIALS_H

#include "base/context.h"

#include <stdint.h>

// The names are not ours.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)

typedef double realtype;
typedef int64_t sunindextype;
typedef int booleantype;

typedef struct _SUNContext *SUNContext;
typedef struct _generic_N_Vector *N_Vector;
typedef struct _generic_SUNMatrix *SUNMatrix;
typedef struct _generic_SUNMatrix_Ops *SUNMatrix_Ops;
typedef struct _generic_SUNLinearSolver *SUNLinearSolver;
typedef struct _generic_SUNLinearSolver_Ops *SUNLinearSolver_Ops;

enum {
    SUNFALSE = 0,
    SUNTRUE = 1
};

// Contexts, vectors over arrays of the caller, dense matrices and their factors.

int SUNContext_Create(void *communicator, SUNContext *out_context);
int SUNContext_Free(SUNContext *context);

N_Vector N_VMake_Serial(sunindextype length, realtype *data, SUNContext context);
void N_VDestroy(N_Vector vector);
realtype *N_VGetArrayPointer(N_Vector vector);
void N_VSetArrayPointer(realtype *data, N_Vector vector);

SUNMatrix SUNDenseMatrix(sunindextype rows, sunindextype columns, SUNContext context);
void SUNMatDestroy(SUNMatrix matrix);
realtype *SUNDenseMatrix_Data(SUNMatrix matrix);

SUNLinearSolver SUNLinSol_Dense(N_Vector like, SUNMatrix matrix, SUNContext context);
int SUNLinSolFree(SUNLinearSolver solver);

// Matrices and solvers of the caller's: objects whose functions he fills in.  Of the functions
// that are not declared here we need none, and leave them empty.

struct _generic_SUNMatrix {
    void *content;
    SUNMatrix_Ops ops;
    SUNContext sunctx;
};

struct _generic_SUNMatrix_Ops {
    int (*getid)(SUNMatrix matrix);
    SUNMatrix (*clone)(SUNMatrix matrix);
    void (*destroy)(SUNMatrix matrix);
    int (*zero)(SUNMatrix matrix);
};

struct _generic_SUNLinearSolver {
    void *content;
    SUNLinearSolver_Ops ops;
    SUNContext sunctx;
};

enum {
    SUNLINEARSOLVER_DIRECT = 0
};

struct _generic_SUNLinearSolver_Ops {
    int (*gettype)(SUNLinearSolver solver);
    int (*getid)(SUNLinearSolver solver);
    int (*setatimes)(SUNLinearSolver solver, void *data, void *times);
    int (*setpreconditioner)(SUNLinearSolver solver, void *data, void *setup,
                             void *solve);
    int (*setscalingvectors)(SUNLinearSolver solver, N_Vector left, N_Vector right);
    int (*setzeroguess)(SUNLinearSolver solver, booleantype on);
    int (*initialize)(SUNLinearSolver solver);
    int (*setup)(SUNLinearSolver solver, SUNMatrix matrix);
    int (*solve)(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 realtype tolerance);
};

SUNMatrix SUNMatNewEmpty(SUNContext context);
SUNLinearSolver SUNLinSolNewEmpty(SUNContext context);

// CVODE: y' = f(t, y).

enum {
    CV_BDF = 2,
    CV_ONE_STEP = 2,

    CV_SUCCESS = 0,
    CV_TOO_MUCH_ACC = -2,
    CV_ERR_FAILURE = -3,
    CV_CONV_FAILURE = -4,
    CV_LSETUP_FAIL = -6,
    CV_RHSFUNC_FAIL = -8,
    CV_FIRST_RHSFUNC_ERR = -9,
    CV_REPTD_RHSFUNC_ERR = -10,
    CV_UNREC_RHSFUNC_ERR = -11,
    CV_MEM_FAIL = -20,
    CV_PROJFUNC_FAIL = -30,
    CV_REPTD_PROJFUNC_ERR = -31
};

typedef int (*CVRhsFn)(realtype t, N_Vector y, N_Vector rate, void *user);
typedef int (*CVLsJacFn)(realtype t, N_Vector y, N_Vector rate, SUNMatrix J, void *user,
                         N_Vector work1, N_Vector work2, N_Vector work3);
typedef int (*CVLsLinSysFn)(realtype t, N_Vector y, N_Vector rate, SUNMatrix A,
                            booleantype keep_slopes, booleantype *out_new_slopes,
                            realtype gamma, void *user, N_Vector work1, N_Vector work2,
                            N_Vector work3);
typedef int (*CVProjFn)(realtype t, N_Vector y, N_Vector correction, realtype tolerance,
                        N_Vector error, void *user);
typedef int (*CVEwtFn)(N_Vector y, N_Vector weights, void *user);
typedef void (*CVErrHandlerFn)(int code, const char *module, const char *function,
                               char *message, void *user);

void *CVodeCreate(int method, SUNContext context);
void CVodeFree(void **cvode);
int CVodeInit(void *cvode, CVRhsFn rate, realtype t, N_Vector y);
int CVodeReInit(void *cvode, realtype t, N_Vector y);
int CVodeWFtolerances(void *cvode, CVEwtFn weights);
int CVodeSetErrHandlerFn(void *cvode, CVErrHandlerFn handler, void *user);
int CVodeSetUserData(void *cvode, void *user);
int CVodeSetInitStep(void *cvode, realtype step);
int CVodeSetMaxStep(void *cvode, realtype step);
int CVodeSetStopTime(void *cvode, realtype t);
int CVodeSetLinearSolver(void *cvode, SUNLinearSolver solver, SUNMatrix matrix);
int CVodeSetJacFn(void *cvode, CVLsJacFn jacobian);
int CVodeSetLinSysFn(void *cvode, CVLsLinSysFn prepare);
int CVodeSetJacEvalFrequency(void *cvode, long steps);
int CVodeSetProjFn(void *cvode, CVProjFn project);
int CVodeSetProjErrEst(void *cvode, booleantype on);
int CVode(void *cvode, realtype until, N_Vector y, realtype *out_t, int task);
int CVodeGetDky(void *cvode, realtype t, int derivative, N_Vector out_y);
int CVodeGetCurrentStep(void *cvode, realtype *out_step);
int CVodeGetLastOrder(void *cvode, int *out_order);
int CVodeGetNumErrTestFails(void *cvode, long *out_count);
int CVodeGetNumNonlinSolvConvFails(void *cvode, long *out_count);

// IDA: F(t, y, y') = 0.

enum {
    IDA_ONE_STEP = 2,

    IDA_SUCCESS = 0,
    IDA_MEM_FAIL = -21
};

typedef int (*IDAResFn)(realtype t, N_Vector y, N_Vector rate, N_Vector residual,
                        void *user);
typedef int (*IDALsJacFn)(realtype t, realtype factor, N_Vector y, N_Vector rate,
                          N_Vector residual, SUNMatrix J, void *user, N_Vector work1,
                          N_Vector work2, N_Vector work3);
typedef void (*IDAErrHandlerFn)(int code, const char *module, const char *function,
                                char *message, void *user);

void *IDACreate(SUNContext context);
void IDAFree(void **ida);
int IDAInit(void *ida, IDAResFn residual, realtype t, N_Vector y, N_Vector rate);
int IDASVtolerances(void *ida, realtype relative, N_Vector absolute);
int IDASetErrHandlerFn(void *ida, IDAErrHandlerFn handler, void *user);
int IDASetUserData(void *ida, void *user);
int IDASetId(void *ida, N_Vector differential);
int IDASetSuppressAlg(void *ida, booleantype on);
int IDAReInit(void *ida, realtype t, N_Vector y, N_Vector rate);
int IDASetInitStep(void *ida, realtype step);
int IDASetMaxStep(void *ida, realtype step);
int IDASetStopTime(void *ida, realtype t);
int IDASetLinearSolver(void *ida, SUNLinearSolver solver, SUNMatrix matrix);
int IDASetJacFn(void *ida, IDALsJacFn jacobian);
int IDASolve(void *ida, realtype until, realtype *out_t, N_Vector y, N_Vector rate,
             int task);
int IDAGetDky(void *ida, realtype t, int derivative, N_Vector out_y);
int IDAGetLastOrder(void *ida, int *out_order);
int IDAGetNumErrTestFails(void *ida, long *out_count);
int IDAGetNumNonlinSolvConvFails(void *ida, long *out_count);

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

/// What both libraries have, each for itself.
#define KAL_SUNDIALS_FUNCTIONS(X) \
    X(SUNContext_Create)          \
    X(SUNContext_Free)            \
    X(N_VMake_Serial)             \
    X(N_VDestroy)                 \
    X(N_VGetArrayPointer)         \
    X(N_VSetArrayPointer)         \
    X(SUNDenseMatrix)             \
    X(SUNMatDestroy)              \
    X(SUNDenseMatrix_Data)        \
    X(SUNMatNewEmpty)             \
    X(SUNLinSolNewEmpty)          \
    X(SUNLinSol_Dense)            \
    X(SUNLinSolFree)

/// The functions of CVODE alone that we call.
#define KAL_CVODE_FUNCTIONS(X)  \
    X(CVodeCreate)              \
    X(CVodeFree)                \
    X(CVodeInit)                \
    X(CVodeReInit)              \
    X(CVodeWFtolerances)        \
    X(CVodeSetErrHandlerFn)     \
    X(CVodeSetUserData)         \
    X(CVodeSetInitStep)         \
    X(CVodeSetMaxStep)          \
    X(CVodeSetStopTime)         \
    X(CVodeSetLinearSolver)     \
    X(CVodeSetJacFn)            \
    X(CVodeSetLinSysFn)         \
    X(CVodeSetJacEvalFrequency) \
    X(CVodeSetProjFn)           \
    X(CVodeSetProjErrEst)       \
    X(CVode)                    \
    X(CVodeGetDky)              \
    X(CVodeGetCurrentStep)      \
    X(CVodeGetLastOrder)        \
    X(CVodeGetNumErrTestFails)  \
    X(CVodeGetNumNonlinSolvConvFails)

/// The functions of IDA alone that we call.
#define KAL_IDA_FUNCTIONS(X) \
    X(IDACreate)             \
    X(IDAFree)               \
    X(IDAInit)               \
    X(IDASVtolerances)       \
    X(IDASetErrHandlerFn)    \
    X(IDASetUserData)        \
    X(IDASetId)              \
    X(IDASetSuppressAlg)     \
    X(IDAReInit)             \
    X(IDASetInitStep)        \
    X(IDASetMaxStep)         \
    X(IDASetStopTime)        \
    X(IDASetLinearSolver)    \
    X(IDASetJacFn)           \
    X(IDASolve)              \
    X(IDAGetDky)             \
    X(IDAGetLastOrder)       \
    X(IDAGetNumErrTestFails) \
    X(IDAGetNumNonlinSolvConvFails)

#define KAL_SUNDIALS_MEMBER(name) __typeof__(name) *(name);

/// Vectors, matrices and factors of one of the two.
typedef struct KalSundialsLibrary {
    KAL_SUNDIALS_FUNCTIONS(KAL_SUNDIALS_MEMBER)
} KalSundialsLibrary;

/// CVODE, open.
typedef struct KalCvodeLibrary {
    KalSundialsLibrary common;
    KAL_CVODE_FUNCTIONS(KAL_SUNDIALS_MEMBER)
} KalCvodeLibrary;

/// IDA, open.
typedef struct KalIdaLibrary {
    KalSundialsLibrary common;
    KAL_IDA_FUNCTIONS(KAL_SUNDIALS_MEMBER)
} KalIdaLibrary;

/// Open the library in the file `name`, which is KAL_CVODE_NAME but in tests; again costs
/// some microseconds.  KAL_ERR_FILE, with what to install, when it is not there or not one
/// that we know, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_cvode_library_open(KalContext *ctx, const char *name,
                                             KalCvodeLibrary *out_lib);

/// The same for IDA and KAL_IDA_NAME.
KAL_CHECKED KalStatus kal_ida_library_open(KalContext *ctx, const char *name,
                                           KalIdaLibrary *out_lib);

#define KAL_CVODE_NAME "libsundials_cvode.so.6"
#define KAL_IDA_NAME   "libsundials_ida.so.6"

#endif
