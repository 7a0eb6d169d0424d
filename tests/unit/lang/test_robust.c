// SPDX-License-Identifier: MIT

// Untrusted text: limits, memory, and words in no order at all.

#include "lab.h"
#include "rng.h"

static const char EVERYTHING[] =
    "model \"all \\\"of\\\" it\"\nparam m = 1 [kg], x0[3] = [0, 2.5, 5e-1] [m]\n"
    "use planar; use \"file.kal\"\ncoord x[3] [m], θ [rad]\n"
    "let P[i] = R*[x[1], -x[2]]' + f(θ'', 2)^-1\nkinetic 1/2*m*(x[1]'^2 + θ'^2)\n"
    "potential sum(i in 1..3, i != 2 and not i > 5 : m*g*x[i])\n"
    "dissipation if(x[1] < 0 or t >= 2, 1, 2)*θ'^2\npower F*θ'\nforce θ = 1, a.b = 2\n"
    "mass[θ, x[1]] = 3\nconstraint c[1]: [x[1], x[2]] = [1, 2]\n"
    "nonideal θ = reaction(c[1])\nnonideal power -θ'\nprescribe θ = t\n"
    "actuator u: θ', limit = 5\nservo s: θ = 1, rate = 2\ninit θ = 1, θ' ~ 2\n"
    "simulate 0 .. 1 every 0.1, rtol = 1e-9, method = auto, drift = stabilize(3)\n"
    "output e = energy() [J]\nevent hit: θ [falling] set θ' = -θ', release c[1], stop\n"
    "plot θ, x[1] against t\ndraw line [0, 0] -> P\ndraw box P size [1, 2] angle θ\n"
    "draw circle P radius 1\nfor i in 1..3 {\n  component A(p, q = 2 [m]) { coord y "
    "}\n}\n"
    "part a[i in 1..3] = A(p = i), b = A(1)\nfn f(a, b) = a + b\n";

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 1000; n++) {
        Lab lab;
        lab_open_with(&lab, EVERYTHING, strlen(EVERYTHING), n);
        status = lab.status;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !lab.tree));
        lab_close(&lab);
    }
    ok(status == KAL_OK && n > 5);
}

// The text has errors, unless there is no memory to tell of them.
static void fails_in_every_allocation(const char *text)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_ERR_SYNTAX && n < 1000; n = fault_next(n)) {
        Lab lab;
        lab_open_with(&lab, text, strlen(text), n);
        status = lab.status;
        ok(status == KAL_ERR_SYNTAX || status == KAL_ERR_NOMEM);
        ok(!lab.tree);
        lab_close(&lab);
    }
    ok(status == KAL_ERR_SYNTAX);
}

static void so_may_those_of_errors(void)
{
    static char text[20000];
    for (int i = 0; i < 200; i++) {
        strcat(text, "let a = (1 + ]\nlet b = 1 + 2*x\nforce $\n");
    }
    fails_in_every_allocation(text);
    text[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(text, "$\n");
    }
    fails_in_every_allocation(text);
}

// A text of a head, a piece n times, a middle, another piece n times and a tail.
static const char *repeat(const char *head, const char *piece, int n,
                          const char *middle, const char *other, const char *tail)
{
    static char *text;
    const size_t size = strlen(head) + strlen(middle) + strlen(tail)
                        + (size_t)n * (strlen(piece) + strlen(other)) + 1;
    free(text);
    text = malloc(size);
    if (!text) {
        abort();
    }
    char *end = text + snprintf(text, size, "%s", head);
    for (int i = 0; i < n; i++) {
        end += snprintf(end, size - (size_t)(end - text), "%s", piece);
    }
    end += snprintf(end, size - (size_t)(end - text), "%s", middle);
    for (int i = 0; i < n; i++) {
        end += snprintf(end, size - (size_t)(end - text), "%s", other);
    }
    snprintf(end, size - (size_t)(end - text), "%s", tail);
    return text;
}

static void parses(const char *text)
{
    Lab lab;
    lab_open(&lab, text);
    if (!ok(lab.status == KAL_OK)) {
        printf("# %s\n", lab_errors(&lab));
    }
    lab_close(&lab);
}

// There is one error, and it says `want`.
static void refuses_once(const char *text, const char *want)
{
    Lab lab;
    lab_open(&lab, text);
    ok(lab.status == KAL_ERR_SYNTAX);
    has_text(lab_errors(&lab), want);
    if (!ok(kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 1)) {
        printf("# %.300s: %.2000s\n", text, lab_errors(&lab));
    }
    lab_close(&lab);
}

