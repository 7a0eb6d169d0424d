// SPDX-License-Identifier: MIT

// Where machine code lies: written into memory first (prog/native.c), then copied into pages
// that may be executed (prog/pages.h), those of one program or of several.

#include "base/processor.h"
#include "prog/native.h"
#include "prog/pages.h"
#include "prog/program_impl.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum {
    LONGEST = 1 << 17, // operations of a program that has code: 5 MB of it
    ALIGNMENT = 32     // bytes, at multiples of which functions begin
};

bool kal_native_is_possible(const KalProgram *program, size_t bytes)
{
    const KalProgram *p = program;
    const size_t most = (size_t)INT32_MAX / bytes;
    return kal_context_native(p->ctx) && kal_has_wide() && p->n_outputs > 0
           && p->n_slots < most && p->n_outputs < most
           && p->tapes[KAL_TAPE_EVAL].operations <= LONGEST;
}

// Without machine code programs are interpreted: a failure to get pages is no error.
KalStatus kal_native_init(const KalProgram *program, KalNativeWidth width,
                          KalNative *out_native)
{
    KalBlock code = {.data = NULL};
    *out_native = (KalNative){.code = NULL};
    const KalStatus status = kal_native_write(program, width, &code);
    if (status == KAL_OK && code.size > 0) {
        out_native->pages = kal_pages_make(code.data, code.size, &out_native->size);
        memcpy(&out_native->code, &out_native->pages, sizeof out_native->code);
        out_native->width = width;
    }
    kal_block_clear(program->ctx, &code);
    return status;
}

// Functions begin where processors like them to.
static KalStatus align(KalContext *ctx, KalBlock *code)
{
    static const char padding[ALIGNMENT] = {0};
    const size_t over = code->size % ALIGNMENT;
    return over > 0 ? kal_block_add(ctx, code, padding, ALIGNMENT - over) : KAL_OK;
}

// Write all code one after the other; that of program i begins at out_starts[i], SIZE_MAX where it
// has none.
static KalStatus add_all(KalContext *ctx, KalProgram *const *programs, size_t count,
                         KalBlock *code, size_t *out_starts)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < count && status == KAL_OK; i++) {
        status = align(ctx, code);
        out_starts[i] = code->size;
        const bool writes =
            programs[i] && !programs[i]->roll.used && !programs[i]->native.pages;
        if (status == KAL_OK && writes) {
            programs[i]->native.code = NULL; // pages that it was in may be gone
            status = kal_native_write(programs[i], KAL_NATIVE_ONE, code);
        }
        out_starts[i] = code->size > out_starts[i] ? out_starts[i] : SIZE_MAX;
    }
    return status;
}

// The code of all programs in one block of pages: pages have rights of their own, and a
// program by itself would seldom fill one.
KalStatus kal_native_share(KalContext *ctx, KalProgram *const *programs, size_t count,
                           KalNative *out_pages)
{
    KalBlock code = {.data = NULL};
    size_t *starts = (size_t *)kal_alloc(ctx, count + 1, sizeof *starts);
    *out_pages = (KalNative){.code = NULL};
    KalStatus status = starts ? add_all(ctx, programs, count, &code, starts)
                              : kal_no_memory(ctx, "to compile formulas");
    if (status == KAL_OK && code.size > 0) {
        out_pages->pages = kal_pages_make(code.data, code.size, &out_pages->size);
    }
    for (size_t i = 0; i < count && starts && out_pages->pages; i++) {
        if (starts[i] != SIZE_MAX) {
            char *start = (char *)out_pages->pages + starts[i];
            assert(!programs[i]->native.pages);
            memcpy(&programs[i]->native.code, &start, sizeof start);
        }
    }
    kal_block_clear(ctx, &code);
    kal_free(ctx, starts, starts ? (count + 1) * sizeof *starts : 0);
    return status;
}

void kal_native_clear(KalNative *native)
{
    kal_pages_free(native->pages, native->size);
    *native = (KalNative){.code = NULL};
}
