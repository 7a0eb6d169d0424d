// SPDX-License-Identifier: MIT

#include "expr/copy.h"
#include "expr/diff.h"
#include "expr/domain.h"
#include "expr/eval.h"
#include "graph.h"
#include "zero/identity.h"

// The needs of a formula as text, each with a letter for its kind.
static void needs(const char *text, const char *want)
{
    KalNeeds found = {.n = 0};
    char got[200] = "";
    size_t used = 0;
    kal_needs_add(g, f(text), 1, &found);
    for (int i = 0; i < found.n; i++) {
        used +=
            (size_t)snprintf(got + used, sizeof got - used, "%s%c:%s", i > 0 ? " " : "",
                             "zn+1"[found.list[i].kind], text_of(found.list[i].of));
    }
    same_text(got, want);
}

static void factors_have_needs(void)
{
    begin();
    needs("x*y", "");
    needs("x/y", "z:y");
    needs("1/(x^2*(x + y))", "z:x z:x + y");
    needs("sqrt(x)*y", "n:x");
    needs("y/sqrt(x)", "+:x");
    needs("x^(1/3)", "n:x");
    needs("log(x)/asin(y)", "+:x z:asin(y) 1:y");
    needs("sqrt(x^2 + y^2 + 1)*exp(z)/cosh(z)", ""); // always met
    needs("1/(2 + x^4/3)", "");
    needs("1/sqrt(x^2 + y^2)", "+:x^2 + y^2");
    end();
}

static void needs_show_wherever_they_are(void)
{
    begin();
    const KalNeed nonzero = {f("x - y"), KAL_NEED_NONZERO};
    ok(kal_need_shows(g, f("3 + sin(z/(x - y))"), nonzero));
    ok(kal_need_shows(g, f("z/(y - x)"), nonzero));
    ok(kal_need_shows(g, f("1/sqrt(x - y)"), nonzero)); // what is positive is not zero
    ok(!kal_need_shows(g, f("x - y"), nonzero));
    ok(!kal_need_shows(g, f("z/(x + y)"), nonzero));
    end();
}

// A guarded formula is the formula for calculus, and none where its need is not met.
static void guards_hold_values_back(void)
{
    begin();
    const KalNeed nonzero = {f("x"), KAL_NEED_NONZERO};
    const KalExpr guarded = kal_need_guard(g, nonzero, f("x^2"));
    const KalExpr difference = kal_sub(g, kal_mul(g, guarded, f("y")), f("x^2*y"));
    const double there[] = {[23] = 3.0, [25] = 0.0};
    const double not_there[26] = {0.0};
    double value = 0.0;
    KalExpr slope = KAL_NO_EXPR;
    KalVerdict verdict = {0};
    ok(kal_eval(g, &guarded, 1, there, &value) == KAL_OK);
    near(value, 9.0, 0.0);
    ok(kal_eval(g, &guarded, 1, not_there, &value) == KAL_OK);
    ok(!isfinite(value));
    ok(kal_diff(g, guarded, f("x"), &slope) == KAL_OK);
    ok(kal_eval(g, &slope, 1, there, &value) == KAL_OK);
    near(value, 6.0, 0.0);
    ok(kal_eval(g, &slope, 1, not_there, &value) == KAL_OK);
    ok(!isfinite(value));
    ok(kal_identities(g, &difference, 1, &verdict) == KAL_OK);
    ok(verdict.zero && verdict.exact);
    ok(kal_need_shows(g, guarded, nonzero));
    same_text(text_of(guarded), "x^2");
    end();
}

// Readers get the formula without its guard, and as simple as it then is.
static void copies_have_no_guards(void)
{
    begin();
    KalGraph *other = NULL;
    KalExpr copy = KAL_NO_EXPR;
    const KalNeed positive = {f("x"), KAL_NEED_POSITIVE};
    const KalExpr e =
        kal_sub(g, kal_mul(g, kal_need_guard(g, positive, f("x")), f("y")), f("x*y"));
    ok(kal_graph_create(ctx, &other) == KAL_OK);
    ok(kal_copy(g, &e, 1, other, &copy) == KAL_OK);
    ok(kal_is_zero(other, copy));
    kal_graph_destroy(other);
    end();
}

TAP_RUN(TAP_CASE(factors_have_needs), TAP_CASE(needs_show_wherever_they_are),
        TAP_CASE(guards_hold_values_back), TAP_CASE(copies_have_no_guards))
