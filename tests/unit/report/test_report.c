// SPDX-License-Identifier: MIT

// The data and the page of a report.

#include "folder.h"
#include "json/reader.h"
#include "lab.h"

#include <stdint.h>

static const char pendulum[] =
    "model \"</script><script>alert(1)</script>\"\n"
    "param m = 2 [kg], g = 9.81 [m/s^2], L = 1 [m]\n"
    "coord x [m], y [m]\nkinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
    "constraint rod: x^2 + y^2 = L^2\n"
    "init x = 1, y ~ 0\nsimulate 0 .. 1 every 0.25\n"
    "output height = y + L [m]\n"
    "plot x, x' + 0*y\nplot y against x\nplot height, energy()\n"
    "draw line [0, 0] -> [x, y]\ndraw circle [x, y] radius 0.1\n"
    "draw box [x, y + 1.0] size [1, 2] angle x*y/L^2\n"
    "event top: x - 0.9 falling set x' = x'\n";

static char page[1 << 20];
static size_t page_length;

static void keep_page(void *user, const char *text, size_t length)
{
    (void)user;
    ok(page_length + length < sizeof page);
    memcpy(page + page_length, text, length);
    page_length += length;
    page[page_length] = '\0';
}

// The data of all rows as JSON.
static void write_data(ReportLab *r, const char *failure)
{
    KalCheck *check = NULL;
    const KalReportFacts facts = {.seconds = 0.5, .failure = failure};
    size_t rows[64];
    const size_t n = kal_table_rows(r->report->table);
    for (size_t i = 0; i < n && i < 64; i++) {
        rows[i] = i;
    }
    page_length = 0;
    if (ok(kal_check_create(r->lab.ctx, r->lab.system, &check) == KAL_OK)) {
        const KalReportData data = {r->report, r->lab.run, &facts, check, rows, n};
        kal_report_write_data(&data, (KalSink){keep_page, NULL});
    }
    kal_check_destroy(check);
}

static void data_is_json(void)
{
    ReportLab r;
    if (report_lab_open(&r, pendulum)) {
        KalJsonReader reader;
        write_data(&r, NULL);
        kal_json_reader_init(&reader, r.lab.ctx, "data", page, page_length);
        do {
            if (!ok(kal_json_step(&reader) == KAL_OK)) {
                printf("# %s\n", kal_context_message(r.lab.ctx));
                break;
            }
        } while (reader.event != KAL_JSON_END);
        kal_json_reader_clear(&reader);
        has_text(page, "\"failure\": null, \"complete\": true");
        has_text(page, "\"name\": \"g\", \"unit\": \"m/s^2\", \"value\": 9.81");
        has_text(page, "\"incidents\": [{\"t\": 0.");
        has_text(page, "\"samples\": 5");
        write_data(&r, "it \"broke\"");
        has_text(page, "\"failure\": \"it \\\"broke\\\"\", \"complete\": false");
    }
    report_lab_close(&r);
}

// Coordinates and velocities have columns already; formulas get one each.
static void pictures_refer_to_columns(void)
{
    ReportLab r;
    if (report_lab_open(&r, pendulum)) {
        const KalModel *model = r.lab.system->model;
        const KalDrawing *box = &model->drawings[2];
        ok(kal_report_column(r.report, model->time) == 0);
        ok(kal_report_column(r.report, model->coordinates[1].q) == 2);
        ok(kal_report_column(r.report, model->coordinates[0].v) == 3);
        const size_t above = kal_report_column(r.report, box->points[0].y);
        const size_t angle = kal_report_column(r.report, box->angle);
        ok(above >= r.report->first_formula && angle > above);
        for (size_t i = 0; i < kal_table_rows(r.report->table); i++) {
            const double *row = kal_table_row(r.report->table, i);
            near(row[above], row[2] + 1.0, 0.0);
            near(row[angle], row[1] * row[2], 0.0);
        }
        write_data(&r, NULL);
        has_text(page, "\"plots\": [{\"curves\": [{\"label\": \"x\", \"unit\": \"m\", "
                       "\"column\": 1}");
        has_text(page, "\"label\": \"x' + 0*y\", \"unit\": \"m/s\"");
        has_text(page,
                 "\"against\": {\"label\": \"x\", \"unit\": \"m\", \"column\": 1}");
        has_text(page, "\"label\": \"height\", \"unit\": \"m\"");
        has_text(page, "\"label\": \"energy()\", \"unit\": \"J\"");
        has_text(page, "\"shape\": \"circle\", \"own\": true, \"points\": [[1, 2]]");
    }
    report_lab_close(&r);
}

