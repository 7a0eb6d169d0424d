// SPDX-License-Identifier: MIT

// plot: columns of a table as a figure in a file, or in characters.

#include "command.h"
#include "ledger.h"
#include "names.h"
#include "output.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    OPTION_FILE,
    OPTION_Y,
    OPTION_X,
    OPTION_KIND,
    OPTION_Z,
    OPTION_BETWEEN,
    OPTION_TITLE,
    OPTION_SIZE,
    OPTION_LOG,
    OPTION_EQUAL,
    OPTION_THEME,
    OPTION_MARKS,
    OPTION_TERMINAL,
    OPTION_QUIET,
    USUAL_COLUMNS = 80,
    NAMES_SIZE = 2048,
};

static const KalCommandOption options[] = {
    [OPTION_FILE] = {"-o",         "FILE",  "write a figure: .svg, .pdf or .png",              false},
    [OPTION_Y] = {"--y",        "NAMES",
                     "columns of a panel, such as \"x, theta'\"; once more "
                  "for another panel",                                                         true },
    [OPTION_X] = {"--x",        "NAME",  "the column of the x axis; usually t or an input",
                     false                                                                          },
    [OPTION_KIND] = {"--kind",     "KIND",  "lines, scatter, bands, histogram or map",
                     false                                                                          },
    [OPTION_Z] = {"--z",        "NAMES", "columns of a map that have colors",               false},
    [OPTION_BETWEEN] = {"--between",  "A..B",
                     "rows with t, or the first column, from A to B",                          false},
    [OPTION_TITLE] = {"--title",    "TEXT",  "a line above the figure",                         false},
    [OPTION_SIZE] = {"--size",     "WxH",   "size in mm, or as in 6x4in or 800x600px",         false},
    [OPTION_LOG] = {"--log",      "AXES",  "logarithmic axes: x, y, z or several",            false},
    [OPTION_EQUAL] = {"--equal",    NULL,    "a length means the same along both axes",
                     false                                                                          },
    [OPTION_THEME] = {"--theme",    "THEME", "auto, light or dark",                             false},
    [OPTION_MARKS] = {"--marks",    "FILE",
                     "equilibria to mark, as 'kalaba equilibria -o' writes",                   false},
    [OPTION_TERMINAL] = {"--terminal", NULL,    "show it in characters, even with -o",
                     false                                                                          },
    [OPTION_QUIET] = {"-q",         NULL,    "no warnings",                                     false},
};

// A figure on its way.
typedef struct Job {
    const KalArguments *arguments;
    KalContext *ctx;
    KalTable *table;
    KalTable *whole; // of which `table` is condensed; NULL: it is the whole
    KalTable *marks; // NULL: none
    KalFigure *figure;
    KalFigureOptions options;
    KalLedger ledger;
} Job;

// The text of an option, NULL when it is not given.
static const char *option(const Job *job, int row)
{
    return job->arguments->options[row];
}

typedef struct LengthUnit {
    const char *word;
    double mm;
    double dots_per_inch; // of an image
} LengthUnit;

static const LengthUnit length_units[] = {
    {"mm", 1.0,         300.0},
    {"cm", 10.0,        300.0},
    {"in", 25.4,        300.0},
    {"px", 25.4 / 96.0, 96.0 },
    {"",   1.0,         300.0},
};

// The unit that a text ends with, which is cut off.  The last unit is the empty word,
// which every text ends with: the search ends there.
static const LengthUnit *cut_unit(char *text)
{
    assert(text);
    const size_t length = strlen(text);
    const LengthUnit *unit = length_units;
    while (length < strlen(unit->word)
           || strcmp(text + length - strlen(unit->word), unit->word) != 0) {
        unit++;
    }
    text[length - strlen(unit->word)] = '\0';
    return unit;
}

// 120x80, 6x4in, 800x600px.
static bool read_size(Job *job)
{
    assert(job->arguments);
    const char *given = option(job, OPTION_SIZE);
    char text[64];
    double width = 0.0;
    double height = 0.0;
    if (!given) {
        return true;
    }
    (void)snprintf(text, sizeof text, "%s", given);
    const LengthUnit *unit = cut_unit(text);
    char *cross = strchr(text, 'x');
    if (cross) {
        *cross = '\0';
    }
    if (!cross || !kal_number_read(kal_option_trim(text), &width)
        || !kal_number_read(kal_option_trim(cross + 1), &height)
        || !(width > 0.0 && height > 0.0)) {
        kal_message_print("option '--size' takes a width and a height, as in 120x80, "
                          "6x4in or 800x600px, not '%s'",
                          given);
        return false;
    }
    job->options.width = width * unit->mm;
    job->options.height = height * unit->mm;
    job->options.dots_per_inch = unit->dots_per_inch;
    return true;
}

