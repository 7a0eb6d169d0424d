// SPDX-License-Identifier: MIT

// From formulas to tapes.  The steps of an order are dealt out to two tapes, one for what
// parameters alone determine and one for what changes with time, and sorted within windows of
// neighbors so that equal operations stand together.
//
// Invariants: operands of an instruction have smaller slots than what it writes, so that one
// pass over a tape computes it; each step has one slot, but for a sine and the cosine of the
// same, which share an instruction that writes two; a step whose slot is NO_SLOT has not been
// written yet, and is in the window at hand or behind it.

#include "base/index.h"
#include "base/processor.h"
#include "expr/order.h"
#include "expr/switch.h"
#include "prog/program_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to compile formulas";

enum {
    WINDOW = 4096 // steps that are sorted together: their values fit the first cache
};

#define NO_SLOT UINT32_MAX

// Where the value of a step comes from.  From VARIABLE on it changes with time.
typedef enum Home {
    HOME_NONE, // a symbol that nobody listed
    HOME_CONSTANT,
    HOME_PARAMETER,
    HOME_PREPARED, // the first tape
    HOME_VARIABLE,
    HOME_COMPUTED, // the second tape
    HOMES
} Home;

// What windows are sorted by, the last first.  By their class only steps of long programs are.
enum {
    BY_CLASS,
    BY_DEPTH,
    BY_KIND,
    BY_LEVEL,
    BY_WAVES,
    KEYS
};

// What is known of a step.  Index 0 is never that of a sine or cosine, so 0 is for none.
// Both are always computed together, so one that is alone takes two slots too.
typedef struct Note {
    uint32_t slot;       // of its value, or NO_SLOT as long as no tape computes it
    uint32_t wave;       // a sine or cosine of the value
    uint32_t mate;       // of a sine the cosine of the same, and the other way round
    uint16_t keys[KEYS]; // each below WINDOW
    uint8_t home;
    uint8_t what;
} Note;

typedef struct Compiler {
    KalContext *ctx;
    KalOrder order; // of outputs, parameters and variables
    Note *notes;    // order.count
    uint32_t slots[HOMES];
    size_t operations[HOMES];
    KalProgram *program;
    KalTape *tape;    // that is being written
    uint32_t next;    // slot
    uint32_t *window; // room for a window, or for all steps where these are fewer
    uint32_t *sorted; // as many
    uint32_t *counts; // of keys: as many, or KAL_DO_COUNT if that is more; and 1
    size_t n_numbers; // in all three
    uint32_t n;       // steps in the window
} Compiler;

// Small programs, of which there are many, have small windows.
static KalStatus make_windows(Compiler *c)
{
    const size_t steps = c->order.count < WINDOW ? c->order.count : WINDOW;
    const size_t keys = steps > KAL_DO_COUNT ? steps : KAL_DO_COUNT;
    c->n_numbers = 2 * steps + keys + 1;
    c->window = kal_alloc(c->ctx, c->n_numbers, sizeof *c->window);
    if (!c->window) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    c->sorted = c->window + steps;
    c->counts = c->sorted + steps;
    return KAL_OK;
}

// The order, with all that is listed among the roots: so the places of symbols are known.
static KalStatus collect(KalGraph *g, const KalProgramSpec *spec, KalOrder *out_order)
{
    assert(spec->outputs || spec->n_outputs == 0);
    KalContext *ctx = kal_graph_context(g);
    const size_t n = spec->n_outputs + spec->n_parameters + spec->n_variables;
    KalExpr *roots = kal_alloc(ctx, n + 1, sizeof *roots);
    if (!roots) {
        return kal_no_memory(ctx, PURPOSE);
    }
    KalExpr *at = roots;
    for (size_t i = 0; i < spec->n_outputs; i++) {
        *at++ = spec->outputs[i];
    }
    for (size_t i = 0; i < spec->n_parameters; i++) {
        *at++ = spec->parameters[i];
    }
    for (size_t i = 0; i < spec->n_variables; i++) {
        *at++ = spec->variables[i];
    }
    const KalStatus status = kal_order_init(g, roots, n, out_order);
    kal_free(ctx, roots, (n + 1) * sizeof *roots);
    return status;
}

