// SPDX-License-Identifier: MIT

/// @file
/// A small table with everything that is hard to write: names, numbers, long texts.

#ifndef TABLE_SAMPLE_H
#define TABLE_SAMPLE_H

#include <kalaba/table.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SAMPLE_COLUMNS = 11,
    SAMPLE_ROWS = 5,
    SAMPLE_PARAMETERS = 3,
    SAMPLE_NOTES = 5,
    SAMPLE_TEXT = 100000 // more than an attribute of HDF5 has room for
};

static const KalQuantity sample_columns[SAMPLE_COLUMNS] = {
    {"t",          "s",       "time"                 },
    {"x",          "m",       ""                     },
    {"x'",         "m/s",     "velocity, along \"x\""},
    {"link[2].a'", "rad/s",   "two\nlines"           },
    {"a,b",        "",        "a comma"              },
    {"say \"hi\"", "",        ""                     },
    {"θ",         "°",      "Winkel"               },
    {"a/b%2F.",    "kg*m^2",  "a slash and an escape"},
    {".",          "",        "the group itself"     },
    {" #x ",       "a,\"b\"", "spaces around"        },
    {"#y",         "",        "not a comment"        },
};

static const double sample_values[SAMPLE_ROWS][SAMPLE_COLUMNS] = {
    {0.0,  1.0,                -0.0,                0.1,       1.0 / 3.0,               2.5,         1e300, -1e-300, 5e-324, DBL_MAX, DBL_MIN},
    {0.25, NAN,                INFINITY,            -INFINITY, 0.1 + 0.2,               123456789.0, 1e22,  1e23,    1e15,   9e15,
     3.0                                                                                                                                     },
    {0.5,  DBL_EPSILON,        1.0 + DBL_EPSILON,   -DBL_MAX,  2.2250738585072011e-308, 0.0,         1.0,
     2.0,                                                                                                            3.0,    4.0,     5.0    },
    {0.75, 3.1415926535897932, -3.1415926535897932, 1e-5,      1e-4,                    1e16,        1e17,  1e-11,
     1e-12,                                                                                                                  0.5,     0.125  },
    {1.0,  1.0,                2.0,                 3.0,       4.0,                     5.0,         6.0,   7.0,     8.0,    9.0,     10.0   },
};

static const KalTableParameter sample_parameters[SAMPLE_PARAMETERS] = {
    {{"m", "kg", "mass of the \"bob\""}, 1.5      },
    {{"l/2", "m", ""},                   0.1      },
    {{"k", "", "none"},                  -INFINITY},
};

/// The text of the first note, `out_text` of SAMPLE_TEXT + 1 bytes.
static inline void sample_text(char *out_text)
{
    static const char piece[] = "coord x = 1 [m] # θ\n";
    for (size_t i = 0; i < SAMPLE_TEXT; i++) {
        out_text[i] = piece[i % (sizeof piece - 1)];
    }
    memcpy(out_text + SAMPLE_TEXT - 20, "\"end\" of the text\\\n.", 20);
    out_text[SAMPLE_TEXT] = '\0';
}

static inline KalStatus sample_notes(KalTable *table)
{
    static char text[SAMPLE_TEXT + 1];
    sample_text(text);
    KalStatus status = kal_table_set_text(table, "model", text);
    if (status == KAL_OK) {
        status = kal_table_set_text(table, "version", "0.1.0");
    }
    if (status == KAL_OK) {
        status = kal_table_set_number(table, "steps", 1234.0);
    }
    if (status == KAL_OK) {
        status = kal_table_set_text(table, "empty", "");
    }
    if (status == KAL_OK) {
        status = kal_table_set_number(table, "a/θ", NAN);
    }
    return status;
}

/// Make the table.
static inline KalStatus sample_create(KalContext *ctx, KalTable **out_table)
{
    KalTable *table = NULL;
    KalStatus status = kal_table_create(ctx, 0, &table);
    for (int j = 0; j < SAMPLE_COLUMNS && status == KAL_OK; j++) {
        status = kal_table_add_column(table, sample_columns[j]);
    }
    for (int i = 0; i < SAMPLE_ROWS && status == KAL_OK; i++) {
        status = kal_table_add_row(table, sample_values[i]);
    }
    for (int i = 0; i < SAMPLE_PARAMETERS && status == KAL_OK; i++) {
        status = kal_table_set_parameter(table, sample_parameters[i].quantity,
                                         sample_parameters[i].value);
    }
    if (status == KAL_OK) {
        status = sample_notes(table);
    }
    if (status != KAL_OK) {
        kal_table_destroy(table);
        return status;
    }
    *out_table = table;
    return KAL_OK;
}

/// Equal, or both not a number; zeros of different sign differ.
static inline bool sample_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

#endif
