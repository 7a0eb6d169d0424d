// SPDX-License-Identifier: MIT

// Units: products of powers of seven base units with a factor (BIPM, The International
// System of Units).  Exponents are fractions in lowest terms, within a limit so small that
// products of two never overflow; what exceeds it is any unit, and whoever reads a text says
// so.
//
// Invariants of a KalUnit that is not any: denominators are positive, the scale is a finite
// positive number.

#include "model/unit.h"

#include "base/number.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.141592653589793

enum {
    FINEST = 1000, // decimal exponents are multiples of one part of this
    SCALE_DIGITS = 6,
};

typedef struct Row {
    const char *name;
    const char *prefixes;
    double scale;
    int16_t exponent[KAL_DIMENSIONS];
} Row;

static const Row rows[] = {
#define KAL_UNIT(name, prefixes, scale, ...) {name, prefixes, scale, {__VA_ARGS__}},
#include "model/units.def"
#undef KAL_UNIT
};

enum {
    N_ROWS = sizeof rows / sizeof rows[0]
};

typedef struct Prefix {
    const char *text;
    char letter; // in units.def
    double scale;
} Prefix;

static const Prefix prefixes[] = {
    {"T",  'T', 1e12 },
    {"G",  'G', 1e9  },
    {"M",  'M', 1e6  },
    {"k",  'k', 1e3  },
    {"h",  'h', 1e2  },
    {"d",  'd', 1e-1 },
    {"c",  'c', 1e-2 },
    {"m",  'm', 1e-3 },
    {"u",  'u', 1e-6 },
    {"μ", 'u', 1e-6 },
    {"n",  'n', 1e-9 },
    {"p",  'p', 1e-12},
    {"f",  'f', 1e-15},
};

enum {
    N_PREFIXES = sizeof prefixes / sizeof prefixes[0]
};

// The greatest common divisor, by Euclid's algorithm.
static int64_t find_divisor(int64_t a, int64_t b)
{
    assert(a != INT64_MIN && b != INT64_MIN);
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

// num/den in lowest terms, den not 0.  False when that is beyond the limit.
static bool reduce(int64_t num, int64_t den, KalUnitExponent *out_exponent)
{
    assert(den != 0);
    if (num == INT64_MIN || den == INT64_MIN) {
        return false;
    }
    const int64_t divisor = find_divisor(num, den) * (den < 0 ? -1 : 1);
    num /= divisor;
    den /= divisor;
    if (num > KAL_UNIT_EXPONENT_LIMIT || num < -KAL_UNIT_EXPONENT_LIMIT
        || den > KAL_UNIT_EXPONENT_LIMIT) {
        return false;
    }
    assert(den > 0);
    *out_exponent = (KalUnitExponent){(int16_t)num, (int16_t)den};
    return true;
}

// Far from overflow, so that products of two can be formed and tested.
static bool scale_is_usable(double scale)
{
    return scale >= 1e-300 && scale <= 1e300;
}

KalUnit kal_unit_any(void)
{
    KalUnit unit = kal_unit_one();
    unit.any = true;
    return unit;
}

KalUnit kal_unit_one(void)
{
    KalUnit unit = {.scale = 1.0};
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        unit.exponent[i].den = 1;
    }
    return unit;
}

// a × b^sign
static KalUnit combine(KalUnit a, KalUnit b, int sign)
{
    assert(sign == 1 || sign == -1);
    KalUnit unit = {.scale = sign > 0 ? a.scale * b.scale : a.scale / b.scale};
    if (a.any || b.any || !scale_is_usable(unit.scale)) {
        return kal_unit_any();
    }
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        const KalUnitExponent x = a.exponent[i];
        const KalUnitExponent y = b.exponent[i];
        const int num = x.num * y.den + sign * y.num * x.den;
        const int den = x.den * y.den;
        if (!reduce(num, den, &unit.exponent[i])) {
            return kal_unit_any();
        }
    }
    return unit;
}

KalUnit kal_unit_multiply(KalUnit a, KalUnit b)
{
    return combine(a, b, 1);
}

KalUnit kal_unit_divide(KalUnit a, KalUnit b)
{
    return combine(a, b, -1);
}

// Whether it is more than a number.
static bool has_dimension(KalUnit unit)
{
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        if (unit.exponent[i].num != 0) {
            return true;
        }
    }
    return false;
}

