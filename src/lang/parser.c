// SPDX-License-Identifier: MIT

// The frame of a recursive-descent parser (Aho, Lam, Sethi, Ullman, Compilers, 4.4): tokens,
// messages, recovery.  The statements and expressions are in files of their own.
//
// Panic mode (ibid., 4.1.4): after an error the parser is stuck until the end of the
// statement, so that one mistake makes one message; then it goes on, so that one run finds
// all mistakes.  Whatever the text, parsing ends: every loop takes a token or stops.

#include "lang/parser.h"

#include "base/utf8.h"
#include "lang/parser_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What is around an expression: at most four pieces of its statement, and the blocks.
static_assert(KAL_PARSE_DEPTH + 4 + KAL_BLOCK_DEPTH <= KAL_TREE_DEPTH,
              "only expressions can be too deep for a tree");

enum {
    FOUND_SIZE = KAL_PRINTABLE_SIZE + 64,
    MESSAGE_SIZE = 1024
};

void kal_chain_add(KalChain *chain, KalNode *node)
{
    assert((chain->first != NULL) == (chain->last != NULL));
    if (!node) {
        return;
    }
    if (chain->last) {
        chain->last->next = node;
    } else {
        chain->first = node;
    }
    chain->last = node;
}

bool kal_parser_is_stuck(const KalParser *p)
{
    return p->token.kind == KAL_TOKEN_STUCK;
}

bool kal_parser_is(const KalParser *p, KalTokenKind kind)
{
    return p->token.kind == kind;
}

// Whether a token is a name with this spelling.
static bool is_spelled(const KalParser *p, KalToken token, const char *word)
{
    const size_t length = strlen(word);
    return token.kind == KAL_TOKEN_NAME && token.end - token.begin == length
           && memcmp(p->lexer.source->text + token.begin, word, length) == 0;
}

bool kal_parser_is_word(const KalParser *p, const char *word)
{
    return is_spelled(p, p->token, word);
}

// A copy of the lexer reads on; nothing is said about faults that it meets.
static KalToken peek(const KalParser *p, int count)
{
    assert(count >= 0);
    KalLexer ahead = p->lexer;
    KalToken token = p->token;
    ahead.quiet = true;
    for (int i = 0; i < count; i++) {
        token = kal_lexer_step(&ahead);
    }
    return token;
}

KalTokenKind kal_parser_peek(const KalParser *p, int count)
{
    return peek(p, count).kind;
}

bool kal_parser_peek_word(const KalParser *p, int count, const char *word)
{
    return is_spelled(p, peek(p, count), word);
}

// From here on nothing fits.
static void stick(KalParser *p)
{
    p->culprit = p->token;
    p->token.kind = KAL_TOKEN_STUCK;
}

void kal_parser_give_up(KalParser *p)
{
    p->lexer.offset = p->lexer.source->length;
    p->token = (KalToken){
        .kind = KAL_TOKEN_EOF, .begin = p->lexer.offset, .end = p->lexer.offset};
    stick(p);
    assert(kal_parser_is_stuck(p) && p->culprit.kind == KAL_TOKEN_EOF);
}

// The next token; too many end the parsing.
static void step(KalParser *p)
{
    p->tokens++;
    p->token = kal_lexer_step(&p->lexer);
    if (p->tokens == KAL_TOKEN_LIMIT + 1) {
        kal_diagnostics_add(p->diagnostics, KAL_SEVERITY_ERROR,
                            (KalSpan){p->lexer.source, p->token.begin, p->token.end},
                            "the text is too long: more than %d words and signs",
                            KAL_TOKEN_LIMIT);
        kal_parser_give_up(p);
    }
}

void kal_parser_advance(KalParser *p)
{
    if (kal_parser_is_stuck(p)) {
        return;
    }
    p->end = p->token.end;
    p->last = p->token.kind;
    p->operator_fits = false;
    p->comma_fits = false;
    p->word_fits = NULL;
    step(p);
    if (kal_parser_is(p, KAL_TOKEN_FAULT)) {
        stick(p); // the lexer has told why
    }
}

bool kal_parser_accept(KalParser *p, KalTokenKind kind)
{
    if (kal_parser_is(p, kind)) {
        kal_parser_advance(p);
        return true;
    }
    p->comma_fits = p->comma_fits || kind == KAL_TOKEN_COMMA;
    return false;
}

