#!/usr/bin/env python3
"""When memory ends: test_memory.py PROGRAM ROOT

Under every limit of memory a command does its work or says that there is no memory; no
library that it uses ends the program.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, case, main, run

MIB = 1 << 20
ENOUGH = 400 * MIB
# Memory that is filled for the sake of tests takes its time.
PLAIN = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}


def limited(size, *arguments):
    """Status and standard error of a run with so many bytes of address space."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    done = subprocess.run([PROGRAM, *map(str, arguments)], preexec_fn=limit, timeout=HANG,
                          capture_output=True, check=False, env=PLAIN)
    return done.returncode, done.stderr.decode()


def needs(*arguments):
    """The least limit, within 1 MiB, with which a command does its work; None in a build
    that cannot be limited because its sanitizer takes all addresses."""
    low, high = 0, ENOUGH
    if limited(high, *arguments)[0] != 0:
        return None
    while high - low > MIB:
        middle = (low + high) // 2
        if limited(middle, *arguments)[0] == 0:
            high = middle
        else:
            low = middle
    return high


def sweep(*arguments):
    most = needs(*arguments)
    if most is None:
        return "the sanitizer needs all addresses"
    least = needs("--version") # with less the system cannot start the program
    for size in range(max(least, most - 10 * MIB), most + MIB, 7 * MIB // 8):
        status, err = limited(size, *arguments)
        assert status in (0, 1), (arguments, size, status, err)
        assert status == 0 or err.startswith("kalaba: "), (arguments, size, err)
    return None


@case
def exact_algebra():
    return (sweep("derive", "--closed-form", EXAMPLES / "slider_crank.kal")
            or sweep("derive", "--closed-form", EXAMPLES / "double_pendulum.kal")
            or sweep("derive", EXAMPLES / "sleigh.kal")
            or sweep("reduce", EXAMPLES / "sleigh.kal"))


@case
def motion_and_its_files():
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "a" + ending) for ending in (".csv", ".h5", ".mat", ".json")]
        model = EXAMPLES / "pendulum.kal"
        for file in files:
            skipped = sweep("run", model, "-o", file)
            if skipped:
                return skipped
        sweep("run", model, "--method", "bdf", "--until", "1")
        sweep("run", model, "--verify", "--until", "1")
        sweep("run", model, "--report", Path(folder, "a.html"))
        return None


@case
def analysis():
    model = EXAMPLES / "double_pendulum.kal"
    return (sweep("check", model) or sweep("equilibria", model, "--starts", "3")
            or sweep("modes", model, "--equilibrium", "1"))


@case
def figures():
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "a.csv")
        status, out, err = run("run", EXAMPLES / "pendulum.kal", "-o", table)
        assert status == 0, (out, err)
        for ending in (".svg", ".pdf", ".png"):
            skipped = sweep("plot", table, "-o", Path(folder, "a" + ending))
            if skipped:
                return skipped
        return sweep("plot", table)


if __name__ == "__main__":
    sys.exit(main())
