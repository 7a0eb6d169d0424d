// SPDX-License-Identifier: MIT

// The work on one text, line by line.

#include "context.h"
#include "folder.h"
#include "json/reader.h"
#include "studio/evaluate.h"
#include "tap.h"

#include <string.h>

static const char pendulum[] =
    "param m = 2 [kg], g = 9.81 [m/s^2], L = 1 [m], a = 30 [deg]\n"
    "coord x [m], y [m]\nkinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
    "constraint rod: x^2 + y^2 = L^2\ninit x = 0.6, y ~ -0.8\n"
    "simulate 0 .. 1 every 0.25\noutput angle = a\n";

static char written[1 << 21];
static size_t length;

static void keep(void *user, const char *text, size_t n)
{
    (void)user;
    if (ok(length + n < sizeof written)) {
        memcpy(written + length, text, n);
        length += n;
        written[length] = '\0';
    }
}

static void evaluate(KalStudioRequest *request, const char *root)
{
    KalAssignment evaluation = {.request = request, .root = root};
    length = 0;
    written[0] = '\0';
    request->client = "";
    request->name = request->name ? request->name : "m.kal";
    kal_evaluate(&evaluation, (KalSink){keep, NULL});
}

// Every line is one object of JSON.
static int count_lines(void)
{
    KalContext *ctx = new_context();
    int count = 0;
    for (const char *line = written; *line; count++) {
        const size_t n = strcspn(line, "\n");
        KalJsonReader reader;
        KalStatus status = KAL_OK;
        kal_json_reader_init(&reader, ctx, "line", line, n);
        do {
            status = kal_json_step(&reader);
        } while (status == KAL_OK && reader.event != KAL_JSON_END);
        if (!ok(status == KAL_OK)) {
            printf("# %s\n", kal_context_message(ctx));
        }
        kal_json_reader_clear(&reader);
        line += n + (line[n] == '\n');
    }
    kal_context_destroy(ctx);
    return count;
}

static void a_text_runs(void)
{
    KalStudioRequest request = {.text = pendulum,
                                .tasks = KAL_TASK_BIT(KAL_TASK_RUN)
                                         | KAL_TASK_BIT(KAL_TASK_EQUATIONS)};
    evaluate(&request, "/tmp");
    ok(count_lines() == 4);
    ok(strncmp(written, "{\"remarks\": [", 13) == 0);
    has_text(written, "{\"system\": {\"title\": \"m\"");
    has_text(written,
             "{\"name\": \"a\", \"unit\": \"rad\", \"value\": 0.5235987755982");
    has_text(written, "\"partial\": false}\n");
    has_text(written, "{\"equations\": \"<div");
}

static void remarks_have_places(void)
{
    KalStudioRequest request = {.text = "coord x\nkinetic 1/2*(x' + )\n",
                                .tasks = KAL_TASK_BIT(KAL_TASK_RUN)};
    evaluate(&request, "/tmp");
    ok(count_lines() == 2);
    has_text(written,
             "{\"kind\": \"error\", \"file\": \"m.kal\", \"line\": 2, \"column\": "
             "19, \"end_line\": 2, \"end_column\": 20, \"message\": \"");
    has_text(written, "{\"error\": {\"task\": \"load\", \"message\": \"m.kal:2:19: ");
}

static void parameters_and_starts_are_set(void)
{
    KalStudioRequest request = {
        .text = pendulum,
        .tasks = KAL_TASK_BIT(KAL_TASK_RUN),
        .start = "x = 0.8",
        .set = {{"L", "2"}, {"a", "90"}},
        .n_set = 2
    };
    evaluate(&request, "/tmp");
    has_text(written, "{\"name\": \"L\", \"unit\": \"m\", \"value\": 2,");
    has_text(written, "{\"name\": \"a\", \"unit\": \"rad\", \"value\": 1.570796326794");
    ok(!strstr(written, "{\"error\": "));
    request.set[0].name = "Q";
    evaluate(&request, "/tmp");
    has_text(written, "{\"error\": ");
}

// Start values that contradict the constraints when they are held move to satisfy them.
static void starts_that_cannot_be_held_move(void)
{
    KalStudioRequest request = {.text = pendulum,
                                .tasks = KAL_TASK_BIT(KAL_TASK_RUN),
                                .start = "x = 0.6, y = -0.6"};
    evaluate(&request, "/tmp");
    ok(!strstr(written, "{\"error\": "));
    has_text(written, "\"partial\": false}\n");
    request.start = NULL;
    request.near = "x = 3, y = 0";
    evaluate(&request, "/tmp");
    ok(!strstr(written, "{\"error\": "));
    request.near = "z = 3";
    evaluate(&request, "/tmp");
    has_text(written, "{\"error\": {\"task\": \"run\"");
}

// Where points come to is tried from outside, by tests/cli/test_studio.py.
static void points_that_are_none_are_not_dragged(void)
{
    KalStudioRequest request = {
        .text = pendulum,
        .tasks = KAL_TASK_BIT(KAL_TASK_RUN),
        .drag = {.n = 2, .columns = {1, 2}, .to = {3, 3}}
    };
    evaluate(&request, "/tmp");
    ok(!strstr(written, "{\"error\": "));
    request.drag.columns[1] = 99;
    evaluate(&request, "/tmp");
    has_text(written, "there is no such point to drag");
    request.drag.columns[1] = 1.5;
    evaluate(&request, "/tmp");
    has_text(written, "there is no such point to drag");
}

static void analyses_and_texts_come(void)
{
    KalStudioRequest request = {.text = pendulum,
                                .tasks = KAL_TASK_BIT(KAL_TASK_MODES)
                                         | KAL_TASK_BIT(KAL_TASK_EQUILIBRIA),
                                .at = "x = 0, y = -1, x' = 0, y' = 0"};
    evaluate(&request, "/tmp");
    ok(count_lines() == 2);
    has_text(written, "{\"modes\": {");
    has_text(written, "{\"equilibria\": {");
    request.tasks = KAL_TASK_BIT(KAL_TASK_FORMAT);
    request.text = "coord   x\n";
    evaluate(&request, "/tmp");
    same_text(written, "{\"format\": \"coord x\\u000a\"}\n");
    request.tasks = KAL_TASK_BIT(KAL_TASK_LATEX);
    request.text = pendulum;
    evaluate(&request, "/tmp");
    has_text(written, "{\"latex\": \"");
}

static void used_files_are_in_the_folder(void)
{
    Folder folder;
    KalStudioRequest request = {.text = "use \"part.kal\"\nkinetic x'^2\n",
                                .tasks = KAL_TASK_BIT(KAL_TASK_RUN)};
    if (ok(folder_open(&folder) && folder_write(&folder, "part.kal", "coord x\n"))) {
        evaluate(&request, folder.path);
        has_text(written, "\"partial\": false}\n");
        request.text = "use \"../part.kal\"\nkinetic x'^2\n";
        evaluate(&request, folder.path);
        has_text(written, "{\"error\": {\"task\": \"load\"");
    }
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(a_text_runs), TAP_CASE(remarks_have_places),
        TAP_CASE(parameters_and_starts_are_set),
        TAP_CASE(starts_that_cannot_be_held_move),
        TAP_CASE(points_that_are_none_are_not_dragged),
        TAP_CASE(analyses_and_texts_come), TAP_CASE(used_files_are_in_the_folder))
