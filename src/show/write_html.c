// SPDX-License-Identifier: MIT

// Equations as a piece of HTML with MathML.  Browsers do not break mathematics, so a line
// is a row of small formulas, one for each term of its sum, between which text may break.

#include "show/html.h"
#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

enum {
    MATRIX_ROOM = 120, // letters of a matrix; wider ones are listed
    DEPTH_MAX = 64     // of parentheses that grow with what is between them
};

typedef struct Out {
    const KalShown *shown;
    const KalSheet *sheet;
    const KalModel *model;
    KalPage *page;
} Out;

static void put(const Out *o, const char *text)
{
    kal_page_string(o->page, text);
}

// Text from the model, in which nothing may be markup.
static void put_user(const Out *o, const char *text)
{
    assert(text);
    kal_html_write(kal_page_sink(o->page), text, strlen(text));
}

// Whether a sign between terms begins here.
static size_t sign_length(const char *text, size_t length)
{
    assert(text);
    static const char *const signs[] = {KAL_MATHML_PLUS, KAL_MATHML_MINUS};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t own = strlen(signs[i]);
        if (length >= own && memcmp(text, signs[i], own) == 0) {
            return own;
        }
    }
    return 0;
}

// How a tag changes the depth; the text ends behind it.
static int step_of(const char *tag)
{
    assert(tag[0] == '<');
    const char *end = strchr(tag, '>');
    if (tag[1] == '/') {
        return -1;
    }
    return end && end[-1] == '/' ? 0 : 1;
}

// Write a formula that follows an opened <math>, which is closed and opened again before
// each sign that stands in no other element.
static void put_terms(const Out *o, const char *formula, size_t length)
{
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i < length; i++) {
        const size_t sign = depth == 0 ? sign_length(formula + i, length - i) : 0;
        if (sign > 0) {
            kal_page_write(o->page, formula + begin, i - begin);
            put(o, "</math> <math>");
            begin = i;
            i += sign - 1;
        } else if (formula[i] == '<') {
            depth += step_of(formula + i);
        }
    }
    kal_page_write(o->page, formula + begin, length - begin);
    assert(depth == 0);
}

// Parentheses that were opened and not yet closed.
typedef struct Pairs {
    char *open[DEPTH_MAX];
    bool tall[DEPTH_MAX];
    int depth; // may be beyond the arrays
} Pairs;

