// SPDX-License-Identifier: MIT

// What a text declares, found by its words alone: the text need not be right, so that an editor
// knows names while somebody types.  A word begins a statement behind the end of another, behind
// a brace, and first in a line whatever is open: a bracket that was left open hides nothing.

#include "lang/declared.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// How the words of statements declare: nothing, one name, or a list of names with commas.
typedef enum Manner {
    NONE,
    ONE,
    LIST,
} Manner;

static const struct {
    const char *word;
    Manner manner;
} MANNERS[] = {
    {"param",      LIST},
    {"coord",      LIST},
    {"let",        LIST},
    {"output",     LIST},
    {"part",       LIST},
    {"constraint", ONE },
    {"servo",      ONE },
    {"actuator",   ONE },
    {"event",      ONE },
    {"state",      ONE },
    {"hold",       ONE },
    {"table",      ONE },
    {"contact",    ONE },
    {"friction",   ONE },
    {"fn",         ONE },
    {"component",  ONE },
    {"for",        ONE },
    {"use",        ONE }, // a library
};

// A walk through the tokens of a text.
typedef struct Walk {
    KalContext *ctx;
    const KalSource *source;
    KalBlock *names;
    Manner manner;       // of the statement
    const char *kind;    // its word
    bool begins;         // the next token begins a statement
    bool due;            // the next name is declared
    int depth;           // of brackets
    KalToken bracket;    // the last [ at depth 0
    KalTokenKind before; // of the token before it
    KalTokenKind last;   // of the token before this one
    KalStatus status;
} Walk;

static bool is_word(const Walk *walk, const KalToken *token, const char *word)
{
    const size_t length = strlen(word);
    return token->end - token->begin == length
           && memcmp(walk->source->text + token->begin, word, length) == 0;
}

static void begin_statement(Walk *walk, const KalToken *token)
{
    walk->manner = NONE;
    walk->due = false;
    for (size_t i = 0; i < sizeof MANNERS / sizeof MANNERS[0]; i++) {
        if (is_word(walk, token, MANNERS[i].word)) {
            walk->manner = MANNERS[i].manner;
            walk->kind = MANNERS[i].word;
            walk->due = true;
        }
    }
}

static void declare(Walk *walk, const KalToken *token)
{
    const KalDeclared name = {
        .kind = walk->kind, .begin = token->begin, .end = token->end};
    walk->due = false;
    walk->status = kal_block_add(walk->ctx, walk->names, &name, sizeof name);
}

static bool opens(KalTokenKind kind)
{
    return kind == KAL_TOKEN_LEFT_PAREN || kind == KAL_TOKEN_LEFT_BRACKET;
}

static bool closes(KalTokenKind kind)
{
    return kind == KAL_TOKEN_RIGHT_PAREN || kind == KAL_TOKEN_RIGHT_BRACKET;
}

bool kal_unit_begins(const KalToken *bracket, KalTokenKind before)
{
    return bracket->kind == KAL_TOKEN_LEFT_BRACKET && bracket->space_before
           && (before == KAL_TOKEN_NAME || before == KAL_TOKEN_WORD
               || before == KAL_TOKEN_NUMBER || before == KAL_TOKEN_PRIME
               || closes(before));
}

// A unit is that of the name before it.
static void note_unit(Walk *walk, const KalToken *end)
{
    const size_t count = walk->names->size / sizeof(KalDeclared);
    if (walk->manner == NONE || count == 0
        || !kal_unit_begins(&walk->bracket, walk->before)) {
        return;
    }
    KalDeclared *name = (KalDeclared *)walk->names->data + count - 1;
    if (walk->bracket.begin > name->begin) {
        name->unit_begin = walk->bracket.end;
        name->unit_end = end->begin;
    }
}

static bool parts_statements(KalTokenKind kind)
{
    return kind == KAL_TOKEN_END || kind == KAL_TOKEN_LEFT_BRACE
           || kind == KAL_TOKEN_RIGHT_BRACE;
}

static void step(Walk *walk, const KalToken *token)
{
    // A bracket that was left open does not hide the statements of the lines below.
    const bool anew = token->kind == KAL_TOKEN_WORD && token->first_in_line;
    if (parts_statements(token->kind)) {
        walk->begins = true;
        walk->depth = 0;
    } else if (walk->begins || anew) {
        walk->depth = 0;
        walk->begins = false;
        begin_statement(walk, token);
    } else if (opens(token->kind)) {
        if (walk->depth++ == 0) {
            walk->bracket = *token;
            walk->before = walk->last;
        }
    } else if (closes(token->kind)) {
        walk->depth -= walk->depth > 0;
        if (walk->depth == 0 && token->kind == KAL_TOKEN_RIGHT_BRACKET) {
            note_unit(walk, token);
        }
    } else if (walk->depth == 0 && token->kind == KAL_TOKEN_COMMA) {
        walk->due = walk->manner == LIST;
    } else if (walk->due
               && (token->kind == KAL_TOKEN_NAME || token->kind == KAL_TOKEN_WORD)) {
        declare(walk, token);
    }
}

KalStatus kal_declared_find(KalContext *ctx, const KalSource *source, KalBlock *names)
{
    assert(names->size == 0);
    KalDiagnostics *faults = NULL;
    KalLexer lexer;
    Walk walk = {.ctx = ctx, .source = source, .names = names, .begins = true};
    KAL_TRY(kal_diagnostics_create(ctx, &faults));
    kal_lexer_init(&lexer, source, faults);
    lexer.quiet = true;
    KalToken token = kal_lexer_step(&lexer);
    while (walk.status == KAL_OK && token.kind != KAL_TOKEN_EOF) {
        step(&walk, &token);
        walk.last = token.kind;
        token = kal_lexer_step(&lexer);
    }
    kal_diagnostics_destroy(faults);
    return walk.status;
}

// Bytes of letters beyond ASCII all belong to words here: no sign of the language is there.
static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool kal_declared_word_at(const KalSource *source, uint32_t at, KalSpan *out_word)
{
    uint32_t begin = at < source->length ? at : source->length;
    uint32_t end = begin;
    while (begin > 0 && is_part(source->text[begin - 1])) {
        begin--;
    }
    while (end < source->length && is_part(source->text[end])) {
        end++;
    }
    *out_word = (KalSpan){source, begin, end};
    return begin < end && !isdigit((unsigned char)source->text[begin]);
}
