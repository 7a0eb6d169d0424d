// SPDX-License-Identifier: MIT

// The options of a run: what the model asks for, and whether they can be worked with.
// Options come from users of the library, so that every one is checked.

#include "sim/options.h"

#include <assert.h>
#include <math.h>

// Nobody has the time for more, nor for loops over them.
static const double MOST_SAMPLES = 1e12;

// Options as the model asks for them; what it leaves out has a default (system/settings.c).
static KalRunOptions options_of(const KalAsked *asked)
{
    return (KalRunOptions){.from = asked->from,
                           .until = asked->until,
                           .every = asked->every,
                           .rtol = asked->rtol,
                           .atol = asked->atol,
                           .method = asked->method,
                           .drift = asked->drift,
                           .stabilize = asked->stabilize,
                           .max_steps = KAL_RUN_MAX_STEPS};
}

KalRunOptions kal_run_options(const KalSystem *system)
{
    if (!system) {
        return (KalRunOptions){.from = 0.0};
    }
    return options_of(&system->settings.asked);
}

KalRunOptions kal_instant_run_options(const KalInstant *instant)
{
    if (!instant) {
        return (KalRunOptions){.from = 0.0};
    }
    return options_of(&instant->settings.asked);
}

// Numbers from elsewhere need not be values of an enum.
#define CASE(name, word, meaning) \
    case name: return true;

static bool is_form(KalRunForm form)
{
    switch (form) {
        KAL_RUN_FORM_LIST(CASE)
    }
    return false;
}

#undef CASE

static KalStatus check_choices(KalContext *ctx, const KalRunOptions *options)
{
    const char *what = !kal_method_word(options->method) ? "method"
                       : !kal_drift_word(options->drift) ? "treatment of drift"
                       : !is_form(options->form)         ? "form"
                                                         : NULL;
    return what ? kal_fail(ctx, KAL_ERR_USAGE, "there is no such %s of a run", what)
                : KAL_OK;
}

KalStatus kal_options_check(KalContext *ctx, const KalRunOptions *options)
{
    assert(ctx && options);
    KAL_TRY(check_choices(ctx, options));
    if (!isfinite(options->from) || !isfinite(options->until)
        || options->until < options->from) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "a run from t = %g until t = %g has no sense: the end has to "
                        "be finite and not before the beginning",
                        options->from, options->until);
    }
    if (!(options->every > 0.0) || !isfinite(options->every)) {
        return kal_fail(ctx, KAL_ERR_USAGE, "samples every %g have no sense",
                        options->every);
    }
    if ((options->until - options->from) / options->every > MOST_SAMPLES) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "from t = %g until t = %g with samples every %g: more than %g "
                        "samples are too many",
                        options->from, options->until, options->every, MOST_SAMPLES);
    }
    if (!(options->rtol > 0.0 && options->atol > 0.0) || !isfinite(options->rtol)
        || !isfinite(options->atol)) {
        return kal_fail(ctx, KAL_ERR_USAGE, "tolerances have to be positive numbers");
    }
    if (options->drift == KAL_DRIFT_STABILIZE
        && !(options->stabilize > 0.0 && isfinite(options->stabilize))) {
        return kal_fail(ctx, KAL_ERR_USAGE, "the rate of stabilize has to be positive");
    }
    if (options->max_steps < 0) {
        return kal_fail(ctx, KAL_ERR_USAGE, "the number of steps must not be negative");
    }
    if (!(options->fixed_step >= 0.0 && isfinite(options->fixed_step))) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "the fixed step has to be a number that is not negative");
    }
    return KAL_OK;
}

// Whether an option that the run took from the model would now be another one.
static bool is_outdated(double own, double loaded, double now)
{
    return own == loaded && now != loaded;
}

KalStatus kal_options_check_current(KalContext *ctx, const KalRunOptions *options,
                                    const KalInstant *instant)
{
    assert(options && instant);
    const KalAsked *loaded = &instant->system->settings.asked;
    const KalAsked *now = &instant->settings.asked;
    if (is_outdated(options->from, loaded->from, now->from)
        || is_outdated(options->until, loaded->until, now->until)
        || is_outdated(options->every, loaded->every, now->every)
        || is_outdated(options->rtol, loaded->rtol, now->rtol)
        || is_outdated(options->atol, loaded->atol, now->atol)
        || is_outdated(options->stabilize, loaded->stabilize, now->stabilize)) {
        return kal_fail(ctx, KAL_ERR_FORMULATION,
                        "'simulate' depends on these parameters: make a run with the "
                        "options that they give");
    }
    return KAL_OK;
}
