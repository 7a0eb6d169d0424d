// SPDX-License-Identifier: MIT

// Random syntax trees: printed and parsed they are the same, however the text is laid
// out.  KAL_PROPERTY_PROBLEMS sets how many.

#include "../unit/lang/lab.h"
#include "lang/lexer.h"
#include "rng.h"

#include <kalaba/format.h>

static const KalSpan NOWHERE = {NULL, 0, 0};

static KalTree *tree; // the one that grows
static Rng rng;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static int below(int n)
{
    return rng_int(&rng, 0, n - 1);
}

// Leaves.

static KalNode *make_name(void)
{
    static const char *const names[] = {
        "x",    "y",     "theta", "θ",    "m_1", "P",    "link", "sum",    "if",
        "sin",  "every", "angle", "rate", "in",  "stop", "set",  "rising", "radius",
        "size", "ẋ",     "été",   "Ω",    "a1",  "tip",  "auto", "against"};
    const char *text = names[below(sizeof names / sizeof names[0])];
    return kal_tree_add_text(tree, KAL_NODE_NAME, NOWHERE, text, strlen(text));
}

static KalNode *make_number(void)
{
    static char texts[1 << 20]; // borrowed by the nodes; more than one tree needs
    static size_t used;
    if (used > sizeof texts - 64) {
        used = 0;
    }
    char *text = texts + used;
    int length = 0;
    switch (below(5)) {
    case 0: length = sprintf(text, "%d", below(4)); break;
    case 1: length = sprintf(text, "%d", below(1000000)); break;
    case 2: length = sprintf(text, "%d.%03d", below(100), below(1000)); break;
    case 3: length = sprintf(text, "%de%d", below(100), below(600) - 300); break;
    default: length = sprintf(text, "%d.%dE+%d", below(10), below(99), below(9)); break;
    }
    used += (size_t)length + 1;
    return kal_tree_add_number(tree, NOWHERE, text, (size_t)length);
}

static KalNode *make_string(void)
{
    static const char *const texts[] = {"", "a.kal", "a \"b\" \\ c", "dir/θ.kal", "#;"};
    const char *text = texts[below(sizeof texts / sizeof texts[0])];
    return kal_tree_add_text(tree, KAL_NODE_STRING, NOWHERE, text, strlen(text));
}

// Expressions of at most `size` levels.

static KalNode *make_value(int size);
static KalNode *make_condition(int size);

static KalNode *make(KalNodeKind kind, KalNode *a, KalNode *b, KalNode *c, KalNode *d)
{
    return kal_tree_add(tree, (KalNode){
                                  .kind = kind, .of.slot = {a, b, c, d}
    });
}

// A chain of `least` or more of what a function makes.
static KalNode *make_chain(int least, KalNode *(*make_one)(int), int size)
{
    KalNode *first = NULL;
    KalNode **end = &first;
    for (int n = least + below(3); n > 0; n--) {
        *end = make_one(size);
        end = &(*end)->next;
    }
    return first;
}

static KalNode *make_operands(KalNodeKind kind, KalJoin join, int size)
{
    KalNode *first = make_chain(2, make_value, size);
    for (KalNode *item = first->next; item; item = item->next) {
        item->join = (KalJoin)((int)join + below(2));
    }
    return make(kind, first, NULL, NULL, NULL);
}

static KalNode *make_prime(int size)
{
    KalNode *base = make_value(size);
    if (base->kind == KAL_NODE_PRIME) {
        return base; // two in a row are one
    }
    KalNode *node = make(KAL_NODE_PRIME, base, NULL, NULL, NULL);
    node->op = (unsigned)(1 + below(3)) & 0xffU;
    return node;
}

static KalNode *make_call(int size)
{
    KalNode *callee = below(4) == 0 ? make(KAL_NODE_MEMBER, make_value(size - 1),
                                           make_name(), NULL, NULL)
                                    : make_name();
    if (callee->kind == KAL_NODE_NAME && kal_node_is_text(callee, "if")) {
        return callee; // an if is not a call
    }
    return make(KAL_NODE_CALL, callee, make_chain(0, make_value, size), NULL, NULL);
}

