#!/usr/bin/env python3
"""No function is longer than 60 lines, from its first line to its closing brace; no file
of src/ is longer than 800.

Relies on the house format: a function's braces stand alone in the first column, and
nothing else's do.
"""

import sys

from lint import Check, code_of

FUNCTION_LINES = 60
FILE_LINES = 800
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


def main():
    check = Check(sys.argv)
    count = 0
    for path in check.files(".c", ".h", under=CODE):
        lines = code_of(path.read_text()).splitlines()
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
