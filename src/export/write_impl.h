// SPDX-License-Identifier: MIT

/// @file
/// Sources on their way: what the files that write them share.

#ifndef EXPORT_WRITE_IMPL_H
#define EXPORT_WRITE_IMPL_H

#include "export/template.h"
#include "export/write.h"

typedef struct KalExportWriting {
    const KalExportPlan *plan;
    KalExportWords words;
    KalPage programs; ///< functions
    KalPage prepare;  ///< what these prepare
    KalPage settings; ///< what follows from parameters
    KalUsedOperators used;
} KalExportWriting;

static inline const char *kal_export_type(const KalExportPlan *plan)
{
    return plan->single ? "float" : "double";
}

/// How many rows contacts have, and unknowns the laws of all of them at most.
typedef struct KalContactSizes {
    size_t rows;
    size_t unknowns;
} KalContactSizes;

KalContactSizes kal_export_contact_sizes(const KalExportPlan *plan);

/// Let a page know of a failure.
static inline void kal_export_note(KalPage *page, KalStatus status)
{
    if (page->status == KAL_OK) {
        page->status = status;
    }
}

/// A text of the model within a remark, which it can neither end nor begin anew.
void kal_export_remark(KalPage *page, const char *text);

void kal_export_number(KalPage *page, const KalExportPlan *plan, double value);

/// Write the tables of the model, as TABLES.
void kal_export_write_tables(KalPage *page, const KalExportPlan *plan);

/// Whether the model of a KalExportWriting has what a word stands for (flags.c).
bool kal_export_has(void *user, const char *flag);

/// Write the work memory of contacts.
void kal_export_write_contact_arrays(KalExportWriting *w, KalPage *page);

/// How much that is, about.
size_t kal_export_contact_bytes(const KalExportPlan *plan);

/// Write tables that say where numbers are.
void kal_export_write_layout(KalExportWriting *w, KalPage *page);

/// Fill the page of settings: values and formulas of parameters, initialization, the start.
void kal_export_write_settings(KalExportWriting *w);

#endif
