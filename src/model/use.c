// SPDX-License-Identifier: MIT

// Files and libraries that a model uses.

#include "lang/parser.h"
#include "model/build_impl.h"
#include "model/library.h"
#include "model/statement_impl.h"

#include <kalaba/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    PATH_SIZE = 2048
};

// A text that is used, once for all that ask for it.
struct KalUsedFile {
    KalUsedFile *next;
    KalUsedFile *user; // the one that asked first; NULL for the model itself
    const char *path;
    KalTree *tree;
    const KalSource *source; // of data
    bool open;               // its statements are being built
};

void kal_build_clear_files(KalBuild *b)
{
    for (KalUsedFile *file = b->files.first; file; file = file->next) {
        kal_tree_destroy(file->tree);
        file->tree = NULL;
    }
}

// Whether a piece of a path is a text.
static bool is_part(const char *part, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(part, text, length) == 0;
}

// Take out of a path what makes two of the same: empty parts, "." and "folder/..".
static void simplify_path(char *path)
{
    const size_t root = path[0] == '/' ? 1 : 0;
    size_t end = root;   // of what is kept
    size_t fixed = root; // ".." up to here leads out and stays
    const char *stop = path + strlen(path);
    const char *part = path + root;
    while (part < stop) {
        assert(end <= (size_t)(part - path) && fixed <= end);
        const size_t length = strcspn(part, "/");
        const char *next = part + length + 1;
        if (is_part(part, length, "..") && end > fixed) {
            end--; // the slash
            while (end > fixed && path[end - 1] != '/') {
                end--;
            }
        } else if (length > 0 && !is_part(part, length, ".")) {
            const bool out = is_part(part, length, "..");
            memmove(path + end, part, length);
            end += length;
            path[end++] = '/';
            fixed = out ? end : fixed;
        }
        part = next;
    }
    path[end > root ? end - 1 : end] = '\0';
}

// One more file of the model, asked for by the one being read.
static KalUsedFile *add_file(KalBuild *b, const char *path)
{
    KalUsedFile *file = (KalUsedFile *)kal_arena_alloc(b->arena, 1, sizeof *file);
    char *copy = (char *)kal_arena_alloc(b->arena, strlen(path) + 1, 1);
    if (!file || !copy) {
        kal_build_no_memory(b);
        return NULL;
    }
    memcpy(copy, path, strlen(path));
    *file =
        (KalUsedFile){.next = b->files.first, .user = b->files.reading, .path = copy};
    b->files.first = file;
    b->files.count++;
    return file;
}

void kal_build_init_files(KalBuild *b)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s", b->main->name);
    simplify_path(path);
    b->files.reading = add_file(b, path);
    if (b->files.reading) {
        b->files.reading->open = true;
    }
}

// The file of a path, if it was used before.
static KalUsedFile *find_file(const KalBuild *b, const char *path)
{
    KalUsedFile *file = b->files.first;
    while (file && strcmp(file->path, path) != 0) {
        file = file->next;
    }
    return file;
}

// "a.kal uses b.kal uses a.kal"
static void report_cycle(KalBuild *b, const KalUsedFile *file, KalSpan span)
{
    const char *chain[16];
    int n = 0;
    for (const KalUsedFile *f = b->files.reading; f && n < 16;
         f = f == file ? NULL : f->user) {
        chain[n++] = f->path;
    }
    char text[PATH_SIZE];
    size_t length = 0;
    text[0] = '\0';
    while (n > 0 && length < sizeof text) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s uses ",
                                   chain[--n]);
    }
    kal_build_error(b, span, "files cannot use each other in a circle: %s%s", text,
                    file->path);
}

// Reads the statements of a file and builds them.
static void build_file(KalBuild *b, KalUsedFile *file, const KalSource *source,
                       KalSpan span)
{
    const size_t before = kal_diagnostics_count(b->diagnostics, KAL_SEVERITY_ERROR);
    const KalStatus status = kal_parse(b->ctx, source, b->diagnostics, &file->tree);
    b->report.errors +=
        kal_diagnostics_count(b->diagnostics, KAL_SEVERITY_ERROR) - before;
    if (status != KAL_OK) {
        if (status != KAL_ERR_SYNTAX) {
            kal_build_check(b, status);
        }
        b->report.muted = false;
        kal_build_note(b, span, "it is used here");
        return;
    }
    KalUsedFile *user = b->files.reading;
    const KalNode *body = b->names.scope->body;
    b->files.reading = file;
    b->names.scope->body = kal_tree_first(file->tree);
    file->open = true;
    kal_build_statements(b, b->names.scope->body);
    file->open = false;
    b->names.scope->body = body;
    b->files.reading = user;
}

