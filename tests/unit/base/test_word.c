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

TAP_RUN(TAP_CASE(slips_are_recognized), TAP_CASE(case_of_a_single_letter_is_a_slip),
        TAP_CASE(other_words_are_not_guessed_at))
