// SPDX-License-Identifier: MIT

// Statements: texts, pictures, structure; then statements one after the other, and blocks.

#include "base/utf8.h"
#include "lang/parser_impl.h"

#include <assert.h>
#include <string.h>

// Texts and libraries.

// Without quotes; a backslash stands for what follows it.
KalNode *kal_parse_string(KalParser *p)
{
    assert(kal_parser_is(p, KAL_TOKEN_STRING));
    const KalToken token = p->token;
    const char *text = p->lexer.source->text;
    char plain[KAL_STRING_LIMIT];
    size_t length = 0;
    for (uint32_t i = token.begin + 1; i + 1 < token.end; i++) {
        i += text[i] == '\\';
        plain[length++] = text[i];
    }
    assert(length < KAL_STRING_LIMIT);
    const KalSpan span = {p->lexer.source, token.begin, token.end};
    KalNode *node = kal_tree_add_text(p->tree, KAL_NODE_STRING, span, plain, length);
    if (!node) {
        kal_parser_give_up(p);
    }
    kal_parser_advance(p);
    return node;
}

KalNode *kal_parse_model(KalParser *p, uint32_t begin)
{
    if (!kal_parser_is(p, KAL_TOKEN_STRING)) {
        kal_parser_fail_expected(p, "the title of the model in quotes");
        return NULL;
    }
    return kal_parser_add_unary(p, KAL_NODE_MODEL, begin, kal_parse_string(p));
}

KalNode *kal_parse_use(KalParser *p, uint32_t begin)
{
    KalNode *what = kal_parser_is(p, KAL_TOKEN_STRING)
                        ? kal_parse_string(p)
                        : kal_parse_new_name(p, "a file in quotes or a library");
    if (kal_parser_is(p, KAL_TOKEN_DOT)) {
        kal_parser_fail(
            p, p->token.begin, p->token.end,
            "expected the end of the statement, found '.'; a file stands in "
            "quotes, and a library has no ending, as in use planar");
    }
    return kal_parser_add_unary(p, KAL_NODE_USE, begin, what);
}

// Pictures.

KalNode *kal_parse_plot(KalParser *p, uint32_t begin)
{
    KalChain curves = {.first = NULL};
    KalNode *against = NULL;
    do {
        kal_chain_add(&curves, kal_parse_value(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    if (kal_parser_accept_word(p, "against")) {
        against = kal_parse_value(p);
    }
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_PLOT, .of.plot = {curves.first, against}
    });
}

// `p -> q -> …`; at least two, at most `most`.
static KalNode *parse_points(KalParser *p, int most)
{
    assert(most >= 2);
    KalChain points = {.first = NULL};
    kal_chain_add(&points, kal_parse_value(p));
    if (!kal_parser_is(p, KAL_TOKEN_ARROW)) {
        kal_parser_fail_after(p, "'->' and another point");
    }
    for (int i = 1; i < most && kal_parser_accept(p, KAL_TOKEN_ARROW); i++) {
        kal_chain_add(&points, kal_parse_value(p));
    }
    return points.first;
}

// What a word introduces.
static KalNode *parse_worded(KalParser *p, const char *word, const char *expected)
{
    assert(word && expected);
    if (!kal_parser_is_word(p, word)) {
        kal_parser_fail_after(p, expected);
    }
    kal_parser_advance(p);
    return kal_parse_value(p);
}

// What a shape needs: points, a radius, a size and perhaps an angle.
static KalNode *parse_shape(KalParser *p, uint32_t begin, KalShape shape)
{
    KalNode node = {.kind = KAL_NODE_DRAW, .op = (unsigned char)shape};
    const bool points = shape == KAL_SHAPE_LINE || shape == KAL_SHAPE_SPRING;
    node.of.draw.points =
        points ? parse_points(p, shape == KAL_SHAPE_SPRING ? 2 : INT32_MAX)
               : kal_parse_value(p);
    if (shape == KAL_SHAPE_CIRCLE) {
        node.of.draw.size = parse_worded(p, "radius", "'radius' and a length");
    }
    if (shape == KAL_SHAPE_BOX) {
        node.of.draw.size = parse_worded(p, "size", "'size' and the lengths [w, h]");
        if (kal_parser_accept_word(p, "angle")) {
            node.of.draw.angle = kal_parse_value(p);
        }
    }
    return kal_parser_add(p, begin, node);
}

KalNode *kal_parse_draw(KalParser *p, uint32_t begin)
{
    static const char *const shapes[] = {
#define KAL_SHAPE_WORD(name, word) word,
        KAL_SHAPE_LIST(KAL_SHAPE_WORD)
#undef KAL_SHAPE_WORD
    };
    for (KalShape shape = 0; shape < KAL_SHAPES; shape++) {
        if (kal_parser_is_word(p, shapes[shape])) {
            kal_parser_advance(p);
            return parse_shape(p, begin, shape);
        }
    }
    kal_parser_fail_expected(p, "a shape: line, circle, box, spring or path");
    return NULL;
}

// Structure.

// Recursion by way of blocks ends at KAL_BLOCK_DEPTH.
// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_for(KalParser *p, uint32_t begin)
{
    KalNode *index;
    KalNode *range;
    kal_parse_iterator(p, &index, &range);
    KalNode *body = kal_parse_block(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_FOR, .of.loop = {index, range, body}
    });
}

