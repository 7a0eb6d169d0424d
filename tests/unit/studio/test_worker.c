// SPDX-License-Identifier: MIT

// Work in a process of its own.

#include "context.h"
#include "studio/worker.h"
#include "tap.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

static const KalChildLimits usual = {.seconds = 60, .megabytes = 4096};

// Read until the child has ended.
static void finish(KalChild *worker)
{
    while (!worker->over) {
        fd_set set;
        struct timeval wait = {.tv_sec = 0, .tv_usec = 50000};
        FD_ZERO(&set);
        FD_SET(worker->pipe, &set);
        (void)select(worker->pipe + 1, &set, NULL, NULL, &wait);
        if (kal_worker_wants(worker)) {
            kal_worker_read(worker);
        }
        kal_worker_watch(worker, kal_worker_clock());
    }
}

static void say(void *user, KalSink sink)
{
    const char *text = (const char *)user;
    sink.write(sink.user, text, strlen(text));
}

static void loop(void *user, KalSink sink)
{
    volatile unsigned count = 0;
    (void)user;
    sink.write(sink.user, "begun\n", 6);
    for (;;) {
        count++;
    }
}

static void sleep_long(void *user, KalSink sink)
{
    (void)user;
    (void)sink;
    (void)pause();
}

static void flood(void *user, KalSink sink)
{
    static char bytes[1 << 20];
    (void)user;
    for (int i = 0; i < 16; i++) {
        sink.write(sink.user, bytes, sizeof bytes);
    }
}

static void crash(void *user, KalSink sink)
{
    (void)user;
    (void)sink;
    (void)kill(getpid(), SIGUSR1); // sanitizers have a say in other signals
}

// A file with a hole, so that the disk is spared: its end is where the limit is passed.
static void write_far(void *user, KalSink sink)
{
    FILE *file = tmpfile();
    const bool far = file && fseek(file, 1L << 29, SEEK_SET) == 0
                     && fwrite("x", 1, 1, file) == 1 && fflush(file) == 0;
    (void)user;
    say(far ? (void *)"written" : file ? (void *)"refused" : (void *)"no file", sink);
    if (file) {
        (void)fclose(file);
    }
}

static void what_is_written_comes_back(void)
{
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    char text[64] = "";
    ok(kal_worker_begin(&worker, ctx, &usual, say, (void *)"one\ntwo") == KAL_OK);
    finish(&worker);
    ok(!worker.fate && kal_worker_take(&worker, text, 3) == 3);
    ok(kal_worker_take(&worker, text + 3, sizeof text - 3) == 4);
    same_text(text, "one\ntwo");
    ok(kal_worker_take(&worker, text, sizeof text) == 0);
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void computing_has_an_end(void)
{
    const KalChildLimits limits = {.seconds = 1, .megabytes = 4096};
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    ok(kal_worker_begin(&worker, ctx, &limits, loop, NULL) == KAL_OK);
    finish(&worker);
    has_text(worker.fate, "took too long");
    ok(worker.written.size == 6);
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void waiting_has_an_end(void)
{
    const KalChildLimits limits = {.seconds = 1, .megabytes = 4096};
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    ok(kal_worker_begin(&worker, ctx, &limits, sleep_long, NULL) == KAL_OK);
    finish(&worker);
    has_text(worker.fate, "took too long");
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void a_crash_is_told(void)
{
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    ok(kal_worker_begin(&worker, ctx, &usual, crash, NULL) == KAL_OK);
    finish(&worker);
    ok(worker.over);
    has_text(worker.fate, "a fault of the program");
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void a_child_does_not_run_ahead(void)
{
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    size_t total = 0;
    static char bytes[1 << 16];
    ok(kal_worker_begin(&worker, ctx, &usual, flood, NULL) == KAL_OK);
    while (!worker.over || worker.written.size > worker.taken) {
        if (kal_worker_wants(&worker)) {
            kal_worker_read(&worker);
        }
        ok(worker.written.size - worker.taken <= KAL_WORKER_AHEAD + (1 << 16));
        total += kal_worker_take(&worker, bytes, sizeof bytes);
    }
    ok(total == (size_t)16 << 20);
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void a_child_can_be_ended(void)
{
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    ok(kal_worker_begin(&worker, ctx, &usual, loop, NULL) == KAL_OK);
    const pid_t pid = worker.pid;
    kal_worker_end(&worker, "cancelled");
    ok(worker.over && worker.pid == 0 && kill(pid, 0) != 0);
    same_text(worker.fate, "cancelled");
    kal_worker_clear(&worker);
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

static void files_have_an_end(void)
{
    KalContext *ctx = new_context();
    KalChild worker = {.pid = 0};
    char text[64] = "";
    ok(kal_worker_begin(&worker, ctx, &usual, write_far, NULL) == KAL_OK);
    finish(&worker);
    (void)kal_worker_take(&worker, text, sizeof text - 1);
    ok(!worker.fate);
    same_text(text, "refused");
    kal_worker_clear(&worker);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(what_is_written_comes_back), TAP_CASE(computing_has_an_end),
        TAP_CASE(waiting_has_an_end), TAP_CASE(a_crash_is_told),
        TAP_CASE(a_child_does_not_run_ahead), TAP_CASE(a_child_can_be_ended),
        TAP_CASE(files_have_an_end))
