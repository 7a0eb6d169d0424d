// SPDX-License-Identifier: MIT

/// @file
/// What the files of the parser share.
///
/// The parser looks at one token at a time, `token`, and rarely at those after it.  After
/// the first error of a statement it is *stuck*: the token is then STUCK, which fits
/// nowhere, taking a token does nothing, and further errors are not told.  So functions
/// need not ask whether those they called succeeded: they run to their ends without doing
/// harm, their nodes are dropped with the statement, and the parser recovers.

#ifndef LANG_PARSER_IMPL_H
#define LANG_PARSER_IMPL_H

#include "base/stack.h"
#include "lang/lexer.h"
#include "lang/parser.h"

/// A parser at work on one text.
typedef struct KalParser {
    KalDiagnostics *diagnostics;
    KalTree *tree;
    KalLexer lexer;
    KalToken token;    ///< the next one
    KalToken culprit;  ///< what it was before the parser got stuck
    uint32_t end;      ///< of the last token that was taken
    KalTokenKind last; ///< its kind
    uint32_t tokens;   ///< how many were read
    int depth;         ///< of brackets, signs, powers
    int blocks;        ///< that are open
    KalStack stack;    ///< where parsing began
    // what might come instead of the next token, for messages
    bool operator_fits;    ///< an expression has just ended
    bool comma_fits;       ///< something was asked for a comma
    const char *word_fits; ///< it was asked for this word, or NULL
    uint32_t called; ///< a parenthesis right behind the word of the statement, or 0
} KalParser;

/// A chain of nodes while it grows.
typedef struct KalChain {
    KalNode *first;
    KalNode *last;
} KalChain;

/// Put a node at the end; NULL, of a stuck parser, is left out.
void kal_chain_add(KalChain *chain, KalNode *node);

// What the parser does with tokens.

/// Whether the parser met an error in this statement.
bool kal_parser_is_stuck(const KalParser *p);

/// Whether the next token is of a kind.
bool kal_parser_is(const KalParser *p, KalTokenKind kind);

/// Whether it is a name with this spelling.
bool kal_parser_is_word(const KalParser *p, const char *word);

/// The kind of the token `count` after the next one.
KalTokenKind kal_parser_peek(const KalParser *p, int count);

/// Whether the token `count` after the next one is a name with this spelling.
bool kal_parser_peek_word(const KalParser *p, int count, const char *word);

/// Take the next token and go on to the one after it.
void kal_parser_advance(KalParser *p);

/// Take the next token if it is of a kind.
bool kal_parser_accept(KalParser *p, KalTokenKind kind);

/// Take the next token if it is a name with this spelling.
bool kal_parser_accept_word(KalParser *p, const char *word);

/// Take a token of a kind, or fail: "expected WHAT, found …"; `what` may be NULL for what
/// the kind is called.
void kal_parser_expect(KalParser *p, KalTokenKind kind, const char *what);

/// Take the bracket that closes the one at `open`, or fail.
void kal_parser_expect_close(KalParser *p, KalTokenKind kind, KalToken open);

// Errors.  The first one of a statement is told and makes the parser stuck.

/// Say what was expected at the next token, and what was found there.
void kal_parser_fail_expected(KalParser *p, const char *what);

/// The same after a whole piece: besides `what`, an operator, a comma or a word might have
/// come if the piece could go on so.
void kal_parser_fail_after(KalParser *p, const char *what);

/// Say something of a stretch of the text.
void kal_parser_fail(KalParser *p, uint32_t begin, uint32_t end, const char *format,
                     ...) KAL_PRINTF(4, 5);

/// Be stuck, and leave the rest of the text alone: recovery finds its end.
void kal_parser_give_up(KalParser *p);

/// Go on after an error: at the end of the statement, at a statement word that begins a
/// line, at a brace or at the end of the text.
void kal_parser_recover(KalParser *p);

/// Pass over the rest of a block, whose first brace was taken, and stay stuck after it.
void kal_parser_skip_block(KalParser *p);

/// The name that is the next token, as a string; "" when it is no name.
void kal_parser_print_name(const KalParser *p, char out_word[KAL_NAME_LIMIT + 1]);

