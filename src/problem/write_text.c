// SPDX-License-Identifier: MIT

// Givens and answer of one instant for people: a table of coordinates with decimal
// points in one line, the constraints with their multipliers, and in sentences whatever
// is not unique.  What is long is cut, and says so.

#include "base/number.h"
#include "base/utf8.h"
#include "problem/problem_impl.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_SHOWN = 40,
    NAMES_SHOWN = 10, // of a set of names within a sentence
    DIGITS_SHOWN = 8,
    LINE_SIZE = 1024, // room for a label and what stands around it
};

#define BOLD   "\x1b[1m"
#define YELLOW "\x1b[33m"
#define PLAIN  "\x1b[0m"

typedef struct Page {
    KalSink sink;
    bool color;
    const KalInstantView *view;
    const KalMotionAnswer *answer;
} Page;

// Names fit to be shown.
typedef struct Labels {
    const char *const *list;
    size_t count;
} Labels;

// A column of numbers that has its decimal points in one line.
typedef struct Column {
    const char *heading;
    const double *values;
    size_t width;
    size_t right; // of the decimal point, itself included
} Column;

// Names that a sentence is about: those flagged, or those of one dependent set.
typedef struct Selection {
    Labels labels;
    const bool *flags; // or NULL
    const int *sets;   // or NULL
    int set;
    size_t except;
} Selection;

static const size_t NO_EXCEPTION = SIZE_MAX;

KAL_PRINTF(2, 3) static void print(const Page *page, const char *format, ...)
{
    assert(page->sink.write);
    char line[LINE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    page->sink.write(page->sink.user, line, strlen(line));
}

static void print_marked(const Page *page, const char *mark, const char *text)
{
    print(page, "%s%s%s", page->color ? mark : "", text, page->color ? PLAIN : "");
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t shown(size_t count)
{
    return count < ROWS_SHOWN ? count : ROWS_SHOWN;
}

// Characters, as far as each takes one place.
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static size_t labels_width(Labels labels, const char *heading)
{
    assert(heading);
    size_t width = strlen(heading);
    for (size_t i = 0; i < shown(labels.count); i++) {
        width = larger(width, text_width(labels.list[i]));
    }
    return width;
}

static Labels coordinate_labels(const Page *page)
{
    const KalMotionProblem *givens = &page->view->givens;
    return (Labels){givens->coordinates, (size_t)givens->n};
}

static Labels constraint_labels(const Page *page)
{
    const KalMotionProblem *givens = &page->view->givens;
    return (Labels){givens->constraints, (size_t)givens->m};
}

static void print_label(const Page *page, const char *label, size_t width)
{
    assert(text_width(label) <= width);
    print(page, "%s%*s", label, (int)(width - text_width(label)), "");
}

// Adding 0 makes -0 an ordinary zero.
static size_t format_value(double value, char out_text[KAL_NUMBER_SIZE])
{
    kal_number_print(value + 0.0, DIGITS_SHOWN, out_text);
    return strcspn(out_text, ".e");
}

// The numbers to the left and to the right of the decimal point have a width each, so
// that the points stand in one line.
static Column make_column(const char *heading, const double *values, size_t count)
{
    assert(heading && (values || count == 0));
    size_t left = 0;
    size_t right = 0;
    for (size_t i = 0; i < shown(count); i++) {
        char text[KAL_NUMBER_SIZE];
        const size_t point = format_value(values[i], text);
        left = larger(left, point);
        right = larger(right, strlen(text) - point);
    }
    return (Column){.heading = heading,
                    .values = values,
                    .width = larger(left + right, strlen(heading)),
                    .right = right};
}

static void print_headings(const Page *page, const char *first, size_t width,
                           const Column *columns, size_t count)
{
    print(page, "\n%s%-*s", page->color ? BOLD : "", (int)width, first);
    for (size_t i = 0; i < count; i++) {
        print(page, "   %*s", (int)columns[i].width, columns[i].heading);
    }
    print(page, "%s\n", page->color ? PLAIN : "");
}

// Returns how many blanks are missing to the end of the column: the next one prints
// them, so that no line ends in blanks.
static int print_cell(const Page *page, const Column *column, size_t i, int blanks)
{
    assert(blanks >= 0);
    char text[KAL_NUMBER_SIZE];
    const size_t point = format_value(column->values[i], text);
    const int after = (int)(column->right - (strlen(text) - point));
    print(page, "%*s   %*s", blanks, "", (int)column->width - after, text);
    return after;
}

static void print_rest(const Page *page, size_t count)
{
    if (count > ROWS_SHOWN) {
        print(page, "… %zu more (use --json for all)\n", count - ROWS_SHOWN);
    }
}

// Columns that a problem does not have are left out, not empty.
static void print_coordinates(const Page *page)
{
    const Labels labels = coordinate_labels(page);
    const KalInstantView *view = page->view;
    const KalMotionAnswer *answer = page->answer;

    const struct {
        const char *heading;
        const double *values; // NULL: no such column
    } all[] = {
        {"position",        view->q                                       },
        {"velocity",        view->qd                                      },
        {"acceleration",    answer->qdd                                   },
        {"impressed Q",     view->givens.Q                                },
        {"ideal force",     answer->force_ideal                           },
        {"non-ideal force", view->givens.C ? answer->force_nonideal : NULL},
    };

    Column columns[sizeof all / sizeof all[0]];
    size_t n_columns = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].values) {
            columns[n_columns++] =
                make_column(all[i].heading, all[i].values, labels.count);
        }
    }
    const size_t width = labels_width(labels, "coordinate");

    print_headings(page, "coordinate", width, columns, n_columns);
    for (size_t i = 0; i < shown(labels.count); i++) {
        int blanks = 0;
        print_label(page, labels.list[i], width);
        for (size_t j = 0; j < n_columns; j++) {
            blanks = print_cell(page, &columns[j], i, blanks);
        }
        print(page, "\n");
    }
    print_rest(page, labels.count);
}