static KalNode *make_range(int size)
{
    return make(KAL_NODE_RANGE, make_value(size), make_value(size), NULL, NULL);
}

static KalNode *make_value(int size)
{
    if (size <= 1) {
        return below(2) ? make_name() : make_number();
    }
    size--;
    switch (below(14)) {
    case 0: return make_number();
    case 1: return make_name();
    case 2: return make_operands(KAL_NODE_ADD, KAL_JOIN_PLUS, size);
    case 3: return make_operands(KAL_NODE_MULTIPLY, KAL_JOIN_TIMES, size);
    case 4: return make(KAL_NODE_NEGATE, make_value(size), NULL, NULL, NULL);
    case 5: return make(KAL_NODE_POWER, make_value(size), make_value(size), NULL, NULL);
    case 6: return make_prime(size);
    case 7: return make_call(size);
    case 8:
        return make(KAL_NODE_VECTOR, make_chain(1, make_value, size), NULL, NULL, NULL);
    case 9: return make(KAL_NODE_INDEX, make_value(size), make_value(size), NULL, NULL);
    case 10: return make(KAL_NODE_MEMBER, make_value(size), make_name(), NULL, NULL);
    case 11:
        return make(KAL_NODE_IF, make_condition(size), make_value(size),
                    make_value(size), NULL);
    case 12:
        return make(KAL_NODE_SUM, make_name(), make_range(size - 1),
                    below(2) ? make_condition(size) : NULL, make_value(size));
    default: return make_operands(KAL_NODE_ADD, KAL_JOIN_PLUS, size);
    }
}

static KalNode *make_condition(int size)
{
    switch (size <= 1 ? 0 : below(5)) {
    case 1: return make(KAL_NODE_NOT, make_condition(size - 1), NULL, NULL, NULL);
    case 2:
        return make(KAL_NODE_AND, make_chain(2, make_condition, size - 1), NULL, NULL,
                    NULL);
    case 3:
        return make(KAL_NODE_OR, make_chain(2, make_condition, size - 1), NULL, NULL,
                    NULL);
    default: break;
    }
    KalNode *node =
        make(KAL_NODE_COMPARE, make_value(size - 1), make_value(size - 1), NULL, NULL);
    node->op = (unsigned)below(6) & 0xffU;
    return node;
}

// Pieces.

static KalNode *make_unit(int size)
{
    static const char *const one = "1";
    if (size <= 1 || below(3) == 0) {
        return below(4) ? make_name() : kal_tree_add_number(tree, NOWHERE, one, 1);
    }
    if (below(2)) {
        KalNode *first = make_chain(2, make_unit, size - 1);
        for (KalNode *item = first->next; item; item = item->next) {
            item->join = below(2) ? KAL_JOIN_TIMES : KAL_JOIN_OVER;
        }
        return make(KAL_NODE_MULTIPLY, first, NULL, NULL, NULL);
    }
    KalNode *exponent = make_number();
    if (below(2)) {
        exponent = make(KAL_NODE_NEGATE, exponent, NULL, NULL, NULL);
    }
    if (below(3) == 0) {
        exponent->next = make_number();
        exponent->next->join = KAL_JOIN_OVER;
        exponent = make(KAL_NODE_MULTIPLY, exponent, NULL, NULL, NULL);
    }
    return make(KAL_NODE_POWER, make_unit(size - 1), exponent, NULL, NULL);
}

static KalNode *make_new_target(int size)
{
    KalNode *node = make_name();
    for (int n = below(3); n > 0; n--) {
        node = make(KAL_NODE_INDEX, node, make_value(size), NULL, NULL);
    }
    return node;
}

static KalNode *make_target(int size)
{
    KalNode *node = make_name();
    for (int n = below(4); n > 0; n--) {
        node = below(2) ? make(KAL_NODE_INDEX, node, make_value(size), NULL, NULL)
                        : make(KAL_NODE_MEMBER, node, make_name(), NULL, NULL);
    }
    return node;
}

