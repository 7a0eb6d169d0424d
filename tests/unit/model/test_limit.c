// SPDX-License-Identifier: MIT

// Texts that ask for too much, and memory that fails.

#include "model.h"
#include "rng.h"

// A head, a piece with a number in it n times, and a tail.
static char *repeat(const char *head, const char *piece, int n, const char *tail)
{
    const size_t size =
        strlen(head) + strlen(tail) + (size_t)n * (strlen(piece) + 40) + 1;
    char *text = malloc(size);
    if (!text) {
        abort();
    }
    char *end = text + snprintf(text, size, "%s", head);
    for (int i = 1; i <= n; i++) {
        for (const char *c = piece; *c; c++) {
            if (*c == '#' || *c == '@') { // the number, and the one before
                end += snprintf(end, 16, "%d", *c == '#' ? i : i - 1);
            } else {
                *end++ = *c;
            }
        }
    }
    memcpy(end, tail, strlen(tail) + 1);
    return text;
}

// Limits are tried at a fiftieth of their size, or whole where the environment has
// KAL_TEST_ALL: then this program takes half a minute, and minutes under sanitizers.
static size_t divisor(void)
{
    return getenv("KAL_TEST_ALL") ? 1 : 50;
}

// A text with a limit, as it is here, where it has a %; the next call writes over it.
static const char *with_limit(const char *text, size_t limit)
{
    static char filled[200];
    const char *place = strchr(text, '%');
    if (place) {
        snprintf(filled, sizeof filled, "%.*s%zu%s", (int)(place - text), text,
                 limit / divisor(), place + 1);
    }
    return place ? filled : text;
}

static void is_too_much(const char *head, const char *piece, int n, const char *tail,
                        const char *part, size_t limit)
{
    char *text = repeat(head, piece, n, tail);
    Lab lab;
    lab_begin(&lab, -1, divisor());
    lab_make(&lab, text, NULL);
    ok(lab.status == KAL_ERR_LIMIT && !lab.model);
    has_text(lab_messages(&lab), with_limit(part, limit));
    lab_close(&lab);
    free(text);
}

static void is_refused(const char *head, const char *piece, int n, const char *tail,
                       const char *part)
{
    char *text = repeat(head, piece, n, tail);
    Lab lab;
    lab_open(&lab, text);
    ok(lab.status == KAL_ERR_SYNTAX && !lab.model);
    has_text(lab_messages(&lab), part);
    lab_close(&lab);
    free(text);
}

static void loops_end(void)
{
    is_too_much("coord x\n", "", 0,
                "kinetic sum(i in 1..1000000 : sum(j in 1..1000000 : 0*x))\n",
                "go through more than % passes", KAL_BUILD_PASSES);
    is_too_much("", "", 0, "for i in 1..100000000 { }\n", "this range is too large", 0);
    is_too_much("", "", 0, "for i in 1..9223372036854775807 { }\n",
                "this range is too large", 0);
    is_too_much("", "for i# in 1..100 {\n", 10, "}}}}}}}}}}\n", "more than % passes",
                KAL_BUILD_PASSES);
}

static void arrays_end(void)
{
    const size_t most = KAL_BUILD_SCALARS;
    const char *few = "an array has at most % elements";
    is_too_much("coord x[2000000]\n", "", 0, "", few, most);
    is_too_much(with_limit("let a[% + 1] = 1\n", most), "", 0, "", few, most);
    is_too_much(with_limit("param n = %/1000\n", most), "", 0,
                "coord x[n][1000], y[1000]\n", "more than % numbers", most);
    is_too_much(with_limit("param n = %\n", most), "", 0, "param x[n] = 1, y = 2\n",
                "more than % numbers", most);
    is_too_much("let v0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n",
                "let v# = [v@, v@, v@, v@, v@, v@, v@, v@, v@, v@]\n", 7, "",
                "more than %", most);
}

static void parts_end(void)
{
    is_too_much("component A { coord x\nkinetic x'^2 }\n", "", 0,
                "part a[i in 1..200000] = A\n", "it has more than % parts",
                KAL_BUILD_PARTS);
    is_too_much("component C0 { coord x\nkinetic x'^2 }\n",
                "component C# { part a = C@, b = C@ }\n", 40, "part a = C40\n",
                "it has more than % parts", KAL_BUILD_PARTS);
}

