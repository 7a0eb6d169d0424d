// SPDX-License-Identifier: MIT

#include "fault.h"
#include "lang/parser.h"
#include "model/unit.h"
#include "rng.h"
#include "tap.h"

#include <math.h>

enum {
    SHOWN_SIZE = 4096
};

typedef struct Shown {
    char text[SHOWN_SIZE];
    size_t length;
} Shown;

static void shown_write(void *user, const char *text, size_t length)
{
    Shown *shown = user;
    const size_t room = SHOWN_SIZE - 1 - shown->length;
    const size_t kept = length < room ? length : room;
    memcpy(shown->text + shown->length, text, kept);
    shown->length += kept;
    shown->text[shown->length] = '\0';
}

// Read a unit as typed, with what was said about it.
static KalUnit read_with(const char *unit, Shown *shown, long calls_left)
{
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    KalSource *source = NULL;
    KalDiagnostics *diagnostics = NULL;
    KalTree *tree = NULL;
    KalUnit got = kal_unit_any();
    char text[1024];
    snprintf(text, sizeof text, "coord x [%s]", unit);
    *shown = (Shown){.length = 0};
    if (kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK
        && kal_source_create(ctx, "m", text, strlen(text), &source) == KAL_OK
        && kal_diagnostics_create(ctx, &diagnostics) == KAL_OK) {
        const KalStatus status = kal_parse(ctx, source, diagnostics, &tree);
        ok(status == KAL_OK || (calls_left >= 0 && status == KAL_ERR_NOMEM));
        if (tree) {
            const KalNode *coord = kal_tree_first(tree)->of.list.items;
            got = kal_unit_read(coord->of.declaration.unit, diagnostics);
        }
        kal_diagnostics_write(diagnostics, (KalSink){shown_write, shown});
    }
    kal_tree_destroy(tree);
    kal_diagnostics_destroy(diagnostics);
    if (ctx) {
        kal_source_destroy(ctx, source);
    }
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
    return got;
}

// A unit that has to be one.
static KalUnit unit(const char *text)
{
    Shown shown;
    const KalUnit got = read_with(text, &shown, -1);
    ok(!got.any);
    same_text(shown.text, "");
    return got;
}

// The unit is that many SI units of these exponents of m, kg, s, A, K, mol, cd.
static void is_unit(const char *text, double scale, const int exponent[KAL_DIMENSIONS])
{
    const KalUnit got = unit(text);
    bool same = fabs(got.scale - scale) <= 4e-16 * scale;
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        same = same && got.exponent[i].num == exponent[i] && got.exponent[i].den == 1;
    }
    if (!ok(same)) {
        printf("# %s\n", text);
    }
}

static void prints(const char *text, const char *want)
{
    char got[KAL_UNIT_SIZE];
    kal_unit_print(unit(text), got);
    same_text(got, want);
}

static void refuses(const char *text, const char *want)
{
    Shown shown;
    ok(read_with(text, &shown, -1).any);
    has_text(shown.text, want);
}

