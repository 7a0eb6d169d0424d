// SPDX-License-Identifier: MIT

// The server: one thread, which waits for sockets and for the pipes of children together.
//
// libmicrohttpd reads and writes HTTP; it is told what to answer, and called whenever one of
// its sockets is ready.  A connection whose worker has nothing to say yet is suspended, which
// means that the library does not look at it: whether its client is still there we look
// ourselves.

// glibc keeps realpath, which POSIX has since 2008, for those who ask for XSI.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
#define _XOPEN_SOURCE 700

#include "base/files.h"
#include "studio/studio_impl.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>

static const double TICK = 0.2; // seconds after which the clock is looked at

KalStudioOptions kal_studio_options(void)
{
    return (KalStudioOptions){.seconds = 60, .megabytes = 2048};
}

// Requests.

static const char *header(const KalStudioCall *call, const char *name)
{
    return call->studio->http.MHD_lookup_connection_value(call->connection,
                                                          MHD_HEADER_KIND, name);
}

// How often the headers have been seen on which it depends who asks.
typedef struct Marks {
    int hosts;
    int origins;
} Marks;

static enum MHD_Result count_mark(void *user, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    Marks *marks = (Marks *)user;
    (void)kind;
    (void)value;
    marks->hosts += strcasecmp(key, "Host") == 0;
    marks->origins += strcasecmp(key, "Origin") == 0;
    return MHD_YES;
}

// Whether a request says twice who asks; it would be judged by one of them alone.
static bool is_ambiguous(const KalStudioCall *call)
{
    Marks marks = {0, 0};
    (void)call->studio->http.MHD_get_connection_values(
        call->connection, MHD_HEADER_KIND, count_mark, &marks);
    return marks.hosts > 1 || marks.origins > 1;
}

// Whether the type of a body is the one that no form of another page can send.
static bool is_json(const char *type)
{
    static const char name[] = "application/json";
    return type && strncasecmp(type, name, sizeof name - 1) == 0
           && strchr("; \t", type[sizeof name - 1]);
}

// Why a request is refused before its body is looked at; 0 when it is not.
static unsigned judge(KalStudioCall *call, const char *url, const char *method)
{
    const KalStudio *studio = call->studio;
    const char *origin = header(call, "Origin");
    const char *site = header(call, "Sec-Fetch-Site");
    const char *type = header(call, "Content-Type");
    const bool post = strcmp(method, "POST") == 0;
    call->route = kal_guard_path(studio->token, url);
    if (is_ambiguous(call) || !kal_guard_host(header(call, "Host"), studio->port)
        || !call->route || (origin && !kal_guard_origin(origin, studio->port))
        || (post && !origin)
        || (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)) {
        return MHD_HTTP_FORBIDDEN;
    }
    if (!post && strcmp(method, "GET") != 0) {
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    }
    return post && !is_json(type) ? MHD_HTTP_UNSUPPORTED_MEDIA_TYPE : 0;
}

static KalStudioLine *find_line(KalStudio *studio, int socket)
{
    for (int i = 0; i < KAL_STUDIO_CONNECTIONS; i++) {
        if (studio->lines[i].socket == socket) {
            return &studio->lines[i];
        }
    }
    return NULL;
}