static KalNode *make_derived_target(int size)
{
    KalNode *node = make_target(size);
    if (below(2)) {
        node = make(KAL_NODE_PRIME, node, NULL, NULL, NULL);
        node->op = (unsigned)(1 + below(2)) & 0xffU;
    }
    return node;
}

static KalNode *make_declaration(int size)
{
    return make(KAL_NODE_DECLARATION, make_new_target(size), make_value(size),
                below(2) ? make_unit(3) : NULL, NULL);
}

static KalNode *make_coordinate(int size)
{
    return make(KAL_NODE_DECLARATION, make_new_target(size), NULL,
                below(2) ? make_unit(3) : NULL, NULL);
}

static KalNode *make_assignment(int size)
{
    return make(KAL_NODE_ASSIGNMENT, make_target(size), make_value(size), NULL, NULL);
}

static KalNode *make_start(int size)
{
    KalNode *node =
        make(KAL_NODE_START, make_derived_target(size), make_value(size), NULL, NULL);
    node->op = below(2) ? KAL_START_GUESS : KAL_START_EXACT;
    return node;
}

static KalNode *make_parameter(int size)
{
    const bool value = below(2) == 0;
    KalNode *node =
        make(KAL_NODE_PARAMETER, make_name(), value ? make_value(size) : NULL,
             below(2) ? make_unit(2) : NULL, NULL);
    node->op = value && below(2) ? KAL_START_GUESS : KAL_START_EXACT;
    return node;
}

static KalNode *make_plain_parameter(int size)
{
    (void)size;
    return make(KAL_NODE_PARAMETER, make_name(), NULL, NULL, NULL);
}

static KalNode *make_argument(int size)
{
    const bool named = below(2) == 0;
    KalNode *node = make(KAL_NODE_ARGUMENT, named ? make_name() : NULL,
                         make_value(size), NULL, NULL);
    node->op = named && below(2) ? KAL_START_GUESS : KAL_START_EXACT;
    return node;
}

static KalNode *make_instance(int size)
{
    const bool array = below(2) == 0;
    KalNode *callee = below(3)
                          ? make_name()
                          : make(KAL_NODE_MEMBER, make_name(), make_name(), NULL, NULL);
    KalNode *call =
        make(KAL_NODE_CALL, callee, make_chain(0, make_argument, size), NULL, NULL);
    return make(KAL_NODE_INSTANCE, make_name(), array ? make_name() : NULL,
                array ? make_range(size) : NULL, call);
}

static KalNode *make_option(KalOption option, int size)
{
    KalNode *value = option == KAL_OPTION_OFF ? NULL : make_value(size);
    KalNode *node = make(KAL_NODE_OPTION, value, NULL, NULL, NULL);
    node->op = option & 0xffU;
    return node;
}

// Some of the options from `first` to `last`, in order.
static KalNode *make_options(KalOption first, KalOption last, int size)
{
    KalNode *chain = NULL;
    KalNode **end = &chain;
    for (KalOption option = first; option <= last; option++) {
        if (below(2)) {
            *end = make_option(option, size);
            end = &(*end)->next;
        }
    }
    return chain;
}

static KalNode *make_action(int size)
{
    switch (below(4)) {
    case 0: return make(KAL_NODE_STOP, NULL, NULL, NULL, NULL);
    case 1:
        return make(KAL_NODE_SET, make_derived_target(size), make_value(size), NULL,
                    NULL);
    case 2: return make(KAL_NODE_RELEASE, make_target(size), NULL, NULL, NULL);
    default: return make(KAL_NODE_ENGAGE, make_target(size), NULL, NULL, NULL);
    }
}

// Statements.

