// SPDX-License-Identifier: MIT

// Base 64 after RFC 4648, as bytes come: what is left of a group of three waits in the
// encoder.

#include "json/base64.h"

#include <assert.h>
#include <string.h>

// Three bytes as four digits.  Of a last group with fewer bytes the missing digits are "=".
static void put_group(KalBase64 *e)
{
    assert(e->count > 0 && e->count <= 3);
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits = (unsigned)e->bytes[0] << 16 | (unsigned)e->bytes[1] << 8
                          | (unsigned)e->bytes[2];
    char text[4];
    for (size_t i = 0; i < 4; i++) {
        text[i] = i > e->count ? '=' : digits[bits >> (18 - 6 * i) & 63U];
    }
    e->sink.write(e->sink.user, text, 4);
    memset(e->bytes, 0, sizeof e->bytes);
    e->count = 0;
}

void kal_base64_put(KalBase64 *e, const void *bytes, size_t length)
{
    assert(e->count < 3 && (bytes || length == 0));
    for (size_t i = 0; i < length; i++) {
        e->bytes[e->count++] = ((const unsigned char *)bytes)[i];
        if (e->count == 3) {
            put_group(e);
        }
    }
}

void kal_base64_end(KalBase64 *e)
{
    if (e->count > 0) {
        put_group(e);
    }
}
