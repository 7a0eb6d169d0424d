// SPDX-License-Identifier: MIT

// The models of a folder.

#include "context.h"
#include "folder.h"
#include "show/page.h"
#include "studio/folder.h"
#include "tap.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder with a model, a folder in it, and what must not be seen.
static bool fill(Folder *folder)
{
    char path[PATH_MAX];
    if (!folder_open(folder) || !folder_write(folder, "a.kal", "coord x\n")
        || !folder_write(folder, "notes.txt", "no model")
        || !folder_write(folder, ".hidden.kal", "coord y\n")) {
        return false;
    }
    return symlink("/etc/hostname", folder_file(folder, "link.kal")) == 0
           && snprintf(path, sizeof path, "%s", folder_file(folder, "a.kal")) > 0;
}

static KalFolderFile file_of(const Folder *folder, const char *name)
{
    return (KalFolderFile){.root = folder->path, .name = name};
}

static void models_are_listed(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalPage page = kal_page(ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    if (ok(fill(&folder))) {
        kal_folder_list(ctx, folder.path, &writer);
        same_text(kal_page_text(&page), "[\"a.kal\"]");
    }
    kal_page_clear(&page);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void links_do_not_lead_out(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalBlock text = {.data = NULL};
    KalTag tag;
    if (ok(fill(&folder))) {
        const KalFolderFile link = file_of(&folder, "link.kal");
        const KalFolderFile up = file_of(&folder, "../a.kal");
        ok(kal_folder_read(ctx, &link, &text, &tag) == KAL_ERR_FILE && text.size == 0);
        ok(kal_folder_save(ctx, &link, "x", NULL, &tag) == KAL_ERR_FILE);
        has_text(kal_context_message(ctx), "link.kal is a link");
        ok(kal_folder_read(ctx, &up, &text, &tag) == KAL_ERR_FILE);
        ok(kal_folder_save(ctx, &up, "x", NULL, &tag) == KAL_ERR_FILE);
        has_text(kal_context_message(ctx), "is not the name of a model in this folder");
        const KalFolderFile notes = file_of(&folder, "notes.txt");
        ok(kal_folder_save(ctx, &notes, "x", NULL, &tag) == KAL_ERR_FILE);
        ok(kal_folder_read(ctx, &notes, &text, &tag) == KAL_OK && text.size == 8);
        text.size = 0;
    }
    kal_block_clear(ctx, &text);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

// A link to another folder of ours is a way to it, one that leads out is none.
static void links_to_folders_stay_inside(void)
{
    Folder folder;
    Folder outside;
    KalContext *ctx = new_context();
    KalTag tag;
    if (ok(fill(&folder)) && ok(folder_open(&outside))
        && ok(mkdir(folder_file(&folder, "in"), 0777) == 0)
        && ok(symlink("in", folder_file(&folder, "way")) == 0)
        && ok(symlink(outside.path, folder_file(&folder, "out")) == 0)) {
        const KalFolderFile inside = file_of(&folder, "way/b.kal");
        const KalFolderFile out = file_of(&folder, "out/b.kal");
        ok(kal_folder_save(ctx, &inside, "x", "", &tag) == KAL_OK);
        ok(access(folder_file(&folder, "in/b.kal"), R_OK) == 0);
        ok(kal_folder_save(ctx, &out, "x", NULL, &tag) == KAL_ERR_FILE);
        has_text(kal_context_message(ctx), "a symbolic link leads out of the folder");
        ok(folder_count(&outside, "") == 0);
        remove(folder_file(&folder, "in/b.kal"));
        folder_close(&outside);
    }
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void what_is_saved_is_read(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalBlock text = {.data = NULL};
    KalTag first;
    KalTag second;
    if (ok(fill(&folder))) {
        const KalFolderFile file = file_of(&folder, "b.kal");
        ok(kal_folder_save(ctx, &file, "one", "", &first) == KAL_OK);
        ok(kal_folder_save(ctx, &file, "three", first.text, &second) == KAL_OK);
        ok(strcmp(first.text, second.text) != 0);
        ok(kal_folder_save(ctx, &file, "lost", first.text, &first)
           == KAL_ERR_CONTRADICTION);
        ok(kal_folder_save(ctx, &file, "lost", "", &first) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(ctx), "b.kal has changed on the disk");
        ok(kal_folder_read(ctx, &file, &text, &first) == KAL_OK);
        ok(text.size == 5 && memcmp(text.data, "three", 5) == 0);
        same_text(first.text, second.text);
        ok(kal_folder_save(ctx, &file, "four", NULL, &first) == KAL_OK);
        ok(folder_count(&folder, ".part") == 0);
    }
    kal_block_clear(ctx, &text);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(models_are_listed), TAP_CASE(links_do_not_lead_out),
        TAP_CASE(links_to_folders_stay_inside), TAP_CASE(what_is_saved_is_read))
