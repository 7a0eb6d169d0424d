"""What the check_*.py scripts share: the files of the tree, C without its comments, and
findings of the form file:line: message.

A check is called with the root of the tree first and ends with status 1 if it found
anything, so that tests/lint/selftest.py can run it on small bad trees.
"""

import re
import sys
from pathlib import Path

SKIPPED = re.compile(r"build(-.*)?|__pycache__|node_modules|\.git")


class Check:
    def __init__(self, arguments):
        self.root = Path(arguments[1] if len(arguments) > 1 else ".").resolve()
        self.arguments = arguments[2:]
        self.findings = 0

    def find(self, path, line, message):
        """Report a fault; `path` may be relative or inside the root."""
        if isinstance(path, Path) and path.is_relative_to(self.root):
            path = path.relative_to(self.root)
        print(f"{path}:{line}: {message}")
        self.findings += 1

    def finish(self, seen, what):
        """End the check.  Having had nothing to look at is a fault too."""
        if seen == 0:
            print(f"nothing to check: no {what}")
        elif self.findings:
            print(f"{self.findings} findings in {seen} {what}")
        else:
            print(f"{seen} {what}: no findings")
        sys.exit(1 if self.findings or seen == 0 else 0)

    def files(self, *suffixes, under=("",)):
        """Files of the tree with one of the suffixes ("" for none), sorted."""
        found = []
        for folder in under:
            found += walk(self.root / folder, suffixes)
        return sorted(found)


def walk(folder, suffixes):
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if SKIPPED.fullmatch(path.name):
            continue
        if path.is_dir():
            yield from walk(path, suffixes)
        elif path.suffix in suffixes:
            yield path


def line_of(text, position):
    return text.count("\n", 0, position) + 1


TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def code_of(text, keep_strings=False):
    """C text with comments, and unless kept the insides of literals, made blank; every
    line and column stays where it was."""

    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, text)


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes_of(text):
    """(line, "<" or '"', name) of each #include."""
    code = code_of(text, keep_strings=True)
    return [(line_of(code, m.start(1)), m.group(1), m.group(2)) for m in INCLUDE.finditer(code)]
