#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run tests with pytest and tell each outcome in TAP: tap.py FOLDER PROGRAM ROOT FILE…

FOLDER holds the package, PROGRAM is the command line to compare with, ROOT the source.
"""

import os
import sys

FOLDER, PROGRAM, ROOT, *FILES = sys.argv[1:]
sys.path.insert(0, FOLDER)
os.environ["KALABA_PROGRAM"] = PROGRAM
os.environ["KALABA_ROOT"] = ROOT
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest  # noqa: E402  (the path comes first)


class Tap:
    """A line for each test, as it ends; what went wrong as comments."""

    def __init__(self):
        self.count = 0
        self.out = os.fdopen(os.dup(1), "w")

    def say(self, text):
        self.out.write(text + "\n")
        self.out.flush()

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and not (report.failed or report.skipped):
            return
        self.count += 1
        name = report.nodeid.replace("#", " ")
        if report.skipped:
            self.say(f"ok {self.count} - {name} # SKIP {report.longrepr[2]}")
            return
        for line in str(report.longrepr or "").splitlines():
            self.say(f"# {line}")
        self.say(f"{'ok' if report.passed else 'not ok'} {self.count} - {name}")

    def pytest_collectreport(self, report):
        if report.failed:
            self.count += 1
            for line in str(report.longrepr).splitlines():
                self.say(f"# {line}")
            self.say(f"not ok {self.count} - reading {report.nodeid}")

    def pytest_sessionfinish(self):
        self.say(f"1..{self.count}")


if __name__ == "__main__":
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--doctest-modules", "--noconftest",
                          *FILES], plugins=[Tap()]))
