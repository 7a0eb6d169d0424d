#!/usr/bin/env python3
"""No function is longer than 60 lines, from its first line to its closing brace; no file
of src/ is longer than 800; no struct has more than 40 members.  A list and its count
(`names`, `n_names`) are one member, and structs of nothing but texts are tables.

Relies on the house format: a function's braces stand alone in the first column, and
nothing else's do.
"""

import re
import sys

from lint import Check, code_of, line_of

FUNCTION_LINES = 60
FILE_LINES = 800
MEMBERS = 40
CODE = ("src", "include", "tests", "fuzz", "bench", "examples")


def first_line(lines, brace):
    """The line on which the declaration above an opening brace starts."""
    start = brace
    while start > 0:
        above = lines[start - 1].rstrip()
        if not above.strip() or above.endswith((";", "}", "\\")) or above.startswith("#"):
            break
        start -= 1
    return start


def functions(lines):
    """(first, last) line of each function, counted from 0."""
    opened = None
    for number, line in enumerate(lines):
        if line.rstrip() == "{":
            opened = first_line(lines, number)
        elif line.rstrip() == "}" and opened is not None:
            yield opened, number
            opened = None


def members(text, begin):
    """The declarations at the top of the braces that open before `begin`."""
    depth, found, start = 1, [], begin
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            break
        if depth == 1 and text[at] == ";":
            found.append(text[start:at].strip())
            start = at + 1
    return found


def count_members(declarations):
    if all(text.startswith("const char *") for text in declarations):
        return 0
    names = [re.search(r"(\w+)(\[.*)?$", text, re.S) for text in declarations]
    names = {name[1] for name in names if name}
    return len(declarations) - sum("n_" + name in names for name in names)


def check_structs(check, path, text):
    for opened in re.finditer(r"\bstruct\s+(\w+)\s*\{", text):
        count = count_members(members(text, opened.end()))
        if count > MEMBERS:
            check.find(path, line_of(text, opened.start()),
                       f"struct {opened[1]} of {count} members, allowed {MEMBERS}")


def main():
    check = Check(sys.argv)
    count = 0
    for path in check.files(".c", ".h", under=CODE):
        text = code_of(path.read_text())
        check_structs(check, path, text)
        lines = text.splitlines()
        for first, last in functions(lines):
            count += 1
            length = last - first + 1
            if length > FUNCTION_LINES:
                check.find(path, first + 1,
                           f"function of {length} lines, allowed {FUNCTION_LINES}")
        if path.is_relative_to(check.root / "src") and len(lines) > FILE_LINES:
            check.find(path, len(lines), f"file of {len(lines)} lines, allowed {FILE_LINES}")
    check.finish(count, "functions")


if __name__ == "__main__":
    main()
