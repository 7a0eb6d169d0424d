// SPDX-License-Identifier: MIT

#include "lab.h"

static void operators_have_their_ranks(void)
{
    is_tree("a + b*c", "(ADD a +(MULTIPLY b *c))");
    is_tree("a - b - c", "(ADD a -b -c)");
    is_tree("a - (b - c)", "(ADD a -(ADD b -c))");
    is_tree("a/b/c*d", "(MULTIPLY a /b /c *d)");
    is_tree("(a*b)*c", "(MULTIPLY (MULTIPLY a *b) *c)");
    is_tree("a*(b*c)", "(MULTIPLY a *(MULTIPLY b *c))");
    is_tree("1/2*m*(x'^2 + y'^2)",
            "(MULTIPLY 1 /2 *m *(ADD (POWER (PRIME 1 x) 2) +(POWER (PRIME 1 y) 2)))");
}

static void powers_bind_to_the_right_and_tighter_than_signs(void)
{
    is_tree("-x^2", "(NEGATE (POWER x 2))");
    is_tree("(-x)^2", "(POWER (NEGATE x) 2)");
    is_tree("a^b^c", "(POWER a (POWER b c))");
    is_tree("(a^b)^c", "(POWER (POWER a b) c)");
    is_tree("2^-x^2", "(POWER 2 (NEGATE (POWER x 2)))");
    is_tree("x^-1*y", "(MULTIPLY (POWER x (NEGATE 1)) *y)");
    is_tree("x'^2", "(POWER (PRIME 1 x) 2)");
    is_tree("-x*y", "(MULTIPLY (NEGATE x) *y)");
    is_tree("a*-b", "(MULTIPLY a *(NEGATE b))");
    is_tree("a - -b", "(ADD a -(NEGATE b))");
    is_tree("--x", "(NEGATE (NEGATE x))");
    is_tree("+x - +3", "(ADD x -3)");
}

static void primes_follow_names_indices_members_and_brackets(void)
{
    is_tree("x''", "(PRIME 2 x)");
    is_tree("x[3]'", "(PRIME 1 (INDEX x 3))");
    is_tree("link[3].a'", "(PRIME 1 (MEMBER (INDEX link 3) a))");
    is_tree("(a + b)'", "(PRIME 1 (ADD a +b))");
    is_tree("[a, b]''", "(PRIME 2 (VECTOR a b))");
    is_tree("f(x)'", "(PRIME 1 (CALL f x))");
    is_tree("tip'.x", "(MEMBER (PRIME 1 tip) x)");
    is_tree("P[i]'.y", "(MEMBER (PRIME 1 (INDEX P i)) y)");
    is_tree("((x')')'", "(PRIME 3 x)");
    is_tree("x '", "(PRIME 1 x)");
}

static void access_goes_on_and_on(void)
{
    is_tree("a.b.c", "(MEMBER (MEMBER a b) c)");
    is_tree("a[1][2]", "(INDEX (INDEX a 1) 2)");
    is_tree("x[i+1]", "(INDEX x (ADD i +1))");
    is_tree("x[2*(i - 1) + 1].y",
            "(MEMBER (INDEX x (ADD (MULTIPLY 2 *(ADD i -1)) +1)) y)");
    is_tree("[1, 2][1]", "(INDEX (VECTOR 1 2) 1)");
    is_tree("(a + b).x", "(MEMBER (ADD a +b) x)");
    is_tree("cross(a, b).z", "(MEMBER (CALL cross a b) z)");
    is_tree("body.f(1)", "(CALL (MEMBER body f) 1)");
}

static void functions_and_vectors_take_lists(void)
{
    is_tree("atan2(y, x)", "(CALL atan2 y x)");
    is_tree("sin (x)", "(CALL sin x)");
    is_tree("energy()", "(CALL energy)");
    is_tree("reaction(pin[1].x)", "(CALL reaction (MEMBER (INDEX pin 1) x))");
    is_tree("cforce(a) + drive(b) + control(u)",
            "(ADD (CALL cforce a) +(CALL drive b) +(CALL control u))");
    is_tree("[[c, -s], [s, c]]*[x, y]",
            "(MULTIPLY (VECTOR (VECTOR c (NEGATE s)) (VECTOR s c)) *(VECTOR x y))");
    is_tree("[x]", "(VECTOR x)");
}

