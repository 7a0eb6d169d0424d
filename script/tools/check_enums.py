#!/usr/bin/env python3
"""No switch over an enum of ours has a `default:`.

Without one the compiler names every switch that lacks a new constant (-Wswitch-enum, which
the library's build must ask for).  A `default:` may stand where the cases are numbers,
characters or constants of another library.
"""

import re
import sys

from lint import Check, code_of, line_of

SWITCH = re.compile(r"\bswitch\s*\(")
LABEL = re.compile(r"\bcase\s+([A-Za-z_]\w*)|\b(default)\s*:")
FOREIGN = re.compile(r"CV_|IDA_|H5|CAIRO_")  # constants that headers of ours declare for others
ENUM = re.compile(r"\benum\b[^{};()]*\{([^{}]*)\}")


def own_constants(texts):
    """Constants that enums of the tree define; lists of .def files all begin with KAL_."""
    names = set()
    for text in texts:
        for body in ENUM.findall(text):
            body = re.sub(r"^\s*#.*$", "", body, flags=re.M)
            names |= set(re.findall(r"(?:^|,)\s*([A-Z]\w*)", body))
    return names


def closing(text, start):
    """The place of the brace that closes the first one from `start` on."""
    depth = 0
    for at in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def switches(text):
    """The labels of each switch, without those of switches inside it."""
    spans = [(m.start(), closing(text, m.start())) for m in SWITCH.finditer(text)]
    for begin, end in spans:
        inside = [span for span in spans if begin < span[0] < end]
        labels = [m for m in LABEL.finditer(text, begin, end)
                  if not any(a < m.start() < b for a, b in inside)]
        yield labels


def main():
    check = Check(sys.argv)
    paths = check.files(".c", ".h", under=("src", "include"))
    texts = {path: code_of(path.read_text()) for path in paths}
    own = own_constants(texts.values())
    count = 0
    for path, text in texts.items():
        for labels in switches(text):
            count += 1
            ours = [m[1] for m in labels if m[1] and not FOREIGN.match(m[1])
                    and (m[1] in own or m[1].startswith("KAL_"))]
            for m in labels:
                if m[2] and ours:
                    check.find(path, line_of(text, m.start()),
                               f"default: hides constants that {ours[0]} will be joined by")
    builds = [check.root / "src/meson.build", check.root / "meson.build"]
    if not any(path.is_file() and "-Wswitch-enum" in path.read_text() for path in builds):
        check.find("src/meson.build", 1, "the build must ask for -Wswitch-enum")
    check.finish(count, "switches")


if __name__ == "__main__":
    main()
