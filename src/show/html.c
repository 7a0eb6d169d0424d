// SPDX-License-Identifier: MIT

// Text for HTML: nothing in it is markup, whatever a model is called.

#include "show/html.h"

#include "base/utf8.h"

#include <string.h>

static const char *replacement_of(uint32_t code)
{
    switch (code) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\t':
    case '\n': return NULL;
    default: break;
    }
    return code < 0x20 || (code >= 0x7F && code < 0xA0) ? "\xEF\xBF\xBD" : NULL;
}

void kal_html_write(KalSink sink, const char *text, size_t length)
{
    size_t taken;
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code = 0;
        taken = kal_utf8_parse_any(text + i, length - i, &code);
        const char *replacement = replacement_of(code);
        if (replacement) {
            sink.write(sink.user, replacement, strlen(replacement));
        } else {
            char character[4];
            sink.write(sink.user, character, kal_utf8_print(code, character));
        }
    }
}
