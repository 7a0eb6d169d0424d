// SPDX-License-Identifier: MIT

// Words that an editor may offer: those of the language, functions, units, libraries with
// their parts, and names of the text.

#include "editor/hints.h"

#include "lang/declared.h"
#include "lang/lexer.h"
#include "lang/source.h"
#include "model/library.h"
#include "model/unit.h"
#include "model/vocabulary.h"

#include <assert.h>
#include <string.h>

// The parts that a library offers.
static KalStatus tell_library(KalContext *ctx, const KalLibraryModel *library,
                              KalHintFn take, void *user)
{
    assert(library->text && take);
    KalSource *source = NULL;
    KalBlock block = {.data = NULL};
    KalStatus status =
        kal_source_create(ctx, library->name, library->text, library->length, &source);
    status = status == KAL_OK ? kal_declared_find(ctx, source, &block) : status;
    const KalDeclared *names = (const KalDeclared *)block.data;
    const size_t count = status == KAL_OK ? block.size / sizeof *names : 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i].kind, "component") == 0) {
            take(user, &(KalHint){.kind = names[i].kind,
                                  .name = source->text + names[i].begin,
                                  .length = names[i].end - names[i].begin,
                                  .library = library->name});
        }
    }
    kal_block_clear(ctx, &block);
    kal_source_destroy(ctx, source);
    return status;
}

// The library that a name of a text stands for; NULL: none.
static const KalLibraryModel *used_library(const KalSource *source,
                                           const KalDeclared *name)
{
    char word[KAL_NAME_LIMIT + 1];
    const size_t length = name->end - name->begin;
    if (strcmp(name->kind, "use") != 0 || length >= sizeof word) {
        return NULL;
    }
    memcpy(word, source->text + name->begin, length);
    word[length] = '\0';
    return kal_library_find(word);
}

static KalStatus tell_names(KalContext *ctx, const KalSource *source,
                            const KalBlock *block, KalHintFn take, void *user)
{
    const KalDeclared *names = (const KalDeclared *)block->data;
    const size_t count = block->size / sizeof *names;
    for (size_t i = 0; i < count; i++) {
        take(user, &(KalHint){.kind = names[i].kind,
                              .name = source->text + names[i].begin,
                              .length = names[i].end - names[i].begin,
                              .unit = source->text + names[i].unit_begin,
                              .unit_length = names[i].unit_end - names[i].unit_begin,
                              .at = names[i].begin});
    }
    for (size_t i = 0; i < count; i++) {
        const KalLibraryModel *library = used_library(source, &names[i]);
        KAL_TRY(library ? tell_library(ctx, library, take, user) : KAL_OK);
    }
    return KAL_OK;
}

KalStatus kal_hints_of_text(KalContext *ctx, const KalSource *source, KalHintFn take,
                            void *user)
{
    assert(source && take);
    KalBlock block = {.data = NULL};
    KalStatus status = kal_declared_find(ctx, source, &block);
    status = status == KAL_OK ? tell_names(ctx, source, &block, take, user) : status;
    kal_block_clear(ctx, &block);
    return status;
}

static void tell_word(KalHintFn take, void *user, const char *kind, const char *word)
{
    assert(take && kind && word);
    take(user, &(KalHint){.kind = kind, .name = word, .length = strlen(word)});
}

void kal_hints_of_language(KalHintFn take, void *user)
{
    const char *functions[KAL_FUNCTIONS_LIMIT];
    KalUnitName units[KAL_UNIT_NAMES];
    for (int i = 0; i < KAL_ALL_WORDS; i++) {
        const char *word = kal_words()[i];
        take(user, &(KalHint){.kind = "statement",
                              .name = word,
                              .length = strlen(word),
                              .meaning = kal_word_meanings()[i]});
    }
    const int n_functions = kal_function_names(functions);
    for (int i = 0; i < n_functions; i++) {
        tell_word(take, user, "function", functions[i]);
    }
    const int n_units = kal_unit_names(units);
    for (int i = 0; i < n_units; i++) {
        tell_word(take, user, "unit", units[i].text);
    }
}
