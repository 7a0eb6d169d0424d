// SPDX-License-Identifier: MIT

// CSV after RFC 4180, read in one pass with one field of memory: fields in quotes may hold
// commas, line ends and doubled quotes; lines end by LF or CRLF.  Lines that begin with
// '#' are remarks, of which one may name units.  A text must give numbers in every line and
// as many as the first line has names, or the place is told where it does not.

#include "base/block.h"
#include "base/diagnostic.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/whole_file.h"
#include "table/csv.h"
#include "table/stream.h"
#include "table/table_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    DETAIL_SIZE = 2048
};

static const char units_mark[] = "# units: ";

// What follows a field.
typedef enum Follower {
    FIELD, // of the same line
    LINE,
    END,
} Follower;

typedef struct Reader {
    KalContext *ctx;
    const KalSource *source;
    size_t at; // the next byte

    // found by read_field
    const char *field; // not ended by a NUL
    size_t length;
    size_t begin; // where it stands
    bool quoted;
    Follower follower;
    KalBlock bytes; // what a quoted field means

    KalTable *table;
    KalBlock row;    // a number for each field of a line
    bool incomplete; // the last column says so
    size_t texts; // 1: the last column holds texts, 2: and the one before it, of marks
} Reader;

static KalStatus fail(const Reader *r, size_t at, KalStatus status, const char *format,
                      ...) KAL_PRINTF(4, 5);

