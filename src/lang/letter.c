// SPDX-License-Identifier: MIT

// Which characters beyond ASCII are letters of names: those of scripts that formulas are
// written in, and none that looks like an operator or a space.  Ranges are few, so they are
// tried one by one.

#include "lang/letter.h"

#include <stddef.h>

typedef struct Range {
    uint32_t first;
    uint32_t last;
} Range;

// Letters beyond ASCII, by ranges that rise within a script.
static const Range LETTERS[] = {
    {0xc0,   0xd6  }, // Latin with marks; × is not in
    {0xd8,   0xf6  }, // ÷ is not in
    {0xf8,   0x24f },
    {0x1e00, 0x1eff},
    {0x370,  0x373 }, // Greek; its punctuation and lone accents are not in
    {0x376,  0x377 },
    {0x37b,  0x37d },
    {0x37f,  0x37f },
    {0x386,  0x386 },
    {0x388,  0x38a },
    {0x38c,  0x38c },
    {0x38e,  0x3a1 },
    {0x3a3,  0x3f5 },
    {0x3f7,  0x3ff },
    {0x1f00, 0x1f15}, // Greek with marks
    {0x1f18, 0x1f1d},
    {0x1f20, 0x1f45},
    {0x1f48, 0x1f4d},
    {0x1f50, 0x1f57},
    {0x1f5f, 0x1f7d},
    {0x1f80, 0x1fb4},
    {0x1fb6, 0x1fbc},
    {0x1fc2, 0x1fc4},
    {0x1fc6, 0x1fcc},
    {0x1fd0, 0x1fd3},
    {0x1fd6, 0x1fdb},
    {0x1fe0, 0x1fec},
    {0x1ff2, 0x1ff4},
    {0x1ff6, 0x1ffc},
};

bool kal_letter_is(uint32_t code)
{
    if (code < 0x80) {
        return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z')
               || code == '_';
    }
    for (size_t i = 0; i < sizeof LETTERS / sizeof LETTERS[0]; i++) {
        if (code >= LETTERS[i].first && code <= LETTERS[i].last) {
            return true;
        }
    }
    return false;
}

const char *kal_letter_advice(uint32_t code)
{
    if (code >= 0x300 && code <= 0x36f) {
        return "a mark over a letter has to be one character with it";
    }
    switch (code) {
    case 0x2010: // hyphens, dashes, minus
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212: return "write - for a minus sign";
    case 0xb7: // dots, crosses, asterisks
    case 0xd7:
    case 0x2217:
    case 0x22c5: return "write * for a product";
    case 0xf7:
    case 0x2044:
    case 0x2215: return "write / for a quotient";
    case 0xb2:
    case 0xb3:
    case 0xb9: return "write x^2 for a power";
    case '`':
    case 0xb4: // accents, quotes, primes
    case 0x2018:
    case 0x2019:
    case 0x2032:
    case 0x2033:
    case 0x2034: return "write ' for a time derivative, '' for the second";
    case 0x201c:
    case 0x201d:
    case 0x201e:
    case 0xab:
    case 0xbb: return "write \" around a text";
    case 0x2264: return "write <= to compare";
    case 0x2265: return "write >= to compare";
    case 0x2260: return "write != to compare";
    case 0x2248: return "write ~ for a guess";
    case 0x2192: return "write -> between points";
    case 0x2026: return "write .. for a range";
    case 0x221a: return "write sqrt(x) for a root";
    case 0x2211: return "write sum(i in 1..N : x[i]) for a sum";
    case 0xb0: return "write *deg for degrees";
    case 0xb5: return "this is the micro sign; write the Greek letter μ";
    case 0x2126: return "this is the ohm sign; write the Greek letter Ω";
    case 0xa0:
    case 0x2009:
    case 0x202f: return "this is a special space; write a plain one";
    case '&': return "write and to join conditions";
    case '|': return "write or to join conditions, abs(x) for a magnitude";
    case '!': return "write != to compare, not to negate a condition";
    case '?': return "a value chosen by a condition is if(x > 0, 1, 2)";
    case '%': return "a comment begins with #";
    default: return NULL;
    }
}
