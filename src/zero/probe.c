// SPDX-License-Identifier: MIT

// What a probe remembers: slots for nodes, their phases, and the points it looks at.
//
// Slots are nodes in an order of evaluation, found by a hash table.  The points are chosen
// once, by trying random ones until all formulas of the beginning have values there, with
// all square roots; formulas that come later are evaluated at the same points, so that
// equal formulas stay equal.
//
// Square roots are the difficulty: half of all residues have none.  Where the radicands
// are independent, that is, no product of some of them is a square, points at which all
// have roots tell the truth, theory (10.6).  Otherwise roots become atoms, of which
// nothing is known but their squares.

#include "expr/node.h"
#include "zero/identity_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to compare formulas";

enum {
    TRIES_COST = 1 << 24, // evaluations of nodes
    TRIES = 64,           // points that are tried out at most
    LEAST_TRIES = 16,     // points that show whether roots are independent
    DENOMINATOR = 60,     // what factors in phases may be divided by in any case
    DENOMINATOR_MAX = 1 << 30,
    RADICALS_MAX = 64,
    FAR_TRIES = 4
};

static size_t slot_count(const KalProbe *probe)
{
    return probe->slots.size / sizeof(KalSlot);
}

// How many points to try: fewer for long formulas.
static int tries_for(const KalProbe *probe, int most)
{
    assert(most > 0);
    const size_t affordable = TRIES_COST / (slot_count(probe) + 1);
    const int least = 2 * KAL_PROBE_RESIDUES;
    return affordable >= (size_t)most   ? most
           : affordable < (size_t)least ? least
                                        : (int)affordable;
}

// Functions of phases: zero/phase.h.
static bool has_phase(KalOp op)
{
    return kal_op_nature(op) == KAL_NATURE_EXPONENTIAL;
}

// Functions that are not one analytic function all over: what they give in one place says
// nothing about another.
static bool is_branched(KalOp op)
{
    return kal_op_nature(op) >= KAL_NATURE_BRANCHED;
}

// Whether a node can differ from point to point though its operands do not.
static bool is_varied(KalOp op)
{
    return op == KAL_OP_SYMBOL || op == KAL_OP_PI || op == KAL_OP_LOG || has_phase(op)
           || kal_op_nature(op) == KAL_NATURE_ANALYTIC;
}

uint32_t kal_probe_slot_of(const KalProbe *probe, KalExpr e)
{
    uint64_t slot = 0;
    const bool known = kal_map_find(&probe->known, e.index, &slot);
    assert(known);
    (void)known;
    return (uint32_t)slot;
}

// Put a node on the list unless it was seen; its slot will be known later.
static KalStatus push(KalProbe *probe, KalBlock *list, KalExpr e)
{
    assert(e.index != 0);
    bool known = false;
    KAL_TRY(kal_map_add(probe->ctx, &probe->known, e.index, 0, &known));
    return known ? KAL_OK : kal_block_add(probe->ctx, list, &e, sizeof e);
}

static KalStatus push_all(KalProbe *probe, KalBlock *list, const KalExpr *e, int n)
{
    assert(n >= 0);
    KalStatus status = KAL_OK;
    for (int k = 0; k < n && status == KAL_OK; k++) {
        status = push(probe, list, e[k]);
    }
    return status;
}

// Nodes below e that were not seen before, in any order.
static KalStatus collect(KalProbe *probe, const KalExpr *e, size_t n, KalBlock *list)
{
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(push(probe, list, e[i]));
    }
    for (size_t next = 0; next < list->size / sizeof(KalExpr); next++) {
        const KalExprNode *node =
            kal_node(probe->g, ((const KalExpr *)list->data)[next]);
        KAL_TRY(push_all(probe, list, node->arg, kal_op_arity((KalOp)node->op)));
    }
    return KAL_OK;
}

