// SPDX-License-Identifier: MIT

// LaTeX for pages of a given width.
//
// Formulas come as text of LaTeX.  Their width is estimated by reading it: functions count as
// spelled, a fraction as its wider part.  A formula that is too wide is broken before a sign
// as far outside of parentheses as possible in the second half of the line; a wide fraction is
// first turned into a product, for nothing breaks within a fraction.

#include "show/math.h"

#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <string.h>

enum {
    DEPTH_MAX = 40, // of fractions within fractions that are measured
    ROUNDS_MAX = 6, // of fractions within fractions that are broken
    DEGREE = 0xB0   // the sign
};

// What TeX would take for something else, and characters that its fonts know by other
// names; NULL for all that stands for itself.
static const char *escape_of(uint32_t code)
{
    switch (code) {
    case '\\': return "\\textbackslash{}";
    case '^': return "\\textasciicircum{}";
    case '~': return "\\textasciitilde{}";
    case '{': return "\\{";
    case '}': return "\\}";
    case '&': return "\\&";
    case '%': return "\\%";
    case '$': return "\\$";
    case '#': return "\\#";
    case '_': return "\\_";
    case '<': return "$<$";
    case '>': return "$>$";
    case '|': return "$|$";
    case '"': return "''";
    case 0x2013: return "--";
    case 0x2014: return "---";
    case 0x2018: return "`";
    case 0x2019: return "'";
    case 0x201C: return "``";
    case 0x201D: return "''";
    default: return NULL;
    }
}

// Letters that every LaTeX has are themselves; of the rest none is sure to be there.
static void put_latex_character(KalPage *page, uint32_t code, const char *bytes,
                                size_t length)
{
    const char *escape = escape_of(code);
    const char *letter = kal_latex_letter(code);
    if (escape) {
        kal_page_string(page, escape);
    } else if (letter) {
        kal_page_string(page, "$");
        kal_page_string(page, letter);
        kal_page_string(page, "$");
    } else if ((code >= 0x20 && code < 0x7F) || kal_latex_has_letter(code)) {
        kal_page_write(page, bytes, length);
    } else {
        kal_page_string(page, "?");
    }
}

void kal_math_preamble(KalPage *page)
{
    kal_page_string(page, "\\documentclass{article}\n"
                          "\\usepackage[utf8]{inputenc}\n"
                          "\\usepackage[a4paper,margin=20mm]{geometry}\n"
                          "\\usepackage{amsmath}\n"
                          "\\allowdisplaybreaks\n"
                          "\\setlength{\\parindent}{0pt}\n");
}

void kal_math_text(KalPage *page, const char *text, bool markdown)
{
    assert(page && text);
    const size_t length = strlen(text);
    size_t taken;
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code;
        taken = kal_utf8_parse_any(text + i, length - i, &code);
        if (!markdown) {
            put_latex_character(page, code, text + i, taken);
        } else if (code < 0x80 && strchr("\\`*_{}[]<>()#+-.!|$~&", (int)code)
                   && code != 0) {
            kal_page_format(page, "\\%c", (char)code);
        } else {
            char safe[KAL_ESCAPE_SIZE];
            kal_page_write(page, safe, kal_printable_print_character(code, safe));
        }
    }
}

// A number after ^, with its sign, goes in braces.
static size_t put_exponent(KalPage *page, const char *text)
{
    assert(text);
    size_t length = text[0] == '-' ? 1 : 0;
    while (isdigit((unsigned char)text[length]) || text[length] == '/') {
        length++;
    }
    kal_page_string(page, "^{");
    kal_page_write(page, text, length);
    kal_page_string(page, "}");
    return length;
}

void kal_math_unit(KalPage *page, const char *unit)
{
    const size_t length = strlen(unit);
    size_t taken;
    kal_page_string(page, "\\mathrm{");
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code;
        taken = kal_utf8_parse_any(unit + i, length - i, &code);
        if (code == '*') {
            kal_page_string(page, "\\,");
        } else if (code == '^') {
            taken += put_exponent(page, unit + i + 1);
        } else if (code < 0x80 && (isalnum((int)code) || strchr("/()", (int)code))) {
            kal_page_write(page, unit + i, taken);
        } else if (code == DEGREE) {
            kal_page_string(page, "^{\\circ}");
        } else if (kal_latex_letter(code)) {
            kal_page_format(page, "%s ", kal_latex_letter(code));
        }
    }
    kal_page_string(page, "}");
}

