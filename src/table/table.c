// SPDX-License-Identifier: MIT

// Numbers row by row in one block that grows, texts in an arena.  Names are looked up by
// bisection in a list that is kept in order: inserting moves indices of four bytes, which
// for the columns that tables have costs less than a hash would, and no choice of names can
// make it slow.

#include "base/arena.h"
#include "base/block.h"
#include "base/utf8.h"
#include "table/row.h"
#include "table/table_impl.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

// A column, a parameter or a note: its name and what belongs to it.
typedef struct Entry {
    KalQuantity quantity;
    const char *text; // of a note that is a text
    double number;    // of a parameter, or of a note
} Entry;

// Entries in the order in which they came, and their numbers in the order of the names:
// whatever names an untrusted file has, finding one takes few comparisons.
typedef struct List {
    KalBlock entries; // of Entry
    KalBlock order;   // of uint32_t
} List;

struct KalTable {
    KalContext *ctx;
    KalArena *texts;
    size_t text_bytes;
    size_t limit; // of text_bytes and the rows
    List columns;
    List parameters;
    List notes;
    KalBlock values; // row by row
    size_t rows;
    bool incomplete;
};

static const size_t usual_limit =
    SIZE_MAX / 4 < UINT64_C(4) << 30 ? SIZE_MAX / 4 : (size_t)(UINT64_C(4) << 30);

size_t kal_table_limit(size_t limit)
{
    return limit > 0 ? limit : usual_limit;
}

KalStatus kal_table_create(KalContext *ctx, size_t limit, KalTable **out_table)
{
    KAL_NEED(ctx, ctx && out_table);
    KalTable *table = KAL_NEW(ctx, KalTable);
    if (!table) {
        return kal_no_memory(ctx, "for a table");
    }
    table->ctx = ctx;
    table->limit = kal_table_limit(limit);
    const KalStatus status = kal_arena_create(ctx, SIZE_MAX, &table->texts);
    if (status != KAL_OK) {
        kal_table_destroy(table);
        return status;
    }
    *out_table = table;
    return KAL_OK;
}

static void clear_list(KalContext *ctx, List *list)
{
    kal_block_clear(ctx, &list->entries);
    kal_block_clear(ctx, &list->order);
}

void kal_table_destroy(KalTable *table)
{
    if (table) {
        clear_list(table->ctx, &table->columns);
        clear_list(table->ctx, &table->parameters);
        clear_list(table->ctx, &table->notes);
        kal_block_clear(table->ctx, &table->values);
        kal_arena_destroy(table->texts);
        kal_free(table->ctx, table, sizeof *table);
    }
}

static size_t list_count(const List *list)
{
    return list->entries.size / sizeof(Entry);
}

static Entry *list_get(const List *list, size_t i)
{
    assert(i < list_count(list));
    return (Entry *)list->entries.data + i;
}

// By bisection: names before `low` are less, those from `high` on greater.
// Where in the order a name is or would be; whether it is there.
static size_t find_place(const List *list, const char *name, bool *out_found)
{
    assert(list->order.size / sizeof(uint32_t) == list_count(list));
    const uint32_t *order = list->order.data;
    size_t low = 0;
    size_t high = list_count(list);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int sign = strcmp(name, list_get(list, order[middle])->quantity.name);
        if (sign == 0) {
            *out_found = true;
            return middle;
        }
        low = sign > 0 ? middle + 1 : low;
        high = sign > 0 ? high : middle;
    }
    *out_found = false;
    return low;
}

// The entry of a name, or NULL.
static Entry *find_entry(const List *list, const char *name)
{
    assert(name);
    bool found = false;
    const size_t place = find_place(list, name, &found);
    return found ? list_get(list, ((const uint32_t *)list->order.data)[place]) : NULL;
}

static KalStatus check_room(const KalTable *table, size_t more)
{
    const size_t used = table->text_bytes + table->values.size;
    assert(used <= table->limit);
    if (more > table->limit - used) {
        return kal_fail(
            table->ctx, KAL_ERR_LIMIT,
            "the table is full: %zu rows of %zu columns and its texts take %zu of the "
            "%zu bytes allowed; keep fewer columns or fewer rows",
            table->rows, kal_table_columns(table), used, table->limit);
    }
    return KAL_OK;
}

