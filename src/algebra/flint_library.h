// SPDX-License-Identifier: MIT

/// @file
/// The FLINT library, loaded when exact algebra is first asked for and not with the program.
///
/// FLINT brings GMP, MPFR, NTL and the C++ library along, which takes longer to load than
/// most commands take to run.  Its headers are there for types; nothing links against it.
/// Functions are called through the members of KalFlintLibrary that bear their names, also
/// those that the headers define inline: the library exports each of them, and a call of
/// the inline one would need GMP at link time where a compiler does not inline it.

#ifndef ALGEBRA_FLINT_LIBRARY_H
#define ALGEBRA_FLINT_LIBRARY_H

#include "base/context.h"

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include <stdbool.h>

/// The functions that we call.
#define KAL_FLINT_FUNCTIONS(X)        \
    X(flint_cleanup)                  \
    X(fmpz_clear)                     \
    X(fmpz_cmp_si)                    \
    X(fmpz_fits_si)                   \
    X(fmpz_get_si)                    \
    X(fmpz_init)                      \
    X(fmpz_is_one)                    \
    X(fmpz_mpoly_add)                 \
    X(fmpz_mpoly_clear)               \
    X(fmpz_mpoly_ctx_clear)           \
    X(fmpz_mpoly_ctx_init)            \
    X(fmpz_mpoly_degree_si)           \
    X(fmpz_mpoly_degrees_si)          \
    X(fmpz_mpoly_divides)             \
    X(fmpz_mpoly_equal)               \
    X(fmpz_mpoly_factor)              \
    X(fmpz_mpoly_factor_clear)        \
    X(fmpz_mpoly_factor_init)         \
    X(fmpz_mpoly_gcd)                 \
    X(fmpz_mpoly_gen)                 \
    X(fmpz_mpoly_get_term_coeff_fmpz) \
    X(fmpz_mpoly_get_term_exp_ui)     \
    X(fmpz_mpoly_init)                \
    X(fmpz_mpoly_is_fmpz)             \
    X(fmpz_mpoly_is_one)              \
    X(fmpz_mpoly_max_bits)            \
    X(fmpz_mpoly_mul)                 \
    X(fmpz_mpoly_one)                 \
    X(fmpz_mpoly_push_term_fmpz_ui)   \
    X(fmpz_mpoly_push_term_si_ui)     \
    X(fmpz_mpoly_set)                 \
    X(fmpz_mpoly_set_fmpz)            \
    X(fmpz_mpoly_set_si)              \
    X(fmpz_mpoly_sub)                 \
    X(fmpz_mpoly_swap)                \
    X(fmpz_mpoly_term_content)        \
    X(fmpz_mpoly_total_degree_si)     \
    X(fmpz_sgn)

#define KAL_FLINT_MEMBER(name) __typeof__(name) *(name);

/// An open library.
typedef struct KalFlintLibrary {
    KAL_FLINT_FUNCTIONS(KAL_FLINT_MEMBER)
} KalFlintLibrary;

/// Whether two versions, such as 2.9.0 and 2.9.1, agree in all but their last number.
bool kal_flint_is_same_release(const char *ours, const char *theirs);

/// Open the first of `names`, which end with NULL, that is there; again costs some
/// microseconds.  KAL_ERR_FILE, with what to install, when none is there or it is not of
/// the version that the headers belong to, whose types it shares with us.
KAL_CHECKED KalStatus kal_flint_library_open(KalContext *ctx, const char *const *names,
                                             KalFlintLibrary *out_lib);

#endif