static void conditions_stand_in_if_and_sum(void)
{
    is_tree("if(x > 0, 1, -1)", "(IF (COMPARE 2 x 0) 1 (NEGATE 1))");
    is_tree("if(a < b and c >= d or not e == f, 1, 2)",
            "(IF (OR (AND (COMPARE a b) (COMPARE 3 c d)) (NOT (COMPARE 4 e f))) 1 2)");
    is_tree("if(not (a <= b or a != c), 1, 2)",
            "(IF (NOT (OR (COMPARE 1 a b) (COMPARE 5 a c))) 1 2)");
    is_tree("if((a + b) > (c), 1, 2)", "(IF (COMPARE 2 (ADD a +b) c) 1 2)");
    is_tree("if((a < b) and (c < d), 1, 2)",
            "(IF (AND (COMPARE a b) (COMPARE c d)) 1 2)");
    is_tree("sum(i in 1..N : x[i])", "(SUM i (RANGE 1 N) (INDEX x i))");
    is_tree("sum(i in 1..N+1, i != k and i > 2 : x[i] + 1)",
            "(SUM i (RANGE 1 (ADD N +1)) (AND (COMPARE 5 i k) (COMPARE 2 i 2)) (ADD "
            "(INDEX x i) +1))");
    is_tree("sum(i in 1..3 : sum(j in 1..i : a[i][j]))^2",
            "(POWER (SUM i (RANGE 1 3) (SUM j (RANGE 1 i) (INDEX (INDEX a i) j))) 2)");
}

static void built_in_and_contextual_words_may_be_names(void)
{
    is_tree("sin + sum*if", "(ADD sin +(MULTIPLY sum *if))");
    is_tree("rate + angle*every", "(ADD rate +(MULTIPLY angle *every))");
    is_tree("sum(a, b)", "(CALL sum a b)");
    is_tree("sum(in in 1..2 : in)", "(SUM in (RANGE 1 2) in)");
    is_tree("stop.set + in.size", "(ADD (MEMBER stop set) +(MEMBER in size))");
    is_tree("t + pi*deg", "(ADD t +(MULTIPLY pi *deg))");
}

static void numbers_are_exact(void)
{
    static const struct {
        const char *text;
        const char *digits;
        int exponent;
        double value;
    } cases[] = {
        {"0",                      "",                  0,    0.0                   },
        {"0.000",                  "",                  0,    0.0                   },
        {"0e9",                    "",                  0,    0.0                   },
        {"7",                      "7",                 0,    7.0                   },
        {"007",                    "7",                 0,    7.0                   },
        {"1200",                   "12",                2,    1200.0                },
        {"0.1",                    "1",                 -1,   0.1                   },
        {"2.50",                   "25",                -1,   2.5                   },
        {"1e-3",                   "1",                 -3,   1e-3                  },
        {"12.5e3",                 "125",               2,    12500.0               },
        {"1E+2",                   "1",                 2,    100.0                 },
        {"100.010e-1",             "10001",             -3,   10.001                },
        {"4.9e-324",               "49",                -325, 4.9e-324              },
        {"1.7976931348623157e308", "17976931348623157", 292,  1.7976931348623157e308},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        Lab lab;
        snprintf(text, sizeof text, "kinetic %s", cases[i].text);
        lab_open(&lab, text);
        if (ok(lab.status == KAL_OK)) {
            const KalNode *n = kal_tree_first(lab.tree)->of.unary.operand;
            char digits[32] = "";
            memcpy(digits, n->of.number.digits, n->of.number.n_digits);
            same_text(digits, cases[i].digits);
            ok(n->of.number.exponent == cases[i].exponent);
            ok(n->of.number.value == cases[i].value);
            ok(n->of.number.length == strlen(cases[i].text));
        }
        lab_close(&lab);
    }
    prints("kinetic 1e-3 + 0.50", "kinetic 1e-3 + 0.50\n");
}