bool kal_parser_accept_word(KalParser *p, const char *word)
{
    assert(word);
    if (kal_parser_is_word(p, word)) {
        kal_parser_advance(p);
        return true;
    }
    p->word_fits = word;
    return false;
}

void kal_parser_expect(KalParser *p, KalTokenKind kind, const char *what)
{
    if (!kal_parser_accept(p, kind)) {
        kal_parser_fail_expected(p, what ? what : kal_token_text(kind));
    }
}

KalSpan kal_parser_span(const KalParser *p, uint32_t begin)
{
    return (KalSpan){p->lexer.source, begin, p->end > begin ? p->end : begin};
}

void kal_parser_fail(KalParser *p, uint32_t begin, uint32_t end, const char *format,
                     ...)
{
    assert(format);
    if (kal_parser_is_stuck(p)) {
        return;
    }
    char message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    kal_diagnostics_add(p->diagnostics, KAL_SEVERITY_ERROR,
                        (KalSpan){p->lexer.source, begin, end}, "%s", message);
    stick(p);
}

// What the next token is, in words.
static void print_found(const KalParser *p, char out_text[FOUND_SIZE])
{
    const KalToken token = p->token;
    assert(token.begin <= token.end && token.end <= p->lexer.source->length);
    const char *text = p->lexer.source->text + token.begin;
    const bool word = token.kind == KAL_TOKEN_WORD;
    if (token.kind == KAL_TOKEN_END) {
        snprintf(out_text, FOUND_SIZE, "%s",
                 text[0] == ';' ? "';'" : "the end of the line");
    } else if (word || token.kind == KAL_TOKEN_NAME || token.kind == KAL_TOKEN_NUMBER) {
        char shown[KAL_PRINTABLE_SIZE];
        kal_printable_print(text, token.end - token.begin, shown);
        snprintf(out_text, FOUND_SIZE, "%s'%s'", word ? "the statement word " : "",
                 shown);
    } else {
        snprintf(out_text, FOUND_SIZE, "%s", kal_token_text(token.kind));
    }
}

// Whether a number stands directly behind a comma and another one: `0,5`.
static bool is_decimal_with_comma(const KalParser *p)
{
    const uint32_t at = p->token.begin;
    const char *text = p->lexer.source->text;
    return p->token.kind == KAL_TOKEN_NUMBER && at >= 2 && text[at - 1] == ','
           && text[at - 2] >= '0' && text[at - 2] <= '9';
}

void kal_parser_fail_expected(KalParser *p, const char *what)
{
    char found[FOUND_SIZE];
    print_found(p, found);
    kal_parser_fail(
        p, p->token.begin, p->token.end, "expected %s, found %s%s", what, found,
        is_decimal_with_comma(p) ? "; a decimal has a point, as in 0.5" : "");
}

// Whether the token before this one is a word.
static bool is_behind(const KalParser *p, const char *word)
{
    const size_t length = strlen(word);
    return p->last == KAL_TOKEN_NAME && p->end >= length
           && memcmp(p->lexer.source->text + p->end - length, word, length) == 0;
}

// What is often behind a token that does not fit after a whole piece, or "".  A name in
// place of a word that was expected is no product.
static const char *find_hint(const KalParser *p, bool ends)
{
    const KalTokenKind kind = p->token.kind;
    const bool inside = p->lexer.open > 0;
    if (is_behind(p, "if")) {
        return "; a value chosen by a condition is if(x > 0, 1, 2)";
    }
    if (kind == KAL_TOKEN_COMMA && p->called > 0 && p->lexer.open == 1) {
        return "; what a statement lists stands without parentheses, as in plot x, y, "
               "both over time, or plot y against x";
    }
    if (kind == KAL_TOKEN_COMMA && inside && !p->comma_fits) {
        return "; a point or a vector stands in brackets, as in [x, y]";
    }
    if ((kind == KAL_TOKEN_NAME || kind == KAL_TOKEN_NUMBER) && p->operator_fits && ends
        && !p->word_fits) {
        return p->last == KAL_TOKEN_NUMBER
                   ? "; a product is written with *, a unit in brackets as in 2 [kg]"
                   : "; a product is written with *, the argument of a function in "
                     "parentheses";
    }
    if (kind == KAL_TOKEN_LEFT_BRACKET && p->operator_fits) {
        return "; an index follows its name without a space, and a unit stands "
               "only where something is declared or starts: give a number with a "
               "unit a name by param";
    }
    if (kind == KAL_TOKEN_EQUALS && inside) {
        return "; equality is asked with ==";
    }
    return kind == KAL_TOKEN_END && inside
               ? "; the rows of a matrix are vectors, as in [[1, 2], [3, 4]]"
               : "";
}