// One line each, with units, and a mark at what is not unique.
static void print_group(const Page *page, const KalViewGroup *group)
{
    const Labels labels = {group->names, group->count};
    const Column column = make_column("value", group->values, group->count);
    const size_t width = labels_width(labels, group->heading);
    if (group->count == 0) {
        return;
    }
    print_headings(page, group->heading, width, &column, 1);
    for (size_t i = 0; i < shown(group->count); i++) {
        const char *unit = group->units ? group->units[i] : NULL;
        print_label(page, labels.list[i], width);
        const int blanks = print_cell(page, &column, i, 0);
        const bool doubt = group->unique_key && group->doubts[i];
        if (unit || doubt) {
            print(page, "%*s %s", blanks, "", unit ? unit : "");
        }
        if (doubt) {
            print(page, "   ");
            print_marked(page, YELLOW, "not unique");
        }
        print(page, "\n");
    }
    print_rest(page, group->count);
}

static bool is_selected(const Selection *some, size_t i)
{
    assert(i < some->labels.count);
    return i != some->except && (!some->flags || some->flags[i])
           && (!some->sets || some->sets[i] == some->set);
}

// The labels of the first ones selected, and how many more there are.
static void print_selection(const Page *page, const Selection *some)
{
    size_t count = 0;
    for (size_t i = 0; i < some->labels.count; i++) {
        if (!is_selected(some, i)) {
            continue;
        }
        if (count < NAMES_SHOWN) {
            print(page, "%s%s", count > 0 ? ", " : "", some->labels.list[i]);
        }
        count++;
    }
    if (count > NAMES_SHOWN) {
        print(page, ", … %zu more", count - NAMES_SHOWN);
    }
}

static size_t set_size(const Page *page, int set)
{
    assert(set >= 0);
    size_t size = 0;
    for (int i = 0; i < page->answer->m; i++) {
        size += page->answer->dependent_set[i] == set;
    }
    return size;
}

// A constraint that depends on nothing but itself has a row of zeros.
static void print_remark(const Page *page, size_t i, int blanks)
{
    assert(i < (size_t)page->answer->m);
    const int set = page->answer->dependent_set[i];
    if (set < 0) {
        return;
    }
    print(page, "%*s   ", blanks, "");
    print_marked(page, YELLOW, "not unique");
    if (set_size(page, set) == 1) {
        print(page, ": its row of A is zero");
        return;
    }
    print(page, ": depends on ");
    print_selection(page, &(Selection){.labels = constraint_labels(page),
                                       .sets = page->answer->dependent_set,
                                       .set = set,
                                       .except = i});
}

static void print_constraints(const Page *page)
{
    const Labels labels = constraint_labels(page);
    if (labels.count == 0) {
        return;
    }
    const Column column =
        make_column("multiplier", page->answer->multipliers, labels.count);
    const size_t width = labels_width(labels, "constraint");

    print_headings(page, "constraint", width, &column, 1);
    for (size_t i = 0; i < shown(labels.count); i++) {
        print_label(page, labels.list[i], width);
        print_remark(page, i, print_cell(page, &column, i, 0));
        print(page, "\n");
    }
    print_rest(page, labels.count);
}

