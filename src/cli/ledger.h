// SPDX-License-Identifier: MIT

/// @file
/// The files that a command reads and writes, so that none is both, or written twice.
/// They are told apart by what they are (kalaba/files.h), not by their names.

#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include <kalaba/kalaba.h>

enum {
    KAL_LEDGER_MESSAGE_SIZE = 1024
};

/// One file, and why the command has to do with it.
typedef struct KalLedgerEntry {
    KalFileId id;
    const char *role; ///< "the model", "option '-o'"
    bool written;
} KalLedgerEntry;

/// Zeroed has no files.
typedef struct KalLedger {
    KalLedgerEntry *list;
    size_t count;
    bool clash; ///< a file was refused
    char message[KAL_LEDGER_MESSAGE_SIZE];
} KalLedger;

/// Begin with standard output and standard error, where they are files.
bool kal_ledger_init(KalLedger *ledger);

void kal_ledger_clear(KalLedger *ledger);

/// Note an open file that is read.  False: see the message.  Roles are borrowed.
bool kal_ledger_read(KalLedger *ledger, const char *role, int descriptor);

/// Note a file by its path, if it is there, and for a table also the file of its units.
bool kal_ledger_read_table(KalLedger *ledger, KalContext *ctx, const char *role,
                           const char *path);

/// Note a file that will be written, and is refused if it is there already.  False: see
/// the message.
bool kal_ledger_write(KalLedger *ledger, KalContext *ctx, const char *role,
                      const char *path);

/// The same for a table, which may have a file of units beside it.
bool kal_ledger_write_table(KalLedger *ledger, KalContext *ctx, const char *path,
                            const KalTableWriteOptions *options);

#endif