// The pull of the rod is along it, and its columns are named by the arrow.
static void forces_act_where_coordinates_are_drawn(void)
{
    ReportLab r;
    if (report_lab_open(&r, pendulum)) {
        const size_t fx = kal_table_find_column(r.report->table, "cforce(x)");
        const size_t fy = kal_table_find_column(r.report->table, "cforce(y)");
        char want[100];
        write_data(&r, NULL);
        snprintf(want, sizeof want,
                 "\"forces\": [{\"at\": [1, 2], \"force\": [%zu, %zu, null]}]", fx, fy);
        has_text(page, want);
        for (size_t i = 0; i < kal_table_rows(r.report->table); i++) {
            const double *row = kal_table_row(r.report->table, i);
            near(row[fx] * row[2] - row[fy] * row[1], 0.0, 1e-10);
        }
    }
    report_lab_close(&r);
}

static int digit(char c)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return at && c ? (int)(at - digits) : -1;
}

// Read doubles from base 64; answers how many.
static size_t decode(const char *text, double *out_values, size_t most)
{
    unsigned char bytes[1024] = {0};
    size_t n = 0;
    for (; digit(text[0]) >= 0 && n + 3 <= sizeof bytes; text += 4) {
        unsigned bits = 0;
        for (int i = 0; i < 4; i++) {
            bits = bits << 6 | (digit(text[i]) < 0 ? 0U : (unsigned)digit(text[i]));
        }
        bytes[n++] = (unsigned char)(bits >> 16);
        bytes[n++] = (unsigned char)(bits >> 8);
        bytes[n++] = (unsigned char)bits;
    }
    for (size_t i = 0; i < most; i++) {
        uint64_t bits = 0;
        for (size_t k = 0; k < 8; k++) {
            bits |= (uint64_t)bytes[8 * i + k] << 8 * k;
        }
        memcpy(&out_values[i], &bits, sizeof bits);
    }
    return n / 8;
}

static void numbers_are_exact(void)
{
    ReportLab r;
    if (report_lab_open(&r, pendulum)) {
        double values[5];
        write_data(&r, NULL);
        const char *x = strstr(page, "{\"name\": \"x\", \"unit\": \"m\", "
                                     "\"kind\": \"position\", \"values\": \"");
        if (ok(x)) {
            ok(decode(strstr(x, "\"values\": \"") + 11, values, 5) == 5);
            for (size_t i = 0; i < 5; i++) {
                near(values[i], kal_table_row(r.report->table, i)[1], 0.0);
            }
        }
        has_text(page, "\"kind\": \"formula\", \"values\": 0.1}"); // never changes
    }
    report_lab_close(&r);
}

static void columns_have_kinds(void)
{
    ReportLab r;
    if (report_lab_open(&r, "coord x, s, w\nkinetic x'^2 + s'^2 + w'^2\n"
                            "constraint c: x = 1\nprescribe s = t\n"
                            "actuator u: w'\nservo aim: w = 1, rate = 1\n"
                            "init x ~ 1\nsimulate 0 .. 1 every 0.5\n")) {
        static const char *const kinds[] = {
            "\"name\": \"t\", \"unit\": \"s\", \"kind\": \"time\"",
            "\"name\": \"x'\", \"unit\": \"\", \"kind\": \"velocity\"",
            "\"name\": \"energy()\", \"unit\": \"J\", \"kind\": \"energy\"",
            "\"name\": \"cforce(x)\", \"unit\": \"\", \"kind\": \"force\"",
            "\"name\": \"reaction(c)\", \"unit\": \"\", \"kind\": \"reaction\"",
            "\"name\": \"drive(s)\", \"unit\": \"\", \"kind\": \"reaction\"",
            "\"name\": \"control(u)\", \"unit\": \"\", \"kind\": \"control\"",
            "\"name\": \"error(position)\", \"unit\": \"\", \"kind\": \"error\"",
        };
        write_data(&r, NULL);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            has_text(page, kinds[i]);
        }
    }
    report_lab_close(&r);
}

