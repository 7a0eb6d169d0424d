// SPDX-License-Identifier: MIT

// What the editor of the page asks about a text, answered as `kalaba lsp` answers editors.

#include "editor/answer.h"
#include "show/page.h"
#include "studio/evaluate_impl.h"

#include <string.h>

// Into a page, for an answer that fails is not to be begun.
static KalStatus answer(KalStudy *study, const KalEditorMessage *message, KalPage *page)
{
    const KalStudioRequest *request = study->evaluation->request;
    KalJsonWriter writer = {.sink = kal_page_sink(page)};
    KalSource *source = NULL;
    if (!message->uri || !kal_editor_knows(message->method)) {
        return kal_fail(study->ctx, KAL_ERR_USAGE, "there is no such question");
    }
    KalStatus status = kal_source_create(study->ctx, request->name, request->text,
                                         strlen(request->text), &source);
    status = status == KAL_OK ? kal_editor_answer(study->ctx, source, message, &writer)
                              : status;
    kal_source_destroy(study->ctx, source);
    return status == KAL_OK ? page->status : status;
}

void kal_study_question(KalStudy *study)
{
    const char *question = study->evaluation->request->question;
    KalEditorMessage message;
    KalPage page = kal_page(study->ctx);
    KalStatus status =
        kal_editor_message_init(&message, study->ctx, question ? question : "{}",
                                question ? strlen(question) : 2);
    status = status == KAL_OK ? answer(study, &message, &page) : status;
    if (status == KAL_OK) {
        kal_study_begin(study, "answer");
        kal_study_put(study, kal_page_text(&page));
        kal_study_end(study);
    } else {
        kal_study_fail(study, "question", NULL, 0);
    }
    kal_page_clear(&page);
    kal_editor_message_clear(&message);
}
