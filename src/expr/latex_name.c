// SPDX-License-Identifier: MIT

// Names of the model language in LaTeX.  A name is a path of words with indices, and
// primes at its end: `link[2].a_max'`.  The last word is the letter that shows; the rest
// of it and the owners become subscripts.

#include "base/utf8.h"
#include "expr/print_impl.h"

#include <ctype.h>
#include <string.h>

typedef struct Span {
    const char *text;
    size_t length;
} Span;

typedef struct Greek {
    const char *word; // also the command
    uint32_t small;   // the character
    uint32_t capital; // 0 if the command of the capital is a Latin letter
} Greek;

static const Greek GREEK[] = {
    {"alpha",   0x3B1, 0    },
    {"beta",    0x3B2, 0    },
    {"gamma",   0x3B3, 0x393},
    {"delta",   0x3B4, 0x394},
    {"epsilon", 0x3B5, 0    },
    {"zeta",    0x3B6, 0    },
    {"eta",     0x3B7, 0    },
    {"theta",   0x3B8, 0x398},
    {"iota",    0x3B9, 0    },
    {"kappa",   0x3BA, 0    },
    {"lambda",  0x3BB, 0x39B},
    {"mu",      0x3BC, 0    },
    {"nu",      0x3BD, 0    },
    {"xi",      0x3BE, 0x39E},
    {"pi",      0x3C0, 0x3A0},
    {"rho",     0x3C1, 0    },
    {"sigma",   0x3C3, 0x3A3},
    {"tau",     0x3C4, 0    },
    {"upsilon", 0x3C5, 0x3A5},
    {"phi",     0x3C6, 0x3A6},
    {"chi",     0x3C7, 0    },
    {"psi",     0x3C8, 0x3A8},
    {"omega",   0x3C9, 0x3A9},
};

enum {
    GREEK_COUNT = sizeof GREEK / sizeof GREEK[0]
};

static void print_command(KalPrinter *p, const char *word, bool capital)
{
    const char first = (char)(capital ? toupper((unsigned char)word[0]) : word[0]);
    kal_print_string(p, "\\");
    kal_print_write(p, &first, 1);
    kal_print_string(p, word + 1);
}

// Whether the span spells the letter: its word or its character; capitals have the
// capital first.
static bool is_letter(Span s, const Greek *letter, bool capital)
{
    const uint32_t wanted = capital ? letter->capital : letter->small;
    uint32_t code = 0;
    if (wanted == 0) {
        return false;
    }
    if (kal_utf8_parse(s.text, s.length, &code) == s.length && code == wanted) {
        return true;
    }
    const int first = (unsigned char)letter->word[0];
    return s.length == strlen(letter->word)
           && s.text[0] == (capital ? toupper(first) : first)
           && memcmp(s.text + 1, letter->word + 1, s.length - 1) == 0;
}

static bool print_greek(KalPrinter *p, Span s)
{
    for (int i = 0; i < 2 * GREEK_COUNT; i++) {
        const bool capital = i >= GREEK_COUNT;
        const Greek *letter = &GREEK[i % GREEK_COUNT];
        if (is_letter(s, letter, capital)) {
            print_command(p, letter->word, capital);
            return true;
        }
    }
    return false;
}

// Letters that LaTeX would obey are escaped; a name has no others than underscores.
static void print_upright(KalPrinter *p, Span s)
{
    kal_print_string(p, "\\mathrm{");
    for (size_t i = 0; i < s.length; i++) {
        kal_print_string(p, s.text[i] == '_' ? "\\" : "");
        kal_print_write(p, s.text + i, 1);
    }
    kal_print_string(p, "}");
}

static bool is_number(Span s)
{
    for (size_t i = 0; i < s.length; i++) {
        if (!isdigit((unsigned char)s.text[i])) {
            return false;
        }
    }
    return true;
}

static void print_word(KalPrinter *p, Span s)
{
    if (print_greek(p, s)) {
        return;
    }
    if (s.length == 1 || is_number(s)) {
        kal_print_write(p, s.text, s.length);
    } else {
        print_upright(p, s);
    }
}

// Where the letter of a word ends and its own subscript begins: at an underscore, or at
// the digits at the end of a Latin or Greek letter.
static size_t letter_length(Span s)
{
    const char *under = memchr(s.text, '_', s.length);
    if (under && under > s.text && under < s.text + s.length - 1) {
        return (size_t)(under - s.text);
    }
    size_t end = s.length;
    while (end > 1 && isdigit((unsigned char)s.text[end - 1])) {
        end--;
    }
    return end;
}

typedef struct Subscripts {
    KalPrinter *p;
    int n;
} Subscripts;

static void add_subscript(Subscripts *subs, Span s)
{
    if (s.length > 0) {
        kal_print_string(subs->p, subs->n == 0 ? "_{" : ",");
        print_word(subs->p, s);
        subs->n++;
    }
}

// The indices that follow a word: `[2]`, `[i,j]`.
static void add_indices(Subscripts *subs, const char *text, const char *end)
{
    while (text < end) {
        const size_t length = strcspn(text, "[],");
        const size_t within = text + length > end ? (size_t)(end - text) : length;
        add_subscript(subs, (Span){text, within});
        text += within + 1;
    }
}

static const char *word_end(const char *text, const char *end)
{
    while (text < end && *text != '[' && *text != '.') {
        text++;
    }
    return text;
}

// Owners in reading order: each word, then its indices.
static void add_owners(Subscripts *subs, const char *text, const char *end)
{
    while (text < end) {
        const char *stop = word_end(text, end);
        add_subscript(subs, (Span){text, (size_t)(stop - text)});
        const char *dot = stop;
        while (dot < end && *dot != '.') {
            dot++;
        }
        add_indices(subs, stop, dot);
        text = dot + 1;
    }
}

static const char *last_dot(const char *text, const char *end)
{
    for (const char *c = end; c > text; c--) {
        if (c[-1] == '.') {
            return c - 1;
        }
    }
    return NULL;
}

void kal_latex_name(KalPrinter *p, const char *name)
{
    static const char *const dots[] = {"", "\\dot{", "\\ddot{", "\\dddot{"};
    const char *end = name + strlen(name);
    int primes = 0;
    while (end > name && end[-1] == '\'' && primes < 3) {
        end--;
        primes++;
    }
    const char *dot = last_dot(name, end);
    const char *word = dot ? dot + 1 : name;
    const char *stop = word_end(word, end);
    const Span whole = {word, (size_t)(stop - word)};
    const size_t letter = whole.length == 0 ? 0 : letter_length(whole);
    kal_print_string(p, dots[primes]);
    if (letter > 0) {
        print_word(p, (Span){word, letter});
    }
    kal_print_string(p, primes > 0 ? "}" : "");
    Subscripts subs = {p, 0};
    const size_t skip = letter < whole.length && word[letter] == '_';
    add_subscript(&subs, (Span){word + letter + skip, whole.length - letter - skip});
    add_indices(&subs, stop, end);
    if (dot) {
        add_owners(&subs, name, dot);
    }
    kal_print_string(p, subs.n > 0 ? "}" : "");
}
