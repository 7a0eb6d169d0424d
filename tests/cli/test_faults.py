#!/usr/bin/env python3
"""Runs under bad conditions, and what they leave: test_faults.py PROGRAM ROOT

Full disks, folders that cannot be written, Ctrl-C, sudden death, numbers that make no
sense; then what tables hold, against `eval`, h5dump and the layout of MAT files.
"""

import csv
import errno
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from math import pi
from pathlib import Path

from model_lab import (EXAMPLES, HANG, PROGRAM, SHARE, case, evaluate, main, run,
                       wait_until_at_work)

FORMATS = ("csv", "json", "mat", "h5")

LONG = """param g = 9.81 [m/s^2]
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential g*y
constraint rod: x^2 + y^2 = 1
init x = 1
output angle = atan2(y, x)
simulate 0 .. 1e6 every 0.5
"""


class Folder:
    """A folder that goes away, with a model written into it."""

    def __init__(self, text=LONG):
        self.text = text

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)
        self.model = self.path / "model.kal"
        self.model.write_text(self.text)
        return self

    def __exit__(self, *error):
        for path in self.path.iterdir():
            if path.is_dir():
                path.chmod(0o700)
        self.temporary.cleanup()

    def names(self):
        return sorted(path.name for path in self.path.iterdir())

    def begin(self, *options):
        return subprocess.Popen([PROGRAM, "run", str(self.model), *map(str, options)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def refuse(text, *options, status=1):
    """What a run says that comes to nothing."""
    with Folder(text) as folder:
        got, out, err = run("run", folder.model, *options)
        assert got == status and out == "" and err, (got, out, err)
        return err


def is_marked(path):
    """Whether a file says that its run ended early."""
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as file:
            return next(csv.reader(file))[-1] == "(incomplete)"
    if path.suffix == ".json":
        return json.loads(path.read_text())["incomplete"]
    if path.suffix == ".mat":
        return "(incomplete)" in names_of_mat(path)
    return b"incomplete" in path.read_bytes() and attribute(path, "incomplete") != 0


# Files

@case
def ctrl_c_leaves_a_marked_file_of_every_format():
    for ending in FORMATS:
        with Folder() as folder:
            out = folder.path / f"out.{ending}"
            process = folder.begin("-o", out)
            wait_until_at_work(process)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=HANG)
            assert process.returncode == 130, (ending, process.returncode, err)
            assert b"interrupted at t = " in err, err
            names = [name for name in folder.names() if not name.endswith(".units.csv")]
            assert names == ["model.kal", out.name], names
            assert out.stat().st_size > 500 and is_marked(out), ending


@case
def a_run_that_takes_long_says_so_where_no_terminal_shows_it():
    for quiet in ([], ["-q"]):
        with Folder() as folder:
            process = folder.begin(*quiet)
            wait_until_at_work(process)
            process.send_signal(signal.SIGSTOP)  # time passes and no processor works
            time.sleep(10.5)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=HANG)
            told = re.search(rb"the run is at t = [\d.]+ of 1e\+06 after 1\d s", err)
            assert bool(told) == (not quiet), err


@case
def a_whole_run_is_not_marked():
    with Folder() as folder:
        for ending in FORMATS:
            out = folder.path / f"out.{ending}"
            assert run("run", folder.model, "-q", "-o", out, "--until", "5")[0] == 0
            assert not is_marked(out), ending