static void pieces_end(void)
{
    char sum[200];
    snprintf(sum, sizeof sum, "%s",
             with_limit("let u = sum(i in 1..%/2 : v7)\n", KAL_BUILD_PASSES));
    is_too_much("let v0 = [1, 2]\n", "let v# = [v@, v@]\n", 7, sum,
                "more than % pieces", KAL_BUILD_STEPS);
    is_too_much("coord x\nfn f0(x) = x + 1\n", "fn f#(x) = f@(x) + f@(x + 1)\n", 40,
                "kinetic f40(x)\n", "more than % pieces", KAL_BUILD_STEPS);
}

static void functions_end(void)
{
    is_refused("coord x\nfn f0(x) = x\n", "fn f#(x) = f@(x)\n", 60, "kinetic f60(x)\n",
               "functions may call each other 50 levels deep");
    is_refused("component C0 { coord x\nkinetic x'^2 }\n",
               "component C# { part a = C@ }\n", 60, "part a = C60\n",
               "parts may be in each other 50 levels deep");
    is_refused("fn f(a0", ", a#", 200, ") = 1\n", "at most 100 arguments are possible");
    is_refused(
        "coord x\nlet y = 1\nfn f0(x) = x\n",
        "fn f#(x) = ((((((((((((((((((((((((((((((f@(x)^2)^2)^2)^2)^2)^2)^2)^2)^2)"
        "^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)\n",
        45, "kinetic f45(y)\n", "nested too deeply");
}

static void names_end(void)
{
    is_refused(
        "component C0 { coord x\nkinetic x'^2 }\n",
        "component C# { part "
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = C@ }\n",
        30, "part a = C30\n", "at most 1000 bytes long");
    is_refused("", "let a[1][1][1][1][1][1][1][1][1] = 1\n", 1, "",
               "a name has at most 8 indices");
    is_refused("let v0 = [1]\n", "let v# = [v@]\n", 9, "", "in each other 8 times");
}

// Thousands of different errors take no longer than as many statements.
static void errors_end(void)
{
    is_refused("coord x\n", "kinetic unknown# + also_unknown#\n", 50000, "",
               "unknown name 'unknown1'");
}

static const char EVERYTHING[] =
    "model \"all\"\nuse planar\nparam m = 1 [kg], n = 2, x0[n] = [0, 2.5], a = 3 "
    "[deg]\n"
    "coord x[n] [m], th [rad], q\nfn f(u, v) = u*v + 2.0*sqrt(u)\n"
    "for i in 1..n { let P[i] = [x[i], sin(th)]\nlet Q[i][2] = i*x[i] }\n"
    "component A(p, r = 2*p) {\n  coord y\n  param k = r\n  let s = [y, p]\n"
    "  kinetic k*y'^2\n  constraint c: s = [1, p]\n  init y = k\n  fn g(z) = z + y\n}\n"
    "part b[i in 1..2] = A(p = i), d = A(3)\n"
    "kinetic 1/2*m*dot(x', x') + sum(i in 1..n, i != 3 : 2.0*th'^2 + 3.0*P[i]'.y^2)\n"
    "potential 0.5*f(x[1], x[2]) + 2.0*d.g(x[1])\ndissipation if(x[1] < 0, 1.5, "
    "2.5)*th'^2\n"
    "power 2.0*th'\npower -m*th' along 3.0*th'\nforce th = 1.0*m, x = [1, 2]\nmass[th, "
    "q] = "
    "3\n"
    "constraint rod: x[1]/x[2] = 2*q\nnonideal th = 2.0*reaction(rod)\n"
    "nonideal power -th'*3.0\nprescribe q = t\nactuator u: th', limit = 5\n"
    "servo s: th = 1, rate = 2\ninit th = a, th' ~ 2, x = x0\n"
    "simulate 0 .. 1 every 0.1, rtol = 1e-9, method = auto, drift = stabilize(3)\n"
    "output e = energy() [J], w = P[1]*q, z = cforce(th) + drive(q) + control(u)\n"
    "event hit: th [falling] set th' = -th', release rod, stop\n"
    "plot th, P[2] against t\ndraw line [0, 0] -> P[1] -> P\n"
    "draw box P[2] size [1, 2] angle th\ndraw circle P[1] radius 1\n"
    "part body = Body(m = 1, I = 2)\noutput used = Q[1][2]*b[1].s\n";

