// SPDX-License-Identifier: MIT

#include "lsp/input.h"

#include "base/context.h"
#include "base/number.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

enum {
    MESSAGE_LIMIT = 32 << 20, // bytes of one
    HEADER_LIMIT = 200        // bytes of a line
};

static bool next_byte(KalLspInput *input, char *out_byte)
{
    if (input->used == input->count) {
        const KalLspChannel *channel = input->channel;
        input->used = 0;
        input->count = channel->read(channel->user, input->bytes, sizeof input->bytes);
        assert(input->count <= sizeof input->bytes);
    }
    if (input->count == 0) {
        return false;
    }
    *out_byte = input->bytes[input->used++];
    return true;
}

// A line without its end; false at the end of the input.
static bool read_line(KalLspInput *input, char line[HEADER_LIMIT])
{
    size_t length = 0;
    char byte = '\0';
    while (next_byte(input, &byte)) {
        if (byte == '\n') {
            line[length > 0 && line[length - 1] == '\r' ? length - 1 : length] = '\0';
            return true;
        }
        if (length < HEADER_LIMIT - 1) {
            line[length++] = byte;
        }
    }
    return false;
}

// The length that a header gives, of which blanks at its end are cut off; other headers do not
// matter.
static bool find_length(char *line, double *length)
{
    static const char name[] = "Content-Length:";
    if (strncasecmp(line, name, sizeof name - 1) != 0) {
        return true;
    }
    char *digits = line + sizeof name - 1;
    digits += strspn(digits, " \t");
    const size_t count = strspn(digits, "0123456789");
    const bool ends = strspn(digits + count, " \t") == strlen(digits + count);
    digits[count] = '\0';
    return ends && kal_number_read(digits, length);
}

KalStatus kal_lsp_read(KalLspInput *input, KalBlock *body, bool *out_there)
{
    char line[HEADER_LIMIT];
    double length = -1.0;
    char byte = '\0';
    body->size = 0;
    do {
        *out_there = read_line(input, line);
        if (*out_there && !find_length(line, &length)) {
            return kal_fail(input->ctx, KAL_ERR_SYNTAX, "no length: '%.60s'", line);
        }
    } while (*out_there && line[0] != '\0');
    if (!*out_there) {
        return KAL_OK;
    }
    if (length < 0.0) {
        return kal_fail(input->ctx, KAL_ERR_SYNTAX, "a message without Content-Length");
    }
    if (length > MESSAGE_LIMIT) {
        return kal_fail(input->ctx, KAL_ERR_LIMIT, "a message of %.0f bytes", length);
    }
    while ((double)body->size < length && next_byte(input, &byte)) {
        KAL_TRY(kal_block_add(input->ctx, body, &byte, 1));
    }
    *out_there = (double)body->size == length;
    return KAL_OK;
}
