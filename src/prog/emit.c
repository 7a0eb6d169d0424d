// SPDX-License-Identifier: MIT

// Encoding of instructions (Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 2, chapter 2).
//
// A VEX instruction is: the prefix C5 or C4 with the upper bits of registers, inverted; the
// second operand, inverted; the operation; the byte ModRM, which names the first operand and
// says whether the last is a register or memory at a base plus a displacement.  The bases
// that are used have no index byte: neither rsp nor r12 is among them.
//
// An EVEX instruction, for 512 bits, is: 62; three bytes with the upper bits of registers,
// inverted, the table, the prefix, the width, and a register of masks; and the same as above, but
// that a displacement of one byte counts groups.  Comparisons give masks, which become bits of
// numbers and the other way round: those who emit see no difference.
//
// Bytes are gathered in a block; after a failure nothing is added, so that those who emit
// check once, at the end.

#include "prog/emit.h"

#include <assert.h>

// Prefixes that VEX stands for, and tables of operations.
enum {
    NO_PREFIX = 0,
    PREFIX_66 = 1,
    PREFIX_F3 = 2,
    PREFIX_F2 = 3,
    TABLE_0F = 1,
    TABLE_0F38 = 2,
    TABLE_0F3A = 3,
};

// An instruction, as its manual page has it.
typedef struct Vex {
    uint8_t prefix;
    uint8_t table;
    uint8_t code;
    bool wide;    // 256 bits
    bool one;     // reads one number for all lanes, 512 bits only
    uint8_t mask; // register that chooses lanes, 512 bits only, or ALL
} Vex;

// Append bytes, unless something failed before.
static void put(KalEmitter *e, const uint8_t *bytes, size_t count)
{
    assert(bytes && count > 0);
    if (e->status == KAL_OK) {
        e->status = kal_block_add(e->ctx, &e->bytes, bytes, count);
    }
}

// The bytes that say what is read at the end; short displacements are in units of so many bytes.
static size_t put_source(uint8_t *bytes, uint8_t reg, KalEmitSource source, int unit)
{
    assert(((unsigned)source.base & 7) != 4
           || !source.memory); // 4 would ask for an index
    const uint8_t first = (uint8_t)((reg & 7) << 3);
    if (!source.memory) {
        bytes[0] = (uint8_t)(0xc0 | first | (source.reg & 7));
        return 1;
    }
    const int32_t units = source.displacement / unit;
    const bool small =
        units >= -128 && units < 128 && units * unit == source.displacement;
    const uint32_t displacement = (uint32_t)(small ? units : source.displacement);
    const size_t count = small ? 1 : 4;
    bytes[0] = (uint8_t)((small ? 0x40 : 0x80) | first | ((unsigned)source.base & 7));
    for (size_t i = 0; i < count; i++) {
        bytes[1 + i] = (uint8_t)(displacement >> (8 * i));
    }
    return 1 + count;
}

// The mask register that is used; numbers that are no mask have none.
enum {
    MASK = 1,
    ALL = 0,
    GROUP = 64, // bytes
    NUMBER = 8  // likewise
};

// One instruction on 512 bits, likewise.
static void put_evex(KalEmitter *e, Vex vex, uint8_t reg, uint8_t first,
                     KalEmitSource source, int last)
{
    assert(reg < 32 && first < 32 && source.reg < 32);
    const unsigned other = source.memory ? (unsigned)source.base : source.reg;
    const bool alike = source.memory && source.alike;
    uint8_t bytes[16] = {
        0x62,
        (uint8_t)((reg & 8 ? 0 : 0x80) | (!source.memory && other & 16 ? 0 : 0x40)
                  | (other & 8 ? 0 : 0x20) | (reg & 16 ? 0 : 0x10) | vex.table),
        (uint8_t)(0x80 | (~first & 15) << 3 | 4 | vex.prefix),
        (uint8_t)(0x40 | (alike && !vex.one ? 0x10 : 0) | (first & 16 ? 0 : 8)
                  | vex.mask),
        vex.code,
    };
    size_t n = 5;
    n += put_source(bytes + n, reg, source, alike ? NUMBER : GROUP);
    if (last >= 0) {
        bytes[n++] = (uint8_t)last;
    }
    put(e, bytes, n);
}