// A number, or nothing at all, which leaves what there is.
static bool read_bound(const char *text, double *bound)
{
    return *text == '\0' || kal_number_read(text, bound);
}

// 10..20, with either end open.
static bool read_between(Job *job)
{
    const char *given = option(job, OPTION_BETWEEN);
    char text[64];
    if (!given) {
        return true;
    }
    (void)snprintf(text, sizeof text, "%s", given);
    char *dots = strstr(text, "..");
    if (dots) {
        *dots = '\0';
    }
    if (!dots || !read_bound(kal_option_trim(text), &job->options.from)
        || !read_bound(kal_option_trim(dots + 2), &job->options.until)) {
        kal_message_print(
            "option '--between' takes two numbers, as in 10..20, or one, as "
            "in 10.., not '%s'",
            given);
        return false;
    }
    return true;
}

static bool read_log(Job *job)
{
    const char *text = option(job, OPTION_LOG);
    if (!text) {
        return true;
    }
    if (*text == '\0' || text[strspn(text, "xyz, ")] != '\0') {
        kal_message_print("option '--log' takes x, y, z or several, as in xy, not '%s'",
                          text);
        return false;
    }
    job->options.log_x = strchr(text, 'x') != NULL;
    job->options.log_y = strchr(text, 'y') != NULL;
    job->options.log_z = strchr(text, 'z') != NULL;
    return true;
}

static bool read_theme(Job *job)
{
    static const char *const words[] = {"auto", "light", "dark"};
    const char *text = option(job, OPTION_THEME);
    if (!text) {
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            job->options.theme = (KalFigureTheme)i;
            return true;
        }
    }
    kal_message_print("option '--theme' takes auto, light or dark, not '%s'", text);
    return false;
}

static const char *const kinds[] = {
    [KAL_FIGURE_LINES] = "lines", [KAL_FIGURE_SCATTER] = "scatter",
    [KAL_FIGURE_BANDS] = "bands", [KAL_FIGURE_HISTOGRAM] = "histogram",
    [KAL_FIGURE_MAP] = "map",
};

static bool read_kind(Job *job)
{
    const char *text = option(job, OPTION_KIND);
    const char *z = option(job, OPTION_Z);
    if (!text) {
        job->options.kind = z ? KAL_FIGURE_MAP : KAL_FIGURE_LINES;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(text, kinds[i]) == 0) {
            job->options.kind = (KalFigureKind)i;
            if (z && job->options.kind != KAL_FIGURE_MAP) {
                kal_message_print("option '--z' is for maps");
            }
            return !z || job->options.kind == KAL_FIGURE_MAP;
        }
    }
    kal_message_print("option '--kind' takes lines, scatter, bands, histogram or map, "
                      "not '%s'",
                      text);
    return false;
}

// What is wrong is told for the first option that is.
static bool read_options(Job *job)
{
    job->options = kal_figure_options();
    job->options.x = option(job, OPTION_X);
    job->options.title = option(job, OPTION_TITLE);
    job->options.equal = option(job, OPTION_EQUAL) != NULL;
    return read_between(job) && read_size(job) && read_log(job) && read_theme(job)
           && read_kind(job);
}

// What failed is the file's, a choice of columns among them.
static KalExit fail(const Job *job)
{
    kal_message_print("%s: %s", job->arguments->operands[0],
                      kal_context_message(job->ctx));
    return KAL_EXIT_FAULT;
}

// Messages about a file that is read or written name it already.
static KalExit fail_of_file(const Job *job)
{
    kal_message_print("%s", kal_context_message(job->ctx));
    return KAL_EXIT_FAULT;
}

static const char *name_of(const Job *job, size_t curve)
{
    assert(curve < kal_figure_curves(job->figure));
    const KalFigureCurve c = kal_figure_curve(job->figure, curve);
    return kal_table_column(job->table, c.column).name;
}

