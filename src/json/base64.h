// SPDX-License-Identifier: MIT

/// @file
/// Bytes as text: base 64, RFC 4648, section 4.

#ifndef JSON_BASE64_H
#define JSON_BASE64_H

#include <kalaba/text.h>

#include <stddef.h>

/// Bytes on their way to a sink.  Zeroed but for the sink: nothing yet.
typedef struct KalBase64 {
    KalSink sink;
    unsigned char bytes[3];
    size_t count; ///< of bytes that wait
} KalBase64;

/// Take bytes.
void kal_base64_put(KalBase64 *e, const void *bytes, size_t length);

/// Write what waits; nothing may follow.
void kal_base64_end(KalBase64 *e);

#endif