// What has a variable below it changes with time.
static uint8_t find_home(const Compiler *c, const KalStep *step)
{
    if (step->op == KAL_OP_CONST) {
        return HOME_CONSTANT;
    }
    for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
        if (c->notes[step->arg[k]].home >= HOME_VARIABLE) {
            return HOME_COMPUTED;
        }
    }
    return HOME_PREPARED;
}

// Sums, differences and negations are one loop; so are sines and cosines; a square is a
// product.
static uint8_t find_what(const KalStep *step)
{
    if (step->op == KAL_OP_ADD || step->op == KAL_OP_SUB || step->op == KAL_OP_NEG) {
        return KAL_DO_SUM;
    }
    if (step->op == KAL_OP_SIN || step->op == KAL_OP_COS) {
        return KAL_DO_SIN_COS;
    }
    return step->op == KAL_OP_POWI && step->arg[1] == 2 ? KAL_OP_MUL : step->op;
}

// Make a pair of a sine and the cosine of the same.
static void find_mate(Compiler *c, uint32_t i)
{
    assert(c->notes[i].what == KAL_DO_SIN_COS);
    Note *argument = &c->notes[c->order.steps[i].arg[0]];
    Note *note = &c->notes[i];
    if (argument->wave == 0) {
        argument->wave = i;
        return;
    }
    assert(argument->wave != i && c->notes[argument->wave].mate == 0);
    note->mate = argument->wave;
    c->notes[note->mate].mate = i;
}

// How many slots a step takes, beside those that others have taken for it.
static uint32_t count_slots(const Note *note)
{
    assert(note->home != HOME_NONE);
    return note->home == HOME_CONSTANT ? 1
           : note->mate != 0           ? 0
                                       : kal_slots_of(note->what);
}

static void mark_symbols(Compiler *c, size_t first_root, size_t n, uint8_t home)
{
    assert(n == 0 || c->order.roots);
    for (size_t i = 0; i < n; i++) {
        c->notes[c->order.roots[first_root + i]].home = home;
    }
}

// Variables up to the last that an output depends on: others need no room.  Outputs are the
// first roots, and in post order all that they depend on comes before the last of them.
static size_t count_used(const Compiler *c, const KalProgramSpec *spec)
{
    const uint32_t *variables = c->order.roots + spec->n_outputs + spec->n_parameters;
    uint32_t end = 0;
    for (size_t i = 0; i < spec->n_outputs; i++) {
        end = c->order.roots[i] >= end ? c->order.roots[i] + 1 : end;
    }
    size_t used = spec->n_variables;
    while (used > 0 && variables[used - 1] >= end) {
        used--;
    }
    return used;
}

// Find out where each value comes from and how many slots that takes.
static KalStatus classify(Compiler *c, const KalProgramSpec *spec)
{
    mark_symbols(c, spec->n_outputs, spec->n_parameters, HOME_PARAMETER);
    mark_symbols(c, spec->n_outputs + spec->n_parameters, spec->n_variables,
                 HOME_VARIABLE);
    c->slots[HOME_CONSTANT] = KAL_FIRST_CONSTANT;
    c->slots[HOME_PARAMETER] = (uint32_t)spec->n_parameters;
    c->slots[HOME_VARIABLE] = (uint32_t)count_used(c, spec);
    for (uint32_t i = 0; i < c->order.count; i++) {
        const KalStep *step = &c->order.steps[i];
        Note *note = &c->notes[i];
        note->slot = NO_SLOT;
        if (step->op == KAL_OP_SYMBOL) {
            if (note->home == HOME_NONE) {
                return kal_fail(c->ctx, KAL_ERR_USAGE,
                                "a formula to be compiled has a symbol that is neither "
                                "a parameter nor a variable");
            }
            continue;
        }
        note->home = find_home(c, step);
        note->what = find_what(step);
        if (step->op == KAL_OP_SIN || step->op == KAL_OP_COS) {
            find_mate(c, i);
        }
        c->slots[note->home] += count_slots(note);
        c->operations[note->home]++;
    }
    return KAL_OK;
}