// One instruction, with a byte at its end unless that is negative.
static void put_vex(KalEmitter *e, Vex vex, uint8_t reg, uint8_t first,
                    KalEmitSource source, int last)
{
    if (e->widest) {
        put_evex(e, vex, reg, first, source, last);
        return;
    }
    assert(reg < 16 && first < 16);
    uint8_t bytes[16];
    size_t n = 0;
    const bool far = (source.memory ? (unsigned)source.base : source.reg) > 7;
    const uint8_t rest =
        (uint8_t)((~first & 15) << 3 | (vex.wide ? 4 : 0) | vex.prefix);
    if (far || vex.table != TABLE_0F) {
        bytes[n++] = 0xc4;
        bytes[n++] =
            (uint8_t)((reg > 7 ? 0 : 0x80) | 0x40 | (far ? 0 : 0x20) | vex.table);
        bytes[n++] = rest;
    } else {
        bytes[n++] = 0xc5;
        bytes[n++] = (uint8_t)((reg > 7 ? 0 : 0x80) | rest);
    }
    bytes[n++] = vex.code;
    n += put_source(bytes + n, reg, source, 1);
    if (last >= 0) {
        bytes[n++] = (uint8_t)last;
    }
    put(e, bytes, n);
}

// Scalar or on all lanes.
static Vex on_numbers(const KalEmitter *e, uint8_t code)
{
    return (Vex){
        e->lanes ? PREFIX_66 : PREFIX_F2, TABLE_0F, code, e->lanes, false, ALL};
}

// A square root of lanes has no first operand, and its field has to be 0.
void kal_emit_arithmetic(KalEmitter *e, KalEmitArithmetic what, uint8_t to,
                         uint8_t first, KalEmitSource source)
{
    const bool unary = what == KAL_EMIT_SQRT && e->lanes;
    put_vex(e, on_numbers(e, (uint8_t)what), to, unary ? 0 : first, source, -1);
}

void kal_emit_logic(KalEmitter *e, KalLogic what, uint8_t to, uint8_t first,
                    KalEmitSource source)
{
    const Vex vex = {PREFIX_66, TABLE_0F, (uint8_t)what, e->lanes, false, ALL};
    put_vex(e, vex, to, first, source, -1);
}

void kal_emit_compare(KalEmitter *e, KalEmitCompare what, uint8_t to, uint8_t first,
                      KalEmitSource source)
{
    const Vex vex = on_numbers(e, 0xc2);
    if (e->widest) { // vcmppd, vpmovm2q
        const Vex spread = {PREFIX_F3, TABLE_0F38, 0x38, true, false, ALL};
        put_evex(e, vex, MASK, first, source, (int)what);
        put_evex(e, spread, to, 0, kal_in_register(MASK), -1);
        return;
    }
    put_vex(e, vex, to, first, source, (int)what);
}

void kal_emit_test(KalEmitter *e, KalEmitCompare what, uint8_t mask, uint8_t first,
                   KalEmitSource source)
{
    const uint8_t to = e->widest ? MASK : mask;
    put_vex(e, on_numbers(e, 0xc2), to, first, source, (int)what);
}

void kal_emit_mark(KalEmitter *e, uint8_t to, uint8_t mask)
{
    if (e->widest) { // vpternlogq, whatever the bits were
        const Vex set = {PREFIX_66, TABLE_0F3A, 0x25, true, false, MASK};
        put_evex(e, set, to, to, kal_in_register(to), 0xff);
    } else {
        kal_emit_logic(e, KAL_EMIT_OR, to, to, kal_in_register(mask));
    }
}

