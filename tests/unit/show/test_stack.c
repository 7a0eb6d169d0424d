// SPDX-License-Identifier: MIT

// Texts that are nested as deeply as they can be, in threads whose stack is no larger than
// kalaba/context.h asks for.

#include "tap.h"

#include <kalaba/kalaba.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

enum {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    STACK = 4 * KAL_STACK_SIZE, // frames of instrumented code are larger
#else
    STACK = KAL_STACK_SIZE,
#endif
    TEXT_SIZE = 1 << 20,
    UNTOUCHED = 0xA5
};

typedef struct Text {
    char *data;
    size_t length;
} Text;

static void add(Text *text, const char *more)
{
    const size_t length = strlen(more);
    if (text->length + length < TEXT_SIZE) {
        memcpy(text->data + text->length, more, length + 1);
        text->length += length;
    }
}

static void add_times(Text *text, const char *more, int count)
{
    for (int i = 0; i < count; i++) {
        add(text, more);
    }
}

// How texts are nested: what opens a level, the middle, what closes it, and how often.
typedef struct Nest {
    const char *before;
    const char *open;
    const char *middle;
    const char *close;
    const char *after;
    int levels;
} Nest;

static const char *const tail = "\ncoord x\nkinetic 1/2*x'^2 + f(x)\n";

static const Nest nests[] = {
    {"fn f(x) = ",                  "(",                    "x",       ")",   "",  195},
    {"fn f(x) = ",                  "sin(",                 "x",       ")",   "",  95 },
    {"fn f(x) = ",                  "1+(",                  "x",       ")",   "",  95 },
    {"fn f(x) = ",                  "1/(x+",                "x",       ")",   "",  95 },
    {"fn f(x) = ",                  "if(x>0,",              "x",       ",x)", "",  95 },
    {"fn f(x) = ",                  "if(not(x>0 and 1<x),", "x",       ",x)", "",  60 },
    {"fn f(x) = ",                  "sum(i in 1..1: ",      "x",       ")",   "",  95 },
    {"fn f(x) = ",                  "x^",                   "x",       "",    "",  190},
    {"fn f(x) = ",                  "-",                    "x",       "",    "",  190},
    {"fn f(x) = ",                  "(-(1+x*",              "x",       "))",  "",  60 },
    {"fn f(x) = x + ",              "[",                    "1",       "]",   "",  190},
    {"fn f(x) = x\nparam a = 1 ",   "[m*",                  "m",       "]",   "",  1  },
    {"fn f(x) = x\nparam a = 1 [m", "*(m",                  "*m",      ")",   "]", 190},
    {"fn f(x) = x\n",               "for i in 1..1 {\n",    "let y=1", "\n}", "",  32 },
    {"fn f(x) = x\n",               "component A {\n",      "coord z", "\n}", "",  40 },
    {"fn f(x) = x\nparam a = ",     "(2+",                  "1",       ")",   "",  100},
};

// Functions that call each other, each from within many brackets.
static void add_functions(Text *text)
{
    char line[64];
    add(text, "fn g0(x) = x\n");
    for (int i = 1; i < 49; i++) {
        (void)snprintf(line, sizeof line, "fn g%d(x) = ", i);
        add(text, line);
        add_times(text, "1/(1+", 90);
        (void)snprintf(line, sizeof line, "g%d(x)", i - 1);
        add(text, line);
        add_times(text, ")", 90);
        add(text, "\n");
    }
    add(text, "fn f(x) = g48(x)\n");
}

// The same with one level in each.
static void add_plain_functions(Text *text)
{
    char line[64];
    add(text, "fn g0(x) = x\n");
    for (int i = 1; i < 49; i++) {
        (void)snprintf(line, sizeof line, "fn g%d(x) = 1/(1 + g%d(x)^2)\n", i, i - 1);
        add(text, line);
    }
    add(text, "fn f(x) = g6(x)\n");
}

