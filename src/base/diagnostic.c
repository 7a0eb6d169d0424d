// SPDX-License-Identifier: MIT

// Messages are kept as they come, a hundred of each severity; the rest are counted.  Lines
// and columns are counted when a message is shown, by going through the source once for
// each: messages are few and sources long.

#include "base/diagnostic.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    SEVERITIES = 3,
    MESSAGE_SIZE = 1001,  // with its end
    LIST_BYTES = 1 << 20, // no less than all that the limits allow
    LINE_WIDTH = 88,      // columns of a source line that are shown
    MARK_COLUMN = 60,     // where the mark goes in a line that is cut
    TAB_WIDTH = 4,
    MARKS = LINE_WIDTH + 8, // room for the line of marks
    REACH = 512,            // bytes on either side of the mark that are looked at
    NAME_SHOWN = 512        // bytes of a name that leave room for the message
};

static_assert((MESSAGE_SIZE + sizeof(KalDiagnostic) + 32) * SEVERITIES
                      * KAL_DIAGNOSTIC_LIMIT
                  <= LIST_BYTES / 2,
              "a full list fits, with what chunks leave unused");

struct KalDiagnostics {
    KalContext *ctx;
    KalArena *arena;
    KalDiagnostic *first;
    KalDiagnostic *last;
    size_t count[SEVERITIES];
    bool dropped_last; // notes follow what they belong to
    KalStatus status;
};

KalStatus kal_diagnostics_create(KalContext *ctx, KalDiagnostics **out_list)
{
    assert(ctx && out_list);
    KalDiagnostics *list = KAL_NEW(ctx, KalDiagnostics);
    if (!list) {
        return kal_no_memory(ctx, "for diagnostics");
    }
    list->ctx = ctx;
    const KalStatus status = kal_arena_create(ctx, LIST_BYTES, &list->arena);
    if (status != KAL_OK) {
        kal_diagnostics_destroy(list);
        return status;
    }
    *out_list = list;
    return KAL_OK;
}

void kal_diagnostics_destroy(KalDiagnostics *list)
{
    if (list) {
        kal_arena_destroy(list->arena);
        kal_free(list->ctx, list, sizeof *list);
    }
}

// Keep one; false when there is no memory.
static bool keep(KalDiagnostics *list, KalSeverity severity, KalSpan span,
                 const char *message)
{
    assert(message && (list->first != NULL) == (list->last != NULL));
    const size_t size = strlen(message) + 1;
    KalDiagnostic *kept = kal_arena_alloc(list->arena, 1, sizeof *kept);
    char *copy = kal_arena_alloc(list->arena, size, 1);
    if (!kept || !copy) {
        return false;
    }
    memcpy(copy, message, size);
    *kept = (KalDiagnostic){.severity = severity, .span = span, .message = copy};
    if (list->last) {
        list->last->next = kept;
    } else {
        list->first = kept;
    }
    list->last = kept;
    return true;
}

// A message that was cut does not end inside a character.
static void trim(char *message)
{
    size_t end = strlen(message);
    size_t last = end;
    while (last > 0 && ((unsigned char)message[last - 1] & 0xC0U) == 0x80U) {
        last--;
    }
    uint32_t code;
    if (last > 0 && kal_utf8_parse(message + last - 1, end - last + 1, &code) == 0) {
        message[last - 1] = '\0';
    }
}

// Beyond the limit of a severity messages are only counted, and notes go with the message
// that they belong to.
void kal_diagnostics_add(KalDiagnostics *list, KalSeverity severity, KalSpan span,
                         const char *format, ...)
{
    assert(!span.source || (span.begin <= span.end && span.end <= span.source->length));
    const bool full = list->count[severity] >= KAL_DIAGNOSTIC_LIMIT;
    const bool alone = severity == KAL_SEVERITY_NOTE && list->dropped_last;
    list->count[severity]++;
    if (full || alone) {
        list->dropped_last = true;
        return;
    }
    char message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (length >= MESSAGE_SIZE) {
        trim(message);
    }
    list->dropped_last = !keep(list, severity, span, message);
    if (list->dropped_last) {
        list->status = KAL_ERR_NOMEM;
    }
}

KalStatus kal_diagnostics_status(const KalDiagnostics *list)
{
    return list->status;
}

size_t kal_diagnostics_count(const KalDiagnostics *list, KalSeverity severity)
{
    return list->count[severity];
}

const KalDiagnostic *kal_diagnostics_first(const KalDiagnostics *list)
{
    return list->first;
}

KalPlace kal_source_place(const KalSource *source, uint32_t at)
{
    assert(at <= source->length);
    KalPlace place = {1, 1 + (size_t)source->columns};
    for (uint32_t i = source->prefix; i < at; i++) {
        const unsigned char c = (unsigned char)source->text[i];
        place.line += c == '\n';
        place.column = c == '\n' ? 1 : place.column + ((c & 0xC0U) != 0x80U);
    }
    return place;
}