static int compare_nodes(const void *a, const void *b)
{
    const KalExpr *x = a;
    const KalExpr *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

static KalStatus add_slot(KalProbe *probe, KalExpr e)
{
    const KalExprNode node = *kal_node(probe->g, e);
    const int arity = kal_op_arity((KalOp)node.op);
    uint32_t arg[3] = {node.arg[0].index, node.arg[1].index, node.arg[2].index};
    unsigned flags = is_varied((KalOp)node.op) ? 0 : KAL_SLOT_FIXED;
    flags |= node.op == KAL_OP_SYMBOL ? 0 : KAL_SLOT_CONSTANT;
    for (int k = 0; k < arity; k++) {
        arg[k] = kal_probe_slot_of(probe, node.arg[k]);
        assert(arg[k] < slot_count(probe)); // operands have slots already
        flags &= kal_probe_slot(probe, arg[k])->flags;
    }
    const KalSlot slot = {
        .node = e,
        .arg = {arg[0], arg[1], arg[2]},
        .op = node.op,
        .flags = (uint8_t)(flags & (KAL_SLOT_FIXED | KAL_SLOT_CONSTANT)),
    };
    KAL_TRY(kal_block_add(probe->ctx, &probe->slots, &slot, sizeof slot));
    return kal_map_set(probe->ctx, &probe->known, e.index, slot_count(probe) - 1);
}

// Slots for all new nodes below e.  Index order is an order of evaluation.
static KalStatus add_slots(KalProbe *probe, const KalExpr *e, size_t n, KalBlock *list)
{
    assert(list->size == 0);
    KAL_TRY(collect(probe, e, n, list));
    const size_t count = list->size / sizeof(KalExpr);
    if (count > 0) {
        qsort(list->data, count, sizeof(KalExpr), compare_nodes);
    }
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(add_slot(probe, ((const KalExpr *)list->data)[i]));
    }
    return KAL_OK;
}

// The phase of a slot, its operands' first.
static KalStatus make_phase(KalProbe *probe, uint32_t of)
{
    assert(of < slot_count(probe));
    KalSlot *slot = kal_probe_slot(probe, of);
    KalPhase operands[3] = {{0}};
    for (int k = 0; k < kal_op_arity((KalOp)slot->op); k++) {
        operands[k] = kal_probe_slot(probe, slot->arg[k])->phase;
    }
    return kal_phase_make(probe->g, &probe->phases, slot->node, operands, &slot->phase);
}

// Put the operands that have no phase yet on the stack.
static KalStatus push_operands(KalProbe *probe, const KalSlot *slot, KalBlock *stack)
{
    const int arity = kal_op_arity((KalOp)slot->op);
    KalStatus status = KAL_OK;
    for (int k = 0; k < arity && status == KAL_OK; k++) {
        const KalSlot *operand = kal_probe_slot(probe, slot->arg[k]);
        if (operand->phase.state == KAL_PHASE_UNKNOWN) {
            status =
                kal_block_add(probe->ctx, stack, &slot->arg[k], sizeof slot->arg[k]);
        }
    }
    return status;
}

// Give the slot on top of the stack a phase and take it off, or put on what that needs.
static KalStatus make_top_phase(KalProbe *probe, KalBlock *stack)
{
    assert(stack->size > 0);
    const size_t size = stack->size;
    const uint32_t top = ((const uint32_t *)stack->data)[size / sizeof top - 1];
    const KalSlot *slot = kal_probe_slot(probe, top);
    if (slot->phase.state == KAL_PHASE_UNKNOWN && kal_phase_is_made((KalOp)slot->op)) {
        KAL_TRY(push_operands(probe, slot, stack));
    }
    if (stack->size > size) {
        return KAL_OK;
    }
    stack->size -= sizeof top;
    return slot->phase.state == KAL_PHASE_UNKNOWN ? make_phase(probe, top) : KAL_OK;
}

