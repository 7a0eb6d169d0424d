// SPDX-License-Identifier: MIT

// What a caller may hand in, and how it is refused.

#include "motion/motion_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Entries of M that should be equal may differ by this much of their natural size
// √(Mᵢᵢ Mⱼⱼ): rounding of somebody's evaluation, far below a modelling error.
static const double ASYMMETRY = 0x1p-40;

// Every finite number times zero is zero; NaN and infinity leave a NaN behind.
static bool all_finite(const double *x, size_t count)
{
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            lane[k] += x[i + (size_t)k] * 0.0;
        }
    }
    for (; i < count; i++) {
        lane[0] += x[i] * 0.0;
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]) == 0.0;
}

// The place of the first number that is NaN or infinite; count if there is none.
static size_t first_not_finite(const double *x, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(x[i])) {
        i++;
    }
    return i;
}

// Name an entry by its coordinates and constraints; M and A have rows, the others none.
static KalStatus fail_entry(KalMotion *s, const char *what, const double *x, size_t i,
                            bool constraints)
{
    assert(!isfinite(x[i]));
    const int n = s->given.n;
    const int row = what[0] == 'M' || what[0] == 'A' ? (int)(i / (size_t)n) : (int)i;
    const int column = (int)(i % (size_t)n);
    const KalNames name = kal_motion_names(s, constraints, &row, 1);
    if (what[0] != 'M' && what[0] != 'A') {
        return kal_fail(s->ctx, KAL_ERR_NUMBER, "%s of %s is %g, not a finite number",
                        what, name.text, x[i]);
    }
    const KalNames other = kal_motion_names(s, false, &column, 1);
    return kal_fail(s->ctx, KAL_ERR_NUMBER,
                    "the entry of %s for %s and %s is %g, not a finite number", what,
                    name.text, other.text, x[i]);
}

// An array that must be there and finite.  Only where it is not is the culprit looked for.
static KalStatus check_numbers(KalMotion *s, const char *what, const double *x,
                               size_t count, bool constraints)
{
    assert(what);
    if (count == 0) {
        return KAL_OK;
    }
    if (!x) {
        return kal_fail(s->ctx, KAL_ERR_SHAPE, "the array %s is missing", what);
    }
    if (all_finite(x, count)) {
        return KAL_OK;
    }
    return fail_entry(s, what, x, first_not_finite(x, count), constraints);
}

// To the bit; false where a NaN is.
static bool exactly_symmetric(int n, const double *M)
{
    bool same = true;
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) {
            same &= M[(size_t)i * (size_t)n + (size_t)j]
                    == M[(size_t)j * (size_t)n + (size_t)i];
        }
    }
    return same;
}

// Use the mean of M and its transpose, unless they differ by more than rounding.
static KalStatus symmetrize(KalMotion *s)
{
    assert(s->given.n >= 1);
    const size_t n = (size_t)s->given.n;
    const double *M = s->given.M;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double a = M[i * n + j];
            const double b = M[j * n + i];
            const double natural = sqrt(fabs(M[i * n + i])) * sqrt(fabs(M[j * n + j]));
            if (fabs(a - b) > ASYMMETRY * natural) {
                s->fault_indices[0] = (int)j;
                s->fault_indices[1] = (int)i;
                s->fault = (KalMotionFault){2, s->fault_indices, false, fabs(a - b)};
                const KalNames x = kal_motion_names(s, false, s->fault_indices, 1);
                const KalNames y = kal_motion_names(s, false, s->fault_indices + 1, 1);
                return kal_fail(
                    s->ctx, KAL_ERR_MASS,
                    "M is not symmetric: its entry for %s and %s is %.17g in "
                    "one triangle and %.17g in the other",
                    x.text, y.text, b, a);
            }
            s->copies.symmetric[i * n + j] = 0.5 * a + 0.5 * b;
            s->copies.symmetric[j * n + i] = s->copies.symmetric[i * n + j];
        }
    }
    s->given.M = s->copies.symmetric;
    return KAL_OK;
}

bool kal_motion_is_plain(const KalMotion *s)
{
    const KalMotionProblem *p = &s->given;
    return p->M && p->Q && p->m <= p->n && (p->m == 0 || (p->A && p->b))
           && exactly_symmetric(p->n, p->M);
}

KalStatus kal_motion_check(KalMotion *s)
{
    assert(s->given.n >= 1 && s->given.m >= 0);
    const KalMotionProblem *p = &s->given;
    const size_t n = (size_t)p->n;
    const size_t m = (size_t)p->m;
    KAL_TRY(check_numbers(s, "M", p->M, n * n, false));
    KAL_TRY(check_numbers(s, "Q", p->Q, n, false));
    KAL_TRY(check_numbers(s, "A", p->A, m * n, true));
    KAL_TRY(check_numbers(s, "b", p->b, m, true));
    if (p->b_size) {
        KAL_TRY(check_numbers(s, "b_size", p->b_size, m, true));
    }
    if (p->C) {
        KAL_TRY(check_numbers(s, "C", p->C, n, false));
    }
    return exactly_symmetric(p->n, p->M) ? KAL_OK : symmetrize(s);
}

// Append text that may be cut, never inside a UTF-8 character.
static size_t append(char *to, size_t used, size_t size, const char *text, size_t most)
{
    size_t length = strlen(text);
    assert(used < size); // room for the end of the text at least
    length = length < most ? length : most;
    length = length < size - 1 - used ? length : size - 1 - used;
    while (length > 0 && ((unsigned char)text[length] & 0xC0U) == 0x80U) {
        length--;
    }
    memcpy(to + used, text, length);
    to[used + length] = '\0';
    return used + length;
}

// At most SHOWN names, each cut at LONGEST bytes, so that the text of a message has room
// for any.
KalNames kal_motion_names(const KalMotion *s, bool constraints, const int *indices,
                          int count)
{
    enum {
        SHOWN = 6,
        LONGEST = 48
    };

    const char *const *names =
        constraints ? s->given.constraints : s->given.coordinates;
    KalNames out = {""};
    assert(count >= 0 && (count == 0 || indices));
    size_t used = 0;
    const int shown = count <= SHOWN ? count : SHOWN - 1;
    for (int i = 0; i < shown; i++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "%s[%d]", constraints ? "c" : "q",
                 indices[i] + 1);
        const char *joint = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        used = append(out.text, used, sizeof out.text, joint, LONGEST);
        used = append(out.text, used, sizeof out.text,
                      names ? names[indices[i]] : numbered, LONGEST);
    }
    if (shown < count) {
        char more[32];
        snprintf(more, sizeof more, " and %d more", count - shown);
        append(out.text, used, sizeof out.text, more, LONGEST);
    }
    return out;
}
