// SPDX-License-Identifier: MIT

// What `equilibria` shows of models with contacts: ranges of states of rest.

#include "json/member.h"
#include "show/page.h"
#include "system/system.h"

#include <kalaba/show.h>

#include <math.h>

static void write_end(KalJsonWriter *w, const KalSystem *system, const char *key,
                      const double *q, bool goes_on)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    kal_json_put_values(w, "q", kal_system_coordinate_names(system), q,
                        kal_system_coordinates(system));
    kal_json_put_bool(w, "goes_on", goes_on);
    kal_json_write_end(w, '}');
}

static void write_leeway(const KalSystem *system, const KalRestRanges *ranges,
                         KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(system));
    kal_json_write_key(&w, "closed");
    kal_json_write_begin(&w, '[');
    for (int i = 0; i < ranges->n_closed; i++) {
        kal_json_write_string(&w, ranges->closed[i]);
    }
    kal_json_write_end(&w, ']');
    kal_json_put_number(&w, "freedom", ranges->freedom);
    kal_json_write_key(&w, "ranges");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < ranges->count; k++) {
        const KalRestRange *r = &ranges->list[k];
        kal_json_write_begin(&w, '{');
        if (r->along >= 0) {
            kal_json_put_text(&w, "along",
                              kal_system_coordinate_names(system)[r->along]);
        }
        write_end(&w, system, "from", r->from, r->from_goes_on);
        write_end(&w, system, "to", r->to, r->to_goes_on);
        kal_json_write_end(&w, '}');
    }
    kal_json_write_end(&w, ']');
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// Whether two ends differ by more than rounding.
static bool differs(double from, double to)
{
    return fabs(from - to) > 1e-8 * fmax(1.0, fmax(fabs(from), fabs(to)));
}

// A number without what is rounding beside that of the other end.
static double tidy(double value, double other)
{
    return fabs(value) > 1e-9 * fabs(other) ? value : 0.0;
}

static void put_range(KalPage *page, const KalSystem *system, const KalRestRange *r,
                      int number)
{
    const char *const *names = kal_system_coordinate_names(system);
    kal_page_format(page, "\n%d.", number);
    if (r->along >= 0) {
        kal_page_string(page, " along ");
        kal_page_safe(page, names[r->along]);
    }
    kal_page_string(page, "\n");
    for (int i = 0; i < kal_system_coordinates(system); i++) {
        kal_page_string(page, "     ");
        kal_page_safe(page, names[i]);
        if (differs(r->from[i], r->to[i])) {
            kal_page_format(
                page, " from %.9g%s to %.9g%s\n", tidy(r->from[i], r->to[i]),
                r->from_goes_on ? " (or beyond)" : "", tidy(r->to[i], r->from[i]),
                r->to_goes_on ? " (or beyond)" : "");
        } else {
            kal_page_format(page, " = %.9g\n", r->from[i]);
        }
    }
}

// What ranges are where there is more than one way to move.
static void put_ways(KalPage *page, const KalSystem *system,
                     const KalRestRanges *ranges)
{
    if (ranges->freedom < 2) {
        return;
    }
    kal_page_format(page, "%d ways to move:", ranges->freedom);
    for (int k = 0; k < ranges->freedom; k++) {
        kal_page_string(page, k > 0 ? ", " : " ");
        kal_page_safe(page, kal_system_coordinate_names(system)[ranges->ways[k]]);
    }
    kal_page_string(page,
                    "; each range is along one, with the others as at the start\n");
}

static void put_leeway(KalPage *page, const KalSystem *system,
                       const KalRestRanges *ranges)
{
    kal_page_safe(page, kal_system_title(system));
    kal_page_format(page, "\n%d range%s of rest, with these closed:", ranges->count,
                    ranges->count == 1 ? "" : "s");
    for (int i = 0; i < ranges->n_closed; i++) {
        kal_page_string(page, i > 0 ? ", " : " ");
        kal_page_safe(page, ranges->closed[i]);
    }
    kal_page_string(page, ranges->n_closed > 0 ? "\n" : " none\n");
    put_ways(page, system, ranges);
    for (int k = 0; k < ranges->count; k++) {
        put_range(page, system, &ranges->list[k], k + 1);
    }
}

KalStatus kal_show_leeway(KalContext *ctx, const KalSystem *system,
                          const KalLeeway *leeway, const KalShowOptions *options,
                          KalSink sink)
{
    KAL_NEED(ctx, ctx && system && leeway && options && sink.write
                      && (unsigned)options->format <= KAL_SHOW_HTML);
    const KalRestRanges ranges = kal_leeway_ranges(leeway);
    if (options->format == KAL_SHOW_JSON) {
        write_leeway(system, &ranges, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(ctx);
    put_leeway(&page, system, &ranges);
    return kal_page_finish(&page, sink);
}
