#!/usr/bin/env python3
"""A build folder that is there is used again, and knows of what was added to the descriptions
of the build meanwhile.  Speaks TAP."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = "project('p')\nsh = find_program('sh')\ntest('one', sh, suite: 'old')\n"


def setup(folder):
    """What setting up the build folder says."""
    script = f". '{ROOT}/script/setup'; root='{folder}'; setup_build build"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stderr


def suites(folder):
    tally = ROOT / "script" / "tools" / "tally.py"
    done = subprocess.run([sys.executable, "-B", tally, "suites", folder / "build"],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


def a_new_folder_is_configured(folder, description):
    description.write_text(DESCRIPTION)
    status, said = setup(folder)
    return status == 0 and "Configuring" in said and suites(folder) == ["old"], said


def one_that_is_there_is_used_again(folder, _):
    status, said = setup(folder)
    return status == 0 and said == "", said


def what_was_added_is_known(folder, description):
    description.write_text(DESCRIPTION + "test('two', sh, suite: 'young')\n")
    status, said = setup(folder)
    return status == 0 and sorted(suites(folder)) == ["old", "young"], said


def a_fault_in_what_was_added_is_told(folder, description):
    description.write_text(DESCRIPTION + "test(\n")
    status, said = setup(folder)
    return status != 0 and "meson.build" in said, said


def main():
    cases = [a_new_folder_is_configured, one_that_is_there_is_used_again,
             what_was_added_is_known, a_fault_in_what_was_added_is_told]
    print(f"1..{len(cases)}")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="kalaba setup ") as name:
        folder = Path(name)
        for number, case in enumerate(cases, 1):
            good, said = case(folder, folder / "meson.build")
            failures += not good
            if not good:
                print("".join(f"# {line}\n" for line in said.splitlines()), end="")
            print(f"{'ok' if good else 'not ok'} {number} - {case.__name__}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