/// Whether there is stack for another level; false, and stuck, when there is not.
bool kal_parser_has_stack(KalParser *p, KalToken at);

/// Go one level deeper; false, and stuck, at KAL_PARSE_DEPTH.  Pairs with leave.
bool kal_parser_enter(KalParser *p);

/// Come back up.
void kal_parser_leave(KalParser *p);

// Nodes.

/// The stretch from `begin` to the end of the last token taken.
KalSpan kal_parser_span(const KalParser *p, uint32_t begin);

/// Add a node that began at `begin`; NULL, and stuck, when it is an expression deeper than
/// KAL_PARSE_DEPTH.
KalNode *kal_parser_add(KalParser *p, uint32_t begin, KalNode node);

/// Add a node with a list of items.
KalNode *kal_parser_add_list(KalParser *p, KalNodeKind kind, uint32_t begin,
                             KalChain items);

/// Add a node with one part.
KalNode *kal_parser_add_unary(KalParser *p, KalNodeKind kind, uint32_t begin,
                              KalNode *operand);

/// Add a node of a target, a value and a unit.
KalNode *kal_parser_add_declaration(KalParser *p, KalNodeKind kind, uint32_t begin,
                                    KalNode *target, KalNode *value, KalNode *unit);

/// Take a name that is being declared: neither a statement word nor t, pi or deg.  `what`
/// is expected: "the name of a component".
KalNode *kal_parse_new_name(KalParser *p, const char *what);

// Expressions.

/// The number that is the next token.
KalNode *kal_parse_number(KalParser *p);

/// The name or statement word that is the next token, whatever it says.
KalNode *kal_parse_any_name(KalParser *p);

/// A text in quotes.
KalNode *kal_parse_string(KalParser *p);

/// An operand with its signs and its power, value or condition.
KalNode *kal_parse_sign(KalParser *p);

/// An expression that is a number, vector or matrix.
KalNode *kal_parse_value(KalParser *p);

/// An expression that is true or false.
KalNode *kal_parse_condition(KalParser *p);

/// `first .. last`
KalNode *kal_parse_range(KalParser *p);

/// `index in first .. last`: both are written to.
void kal_parse_iterator(KalParser *p, KalNode **out_index, KalNode **out_range);

/// A value on the left of an equation; an inequality in its place gets an explanation.
KalNode *kal_parse_side(KalParser *p);

/// What an event waits for: a value, that crosses zero.
KalNode *kal_parse_crossing(KalParser *p);

/// What a contact keeps from becoming negative: gap >= 0.
KalNode *kal_parse_gap(KalParser *p);

/// A unit in brackets, if one stands here after a space; else NULL.
KalNode *kal_parse_unit(KalParser *p);

/// The unit after a value, if one stands here; `first` is the one after the name or NULL.
/// There may not be both; returns the one there is.
KalNode *kal_parse_other_unit(KalParser *p, KalNode *first);

/// What may stand in a target.
typedef enum KalTargetParts {
    KAL_TARGET_NEW,     ///< a name being declared, with indices
    KAL_TARGET_OLD,     ///< indices and members
    KAL_TARGET_DERIVED, ///< and primes
} KalTargetParts;

/// A name with what may follow it; `what` is expected.
KalNode *kal_parse_target(KalParser *p, KalTargetParts parts, const char *what);

// Statements.

/// Parses what follows a statement word, which began at `begin`.
typedef KalNode *(*KalParseFn)(KalParser *p, uint32_t begin);

#define KAL_WORD(name, text, function, meaning) \
    KalNode *function(KalParser *p, uint32_t begin);
#define KAL_SOFT_WORD(text, function, meaning) \
    KalNode *function(KalParser *p, uint32_t begin);
#include "lang/words.def"

/// One statement, without what ends it.  The parser may be stuck afterwards.
KalNode *kal_parse_statement(KalParser *p);

/// Statements up to a closing brace or the end of the text.
KalNode *kal_parse_statements(KalParser *p);

/// A block in braces, whose first brace is the next token.
KalNode *kal_parse_block(KalParser *p);

#endif
