// SPDX-License-Identifier: MIT

#include "graph.h"

static void like_terms_join(void)
{
    begin();
    becomes("x + x", "2*x");
    becomes("x - x", "0");
    becomes("2*x + 3*x", "5*x");
    becomes("x/2 + x/3", "5/6*x");
    becomes("x*y + y*x", "2*x*y");
    becomes("a + b + c + a", "b + c + 2*a");
    becomes("a + b - a", "b");
    becomes("a - b - c + b", "a - c");
    becomes("(a - b) + (b - a)", "0");
    becomes("(a + b) - (a - c)", "b + c");
    becomes("(a + b + c) - (c + b + a)", "0");
    becomes("x + 0", "x");
    becomes("0 - x", "-x");
    becomes("a - (-b)", "a + b");
    becomes("-a - b", "-a - b");
    becomes("-a + b", "b - a");
    becomes("a + -2*b", "a - 2*b");
    end();
}

static void numbers_meet(void)
{
    begin();
    becomes("1 + x + 2 + y + 3", "x + y + 6");
    becomes("1 - x - 1", "-x");
    becomes("1/3 + 1/6", "1/2");
    becomes("(x + 1) - (x - 1)", "2");
    becomes("2 - (3 - x)", "x - 1");
    becomes("0.1 + 0.2", "3/10");
    end();
}

static void common_factors_come_out(void)
{
    begin();
    becomes("m*x + m*y", "m*(x + y)");
    becomes("m*x + m*y + m*z", "m*(x + y + z)");
    becomes("1/2*m*x^2 + 1/2*m*y^2", "1/2*m*(x^2 + y^2)");
    becomes("2*m*x + 3*m*y", "m*(2*x + 3*y)");
    becomes("m*x - m*y", "m*(x - y)");
    becomes("-m*x - m*y", "-m*(x + y)");
    becomes("x*y + x", "x*(y + 1)");
    becomes("x/d + y/d", "(x + y)/d");
    becomes("a*b*x/d - e*y*z/d", "(a*b*x - e*y*z)/d");
    becomes("m*x + m*y - m*x", "m*y");
    becomes("a*b*c + d*e*h", "a*b*c + d*e*h");
    end();
}

static void squares_of_sine_and_cosine_join(void)
{
    begin();
    becomes("sin(u)^2 + cos(u)^2", "1");
    becomes("cos(u)^2 + x + sin(u)^2", "x + 1");
    becomes("m*l^2*sin(u)^2 + m*l^2*cos(u)^2", "l^2*m");
    becomes("(l*v*cos(u))^2 + (l*v*sin(u))^2", "l^2*v^2");
    becomes("1 - sin(u)^2", "cos(u)^2");
    becomes("1 - cos(u)^2", "sin(u)^2");
    becomes("cos(u)^2 - 1", "-sin(u)^2");
    becomes("a*x - a*x*sin(u)^2", "a*x*cos(u)^2");
    becomes("x + 2 - 2*sin(u)^2", "x + 2*cos(u)^2");
    becomes("cosh(u)^2 - sinh(u)^2", "1");
    becomes("sinh(u)^2 - cosh(u)^2", "-1");
    becomes("1 + sinh(u)^2", "cosh(u)^2");
    becomes("3*cosh(u)^2 - 3", "3*sinh(u)^2");
    becomes("cos(u)^4 + sin(u)^2*cos(u)^2", "cos(u)^2");
    // not to be taken for one
    becomes("sin(u)^2 + cos(v)^2", "sin(u)^2 + cos(v)^2");
    becomes("2*sin(u)^2 + cos(u)^2", "2*sin(u)^2 + cos(u)^2");
    becomes("1 + sin(u)^2", "sin(u)^2 + 1");
    becomes("cos(u)^2 - sin(u)^2", "cos(u)^2 - sin(u)^2");
    becomes("sin(u)^3 + cos(u)^2*sin(u)", "sin(u)");
    end();
}

// A long sum is built in linear space: prefixes are shared.
static void long_sums_share_their_prefixes(void)
{
    begin();
    KalExpr sum = kal_int(g, 0);
    for (int round = 0; round < 3; round++) {
        sum = kal_int(g, 0);
        for (uint32_t i = 0; i < 100000; i++) {
            sum = kal_add(g, sum, kal_sin(g, kal_symbol(g, i)));
        }
    }
    ok(kal_graph_count(g) < 300010);
    ok(kal_sub(g, sum, sum).index == kal_int(g, 0).index);
    end();
}

TAP_RUN(TAP_CASE(like_terms_join), TAP_CASE(numbers_meet),
        TAP_CASE(common_factors_come_out), TAP_CASE(squares_of_sine_and_cosine_join),
        TAP_CASE(long_sums_share_their_prefixes))
