// SPDX-License-Identifier: MIT

// XML, as far as descriptions need it: what a text may not hold, HTML may not hold either.

#include "export/xml.h"

#include "base/number.h"
#include "show/html.h"

#include <assert.h>
#include <string.h>

KalXml kal_xml(KalPage *page)
{
    kal_page_string(page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    return (KalXml){.page = page};
}

void kal_xml_begin(KalXml *xml, const char *name)
{
    assert(xml->depth < KAL_XML_DEPTH);
    kal_page_string(xml->page, xml->in_tag ? ">\n" : "");
    kal_page_repeat(xml->page, ' ', 2 * (size_t)xml->depth);
    kal_page_format(xml->page, "<%s", name);
    xml->open[xml->depth++] = name;
    xml->in_tag = true;
}

void kal_xml_end(KalXml *xml)
{
    assert(xml->depth > 0);
    const char *name = xml->open[--xml->depth];
    if (xml->in_tag) {
        kal_page_string(xml->page, "/>\n");
    } else {
        kal_page_repeat(xml->page, ' ', 2 * (size_t)xml->depth);
        kal_page_format(xml->page, "</%s>\n", name);
    }
    xml->in_tag = false;
}

void kal_xml_text(KalXml *xml, const char *name, const char *value)
{
    assert(xml->in_tag);
    if (value) {
        kal_page_format(xml->page, " %s=\"", name);
        kal_html_write(kal_page_sink(xml->page), value, strlen(value));
        kal_page_string(xml->page, "\"");
    }
}

void kal_xml_number(KalXml *xml, const char *name, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(value, text);
    kal_xml_text(xml, name, text);
}

void kal_xml_count(KalXml *xml, const char *name, size_t value)
{
    assert(xml->in_tag);
    kal_page_format(xml->page, " %s=\"%zu\"", name, value);
}
