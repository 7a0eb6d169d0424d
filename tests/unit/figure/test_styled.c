// SPDX-License-Identifier: MIT

#include "figure/styled.h"
#include "rng.h"
#include "tap.h"

// A styled text with its control characters spelled: /i /u _ ^ | and . for a dot.
static void spell(const KalStyled *styled, char *out_text, size_t size)
{
    static const char *const marks[] = {"", "/", "\\", "_", "^", "|", "."};
    size_t used = 0;
    out_text[0] = '\0';
    for (const char *c = styled->text; *c && used < size; c++) {
        const unsigned char code = (unsigned char)*c;
        const char letter[] = {*c, '\0'};
        used += (size_t)snprintf(out_text + used, size - used, "%s",
                                 code <= 6 ? marks[code] : letter);
    }
}

static void name_is(const char *name, const char *want)
{
    KalStyled styled = {.length = 0};
    char got[4096];
    kal_styled_add_name(&styled, name);
    spell(&styled, got, sizeof got);
    same_text(got, want);
}

static void names_look_as_in_books(void)
{
    name_is("x", "/x\\|");
    name_is("x'", "/.x\\|");
    name_is("theta''", "/..θ\\|");
    name_is("theta1'", "/.θ\\_1|");
    name_is("Omega", "/Ω\\|");
    name_is("φ'", "/.φ\\|");
    name_is("height'", "\\height′\\|");
    name_is("x''''", "/x′′′′\\|");
    name_is("a_max", "/a\\_max|");
    name_is("hold_theta", "\\hold\\_θ|");
    name_is("link[2].x'", "/.x\\_link,2|");
    name_is("x[1,2]", "/x\\_1,2|");
    name_is("arm[3].link[2].phi", "/φ\\_arm,3,link,2|");
    name_is("reaction(rod)", "/λ\\_rod|");
    name_is("cforce(theta)", "/Q^c|\\_θ|");
    name_is("energy()", "/E\\|");
}

static void other_names_are_shown_as_they_are(void)
{
    name_is("Temperature (K)", "Temperature (K)");
    name_is("2x", "2x");
    name_is("x[", "x[");
    name_is("x.", "x.");
    name_is(".x", ".x");
    name_is("a+b", "a+b");
    name_is("'", "'");
    name_is("<b>&", "<b>&");
    name_is("reaction(", "reaction(");
}

static void units_have_superscripts(void)
{
    static const struct {
        const char *unit;
        const char *want;
    } cases[] = {
        {"m/s^2",    "m/s^2|"     },
        {"kg*m^2",   "kg·m^2|"   },
        {"s^-1",     "s^−1|"    },
        {"deg",      "°"         },
        {"degree",   "degree"     },
        {"(m/s)/s",  "(m/s)/s"    },
        {"m^x",      "m^x"        },
        {"\x1b[31m", "\\u{1b}[31m"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KalStyled styled = {.length = 0};
        char got[4096];
        kal_styled_add_unit(&styled, cases[i].unit);
        spell(&styled, got, sizeof got);
        same_text(got, cases[i].want);
    }
}

static void ticks_have_their_sign(void)
{
    KalStyled styled = {.length = 0};
    char got[256];
    kal_styled_add_tick(&styled, "-0.5", false);
    kal_styled_add(&styled, " ");
    kal_styled_add_tick(&styled, "-3", true);
    spell(&styled, got, sizeof got);
    same_text(got, "−0.5 10^−3|");
}

static void letters_come_in_order(void)
{
    KalStyled styled = {.length = 0};
    kal_styled_add_name(&styled, "theta1''");
    const char *rest = styled.text;
    KalLetters letters = {.length = 0};
    ok(kal_styled_next(&rest, &letters));
    ok(letters.italic && letters.level == 0 && letters.dots == 2
       && letters.length == 2);
    ok(kal_styled_next(&rest, &letters));
    ok(!letters.italic && letters.level == -1 && letters.dots == 0);
    ok(letters.length == 1 && letters.text[0] == '1');
    ok(!kal_styled_next(&rest, &letters));
}

// Whatever a name holds, what is shown has no control characters but ours.
static void hostile_names_are_harmless(void)
{
    Rng rng = {.state = 1};
    for (int i = 0; i < 20000; i++) {
        char name[600];
        const int length = rng_int(&rng, 0, rng_int(&rng, 0, 9) == 0 ? 599 : 20);
        for (int k = 0; k < length; k++) {
            static const char likely[] = "x'[]().,_12theta\x1b\x07\xc2\x9b";
            name[k] = rng_int(&rng, 0, 3) == 0
                          ? (char)rng_int(&rng, 1, 255)
                          : likely[rng_int(&rng, 0, (int)sizeof likely - 2)];
        }
        name[length] = '\0';
        KalStyled styled = {.length = 0};
        char plain[1024];
        kal_styled_add_name(&styled, name);
        kal_styled_add_unit(&styled, name);
        kal_styled_add_text(&styled, name, 120);
        ok(styled.length == strlen(styled.text));
        for (const char *c = styled.text; *c; c++) {
            const unsigned char byte = (unsigned char)*c;
            ok(byte <= 6 || (byte >= 0x20 && byte != 0x7f));
            ok(!(byte == 0xc2 && (unsigned char)c[1] < 0xa0));
        }
        kal_plain_name(name, false, plain, sizeof plain);
        for (const char *c = plain; *c; c++) {
            ok((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
        }
        kal_plain_name(name, true, plain, 16);
        ok(strlen(plain) < 16);
    }
}

static void plain_names_are_for_terminals(void)
{
    char text[256];
    kal_plain_name("link[2].theta1'", true, text, sizeof text);
    same_text(text, "link[2].θ1′");
    kal_plain_name("link[2].theta1'", false, text, sizeof text);
    same_text(text, "link[2].theta1'");
    kal_plain_name("größe", false, text, sizeof text);
    same_text(text, "gr??e");
    kal_plain_name("alphabeta", true, text, sizeof text);
    same_text(text, "alphabeta");
}

TAP_RUN(TAP_CASE(names_look_as_in_books), TAP_CASE(other_names_are_shown_as_they_are),
        TAP_CASE(units_have_superscripts), TAP_CASE(ticks_have_their_sign),
        TAP_CASE(letters_come_in_order), TAP_CASE(hostile_names_are_harmless),
        TAP_CASE(plain_names_are_for_terminals))
