// SPDX-License-Identifier: MIT

// Names as mathematics: Greek letters by their names, subscripts from underscores, digits,
// indices and the parts that own them, dots for primes.  Styles are bytes 1 to 6 within the
// text, which no name can have, as names are made printable first.

#include "figure/styled.h"

#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum {
    DOTS_LIMIT = 3,
    ALPHA = 0x3B1,
    CAPITAL_ALPHA = 0x391
};

// The Greek alphabet as Unicode has it; the place of the sigma that ends words is empty.
static const char *const greek[] = {"alpha",   "beta", "gamma", "delta", "epsilon",
                                    "zeta",    "eta",  "theta", "iota",  "kappa",
                                    "lambda",  "mu",   "nu",    "xi",    "omicron",
                                    "pi",      "rho",  "",      "sigma", "tau",
                                    "upsilon", "phi",  "chi",   "psi",   "omega"};

// A stretch of a name.
typedef struct Span {
    const char *text;
    size_t length;
} Span;

// What does not fit as a whole is left out.
static void add(KalStyled *styled, const char *text, size_t length)
{
    assert(styled->length < sizeof styled->text);
    const size_t room = sizeof styled->text - 1 - styled->length;
    if (length <= room) {
        memcpy(styled->text + styled->length, text, length);
        styled->length += length;
        styled->text[styled->length] = '\0';
    }
}

void kal_styled_add(KalStyled *styled, const char *text)
{
    add(styled, text, strlen(text));
}

static void add_printable(void *user, const char *text, size_t length)
{
    add((KalStyled *)user, text, length);
}

void kal_styled_add_text(KalStyled *styled, const char *text, size_t limit)
{
    kal_printable_write((KalSink){add_printable, styled}, text, limit);
}

// Whether a word is a name, perhaps with a capital.
static bool is_name(Span word, const char *name)
{
    assert(name);
    const char first = word.length > 1 ? word.text[0] : '\0';
    return strlen(name) == word.length
           && (first == name[0] || first == toupper((unsigned char)name[0]))
           && memcmp(name + 1, word.text + 1, word.length - 1) == 0;
}

// The Greek letter that a word names; 0 when it names none.
static uint32_t greek_letter(Span word)
{
    for (uint32_t i = 0; i < sizeof greek / sizeof greek[0]; i++) {
        if (*greek[i] && is_name(word, greek[i])) {
            return i + (word.text[0] == greek[i][0] ? ALPHA : CAPITAL_ALPHA);
        }
    }
    return 0;
}

static bool is_letter(unsigned char c)
{
    return isalpha(c) || c >= 0x80;
}

// Letters, digits and underscores, any letter of UTF-8 included.
static bool is_word_byte(unsigned char c)
{
    return is_letter(c) || isdigit(c) || c == '_';
}

static size_t count_characters(Span span)
{
    size_t count = 0;
    for (size_t i = 0; i < span.length; i++) {
        count += ((unsigned char)span.text[i] & 0xC0U) != 0x80U;
    }
    return count;
}

// A word: a Greek letter by its name or as it is.  Returns how many characters it shows.
static size_t add_word(KalStyled *styled, Span word)
{
    char letter[4];
    const uint32_t code = greek_letter(word);
    if (code == 0) {
        add(styled, word.text, word.length);
        return count_characters(word);
    }
    add(styled, letter, kal_utf8_print(code, letter));
    return 1;
}

// Where the letter of a word ends and its own subscript begins: at an underscore, or at
// the digits at its end.
static size_t letter_length(Span word)
{
    const char *under = memchr(word.text, '_', word.length);
    assert(word.length > 0);
    if (under && under > word.text && under < word.text + word.length - 1) {
        return (size_t)(under - word.text);
    }
    size_t end = word.length;
    while (end > 1 && isdigit((unsigned char)word.text[end - 1])) {
        end--;
    }
    return end;
}

// `[2]` or `[i,j]` or nothing at a place; its length, or 0.
static size_t indices_length(const char *text)
{
    if (text[0] != '[') {
        return 0;
    }
    const size_t inner = strspn(text + 1, "0123456789,");
    return inner > 0 && text[1 + inner] == ']' ? inner + 2 : 0;
}

// The parts of a name such as `link[2].a_max'`.
typedef struct Path {
    Span owners;  // "link[2]", may be empty
    Span word;    // "a_max"
    Span indices; // "", or without the brackets
    int primes;
} Path;

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_word_byte((unsigned char)text[length])) {
        length++;
    }
    return length;
}

