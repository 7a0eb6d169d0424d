// SPDX-License-Identifier: MIT

// A page with gaps: text up to a gap is written as it is, then the gap is filled by whoever
// knows its name.  Texts that go into scripts have no '<', so that none can end the script.

#include "report/template.h"

#include <assert.h>
#include <string.h>

static const char GAP[] = "<!--kalaba:";
static const char GAP_END[] = "-->";

static void write_quoted(void *user, const char *text, size_t length)
{
    const KalSink *sink = (const KalSink *)user;
    size_t begin = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '<') {
            sink->write(sink->user, text + begin, i - begin);
            sink->write(sink->user, "\\u003c", 6);
            begin = i + 1;
        }
    }
    sink->write(sink->user, text + begin, length - begin);
}

KalSink kal_template_quote(KalSink *sink)
{
    return (KalSink){write_quoted, sink};
}

// Where the next gap begins; the end when there is none.
static const char *find_gap(const char *text, const char *end)
{
    assert(text <= end);
    const size_t length = sizeof GAP - 1;
    for (; text + length <= end; text++) {
        if (memcmp(text, GAP, length) == 0) {
            return text;
        }
    }
    return end;
}

// Text of the template as it is, gap after gap filled.  That each gap has a filler and
// an end is known when the program is built, so that it is asserted.
void kal_template_fill(const char *text, size_t length, KalSink sink,
                       KalTemplateFill fill, void *user)
{
    const char *end = text + length;
    while (text < end) {
        const char *gap = find_gap(text, end);
        sink.write(sink.user, text, (size_t)(gap - text));
        text = gap;
        if (gap < end) {
            const char *name = gap + sizeof GAP - 1;
            const char *stop = strstr(name, GAP_END);
            assert(stop && stop <= end);
            fill(user, name, (size_t)(stop - name));
            text = stop + sizeof GAP_END - 1;
        }
    }
}
