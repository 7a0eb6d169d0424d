// SPDX-License-Identifier: MIT

// Machine code of a tape: one pass over its schedule.
//
// Operations that take one instruction read operands wherever they are (registers.c).  All
// others hold theirs in registers until the result is there, and compute in spare registers.
// Before a call all values that are needed later are in memory.

#include "base/eight.h"
#include "prog/native_impl.h"

#include <assert.h>
#include <string.h>

// Operands of the instruction at hand.
typedef struct Held {
    uint8_t a;
    uint8_t b;
    uint8_t c;
} Held;

// Bits of an operand with those of a constant.
static void write_bits(KalNativeWriter *w, uint32_t place, int k, KalLogic what,
                       uint32_t slot)
{
    const uint8_t a =
        kal_native_fetch(w, kal_native_locate(w, kal_operand_slot(w->tape, place, k)));
    kal_native_consume(w, place);
    const uint8_t reg = kal_native_take_register(w);
    kal_emit_logic(&w->emitter, what, reg, a, kal_native_slot(w, slot));
    kal_native_define(w, place, reg);
}

// Operations of one instruction.
static void write_arithmetic(KalNativeWriter *w, uint32_t place, KalEmitArithmetic what,
                             bool commutes)
{
    const KalEmitSource a = kal_native_locate(w, kal_operand_slot(w->tape, place, 0));
    const KalEmitSource b = kal_native_locate(w, kal_operand_slot(w->tape, place, 1));
    const bool swap = a.memory && commutes && !b.memory;
    const uint8_t first = kal_native_fetch(w, swap ? b : a);
    kal_native_consume(w, place);
    const uint8_t reg = kal_native_take_register(w);
    kal_emit_arithmetic(&w->emitter, what, reg, first, swap ? a : b);
    kal_native_define(w, place, reg);
}

// Where an operand is NaN, or a divisor zero, all bits of the result are set: NaN.
static void mark(KalNativeWriter *w, KalEmitCompare what, uint8_t to, uint8_t a,
                 uint8_t b)
{
    const uint8_t mask = KAL_NATIVE_SPARE + 1;
    kal_emit_test(&w->emitter, what, mask, a, kal_in_register(b));
    kal_emit_mark(&w->emitter, to, mask);
}

// x xor x is zero, whatever x.
static void clear_register(KalNativeWriter *w, uint8_t reg)
{
    kal_emit_logic(&w->emitter, KAL_EMIT_XOR, reg, reg, kal_in_register(reg));
}

// a/b, NaN where b is zero, as kal_quotient() has it.
static void write_quotient(KalNativeWriter *w, uint32_t place)
{
    const uint8_t pole = KAL_NATIVE_SPARE + 1;
    const uint8_t zero = KAL_NATIVE_SPARE + 2;
    KalEmitter *e = &w->emitter;
    const KalEmitSource b = kal_native_locate(w, kal_operand_slot(w->tape, place, 1));
    const uint8_t a =
        kal_native_fetch(w, kal_native_locate(w, kal_operand_slot(w->tape, place, 0)));
    clear_register(w, zero);
    kal_emit_test(e, KAL_EMIT_EQ, pole, zero, b);
    // Operands may leave before the result has a register: the instruction reads them first.
    kal_native_consume(w, place);
    const uint8_t reg = kal_native_take_register(w);
    kal_emit_arithmetic(e, KAL_EMIT_DIV, reg, a, b);
    kal_emit_mark(e, reg, pole);
    kal_native_define(w, place, reg);
}

// Additions and subtractions; −0.0 − a is a with its sign changed.
static void write_sum(KalNativeWriter *w, uint32_t place)
{
    const KalOperands *at = &w->tape->operands[place];
    const bool minus = (at->b & KAL_MINUS) != 0;
    if (minus && at->a == KAL_ZERO_SLOT) { // a number with the other sign
        write_bits(w, place, 1, KAL_EMIT_XOR, KAL_ZERO_SLOT);
    } else {
        write_arithmetic(w, place, minus ? KAL_EMIT_SUB : KAL_EMIT_ADD, !minus);
    }
}

