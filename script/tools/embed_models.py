#!/usr/bin/env python3
"""Write the models that are shipped with the library as a table in C.

embed_models.py OUTPUT FILE…    each FILE is name.kal; `use name` finds it
"""

import sys
from pathlib import Path

LINE = 16 # bytes in a line of the table


def numbers(data):
    """The lines of an array; C does not promise to take string literals of this length."""
    for at in range(0, len(data), LINE):
        yield "    " + " ".join(f"{byte}," for byte in data[at : at + LINE])


def main():
    output = Path(sys.argv[1])
    files = sorted((Path(f) for f in sys.argv[2:]), key=lambda f: f.stem)
    lines = ["// Made by embed_models.py.", "", '#include "model/library.h"', ""]
    for file in files:
        lines.append(f"static const unsigned char TEXT_{file.stem}[] = {{")
        lines += numbers(file.read_bytes())
        lines += ["};", ""]
    lines.append("static const KalLibraryModel TABLE[] = {")
    for file in files:
        name = file.stem
        lines.append(f'    {{"{name}", (const char *)TEXT_{name}, sizeof TEXT_{name}}},')
    lines += ["};", "", "const KalLibraryModel *kal_library_table(int *out_count)", "{"]
    lines += [f"    *out_count = {len(files)};", "    return TABLE;", "}", ""]
    output.write_text("\n".join(lines))


main()
