// SPDX-License-Identifier: MIT

// From slots to statements.  What outputs need is walked through depth first, so that values
// stand near their uses; each slot becomes a piece of text made of those of its operands.  A
// piece that is used once and is short waits for its use; any other becomes a statement and
// its name the piece.
//
// Invariant: the piece of a slot is there when one that reads the slot is made.

#include "export/formulas.h"

#include "base/number.h"
#include "expr/op.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SHORT = 56, // characters of a piece that may wait
    MOST_BYTES = 1 << 28,
    LANES = 4, // of sines and cosines
    NUMBER_TEXT = KAL_NUMBER_SIZE + 4
};

// How tightly a piece holds together, the loosest first.
typedef enum Grip {
    GRIP_SUM,
    GRIP_PRODUCT,
    GRIP_ATOM
} Grip;

typedef struct Piece {
    const char *text; // NULL: not made yet
    Grip grip;
} Piece;

typedef struct Writer {
    const KalCProgram *p;
    KalListing list;
    KalContext *ctx;
    KalPage *page;
    KalUsedOperators *used;
    KalArena *arena;  // of pieces
    Piece *pieces;    // list.count
    uint32_t *uses;   // list.count: how often the value of a slot is read
    uint32_t *places; // list.count: of what is prepared, 1 + its place; 0 for none
    uint32_t *stack;  // 3 × list.count + 1
    uint32_t names;   // that were given
    bool prepares;    // the first tape is written
    bool
        *judges; // list.count: only the verdict needs it; NULL: it looks for NaN itself
    bool *quotients; // list.count: of pivots, which a verdict compares
    uint32_t *ready; // list.count: sines and cosines that wait for no others
    KalPage guard;   // reciprocals, as a sum
    size_t n_prepared;
} Writer;

static const char PURPOSE[] = "to write formulas";

void kal_c_number(double value, bool single, char *out_text)
{
    char text[KAL_NUMBER_SIZE];
    if (single) {
        kal_number_print(value, 9, text);
    } else {
        kal_number_print_exact(value, text);
    }
    const bool whole = !strpbrk(text, ".e");
    (void)snprintf(out_text, NUMBER_TEXT, "%s%s%s", text, whole ? ".0" : "",
                   single ? "f" : "");
}

static bool is_computed(const Writer *w, uint32_t slot)
{
    const KalListing *l = &w->list;
    return (slot >= l->prepared && slot < l->variables) || slot >= l->computed;
}

// Whether a slot is computed by the statements that are being written.
static bool is_own(const Writer *w, uint32_t slot)
{
    return is_computed(w, slot) && (slot < w->list.variables) == w->prepares;
}

static const char *keep(Writer *w, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = kal_arena_alloc(w->arena, size, 1);
    if (!copy) {
        w->page->status = kal_no_memory(w->ctx, PURPOSE);
        return "";
    }
    memcpy(copy, text, size);
    return copy;
}

// The piece of a leaf, or of what was prepared.
static Piece leaf(Writer *w, uint32_t slot)
{
    const KalListing *l = &w->list;
    const KalCProgram *p = w->p;
    char text[NUMBER_TEXT];
    if (slot < l->parameters) {
        if (p->single && !(fabs(l->constants[slot]) <= FLT_MAX)) {
            w->page->status =
                kal_fail(w->ctx, KAL_ERR_NUMBER,
                         "the model has the number %g, which does not fit a float",
                         l->constants[slot]);
        }
        kal_c_number(l->constants[slot], p->single, text);
        return (Piece){keep(w, text), text[0] == '-' ? GRIP_SUM : GRIP_ATOM};
    }
    if (slot < l->prepared) {
        const char *name = p->parameters[slot - l->parameters];
        return (Piece){name, name[0] == '-' ? GRIP_SUM : GRIP_ATOM};
    }
    if (slot < l->variables) {
        (void)snprintf(text, sizeof text, "c[%u]", w->places[slot] - 1);
        return (Piece){keep(w, text), GRIP_ATOM};
    }
    const uint32_t i = slot - l->variables;
    const char *name = p->locals[i] ? p->locals[i] : p->variables[i];
    return (Piece){name, name[0] == '-' ? GRIP_SUM : GRIP_ATOM};
}

