// SPDX-License-Identifier: MIT

// The lexer: one token after the other, by the longest match, with no more state than the
// number of open brackets and the last token, which decide whether a line end ends a
// statement.
//
// Invariants: the offset never goes back and stays within the text; every step but that at
// the end of the text moves it on, so that reading ends.  Where a text is wrong the lexer
// says so once and returns a FAULT token, which covers what is wrong.

#include "lang/lexer.h"

#include "base/utf8.h"
#include "lang/letter.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const WORDS[] = {
#define KAL_WORD(name, text, function, meaning) text,
#include "lang/words.def"
};

static const char *const ALL_WORDS[] = {
#define KAL_WORD(name, text, function, meaning) text,
#define KAL_SOFT_WORD(text, function, meaning)  text,
#include "lang/words.def"
};

static const char *const MEANINGS[] = {
#define KAL_WORD(name, text, function, meaning) meaning,
#define KAL_SOFT_WORD(text, function, meaning)  meaning,
#include "lang/words.def"
};

static_assert(sizeof ALL_WORDS / sizeof ALL_WORDS[0] == KAL_ALL_WORDS,
              "a word for each");

const char *const *kal_words(void)
{
    return ALL_WORDS;
}

const char *const *kal_word_meanings(void)
{
    return MEANINGS;
}

const char *kal_word_text(KalWord word)
{
    assert(word < KAL_WORDS);
    return WORDS[word];
}

const char *kal_token_text(KalTokenKind kind)
{
    switch (kind) {
#define KAL_TOKEN(name, text, rank) \
    case KAL_TOKEN_##name:          \
        return text;
#include "lang/tokens.def"
#undef KAL_TOKEN
    }
    return "unknown";
}