// Put an entry whose texts are the table's own behind the others.
static KalStatus add_entry(KalTable *table, List *list, const Entry *entry)
{
    assert(entry->quantity.name);
    const uint32_t number = (uint32_t)list_count(list);
    if (number == KAL_TABLE_COLUMN_LIMIT) {
        return kal_fail(table->ctx, KAL_ERR_LIMIT,
                        "a table has at most %d columns, parameters and notes each",
                        (int)KAL_TABLE_COLUMN_LIMIT);
    }
    bool found = false;
    const size_t place = find_place(list, entry->quantity.name, &found);
    assert(!found);
    KAL_TRY(kal_block_add(table->ctx, &list->order, &number, sizeof number));
    const KalStatus status =
        kal_block_add(table->ctx, &list->entries, entry, sizeof *entry);
    if (status != KAL_OK) {
        list->order.size -= sizeof number;
        return status;
    }
    uint32_t *order = list->order.data;
    memmove(order + place + 1, order + place, (number - place) * sizeof *order);
    order[place] = number;
    assert(list->order.size / sizeof *order == list_count(list));
    return KAL_OK;
}

// Refuse what is not UTF-8 and, unless `any` is set, control characters, which have no
// business in a header or on a terminal.
static KalStatus check_text(const KalTable *table, const char *what, const char *text,
                            bool any)
{
    assert(text);
    const size_t length = strlen(text);
    size_t taken = 0;
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code = 0;
        taken = kal_utf8_parse(text + i, length - i, &code);
        if (taken == 0 || (!any && (code < 0x20 || code == 0x7f))) {
            char shown[KAL_PRINTABLE_SIZE];
            kal_printable_print(text, length, shown);
            return kal_fail(table->ctx, KAL_ERR_USAGE, "%s %s at byte %zu: '%s'", what,
                            taken == 0 ? "is not UTF-8" : "has a control character",
                            i + 1, shown);
        }
    }
    return KAL_OK;
}

// A name, a unit or a key: short and on one line.  A description may have several.
static KalStatus check_label(const KalTable *table, const char *what, const char *text,
                             bool lines)
{
    if (strlen(text) > KAL_TABLE_LABEL_LIMIT) {
        return kal_fail(table->ctx, KAL_ERR_LIMIT,
                        "%s has %zu bytes; expected at most %d", what, strlen(text),
                        (int)KAL_TABLE_LABEL_LIMIT);
    }
    return check_text(table, what, text, lines);
}

static KalStatus check_name(const KalTable *table, const char *what, const char *name,
                            const char *reserved)
{
    assert(what && reserved);
    if (!name || name[0] == '\0') {
        return kal_fail(table->ctx, KAL_ERR_USAGE, "%s is empty", what);
    }
    KAL_TRY(check_label(table, what, name, false));
    if (strcmp(name, reserved) == 0) {
        return kal_fail(table->ctx, KAL_ERR_USAGE,
                        "%s may not be '%s', which marks files of tables that ended "
                        "early",
                        what, reserved);
    }
    return KAL_OK;
}

static KalStatus copy_text(KalTable *table, const char *text, const char **out_copy)
{
    assert(text && out_copy);
    const size_t size = strlen(text) + 1;
    KAL_TRY(check_room(table, size));
    char *copy = kal_arena_alloc(table->texts, size, 1);
    if (!copy) {
        return kal_no_memory(table->ctx, "for the texts of a table");
    }
    memcpy(copy, text, size);
    table->text_bytes += size;
    *out_copy = copy;
    return KAL_OK;
}

// Check a quantity and make its texts the table's own.
static KalStatus copy_quantity(KalTable *table, const char *what, KalQuantity given,
                               KalQuantity *out_quantity)
{
    const char *unit = given.unit ? given.unit : "";
    const char *description = given.description ? given.description : "";
    KAL_TRY(check_name(table, what, given.name, KAL_TABLE_INCOMPLETE_COLUMN));
    KAL_TRY(check_label(table, "the unit", unit, false));
    KAL_TRY(check_label(table, "the description", description, true));

    KalQuantity quantity = {.name = NULL};
    KAL_TRY(copy_text(table, given.name, &quantity.name));
    KAL_TRY(copy_text(table, unit, &quantity.unit));
    KAL_TRY(copy_text(table, description, &quantity.description));
    *out_quantity = quantity;
    return KAL_OK;
}