static Piece piece_of(Writer *w, uint32_t slot)
{
    if (!w->pieces[slot].text) {
        assert(!is_own(w, slot));
        w->pieces[slot] = leaf(w, slot);
    }
    return w->pieces[slot];
}

// Add an operand to a text, in parentheses if it does not hold together so tightly.
static void add(Writer *w, KalPage *text, uint32_t slot, Grip least)
{
    const Piece piece = piece_of(w, slot);
    const bool loose = piece.grip < least;
    kal_page_string(text, loose ? "(" : "");
    kal_page_string(text, piece.text);
    kal_page_string(text, loose ? ")" : "");
}

static Grip write_sum(Writer *w, const KalInstruction *i, KalPage *text)
{
    if (i->op == KAL_OP_NEG) {
        kal_page_string(text, "-");
        add(w, text, i->slot[0], GRIP_PRODUCT);
        return GRIP_SUM;
    }
    add(w, text, i->slot[0], GRIP_SUM);
    kal_page_string(text, i->op == KAL_OP_ADD ? " + " : " - ");
    add(w, text, i->slot[1], GRIP_PRODUCT);
    return GRIP_SUM;
}

// A function of a table, by the place of the table and the order of the derivative.
static Grip write_table(Writer *w, const KalInstruction *i, KalPage *text)
{
    size_t k = 0;
    while (k < w->p->n_tables && w->p->tables[k].spline != i->spline->spline) {
        k++;
    }
    assert(k < w->p->n_tables);
    w->used->op[KAL_OP_SPLINE] = true;
    if (i->spline->kind <= KAL_SPLINE_THIRD) {
        kal_page_format(text, "table_value(&TABLES[%zu], %d, ", k,
                        (int)i->spline->kind);
    } else {
        w->used->levels = true;
        kal_page_format(text, "table_level(&TABLES[%zu], %d, ", k,
                        i->spline->kind == KAL_SPLINE_ENDS);
    }
    add(w, text, i->slot[0], GRIP_SUM);
    kal_page_string(text, ")");
    return GRIP_ATOM;
}

static bool is_one(const Writer *w, uint32_t slot)
{
    return slot < w->list.parameters && w->list.constants[slot] == 1.0;
}

// A reciprocal whose sum with all others tells whether it is finite.
static Grip write_reciprocal(Writer *w, const KalInstruction *i, KalPage *text)
{
    add(w, text, i->slot[0], GRIP_PRODUCT);
    kal_page_string(text, "/");
    add(w, text, i->slot[1], GRIP_ATOM);
    return GRIP_PRODUCT;
}

static bool is_guarded(const Writer *w, const KalInstruction *i)
{
    return w->judges && i->op == KAL_OP_DIV && is_one(w, i->slot[0]);
}

static Grip write_call(Writer *w, const KalInstruction *i, KalPage *text)
{
    w->used->op[i->op] = true;
    kal_page_string(text, kal_op_c_name(i->op, w->p->single));
    for (int k = 0; k < i->operands; k++) {
        kal_page_string(text, k == 0 ? "(" : ", ");
        add(w, text, i->slot[k], GRIP_SUM);
    }
    if (i->op == KAL_OP_POWI) {
        kal_page_format(text, ", %d", (int)i->exponent);
    }
    kal_page_string(text, ")");
    return GRIP_ATOM;
}

// What an instruction computes, as text.
static Grip write_value(Writer *w, const KalInstruction *i, KalPage *text)
{
    char number[NUMBER_TEXT];
    if (i->op == KAL_OP_ADD || i->op == KAL_OP_SUB || i->op == KAL_OP_NEG) {
        return write_sum(w, i, text);
    }
    if (i->op == KAL_OP_MUL) {
        add(w, text, i->slot[0], GRIP_PRODUCT);
        kal_page_string(text, "*");
        add(w, text, i->slot[1], GRIP_ATOM);
        return GRIP_PRODUCT;
    }
    if (i->op == KAL_OP_PI) {
        kal_c_number(3.14159265358979323846, w->p->single, number);
        kal_page_string(text, number);
        return GRIP_ATOM;
    }
    if (is_guarded(w, i)) {
        return write_reciprocal(w, i, text);
    }
    return i->spline ? write_table(w, i, text) : write_call(w, i, text);
}