void kal_lexer_init(KalLexer *lexer, const KalSource *source,
                    KalDiagnostics *diagnostics)
{
    assert(lexer && source && (source->text || source->length == 0));
    const bool marked =
        source->length >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0;
    *lexer = (KalLexer){
        .source = source,
        .diagnostics = diagnostics,
        .offset = marked ? 3 : 0, // some editors put a byte order mark first
        .last = KAL_TOKEN_END,
    };
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The byte at `ahead` of the offset; NUL, which no rule accepts, beyond the text.
static char byte_at(const KalLexer *lexer, uint32_t ahead)
{
    const KalSource *source = lexer->source;
    assert(lexer->offset <= source->length);
    const uint32_t left = source->length - lexer->offset;
    return ahead < left ? source->text[lexer->offset + ahead] : '\0';
}

static bool is_at_end(const KalLexer *lexer)
{
    return lexer->offset >= lexer->source->length;
}

// The character at the offset; 0 at the end.  Returns its bytes.
static uint32_t character_at(const KalLexer *lexer, uint32_t *out_code)
{
    assert(lexer->offset <= lexer->source->length);
    *out_code = 0;
    if (is_at_end(lexer)) {
        return 0;
    }
    return (uint32_t)kal_utf8_parse_any(lexer->source->text + lexer->offset,
                                        lexer->source->length - lexer->offset,
                                        out_code);
}

// The bytes of a letter or digit at the offset, 0 when there is none.
static uint32_t name_bytes(const KalLexer *lexer)
{
    const unsigned char byte = (unsigned char)byte_at(lexer, 0);
    if (byte < 0x80) {
        return is_digit((char)byte) || kal_letter_is(byte) ? 1 : 0;
    }
    uint32_t code;
    const uint32_t size = character_at(lexer, &code);
    return kal_letter_is(code) ? size : 0;
}

// Letters and digits.
static void skip_name(KalLexer *lexer)
{
    uint32_t size = name_bytes(lexer);
    while (size > 0) {
        lexer->offset += size;
        size = name_bytes(lexer);
    }
}

// Add a fault that reaches from `begin` to the offset.
static KalTokenKind fault(const KalLexer *lexer, uint32_t begin, const char *message)
{
    assert(begin <= lexer->offset && message);
    if (!lexer->quiet) {
        const KalSpan span = {lexer->source, begin, lexer->offset};
        kal_diagnostics_add(lexer->diagnostics, KAL_SEVERITY_ERROR, span, "%s",
                            message);
    }
    return KAL_TOKEN_FAULT;
}

// As fault, with the text at fault before the message.
static KalTokenKind fault_of(const KalLexer *lexer, uint32_t begin, const char *message)
{
    assert(begin <= lexer->offset && message);
    if (!lexer->quiet) {
        const KalSpan span = {lexer->source, begin, lexer->offset};
        char shown[KAL_PRINTABLE_SIZE];
        kal_printable_print(lexer->source->text + begin, lexer->offset - begin, shown);
        kal_diagnostics_add(lexer->diagnostics, KAL_SEVERITY_ERROR, span, "'%s' %s",
                            shown, message);
    }
    return KAL_TOKEN_FAULT;
}

// After these a line end does not end a statement: something has to follow.
bool kal_token_continues(KalTokenKind kind)
{
    switch (kind) {
    case KAL_TOKEN_AND:
    case KAL_TOKEN_OR:
    case KAL_TOKEN_NOT:
    case KAL_TOKEN_COMMA:
    case KAL_TOKEN_COLON:
    case KAL_TOKEN_DOT:
    case KAL_TOKEN_RANGE:
    case KAL_TOKEN_ARROW:
    case KAL_TOKEN_EQUALS:
    case KAL_TOKEN_TILDE:
    case KAL_TOKEN_PLUS:
    case KAL_TOKEN_MINUS:
    case KAL_TOKEN_STAR:
    case KAL_TOKEN_SLASH:
    case KAL_TOKEN_CARET:
    case KAL_TOKEN_LESS:
    case KAL_TOKEN_LESS_EQUAL:
    case KAL_TOKEN_GREATER:
    case KAL_TOKEN_GREATER_EQUAL:
    case KAL_TOKEN_EQUAL:
    case KAL_TOKEN_NOT_EQUAL: return true;
    case KAL_TOKEN_END:
    case KAL_TOKEN_EOF:
    case KAL_TOKEN_FAULT:
    case KAL_TOKEN_STUCK:
    case KAL_TOKEN_NAME:
    case KAL_TOKEN_WORD:
    case KAL_TOKEN_NUMBER:
    case KAL_TOKEN_STRING:
    case KAL_TOKEN_PRIME:
    case KAL_TOKEN_LEFT_PAREN:
    case KAL_TOKEN_RIGHT_PAREN:
    case KAL_TOKEN_LEFT_BRACKET:
    case KAL_TOKEN_RIGHT_BRACKET:
    case KAL_TOKEN_LEFT_BRACE:
    case KAL_TOKEN_RIGHT_BRACE: return false;
    }
    return false;
}

// Inside of brackets, after an operator or on an empty line it does not.
static bool line_ends_statement(const KalLexer *lexer)
{
    return lexer->open == 0 && lexer->last != KAL_TOKEN_END
           && !kal_token_continues(lexer->last);
}

// Pass over space, comments and line ends that end nothing, and note them in the token.
static void skip_space(KalLexer *lexer, KalToken *token)
{
    assert(lexer->offset <= lexer->source->length);
    for (;;) {
        const char c = byte_at(lexer, 0);
        const bool comment = c == '#';
        const bool line_end = c == '\n';
        if (!comment && !line_end && c != ' ' && c != '\t' && c != '\r') {
            return;
        }
        if (line_end && line_ends_statement(lexer)) {
            return;
        }
        token->space_before = true;
        token->first_in_line = token->first_in_line || line_end;
        while (comment && !is_at_end(lexer) && byte_at(lexer, 0) != '\n') {
            lexer->offset++;
        }
        lexer->offset += !comment;
    }
}

// Whether the stretch from `begin` to the offset is a text.
static bool has_text(const KalLexer *lexer, uint32_t begin, const char *text)
{
    assert(begin <= lexer->offset);
    const size_t length = strlen(text);
    return lexer->offset - begin == length
           && memcmp(lexer->source->text + begin, text, length) == 0;
}

// A name, a statement word, or one of and, or, not.
static KalTokenKind scan_name(KalLexer *lexer, KalToken *token)
{
    assert(name_bytes(lexer) > 0);
    const uint32_t begin = lexer->offset;
    skip_name(lexer);
    if (lexer->offset - begin > KAL_NAME_LIMIT) {
        return fault(lexer, begin, "a name of more than 255 bytes is too long");
    }
    for (KalWord word = 0; word < KAL_WORDS; word++) {
        if (WORDS[word][0] == lexer->source->text[begin]
            && has_text(lexer, begin, WORDS[word])) {
            token->word = word;
            return KAL_TOKEN_WORD;
        }
    }
    if (has_text(lexer, begin, "and")) {
        return KAL_TOKEN_AND;
    }
    if (has_text(lexer, begin, "or")) {
        return KAL_TOKEN_OR;
    }
    return has_text(lexer, begin, "not") ? KAL_TOKEN_NOT : KAL_TOKEN_NAME;
}

static void skip_digits(KalLexer *lexer)
{
    while (is_digit(byte_at(lexer, 0))) {
        lexer->offset++;
    }
}

// The point of `1..5` belongs to the range.
static KalTokenKind scan_number(KalLexer *lexer)
{
    assert(is_digit(byte_at(lexer, 0)));
    const uint32_t begin = lexer->offset;
    skip_digits(lexer);
    if (byte_at(lexer, 0) == '.' && byte_at(lexer, 1) != '.') {
        lexer->offset++;
        if (!is_digit(byte_at(lexer, 0))) {
            return fault(lexer, begin, "a digit is missing after the decimal point");
        }
        skip_digits(lexer);
    }
    const char sign = byte_at(lexer, 1);
    const bool signed_exponent = sign == '+' || sign == '-';
    if ((byte_at(lexer, 0) == 'e' || byte_at(lexer, 0) == 'E')
        && is_digit(byte_at(lexer, signed_exponent ? 2 : 1))) {
        lexer->offset += signed_exponent ? 2 : 1;
        skip_digits(lexer);
    }
    if (name_bytes(lexer) > 0) {
        skip_name(lexer);
        return fault_of(lexer, begin,
                        "is neither a number nor a name; a product is written with *");
    }
    if (lexer->offset - begin > KAL_NUMBER_LIMIT) {
        return fault(lexer, begin, "a number of more than 255 characters is too long");
    }
    return KAL_TOKEN_NUMBER;
}

// One character of a text in quotes; what is wrong with it, or NULL.
static const char *scan_string_character(KalLexer *lexer)
{
    uint32_t code;
    const uint32_t size = character_at(lexer, &code);
    if (size == 0 || code == '\n') {
        return "a text in quotes has to end, with \", in its line";
    }
    if (code == '\\') {
        const char next = byte_at(lexer, 1);
        lexer->offset += 2;
        return next == '"' || next == '\\'
                   ? NULL
                   : "in a text, \\ stands before \" or another \\ only";
    }
    lexer->offset += size;
    return (code < 0x20 && code != '\t') || code == 0x7f
               ? "a text in quotes may not have control characters"
               : NULL;
}

// A text in quotes, within its line.
static KalTokenKind scan_string(KalLexer *lexer)
{
    assert(byte_at(lexer, 0) == '"');
    const uint32_t begin = lexer->offset;
    lexer->offset++;
    while (byte_at(lexer, 0) != '"') {
        const char *wrong = scan_string_character(lexer);
        if (lexer->offset > lexer->source->length) {
            lexer->offset = lexer->source->length; // a backslash was last
        }
        if (wrong) {
            return fault(lexer, begin, wrong);
        }
    }
    lexer->offset++;
    if (lexer->offset - begin > KAL_STRING_LIMIT) {
        return fault(lexer, begin, "a text of more than 1023 bytes is too long");
    }
    return KAL_TOKEN_STRING;
}

typedef struct Sign {
    char text[3];
    KalTokenKind kind;
} Sign;

// Longer signs first.
static const Sign SIGNS[] = {
    {"..", KAL_TOKEN_RANGE        },
    {"->", KAL_TOKEN_ARROW        },
    {"<=", KAL_TOKEN_LESS_EQUAL   },
    {">=", KAL_TOKEN_GREATER_EQUAL},
    {"==", KAL_TOKEN_EQUAL        },
    {"!=", KAL_TOKEN_NOT_EQUAL    },
    {"'",  KAL_TOKEN_PRIME        },
    {"(",  KAL_TOKEN_LEFT_PAREN   },
    {")",  KAL_TOKEN_RIGHT_PAREN  },
    {"[",  KAL_TOKEN_LEFT_BRACKET },
    {"]",  KAL_TOKEN_RIGHT_BRACKET},
    {"{",  KAL_TOKEN_LEFT_BRACE   },
    {"}",  KAL_TOKEN_RIGHT_BRACE  },
    {",",  KAL_TOKEN_COMMA        },
    {":",  KAL_TOKEN_COLON        },
    {".",  KAL_TOKEN_DOT          },
    {"=",  KAL_TOKEN_EQUALS       },
    {"~",  KAL_TOKEN_TILDE        },
    {"+",  KAL_TOKEN_PLUS         },
    {"-",  KAL_TOKEN_MINUS        },
    {"*",  KAL_TOKEN_STAR         },
    {"/",  KAL_TOKEN_SLASH        },
    {"^",  KAL_TOKEN_CARET        },
    {"<",  KAL_TOKEN_LESS         },
    {">",  KAL_TOKEN_GREATER      },
    {";",  KAL_TOKEN_END          },
    {"\n", KAL_TOKEN_END          },
};

// A character that begins no token; many have a plain one that is meant.
static KalTokenKind scan_foreign(KalLexer *lexer)
{
    assert(!is_at_end(lexer));
    const uint32_t begin = lexer->offset;
    uint32_t code;
    lexer->offset += character_at(lexer, &code);
    if (lexer->quiet) {
        return KAL_TOKEN_FAULT;
    }
    const KalSpan span = {lexer->source, begin, lexer->offset};
    const char *advice = kal_letter_advice(code);
    char shown[KAL_ESCAPE_SIZE];
    char number[32] = "";
    kal_printable_print_character(code, shown);
    if (code > 0x7e) { // which may look like another one
        snprintf(number, sizeof number, " (U+%04X)", (unsigned)code);
    }
    kal_diagnostics_add(lexer->diagnostics, KAL_SEVERITY_ERROR, span,
                        "'%s'%s has no meaning in a model%s%s", shown, number,
                        advice ? "; " : "", advice ? advice : "");
    return KAL_TOKEN_FAULT;
}

// Signs of other languages that would be read as two of ours, and what to write.
static const char *find_habit(const KalLexer *lexer)
{
    static const char *const habits[][2] = {
        {"**", "is no operator; write ^ for a power"                   },
        {"//", "is no operator; a comment begins with #"               },
        {"/*", "is no operator; a comment begins with #"               },
        {"*/", "is no operator; a comment begins with #"               },
        {".*", "is no operator; write * for a product, dot for vectors"},
        {"./", "is no operator; write / for a quotient"                },
        {".^", "is no operator; write ^ for a power"                   },
        {":=", "is no operator; write = for what a name stands for"    },
    };
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++) {
        if (habits[i][0][0] == byte_at(lexer, 0)
            && habits[i][0][1] == byte_at(lexer, 1)) {
            return habits[i][1];
        }
    }
    return NULL;
}