// `name`, and of a component also `name [unit] = value [unit]`, or with `~`.
static KalNode *parse_parameter(KalParser *p, bool component)
{
    const uint32_t begin = p->token.begin;
    KalNode *name = kal_parse_new_name(p, "the name of an argument");
    KalNode *unit = component ? kal_parse_unit(p) : NULL;
    KalNode *value = NULL;
    const bool guess = component && kal_parser_accept(p, KAL_TOKEN_TILDE);
    if (guess || (component && kal_parser_accept(p, KAL_TOKEN_EQUALS))) {
        value = kal_parse_value(p);
        unit = kal_parse_other_unit(p, unit);
    }
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_PARAMETER,
                              .op = guess ? KAL_START_GUESS : KAL_START_EXACT,
                              .of.declaration = {name, value, unit}
    });
}

// `(a, b)`, or `()`.
static KalNode *parse_parameters(KalParser *p, bool component)
{
    const KalToken open = p->token;
    KalChain parameters = {.first = NULL};
    kal_parser_expect(p, KAL_TOKEN_LEFT_PAREN, NULL);
    if (!kal_parser_is(p, KAL_TOKEN_RIGHT_PAREN)) {
        do {
            kal_chain_add(&parameters, parse_parameter(p, component));
        } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    }
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return parameters.first;
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_component(KalParser *p, uint32_t begin)
{
    KalNode *name = kal_parse_new_name(p, "the name of the component");
    KalNode *parameters =
        kal_parser_is(p, KAL_TOKEN_LEFT_PAREN) ? parse_parameters(p, true) : NULL;
    KalNode *body = kal_parse_block(p);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_COMPONENT, .of.definition = {name, parameters, body}
    });
}

KalNode *kal_parse_fn(KalParser *p, uint32_t begin)
{
    KalNode *name = kal_parse_new_name(p, "the name of the function");
    KalNode *parameters = parse_parameters(p, false);
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *body = kal_parse_value(p);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_FN, .of.definition = {name, parameters, body}
    });
}

// `name = value`, `name ~ value`, or a value alone.
static KalNode *parse_argument(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    const KalTokenKind next = kal_parser_peek(p, 1);
    const bool named =
        (kal_parser_is(p, KAL_TOKEN_NAME) || kal_parser_is(p, KAL_TOKEN_WORD))
        && (next == KAL_TOKEN_EQUALS || next == KAL_TOKEN_TILDE);
    const bool guess = named && next == KAL_TOKEN_TILDE;
    KalNode *name = NULL;
    if (named) {
        name = kal_parse_any_name(p);
        kal_parser_advance(p);
    }
    KalNode *value = kal_parse_value(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_ARGUMENT,
                              .op = guess ? KAL_START_GUESS : KAL_START_EXACT,
                              .of.declaration = {name, value, NULL}
    });
}