// Lay out work memory and make room for what the program keeps.
static KalStatus lay_out(Compiler *c, const KalProgramSpec *spec)
{
    KalProgram *p = c->program;
    p->n_constants = c->slots[HOME_CONSTANT];
    p->parameters = p->n_constants;
    p->n_parameters = spec->n_parameters;
    p->n_variables = c->slots[HOME_VARIABLE];
    p->n_outputs = spec->n_outputs;
    KalTape *first = &p->tapes[KAL_TAPE_PREPARE];
    KalTape *second = &p->tapes[KAL_TAPE_EVAL];
    first->first = p->parameters + c->slots[HOME_PARAMETER];
    first->n_slots = c->slots[HOME_PREPARED];
    p->variables = first->first + first->n_slots;
    second->first = p->variables + c->slots[HOME_VARIABLE];
    second->n_slots = c->slots[HOME_COMPUTED];
    p->n_slots = second->first + second->n_slots;
    first->operations = c->operations[HOME_PREPARED];
    second->operations = c->operations[HOME_COMPUTED];

    assert(p->n_slots >= p->n_constants + p->n_parameters + p->n_variables);
    assert(p->n_slots < KAL_MINUS);
    p->constants = kal_alloc(c->ctx, p->n_constants, sizeof *p->constants);
    p->nodes = kal_alloc(c->ctx, p->n_slots, sizeof *p->nodes);
    p->outputs = kal_alloc(c->ctx, p->n_outputs, sizeof *p->outputs);
    bool fits = p->constants && p->nodes && (p->outputs || p->n_outputs == 0);
    for (int t = 0; t < KAL_TAPES; t++) {
        KalTape *tape = &p->tapes[t];
        tape->operands = kal_alloc(c->ctx, tape->n_slots, sizeof *tape->operands);
        fits = fits && (tape->operands || tape->n_slots == 0);
    }
    return fits ? KAL_OK : kal_no_memory(c->ctx, PURPOSE);
}

static void set_slot(Compiler *c, uint32_t step, uint32_t slot)
{
    assert(slot < c->program->n_slots && c->notes[step].slot == NO_SLOT);
    c->notes[step].slot = slot;
    c->program->nodes[slot] = c->order.steps[step].node.index;
}

// Parameters and variables stand in the order in which they were listed.
static void place_symbols(Compiler *c, size_t first_root, size_t n, uint32_t slot)
{
    assert(n == 0 || slot >= KAL_FIRST_CONSTANT);
    for (size_t i = 0; i < n; i++) {
        set_slot(c, c->order.roots[first_root + i], slot + (uint32_t)i);
    }
}

// Symbols and constants: what no tape computes.
static void place_leaves(Compiler *c, const KalGraph *g)
{
    KalProgram *p = c->program;
    place_symbols(c, p->n_outputs, p->n_parameters, p->parameters);
    place_symbols(c, p->n_outputs + p->n_parameters, p->n_variables, p->variables);
    const uint64_t plain = UINT64_C(0x7fffffffffffffff);
    uint32_t slot = KAL_FIRST_CONSTANT;
    p->constants[KAL_ZERO_SLOT] = -0.0;
    p->constants[KAL_ONE_SLOT] = 1.0;
    memcpy(&p->constants[KAL_PLAIN_SLOT], &plain, sizeof plain);
    for (uint32_t i = 0; i < c->order.count; i++) {
        if (c->notes[i].home == HOME_CONSTANT) {
            p->constants[slot] = kal_graph_number(g, c->order.steps[i].node).value;
            set_slot(c, i, slot++);
        }
    }
}

