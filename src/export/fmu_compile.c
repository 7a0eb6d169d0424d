// SPDX-License-Identifier: MIT

// The library of an FMU, made by the system's C compiler in a folder of its own, which goes
// again.  The compiler gets its arguments as a list: no shell reads them.

#include "base/whole_file.h"
#include "export/fmu.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATH_SIZE = 2048,
    MOST_LIBRARY = 1 << 30,
    MOST_SAID = 600,       // bytes of the compiler's message that are shown
    READ_AND_WRITE = 0600, // of the owner
    NOT_FOUND = 127        // what a process that could not begin may return
};

extern char **environ;

// A folder for the sources and what is made of them.
typedef struct Bench {
    KalContext *ctx;
    const KalFmu *fmu;
    char folder[PATH_SIZE];
    char library[PATH_SIZE + 8];
    char said[PATH_SIZE + 8]; // what the compiler says
} Bench;

// Beside the archive, where there is room for it.
static KalStatus make_bench(Bench *b, const char *path)
{
    const int length = snprintf(b->folder, sizeof b->folder, "%s.XXXXXX", path);
    const bool fits = length >= 0 && length < PATH_SIZE;
    if (!fits || !mkdtemp(b->folder)) {
        const int error = fits ? errno : ENAMETOOLONG;
        b->folder[0] = '\0';
        return kal_file_fail(b->ctx, "make a folder for the compiler beside", path,
                             error);
    }
    (void)snprintf(b->library, sizeof b->library, "%s/out.so", b->folder);
    (void)snprintf(b->said, sizeof b->said, "%s/said", b->folder);
    return KAL_OK;
}

// The name of a file without folders.
static const char *base_of(const KalFmuFile *file)
{
    const char *slash = strrchr(file->name, '/');
    return slash ? slash + 1 : file->name;
}

static KalStatus put_file(const Bench *b, const KalFmuFile *file)
{
    char path[2 * PATH_SIZE];
    KalFile *whole = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", b->folder, base_of(file));
    KalStatus status = kal_file_create(b->ctx, path, &whole);
    if (status == KAL_OK) {
        const KalSink sink = kal_file_sink(whole);
        sink.write(sink.user, (const char *)file->data.data, file->data.size);
        status = kal_file_close(whole);
    }
    if (status == KAL_OK) {
        status = kal_file_finish(whole);
    }
    kal_file_destroy(whole);
    return status;
}

static void clear_bench(const Bench *b, const KalFmuFile *files, size_t n_files)
{
    char path[2 * PATH_SIZE];
    if (b->folder[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < n_files; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", b->folder, base_of(&files[i]));
        (void)unlink(path);
    }
    (void)unlink(b->library);
    (void)unlink(b->said);
    (void)rmdir(b->folder);
}

// Start the compiler; its messages go to a file.
static int spawn(const Bench *b, char *const *arguments, pid_t *out_process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, b->said, O_WRONLY | O_CREAT | O_TRUNC, READ_AND_WRITE);
    if (error == 0) {
        error =
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    }
    if (error == 0) {
        error =
            posix_spawnp(out_process, arguments[0], &actions, NULL, arguments, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static KalStatus say_no_compiler(const Bench *b)
{
    return kal_fail(b->ctx, KAL_ERR_FILE,
                    "an FMU has a library for this machine, and there is no C compiler "
                    "'cc' to make it: install one (Debian: gcc and libc6-dev)");
}

// How many bytes of a message are shown: none of a character that would not be whole.
static int length_shown(const KalBlock *said)
{
    const char *text = (const char *)said->data;
    size_t length = said->size;
    if (length > MOST_SAID) {
        length = MOST_SAID;
        while (length > 0 && ((unsigned char)text[length] & 0xc0U) == 0x80U) {
            length--;
        }
    }
    return (int)length;
}

static KalStatus say_what_compiler_said(const Bench *b)
{
    KalBlock said = {.data = NULL};
    const KalStatus status = kal_file_read(b->ctx, b->said, MOST_LIBRARY, &said);
    if (status == KAL_OK) {
        const int length = length_shown(&said);
        (void)kal_fail(b->ctx, KAL_ERR_FILE, "the C compiler 'cc' failed: %.*s", length,
                       length > 0 ? (const char *)said.data : "");
    }
    kal_block_clear(b->ctx, &said);
    return KAL_ERR_FILE;
}

// cc runs in the folder of the sources and is waited for; whether there is one shows only
// when it is started.
static KalStatus run_compiler(const Bench *b)
{
    char glue[2 * PATH_SIZE];
    char begin[2 * PATH_SIZE];
    (void)snprintf(glue, sizeof glue, "%s/%s_fmu.c", b->folder, b->fmu->plan->name);
    (void)snprintf(begin, sizeof begin, "%s/%s_begin.c", b->folder, b->fmu->plan->name);
    char library[PATH_SIZE + 8];
    (void)snprintf(library, sizeof library, "%s", b->library);
    char words[][24] = {"cc",    "-std=c99", "-O2", "-ffp-contract=off",
                        "-fPIC", "-shared",  "-w",  "-fvisibility=hidden",
                        "-o",    "-lm"};
    char *arguments[] = {words[0], words[1], words[2], words[3], words[4],
                         words[5], words[6], words[7], words[8], library,
                         glue,     begin,    words[9], NULL};
    pid_t process = 0;
    const int error = spawn(b, arguments, &process);
    if (error == ENOENT) {
        return say_no_compiler(b);
    }
    if (error != 0) {
        return kal_file_fail(b->ctx, "run", "cc", error);
    }
    int state = 0;
    pid_t done = 0;
    do {
        done = waitpid(process, &state, 0);
    } while (done < 0 && errno == EINTR);
    if (done == process && WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND) {
        return say_no_compiler(b);
    }
    return done == process && WIFEXITED(state) && WEXITSTATUS(state) == 0
               ? KAL_OK
               : say_what_compiler_said(b);
}

KalStatus kal_fmu_compile(const KalFmu *fmu, const char *path, const KalFmuFile *files,
                          size_t n_files, KalBlock *library)
{
    assert(fmu && path && library);
    Bench bench = {.ctx = fmu->plan->ctx, .fmu = fmu};
    KalStatus status = make_bench(&bench, path);
    for (size_t i = 0; i < n_files && status == KAL_OK; i++) {
        status = put_file(&bench, &files[i]);
    }
    if (status == KAL_OK) {
        status = run_compiler(&bench);
    }
    if (status == KAL_OK) {
        status = kal_file_read(bench.ctx, bench.library, MOST_LIBRARY, library);
    }
    clear_bench(&bench, files, n_files);
    return status;
}
