// SPDX-License-Identifier: MIT

/// @file
/// Tokens: the words and signs of a model text, one at a time.
///
/// The lexer decides where statements end.  The end of a line gives an END token, except
/// inside ( ) and [ ], after an operator or comma, and where no statement has begun; a
/// semicolon always gives one.  It also keeps what the parser needs to tell a unit from
/// an index: whether space stands before a token.
///
/// A lexer is a plain struct and holds nothing: a copy of it looks ahead.

#ifndef LANG_LEXER_H
#define LANG_LEXER_H

#include "base/diagnostic.h"

#include <stdbool.h>

enum {
    KAL_NAME_LIMIT = 255,    ///< bytes of a name
    KAL_NUMBER_LIMIT = 255,  ///< characters of a number
    KAL_STRING_LIMIT = 1023, ///< bytes of a text in quotes, as written
};

/// The kind of a token.
typedef enum KalTokenKind {
#define KAL_TOKEN(name, text, rank) KAL_TOKEN_##name,
#include "lang/tokens.def"
#undef KAL_TOKEN
} KalTokenKind;

/// A word that begins a statement.
typedef enum KalWord {
#define KAL_WORD(name, text, function, meaning) KAL_WORD_##name,
#include "lang/words.def"
    KAL_WORDS ///< how many there are
} KalWord;

enum {
    KAL_ALL_WORDS = KAL_WORDS
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define KAL_SOFT_WORD(text, function, meaning) +1
#include "lang/words.def"
        , ///< those that are words only where a statement begins included
};

/// One token; its text is that of the source from `begin` to `end`.
typedef struct KalToken {
    KalTokenKind kind;
    KalWord word; ///< of a WORD
    uint32_t begin;
    uint32_t end;
    bool space_before;  ///< space, a comment or the end of a line
    bool first_in_line; ///< no token before it in its line
} KalToken;

/// Where reading has come to.
typedef struct KalLexer {
    const KalSource *source;
    KalDiagnostics *diagnostics;
    uint32_t offset;
    uint32_t open;     ///< brackets ( and [ that are open
    KalTokenKind last; ///< of the token before
    bool quiet;        ///< faults are not added to the diagnostics
} KalLexer;

/// Begin with a text that is valid UTF-8; both are borrowed.
void kal_lexer_init(KalLexer *lexer, const KalSource *source,
                    KalDiagnostics *diagnostics);

/// The next token.  At the end of the text it is EOF, again and again.  What is no token
/// gives a FAULT, which was then added to the diagnostics.
KalToken kal_lexer_step(KalLexer *lexer);

/// Whether it is an operator or comma, after which a line may end and its statement go on.
bool kal_token_continues(KalTokenKind kind);

/// What a kind of token is called: "a name", "'('".
const char *kal_token_text(KalTokenKind kind);

/// How a statement word is spelled.
const char *kal_word_text(KalWord word);

/// All of them, KAL_ALL_WORDS in number.
const char *const *kal_words(void);

/// What each of them is for, in a line.
const char *const *kal_word_meanings(void);

#endif
