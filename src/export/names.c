// SPDX-License-Identifier: MIT

// Identifiers: characters are replaced one by one, then words that are taken get an ending.

#include "export/names.h"

#include "base/utf8.h"
#include "print/print.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Words of C99, and of C11 and C++, so that headers can be used there; macros of <math.h>,
// <float.h> and <stddef.h>; functions of the C library that formulas call; names that
// exported functions have for themselves.
static const char *const TAKEN[] = {
    "alignas",    "alignof",     "and",       "asm",        "auto",     "bool",
    "break",      "case",        "catch",     "char",       "class",    "const",
    "continue",   "default",     "delete",    "do",         "double",   "else",
    "enum",       "explicit",    "export",    "extern",     "false",    "float",
    "for",        "friend",      "goto",      "if",         "inline",   "int",
    "long",       "mutable",     "namespace", "new",        "not",      "operator",
    "or",         "private",     "protected", "public",     "register", "restrict",
    "return",     "short",       "signed",    "sizeof",     "static",   "struct",
    "switch",     "template",    "this",      "throw",      "true",     "try",
    "typedef",    "typename",    "union",     "unsigned",   "using",    "virtual",
    "void",       "volatile",    "while",     "xor",        "asin",     "acos",
    "atan",       "atan2",       "ceil",      "cos",        "cosh",     "erf",
    "exp",        "fabs",        "floor",     "fmod",       "hypot",    "isfinite",
    "isnan",      "isunordered", "log",       "main",       "pow",      "sin",
    "sinh",       "sqrt",        "tan",       "tanh",       "NAN",      "INFINITY",
    "HUGE_VAL",   "NULL",        "real",      "answer",     "both",     "c",
    "choose",     "either",      "greater",   "is_at_most", "is_equal", "is_less",
    "is_unequal", "lesser",      "linux",     "logarithm",  "modulo",   "negation",
    "out",        "power",       "power_of",  "quotient",   "sign_of",  "state",
    "unix",       "wave",        "where",     "work",       "params",   "errno",
    "limited",    "table_value", "TABLES",    "along",
};

enum {
    N_TAKEN = sizeof TAKEN / sizeof TAKEN[0],
    LETTER_SIZE = 24
};

static bool is_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

// Names of temporary values: v1, s2, c3; and what C keeps for itself.
static bool is_taken(const char *name)
{
    for (int i = 0; i < N_TAKEN; i++) {
        if (strcmp(name, TAKEN[i]) == 0) {
            return true;
        }
    }
    const bool own = (name[0] == 'v' || name[0] == 's' || name[0] == 'c')
                     && name[1] != '\0'
                     && strspn(name + 1, "0123456789") == strlen(name + 1);
    return own || strncmp(name, "M_", 2) == 0 || strncmp(name, "FP_", 3) == 0;
}

// One character in letters of C: as it is, the name of a Greek letter, or its number; what is
// no letter becomes an underscore, or nothing at the end of a name.
static void print_letter(uint32_t code, bool last, char out_text[LETTER_SIZE])
{
    const char *math = code < 0x80 ? NULL : kal_latex_letter(code);
    if (is_letter(code) || is_digit(code) || code == '_') {
        out_text[0] = (char)code;
        out_text[1] = '\0';
    } else if (math) {
        (void)snprintf(out_text, LETTER_SIZE, "%s", math[0] == '\\' ? math + 1 : math);
    } else if (code < 0x80) {
        (void)snprintf(out_text, LETTER_SIZE, "%s", last ? "" : "_");
    } else {
        (void)snprintf(out_text, LETTER_SIZE, "u%x", (unsigned)code);
    }
}

// Underscores that follow each other become one: C++ keeps two of them for itself.
static void append(char *text, size_t *length, const char *letters)
{
    for (const char *c = letters; *c != '\0'; c++) {
        const bool again = *c == '_' && *length > 0 && text[*length - 1] == '_';
        if (!again
            && (is_letter((unsigned char)*c) || is_digit((unsigned char)*c)
                || *c == '_')) {
            text[(*length)++] = *c;
        }
    }
}

static char *spell(KalArena *arena, const char *name, const char *ending)
{
    const size_t size = strlen(name);
    char *text =
        kal_arena_alloc(arena, (size + 1) * LETTER_SIZE + strlen(ending) + 4, 1);
    size_t length = 0;
    if (!text) {
        return NULL;
    }
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        char letters[LETTER_SIZE];
        at += kal_utf8_parse_any(name + at, size - at, &code);
        print_letter(code, at == size, letters);
        if (length == 0 && !is_letter(code) && code < 0x80) {
            append(text, &length, "m_"); // a leading digit or underscore
        }
        append(text, &length, letters);
    }
    append(text, &length, length == 0 ? "m" : "");
    append(text, &length, ending);
    return text;
}

const char *kal_c_identifier(KalArena *arena, const char *name)
{
    assert(arena && name);
    char *text = spell(arena, name, "");
    if (text && is_taken(text)) {
        text[strlen(text)] = '_';
    }
    return text;
}

static bool stands_before(const char *text, const char *const *names, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(text, names[i]) == 0;
    }
    return found;
}

// A name that is taken gets a number that none before it has.
static const char *make_own(KalArena *arena, char *text, const char *const *before,
                            size_t count)
{
    const size_t length = strlen(text);
    char *own = kal_arena_alloc(arena, length + LETTER_SIZE, 1);
    if (!own) {
        return NULL;
    }
    (void)snprintf(own, length + LETTER_SIZE, "%s_", text);
    for (unsigned number = 2; stands_before(own, before, count); number++) {
        (void)snprintf(own, length + LETTER_SIZE, "%s_%u", text, number);
    }
    return own;
}

bool kal_c_identifiers(KalArena *arena, const char *const *names, size_t count,
                       const char *ending, const char **out_names, size_t n_before)
{
    for (size_t i = 0; i < count; i++) {
        const size_t n = n_before + i;
        char *text = spell(arena, names[i], ending);
        out_names[n] = text;
        if (text && (is_taken(text) || stands_before(text, out_names, n))) {
            out_names[n] = make_own(arena, text, out_names, n);
        }
        if (!out_names[n]) {
            return false;
        }
    }
    return true;
}