KalUnit kal_unit_power(KalUnit unit, int64_t num, int64_t den)
{
    assert(den != 0);
    KalUnitExponent power = {0, 1};
    if (!unit.any && !has_dimension(unit) && unit.scale == 1.0) {
        return unit; // whatever the exponent
    }
    if (unit.any || !reduce(num, den, &power)) {
        return kal_unit_any();
    }
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        const int n = unit.exponent[i].num * power.num;
        const int d = unit.exponent[i].den * power.den;
        if (!reduce(n, d, &unit.exponent[i])) {
            return kal_unit_any();
        }
    }
    unit.scale = pow(unit.scale, (double)power.num / power.den);
    return scale_is_usable(unit.scale) ? unit : kal_unit_any();
}

bool kal_unit_same_dimension(KalUnit a, KalUnit b)
{
    for (int i = 0; i < KAL_DIMENSIONS && !a.any && !b.any; i++) {
        if (a.exponent[i].num != b.exponent[i].num
            || a.exponent[i].den != b.exponent[i].den) {
            return false;
        }
    }
    return true;
}

bool kal_unit_same_scale(KalUnit a, KalUnit b)
{
    return a.any || b.any || fabs(a.scale - b.scale) <= 1e-12 * a.scale;
}

bool kal_unit_is_plain(KalUnit unit)
{
    return unit.any || !has_dimension(unit);
}

bool kal_unit_is_degree(KalUnit unit)
{
    return !unit.any && !has_dimension(unit)
           && fabs(unit.scale - PI / 180.0) <= 1e-12 * unit.scale;
}

// Reading.

static KalUnit unit_of_row(const Row *row, double scale)
{
    assert(row->scale > 0.0 && scale > 0.0);
    KalUnit unit = kal_unit_one();
    unit.scale = row->scale * scale;
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        unit.exponent[i].num = row->exponent[i];
    }
    return unit;
}

// Whether units.def allows a prefix for a unit.
static bool takes_prefix(const Row *row, const Prefix *prefix)
{
    return strchr(row->prefixes, prefix->letter) != NULL;
}

// Whether a text that does not end with a NUL is a prefix and a name.
static bool is_name(const char *text, size_t length, const char *prefix,
                    const char *name)
{
    const size_t first = strlen(prefix);
    return length == first + strlen(name) && memcmp(text, prefix, first) == 0
           && memcmp(text + first, name, length - first) == 0;
}

// A unit by its name, with or without a prefix.
static bool find_unit(const char *text, size_t length, KalUnit *out_unit)
{
    for (int i = 0; i < N_ROWS; i++) {
        if (is_name(text, length, "", rows[i].name)) {
            *out_unit = unit_of_row(&rows[i], 1.0);
            return true;
        }
        for (int j = 0; j < N_PREFIXES; j++) {
            if (takes_prefix(&rows[i], &prefixes[j])
                && is_name(text, length, prefixes[j].text, rows[i].name)) {
                *out_unit = unit_of_row(&rows[i], prefixes[j].scale);
                return true;
            }
        }
    }
    return false;
}

// What people write, in the plural too, who do not write the unit's name.
static const char *find_other_name(const char *word)
{
    static const char *const names[][2] = {
        {"Nm",       "N*m" },
        {"Ns",       "N*s" },
        {"Ws",       "W*s" },
        {"Wh",       "W*h" },
        {"kWh",      "kW*h"},
        {"mps",      "m/s" },
        {"kph",      "km/h"},
        {"kmh",      "km/h"},
        {"meter",    "m"   },
        {"metre",    "m"   },
        {"gram",     "g"   },
        {"kilogram", "kg"  },
        {"tonne",    "t"   },
        {"sec",      "s"   },
        {"second",   "s"   },
        {"minute",   "min" },
        {"hour",     "h"   },
        {"ampere",   "A"   },
        {"kelvin",   "K"   },
        {"newton",   "N"   },
        {"joule",    "J"   },
        {"watt",     "W"   },
        {"pascal",   "Pa"  },
        {"hertz",    "Hz"  },
        {"volt",     "V"   },
        {"liter",    "l"   },
        {"litre",    "l"   },
        {"radian",   "rad" },
        {"degree",   "deg" },
        {"turn",     "rev" },
        {"percent",  "1"   },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i][0]);
        if (strncmp(word, names[i][0], length) == 0
            && (word[length] == '\0' || strcmp(word + length, "s") == 0)) {
            return names[i][1];
        }
    }
    return NULL;
}

