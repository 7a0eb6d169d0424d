#!/usr/bin/env python3
"""clang-tidy on each source file of the library and the tool: check_tidy.py ROOT BUILD

One process a file: several files in one make version 14 report a va_list that is not
there.  A file that passed is not looked at again until it, a header it includes, the
configuration or a command changes; a folder of the user's cache remembers, for all trees.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from lint import Check, includes_of

TOOL = "clang-tidy"
# Assertions tell the analyzer what holds, so it sees them even in a release build.
# The analyzer follows the paths of a function up to a bound, for what it finds it finds early,
# and the rest takes most of the time: a fiftieth of the usual bound, or with KAL_TEST_ALL all
# of it.
NODES = 225000 if "KAL_TEST_ALL" in os.environ else 4500
EXTRA = ["--extra-arg=-UNDEBUG", "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang",
         f"--extra-arg=max-nodes={NODES}"]
MONTH = 30 * 24 * 3600


def cache(build):
    """The folder of marks of files that passed; one in the build for users without any."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "kalaba-tidy"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = build / "tidy-passed"
        folder.mkdir(exist_ok=True)
    return folder


def forget_old(folder):
    """Drop the marks that no check has needed for a month."""
    for mark in folder.iterdir():
        if mark.stat().st_mtime < time.time() - MONTH:
            mark.unlink(missing_ok=True)


def with_headers(root, path, seen):
    """The file and, in order of discovery, the project's headers it reaches."""
    if path in seen:
        return
    seen.append(path)
    for _, _, name in includes_of(path.read_text()):
        for folder in (path.parent, root / "src", root / "include"):
            if (folder / name).is_file():
                with_headers(root, folder / name, seen)


def fingerprint(root, path, command, version):
    digest = hashlib.sha256((version + command + " ".join(EXTRA)).encode())
    files = [root / ".clang-tidy"]
    with_headers(root, path, files)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def tidy(build, path):
    run = subprocess.run([TOOL, "--quiet", f"-p={build}", *EXTRA, path],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stdout or run.stderr


def report(check, build, text):
    """Print what the tool said, with paths from the root, and count the findings."""
    before = check.findings
    for line in text.splitlines():
        place = re.match(r"([^\s:]+):(\d+):\d+: (.*)", line)
        if not place:
            print(line)
            continue
        path, message = (build / place.group(1)).resolve(), place.group(3)
        if message.startswith("error:"):
            check.find(path, place.group(2), message)
        else:
            print(f"{path}:{place.group(2)}: {message}")
    return check.findings > before


def sources(root, build):
    """Source file → compile command, from the compile database."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = (Path(entry["directory"]) / entry["file"]).resolve()
        if path.is_relative_to(root / "src"):
            found[path] = entry["command"]
    return dict(sorted(found.items()))


def main():
    check = Check(sys.argv)
    build = Path(check.arguments[0]).resolve()
    passed = cache(build)
    version = subprocess.run([TOOL, "--version"], capture_output=True, text=True,
                             check=True).stdout
    commands = sources(check.root, build)
    marks = {path: passed / fingerprint(check.root, path, command, version)
             for path, command in commands.items()}
    todo = [path for path, mark in marks.items() if not mark.exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (status, text) in zip(todo, pool.map(lambda p: tidy(build, p), todo)):
            if status == 0:
                marks[path].touch()
            elif not report(check, build, text):
                check.find(path, 1, f"{TOOL} ended with status {status}")
    for mark in set(marks.values()) - {marks[path] for path in todo}:
        mark.touch()
    forget_old(passed)
    check.finish(len(marks), "source files")


if __name__ == "__main__":
    main()