// Say what is shown when the choice was ours and not all.
static void tell_choice(const Job *job, size_t omitted)
{
    assert(omitted > 0);
    char names[NAMES_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < kal_figure_curves(job->figure) && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", name_of(job, i));
    }
    kal_message_print("showing %s; %zu more column%s left out, '--y' chooses", names,
                      omitted, omitted == 1 ? " is" : "s are");
}

static void warn_of_empty_curves(const Job *job)
{
    for (size_t i = 0; i < kal_figure_curves(job->figure); i++) {
        if (kal_figure_curve(job->figure, i).points == 0) {
            kal_message_print("warning: %s has no value that can be shown%s",
                              name_of(job, i),
                              option(job, OPTION_LOG) ? " on logarithmic axes" : "");
        }
    }
}

static KalStatus add_usual_panels(const Job *job)
{
    size_t omitted = 0;
    const KalStatus status = kal_figure_add_usual_panels(job->figure, &omitted);
    if (status == KAL_OK && omitted > 0 && !option(job, OPTION_QUIET)) {
        tell_choice(job, omitted);
    }
    return status;
}

// The columns of each panel: those of --y or, of a map, all that --z names, one by one.
static KalStatus add_panel(const Job *job, const KalNameOption *names)
{
    if (job->options.kind != KAL_FIGURE_MAP) {
        return kal_figure_add_panel(job->figure, names->names, names->count);
    }
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < names->count && status == KAL_OK; i++) {
        status = kal_figure_add_panel(job->figure, &names->names[i], 1);
    }
    return status;
}

// A panel for each --y; the columns of a histogram are those that were condensed.
static KalExit add_panels(const Job *job)
{
    const KalArguments *arguments = job->arguments;
    const bool map = job->options.kind == KAL_FIGURE_MAP;
    const bool histogram = job->options.kind == KAL_FIGURE_HISTOGRAM;
    const char *z = option(job, OPTION_Z);
    const int count = map ? z != NULL : histogram ? 0 : arguments->n_repeats;
    KalStatus status = KAL_OK;
    if (count == 0) {
        status = add_usual_panels(job);
    }
    for (int i = 0; status == KAL_OK && i < count; i++) {
        KalNameOption names = {.count = 0};
        const bool read = kal_name_option_read(map ? "--z" : "--y",
                                               map ? z : arguments->repeats[i], &names);
        if (read) {
            status = add_panel(job, &names);
        }
        kal_name_option_clear(&names);
        if (!read) {
            return KAL_EXIT_USAGE;
        }
    }
    if (status != KAL_OK) {
        return fail(job);
    }
    if (!option(job, OPTION_QUIET)) {
        warn_of_empty_curves(job);
    }
    return KAL_EXIT_DONE;
}

// All columns that options name, over the panels.
static bool list_columns(const Job *job, KalNameOption *names)
{
    const KalArguments *arguments = job->arguments;
    const char *z = option(job, OPTION_Z);
    char text[NAMES_SIZE] = "";
    size_t used = 0;
    if (job->options.kind == KAL_FIGURE_MAP) {
        return !z || kal_name_option_read("--z", z, names);
    }
    for (int i = 0; i < arguments->n_repeats; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i > 0 ? ", " : "", arguments->repeats[i]);
        if (used >= sizeof text) {
            kal_message_print("the values of '--y' are too long");
            return false;
        }
    }
    return used == 0 || kal_name_option_read("--y", text, names);
}

// Say how a sweep is shown when the choice was ours.
static void tell_kind(const Job *job)
{
    const KalFigureOptions *o = &job->options;
    if (o->kind == KAL_FIGURE_MAP) {
        kal_message_print("showing a map over %s and %s, '--kind' chooses", o->x, o->y);
    } else if (o->kind == KAL_FIGURE_BANDS) {
        kal_message_print("showing bands over %s, '--kind' chooses", o->x);
    } else {
        kal_message_print("showing a histogram, '--kind' chooses");
    }
}

