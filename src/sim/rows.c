// SPDX-License-Identifier: MIT

// How the rows of constraints change from step to step, entry by entry of A: what is left of
// each, whether one has turned, and whether rows that are left out still agree with the rest.
//
// All of it goes over the entries that are not zero by structure, so it costs no more in
// a large system than A has entries.  Arrays are indexed by the entries of KalEquations.A.

#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>

// Rows left out must agree with the accelerations, relative to the terms that meet.
static const double AGREE = 1e-6;

// Errors of steps in an entry, as a part of what its column is of other rows: these move with
// positions, and may be that many tolerances off.
static const double ERRORS = 1e3;

// Entries of a row count that are more than this part of its longest: the others may be
// rounding, or come from errors of steps alone.
static double least_share(const KalRun *run, const KalConstraintRow *row, int k)
{
    const double tolerance = fmax(run->options.rtol, run->options.atol);
    const double noise = fmin(ERRORS * tolerance, KAL_ENTRY_NOISE);
    return fmax(KAL_ROW_ROUNDING, noise * run->rank.shares[row->column[k]]);
}

// What is left of row i, which is at hand.
static double part_left_of(const KalRun *run, int i, const KalConstraintRow *row)
{
    const KalRankWatch *watch = &run->rank;
    const double *once = watch->entries + row->first;
    const double longest = watch->longest[run->instant->rows[i]];
    double part = longest > 0.0 ? 0.0 : 1.0; // it never was anything
    if (longest < KAL_ROW_ROUNDING * watch->largest) {
        return part; // nor was this
    }
    for (int k = 0; k < row->count; k++) {
        const double size = fabs(kal_row_entry(row, k));
        if (size > part * once[k] && once[k] > least_share(run, row, k) * longest) {
            part = size / once[k];
        }
    }
    return part;
}

double kal_rows_part_left(const KalRun *run, int i)
{
    assert(i >= 0 && i < run->instant->n_active);
    const KalConstraintRow row = kal_instant_row(run->instant, i);
    return part_left_of(run, i, &row);
}

// The largest of each entry, of each row and of all.
void kal_rows_note(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    watch->largest = fresh ? 0.0 : watch->largest;
    for (int i = 0; i < run->instant->n_active; i++) {
        const KalConstraintRow row = kal_instant_row(run->instant, i);
        double *once = watch->entries + row.first;
        double longest = fresh ? 0.0 : watch->longest[run->instant->rows[i]];
        for (int k = 0; k < row.count; k++) {
            const double size = fabs(kal_row_entry(&row, k));
            once[k] = fresh || size > once[k] ? size : once[k];
            longest = size > longest ? size : longest;
        }
        watch->longest[run->instant->rows[i]] = longest;
        watch->largest = longest > watch->largest ? longest : watch->largest;
    }
}

// Entries of rows that have nearly vanished keep the sizes that they had before: those
// tell later how much of the row is left.
void kal_rows_accept(KalRun *run)
{
    assert(run->rank.entries && run->rank.longest);
    KalRankWatch *watch = &run->rank;
    for (int i = 0; i < run->instant->n_active; i++) {
        const KalConstraintRow row = kal_instant_row(run->instant, i);
        double longest = 0.0;
        if (!(part_left_of(run, i, &row) < KAL_LOST)) {
            continue;
        }
        for (int k = 0; k < row.count; k++) {
            watch->entries[row.first + k] = fabs(kal_row_entry(&row, k));
            longest = fmax(longest, watch->entries[row.first + k]);
        }
        watch->longest[run->instant->rows[i]] = longest;
    }
    watch->largest = 0.0;
    for (int i = 0; i < run->instant->n_active; i++) {
        watch->largest = fmax(watch->largest, watch->longest[run->instant->rows[i]]);
    }
}

void kal_rows_weigh(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    for (int j = 0; fresh && j < run->system->n; j++) {
        watch->shares[j] = 0.0;
    }
    for (int i = 0; i < run->instant->n_active; i++) {
        const KalConstraintRow row = kal_instant_row(run->instant, i);
        const double longest = watch->longest[run->instant->rows[i]];
        for (int k = 0; k < row.count && longest > 0.0; k++) {
            double *share = &watch->shares[row.column[k]];
            *share = fmax(*share, watch->entries[row.first + k] / longest);
        }
    }
}

// The square of what a row has turned or grown by since the last look, as a part of its
// length: 1 and more if it has turned round.
static double square_of_change(const KalRun *run, const KalConstraintRow *row)
{
    const double *old = run->rank.rows + row->first;
    double change = 0.0;
    double squares[2] = {0.0, 0.0};
    for (int k = 0; k < row->count; k++) {
        const double now = kal_row_entry(row, k);
        change += (now - old[k]) * (now - old[k]);
        squares[0] += now * now;
        squares[1] += old[k] * old[k];
    }
    const double square = squares[0] > squares[1] ? squares[0] : squares[1];
    return square > 0.0 ? change / square : 0.0;
}

bool kal_rows_stay(const KalRun *run, double *out_change)
{
    bool stay = true;
    double most = 0.0;
    for (int k = 0; k < run->rank.rank; k++) {
        const int i = run->instant->ranks.independent[k];
        const KalConstraintRow row = kal_instant_row(run->instant, i);
        const double square = square_of_change(run, &row);
        stay = stay && part_left_of(run, i, &row) > KAL_ROW_SHORT;
        most = square > most ? square : most;
    }
    *out_change = sqrt(most);
    return stay && *out_change < KAL_ROW_TURNED;
}

void kal_rows_keep(KalRun *run)
{
    for (int i = 0; i < run->instant->n_active; i++) {
        const KalConstraintRow row = kal_instant_row(run->instant, i);
        for (int k = 0; k < row.count; k++) {
            run->rank.rows[row.first + k] = kal_row_entry(&row, k);
        }
    }
}

bool kal_rows_agree(const KalRun *run)
{
    const KalInstant *instant = run->instant;
    double worst = 0.0;
    double most = 0.0;
    if (instant->ranks.n_independent == instant->n_active) {
        return true;
    }
    assert(!instant->bare); // b is compared
    for (int i = 0; i < instant->n_active; i++) {
        const KalConstraintRow row = kal_instant_row(instant, i);
        double length = 0.0;
        double sum = -instant->b[i];
        double size = fabs(instant->b[i]);
        for (int k = 0; k < row.count; k++) {
            const double entry = kal_row_entry(&row, k);
            const double term = entry * run->answer.qdd[row.column[k]];
            sum += term;
            size += fabs(term);
            length = fabs(entry) > length ? fabs(entry) : length;
        }
        most = length > 0.0 ? fmax(most, size / length) : most;
        worst = length > 0.0 ? fmax(worst, fabs(sum) / length) : worst;
    }
    return worst <= AGREE * most;
}
