// SPDX-License-Identifier: MIT

#include "base/whole_file.h"
#include "child.h"
#include "context.h"
#include "disk.h"
#include "fault.h"
#include "folder.h"
#include "rng.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

enum {
    NOBODY = 65534,
    LARGE = 1 << 20
};

// Write `count` pieces of text to a file; it has its name when the answer is KAL_OK.
static KalStatus write_file(KalContext *ctx, const char *path, const char *piece,
                            int count)
{
    KalFile *file = NULL;
    KalStatus status = kal_file_create(ctx, path, &file);
    if (status == KAL_OK) {
        const KalSink sink = kal_file_sink(file);
        for (int i = 0; i < count; i++) {
            sink.write(sink.user, piece, strlen(piece));
        }
        status = kal_file_close(file);
    }
    if (status == KAL_OK) {
        status = kal_file_finish(file);
    }
    kal_file_destroy(file);
    return status;
}

static void refuses(const char *path, const char *reason)
{
    KalContext *ctx = new_context();
    char want[4096];
    ok(write_file(ctx, path, "new", 1) == KAL_ERR_FILE);
    snprintf(want, sizeof want, "cannot write %s: %s", path, reason);
    same_text(kal_context_message(ctx), want);
    kal_context_destroy(ctx);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 0777 : 0;
}