// Sorting a window.  Operations come in a fixed cycle, sums, functions, products, and
// the level of a step counts the cycles: it is the first at which all its operands are
// there; sines wait for others that need as many before them.  Operands of the same kind may be
// of the same level; then the depth of the step, which is 0 otherwise, is larger than theirs.
// So what follows each other within a run is independent where possible, and the processor need
// not wait.

// What is computed in the same way of other numbers is of one class: formulas of the same part,
// used N times, differ in their variables only.  That classes are different is not certain, and
// costs time only where it is not so.
static uint32_t class_of(const Compiler *c, uint32_t i)
{
    const Note *note = &c->notes[i];
    return note->home == HOME_CONSTANT    ? kal_hash(note->home, note->slot)
           : note->home == HOME_PARAMETER ? HOME_PARAMETER
           : note->home == HOME_VARIABLE  ? HOME_VARIABLE
                                          : note->keys[BY_CLASS] + (uint32_t)HOMES;
}

static uint16_t find_class(const Compiler *c, const KalStep *step)
{
    const int arity = kal_op_arity((KalOp)step->op);
    const uint64_t a = arity > 0 ? class_of(c, step->arg[0]) : 0;
    const uint64_t b = arity > 1                 ? class_of(c, step->arg[1])
                       : step->op == KAL_OP_POWI ? step->arg[1]
                                                 : 0;
    return (uint16_t)(kal_hash(a << 32 | b, step->op) % WINDOW);
}

// How many sines one after the other a step of the window needs.
static uint16_t find_waves(const Compiler *c, const KalStep *step)
{
    uint32_t waves = 0;
    for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
        const Note *operand = &c->notes[step->arg[k]];
        const uint32_t before =
            operand->keys[BY_WAVES] + (uint32_t)(operand->what == KAL_DO_SIN_COS);
        if (operand->slot == NO_SLOT && before > waves) {
            waves = before;
        }
    }
    assert(waves < WINDOW);
    return (uint16_t)waves;
}

static void find_level(Compiler *c, uint32_t i)
{
    const KalStep *step = &c->order.steps[i];
    Note *note = &c->notes[i];
    const uint32_t kind = KAL_DO_COUNT - 1U - note->what;
    uint32_t level = 0;
    uint32_t depth = 0;
    for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
        const Note *operand = &c->notes[step->arg[k]];
        const uint16_t *keys = operand->keys;
        if (operand->slot != NO_SLOT) {
            continue; // in an earlier window
        }
        const uint32_t earliest = keys[BY_LEVEL] + (uint32_t)(keys[BY_KIND] > kind);
        const uint32_t deeper = keys[BY_KIND] == kind ? keys[BY_DEPTH] + 1U : 0;
        if (earliest > level) {
            level = earliest;
            depth = deeper;
        } else if (earliest == level && deeper > depth) {
            depth = deeper;
        }
    }
    assert(level < WINDOW && depth < WINDOW);
    note->keys[BY_LEVEL] = (uint16_t)level;
    note->keys[BY_KIND] = (uint16_t)kind;
    note->keys[BY_DEPTH] = (uint16_t)depth;
}

// A stable sort of the window's steps, from one list into the other.
// Counting sort (Knuth, The Art of Computer Programming 3, 5.2).
static void sort(Compiler *c, int by, const uint32_t *from, uint32_t *to)
{
    assert(c->n <= WINDOW && by < KEYS);
    const uint32_t n_keys = by == BY_KIND    ? KAL_DO_COUNT
                            : by == BY_CLASS ? WINDOW
                                             : c->n;
    memset(c->counts, 0, (n_keys + 1) * sizeof *c->counts);
    for (uint32_t i = 0; i < c->n; i++) {
        assert(c->notes[from[i]].keys[by] < n_keys);
        c->counts[c->notes[from[i]].keys[by] + 1]++;
    }
    for (uint32_t key = 0; key < n_keys; key++) {
        c->counts[key + 1] += c->counts[key];
    }
    for (uint32_t i = 0; i < c->n; i++) {
        to[c->counts[c->notes[from[i]].keys[by]]++] = from[i];
    }
}

