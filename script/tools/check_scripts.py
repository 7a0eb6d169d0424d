#!/usr/bin/env python3
"""Shell scripts pass shellcheck; Python scripts compile; both may be executed."""

import os
import subprocess
import sys

from lint import Check


def first_line(path):
    with open(path, "rb") as file:
        return file.readline(200).decode(errors="replace").strip()


def check_shell(check, path):
    command = ["shellcheck", "--format=gcc", "--external-sources",
               "--source-path=SCRIPTDIR", path]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        check.find(path, 1, "findings of shellcheck:")
        print((run.stdout + run.stderr).rstrip())


def check_python(check, path):
    try:
        compile(path.read_text(), str(path), "exec")
    except SyntaxError as error:
        check.find(path, error.lineno or 1, error.msg)


def main():
    check = Check(sys.argv)
    count = 0
    for path in check.files(".py", ".sh", ""):
        line = first_line(path)
        script = line.startswith("#!")
        if script and not os.access(path, os.X_OK):
            check.find(path, 1, "begins with #! but may not be executed")
        if path.suffix == ".py" or script and "python" in line:
            check_python(check, path)
        elif path.suffix == ".sh" or script and line.endswith(("/sh", "/bash", " bash")):
            check_shell(check, path)
        else:
            continue
        count += 1
    check.finish(count, "scripts")


if __name__ == "__main__":
    main()