static KalNode *make_draw(int size)
{
    const KalShape shape = (KalShape)below(KAL_SHAPES);
    const bool sized = shape == KAL_SHAPE_CIRCLE || shape == KAL_SHAPE_BOX;
    KalNode *points =
        shape == KAL_SHAPE_LINE ? make_chain(2, make_value, size) : make_value(size);
    if (shape == KAL_SHAPE_SPRING) {
        points->next = make_value(size);
    }
    KalNode *extent = sized ? make_value(size) : NULL;
    KalNode *angle = shape == KAL_SHAPE_BOX && below(2) ? make_value(size) : NULL;
    KalNode *node = make(KAL_NODE_DRAW, points, extent, angle, NULL);
    node->op = shape & 0xffU;
    return node;
}

static KalNode *make_event(int size)
{
    KalNode *node = make(KAL_NODE_EVENT, make_new_target(size), make_value(size),
                         make_chain(1, make_action, size), NULL);
    node->op = (unsigned)below(4) & 0xffU;
    return node;
}

static KalNode *make_statement(int size);

static KalNode *make_list(KalNodeKind kind, KalNode *(*make_item)(int), int size)
{
    return make(kind, make_chain(1, make_item, size), NULL, NULL, NULL);
}

static KalNode *make_along(int size)
{
    return make(below(2) ? KAL_NODE_POWER_ALONG : KAL_NODE_NONIDEAL_ALONG,
                make_value(size), make_value(size), NULL, NULL);
}

static KalNode *make_energy(int size)
{
    static const KalNodeKind kinds[] = {KAL_NODE_KINETIC, KAL_NODE_POTENTIAL,
                                        KAL_NODE_DISSIPATION, KAL_NODE_EXTERNAL_POWER,
                                        KAL_NODE_NONIDEAL_POWER};
    const int kind = below(6);
    return kind == 5 ? make_along(size)
                     : make(kinds[kind], make_value(size), NULL, NULL, NULL);
}

static KalNode *make_structure(int size)
{
    switch (below(6)) {
    case 0: return make(KAL_NODE_MODEL, make_string(), NULL, NULL, NULL);
    case 1:
        return make(KAL_NODE_USE, below(2) ? make_string() : make_name(), NULL, NULL,
                    NULL);
    case 2:
        return make(KAL_NODE_FOR, make_name(), make_range(size),
                    make_chain(0, make_statement, size - 1), NULL);
    case 3:
        return make(KAL_NODE_COMPONENT, make_name(),
                    make_chain(0, make_parameter, size),
                    make_chain(0, make_statement, size - 1), NULL);
    case 4:
        return make(KAL_NODE_FN, make_name(), make_chain(0, make_plain_parameter, size),
                    make_value(size), NULL);
    default: return make_list(KAL_NODE_PART, make_instance, size);
    }
}

// A state with its derivative, or a value that is held.
static KalNode *make_dynamic(int size)
{
    KalNode *target = make_name();
    KalNode *unit = below(2) ? make_unit(3) : NULL;
    if (below(2)) {
        return make(KAL_NODE_HOLD, target, unit, make_value(size), make_value(size));
    }
    KalNode *again = kal_tree_add_text(tree, KAL_NODE_NAME, NOWHERE,
                                       target->of.text.data, target->of.text.length);
    KalNode *slope = make(KAL_NODE_PRIME, again, NULL, NULL, NULL);
    slope->op = 1;
    return make(KAL_NODE_STATE, target, unit, slope, make_value(size));
}

static KalNode *make_motion(int size)
{
    switch (below(8)) {
    case 6: return make_dynamic(size);
    case 0:
        return make(KAL_NODE_SIMULATE, make_value(size), make_value(size),
                    make_value(size),
                    make_options(KAL_OPTION_RTOL, KAL_OPTION_DRIFT, size));
    case 1:
        return make(KAL_NODE_ACTUATOR, make_new_target(size), make_value(size),
                    make_options(KAL_OPTION_LIMIT, KAL_OPTION_WEIGHT, size), NULL);
    case 2:
        return make(KAL_NODE_SERVO, make_new_target(size), make_value(size),
                    make_value(size),
                    make_options(KAL_OPTION_RATE, KAL_OPTION_RATE, size));
    case 4:
        return make(KAL_NODE_CONTACT, make_new_target(size), make_value(size),
                    make_value(size),
                    make_options(KAL_OPTION_RESTITUTION, KAL_OPTION_STATIC, size));
    case 5:
        return make(KAL_NODE_FRICTION, make_new_target(size), make_value(size),
                    make_options(KAL_OPTION_DRY_LIMIT, KAL_OPTION_DRY_STATIC, size),
                    NULL);
    case 3:
        return make(KAL_NODE_CONSTRAINT, make_new_target(size), make_value(size),
                    make_value(size),
                    make_options(KAL_OPTION_OFF, KAL_OPTION_OFF, size));
    default:
        return make(KAL_NODE_MASS, make_target(size), make_target(size),
                    make_value(size), NULL);
    }
}

