// SPDX-License-Identifier: MIT

// Zero tests by random evaluation, after Schwartz and Zippel: a polynomial of degree d
// that is not zero vanishes at a random point of a field of p elements with a probability
// of at most d/p.  Three points modulo a prime of 61 bits leave less than 2^-40, theory
// (10.2).

#include "zero/identity.h"

#include "zero/identity_impl.h"

#include <assert.h>

enum {
    ENOUGH = 3 // points of doubles that show that a formula without branches is zero
};

KalScalar kal_probe_value(const KalProbe *probe, KalExpr e, KalArithmetic field,
                          int point)
{
    assert(e.index != 0 && point >= 0);
    const uint32_t slot = kal_probe_slot_of(probe, e);
    if (field == KAL_ARITHMETIC_REALS) {
        return *kal_probe_real(probe, slot, point);
    }
    return (KalScalar){.residue = *kal_probe_residue(probe, slot, point)};
}

// What a formula is like at the points of a field.
typedef struct Look {
    int defined;  // points at which it has a value
    bool nonzero; // one that is not zero, and that proves something
    bool zero;    // one that is, where all roots are roots if one is not
} Look;

static bool is_pure(const KalSlot *slot, int point)
{
    return !(slot->flags & KAL_SLOT_OPAQUE) && !(slot->missing & 1U << point);
}

// A zero at one point counts if no other point, at which all roots are there, has
// anything else.
static Look look_at_residues(const KalProbe *probe, uint32_t of)
{
    const KalSlot *slot = kal_probe_slot(probe, of);
    Look look = {.defined = 0};
    bool other = false;
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        const uint64_t value = *kal_probe_residue(probe, of, point);
        const bool nonzero = value != KAL_NO_RESIDUE && value != 0;
        look.defined += value != KAL_NO_RESIDUE;
        look.zero = look.zero || value == 0;
        look.nonzero = look.nonzero || (nonzero && is_pure(slot, point));
        other = other || (nonzero && !(slot->missing & 1U << point));
    }
    look.zero = look.zero && !other;
    return look;
}

static Look look_at_reals(const KalProbe *probe, uint32_t of)
{
    assert(probe->reals.size > 0);
    Look look = {.defined = 0};
    for (int point = 0; point < KAL_PROBE_REALS; point++) {
        const KalScalar value = *kal_probe_real(probe, of, point);
        const bool valid = kal_scalar_is_valid(KAL_ARITHMETIC_REALS, value);
        const bool zero = kal_scalar_is_zero(KAL_ARITHMETIC_REALS, value);
        look.defined += valid && !kal_real_lost(value);
        look.nonzero = look.nonzero || (valid && !zero);
    }
    return look;
}

// What doubles say where residues prove nothing: theory (10.7).
static KalVerdict judge_reals(const KalSlot *slot, Look look)
{
    assert(look.defined >= 0 && look.defined <= KAL_PROBE_REALS);
    if (look.nonzero) {
        return (KalVerdict){.zero = false};
    }
    const bool zero = !(slot->flags & KAL_SLOT_BRANCHED) && look.defined >= ENOUGH;
    return (KalVerdict){.zero = zero, .open = !zero};
}

static KalStatus test(KalProbe *probe, KalExpr e, KalVerdict *out_verdict)
{
    assert(e.index != 0);
    const uint32_t slot = kal_probe_slot_of(probe, e);
    const Look look = look_at_residues(probe, slot);
    if (look.nonzero || look.zero) {
        *out_verdict = (KalVerdict){.zero = !look.nonzero, .exact = true};
        return KAL_OK;
    }
    KAL_TRY(kal_probe_extend_reals(probe));
    *out_verdict = judge_reals(kal_probe_slot(probe, slot), look_at_reals(probe, slot));
    return KAL_OK;
}

KalStatus kal_probe_test(KalProbe *probe, const KalExpr *e, size_t n,
                         KalVerdict *out_verdicts)
{
    assert((e && out_verdicts) || n == 0);
    KAL_TRY(kal_probe_extend(probe, e, n));
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(test(probe, e[i], &out_verdicts[i]));
    }
    return KAL_OK;
}

// Whether n formulas have values at a point; if asked for, such that all roots are roots.
static bool has_values(const KalProbe *probe, const KalExpr *e, size_t n,
                       KalArithmetic field, int point, bool roots)
{
    assert(e || n == 0);
    bool all = true;
    for (size_t i = 0; i < n && all; i++) {
        const KalSlot *slot = kal_probe_slot(probe, kal_probe_slot_of(probe, e[i]));
        all = kal_scalar_is_valid(field, kal_probe_value(probe, e[i], field, point))
              && !(roots && slot->missing & 1U << point);
    }
    return all;
}

static bool has_roots_somewhere(const KalProbe *probe, const KalExpr *e, size_t n)
{
    bool some = false;
    for (int point = 0; point < KAL_PROBE_RESIDUES && !some; point++) {
        some = has_values(probe, e, n, KAL_ARITHMETIC_RESIDUES, point, true);
    }
    return some;
}

// What a verdict about these formulas may claim: residues are exact for formulas without
// atoms if at some point all of their roots exist.
KalStatus kal_probe_prepare(KalProbe *probe, const KalExpr *e, size_t n,
                            KalArithmetic field, KalPurity *out_purity)
{
    assert(probe && out_purity);
    KAL_TRY(kal_probe_extend(probe, e, n));
    unsigned flags = 0;
    for (size_t i = 0; i < n; i++) {
        flags |= kal_probe_slot(probe, kal_probe_slot_of(probe, e[i]))->flags;
    }
    if (field == KAL_ARITHMETIC_REALS) {
        KAL_TRY(kal_probe_extend_reals(probe));
    }
    *out_purity = (KalPurity){
        .exact = !(flags & KAL_SLOT_OPAQUE) && has_roots_somewhere(probe, e, n),
        .piecewise = flags & KAL_SLOT_PIECEWISE,
    };
    return KAL_OK;
}

int kal_probe_find_point(const KalProbe *probe, const KalExpr *e, size_t n,
                         KalArithmetic field, int first)
{
    assert(first >= 0);
    const bool residues = field == KAL_ARITHMETIC_RESIDUES;
    const int points = residues ? KAL_PROBE_RESIDUES : KAL_PROBE_REALS;
    const bool roots = residues && has_roots_somewhere(probe, e, n);
    for (int point = first; point < points; point++) {
        if (has_values(probe, e, n, field, point, roots)) {
            return point;
        }
    }
    return -1;
}

KalStatus kal_identities(KalGraph *g, const KalExpr *e, size_t n,
                         KalVerdict *out_verdicts)
{
    assert((e && out_verdicts) || n == 0);
    KalProbe *probe = NULL;
    KAL_TRY(kal_probe_create(g, e, n, &probe));
    const KalStatus status = kal_probe_test(probe, e, n, out_verdicts);
    kal_probe_destroy(probe);
    return status;
}
