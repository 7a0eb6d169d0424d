// SPDX-License-Identifier: MIT

// Lists of names in an option, with commas between them: commas in brackets belong to names,
// as in reaction(a[1,2]).

#include "names.h"

#include "command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The comma that ends a name, or the end of the text.
static char *find_end(char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '(' || *text == '[';
        depth -= depth > 0 && (*text == ')' || *text == ']');
        if (*text == ',' && depth == 0) {
            break;
        }
    }
    return text;
}

// Without spaces at its ends.
static char *trim(char *name)
{
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') {
        name[--length] = '\0';
    }
    return name;
}

bool kal_name_option_read(const char *option, const char *text, KalNameOption *names)
{
    assert(option && text && names->count == 0);
    names->text = strdup(text);
    char *rest = names->text;
    bool more = rest != NULL;
    while (more) {
        char *end = find_end(rest);
        more = *end == ',';
        *end = '\0';
        const char *name = trim(rest);
        if (*name == '\0' || names->count == KAL_NAME_OPTION_LIMIT) {
            kal_message_print("option '%s' takes up to %d names with commas between "
                              "them",
                              option, KAL_NAME_OPTION_LIMIT);
            return false;
        }
        names->names[names->count++] = name;
        rest = end + 1;
    }
    return names->text != NULL;
}

void kal_name_option_clear(KalNameOption *names)
{
    free(names->text);
}
