// SPDX-License-Identifier: MIT

// Text for HTML: nothing in it is markup, whatever a model is called.

#include "show/html.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

// Control characters have no place in HTML, not even as references: they become U+FFFD.
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
    assert(sink.write);
    assert(text || length == 0);
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