// Whether a name has that form, and its parts.
static bool parse_path(const char *name, Path *out_path)
{
    Path path = {
        .owners = {name, 0}
    };
    const char *rest = name;
    for (;;) {
        path.word = (Span){rest, word_length(rest)};
        if (path.word.length == 0 || !is_letter((unsigned char)rest[0])) {
            return false;
        }
        rest += path.word.length;
        const size_t indices = indices_length(rest);
        path.indices = (Span){rest + 1, indices > 0 ? indices - 2 : 0};
        rest += indices;
        if (*rest != '.') {
            break;
        }
        path.owners.length = (size_t)(rest - name);
        rest++;
    }
    path.primes = (int)strspn(rest, "'");
    *out_path = path;
    return rest[path.primes] == '\0';
}

// Add to a subscript, with a comma between its parts.
static void add_lower(KalStyled *styled, bool *begun, Span part)
{
    if (part.length > 0) {
        kal_styled_add(styled, *begun ? "," : KAL_STYLE_LOWER);
        add_word(styled, part);
        *begun = true;
    }
}

// The owners in reading order: words and indices.
static void add_owners(KalStyled *styled, bool *begun, Span owners)
{
    assert(owners.text || owners.length == 0);
    size_t at = 0;
    while (at < owners.length) {
        size_t length = 0;
        while (at + length < owners.length
               && !strchr("[].,", owners.text[at + length])) {
            length++;
        }
        add_lower(styled, begun, (Span){owners.text + at, length});
        at += length + 1;
    }
}

// The letter with its dots, then everything else as a subscript.
static void add_path(KalStyled *styled, Path path)
{
    const size_t length = letter_length(path.word);
    const Span letter = {path.word.text, length};
    const bool under = length < path.word.length && path.word.text[length] == '_';
    const Span rest = {letter.text + length + under, path.word.length - length - under};
    const bool one = greek_letter(letter) != 0 || count_characters(letter) == 1;
    const int dots = one && path.primes <= DOTS_LIMIT ? path.primes : 0;
    bool begun = false;
    kal_styled_add(styled, one ? KAL_STYLE_ITALIC : KAL_STYLE_UPRIGHT);
    for (int i = 0; i < dots; i++) {
        kal_styled_add(styled, KAL_STYLE_DOT);
    }
    add_word(styled, letter);
    for (int i = dots; i < path.primes; i++) {
        kal_styled_add(styled, "′");
    }
    kal_styled_add(styled, KAL_STYLE_UPRIGHT);
    add_lower(styled, &begun, rest);
    add_lower(styled, &begun, path.indices);
    add_owners(styled, &begun, path.owners);
    kal_styled_add(styled, KAL_STYLE_LINE);
}

// What is meant by `reaction(rod)` and its likes.
static bool add_call(KalStyled *styled, const char *name)
{
    static const struct {
        const char *word;
        const char *letter;
    } calls[] = {
        {"reaction(", "λ"                                  },
        {"drive(",    "λ"                                  },
        {"cforce(",   "Q" KAL_STYLE_UPPER "c" KAL_STYLE_LINE},
        {"control(",  "u"                                   },
        {"energy(",   "E"                                   },
    };

    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const size_t head = strlen(calls[i].word);
        if (strncmp(name, calls[i].word, head) != 0 || name[length - 1] != ')') {
            continue;
        }
        bool begun = false;
        kal_styled_add(styled, KAL_STYLE_ITALIC);
        kal_styled_add(styled, calls[i].letter);
        kal_styled_add(styled, KAL_STYLE_UPRIGHT);
        add_lower(styled, &begun, (Span){name + head, length - head - 1});
        kal_styled_add(styled, KAL_STYLE_LINE);
        return true;
    }
    return false;
}

// A call, a path, or what is neither.
static void add_quantity(KalStyled *styled, const char *shown)
{
    Path path;
    if (add_call(styled, shown)) {
        return;
    }
    if (parse_path(shown, &path)) {
        add_path(styled, path);
    } else {
        kal_styled_add(styled, shown);
    }
}

// How much of a name is the word that says what a sweep keeps, with its bracket; 0: nothing.
static size_t kept_length(const char *name)
{
    static const char *const words[] = {"final(", "max(", "min(",
                                        "mean(",  "rms(", "when("};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t head = strlen(words[i]);
        if (strncmp(name, words[i], head) == 0 && name[length - 1] == ')') {
            return head;
        }
    }
    return 0;
}

