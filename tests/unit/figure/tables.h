// SPDX-License-Identifier: MIT

/// @file
/// Tables to draw.

#ifndef FIGURE_TABLES_H
#define FIGURE_TABLES_H

#include "base/context.h"

#include <kalaba/table.h>

#include <math.h>

enum {
    TABLE_ROWS = 201
};

/// t [s], x [m], y [m], theta [rad], x' [m/s]: two turns around a circle.
static inline KalStatus table_create(KalContext *ctx, KalTable **out_table)
{
    static const KalQuantity columns[] = {
        {"t",     "s",   ""},
        {"x",     "m",   ""},
        {"y",     "m",   ""},
        {"theta", "rad", ""},
        {"x'",    "m/s", ""},
    };
    KalTable *table = NULL;
    KAL_TRY(kal_table_create(ctx, 0, &table));
    KalStatus status = KAL_OK;
    for (int i = 0; i < 5 && status == KAL_OK; i++) {
        status = kal_table_add_column(table, columns[i]);
    }
    for (int i = 0; i < TABLE_ROWS && status == KAL_OK; i++) {
        const double t = 4.0 * acos(-1.0) * i / (TABLE_ROWS - 1);
        const double row[] = {t, 2.0 * cos(t), 2.0 * sin(t), t, -2.0 * sin(t)};
        status = kal_table_add_row(table, row);
    }
    if (status != KAL_OK) {
        kal_table_destroy(table);
        return status;
    }
    *out_table = table;
    return KAL_OK;
}

/// A table of `rows` rows with the names and numbers given; NULL when that fails.
static inline KalTable *table_of(KalContext *ctx, const char *const *names, int columns,
                                 const double *numbers, int rows)
{
    KalTable *table = NULL;
    if (kal_table_create(ctx, 0, &table) != KAL_OK) {
        return NULL;
    }
    for (int i = 0; i < columns; i++) {
        if (kal_table_add_column(table, (KalQuantity){.name = names[i]}) != KAL_OK) {
            kal_table_destroy(table);
            return NULL;
        }
    }
    for (int i = 0; i < rows; i++) {
        if (kal_table_add_row(table, numbers + (size_t)i * (size_t)columns) != KAL_OK) {
            kal_table_destroy(table);
            return NULL;
        }
    }
    return table;
}

#endif