static KalNode *make_statement(int size)
{
    switch (below(size > 1 ? 16 : 12)) {
    case 0: return make_list(KAL_NODE_PARAM, make_declaration, size);
    case 1: return make_list(KAL_NODE_LET, make_declaration, size);
    case 2: return make_list(KAL_NODE_OUTPUT, make_declaration, size);
    case 3: return make_list(KAL_NODE_COORD, make_coordinate, size);
    case 4: return make_list(KAL_NODE_FORCE, make_assignment, size);
    case 5: return make_list(KAL_NODE_NONIDEAL, make_assignment, size);
    case 6: return make_list(KAL_NODE_PRESCRIBE, make_assignment, size);
    case 7: return make_list(KAL_NODE_INIT, make_start, size);
    case 8: return make_event(size);
    case 9: return make_draw(size);
    case 10:
        return make(KAL_NODE_PLOT, make_chain(1, make_value, size),
                    below(2) ? make_value(size) : NULL, NULL, NULL);
    case 11: return make_energy(size);
    case 12: return make_motion(size);
    case 13: return make_motion(size);
    default: return make_structure(size);
    }
}

// Checks.

static char printed[1 << 20];
static size_t printed_length;

static void keep(void *user, const char *text, size_t length)
{
    (void)user;
    if (printed_length + length < sizeof printed) {
        memcpy(printed + printed_length, text, length);
        printed_length += length;
    }
    printed[printed_length] = '\0';
}

static const char *print_tree(const KalNode *first)
{
    printed_length = 0;
    printed[0] = '\0';
    kal_statements_print(first, (KalSink){.write = keep});
    return printed;
}

// Make a tree; its text is in `printed` afterwards.
static void make_tree(KalContext *ctx, uint64_t seed)
{
    rng.state = seed;
    ok(kal_tree_create(ctx, &tree) == KAL_OK);
    for (int n = 1 + below(3); n > 0; n--) {
        kal_tree_append(tree, make_statement(1 + below(4)));
    }
    ok(kal_tree_status(tree) == KAL_OK);
    print_tree(kal_tree_first(tree));
    ok(printed_length < sizeof printed - 1);
}

// The text gives the tree that is at hand.
static bool gives_the_tree(const char *text, size_t length)
{
    Lab lab;
    lab_open_with(&lab, text, length, -1);
    const bool same = lab.status == KAL_OK
                      && kal_node_equal(kal_tree_first(tree), kal_tree_first(lab.tree));
    if (!ok(same)) {
        printf("# %.1500s\n# %.1500s\n", text,
               lab.status == KAL_OK ? lab_print(&lab) : lab_errors(&lab));
    }
    if (same) {
        static char before[sizeof printed];
        memcpy(before, printed, printed_length + 1);
        ok(strcmp(print_tree(kal_tree_first(lab.tree)), before) == 0);
    }
    lab_close(&lab);
    return same;
}

static void a_tree_survives_its_text(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const int count = problems(1);
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        make_tree(ctx, (uint64_t)i);
        good = gives_the_tree(printed, printed_length);
        kal_tree_destroy(tree);
    }
    kal_context_destroy(ctx);
}

