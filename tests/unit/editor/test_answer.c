// SPDX-License-Identifier: MIT

// What editors are answered, whatever there is memory for.

#include "allocations.h"
#include "editor/answer.h"
#include "show/page.h"

#include <stdio.h>
#include <string.h>

static const char text[] = "use planar\n"
                           "param m = 1 [kg], L = 2 [m]\n"
                           "coord x [m]\n"
                           "kinetic 1/2*m*x'^2\n"
                           "part b = Bo";

// The answer to a question about a place of the text.
static KalStatus ask(KalContext *ctx, const char *method, int line, int character,
                     KalPage *answer)
{
    char words[300];
    KalEditorMessage message;
    KalSource *source = NULL;
    KalJsonWriter writer = {.sink = kal_page_sink(answer)};
    (void)snprintf(
        words, sizeof words,
        "{\"method\": \"textDocument/%s\", \"params\": {\"textDocument\": "
        "{\"uri\": \"u\"}, \"position\": {\"line\": %d, \"character\": %d}}}",
        method, line, character);
    KalStatus status = kal_editor_message_init(&message, ctx, words, strlen(words));
    status = status == KAL_OK
                 ? kal_source_create(ctx, "m.kal", text, strlen(text), &source)
                 : status;
    if (status == KAL_OK) {
        ok(kal_editor_knows(message.method));
        status = kal_editor_answer(ctx, source, &message, &writer);
    }
    kal_source_destroy(ctx, source);
    kal_editor_message_clear(&message);
    return status == KAL_OK ? answer->status : status;
}

static void answers(const char *method, int line, int character, const char *words)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalPage page = kal_page(ctx);
    ok(ask(ctx, method, line, character, &page) == KAL_OK);
    const char *found = kal_page_text(&page);
    if (!strstr(found, words)) {
        printf("# %s at %d:%d: %.400s\n", method, line, character, found);
    }
    ok(strstr(found, words) != NULL);
    kal_page_clear(&page);
    kal_context_destroy(ctx);
}

static void places_are_answered(void)
{
    answers("hover", 3, 12, "\"contents\": \"param m [kg], line 2\"");
    answers("hover", 0, 5, "use planar, line 1");
    answers("hover", 2, 1, "coordinates: coord x [m], y [m]");
    answers("hover", 3, 9, "null"); // a number
    answers("hover", 99, 99, "null");
    answers("definition", 3, 14, "\"start\": {\"line\": 2, \"character\": 6}");
    answers("definition", 2, 1, "null");
    answers("completion", 4, 11,
            "{\"label\": \"Body\", \"kind\": 7, \"detail\": \"planar\"}");
    answers("completion", 1, 13, "\"label\": \"kN\"");
    answers("formatting", 0, 0, "part b = Bo()");
    ok(!kal_editor_knows("textDocument/rename") && !kal_editor_knows(NULL));
}

static KalStatus ask_everything(KalContext *ctx)
{
    static const char *const methods[] = {"completion", "hover", "definition",
                                          "formatting"};
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0] && status == KAL_OK;
         i++) {
        KalPage page = kal_page(ctx);
        status = ask(ctx, methods[i], 4, 11, &page);
        kal_page_clear(&page);
    }
    return status;
}

static void memory_may_end_anywhere(void)
{
    try_allocations(ask_everything);
}

TAP_RUN(TAP_CASE(places_are_answered), TAP_CASE(memory_may_end_anywhere))