static void every_allocation_may_fail(void)
{
    const KalOverride overrides[] = {
        {"m", "2*3"}
    };
    const KalBuildOptions options = {.overrides = overrides, .n_overrides = 1};
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status == KAL_ERR_NOMEM && n < 5000; n++) {
        Lab lab;
        lab_open_with(&lab, EVERYTHING, &options, n);
        status = lab.status;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !lab.model));
        if (status == KAL_ERR_SYNTAX) {
            printf("# %s\n", lab_messages(&lab));
        }
        lab_close(&lab);
    }
    ok(status == KAL_OK && n > 100);
}

static void so_may_those_of_errors(void)
{
    const char *text =
        "coord x[nn]\nparam k = kk\nkinetic k*x[1]'^2/0 + yy\n"
        "use none\ninit k = 3\nsimulate 0..1 every 0\nparam k = 1 [foo]\n"
        "event e: x release z\noutput o = reaction(k)\nkinetic 1/0\n";
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_ERR_SYNTAX && n < 5000; n = fault_next(n)) {
        Lab lab;
        lab_open_with(&lab, text, NULL, n);
        status = lab.status;
        ok(status == KAL_ERR_SYNTAX || status == KAL_ERR_NOMEM);
        ok(!lab.model);
        lab_close(&lab);
    }
    ok(status == KAL_ERR_SYNTAX);
}

static const char *const WORDS[] = {"x",
                                    "x'",
                                    "x''",
                                    "[x, y]",
                                    "a",
                                    "a.y",
                                    "a[1]",
                                    "P[i]",
                                    "f(x, y)",
                                    "3",
                                    "0",
                                    "1/2",
                                    "t",
                                    "P",
                                    "rod",
                                    "reaction(rod)",
                                    "n",
                                    "i",
                                    "[[1, 2], [3, 4]]",
                                    "energy()",
                                    "y[2]",
                                    "sum(i in 1..n : y[i])",
                                    "-x^2",
                                    "A"};

// Each $ becomes a word.
static const char *const FRAMES[] = {
    "let a = $ + $\n",         "kinetic $*$\n",
    "constraint c: $ = $\n",   "init $ = $\n",
    "force $ = $\n",           "output o = $/$\n",
    "param k = $^$\n",         "part b = A($, $)\n",
    "draw line $ -> $\n",      "plot $ against $\n",
    "event e: $ set x' = $\n", "for i in $..$ { let q[i] = i }\n",
    "let s = dot($, $)\n",     "servo s: $ = $, rate = 1\n",
    "coord q[$], r[$]\n",      "let z = if($ > $, 1, x)\n",
    "let w = cross($, $)'\n",  "mass[x, y] = $*$\n",
    "simulate $..$ every 1\n", "prescribe x = $ + $\n",
    "let m = min($, $)\n"};

static size_t add_random_line(Rng *rng, char *text, size_t length, size_t size)
{
    const int frame = rng_int(rng, 0, (int)(sizeof FRAMES / sizeof FRAMES[0]) - 1);
    for (const char *c = FRAMES[frame]; *c; c++) {
        const int word = rng_int(rng, 0, (int)(sizeof WORDS / sizeof WORDS[0]) - 1);
        const char one[] = {*c, '\0'};
        length += (size_t)snprintf(text + length, size - length, "%s",
                                   *c == '$' ? WORDS[word] : one);
    }
    return length;
}

// Statements made of words in any order: any outcome but a crash.
static void shuffled_words_are_harmless(void)
{
    Rng rng = {7};
    for (int i = 0; i < 3000; i++) {
        char text[4000] = "param n = 2\ncoord x, y[n]\nconstraint rod: x = 1\n"
                          "fn f(u, v) = u*v\nlet P = [x, y[1]]\n"
                          "component A(p, r = 1) { coord y\nlet s = p }\n";
        size_t length = strlen(text);
        for (int j = 0; j < 5; j++) {
            length = add_random_line(&rng, text, length, sizeof text);
        }
        Lab lab;
        lab_open(&lab, text);
        ok(lab.status == KAL_OK || lab.status == KAL_ERR_SYNTAX
           || lab.status == KAL_ERR_LIMIT);
        ok((lab.status == KAL_OK) == (lab.model != NULL));
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(loops_end), TAP_CASE(arrays_end), TAP_CASE(parts_end),
        TAP_CASE(pieces_end), TAP_CASE(functions_end), TAP_CASE(names_end),
        TAP_CASE(errors_end), TAP_CASE(every_allocation_may_fail),
        TAP_CASE(so_may_those_of_errors), TAP_CASE(shuffled_words_are_harmless))