// The table of units, written once more: a name that was read as another unit, or with a
// prefix as another unit and prefix, would differ in scale or exponents.
static void knows_units(void)
{
    const struct {
        const char *name;
        const char *prefixes;
        double scale;
        int exponent[KAL_DIMENSIONS];
    } known[] = {
        {"m",   "kcm",   1.0,              {1, 0, 0}            },
        {"g",   "km",    1e-3,             {0, 1, 0}            },
        {"t",   "",      1000.0,           {0, 1, 0}            },
        {"s",   "mu",    1.0,              {0, 0, 1}            },
        {"min", "",      60.0,             {0, 0, 1}            },
        {"h",   "",      3600.0,           {0, 0, 1}            },
        {"A",   "m",     1.0,              {0, 0, 0, 1}         },
        {"K",   "m",     1.0,              {0, 0, 0, 0, 1}      },
        {"mol", "m",     1.0,              {0, 0, 0, 0, 0, 1}   },
        {"cd",  "m",     1.0,              {0, 0, 0, 0, 0, 0, 1}},
        {"rad", "m",     1.0,              {0}                  },
        {"sr",  "",      1.0,              {0}                  },
        {"deg", "",      acos(-1) / 180.0, {0}                  },
        {"rev", "",      2.0 * acos(-1),   {0}                  },
        {"Hz",  "kMG",   1.0,              {0, 0, -1}           },
        {"rpm", "",      acos(-1) / 30.0,  {0, 0, -1}           },
        {"N",   "kMm",   1.0,              {1, 1, -2}           },
        {"J",   "kMm",   1.0,              {2, 1, -2}           },
        {"W",   "kMGm",  1.0,              {2, 1, -3}           },
        {"Pa",  "kMGhm", 1.0,              {-1, 1, -2}          },
        {"bar", "m",     1e5,              {-1, 1, -2}          },
        {"C",   "mun",   1.0,              {0, 0, 1, 1}         },
        {"V",   "km",    1.0,              {2, 1, -3, -1}       },
        {"ohm", "kM",    1.0,              {2, 1, -3, -2}       },
        {"Ω",  "kM",    1.0,              {2, 1, -3, -2}       },
        {"F",   "munp",  1.0,              {-2, -1, 4, 2}       },
        {"H",   "mu",    1.0,              {2, 1, -2, -2}       },
        {"T",   "m",     1.0,              {0, 1, -2, -1}       },
        {"Wb",  "m",     1.0,              {2, 1, -2, -1}       },
        {"l",   "mcdh",  1e-3,             {3, 0, 0}            },
        {"L",   "m",     1e-3,             {3, 0, 0}            },
    };

    static const char letters[] = "TGMkhdcmunpf";
    static const double factors[] = {1e12, 1e9,  1e6,  1e3,  1e2,   1e-1,
                                     1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        is_unit(known[i].name, known[i].scale, known[i].exponent);
        for (const char *p = known[i].prefixes; *p; p++) {
            char name[16];
            snprintf(name, sizeof name, "%c%s", *p, known[i].name);
            is_unit(name, known[i].scale * factors[strchr(letters, *p) - letters],
                    known[i].exponent);
        }
    }
    is_unit("μm", 1e-6, (int[KAL_DIMENSIONS]){1});
    is_unit("kg", 1.0, (int[KAL_DIMENSIONS]){0, 1});
}

// Units by their definitions, from each other.
static void agrees_with_definitions(void)
{
    static const char *const pairs[][2] = {
        {"N",      "kg*m/s^2" },
        {"J",      "N*m"      },
        {"J",      "V*C"      },
        {"W",      "V*A"      },
        {"Pa",     "N/m^2"    },
        {"MPa",    "N/mm^2"   },
        {"Hz",     "1/s"      },
        {"ohm",    "V/A"      },
        {"F",      "C/V"      },
        {"H",      "V*s/A"    },
        {"Wb",     "V*s"      },
        {"T",      "Wb/m^2"   },
        {"l",      "dm^3"     },
        {"kJ",     "kW*s"     },
        {"rpm",    "rev/min"  },
        {"rad",    "1"        },
        {"t",      "Mg"       },
        {"Pa*m^3", "N^1*m^1"  },
        {"m",      "(m^2)^0.5"},
        {"m^-1",   "1/m"      },
        {"V",      "W/A"      },
        {"s",      "(m/(m/s))"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const KalUnit a = unit(pairs[i][0]);
        const KalUnit b = unit(pairs[i][1]);
        ok(kal_unit_same_dimension(a, b));
        ok(kal_unit_same_scale(a, b));
    }
}

static void tells_units_apart(void)
{
    static const char *const names[] = {"m", "kg", "s", "A", "K", "mol", "cd", "1"};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            ok(kal_unit_same_dimension(unit(names[i]), unit(names[j])) == (i == j));
        }
        ok(kal_unit_is_plain(unit(names[i])) == (i == 7));
    }
    ok(kal_unit_same_dimension(unit("mm"), unit("m")));
    ok(!kal_unit_same_scale(unit("mm"), unit("m")));
    ok(!kal_unit_same_scale(unit("deg"), unit("rad")));
    ok(!kal_unit_same_dimension(unit("m^(1/2)"), unit("m")));
    ok(kal_unit_is_degree(unit("deg")) && !kal_unit_is_degree(unit("rad")));
    ok(!kal_unit_is_degree(unit("deg*m")) && kal_unit_is_degree(unit("deg*m/m")));
    ok(kal_unit_is_plain(unit("deg")) && kal_unit_is_plain(unit("kN/N")));
}