// Whether a line may end after a token of this kind, outside brackets too.
static bool may_break_after(KalTokenKind kind)
{
    return kind == KAL_TOKEN_COMMA || kind == KAL_TOKEN_COLON || kind == KAL_TOKEN_RANGE
           || kind == KAL_TOKEN_ARROW || kind == KAL_TOKEN_EQUALS
           || kind == KAL_TOKEN_TILDE || kind == KAL_TOKEN_PLUS
           || kind == KAL_TOKEN_MINUS || kind == KAL_TOKEN_STAR
           || kind == KAL_TOKEN_SLASH || kind == KAL_TOKEN_CARET
           || kind == KAL_TOKEN_LEFT_PAREN || kind == KAL_TOKEN_LEFT_BRACKET
           || kind == KAL_TOKEN_AND || kind == KAL_TOKEN_OR || kind == KAL_TOKEN_NOT;
}

// Copy `printed` with line ends and comments where they say nothing.
static size_t spread(const KalSource *source, KalDiagnostics *none, char *out)
{
    static const char *const gaps[] = {"", "", "\n", " # then\n\n\t", "  ", "\r\n"};
    KalLexer lexer;
    KalToken token;
    uint32_t copied = 0;
    size_t length = 0;
    kal_lexer_init(&lexer, source, none);
    do {
        token = kal_lexer_step(&lexer);
        memcpy(out + length, source->text + copied, token.end - copied);
        length += token.end - copied;
        copied = token.end;
        if (may_break_after(token.kind)) {
            const char *gap = gaps[below(6)];
            memcpy(out + length, gap, strlen(gap));
            length += strlen(gap);
        }
    } while (token.kind != KAL_TOKEN_EOF);
    return length;
}

static void layout_does_not_matter(void)
{
    static char text[16 * sizeof printed];
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const int count = problems(4);
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        KalSource *source = NULL;
        KalDiagnostics *none = NULL;
        make_tree(ctx, (uint64_t)i + 1000000);
        ok(kal_source_create(ctx, "p", printed, printed_length, &source) == KAL_OK);
        ok(kal_diagnostics_create(ctx, &none) == KAL_OK);
        const size_t length = spread(source, none, text);
        ok(kal_diagnostics_count(none, KAL_SEVERITY_ERROR) == 0);
        good = gives_the_tree(text, length);
        kal_diagnostics_destroy(none);
        kal_source_destroy(ctx, source);
        kal_tree_destroy(tree);
    }
    kal_context_destroy(ctx);
}

static size_t count_comments(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i + 6 < length; i++) {
        count += memcmp(text + i, "# then", 6) == 0;
    }
    return count;
}

// The canonical form of a text; false when it has none that fits.
static bool form(KalContext *ctx, const char *text, size_t length, Shown *out)
{
    const KalStatus status = kal_model_format(ctx, "p", text, length,
                                              (KalSink){NULL, NULL}, shown_sink(out));
    ok(status == KAL_OK);
    return status == KAL_OK && out->length < SHOWN_SIZE - 1;
}

// The library itself compares the trees of a text and of its form.
static void a_form_keeps_comments_and_is_its_own(void)
{
    static char text[16 * sizeof printed];
    static Shown first;
    static Shown second;
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const int count = problems(4);
    int compared = 0;
    for (int i = 0; i < count; i++) {
        KalSource *source = NULL;
        KalDiagnostics *none = NULL;
        make_tree(ctx, (uint64_t)i + 2000000);
        ok(kal_source_create(ctx, "p", printed, printed_length, &source) == KAL_OK);
        ok(kal_diagnostics_create(ctx, &none) == KAL_OK);
        const size_t length = spread(source, none, text);
        if (form(ctx, text, length, &first)
            && form(ctx, first.text, first.length, &second)) {
            compared++;
            ok(count_comments(first.text, first.length + 1)
               == count_comments(text, length + 1));
            same_text(second.text, first.text);
        }
        kal_diagnostics_destroy(none);
        kal_source_destroy(ctx, source);
        kal_tree_destroy(tree);
    }
    ok(compared > count / 2);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_tree_survives_its_text), TAP_CASE(layout_does_not_matter),
        TAP_CASE(a_form_keeps_comments_and_is_its_own))
