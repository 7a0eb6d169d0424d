// SPDX-License-Identifier: MIT

// For processors that machine code is not made for.

#include "prog/native.h"

KalStatus kal_native_init(const struct KalProgram *program, KalNativeWidth width,
                          KalNative *out_native)
{
    (void)program, (void)width;
    *out_native = (KalNative){.code = NULL};
    return KAL_OK;
}

KalStatus kal_native_share(KalContext *ctx, struct KalProgram *const *programs,
                           size_t count, KalNative *out_pages)
{
    (void)ctx, (void)programs, (void)count;
    *out_pages = (KalNative){.code = NULL};
    return KAL_OK;
}

void kal_native_clear(KalNative *native)
{
    (void)native;
}