// The first operand, which the processor waits for, is the number itself.
static void write_root(KalNativeWriter *w, uint32_t place)
{
    const uint8_t a =
        kal_native_fetch(w, kal_native_locate(w, kal_operand_slot(w->tape, place, 0)));
    kal_native_consume(w, place);
    const uint8_t to = kal_native_take_register(w);
    kal_emit_arithmetic(&w->emitter, KAL_EMIT_SQRT, to, a, kal_in_register(a));
    kal_native_define(w, place, to);
}

// Hold operand k in a register.
static uint8_t hold(KalNativeWriter *w, uint32_t place, int k)
{
    const uint32_t slot = kal_operand_slot(w->tape, place, k);
    KalEmitSource source = kal_native_locate(w, slot);
    if (source.memory) {
        const uint8_t reg = kal_native_take_register(w);
        kal_emit_load(&w->emitter, reg, source);
        w->owners[reg] = KAL_NATIVE_BORROWED;
        source = kal_in_register(reg);
    }
    w->locked |= UINT32_C(1) << source.reg;
    return source.reg;
}

// Up to three operands; those that are not there are the first.
static Held hold_all(KalNativeWriter *w, uint32_t place)
{
    const int n = kal_operands_of(w->schedule.what[place]);
    Held held = {0};
    held.a = hold(w, place, 0);
    held.b = n > 1 ? hold(w, place, 1) : held.a;
    held.c = n > 2 ? hold(w, place, 2) : held.a;
    return held;
}

// The result is there: operands need no longer be held.
static void release(KalNativeWriter *w, uint32_t place)
{
    w->locked = 0;
    for (int r = 0; r < KAL_NATIVE_WIDEST; r++) {
        if (w->owners[r] == KAL_NATIVE_BORROWED) {
            w->owners[r] = KAL_NATIVE_NOBODY;
        }
    }
    kal_native_consume(w, place);
}

// The number 1: conditions are 0 or 1.
static KalEmitSource one(const KalNativeWriter *w)
{
    return kal_native_slot(w, KAL_ONE_SLOT);
}

// All bits where a register is not zero, or is, in the same or another register.
static void test_zero(KalNativeWriter *w, KalEmitCompare what, uint8_t to, uint8_t a)
{
    const uint8_t zero = KAL_NATIVE_SPARE + 2;
    clear_register(w, zero);
    kal_emit_compare(&w->emitter, what, to, a, kal_in_register(zero));
}

// The same for kal_emit_mark() and kal_emit_choose().
static void choose_zero(KalNativeWriter *w, KalEmitCompare what, uint8_t mask,
                        uint8_t a)
{
    const uint8_t zero = KAL_NATIVE_SPARE + 2;
    clear_register(w, zero);
    kal_emit_test(&w->emitter, what, mask, a, kal_in_register(zero));
}

// a^n, multiplied out as kal_whole_power() does.
static void write_power(KalNativeWriter *w, uint8_t to, uint8_t a, int32_t n)
{
    KalEmitter *e = &w->emitter;
    const uint8_t square = KAL_NATIVE_SPARE;
    bool any = false;
    uint32_t left = (uint32_t)(n < 0 ? -(int64_t)n : n);
    kal_emit_load(e, square, kal_in_register(a));
    if (left == 0) {
        kal_emit_load(e, to, one(w));
    }
    for (; left != 0; left >>= 1) {
        if ((left & 1) && any) {
            kal_emit_arithmetic(e, KAL_EMIT_MUL, to, to, kal_in_register(square));
        } else if (left & 1) {
            kal_emit_load(e, to, kal_in_register(square)); // 1 times it
            any = true;
        }
        if (left > 1) {
            kal_emit_arithmetic(e, KAL_EMIT_MUL, square, square,
                                kal_in_register(square));
        }
    }
    if (n < 0) {
        const uint8_t pole = KAL_NATIVE_SPARE + 1;
        choose_zero(w, KAL_EMIT_EQ, pole, to);
        kal_emit_load(e, square, one(w));
        kal_emit_arithmetic(e, KAL_EMIT_DIV, to, square, kal_in_register(to));
        kal_emit_mark(e, to, pole);
    }
}

