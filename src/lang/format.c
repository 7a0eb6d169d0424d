// SPDX-License-Identifier: MIT

// A formatter in the manner of gofmt, with two views of one text.  The tree, printed by
// print.c, gives each statement in one line of canonical form.  The tokens of the text give
// what a tree has not: where comments stood and which lines were empty.  Statements come in
// the same order in both.
//
// A comment within a statement is tied to the number of tokens before it, parentheses not
// counted, for these are all that printing adds or takes away.  It goes behind the next
// place of the printed line at which a line may end: after a comma or an operator that a
// space follows.  Long lines are broken at such places only, so that neither kind of break
// can change what a statement means.
//
// Still, nothing is taken on trust: the result is parsed, and has to give an equal tree.

#include "base/block.h"
#include "lang/lexer.h"
#include "lang/parser.h"
#include "lang/print.h"

#include <kalaba/format.h>

#include <assert.h>
#include <string.h>

enum {
    WIDTH = 96,     // columns of a line, if it can be broken
    INDENT = 4,     // columns of a level
    GAP = 2,        // columns before a comment behind a line
    FARTHEST = 48,  // the last column below which what a bracket holds goes on
    DEPTH_COST = 8, // of a break, for each bracket around it
    NO_BRACKET = -1
};

// From the '#' to the end of its line.
typedef struct Comment {
    uint32_t begin;
    uint32_t end;
    uint32_t after; // tokens of the statement before it, without parentheses
    bool alone;     // in its line
} Comment;

// A line of the result: bytes of `text`, and a comment behind them or none.
typedef struct Line {
    size_t begin;
    size_t end;
    Comment comment; // none when it has no bytes
} Line;

// An opening bracket of a statement in one line.
typedef struct Bracket {
    uint32_t end;
    int outer;  // the bracket that it is in
    int column; // of the result, behind it; known when its line is
} Bracket;

// Where a statement in one line may be broken: behind a token.
typedef struct Break {
    uint32_t end;   // of the token
    uint32_t count; // tokens up to it, without parentheses
    uint32_t cost;  // smaller ones come first
    int bracket;    // the innermost one around it
    bool row;       // between the rows of a matrix
} Break;

typedef struct Formatter {
    KalContext *ctx;
    KalDiagnostics *diagnostics;
    const KalSource *source;
    uint32_t begin; // of the text, behind its byte order mark
    KalLexer lexer;
    KalToken token;    // the next one of the source
    KalBlock comments; // Comment: all of the source
    size_t next;       // the first comment that is not in the result
    KalBlock text;     // of the result, without comments behind lines
    KalBlock lines;    // Line
    KalBlock printed;  // the statement at hand in one line
    KalBlock breaks;   // Break: of it
    KalBlock brackets; // Bracket: of it
    bool fresh;        // no line yet in this block
    KalStatus status;
} Formatter;

// Append to a block, unless something failed before.
static void add(Formatter *f, KalBlock *block, const void *data, size_t size)
{
    assert(data || size == 0);
    if (f->status == KAL_OK) {
        f->status = kal_block_add(f->ctx, block, data, size);
    }
}

static size_t count_of(const KalBlock *block, size_t size)
{
    return block->size / size;
}