// `Name(p = 1)`; a component without arguments needs no brackets.
static KalNode *parse_instance_call(KalParser *p)
{
    const KalToken start = p->token;
    KalNode *callee = kal_parse_target(p, KAL_TARGET_OLD, "the name of a component");
    const KalToken open = p->token;
    KalChain arguments = {.first = NULL};
    if (kal_parser_accept(p, KAL_TOKEN_LEFT_PAREN)) {
        if (!kal_parser_is(p, KAL_TOKEN_RIGHT_PAREN)) {
            do {
                kal_chain_add(&arguments, parse_argument(p));
            } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
        }
        kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    }
    return kal_parser_add(
        p, start.begin,
        (KalNode){
            .kind = KAL_NODE_CALL, .of.call = {callee, arguments.first}
    });
}

// Whether `name[i in …` follows.
static bool has_iterator(const KalParser *p)
{
    return kal_parser_peek(p, 1) == KAL_TOKEN_LEFT_BRACKET
           && kal_parser_peek_word(p, 3, "in");
}

// `name = Component(…)`, `name[i in 1..N] = Component(…)`, or in a loop `name[i] = …`.
static KalNode *parse_instance(KalParser *p)
{
    static const char what[] = "the name of a part";
    const uint32_t begin = p->token.begin;
    const bool many = has_iterator(p);
    KalNode *name =
        many ? kal_parse_new_name(p, what) : kal_parse_target(p, KAL_TARGET_NEW, what);
    KalNode *index = NULL;
    KalNode *range = NULL;
    const KalToken open = p->token;
    if (many && kal_parser_accept(p, KAL_TOKEN_LEFT_BRACKET)) {
        kal_parse_iterator(p, &index, &range);
        kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    }
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *call = parse_instance_call(p);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_INSTANCE, .of.instance = {name, index, range, call}
    });
}