// A file or library by the name that messages give to it; NULL when it is there already or
// must not be.
static KalUsedFile *enter(KalBuild *b, const char *path, KalSpan span)
{
    KalUsedFile *file = find_file(b, path);
    if (file && file->open) {
        report_cycle(b, file, span);
    }
    if (file) {
        return NULL;
    }
    if (b->files.count == KAL_BUILD_FILES) {
        kal_build_limit(b, span, "a model uses at most %d files", KAL_BUILD_FILES);
        return NULL;
    }
    return add_file(b, path);
}

// A library by its name: its text is part of the program.
static void use_library(KalBuild *b, const KalNode *name)
{
    char text[KAL_BUILD_NAME];
    const char *names[KAL_LIBRARY_LIMIT];
    (void)snprintf(text, sizeof text, "%.*s", (int)name->of.text.length,
                   name->of.text.data);
    const KalLibraryModel *library = kal_library_find(text);
    if (!library) {
        const char *near = kal_word_find_near(text, names, kal_library_names(names));
        kal_build_error(b, name->span,
                        near ? "there is no library '%s'; did you mean '%s'?"
                             : "there is no library '%s'; a file stands in quotes",
                        text, near);
        return;
    }
    char path[KAL_BUILD_NAME + 16];
    (void)snprintf(path, sizeof path, "library %s", text); // no file is called so
    KalUsedFile *file = enter(b, path, name->span);
    const KalSource *source = NULL;
    (void)snprintf(path, sizeof path, "%s.kal", text);
    if (file
        && kal_build_check(b, kal_sources_add(b->sources, path, library->text,
                                              library->length, &source))) {
        build_file(b, file, source, name->span);
    }
}

// Whether a path leaves the folder of the file that has it.
static bool is_outside(const char *path)
{
    const char *part = path;
    if (path[0] == '/' || strchr(path, '\\')) {
        return true;
    }
    while (part) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return true;
        }
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return false;
}

// The path of a file, relative to that of the one that uses it.
static bool join_path(const KalSource *user, const char *path, char *out_path)
{
    const char *slash = strrchr(user->name, '/');
    const size_t folder =
        path[0] == '/' || !slash ? 0 : (size_t)(slash - user->name) + 1;
    const int length =
        snprintf(out_path, PATH_SIZE, "%.*s%s", (int)folder, user->name, path);
    if (length < 0 || length >= PATH_SIZE - 1) {
        return false;
    }
    simplify_path(out_path);
    return out_path[0] != '\0';
}

// The path of a file that may be read; false after an error.
static bool find_path(KalBuild *b, const KalNode *name, char *path)
{
    char given[KAL_BUILD_NAME + 64];
    (void)snprintf(given, sizeof given, "%.*s", (int)name->of.text.length,
                   name->of.text.data);
    if (strlen(given) != name->of.text.length || given[0] == '\0'
        || !join_path(name->span.source, given, path)) {
        kal_build_error(b, name->span, "expected the path of a file");
        return false;
    }
    if (!b->options->read) {
        kal_build_error(b, name->span, "files cannot be used here");
        return false;
    }
    if (is_outside(given) && !b->options->allow_outside) {
        kal_build_error(
            b, name->span,
            "a file is used from the folder of the one that uses it, or below; "
            "absolute paths and '..' are refused");
        return false;
    }
    return true;
}

// The text of a file; NULL after an error.
static const KalSource *read_file(KalBuild *b, const char *path, KalSpan span)
{
    const KalSource *source = NULL;
    const KalStatus status =
        b->options->read(b->options->user, b->sources, path, &source);
    if (status == KAL_ERR_NOMEM) {
        kal_build_check(b, status);
    } else if (status != KAL_OK) {
        kal_build_error(b, span, "%s", kal_context_message(b->ctx));
    }
    return status == KAL_OK ? source : NULL;
}

static void use_file(KalBuild *b, const KalNode *name)
{
    char path[PATH_SIZE];
    KalUsedFile *file = find_path(b, name, path) ? enter(b, path, name->span) : NULL;
    const KalSource *source = file ? read_file(b, path, name->span) : NULL;
    if (source) {
        build_file(b, file, source, name->span);
    }
}

const KalSource *kal_build_read_data(KalBuild *b, const KalNode *name)
{
    static const char mark[] = "data "; // a file may be used and have data
    char path[PATH_SIZE];
    char marked[PATH_SIZE + sizeof mark];
    if (!find_path(b, name, path)) {
        return NULL;
    }
    (void)snprintf(marked, sizeof marked, "%s%s", mark, path);
    KalUsedFile *file = find_file(b, marked);
    if (!file) {
        file = enter(b, marked, name->span);
        if (file) {
            file->source = read_file(b, path, name->span);
        }
    }
    return file ? file->source : NULL;
}

void kal_build_use(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_USE);
    const KalNode *name = node->of.unary.operand;
    if (b->names.scope->owner || b->names.frame) {
        kal_build_error(b, node->span, "use stands outside of components and loops");
        return;
    }
    if (name->kind == KAL_NODE_NAME) {
        use_library(b, name);
    } else {
        use_file(b, name);
    }
}
