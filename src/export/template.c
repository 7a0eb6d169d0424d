// SPDX-License-Identifier: MIT

// Texts are read line by line, and lines word by word.
//
// Invariant: `depth` conditions are open; from the one at depth `hidden` on, 0 for none, lines
// are left out.

#include "export/template.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum {
    WORD_SIZE = 40
};

static const char *const FUNCTIONS[] = {"fabs",      "floor", "hypot", "log",
                                        "nextafter", "pow",   "sqrt",  "sin",
                                        "cos",       "fmax",  "fmin"};

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// NAME begins words of the model's own; real, EPSILON and functions of the C library
// depend on the precision.
static void write_word(KalPage *page, const KalExportWords *words, const char *text,
                       size_t length)
{
    assert(length > 0);
    if (length >= 4 && memcmp(text, "NAME", 4) == 0) {
        kal_page_string(page, words->name);
        kal_page_write(page, text + 4, length - 4);
        return;
    }
    if (is_word(text, length, "real")) {
        kal_page_string(page, words->single ? "float" : "double");
        return;
    }
    if (is_word(text, length, "EPSILON")) {
        kal_page_string(page, words->single ? "FLT_EPSILON" : "DBL_EPSILON");
        return;
    }
    kal_page_write(page, text, length);
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0] && words->single;
         i++) {
        if (is_word(text, length, FUNCTIONS[i])) {
            kal_page_string(page, "f");
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void write_words(KalPage *page, const KalExportWords *words, const char *text,
                        size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && in_word(text[end])) {
            end++;
        }
        if (end > at) {
            write_word(page, words, text + at, end - at);
        } else {
            kal_page_write(page, text + end++, 1);
        }
        at = end;
    }
}

void kal_export_write_plain(KalPage *page, const KalExportWords *words,
                            const char *text)
{
    write_words(page, words, text, strlen(text));
}

// A text on its way.
typedef struct Reading {
    const KalExportWords *words;
    int depth;
    int hidden;
} Reading;

// The sign and the word of a line for whoever puts a source together; 0 for other lines.
static char read_sign(const char *line, size_t length, char out_word[WORD_SIZE])
{
    out_word[0] = '\0';
    if (length < 6 || memcmp(line, "/*", 2) != 0 || !strchr("?!.@", line[2])) {
        return 0;
    }
    size_t size = 0;
    for (size_t at = 4; at < length && in_word(line[at]) && size + 1 < WORD_SIZE;
         at++) {
        out_word[size++] = line[at];
    }
    out_word[size] = '\0';
    return line[2];
}

// A line that begins a condition, ends one, or asks for a part is not written itself.
static void write_line(Reading *r, KalPage *page, const char *line, size_t length)
{
    assert(length > 0);
    char word[WORD_SIZE];
    const KalExportWords *words = r->words;
    const char sign = read_sign(line, length, word);
    if (sign == '?' || sign == '!') {
        r->depth++;
        if (r->hidden == 0 && words->has(words->user, word) != (sign == '?')) {
            r->hidden = r->depth;
        }
    } else if (sign == '.') {
        r->hidden = r->hidden == r->depth ? 0 : r->hidden;
        r->depth--;
        assert(r->depth >= 0);
    } else if (r->hidden == 0 && sign == '@') {
        words->insert(words->user, word, page);
    } else if (r->hidden == 0) {
        write_words(page, words, line, length);
    }
}

// Texts have names; one that is not there is a mistake of ours.
void kal_export_write_text(KalPage *page, const KalExportWords *words, const char *name)
{
    int count = 0;
    const KalExportText *texts = kal_export_texts(&count);
    Reading reading = {.words = words};
    int i = 0;
    while (i < count && strcmp(texts[i].name, name) != 0) {
        i++;
    }
    assert(i < count);
    for (size_t at = 0; at < texts[i].length;) {
        const char *line = texts[i].text + at;
        const char *end = memchr(line, '\n', texts[i].length - at);
        const size_t length = end ? (size_t)(end - line) + 1 : texts[i].length - at;
        write_line(&reading, page, line, length);
        at += length;
    }
    assert(reading.depth == 0);
}
