// SPDX-License-Identifier: MIT

#include "tap.h"

#include <kalaba/text.h>

static const char *const words[] = {"M", "Q", "b", "coordinates", "constraints", "qd"};

static const char *find(const char *word)
{
    return kal_word_find_near(word, words, sizeof words / sizeof words[0]);
}

static void slips_are_recognized(void)
{
    same_text(find("coordinate"), "coordinates");
    same_text(find("cordinates"), "coordinates");
    same_text(find("coordiantes"), "coordinates");
    same_text(find("coordonates"), "coordinates");
    same_text(find("Constraints"), "constraints");
    same_text(find("constr"), "constraints");
    same_text(find("coord"), "coordinates");
    same_text(find("qdd"), "qd");
}

static void case_of_a_single_letter_is_a_slip(void)
{
    same_text(find("m"), "M");
    same_text(find("B"), "b");
}

static void other_words_are_not_guessed_at(void)
{
    ok(find("x") == NULL);
    ok(find("mass") == NULL);
    ok(find("") == NULL);
    ok(find("a word longer than all that could be meant") == NULL);
    ok(kal_word_find_near("M", words, 0) == NULL);
}

static void patterns_fit_words(void)
{
    static const struct {
        const char *pattern;
        const char *word;
        bool fits;
    } cases[] = {
        {"x",           "x",             true },
        {"x",           "xy",            false},
        {"*",           "",              true },
        {"*",           "x''",           true },
        {"?",           "",              false},
        {"x?",          "x'",            true },
        {"*'",          "theta'",        true },
        {"*'",          "theta",         false},
        {"a*b*c",       "aXbXbXc",       true },
        {"a*b*c",       "aXbXbX",        false},
        {"reaction(*)", "reaction(rod)", true },
        {"[1]",         "1",             false},
        {"**x**",       "axb",           true },
        {"",            "",              true },
        {"",            "x",             false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ok(kal_word_fits(cases[i].pattern, cases[i].word) == cases[i].fits);
    }
}

// A pattern full of stars takes time in proportion to both lengths, not to a power.
static void many_stars_end(void)
{
    char pattern[202];
    char word[4001];
    for (int i = 0; i < 200; i += 2) {
        memcpy(pattern + i, "*a", 2);
    }
    memcpy(pattern + 200, "b", 2);
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    ok(!kal_word_fits(pattern, word));
}

TAP_RUN(TAP_CASE(slips_are_recognized), TAP_CASE(case_of_a_single_letter_is_a_slip),
        TAP_CASE(other_words_are_not_guessed_at), TAP_CASE(patterns_fit_words),
        TAP_CASE(many_stars_end))