void kal_styled_add_name(KalStyled *styled, const char *name)
{
    assert(name);
    char shown[KAL_PRINTABLE_SIZE];
    kal_printable_print(name, strlen(name), shown);
    const size_t head = kept_length(shown);
    if (head == 0) {
        add_quantity(styled, shown);
        return;
    }
    shown[strlen(shown) - 1] = '\0';
    add(styled, shown, head);
    add_quantity(styled, shown + head);
    kal_styled_add(styled, ")");
}

// The exponent after a ^: a whole number.
static size_t exponent_length(const char *text)
{
    const size_t sign = text[0] == '-';
    const size_t digits = strspn(text + sign, "0123456789");
    return digits > 0 ? sign + digits : 0;
}

// With a minus sign that is as wide as a plus.
static void add_signed(KalStyled *styled, const char *text, size_t length)
{
    const bool negative = length > 0 && text[0] == '-';
    kal_styled_add(styled, negative ? "−" : "");
    add(styled, text + negative, length - negative);
}

void kal_styled_add_unit(KalStyled *styled, const char *unit)
{
    assert(unit);
    char shown[KAL_PRINTABLE_SIZE];
    kal_printable_print(unit, strlen(unit), shown);
    for (const char *c = shown; *c;) {
        const size_t exponent = *c == '^' ? exponent_length(c + 1) : 0;
        const size_t word = word_length(c);
        if (exponent > 0) {
            kal_styled_add(styled, KAL_STYLE_UPPER);
            add_signed(styled, c + 1, exponent);
            kal_styled_add(styled, KAL_STYLE_LINE);
            c += 1 + exponent;
        } else if (word > 0) {
            const bool degree = word == 3 && strncmp(c, "deg", 3) == 0;
            add(styled, degree ? "°" : c, degree ? strlen("°") : word);
            c += word;
        } else {
            add(styled, *c == '*' ? "·" : c, *c == '*' ? strlen("·") : 1);
            c++;
        }
    }
}

void kal_styled_add_tick(KalStyled *styled, const char *text, bool power)
{
    assert(text);
    kal_styled_add(styled, power ? "10" KAL_STYLE_UPPER : "");
    add_signed(styled, text, strlen(text));
    kal_styled_add(styled, power ? KAL_STYLE_LINE : "");
}

// One byte of style.
static void change_style(KalLetters *style, char c)
{
    assert(c >= 1 && c <= 6);
    switch (c) {
    case 1: style->italic = true; break;
    case 2: style->italic = false; break;
    case 3: style->level = -1; break;
    case 4: style->level = 1; break;
    case 5: style->level = 0; break;
    default: style->dots++; break;
    }
}

static bool is_style(char c)
{
    return c >= 1 && c <= 6;
}

bool kal_styled_next(const char **rest, KalLetters *style)
{
    assert(rest && *rest && style);
    style->dots = 0;
    while (is_style(**rest)) {
        change_style(style, *(*rest)++);
    }
    style->text = *rest;
    while (**rest && !is_style(**rest)) {
        (*rest)++;
    }
    style->length = (size_t)(*rest - style->text);
    return style->length > 0;
}

// Words within a name that name Greek letters, and primes.
static void add_plain(KalStyled *styled, const char *name)
{
    for (const char *c = name; *c;) {
        size_t length = 0;
        while (isalpha((unsigned char)c[length])) {
            length++;
        }
        if (length > 0) {
            add_word(styled, (Span){c, length});
        } else {
            kal_styled_add(styled, *c == '\'' ? "′" : "");
            add(styled, c, *c != '\'');
        }
        c += length > 0 ? length : 1;
    }
}

void kal_plain_name(const char *name, bool unicode, char out_text[], size_t size)
{
    assert(name && size > 0);
    char shown[KAL_PRINTABLE_SIZE];
    KalStyled plain = {.length = 0};
    kal_printable_print(name, strlen(name), shown);
    if (unicode) {
        add_plain(&plain, shown);
    } else {
        for (const char *c = shown; *c; c++) {
            const unsigned char byte = (unsigned char)*c;
            if ((byte & 0xC0U) != 0x80U) {
                add(&plain, byte < 0x80 ? c : "?", 1);
            }
        }
    }
    const size_t length = plain.length < size ? plain.length : size - 1;
    memcpy(out_text, plain.text, length);
    out_text[length] = '\0';
}
