// SPDX-License-Identifier: MIT

// Fewer rows that look the same.

#include "fault.h"
#include "report/report_impl.h"
#include "rng.h"
#include "tap.h"

enum {
    COLUMNS = 4,
    ROWS = 20000,
    MOST = 1000
};

static Fault fault;
static KalContext *ctx;
static KalTable *table;
static KalBlock rows;

static void begin(void)
{
    static const char *const names[] = {"t", "a", "b", "c"};
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    for (int i = 0; i < COLUMNS; i++) {
        ok(kal_table_add_column(table, (KalQuantity){.name = names[i]}) == KAL_OK);
    }
    rows = (KalBlock){.data = NULL};
}

static void end(void)
{
    kal_block_clear(ctx, &rows);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static size_t count(void)
{
    return rows.size / sizeof(size_t);
}

static size_t row(size_t i)
{
    return ((const size_t *)rows.data)[i];
}

static KalStatus thin(size_t most)
{
    static const size_t columns[] = {1, 2, 3};
    return kal_report_thin(ctx, table, columns, 3, most, &rows);
}

// A wave, noise with rare spikes, and numbers that are sometimes none.
static void fill(size_t n)
{
    Rng rng = {.state = 7};
    for (size_t i = 0; i < n; i++) {
        const double x = (double)i;
        const double noise = rng_entry(&rng);
        const double spike = i % 4999 == 17 ? 100.0 + x : 0.0;
        const double values[COLUMNS] = {x, sin(x / 300.0), noise + spike,
                                        i % 10 == 0 ? NAN : cos(x / 100.0)};
        ok(kal_table_add_row(table, values) == KAL_OK);
    }
}

static void few_rows_all_stay(void)
{
    begin();
    fill(100);
    ok(thin(100) == KAL_OK);
    ok(count() == 100);
    for (size_t i = 0; i < 100; i++) {
        ok(row(i) == i);
    }
    end();
}

static void largest(size_t column, size_t from, size_t to, bool kept, double sign,
                    double *out_best)
{
    *out_best = -INFINITY;
    for (size_t i = 0; i < (kept ? count() : to); i++) {
        const size_t r = kept ? row(i) : i;
        const double value = sign * kal_table_row(table, r)[column];
        if (r >= from && r < to && value > *out_best) {
            *out_best = value;
        }
    }
}

static void extremes_stay(void)
{
    begin();
    fill(ROWS);
    ok(thin(MOST) == KAL_OK);
    ok(count() <= MOST && count() > MOST / 3);
    ok(row(0) == 0 && row(count() - 1) == ROWS - 1);
    for (size_t i = 1; i < count(); i++) {
        ok(row(i) > row(i - 1));
    }
    for (size_t column = 1; column < COLUMNS; column++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double all = 0.0;
            double kept = 0.0;
            largest(column, 0, ROWS, false, sign, &all);
            largest(column, 0, ROWS, true, sign, &kept);
            near(kept, all, 0.0);
        }
    }
    for (size_t i = 17; i < ROWS; i += 4999) { // every spike
        double spike = 0.0;
        largest(2, i - 10, i + 10, true, 1.0, &spike);
        ok(spike > 90.0);
    }
    end();
}

static void numbers_win_over_none(void)
{
    begin();
    for (size_t i = 0; i < 1000; i++) {
        const double values[COLUMNS] = {(double)i, i == 501 ? 5.0 : NAN, 0.0, 0.0};
        ok(kal_table_add_row(table, values) == KAL_OK);
    }
    ok(thin(50) == KAL_OK);
    bool found = false;
    for (size_t i = 0; i < count(); i++) {
        found = found || row(i) == 501;
    }
    ok(found && count() <= 50);
    end();
}

static void every_allocation_may_fail(void)
{
    begin();
    fill(3000);
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 100; n = fault_next(n)) {
        fault.calls_left = n;
        kal_block_clear(ctx, &rows);
        status = thin(300);
        fault.calls_left = -1;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && n < 50));
    }
    ok(status == KAL_OK);
    end();
}

TAP_RUN(TAP_CASE(few_rows_all_stay), TAP_CASE(extremes_stay),
        TAP_CASE(numbers_win_over_none), TAP_CASE(every_allocation_may_fail))