def die_in_the_middle():
    """A process that writes so many bytes into a file is killed at that byte."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


@case
def sudden_death_leaves_nothing_that_looks_whole():
    for ending in FORMATS:
        with Folder() as folder:
            out = folder.path / f"out.{ending}"
            done = subprocess.run([PROGRAM, "run", str(folder.model), "-q", "-o", str(out),
                                   "--until", "2000"], capture_output=True, check=False,
                                  preexec_fn=die_in_the_middle, timeout=HANG)
            assert done.returncode == -signal.SIGXFSZ, (ending, done)
            rest = [name for name in folder.names() if name != "model.kal"]
            assert rest and all(name.endswith(".part") for name in rest), rest


@case
def an_old_file_is_kept_when_writing_fails():
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))

    with Folder() as folder:
        for ending in FORMATS:
            out = folder.path / f"out.{ending}"
            out.write_text("old")
            done = subprocess.run([PROGRAM, "run", str(folder.model), "-o", str(out),
                                   "--until", "2000"], capture_output=True, check=False,
                                  preexec_fn=limit, timeout=HANG)
            assert done.returncode == 1 and done.stdout == b"", done
            assert b"cannot write" in done.stderr and b"out." in done.stderr, done
            assert out.read_text() == "old", ending
        assert len(folder.names()) == 1 + len(FORMATS), folder.names()


@case
def a_full_disk_is_told():
    if os.geteuid() != 0:
        return "needs root to mount a small disk"
    with Folder() as folder:
        disk = folder.path / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
                          capture_output=True, check=False).returncode != 0:
            return "cannot mount here"
        try:
            for ending in FORMATS:
                status, _, err = run("run", folder.model, "-o", disk / f"out.{ending}",
                                     "--until", "5000")
                assert status == 1 and "cannot write" in err, (ending, status, err)
                assert ending == "h5" or "the disk is full" in err, err
                assert not list(disk.iterdir()), list(disk.iterdir())
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    return None


@case
def places_that_cannot_be_written_are_noticed_before_the_run():
    with Folder() as folder:
        (folder.path / "dir.csv").mkdir()
        # To the end of such a run would take longer than `run` waits.
        until = ("--until", "1e10")
        (folder.path / "file").write_text("x")
        for place in ("dir.csv", "file/out.csv", "none/out.csv", "out.xyz", "out"):
            status, out, err = run("run", folder.model, *until, "-o", folder.path / place)
            assert status == 1 and out == "" and Path(place).name in err, (place, err)
        status, _, err = run("run", folder.model, *until, "-o", "/dev/full")
        assert status == 1, (status, err)
        if os.geteuid() != 0:
            locked = folder.path / "locked"
            locked.mkdir(mode=0o500)
            status, _, err = run("run", folder.model, *until, "-o", locked / "out.csv")
            assert status == 1 and "permission" in err, (status, err)


@case
def standard_output_may_be_full():
    with Folder() as folder:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "run", str(folder.model), "--until", "1"],
                                  stdout=full, stderr=subprocess.PIPE, check=False,
                                  timeout=HANG)
        assert done.returncode == 1 and done.stderr, done


# Numbers

@case
def spans_and_tolerances_that_make_no_sense():
    for every in ("0", "-1"):
        assert "positive" in refuse(LONG.replace("every 0.5", f"every {every}"))
    assert "too many" in refuse(LONG.replace("every 0.5", "every 1e-300"))
    assert "too many" in refuse(LONG, "--until", "1e308")
    assert "before the beginning" in refuse(LONG, "--until", "-1")
    assert "not after" in refuse(LONG.replace("0 .. 1e6", "3 .. 3"))
    assert "between 0 and 1" in refuse(LONG, "--tolerance", "1e300")
    for value in ("nan", "inf", "-1", "0", "", "1e-5x"):
        assert "--tolerance" in refuse(LONG, "--tolerance", value, status=2)
    for value in ("nan", "inf", "", "soon"):
        assert "--until" in refuse(LONG, "--until", value, status=2)
    for options in (["--until", "0"], ["--until", "1e-300"], ["--until", "0.1"],
                    ["--until", "2", "--tolerance", "1e-17"],
                    ["--until", "2", "--tolerance", "0.9"]):
        with Folder() as folder:
            out = folder.path / "out.csv"
            status, _, err = run("run", folder.model, "-q", "-o", out, *options)
            assert status == 0, (options, err)
            times = [row[0] for row in csv.reader(out.read_text().splitlines())]
            assert float(times[-1]) == float(options[1]), (options, times)


@case
def tables_that_are_too_large_are_refused():
    err = refuse(LONG.replace("0 .. 1e6 every 0.5", "0 .. 1e9 every 1e-3"), "-o",
                 "/tmp/never.csv")
    assert "bytes" in err and "samples" in err, err
    assert not Path("/tmp/never.csv").exists()


@case
def motions_that_end_say_when_and_why():
    free = "coord x\nkinetic 1/2*x'^2\n{}\nsimulate 0 .. 3 every 0.1\n"
    for line, words in (
            ("force x = x'^2; init x' = 1", ["t = 1", "step size"]),
            ("force x = 1/(1 - t)^2", ["t = 0.9999", "step size", "may end there"]),
            ("force x = log(1 - t)", ["model.kal:3:", "log(1 - t)", "t = 1"]),
            ("force x = sqrt(1 - t)", ["model.kal:3:", "sqrt(1 - t)", "t = 1"]),
            ("event e: log(1 - t) - 5 stop", ["model.kal:3:", "log(1 - t)", "t = 1"]),
            ("force x = exp(x); init x = 700", ["t = 0", "step size"]),
            ("force x = exp(x); init x = 800", ["model.kal:3:", "exp(x)", "t = 0"]),
            ("constraint c: x = sqrt(1 - t)", ["t = 0.99999", "step size"])):
        err = refuse(free.format(line))
        for word in words:
            assert word in err, (line, word, err)


# Terminals

def on_terminal(*arguments, environment=None):
    """What a terminal gets."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment or {})
        os.execv(PROGRAM, [PROGRAM, *map(str, arguments)])
    text = b""
    while True:
        try:
            ready, _, _ = select.select([terminal], [], [], 60)
            piece = os.read(terminal, 65536) if ready else b""
        except OSError as error:
            assert error.errno == errno.EIO, error
            piece = b""
        if not piece:
            break
        text += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode()


