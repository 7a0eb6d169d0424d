// SPDX-License-Identifier: MIT

// The texts of a model: the file itself, those that it uses, libraries and overrides.  They
// live as long as the list, since spans of messages point into them.

#include "base/block.h"
#include "lang/source.h"
#include "model/build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct KalSources {
    KalContext *ctx;
    KalBlock list; // of KalSource *
};

KalStatus kal_sources_create(KalContext *ctx, KalSources **out_sources)
{
    assert(ctx && out_sources);
    KalSources *sources = KAL_NEW(ctx, KalSources);
    if (!sources) {
        return kal_no_memory(ctx, "for a list of texts");
    }
    sources->ctx = ctx;
    *out_sources = sources;
    return KAL_OK;
}

void kal_sources_destroy(KalSources *sources)
{
    if (!sources) {
        return;
    }
    KalSource **list = (KalSource **)sources->list.data;
    for (size_t i = 0; i < sources->list.size / sizeof(KalSource *); i++) {
        kal_source_destroy(sources->ctx, list[i]);
    }
    kal_block_clear(sources->ctx, &sources->list);
    kal_free(sources->ctx, sources, sizeof *sources);
}

KalContext *kal_sources_context(const KalSources *sources)
{
    return sources->ctx;
}

KalStatus kal_sources_add(KalSources *sources, const char *name, const char *text,
                          size_t length, const KalSource **out_source)
{
    assert(text || length == 0);
    KalSource *source = NULL;
    KAL_TRY(kal_source_create(sources->ctx, name, text, length, &source));
    const KalStatus status =
        kal_block_add(sources->ctx, &sources->list, &source, sizeof(KalSource *));
    if (status != KAL_OK) {
        kal_source_destroy(sources->ctx, source);
        return status;
    }
    *out_source = source;
    return KAL_OK;
}

void kal_sources_write(const KalSources *sources, KalSink sink)
{
    assert(sink.write);
    const KalSource *const *list = (const KalSource *const *)sources->list.data;
    for (size_t i = 0; i < sources->list.size / sizeof(KalSource *); i++) {
        char length[32];
        (void)snprintf(length, sizeof length, " %zu\n", (size_t)list[i]->length);
        sink.write(sink.user, list[i]->name, strlen(list[i]->name));
        sink.write(sink.user, length, strlen(length));
        sink.write(sink.user, list[i]->text, list[i]->length);
    }
}
