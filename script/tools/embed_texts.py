#!/usr/bin/env python3
"""Write files as a table of texts in C.

embed_texts.py OUTPUT HEADER TYPE FUNCTION FILE…

HEADER declares TYPE, a name without ending, a text and its length, and FUNCTION, which
returns the table.  A text ends with a NUL that is not counted.
"""

import sys
from pathlib import Path

LINE = 16 # bytes in a line of the table


def numbers(data):
    """The lines of an array; C does not promise to take string literals of this length."""
    for at in range(0, len(data), LINE):
        yield "    " + " ".join(f"{byte}," for byte in data[at : at + LINE])


def name_of(file):
    return file.name.split(".")[0]


def main():
    output = Path(sys.argv[1])
    header, kind, function = sys.argv[2:5]
    files = sorted((Path(f) for f in sys.argv[5:]), key=name_of)
    lines = ["// Made by embed_texts.py.", "", f'#include "{header}"', ""]
    for file in files:
        lines.append(f"static const unsigned char TEXT_{name_of(file)}[] = {{")
        lines += numbers(file.read_bytes() + b"\0")
        lines += ["};", ""]
    lines.append(f"static const {kind} TABLE[] = {{")
    for file in files:
        name = name_of(file)
        lines.append(f'    {{"{name}", (const char *)TEXT_{name}, sizeof TEXT_{name} - 1}},')
    lines += ["};", "", f"const {kind} *{function}(int *out_count)", "{"]
    lines += [f"    *out_count = {len(files)};", "    return TABLE;", "}", ""]
    output.write_text("\n".join(lines))


main()