static bool is_extreme(KalOp op)
{
    return op == KAL_OP_MAX || op == KAL_OP_MIN;
}

// A maximum or minimum that only the verdict needs.
static Grip write_extreme(Writer *w, const KalInstruction *i, KalPage *text)
{
    const bool larger = i->op == KAL_OP_MAX;
    w->used->larger = w->used->larger || larger;
    w->used->smaller = w->used->smaller || !larger;
    kal_page_string(text, larger ? "larger(" : "smaller(");
    add(w, text, i->slot[0], GRIP_SUM);
    kal_page_string(text, ", ");
    add(w, text, i->slot[1], GRIP_SUM);
    kal_page_string(text, ")");
    return GRIP_ATOM;
}

static const char *type_of(const Writer *w)
{
    return w->p->single ? "float" : "double";
}

// A statement that prepares a number, or that gives it a name.
static Piece give_name(Writer *w, uint32_t slot, const char *text)
{
    char name[24];
    if (w->prepares && w->places[slot] != 0) {
        (void)snprintf(name, sizeof name, "c[%u]", w->places[slot] - 1);
        kal_page_format(w->page, "    %s = %s;\n", name, text);
    } else {
        (void)snprintf(name, sizeof name, "v%u", ++w->names);
        kal_page_format(w->page, "    const %s %s = %s;\n", type_of(w), name, text);
    }
    return (Piece){keep(w, name), GRIP_ATOM};
}

// A sine and the cosine of the same come from one call.
static void make_wave(Writer *w, uint32_t slot, const KalInstruction *i)
{
    const uint32_t sine = i->op == KAL_OP_SIN ? slot : i->mate;
    const uint32_t cosine = i->op == KAL_OP_SIN ? i->mate : slot;
    const Piece argument = piece_of(w, i->slot[0]);
    char name[24];
    w->used->op[KAL_OP_SIN] = true;
    w->names++;
    kal_page_format(w->page, "    const struct wave w%u = wave(%s);\n", w->names,
                    argument.text);
    (void)snprintf(name, sizeof name, "w%u.sine", w->names);
    w->pieces[sine] = (Piece){keep(w, name), GRIP_ATOM};
    (void)snprintf(name, sizeof name, "w%u.cosine", w->names);
    w->pieces[cosine] = (Piece){keep(w, name), GRIP_ATOM};
    for (int k = 0; k < 2; k++) {
        const uint32_t one = k == 0 ? sine : cosine;
        if (w->prepares && w->places[one] != 0) {
            w->pieces[one] = give_name(w, one, w->pieces[one].text);
        }
    }
}

// Let the verdict be NaN where a value is not finite.
static void guard(Writer *w, uint32_t slot)
{
    kal_page_string(&w->guard, kal_page_text(&w->guard)[0] != '\0' ? " + " : "");
    add(w, &w->guard, slot, GRIP_PRODUCT);
}

// Make the piece of a slot, whose operands are there.
static void make(Writer *w, uint32_t slot)
{
    const KalInstruction i = kal_program_instruction(w->p->program, slot);
    KalPage text = kal_page(w->ctx);
    if (i.op == KAL_OP_SIN || i.op == KAL_OP_COS) {
        make_wave(w, slot, &i);
        return;
    }
    const bool guarded = is_guarded(w, &i);
    const Grip grip = w->judges && w->judges[slot] && is_extreme(i.op)
                          ? write_extreme(w, &i, &text)
                          : write_value(w, &i, &text);
    const bool waits = w->uses[slot] == 1 && text.block.size <= SHORT && !guarded
                       && !(w->prepares && w->places[slot] != 0);
    if (text.status != KAL_OK) {
        w->page->status = text.status;
    } else {
        const char *made = kal_page_text(&text);
        w->pieces[slot] =
            waits ? (Piece){keep(w, made), grip} : give_name(w, slot, made);
    }
    if (guarded) {
        guard(w, slot);
    }
    kal_page_clear(&text);
}