// Slots of operands, as KalOperands has them: a difference is a sum with a minus, a negation
// one with −0.0, which keeps the sign of zeros.
static KalOperands find_operands(const Compiler *c, const KalStep *step)
{
    const int arity = kal_op_arity((KalOp)step->op);
    const uint32_t a = arity > 0 ? c->notes[step->arg[0]].slot : 0;
    const uint32_t b = arity > 1 ? c->notes[step->arg[1]].slot : 0;
    assert(a != NO_SLOT && b != NO_SLOT);
    if (step->op == KAL_OP_SUB) {
        return (KalOperands){a, b | KAL_MINUS};
    }
    if (step->op == KAL_OP_NEG) {
        return (KalOperands){KAL_ZERO_SLOT, a | KAL_MINUS};
    }
    if (step->op == KAL_OP_POWI) {
        return (KalOperands){a, step->arg[1] == 2 ? a : step->arg[1]};
    }
    return (KalOperands){a, b};
}

// Append to the last run, or to a new one.
static KalStatus extend(Compiler *c, uint32_t what)
{
    assert(what < KAL_DO_COUNT);
    KalBlock *runs = &c->tape->runs;
    if (runs->size > 0) {
        KalTapeRun *last =
            (KalTapeRun *)runs->data + runs->size / sizeof(KalTapeRun) - 1;
        if (last->what == what) {
            last->count++;
            return KAL_OK;
        }
    }
    const KalTapeRun run = {what, 1, c->next};
    if (kal_block_add(c->ctx, runs, &run, sizeof run) != KAL_OK) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    return KAL_OK;
}

// Write one instruction and give its value a slot.
static KalStatus emit(Compiler *c, uint32_t i)
{
    const KalStep *step = &c->order.steps[i];
    const Note *note = &c->notes[i];
    KalOperands *at = &c->tape->operands[c->next - c->tape->first];
    assert(c->next - c->tape->first < c->tape->n_slots && note->slot == NO_SLOT);
    KAL_TRY(extend(c, note->what));
    at[0] = find_operands(c, step);
    if (note->what == KAL_DO_SIN_COS) {
        const bool sine = step->op == KAL_OP_SIN;
        at[1] = at[0];
        set_slot(c, i, c->next + !sine);
        if (note->mate != 0) {
            set_slot(c, note->mate, c->next + sine);
        }
        c->next += 2;
        return KAL_OK;
    }
    set_slot(c, i, c->next++);
    if (note->what == KAL_OP_SELECT) {
        at[1].a = c->notes[step->arg[2]].slot;
        c->next++;
    } else if (kal_op_is_spline((KalOp)step->op)) {
        at[1] = (KalOperands){step->arg[1], step->arg[2]};
        c->next++;
    }
    return KAL_OK;
}

// The later one of two places within a window.
static void note_later(const Note *note, uint16_t *level, uint16_t *depth)
{
    const uint16_t *keys = note->keys;
    if (keys[BY_LEVEL] > *level) {
        *level = keys[BY_LEVEL];
        *depth = keys[BY_DEPTH];
    } else if (keys[BY_LEVEL] == *level && keys[BY_DEPTH] > *depth) {
        *depth = keys[BY_DEPTH];
    }
}

