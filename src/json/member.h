// SPDX-License-Identifier: MIT

/// @file
/// Members of JSON objects: a key and its value in one call.

#ifndef JSON_MEMBER_H
#define JSON_MEMBER_H

#include "json/writer.h"

void kal_json_put_number(KalJsonWriter *writer, const char *key, double value);

void kal_json_put_bool(KalJsonWriter *writer, const char *key, bool value);

/// A string; null for NULL.
void kal_json_put_text(KalJsonWriter *writer, const char *key, const char *text);

/// An array of strings.
void kal_json_put_names(KalJsonWriter *writer, const char *key,
                        const char *const *names, int count);

/// An object: a number for each name.
void kal_json_put_values(KalJsonWriter *writer, const char *key,
                         const char *const *names, const double *values, int count);

/// An array of rows, which lie one after the other.
void kal_json_put_matrix(KalJsonWriter *writer, const char *key, const double *matrix,
                         int rows, int columns);

#endif
