#!/usr/bin/env python3
"""Headers: each compiles alone, is guarded and keeps to the prefix; public ones as C99
and as C++, listed for installation and documented declaration by declaration."""

import functools
import re
import subprocess
import sys

from lint import Check, code_of, line_of

WARNINGS = ["-Wno-psabi", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
C99 = ["gcc", "-std=c99", "-x", "c"]
C17 = ["gcc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-x", "c"]
CXX = ["g++", "-std=c++11", "-x", "c++"]
LICENSE = "// SPDX-License-Identifier: MIT"
# The one header that declares what a library of others is called by.
FOREIGN = "src/ode/sundials.h"


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def declarations_of(text):
    """C text with comments, directives and the C++ bracket blank."""
    code = re.sub(r"^#ifdef __cplusplus\n.*?^#endif", blank, code_of(text),
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", blank, code, flags=re.MULTILINE)


def statements(code):
    """(line, text) of each declaration at the top level."""
    depth, start = 0, None
    for position, letter in enumerate(code):
        if start is None and not letter.isspace():
            start = position
        depth += (letter == "{") - (letter == "}")
        if depth == 0 and letter == ";":
            yield line_of(code, start), code[start:position]
            start = None


@functools.cache
def outside_folders():
    """Where the headers are that internal ones may include from other projects."""
    run = subprocess.run(["pkg-config", "--cflags-only-I", "hdf5-serial", "cairo"],
                         capture_output=True, text=True, check=True)
    return [flag.replace("-I", "-isystem", 1) for flag in run.stdout.split()]


def check_compiles(check, path, base, commands):
    name = path.relative_to(base)
    twice = f"#include <{name}>\n#include <{name}>\nint kal_not_empty;\n"
    folders = [f"-I{check.root / 'include'}"]
    if base.name == "src":
        folders += [f"-I{check.root / 'src'}", *outside_folders()]
    for command in commands:
        run = subprocess.run([*command, *WARNINGS, *folders, "-"],
                             input=twice, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            check.find(path, 1, f"does not compile alone by {' '.join(command[:2])}")
            print(run.stderr.rstrip())


def check_guard(check, path, base):
    """SPDX line first; guard MODULE_FILE_H."""
    text = path.read_text()
    guard = re.sub(r"\W", "_", str(path.relative_to(base))).upper()
    if not text.startswith(LICENSE + "\n"):
        check.find(path, 1, f"does not begin with {LICENSE}")
    if f"#ifndef {guard}\n#define {guard}\n" not in text:
        check.find(path, 1, f"has no include guard {guard}")
    if not re.search(r"^/// @file\n/// \S", text, re.MULTILINE):
        check.find(path, 1, "has no file comment (/// @file)")


def check_prefix(check, path, base):
    """Types begin with Kal, macros with KAL_."""
    text = path.read_text()
    guard = re.sub(r"\W", "_", str(path.relative_to(base))).upper()
    code = code_of(text)
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", code, re.MULTILINE):
        if match.group(1) != guard and not match.group(1).startswith("KAL_"):
            check.find(path, line_of(code, match.start(1)), f"{match.group(1)} lacks KAL_")
    for line, declaration in statements(declarations_of(text)):
        name = type_name(declaration)
        if name and not name.startswith("Kal"):
            check.find(path, line, f"type {name} lacks the prefix Kal")


def type_name(declaration):
    """The type that a declaration makes, or None."""
    if declaration.startswith("typedef"):
        declaration = re.sub(r"\{.*\}", "", declaration, flags=re.DOTALL)
        declaration = re.sub(r"__attribute__\s*\(\(.*\)\)", "", declaration, flags=re.DOTALL)
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
        return (pointer or re.search(r"(\w+)\s*(?:\[\w*\]\s*)*$", declaration)).group(1)
    tag = re.match(r"(?:struct|enum|union)\s+(\w+)\s*\{", declaration)
    return tag.group(1) if tag else None


def check_documented(check, path):
    text = path.read_text()
    lines = text.splitlines()
    for line, declaration in statements(declarations_of(text)):
        if line < 2 or not lines[line - 2].lstrip().startswith("///"):
            words = " ".join(declaration.split())
            check.find(path, line, f"no /// comment above: {words[:50]}")


def bodies(check):
    """The bodies of all functions that are not local to their file, by name."""
    pattern = re.compile(r"^(?!static)[A-Za-z][\w *]*?\b(kal_\w+)\([^;{]*\)\n\{\n(.*?)^\}",
                         re.MULTILINE | re.DOTALL)
    return {name: body for path in check.files(".c", under=("src",))
            for name, body in pattern.findall(path.read_text())}


def check_needs(check, public):
    """A public function that can fail refuses arguments that are not there: by KAL_NEED, or
    by the one function that it hands all of them on to."""
    found = bodies(check)
    for path in public:
        for line, declaration in statements(declarations_of(path.read_text())):
            name = re.match(r"KAL_API\s+KAL_CHECKED\s+KalStatus\s+(kal_\w+)", declaration)
            body = found.get(name.group(1), "") if name else ""
            if body and not re.search(r"KAL_NEED\(|KAL_ERR_USAGE|\A\s*return [^;]*;\s*\Z",
                                      body):
                check.find(path, line, f"{name.group(1)} does not begin with KAL_NEED")


def check_listed(check, public):
    """Each public header is installed, and included by the one that includes all."""
    installed = (check.root / "include/kalaba/meson.build").read_text()
    whole = (check.root / "include/kalaba/kalaba.h").read_text()
    for path in public:
        if f"'{path.name}'" not in installed:
            check.find(path, 1, "is not listed in include/kalaba/meson.build")
        if path.name != "kalaba.h" and f"#include <kalaba/{path.name}>" not in whole:
            check.find(path, 1, "is not included by kalaba.h")


def main():
    check = Check(sys.argv)
    public = check.files(".h", under=("include",))
    internal = check.files(".h", under=("src",))
    for base, paths, commands in (("include", public, (C99, CXX)), ("src", internal, (C17,))):
        for path in paths:
            check_compiles(check, path, check.root / base, commands)
            check_guard(check, path, check.root / base)
            if path != check.root / FOREIGN:
                check_prefix(check, path, check.root / base)
    for path in public:
        check_documented(check, path)
    check_listed(check, public)
    check_needs(check, public)
    check.finish(len(public) + len(internal), "headers")


if __name__ == "__main__":
    main()