// 1 or 0, NaN where one operand is.
static void write_relation(KalNativeWriter *w, KalEmitCompare what, uint8_t to,
                           Held held)
{
    kal_emit_compare(&w->emitter, what, to, held.a, kal_in_register(held.b));
    kal_emit_logic(&w->emitter, KAL_EMIT_AND, to, to, one(w));
    mark(w, KAL_EMIT_UNORDERED, to, held.a, held.b);
}

// One operand that is zero (`and`) or is a number and not zero (`or`) decides; else NaN
// where one is NaN.
static void write_and_or(KalNativeWriter *w, KalOp op, uint8_t to, Held held)
{
    KalEmitter *e = &w->emitter;
    const uint8_t decided = KAL_NATIVE_SPARE;
    const uint8_t rest = KAL_NATIVE_SPARE + 1;
    const KalEmitCompare what = op == KAL_OP_AND ? KAL_EMIT_EQ : KAL_EMIT_APART;
    test_zero(w, what, decided, held.a);
    test_zero(w, what, rest, held.b);
    kal_emit_logic(e, KAL_EMIT_OR, decided, decided, kal_in_register(rest));
    kal_emit_compare(e, KAL_EMIT_UNORDERED, rest, held.a, kal_in_register(held.b));
    if (op == KAL_OP_AND) {
        kal_emit_logic(e, KAL_EMIT_OR, rest, rest, one(w));
    }
    kal_emit_logic(e, KAL_EMIT_AND_NOT, to, decided, kal_in_register(rest));
    if (op == KAL_OP_OR) {
        kal_emit_logic(e, KAL_EMIT_AND, decided, decided, one(w));
        kal_emit_logic(e, KAL_EMIT_OR, to, to, kal_in_register(decided));
    }
}

// (a > 0) − (a < 0).
static void write_sign(KalNativeWriter *w, uint8_t to, uint8_t a)
{
    KalEmitter *e = &w->emitter;
    const uint8_t zero = KAL_NATIVE_SPARE + 2;
    test_zero(w, KAL_EMIT_LT, KAL_NATIVE_SPARE, a);
    kal_emit_compare(e, KAL_EMIT_LT, to, zero, kal_in_register(a));
    kal_emit_logic(e, KAL_EMIT_AND, KAL_NATIVE_SPARE, KAL_NATIVE_SPARE, one(w));
    kal_emit_logic(e, KAL_EMIT_AND, to, to, one(w));
    kal_emit_arithmetic(e, KAL_EMIT_SUB, to, to, kal_in_register(KAL_NATIVE_SPARE));
    mark(w, KAL_EMIT_UNORDERED, to, a, a);
}

// b where it is smaller (larger), else a; where b alone is NaN that is marked.
static void write_extreme(KalNativeWriter *w, KalEmitArithmetic what, uint8_t to,
                          Held held)
{
    kal_emit_arithmetic(&w->emitter, what, to, held.b, kal_in_register(held.a));
    mark(w, KAL_EMIT_UNORDERED, to, held.b, held.b);
}

// b where a is not zero, else c; NaN where a is.
static void write_select(KalNativeWriter *w, uint8_t to, Held held)
{
    choose_zero(w, KAL_EMIT_NE, KAL_NATIVE_SPARE, held.a);
    kal_emit_choose(&w->emitter, to, KAL_NATIVE_SPARE, held.b, held.c);
    mark(w, KAL_EMIT_UNORDERED, to, held.a, held.a);
}

// 1 where a is zero; NaN where it is NaN.
static void write_not(KalNativeWriter *w, uint8_t to, uint8_t a)
{
    test_zero(w, KAL_EMIT_EQ, to, a);
    kal_emit_logic(&w->emitter, KAL_EMIT_AND, to, to, one(w));
    mark(w, KAL_EMIT_UNORDERED, to, a, a);
}

// Where b − b is zero, a, else b.
static void write_where(KalNativeWriter *w, uint8_t to, Held held)
{
    kal_emit_arithmetic(&w->emitter, KAL_EMIT_SUB, KAL_NATIVE_SPARE, held.b,
                        kal_in_register(held.b));
    choose_zero(w, KAL_EMIT_EQ, KAL_NATIVE_SPARE, KAL_NATIVE_SPARE);
    kal_emit_choose(&w->emitter, to, KAL_NATIVE_SPARE, held.a, held.b);
}

