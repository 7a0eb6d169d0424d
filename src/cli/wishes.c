// SPDX-License-Identifier: MIT

// Options of runs that several commands share.  What is not given leaves what the model
// says.

#include "wishes.h"

#include "command.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define WORD(name, word, meaning)   word,
#define LISTED(name, word, meaning) word ", "

static const char *const methods[] = {KAL_METHOD_LIST(WORD)};

// Above it numbers that differ are read as one.
static const double MOST_COUNT = 0x1p53 - 1.0;

bool kal_option_number(const char *word, const char *text, double *out_number)
{
    assert(word && out_number);
    if (text && !kal_number_read(text, out_number)) {
        kal_message_print("option '%s' takes a number, not '%s'", word, text);
        return false;
    }
    return true;
}

bool kal_option_whole(const char *word, const char *text, double least,
                      double *out_number)
{
    assert(word && out_number && least >= 0.0);
    double number = least;
    if (!kal_option_number(word, text, &number)) {
        return false;
    }
    if (number > MOST_COUNT) {
        kal_message_print("option '%s' takes a whole number up to %.0f, not '%s'", word,
                          MOST_COUNT, text);
        return false;
    }
    if (!(number >= least) || number != floor(number)) {
        kal_message_print("option '%s' takes a whole number%s, not '%s'", word,
                          least > 0.0 ? ", 1 or more" : "", text);
        return false;
    }
    *out_number = text ? number : *out_number;
    return true;
}

static bool read_method(const char *text, KalRunOptions *options)
{
    if (!text) {
        return true;
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(text, methods[i]) == 0) {
            options->method = (KalMethod)i;
            return true;
        }
    }
    kal_message_print("option '--method' takes " KAL_METHOD_LIST(LISTED) "not '%s'",
                      text);
    return false;
}

// The k of stabilize(k).
static bool read_rate(const char *text, double *out_rate)
{
    assert(text && out_rate);
    char rate[64];
    const char *open = strchr(text, '(');
    const size_t length = open ? strlen(open) : 0;
    if (length < 3 || length > sizeof rate || open[length - 1] != ')') {
        return false;
    }
    memcpy(rate, open + 1, length - 2);
    rate[length - 2] = '\0';
    return kal_number_read(rate, out_rate) && *out_rate > 0.0;
}

static bool read_drift(const char *text, KalRunOptions *options)
{
    if (!text) {
        return true;
    }
    if (strcmp(text, "project") == 0) {
        options->drift = KAL_DRIFT_PROJECT;
    } else if (strcmp(text, "none") == 0) {
        options->drift = KAL_DRIFT_NONE;
    } else if (strncmp(text, "stabilize", 9) == 0) {
        options->drift = KAL_DRIFT_STABILIZE;
        if (!read_rate(text, &options->stabilize)) {
            kal_message_print("option '--drift': stabilize takes a positive rate, as "
                              "in stabilize(5)");
            return false;
        }
    } else {
        kal_message_print(
            "option '--drift' takes project, stabilize(k) or none, not '%s'", text);
        return false;
    }
    return true;
}

static bool read_tolerance(const char *text, KalRunOptions *options)
{
    double tolerance = 0.0;
    if (!text) {
        return true;
    }
    if (!kal_option_number("--tolerance", text, &tolerance)) {
        return false;
    }
    if (!(tolerance > 0.0)) {
        kal_message_print("option '--tolerance' takes a positive number");
        return false;
    }
    options->rtol = tolerance;
    options->atol = tolerance;
    return true;
}

bool kal_run_wishes_apply(const KalRunWishes *wishes, KalRunOptions *options)
{
    assert(wishes && options);
    double steps = (double)options->max_steps;
    const bool read = kal_option_number("--until", wishes->until, &options->until)
                      && read_tolerance(wishes->tolerance, options)
                      && kal_option_whole("--max-steps", wishes->max_steps, 0.0, &steps)
                      && read_method(wishes->method, options)
                      && read_drift(wishes->drift, options);
    options->max_steps = (long)steps;
    return read;
}

// Whether a run by this method may turn out stiff, for which a model is loaded with
// more: all but the explicit one may.
bool kal_run_wishes_stiff(const char *method)
{
    return !method || strcmp(method, methods[KAL_METHOD_DOP853]) != 0;
}
