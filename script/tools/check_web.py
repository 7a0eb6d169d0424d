#!/usr/bin/env python3
"""The scripts of web pages: check_web.py ROOT [PRETTIER]

They are formatted, if PRETTIER is given; short; make no markup of texts; and the build
knows of each.  The packages that they need are pinned, without addresses.
"""

import json
import os
import re
import subprocess
import sys

from lint import Check, line_of

FILE_LINES = 400
MARKUP = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|DOMParser|"
                    r"createContextualFragment|document\.write|eval|Function)\b")
LIST = "src/report/meson.build"


def check_scripts(check, files):
    for path in files:
        text = path.read_text()
        lines = text.count("\n")
        if lines > FILE_LINES:
            check.find(path, lines, f"file of {lines} lines, allowed {FILE_LINES}")
        for match in MARKUP.finditer(text):
            check.find(path, line_of(text, match.start()),
                       f"{match.group()}: texts reach the page through textContent")


def check_list(check, files):
    """A file that the build does not know does not make it build again."""
    known = (check.root / LIST).read_text()
    for path in files:
        if f"'{path.name}'" not in known:
            check.find(path, 1, f"is not listed in {LIST}")


def check_packages(check):
    package = check.root / "web/package.json"
    lock = check.root / "web/package-lock.json"
    needed = json.loads(package.read_text())
    for kind in ("dependencies", "devDependencies"):
        for name, version in needed.get(kind, {}).items():
            if not re.fullmatch(r"\d+\.\d+\.\d+", version):
                check.find(package, 1, f"{name} {version}: expected one version")
    for name, entry in json.loads(lock.read_text())["packages"].items():
        if "resolved" in entry:
            check.find(lock, 1, f"{name} has an address; npm install "
                                "--omit-lockfile-registry-resolved leaves it out")


# Prettier passes over what a .gitignore of the folder that it is called from names, and that of
# a build folder names everything.
def check_format(check, prettier, files):
    run = subprocess.run(["node", prettier, "--config", check.root / "web/package.json",
                          "--ignore-path", os.devnull, "--list-different", *files],
                         capture_output=True, text=True, check=False, cwd=check.root)
    for name in run.stdout.splitlines():
        check.find(name, 1, "not formatted; run prettier --write on it")
    if run.returncode != 0 and not run.stdout:
        check.find("web", 1, run.stderr.strip())


def main():
    check = Check(sys.argv)
    pages = check.files(".js", ".css", ".html", under=("web/src",))
    tests = check.files(".mjs", under=("tests/browser",))
    check_scripts(check, [path for path in pages if path.suffix == ".js"] + tests)
    check_list(check, pages)
    check_packages(check)
    if check.arguments:
        formatted = [path for path in pages if path.suffix != ".html"] + tests
        check_format(check, check.arguments[0], formatted)
    check.finish(len(pages), "files of pages")


if __name__ == "__main__":
    main()
