// SPDX-License-Identifier: MIT

/// @file
/// A writer of XML: elements within each other, with attributes, one a line.
///
/// Names are ours; values may be any text, of which nothing is markup.  Writing cannot fail
/// visibly: the page keeps what went wrong.

#ifndef EXPORT_XML_H
#define EXPORT_XML_H

#include "show/page.h"

#include <stdbool.h>

enum {
    KAL_XML_DEPTH = 8 ///< elements within each other
};

typedef struct KalXml {
    KalPage *page;
    const char *open[KAL_XML_DEPTH];
    int depth;
    bool in_tag; ///< attributes may follow
} KalXml;

/// Begin a document.
KalXml kal_xml(KalPage *page);

/// Begin an element, and end the one that was begun last.
void kal_xml_begin(KalXml *xml, const char *name);
void kal_xml_end(KalXml *xml);

/// Attributes of the element that was begun last.  NULL: none.
void kal_xml_text(KalXml *xml, const char *name, const char *value);
void kal_xml_number(KalXml *xml, const char *name, double value);
void kal_xml_count(KalXml *xml, const char *name, size_t value);

#endif
