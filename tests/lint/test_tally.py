#!/usr/bin/env python3
"""The tally counts what happened: no crash, silence or gap passes for success."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TALLY = Path(__file__).resolve().parents[2] / "script" / "tools" / "tally.py"

GOOD = "1..2\nok 1 - a\nok 2 - b\n"

# (what happened, protocol, result, output, status of Meson, last line, counts as success)
CASES = [
    ("all cases pass", "tap", "OK", GOOD, "0", "2 passed, 0 failed", True),
    ("a program without cases passes", "exitcode", "OK", "", "0", "1 passed, 0 failed", True),
    ("a program without cases fails", "exitcode", "FAIL", "", "1", "0 passed, 1 failed", False),
    ("a case fails", "tap", "FAIL", "1..2\nok 1\nnot ok 2 - b\n", "1",
     "1 passed, 1 failed", False),
    ("a crash after the last case", "tap", "ERROR", GOOD, "1", "2 passed, 1 failed", False),
    ("a crash between cases", "tap", "ERROR", "1..3\nok 1\n", "1", "1 passed, 2 failed", False),
    ("more cases than planned", "tap", "ERROR", "1..1\nok 1\nok 2\n", "1",
     "2 passed, 1 failed", False),
    ("no plan", "tap", "OK", "ok 1\n", "0", "1 passed, 1 failed", False),
    ("no output", "tap", "SKIP", "", "0", "0 passed, 1 failed", False),
    ("a timeout", "exitcode", "TIMEOUT", "", "1", "0 passed, 1 failed", False),
    ("a skipped case", "tap", "OK", "1..2\nok 1\nok 2 # skip no MPI\n", "0",
     "1 passed, 0 failed", True),
    ("all cases skipped", "tap", "SKIP", "1..0 # skip no MPI\n", "0",
     "0 passed, 0 failed", False),
    ("an interrupted run", "tap", "OK", GOOD, "130", "2 passed, 1 failed", False),
    ("a build that failed", "tap", None, "", "could not be built", "0 passed, 1 failed", False),
    ("a run without log", "tap", None, "", "0", "0 passed, 1 failed", False),
]


def last_line(protocol, result, output, status):
    """What the tally says of one build with one test, and its exit status."""
    with tempfile.TemporaryDirectory(prefix="kalaba tally ") as folder:
        root = Path(folder)
        (root / "meson-info").mkdir()
        (root / "meson-logs").mkdir()
        test = {"name": "t", "suite": ["kalaba:unit"], "protocol": protocol}
        (root / "meson-info/intro-tests.json").write_text(json.dumps([test]))
        if result:
            record = {"name": "kalaba:unit / t", "stdout": output, "result": result,
                      "returncode": 0}
            (root / "meson-logs/testlog.json").write_text(json.dumps(record) + "\n")
        run = subprocess.run([sys.executable, "-B", TALLY, "count", f"{root}={status}"],
                             capture_output=True, text=True, check=False)
        return (run.stdout.splitlines() or [run.stderr])[-1], run.returncode


def targets_are_those_of_the_suite():
    """What the tests of a suite need is built, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="kalaba tally ") as folder:
        root = Path(folder).resolve()
        info = root / "meson-info"
        info.mkdir()
        tests = [{"suite": ["kalaba:unit"], "depends": ["a@exe", "lib@sha"]},
                 {"suite": ["kalaba:cli"], "depends": ["b@exe"]},
                 {"suite": ["kalaba:unit", "kalaba:threads"], "depends": ["c@exe"]}]
        targets = [{"id": f"{name}@{kind}", "filename": [str(root / "tests" / name)]}
                   for name, kind in (("a", "exe"), ("b", "exe"), ("c", "exe"), ("lib", "sha"))]
        (info / "intro-tests.json").write_text(json.dumps(tests))
        (info / "intro-targets.json").write_text(json.dumps(targets))
        told = [subprocess.run([sys.executable, "-B", TALLY, "targets", root, *suites],
                               capture_output=True, text=True, check=True).stdout.split()
                for suites in (["unit"], ["threads", "cli"])]
        return told == [["tests/a", "tests/c", "tests/lib"], ["tests/b", "tests/c"]]


def main():
    print(f"1..{len(CASES) + 1}")
    failures = 0
    for number, (what, *given, wanted, success) in enumerate(CASES, 1):
        line, status = last_line(*given)
        good = line == wanted and (status == 0) == success
        failures += not good
        if not good:
            print(f"# status {status}, got: {line}, wanted: {wanted}")
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
    good = targets_are_those_of_the_suite()
    print(f"{'ok' if good else 'not ok'} {len(CASES) + 1} - targets are those of the suite")
    return failures > 0 or not good


if __name__ == "__main__":
    sys.exit(main())