// The table of a sweep is shown as suits its inputs, unless options say how; the axes of a map
// are --x and --y.
static KalExit choose_kind(Job *job)
{
    KalFigureOptions *o = &job->options;
    const bool asked =
        option(job, OPTION_KIND) != NULL || option(job, OPTION_Z) != NULL;
    const bool sweep = kal_figure_is_sweep(job->table, NULL);
    const KalFigureKind wanted = o->kind;
    if (wanted == KAL_FIGURE_MAP && job->arguments->n_repeats > 1) {
        kal_message_print("a map has one y axis: give '--y' once");
        return KAL_EXIT_USAGE;
    }
    if (wanted == KAL_FIGURE_MAP && job->arguments->n_repeats == 1) {
        o->y = job->arguments->repeats[0];
    }
    if (!sweep || (asked && o->x && (o->y || wanted != KAL_FIGURE_MAP))) {
        return KAL_EXIT_DONE;
    }
    if (kal_figure_suggest(job->ctx, job->table, o) != KAL_OK) {
        return fail(job);
    }
    if (asked) {
        o->kind = wanted;
    } else if (job->arguments->n_repeats > 0 || option(job, OPTION_X)) {
        o->kind = o->kind == KAL_FIGURE_MAP ? KAL_FIGURE_BANDS : o->kind;
        o->kind = option(job, OPTION_X) ? KAL_FIGURE_BANDS : o->kind;
    } else if (!option(job, OPTION_QUIET)) {
        tell_kind(job);
    }
    return KAL_EXIT_DONE;
}

// Put the table that is drawn in the place of the whole, for kinds that need one.
static KalExit condense(Job *job)
{
    KalFigureOptions *o = &job->options;
    KalNameOption names = {.count = 0};
    KalTable *table = NULL;
    if (o->kind == KAL_FIGURE_LINES || o->kind == KAL_FIGURE_SCATTER) {
        return KAL_EXIT_DONE;
    }
    if (!list_columns(job, &names)) {
        kal_name_option_clear(&names);
        return KAL_EXIT_USAGE;
    }
    KalFigureColumns columns = {.patterns = names.names, .count = names.count};
    const KalStatus status =
        kal_figure_condense(job->ctx, job->table, o, &columns, &table);
    kal_name_option_clear(&names);
    if (status != KAL_OK) {
        return fail(job);
    }
    if (columns.omitted > 0 && !option(job, OPTION_QUIET)) {
        kal_message_print("%zu more result%s left out, '%s' chooses", columns.omitted,
                          columns.omitted == 1 ? " is" : "s are",
                          o->kind == KAL_FIGURE_MAP ? "--z" : "--y");
    }
    job->whole = job->table;
    job->table = table;
    o->from = -INFINITY;
    o->until = INFINITY;
    o->x = o->kind == KAL_FIGURE_HISTOGRAM ? NULL : o->x;
    return KAL_EXIT_DONE;
}

static KalExit add_marks(Job *job)
{
    assert(job->figure);
    const char *file = option(job, OPTION_MARKS);
    if (file && !option(job, OPTION_FILE)) {
        kal_message_print("option '--marks' is for a file, which '-o' names");
        return KAL_EXIT_USAGE;
    }
    if (file
        && (kal_table_read(job->ctx, file, 0, &job->marks) != KAL_OK
            || kal_figure_set_marks(job->figure, job->marks) != KAL_OK)) {
        kal_message_print("%s: %s", file, kal_context_message(job->ctx));
        return KAL_EXIT_FAULT;
    }
    return KAL_EXIT_DONE;
}

// Whether the locale says that text is UTF-8.
static bool has_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && !(locale && *locale); i++) {
        locale = getenv(variables[i]);
    }
    const char *charset = locale ? strchr(locale, '.') : NULL;
    return charset
           && (strncasecmp(charset, ".UTF-8", 6) == 0
               || strncasecmp(charset, ".UTF8", 5) == 0);
}

// As wide as the terminal is, and no higher.
static KalTerminal find_terminal(void)
{
    KalTerminal terminal = {
        .columns = USUAL_COLUMNS, .unicode = has_utf8(), .color = kal_wants_color()};
    struct winsize size = {.ws_col = 0};
    const char *columns = getenv("COLUMNS");
    double number = 0.0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.columns = size.ws_col;
        terminal.rows = size.ws_row - 1; // the prompt needs one
    } else if (columns && kal_number_read(columns, &number) && number >= 1.0
               && number < 10000.0) {
        terminal.columns = (int)number;
    }
    return terminal;
}

