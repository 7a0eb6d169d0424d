// SPDX-License-Identifier: MIT

// Reduced equations as text, LaTeX, Markdown and JSON.

#include "instant_lab.h"

#include <kalaba/reduce.h>

enum {
    TEXT_SIZE = 20000
};

static const char SLEIGH[] =
    "model \"Sleigh & co\"\nparam m = 1, I = 0.2, b = 0.3\ncoord x, y, theta\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
    "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
    "output along = x'*cos(theta) + y'*sin(theta)\noutput turn = theta'\n";

typedef struct Shown {
    char text[TEXT_SIZE];
    size_t length;
} Shown;

static void keep(void *user, const char *text, size_t length)
{
    Shown *shown = user;
    if (ok(shown->length + length < TEXT_SIZE)) {
        memcpy(shown->text + shown->length, text, length);
        shown->length += length;
        shown->text[shown->length] = '\0';
    }
}

static KalStatus show(Lab *lab, KalShowFormat format, const KalSpeedChoice *speeds,
                      size_t n, Shown *shown)
{
    const KalShowOptions options = {.format = format};
    *shown = (Shown){.length = 0};
    return kal_show_reduced(lab->ctx, lab->system, speeds, n, &options,
                            (KalSink){keep, shown});
}

static const KalSpeedChoice SPEEDS[] = {
    {"u",     "along"},
    {"omega", "turn" }
};

static void speeds_of_the_sleigh_are_found(void)
{
    Lab lab;
    Shown shown;
    if (!lab_expect(&lab, SLEIGH)) {
        return;
    }
    ok(show(&lab, KAL_SHOW_TEXT, NULL, 0, &shown) == KAL_OK);
    has_text(shown.text, "  u      = x'*cos(theta) + y'*sin(theta)\n  theta'\n");
    has_text(shown.text, "  x' = u*cos(theta) - b*theta'*sin(theta)\n");
    has_text(shown.text, "  u'      = b*theta'^2\n"
                         "  theta'' = -m*b*theta'*u/(m*b^2 + I)\n");
    has_text(shown.text, "M[2,2] = m*b^2 + I\n");
    ok(!strstr(shown.text, "M[1,2]")); // it is zero
    lab_close(&lab);
}

static void given_speeds_have_their_names(void)
{
    Lab lab;
    Shown shown;
    if (!lab_expect(&lab, SLEIGH)) {
        return;
    }
    ok(show(&lab, KAL_SHOW_TEXT, SPEEDS, 2, &shown) == KAL_OK);
    has_text(shown.text, "  u'     = b*omega^2\n"
                         "  omega' = -m*b*u*omega/(m*b^2 + I)\n");
    ok(show(&lab, KAL_SHOW_LATEX, SPEEDS, 2, &shown) == KAL_OK);
    has_text(shown.text, "\\documentclass");
    has_text(shown.text, "\\title{Sleigh \\& co}");
    has_text(shown.text, "\\dot{u} &= b \\omega^{2} \\\\\n");
    has_text(shown.text, "\\end{document}\n");
    ok(show(&lab, KAL_SHOW_MARKDOWN, SPEEDS, 2, &shown) == KAL_OK);
    has_text(shown.text, "## Equations of motion\n\n$$\n\\begin{aligned}\n");
    lab_close(&lab);
}

static void json_has_all_formulas(void)
{
    Lab lab;
    Shown shown;
    if (!lab_expect(&lab, SLEIGH)) {
        return;
    }
    ok(show(&lab, KAL_SHOW_JSON, SPEEDS, 2, &shown) == KAL_OK);
    has_text(shown.text, "\"freedom\": 2, \"speeds\": {\"u\": ");
    has_text(shown.text, "\"S\": [[\"cos(theta)\", \"-b*sin(theta)\"]");
    has_text(shown.text, "\"rates\": {\"u'\": \"b*omega^2\"");
    has_text(shown.text, "\"latex\": {");
    lab_close(&lab);
}

static void wrong_choices_are_told(void)
{
    static const KalSpeedChoice unknown[] = {
        {"u", "alonk"},
        {"w", "turn" }
    };
    static const KalSpeedChoice taken[] = {
        {"m", "along"},
        {"w", "turn" }
    };
    Lab lab;
    Shown shown;
    if (!lab_expect(&lab, SLEIGH)) {
        return;
    }
    ok(show(&lab, KAL_SHOW_TEXT, unknown, 2, &shown) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), "no output 'alonk'");
    ok(show(&lab, KAL_SHOW_TEXT, taken, 2, &shown) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), "'m' is a name of the model");
    ok(shown.length == 0);
    lab_close(&lab);
}

// A mechanism without freedom has velocities, and nothing else.
static void a_driven_mechanism_has_no_speeds(void)
{
    Lab lab;
    Shown shown;
    if (!lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nprescribe x = t^2\n"
                          "constraint c: y = 3*x\n")) {
        return;
    }
    ok(show(&lab, KAL_SHOW_TEXT, NULL, 0, &shown) == KAL_OK);
    has_text(shown.text, "  x' = 2*t\n  y' = 6*t\n");
    ok(!strstr(shown.text, "Speeds") && !strstr(shown.text, "Inertia"));
    ok(show(&lab, KAL_SHOW_JSON, NULL, 0, &shown) == KAL_OK);
    has_text(shown.text, "\"freedom\": 0, \"speeds\": {}");
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    static const KalShowFormat formats[] = {KAL_SHOW_TEXT, KAL_SHOW_LATEX,
                                            KAL_SHOW_JSON};
    for (size_t f = 0; f < 3; f++) {
        Lab lab;
        Shown shown;
        KalStatus status = KAL_ERR_NOMEM;
        if (!lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                              "constraint c: y = 2*x\noutput along = x'\n")) {
            return;
        }
        for (long calls = 0; status != KAL_OK && calls < 9000;
             calls = fault_next(calls)) {
            lab.fault.calls_left = calls;
            status = show(&lab, formats[f], SPEEDS, 1, &shown);
            lab.fault.calls_left = -1;
            ok(status == KAL_OK || (status == KAL_ERR_NOMEM && shown.length == 0));
        }
        ok(status == KAL_OK);
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(speeds_of_the_sleigh_are_found),
        TAP_CASE(given_speeds_have_their_names), TAP_CASE(json_has_all_formulas),
        TAP_CASE(wrong_choices_are_told), TAP_CASE(a_driven_mechanism_has_no_speeds),
        TAP_CASE(every_allocation_may_fail))
