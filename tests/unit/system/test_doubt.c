// SPDX-License-Identifier: MIT

// Values that hang on how redundant constraints share a force are told from those that do
// not, and decide nothing.

#include "run_lab.h"

// A rod and its twin, which is the same condition twice over: λ = a + 2b is unique.
static const char TWINS[] =
    "param L = 1\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = L^2\nconstraint twin: 2*x^2 + 2*y^2 = 2*L^2\n"
    "init x = 1, y ~ 0\nsimulate 0 .. 0.5 every 0.1\n";

static void load(Lab *lab, const char *text)
{
    char whole[2000];
    snprintf(whole, sizeof whole, "%s%s", TWINS, text);
    ok(lab_load(lab, whole));
}

static void is_doubtful(const char *formula, bool doubtful)
{
    Lab lab;
    char text[300];
    snprintf(text, sizeof text, "output o = %s\n", formula);
    load(&lab, text);
    ok(lab_go(&lab) == KAL_OK);
    const bool *doubts = kal_instant_doubts(kal_run_instant(lab.run));
    if (!ok(doubts[0] == doubtful)) {
        printf("# %s\n", formula);
    }
    lab_close(&lab);
}

static void what_is_shared_is_doubtful(void)
{
    is_doubtful("reaction(rod)", true);
    is_doubtful("reaction(twin)", true);
    is_doubtful("reaction(rod) - reaction(twin)", true);
    is_doubtful("reaction(rod)^2*y", true);
    is_doubtful("max(reaction(rod), 0) + max(-reaction(rod), 0)", true);
    is_doubtful("if(reaction(rod) < -1, 1, 0)", true);
    is_doubtful("sign(reaction(twin))", true);
    is_doubtful("max(reaction(rod), 0)", true); // 0 for this share
    is_doubtful("min(-reaction(rod), 0)", true);
    is_doubtful("if(x > 2, reaction(rod), 1)", false); // not that branch
}

static void what_they_do_together_is_not(void)
{
    is_doubtful("reaction(rod) + 2*reaction(twin)", false);
    is_doubtful("x*(reaction(rod) + 2*reaction(twin))^2", false);
    is_doubtful("if(reaction(rod) + 2*reaction(twin) < -1, 1, 0)", false);
    is_doubtful("max(0, reaction(rod) + 2*reaction(twin))", false);
    is_doubtful("abs(reaction(rod) + 2*reaction(twin))", false);
    is_doubtful("cforce(x)", false);
    is_doubtful("cforce(y) + x'' + energy()", false);
    is_doubtful("reaction(rod) - reaction(rod) + x", false);
}

// The share of a single constraint beside the twins is its own.
static void others_keep_theirs(void)
{
    Lab lab;
    load(&lab, "coord z\nkinetic 1/2*z'^2\nconstraint shelf: z = 0\nforce z = -7\n"
               "output o = reaction(shelf), p = reaction(shelf)*reaction(rod)\n");
    ok(lab_go(&lab) == KAL_OK);
    const bool *doubts = kal_instant_doubts(kal_run_instant(lab.run));
    ok(!doubts[0] && doubts[1]);
    lab_close(&lab);
}

static void events_on_them_are_refused(void)
{
    static const char *const refused[] = {
        "event snap: reaction(rod) + 4 falling release rod, release twin\n",
        "event snap: sign(reaction(twin)) + 4 stop\n",
        "event bump: y + 0.5 set y' = reaction(rod)\n"};
    static const char *const names[] = {"the event 'snap'", "the event 'snap'",
                                        "what is set by event 'bump'"};
    for (int k = 0; k < 3; k++) {
        Lab lab;
        load(&lab, refused[k]);
        ok(lab_go(&lab) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(lab.ctx), names[k]);
        has_text(kal_context_message(lab.ctx), "not unique");
        lab_close(&lab);
    }
}

