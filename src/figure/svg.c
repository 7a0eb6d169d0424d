// SPDX-License-Identifier: MIT

// Colors stay where cairo put them, in attributes that every program reads.  For dark pages
// there are rules of CSS that choose elements by these attributes.  How a color is spelled
// depends on the version of cairo, so the spelling is taken from the text itself.

#include "figure/svg.h"

#include "base/utf8.h"
#include "figure/theme.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SPELLING_SIZE = 64 // of a color
};

static const char digits[] = "0123456789";

static void put(KalSink sink, const char *text)
{
    sink.write(sink.user, text, strlen(text));
}

// A text of the user's within an element.
static void put_text(KalSink sink, const char *text)
{
    assert(text);
    char shown[KAL_ESCAPE_SIZE];
    const size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        i += kal_utf8_parse_any(text + i, length - i, &code);
        switch (code) {
        case '<': put(sink, "&lt;"); break;
        case '>': put(sink, "&gt;"); break;
        case '&': put(sink, "&amp;"); break;
        default:
            sink.write(sink.user, shown, kal_printable_print_character(code, shown));
            break;
        }
    }
}

// The number, in percent, that begins at a place; a part of 255, or -1.
static int read_percent(const char **text)
{
    assert(text && *text);
    double value = 0.0;
    double unit = 1.0;
    bool point = false;
    *text += strspn(*text, " ,");
    const char *begin = *text;
    for (; (**text >= '0' && **text <= '9') || **text == '.'; (*text)++) {
        if (**text == '.') {
            point = true;
        } else {
            value = 10.0 * value + (**text - '0');
            unit *= point ? 10.0 : 1.0;
        }
    }
    if (*text == begin || **text != '%') {
        return -1;
    }
    (*text)++;
    return (int)lround(value / unit * 2.55);
}

// The ink that has a color of the form `rgb(0%,44.7%,69.8%)`; KAL_INKS for none.
static int ink_of(const char *spelling)
{
    assert(strncmp(spelling, "rgb(", 4) == 0);
    const char *rest = spelling + strlen("rgb(");
    int parts[3];
    for (int i = 0; i < 3; i++) {
        parts[i] = read_percent(&rest);
        if (parts[i] < 0 || parts[i] > 255) {
            return KAL_INKS;
        }
    }
    const uint32_t color =
        (uint32_t)parts[0] << 16 | (uint32_t)parts[1] << 8 | (uint32_t)parts[2];
    for (int i = KAL_INK_TEXT; i < KAL_INKS; i++) {
        if (kal_ink_color((KalInk)i, false) == color) {
            return i;
        }
    }
    return KAL_INKS;
}

// For elements that cairo styles either way: by a style attribute or by plain ones.
static void put_rule(KalSink sink, const char *property, const char *spelling,
                     uint32_t color)
{
    assert(property && spelling);
    char rule[4 * SPELLING_SIZE];
    (void)snprintf(rule, sizeof rule,
                   "[style*=\"%s:%s\"],[%s=\"%s\"]{%s:#%06x!important}\n", property,
                   spelling, property, spelling, property, (unsigned)color);
    put(sink, rule);
}

// A rule for every ink that occurs.
static void put_rules(const char *text, const char *end, KalSink sink)
{
    assert(text <= end);
    bool seen[KAL_INKS + 1] = {[KAL_INKS] = true};
    put(sink, "<style>@media (prefers-color-scheme:dark){\n");
    for (const char *at = strstr(text, "rgb("); at && at < end;
         at = strstr(at + 1, "rgb(")) {
        const size_t length = strcspn(at, ")") + 1;
        char spelling[SPELLING_SIZE];
        if (length >= SPELLING_SIZE) {
            continue;
        }
        (void)snprintf(spelling, sizeof spelling, "%.*s", (int)length, at);
        const int ink = ink_of(spelling);
        if (!seen[ink]) {
            const uint32_t color = kal_ink_color((KalInk)ink, true);
            put_rule(sink, "fill", spelling, color);
            put_rule(sink, "stroke", spelling, color);
            seen[ink] = true;
        }
    }
    put(sink, "}</style>\n");
}

// The last place of the end tag.
static const char *find_end(const char *text)
{
    const char *end = NULL;
    for (const char *at = strstr(text, "</svg>"); at; at = strstr(at + 1, "</svg>")) {
        end = at;
    }
    return end;
}

// The body without the name that cairo gives to its outermost group: it is a number that
// grows with every surface of the program, and of no use.
static void put_body(KalSink sink, const char *begin, const char *end)
{
    assert(begin <= end);
    static const char mark[] = " id=\"surface";
    const char *name = strstr(begin, mark);
    if (name && name < end) {
        const char *rest = name + strlen(mark) + strspn(name + strlen(mark), digits);
        sink.write(sink.user, begin, (size_t)(name - begin));
        begin = *rest == '"' ? rest + 1 : name;
    }
    sink.write(sink.user, begin, (size_t)(end - begin));
}

static void write_parts(const char *text, bool follow, const char *title, KalSink sink)
{
    const char *end = find_end(text);
    assert(end);
    const char *inside = strchr(strstr(text, "<svg"), '>') + 1;
    sink.write(sink.user, text, (size_t)(inside - text));
    if (*title) {
        put(sink, "\n<title>");
        put_text(sink, title);
        put(sink, "</title>");
    }
    put_body(sink, inside, end);
    if (follow) {
        put_rules(text, end, sink);
    }
    put(sink, end);
}

KalStatus kal_svg_write(KalContext *ctx, KalBlock *svg, bool follow, const char *title,
                        KalSink sink)
{
    assert(ctx && svg && title && sink.write);
    KAL_TRY(kal_block_add(ctx, svg, "", 1));
    const char *text = (const char *)svg->data;
    const char *head = strstr(text, "<svg");
    if (!head || !strchr(head, '>') || !find_end(head)) {
        return kal_fail(ctx, KAL_ERR_FILE, "cairo made no SVG");
    }
    write_parts(text, follow, title, sink);
    return KAL_OK;
}
