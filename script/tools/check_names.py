#!/usr/bin/env python3
"""One name, one thing: check_names.py ROOT

A type or a function that carries the prefix is defined in one file of the library, so that
a search for its name finds what is meant.  A file may define a name twice, for another
compiler or machine, and no_NAME.c is what stands in for NAME.c where that is left out.
"""

import re
import sys

from lint import Check, code_of, line_of

TYPE = re.compile(r"^\}\s*(Kal\w+)\s*;|^(?:struct|union|enum)\s+(Kal\w+)\s*\{"
                  r"|^typedef\s+(?:struct|union|enum)\s+(Kal\w+)\s*\{"
                  r"|^typedef\b[^;{}]*?\b(Kal\w+)\s*;|^typedef\b[^;{}()]*\(\*(Kal\w+)\)\s*\(",
                  re.MULTILINE)
DECLARED = re.compile(r"^typedef\s+(struct|union|enum)\s+(\w+)\s+\2\s*;")
FUNCTION = re.compile(r"^(?!typedef\b)[A-Za-z_][^;{}()=]*\b(kal_\w+)\([^;{}]*\)\s*\{", re.MULTILINE)


def types(code):
    """Types that a file defines and the places; not those that it only declares."""
    for match in TYPE.finditer(code):
        if not DECLARED.match(match.group()):
            yield next(filter(None, match.groups())), match.start()


def functions(code):
    for match in FUNCTION.finditer(code):
        yield match.group(1), match.start(1)


def main():
    check = Check(sys.argv)
    first = {}
    for path in check.files(".c", ".h", under=("src", "include")):
        if path.name.startswith("no_"):
            continue
        code = code_of(path.read_text())
        for name, at in [*types(code), *functions(code)]:
            known = first.setdefault(name, path)
            if known != path:
                check.find(path, line_of(code, at),
                           f"{name} is defined in {known.relative_to(check.root)} too")
    check.finish(len(first), "names")


if __name__ == "__main__":
    main()