// What takes several instructions; `to` is no operand's register.
static void write_held(KalNativeWriter *w, uint32_t place, uint8_t to, Held held)
{
    const KalOp op = (KalOp)w->schedule.what[place];
    switch (op) {
    case KAL_OP_POWI:
        write_power(w, to, held.a, (int32_t)w->tape->operands[place].b);
        break;
    case KAL_OP_ABS:
        kal_emit_logic(&w->emitter, KAL_EMIT_AND, to, held.a,
                       kal_native_slot(w, KAL_PLAIN_SLOT));
        break;
    case KAL_OP_SIGN: write_sign(w, to, held.a); break;
    case KAL_OP_MIN: write_extreme(w, KAL_EMIT_MIN, to, held); break;
    case KAL_OP_MAX: write_extreme(w, KAL_EMIT_MAX, to, held); break;
    case KAL_OP_WHERE: write_where(w, to, held); break;
    case KAL_OP_SELECT: write_select(w, to, held); break;
    case KAL_OP_LT: write_relation(w, KAL_EMIT_LT, to, held); break;
    case KAL_OP_LE: write_relation(w, KAL_EMIT_LE, to, held); break;
    case KAL_OP_EQ: write_relation(w, KAL_EMIT_EQ, to, held); break;
    case KAL_OP_NE: write_relation(w, KAL_EMIT_NE, to, held); break;
    case KAL_OP_AND:
    case KAL_OP_OR: write_and_or(w, op, to, held); break;
    case KAL_OP_NOT: write_not(w, to, held.a); break;
    case KAL_OP_CONST: // leaves, what others stand for, and what is called
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_ADD:
    case KAL_OP_SUB:
    case KAL_OP_NEG:
    case KAL_OP_MUL:
    case KAL_OP_DIV:
    case KAL_OP_POW:
    case KAL_OP_SQRT:
    case KAL_OP_SIN:
    case KAL_OP_COS:
    case KAL_OP_TAN:
    case KAL_OP_ASIN:
    case KAL_OP_ACOS:
    case KAL_OP_ATAN:
    case KAL_OP_ATAN2:
    case KAL_OP_SINH:
    case KAL_OP_COSH:
    case KAL_OP_TANH:
    case KAL_OP_EXP:
    case KAL_OP_LOG:
    case KAL_OP_HYPOT:
    case KAL_OP_FLOOR:
    case KAL_OP_CEIL:
    case KAL_OP_MOD:
    case KAL_OP_ERF:
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP:
    case KAL_OP_COUNT: assert(false && "no operation");
    }
}

// What an operator that switches is on the piece m, in a spare register, of which m is
// another (expr/switches.def).
static void write_piece(KalNativeWriter *w, KalOp op, uint8_t to, uint8_t m, Held held)
{
    KalEmitter *e = &w->emitter;
    const uint8_t zero = KAL_NATIVE_SPARE + 2;
    if (op == KAL_OP_ABS) {
        kal_emit_arithmetic(e, KAL_EMIT_MUL, to, m, kal_in_register(held.a));
        return;
    }
    if (op == KAL_OP_SIGN) {
        kal_emit_compare(e, KAL_EMIT_UNORDERED, to, held.a, kal_in_register(held.a));
        kal_emit_logic(e, KAL_EMIT_OR, to, to, kal_in_register(m));
        return;
    }
    clear_register(w, zero);
    kal_emit_compare(e, KAL_EMIT_LT, to, zero, kal_in_register(m));
    if (op == KAL_OP_LT || op == KAL_OP_LE) {
        kal_emit_logic(e, KAL_EMIT_AND, to, to, one(w));
    } else {
        kal_emit_choose(e, to, to, held.a, held.b);
    }
    kal_emit_compare(e, KAL_EMIT_UNORDERED, zero, held.a, kal_in_register(held.b));
    kal_emit_logic(e, KAL_EMIT_OR, to, to, kal_in_register(zero));
}