KalStatus kal_table_add_column(KalTable *table, KalQuantity quantity)
{
    KAL_NEED(table ? table->ctx : NULL, table);
    Entry entry = {.number = 0.0};
    if (table->rows > 0) {
        return kal_fail(table->ctx, KAL_ERR_USAGE,
                        "a table that has rows takes no more columns");
    }
    if (quantity.name && find_entry(&table->columns, quantity.name)) {
        char shown[KAL_PRINTABLE_SIZE];
        kal_printable_print(quantity.name, strlen(quantity.name), shown);
        return kal_fail(table->ctx, KAL_ERR_USAGE, "there is a column '%s' already",
                        shown);
    }
    KAL_TRY(copy_quantity(table, "the name of a column", quantity, &entry.quantity));
    return add_entry(table, &table->columns, &entry);
}

KalStatus kal_table_set_description(KalTable *table, size_t i, const char *description)
{
    KAL_NEED(table ? table->ctx : NULL,
             table && description && i < kal_table_columns(table));
    KAL_TRY(check_label(table, "the description", description, true));
    return copy_text(table, description,
                     &list_get(&table->columns, i)->quantity.description);
}

KalStatus kal_table_expect_rows(KalTable *table, double rows)
{
    const double most_rows = 10000.0;
    const size_t size = list_count(&table->columns) * sizeof(double);
    const size_t left = table->limit - table->text_bytes - table->values.size;
    assert(size > 0);
    const size_t most = left / size;
    if (table->rows > 0 || !(rows < most_rows && rows < (double)most)) {
        return KAL_OK;
    }
    return kal_block_reserve(table->ctx, &table->values, ((size_t)rows + 1) * size);
}

KalStatus kal_table_open_row(KalTable *table, double **out_row)
{
    const size_t size = list_count(&table->columns) * sizeof **out_row;
    assert(size > 0);
    KAL_TRY(check_room(table, size));
    KAL_TRY(kal_block_reserve(table->ctx, &table->values, size));
    *out_row = (double *)(void *)((char *)table->values.data + table->values.size);
    return KAL_OK;
}

void kal_table_keep_row(KalTable *table)
{
    table->values.size += list_count(&table->columns) * sizeof(double);
    table->rows++;
    assert(table->values.size <= table->values.capacity);
}

KalStatus kal_table_add_row(KalTable *table, const double *values)
{
    KAL_NEED(table ? table->ctx : NULL, table && values);
    const size_t n = kal_table_columns(table);
    if (n == 0) {
        return kal_fail(table->ctx, KAL_ERR_USAGE,
                        "a table without columns takes no rows");
    }
    double *row = NULL;
    KAL_TRY(kal_table_open_row(table, &row));
    memcpy(row, values, n * sizeof *values);
    kal_table_keep_row(table);
    return KAL_OK;
}

KalStatus kal_table_set_parameter(KalTable *table, KalQuantity quantity, double value)
{
    KAL_NEED(table ? table->ctx : NULL, table);
    Entry entry = {.number = value};
    KAL_TRY(copy_quantity(table, "the name of a parameter", quantity, &entry.quantity));
    Entry *old = find_entry(&table->parameters, entry.quantity.name);
    if (old) {
        *old = entry;
        return KAL_OK;
    }
    return add_entry(table, &table->parameters, &entry);
}

static KalStatus set_note(KalTable *table, const char *key, const char *text,
                          double number)
{
    assert(key);
    Entry entry = {
        .quantity = {.unit = "", .description = ""},
          .number = number
    };
    KAL_TRY(check_name(table, "the key of a note", key, KAL_TABLE_INCOMPLETE_NOTE));
    if (text) {
        KAL_TRY(copy_text(table, text, &entry.text));
    }
    Entry *old = find_entry(&table->notes, key);
    if (old) {
        entry.quantity.name = old->quantity.name;
        *old = entry;
        return KAL_OK;
    }
    KAL_TRY(copy_text(table, key, &entry.quantity.name));
    return add_entry(table, &table->notes, &entry);
}

