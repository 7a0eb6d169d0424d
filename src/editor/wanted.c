// SPDX-License-Identifier: MIT

#include "editor/wanted.h"

#include "lang/declared.h"

#include <assert.h>
#include <string.h>

// What the tokens up to a place leave open.
typedef struct Sight {
    bool begins; // a statement may begin
    bool unit;   // within the brackets of one
    int depth;   // of brackets
    KalToken last;
} Sight;

static void step(Sight *sight, const KalToken *token)
{
    // A bracket that was left open does not hide the statements of the lines below.
    const bool anew = token->kind == KAL_TOKEN_WORD && token->first_in_line;
    const KalTokenKind kind = token->kind;
    if (kind == KAL_TOKEN_LEFT_PAREN || kind == KAL_TOKEN_LEFT_BRACKET) {
        sight->unit |= sight->depth++ == 0 && kal_unit_begins(token, sight->last.kind);
    } else if (kind == KAL_TOKEN_RIGHT_PAREN || kind == KAL_TOKEN_RIGHT_BRACKET) {
        sight->depth -= sight->depth > 0;
    }
    sight->begins = kind == KAL_TOKEN_END || kind == KAL_TOKEN_LEFT_BRACE
                    || kind == KAL_TOKEN_RIGHT_BRACE;
    sight->depth = sight->begins || anew ? 0 : sight->depth;
    sight->unit = sight->unit && sight->depth > 0;
    sight->last = *token;
}

static uint32_t line_begin(const KalSource *source, uint32_t at)
{
    while (at > 0 && source->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

// Whether a comment begins between the last token and the place, in its line.
static bool in_comment(const KalSource *source, const Sight *sight, uint32_t at)
{
    const uint32_t line = line_begin(source, at);
    const uint32_t from = sight->last.end > line ? sight->last.end : line;
    return at > from && memchr(source->text + from, '#', at - from);
}

static bool in_quotes(const KalSource *source, const Sight *sight, uint32_t at)
{
    const KalToken *last = &sight->last;
    return last->begin < at && at < last->end + (last->kind == KAL_TOKEN_FAULT)
           && source->text[last->begin] == '"';
}

static bool is_first_in_line(const KalSource *source, uint32_t at)
{
    uint32_t line = line_begin(source, at);
    while (line < at && (source->text[line] == ' ' || source->text[line] == '\t')) {
        line++;
    }
    return line == at;
}

static unsigned judge(const KalSource *source, const Sight *sight, uint32_t at)
{
    if (in_quotes(source, sight, at) || in_comment(source, sight, at)) {
        return KAL_WANTED_NOTHING;
    }
    if (sight->begins) {
        return KAL_WANTED_STATEMENTS;
    }
    if (sight->depth > 0 && is_first_in_line(source, at)) {
        return KAL_WANTED_STATEMENTS | KAL_WANTED_NAMES; // was the bracket left open?
    }
    return sight->unit ? KAL_WANTED_UNITS : KAL_WANTED_NAMES;
}

KalStatus kal_wanted_find(KalContext *ctx, const KalSource *source, uint32_t at,
                          unsigned *out_wanted)
{
    assert(at <= source->length);
    KalDiagnostics *faults = NULL;
    KalLexer lexer;
    Sight sight = {.begins = true};
    KAL_TRY(kal_diagnostics_create(ctx, &faults));
    kal_lexer_init(&lexer, source, faults);
    lexer.quiet = true;
    KalToken token = kal_lexer_step(&lexer);
    while (token.kind != KAL_TOKEN_EOF && token.begin < at) {
        step(&sight, &token);
        token = kal_lexer_step(&lexer);
    }
    *out_wanted = judge(source, &sight, at);
    kal_diagnostics_destroy(faults);
    return KAL_OK;
}
