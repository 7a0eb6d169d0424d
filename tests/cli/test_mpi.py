#!/usr/bin/env python3
"""Sweeps of several ranks: test_mpi.py PROGRAM ROOT

The same bytes for any number of ranks, killed or not; what goes wrong is told once and ends
all ranks.  Needs Open MPI's mpirun.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from model_lab import HANG, PROGRAM, case, main, run

SPRING = """model "Spring"
param m = 2, k = 8, c = 0
coord x
kinetic 1/2*m*x'^2
potential 1/2*k*x^2
dissipation 1/2*c*x'^2
init x = 1
event wall: x - 0.99 falling set x' = x'/(c - 1)
simulate 0 .. 5 every 0.5
"""

INPUTS = ["--vary", "k = 1 .. 9 count 40", "--vary", "c = 0, 0.5, 1"]


class Folder:
    """A folder with a model in it, the working folder meanwhile."""

    def __enter__(self):
        self.before = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)
        Path("spring.kal").write_text(SPRING)
        return self

    def __exit__(self, *error):
        os.chdir(self.before)
        self.temporary.cleanup()


def ranks(count, *arguments):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
            "-n", str(count), PROGRAM, "sweep", *arguments]


# Open MPI gives some of its memory back only by ending, and unloads its plugins before: leaks
# cannot be told from ours.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def go(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False,
                          env=ENVIRONMENT)
    return done.returncode, done.stdout, done.stderr


def needs_mpirun(function):
    """A case that is passed over where there is no mpirun."""
    def checked():
        return function() if shutil.which("mpirun") else "no mpirun: install openmpi-bin"
    checked.__name__ = function.__name__
    return case(checked)


@needs_mpirun
def ranks_make_no_difference():
    with Folder():
        for more, ending, counts in (([], "csv", (1, 2, 3, 4)),
                                     (["--trajectories"], "h5", (3,)),
                                     # rows that are longer than a parcel
                                     (["--trajectories", "--until", "100"], "h5", (2,)),
                                     (["--keep", "max(x), when(wall)", "--threads", "2"],
                                      "h5", (2,))):
            alone = f"alone.{ending}"
            status, _, err = run("sweep", "spring.kal", "-o", alone, *INPUTS, *more)
            assert status == 0, err
            for count in counts:
                path = f"ranks.{ending}"
                status, out, err = go(ranks(count, "spring.kal", "-o", path, *INPUTS, *more))
                assert status == 0 and out.count("120 runs") == 1, (out, err)
                assert Path(path).read_bytes() == Path(alone).read_bytes(), (more, count)
        assert not list(Path(".").glob("*.sweep"))


def children(parent):
    """Processes of our program below one that was started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
            command = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(fields[1]) == parent and len(command) > 1 and command[1] == b"sweep":
            found.append(int(stat.parent.name))
    return found


def at_work(parent):
    return children(parent) and list(Path().glob("part.h5*.sweep"))


@needs_mpirun
def killed_ranks_go_on_to_the_same_bytes():
    with Folder():
        work = ["--vary", "k = 1 .. 9 count 300", "--until", "40", "--threads", "1"]
        status, _, err = run("sweep", "spring.kal", "-o", "whole.h5", *work)
        assert status == 0, err
        kills = 0
        while not Path("part.h5").exists():
            started = subprocess.Popen(ranks(3, "spring.kal", "-o", "part.h5", "-q", *work,
                                             "--resume"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=ENVIRONMENT)
            while kills < 3 and started.poll() is None and not at_work(started.pid):
                time.sleep(0.01)
            time.sleep(random.uniform(0, 0.3) if 0 < kills < 3 else 0)
            found = children(started.pid) if kills < 3 else []
            if found:
                os.kill(random.choice(found), signal.SIGKILL)
                kills += 1
            started.wait(timeout=HANG)
            if kills == 0: # all was done before we came to it
                Path("part.h5").unlink(missing_ok=True)
        assert Path("part.h5").read_bytes() == Path("whole.h5").read_bytes()


@needs_mpirun
def failures_are_told_once_and_end_all_ranks():
    with Folder():
        Path("other.h5.sweep").write_text("something else")
        for arguments, part in (
                (["-o", "other.h5", "--resume"], "is the work of another sweep"),
                (["-o", "no/such.h5"], "the folder does not exist"),
                (["-o", "a.txt"], "ends with .csv"),
                (["-o", "a.h5", "--shard", "1/2"], "neither a shard nor a merge"),
        ):
            status, _, err = go(ranks(3, "spring.kal", *arguments, *INPUTS))
            assert status != 0 and err.count(part) == 1, (arguments, status, err)
        status, out, err = go(ranks(2, "spring.kal", *INPUTS, "--dry-run", "--json"))
        assert status == 0 and out.count('"runs": 120') == 1, (out, err)


if __name__ == "__main__":
    sys.exit(main())