// Phases of what a slot is a function of, and of all below that, by a walk that keeps its
// way in `stack`.
static KalStatus make_phases(KalProbe *probe, const KalSlot *slot, KalBlock *stack)
{
    KAL_TRY(push_operands(probe, slot, stack));
    while (stack->size > 0) {
        KAL_TRY(make_top_phase(probe, stack));
    }
    return KAL_OK;
}

// Euclid.
static int64_t gcd(int64_t a, int64_t b)
{
    assert(a > 0 && b > 0);
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Let the denominator serve the factors of a slot's phase too, as long as it fits.
static void extend_denominator(KalProbe *probe, const KalSlot *slot)
{
    assert(probe->denominator > 0);
    const KalPhase phase = kal_probe_slot(probe, slot->arg[0])->phase;
    for (uint32_t i = 0; i < phase.count; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        const int64_t more = term.k.den / gcd(term.k.den, probe->denominator);
        if (!kal_phase_is_pi(&probe->phases, term.monomial)
            && more <= DENOMINATOR_MAX / probe->denominator) {
            probe->denominator *= more;
        }
    }
}

// Phases are made only below exponentials and powers, the first time with a denominator
// that all their factors share.
static KalStatus prepare_phases(KalProbe *probe, size_t from, bool first)
{
    assert(from <= slot_count(probe));
    KalBlock stack = {0};
    KalStatus status = KAL_OK;
    for (size_t i = from; i < slot_count(probe) && status == KAL_OK; i++) {
        const KalSlot *slot = kal_probe_slot(probe, i);
        if (has_phase((KalOp)slot->op) || slot->op == KAL_OP_POW) {
            status = make_phases(probe, slot, &stack);
        }
        if (has_phase((KalOp)slot->op) && first && status == KAL_OK) {
            extend_denominator(probe, slot);
        }
    }
    kal_block_clear(probe->ctx, &stack);
    return status;
}

// What a slot has of its own: is it an atom, has it branches?
static unsigned own_flags(const KalProbe *probe, const KalSlot *slot)
{
    const KalOp op = (KalOp)slot->op;
    unsigned flags = kal_residue_follows(probe, slot) ? 0 : KAL_SLOT_ATOM;
    if (!(slot->flags & KAL_SLOT_CONSTANT)) {
        flags |= is_branched(op) ? KAL_SLOT_BRANCHED : 0;
        flags |= kal_op_is_piecewise(op) ? KAL_SLOT_PIECEWISE : 0;
    }
    return flags;
}

// What slots have, and what they have from their operands.
static void find_flags(KalProbe *probe, size_t from)
{
    assert(from <= slot_count(probe));
    const unsigned inherited = KAL_SLOT_OPAQUE | KAL_SLOT_BRANCHED | KAL_SLOT_PIECEWISE;
    for (size_t i = from; i < slot_count(probe); i++) {
        KalSlot *slot = kal_probe_slot(probe, i);
        unsigned flags = slot->flags | own_flags(probe, slot);
        for (int k = 0; k < kal_op_arity((KalOp)slot->op); k++) {
            flags |= kal_probe_slot(probe, slot->arg[k])->flags & inherited;
        }
        flags |= flags & KAL_SLOT_ATOM ? KAL_SLOT_OPAQUE : 0;
        slot->flags = (uint8_t)flags;
    }
}

// The residues of the slots from one on, and whether a root was missing below them.
static void eval_residues(KalProbe *probe, size_t from, int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const unsigned here = 1U << point;
    for (size_t i = from; i < slot_count(probe); i++) {
        KalSlot *slot = kal_probe_slot(probe, i);
        bool missing = false;
        *kal_probe_residue(probe, i, point) =
            kal_residue_eval(probe, slot, point, &missing);
        for (int k = 0; k < kal_op_arity((KalOp)slot->op); k++) {
            missing = missing || kal_probe_slot(probe, slot->arg[k])->missing & here;
        }
        slot->missing =
            (uint8_t)(missing ? slot->missing | here : slot->missing & ~here);
    }
}

// Room for the residues of the slots there are.
static KalStatus extend_residues(KalProbe *probe)
{
    const uint64_t none[KAL_PROBE_RESIDUES] = {0};
    const size_t wanted = slot_count(probe) * sizeof none;
    while (probe->residues.size < wanted) {
        KAL_TRY(kal_block_add(probe->ctx, &probe->residues, none, sizeof none));
    }
    return KAL_OK;
}

// Whether all formulas of the beginning have residues at a point, with all roots.
static bool point_serves(const KalProbe *probe, int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const uint32_t *roots = probe->roots.data;
    for (size_t i = 0; i < probe->roots.size / sizeof *roots; i++) {
        if (kal_probe_slot(probe, roots[i])->missing & 1U << point
            || *kal_probe_residue(probe, roots[i], point) == KAL_NO_RESIDUE) {
            return false;
        }
    }
    return true;
}

// A number that has no root in the field at all has an atom for it.
static void free_fixed_roots(KalProbe *probe)
{
    eval_residues(probe, 0, 0);
    for (size_t i = 0; i < slot_count(probe); i++) {
        KalSlot *slot = kal_probe_slot(probe, i);
        if (kal_residue_is_root(probe, slot) && slot->flags & KAL_SLOT_FIXED
            && slot->missing & 1U) {
            slot->flags |= KAL_SLOT_ATOM;
        }
    }
    find_flags(probe, 0);
}

// Of what a square root is taken; two powers of it count as one.
static uint32_t radicand_of(const KalProbe *probe, uint32_t slot)
{
    const KalSlot *root = kal_probe_slot(probe, slot);
    return root->op == KAL_OP_HYPOT ? slot : root->arg[0];
}

static bool is_listed(const KalProbe *probe, uint32_t slot)
{
    const KalRadical *list = probe->radicals.data;
    bool listed = false;
    for (size_t r = 0; r < probe->radicals.size / sizeof *list && !listed; r++) {
        listed = radicand_of(probe, list[r].slot) == radicand_of(probe, slot);
    }
    return listed;
}

static KalStatus list_radicals(KalProbe *probe)
{
    KalStatus status = KAL_OK;
    const size_t most = (RADICALS_MAX + 1) * sizeof(KalRadical);
    for (uint32_t i = 0; i < slot_count(probe) && status == KAL_OK; i++) {
        const KalSlot *slot = kal_probe_slot(probe, i);
        if (probe->radicals.size == most) {
            break; // too many to be told apart
        }
        const bool exact = !(slot->flags & KAL_SLOT_OPAQUE);
        if (exact && kal_residue_is_root(probe, slot) && !is_listed(probe, i)) {
            const KalRadical radical = {.slot = i};
            status =
                kal_block_add(probe->ctx, &probe->radicals, &radical, sizeof radical);
        }
    }
    return status;
}

// Note which radicands had no root in this try.
static void note_radicals(KalProbe *probe, int point, int attempt)
{
    assert(attempt >= 0 && attempt < TRIES);
    KalRadical *list = probe->radicals.data;
    for (size_t r = 0; r < probe->radicals.size / sizeof *list; r++) {
        const KalSlot *slot = kal_probe_slot(probe, list[r].slot);
        const bool two = slot->op == KAL_OP_HYPOT;
        const uint64_t a = *kal_probe_residue(probe, slot->arg[0], point);
        const uint64_t b = *kal_probe_residue(probe, slot->arg[two ? 1 : 0], point);
        const unsigned below = kal_probe_slot(probe, slot->arg[0])->missing
                               | kal_probe_slot(probe, slot->arg[two ? 1 : 0])->missing;
        if (a != KAL_NO_RESIDUE && b != KAL_NO_RESIDUE && !(below & 1U << point)) {
            list[r].known |= UINT64_C(1) << attempt;
            list[r].without |= (uint64_t)(slot->missing >> point & 1U) << attempt;
        }
    }
}

// Whether no product of radicands is a square, theory (10.6): the patterns of missing
// roots are independent modulo 2.  Gaussian elimination modulo 2, a row of bits for
// each radicand: rows[k] has its lowest bit to itself.
static bool radicals_independent(const KalProbe *probe)
{
    uint64_t rows[RADICALS_MAX];
    const KalRadical *list = probe->radicals.data;
    const size_t n = probe->radicals.size / sizeof *list;
    uint64_t known = UINT64_MAX;
    if (n > RADICALS_MAX) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        known &= list[r].known;
    }
    for (size_t r = 0; r < n; r++) {
        rows[r] = list[r].without & known;
        for (size_t k = 0; k < r; k++) {
            const uint64_t lowest = rows[k] & (~rows[k] + 1);
            rows[r] ^= rows[r] & lowest ? rows[k] : 0;
        }
        if (rows[r] == 0) {
            return false;
        }
    }
    return true;
}