// To the terminal, unless a file was named; to both if both were.
static KalExit show(const Job *job)
{
    assert(job->figure);
    const KalTerminal terminal = find_terminal();
    const char *file = option(job, OPTION_FILE);
    if (file && kal_figure_write(job->figure, file) != KAL_OK) {
        return fail_of_file(job);
    }
    if (file && !option(job, OPTION_TERMINAL)) {
        return KAL_EXIT_DONE;
    }
    return kal_figure_print(job->figure, &terminal, kal_standard_output) == KAL_OK
               ? KAL_EXIT_DONE
               : fail(job);
}

// Whether the figure has a file of its own.
static bool claim_files(Job *job)
{
    const char *marks = option(job, OPTION_MARKS);
    const char *file = option(job, OPTION_FILE);
    return kal_ledger_read_table(&job->ledger, job->ctx, "the table",
                                 job->arguments->operands[0])
           && (!marks
               || kal_ledger_read_table(&job->ledger, job->ctx, "option '--marks'",
                                        marks))
           && (!file || kal_ledger_write(&job->ledger, job->ctx, "option '-o'", file));
}

static KalExit plot(Job *job)
{
    assert(!job->ctx && !job->table);
    if (kal_context_create(NULL, NULL, &job->ctx) != KAL_OK
        || !kal_ledger_init(&job->ledger)) {
        kal_message_print("out of memory");
        return KAL_EXIT_FAULT;
    }
    if (!claim_files(job)) {
        kal_message_print("%s", job->ledger.message);
        return job->ledger.clash ? KAL_EXIT_USAGE : KAL_EXIT_FAULT;
    }
    if (kal_table_read(job->ctx, job->arguments->operands[0], 0, &job->table)
        != KAL_OK) {
        return fail_of_file(job);
    }
    KalExit status = choose_kind(job);
    status = status == KAL_EXIT_DONE ? condense(job) : status;
    if (status != KAL_EXIT_DONE) {
        return status;
    }
    if (kal_figure_create(job->ctx, job->table, &job->options, &job->figure)
        != KAL_OK) {
        return fail(job);
    }
    status = add_panels(job);
    status = status == KAL_EXIT_DONE ? add_marks(job) : status;
    return status == KAL_EXIT_DONE ? show(job) : status;
}

static KalExit run_plot(const KalArguments *arguments)
{
    Job job = {.arguments = arguments};
    if (arguments->n_operands == 0) {
        kal_message_print("which table? see 'kalaba help plot'");
        return KAL_EXIT_USAGE;
    }
    if (!read_options(&job)) {
        return KAL_EXIT_USAGE;
    }
    const KalExit status = plot(&job);
    kal_figure_destroy(job.figure);
    kal_table_destroy(job.marks);
    kal_table_destroy(job.table);
    kal_table_destroy(job.whole);
    kal_context_destroy(job.ctx);
    kal_ledger_clear(&job.ledger);
    return status;
}

static void print_details(void)
{
    fputs(
        "\nDraws columns of a table, .csv or .h5, that 'kalaba run -o' or another\n"
        "program wrote.  Without -o the figure is shown in characters.  Names may have "
        "*\nfor any text and ? for any character.  Without --y columns of the same "
        "unit "
        "share\na panel, and what is left out is said.\n"
        "\nThe table of a sweep is shown as suits its inputs: a map of two of them, "
        "bands\n"
        "over one (the median, and where half and nine tenths of the runs are), a\n"
        "histogram of random ones; --kind chooses, --x and --y are the axes of a map "
        "and\n"
        "--z what has colors.\n"
        "\nExamples:\n"
        "  kalaba plot out.csv\n"
        "  kalaba plot out.h5 --y \"x, y\" --y \"x', y'\" -o motion.pdf\n"
        "  kalaba plot out.csv --x x --y y --equal -o path.svg --size 80x80\n"
        "  kalaba plot sweep.h5 --kind map --x b --y \"theta'\" --z \"final(x)\" -o "
        "map.png\n"
        "  kalaba plot family.csv --x u --y w --marks rest.csv -o phase.svg\n"
        "\nExit status: 0 done, 1 the file or its columns are at fault, 2 wrong "
        "usage.\n",
        stdout);
}

const KalCommand kal_command_plot = {
    .name = "plot",
    .operands = "TABLE",
    .purpose = "figures of a table, for papers, pages and the terminal",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_plot,
};