static int socket_of(const KalStudio *studio, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = studio->http.MHD_get_connection_info(
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static KalStudioCall *begin_call(KalStudio *studio, struct MHD_Connection *connection)
{
    KalStudioCall *call = KAL_NEW(studio->ctx, KalStudioCall);
    if (call) {
        call->studio = studio;
        call->connection = connection;
        call->line = find_line(studio, socket_of(studio, connection));
        call->next = studio->calls;
        studio->calls = call;
    }
    return call;
}

// A body that is longer than it may be is read to some length, so that its sender hears why
// it is refused, and no further.
static enum MHD_Result add_body(KalStudioCall *call, const char *bytes, size_t *length)
{
    assert(bytes && length);
    const size_t n = *length;
    *length = 0;
    call->too_long = call->too_long || n > KAL_STUDIO_BODY - call->body.size;
    if (!call->too_long) {
        return kal_block_add(call->studio->ctx, &call->body, bytes, n) == KAL_OK
                   ? MHD_YES
                   : MHD_NO;
    }
    return MHD_YES;
}

// Called first when the headers are there, then with pieces of the body, then without.
// NOLINTNEXTLINE(readability-function-size): the library wants these parameters
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection,
                                  const char *url, const char *method,
                                  const char *version, const char *upload,
                                  size_t *upload_length, void **state)
{
    KalStudio *studio = (KalStudio *)user;
    KalStudioCall *call = (KalStudioCall *)*state;
    (void)version;
    if (!call) {
        *state = call = begin_call(studio, connection);
        const unsigned refusal = call ? judge(call, url, method) : 0;
        if (call && refusal != 0) {
            return kal_studio_refuse(call, refusal, "this request is not allowed");
        }
        return call ? MHD_YES : MHD_NO;
    }
    if (*upload_length > 0) {
        return add_body(call, upload, upload_length);
    }
    if (call->line) {
        call->line->asked = true;
    }
    return call->too_long ? kal_studio_refuse(call, MHD_HTTP_CONTENT_TOO_LARGE,
                                              "this request is too long")
                          : kal_studio_answer(call, method);
}

static void free_call(KalStudioCall *call)
{
    KalContext *ctx = call->studio->ctx;
    KalStudioCall **link = &call->studio->calls;
    while (*link != call) {
        assert(*link);
        link = &(*link)->next;
    }
    *link = call->next;
    kal_worker_clear(&call->worker);
    kal_scratch_clear(&call->scratch);
    kal_studio_request_clear(&call->request);
    kal_block_clear(ctx, &call->body);
    kal_free(ctx, call, sizeof *call);
}

static void on_done(void *user, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    KalStudioCall *call = (KalStudioCall *)*state;
    (void)user;
    (void)connection;
    (void)code;
    if (call) {
        if (call->line) {
            call->line->asked = false;
            call->line->since = kal_worker_clock();
        }
        free_call(call);
        *state = NULL;
    }
}

static void on_connection(void *user, struct MHD_Connection *connection,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    KalStudio *studio = (KalStudio *)user;
    const int socket = socket_of(studio, connection);
    const bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
    KalStudioLine *line = find_line(studio, begins ? -1 : socket);
    (void)socket_context;
    if (line) {
        *line = (KalStudioLine){.socket = begins ? socket : -1,
                                .since = kal_worker_clock()};
    }
}

// Attendance.

static bool is_gone(int socket)
{
    char byte;
    const ssize_t n = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0
           || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void attend_call(KalStudioCall *call, double now)
{
    KalChild *worker = &call->worker;
    kal_worker_watch(worker, now);
    if (worker->pid > 0 && is_gone(socket_of(call->studio, call->connection))) {
        kal_worker_end(worker, "gone");
    }
    if (call->waits && (worker->over || worker->written.size > worker->taken)) {
        call->waits = false;
        call->studio->http.MHD_resume_connection(call->connection);
    }
}

void kal_studio_attend(KalStudio *studio)
{
    const double now = kal_worker_clock();
    for (KalStudioCall *call = studio->calls; call; call = call->next) {
        attend_call(call, now);
    }
    for (int i = 0; i < KAL_STUDIO_CONNECTIONS; i++) {
        const KalStudioLine *line = &studio->lines[i];
        if (line->socket >= 0 && !line->asked
            && now - line->since > KAL_STUDIO_PATIENCE) {
            (void)shutdown(line->socket, SHUT_RDWR);
        }
    }
}

// Serving.

// Add the pipes of children to what is waited for.
static void add_pipes(const KalStudio *studio, fd_set *set, int *most)
{
    for (const KalStudioCall *call = studio->calls; call; call = call->next) {
        const KalChild *worker = &call->worker;
        if (kal_worker_wants(worker)) {
            FD_SET(worker->pipe, set);
            *most = worker->pipe > *most ? worker->pipe : *most;
        }
    }
}

static void read_pipes(KalStudio *studio, const fd_set *set)
{
    for (KalStudioCall *call = studio->calls; call; call = call->next) {
        if (kal_worker_wants(&call->worker) && FD_ISSET(call->worker.pipe, set)) {
            kal_worker_read(&call->worker);
        }
    }
}

static struct timeval how_long(const KalStudio *studio)
{
    unsigned long long milliseconds = 0;
    const double wish =
        studio->http.MHD_get_timeout(studio->daemon, &milliseconds) == MHD_YES
            ? 1e-3 * (double)milliseconds
            : TICK;
    const double seconds = wish < TICK ? wish : TICK;
    return (struct timeval){.tv_sec = 0, .tv_usec = (suseconds_t)(1e6 * seconds)};
}

static KalStatus turn(KalStudio *studio)
{
    const KalHttpLibrary *http = &studio->http;
    fd_set reads;
    fd_set writes;
    fd_set others;
    int most = 0;
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_ZERO(&others);
    if (http->MHD_get_fdset2(studio->daemon, &reads, &writes, &others, &most,
                             FD_SETSIZE)
        != MHD_YES) {
        return kal_fail(studio->ctx, KAL_ERR_FILE, "the server cannot go on");
    }
    add_pipes(studio, &reads, &most);
    struct timeval wait = how_long(studio);
    if (select(most + 1, &reads, &writes, &others, &wait) < 0) {
        FD_ZERO(&reads);
        FD_ZERO(&writes);
        FD_ZERO(&others);
    }
    read_pipes(studio, &reads);
    kal_studio_attend(studio);
    (void)http->MHD_run_from_select(studio->daemon, &reads, &writes, &others);
    return KAL_OK;
}

KalStatus kal_studio_serve(KalStudio *studio, KalWatchFn watch, void *user)
{
    KAL_NEED(studio ? studio->ctx : NULL, studio && watch);
    while (watch(user)) {
        KAL_TRY(turn(studio));
    }
    return KAL_OK;
}

// Beginning and end.

// The folder, and the model in it if it is one that was named.
static KalStatus find_root(KalStudio *studio, const char *path)
{
    char whole[PATH_MAX];
    struct stat status;
    if (!realpath(path, whole) || stat(whole, &status) != 0) {
        return errno == ENOENT
                   ? kal_fail(studio->ctx, KAL_ERR_FILE,
                              "there is no %s; a new model is begun in the studio of a "
                              "folder that is there",
                              kal_file_shown(path))
                   : kal_file_fail(studio->ctx, "open", path, errno);
    }
    char *slash = strrchr(whole, '/');
    assert(slash);
    if (!S_ISDIR(status.st_mode)) {
        if (!kal_guard_name(slash + 1)) {
            return kal_fail(studio->ctx, KAL_ERR_FILE,
                            "%s is neither a folder nor a model, whose name ends with "
                            ".kal",
                            path);
        }
        (void)snprintf(studio->first, sizeof studio->first, "%s", slash + 1);
        slash[slash == whole] = '\0';
    }
    (void)snprintf(studio->root, sizeof studio->root, "%s", whole);
    return KAL_OK;
}

static KalStatus check_options(KalStudio *studio)
{
    const KalStudioOptions *options = &studio->options;
    size_t length = 0;
    if (options->port < 0 || options->port > 65535 || options->seconds <= 0
        || options->megabytes <= 0) {
        return kal_fail(studio->ctx, KAL_ERR_USAGE,
                        "the port of a studio is 0 to 65535, and its limits are more "
                        "than 0");
    }
    return kal_studio_page(&length)
               ? KAL_OK
               : kal_fail(studio->ctx, KAL_ERR_USAGE,
                          "there is no studio: this program was built without its web "
                          "parts, which take Node.js and npm to build (configure with "
                          "-Dweb=enabled)");
}

static KalStatus listen_at(KalStudio *studio)
{
    const KalHttpLibrary *http = &studio->http;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)studio->options.port),
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    errno = 0;
    studio->daemon = http->MHD_start_daemon(
        MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, studio,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED,
        on_done, studio, MHD_OPTION_NOTIFY_CONNECTION, on_connection, studio,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)KAL_STUDIO_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)1 << 17, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        studio->daemon
            ? http->MHD_get_daemon_info(studio->daemon, MHD_DAEMON_INFO_BIND_PORT)
            : NULL;
    if (!info) {
        return kal_fail(studio->ctx, KAL_ERR_FILE,
                        "cannot listen at port %d of the loopback address: %s; "
                        "another --port may be free",
                        studio->options.port,
                        errno ? strerror(errno) : "it is not known why");
    }
    studio->port = info->port;
    return KAL_OK;
}