// Find points at which the formulas of the beginning have residues, with all roots.  Other
// points are taken when there are none.
static void choose_points(KalProbe *probe)
{
    const bool radicals = probe->radicals.size > 0;
    int found = 0;
    const int tries = tries_for(probe, TRIES);
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        probe->residue_seed[point] = (uint64_t)TRIES + (uint64_t)point;
    }
    for (int attempt = 0; attempt < tries; attempt++) {
        const bool enough = found == KAL_PROBE_RESIDUES;
        if (enough && (!radicals || attempt >= LEAST_TRIES)) {
            break;
        }
        // When points enough are found, the last one is tried elsewhere and put back.
        const int point = enough ? KAL_PROBE_RESIDUES - 1 : found;
        const uint64_t before = probe->residue_seed[point];
        probe->residue_seed[point] = (uint64_t)attempt;
        eval_residues(probe, 0, point);
        note_radicals(probe, point, attempt);
        const bool serves = !enough && point_serves(probe, point);
        found += serves;
        probe->residue_seed[point] = serves ? (uint64_t)attempt : before;
    }
}

static KalStatus add_roots(KalProbe *probe, const KalExpr *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t slot = kal_probe_slot_of(probe, e[i]);
        KAL_TRY(kal_block_add(probe->ctx, &probe->roots, &slot, sizeof slot));
    }
    return KAL_OK;
}

