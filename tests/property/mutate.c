// SPDX-License-Identifier: MIT

// Models that were damaged: mutate FOLDER.  The examples in the folder are changed at
// random, by bytes, tokens, numbers and lines, then loaded and run for some steps.  Each
// ends well or with a reason; none crashes, hangs, leaks or takes memory out of
// proportion.  KAL_PROPERTY_PROBLEMS sets how many, KAL_PROPERTY_SEED where they begin.

#include "rng.h"
#include "tap.h"
#include "target.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_SIZE = 1 << 16,
    MOST_FILES = 200,
    PATH_SIZE = 4096,
    PATIENCE = 900, // seconds after which a text counts as hanging
    SHARE = 2,      // one text for so many problems of other properties
};

typedef struct Text {
    size_t length;
    char bytes[TEXT_SIZE];
} Text;

static struct {
    Text text;
    char name[256];
} files[MOST_FILES];

static int n_files;
static Rng rng;
static char complaint[64]; // if the text that is tried hangs

static int below(size_t n)
{
    return rng_int(&rng, 0, (int)n - 1);
}

// Replace the bytes from begin to end by others.
static void replace(Text *text, size_t begin, size_t end, const char *by, size_t size)
{
    const size_t length = text->length - (end - begin) + size;
    if (length >= TEXT_SIZE) {
        return;
    }
    memmove(text->bytes + begin + size, text->bytes + end, text->length - end);
    memcpy(text->bytes + begin, by, size);
    text->length = length;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (c & 0x80) != 0;
}

// The token at or after a random place: a word, a number or one character.
static void find_token(const Text *text, size_t *out_begin, size_t *out_end)
{
    size_t begin = (size_t)below(text->length);
    while (begin > 0 && is_word(text->bytes[begin])
           && is_word(text->bytes[begin - 1])) {
        begin--;
    }
    size_t end = begin + 1;
    while (is_word(text->bytes[begin]) && end < text->length
           && is_word(text->bytes[end])) {
        end++;
    }
    *out_begin = begin;
    *out_end = end;
}

static void find_line(const Text *text, size_t *out_begin, size_t *out_end)
{
    size_t begin = (size_t)below(text->length);
    size_t end = begin;
    while (begin > 0 && text->bytes[begin - 1] != '\n') {
        begin--;
    }
    while (end < text->length && text->bytes[end] != '\n') {
        end++;
    }
    *out_begin = begin;
    *out_end = end + (end < text->length);
}

static void change_byte(Text *text)
{
    const size_t place = (size_t)below(text->length);
    const char byte = (char)below(below(4) == 0 ? 256 : 128);
    replace(text, place, place + (size_t)below(2), &byte, (size_t)below(2));
}

static void change_token(Text *text)
{
    static const char *const words[] = {
        "0",    "1",     "-1",       "1e300", "1e-300", "1e16", "0.5",    "t",
        "pi",   "sqrt",  "log",      "1/",    "sign",   "abs",  "'",      "''",
        "+",    "-",     "*",        "/",     "^",      "(",    ")",      "[",
        "]",    "=",     "~",        ",",     "\n",     "stop", "set",    "event",
        "init", "force", "energy()", "if(",   "max",    "t*",   "engage", "release"};
    const Text *other = below(4) == 0 ? &files[below((size_t)n_files)].text : text;
    size_t begin = 0;
    size_t end = 0;
    size_t from = 0;
    size_t to = 0;
    char copy[TEXT_SIZE];
    find_token(other, &from, &to);
    find_token(text, &begin, &end);
    if (below(2) == 0) {
        const char *word = words[below(sizeof words / sizeof words[0])];
        replace(text, below(3) == 0 ? end : begin, end, word, strlen(word));
    } else {
        memcpy(copy, other->bytes + from, to - from);
        replace(text, begin, below(4) == 0 ? begin : end, copy, to - from);
    }
}