KalNode *kal_parse_part(KalParser *p, uint32_t begin)
{
    KalChain items = {.first = NULL};
    do {
        kal_chain_add(&items, parse_instance(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add_list(p, KAL_NODE_PART, begin, items);
}

// Statements one after the other.

// What stands for a statement in books and other languages, and what says it here.
static const struct {
    const char *word;
    const char *advice;
} FOREIGN[] = {
    {"T",          "let names an expression, param a constant, kinetic states an energy"  },
    {"V",          "let names an expression, param a constant, potential states an energy"},
    {"U",          "let names an expression, param a constant, potential states an energy"},
    {"energy",     "an energy is stated by kinetic or potential"                          },
    {"lagrangian", "its parts are stated one by one, by kinetic and potential"            },
    {"lagrange",   "its parts are stated one by one, by kinetic and potential"            },
    {"damping",    "use dissipation 1/2*d*x'^2, or force x = -d*x'"                       },
    {"damper",     "use dissipation 1/2*d*x'^2, or force x = -d*x'"                       },
    {"spring",     "use its energy, as in potential 1/2*k*x^2"                            },
    {"gravity",    "use its energy, as in potential m*g*y"                                },
    {"if",         "a value chosen by a condition is if(x > 0, 1, 2)"                     },
    {"when",       "what happens at an instant is an event, as in event e: x stop"        },
    {"import",     "models and libraries are taken in by use"                             },
    {"include",    "models and libraries are taken in by use"                             },
    {"var",        "coord declares a coordinate, state another variable of time"          },
    {"variable",   "coord declares a coordinate, state another variable of time"          },
    {"const",      "param declares a constant"                                            },
    {"initial",    "init says where the motion starts, as in init x = 1"                  },
    {"start",      "init says where the motion starts, as in init x = 1"                  },
    {"simulation", "simulate says how long, as in simulate 0 .. 10 every 0.01"            },
    {"end",        "a model ends with its text"                                           },
    {"equation",   "each statement begins with its own word, as in constraint c: x = 0"   },
    {"equations",  "each statement begins with its own word, as in constraint c: x = 0"   },
    {"der",        "a state has its derivative, as in state s: s' = -s"                   },
    {"function",   "fn defines a function, as in fn f(x) = x^2"                           },
    {"def",        "fn defines a function, as in fn f(x) = x^2"                           },
    {"Real",       "coord declares a coordinate, param a constant, let an expression"     },
    {"double",     "coord declares a coordinate, param a constant, let an expression"     },
    {"syms",       "coord declares a coordinate, param a constant, let an expression"     },
    {"symbols",    "coord declares a coordinate, param a constant, let an expression"     },
    {"body",       "bodies are parts, as in use planar and part b = Body(m = 1)"          },
    {"joint",      "joints are parts, as in use planar and part p = Pin(a = b1, b = b2)"  },
    {"velocity",   "a velocity is x', and let names an expression, as in let v = x'"      },
    {"torque",     "a torque is a force along an angle, as in force a = 2"                },
    {"moment",     "a torque is a force along an angle, as in force a = 2"                },
    {"integral",   "what adds up over time is a state, as in state s: s' = x"             },
    {"controller", "an input has its law, as in actuator u: x', law = -k*x"               },
    {"control",    "an input has its law, as in actuator u: x', law = -k*x"               },
    {"input",      "an input has its law, as in actuator u: x', law = -k*x"               },
    {"print",      "output names what is told and written, as in output height = y"       },
};

// What a foreign word is called here, or NULL.
static const char *find_advice(const char *word)
{
    for (size_t i = 0; i < sizeof FOREIGN / sizeof FOREIGN[0]; i++) {
        if (strcmp(FOREIGN[i].word, word) == 0) {
            return FOREIGN[i].advice;
        }
    }
    return NULL;
}

// The statement that a word means, misspelt or longer than it is here (`parameters`), or NULL.
static const char *find_statement(const char *word)
{
    enum {
        TELLING = 4
    }; // letters that are no accident

    const char *const *words = kal_words();
    for (int i = 0; i < KAL_ALL_WORDS; i++) {
        const size_t length = strlen(words[i]);
        if (length >= TELLING && strncmp(word, words[i], length) == 0) {
            return words[i];
        }
    }
    return kal_word_find_near(word, words, KAL_ALL_WORDS);
}

// What follows a name in formulas.
static bool is_within_formula(KalTokenKind kind)
{
    return kind == KAL_TOKEN_PRIME || kind == KAL_TOKEN_PLUS || kind == KAL_TOKEN_MINUS
           || kind == KAL_TOKEN_STAR || kind == KAL_TOKEN_SLASH
           || kind == KAL_TOKEN_CARET;
}

// A name where a statement should begin: misspelt, or the word is missing.
static void fail_statement_name(KalParser *p)
{
    char word[KAL_NAME_LIMIT + 1];
    char shown[KAL_PRINTABLE_SIZE];
    kal_parser_print_name(p, word);
    kal_printable_print(word, strlen(word), shown);
    const char *advice = find_advice(word);
    if (advice) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "expected a statement, found '%s'; %s", shown, advice);
        return;
    }
    if (kal_parser_peek(p, 1) == KAL_TOKEN_EQUALS) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "expected a statement, found '%s'; let names an expression, "
                        "param a constant, as in let %s = …",
                        shown, shown);
        return;
    }
    const char *near = find_statement(word);
    if (near) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "unknown statement '%s'; did you mean '%s'?", shown, near);
    } else if (is_within_formula(kal_parser_peek(p, 1))) {
        kal_parser_fail(
            p, p->token.begin, p->token.end,
            "expected a statement, found '%s'; motion follows from energies and "
            "forces, as in force x = -k*x, and an equation is a constraint, as in "
            "constraint c: x = 0",
            shown);
    } else {
        kal_parser_fail_expected(p, "a statement, such as param, coord or kinetic");
    }
}