// Depth first, operands before what is made of them.
static void make_all(Writer *w, uint32_t root)
{
    uint32_t top = 0;
    w->stack[top++] = root;
    while (top > 0 && w->page->status == KAL_OK) {
        const uint32_t slot = w->stack[top - 1];
        bool ready = true;
        if (w->pieces[slot].text || !is_own(w, slot)) {
            top--;
            continue;
        }
        const KalInstruction i = kal_program_instruction(w->p->program, slot);
        for (int k = i.operands - 1; k >= 0; k--) {
            const uint32_t operand = i.slot[k];
            if (is_own(w, operand) && !w->pieces[operand].text) {
                w->stack[top++] = operand;
                ready = false;
            }
        }
        if (ready) {
            make(w, slot);
            top--;
        }
    }
}

static bool is_wave(const KalInstruction *i)
{
    return i->op == KAL_OP_SIN || i->op == KAL_OP_COS;
}

// Up to four sines, cosines or both from one call.
static void make_four(Writer *w, const uint32_t *slots, size_t count)
{
    assert(count >= 2 && count <= LANES);
    char name[32];
    KalPage arguments = kal_page(w->ctx);
    for (size_t k = 0; k < LANES; k++) {
        kal_page_string(&arguments, k > 0 ? ", " : "");
        if (k < count) {
            const KalInstruction i = kal_program_instruction(w->p->program, slots[k]);
            make_all(w, i.slot[0]);
            kal_page_string(&arguments, piece_of(w, i.slot[0]).text);
        } else {
            kal_page_string(&arguments, "0.0");
        }
    }
    w->names++;
    kal_page_format(w->page,
                    "    const struct waves w%u =\n        four_waves((const "
                    "double[4]){%s});\n",
                    w->names, kal_page_text(&arguments));
    for (size_t k = 0; k < count; k++) {
        const KalInstruction i = kal_program_instruction(w->p->program, slots[k]);
        const bool sine = i.op == KAL_OP_SIN;
        (void)snprintf(name, sizeof name, "w%u.sine[%zu]", w->names, k);
        w->pieces[sine ? slots[k] : i.mate] = (Piece){keep(w, name), GRIP_ATOM};
        (void)snprintf(name, sizeof name, "w%u.cosine[%zu]", w->names, k);
        w->pieces[sine ? i.mate : slots[k]] = (Piece){keep(w, name), GRIP_ATOM};
    }
    if (arguments.status != KAL_OK) {
        w->page->status = arguments.status;
    }
    kal_page_clear(&arguments);
}

// Sines and cosines of what no others are needed for.  A single one is left where it is.
static void make_waves(Writer *w)
{
    const KalListing *l = &w->list;
    bool *after = kal_arena_alloc(w->arena, l->count, sizeof *after);
    size_t count = 0;
    if (!after) {
        w->page->status = kal_no_memory(w->ctx, PURPOSE);
        return;
    }
    for (uint32_t slot = l->computed; slot < l->count; slot++) {
        if (w->uses[slot] == 0) {
            continue;
        }
        const KalInstruction i = kal_program_instruction(w->p->program, slot);
        for (int k = 0; k < i.operands; k++) {
            after[slot] = after[slot] || after[i.slot[k]];
        }
        if (is_wave(&i)) {
            if (!after[slot] && !after[i.mate]) {
                w->ready[count++] = slot;
            }
            after[slot] = true;
        }
    }
    for (size_t k = 0; k + 1 < count && w->page->status == KAL_OK; k += LANES) {
        w->used->op[KAL_OP_SIN] = w->used->waves = true;
        make_four(w, w->ready + k, count - k < LANES ? count - k : LANES);
    }
}

static size_t count_outputs(const Writer *w)
{
    return w->p->chosen ? w->p->n_chosen : w->list.n_outputs;
}

static uint32_t output_slot(const Writer *w, size_t k)
{
    assert(k < count_outputs(w));
    return w->list.outputs[w->p->chosen ? w->p->chosen[k] : k];
}

// How often values are read, by what outputs from `first` to `end` need.  Operands have
// smaller slots.
static void count_uses(Writer *w, size_t first, size_t end)
{
    const KalListing *l = &w->list;
    for (size_t k = first; k < end; k++) {
        w->uses[output_slot(w, k)]++;
    }
    for (uint32_t slot = l->count; slot-- > 0;) {
        if (w->uses[slot] == 0 || !is_computed(w, slot)) {
            continue;
        }
        const KalInstruction i = kal_program_instruction(w->p->program, slot);
        for (int k = 0; k < i.operands; k++) {
            w->uses[i.slot[k]]++;
        }
    }
}

