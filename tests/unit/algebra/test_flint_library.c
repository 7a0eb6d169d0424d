// SPDX-License-Identifier: MIT

// How FLINT comes into the program: not before exact algebra is asked for, and with an
// explanation when it does not.  This program is not linked with it.

#include "algebra/flint_library.h"
#include "algebra/ring.h"
#include "context.h"
#include "loaded.h"
#include "tap.h"

static const char debian_name[] = "libflint.so.17";

static void a_missing_library_is_named(void)
{
    KalContext *ctx = new_context();
    KalFlintLibrary lib = {.fmpz_init = NULL};
    const char *const names[] = {"libkalaba-none.so.1", NULL};
    ok(kal_flint_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    ok(!lib.fmpz_init);
    same_text(kal_context_message(ctx),
              "exact formulas need the FLINT library, which cannot be loaded "
              "(libkalaba-none.so.1: cannot open shared object file: No such file or "
              "directory): install libflint17");
    kal_context_destroy(ctx);
}

static void another_library_is_refused(void)
{
    KalContext *ctx = new_context();
    KalFlintLibrary lib;
    const char *const names[] = {"libkalaba-none.so", "libm.so.6", NULL};
    ok(kal_flint_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: flint_version)");
    kal_context_destroy(ctx);
}

// Types are part of what a release promises, so its number decides.
static void only_the_release_of_the_headers_will_do(void)
{
    ok(kal_flint_is_same_release("2.9.0", "2.9.0"));
    ok(kal_flint_is_same_release("2.9.0", "2.9.1"));
    ok(kal_flint_is_same_release("2.9.0", "2.9"));
    ok(!kal_flint_is_same_release("2.9.0", "2.8.9"));
    ok(!kal_flint_is_same_release("2.9.0", "2.90.0"));
    ok(!kal_flint_is_same_release("2.9.0", "3.0.1"));
    ok(!kal_flint_is_same_release("2.9.0", "2"));
    ok(!kal_flint_is_same_release("2.9.0", ""));
}

static void the_library_is_loaded_when_needed(void)
{
    KalContext *ctx = new_context();
    KalRing *ring = NULL;
    ok(!is_loaded(debian_name));
    ok(kal_ring_create(ctx, 1, &ring) == KAL_OK);
    ok(is_loaded(debian_name));
    ok(kal_poly_terms(ring, kal_poly_variable(ring, 0)) == 1);
    kal_ring_destroy(ring);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_missing_library_is_named), TAP_CASE(another_library_is_refused),
        TAP_CASE(only_the_release_of_the_headers_will_do),
        TAP_CASE(the_library_is_loaded_when_needed))
