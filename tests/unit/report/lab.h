// SPDX-License-Identifier: MIT

/// @file
/// Reports of small models, for tests.

#ifndef REPORT_LAB_H
#define REPORT_LAB_H

#include "report/report_impl.h"
#include "run_lab.h"

/// A run of a model with its report.
typedef struct ReportLab {
    Lab lab;
    KalReport *report;
} ReportLab;

/// Take states until the end, every so often as the model says.
static inline KalStatus report_lab_go(ReportLab *r)
{
    const KalRunOptions *o = &r->lab.options;
    KalStatus status = kal_report_take(r->report, r->lab.run);
    for (int k = 1; status == KAL_OK && !kal_run_is_over(r->lab.run); k++) {
        status = kal_run_advance(r->lab.run, o->from + k * o->every);
        if (status == KAL_OK) {
            status = kal_report_take(r->report, r->lab.run);
        }
    }
    return status;
}

/// Load a model, run it, take its states.
static inline bool report_lab_open(ReportLab *r, const char *text)
{
    r->report = NULL;
    return lab_load(&r->lab, text) && ok(lab_start(&r->lab) == KAL_OK)
           && ok(kal_report_create(r->lab.ctx, r->lab.system, &r->report) == KAL_OK)
           && ok(report_lab_go(r) == KAL_OK);
}

static inline void report_lab_close(ReportLab *r)
{
    kal_report_destroy(r->report);
    lab_close(&r->lab);
}

#endif