static void any_matches_all(void)
{
    const KalUnit any = kal_unit_any();
    const KalUnit m = unit("m");
    ok(kal_unit_same_dimension(any, m) && kal_unit_same_dimension(m, any));
    ok(kal_unit_same_scale(any, unit("km")) && kal_unit_same_scale(unit("km"), any));
    ok(kal_unit_multiply(any, m).any && kal_unit_divide(m, any).any);
    ok(kal_unit_power(any, 2, 1).any);
    ok(kal_unit_is_plain(any) && !kal_unit_is_degree(any));
    ok(kal_unit_read(NULL, NULL).any);
}

static void powers_and_roots(void)
{
    const KalUnit area = unit("mm^2");
    ok(kal_unit_same_dimension(kal_unit_power(area, 1, 2), unit("m")));
    ok(kal_unit_same_scale(kal_unit_power(area, 1, 2), unit("mm")));
    ok(kal_unit_same_dimension(kal_unit_power(area, -3, -6), unit("m")));
    ok(kal_unit_same_dimension(kal_unit_power(area, -1, 2), unit("1/m")));
    ok(kal_unit_same_dimension(kal_unit_power(area, 0, 5), kal_unit_one()));
    ok(kal_unit_same_scale(kal_unit_power(area, 0, 5), kal_unit_one()));
    ok(!kal_unit_power(kal_unit_one(), INT64_MIN, INT64_MAX).any);
    is_unit("(kg*m/s^2)^2", 1.0, (int[KAL_DIMENSIONS]){2, 2, -4});
    is_unit("m^(-4/2)", 1.0, (int[KAL_DIMENSIONS]){-2});
    is_unit("m^1.5*m^0.5", 1.0, (int[KAL_DIMENSIONS]){2});
    is_unit("1", 1.0, (int[KAL_DIMENSIONS]){0});
}

// What does not fit is any; nothing overflows.
static void survives_overflow(void)
{
    const KalUnit m = unit("m");
    KalUnit power = m;
    for (int i = 0; i < 40; i++) {
        power = kal_unit_multiply(power, power);
    }
    ok(power.any);
    ok(kal_unit_power(unit("m^999"), 2, 1).any);
    ok(kal_unit_power(m, INT64_MAX, 1).any && kal_unit_power(m, INT64_MIN, 1).any);
    ok(kal_unit_power(m, 1, INT64_MIN).any && kal_unit_power(m, 1, INT64_MAX).any);
    ok(kal_unit_power(unit("m^(1/997)"), 1, 991).any);
    ok(kal_unit_multiply(unit("m^(1/997)"), unit("m^(1/991)")).any);
    ok(kal_unit_power(unit("km"), 200, 1).any
       && kal_unit_power(unit("mm"), 200, 1).any);
    ok(kal_unit_multiply(unit("km^99"), unit("km^99")).any);
    refuses("m^999*m", "m:1:10: error: the exponents of this unit are too large");
    refuses("(m^99)^99", "too large");
    refuses("km^400", "too large");
}

