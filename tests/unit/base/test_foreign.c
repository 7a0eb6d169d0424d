// SPDX-License-Identifier: MIT

#include "base/foreign.h"
#include "context.h"
#include "tap.h"

typedef struct Math {
    double (*cos)(double);
    double (*sqrt)(double);
} Math;

static const KalForeignSymbol symbols[] = {
    {"cos",  offsetof(Math, cos) },
    {"sqrt", offsetof(Math, sqrt)},
};

static KalForeign library_of(const char *const *names)
{
    return (KalForeign){
        .purpose = "roots", .title = "math", .package = "libc6", .names = names};
}

// No machine has so much, nor a sanitizer.
static void without_memory_nothing_is_opened(void)
{
    static const char *const names[] = {"libm.so.6", NULL};
    KalForeign library = library_of(names);
    KalContext *ctx = new_context();
    void *handle = NULL;
    library.room = (size_t)1 << 46;
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_ERR_NOMEM && handle == NULL);
    has_text(kal_context_message(ctx), "no memory for roots");
    ok(kal_memory_is_there(1000) && !kal_memory_is_there(library.room));
    kal_context_destroy(ctx);
}

static void the_first_that_opens_is_taken(void)
{
    static const char *const names[] = {"libkalaba-none.so", "libm.so.6", NULL};
    const KalForeign library = library_of(names);
    KalContext *ctx = new_context();
    void *handle = NULL;
    Math math = {.cos = NULL};
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_OK);
    ok(kal_foreign_bind(ctx, &library, handle, symbols, 2, &math) == KAL_OK);
    near(math.cos(0.0), 1.0, 0.0);
    near(math.sqrt(9.0), 3.0, 0.0);
    kal_context_destroy(ctx);
}

static void what_is_missing_is_named(void)
{
    static const char *const none[] = {"libkalaba-none.so", NULL};
    static const char *const other[] = {"libdl.so.2", NULL};
    KalForeign library = library_of(none);
    KalContext *ctx = new_context();
    void *handle = NULL;
    void *symbol = NULL;
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_ERR_FILE && !handle);
    same_text(
        kal_context_message(ctx),
        "roots need the math library, which cannot be loaded (libkalaba-none.so: "
        "cannot open shared object file: No such file or directory): install libc6");
    library = library_of(other);
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_OK);
    ok(kal_foreign_find(ctx, &library, handle, "kal_no_such", &symbol) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: kal_no_such");
    ok(!symbol);
    kal_context_destroy(ctx);
}

static void the_library_of_the_program_comes_first(void)
{
    static const char *const none[] = {"libkalaba-none.so", NULL};
    KalForeign library = library_of(none);
    KalContext *ctx = new_context();
    void *handle = NULL;
    library.probe = "malloc";
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_OK && handle);
    library.probe = "kal_no_such";
    ok(kal_foreign_open(ctx, &library, &handle) == KAL_ERR_FILE);
    ok(kal_foreign_fail(ctx, &library, NULL) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "(no reason is known)");
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(without_memory_nothing_is_opened),
        TAP_CASE(the_first_that_opens_is_taken), TAP_CASE(what_is_missing_is_named),
        TAP_CASE(the_library_of_the_program_comes_first))