// Nesting that is allowed is parsed, more is refused where it is too much, and much more
// does not exhaust the stack.
static void nesting_has_a_limit(void)
{
    static const struct {
        const char *head;
        const char *open;
        const char *middle;
        const char *close;
    } nests[] = {
        {"let a = ",    "(",                 "x",     ")"  },
        {"let a = ",    "[",                 "x",     "]"  },
        {"let a = ",    "-",                 "x",     ""   },
        {"let a = ",    "+",                 "x",     ""   },
        {"let a = ",    "x^",                "x",     ""   },
        {"let a = ",    "f(",                "x",     ")"  },
        {"let a = ",    "x[",                "1",     "]"  },
        {"let a = ",    "if(x > 0, 1, ",     "1",     ")"  },
        {"let a = ",    "sum(i in 1..2 : ",  "1",     ")"  },
        {"let a = ",    "x*(1 + ",           "1",     ")"  },
        {"let a = if(", "not ",              "x > 0", ""   },
        {"let a = if(", "(x > 1 and ",       "x > 0", ")"  },
        {"coord x [",   "(",                 "m",     ")"  },
        {"",            "for i in 1..2 {\n", "",      "}\n"},
        {"",            "component A() {\n", "",      "}\n"},
    };

    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        const char *tail = strstr(nests[i].head, "if(") ? ", 1, 2)"
                           : strstr(nests[i].head, "[") ? "]"
                                                        : "";
        parses(repeat(nests[i].head, nests[i].open, 30, nests[i].middle, nests[i].close,
                      tail));
        refuses_once(repeat(nests[i].head, nests[i].open, 210, nests[i].middle,
                            nests[i].close, tail),
                     "nested too deeply");
        refuses_once(repeat(nests[i].head, nests[i].open, 100000, nests[i].middle,
                            nests[i].close, tail),
                     "nested too deeply");
    }
}

// Members and indices make deep trees without recursion; long sums are not deep at all.
static void trees_have_a_limit_too(void)
{
    parses(repeat("let a = x", ".y", 150, "", "", ""));
    refuses_once(repeat("let a = x", ".y", 1000, "", "", ""), "nested too deeply");
    refuses_once(repeat("let a = x", "[1]", 1000, "", "", ""), "nested too deeply");
    refuses_once(repeat("force x", "[1]", 1000, " = 1", "", ""), "nested too deeply");
    refuses_once(repeat("init x", ".y", 1000, " = 1", "", ""), "nested too deeply");
    parses(repeat("let a = x", " + x", 100000, "", "", ""));
    parses(repeat("let a = x", "*x/y", 100000, "", "", ""));
    parses(repeat("let a = if(x > 0", " and x > 1", 10000, "", " or x < 2", ", 1, 2)"));
    parses(repeat("let a = [x", ", x", 100000, "", "", "]"));
    parses(repeat("coord x", ", x", 100000, "", "", ""));
    refuses_once(repeat("let a = x", "'", 100000, "", "", ""), "too many primes");
}

static double peak_bytes; // of the last text measured, for each of its bytes

static void measure(const char *text)
{
    Lab lab;
    const size_t length = strlen(text);
    lab_open(&lab, text);
    ok(lab.status == KAL_OK);
    const double bytes = (double)kal_context_bytes(lab.ctx);
    const double chunk = 1 << 20; // the arena's last one may be all but empty
    peak_bytes = (bytes - chunk - 1e5 - (double)length) / (double)length;
    ok(peak_bytes <= KAL_PARSE_BYTES);
    lab_close(&lab);
}

// Memory is bounded by a multiple of the text, however dense that is.
static void memory_is_bounded_by_the_text(void)
{
    measure(repeat("let a = 1", "+1", 400000, "", "", ""));
    measure(repeat("let a = x", "*x", 400000, "", "", ""));
    measure(repeat("coord x", ",x", 400000, "", "", ""));
    measure(repeat("", "let a=--------------------x\n", 30000, "", "", ""));
    measure(repeat("", "init x=-1,y=2\n", 50000, "", "", ""));
    measure(repeat("", "use \"\"\n", 100000, "", "", ""));
    measure(repeat("", "fn f()=1\n", 80000, "", "", ""));
    measure(repeat("", "part a=A,b=B\n", 50000, "", "", ""));
    measure(repeat("", "let v=a.b.c.d.e.f[1][2][3]\n", 30000, "", "", ""));
    measure(
        repeat("", "# a comment that is long, as comments are\n", 50000, "", "", ""));
}

static void megabytes_of_text_are_read(void)
{
    const char *text =
        repeat("", "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n", 40000, "", "", "");
    parses(text);
    measure(text);
}

