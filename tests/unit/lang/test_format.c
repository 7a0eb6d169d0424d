// SPDX-License-Identifier: MIT

#include "lab.h"

#include <kalaba/format.h>

static const KalSink NOWHERE = {NULL, NULL};

static KalStatus format_with(Fault *fault, const char *text, Shown *shown)
{
    KalContext *ctx = NULL;
    const KalSink sink = shown_sink(shown);
    KalStatus status = kal_context_create(fault_alloc, fault, &ctx);
    if (status == KAL_OK) {
        status = kal_model_format(ctx, "m", text, strlen(text), NOWHERE, sink);
    }
    kal_context_destroy(ctx);
    ok(fault->live_bytes == 0);
    return status;
}

/// The canonical form of a text is `want`, whose own form it is too.
static void forms(const char *text, const char *want)
{
    static Shown shown;
    Fault fault = {.calls_left = -1};
    ok(format_with(&fault, text, &shown) == KAL_OK);
    same_text(shown.text, want);
    ok(format_with(&fault, want, &shown) == KAL_OK);
    same_text(shown.text, want);
}

static void stays(const char *text)
{
    forms(text, text);
}

static void statements_have_a_line_each(void)
{
    forms("", "");
    forms("\n\n  \n", "");
    forms("coord x;coord y ;;  coord z", "coord x\ncoord y\ncoord z\n");
    forms("param  m=1 [kg],l = (2)", "param m = 1 [kg], l = 2\n");
    forms("\xef\xbb\xbf"
          "coord x\r\ncoord y\r\n",
          "coord x\ncoord y\n");
    forms("for i in 1..2{coord x[i];coord y[i]}",
          "for i in 1..2 {\n    coord x[i]\n    coord y[i]\n}\n");
    forms("component A(){}", "component A() {\n}\n");
}

static void empty_lines_are_kept_one_by_one(void)
{
    forms("\n\ncoord x\n\n\n\ncoord y\ncoord z\n\n", "coord x\n\ncoord y\ncoord z\n");
    forms("for i in 1..2 {\n\n  coord x[i]\n\n  coord y[i]\n\n}\n\ncoord z",
          "for i in 1..2 {\n    coord x[i]\n\n    coord y[i]\n}\n\ncoord z\n");
    forms("coord x\n\n# c\n\n\ncoord y", "coord x\n\n# c\n\ncoord y\n");
}

static void comments_keep_their_places(void)
{
    stays("# first\n\n# second\ncoord x  # behind\n# last\n");
    forms("#only  \n", "#only\n");
    forms("coord x; # one\ncoord y # two", "coord x  # one\ncoord y  # two\n");
    forms("for i in 1..2 { # loop\n# in\ncoord x[i]\n# end\n} # after",
          "for i in 1..2 {  # loop\n    # in\n    coord x[i]\n    # end\n}  # after\n");
    stays("component A() {\n    # nothing\n}\n");
    forms("model \"a # b\" # c", "model \"a # b\"  # c\n");
}

static void comments_within_statements_stay_with_their_parts(void)
{
    stays("param m = 1,  # mass\n    # alone\n    l = 2  # length\n");
    forms("param m = 1, # mass\n l = 2 # length",
          "param m = 1,  # mass\n    l = 2     # length\n");
    forms("kinetic (x'^2 + # a\n y'^2 # b\n)",
          "kinetic x'^2 +  # a\n    y'^2        # b\n");
    forms("kinetic (x'^2 # a\n + y'^2)", "kinetic x'^2 +  # a\n    y'^2\n");
    forms("kinetic f(x # a\n) # b", "# a\nkinetic f(x)  # b\n");
    forms("kinetic f(x # a\n # b\n)", "# a\nkinetic f(x)  # b\n");
    forms("component A(p # a\n) {}", "# a\ncomponent A(p) {\n}\n");
}

static void neighbors_have_their_comments_in_one_column(void)
{
    forms("coord x # a\ncoord theta # b\ncoord y\ncoord z # c",
          "coord x      # a\ncoord theta  # b\ncoord y\ncoord z  # c\n");
    forms("coord θ # a\ncoord xy # b", "coord θ   # a\ncoord xy  # b\n");
}

static void long_lines_are_broken_where_brackets_are_few(void)
{
    forms("part p = Body(bulk = 123456789, inertia = 123456789, gravity = 123456789, "
          "turned = 123456789, spin = 1)",
          "part p = Body(bulk = 123456789, inertia = 123456789, gravity = 123456789, "
          "turned = 123456789,\n              spin = 1)\n");
    forms("param A = [[11111111, 22222222, 33333333], [44444444, 55555555, 66666666], "
          "[77777777, 88888888, 99999999]]",
          "param A = [[11111111, 22222222, 33333333],\n"
          "           [44444444, 55555555, 66666666],\n"
          "           [77777777, 88888888, 99999999]]\n");
    forms("potential first_long_name_of_many + second_long_name_of_many + "
          "third_long_name_of_many + fourth(a, b)",
          "potential first_long_name_of_many + second_long_name_of_many + "
          "third_long_name_of_many +\n    fourth(a, b)\n");
    stays(
        "coord a_name_that_is_longer_than_any_line_may_be_but_cannot_be_broken_for_it_"
        "is_a_single_name_only\n");
}

static void what_is_no_model_is_refused(void)
{
    static Shown shown;
    Fault fault = {.calls_left = -1};
    ok(format_with(&fault, "coord", &shown) == KAL_ERR_SYNTAX);
    ok(format_with(&fault, "coord x }", &shown) == KAL_ERR_SYNTAX);
    ok(format_with(&fault, "coord \xff", &shown) == KAL_ERR_SYNTAX);
    ok(shown.length == 0);
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_model_format(ctx, "m", "coord", 5, shown_sink(&shown), NOWHERE)
       == KAL_ERR_USAGE);
    ok(kal_model_format(ctx, "m", "coord", 5, shown_sink(&shown), shown_sink(&shown))
       == KAL_ERR_SYNTAX);
    has_text(shown.text, "m:1:6: error: ");
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    static Shown shown;
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 200; n = fault_next(n)) {
        Fault fault = {.calls_left = n};
        status = format_with(
            &fault, "param m = f(1), # a\n l = 2 # b\nfor i in 1..2 { coord x[i] }",
            &shown);
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && shown.length == 0));
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(statements_have_a_line_each),
        TAP_CASE(empty_lines_are_kept_one_by_one), TAP_CASE(comments_keep_their_places),
        TAP_CASE(comments_within_statements_stay_with_their_parts),
        TAP_CASE(neighbors_have_their_comments_in_one_column),
        TAP_CASE(long_lines_are_broken_where_brackets_are_few),
        TAP_CASE(what_is_no_model_is_refused), TAP_CASE(every_allocation_may_fail))
