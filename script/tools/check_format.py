#!/usr/bin/env python3
"""Every C file is as clang-format 14 leaves it."""

import re
import subprocess
import sys
from pathlib import Path

from lint import Check


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
    check.finish(len(files), "C files")


if __name__ == "__main__":
    main()