KalStatus kal_table_set_text(KalTable *table, const char *key, const char *text)
{
    KAL_NEED(table ? table->ctx : NULL, table && key && text);
    KAL_TRY(check_text(table, "the text of a note", text, true));
    return set_note(table, key, text, 0.0);
}

KalStatus kal_table_set_number(KalTable *table, const char *key, double number)
{
    KAL_NEED(table ? table->ctx : NULL, table && key);
    return set_note(table, key, NULL, number);
}

void kal_table_set_incomplete(KalTable *table, bool incomplete)
{
    if (!table) {
        return;
    }
    table->incomplete = incomplete;
}

bool kal_table_is_incomplete(const KalTable *table)
{
    if (!table) {
        return false;
    }
    return table->incomplete;
}

size_t kal_table_columns(const KalTable *table)
{
    if (!table) {
        return 0;
    }
    return list_count(&table->columns);
}

bool kal_quantity_is_unique(KalQuantity quantity)
{
    static const char mark[] = KAL_TABLE_NOT_UNIQUE;
    return !quantity.description
           || strncmp(quantity.description, mark, sizeof mark - 1) != 0;
}

KalQuantity kal_table_column(const KalTable *table, size_t i)
{
    if (!(table && i < kal_table_columns(table))) {
        return (KalQuantity){"", "", ""};
    }
    return list_get(&table->columns, i)->quantity;
}

size_t kal_table_find_column(const KalTable *table, const char *name)
{
    if (!(table && name)) {
        return kal_table_columns(table);
    }
    const Entry *entry = find_entry(&table->columns, name);
    return entry ? (size_t)(entry - list_get(&table->columns, 0))
                 : kal_table_columns(table);
}

size_t kal_table_rows(const KalTable *table)
{
    if (!table) {
        return 0;
    }
    return table->rows;
}

const double *kal_table_row(const KalTable *table, size_t i)
{
    if (!(table && i < kal_table_rows(table))) {
        return NULL;
    }
    assert(i < table->rows);
    return (const double *)table->values.data + i * kal_table_columns(table);
}

size_t kal_table_parameters(const KalTable *table)
{
    if (!table) {
        return 0;
    }
    return list_count(&table->parameters);
}

KalTableParameter kal_table_parameter(const KalTable *table, size_t i)
{
    if (!(table && i < kal_table_parameters(table))) {
        return (KalTableParameter){
            .quantity = {"", "", ""}
        };
    }
    const Entry *entry = list_get(&table->parameters, i);
    return (KalTableParameter){.quantity = entry->quantity, .value = entry->number};
}

size_t kal_table_notes(const KalTable *table)
{
    if (!table) {
        return 0;
    }
    return list_count(&table->notes);
}

KalTableNote kal_table_note(const KalTable *table, size_t i)
{
    if (!(table && i < kal_table_notes(table))) {
        return (KalTableNote){.key = ""};
    }
    const Entry *entry = list_get(&table->notes, i);
    return (KalTableNote){
        .key = entry->quantity.name, .text = entry->text, .number = entry->number};
}

KalStatus kal_table_describe(KalTable *table, size_t column, const char *unit,
                             const char *description)
{
    assert(unit && description);
    KalQuantity *quantity = &list_get(&table->columns, column)->quantity;
    KAL_TRY(check_label(table, "the unit", unit, false));
    KAL_TRY(check_label(table, "the description", description, true));
    KAL_TRY(copy_text(table, unit, &quantity->unit));
    return copy_text(table, description, &quantity->description);
}

KalContext *kal_table_context(const KalTable *table)
{
    return table->ctx;
}

KalStatus kal_table_add_empty_rows(KalTable *table, size_t count, double **out_values)
{
    assert(out_values);
    const size_t n = kal_table_columns(table);
    assert(table->rows == 0 && n > 0 && count > 0);
    if (count > SIZE_MAX / sizeof(double) / n) {
        return check_room(table, SIZE_MAX);
    }
    const size_t size = count * n * sizeof(double);
    KAL_TRY(check_room(table, size));
    double *values = kal_alloc(table->ctx, count * n, sizeof(double));
    if (!values) {
        return kal_no_memory(table->ctx, "for %zu rows of %zu columns", count, n);
    }
    table->values = (KalBlock){.data = values, .size = size, .capacity = size};
    table->rows = count;
    *out_values = values;
    return KAL_OK;
}