// Sines that need as many others before them are all computed where the last of them is: they are
// one run, and none waits for another.
static void align_sines(Compiler *c, const uint32_t *steps, uint32_t n)
{
    uint16_t level = 0;
    uint16_t depth = 0;
    for (uint32_t k = 0; k < n; k++) {
        const Note *note = &c->notes[steps[k]];
        if (note->what == KAL_DO_SIN_COS) {
            note_later(note, &level, &depth);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        Note *note = &c->notes[steps[k]];
        if (note->what != KAL_DO_SIN_COS) {
            continue;
        }
        note->keys[BY_LEVEL] = level;
        note->keys[BY_DEPTH] = depth;
        if (note->mate != 0) {
            uint16_t *keys = c->notes[note->mate].keys;
            keys[BY_LEVEL] = level;
            keys[BY_DEPTH] = depth;
            keys[BY_KIND] = note->keys[BY_KIND];
        }
    }
}

// Levels of the steps of the window, those that need fewer sines first.
static void find_levels(Compiler *c)
{
    sort(c, BY_WAVES, c->window, c->sorted);
    for (uint32_t begin = 0, end = 0; begin < c->n; begin = end) {
        const uint16_t waves = c->notes[c->sorted[begin]].keys[BY_WAVES];
        for (; end < c->n && c->notes[c->sorted[end]].keys[BY_WAVES] == waves; end++) {
            find_level(c, c->sorted[end]);
        }
        align_sines(c, c->sorted + begin, end - begin);
    }
}

// Radix sort by level, then kind, depth and class: stable sorts by the least key first.  With
// the steps of a class side by side, programs of many parts that are alike have evenly spaced
// operands (prog/roll.c).
static KalStatus flush(Compiler *c)
{
    find_levels(c);
    if (c->order.count >= WINDOW) {
        sort(c, BY_CLASS, c->window, c->sorted);
        memcpy(c->window, c->sorted, c->n * sizeof *c->window);
    }
    sort(c, BY_DEPTH, c->window, c->sorted);
    sort(c, BY_KIND, c->sorted, c->window);
    sort(c, BY_LEVEL, c->window, c->sorted);
    for (uint32_t i = 0; i < c->n; i++) {
        KAL_TRY(emit(c, c->sorted[i]));
    }
    c->n = 0;
    return KAL_OK;
}

// Windows bound both the work of sorting and how far values are from their uses.
static KalStatus schedule(Compiler *c, uint32_t i)
{
    assert(c->n < WINDOW);
    c->notes[i].keys[BY_WAVES] = find_waves(c, &c->order.steps[i]);
    c->notes[i].keys[BY_CLASS] = find_class(c, &c->order.steps[i]);
    c->window[c->n++] = i;
    return c->n == WINDOW ? flush(c) : KAL_OK;
}

// Write the tape whose values have this home.
static KalStatus write_tape(Compiler *c, KalTape *tape, uint8_t home)
{
    KalStatus status = KAL_OK;
    c->tape = tape;
    c->next = tape->first;
    for (uint32_t i = 0; i < c->order.count && status == KAL_OK; i++) {
        Note *note = &c->notes[i];
        if (note->home != home || note->slot != NO_SLOT) {
            continue;
        }
        if (note->mate != 0 && note->mate < i) { // is computed with its mate
            note->keys[BY_WAVES] = c->notes[note->mate].keys[BY_WAVES];
            note->keys[BY_CLASS] = find_class(c, &c->order.steps[i]);
        } else {
            status = schedule(c, i);
        }
    }
    assert(status != KAL_OK || c->n < WINDOW);
    return status == KAL_OK ? flush(c) : status;
}

// Where the modes of switches are, once slots are known.
static KalStatus place_switches(Compiler *c, const KalProgramSpec *spec)
{
    KalProgram *p = c->program;
    const KalTape *tape = &p->tapes[KAL_TAPE_EVAL];
    if (spec->n_switches == 0 || tape->n_slots == 0) {
        return KAL_OK;
    }
    p->places = kal_alloc(c->ctx, tape->n_slots, sizeof *p->places);
    if (!p->places) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    for (size_t k = 0; k < spec->n_switches; k++) {
        const int32_t place = spec->switches[k].place;
        const size_t count = (size_t)(place < 0 ? -place : place);
        p->n_modes = count > p->n_modes ? count : p->n_modes;
    }
    p->no_modes = kal_alloc(c->ctx, p->n_modes, sizeof *p->no_modes);
    if (!p->no_modes) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    for (size_t k = 0; k < p->n_modes; k++) {
        p->no_modes[k] = NAN;
    }
    for (uint32_t i = 0; i < c->order.count; i++) {
        const bool switches = kal_op_switches((KalOp)c->order.steps[i].op)
                              && c->notes[i].home == HOME_COMPUTED;
        for (size_t k = 0; switches && k < spec->n_switches; k++) {
            if (spec->switches[k].node.index == c->order.steps[i].node.index) {
                p->places[c->notes[i].slot - tape->first] = spec->switches[k].place;
            }
        }
    }
    return KAL_OK;
}

// The loops that suit the processor.
static const KalLoops *choose_loops(void)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        return &kal_loops_wide;
    }