@case
def a_terminal_sees_how_far_the_run_is():
    with Folder() as folder:
        options = ["run", folder.model, "--until", "20000"]
        status, text = on_terminal(*options)
        shown = re.search(r"t = [\d.e+]+ of 20000  step [\d.e-]+  error [\d.e-]+  \d+ s left",
                          text)
        assert status == 0 and shown, text[:300]
        assert text.rindex("\x1b[K") < text.index("Statistics"), "it is wiped off"
        assert "\x1b" not in on_terminal(*options, "-q")[1]
        status, out, err = run(*options)
        assert status == 0 and err == "" and "\x1b" not in out, err
        status, text = on_terminal("run", folder.model, "--until", "1",
                                   environment={"NO_COLOR": "1"})
        assert status == 0 and "\x1b" not in text, text


# Contents

@case
def columns_are_what_eval_says():
    for name in ("double_pendulum_redundant", "flexible_arm_torques", "four_bar", "sleigh",
                 "incline_friction_reaction", "constant_speed"):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.csv"
            status, _, err = run("run", EXAMPLES / f"{name}.kal", "-q", "-o", out, "--until",
                                 "0.4", "--columns", "*")
            assert status == 0, (name, err)
            rows = list(csv.reader(out.read_text().splitlines()))
        row = {column: float(text) for column, text in zip(rows[0], rows[len(rows) // 2])
               if not column.startswith(("work(", "power("))} # those are of a whole run
        names = evaluate(name).names
        state = {"t": row["t"]}
        for x in names:
            state |= {x: row[x], f"{x}'": row[f"{x}'"]}
        instant = evaluate(name, state)
        want = dict(instant.outputs)
        for x in names:
            want |= {f"{x}''": instant.qdd[x], f"cforce({x})": instant.total[x]}
        for c, value in instant.multipliers.items():
            want[c if c.startswith("drive(") else f"reaction({c})"] = value
        for u, value in instant.answer.get("control", {}).items():
            want |= {f"control({u})": value, f"demand({u})": value} # nothing is limited
        assert set(row) == set(want) | set(state) | {"energy()"}, (name, set(row) ^ set(want))
        for column, value in want.items():
            error = abs(row[column] - value)
            assert error <= 1e-9 * max(1, abs(value)), (name, column, row[column], value)


@case
def energies_are_those_of_the_motion():
    with Folder() as folder:
        out = folder.path / "out.csv"
        assert run("run", folder.model, "-q", "-o", out, "--until", "3", "--columns",
                   "en?rgy()")[0] == 0
        for row in csv.DictReader(out.read_text().splitlines()):
            value = {name: float(text) for name, text in row.items()}
            energy = (value["x'"]**2 + value["y'"]**2) / 2 + 9.81 * value["y"]
            assert abs(value["energy()"] - energy) < 1e-12, row


def attribute(path, name):
    """A number or a text that a HDF5 file has at its root."""
    done = subprocess.run(["h5dump", "-a", f"/{name}", str(path)], capture_output=True,
                          text=True, check=True)
    data = done.stdout[done.stdout.index("(0):") + 4:]
    return data[:data.rindex("}\n}\n}")].strip() if '"' in data else float(data.split()[0])


@case
def hdf5_files_tell_all_about_a_run():
    if not shutil.which("h5dump"):
        return "there is no h5dump"
    with Folder() as folder:
        out = folder.path / "out.h5"
        assert run("run", folder.model, "-q", "-o", out, "--until", "5", "-p", "g=pi")[0] == 0
        for name, want in (("rtol", 1e-9), ("atol", 1e-12), ("incomplete", 0)):
            assert attribute(out, name) == want, name
        assert attribute(out, "steps") > 3 and attribute(out, "evaluations") > 30
        assert attribute(out, "position_error") < 1e-12
        for name, want in (("method", "auto"), ("drift", "project"), ("kalaba", "."),
                           ("model", "model"), ("model_text", "constraint rod")):
            assert want in attribute(out, name), name
        text = subprocess.run(["h5dump", str(out)], capture_output=True, text=True,
                              check=True).stdout
        for word in ("parameters", '"g"', "3.14159", '"angle"'):
            assert word in text, word
    return None


def matrices_of(path):
    """The matrices of a MAT file of version 4: name, then rows of values."""
    data = path.read_bytes()
    kinds = {0: "d", 2: "i", 5: "B"}
    place = 0
    answer = {}
    while place < len(data):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5i", data, place)
        name = data[place + 20:place + 19 + length].decode()
        place += 20 + length
        code = kinds[kind // 10 % 10]
        values = struct.unpack_from(f"<{rows * columns}{code}", data, place)
        place += rows * columns * struct.calcsize(code)
        assert imaginary == 0 and kind < 1000, (name, kind)
        answer[name] = [values[i * rows:(i + 1) * rows] for i in range(columns)]
        if kind % 10 == 1:  # a text: characters are the columns of the others
            answer[name] = [bytes(column).decode().rstrip(" \0") for column in answer[name]]
    return answer


def names_of_mat(path):
    return matrices_of(path)["name"]


@case
def mat_files_have_the_layout_of_trajectories():
    with Folder() as folder:
        out = folder.path / "out.mat"
        assert run("run", folder.model, "-q", "-o", out, "--until", "5")[0] == 0
        table = matrices_of(out)
        assert list(table) == ["Aclass", "name", "description", "dataInfo", "data_1",
                               "data_2"], list(table)
        kind = ["".join(letters).strip() for letters in zip(*(line.ljust(4)
                                                              for line in table["Aclass"]))]
        assert kind[0] == "Atrajectory" and kind[3] == "binTrans", kind
        assert table["name"] == ["time", "x", "y", "x'", "y'", "angle", "g"], table["name"]
        assert len(table["dataInfo"]) == len(table["name"])
        samples = table["data_2"]
        assert [sample[0] for sample in samples] == [k / 2 for k in range(11)], samples
        for (which, place, _, _), name in zip(table["dataInfo"], table["name"]):
            rows = table["data_1"] if which == 1 else samples
            value = rows[0][abs(place) - 1]
            want = {"time": 0, "x": 1, "y": 0, "x'": 0, "y'": 0, "angle": 0, "g": 9.81}[name]
            assert value == want, (name, value)


@case
def a_slider_crank_passes_its_dead_centres_for_long():
    """With equal lengths rows vanish twice in a turn; a thousand times."""
    turns = 50 if SHARE > 1 else 500
    text = f"""param L = 0.3
coord a, b, x
kinetic 1/2*(0.02*a'^2 + 0.01*b'^2 + 0.5*x'^2)
constraint loop: [L*cos(a) + L*cos(b) - x, L*sin(a) + L*sin(b)] = [0, 0]
prescribe a = 10*t + 0.5
init b ~ -0.5, x ~ 0.5
simulate 0 .. {turns * pi / 5 - 0.05!r} every 0.05
"""
    with Folder(text) as folder:
        status, out, err = run("run", folder.model, "--json")
        assert status == 0, (out[:500], err[:500])
        answer = json.loads(out)
        assert abs(answer["q"]["b"] + answer["q"]["a"]) < 1e-8, answer["q"]
        passages = [i for i in answer["incidents"] if i["what"] == "passage"]
        assert len(passages) == answer["passages"] == 2 * turns, answer["passages"]


@case
def passages_are_reported_where_there_are_some():
    for name, want in (("parallelogram", 10), ("spatial_four_bar", 0), ("four_bar", 0),
                       ("universal_joint", 0)):
        status, out, err = run("run", EXAMPLES / f"{name}.kal", "--json")
        assert status == 0, (name, out[:500], err[:500])
        assert json.loads(out)["passages"] == want, (name, out[:500])


if __name__ == "__main__":
    sys.exit(main())