// What the second tape, or an output, reads of the first has a place.
static void place_prepared(Writer *w)
{
    const KalListing *l = &w->list;
    for (uint32_t slot = l->computed; slot < l->count; slot++) {
        const bool used = w->uses[slot] > 0;
        const KalInstruction i =
            used ? kal_program_instruction(w->p->program, slot) : (KalInstruction){0};
        for (int k = 0; k < i.operands; k++) {
            w->places[i.slot[k]] = 1;
        }
    }
    for (size_t k = 0; k < count_outputs(w); k++) {
        w->places[output_slot(w, k)] = 1;
    }
    for (uint32_t slot = 0; slot < l->count; slot++) {
        const bool prepared = slot >= l->prepared && slot < l->variables;
        w->places[slot] =
            prepared && w->places[slot] != 0 ? (uint32_t)++w->n_prepared : 0;
    }
}

// Tables over the slots of a program: how often each is used, and the piece of text that
// it has become.
static KalStatus init(Writer *w, KalContext *ctx, const KalCProgram *p)
{
    assert(p->program && !w->arena);
    w->p = p;
    w->ctx = ctx;
    w->list = kal_program_listing(p->program);
    const size_t count = w->list.count;
    KAL_TRY(kal_arena_create(ctx, MOST_BYTES, &w->arena));
    w->pieces = kal_arena_alloc(w->arena, count, sizeof *w->pieces);
    w->uses = kal_arena_alloc(w->arena, count, sizeof *w->uses);
    w->places = kal_arena_alloc(w->arena, count, sizeof *w->places);
    w->stack = kal_arena_alloc(w->arena, 3 * count + 1, sizeof *w->stack);
    w->ready = kal_arena_alloc(w->arena, count, sizeof *w->ready);
    w->guard = kal_page(ctx);
    if (!w->pieces || !w->uses || !w->places || !w->stack || !w->ready) {
        return kal_no_memory(ctx, PURPOSE);
    }
    count_uses(w, 0, count_outputs(w));
    place_prepared(w);
    return KAL_OK;
}

static void clear(Writer *w)
{
    kal_page_clear(&w->guard);
    kal_arena_destroy(w->arena);
}

KalStatus kal_c_program_prepared(KalContext *ctx, const KalCProgram *p,
                                 size_t *out_count)
{
    Writer w = {.page = NULL};
    const KalStatus status = init(&w, ctx, p);
    *out_count = w.n_prepared;
    clear(&w);
    return status;
}

KalStatus kal_c_program_write_prepare(const KalCProgram *p, KalPage *page,
                                      KalUsedOperators *used)
{
    Writer w = {.page = page, .used = used, .prepares = true};
    KalStatus status = init(&w, page->ctx, p);
    for (uint32_t slot = w.list.prepared; slot < w.list.variables && status == KAL_OK;
         slot++) {
        if (w.places[slot] != 0) {
            make_all(&w, slot);
            status = page->status;
        }
    }
    clear(&w);
    return status;
}

static void write_locals(Writer *w)
{
    const KalListing *l = &w->list;
    for (uint32_t slot = l->variables; slot < l->computed; slot++) {
        const uint32_t i = slot - l->variables;
        if (w->uses[slot] > 0 && w->p->locals[i]) {
            kal_page_format(w->page, "    const %s %s = %s;\n", type_of(w),
                            w->p->locals[i], w->p->variables[i]);
        }
    }
}

// Let uses be those of results from `first` on, as many as need about `most` values; returns
// where they end.
static size_t choose_results(Writer *w, size_t first, size_t most)
{
    const size_t count = count_outputs(w);
    size_t end = first;
    size_t needed = 0;
    memset(w->uses, 0, w->list.count * sizeof *w->uses);
    while (end < count && (end == first || needed < most)) {
        uint32_t top = 0;
        w->stack[top++] = output_slot(w, end++);
        needed++;
        while (top > 0) { // marks
            const uint32_t slot = w->stack[--top];
            if (w->uses[slot] > 0 || !is_own(w, slot)) {
                continue;
            }
            const KalInstruction i = kal_program_instruction(w->p->program, slot);
            w->uses[slot] = 1;
            needed++;
            for (int k = 0; k < i.operands; k++) {
                w->stack[top++] = i.slot[k];
            }
        }
    }
    memset(w->uses, 0, w->list.count * sizeof *w->uses);
    count_uses(w, first, end);
    return end;
}

