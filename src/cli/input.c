// SPDX-License-Identifier: MIT

// Whole texts from files or standard input, up to a limit; what comes is counted, since a
// file may grow while it is read, and a pipe has no size.

#include "input.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_CAPACITY = 65536
};

static bool fail(KalInputText *input, const char *problem)
{
    assert(problem);
    // The end of a long path says more than its beginning.
    const size_t length = strlen(input->name);
    const size_t shown = KAL_INPUT_MESSAGE_SIZE / 2;
    snprintf(input->message, sizeof input->message, "cannot read %s: %s",
             input->name + (length > shown ? length - shown : 0), problem);
    return false;
}

// Room for one byte more than the limit shows that there are too many.
static bool grow(KalInputText *input, size_t *capacity)
{
    assert(*capacity <= KAL_INPUT_LIMIT);
    const size_t largest = KAL_INPUT_LIMIT + 1;
    size_t larger = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    larger = larger < largest ? larger : largest;
    char *text = realloc(input->text, larger);
    if (!text) {
        return fail(input, "out of memory");
    }
    input->text = text;
    *capacity = larger;
    return true;
}

// Until nothing more comes.
static bool read_all(KalInputText *input, FILE *file)
{
    assert(input->length == 0);
    size_t capacity = 0;
    size_t got;

    do {
        if (input->length == capacity && !grow(input, &capacity)) {
            return false;
        }
        got = fread(input->text + input->length, 1, capacity - input->length, file);
        input->length += got;
        assert(input->length <= capacity);
        if (input->length > KAL_INPUT_LIMIT) {
            return fail(input, "it has more than 256 MiB");
        }
    } while (got > 0);
    return ferror(file) ? fail(input, strerror(errno)) : true;
}

static bool keep_message(KalInputText *input, const char *message)
{
    snprintf(input->message, sizeof input->message, "%s", message);
    return false;
}

// The ledger sees what was opened, not the path: that cannot change in between.
static bool read_file(KalInputText *input, const KalInputOrigin *origin)
{
    assert(origin->ctx && origin->path && origin->ledger);
    int descriptor = -1;
    if (kal_file_open(origin->ctx, origin->path, origin->folder, &descriptor)
        != KAL_OK) {
        return keep_message(input, kal_context_message(origin->ctx));
    }
    FILE *file = NULL;
    bool done = kal_ledger_read(origin->ledger, origin->role, descriptor);
    if (!done) {
        keep_message(input, origin->ledger->message);
    } else {
        file = fdopen(descriptor, "rb");
        done = file ? read_all(input, file) : fail(input, strerror(errno));
    }
    if (file) {
        fclose(file);
    } else {
        close(descriptor);
    }
    return done;
}

bool kal_input_init(KalInputText *input, const KalInputOrigin *origin)
{
    assert(input && origin->path);
    const bool standard = strcmp(origin->path, "-") == 0;
    *input = (KalInputText){.name = standard ? "stdin" : origin->path};
    if (!standard) {
        return read_file(input, origin);
    }
    return kal_ledger_read(origin->ledger, origin->role, STDIN_FILENO)
               ? read_all(input, stdin)
               : keep_message(input, origin->ledger->message);
}

void kal_input_clear(KalInputText *input)
{
    free(input->text);
    input->text = NULL;
}
