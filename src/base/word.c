// SPDX-License-Identifier: MIT

// Words that are near each other, by the distance of Damerau and Levenshtein in its
// restricted form (optimal string alignment): the least number of letters to change, add,
// drop or exchange with a neighbor.  Dynamic programming over the beginnings of both words;
// time is the product of their lengths, which are at most LONGEST.
//
// And words that fit a pattern with stars, without recursion: the last star met takes one
// letter more whenever the rest does not fit.  Stars before it never need another try, for
// what they have taken leaves the later one the most; so time is at most the product of the
// lengths.

#include <kalaba/text.h>

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    LONGEST = 32,        // longer words are not slips of the finger
    LETTERS_PER_SLIP = 3 // a word may have one slip for this many letters
};

static int to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// The distance of Damerau and Levenshtein, restricted: how many letters differ, are too many,
// are missing, or changed places with a neighbor; upper and lower case are the same.  Row i
// of the usual table holds the distances of the first i letters of a from all beginnings of
// b; three rows are enough.
static int distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    const int length_a = (int)strlen(a);
    const int length_b = (int)strlen(b);
    assert(length_a <= LONGEST && length_b <= LONGEST);

    for (int i = 0; i <= length_a; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            const bool same = to_lower(a[i - 1]) == to_lower(b[j - 1]);
            row[j] = least(above[j - 1] + !same, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2])
                && to_lower(a[i - 2]) == to_lower(b[j - 1])) {
                row[j] = least(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[length_a % 3][length_b];
}

// The nearest word within the slips that a word of this length may have; one that begins
// like it is nearest of all.
const char *kal_word_find_near(const char *word, const char *const *words, int count)
{
    if (!(word && (words || count <= 0))) {
        return NULL;
    }
    const size_t length = strlen(word);
    const char *nearest = NULL;
    int limit = (int)(length / LETTERS_PER_SLIP) + 1;

    for (int i = 0; i < count && length <= LONGEST; i++) {
        if (strlen(words[i]) > LONGEST) {
            continue;
        }
        const bool begun =
            length >= LETTERS_PER_SLIP && strncmp(word, words[i], length) == 0;
        const int slips = begun ? 0 : distance(word, words[i]);
        if (slips < limit) {
            limit = slips;
            nearest = words[i];
        }
    }
    return nearest;
}

// A star is tried at every place once.
bool kal_word_fits(const char *pattern, const char *word)
{
    if (!(pattern && word)) {
        return false;
    }
    const char *star = NULL;
    const char *retry = NULL;
    while (*word) {
        if (*pattern == '*') {
            star = pattern++;
            retry = word;
        } else if (*pattern == *word || *pattern == '?') {
            pattern++;
            word++;
        } else if (star) {
            pattern = star + 1;
            word = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}