int kal_unit_names(KalUnitName out_names[KAL_UNIT_NAMES])
{
    int count = 0;
    for (int i = 0; i < N_ROWS; i++) {
        assert(count + (int)strlen(rows[i].prefixes) < KAL_UNIT_NAMES);
        (void)snprintf(out_names[count++].text, KAL_UNIT_NAME_SIZE, "%s", rows[i].name);
        for (const char *letter = rows[i].prefixes; *letter; letter++) {
            (void)snprintf(out_names[count++].text, KAL_UNIT_NAME_SIZE, "%c%s", *letter,
                           rows[i].name);
        }
    }
    return count;
}

// The unit that a misspelt name means, or NULL; the room is for all names.
static const char *find_near(const char *word, KalUnitName room[KAL_UNIT_NAMES])
{
    const char *words[KAL_UNIT_NAMES];
    const int count = kal_unit_names(room);
    for (int i = 0; i < count; i++) {
        words[i] = room[i].text;
    }
    const char *other = find_other_name(word);
    return other ? other : kal_word_find_near(word, words, count);
}

// A name, or an error that says what was perhaps meant.
static KalUnit read_name(const KalNode *node, KalDiagnostics *diagnostics)
{
    KalUnit unit = kal_unit_any();
    if (find_unit(node->of.text.data, node->of.text.length, &unit)) {
        return unit;
    }
    KalUnitName room[KAL_UNIT_NAMES];
    char shown[KAL_PRINTABLE_SIZE];
    kal_printable_print(node->of.text.data, node->of.text.length, shown);
    const char *near = find_near(shown, room);
    if (near) {
        kal_diagnostics_add(diagnostics, KAL_SEVERITY_ERROR, node->span,
                            "unknown unit '%s'; did you mean '%s'?", shown, near);
    } else {
        kal_diagnostics_add(diagnostics, KAL_SEVERITY_ERROR, node->span,
                            "unknown unit '%s'; units are such as m, kg, s, N, rad",
                            shown);
    }
    return unit;
}

// The value of a number, or of one with a minus sign, in parts of FINEST.
static bool read_parts(const KalNode *node, int64_t *out_parts)
{
    assert(out_parts);
    const bool minus = node->kind == KAL_NODE_NEGATE;
    const double value = (minus ? node->of.unary.operand : node)->of.number.value;
    const double parts = round(value * FINEST);
    if (value > KAL_UNIT_EXPONENT_LIMIT || fabs(parts - value * FINEST) > 1e-9) {
        return false;
    }
    *out_parts = (int64_t)parts * (minus ? -1 : 1);
    return true;
}

// A number, or a fraction of two.
static bool read_exponent(const KalNode *node, KalUnitExponent *out_exponent)
{
    int64_t num = 0;
    int64_t den = FINEST;
    const KalNode *above = node;
    if (node->kind == KAL_NODE_MULTIPLY) {
        above = node->of.list.items;
        if (!read_parts(above->next, &den)) {
            return false;
        }
    }
    return read_parts(above, &num) && den != 0 && reduce(num, den, out_exponent);
}

static KalUnit read_power(const KalNode *node, KalUnit base,
                          KalDiagnostics *diagnostics)
{
    KalUnitExponent exponent = {0, 1};
    const KalNode *right = node->of.binary.right;
    if (!read_exponent(right, &exponent)) {
        kal_diagnostics_add(diagnostics, KAL_SEVERITY_ERROR, right->span,
                            "the exponent of a unit is a number up to %d with at most "
                            "three decimals, or a fraction of such",
                            KAL_UNIT_EXPONENT_LIMIT);
        return kal_unit_any();
    }
    return kal_unit_power(base, exponent.num, exponent.den);
}

// Products, quotients and powers of names.
// NOLINTNEXTLINE(misc-no-recursion): no deeper than KAL_TREE_DEPTH
static KalUnit read_node(const KalNode *node, KalDiagnostics *diagnostics)
{
    KalUnit unit = kal_unit_one();
    if (node->kind == KAL_NODE_NAME) {
        return read_name(node, diagnostics);
    }
    if (node->kind == KAL_NODE_POWER) {
        unit = read_node(node->of.binary.left, diagnostics);
        return read_power(node, unit, diagnostics);
    }
    if (node->kind == KAL_NODE_MULTIPLY) {
        for (const KalNode *item = node->of.list.items; item; item = item->next) {
            const int sign = item->join == KAL_JOIN_OVER ? -1 : 1;
            unit = combine(unit, read_node(item, diagnostics), sign);
        }
        return unit;
    }
    assert(node->kind == KAL_NODE_NUMBER); // the 1 of 1/s; the parser refuses any other
    return unit;
}