// Operators and brackets.
static KalTokenKind scan_sign(KalLexer *lexer)
{
    const char *habit = find_habit(lexer);
    if (habit) {
        lexer->offset += 2;
        return fault_of(lexer, lexer->offset - 2, habit);
    }
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        const char *text = SIGNS[i].text;
        if (text[0] == byte_at(lexer, 0)
            && (text[1] == '\0' || text[1] == byte_at(lexer, 1))) {
            lexer->offset += text[1] == '\0' ? 1 : 2;
            return SIGNS[i].kind;
        }
    }
    return scan_foreign(lexer);
}

// By the first character.
static KalTokenKind scan(KalLexer *lexer, KalToken *token)
{
    if (is_at_end(lexer)) {
        return KAL_TOKEN_EOF;
    }
    const char c = byte_at(lexer, 0);
    if (is_digit(c)) {
        return scan_number(lexer);
    }
    if (c == '.' && is_digit(byte_at(lexer, 1))) {
        const uint32_t begin = lexer->offset++;
        skip_name(lexer);
        return fault(lexer, begin, "a digit is missing before the decimal point");
    }
    if (name_bytes(lexer) > 0) {
        return scan_name(lexer, token);
    }
    return c == '"' ? scan_string(lexer) : scan_sign(lexer);
}

// Braces do not count: statements in them end at line ends.
static void count_brackets(KalLexer *lexer, KalTokenKind kind)
{
    if (kind == KAL_TOKEN_LEFT_PAREN || kind == KAL_TOKEN_LEFT_BRACKET) {
        lexer->open++;
    }
    if ((kind == KAL_TOKEN_RIGHT_PAREN || kind == KAL_TOKEN_RIGHT_BRACKET)
        && lexer->open > 0) {
        lexer->open--;
    }
}

KalToken kal_lexer_step(KalLexer *lexer)
{
    KalToken token = {.first_in_line = lexer->offset == 0};
    if (lexer->offset > 0 && lexer->source->text[lexer->offset - 1] == '\n') {
        token.first_in_line = true; // that line end was a token
    }
    skip_space(lexer, &token);
    token.begin = lexer->offset;
    token.kind = scan(lexer, &token);
    token.end = lexer->offset;
    assert(token.end <= lexer->source->length);
    assert(token.end > token.begin || token.kind == KAL_TOKEN_EOF);
    count_brackets(lexer, token.kind);
    lexer->last = token.kind;
    return token;
}
