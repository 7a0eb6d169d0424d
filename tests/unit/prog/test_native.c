// SPDX-License-Identifier: MIT

// Machine code: when there is some, and that it holds where registers run out.

#include "base/processor.h"
#include "lab.h"
#include "prog/program_impl.h"

#ifdef __linux__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static bool is_native(KalExpr e)
{
    Lab lab;
    lab_open(&lab, &e, 1, 1, 2);
    const bool native = lab.program->native.code != NULL;
    double got = 0.0;
    lab_eval(&lab, (double[]){2.0, 3.0, 4.0}, 1, &got);
    ok(got == 2.0 * 3.0 + 4.0);
    lab_close(&lab);
    return native;
}

static void it_can_be_turned_off(void)
{
    begin();
    const KalExpr e = f("a*b + c");
    kal_context_set_native(ctx, true);
    ok(is_native(e) == kal_has_wide());
    kal_context_set_native(ctx, false);
    ok(!is_native(e));
    kal_context_set_native(NULL, false); // nothing to turn off
    end();
}

enum {
    MANY = 200
};

// The value of a polynomial in c whose powers are all needed first and last.
static KalExpr build_wide(KalExpr *terms)
{
    KalExpr sum = f("0*c");
    for (int i = 0; i < MANY; i++) {
        terms[i] = kal_add(g, f("c"), kal_const(g, i + 0.5));
    }
    for (int i = 0; i < MANY; i++) {
        sum = kal_add(g, kal_mul(g, sum, f("b")), terms[i]);
    }
    for (int i = 0; i < MANY; i++) {
        sum = kal_add(g, kal_mul(g, terms[MANY - 1 - i], sum), terms[i]);
    }
    return sum;
}

static void values_outlive_registers_and_calls(void)
{
    static KalExpr terms[MANY];
    begin();
    kal_graph_set_plain(g, true);
    const KalExpr wide = build_wide(terms);
    const KalExpr called = kal_unary(g, KAL_OP_EXP, kal_mul(g, f("-1"), wide));
    const KalExpr e[] = {wide, called, kal_add(g, kal_sin(g, called), wide), terms[3]};
    const double values[] = {0.0, 0.25, 0.003};
    double want[4];
    double got[4];
    Lab lab;
    ok(kal_eval(g, e, 4, values, want) == KAL_OK);
    lab_open(&lab, e, 4, 1, 2);
    lab_eval(&lab, values, 1, got);
    for (int i = 0; i < 4; i++) {
        ok(same_bits(got[i], want[i]));
    }
    lab_close(&lab);
    end();
}

// Code of several programs in the same pages; some have none.
static void programs_share_pages(void)
{
    begin();
    const KalExpr e[] = {f("a*b + c"), f("sin(b)*c"), f("exp(c) - a/b")};
    const double values[] = {2.0, 3.0, 4.0};
    KalProgram *programs[5] = {NULL};
    Lab labs[4];
    KalNative pages;
    kal_context_set_native(ctx, false); // not yet
    for (int i = 0; i < 4; i++) {
        lab_open(&labs[i], &e[i % 3], i < 3 ? 1 : 0, 1, 2);
        programs[i < 2 ? i : i + 1] = labs[i].program; // the third is not there
    }
    kal_context_set_native(ctx, true);
    ok(kal_native_share(ctx, programs, 5, &pages) == KAL_OK);
    ok((pages.pages != NULL) == kal_has_wide());
    ok(!labs[3].program->native.code); // it has no results
    for (int i = 0; i < 3; i++) {
        double got = 0.0;
        double want = 0.0;
        ok((labs[i].program->native.code != NULL) == kal_has_wide());
        ok(kal_eval(g, &e[i], 1, values, &want) == KAL_OK);
        lab_eval(&labs[i], values, 1, &got);
        ok(same_bits(got, want));
    }
    for (int i = 0; i < 4; i++) {
        lab_close(&labs[i]);
    }
    kal_native_clear(&pages);
    end();
}

#ifdef __linux__
// From now on this process gets no pages that may be executed; false: the system cannot refuse
// them.
static bool refuse_pages(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof steps / sizeof steps[0], steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Where the system allows no code, programs are interpreted.
static void pages_may_be_refused(void)
{
    enum {
        CANNOT = 77
    };

    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        if (!refuse_pages()) {
            _exit(CANNOT);
        }
        begin();
        kal_context_set_native(ctx, true);
        ok(!is_native(f("a*b + c")));
        end();
        _exit(tap_failures != 0);
    }
    ok(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    ok(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CANNOT);
}
#else
static void pages_may_be_refused(void)
{
}
#endif

TAP_RUN(TAP_CASE(it_can_be_turned_off), TAP_CASE(values_outlive_registers_and_calls),
        TAP_CASE(programs_share_pages), TAP_CASE(pages_may_be_refused))