static bool begins(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

// The two attributes have the same length, so that a parenthesis changes in its place.
static void grow(char *parenthesis)
{
    assert(strstr(parenthesis, "stretchy=\"false\""));
    static const char fixed[] = "stretchy=\"false\"";
    static const char free_size[] = "stretchy=\"true\" ";
    memcpy(strstr(parenthesis, fixed), free_size, sizeof fixed - 1);
}

// The innermost open pair has something tall in it.  Pairs deeper than DEPTH_MAX are
// counted, to find their ends, but keep their size.
static void mark_tall(Pairs *pairs)
{
    assert(pairs->depth >= 0);
    if (pairs->depth > 0 && pairs->depth <= DEPTH_MAX) {
        pairs->tall[pairs->depth - 1] = true;
    }
}

// Parentheses around tall ones are tall too.
static void close_pair(Pairs *pairs, char *at)
{
    assert(pairs->depth > 0);
    pairs->depth--;
    if (pairs->depth < DEPTH_MAX && pairs->tall[pairs->depth]) {
        grow(pairs->open[pairs->depth]);
        grow(at);
        mark_tall(pairs);
    }
}

// Let parentheses around fractions and cases grow.  Others look better as they are, and
// the browser would stretch those around a mere exponent.
static void grow_parentheses(char *formula)
{
    assert(formula);
    Pairs pairs = {.depth = 0};
    for (char *c = strchr(formula, '<'); c; c = strchr(c + 1, '<')) {
        if (begins(c, KAL_MATHML_OPEN)) {
            if (pairs.depth < DEPTH_MAX) {
                pairs.open[pairs.depth] = c;
                pairs.tall[pairs.depth] = false;
            }
            pairs.depth++;
        } else if (begins(c, KAL_MATHML_CLOSE)) {
            close_pair(&pairs, c);
        } else if (begins(c, "<mfrac") || begins(c, "<mtable")) {
            mark_tall(&pairs);
        }
    }
}

// Print a formula to a page of its own, which the caller clears; returns its text, or NULL
// when it failed and the text may have no end.
static char *print_formula(const Out *o, KalExpr e, KalPage *formula)
{
    *formula = kal_page(o->page->ctx);
    kal_page_formula(formula, o->sheet, e, KAL_FORMAT_MATHML);
    (void)kal_page_text(formula); // ends it with a NUL
    o->page->status = o->page->status == KAL_OK ? formula->status : o->page->status;
    if (formula->status != KAL_OK) {
        return NULL;
    }
    grow_parentheses((char *)formula->block.data);
    return (char *)formula->block.data;
}

static void put_math(const Out *o, KalExpr e)
{
    KalPage formula;
    const char *text = print_formula(o, e, &formula);
    put(o, text ? text : "");
    kal_page_clear(&formula);
}

// A symbol of the model; the sheet's formulas may be in a graph of their own.
static void put_symbol(const Out *o, KalExpr symbol)
{
    const KalPrintOptions options = kal_sheet_options(o->sheet, KAL_FORMAT_MATHML);
    if (o->page->status == KAL_OK) {
        const KalStatus status =
            kal_print(o->model->graph, symbol, &options, kal_page_sink(o->page));
        o->page->status = o->page->status == KAL_OK ? status : o->page->status;
    }
}

// What follows the left side of an equation, to the end of the line.
static void put_right_side(const Out *o, KalExpr e)
{
    KalPage formula;
    const char *text = print_formula(o, e, &formula);
    put(o, "</math> <math><mo>=</mo>");
    put_terms(o, text ? text : "", text ? strlen(text) : 0);
    put(o, "</math></p>\n");
    kal_page_clear(&formula);
}

static void begin_line(const Out *o)
{
    put(o, "<p class=\"line\"><math>");
}

static void put_energies(const Out *o)
{
    static const char *const names[2] = {"<mi>T</mi>", "<mi>V</mi>"};
    put(o, "<h3>Energies</h3>\n");
    for (int i = 0; i < 2; i++) {
        begin_line(o);
        put(o, names[i]);
        put_right_side(o, o->sheet->energies[i]);
    }
}

// A_servo is A with a subscript.
static void put_name(const Out *o, const char *name)
{
    const bool servo = strlen(name) > 1;
    kal_page_format(o->page, "%s<mi>%.1s</mi>%s", servo ? "<msub>" : "", name,
                    servo ? "<mi>servo</mi></msub>" : "");
}

// Whether a matrix is narrow enough to be shown whole, measured in characters of its
// text; a column is as wide as its widest entry.  The sum ends as soon as it is too
// large, so that a huge matrix is not printed in vain.
static bool fits(const Out *o, const KalShownMatrix *m)
{
    assert(m->pattern->columns > 0);
    size_t width = 0;
    for (size_t j = 0; j < m->pattern->columns && width <= MATRIX_ROOM; j++) {
        size_t widest = 1;
        for (size_t i = 0; i < m->pattern->rows && o->page->status == KAL_OK; i++) {
            const KalExpr e = kal_shown_entry(m, i, j);
            size_t own = 1;
            if (e.index != KAL_NO_EXPR.index) {
                o->page->status = kal_sheet_length(o->sheet, e, &own);
            }
            widest = own > widest ? own : widest;
        }
        width = widest > MATRIX_ROOM ? widest : width + widest + 2;
    }
    return width <= MATRIX_ROOM;
}

static void put_row_names(const Out *o, const KalShownMatrix *m)
{
    put(o, "<mspace width=\"1em\"/><mtable class=\"names\">");
    for (size_t i = 0; i < m->pattern->rows; i++) {
        put(o, "<mtr><mtd><mtext>");
        put_user(o, m->row(o->model, i));
        put(o, "</mtext></mtd></mtr>");
    }
    put(o, "</mtable>");
}

// A symmetric matrix has its coordinates for rows and columns alike: only others name
// their rows.
static void put_matrix(const Out *o, const KalShownMatrix *m)
{
    assert(m->pattern->rows > 0);
    const KalSparse *p = m->pattern;
    put(o, "<div class=\"matrix\"><math display=\"block\">");
    put_name(o, m->name);
    put(o, "<mo>=</mo><mrow><mo>[</mo><mtable>");
    for (size_t i = 0; i < p->rows; i++) {
        put(o, "<mtr>");
        for (size_t j = 0; j < p->columns; j++) {
            const KalExpr e = kal_shown_entry(m, i, j);
            put(o, "<mtd>");
            if (e.index == KAL_NO_EXPR.index) {
                put(o, "<mn class=\"zero\">0</mn>");
            } else {
                put_math(o, e);
            }
            put(o, "</mtd>");
        }
        put(o, "</mtr>");
    }
    put(o, "</mtable><mo>]</mo></mrow>");
    if (!m->symmetric) {
        put_row_names(o, m);
    }
    put(o, "</math></div>\n");
}

static void put_index(const Out *o, const char *name, size_t i, size_t j)
{
    put(o, "<msub>");
    put_name(o, name);
    kal_page_format(o->page, "<mrow><mn>%zu</mn><mo>,</mo><mn>%zu</mn></mrow></msub>",
                    i + 1, j + 1);
}

// A symmetric matrix lists its upper triangle only.
static void put_entries(const Out *o, const KalShownMatrix *m)
{
    const KalSparse *p = m->pattern;
    kal_page_format(o->page, "<p>Entries of %.1s%s; others are 0:</p>\n", m->name,
                    m->symmetric ? ", with their mirror images" : "");
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t j = m->symmetric ? i : 0; j < p->columns; j++) {
            const KalExpr e = kal_shown_entry(m, i, j);
            if (e.index != KAL_NO_EXPR.index) {
                begin_line(o);
                put_index(o, m->name, i, j);
                put_right_side(o, e);
            }
        }
    }
}