// Roots from this slot on become atoms, but for those of radicands that are listed.
static void free_roots(KalProbe *probe, size_t from)
{
    assert(from <= slot_count(probe));
    for (size_t i = from; i < slot_count(probe); i++) {
        KalSlot *slot = kal_probe_slot(probe, i);
        if (kal_residue_is_root(probe, slot) && !is_listed(probe, (uint32_t)i)) {
            slot->flags |= KAL_SLOT_ATOM;
        }
    }
    find_flags(probe, from);
}

// Slots, roots and phases first, for they say which residues have to exist; then the
// points, by trial; then the values at them.
static KalStatus fill(KalProbe *probe, const KalExpr *e, size_t n)
{
    KalBlock list = {0};
    const KalStatus status = add_slots(probe, e, n, &list);
    kal_block_clear(probe->ctx, &list);
    KAL_TRY(status);
    KAL_TRY(add_roots(probe, e, n));
    KAL_TRY(prepare_phases(probe, 0, true));
    find_flags(probe, 0);
    KAL_TRY(extend_residues(probe));
    free_fixed_roots(probe);
    KAL_TRY(list_radicals(probe));
    choose_points(probe);
    if (!radicals_independent(probe)) {
        probe->radicals.size = 0;
    }
    free_roots(probe, 0);
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        eval_residues(probe, 0, point);
    }
    return KAL_OK;
}

