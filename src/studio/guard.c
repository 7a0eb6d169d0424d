// SPDX-License-Identifier: MIT

// Who may ask, and for what: a request has the token of the studio in its path, names the
// loopback address as its host, which no name that leads here by DNS does, and comes from the
// page of the studio; files have names that lead nowhere but into the folder.

#include "studio/guard.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    TOKEN_BYTES = (KAL_TOKEN_SIZE - 1) / 2
};

KalStatus kal_token_make(KalContext *ctx, char out_token[KAL_TOKEN_SIZE])
{
    unsigned char bytes[TOKEN_BYTES];
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (file >= 0) {
        (void)close(file);
    }
    if (got != (ssize_t)sizeof bytes) {
        return kal_fail(ctx, KAL_ERR_FILE, "cannot read random bits: %s",
                        strerror(errno));
    }
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        (void)snprintf(out_token + 2 * i, 3, "%02x", bytes[i]);
    }
    return KAL_OK;
}

const char *kal_guard_path(const char *token, const char *path)
{
    assert(strlen(token) == KAL_TOKEN_SIZE - 1);
    unsigned difference = 0;
    if (path[0] != '/' || strlen(path) < KAL_TOKEN_SIZE + 1
        || path[KAL_TOKEN_SIZE] != '/') {
        return NULL;
    }
    for (int i = 0; i < KAL_TOKEN_SIZE - 1; i++) {
        difference |= (unsigned)(unsigned char)token[i] ^ (unsigned char)path[1 + i];
    }
    return difference == 0 ? path + KAL_TOKEN_SIZE + 1 : NULL;
}

// Whether a text is `before`, one of our names and the port.
static bool is_ours(const char *text, const char *before, int port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(own, sizeof own, "%s%s:%d", before, names[i], port);
        if (strcmp(text, own) == 0) {
            return true;
        }
    }
    return false;
}

bool kal_guard_host(const char *host, int port)
{
    return host && is_ours(host, "", port);
}

bool kal_guard_origin(const char *origin, int port)
{
    assert(origin);
    return is_ours(origin, "http://", port);
}

// Whether a character is special to a terminal, to another system or to who reads it.
static bool is_special(uint32_t code)
{
    return code == '\\' || code == ':' || !kal_utf8_is_harmless(code);
}

// No part is empty or begins with a dot, which rules out `..` and hidden files; what is no
// UTF-8 could not be told to the page.
bool kal_guard_file(const char *name)
{
    const size_t length = strlen(name);
    uint32_t before = '/';
    if (length > KAL_GUARD_NAME) {
        return false;
    }
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        const size_t taken = kal_utf8_parse(name + at, length - at, &code);
        if (taken == 0 || is_special(code)
            || (before == '/' && (code == '.' || code == '/'))) {
            return false;
        }
        before = code;
        at += taken;
    }
    return before != '/';
}

bool kal_guard_name(const char *name)
{
    static const char ending[] = ".kal";
    const size_t length = strlen(name);
    return kal_guard_file(name) && length >= sizeof ending
           && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}