// A constraint is named by text, a coordinate by its symbol.
static void put_vector(const Out *o, const KalShownVector *v)
{
    assert(v->values || v->n == 0);
    for (size_t i = 0; i < v->n; i++) {
        begin_line(o);
        put(o, "<msub>");
        put_name(o, v->name);
        if (v->name[0] == 'b') {
            put(o, "<mtext>");
            put_user(o, v->row(o->model, i));
            put(o, "</mtext>");
        } else {
            put(o, "<mrow>");
            put_symbol(o, v->name[0] == 'S' ? o->model->states[i].symbol
                                            : o->model->coordinates[i].q);
            put(o, "</mrow>");
        }
        put(o, "</msub>");
        put_right_side(o, v->values[i]);
    }
}

static void put_parts(const Out *o)
{
    KalShownMatrix matrices[KAL_SHOWN_MATRICES];
    KalShownVector vectors[KAL_SHOWN_VECTORS];
    const int n_matrices = kal_shown_matrices(o->shown, matrices);
    const int n_vectors = kal_shown_vectors(o->shown, vectors);
    put(o, "<h3>Matrices</h3>\n");
    for (int k = 0; k < n_matrices; k++) {
        if (fits(o, &matrices[k])) {
            put_matrix(o, &matrices[k]);
        } else {
            put_entries(o, &matrices[k]);
        }
    }
    put(o, "<h3>Vectors</h3>\n");
    for (int k = 0; k < n_vectors; k++) {
        put_vector(o, &vectors[k]);
    }
}

// Lines are first printed to a page of their own: only there is it known which
// parentheses have something tall between them.
static void put_long_form(const Out *o)
{
    assert(o->shown->long_form);
    KalPage lines = kal_page(o->page->ctx);
    KalShownLine line;
    put(o,
        "<p>Parts that occur often have names; M is symmetric; what is not listed is "
        "0.</p>\n");
    kal_shown_long_form(o->shown, KAL_FORMAT_MATHML, &lines);
    const char *text = kal_page_text(&lines);
    if (lines.status == KAL_OK) {
        grow_parentheses((char *)lines.block.data);
    }
    while (kal_shown_next_line(&text, &line)) {
        begin_line(o);
        kal_page_write(o->page, line.name, line.name_length);
        put(o, "</math> <math><mo>=</mo>");
        put_terms(o, line.formula, line.length);
        put(o, "</math></p>\n");
    }
    o->page->status = o->page->status == KAL_OK ? lines.status : o->page->status;
    kal_page_clear(&lines);
}

// The equations of motion as this system has them: without constraints, with ideal
// ones, with non-ideal forces.  With non-ideal forces Qᶜ is more than Aᵀλ, so that this
// is not said of it.
static const char *equation_of(const KalEquations *eq)
{
#define ACCELERATION \
    "<mover accent=\"true\"><mi>q</mi><mo stretchy=\"false\">¨</mo></mover>"
#define LEFT "<mi>M</mi>" ACCELERATION "<mo>=</mo><mi>Q</mi>"
#define ROWS \
    "<mo>,</mo><mspace width=\"2em\"/><mi>A</mi>" ACCELERATION "<mo>=</mo><mi>b</mi>"
    if (eq->m == 0) {
        return eq->has_C ? LEFT "<mo>+</mo><mi>C</mi>" : LEFT;
    }
    return eq->has_C ? LEFT "<mo>+</mo><msup><mi>Q</mi><mi>c</mi></msup>" ROWS
                     : LEFT
               "<mo>+</mo><msup><mi>Q</mi><mi>c</mi></msup>" ROWS
               "<mo>,</mo><mspace width=\"2em\"/><msup><mi>Q</mi><mi>c</mi></msup>"
               "<mo>=</mo><msup><mi>A</mi><mi mathvariant=\"normal\">T</mi></msup>"
               "<mi>λ</mi>";
#undef ACCELERATION
#undef LEFT
#undef ROWS
}

void kal_show_html(const KalShown *shown, KalPage *page)
{
    char idle[KAL_SHOWN_IDLE];
    const Out o = {.shown = shown,
                   .sheet = &shown->sheet,
                   .model = shown->sheet.eq->model,
                   .page = page};
    put(&o, "<div class=\"matrix\"><math display=\"block\">");
    put(&o, equation_of(shown->sheet.eq));
    put(&o, "</math></div>\n");
    if (kal_shown_idle(shown, idle)) {
        put(&o, "<p>");
        put_user(&o, idle);
        put(&o, "</p>\n");
    }
    if (shown->long_form) {
        put_long_form(&o);
    } else {
        put_energies(&o);
        put_parts(&o);
    }
}