static KalStatus open_studio(KalStudio *studio)
{
    static const char *const names[] = {"libmicrohttpd.so.12", NULL};
    const char *path = studio->options.path;
    KAL_TRY(check_options(studio));
    KAL_TRY(find_root(studio, path ? path : "."));
    KAL_TRY(kal_http_library_open(studio->ctx, names, &studio->http));
    KAL_TRY(kal_token_make(studio->ctx, studio->token));
    KAL_TRY(kal_token_make(studio->ctx, studio->nonce));
    KAL_TRY(listen_at(studio));
    (void)snprintf(studio->address, sizeof studio->address, "http://127.0.0.1:%d/%s/",
                   studio->port, studio->token);
    return KAL_OK;
}

KalStatus kal_studio_create(KalContext *ctx, const KalStudioOptions *options,
                            KalStudio **out_studio)
{
    KAL_NEED(ctx, ctx && options && out_studio);
    KalStudio *studio = KAL_NEW(ctx, KalStudio);
    if (!studio) {
        return kal_no_memory(ctx, "for a studio");
    }
    studio->ctx = ctx;
    studio->options = *options;
    for (int i = 0; i < KAL_STUDIO_CONNECTIONS; i++) {
        studio->lines[i].socket = -1;
    }
    const KalStatus status = open_studio(studio);
    if (status != KAL_OK) {
        kal_studio_destroy(studio);
        return status;
    }
    *out_studio = studio;
    return KAL_OK;
}

// Connections that wait go on first: the library does not end those that it does not see.
void kal_studio_destroy(KalStudio *studio)
{
    if (!studio) {
        return;
    }
    for (KalStudioCall *call = studio->calls; call; call = call->next) {
        kal_worker_end(&call->worker, "the studio ends");
        if (call->waits) {
            call->waits = false;
            studio->http.MHD_resume_connection(call->connection);
        }
    }
    if (studio->daemon) {
        studio->http.MHD_stop_daemon(studio->daemon);
    }
    assert(!studio->calls);
    kal_free(studio->ctx, studio, sizeof *studio);
}

const char *kal_studio_address(const KalStudio *studio)
{
    return studio ? studio->address : "";
}
