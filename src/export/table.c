// SPDX-License-Identifier: MIT

// Tables of a model as arrays of C: knots, and factors of the pieces between them, as the
// splines of the library have them (expr/spline.h).

#include "export/write_impl.h"

#include <assert.h>

enum {
    IN_A_LINE = 4
};

static void write_numbers(KalPage *page, const KalExportPlan *plan, const char *name,
                          size_t table, const double *values, size_t count)
{
    kal_page_format(page, "static const %s %s_%zu[%zu] = {", kal_export_type(plan),
                    name, table, count);
    for (size_t i = 0; i < count; i++) {
        kal_page_string(page, i % IN_A_LINE == 0 ? "\n    " : " ");
        kal_export_number(page, plan, values[i]);
        kal_page_string(page, i + 1 < count ? "," : "\n};\n");
    }
}

void kal_export_write_tables(KalPage *page, const KalExportPlan *plan)
{
    assert(plan->tables || plan->n_tables == 0);
    for (size_t k = 0; k < plan->n_tables; k++) {
        const KalSpline *spline = plan->tables[k].spline;
        kal_page_string(page, "/* ");
        kal_export_remark(page, plan->tables[k].name);
        kal_page_string(page, " */\n");
        write_numbers(page, plan, "KNOTS", k, spline->knots, spline->pieces + 1);
        write_numbers(page, plan, "FACTORS", k, spline->factors, 4 * spline->pieces);
    }
    kal_page_format(page, "static const Table TABLES[%zu] = {\n", plan->n_tables);
    for (size_t k = 0; k < plan->n_tables; k++) {
        const KalSpline *spline = plan->tables[k].spline;
        kal_page_format(page, "    {%zu, %d, KNOTS_%zu, FACTORS_%zu}%s\n",
                        spline->pieces, (int)spline->outside, k, k,
                        k + 1 < plan->n_tables ? "," : "");
    }
    kal_page_string(page, "};\n\n");
}