static void parentheses_are_printed_where_needed(void)
{
    keeps("kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2");
    keeps("kinetic a - (b - c) - (-d) + (-e*f)*g");
    keeps("kinetic -a*(-b) + (-c)");
    prints("kinetic a + -b*c", "kinetic a + (-b*c)\n");
    prints("kinetic (((a)))", "kinetic a\n");
    prints("kinetic (a*b)*c + ((x^2))", "kinetic (a*b)*c + x^2\n");
    prints("kinetic x^(-1) + x^(-y) + x^(-(y*z)) + x^-y^2",
           "kinetic x^-1 + x^-y + x^(-(y*z)) + x^(-y^2)\n");
    prints("kinetic (3)' + (x^2)' + (-x).y", "kinetic (3)' + (x^2)' + (-x).y\n");
    prints("kinetic if((a<b)and((c<d)or not(e==f)),1,2)",
           "kinetic if(a < b and (c < d or not e == f), 1, 2)\n");
    keeps("kinetic sum(i in 1..N, i != k : x[i]) + sum(j in k..2*N + 1 : j)^2");
    keeps("kinetic if(a <= b or c >= d and e > f, 1, 2)");
    keeps("kinetic if((a < b or c != d) and e == f, 1, 2)");
    prints("kinetic -(-x)", "kinetic -(-x)\n");
    prints("kinetic a^b^c + (a^b)^c", "kinetic a^b^c + (a^b)^c\n");
}

static void every_node_has_its_span(void)
{
    const char *text = "kinetic  (a + bb) * f(x, [1,2])' # done";
    Lab lab;
    lab_open(&lab, text);
    const KalNode *kinetic = kal_tree_first(lab.tree);
    const KalNode *product = kinetic->of.unary.operand;
    const KalNode *sum = product->of.list.items;
    const KalNode *prime = sum->next;
    const KalNode *call = prime->of.unary.operand;
    ok(kinetic->span.begin == 0 && kinetic->span.end == 32);
    ok(product->span.begin == 9 && product->span.end == 32);
    ok(sum->span.begin == 10 && sum->span.end == 16);
    ok(sum->of.list.items->next->span.begin == 14);
    ok(prime->span.begin == 20 && prime->span.end == 32);
    ok(call->span.begin == 20 && call->span.end == 31);
    ok(call->span.source == lab.source);
    lab_close(&lab);
}

static void errors_of_expressions_are_told_with_their_place(void)
{
    refuses("kinetic",
            "m:1:8: error: expected an expression, found the end of the text");
    refuses("kinetic\n",
            "m:1:8: error: expected an expression, found the end of the line");
    refuses("kinetic )", "m:1:9: error: expected an expression, found ')'");
    refuses("kinetic 2 x", "m:1:11: error: expected an operator or the end of the "
                           "statement, found 'x'; a product is written with *");
    refuses("kinetic 2(x)",
            "m:1:10: error: expected an operator; a product is written");
    refuses("kinetic (a)(b)", "m:1:12: error: expected an operator; a product");
    refuses("kinetic (a.b)(c)", "m:1:14: error: expected an operator; a product");
    refuses("kinetic f(x)(y)", "m:1:13: error: expected an operator; a product");
    refuses("kinetic (a + b",
            "m:1:15: error: expected an operator or ')', found the end");
    refuses("kinetic (a b)", "m:1:12: error: expected an operator or ')', found 'b'; a "
                             "product is written with *");
    refuses("kinetic [a; b]",
            "m:1:11: error: expected an operator, ',' or ']', found ';'; "
            "the rows of a matrix are vectors");
    refuses("kinetic []", "m:1:10: error: expected an expression, found ']'");
    refuses("kinetic x [3]", "m:1:11: error: expected an operator or the end of the "
                             "statement, found '['; an index follows its name");
    refuses("kinetic 1[kg]", "m:1:10: error: a number has no index; a space stands");
    refuses("kinetic 3'", "m:1:10: error: a number has neither a derivative");
    refuses("kinetic a + force x", "m:1:13: error: expected an expression, found the "
                                   "statement word 'force'");
    refuses("kinetic a +\nforce x = 1",
            "m:2:1: error: expected an expression, found the "
            "statement word 'force'");
    refuses("kinetic \"a\"", "m:1:9: error: expected an expression, found a text");
    refuses("kinetic x''''''''''", "m:1:9: error: too many primes");
    refuses("kinetic a.",
            "m:1:11: error: expected the name of a member, found the end");
    refuses("kinetic a.1",
            "m:1:10: error: a digit is missing before the decimal point");
    refuses("kinetic a = b", "m:1:11: error: expected an operator or the end of the");
    refuses("kinetic f(a = b)",
            "m:1:13: error: expected an operator, ',' or ')', found "
            "'='; equality is asked with ==");
    refuses("kinetic 1e999", "m:1:9: error: this number is too large");
    refuses("kinetic 1e99999999999", "m:1:9: error: this number is too large");
    refuses("kinetic 1e-99999999999", "m:1:9: error: this number is too small");
    refuses("kinetic 1e-999", "m:1:9: error: this number is too small");
}