static size_t command_length(const char *text, size_t length)
{
    assert(length > 0 && text[0] == '\\');
    size_t n = 1;
    while (n < length && isalpha((unsigned char)text[n])) {
        n++;
    }
    return n;
}

static bool is_command(const char *text, size_t length, const char *command)
{
    assert(command);
    return length == strlen(command) && memcmp(text, command, length) == 0;
}

// Letters of a command: functions are spelled out, most others are one sign or nothing.
static size_t command_width(const char *text, size_t length)
{
    static const char *const nothing[] = {
        "\\left",  "\\right", "\\frac",   "\\dot",  "\\ddot",        "\\dddot",
        "\\begin", "\\end",   "\\mathrm", "\\text", "\\operatorname"};
    static const char *const spelled[] = {
        "\\sin",    "\\cos",    "\\tan", "\\sinh", "\\cosh", "\\tanh", "\\arcsin",
        "\\arccos", "\\arctan", "\\ln",  "\\exp",  "\\min",  "\\max"};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        if (is_command(text, length, nothing[i])) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; i++) {
        if (is_command(text, length, spelled[i])) {
            return length - 1;
        }
    }
    return 1;
}

// The end of the group that begins at text[0] = '{'.
static size_t group_length(const char *text, size_t length)
{
    assert(length > 0 && text[0] == '{');
    size_t depth = 0;
    for (size_t i = 0; i < length; i++) {
        depth += text[i] == '{';
        if (text[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return length;
}

// Signs count with the space that TeX puts around them; continuation bytes of UTF-8 and
// what makes no mark count nothing.
static size_t plain_width(char c)
{
    switch (c) {
    case '{':
    case '}':
    case '^':
    case '_':
    case '&':
    case ' ':
    case '\n': return 0;
    case '+':
    case '-':
    case '=': return 3;
    default: return ((unsigned char)c & 0xC0U) != 0x80U;
    }
}

// A fraction is as wide as the wider of its parts; `depth` bounds the recursion.
// NOLINTNEXTLINE(misc-no-recursion)
static size_t width_within(const char *text, size_t length, int depth)
{
    assert(depth >= 0 && depth <= DEPTH_MAX);
    size_t width = 0;
    size_t i = 0;
    while (i < length) {
        if (text[i] != '\\') {
            width += plain_width(text[i++]);
            continue;
        }
        const size_t n = command_length(text + i, length - i);
        width += command_width(text + i, n);
        const bool fraction = is_command(text + i, n, "\\frac") && depth < DEPTH_MAX;
        i += n > 1 ? n : 2;
        if (fraction) {
            const size_t above = group_length(text + i, length - i);
            const size_t below = group_length(text + i + above, length - i - above);
            const size_t a = width_within(text + i, above, depth + 1);
            const size_t b = width_within(text + i + above, below, depth + 1);
            width += a > b ? a : b;
            i += above + below;
        }
    }
    return width;
}

size_t kal_math_width(const char *formula, size_t length)
{
    assert(formula || length == 0);
    return width_within(formula, length, 0);
}

static bool is_sign(const char *text, size_t left)
{
    return left > 2 && text[0] == ' ' && (text[1] == '+' || text[1] == '-')
           && text[2] == ' ';
}

// A place in a formula: what is open there.
typedef struct Place {
    size_t at;
    int open;   // \left without its \right
    int groups; // braces and environments
} Place;

// Go past the next character or command.
static Place step(const char *formula, size_t length, Place p)
{
    assert(p.at < length);
    if (formula[p.at] != '\\') {
        p.groups += (formula[p.at] == '{') - (formula[p.at] == '}');
        p.at++;
        return p;
    }
    const char *text = formula + p.at;
    const size_t n = command_length(text, length - p.at);
    p.open += is_command(text, n, "\\left");
    p.open -= is_command(text, n, "\\right");
    p.groups += is_command(text, n, "\\begin");
    p.groups -= is_command(text, n, "\\end");
    p.at += n > 1 ? n : 2;
    return p;
}

// Where a line that begins at a place ends: at the end, or before a sign in its second half
// within as few parentheses as there are.
static Place line_end(const char *formula, size_t length, Place from, size_t room)
{
    assert(from.at <= length);
    Place p = from;
    Place best = {.at = from.at, .open = INT_MAX};
    size_t best_width = 0;
    while (p.at < length) {
        if (p.at > from.at && p.groups == 0 && is_sign(formula + p.at, length - p.at)) {
            const size_t width = kal_math_width(formula + from.at, p.at - from.at);
            if (width > room && best.at > from.at) {
                return best;
            }
            if (p.open <= best.open || best_width < room / 2) {
                best = p;
                best_width = width;
            }
        }
        p = step(formula, length, p);
    }
    const bool fits = kal_math_width(formula + from.at, length - from.at) <= room;
    return fits || best.at == from.at ? p : best;
}

// A line that is broken within parentheses closes them invisibly with \right. and opens
// them again in the next line, since LaTeX wants both in one.
static void put_lines(KalPage *page, const char *formula, size_t length, size_t room)
{
    Place from = {.at = 0};
    while (from.at < length) {
        const Place to = line_end(formula, length, from, room);
        assert(to.at > from.at);
        kal_page_write(page, formula + from.at, to.at - from.at);
        if (to.at < length) {
            for (int i = 0; i < to.open; i++) {
                kal_page_string(page, " \\right.");
            }
            kal_page_string(page, " \\\\\n&\\quad");
            for (int i = 0; i < to.open; i++) {
                kal_page_string(page, " \\left.");
            }
        }
        from = to;
    }
}

// Whether a formula is a sum, not a product.
static bool is_sum(const char *formula, size_t length)
{
    assert(formula || length == 0);
    Place p = {.at = 0};
    bool sum = length > 0 && formula[0] == '-';
    while (p.at < length && !sum) {
        sum = p.at > 0 && p.groups == 0 && p.open == 0
              && is_sign(formula + p.at, length - p.at);
        p = step(formula, length, p);
    }
    return sum;
}

// A part of a fraction as a factor, in parentheses where it needs them.
static void put_factor(KalPage *page, const char *text, size_t length, bool always)
{
    const bool parentheses = always || is_sum(text, length);
    kal_page_string(page, parentheses ? "\\left(" : "");
    kal_page_write(page, text, length);
    kal_page_string(page, parentheses ? "\\right)" : "");
}

// A fraction too wide for a line as 1/below × above, or as above × below^(−1), so that it
// can be broken; returns its length.
static size_t put_fraction(KalPage *page, const char *text, size_t length, size_t room,
                           bool *changed)
{
    assert(is_command(text, strlen("\\frac"), "\\frac"));
    const size_t name = strlen("\\frac");
    const size_t above = group_length(text + name, length - name);
    const size_t below = group_length(text + name + above, length - name - above);
    assert(above >= 2 && below >= 2);
    const char *inner = text + name + 1;
    const char *under = inner + above;
    const bool wide = kal_math_width(inner, above - 2) > room;
    const bool wide_below = kal_math_width(under, below - 2) > room;
    if (wide_below) {
        put_factor(page, inner, above - 2, false);
        kal_page_string(page, " ");
        put_factor(page, under, below - 2, true);
        kal_page_string(page, "^{-1}");
    } else if (wide) {
        kal_page_string(page, "\\frac{1}");
        kal_page_write(page, text + name + above, below);
        kal_page_string(page, " ");
        put_factor(page, inner, above - 2, false);
    } else {
        kal_page_write(page, text, name + above + below);
    }
    *changed = *changed || wide || wide_below;
    return name + above + below;
}

// The formula with its outermost fractions so that they can be broken.
static bool flatten(KalPage *flat, const char *formula, size_t length, size_t room)
{
    Place p = {.at = 0};
    bool changed = false;
    while (p.at < length) {
        const char *text = formula + p.at;
        const size_t n = text[0] == '\\' ? command_length(text, length - p.at) : 0;
        if (p.groups == 0 && is_command(text, n, "\\frac")) {
            p.at += put_fraction(flat, text, length - p.at, room, &changed);
        } else {
            const Place next = step(formula, length, p);
            kal_page_write(flat, text, next.at - p.at);
            p = next;
        }
    }
    return changed;
}

// Each round breaks the fractions of one more level, until none is too wide; a page
// that ran out of memory stays so.
void kal_math_lines(KalPage *page, const char *formula, size_t length, size_t room)
{
    assert(room > 0);
    KalPage flat = kal_page(page->ctx);
    kal_page_write(&flat, formula, length);
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        KalPage next = kal_page(page->ctx);
        const char *text = kal_page_text(&flat);
        changed = flatten(&next, text, strlen(text), room);
        next.status = flat.status == KAL_OK ? next.status : flat.status;
        kal_page_clear(&flat);
        flat = next;
    }
    const char *text = kal_page_text(&flat);
    put_lines(page, text, strlen(text), room);
    page->status = page->status == KAL_OK ? flat.status : page->status;
    kal_page_clear(&flat);
}