void kal_emit_choose(KalEmitter *e, uint8_t to, uint8_t mask, uint8_t yes, uint8_t no)
{
    if (e->widest) { // vblendmpd
        const Vex blend = {PREFIX_66, TABLE_0F38, 0x65, true, false, MASK};
        put_evex(e, blend, to, no, kal_in_register(yes), -1);
        return;
    }
    assert(mask < 16 && to < 16);
    const Vex vex = {PREFIX_66, TABLE_0F3A, 0x4b, e->lanes, false, ALL};
    put_vex(e, vex, to, no, kal_in_register(yes), mask << 4);
}

// From memory, or a copy between registers, which moves all bits.
void kal_emit_load(KalEmitter *e, uint8_t to, KalEmitSource source)
{
    if (e->widest && source.memory && source.alike) { // vbroadcastsd
        const Vex vex = {PREFIX_66, TABLE_0F38, 0x19, true, true, ALL};
        put_evex(e, vex, to, 0, source, -1);
    } else if (source.memory) {
        put_vex(e, on_numbers(e, 0x10), to, 0, source, -1);
    } else if (source.reg != to) {
        const Vex vex = {PREFIX_66, TABLE_0F, 0x28, e->lanes, false, ALL};
        put_vex(e, vex, to, 0, source, -1);
    }
}

void kal_emit_store(KalEmitter *e, uint8_t from, KalEmitSource memory)
{
    assert(memory.memory);
    put_vex(e, on_numbers(e, 0x11), from, 0, memory, -1);
}

static void put_bytes(KalEmitter *e, const char *bytes, size_t count)
{
    put(e, (const uint8_t *)bytes, count);
}

void kal_emit_save(KalEmitter *e)
{
    // push rbx, rbp, r14, r15; sub rsp, 8, which leaves the stack aligned for calls
    put_bytes(e, "\x53\x55\x41\x56\x41\x57\x48\x83\xec\x08", 10);
}

void kal_emit_restore(KalEmitter *e)
{
    put_bytes(e, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x5d\x5b", 10);
}

// The prefix of an instruction on general registers of 64 bits.
static uint8_t rex(KalBase reg, KalBase other)
{
    return (uint8_t)(0x48 | (reg > 7 ? 4 : 0) | (other > 7 ? 1 : 0));
}

void kal_emit_copy(KalEmitter *e, KalBase to, KalBase from)
{
    assert(to != from);
    const uint8_t bytes[] = {
        rex(from, to), 0x89,
        (uint8_t)(0xc0 | ((unsigned)from & 7) << 3 | ((unsigned)to & 7))};
    put(e, bytes, sizeof bytes);
}

void kal_emit_address(KalEmitter *e, KalBase to, KalBase base, int32_t displacement)
{
    uint8_t bytes[8] = {rex(to, base), 0x8d};
    const KalEmitSource source = {
        .memory = true, .base = base, .displacement = displacement};
    put(e, bytes, 2 + put_source(bytes + 2, (uint8_t)to, source, 1));
}

void kal_emit_number(KalEmitter *e, KalBase to, uint64_t number)
{
    uint8_t bytes[10] = {rex(KAL_RAX, to), (uint8_t)(0xb8 | ((unsigned)to & 7))};
    for (size_t i = 0; i < 8; i++) {
        bytes[2 + i] = (uint8_t)(number >> (8 * i));
    }
    put(e, bytes, sizeof bytes);
}

// What lies in the upper halves of wide registers makes narrow code slow.
static void clear_upper_halves(KalEmitter *e)
{
    if (e->lanes) {
        put_bytes(e, "\xc5\xf8\x77", 3); // vzeroupper
    }
}

void kal_emit_call(KalEmitter *e)
{
    clear_upper_halves(e);
    put_bytes(e, "\xff\xd0", 2);
}

void kal_emit_return(KalEmitter *e)
{
    clear_upper_halves(e);
    put_bytes(e, "\xc3", 1);
}