// What stands where a statement should begin.
static void fail_statement(KalParser *p)
{
    if (kal_parser_is(p, KAL_TOKEN_NAME)) {
        fail_statement_name(p);
    } else {
        kal_parser_fail_expected(p, "a statement (a line is continued by the next one "
                                    "if it ends with an operator or comma)");
    }
}

// What parses the statement that begins with the next token; NULL when none does.
static KalParseFn find_parser(const KalParser *p)
{
    static const KalParseFn functions[] = {
#define KAL_WORD(name, text, function, meaning) function,
#define KAL_SOFT_WORD(text, function, meaning)  function,
#include "lang/words.def"
    };
    if (kal_parser_is(p, KAL_TOKEN_WORD)) {
        assert(p->token.word < KAL_WORDS);
        return functions[p->token.word];
    }
    for (int i = KAL_WORDS; i < KAL_ALL_WORDS; i++) {
        if (kal_parser_is_word(p, kal_words()[i])) {
            return functions[i];
        }
    }
    return NULL;
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_statement(KalParser *p)
{
    const KalParseFn parse = find_parser(p);
    if (!parse) {
        fail_statement(p);
        return NULL;
    }
    const KalToken start = p->token;
    kal_parser_advance(p);
    p->called = kal_parser_is(p, KAL_TOKEN_LEFT_PAREN) ? p->token.begin : 0;
    KalNode *node = parse(p, start.begin);
    if (!kal_parser_is(p, KAL_TOKEN_END) && !kal_parser_is(p, KAL_TOKEN_EOF)
        && !kal_parser_is(p, KAL_TOKEN_RIGHT_BRACE)) {
        kal_parser_fail_after(p, "the end of the statement");
    }
    return node;
}

// After an error the parser recovers here; a block that follows is parsed for its errors
// alone.
// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_statements(KalParser *p)
{
    KalChain chain = {.first = NULL};
    for (;;) {
        if (kal_parser_accept(p, KAL_TOKEN_END)) {
            continue;
        }
        if (kal_parser_is(p, KAL_TOKEN_EOF)
            || kal_parser_is(p, KAL_TOKEN_RIGHT_BRACE)) {
            return chain.first;
        }
        KalNode *node = kal_parse_statement(p);
        if (!kal_parser_is_stuck(p)) {
            kal_chain_add(&chain, node);
            continue;
        }
        kal_parser_recover(p);
        if (kal_parser_is(p, KAL_TOKEN_LEFT_BRACE)) {
            kal_parse_block(p); // for its errors
        }
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_block(KalParser *p)
{
    if (kal_parser_is(p, KAL_TOKEN_END)
        && kal_parser_peek(p, 1) == KAL_TOKEN_LEFT_BRACE) {
        kal_parser_advance(p); // a brace in a line of its own
    }
    const KalToken open = p->token;
    if (!kal_parser_accept(p, KAL_TOKEN_LEFT_BRACE)) {
        kal_parser_fail_after(p, "'{'");
        return NULL;
    }
    if (p->blocks == KAL_BLOCK_DEPTH) {
        kal_parser_fail(p, open.begin, open.end,
                        "nested too deeply: blocks may be in each other %d times",
                        KAL_BLOCK_DEPTH);
        kal_parser_skip_block(p);
        return NULL;
    }
    if (!kal_parser_has_stack(p, open)) {
        kal_parser_skip_block(p);
        return NULL;
    }
    p->blocks++;
    assert(p->blocks <= KAL_BLOCK_DEPTH);
    KalNode *statements = kal_parse_statements(p);
    p->blocks--;
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACE, open);
    return statements;
}