// A square has no slope where it is zero, as at the start, and the event ends what makes it
// doubtful: it is refused where it would happen.
static void events_that_end_the_doubt_are_refused(void)
{
    static const char *const refused[] = {
        "event snap: reaction(rod)^2 - 1 rising release rod\n",
        "event snap: reaction(rod)^2 - 1 rising release rod, release twin\n"};
    for (int k = 0; k < 2; k++) {
        Lab lab;
        load(&lab, refused[k]);
        ok(lab_go(&lab) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(lab.ctx), "the event 'snap'");
        has_text(kal_context_message(lab.ctx), "not unique");
        lab_close(&lab);
    }
}

// What is held may act on the motion until it is renewed.
static void holds_of_them_are_refused(void)
{
    Lab lab;
    load(&lab, "hold h every 0.1: reaction(rod)\nforce x = 0.01*h\n");
    ok(lab_go(&lab) == KAL_ERR_CONTRADICTION);
    has_text(kal_context_message(lab.ctx), "'h'");
    has_text(kal_context_message(lab.ctx), "not unique");
    lab_close(&lab);
    load(&lab,
         "hold h every 0.1: reaction(rod) + 2*reaction(twin)\nforce x = 0.01*h\n");
    ok(lab_go(&lab) == KAL_OK);
    lab_close(&lab);
}

// The rod breaks at a pull of 15: 3 g sin of the angle below the horizontal, per length
// twice as much of λ.
static void events_on_what_they_do_together_happen(void)
{
    Lab lab;
    load(&lab,
         "event snap: -2*L*(reaction(rod) + 2*reaction(twin)) - 15 rising stop\n");
    ok(lab_go(&lab) == KAL_OK);
    same_text(kal_run_stopped_by(lab.run), "snap");
    near(lab_q(&lab, 1), -15.0 / (3.0 * 9.81), 1e-8);
    lab_close(&lab);
}

static void tables_say_so(void)
{
    static const char *const patterns[] = {"reaction(*)", "cforce(*)"};
    static const char *const doubtful[] = {"o", "reaction(rod)", "reaction(twin)"};
    static const char *const sure[] = {"x", "p", "cforce(x)", "cforce(y)"};
    Lab lab;
    KalRecord *record = NULL;
    load(&lab, "output o = reaction(rod), p = reaction(rod) + 2*reaction(twin)\n");
    ok(lab_start(&lab) == KAL_OK);
    ok(kal_record_create(lab.ctx, lab.system, patterns, 2, &record) == KAL_OK);
    ok(kal_record_take(record, lab.run) == KAL_OK);
    const KalTable *table = kal_record_table(record);
    for (size_t i = 0; i < 3; i++) {
        const size_t column = kal_table_find_column(table, doubtful[i]);
        same_text(kal_table_column(table, column).description, KAL_TABLE_NOT_UNIQUE);
    }
    for (size_t i = 0; i < 4; i++) {
        const size_t column = kal_table_find_column(table, sure[i]);
        same_text(kal_table_column(table, column).description, "");
    }
    kal_record_destroy(record);
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 20000; n++) {
        Lab lab = {.fault = {.calls_left = n}};
        char text[1000];
        snprintf(text, sizeof text, "%soutput o = if(reaction(rod) > 1, 1, 0)\n",
                 TWINS);
        status = kal_context_create(fault_alloc, &lab.fault, &lab.ctx);
        if (status == KAL_OK) {
            status = kal_system_load(lab.ctx, "test.kal", text, strlen(text), NULL,
                                     &lab.system);
        }
        KalInstant *instant = NULL;
        if (status == KAL_OK) {
            status = kal_instant_create(lab.ctx, lab.system, &instant);
        }
        kal_instant_destroy(instant);
        lab_close(&lab);
    }
    ok(status == KAL_OK && n > 100);
}

TAP_RUN(TAP_CASE(what_is_shared_is_doubtful), TAP_CASE(what_they_do_together_is_not),
        TAP_CASE(others_keep_theirs), TAP_CASE(events_on_them_are_refused),
        TAP_CASE(events_that_end_the_doubt_are_refused),
        TAP_CASE(holds_of_them_are_refused),
        TAP_CASE(events_on_what_they_do_together_happen), TAP_CASE(tables_say_so),
        TAP_CASE(every_allocation_may_fail))
