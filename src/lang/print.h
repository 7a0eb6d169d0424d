// SPDX-License-Identifier: MIT

/// @file
/// From a syntax tree back to text.
///
/// One statement a line, blocks indented by four spaces, parentheses only where the shape
/// of the tree needs them or a sign would stand beside an operator.  Parsing the text gives
/// an equal tree (kal_node_equal).  Comments and the layout of the source are not in the
/// tree and so not in the text; format.c brings them back.

#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/tree.h"

/// Write statements as model text: the one given and those that follow it.  NULL writes
/// nothing.
void kal_statements_print(const KalNode *first, KalSink sink);

/// Write one statement in one line without its end; of one with a block, what comes before
/// the brace.
void kal_statement_print(const KalNode *node, KalSink sink);

/// Write one expression, condition, range or unit, in one line without its end.
void kal_expression_print(const KalNode *node, KalSink sink);

#endif