static void a_file_has_its_name_when_it_is_whole(void)
{
    Folder folder;
    char text[64];
    KalContext *ctx = new_context();
    KalFile *file = NULL;
    ok(folder_open(&folder));
    ok(kal_file_create(ctx, folder_file(&folder, "a.csv"), &file) == KAL_OK);
    const KalSink sink = kal_file_sink(file);
    sink.write(sink.user, "hello ", 6);
    ok(folder_count(&folder, "") == 1 && folder_count(&folder, ".part") == 1);
    sink.write(sink.user, "world", 5);
    ok(kal_file_close(file) == KAL_OK);
    ok(folder_count(&folder, "") == 1 && folder_count(&folder, ".part") == 1);
    ok(kal_file_finish(file) == KAL_OK);
    kal_file_destroy(file);
    ok(folder_count(&folder, "") == 1 && folder_count(&folder, "a.csv") == 1);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "hello world");
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void a_file_given_up_leaves_the_old_one(void)
{
    Folder folder;
    char text[64];
    KalContext *ctx = new_context();
    KalFile *file = NULL;
    ok(folder_open(&folder) && folder_write(&folder, "a.csv", "old"));
    ok(kal_file_create(ctx, folder_file(&folder, "a.csv"), &file) == KAL_OK);
    kal_file_sink(file).write(file, "new", 3);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "old");
    kal_file_destroy(file);
    ok(folder_count(&folder, "") == 1);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "old");

    ok(write_file(ctx, folder_file(&folder, "a.csv"), "new", 1) == KAL_OK);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "new");
    ok(folder_count(&folder, "") == 1);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void large_and_small_pieces_keep_their_order(void)
{
    static char large[200001];
    static char text[600100];
    Folder folder;
    KalContext *ctx = new_context();
    KalFile *file = NULL;
    memset(large, 'x', sizeof large - 1);
    ok(folder_open(&folder));
    ok(kal_file_create(ctx, folder_file(&folder, "a"), &file) == KAL_OK);
    const KalSink sink = kal_file_sink(file);
    sink.write(sink.user, "one", 3);
    sink.write(sink.user, large, sizeof large - 1);
    sink.write(sink.user, "two", 3);
    sink.write(sink.user, large, sizeof large - 1);
    sink.write(sink.user, "", 0);
    sink.write(sink.user, "three", 5);
    ok(kal_file_close(file) == KAL_OK && kal_file_finish(file) == KAL_OK);
    kal_file_destroy(file);
    folder_read(&folder, "a", text, sizeof text);
    ok(strlen(text) == 400011);
    ok(memcmp(text, "onexx", 5) == 0 && memcmp(text + 200001, "xxtwoxx", 7) == 0);
    same_text(text + 400004, "xxthree");
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void permissions_are_those_of_the_umask_or_of_the_old_file(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    ok(folder_open(&folder));
    const mode_t old = umask(027);
    ok(write_file(ctx, folder_file(&folder, "a"), "x", 1) == KAL_OK);
    ok(mode_of(folder_file(&folder, "a")) == 0640);
    umask(0);
    ok(write_file(ctx, folder_file(&folder, "b"), "x", 1) == KAL_OK);
    ok(mode_of(folder_file(&folder, "b")) == 0666);
    ok(chmod(folder_file(&folder, "b"), 0600) == 0);
    ok(write_file(ctx, folder_file(&folder, "b"), "y", 1) == KAL_OK);
    ok(mode_of(folder_file(&folder, "b")) == 0600);
    umask(old);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void links_are_followed(void)
{
    Folder folder;
    char link[4096];
    char text[64];
    struct stat status;
    KalContext *ctx = new_context();
    ok(folder_open(&folder) && folder_write(&folder, "real", "old"));
    snprintf(link, sizeof link, "%s", folder_file(&folder, "link"));
    ok(symlink("real", link) == 0);
    ok(write_file(ctx, link, "new", 1) == KAL_OK);
    ok(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    folder_read(&folder, "real", text, sizeof text);
    same_text(text, "new");
    folder_close(&folder);
    kal_context_destroy(ctx);
}

// The race of the one who checks a path and then uses it: what the path leads to changes in
// between.  A file of an open folder is in that folder, whatever has its name now.
static void a_file_of_an_open_folder_stays_there(void)
{
    Folder folder;
    Folder outside;
    char way[4096];
    char text[64];
    KalContext *ctx = new_context();
    int descriptor = -1;
    if (!ok(folder_open(&folder)) || !ok(folder_open(&outside))) {
        return;
    }
    snprintf(way, sizeof way, "%s", folder_file(&folder, "way"));
    ok(mkdir(way, 0777) == 0);
    ok(kal_file_open_folder(ctx, way, folder.path, &descriptor) == KAL_OK);
    ok(rename(way, folder_file(&folder, "aside")) == 0);
    ok(symlink(outside.path, way) == 0);
    ok(kal_file_replace_in(ctx, descriptor, "m", "one", 3) == KAL_OK);
    ok(kal_file_replace_in(ctx, descriptor, "m", "three", 5) == KAL_OK);
    folder_read(&folder, "aside/m", text, sizeof text);
    same_text(text, "three");
    ok(folder_count(&outside, "") == 0);
    int again = -1;
    ok(kal_file_open_folder(ctx, way, folder.path, &again) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "a symbolic link leads out of the folder");
    ok(again == -1);
    ok(symlink(outside.path, folder_file(&folder, "aside/link")) == 0);
    ok(kal_file_replace_in(ctx, descriptor, "link", "x", 1) == KAL_ERR_FILE);
    close(descriptor);
    remove(folder_file(&folder, "aside/link"));
    remove(folder_file(&folder, "aside/m"));
    folder_close(&folder);
    folder_close(&outside);
    kal_context_destroy(ctx);
}

static void long_names_fit(void)
{
    Folder folder;
    char name[256];
    KalContext *ctx = new_context();
    memset(name, 'n', 255);
    name[255] = '\0';
    ok(folder_open(&folder));
    ok(write_file(ctx, folder_file(&folder, name), "x", 1) == KAL_OK);
    ok(folder_count(&folder, name) == 1 && folder_count(&folder, "") == 1);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void a_path_without_a_folder_is_of_this_one(void)
{
    Folder folder;
    char here[4096];
    KalContext *ctx = new_context();
    ok(folder_open(&folder) && getcwd(here, sizeof here) && chdir(folder.path) == 0);
    ok(write_file(ctx, "plain", "x", 1) == KAL_OK);
    ok(folder_count(&folder, "plain") == 1);
    ok(chdir(here) == 0);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void what_is_no_file_is_refused(void)
{
    Folder folder;
    char path[2100];
    ok(folder_open(&folder));
    refuses(folder.path, "it is a folder");
    refuses("/dev/null", "it is not a file but a device or the like");
    snprintf(path, sizeof path, "%s/none/a.csv", folder.path);
    refuses(path, "the folder does not exist");
    ok(folder_write(&folder, "file", "x"));
    snprintf(path, sizeof path, "%s/file/a.csv", folder.path);
    refuses(path, "a part of the path is not a folder");
    snprintf(path, sizeof path, "%s/%0300d", folder.path, 0);
    refuses(path, "the name is too long");
    ok(folder_count(&folder, "") == 1);
    // What we have no words for the C library has.
    ok(symlink("loop", folder_file(&folder, "loop")) == 0);
    snprintf(path, sizeof path, "%s/loop", folder.path);
    refuses(path, strerror(ELOOP));
    folder_close(&folder);
}

// Root may do anything, so a nobody tries.
static void lose_rights(void)
{
    if (geteuid() == 0) {
        ok(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    }
}

static void try_new_and_old(void *user)
{
    Folder *folder = user;
    lose_rights();
    refuses(folder_file(folder, "new"), "no permission");
    refuses(folder_file(folder, "theirs"), "no permission");
}

static void try_old(void *user)
{
    Folder *folder = user;
    lose_rights();
    refuses(folder_file(folder, "theirs"), "no permission");
}

// An open folder does not open a closed file.
static void rights_are_kept(void)
{
    Folder folder;
    char text[64];
    ok(folder_open(&folder) && folder_write(&folder, "theirs", "old"));
    ok(chmod(folder_file(&folder, "theirs"), 0444) == 0);
    ok(chmod(folder.path, 0555) == 0);
    child_run(try_new_and_old, &folder);
    ok(chmod(folder.path, 0777) == 0);
    child_run(try_old, &folder);
    folder_read(&folder, "theirs", text, sizeof text);
    same_text(text, "old");
    ok(folder_count(&folder, "") == 1);
    folder_close(&folder);
}

// Signals are for programs that want them; we get the error.
static void write_beyond_the_limit(void *user)
{
    Folder *folder = user;
    const struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    signal(SIGXFSZ, SIG_IGN);
    ok(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    KalContext *ctx = new_context();
    ok(write_file(ctx, folder_file(folder, "a.csv"), "0123456789", 20000)
       == KAL_ERR_FILE);
    has_text(kal_context_message(ctx),
             "a.csv: the file would be larger than is allowed");
    ok(write_file(ctx, folder_file(folder, "b.csv"), "0123456789", 10000) == KAL_OK);
    kal_context_destroy(ctx);
}

static void a_file_too_large_leaves_nothing(void)
{
    Folder folder;
    char text[64];
    ok(folder_open(&folder) && folder_write(&folder, "a.csv", "old"));
    child_run(write_beyond_the_limit, &folder);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "old");
    ok(folder_count(&folder, "") == 2 && folder_count(&folder, ".part") == 0);
    folder_close(&folder);
}

static void fill_disk(void *user)
{
    Folder *folder = user;
    char text[64];
    if (!disk_mount(folder->path, "256k")) {
        printf("# no disk may be mounted here\n");
        return;
    }
    KalContext *ctx = new_context();
    ok(folder_write(folder, "a.csv", "old"));
    ok(write_file(ctx, folder_file(folder, "a.csv"), "0123456789", LARGE)
       == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "/a.csv: the disk is full");
    folder_read(folder, "a.csv", text, sizeof text);
    same_text(text, "old");
    ok(folder_count(folder, "") == 1);
    ok(write_file(ctx, folder_file(folder, "b.csv"), "0123456789", 1000) == KAL_OK);
    kal_context_destroy(ctx);
}

static void a_full_disk_leaves_nothing(void)
{
    Folder folder;
    ok(folder_open(&folder));
    child_run(fill_disk, &folder);
    folder_close(&folder);
}

static void write_forever(const char *path)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int i = 0; i < 1000000; i++) {
        ok(write_file(ctx, path, i % 2 ? "bbbbbbbbbb" : "aaaaaaaaaa", 50000) == KAL_OK);
    }
    _exit(1);
}

// All one letter, and all there.
static bool is_whole(const char *path)
{
    static char text[600000];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) {
        fclose(file);
    }
    bool whole = size == 500000;
    for (size_t i = 1; i < size; i++) {
        whole = whole && text[i] == text[0];
    }
    return whole;
}

// Stop a writer between the beginning and the end of a file: there is one part more.
static void stop_in_the_middle(const Folder *folder, pid_t child, int parts)
{
    const struct timespec moment = {.tv_nsec = 20000};
    for (bool writes = false; !writes;) {
        while (folder_count(folder, ".part") == parts) {
            nanosleep(&moment, NULL);
        }
        ok(kill(child, SIGSTOP) == 0 && waitpid(child, NULL, WUNTRACED) == child);
        writes = folder_count(folder, ".part") > parts;
        if (!writes) {
            ok(kill(child, SIGCONT) == 0);
        }
    }
}

// Whenever the writer is killed, the file is one that it had finished.
static void a_killed_writer_leaves_a_whole_file(void)
{
    Folder folder;
    Rng rng = {.state = 9};
    int parts = 0;
    ok(folder_open(&folder));
    KalContext *ctx = new_context();
    ok(write_file(ctx, folder_file(&folder, "a.csv"), "cccccccccc", 50000) == KAL_OK);
    for (int i = 0; i < 40; i++) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            write_forever(folder_file(&folder, "a.csv"));
        }
        if (!ok(child > 0)) {
            break;
        }
        if (i % 4 == 0) {
            stop_in_the_middle(&folder, child, parts);
        } else {
            const struct timespec pause = {.tv_nsec = rng_int(&rng, 100000, 20000000)};
            nanosleep(&pause, NULL);
        }
        ok(kill(child, SIGKILL) == 0);
        waitpid(child, NULL, 0);
        ok(is_whole(folder_file(&folder, "a.csv")));
        ok(folder_count(&folder, ".csv") == 1);
        parts = folder_count(&folder, ".part");
        ok(folder_count(&folder, "") == 1 + parts);
    }
    printf("# %d of 40 were killed while writing\n", parts);
    ok(parts >= 10);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

static void reads_back_what_is_there(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalBlock block = {.data = NULL};
    ok(folder_open(&folder));
    ok(write_file(ctx, folder_file(&folder, "a"), "0123456789", 10000) == KAL_OK);
    ok(kal_file_read(ctx, folder_file(&folder, "a"), 100000, &block) == KAL_OK);
    ok(block.size == 100000
       && memcmp((char *)block.data + 99990, "0123456789", 10) == 0);
    block.size = 0;
    ok(kal_file_read(ctx, folder_file(&folder, "a"), 99999, &block) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "more than the 99999 bytes allowed");
    ok(kal_file_read(ctx, folder_file(&folder, "b"), 10, &block) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "/b: there is no such file or folder");
    ok(kal_file_read(ctx, folder.path, 10, &block) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "it is a folder");
    ok(kal_file_read(ctx, "/dev/zero", 1000000, &block) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "no regular file");
    kal_block_clear(ctx, &block);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    Folder folder;
    KalStatus status = KAL_ERR_NOMEM;
    long calls = 1; // the context is there
    ok(folder_open(&folder));
    for (; status != KAL_OK && calls < 100; calls++) {
        Fault fault = {.calls_left = calls};
        KalContext *ctx = NULL;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        status = write_file(ctx, folder_file(&folder, "a"), "0123456789", 10);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok(folder_count(&folder, "") == (status == KAL_OK));
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK && calls > 3);
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(a_file_has_its_name_when_it_is_whole),
        TAP_CASE(a_file_given_up_leaves_the_old_one),
        TAP_CASE(large_and_small_pieces_keep_their_order),
        TAP_CASE(permissions_are_those_of_the_umask_or_of_the_old_file),
        TAP_CASE(links_are_followed), TAP_CASE(a_file_of_an_open_folder_stays_there),
        TAP_CASE(long_names_fit), TAP_CASE(a_path_without_a_folder_is_of_this_one),
        TAP_CASE(what_is_no_file_is_refused), TAP_CASE(rights_are_kept),
        TAP_CASE(a_file_too_large_leaves_nothing), TAP_CASE(a_full_disk_leaves_nothing),
        TAP_CASE(a_killed_writer_leaves_a_whole_file),
        TAP_CASE(reads_back_what_is_there), TAP_CASE(every_allocation_may_fail))