// A text that ends with NUL.
static void write_text(KalSink sink, const char *text)
{
    sink.write(sink.user, text, strlen(text));
}

typedef struct Range {
    uint32_t first;
    uint32_t last;
} Range;

// Whether a code is in one of some ranges.
static bool is_in(uint32_t code, const Range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

// Columns that a character takes on a terminal, as far as marks need to know.
static size_t width_of(uint32_t code)
{
    static const Range wide[] = {
        {0x1100,  0x115f }, // Hangul
        {0x2e80,  0xa4cf }, // ideographs and their kana
        {0xac00,  0xd7a3 }, // Hangul
        {0xf900,  0xfaff }, // ideographs
        {0xfe30,  0xfe6f }, // wide forms
        {0xff00,  0xff60 }, // wide forms
        {0xffe0,  0xffe6 }, // wide forms
        {0x1f300, 0x1faff}, // pictures
        {0x20000, 0x3fffd}, // ideographs
    };
    static const Range none[] = {
        {0x300,  0x36f }, // combining
        {0x1ab0, 0x1aff}, // combining
        {0x20d0, 0x20ff}, // combining
        {0xfe00, 0xfe0f}, // variants
    };
    if (is_in(code, none, sizeof none / sizeof none[0])) {
        return 0;
    }
    return is_in(code, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

// One character as it is shown, and the columns it takes.
typedef struct Cell {
    char text[KAL_ESCAPE_SIZE];
    size_t size;
    size_t width;
} Cell;

// The character at the beginning of a text that is not empty; returns its bytes.
static size_t read_cell(const char *text, size_t length, Cell *out_cell)
{
    uint32_t code;
    assert(length > 0);
    const size_t taken = kal_utf8_parse_any(text, length, &code);
    if (code == '\t') {
        memcpy(out_cell->text, "    ", TAB_WIDTH);
        out_cell->size = TAB_WIDTH;
        out_cell->width = TAB_WIDTH;
        return taken;
    }
    assert(taken > 0 && taken <= length);
    out_cell->size = kal_printable_print_character(code, out_cell->text);
    const bool escaped = out_cell->size > 1 && out_cell->text[0] == '\\';
    out_cell->width = escaped ? out_cell->size : width_of(code);
    return taken;
}

// The line that a span begins in, or the part of it that is near, and where the span is
// in that, in columns.
typedef struct Line {
    const char *text;
    size_t length;
    size_t width;
    size_t mark;     // first column of the span
    size_t mark_end; // column after it, or after the line
    bool more_before;
    bool more_after;
} Line;

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xC0U) == 0x80U;
}

// The first byte of the line at `at`, or one that is REACH before it.
static size_t find_begin(const KalSource *source, size_t at)
{
    assert(at <= source->length);
    size_t begin = at;
    while (begin > 0 && source->text[begin - 1] != '\n' && at - begin < REACH) {
        begin--;
    }
    while (begin < at && is_inside_character(source->text[begin])) {
        begin++;
    }
    return begin;
}

// The byte after the line at `at`, or one that is REACH after that.
static size_t find_end(const KalSource *source, size_t at)
{
    assert(at <= source->length);
    size_t end = at;
    while (end < source->length && source->text[end] != '\n' && end - at < REACH) {
        end++;
    }
    while (end > at && end < source->length && is_inside_character(source->text[end])) {
        end--;
    }
    if (end > at && source->text[end - 1] == '\r') {
        end--;
    }
    return end;
}

// Widths are measured in columns of a terminal, from the beginning of what is near.
static Line find_line(KalSpan span)
{
    const KalSource *source = span.source;
    const size_t begin = find_begin(source, span.begin);
    const size_t end = find_end(source, span.begin);
    Line line = {.text = source->text + begin,
                 .length = end - begin,
                 .more_before = begin > 0 && source->text[begin - 1] != '\n',
                 .more_after = end < source->length && source->text[end] != '\n'
                               && source->text[end] != '\r'};
    const size_t from = span.begin < end ? span.begin - begin : line.length;
    const size_t to = span.end < end ? span.end - begin : line.length;
    for (size_t i = 0; i < line.length;) {
        Cell cell;
        const size_t taken = read_cell(line.text + i, line.length - i, &cell);
        line.width += cell.width;
        line.mark += i < from ? cell.width : 0;
        line.mark_end += i < to ? cell.width : 0;
        i += taken;
    }
    assert(line.mark <= line.width && line.mark_end <= line.width);
    return line;
}

// Write what lies in the columns from `first` on, and return the column where it began;
// a character across the border is left out.
static size_t write_window(KalSink sink, const Line *line, size_t first, size_t width)
{
    assert(width > 0);
    size_t column = 0;
    size_t began = line->width;
    for (size_t i = 0; i < line->length && column < first + width;) {
        Cell cell;
        i += read_cell(line->text + i, line->length - i, &cell);
        if (column >= first && column + cell.width <= first + width) {
            began = column < began ? column : began;
            sink.write(sink.user, cell.text, cell.size);
        }
        column += cell.width;
    }
    return began;
}

// The line of the source, cut to what fits around the mark, and a line of marks below.
static void write_line(KalSink sink, KalSpan span)
{
    const Line line = find_line(span);
    const bool cut = line.more_before || line.width > LINE_WIDTH;
    const size_t first = cut && line.mark > MARK_COLUMN ? line.mark - MARK_COLUMN : 0;
    const bool left = first > 0 || line.more_before;
    const bool right = line.width > first + LINE_WIDTH || line.more_after;

    write_text(sink, left ? "    …" : "    ");
    const size_t began = write_window(sink, &line, first, LINE_WIDTH);
    write_text(sink, right ? "…\n" : "\n");

    // The mark begins within the window: at most MARK_COLUMN after its first column.
    const size_t last = first + LINE_WIDTH;
    const size_t end = line.mark_end < last ? line.mark_end : last;
    const size_t indent = (left ? 5U : 4U) + line.mark - began;
    char marks[MARKS];
    assert(line.mark >= began && indent + 2 <= MARKS);
    memset(marks, ' ', indent);
    marks[indent] = '^';
    size_t length = indent + 1;
    for (size_t i = line.mark + 1; i < end; i++) {
        marks[length++] = '~';
    }
    marks[length++] = '\n';
    sink.write(sink.user, marks, length);
}

static const char *severity_text(KalSeverity severity)
{
    switch (severity) {
    case KAL_SEVERITY_ERROR: return "error";
    case KAL_SEVERITY_WARNING: return "warning";
    case KAL_SEVERITY_NOTE: return "note";
    }
    return "unknown";
}

// name:line:column: severity: message, and the line of the source if there is one.
static void write_one(const KalDiagnostic *diagnostic, KalSink sink)
{
    const KalSpan span = diagnostic->span;
    if (span.source) {
        const KalPlace place = kal_source_place(span.source, span.begin);
        char numbers[64];
        snprintf(numbers, sizeof numbers, ":%zu:%zu: ", place.line, place.column);
        kal_printable_write(sink, span.source->name, SIZE_MAX);
        write_text(sink, numbers);
    }
    write_text(sink, severity_text(diagnostic->severity));
    write_text(sink, ": ");
    kal_printable_write(sink, diagnostic->message, SIZE_MAX);
    write_text(sink, "\n");
    if (span.source) {
        write_line(sink, span);
    }
}

// How many of a severity were counted and not kept.
static size_t count_missing(const KalDiagnostics *list, KalSeverity severity)
{
    size_t missing = list->count[severity];
    for (const KalDiagnostic *d = list->first; d; d = d->next) {
        missing -= d->severity == severity;
        assert(missing <= list->count[severity]);
    }
    return missing;
}

static void write_missing(const KalDiagnostics *list, KalSeverity severity,
                          KalSink sink)
{
    const size_t missing = count_missing(list, severity);
    if (missing > 0) {
        char text[64];
        snprintf(text, sizeof text, "and %zu more %s%s\n", missing,
                 severity_text(severity), missing > 1 ? "s" : "");
        write_text(sink, text);
    }
}

void kal_diagnostics_write(const KalDiagnostics *list, KalSink sink)
{
    for (const KalDiagnostic *d = list->first; d; d = d->next) {
        write_one(d, sink);
    }
    write_missing(list, KAL_SEVERITY_ERROR, sink);
    write_missing(list, KAL_SEVERITY_WARNING, sink);
}

// The end of a long name tells more than its beginning.
static const char *short_name(const char *name)
{
    const size_t length = strlen(name);
    return name + (length > NAME_SHOWN ? length - NAME_SHOWN : 0);
}

// The first error, with how many more there are, becomes the message of the context.
KalStatus kal_diagnostics_fail(const KalDiagnostics *list, KalStatus status)
{
    assert(status != KAL_OK);
    const size_t errors = list->count[KAL_SEVERITY_ERROR];
    assert(errors > 0);
    const KalDiagnostic *first = list->first;
    while (first && first->severity != KAL_SEVERITY_ERROR) {
        first = first->next;
    }
    if (!first) {
        return kal_no_memory(list->ctx, "for the error messages");
    }
    char more[64] = "";
    if (errors > 1) {
        snprintf(more, sizeof more, " (and %zu more error%s)", errors - 1,
                 errors > 2 ? "s" : "");
    }
    if (!first->span.source) {
        return kal_fail(list->ctx, status, "%s%s", first->message, more);
    }
    const KalPlace place = kal_source_place(first->span.source, first->span.begin);
    return kal_fail(list->ctx, status, "%s:%zu:%zu: %s%s",
                    short_name(first->span.source->name), place.line, place.column,
                    first->message, more);
}
