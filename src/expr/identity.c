// SPDX-License-Identifier: MIT

#include "expr/identity.h"

#include "expr/basis.h"
#include "expr/identity_impl.h"

KalScalar kal_probe_value(const KalProbe *probe, KalExpr e, KalArithmetic field,
                          int point)
{
    const uint32_t slot = kal_probe_slot_of(probe, e);
    if (field == KAL_ARITHMETIC_REALS) {
        return *kal_probe_real(probe, slot, point);
    }
    return (KalScalar){.residue = *kal_probe_residue(probe, slot, point)};
}

// Look at a formula at all points of a field: has it a value, has it another than zero?
static void look(const KalProbe *probe, KalExpr e, KalArithmetic field, bool *defined,
                 bool *nonzero)
{
    const int points =
        field == KAL_ARITHMETIC_RESIDUES ? KAL_PROBE_RESIDUES : KAL_PROBE_REALS;
    *defined = false;
    *nonzero = false;
    for (int point = 0; point < points; point++) {
        const KalScalar value = kal_probe_value(probe, e, field, point);
        if (kal_scalar_is_valid(field, value)) {
            *defined = true;
            *nonzero = *nonzero || !kal_scalar_is_zero(field, value);
        }
    }
}

static KalStatus test(KalProbe *probe, KalExpr e, KalVerdict *out_verdict)
{
    bool defined = false;
    bool nonzero = false;
    look(probe, e, KAL_ARITHMETIC_RESIDUES, &defined, &nonzero);
    const KalSlot *slot = kal_probe_slot(probe, kal_probe_slot_of(probe, e));
    if (defined && !(slot->flags & KAL_SLOT_UNSURE)) {
        *out_verdict = (KalVerdict){.zero = !nonzero, .exact = true};
        return KAL_OK;
    }
    KAL_TRY(kal_probe_extend_reals(probe));
    look(probe, e, KAL_ARITHMETIC_REALS, &defined, &nonzero);
    *out_verdict = (KalVerdict){.zero = defined && !nonzero, .exact = false};
    return KAL_OK;
}

KalStatus kal_probe_test(KalProbe *probe, const KalExpr *e, size_t n,
                         KalVerdict *out_verdicts)
{
    KAL_TRY(kal_probe_extend(probe, e, n));
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(test(probe, e[i], &out_verdicts[i]));
    }
    return KAL_OK;
}

KalStatus kal_probe_choose(KalProbe *probe, const KalExpr *e, size_t n,
                           KalArithmetic *out_field)
{
    KAL_TRY(kal_probe_extend(probe, e, n));
    bool exact = true;
    for (size_t i = 0; i < n && exact; i++) {
        const KalSlot *slot = kal_probe_slot(probe, kal_probe_slot_of(probe, e[i]));
        exact = !(slot->flags & (KAL_SLOT_REAL | KAL_SLOT_UNSURE));
    }
    exact = exact && kal_probe_find_point(probe, e, n, KAL_ARITHMETIC_RESIDUES, 0) >= 0;
    if (!exact) {
        KAL_TRY(kal_probe_extend_reals(probe));
    }
    *out_field = exact ? KAL_ARITHMETIC_RESIDUES : KAL_ARITHMETIC_REALS;
    return KAL_OK;
}

int kal_probe_find_point(const KalProbe *probe, const KalExpr *e, size_t n,
                         KalArithmetic field, int first)
{
    const int points =
        field == KAL_ARITHMETIC_RESIDUES ? KAL_PROBE_RESIDUES : KAL_PROBE_REALS;
    for (int point = first; point < points; point++) {
        bool all = true;
        for (size_t i = 0; i < n && all; i++) {
            all =
                kal_scalar_is_valid(field, kal_probe_value(probe, e[i], field, point));
        }
        if (all) {
            return point;
        }
    }
    return -1;
}

// The rank at one point.
static KalStatus rank_at(const KalProbe *probe, const KalSparse *matrix,
                         KalArithmetic field, int point, size_t *out_rank)
{
    const size_t n = matrix->columns;
    KalBasis basis = {.ctx = NULL};
    KalScalar *row = kal_alloc(probe->ctx, n + 1, sizeof *row);
    if (!row) {
        return kal_fail(probe->ctx, KAL_ERR_NOMEM, "no memory to find a rank");
    }
    KalStatus status = kal_basis_init(probe->ctx, field, n, n, &basis);
    for (size_t i = 0; i < matrix->rows && status == KAL_OK; i++) {
        bool added = false;
        for (size_t j = 0; j < n; j++) {
            row[j] = kal_scalar_of(field, kal_rational(0, 1));
        }
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            row[matrix->column[k]] =
                kal_probe_value(probe, matrix->value[k], field, point);
        }
        status = kal_basis_add(&basis, row, &added);
    }
    *out_rank = basis.rank;
    kal_basis_clear(&basis);
    kal_free(probe->ctx, row, (n + 1) * sizeof *row);
    return status;
}

KalStatus kal_probe_rank(KalProbe *probe, const KalSparse *matrix, size_t *out_rank,
                         bool *out_exact)
{
    KalArithmetic field = KAL_ARITHMETIC_RESIDUES;
    const size_t count = (size_t)matrix->start[matrix->rows];
    size_t most = 0;
    KAL_TRY(kal_probe_choose(probe, matrix->value, count, &field));
    for (int point = 0; point >= 0; point++) {
        point = kal_probe_find_point(probe, matrix->value, count, field, point);
        if (point < 0) {
            break;
        }
        size_t rank = 0;
        KAL_TRY(rank_at(probe, matrix, field, point, &rank));
        most = rank > most ? rank : most;
    }
    *out_rank = most;
    *out_exact = field == KAL_ARITHMETIC_RESIDUES;
    return KAL_OK;
}

KalStatus kal_identities(KalGraph *g, const KalExpr *e, size_t n,
                         KalVerdict *out_verdicts)
{
    KalProbe *probe = NULL;
    KAL_TRY(kal_probe_create(g, e, n, &probe));
    const KalStatus status = kal_probe_test(probe, e, n, out_verdicts);
    kal_probe_destroy(probe);
    return status;
}