static void print_dependent_sets(const Page *page)
{
    const int count = page->answer->n_dependent_sets;
    if (count == 0) {
        return;
    }
    print(page, "\n");
    print_marked(page, YELLOW, "Constraints that depend on each other");
    print(page,
          ": how they share the force is not unique;\nthe multipliers shown are %s.\n",
          page->view->sparse ? "one choice, not that of least norm"
                             : "those of least norm");
    for (int set = 0; set < count && set < ROWS_SHOWN; set++) {
        print(page, "  set %d: ", set + 1);
        print_selection(page, &(Selection){.labels = constraint_labels(page),
                                           .sets = page->answer->dependent_set,
                                           .set = set,
                                           .except = NO_EXCEPTION});
        print(page, "\n");
    }
    print_rest(page, (size_t)count);
}

static void print_indeterminate(const Page *page)
{
    if (page->answer->unique) {
        return;
    }
    print(page, "\n");
    print_marked(page, YELLOW, "Indeterminate coordinates");
    print(page, ": ");
    print_selection(page, &(Selection){.labels = coordinate_labels(page),
                                       .flags = page->answer->indeterminate,
                                       .except = NO_EXCEPTION});
    print(page, "\nThey can accelerate in a way that moves no mass and that no "
                "constraint\nrestricts.  Of all accelerations that obey the equations "
                "the one of least norm\nis shown.\n");
}

// The first lines say what a reader asks first: how large, how free, how sure.
static void print_summary(const Page *page)
{
    assert(page->answer->rank_A <= page->answer->n);
    const KalMotionAnswer *answer = page->answer;
    const int freedom = answer->n - answer->rank_A;
    if (page->view->title && *page->view->title) {
        print(page, "%s", page->color ? BOLD : "");
        kal_printable_write(page->sink, page->view->title, KAL_TITLE_WIDTH);
        print(page, "%s\n", page->color ? PLAIN : "");
    }
    print(page, "%d coordinate%s, ", answer->n, plural(answer->n));
    if (answer->m == 0) {
        print(page, "no constraints, ");
    } else {
        print(page, "%d constraint%s of rank %d, ", answer->m, plural(answer->m),
              answer->rank_A);
    }
    print(page, "%d degree%s of freedom: ", freedom, plural(freedom));
    if (answer->unique) {
        print(page, "the acceleration is unique.\n");
    } else {
        print_marked(page, YELLOW, "the acceleration is not unique.");
        print(page, "\n");
    }
}

// How the answer was found, so that who doubts it knows what vouches for it.
static const char *describe_path(const Page *page)
{
    if (page->view->sparse) {
        return "found by sparse factors, and vouched for by its residuals";
    }
    if (page->answer->fast) {
        return "found on the fast path, which vouches for it";
    }
    if (page->view->formulation == KAL_FORMULATION_DEFAULT) {
        return "the fast path could not vouch for one; found on the rank-revealing "
               "path";
    }
    return "found by the formulation asked for";
}

static void print_residuals(const Page *page)
{
    char constraints[KAL_NUMBER_SIZE];
    char motion[KAL_NUMBER_SIZE];
    kal_number_print(page->answer->residual_constraints + 0.0, 2, constraints);
    kal_number_print(page->answer->residual_motion + 0.0, 2, motion);
    print(page, "\nResiduals, relative: constraints %s, motion %s.\n", constraints,
          motion);
    print(page, "Answer: %s.\n", describe_path(page));
}

void kal_view_write_text(const KalInstantView *view, bool color, KalSink sink)
{
    assert(view && view->answer && sink.write);
    const Page page = {
        .sink = sink, .color = color, .view = view, .answer = view->answer};
    print_summary(&page);
    print_coordinates(&page);
    print_constraints(&page);
    for (size_t i = 0; i < view->n_groups; i++) {
        print_group(&page, &view->groups[i]);
    }
    print_dependent_sets(&page);
    print_indeterminate(&page);
    print_residuals(&page);
}

void kal_problem_write_text(const KalProblem *problem, const KalMotionAnswer *answer,
                            bool color, KalSink sink)
{
    if (!(problem && answer && sink.write)) {
        return;
    }
    const KalInstantView view = kal_problem_view(problem, answer);
    kal_view_write_text(&view, color, sink);
}