// Whether an operator may leave an operand that is no number out of account.
static bool chooses(KalOp op)
{
    return op == KAL_OP_SELECT || op == KAL_OP_AND || op == KAL_OP_OR;
}

static bool is_verdict(const Writer *w, size_t k)
{
    return k >= w->p->verdict && k < w->p->verdict + w->p->n_verdict;
}

// Find out what only the verdict needs, and which quotients it compares, the last result apart.
// False where the program chooses.
static bool find_verdict(Writer *w, bool *others)
{
    const KalListing *l = &w->list;
    bool *quotients = w->quotients;
    for (size_t k = 0; k < count_outputs(w); k++) {
        const bool judges = is_verdict(w, k);
        const bool last = k + 1 == w->p->verdict + w->p->n_verdict;
        const uint32_t slot = output_slot(w, k);
        others[slot] = others[slot] || !judges;
        quotients[slot] = quotients[slot] || (judges && !last);
    }
    for (uint32_t slot = l->count; slot-- > l->computed;) {
        const KalInstruction i = kal_program_instruction(w->p->program, slot);
        const bool passes = quotients[slot] && is_extreme(i.op);
        if (chooses(i.op)) {
            return false;
        }
        for (int k = 0; k < i.operands; k++) {
            others[i.slot[k]] = others[i.slot[k]] || others[slot];
            quotients[i.slot[k]] = quotients[i.slot[k]] || passes;
        }
        quotients[slot] = quotients[slot] && !passes;
        w->judges[slot] = !others[slot];
    }
    return true;
}

static void prepare_verdict(Writer *w)
{
    bool *others = kal_arena_alloc(w->arena, w->list.count, sizeof *others);
    w->judges = kal_arena_alloc(w->arena, w->list.count, sizeof *w->judges);
    w->quotients = kal_arena_alloc(w->arena, w->list.count, sizeof *w->quotients);
    if (!others || !w->judges || !w->quotients) {
        w->page->status = kal_no_memory(w->ctx, PURPOSE);
    } else if (!find_verdict(w, others)) {
        w->judges = NULL;
    }
}

static void write_output(Writer *w, size_t k)
{
    const bool guards = w->judges && k + 1 == w->p->verdict + w->p->n_verdict;
    for (uint32_t slot = 0; slot < w->list.count && guards; slot++) {
        if (w->quotients[slot]) {
            guard(w, slot);
        }
    }
    kal_page_format(w->page, "    out[%zu] = %s", k,
                    piece_of(w, output_slot(w, k)).text);
    if (guards && kal_page_text(&w->guard)[0] != '\0') {
        kal_page_format(w->page, " + 0*(%s)", kal_page_text(&w->guard));
    }
    kal_page_string(w->page, ";\n");
}

// Results from *next on, as many as `most` operations allow, so that no function of C is
// longer than compilers like; 0 for all of them.
KalStatus kal_c_program_write_part(const KalCProgram *p, size_t most, KalPage *page,
                                   KalUsedOperators *used, size_t *next, bool *out_more)
{
    assert(page && used && next && out_more);
    Writer w = {.page = page, .used = used};
    KalStatus status = init(&w, page->ctx, p);
    size_t end = status == KAL_OK ? count_outputs(&w) : 0;
    if (status == KAL_OK && most > 0) {
        end = choose_results(&w, *next, most);
    }
    if (status == KAL_OK) {
        write_locals(&w);
        if (p->n_verdict > 0 && most == 0) {
            prepare_verdict(&w);
        }
        if (!p->single) {
            make_waves(&w);
        }
        status = page->status;
    }
    for (size_t k = *next; status == KAL_OK && k < end; k++) {
        make_all(&w, output_slot(&w, k));
        write_output(&w, k);
        status = page->status;
    }
    *next = end;
    *out_more = status == KAL_OK && end < count_outputs(&w);
    clear(&w);
    return status;
}

KalStatus kal_c_program_write_body(const KalCProgram *p, KalPage *page,
                                   KalUsedOperators *used)
{
    size_t next = 0;
    bool more = false;
    return kal_c_program_write_part(p, 0, page, used, &next, &more);
}