KalStatus kal_probe_create(KalGraph *g, const KalExpr *e, size_t n,
                           KalProbe **out_probe)
{
    assert(g && out_probe && (e || n == 0));
    KalContext *ctx = kal_graph_context(g);
    KAL_TRY(kal_graph_status(g));
    KalProbe *probe = KAL_NEW(ctx, KalProbe);
    if (!probe) {
        return kal_no_memory(ctx, PURPOSE);
    }
    probe->g = g;
    probe->ctx = ctx;
    probe->denominator = DENOMINATOR;
    const KalStatus status = fill(probe, e, n);
    if (status != KAL_OK) {
        kal_probe_destroy(probe);
        return status;
    }
    *out_probe = probe;
    return KAL_OK;
}

void kal_probe_destroy(KalProbe *probe)
{
    if (!probe) {
        return;
    }
    KalContext *ctx = probe->ctx;
    kal_map_clear(ctx, &probe->known);
    kal_index_clear(ctx, &probe->equal);
    kal_block_clear(ctx, &probe->slots);
    kal_block_clear(ctx, &probe->residues);
    kal_block_clear(ctx, &probe->radicals);
    kal_block_clear(ctx, &probe->reals);
    kal_block_clear(ctx, &probe->roots);
    kal_phases_clear(ctx, &probe->phases);
    kal_free(ctx, probe, sizeof *probe);
}

// New slots at the points as they are.
KalStatus kal_probe_extend(KalProbe *probe, const KalExpr *e, size_t n)
{
    assert(probe && (e || n == 0));
    const size_t from = slot_count(probe);
    KalBlock list = {0};
    KAL_TRY(kal_graph_status(probe->g));
    const KalStatus status = add_slots(probe, e, n, &list);
    kal_block_clear(probe->ctx, &list);
    KAL_TRY(status);
    KAL_TRY(prepare_phases(probe, from, false));
    find_flags(probe, from);
    free_roots(probe, from);
    KAL_TRY(extend_residues(probe));
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        eval_residues(probe, from, point);
    }
    return KAL_OK;
}

static void eval_reals(KalProbe *probe, size_t from, int point)
{
    assert(point >= 0 && point < KAL_PROBE_REALS);
    const uint64_t seed = probe->real_seed[point];
    for (size_t i = from; i < slot_count(probe); i++) {
        *kal_probe_real(probe, i, point) =
            kal_real_eval(probe, kal_probe_slot(probe, i), point, seed);
    }
}

static bool real_point_serves(const KalProbe *probe, int point)
{
    assert(point >= 0 && point < KAL_PROBE_REALS);
    const uint32_t *roots = probe->roots.data;
    bool serves = true;
    for (size_t i = 0; i < probe->roots.size / sizeof *roots && serves; i++) {
        serves = kal_scalar_is_valid(KAL_ARITHMETIC_REALS,
                                     *kal_probe_real(probe, roots[i], point));
    }
    return serves;
}

// The first time points are chosen, near ones with operands of about 1 and far ones up to
// 10³, theory (10.7); later only the values of new slots are added.
KalStatus kal_probe_extend_reals(KalProbe *probe)
{
    const KalScalar none[KAL_PROBE_REALS] = {{0}};
    const size_t from = probe->reals.size / sizeof none;
    while (probe->reals.size / sizeof none < slot_count(probe)) {
        KAL_TRY(kal_block_add(probe->ctx, &probe->reals, none, sizeof none));
    }
    const int near = tries_for(probe, TRIES / 2);
    uint64_t seed = 0;
    for (int point = 0; point < KAL_PROBE_REALS; point++) {
        if (probe->has_reals) {
            eval_reals(probe, from, point);
            continue;
        }
        const bool far = point >= KAL_PROBE_NEAR;
        seed = far && seed < KAL_FAR_SEEDS ? KAL_FAR_SEEDS : seed;
        bool serves = false;
        for (int attempt = 0; attempt < (far ? FAR_TRIES : near) && !serves;
             attempt++) {
            probe->real_seed[point] = seed++;
            eval_reals(probe, 0, point);
            serves = real_point_serves(probe, point);
        }
    }
    probe->has_reals = true;
    return KAL_OK;
}