#endif
    return &kal_loops;
}

static KalStatus compile(Compiler *c, const KalGraph *g, const KalProgramSpec *spec)
{
    assert(c->order.count < UINT32_C(1) << 29); // slots leave a bit for KAL_MINUS
    c->notes = kal_alloc(c->ctx, (size_t)c->order.count + 1, sizeof *c->notes);
    c->program = KAL_NEW(c->ctx, KalProgram);
    if (c->program) {
        c->program->ctx = c->ctx; // so that it can be destroyed
    }
    if (!c->notes || !c->program) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    KAL_TRY(make_windows(c));
    c->program->loops = choose_loops();
    KAL_TRY(classify(c, spec));
    KAL_TRY(lay_out(c, spec));
    place_leaves(c, g);
    KAL_TRY(write_tape(c, &c->program->tapes[KAL_TAPE_PREPARE], HOME_PREPARED));
    KAL_TRY(write_tape(c, &c->program->tapes[KAL_TAPE_EVAL], HOME_COMPUTED));
    KAL_TRY(place_switches(c, spec));
    assert(c->next == c->program->n_slots); // as many slots as were counted
    for (size_t i = 0; i < spec->n_outputs; i++) {
        c->program->outputs[i] = c->notes[c->order.roots[i]].slot;
    }
    return KAL_OK;
}

// Machine code for the second tape only: the first runs once for each set of parameters.  What
// is rolled up needs none.
static KalStatus make_native(KalProgram *program, const KalProgramSpec *spec)
{
    assert(!program->native.code);
    KAL_TRY(kal_roll_init(program, &program->roll));
    KAL_TRY(spec->plain || program->roll.used
                ? KAL_OK
                : kal_native_init(program, KAL_NATIVE_ONE, &program->native));
    return spec->lanes
               ? kal_native_init(program,
                                 kal_has_widest() ? KAL_NATIVE_LANES : KAL_NATIVE_HALF,
                                 &program->native_lanes)
               : KAL_OK;
}

// From formulas to tapes, from tapes to machine code if the processor and the options
// allow it; programs whose code has no room are interpreted.
KalStatus kal_program_create(KalGraph *g, const KalProgramSpec *spec,
                             KalProgram **out_program)
{
    assert(g && spec && out_program);
    KalContext *ctx = kal_graph_context(g);
    KalOrder order = {0};
    KAL_TRY(collect(g, spec, &order));
    Compiler *c = KAL_NEW(ctx, Compiler);
    if (!c) {
        kal_order_clear(&order);
        return kal_no_memory(ctx, PURPOSE);
    }
    c->ctx = ctx;
    c->order = order;
    KalStatus status = compile(c, g, spec);
    if (status == KAL_OK) {
        status = make_native(c->program, spec);
    }
    if (status == KAL_OK) {
        *out_program = c->program;
    } else {
        kal_program_destroy(c->program);
    }
    kal_free(ctx, c->notes, ((size_t)order.count + 1) * sizeof *c->notes);
    kal_free(ctx, c->window, c->n_numbers * sizeof *c->window);
    kal_free(ctx, c, sizeof *c);
    kal_order_clear(&order);
    return status;
}