static void errors_of_conditions_are_told_with_their_place(void)
{
    refuses("kinetic a < b", "m:1:9: error: a condition has no value");
    refuses("kinetic 1 + (a < b)", "m:1:14: error: a condition has no value");
    refuses("kinetic -(a < b)", "m:1:11: error: a condition has no value");
    refuses("kinetic (a < b)^2", "m:1:10: error: a condition has no value");
    refuses("kinetic 2^(a < b)", "m:1:12: error: a condition has no value");
    refuses("kinetic (a < b)'", "m:1:10: error: a condition has no value");
    refuses("event e: a > b stop",
            "m:1:10: error: an event happens where a value crosses zero: write x - 1 "
            "rising for x > 1");
    refuses("kinetic f(a and b)", "m:1:11: error: expected a condition, such as x > 0");
    refuses("kinetic if(x, 1, 2)",
            "m:1:12: error: expected a condition, such as x > 0");
    refuses("kinetic if(a < b < c, 1, 2)", "m:1:18: error: comparisons do not chain");
    refuses("kinetic if((a < b) < c, 1, 2)", "m:1:13: error: a condition has no value");
    refuses("kinetic if(a < b and c, 1, 2)", "m:1:22: error: expected a condition");
    refuses("kinetic if(not c, 1, 2)", "m:1:16: error: expected a condition");
    refuses("kinetic if(a < b, 1)",
            "m:1:20: error: expected ',' (an if has three parts: "
            "if(condition, a, b)), found ')'");
    refuses("kinetic if(a = b, 1, 2)", "m:1:14: error: equality is asked with ==");
    refuses("kinetic 1 + not a", "m:1:13: error: expected an expression, found 'not'");
}

static void errors_of_sums_are_told_with_their_place(void)
{
    refuses("kinetic sum(i in 1 : x)",
            "m:1:20: error: expected '..' and the end of the");
    refuses("kinetic sum(i in 1..3, x)", "m:1:24: error: expected a condition");
    refuses("kinetic sum(i in 1..3, i > 2)",
            "m:1:29: error: expected an operator or ':'");
    refuses("kinetic sum(i in 1..3)", "m:1:22: error: expected an operator, ',' or ':' "
                                      "and what is summed, found ')'");
    refuses("kinetic sum(i = 1..3 : x)", "m:1:15: error: expected a sum like sum(i in");
    refuses("kinetic sum(t in 1..3 : x)", "m:1:13: error: t (time), pi and deg");
}

TAP_RUN(TAP_CASE(operators_have_their_ranks),
        TAP_CASE(powers_bind_to_the_right_and_tighter_than_signs),
        TAP_CASE(primes_follow_names_indices_members_and_brackets),
        TAP_CASE(access_goes_on_and_on), TAP_CASE(functions_and_vectors_take_lists),
        TAP_CASE(conditions_stand_in_if_and_sum),
        TAP_CASE(built_in_and_contextual_words_may_be_names),
        TAP_CASE(numbers_are_exact), TAP_CASE(parentheses_are_printed_where_needed),
        TAP_CASE(every_node_has_its_span),
        TAP_CASE(errors_of_expressions_are_told_with_their_place),
        TAP_CASE(errors_of_conditions_are_told_with_their_place),
        TAP_CASE(errors_of_sums_are_told_with_their_place))