static void too_many_tokens_are_refused(void)
{
    Lab lab;
    lab_open(&lab, repeat("let a = 1", "+1", KAL_TOKEN_LIMIT / 2, "", "", ""));
    ok(lab.status == KAL_ERR_LIMIT && !lab.tree);
    has_text(lab_errors(&lab),
             "the text is too long: more than 2000000 words and signs");
    ok(kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 1);
    lab_close(&lab);

    // also among statements that are passed over
    lab_open(&lab, repeat("let a = (]", " +", KAL_TOKEN_LIMIT, "", "", ""));
    ok(lab.status == KAL_ERR_LIMIT);
    has_text(lab_errors(&lab), "more than 2000000 words and signs");
    lab_close(&lab);
    lab_open(&lab, repeat("", "{}", KAL_TOKEN_LIMIT, "", "", ""));
    ok(lab.status == KAL_ERR_LIMIT);
    lab_close(&lab);
}

static void hopeless_texts_give_limited_messages(void)
{
    Lab lab;
    lab_open(&lab, repeat("", "let a = $\n", 50000, "", "", ""));
    ok(lab.status == KAL_ERR_SYNTAX);
    ok(kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 50000);
    has_text(lab_errors(&lab), "and 49900 more errors");
    ok(kal_context_bytes(lab.ctx) < 3000000);
    lab_close(&lab);
    lab_open(&lab, repeat("", "}\n", 50000, "", "", ""));
    ok(kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 50000);
    lab_close(&lab);
}

// Words and signs in no order: no crash, no leak, and always an answer.
static void any_soup_of_tokens_is_survived(void)
{
    static const char *const words[] = {
        "model ",      "param ",    "coord ",
        "let ",        "kinetic ",  "potential ",
        "force ",      "mass",      "for ",
        "constraint ", "nonideal ", "power ",
        "servo ",      "actuator ", "init ",
        "simulate ",   "output ",   "event ",
        "plot ",       "draw ",     "part ",
        "component ",  "use ",      "fn ",
        "x",           "θ",         "i ",
        "in ",         "every ",    "rising ",
        "stop ",       "set ",      "release ",
        "line ",       "box ",      "size ",
        "if(",         "sum(",      "sum(i in 1..3 : ",
        "and ",        "or ",       "not ",
        "1",           "2.5",       "1e3",
        "\"s\"",       "'",         "(",
        ")",           "[",         "]",
        "{",           "}",         ",",
        ":",           ".",         "..",
        "->",          "=",         "~",
        "+",           "-",         "*",
        "/",           "^",         "<",
        "==",          "!=",        ";",
        "\n",          "\n",        " ",
        " [",          " = ",       "# c\n",
        "$",           "rate = ",   ", ",
    };
    Rng rng = {11};
    for (int round = 0; round < 20000; round++) {
        char text[1000] = "";
        const int n = rng_int(&rng, 1, 60);
        for (int i = 0; i < n; i++) {
            strcat(text, words[rng_int(&rng, 0, sizeof words / sizeof words[0] - 1)]);
        }
        Lab lab;
        lab_open(&lab, text);
        ok(lab.status == KAL_OK || lab.status == KAL_ERR_SYNTAX);
        ok((lab.status == KAL_OK) == (lab.tree != NULL));
        ok((lab.status == KAL_OK)
           == (kal_diagnostics_count(lab.diagnostics, KAL_SEVERITY_ERROR) == 0));
        lab_close(&lab);
    }
}

// A good model with bytes changed, dropped and doubled.
static void any_mutation_of_a_model_is_survived(void)
{
    static const char bytes[] = "()[]{}'\".,:;=~+-*/^<>!#$ \n\tax10\xce\xb8";
    Rng rng = {12};
    for (int round = 0; round < 5000; round++) {
        char text[sizeof EVERYTHING];
        memcpy(text, EVERYTHING, sizeof EVERYTHING);
        size_t length = sizeof EVERYTHING - 1;
        for (int i = rng_int(&rng, 1, 5); i > 0; i--) {
            const size_t at = (size_t)rng_int(&rng, 0, (int)length - 1);
            if (rng_int(&rng, 0, 2) == 0) {
                memmove(text + at, text + at + 1, length - at - 1);
                length--;
            } else {
                text[at] = bytes[rng_int(&rng, 0, sizeof bytes - 2)];
            }
        }
        Lab lab;
        lab_open_with(&lab, text, length, -1);
        ok(lab.status == KAL_OK || lab.status == KAL_ERR_SYNTAX);
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(every_allocation_may_fail), TAP_CASE(so_may_those_of_errors),
        TAP_CASE(nesting_has_a_limit), TAP_CASE(trees_have_a_limit_too),
        TAP_CASE(memory_is_bounded_by_the_text), TAP_CASE(megabytes_of_text_are_read),
        TAP_CASE(too_many_tokens_are_refused),
        TAP_CASE(hopeless_texts_give_limited_messages),
        TAP_CASE(any_soup_of_tokens_is_survived),
        TAP_CASE(any_mutation_of_a_model_is_survived))
