// SPDX-License-Identifier: MIT

// The page: the template, with its gaps filled.

#include "show/page.h"

#include "base/number.h"
#include "report/report_impl.h"
#include "report/template.h"
#include "show/html.h"
#include "show/show.h"

#include <kalaba/version.h>

#include <assert.h>
#include <string.h>

enum {
    EQUATIONS_OPEN = 40000 // bytes of equations that are not folded away
};

typedef struct Page {
    const KalReportData *data;
    KalSink sink;
    KalPage equations;
} Page;

static void put(const Page *page, const char *text)
{
    page->sink.write(page->sink.user, text, strlen(text));
}

static void put_user(const Page *page, const char *text)
{
    kal_html_write(page->sink, text, strlen(text));
}

static void put_title(const Page *page)
{
    put_user(page, kal_system_title(page->data->report->system));
}

static void put_number(const Page *page, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print(value, 9, text);
    put(page, text);
}

static void put_times(const Page *page)
{
    put(page, " at t = ");
    put_number(page, kal_run_time(page->data->run));
    put(page, ", before its end at t = ");
    put_number(page, kal_run_get_options(page->data->run).until);
    put(page, ".");
}

// What a reader must know first, if there is something.
static void put_notice(const Page *page)
{
    assert(page->data->run && page->data->facts);
    const KalReportData *data = page->data;
    const char *event = kal_run_stopped_by(data->run);
    if (data->facts->failure || !kal_run_is_over(data->run)) {
        put(page, "<div class=\"notice\" role=\"alert\"><strong>This run is not "
                  "complete.</strong> It ended");
        put_times(page);
        put(page, " ");
        put_user(page, data->facts->failure ? data->facts->failure : "");
        put(page, "</div>");
    } else if (event) {
        put(page, "<div class=\"notice mild\" role=\"status\">The event ");
        put_user(page, event);
        put(page, " stopped this run");
        put_times(page);
        put(page, "</div>");
    }
}

// The first line is the equation itself, which is always seen.
static void put_equations(const Page *page)
{
    const char *text = (const char *)page->equations.block.data;
    const size_t length = page->equations.block.size;
    const char *end = (const char *)memchr(text, '\n', length);
    const size_t first = end ? (size_t)(end - text) + 1 : length;
    put(page, "<h2>Equations of motion</h2>\n");
    page->sink.write(page->sink.user, text, first);
    put(page, length > EQUATIONS_OPEN ? "<details>" : "<details open>");
    put(page, "<summary>Energies, matrices and vectors</summary>\n");
    page->sink.write(page->sink.user, text + first, length - first);
    put(page, "</details>");
}

static void put_model(const Page *page)
{
    const KalSource *source = page->data->report->system->source;
    kal_html_write(page->sink, source->text, source->length);
}

static void put_data(const Page *page)
{
    KalSink sink = page->sink;
    kal_report_write_data(page->data, kal_template_quote(&sink));
}

static void put_version(const Page *page)
{
    put(page, kal_version());
}

static void fill(void *user, const char *name, size_t length)
{
    const Page *page = (const Page *)user;

    static const struct {
        const char *name;
        void (*put)(const Page *page);
    } gaps[] = {
        {"title",     put_title    },
        {"notice",    put_notice   },
        {"equations", put_equations},
        {"model",     put_model    },
        {"data",      put_data     },
        {"version",   put_version  },
    };

    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        if (strlen(gaps[i].name) == length && memcmp(gaps[i].name, name, length) == 0) {
            gaps[i].put(page);
            return;
        }
    }
    assert(false && "the template has a gap that nothing fills");
}

// Equations that are too long are a result, not a failure.
static KalStatus print_equations(Page *page)
{
    static const char sorry[] = "\n<p>They are too long to be shown here; "
                                "<code>kalaba derive</code> prints them.</p>\n";
    const KalShowOptions options = {.format = KAL_SHOW_HTML};
    const KalStatus status =
        kal_show_system(page->data->report->ctx, page->data->report->system, &options,
                        kal_page_sink(&page->equations));
    if (status == KAL_ERR_LIMIT) {
        kal_page_string(&page->equations, sorry);
    }
    return status == KAL_OK || status == KAL_ERR_LIMIT ? page->equations.status
                                                       : status;
}

KalStatus kal_report_write_page(const KalReportData *data, KalSink sink)
{
    assert(data->report && sink.write);
    Page page = {.data = data, .sink = sink, .equations = kal_page(data->report->ctx)};
    const KalStatus status = print_equations(&page);
    if (status == KAL_OK) {
        size_t length = 0;
        const char *text = kal_report_template(&length);
        kal_template_fill(text, length, sink, fill, &page);
    }
    kal_page_clear(&page.equations);
    return status;
}
