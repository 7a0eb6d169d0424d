// SPDX-License-Identifier: MIT

// Base 64 by the examples of RFC 4648, section 10.

#include "json/base64.h"
#include "tap.h"

#include <string.h>

typedef struct Text {
    char bytes[64];
    size_t length;
} Text;

static void add(void *user, const char *bytes, size_t length)
{
    Text *text = (Text *)user;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void the_examples_of_the_standard(void)
{
    static const char *const pairs[][2] = {
        {"",       ""        },
        {"f",      "Zg=="    },
        {"fo",     "Zm8="    },
        {"foo",    "Zm9v"    },
        {"foob",   "Zm9vYg=="},
        {"fooba",  "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const size_t length = strlen(pairs[i][0]);
        for (size_t cut = 0; cut <= length; cut++) { // in two pieces
            Text text = {.length = 0};
            KalBase64 encoder = {
                .sink = {add, &text}
            };
            kal_base64_put(&encoder, pairs[i][0], cut);
            kal_base64_put(&encoder, pairs[i][0] + cut, length - cut);
            kal_base64_end(&encoder);
            same_text(text.bytes, pairs[i][1]);
        }
    }
}

static void bytes_that_are_no_text(void)
{
    static const unsigned char bytes[] = {0xfb, 0xff, 0x00, 0x3e};
    Text text = {.length = 0};
    KalBase64 encoder = {
        .sink = {add, &text}
    };
    kal_base64_put(&encoder, bytes, sizeof bytes);
    kal_base64_end(&encoder);
    same_text(text.bytes, "+/8APg==");
}

TAP_RUN(TAP_CASE(the_examples_of_the_standard), TAP_CASE(bytes_that_are_no_text))
