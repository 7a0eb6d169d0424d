// SPDX-License-Identifier: MIT

// A child closes all that it inherited but its pipe, so that neither the address of the
// server nor a connection outlives the server in it; signals have their usual effect in it,
// and a pipe that nobody reads ends it.

#include "studio/worker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    DESCRIPTORS = 1024, // that may have been inherited: select() knows no others
    PIECE = 1 << 16,
    ROOM = 1 << 20,     // bytes that wait to be read; the system may allow fewer
    FILE_ROOM = 1 << 28 // bytes of a file that a child writes: longer ones are not sent
};

static const char TOO_LONG[] =
    "this took too long and was stopped; the option --seconds allows more";

// The address sanitizer reserves more memory than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum {
    CAN_LIMIT_MEMORY = 0
};
#else
enum {
    CAN_LIMIT_MEMORY = 1
};
#endif

double kal_worker_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The child's side.

// What is written goes to the pipe in large pieces.
typedef struct Outlet {
    int pipe;
    size_t used;
    char bytes[PIECE];
} Outlet;

static void flush(Outlet *outlet)
{
    size_t done = 0;
    while (done < outlet->used) {
        const ssize_t n =
            write(outlet->pipe, outlet->bytes + done, outlet->used - done);
        if (n <= 0 && errno != EINTR) {
            _exit(1);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    outlet->used = 0;
}

// A line goes out at once: it may be what somebody waits for.
static void write_piece(void *user, const char *text, size_t length)
{
    assert(text || length == 0);
    Outlet *outlet = (Outlet *)user;
    while (length > 0) {
        const size_t room = PIECE - outlet->used;
        const size_t n = length < room ? length : room;
        memcpy(outlet->bytes + outlet->used, text, n);
        outlet->used += n;
        text += n;
        length -= n;
        if (outlet->used == PIECE || text[-1] == '\n') {
            flush(outlet);
        }
    }
}

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    const struct rlimit limits = {.rlim_cur = soft, .rlim_max = hard};
    (void)setrlimit(resource, &limits);
}

static void set_limits(const KalChildLimits *limits)
{
    const rlim_t seconds = (rlim_t)limits->seconds;
    limit(RLIMIT_CPU, seconds, seconds + 1);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, FILE_ROOM, FILE_ROOM);
    if (CAN_LIMIT_MEMORY) {
        const rlim_t bytes = (rlim_t)limits->megabytes << 20;
        limit(RLIMIT_AS, bytes, bytes);
    }
}

static void forget_server(int pipe)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        const struct sigaction action = {.sa_handler = SIG_DFL};
        (void)sigaction(usual[i], &action, NULL);
    }
    const struct sigaction told = {.sa_handler = SIG_IGN}; // write() says so, too
    (void)sigaction(SIGXFSZ, &told, NULL);
    for (int i = STDERR_FILENO + 1; i < DESCRIPTORS; i++) {
        if (i != pipe) {
            (void)close(i);
        }
    }
}

// A server that is killed takes its children along, where the system can do that; elsewhere they
// end with what they write next, or at their limits.
static void end_with(pid_t server)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != server) {
        _exit(1); // it was killed before
    }
}

// A child of a server.
static void be_child(pid_t server, int pipe, const KalChildLimits *limits,
                     KalWorkFn work, void *user)
{
    assert(pipe >= 0 && limits && work);
    Outlet outlet = {.pipe = pipe};
    end_with(server);
    forget_server(pipe);
    set_limits(limits);
    work(user, (KalSink){write_piece, &outlet});
    flush(&outlet);
    _exit(0);
}

// The server's side.

// Sockets hold more than pipes do, so that the child need not wait for the server to read what
// it writes: on a busy machine every such wait costs milliseconds.
static bool make_pipe(int ends[2])
{
    const int room = ROOM;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return false;
    }
    (void)setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    return true;
}

KalStatus kal_worker_begin(KalChild *worker, KalContext *ctx,
                           const KalChildLimits *limits, KalWorkFn work, void *user)
{
    assert(worker && ctx && work);
    assert(!worker->pid && limits->seconds > 0 && limits->megabytes > 0);
    int ends[2];
    if (!make_pipe(ends)) {
        return kal_fail(ctx, KAL_ERR_FILE, "cannot make a pipe: %s", strerror(errno));
    }
    const pid_t server = getpid();
    const pid_t pid = ends[0] < DESCRIPTORS && ends[1] < DESCRIPTORS ? fork() : -1;
    if (pid == 0) {
        be_child(server, ends[1], limits, work, user);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return kal_fail(ctx, KAL_ERR_FILE, "cannot begin another process: %s",
                        strerror(errno));
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    *worker = (KalChild){.ctx = ctx,
                         .pid = pid,
                         .pipe = ends[0],
                         .since = kal_worker_clock(),
                         .limits = *limits};
    return KAL_OK;
}

bool kal_worker_wants(const KalChild *worker)
{
    return worker->pid > 0 && worker->written.size - worker->taken < KAL_WORKER_AHEAD;
}

// Learn how the child ended.
static void reap(KalChild *worker)
{
    int status = 0;
    assert(worker->pid > 0);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
    }
    (void)close(worker->pipe);
    worker->pid = 0;
    worker->over = true;
    if (worker->fate || !WIFSIGNALED(status)) {
        return;
    }
    const int by = WTERMSIG(status);
    worker->fate =
        by == SIGXCPU || by == SIGKILL
            ? TOO_LONG
            : "the computation ended by a fault of the program; please report "
              "the model";
}

void kal_worker_read(KalChild *worker)
{
    char bytes[PIECE / 4];
    assert(worker->pid > 0);
    while (kal_worker_wants(worker)) {
        const ssize_t got = read(worker->pipe, bytes, sizeof bytes);
        if (got == 0) {
            reap(worker);
            return;
        }
        if (got < 0) {
            return;
        }
        if (kal_block_add(worker->ctx, &worker->written, bytes, (size_t)got)
            != KAL_OK) {
            kal_worker_end(worker, "no memory for the result");
        }
    }
}

void kal_worker_watch(KalChild *worker, double now)
{
    if (worker->pid > 0 && now - worker->since > 2.0 * worker->limits.seconds) {
        kal_worker_end(worker, TOO_LONG);
    }
}

size_t kal_worker_take(KalChild *worker, char *bytes, size_t most)
{
    const size_t there = worker->written.size - worker->taken;
    const size_t n = there < most ? there : most;
    if (n > 0) {
        memcpy(bytes, (const char *)worker->written.data + worker->taken, n);
        worker->taken += n;
    }
    if (worker->taken == worker->written.size) {
        worker->taken = worker->written.size = 0;
    }
    return n;
}

void kal_worker_end(KalChild *worker, const char *fate)
{
    if (worker->pid > 0) {
        worker->fate = fate;
        (void)kill(worker->pid, SIGKILL);
        reap(worker);
    }
}

void kal_worker_clear(KalChild *worker)
{
    kal_worker_end(worker, NULL);
    if (worker->ctx) {
        kal_block_clear(worker->ctx, &worker->written);
    }
    *worker = (KalChild){.pid = 0};
}
