// SPDX-License-Identifier: MIT

// The names of a text, for the editor of the page.

#include "lang/source.h"
#include "studio/evaluate_impl.h"
#include "studio/hints.h"

#include <string.h>

typedef struct Names {
    KalJsonWriter *writer;
    const KalSource *source;
} Names;

static void put_name(void *user, const KalHint *hint)
{
    const Names *names = (const Names *)user;
    kal_hint_write(names->writer, hint, names->source);
}

void kal_study_names(KalStudy *study)
{
    const KalStudioRequest *request = study->evaluation->request;
    KalSource *source = NULL;
    KalStatus status = kal_source_create(study->ctx, request->name, request->text,
                                         strlen(request->text), &source);
    if (status == KAL_OK) {
        Names names = {.writer = &study->writer, .source = source};
        kal_study_begin(study, "names");
        kal_json_write_begin(&study->writer, '[');
        status = kal_hints_of_text(study->ctx, source, put_name, &names);
        kal_json_write_end(&study->writer, ']');
        kal_study_end(study);
    }
    kal_source_destroy(study->ctx, source);
    if (status != KAL_OK) {
        kal_study_fail(study, "names", NULL, 0);
    }
}