KalUnit kal_unit_read(const KalNode *node, KalDiagnostics *diagnostics)
{
    if (!node) {
        return kal_unit_any();
    }
    const size_t before = kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR);
    const KalUnit unit = read_node(node, diagnostics);
    const size_t after = kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR);
    if (unit.any && before == after) {
        kal_diagnostics_add(diagnostics, KAL_SEVERITY_ERROR, node->span,
                            "the exponents of this unit are too large");
    }
    return unit;
}

// How many radians a unit's name stands for; NAN for those that count other angles.
static double radians_in_name(const KalNode *node)
{
    static const char *const other[] = {"rev", "rpm", "mrad", "urad", "nrad"};
    const size_t length = node->of.text.length;
    const char *word = node->of.text.data;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        if (strlen(other[i]) == length && memcmp(other[i], word, length) == 0) {
            return (double)NAN;
        }
    }
    return length == 3 && memcmp(word, "rad", 3) == 0 ? 1.0 : 0.0;
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than KAL_TREE_DEPTH
double kal_unit_radians(const KalNode *node)
{
    KalUnitExponent exponent = {0, 1};
    double sum = 0.0;
    if (node->kind == KAL_NODE_NAME) {
        return radians_in_name(node);
    }
    if (node->kind == KAL_NODE_POWER) {
        (void)read_exponent(node->of.binary.right, &exponent);
        return kal_unit_radians(node->of.binary.left) * exponent.num / exponent.den;
    }
    if (node->kind == KAL_NODE_MULTIPLY) {
        for (const KalNode *item = node->of.list.items; item; item = item->next) {
            const double power = kal_unit_radians(item);
            sum += item->join == KAL_JOIN_OVER ? -power : power;
        }
    }
    return sum; // the number 1 has none
}

// Printing.

typedef struct Text {
    char *data; // KAL_UNIT_SIZE bytes
    size_t length;
} Text;

// Append as much as there is room for as a whole.
static void put(Text *text, const char *piece)
{
    const size_t length = strlen(piece);
    if (text->length + length < KAL_UNIT_SIZE) {
        memcpy(text->data + text->length, piece, length + 1);
        text->length += length;
    }
}

// The factors whose exponents have the sign, as "kg*m^2"; returns how many there are.
static int put_factors(Text *text, KalUnit unit, int sign)
{
    static const char *const names[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    static const int order[] = {1, 0, 2, 3, 4, 5, 6}; // mass first
    int count = 0;
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        const KalUnitExponent exponent = unit.exponent[order[i]];
        const int num = exponent.num * sign;
        char power[32] = "";
        if (num <= 0) {
            continue;
        }
        if (exponent.den != 1) {
            (void)snprintf(power, sizeof power, "^(%d/%d)", num, exponent.den);
        } else if (num != 1) {
            (void)snprintf(power, sizeof power, "^%d", num);
        }
        put(text, count > 0 ? "*" : "");
        put(text, names[i]);
        put(text, power);
        count++;
    }
    return count;
}

void kal_unit_print(KalUnit unit, char out_text[KAL_UNIT_SIZE])
{
    Text text = {out_text, 0};
    Text below = {(char[KAL_UNIT_SIZE]){""}, 0};
    char scale[KAL_NUMBER_SIZE];
    put(&text, "");
    if (unit.any || kal_unit_is_degree(unit)) {
        put(&text, unit.any ? "any unit" : "deg");
        return;
    }
    const int n_below = put_factors(&below, unit, -1);
    if (!kal_unit_same_scale(unit, kal_unit_one())) {
        kal_number_print(unit.scale, SCALE_DIGITS, scale);
        put(&text, scale);
        put(&text, "*");
    }
    if (put_factors(&text, unit, 1) == 0) {
        if (text.length > 0) {
            out_text[--text.length] = '\0'; // the sign after the scale
        } else {
            put(&text, "1");
        }
    }
    if (n_below > 0) {
        put(&text, n_below > 1 ? "/(" : "/");
        put(&text, below.data);
        put(&text, n_below > 1 ? ")" : "");
    }
}