// Parts in parts.
static void add_parts(Text *text)
{
    char line[128];
    add(text, "component A0(k = 1) { coord z; kinetic k*z'^2 }\n");
    for (int i = 1; i < 50; i++) {
        (void)snprintf(line, sizeof line,
                       "component A%d(k = 1) { part a[j in 1..1] = A%d(k = k) }\n", i,
                       i - 1);
        add(text, line);
    }
    add(text, "part a = A49(k = 2)\nfn f(x) = x\n");
}

static void ignore(void *user, const char *text, size_t length)
{
    *(size_t *)user += text ? length : 0;
}

static void show(KalContext *ctx, const KalSystem *system)
{
    static const KalShowFormat formats[] = {KAL_SHOW_TEXT, KAL_SHOW_LATEX,
                                            KAL_SHOW_JSON};
    size_t shown = 0;
    for (int i = 0; i < 3; i++) {
        const KalShowOptions options = {.format = formats[i], .closed_form = true};
        const KalStatus status =
            kal_show_system(ctx, system, &options, (KalSink){ignore, &shown});
        ok(status == KAL_OK || status == KAL_ERR_LIMIT);
    }
}

static void use(KalContext *ctx, KalSystem *system)
{
    KalInstant *instant = NULL;
    KalMotionAnswer answer;
    Text text = {.data = malloc(TEXT_SIZE)};
    ok(kal_instant_create(ctx, system, &instant) == KAL_OK);
    add(&text, "x = ");
    add_times(&text, "(1+", 95);
    add(&text, "1");
    add_times(&text, ")", 95);
    ok(kal_instant_set(instant, text.data, NULL) == KAL_OK);
    (void)!kal_instant_solve(instant, &answer);
    kal_instant_destroy(instant);
    free(text.data);
    show(ctx, system);
}

static void *load(void *user)
{
    const Text *text = user;
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return NULL;
    }
    const KalStatus status =
        kal_system_load(ctx, "deep.kal", text->data, text->length, NULL, &system);
    ok(status == KAL_OK || status == KAL_ERR_SYNTAX || status == KAL_ERR_LIMIT);
    if (status == KAL_OK) {
        use(ctx, system);
    } else {
        printf("# %s\n", kal_context_message(ctx));
    }
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return NULL;
}

// Load a text in a thread; how many bytes of its stack were touched.
static size_t measure(Text *text)
{
    pthread_t thread;
    pthread_attr_t attributes;
    unsigned char *stack = aligned_alloc(4096, STACK);
    size_t left = 0;
    add(text, tail);
    memset(stack, UNTOUCHED, STACK);
    ok(pthread_attr_init(&attributes) == 0);
    ok(pthread_attr_setstack(&attributes, stack, STACK) == 0);
    ok(pthread_create(&thread, &attributes, load, text) == 0);
    ok(pthread_join(thread, NULL) == 0);
    while (left < STACK && stack[left] == UNTOUCHED) {
        left++;
    }
    pthread_attr_destroy(&attributes);
    free(stack);
    return STACK - left;
}

static void check(Text *text, const char *what)
{
    const size_t used = measure(text);
    printf("# %.*s: %zu KiB of stack\n", (int)strcspn(what, "\n"), what, used >> 10);
    ok(used < STACK - 4096);
    text->length = 0;
}

static void nests_of_all_kinds_fit(void)
{
    Text text = {.data = malloc(TEXT_SIZE)};
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        const Nest *nest = &nests[i];
        add(&text, nest->before);
        add_times(&text, nest->open, nest->levels);
        add(&text, nest->middle);
        add_times(&text, nest->close, nest->levels);
        add(&text, nest->after);
        check(&text, nest->open);
    }
    free(text.data);
}

static void functions_and_parts_fit(void)
{
    Text text = {.data = malloc(TEXT_SIZE)};
    add_functions(&text);
    check(&text, "functions");
    add_plain_functions(&text);
    check(&text, "plain functions");
    add_parts(&text);
    check(&text, "parts");
    free(text.data);
}

TAP_RUN(TAP_CASE(nests_of_all_kinds_fit), TAP_CASE(functions_and_parts_fit))