// Put what a switch is on its piece, if a mode gives one, in the place of its value.
static void write_frozen(KalNativeWriter *w, uint32_t place, uint8_t to, Held held)
{
    assert(w->program->places[place] != 0);
    KalEmitter *e = &w->emitter;
    const int32_t mode = w->program->places[place];
    const uint8_t m = KAL_NATIVE_SPARE;
    const uint8_t on_piece = KAL_NATIVE_SPARE + 1;
    const uint32_t index = (uint32_t)(mode > 0 ? mode : -mode) - 1;
    kal_emit_load(e, m, kal_native_in_memory(w, w->modes, index));
    if (mode < 0) {
        kal_emit_logic(e, KAL_EMIT_XOR, m, m, kal_native_slot(w, KAL_ZERO_SLOT));
    }
    write_piece(w, (KalOp)w->schedule.what[place], on_piece, m, held);
    kal_emit_compare(e, KAL_EMIT_UNORDERED, m, m, kal_in_register(m));
    kal_emit_choose(e, to, m, to, on_piece);
}

// Whether a mode may give the piece that a switch is on.
static bool has_mode(const KalNativeWriter *w, uint32_t place)
{
    return w->program->places && !w->emitter.lanes && w->program->places[place] != 0;
}

// What computes in spare registers, and perhaps on a piece that a mode gives.
static void write_several(KalNativeWriter *w, uint32_t place)
{
    const Held held = hold_all(w, place);
    const uint8_t to = kal_native_take_register(w);
    write_held(w, place, to, held);
    if (has_mode(w, place)) {
        write_frozen(w, place, to, held);
    }
    assert(to != held.a && to != held.b && to != held.c);
    release(w, place);
    kal_native_define(w, place, to);
}

// One instruction of the tape.
static void write_item(KalNativeWriter *w, uint32_t place)
{
    assert(place < w->tape->n_slots && w->locked == 0);
    const uint32_t what = w->schedule.what[place];
    if (what == KAL_DO_SUM) {
        write_sum(w, place);
    } else if (what == KAL_OP_MUL) {
        write_arithmetic(w, place, KAL_EMIT_MUL, true);
    } else if (what == KAL_OP_DIV) {
        write_quotient(w, place);
    } else if (what == KAL_OP_SQRT) {
        write_root(w, place);
    } else if (what == KAL_OP_ABS && !has_mode(w, place)) {
        write_bits(w, place, 0, KAL_EMIT_AND, KAL_PLAIN_SLOT);
    } else {
        write_several(w, place);
    }
}

// Operands of functions have to be in their slots.
static void store_operands(KalNativeWriter *w, uint32_t place)
{
    for (int k = 0; k < kal_operands_of(w->schedule.what[place]); k++) {
        const uint32_t slot = kal_operand_slot(w->tape, place, k);
        if (slot >= w->tape->first) {
            const KalNativeValue *value = &w->values[slot - w->tape->first];
            if (value->reg != KAL_NO_REGISTER) {
                kal_native_store(w, slot - w->tape->first);
            }
        } else if (slot >= w->program->variables) {
            kal_emit_load(&w->emitter, KAL_NATIVE_SPARE, kal_native_slot(w, slot));
            kal_emit_store(&w->emitter, KAL_NATIVE_SPARE,
                           kal_native_in_memory(w, w->work, slot));
        }
    }
}

// Nothing stays in a register over a call.
static void clear_registers(KalNativeWriter *w)
{
    for (int r = 0; r < KAL_NATIVE_WIDEST; r++) {
        if (w->owners[r] != KAL_NATIVE_NOBODY) {
            kal_native_store(w, w->owners[r]);
            kal_native_leave(w, w->owners[r]);
        }
    }
}

// Outputs that a call computed.
static void write_called_outputs(KalNativeWriter *w, uint32_t first, uint32_t count)
{
    for (uint32_t place = first; place < first + count; place++) {
        uint32_t i = w->first_output[place];
        if (i != 0) {
            kal_emit_load(&w->emitter, KAL_NATIVE_SPARE,
                          kal_native_slot(w, w->tape->first + place));
        }
        for (; i != 0; i = w->next_output[i - 1]) {
            kal_emit_store(&w->emitter, KAL_NATIVE_SPARE,
                           kal_native_in_memory(w, w->outputs, i - 1));
        }
    }
}

