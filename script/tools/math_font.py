"""A font that holds nothing but the measures of mathematics.

Browsers lay formulas out by the MATH table of the first font, and few readers have one with
such a table: without it superscripts float high and fractions are wide.  This font has the
table and a space; all letters come from the fonts behind it.  The measures are those of TeX's
fonts (Knuth, The TeXbook, appendix G) in thousandths of an em, the tables those of the OpenType
specification, version 1.9.
"""

import base64
import struct

EM = 1000
MAGIC = 0x5F0F3CF5 # of the table head, by the specification
ASCENT, DESCENT, WIDTH, X_HEIGHT, CAP_HEIGHT = 800, 200, 250, 430, 680

SCALES = (70, 50) # percent, of scripts and of scripts of scripts
HEIGHTS = (1300, 1300) # from which delimiters and operators of displays are large
MEASURES = (
    154, 250, 450, 664, # leading, axis, accents, flat accents
    247, 344, 200, # subscripts: down, highest top, least drop
    363, 289, 108, 250, # superscripts: up, cramped, lowest bottom, greatest drop
    160, 344, 56, # both: gap, highest bottom; space behind
    200, 111, 167, 600, # limits: gap and rise above, gap and drop below
    444, 677, 345, 686, 120, 280, # stacks: up and down, in displays, gaps
    111, 600, 200, 167, # stretched stacks
    394, 677, 345, 686, # fractions: up, in displays, down, in displays
    40, 120, 40, 40, 120, # gaps above, the bar, gaps below
    350, 96, # skewed fractions
    120, 40, 40, 120, 40, 40, # bars over and under
    50, 148, 40, 40, 278, -556, # roots
)
DEGREE = 60 # percent by which the degree of a root is raised


def math_table():
    constants = struct.pack(">2h2H", *SCALES, *HEIGHTS)
    constants += b"".join(struct.pack(">hH", value, 0) for value in MEASURES)
    constants += struct.pack(">h", DEGREE)
    glyphs = struct.pack(">4H", 0, 0, 0, 0)
    variants = struct.pack(">5H", 0, 0, 0, 0, 0)
    first = 10
    return struct.pack(">2H3H", 1, 0, first, first + len(constants),
                       first + len(constants) + len(glyphs)) + constants + glyphs + variants


def head_table():
    return struct.pack(">2H3I2H2Q4h2H3h", 1, 0, 0x10000, 0, MAGIC, 0, EM, 0, 0, 0, 0, 0, 0, 0, 8,
                       2, 0, 0)


def tables():
    name = "kalaba math".encode("utf-16-be")
    records = b"".join(struct.pack(">6H", 3, 1, 0x409, key, len(name), 0)
                       for key in (1, 4, 6))
    cmap = struct.pack(">7H", 4, 32, 0, 4, 4, 1, 0) + struct.pack(
        ">2H H 2H 2h 2H", 0x20, 0xFFFF, 0, 0x20, 0xFFFF, 1 - 0x20, 1, 0, 0)
    return {
        b"MATH": math_table(),
        b"OS/2": struct.pack(">H h 2H H 10h h 10B 4I 4s 3H 3h 2H 2I 2h 3H", 4, WIDTH, 400, 5, 0,
                             *([0] * 10), 0, *([0] * 10), 1, 0, 0, 0, b"KAL ", 64, 0x20, 0x20,
                             ASCENT, -DESCENT, 0, ASCENT, DESCENT, 1, 0, X_HEIGHT, CAP_HEIGHT,
                             0, 0x20, 1),
        b"cmap": struct.pack(">4H I", 0, 1, 3, 1, 12) + cmap,
        b"glyf": b"\0\0\0\0",
        b"head": head_table(),
        b"hhea": struct.pack(">2H 3h H 3h 3h 4h h H", 1, 0, ASCENT, -DESCENT, 0, WIDTH, 0, 0, 0,
                             1, 0, 0, 0, 0, 0, 0, 0, 2),
        b"hmtx": struct.pack(">4H", WIDTH, 0, WIDTH, 0),
        b"loca": struct.pack(">3H", 0, 0, 0),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": struct.pack(">3H", 0, 3, 6 + len(records)) + records + name,
        b"post": struct.pack(">2I2h5I", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }


def checksum(data):
    data += b"\0" * (-len(data) % 4)
    return sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF


def font():
    """The bytes of the font."""
    content = tables()
    directory = struct.pack(">I4H", 0x10000, len(content), 128, 3, 16 * len(content) - 128)
    at = 12 + 16 * len(content)
    body = b""
    for tag, data in sorted(content.items()):
        directory += struct.pack(">4s3I", tag, checksum(data), at + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    whole = bytearray(directory + body)
    place = whole.index(struct.pack(">I", MAGIC)) - 4
    whole[place : place + 4] = struct.pack(">I", (0xB1B0AFBA - checksum(bytes(whole)))
                                           & 0xFFFFFFFF)
    return bytes(whole)


def font_rule():
    """The rule for a style sheet."""
    data = base64.b64encode(font()).decode()
    return f"@font-face{{font-family:'kalaba math';src:url(data:font/ttf;base64,{data})}}"
