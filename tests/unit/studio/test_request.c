// SPDX-License-Identifier: MIT

// What a page asks for.

#include "context.h"
#include "studio/request.h"
#include "tap.h"

#include <string.h>

static const char whole[] =
    "{\"client\": \"c\", \"tasks\": [\"run\", \"modes\"], \"name\": \"b/a.kal\", "
    "\"text\": \"coord x\\n\", \"set\": {\"m\": 2.5, \"link[2].k\": \"30*deg\"}, "
    "\"start\": \"x = 1\", \"near\": null, \"at\": \"x = 2\", \"seen\": \"\"}";

static void a_request_is_read(void)
{
    KalContext *ctx = new_context();
    KalStudioRequest r;
    if (ok(kal_studio_request_init(&r, ctx, whole, strlen(whole)) == KAL_OK)) {
        same_text(r.client, "c");
        same_text(r.name, "b/a.kal");
        same_text(r.text, "coord x\n");
        same_text(r.start, "x = 1");
        same_text(r.at, "x = 2");
        same_text(r.seen, "");
        ok(!r.near && r.n_set == 2);
        ok(r.tasks == (KAL_TASK_BIT(KAL_TASK_RUN) | KAL_TASK_BIT(KAL_TASK_MODES)));
        same_text(r.set[0].name, "m");
        same_text(r.set[0].value, "2.5");
        same_text(r.set[1].value, "30*deg");
    }
    kal_studio_request_clear(&r);
    kal_context_destroy(ctx);
}

static void faults_are_named(void)
{
    static const struct {
        const char *text;
        const char *message;
    } faults[] = {
        {"",                             "request:1:1: "                },
        {"[]",                           "expected an object"           },
        {"{\"text\": 1}",                "expected a string"            },
        {"{\"text\": \"a\\u0000b\"}",    "a text with a NUL"            },
        {"{}",                           "expected a text"              },
        {"{\"text\": null}",             "expected a text"              },
        {"{\"name\": \"a.kal\"}",        "expected a text"              },
        {"{\"what\": 1}",                "unknown member"               },
        {"{\"tasks\": [\"walk\"]}",      "unknown task"                 },
        {"{\"tasks\": \"run\"}",         "expected an array"            },
        {"{\"tasks\": [1]}",             "expected a task"              },
        {"{\"set\": []}",                "expected an object"           },
        {"{\"set\": {\"m\": []}}",       "expected a number or a string"},
        {"{\"drag\": {\"to\": [1]}}",    "expected two or three numbers"},
        {"{\"drag\": {\"to\": [1, 2]}}", "a drag has columns"           },
        {"{\"drag\": {\"go\": [1, 2]}}", "unknown member"               },
        {"{\"drag\": []}",               "expected an object"           },
        {"{} {}",                        "request:1:4: "                },
        {"{\"text\": \"a\"",             "request:1:13: "               },
    };

    KalContext *ctx = new_context();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        KalStudioRequest r;
        ok(kal_studio_request_init(&r, ctx, faults[i].text, strlen(faults[i].text))
           == KAL_ERR_SYNTAX);
        has_text(kal_context_message(ctx), faults[i].message);
        kal_studio_request_clear(&r);
    }
    kal_context_destroy(ctx);
}

static void too_many_settings_are_refused(void)
{
    static char text[1 << 16];
    size_t length = 0;
    KalContext *ctx = new_context();
    KalStudioRequest r;
    length += (size_t)snprintf(text, sizeof text, "{\"set\": {");
    for (int i = 0; i <= KAL_REQUEST_SETTINGS; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\"p%d\": 1",
                                   i > 0 ? ", " : "", i);
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "}}");
    ok(kal_studio_request_init(&r, ctx, text, length) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "too many parameters");
    kal_studio_request_clear(&r);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_request_is_read), TAP_CASE(faults_are_named),
        TAP_CASE(too_many_settings_are_refused))