// A plot without a value is a gap, not a failure.
static void formulas_may_have_no_value(void)
{
    ReportLab r;
    if (report_lab_open(&r, "coord x\nkinetic x'^2\ninit x' = 1\n"
                            "plot log(x - 0.5)\nsimulate 0 .. 1 every 0.5\n")) {
        const size_t column = r.report->first_formula;
        ok(!isfinite(kal_table_row(r.report->table, 0)[column]));
        near(kal_table_row(r.report->table, 2)[column], log(0.5), 1e-9);
    }
    report_lab_close(&r);
}

static bool has_template(void)
{
    size_t length = 0;
    return kal_report_template(&length) != NULL;
}

static KalStatus write_file(ReportLab *r, const char *path)
{
    const KalReportFacts facts = {.seconds = 1.0};
    return kal_report_write(r->report, r->lab.run, &facts, path);
}

static bool read_page(const char *path)
{
    FILE *file = fopen(path, "rb");
    page_length = file ? fread(page, 1, sizeof page - 1, file) : 0;
    page[page_length] = '\0';
    return file && fclose(file) == 0;
}

static void pages_obey_nothing_of_the_model(void)
{
    ReportLab r;
    Folder folder;
    if (!ok(folder_open(&folder)) || !report_lab_open(&r, pendulum)) {
        return;
    }
    const char *path = folder_file(&folder, "r.html");
    if (has_template()) {
        ok(kal_report_check_path(r.lab.ctx, path) == KAL_OK);
        ok(write_file(&r, path) == KAL_OK);
        ok(read_page(path));
        ok(!strstr(page, "<script>alert"));
        has_text(page, "<title>&lt;/script&gt;&lt;script&gt;alert(1)");
        has_text(page, "\"title\": \"\\u003c/script>\\u003cscript>alert(1)");
        has_text(page, "<math");
        ok(!strstr(page, "<!--kalaba:"));
        ok(kal_report_check_path(r.lab.ctx, "/no/such/folder/r.html") == KAL_ERR_FILE);
    } else {
        ok(kal_report_check_path(r.lab.ctx, path) == KAL_ERR_USAGE);
        ok(write_file(&r, path) == KAL_ERR_USAGE);
        has_text(kal_context_message(r.lab.ctx), "-Dweb=enabled");
    }
    report_lab_close(&r);
    folder_close(&folder);
}

// What a report costs, from the beginning to the file.
static KalStatus make(Lab *lab, const char *path)
{
    ReportLab r = {.lab = *lab};
    KalStatus status = kal_report_create(lab->ctx, lab->system, &r.report);
    if (status == KAL_OK) {
        status = kal_report_take(r.report, lab->run);
    }
    if (status == KAL_OK) {
        status = write_file(&r, path);
    }
    kal_report_destroy(r.report);
    return status;
}

static void every_allocation_may_fail(void)
{
    Folder folder;
    Lab lab;
    if (!ok(folder_open(&folder)) || !lab_load(&lab, pendulum)
        || !ok(lab_start(&lab) == KAL_OK)) {
        return;
    }
    const char *path = folder_file(&folder, "r.html");
    const KalStatus done = has_template() ? KAL_OK : KAL_ERR_USAGE;
    ok(make(&lab, path) == done);
    const size_t held = lab.fault.live_bytes;
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status == KAL_ERR_NOMEM && n < 20000; n = fault_next(n)) {
        lab.fault.calls_left = n;
        status = make(&lab, path);
        lab.fault.calls_left = -1;
        ok(status == done || status == KAL_ERR_NOMEM);
        ok(lab.fault.live_bytes == held);
    }
    ok(status == done);
    lab_close(&lab);
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(data_is_json), TAP_CASE(pictures_refer_to_columns),
        TAP_CASE(forces_act_where_coordinates_are_drawn), TAP_CASE(numbers_are_exact),
        TAP_CASE(columns_have_kinds), TAP_CASE(formulas_may_have_no_value),
        TAP_CASE(pages_obey_nothing_of_the_model), TAP_CASE(every_allocation_may_fail))