static KalStatus fail(const Reader *r, size_t at, KalStatus status, const char *format,
                      ...)
{
    assert(at <= r->source->length);
    const KalPlace place = kal_source_place(r->source, (uint32_t)at);
    char detail[DETAIL_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return kal_fail(r->ctx, status, "%s:%zu:%zu: %s", kal_file_shown(r->source->name),
                    place.line, place.column, detail);
}

static bool is_at_end(const Reader *r)
{
    return r->at >= r->source->length;
}

// The length of a line's end at a place, 0 when there is none.
static size_t line_end(const Reader *r, size_t at)
{
    assert(at <= r->source->length);
    const char *text = r->source->text + at;
    const size_t left = r->source->length - at;
    if (left > 0 && text[0] == '\n') {
        return 1;
    }
    return left > 1 && text[0] == '\r' && text[1] == '\n' ? 2 : 0;
}

// A comma or the end of the line.
static bool ends_plain_field(const Reader *r, size_t at)
{
    assert(at < r->source->length);
    return r->source->text[at] == ',' || line_end(r, at) > 0;
}

// A field within quotes; two quotes stand for one.  Anything else is taken as it is, line
// ends included.
static KalStatus read_quoted(Reader *r)
{
    const char *text = r->source->text;
    const size_t length = r->source->length;
    assert(text[r->at] == '"');
    r->bytes.size = 0;
    r->at++;
    for (;;) {
        const char *quote = memchr(text + r->at, '"', length - r->at);
        if (!quote) {
            return fail(r, r->begin, KAL_ERR_SYNTAX,
                        "a field without an end; expected a closing \"");
        }
        const size_t end = (size_t)(quote - text);
        const bool doubled = end + 1 < length && text[end + 1] == '"';
        KAL_TRY(kal_block_add(r->ctx, &r->bytes, text + r->at, end + doubled - r->at));
        r->at = end + 1 + doubled;
        if (!doubled) {
            break;
        }
    }
    r->field = r->bytes.data ? r->bytes.data : "";
    r->length = r->bytes.size;
    return KAL_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

// The first byte from a place on that is not a space.
static size_t skip_spaces(const Reader *r, size_t at)
{
    assert(at <= r->source->length);
    while (at < r->source->length && is_space(r->source->text[at])) {
        at++;
    }
    return at;
}

// A field up to its comma or the end of its line.  Spaces around quotes mean nothing.
static KalStatus read_field(Reader *r)
{
    const char *text = r->source->text;
    const size_t first = skip_spaces(r, r->at);
    r->quoted = first < r->source->length && text[first] == '"';
    r->begin = r->quoted ? first : r->at;
    if (r->quoted) {
        r->at = first;
        KAL_TRY(read_quoted(r));
        r->at = skip_spaces(r, r->at);
    } else {
        while (!is_at_end(r) && !ends_plain_field(r, r->at)) {
            r->at++;
        }
        r->field = text + r->begin;
        r->length = r->at - r->begin;
        assert(r->begin <= r->at && r->at <= r->source->length);
    }
    if (is_at_end(r)) {
        r->follower = END;
        return KAL_OK;
    }
    if (!ends_plain_field(r, r->at)) {
        return fail(r, r->at, KAL_ERR_SYNTAX,
                    "text after a closing \"; expected ',' or the end of the line");
    }
    r->follower = text[r->at] == ',' ? FIELD : LINE;
    assert(r->at < r->source->length);
    r->at += r->follower == FIELD ? 1 : line_end(r, r->at);
    return KAL_OK;
}

// Whether the text goes on so.
static bool begins_with(const Reader *r, const char *mark)
{
    assert(r->at <= r->source->length);
    const size_t length = strlen(mark);
    return r->source->length - r->at >= length
           && memcmp(r->source->text + r->at, mark, length) == 0;
}

// Skip lines that are empty or begin with '#'; returns where units begin, if they do.
static size_t skip_remarks(Reader *r)
{
    size_t units = 0;
    while (!is_at_end(r)) {
        const size_t empty = line_end(r, r->at);
        if (empty == 0 && !begins_with(r, "#")) {
            break;
        }
        if (begins_with(r, units_mark)) {
            units = r->at + strlen(units_mark);
        }
        while (!is_at_end(r) && line_end(r, r->at) == 0) {
            r->at++;
        }
        r->at += is_at_end(r) ? 0 : line_end(r, r->at);
    }
    return units;
}

// In letters of either case.
static bool is_word(const char *text, size_t length, const char *word)
{
    assert(word);
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

// The length of an exponent, 0 when there is none.
static size_t count_exponent(const char *text, size_t length)
{
    assert(text || length == 0);
    if (length == 0 || (text[0] != 'e' && text[0] != 'E')) {
        return 0;
    }
    const size_t sign = length > 1 && (text[1] == '+' || text[1] == '-');
    const size_t digits = count_digits(text + 1 + sign, length - 1 - sign);
    return digits > 0 ? 1 + sign + digits : 0;
}

// Whether the text is digits, perhaps with a point and an exponent.
static bool is_decimal(const char *text, size_t length)
{
    size_t at = count_digits(text, length);
    size_t digits = at;
    if (at < length && text[at] == '.') {
        const size_t fraction = count_digits(text + at + 1, length - at - 1);
        digits += fraction;
        at += 1 + fraction;
    }
    return digits > 0 && at + count_exponent(text + at, length - at) == length;
}

// What became of a text that should be a number.
typedef enum Reading {
    NUMBER,
    TOO_LARGE,
    NO_NUMBER,
} Reading;

// nan, inf, or digits; an empty field is NaN, as spreadsheets write it.
static Reading parse_number(const char *text, size_t length, double *out_value)
{
    const bool sign = length > 0 && (text[0] == '-' || text[0] == '+');
    const char *plain = text + sign;
    const size_t left = length - sign;
    double value = 0.0;
    if (is_word(plain, left, "nan") || length == 0) {
        value = NAN;
    } else if (is_word(plain, left, "inf") || is_word(plain, left, "infinity")) {
        value = INFINITY;
    } else if (is_decimal(plain, left)) {
        value = kal_number_parse(plain, left);
        if (isinf(value)) {
            return TOO_LARGE;
        }
    } else {
        return NO_NUMBER;
    }
    *out_value = sign && text[0] == '-' ? -value : value;
    return NUMBER;
}

// Without spaces at its ends.
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_space(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_space((*text)[*length - 1])) {
        (*length)--;
    }
}

// The next field as a number, or an error with its place.
static KalStatus read_number(Reader *r, double *out_value)
{
    KAL_TRY(read_field(r));
    const char *text = r->field;
    size_t length = r->length;
    trim(&text, &length);
    const Reading reading = parse_number(text, length, out_value);
    if (reading == NUMBER) {
        return KAL_OK;
    }
    char shown[KAL_PRINTABLE_SIZE];
    kal_printable_print(text, length, shown);
    if (reading == TOO_LARGE) {
        return fail(r, r->begin, KAL_ERR_NUMBER,
                    "the number %s is too large; expected less than 1.8e308 in "
                    "magnitude",
                    shown);
    }
    return fail(r, r->begin, KAL_ERR_SYNTAX, "'%s' found; expected a number%s", shown,
                memchr(text, ';', length) || memchr(text, '\t', length)
                    ? "; columns are separated by commas, and decimals have points"
                    : "");
}

// The last field as a text of its own; spaces around it count only within quotes.
static KalStatus keep_label(const Reader *r, KalBlock *label)
{
    assert(r->field);
    const char *text = r->field;
    size_t length = r->length;
    if (!r->quoted) {
        trim(&text, &length);
    }
    if (memchr(text, '\0', length)) {
        return fail(r, r->begin, KAL_ERR_SYNTAX, "a NUL byte in a name or unit");
    }
    label->size = 0;
    KAL_TRY(kal_block_add(r->ctx, label, text, length));
    return kal_block_add(r->ctx, label, "", 1);
}

// What the table says against a text gets its place.
static KalStatus place_failure(const Reader *r, KalStatus status)
{
    if (status != KAL_ERR_USAGE && status != KAL_ERR_LIMIT) {
        return status;
    }
    char reason[DETAIL_SIZE / 2];
    snprintf(reason, sizeof reason, "%s", kal_context_message(r->ctx));
    return fail(r, r->begin, status == KAL_ERR_USAGE ? KAL_ERR_SYNTAX : status, "%s",
                reason);
}

// Add the column whose name was read.
static KalStatus add_column(const Reader *r, const char *name, const char *unit)
{
    return place_failure(
        r, kal_table_add_column(r->table, (KalQuantity){.name = name, .unit = unit}));
}

// Names and, from another line, units, side by side.
typedef struct Header {
    Reader units;
    bool has_units;
    bool all_numbers;
    KalBlock name;
    KalBlock unit;
} Header;

// The unit beside the name of a column.
static KalStatus read_unit(Header *h, size_t column)
{
    assert(h->has_units);
    if (column > 0 && h->units.follower != FIELD) {
        return fail(&h->units, h->units.begin, KAL_ERR_SYNTAX,
                    "%zu units; expected one for each column", column);
    }
    KAL_TRY(read_field(&h->units));
    return keep_label(&h->units, &h->unit);
}

// Whether a column is the last one of a table of runs: what became of each, in words.
static bool is_status(const Reader *r, const char *name)
{
    assert(name);
    return r->follower != FIELD && strcmp(name, KAL_TABLE_STATUS_COLUMN) == 0
           && kal_table_find_column(r->table, KAL_TABLE_RUN_COLUMN) == 0
           && kal_table_columns(r->table) > 0;
}

// Whether a column is the one before it, with the names of columns that are not unique.
static bool is_marks(const Reader *r, const char *name)
{
    return r->follower == FIELD && strcmp(name, KAL_TABLE_MARKS_COLUMN) == 0
           && kal_table_find_column(r->table, KAL_TABLE_RUN_COLUMN) == 0
           && kal_table_columns(r->table) > 0
           && (begins_with(r, KAL_TABLE_STATUS_COLUMN "\n")
               || begins_with(r, KAL_TABLE_STATUS_COLUMN "\r"));
}

// A name, and its unit; the last column may say that the table is incomplete, or be one of
// texts.
static KalStatus read_name(Reader *r, Header *h, size_t column)
{
    double ignored = 0.0;
    KAL_TRY(read_field(r));
    KAL_TRY(keep_label(r, &h->name));
    const char *name = h->name.data;
    if (r->follower != FIELD && strcmp(name, KAL_TABLE_INCOMPLETE_COLUMN) == 0) {
        r->incomplete = true;
        return KAL_OK;
    }
    if (is_status(r, name) || is_marks(r, name)) {
        r->texts++;
        return h->has_units ? read_unit(h, column) : KAL_OK;
    }
    if (h->has_units) {
        KAL_TRY(read_unit(h, column));
    }
    h->all_numbers = h->all_numbers && name[0] != '\0'
                     && parse_number(name, strlen(name), &ignored) == NUMBER;
    return add_column(r, name, h->has_units ? h->unit.data : "");
}

static KalStatus read_names(Reader *r, Header *h)
{
    assert(kal_table_columns(r->table) == 0);
    const size_t begin = r->at;
    size_t column = 0;
    do {
        KAL_TRY(read_name(r, h, column));
        column++;
    } while (r->follower == FIELD);
    const bool none = kal_table_columns(r->table) == 0;
    if (none || h->all_numbers) {
        return fail(r, begin, KAL_ERR_SYNTAX,
                    "the first line holds %s; expected the names of the columns",
                    none ? "none" : "numbers");
    }
    if (h->has_units && h->units.follower == FIELD) {
        return fail(&h->units, h->units.at, KAL_ERR_SYNTAX,
                    "more units than the %zu columns", kal_table_columns(r->table));
    }
    return KAL_OK;
}

// After an optional mark of UTF-8 and remarks: the first line.
static KalStatus read_header(Reader *r)
{
    if (begins_with(r, "\xef\xbb\xbf")) {
        r->at += 3;
    }
    const size_t units = skip_remarks(r);
    if (is_at_end(r)) {
        return fail(r, r->at, KAL_ERR_SYNTAX,
                    "the text ends here; expected the names of the columns");
    }
    Header h = {
        .units = {.ctx = r->ctx, .source = r->source, .at = units},
        .has_units = units > 0,
        .all_numbers = true,
    };
    const KalStatus status = read_names(r, &h);
    kal_block_clear(r->ctx, &h.units.bytes);
    kal_block_clear(r->ctx, &h.name);
    kal_block_clear(r->ctx, &h.unit);
    return status;
}

// Describe a column, by its name, as one whose values are not unique.
static KalStatus mark_column(const Reader *r, const char *name, size_t length)
{
    for (size_t i = 0; i < kal_table_columns(r->table); i++) {
        const KalQuantity column = kal_table_column(r->table, i);
        if (strlen(column.name) == length && memcmp(column.name, name, length) == 0
            && kal_quantity_is_unique(column)) {
            return kal_table_set_description(r->table, i, KAL_TABLE_NOT_UNIQUE);
        }
    }
    return KAL_OK;
}

// Where the name that begins at some place of the field that was read ends.
static size_t end_of_name(const Reader *r, size_t begin)
{
    const size_t gap = strlen(KAL_TABLE_MARKS_BETWEEN);
    size_t end = begin;
    while (end + gap <= r->length
           && memcmp(r->field + end, KAL_TABLE_MARKS_BETWEEN, gap) != 0) {
        end++;
    }
    return end + gap <= r->length ? end : r->length;
}

// The field that was read has the names of columns whose values in the row are not unique.
static KalStatus mark_columns(const Reader *r)
{
    size_t begin = 0;
    while (begin < r->length) {
        const size_t end = end_of_name(r, begin);
        KAL_TRY(mark_column(r, r->field + begin, end - begin));
        begin = end + strlen(KAL_TABLE_MARKS_BETWEEN);
    }
    return KAL_OK;
}

// Read a number of a row, or a text, of which `left` are in the row.
static KalStatus read_next(Reader *r, size_t left)
{
    double value = 0.0;
    if (left > 0) {
        KAL_TRY(read_field(r));
        return left == 2 ? mark_columns(r) : KAL_OK;
    }
    KAL_TRY(read_number(r, &value));
    return kal_block_add(r->ctx, &r->row, &value, sizeof value);
}

// A line of as many numbers as there are columns.
static KalStatus read_row(Reader *r)
{
    assert(kal_table_columns(r->table) > 0);
    const size_t line = r->at;
    const size_t expected = kal_table_columns(r->table) + r->incomplete + r->texts;
    size_t count = 0;
    r->row.size = 0;
    do {
        const size_t left = expected - count;
        KAL_TRY(read_next(r, left <= r->texts ? left : 0));
        count++;
    } while (r->follower == FIELD && count <= expected);
    if (count != expected) {
        return fail(r, count < expected ? line : r->begin, KAL_ERR_SYNTAX,
                    "the line has %s%zu fields; expected %zu, as in the first line",
                    count < expected ? "" : "more than ",
                    count < expected ? count : expected, expected);
    }
    assert(r->row.size == (expected - r->texts) * sizeof(double));
    return kal_table_add_row(r->table, r->row.data);
}

// The header, then rows to the end.
static KalStatus read_table(Reader *r, size_t limit)
{
    assert(!r->table && r->at == 0);
    KAL_TRY(kal_table_create(r->ctx, limit, &r->table));
    KAL_TRY(read_header(r));
    kal_table_set_incomplete(r->table, r->incomplete);
    skip_remarks(r);
    while (!is_at_end(r)) {
        KAL_TRY(read_row(r));
        skip_remarks(r);
    }
    return KAL_OK;
}

// A text that is not longer than sources are.
static KalStatus check_length(KalContext *ctx, const char *name, size_t length,
                              size_t allowed)
{
    const size_t longest = allowed < UINT32_MAX ? allowed : UINT32_MAX;
    return length <= longest
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_LIMIT, "%s has %zu bytes; expected at most %zu",
                          kal_file_shown(name), length, longest);
}

KalStatus kal_csv_parse(KalContext *ctx, const char *name, const char *text,
                        size_t length, size_t limit, KalTable **out_table)
{
    assert(ctx && name && (text || length == 0) && out_table);
    KAL_TRY(check_length(ctx, name, length, kal_table_limit(limit)));
    const KalSource source = {.name = name, .text = text, .length = (uint32_t)length};
    Reader r = {.ctx = ctx, .source = &source};
    const KalStatus status = read_table(&r, limit);
    kal_block_clear(ctx, &r.bytes);
    kal_block_clear(ctx, &r.row);
    if (status != KAL_OK) {
        kal_table_destroy(r.table);
        return status;
    }
    *out_table = r.table;
    return KAL_OK;
}

static KalStatus pass_line(Reader *r)
{
    do {
        KAL_TRY(read_field(r));
    } while (r->follower == FIELD);
    return KAL_OK;
}

// Pass over a mark of UTF-8, the header and rows.
static KalStatus pass_rows(Reader *r, size_t count)
{
    if (begins_with(r, "\xef\xbb\xbf")) {
        r->at += 3;
    }
    skip_remarks(r);
    for (size_t i = 0; i <= count && !is_at_end(r); i++) {
        KAL_TRY(pass_line(r));
        skip_remarks(r);
    }
    return KAL_OK;
}

KalStatus kal_csv_find_line(KalContext *ctx, const char *text, size_t length,
                            size_t row, size_t *out_line)
{
    assert(length <= UINT32_MAX);
    const KalSource source = {.name = "", .text = text, .length = (uint32_t)length};
    Reader r = {.ctx = ctx, .source = &source};
    const KalStatus status = pass_rows(&r, row);
    *out_line = kal_source_place(&source, (uint32_t)r.at).line;
    kal_block_clear(ctx, &r.bytes);
    return status;
}

// A line of three texts.
static KalStatus read_description(Reader *r, KalBlock fields[3])
{
    assert(fields);
    const size_t line = r->at;
    for (int i = 0; i < 3; i++) {
        KAL_TRY(read_field(r));
        KAL_TRY(keep_label(r, &fields[i]));
        if ((r->follower == FIELD) != (i < 2)) {
            return fail(r, line, KAL_ERR_SYNTAX,
                        "expected three fields: name, unit and description");
        }
    }
    return KAL_OK;
}

// Take a line in, if it is about a column of the table.
static KalStatus describe(const Reader *r, const KalBlock fields[3])
{
    const size_t column = kal_table_find_column(r->table, (const char *)fields[0].data);
    return column < kal_table_columns(r->table) ? place_failure(
               r, kal_table_describe(r->table, column, (const char *)fields[1].data,
                                     (const char *)fields[2].data))
                                                : KAL_OK;
}

static KalStatus read_descriptions(Reader *r, KalBlock fields[3])
{
    if (!begins_with(r, "name,unit,description")) {
        return KAL_OK;
    }
    KAL_TRY(read_description(r, fields));
    skip_remarks(r);
    while (!is_at_end(r)) {
        KAL_TRY(read_description(r, fields));
        KAL_TRY(describe(r, fields));
        skip_remarks(r);
    }
    return KAL_OK;
}

KalStatus kal_csv_parse_columns(KalContext *ctx, const char *name, const char *text,
                                size_t length, KalTable *table)
{
    assert(table && (text || length == 0));
    KAL_TRY(check_length(ctx, name, length, kal_table_limit(0)));
    const KalSource source = {.name = name, .text = text, .length = (uint32_t)length};
    Reader r = {.ctx = ctx, .source = &source, .table = table, .field = ""};
    KalBlock fields[3] = {{.data = NULL}};
    const KalStatus status = read_descriptions(&r, fields);
    for (int i = 0; i < 3; i++) {
        kal_block_clear(ctx, &fields[i]);
    }
    kal_block_clear(ctx, &r.bytes);
    return status;
}
