// SPDX-License-Identifier: MIT

// Pages: texts that grow.  See show/page.h for what happens where memory ends.

#include "show/page.h"

#include "base/utf8.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kal_page_clear(KalPage *page)
{
    kal_block_clear(page->ctx, &page->block);
}

KalStatus kal_page_finish(KalPage *page, KalSink sink)
{
    assert(page && sink.write);
    const KalStatus status = page->status;
    if (status == KAL_OK) {
        sink.write(sink.user, (const char *)page->block.data, page->block.size);
    }
    kal_page_clear(page);
    return status;
}

void kal_page_write(KalPage *page, const char *text, size_t length)
{
    assert(text || length == 0);
    if (page->status == KAL_OK && length > 0) {
        page->status = kal_block_add(page->ctx, &page->block, text, length);
    }
}

void kal_page_string(KalPage *page, const char *text)
{
    assert(page && text);
    kal_page_write(page, text, strlen(text));
}

static void format_long(KalPage *page, size_t room, const char *format, va_list args)
    KAL_PRINTF(3, 0);

// A text that is too long for the room of most is printed once more, into its own.
static void format_long(KalPage *page, size_t room, const char *format, va_list args)
{
    assert(room > 0);
    char *text = (char *)kal_alloc(page->ctx, room, 1);
    if (text) {
        (void)vsnprintf(text, room, format, args);
        kal_page_string(page, text);
    } else if (page->status == KAL_OK) {
        page->status = kal_no_memory(page->ctx, "for a page");
    }
    kal_free(page->ctx, text, text ? room : 0);
}

void kal_page_format(KalPage *page, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    assert(length >= 0);
    va_end(args);
    if (length >= (int)sizeof text) {
        va_start(args, format);
        format_long(page, (size_t)length + 1, format, args);
        va_end(args);
    } else {
        kal_page_string(page, text);
    }
}

void kal_page_repeat(KalPage *page, char c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kal_page_write(page, &c, 1);
    }
}

void kal_page_safe(KalPage *page, const char *text)
{
    assert(page && text);
    const size_t length = strlen(text);
    char out[KAL_ESCAPE_SIZE];
    size_t taken;
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code;
        taken = kal_utf8_parse_any(text + i, length - i, &code);
        kal_page_write(page, out, kal_printable_print_character(code, out));
    }
}

size_t kal_text_width(const char *text)
{
    assert(text);
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0U) != 0x80U;
    }
    return width;
}

// A zero is added behind the text for the while, and does not count.
const char *kal_page_text(KalPage *page)
{
    if (page->status == KAL_OK) {
        page->status = kal_block_add(page->ctx, &page->block, "", 1);
    }
    if (page->status != KAL_OK) {
        return "";
    }
    page->block.size--; // the end is not part of the text
    return (const char *)page->block.data;
}

static void write_to_page(void *user, const char *text, size_t length)
{
    kal_page_write((KalPage *)user, text, length);
}

KalSink kal_page_sink(KalPage *page)
{
    return (KalSink){write_to_page, page};
}

// A node of index 0 is no formula: an entry that is zero by structure.
void kal_page_formula(KalPage *page, const KalSheet *sheet, KalExpr e, KalFormat format)
{
    assert(page && sheet);
    const KalPrintOptions options = kal_sheet_options(sheet, format);
    if (e.index == 0) {
        kal_page_string(page, "0");
    } else if (page->status == KAL_OK) {
        const KalStatus status = kal_print(sheet->g, e, &options, kal_page_sink(page));
        page->status = page->status == KAL_OK ? status : page->status;
    }
}

// Whether a formula may go on in the next line at this space: before + and −.
static bool is_break(const char *text)
{
    return text[0] == ' ' && (text[1] == '+' || text[1] == '-') && text[2] == ' ';
}

// The bytes of a text that go into a line of `room` characters: all, or up to a break in
// its second half within as few parentheses as there are.
static size_t fitting(const char *text, size_t length, size_t room)
{
    assert(length > 0 && room > 0);
    size_t width = 0;
    size_t best = 0;
    int depth = 0;
    int least = INT_MAX;
    for (size_t i = 0; i < length; i++) {
        if (width > room && best > 0) {
            return best;
        }
        depth += (text[i] == '(') - (text[i] == ')');
        if (i > 0 && is_break(text + i) && (depth <= least || best < room / 2)) {
            best = i;
            least = depth;
        }
        width += ((unsigned char)text[i] & 0xC0U) != 0x80U;
    }
    return width > room && best > 0 ? best : length;
}

void kal_page_wrapped(KalPage *page, const char *text, size_t length, size_t column,
                      size_t width)
{
    const size_t room = width > column + 30 ? width - column : 30;
    while (length > 0) {
        const size_t taken = fitting(text, length, room);
        assert(taken > 0 && taken <= length);
        kal_page_write(page, text, taken);
        kal_page_string(page, "\n");
        text += taken;
        length -= taken;
        if (length > 0) {
            text++; // the space
            length--;
            kal_page_repeat(page, ' ', column);
        }
    }
}

KalStatus kal_texts_init(const KalSheet *sheet, const KalExpr *e, size_t n,
                         KalFormat format, KalTexts *out_texts)
{
    assert(sheet && out_texts && (e || n == 0));
    KalTexts texts = {.page = kal_page(sheet->ctx), .n = n};
    texts.start = (size_t *)kal_alloc(sheet->ctx, n + 1, sizeof *texts.start);
    if (!texts.start) {
        return kal_no_memory(sheet->ctx, "to show equations");
    }
    for (size_t i = 0; i < n; i++) {
        texts.start[i] = texts.page.block.size;
        kal_page_formula(&texts.page, sheet, e[i], format);
        kal_page_write(&texts.page, "", 1);
    }
    const KalStatus status = texts.page.status;
    if (status != KAL_OK) {
        kal_texts_clear(&texts);
        return status;
    }
    *out_texts = texts;
    return KAL_OK;
}

void kal_texts_clear(KalTexts *texts)
{
    kal_free(texts->page.ctx, texts->start, (texts->n + 1) * sizeof *texts->start);
    kal_page_clear(&texts->page);
}

const char *kal_texts_get(const KalTexts *texts, size_t i)
{
    assert(texts->start[i] < texts->page.block.size);
    assert(i < texts->n);
    return (const char *)texts->page.block.data + texts->start[i];
}