static void change_number(Text *text)
{
    static const char *const numbers[] = {
        "0",   "1",   "2",     "7", "-1", "1e-9", "1e9",  "1e99", "1e308",
        "0.1", "100", "1e-99", "3", "50", "1e4",  "1e-4", "1e17"};
    for (int k = 0; k < 50; k++) {
        size_t begin = 0;
        size_t end = 0;
        find_token(text, &begin, &end);
        if (isdigit((unsigned char)text->bytes[begin])) {
            const char *number = numbers[below(sizeof numbers / sizeof numbers[0])];
            replace(text, begin, end, number, strlen(number));
            return;
        }
    }
}

static void change_line(Text *text)
{
    const Text *other = below(3) == 0 ? &files[below((size_t)n_files)].text : text;
    size_t begin = 0;
    size_t end = 0;
    size_t from = 0;
    size_t to = 0;
    char copy[TEXT_SIZE];
    find_line(other, &from, &to);
    find_line(text, &begin, &end);
    memcpy(copy, other->bytes + from, to - from);
    switch (below(3)) {
    case 0: replace(text, begin, end, "", 0); break;
    case 1: replace(text, begin, begin, copy, to - from); break;
    default: replace(text, begin, end, copy, to - from); break;
    }
}

static void mutate(Text *text)
{
    static void (*const changes[])(Text *) = {change_byte, change_token, change_number,
                                              change_line};
    for (int k = 1 + below(3); k > 0 && text->length > 1; k--) {
        changes[below(8) == 0 ? 0 : 1 + below(3)](text);
    }
}

static int is_model(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".kal") == 0;
}

static void read_file(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file && n_files < MOST_FILES) {
        snprintf(files[n_files].name, sizeof files[n_files].name, "%s", name);
        Text *text = &files[n_files++].text;
        text->length = fread(text->bytes, 1, TEXT_SIZE / 2, file);
    }
    if (file) {
        fclose(file);
    }
}

static void read_files(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_model, alphasort);
    for (int i = 0; i < count; i++) {
        read_file(folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static long environment(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static void give_up(int signal_number)
{
    (void)signal_number;
    (void)!write(STDOUT_FILENO, complaint, strlen(complaint));
    _exit(1);
}

// A copy of the very size lets a sanitizer see reads beyond it.
static bool attempt(const Text *text)
{
    uint8_t *data = malloc(text->length > 0 ? text->length : 1);
    if (!data) {
        return false;
    }
    memcpy(data, text->bytes, text->length);
    const bool done = LLVMFuzzerTestOneInput(data, text->length) == 0;
    free(data);
    return done;
}

// Give up after so many seconds of work, not of waiting for other programs; 0: never.
static void be_patient(timer_t timer, int seconds)
{
    const struct itimerspec limit = {.it_value = {.tv_sec = seconds}};
    ok(timer_settime(timer, 0, &limit, NULL) == 0);
}

static void damaged_models_do_no_harm(void)
{
    static Text text;
    const long count = environment("KAL_PROPERTY_PROBLEMS", 20000) / SHARE;
    const long first = environment("KAL_PROPERTY_SEED", 0);
    const char *shown = getenv("KAL_PROPERTY_SHOW");
    timer_t timer;
    ok(n_files > 20);
    signal(SIGALRM, give_up);
    if (!ok(timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer) == 0)) {
        return;
    }
    for (long i = first; i < first + count; i++) {
        rng = (Rng){(uint64_t)i};
        snprintf(complaint, sizeof complaint, "# mutation %ld hangs\n", i);
        const int file = below((size_t)n_files);
        text = files[file].text;
        mutate(&text);
        if (shown) {
            printf("%.*s", (int)text.length, text.bytes);
        }
        printf("# %ld: %s\n", i, files[file].name);
        fflush(stdout);
        be_patient(timer, PATIENCE);
        ok(attempt(&text));
        be_patient(timer, 0);
    }
    timer_delete(timer);
}

int main(int argc, char **argv)
{
    static const TapCase cases[] = {TAP_CASE(damaged_models_do_no_harm)};
    if (argc != 2) {
        fputs("usage: mutate FOLDER\n", stderr);
        return 2;
    }
    read_files(argv[1]);
    return tap_run(cases, 1);
}
