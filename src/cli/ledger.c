// SPDX-License-Identifier: MIT

// Which files a command reads and writes, by what they are: a file that is written must be no
// other's, or a result would destroy what it was made from.  Standard output and error count
// where they are files.

#include "ledger.h"

#include "output.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SHOWN = 256 // bytes of a path in a message
};

static bool fail(KalLedger *ledger, const char *message)
{
    snprintf(ledger->message, sizeof ledger->message, "%s", message);
    return false;
}

// The list owns copies.
static bool add(KalLedger *ledger, const KalLedgerEntry *entry)
{
    assert(entry->role);
    KalLedgerEntry *list =
        realloc(ledger->list, (ledger->count + 1) * sizeof *ledger->list);
    if (!list) {
        return fail(ledger, "out of memory");
    }
    ledger->list = list;
    list[ledger->count++] = *entry;
    return true;
}

// The entry that forbids another one for the same file, or NULL.
static const KalLedgerEntry *find_clash(const KalLedger *ledger,
                                        const KalLedgerEntry *entry)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const KalLedgerEntry *other = &ledger->list[i];
        assert(other->role);
        if ((entry->written || other->written)
            && kal_file_is_same(&entry->id, &other->id)) {
            return other;
        }
    }
    return NULL;
}

// Unless another entry forbids it.
static bool enter(KalLedger *ledger, const KalLedgerEntry *entry, const char *path)
{
    const KalLedgerEntry *other = find_clash(ledger, entry);
    if (!other) {
        return add(ledger, entry);
    }
    // The end of a long path says more than its beginning.
    const size_t length = path ? strlen(path) : 0;
    ledger->clash = true;
    snprintf(ledger->message, sizeof ledger->message,
             "%s%s%s and %s are the same file, which would be lost: what is written "
             "needs a file of its own",
             entry->role, path ? " " : "",
             path ? path + (length > PATH_SHOWN ? length - PATH_SHOWN : 0) : "",
             other->role);
    return false;
}

bool kal_ledger_init(KalLedger *ledger)
{
    KalLedgerEntry entry = {.role = "standard output", .written = true};
    bool fits = true;
    *ledger = (KalLedger){.count = 0};
    if (kal_file_identify_open(STDOUT_FILENO, &entry.id)) {
        fits = add(ledger, &entry);
    }
    entry.role = "standard error";
    if (fits && kal_file_identify_open(STDERR_FILENO, &entry.id)) {
        fits = add(ledger, &entry);
    }
    return fits;
}

void kal_ledger_clear(KalLedger *ledger)
{
    free(ledger->list);
    ledger->list = NULL;
}

bool kal_ledger_read(KalLedger *ledger, const char *role, int descriptor)
{
    assert(ledger && role && descriptor >= 0);
    KalLedgerEntry entry = {.role = role};
    return !kal_file_identify_open(descriptor, &entry.id)
           || enter(ledger, &entry, NULL);
}

static bool read_path(KalLedger *ledger, KalContext *ctx, const char *role,
                      const char *path)
{
    KalLedgerEntry entry = {.role = role};
    // What cannot be told is told when it is read.
    return kal_file_identify(ctx, path, &entry.id) != KAL_OK
           || enter(ledger, &entry, NULL);
}

// A CSV may have a second file with its units, which counts as read too.
bool kal_ledger_read_table(KalLedger *ledger, KalContext *ctx, const char *role,
                           const char *path)
{
    assert(ledger && ctx && path);
    char units[PATH_MAX];
    return read_path(ledger, ctx, role, path)
           && (!kal_table_units_path(path, units, sizeof units)
               || read_path(ledger, ctx, role, units));
}

bool kal_ledger_write(KalLedger *ledger, KalContext *ctx, const char *role,
                      const char *path)
{
    assert(ledger && ctx && path);
    KalLedgerEntry entry = {.role = role, .written = true};
    return kal_file_identify(ctx, path, &entry.id) == KAL_OK
               ? enter(ledger, &entry, path)
               : fail(ledger, kal_context_message(ctx));
}

bool kal_ledger_write_table(KalLedger *ledger, KalContext *ctx, const char *path,
                            const KalTableWriteOptions *options)
{
    char units[PATH_MAX];
    if (kal_is_standard_output(path)) {
        return true; // which has its entry
    }
    const bool beside = options && options->csv_units == KAL_TABLE_UNITS_FILE
                        && kal_table_units_path(path, units, sizeof units);
    return kal_ledger_write(ledger, ctx, "option '-o'", path)
           && (!beside
               || kal_ledger_write(ledger, ctx, "the units of option '-o'", units));
}