// Whether a switch of a run is to be on a piece that is given.
static bool is_frozen(const KalNativeWriter *w, const KalTapeRun *run)
{
    const uint32_t width = kal_slots_of(run->what);
    bool frozen = false;
    for (uint32_t i = 0; i < run->count; i++) {
        frozen = frozen || has_mode(w, run->first - w->tape->first + i * width);
    }
    return frozen;
}

// Load the address of the loop of a run; one that knows the pieces takes these too.
static void write_loop(KalNativeWriter *w, const KalTapeRun *run)
{
    KalEmitter *e = &w->emitter;
    const KalLoops *loops = w->program->loops;
    const int32_t *places = w->program->places;
    if (is_frozen(w, run)) {
        assert(loops->frozen[run->what]);
        kal_emit_number(e, KAL_R8, (uintptr_t)(places + (run->first - w->tape->first)));
        kal_emit_copy(e, KAL_R9, w->modes);
        kal_emit_number(e, KAL_RAX, (uintptr_t)loops->frozen[run->what]);
    } else {
        kal_emit_number(e, KAL_RAX,
                        (uintptr_t)kal_loops_of(loops, w->numbers)[run->what]);
    }
}

// Call the interpreter's loop for a run: loop(work, out, operands, count, …), by the calling
// convention of System V.
static void write_call(KalNativeWriter *w, const KalTapeRun *run)
{
    assert(w->schedule.calls && kal_is_called(run->what));
    KalEmitter *e = &w->emitter;
    const uint32_t first = run->first - w->tape->first;
    const uint32_t width = kal_slots_of(run->what);
    for (uint32_t i = 0; i < run->count; i++) {
        store_operands(w, first + i * width);
    }
    for (uint32_t i = 0; i < run->count; i++) {
        kal_native_consume(w, first + i * width);
    }
    clear_registers(w);
    kal_emit_copy(e, KAL_RDI, w->work);
    kal_emit_address(e, KAL_RSI, w->work, (int32_t)run->first * w->width);
    kal_emit_number(e, KAL_RDX, (uintptr_t)(w->tape->operands + first));
    kal_emit_number(e, KAL_RCX, run->count);
    write_loop(w, run);
    kal_emit_call(e);
    for (uint32_t i = 0; i < run->count * width; i++) {
        w->values[first + i].stored = true;
    }
    write_called_outputs(w, first, run->count * width);
}

// Arguments stay where they come, unless calls would destroy them.
static void begin(KalNativeWriter *w)
{
    w->dense = w->emitter.widest && !w->schedule.calls;
    w->variables = KAL_RDI;
    w->modes = KAL_RSI;
    w->work = KAL_RDX;
    w->outputs = KAL_RCX;
    if (w->schedule.calls) {
        kal_emit_save(&w->emitter);
        kal_emit_copy(&w->emitter, KAL_R14, w->variables);
        kal_emit_copy(&w->emitter, KAL_R15, w->modes);
        kal_emit_copy(&w->emitter, KAL_RBX, w->work);
        kal_emit_copy(&w->emitter, KAL_RBP, w->outputs);
        w->variables = KAL_R14;
        w->modes = KAL_R15;
        w->work = KAL_RBX;
        w->outputs = KAL_RBP;
    }
    if (w->dense) {
        kal_emit_number(&w->emitter, KAL_R8,
                        (uintptr_t)w->program->constants
                            + KAL_NATIVE_MIDDLE * sizeof(double));
    }
}

// Outputs that nothing computes.
static void write_given_outputs(KalNativeWriter *w)
{
    const KalProgram *p = w->program;
    for (size_t i = 0; i < p->n_outputs; i++) {
        if (p->outputs[i] < w->tape->first) {
            kal_emit_load(&w->emitter, KAL_NATIVE_SPARE,
                          kal_native_slot(w, p->outputs[i]));
            kal_emit_store(&w->emitter, KAL_NATIVE_SPARE,
                           kal_native_in_memory(w, w->outputs, (uint32_t)i));
        }
    }
}

