// SPDX-License-Identifier: MIT

// Families of starts: lists of values for some coordinates, and every combination of them.

#include "family.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUE_SIZE = 40 // of a number as text
};

// One list: a name and its values.
typedef struct List {
    const char *name;
    size_t n;
    char *values; // one after the other, each with its end; NULL: a range
    double from;
    double to;
} List;

// How they are written.
static bool complain(void)
{
    kal_message_print(
        "a family or grid of starts is a coordinate or velocity and its values, "
        "such as \"x' = -2, -1, 1, 2\" or \"x = -1 .. 1 count 9\"");
    return false;
}

// Cut the spaces off both ends.
static char *trim(char *text)
{
    assert(text);
    text += strspn(text, " \t\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\n", text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

// a .. b count n
static bool read_range(char *text, char *dots, List *list)
{
    assert(dots >= text && dots[0] == '.' && dots[1] == '.');
    char *count = strstr(dots, "count");
    double n = 0.0;
    if (!count) {
        return false;
    }
    *dots = '\0';
    *count = '\0';
    const bool read = kal_number_read(trim(text), &list->from)
                      && kal_number_read(trim(dots + 2), &list->to)
                      && kal_number_read(trim(count + 5), &n);
    list->n = read && n >= 1.0 && n <= KAL_FAMILY_LIMIT ? (size_t)n : 0;
    return read && n == (double)list->n && n >= 1.0;
}

// Values with commas between them; commas become ends.
static bool read_values(char *text, List *list)
{
    list->values = text;
    for (bool last = false; !last; list->n++) {
        char *comma = text + strcspn(text, ",");
        last = *comma == '\0';
        *comma = '\0';
        if (*(text + strspn(text, " \t\n")) == '\0') {
            return false;
        }
        text = comma + 1;
    }
    return list->n <= KAL_FAMILY_LIMIT;
}

// name = values, or name = a .. b count n.
static bool read_list(char *text, List *list)
{
    assert(text && list);
    char *equals = strchr(text, '=');
    *list = (List){.name = NULL};
    if (!equals) {
        return false;
    }
    *equals = '\0';
    list->name = trim(text);
    char *dots = strstr(equals + 1, "..");
    return *list->name != '\0'
           && (dots ? read_range(equals + 1, dots, list)
                    : read_values(equals + 1, list));
}

// Value i of a list as a text; `room` is for numbers of ranges.
static const char *value_of(const List *list, size_t i, char room[VALUE_SIZE])
{
    if (!list->values) {
        const double part = list->n > 1 ? (double)i / (double)(list->n - 1) : 0.0;
        (void)snprintf(room, VALUE_SIZE, "%.17g",
                       list->from + part * (list->to - list->from));
        return room;
    }
    const char *value = list->values;
    assert(i < list->n);
    for (; i > 0; i--) {
        value += strlen(value) + 1;
    }
    return value + strspn(value, " ");
}

// The start so far with another value.
static char *join(const char *before, const List *list, size_t i)
{
    char room[VALUE_SIZE];
    const char *value = value_of(list, i, room);
    const size_t size =
        (before ? strlen(before) : 0) + strlen(list->name) + strlen(value) + 6;
    char *text = malloc(size);
    if (text) {
        (void)snprintf(text, size, "%s%s%s = %s", before ? before : "",
                       before ? ", " : "", list->name, value);
    }
    return text;
}

// Every start so far with every value of a list.  Starts come in the order in which one
// would write nested loops: the last list changes fastest.
static bool multiply(KalFamily *family, const List *list)
{
    assert(list->n > 0);
    const size_t before = family->n > 0 ? family->n : 1;
    if (before * list->n > KAL_FAMILY_LIMIT) {
        kal_message_print("a family or grid has up to %d starts", KAL_FAMILY_LIMIT);
        return false;
    }
    KalFamily next = {.starts = calloc(before * list->n, sizeof *next.starts)};
    bool done = next.starts != NULL;
    for (size_t k = 0; done && k < before * list->n; k++) {
        const char *start = family->n > 0 ? family->starts[k / list->n] : NULL;
        next.starts[k] = join(start, list, k % list->n);
        done = next.starts[k] != NULL;
        next.n += done;
    }
    kal_family_clear(family);
    *family = next;
    if (!done) {
        kal_message_print("out of memory");
    }
    return done;
}

// The one start to begin with, if values are given that all have.
static KalFamily begin(const char *others)
{
    KalFamily family = {.n = 0};
    family.starts = others ? calloc(1, sizeof *family.starts) : NULL;
    if (family.starts) {
        family.starts[0] = strdup(others);
        family.n = family.starts[0] != NULL;
    }
    return family;
}

bool kal_family_init(KalFamily *family, const char *others, const char *text)
{
    assert(family && text);
    char *copy = strdup(text);
    char *rest = NULL;
    for (char *c = copy; c && *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    char *part = copy ? strtok_r(copy, ";", &rest) : NULL;
    bool done = part || complain();
    *family = begin(others);
    if (others && family->n == 0) {
        kal_message_print("out of memory");
        done = false;
    }
    for (; part && done; part = strtok_r(NULL, ";", &rest)) {
        List list;
        done = read_list(part, &list) ? multiply(family, &list) : complain();
    }
    free(copy);
    return done;
}

void kal_family_clear(KalFamily *family)
{
    for (size_t i = 0; i < family->n; i++) {
        free(family->starts[i]);
    }
    free(family->starts);
    *family = (KalFamily){.n = 0};
}
