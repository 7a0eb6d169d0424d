// SPDX-License-Identifier: MIT

// Programs of many parts that are alike are rolled up, and give the same bits all the same.

#include "lab.h"
#include "prog/program_impl.h"

enum {
    OWN = 3,    // variables of a part
    STEPS = 10, // operations of a part
    PARTS = 4000,
    SYMBOLS = OWN * PARTS
};

// One operation of every part: what it does with which of the numbers that are there.
typedef struct Stroke {
    KalOp op;
    int from[2]; // a number of the part, or, negated less 1, of its neighbor
} Stroke;

// How parts hang together.
typedef int (*Neighbor)(int part, Rng *rng);

static int before(int part, Rng *rng)
{
    (void)rng;
    return part > 0 ? part - 1 : PARTS - 1;
}

static int above(int part, Rng *rng)
{
    (void)rng;
    return part / 2;
}

static int mirrored(int part, Rng *rng)
{
    (void)rng;
    return PARTS - 1 - part;
}

static int anyone(int part, Rng *rng)
{
    (void)part;
    return rng_int(rng, 0, PARTS - 1);
}

static void draw(Rng *rng, Stroke strokes[STEPS])
{
    static const KalOp ops[] = {KAL_OP_ADD, KAL_OP_SUB, KAL_OP_MUL, KAL_OP_DIV,
                                KAL_OP_NEG, KAL_OP_SIN, KAL_OP_COS, KAL_OP_MUL,
                                KAL_OP_EXP, KAL_OP_ADD, KAL_OP_MAX, KAL_OP_SUB};
    for (int s = 0; s < STEPS; s++) {
        strokes[s].op = ops[rng_int(rng, 0, 11)];
        for (int k = 0; k < 2; k++) {
            // Of a neighbor variables alone: its other numbers may not be there yet.
            strokes[s].from[k] = rng_int(rng, 0, 3) ? rng_int(rng, 0, OWN + s)
                                                    : -rng_int(rng, 0, OWN - 1) - 1;
        }
    }
}

static KalExpr number_of(const KalExpr own[OWN + 1 + STEPS], int neighbor, int from)
{
    return from < 0 ? kal_symbol(g, (uint32_t)(OWN * neighbor - from - 1)) : own[from];
}

// The results of a part: all that it computes, and a constant.
static void build(int part, int neighbor, const Stroke strokes[STEPS],
                  KalExpr out[STEPS + 1])
{
    KalExpr own[OWN + 1 + STEPS];
    for (int i = 0; i < OWN; i++) {
        own[i] = kal_symbol(g, (uint32_t)(OWN * part + i));
    }
    own[OWN] = kal_int(g, 3);
    for (int s = 0; s < STEPS; s++) {
        const KalExpr args[3] = {number_of(own, neighbor, strokes[s].from[0]),
                                 number_of(own, neighbor, strokes[s].from[1]),
                                 KAL_NO_EXPR};
        own[OWN + 1 + s] = kal_build(g, strokes[s].op, args);
        out[s] = own[OWN + 1 + s];
    }
    out[STEPS] = own[OWN];
}

// Evaluate, compare with plain evaluation; whether the program is rolled up.
static bool agrees(const KalExpr *e, size_t n, Rng *rng)
{
    double *values = calloc(SYMBOLS, sizeof *values);
    double *want = calloc(n, sizeof *want);
    double *got = calloc(n, sizeof *got);
    bool rolled = false;
    if (ok(values && want && got)) {
        for (int i = 0; i < SYMBOLS; i++) {
            values[i] = rng_int(rng, 0, 19) ? rng_scale(rng, 2.0) : 0.0;
        }
        Lab lab;
        lab_open(&lab, e, n, 0, SYMBOLS);
        lab_eval(&lab, values, 0, got);
        rolled = lab.program->roll.used;
        ok(kal_eval(g, e, n, values, want) == KAL_OK);
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++) {
            wrong += !same_bits(got[i], want[i]);
        }
        ok(wrong == 0);
        lab_close(&lab);
    }
    free(values);
    free(want);
    free(got);
    return rolled;
}

// Parts with results of every kind, hung together in a way; how many of 12 are rolled up.
static int try_parts(Neighbor neighbor, uint64_t seed)
{
    static KalExpr results[PARTS * (STEPS + 1)];
    Rng rng = {.state = seed};
    int rolled = 0;
    for (int k = 0; k < 12; k++) {
        begin();
        kal_graph_set_plain(g, true);
        Stroke strokes[STEPS];
        draw(&rng, strokes);
        for (int i = 0; i < PARTS; i++) {
            build(i, neighbor(i, &rng), strokes, results + (ptrdiff_t)i * (STEPS + 1));
        }
        rolled += agrees(results, (size_t)PARTS * (STEPS + 1), &rng);
        end();
    }
    return rolled;
}

static void chains_agree(void)
{
    ok(try_parts(before, 1) >= 6);
}

static void trees_agree(void)
{
    (void)try_parts(above, 2);
}

static void mirrored_parts_agree(void)
{
    (void)try_parts(mirrored, 3);
}

static void tangled_parts_agree(void)
{
    (void)try_parts(anyone, 4);
}

// A sum that goes from part to part is evenly spaced, but each needs the one before.
static void sums_that_go_on_agree(void)
{
    begin();

    enum {
        TERMS = SYMBOLS,
        MORE = 3
    };

    static KalExpr sums[MORE * TERMS];
    Rng rng = {.state = 5};
    kal_graph_set_plain(g, true);
    for (size_t i = 0; i < TERMS; i++) {
        const KalExpr x = kal_symbol(g, (uint32_t)i);
        KalExpr *next = sums + MORE * i;
        const KalExpr args[3] = {i > 0 ? next[-MORE] : x, x};
        next[0] = kal_build(g, KAL_OP_ADD, args);
        next[1] = kal_build(g, KAL_OP_MUL, (KalExpr[3]){x, x});
        next[2] = kal_build(g, KAL_OP_SUB, args);
    }
    (void)agrees(sums, (size_t)MORE * TERMS, &rng);
    end();
}

TAP_RUN(TAP_CASE(chains_agree), TAP_CASE(trees_agree), TAP_CASE(mirrored_parts_agree),
        TAP_CASE(tangled_parts_agree), TAP_CASE(sums_that_go_on_agree))
