#!/usr/bin/env python3
"""Every C file is as clang-format 14 leaves it, which does not look at the length of comments;
they end before column 101."""

import re
import subprocess
import sys
from pathlib import Path

from lint import Check


LONGEST = 100 # columns of a line that is a comment


def check_comments(check, path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if len(line) > LONGEST and line.lstrip().startswith("//"):
            check.find(path, number, f"a comment of more than {LONGEST} columns; break it")


def main():
    check = Check(sys.argv)
    tool = check.arguments[0] if check.arguments else "clang-format"
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
    if " 14." not in version.stdout:
        check.find(".clang-format", 1, f"needs version 14, got: {version.stdout.strip()}")
    files = check.files(".c", ".h")
    run = subprocess.run([tool, "--dry-run", "--Werror", *files], capture_output=True,
                         text=True, cwd=check.root, check=False)
    first = {}
    for path, line in re.findall(r"^([^:\n]+):(\d+):\d+: error", run.stderr, re.MULTILINE):
        first.setdefault(path, line)
    for path, line in first.items():
        check.find(Path(path), line, "not formatted; run clang-format -i on it")
    if run.returncode != 0 and not first:
        check.find(".clang-format", 1, run.stderr.strip())
    for path in files:
        check_comments(check, path)
    check.finish(len(files), "C files")


if __name__ == "__main__":
    main()
