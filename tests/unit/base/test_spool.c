// SPDX-License-Identifier: MIT

// Files without a name.

#include "base/spool.h"
#include "disk.h"
#include "folder.h"
#include "tap.h"

static void bytes_come_back(void)
{
    KalContext *ctx = NULL;
    KalSpool spool = {.open = false};
    Folder folder;
    char back[8] = "";
    ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_spool_open(ctx, folder_file(&folder, "a.h5"), &spool));
    ok(folder_count(&folder, "") == 0); // it has no name
    ok(kal_spool_room(&spool) > 0);
    ok(kal_spool_add(&spool, "first", 5) && kal_spool_add(&spool, "second", 6));
    ok(spool.size == 11 && kal_spool_get(&spool, 5, back, 6));
    same_text(back, "second");
    kal_spool_close(&spool);
    kal_spool_close(&spool);
    kal_spool_close(NULL);
    ok(!kal_spool_open(ctx, "/no/such/folder/a.h5", &spool) && !spool.open);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

// What was written before stays.
static void full_disks_take_no_more(void)
{
    static char bytes[1 << 16];
    KalContext *ctx = NULL;
    KalSpool spool = {.open = false};
    Folder folder;
    char back[6] = "";
    ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    if (!disk_mount(folder.path, "64k")) {
        printf("# no disks here\n");
    } else if (ok(kal_spool_open(ctx, folder_file(&folder, "a"), &spool))) {
        ok(kal_spool_room(&spool) <= 1 << 16);
        ok(kal_spool_add(&spool, "first", 5));
        ok(!kal_spool_add(&spool, bytes, sizeof bytes));
        ok(kal_spool_get(&spool, 0, back, 5));
        same_text(back, "first");
    }
    kal_spool_close(&spool);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(bytes_come_back), TAP_CASE(full_disks_take_no_more))