// The whole function, item after item.
static void write_code(KalNativeWriter *w)
{
    const KalTapeRun *runs = w->tape->runs.data;
    const KalSchedule *schedule = &w->schedule;
    begin(w);
    for (w->now = 0; w->now < schedule->n_items; w->now++) {
        const uint32_t item = schedule->items[w->now];
        w->n_free += w->n_freed;
        w->n_freed = 0;
        if (item & KAL_ITEM_CALL) {
            write_call(w, &runs[item & ~KAL_ITEM_CALL]);
        } else {
            write_item(w, item);
        }
    }
    assert(w->locked == 0);
    write_given_outputs(w);
    if (schedule->calls) {
        kal_emit_restore(&w->emitter);
    }
    kal_emit_return(&w->emitter);
}

// Lists of outputs by the values that they are: several outputs may be one value.
static void list_outputs(KalNativeWriter *w)
{
    const KalProgram *p = w->program;
    for (size_t i = 0; i < p->n_outputs; i++) {
        if (p->outputs[i] >= w->tape->first) {
            uint32_t *first = &w->first_output[p->outputs[i] - w->tape->first];
            w->next_output[i] = *first;
            *first = (uint32_t)i + 1;
        }
    }
}

// No value is in a register, none is stored.
static KalStatus prepare(KalNativeWriter *w)
{
    const KalProgram *p = w->program;
    const uint32_t n = w->tape->n_slots;
    KAL_TRY(kal_schedule_init(p, &w->schedule));
    w->values = kal_alloc(p->ctx, n + 1, sizeof *w->values);
    w->first_output = kal_alloc(p->ctx, n + 1, sizeof *w->first_output);
    w->next_output = kal_alloc(p->ctx, p->n_outputs + 1, sizeof *w->next_output);
    w->homes = kal_alloc(p->ctx, n + 1, sizeof *w->homes);
    if (!w->values || !w->first_output || !w->next_output || !w->homes) {
        return kal_no_memory(p->ctx, "to compile formulas");
    }
    for (uint32_t i = 0; i < n; i++) {
        w->values[i] = (KalNativeValue){.next_use = w->schedule.first_use[i],
                                        .home = w->tape->first + i,
                                        .reg = KAL_NO_REGISTER};
    }
    for (int r = 0; r < KAL_NATIVE_WIDEST; r++) {
        w->owners[r] = KAL_NATIVE_NOBODY;
    }
    list_outputs(w);
    return KAL_OK;
}

static void clear(KalNativeWriter *w)
{
    const KalProgram *p = w->program;
    const size_t n = w->tape->n_slots + (size_t)1;
    kal_schedule_clear(p->ctx, &w->schedule);
    kal_free(p->ctx, w->values, w->values ? n * sizeof *w->values : 0);
    kal_free(p->ctx, w->first_output,
             w->first_output ? n * sizeof *w->first_output : 0);
    kal_free(p->ctx, w->homes, w->homes ? n * sizeof *w->homes : 0);
    kal_free(p->ctx, w->next_output,
             w->next_output ? (p->n_outputs + 1) * sizeof *w->next_output : 0);
}

KalStatus kal_native_write(const KalProgram *program, KalNativeWidth width,
                           KalBlock *code)
{
    const bool lanes = width != KAL_NATIVE_ONE;
    KalNativeWriter w = {
        .program = program,
        .tape = &program->tapes[KAL_TAPE_EVAL],
        .emitter = {.ctx = program->ctx,
                    .bytes = *code,
                    .lanes = lanes,
                    .widest = width == KAL_NATIVE_LANES},
        .width = (int32_t)sizeof(double) * (lanes ? KAL_LANES : 1),
        .numbers = width
    };
    const size_t begin = code->size;
    if (!kal_native_is_possible(program, (size_t)w.width)) {
        return KAL_OK;
    }
    KalStatus status = prepare(&w);
    if (status == KAL_OK) {
        write_code(&w);
        status = w.emitter.status;
    }
    *code = w.emitter.bytes; // it may have moved
    code->size = status == KAL_OK ? code->size : begin;
    clear(&w);
    return status;
}
