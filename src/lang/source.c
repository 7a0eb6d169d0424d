// SPDX-License-Identifier: MIT

// A text with its name, in one block.  It is copied: what points into it holds as long as
// the source.

#include "lang/source.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

// One block: the struct, the text with its end, the name with its end.
static size_t block_size(const KalSource *source)
{
    return sizeof *source + source->length + 1 + strlen(source->name) + 1;
}

// One block: the head, the text with a NUL behind it, and the name.
KalStatus kal_source_create(KalContext *ctx, const char *name, const char *text,
                            size_t length, KalSource **out_source)
{
    assert(ctx && name && (text || length == 0));
    if (length > KAL_SOURCE_LIMIT) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%s: a text of %zu bytes is too long; at most %d are read",
                        name, length, KAL_SOURCE_LIMIT);
    }
    const KalSource shape = {.name = name, .length = (uint32_t)length};
    KalSource *source = kal_alloc(ctx, 1, block_size(&shape));
    if (!source) {
        return kal_no_memory(ctx, "for the text of %s", name);
    }
    char *copy = (char *)(source + 1);
    char *copied_name = copy + length + 1;
    if (length > 0) {
        memcpy(copy, text, length);
    }
    memcpy(copied_name, name, strlen(name) + 1);
    source->name = copied_name;
    source->text = copy;
    source->length = (uint32_t)length;
    source->prefix = 0;
    source->columns = 0;
    *out_source = source;
    return KAL_OK;
}

void kal_source_destroy(KalContext *ctx, KalSource *source)
{
    if (source) {
        kal_free(ctx, source, block_size(source));
    }
}

uint32_t kal_source_find_fault(const KalSource *source)
{
    uint32_t at = 0;
    while (at < source->length) {
        uint32_t code;
        assert(at < source->length);
        const size_t size =
            kal_utf8_parse(source->text + at, source->length - at, &code);
        if (size == 0) {
            return at;
        }
        at += (uint32_t)size;
    }
    return at;
}
