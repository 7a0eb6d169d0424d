// SPDX-License-Identifier: MIT

#include "folder.h"
#include "tap.h"

#include <kalaba/files.h>

#include <fcntl.h>
#include <pthread.h>

static KalContext *ctx;
static Folder folder;

static KalFileId identify(const char *name)
{
    KalFileId id = {.device = 0};
    ok(kal_file_identify(ctx, folder_file(&folder, name), &id) == KAL_OK);
    return id;
}

static bool is_same(const char *a, const char *b)
{
    const KalFileId one = identify(a);
    const KalFileId other = identify(b);
    return kal_file_is_same(&one, &other);
}

static void link_to(const char *target, const char *name)
{
    ok(symlink(target, folder_file(&folder, name)) == 0);
}

static void files_are_what_they_are_not_what_they_are_called(void)
{
    char file[2 * FOLDER_SIZE];
    ok(folder_write(&folder, "a", "1") && folder_write(&folder, "b", "1"));
    snprintf(file, sizeof file, "%s", folder_file(&folder, "a"));
    ok(link(file, folder_file(&folder, "hard")) == 0);
    link_to("a", "soft");
    link_to("soft", "softer");
    link_to(file, "absolute");
    ok(is_same("a", "a") && is_same("a", "hard") && is_same("a", "soft"));
    ok(is_same("softer", "absolute") && is_same("./a", ".//softer"));
    ok(!is_same("a", "b"));
}

static void files_that_are_not_there_yet_too(void)
{
    link_to("new", "soon");
    link_to("./soon", "later");
    ok(is_same("new", "./new") && is_same("new", "soon") && is_same("new", "later"));
    ok(!is_same("new", "newer") && !is_same("new", "b"));
}

static void what_cannot_be_is_told(void)
{
    KalFileId id = {.device = 7};
    link_to("round", "circle");
    link_to("circle", "round");
    ok(kal_file_identify(ctx, folder_file(&folder, "none/x"), &id) == KAL_ERR_FILE);
    ok(strstr(kal_context_message(ctx), "the folder does not exist"));
    ok(kal_file_identify(ctx, folder_file(&folder, "round"), &id) == KAL_ERR_FILE);
    ok(kal_file_identify(ctx, "", &id) == KAL_ERR_FILE);
    ok(id.device == 7);
}

static void open_descriptors_are_files_or_not(void)
{
    KalFileId id = {.device = 0};
    int ends[2];
    const KalFileId a = identify("a");
    const int descriptor = open(folder_file(&folder, "soft"), O_RDONLY);
    ok(kal_file_identify_open(descriptor, &id) && kal_file_is_same(&a, &id));
    close(descriptor);
    ok(!kal_file_identify_open(descriptor, &id));
    ok(pipe(ends) == 0 && !kal_file_identify_open(ends[0], &id));
    close(ends[0]);
    close(ends[1]);
}

static KalStatus try_open(const char *name, const char *top)
{
    int descriptor = -1;
    char path[2 * FOLDER_SIZE];
    char above[2 * FOLDER_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    snprintf(above, sizeof above, "%s/%s", folder.path, top ? top : "");
    const KalStatus status = kal_file_open(ctx, path, top ? above : NULL, &descriptor);
    if (status == KAL_OK) {
        close(descriptor);
    }
    return status;
}

static void only_regular_files_are_opened(void)
{
    ok(mkfifo(folder_file(&folder, "pipe"), S_IRUSR | S_IWUSR) == 0);
    ok(try_open("a", NULL) == KAL_OK && try_open("softer", NULL) == KAL_OK);
    ok(try_open("pipe", NULL) == KAL_ERR_FILE);
    ok(strstr(kal_context_message(ctx), "no regular file"));
    ok(try_open(".", NULL) == KAL_ERR_FILE);
    ok(strstr(kal_context_message(ctx), "it is a folder"));
    ok(try_open("missing", NULL) == KAL_ERR_FILE);
    ok(try_open("a/b", NULL) == KAL_ERR_FILE);
}

static void links_do_not_lead_out_of_a_folder(void)
{
    ok(mkdir(folder_file(&folder, "in"), S_IRWXU) == 0);
    ok(folder_write(&folder, "in/x", "1"));
    link_to("../a", "in/out");
    link_to("x", "in/fine");
    link_to("in", "inner");
    ok(try_open("in/x", "in") == KAL_OK && try_open("in/fine", "in") == KAL_OK);
    ok(try_open("inner/x", "in") == KAL_OK && try_open("in/x", "inner") == KAL_OK);
    ok(try_open("in/out", "") == KAL_OK);
    ok(try_open("in/out", "in") == KAL_ERR_FILE);
    ok(strstr(kal_context_message(ctx), "leads out of the folder"));
    ok(try_open("a", "in") == KAL_ERR_FILE && try_open("in", "in") == KAL_ERR_FILE);
    unlink(folder_file(&folder, "in/x"));
    unlink(folder_file(&folder, "in/out"));
    unlink(folder_file(&folder, "in/fine"));
}

// Another process exchanges a file and a link that leads out, again and again.
static void *exchange(void *user)
{
    const bool *stop = user;
    char file[2 * FOLDER_SIZE];
    char other[2 * FOLDER_SIZE];
    snprintf(file, sizeof file, "%s/in/race", folder.path);
    snprintf(other, sizeof other, "%s/in/race.new", folder.path);
    while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
        FILE *text = fopen(other, "wb");
        if (text) {
            fputs("inside", text);
            fclose(text);
        }
        (void)rename(other, file);
        (void)symlink("../a", other);
        (void)rename(other, file);
    }
    unlink(file);
    return NULL;
}

static void a_link_that_changes_meanwhile_does_not_either(void)
{
    pthread_t thread;
    bool stop = false;
    char path[2 * FOLDER_SIZE];
    char top[2 * FOLDER_SIZE];
    int escapes = 0;
    snprintf(path, sizeof path, "%s/in/race", folder.path);
    snprintf(top, sizeof top, "%s/in", folder.path);
    const KalFileId outside = identify("a");
    ok(pthread_create(&thread, NULL, exchange, &stop) == 0);
    for (int i = 0; i < 3000; i++) {
        int descriptor = -1;
        KalFileId id;
        if (kal_file_open(ctx, path, top, &descriptor) == KAL_OK) {
            escapes += kal_file_identify_open(descriptor, &id)
                       && kal_file_is_same(&id, &outside);
            close(descriptor);
        }
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    ok(pthread_join(thread, NULL) == 0);
    ok(escapes == 0);
}

// The folder is made by the first case and removed by the last.
static void a_folder_is_made(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK && folder_open(&folder));
}

static void the_folder_is_removed(void)
{
    ok(rmdir(folder_file(&folder, "in")) == 0);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_folder_is_made),
        TAP_CASE(files_are_what_they_are_not_what_they_are_called),
        TAP_CASE(files_that_are_not_there_yet_too), TAP_CASE(what_cannot_be_is_told),
        TAP_CASE(open_descriptors_are_files_or_not),
        TAP_CASE(only_regular_files_are_opened),
        TAP_CASE(links_do_not_lead_out_of_a_folder),
        TAP_CASE(a_link_that_changes_meanwhile_does_not_either),
        TAP_CASE(the_folder_is_removed))