// What would have fitted is listed: an operator, a comma, a word, and then what is
// expected.
void kal_parser_fail_after(KalParser *p, const char *what)
{
    assert(what);
    char found[FOUND_SIZE];
    char word[64] = "";
    print_found(p, found);
    if (p->word_fits) {
        snprintf(word, sizeof word, "'%s'", p->word_fits);
    }
    const char *fits[] = {p->operator_fits ? "an operator" : "",
                          p->comma_fits ? "','" : "", word};
    char list[128] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        if (fits[i][0] != '\0') {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length > 0 ? ", " : "", fits[i]);
        }
    }
    const bool ends = strncmp(what, "the end", strlen("the end")) == 0
                      || strcmp(what, "')'") == 0 || strcmp(what, "']'") == 0;
    kal_parser_fail(p, p->token.begin, p->token.end, "expected %s%s%s, found %s%s",
                    list, length > 0 ? " or " : "", what, found, find_hint(p, ends));
}

// Whether a line ends between two places.
static bool is_line_between(const KalParser *p, uint32_t begin, uint32_t end)
{
    return memchr(p->lexer.source->text + begin, '\n', end - begin) != NULL;
}

void kal_parser_expect_close(KalParser *p, KalTokenKind kind, KalToken open)
{
    if (kal_parser_accept(p, kind) || kal_parser_is_stuck(p)) {
        p->called = p->called == open.begin ? 0 : p->called;
        return;
    }
    assert(open.begin <= p->token.begin);
    const bool far = is_line_between(p, open.begin, p->token.begin);
    kal_parser_fail_after(p, kal_token_text(kind));
    if (far) {
        kal_diagnostics_add(p->diagnostics, KAL_SEVERITY_NOTE,
                            (KalSpan){p->lexer.source, open.begin, open.end},
                            "this bracket is not closed");
    }
}

bool kal_parser_has_stack(KalParser *p, KalToken at)
{
    if (!kal_stack_has_room(p->stack)) {
        kal_parser_fail(p, at.begin, at.end,
                        "nested too deeply: what is in each other here takes more of "
                        "the stack than is allowed");
        return false;
    }
    return true;
}

bool kal_parser_enter(KalParser *p)
{
    assert(p->depth >= 0);
    if (!kal_parser_has_stack(p, p->token)) {
        return false;
    }
    if (p->depth >= KAL_PARSE_DEPTH) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "nested too deeply: brackets, signs and powers may be in each "
                        "other %d times",
                        KAL_PARSE_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void kal_parser_leave(KalParser *p)
{
    assert(p->depth > 0);
    p->depth--;
}

KalNode *kal_parser_add(KalParser *p, uint32_t begin, KalNode node)
{
    if (kal_parser_is_stuck(p)) {
        return NULL;
    }
    node.span = kal_parser_span(p, begin);
    KalNode *added = kal_tree_add(p->tree, node);
    if (!added) {
        kal_parser_give_up(p);
    } else if (added->depth > KAL_PARSE_DEPTH && node.kind <= KAL_NODE_OR) {
        kal_parser_fail(p, node.span.begin, node.span.end,
                        "nested too deeply: an expression may have %d levels",
                        KAL_PARSE_DEPTH);
    }
    return added;
}

KalNode *kal_parser_add_list(KalParser *p, KalNodeKind kind, uint32_t begin,
                             KalChain items)
{
    return kal_parser_add(p, begin, (KalNode){.kind = kind, .of.list = {items.first}});
}

KalNode *kal_parser_add_unary(KalParser *p, KalNodeKind kind, uint32_t begin,
                              KalNode *operand)
{
    return kal_parser_add(p, begin, (KalNode){.kind = kind, .of.unary = {operand}});
}

KalNode *kal_parser_add_declaration(KalParser *p, KalNodeKind kind, uint32_t begin,
                                    KalNode *target, KalNode *value, KalNode *unit)
{
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = kind, .of.declaration = {target, value, unit}
    });
}