// (a b)^p = a^p b^p and (a / b) b = a, for random units.
static void obeys_laws(void)
{
    Rng rng = {.state = 4};
    for (int k = 0; k < 2000; k++) {
        KalUnit a = kal_unit_one();
        KalUnit b = kal_unit_one();
        for (int i = 0; i < KAL_DIMENSIONS; i++) {
            a.exponent[i].num = (int16_t)rng_int(&rng, -3, 3);
            b.exponent[i].num = (int16_t)rng_int(&rng, -3, 3);
        }
        a.scale = pow(10.0, rng_int(&rng, -3, 3));
        const int num = rng_int(&rng, -4, 4);
        const int den = rng_int(&rng, 1, 4);
        const KalUnit left = kal_unit_power(kal_unit_multiply(a, b), num, den);
        const KalUnit right =
            kal_unit_multiply(kal_unit_power(a, num, den), kal_unit_power(b, num, den));
        const KalUnit same = kal_unit_multiply(kal_unit_divide(a, b), b);
        ok(!left.any && kal_unit_same_dimension(left, right));
        ok(kal_unit_same_scale(left, right));
        ok(!same.any && kal_unit_same_dimension(same, a));
        ok(kal_unit_same_scale(same, a));
    }
}

static void prints_units(void)
{
    prints("N*m", "kg*m^2/s^2");
    prints("Hz", "1/s");
    prints("Pa", "kg/(m*s^2)");
    prints("1", "1");
    prints("rad/s", "1/s");
    prints("m", "m");
    prints("mm", "0.001*m");
    prints("kN", "1000*kg*m/s^2");
    prints("deg", "deg");
    prints("rev", "6.28319");
    prints("deg/s", "0.0174533/s");
    prints("m^(1/2)", "m^(1/2)");
    prints("1/m^(3/2)", "1/m^(3/2)");
    prints("mol*cd*K*A", "A*K*mol*cd");
    char got[KAL_UNIT_SIZE];
    kal_unit_print(kal_unit_any(), got);
    same_text(got, "any unit");
    KalUnit longest = unit("mm^(1/998)");
    for (int i = 0; i < KAL_DIMENSIONS; i++) {
        longest.exponent[i] = (KalUnitExponent){-997, 998};
    }
    longest.scale = 1.23456e-200;
    kal_unit_print(longest, got);
    same_text(got, "1.23456e-200/(kg^(997/998)*m^(997/998)*s^(997/998)*A^(997/998)"
                   "*K^(997/998)*mol^(997/998)*cd^(997/998))");
}

static void explains_unknown_names(void)
{
    refuses("Kg", "m:1:10: error: unknown unit 'Kg'; did you mean 'kg'?");
    refuses("kg*Mtr^2", "m:1:13: error: unknown unit 'Mtr'");
    refuses("sec", "did you mean 's'?");
    refuses("Nm", "did you mean 'N*m'?");
    refuses("hz", "did you mean 'Hz'?");
    refuses("mpa", "did you mean 'MPa'?");
    refuses("degrees", "did you mean 'deg'?");
    refuses("parsec_of_sorts", "units are such as m, kg");
    refuses("foo/bar*quux", "'foo'");
    refuses("foo/bar*quux", "'quux'");
    refuses("kmin", "unknown unit 'kmin'");
    refuses("mdeg", "unknown unit");
    refuses("kt_", "unknown unit");
    refuses("mkg", "unknown unit");
}

static void refuses_exponents(void)
{
    refuses("m^1000", "m:1:12: error: the exponent of a unit is a number up to 999");
    refuses("m^1e300", "the exponent of a unit");
    refuses("m^0.3333", "the exponent of a unit");
    refuses("m^(1/0)", "the exponent of a unit");
    refuses("m^(1/0.00001)", "the exponent of a unit");
    refuses("m^-1001", "the exponent of a unit");
}

static void survives_failing_allocations(void)
{
    Shown shown;
    for (long calls = 0; calls < 40; calls++) {
        const KalUnit got = read_with("kgg*m", &shown, calls);
        ok(got.any);
    }
    has_text(shown.text, "did you mean");
}

TAP_RUN(TAP_CASE(knows_units), TAP_CASE(agrees_with_definitions),
        TAP_CASE(tells_units_apart), TAP_CASE(any_matches_all),
        TAP_CASE(powers_and_roots), TAP_CASE(survives_overflow), TAP_CASE(obeys_laws),
        TAP_CASE(prints_units), TAP_CASE(explains_unknown_names),
        TAP_CASE(refuses_exponents), TAP_CASE(survives_failing_allocations))
