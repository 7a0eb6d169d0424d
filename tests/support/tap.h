// SPDX-License-Identifier: MIT

/// @file
/// The project's test frame: a program of named cases that speaks TAP.
///
/// Checks count; a case passes when none of its checks failed.  Nothing forks and
/// nothing allocates, so programs run alike under sanitizers, valgrind and mpirun.
/// KAL_TEST_TOLERANCE_SCALE multiplies every tolerance: with 0 each check of a number
/// prints its residual.

#ifndef SUPPORT_TAP_H
#define SUPPORT_TAP_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct TapCase {
    const char *name;
    void (*run)(void);
} TapCase;

#define TAP_CASE(function)  \
    {                       \
#function, function \
    }

static int tap_failures; // of the case that runs

static inline bool tap_check(bool holds, const char *text, const char *file, int line)
{
    if (!holds) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# %s:%d: not true: %s\n", file, line, text);
        }
    }
    return holds;
}

static inline double tap_scale(void)
{
    const char *text = getenv("KAL_TEST_TOLERANCE_SCALE");
    return text ? atof(text) : 1.0;
}

// A NaN on either side fails.
static inline bool tap_near(double got, double want, double tolerance, const char *text,
                            const char *file, int line)
{
    const double error = fabs(got - want);
    const bool holds = error <= tolerance * tap_scale();
    if (!holds) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# %s:%d: %s is %.17g, not %.17g: off by %.3g, allowed %.3g\n", file,
                   line, text, got, want, error, tolerance);
        }
    }
    return holds;
}

static inline bool tap_same_text(const char *got, const char *want, const char *file,
                                 int line)
{
    const bool holds = got && want && strcmp(got, want) == 0;
    if (!holds) {
        tap_failures++;
        printf("# %s:%d: text differs\n#   got:  %s\n#   want: %s\n", file, line,
               got ? got : "(null)", want ? want : "(null)");
    }
    return holds;
}

static inline bool tap_has_text(const char *text, const char *part, const char *file,
                                int line)
{
    const bool holds = text && part && strstr(text, part) != NULL;
    if (!holds) {
        tap_failures++;
        printf("# %s:%d: «%s» is not in: %s\n", file, line, part,
               text ? text : "(null)");
    }
    return holds;
}

#define ok(condition) tap_check((condition), #condition, __FILE__, __LINE__)
#define near(got, want, tolerance) \
    tap_near((got), (want), (tolerance), #got, __FILE__, __LINE__)
#define same_text(got, want) tap_same_text((got), (want), __FILE__, __LINE__)
#define has_text(text, part) tap_has_text((text), (part), __FILE__, __LINE__)

static inline int tap_run(const TapCase *cases, int count)
{
    int failed_cases = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        tap_failures = 0;
        const clock_t began = clock();
        cases[i].run();
        const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (seconds >= 1.0) { // for whoever wants to know where the time goes
            printf("# %s: %.1f s of processor time\n", cases[i].name, seconds);
        }
        printf("%s %d - %s\n", tap_failures ? "not ok" : "ok", i + 1, cases[i].name);
        fflush(stdout);
        failed_cases += tap_failures > 0;
    }
    return failed_cases > 0;
}

#define TAP_RUN(...)                                                  \
    int main(void)                                                    \
    {                                                                 \
        const TapCase cases[] = {__VA_ARGS__};                        \
        return tap_run(cases, (int)(sizeof cases / sizeof cases[0])); \
    }

#endif