void kal_parser_print_name(const KalParser *p, char out_word[KAL_NAME_LIMIT + 1])
{
    const KalToken token = p->token;
    const size_t length = token.kind == KAL_TOKEN_NAME ? token.end - token.begin : 0;
    memcpy(out_word, p->lexer.source->text + token.begin, length);
    out_word[length] = '\0';
}

// Where a statement after an error may begin.
static bool is_boundary(KalToken token)
{
    return token.kind == KAL_TOKEN_END || token.kind == KAL_TOKEN_EOF
           || token.kind == KAL_TOKEN_LEFT_BRACE || token.kind == KAL_TOKEN_RIGHT_BRACE
           || (token.kind == KAL_TOKEN_WORD && token.first_in_line);
}

// The token after the culprit.
static void skip(KalParser *p)
{
    step(p);
    if (!kal_parser_is_stuck(p)) { // else it is the end, and the culprit
        stick(p);
    }
}

void kal_parser_recover(KalParser *p)
{
    assert(kal_parser_is_stuck(p));
    p->lexer.quiet = true;
    while (!is_boundary(p->culprit)) {
        skip(p);
    }
    assert(!kal_parser_is_stuck(p) || is_boundary(p->culprit));
    p->lexer.quiet = false;
    p->lexer.open = 0;
    p->token = p->culprit;
    p->operator_fits = false;
    p->comma_fits = false;
    p->word_fits = NULL;
}

void kal_parser_skip_block(KalParser *p)
{
    assert(kal_parser_is_stuck(p));
    int open = 1;
    p->lexer.quiet = true;
    while (open > 0 && p->culprit.kind != KAL_TOKEN_EOF) {
        open += p->culprit.kind == KAL_TOKEN_LEFT_BRACE;
        open -= p->culprit.kind == KAL_TOKEN_RIGHT_BRACE;
        skip(p);
    }
    p->lexer.quiet = false;
}

// All statements; a closing brace that closes nothing is passed over.
static void parse_text(KalParser *p)
{
    for (;;) {
        KalNode *statements = kal_parse_statements(p);
        while (statements) {
            KalNode *next = statements->next;
            kal_tree_append(p->tree, statements);
            statements = next;
        }
        if (kal_parser_is(p, KAL_TOKEN_EOF)) {
            return;
        }
        assert(kal_parser_is(p, KAL_TOKEN_RIGHT_BRACE));
        kal_diagnostics_add(p->diagnostics, KAL_SEVERITY_ERROR,
                            (KalSpan){p->lexer.source, p->token.begin, p->token.end},
                            "this '}' closes nothing");
        kal_parser_advance(p);
    }
}

// Only texts in UTF-8 are looked at any further.
static void parse_checked(KalParser *p, const KalSource *source)
{
    assert(source);
    const uint32_t fault = kal_source_find_fault(source);
    if (fault < source->length) {
        kal_diagnostics_add(p->diagnostics, KAL_SEVERITY_ERROR,
                            (KalSpan){source, fault, fault + 1},
                            "byte 0x%02x is not UTF-8; a model is a UTF-8 text",
                            (unsigned)(unsigned char)source->text[fault]);
        return;
    }
    kal_lexer_init(&p->lexer, source, p->diagnostics);
    kal_parser_advance(p);
    parse_text(p);
}

// A tree without errors, or none.
KalStatus kal_parse(KalContext *ctx, const KalSource *source,
                    KalDiagnostics *diagnostics, KalTree **out_tree)
{
    assert(ctx && source && diagnostics && out_tree);
    KalParser p = {.diagnostics = diagnostics, .stack = kal_stack_begin()};
    const size_t before = kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR);
    KAL_TRY(kal_tree_create(ctx, &p.tree));
    parse_checked(&p, source);

    KalStatus status = KAL_OK;
    if (kal_tree_status(p.tree) != KAL_OK
        || kal_diagnostics_status(diagnostics) != KAL_OK) {
        status = kal_no_memory(ctx, "to parse %s", source->name);
    } else if (kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR) > before) {
        const bool overflow = p.tokens > KAL_TOKEN_LIMIT;
        status = kal_diagnostics_fail(diagnostics,
                                      overflow ? KAL_ERR_LIMIT : KAL_ERR_SYNTAX);
    }
    if (status != KAL_OK) {
        kal_tree_destroy(p.tree);
        return status;
    }
    *out_tree = p.tree;
    return KAL_OK;
}
