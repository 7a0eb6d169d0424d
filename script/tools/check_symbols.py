#!/usr/bin/env python3
"""The libraries' symbols: check_symbols.py ROOT SHARED STATIC

The shared library exports exactly what the public headers declare KAL_API; every other
symbol that the linker sees carries the prefix; there is no variable that can change.  The
shared library needs no other than those of the C compiler: others are loaded when needed.
"""

import re
import subprocess
import sys
from pathlib import Path

from lint import Check, code_of, line_of

DECLARED = re.compile(r"\bKAL_API\b[^;{}]*?\b(\w+)\s*\(")
PLAIN = re.compile(r"(libc|libm|ld-linux.*)\.so\.\d+")
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")
CHANGES = re.compile(r"\.t?bss|\.t?data(?!\.rel\.ro)|\*COM\*")


def declared(check):
    """Function → (header, line)."""
    found = {}
    for path in check.files(".h", under=("include",)):
        text = path.read_text()
        code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda m: re.sub(r"[^\n]", " ", m.group()),
                      code_of(text), flags=re.MULTILINE)
        code = re.sub(r"\bKAL_CHECKED\b|\bKAL_PRINTF\([^)]*\)",
                      lambda m: " " * len(m.group()), code)
        for match in DECLARED.finditer(code):
            found[match.group(1)] = (path, line_of(code, match.start()))
    return found


def nm(*arguments):
    """What `nm` lists: (name, section)."""
    run = subprocess.run(["nm", "--format=sysv", *map(str, arguments)], capture_output=True,
                         text=True, check=True)
    rows = []
    for line in run.stdout.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and cells[0] != "Name":
            rows.append((cells[0], cells[6]))
    return rows


def needed(shared):
    """The libraries that come with a library."""
    run = subprocess.run(["readelf", "-d", shared], capture_output=True, text=True, check=True)
    return NEEDED.findall(run.stdout)


def main():
    check = Check(sys.argv)
    shared, static = map(Path, check.arguments)
    wanted = declared(check)
    exported = {name for name, _ in nm("-D", "--defined-only", shared)}
    for name in sorted(set(wanted) - exported):
        check.find(*wanted[name], f"{name} is declared KAL_API but not exported")
    for name in sorted(exported - set(wanted)):
        check.find(shared.name, 1, f"{name} is exported but no public header declares it")
    for name, _ in nm("-g", "--defined-only", static):
        if not re.match(r"kal_|Kal", name):
            check.find(static.name, 1, f"{name} lacks the prefix kal_")
    for name, section in nm("--defined-only", static):
        if CHANGES.match(section):
            check.find(static.name, 1, f"{name} is a variable that can change ({section})")
    for name in needed(shared):
        if not PLAIN.fullmatch(name):
            check.find(shared.name, 1, f"{name} is loaded with every start")
    check.finish(len(wanted), "public functions")


if __name__ == "__main__":
    main()