static Comment *comment_at(const Formatter *f, size_t i)
{
    assert(i < count_of(&f->comments, sizeof(Comment)));
    return (Comment *)f->comments.data + i;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Whether an empty line or more stand before what begins here.
static bool follows_empty_line(const Formatter *f, uint32_t at)
{
    assert(at <= f->source->length);
    int ends = 0;
    while (at > 0 && is_space(f->source->text[at - 1])) {
        ends += f->source->text[--at] == '\n';
    }
    return ends > 1;
}

// Comments are what the lexer passes over from a '#' on.  `begin` is the end of a token, or
// where the text begins.
static void find_comments(Formatter *f, uint32_t begin, uint32_t end)
{
    const char *text = f->source->text;
    bool alone = begin == f->begin || text[begin - 1] == '\n';
    for (uint32_t i = begin; i < end; i++) {
        alone = alone || text[i] == '\n';
        if (text[i] == '#') {
            Comment comment = {.begin = i, .alone = alone};
            while (i < end && text[i] != '\n') {
                i++;
            }
            comment.end = i;
            assert(comment.end > comment.begin); // the '#' at least
            while (is_space(text[comment.end - 1])) {
                comment.end--;
            }
            add(f, &f->comments, &comment, sizeof comment);
            alone = true;
        }
    }
}

// All comments of the source, in order.
static void list_comments(Formatter *f)
{
    uint32_t end = f->begin;
    KalToken token;
    do {
        token = kal_lexer_step(&f->lexer);
        find_comments(f, end, token.begin);
        end = token.end;
    } while (token.kind != KAL_TOKEN_EOF);
}

static void step(Formatter *f)
{
    f->token = kal_lexer_step(&f->lexer);
}

// Whether there is a comment left that begins before this byte.
static bool has_comment(const Formatter *f, uint32_t before)
{
    return f->next < count_of(&f->comments, sizeof(Comment))
           && comment_at(f, f->next)->begin < before;
}

// Lines of the result.

// A new line of the result.
static void begin_line(Formatter *f, int indent)
{
    assert(indent >= 0);
    const Line line = {.begin = f->text.size};
    add(f, &f->lines, &line, sizeof line);
    for (int i = 0; i < indent; i++) {
        add(f, &f->text, " ", 1);
    }
}

static Line *last_line(const Formatter *f)
{
    assert(f->lines.size >= sizeof(Line));
    return (Line *)((char *)f->lines.data + f->lines.size) - 1;
}

static void end_line(Formatter *f, const Comment *comment)
{
    if (f->status == KAL_OK) {
        last_line(f)->end = f->text.size;
        last_line(f)->comment = comment ? *comment : (Comment){.begin = 0};
    }
    f->fresh = false;
}

// An empty line, where the source has one or more before this byte.
static void keep_empty_line(Formatter *f, uint32_t at)
{
    if (!f->fresh && follows_empty_line(f, at)) {
        begin_line(f, 0);
        end_line(f, NULL);
    }
}

// A comment in a line of its own.
static void put_comment_line(Formatter *f, const Comment *comment, int indent)
{
    assert(comment->begin < comment->end);
    begin_line(f, indent);
    add(f, &f->text, f->source->text + comment->begin, comment->end - comment->begin);
    end_line(f, NULL);
}

// Comments before this byte, each on a line of its own.
static void put_comments(Formatter *f, uint32_t before, int level)
{
    assert(level >= 0);
    while (f->status == KAL_OK && has_comment(f, before)) {
        const Comment *comment = comment_at(f, f->next++);
        keep_empty_line(f, comment->begin);
        put_comment_line(f, comment, INDENT * level);
    }
}

// Statements.

static bool is_parenthesis(KalTokenKind kind)
{
    return kind == KAL_TOKEN_LEFT_PAREN || kind == KAL_TOKEN_RIGHT_PAREN;
}

// Tie the comments before the token to the place that `count` tokens stand before.
static void tie_comments(Formatter *f, size_t *next, uint32_t count)
{
    assert(*next <= count_of(&f->comments, sizeof(Comment)));
    while (*next < count_of(&f->comments, sizeof(Comment))
           && comment_at(f, *next)->begin < f->token.begin) {
        comment_at(f, (*next)++)->after = count;
    }
}

// Pass over the tokens of a statement, up to the brace of its block if it has one, and tie
// the comments among them to their places.  Returns the first comment behind them.
static size_t pass_statement(Formatter *f)
{
    uint32_t count = 0;
    size_t next = f->next;
    assert(next <= count_of(&f->comments, sizeof(Comment)));
    while (f->token.kind != KAL_TOKEN_END && f->token.kind != KAL_TOKEN_EOF
           && f->token.kind != KAL_TOKEN_LEFT_BRACE
           && f->token.kind != KAL_TOKEN_RIGHT_BRACE) {
        tie_comments(f, &next, count);
        count += !is_parenthesis(f->token.kind);
        step(f);
    }
    if (f->token.kind == KAL_TOKEN_LEFT_BRACE) {
        tie_comments(f, &next, count);
    }
    return next;
}

// The sink for the statement at hand.
static void keep_printed(void *user, const char *text, size_t length)
{
    Formatter *f = user;
    add(f, &f->printed, text, length);
}

// How much a reader would mind a new line behind a token, within brackets of one depth.
// That behind '=' and ':' is worse than one in the brackets that often follow.
static uint32_t cost_of(KalTokenKind kind)
{
    const bool sign = kind == KAL_TOKEN_PLUS || kind == KAL_TOKEN_MINUS;
    return kind == KAL_TOKEN_COMMA                               ? 0
           : kind == KAL_TOKEN_ARROW || kind == KAL_TOKEN_OR     ? 1
           : kind == KAL_TOKEN_AND                               ? 2
           : sign                                                ? 3
           : kind == KAL_TOKEN_COLON || kind == KAL_TOKEN_EQUALS ? DEPTH_COST + 2
                                                                 : 4;
}

static Bracket *bracket_at(const Formatter *f, int i)
{
    assert(i >= 0 && (size_t)i < count_of(&f->brackets, sizeof(Bracket)));
    return (Bracket *)f->brackets.data + i;
}

// The innermost bracket behind a token; `bracket` is the one before it.
static int follow_brackets(Formatter *f, const KalToken *token, int bracket)
{
    assert(bracket >= NO_BRACKET);
    if (token->kind == KAL_TOKEN_LEFT_PAREN || token->kind == KAL_TOKEN_LEFT_BRACKET) {
        const Bracket open = {.end = token->end, .outer = bracket};
        const int index = (int)count_of(&f->brackets, sizeof open);
        add(f, &f->brackets, &open, sizeof open);
        return index;
    }
    const bool closes =
        token->kind == KAL_TOKEN_RIGHT_PAREN || token->kind == KAL_TOKEN_RIGHT_BRACKET;
    return closes ? bracket_at(f, bracket)->outer : bracket;
}

static void add_break(Formatter *f, const KalSource *line, const KalToken *token,
                      uint32_t count, int bracket, uint32_t depth)
{
    assert(token->end < line->length);
    const char *text = line->text;
    const bool between = token->begin > 0 && text[token->begin - 1] == ']'
                         && text[token->end + 1] == '[';
    const Break place = {.end = token->end,
                         .count = count,
                         .cost = DEPTH_COST * depth + cost_of(token->kind),
                         .bracket = bracket,
                         .row = between && token->kind == KAL_TOKEN_COMMA};
    add(f, &f->breaks, &place, sizeof place);
}

// The places at which the printed statement may be broken.
static void find_breaks(Formatter *f)
{
    assert(f->printed.size > 0);
    const KalSource line = {.name = "",
                            .text = (const char *)f->printed.data,
                            .length = (uint32_t)f->printed.size - 1};
    KalLexer lexer;
    kal_lexer_init(&lexer, &line, f->diagnostics);
    lexer.quiet = true;
    uint32_t count = 0;
    int bracket = NO_BRACKET;
    KalToken token = kal_lexer_step(&lexer);
    f->breaks.size = 0;
    f->brackets.size = 0;
    while (f->status == KAL_OK && token.kind != KAL_TOKEN_END
           && token.kind != KAL_TOKEN_EOF) {
        count += !is_parenthesis(token.kind);
        bracket = follow_brackets(f, &token, bracket);
        if (kal_token_continues(token.kind) && line.text[token.end] == ' ') {
            add_break(f, &line, &token, count, bracket, lexer.open);
        }
        token = kal_lexer_step(&lexer);
    }
}

static const Break *break_at(const Formatter *f, size_t i)
{
    assert(i < count_of(&f->breaks, sizeof(Break)));
    return (const Break *)f->breaks.data + i;
}

// Characters of a stretch of text.
static size_t width_of(const char *text, size_t length)
{
    assert(text || length == 0);
    size_t width = 0;
    for (size_t i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return width;
}

// Whether a text has room in so many columns; looks no further than that.
static bool is_narrow(const char *text, size_t length, size_t room)
{
    return length <= room || (length <= 4 * room && width_of(text, length) <= room);
}

// Where in the printed statement a line ends.
typedef struct Cut {
    uint32_t end;   // of the line
    uint32_t count; // tokens before it; UINT32_MAX at the end of the statement
    size_t next;    // the first break behind it
} Cut;

// The end of the line that begins at `begin`, before break `first`.  As much of the
// statement as there is room for, but no more than up to a place that a comment is tied to;
// of the places to break a line that is too long, the last of those that cost least.
static Cut cut_line(const Formatter *f, uint32_t begin, size_t first, size_t room,
                    const Comment *comment)
{
    const char *text = (const char *)f->printed.data;
    const size_t count = count_of(&f->breaks, sizeof(Break));
    const uint32_t end = (uint32_t)f->printed.size - 1;
    const bool rows = begin > 0 || !is_narrow(text, end, room);
    size_t best = count;
    assert(begin < end && first <= count);
    size_t width = 0;
    uint32_t measured = begin;
    for (size_t i = first; i < count; i++) {
        const Break *place = break_at(f, i);
        width += width_of(text + measured, place->end - measured);
        measured = place->end;
        if (width > room) {
            best = best < count ? best : i;
            return (Cut){break_at(f, best)->end, break_at(f, best)->count, best + 1};
        }
        if ((comment && comment->after <= place->count) || (rows && place->row)) {
            return (Cut){place->end, place->count, i + 1};
        }
        best = best < count && place->cost > break_at(f, best)->cost ? best : i;
    }
    width += width_of(text + measured, end - measured);
    if (width > room && best < count) {
        return (Cut){break_at(f, best)->end, break_at(f, best)->count, best + 1};
    }
    return (Cut){end, UINT32_MAX, count};
}

// Note in which columns brackets of a line end.  Returns the first bracket behind it.
static int place_brackets(Formatter *f, int first, uint32_t begin, uint32_t end,
                          int indent)
{
    assert(first >= 0 && begin <= end);
    const char *text = (const char *)f->printed.data;
    const int count = (int)count_of(&f->brackets, sizeof(Bracket));
    int i = first;
    while (i < count && bracket_at(f, i)->end <= end) {
        Bracket *bracket = bracket_at(f, i);
        const uint32_t from = i > first ? bracket_at(f, i - 1)->end : begin;
        const int column = i > first ? bracket_at(f, i - 1)->column : indent;
        bracket->column = column + (int)width_of(text + from, bracket->end - from);
        i++;
    }
    return i;
}

// How far a line is indented that follows a break: below what the bracket holds, if that is
// not too far.
static int indent_after(const Formatter *f, const Break *place, int level)
{
    assert(level >= 0);
    const int column =
        place->bracket == NO_BRACKET ? 0 : bracket_at(f, place->bracket)->column;
    return column > 0 && column <= FARTHEST ? column : INDENT * (level + 1);
}

// The printed statement with the comments from f->next up to `behind` in their places, and
// one behind it or none.
static void put_statement(Formatter *f, size_t behind, const Comment *trailing,
                          int level)
{
    const uint32_t end = (uint32_t)f->printed.size - 1;
    uint32_t begin = 0;
    size_t next = 0;
    int bracket = 0;
    int indent = INDENT * level;
    while (f->status == KAL_OK && begin < end) {
        const Comment *comment = f->next < behind ? comment_at(f, f->next) : NULL;
        const size_t room = indent < WIDTH / 2 ? (size_t)(WIDTH - indent) : WIDTH / 2;
        const Cut cut = cut_line(f, begin, next, room, comment);
        assert(cut.end > begin && cut.end <= end); // a line has something in it
        begin_line(f, indent);
        add(f, &f->text, (const char *)f->printed.data + begin, cut.end - begin);
        if (cut.end == end) {
            end_line(f, trailing);
            return;
        }
        bracket = place_brackets(f, bracket, begin, cut.end, indent);
        indent = indent_after(f, break_at(f, cut.next - 1), level);
        const bool beside = comment && comment->after <= cut.count && !comment->alone;
        end_line(f, beside ? comment : NULL);
        f->next += beside;
        while (f->next < behind && comment_at(f, f->next)->after <= cut.count) {
            put_comment_line(f, comment_at(f, f->next++), indent);
        }
        begin = cut.end + 1; // a space follows
        next = cut.next;
    }
}

// Where the next token is that ends no statement.
static uint32_t next_begin(const Formatter *f)
{
    KalLexer ahead = f->lexer;
    KalToken token = f->token;
    while (token.kind == KAL_TOKEN_END) {
        token = kal_lexer_step(&ahead);
    }
    return token.begin;
}

// The comment in the line that ends before the token, if there is one.
static const Comment *find_trailing(const Formatter *f, size_t i)
{
    const bool there = i < count_of(&f->comments, sizeof(Comment))
                       && comment_at(f, i)->begin < next_begin(f);
    return there && !comment_at(f, i)->alone ? comment_at(f, i) : NULL;
}

// Comments for which there is no place within the statement stand above it; the last of
// them may stand behind it.  Returns the end of those that have a place.
static size_t put_homeless(Formatter *f, size_t behind, int level,
                           const Comment **trailing)
{
    const size_t count = count_of(&f->breaks, sizeof(Break));
    assert(f->next <= behind);
    const uint32_t last = count > 0 ? break_at(f, count - 1)->count : 0;
    size_t first = behind;
    size_t above = behind;
    while (first > f->next && comment_at(f, first - 1)->after > last) {
        first--;
    }
    if (first < behind && trailing && !*trailing) {
        *trailing = comment_at(f, --above);
    }
    for (size_t i = first; i < above; i++) {
        put_comment_line(f, comment_at(f, i), INDENT * level);
    }
    return first;
}

// Print the statement, up to the brace of a block, in one line.
static void print(Formatter *f, const KalNode *node, bool block)
{
    f->printed.size = 0;
    kal_statement_print(node, (KalSink){keep_printed, f});
    add(f, &f->printed, block ? " {" : "", block ? 3 : 1); // with the end of the text
    if (f->status == KAL_OK) {
        find_breaks(f);
    }
}

// One statement without its block, with its comments.
static void format_statement(Formatter *f, const KalNode *node, bool block, int level)
{
    while (f->token.kind == KAL_TOKEN_END) {
        step(f);
    }
    put_comments(f, f->token.begin, level);
    if (f->token.first_in_line) {
        keep_empty_line(f, f->token.begin);
    }
    const size_t behind = pass_statement(f);
    print(f, node, block);
    if (f->status != KAL_OK) {
        return;
    }
    if (block) {
        assert(f->token.kind == KAL_TOKEN_LEFT_BRACE);
        step(f);
    }
    const Comment *trailing = find_trailing(f, behind);
    const size_t used = behind + (trailing ? 1 : 0);
    const size_t placed = put_homeless(f, behind, level, block ? NULL : &trailing);
    put_statement(f, placed, trailing, level);
    f->next = used;
}

// The end of a block.
static void format_brace(Formatter *f, int level)
{
    while (f->token.kind == KAL_TOKEN_END) {
        step(f);
    }
    assert(f->token.kind == KAL_TOKEN_RIGHT_BRACE);
    put_comments(f, f->token.begin, level + 1);
    step(f);
    const Comment *trailing = find_trailing(f, f->next);
    begin_line(f, INDENT * level);
    add(f, &f->text, "}", 1);
    end_line(f, trailing);
    f->next += trailing != NULL;
}

// Recursion ends at KAL_BLOCK_DEPTH.
// NOLINTNEXTLINE(misc-no-recursion)
static void format_statements(Formatter *f, const KalNode *first, int level)
{
    assert(level >= 0);
    f->fresh = true;
    for (const KalNode *node = first; node && f->status == KAL_OK; node = node->next) {
        const bool loop = node->kind == KAL_NODE_FOR;
        const bool block = loop || node->kind == KAL_NODE_COMPONENT;
        format_statement(f, node, block, level);
        if (block && f->status == KAL_OK) {
            format_statements(f, loop ? node->of.loop.body : node->of.definition.body,
                              level + 1);
            format_brace(f, level);
        }
    }
}

// The whole text.

// Whether a line opens or closes a block.
static bool has_brace(const Formatter *f, const Line *line)
{
    const char *text = (const char *)f->text.data;
    return line->end > line->begin && strchr("{}", text[line->end - 1]);
}

// The column in which the comments behind a run of lines begin.  A line with a brace is a
// run of its own.
static size_t comment_column(const Formatter *f, const Line *line, const Line *end)
{
    assert(line < end);
    const bool single = has_brace(f, line);
    size_t widest = 0;
    do {
        const char *text = (const char *)f->text.data + line->begin;
        const size_t width = width_of(text, line->end - line->begin);
        widest = width > widest ? width : widest;
        line++;
    } while (!single && line < end && line->comment.end > 0 && !has_brace(f, line));
    return widest + GAP;
}

// Lines with their comments, which stand in one column over runs of lines.
static void render(Formatter *f, KalBlock *out)
{
    const Line *lines = (const Line *)f->lines.data;
    const size_t count = count_of(&f->lines, sizeof *lines);
    size_t column = 0; // 0: a run begins
    for (size_t k = 0; k < count; k++) {
        const Line *line = lines + k;
        const char *text = (const char *)f->text.data + line->begin;
        const Comment *comment = &line->comment;
        const bool single = has_brace(f, line);
        add(f, out, text, line->end - line->begin);
        if (comment->end > 0) {
            column =
                column > 0 && !single ? column : comment_column(f, line, lines + count);
            for (size_t i = width_of(text, line->end - line->begin); i < column; i++) {
                add(f, out, " ", 1);
            }
            add(f, out, f->source->text + comment->begin,
                comment->end - comment->begin);
        }
        column = comment->end > 0 && !single ? column : 0;
        add(f, out, "\n", 1);
    }
}

static void clear(Formatter *f)
{
    kal_block_clear(f->ctx, &f->comments);
    kal_block_clear(f->ctx, &f->text);
    kal_block_clear(f->ctx, &f->lines);
    kal_block_clear(f->ctx, &f->printed);
    kal_block_clear(f->ctx, &f->breaks);
    kal_block_clear(f->ctx, &f->brackets);
}

// Both views of the text in step: statements of the tree, tokens of the source.
static KalStatus format(KalContext *ctx, const KalSource *source, const KalTree *tree,
                        KalDiagnostics *diagnostics, KalBlock *out)
{
    assert(source && tree && out);
    Formatter f = {.ctx = ctx, .diagnostics = diagnostics, .source = source};
    kal_lexer_init(&f.lexer, source, diagnostics);
    const KalLexer beginning = f.lexer;
    f.begin = f.lexer.offset;
    list_comments(&f);
    f.lexer = beginning;
    step(&f);
    format_statements(&f, kal_tree_first(tree), 0);
    put_comments(&f, source->length, 0);
    render(&f, out);
    clear(&f);
    return f.status;
}

// Whether the result means what the text did.
static KalStatus compare(KalContext *ctx, const KalTree *tree, const KalBlock *out,
                         KalDiagnostics *diagnostics)
{
    assert(tree && out);
    KalSource *source = NULL;
    KalTree *again = NULL;
    KAL_TRY(kal_source_create(ctx, "the canonical form", out->size > 0 ? out->data : "",
                              out->size, &source));
    KalStatus status = kal_parse(ctx, source, diagnostics, &again);
    if (status == KAL_OK
        && !kal_node_equal(kal_tree_first(tree), kal_tree_first(again))) {
        status =
            kal_fail(ctx, KAL_ERR_SYNTAX,
                     "the canonical form would mean something else; this is a fault of "
                     "Kalaba and not of the model");
    }
    kal_tree_destroy(again);
    kal_source_destroy(ctx, source);
    return status;
}

static KalStatus parse_and_format(KalContext *ctx, const KalSource *source,
                                  KalDiagnostics *diagnostics, KalBlock *out)
{
    KalTree *tree = NULL;
    KAL_TRY(kal_parse(ctx, source, diagnostics, &tree));
    KalStatus status = format(ctx, source, tree, diagnostics, out);
    if (status == KAL_OK) {
        status = compare(ctx, tree, out, diagnostics);
    }
    kal_tree_destroy(tree);
    return status;
}

// Nothing is written unless the whole text has its canonical form.
KalStatus kal_model_format(KalContext *ctx, const char *name, const char *text,
                           size_t length, KalSink messages, KalSink out)
{
    KAL_NEED(ctx, ctx && name && (text || length == 0) && out.write);
    KalSource *source = NULL;
    KalDiagnostics *diagnostics = NULL;
    KalBlock result = {.data = NULL};
    KAL_TRY(kal_source_create(ctx, name, text, length, &source));
    KalStatus status = kal_diagnostics_create(ctx, &diagnostics);
    if (status == KAL_OK) {
        status = parse_and_format(ctx, source, diagnostics, &result);
    }
    if (status == KAL_ERR_SYNTAX && messages.write) {
        kal_diagnostics_write(diagnostics, messages);
    }
    if (status == KAL_OK && result.size > 0) {
        out.write(out.user, (const char *)result.data, result.size);
    }
    kal_block_clear(ctx, &result);
    kal_diagnostics_destroy(diagnostics);
    kal_source_destroy(ctx, source);
    return status;
}
