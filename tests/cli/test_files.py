#!/usr/bin/env python3
"""What the tool reads and writes: test_files.py PROGRAM ROOT

No output may be an input or another output, whatever the files are called; only regular
files are read, and `use` stays in the folder of the model.
"""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from model_lab import HANG, PROGRAM, case, main, run

MODEL = """coord x
kinetic 1/2*x'^2
potential 1/2*x^2
init x = 1
simulate 0 .. 1 every 0.5
"""


class Folder:
    """A folder with a model in it, the working folder meanwhile."""

    def __enter__(self):
        self.before = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)
        Path("m.kal").write_text(MODEL)
        return Path(self.temporary.name)

    def __exit__(self, *error):
        os.chdir(self.before)
        self.temporary.cleanup()


def content():
    return {str(path): path.read_bytes() for path in Path(".").iterdir()
            if path.is_file()}


def refuse(*arguments):
    """Wrong usage: nothing is written, and the message tells why."""
    before = content()
    status, out, err = run(*arguments)
    assert status == 2 and "are the same file" in err + out, (arguments, status, out, err)
    assert content() == before, arguments


@case
def an_output_is_never_an_input():
    with Folder() as folder:
        os.symlink("m.kal", "link.csv")
        os.link("m.kal", "hard.csv")
        os.mkdir("sub")
        os.symlink(folder, "sub/up")
        for output in ["link.csv", "hard.csv", "./link.csv", f"{folder}/hard.csv",
                       "sub/up/link.csv", "sub/../hard.csv"]:
            refuse("run", "m.kal", "-o", output)
            refuse("equilibria", "m.kal", "-o", output)
            refuse("run", "link.csv", "-o", output)
        for output in ["m.kal", "link.csv", "sub/up/m.kal"]:
            refuse("run", "m.kal", "--report", output)
            refuse("run", "m.kal", "--report", output, "--json")
            refuse("export", "m.kal", "--fmu", output)
            refuse("export", "m.kal", "--fmu", output, "--json")
        os.symlink("m.kal", "main.c")
        os.link("m.kal", "meson.build")
        refuse("export", "m.kal", "--c", "sub/up")
        os.remove("main.c")
        refuse("export", "m.kal", "--c", ".", "--json")
        os.remove("meson.build")
        os.link("m.kal", "y.h")
        refuse("export", "m.kal", "--c", ".", "--name", "y")


@case
def nor_a_file_that_the_model_uses():
    with Folder():
        os.mkdir("parts")
        Path("parts/p.kal").write_text(MODEL[:MODEL.index("simulate")])
        Path("main.kal").write_text('use "parts/p.kal"\n')
        os.symlink("parts/p.kal", "out.csv")
        refuse("run", "main.kal", "-o", "out.csv")
        refuse("run", "main.kal", "--report", "parts/p.kal")


@case
def nor_what_standard_input_is():
    with Folder():
        os.symlink("m.kal", "link.csv")
        with open("m.kal", "rb") as text:
            done = subprocess.run([PROGRAM, "run", "-", "-o", "link.csv"], stdin=text,
                                  capture_output=True, check=False, timeout=HANG)
        assert done.returncode == 2 and b"same file" in done.stderr, done
        assert Path("m.kal").read_text() == MODEL


@case
def nor_where_standard_output_goes():
    with Folder():
        for arguments in (["check", "m.kal"], ["derive", "m.kal"], ["solve", "m.kal"]):
            with open("m.kal", "ab") as text:
                done = subprocess.run([PROGRAM, *arguments], stdout=text,
                                      stderr=subprocess.PIPE, check=False, timeout=HANG)
            assert done.returncode == 2 and b"standard output" in done.stderr, done
            assert Path("m.kal").read_text() == MODEL
        with open("a.csv", "wb") as text:
            done = subprocess.run([PROGRAM, "run", "m.kal", "-o", "a.csv"], stdout=text,
                                  stderr=subprocess.PIPE, check=False, timeout=HANG)
        assert done.returncode == 2, done


@case
def two_outputs_are_two_files():
    with Folder():
        os.symlink("a.csv", "later.html") # which leads to nothing yet
        os.symlink("later.html", "chain.html")
        refuse("run", "m.kal", "-o", "a.csv", "--report", "a.csv")
        refuse("run", "m.kal", "-o", "a.csv", "--report", "./a.csv")
        refuse("run", "m.kal", "-o", "a.csv", "--report", "later.html")
        refuse("run", "m.kal", "-o", "a.csv", "--report", "chain.html")
        refuse("run", "m.kal", "-o", "a.csv", "--units", "file", "--report",
               "a.units.csv")
        os.symlink("b.csv", "b.units.csv")
        refuse("run", "m.kal", "-o", "b.csv", "--units", "file")
        status, out, err = run("run", "m.kal", "-o", "a.csv", "--units", "file")
        assert status == 0 and Path("a.units.csv").exists(), (out, err)


@case
def a_figure_is_not_its_table():
    with Folder():
        for name in ("a", "b"):
            status, out, err = run("run", "m.kal", "-o", f"{name}.csv", "--units", "file")
            assert status == 0, (out, err)
        os.symlink("a.csv", "a.svg")
        os.link("b.csv", "b.svg")
        os.symlink("a.units.csv", "u.svg")
        refuse("plot", "a.csv", "-o", "a.svg")
        refuse("plot", "a.csv", "-o", "u.svg")
        refuse("plot", "a.csv", "--marks", "b.csv", "-o", "b.svg")


@case
def only_regular_files_are_read():
    with Folder():
        os.mkfifo("pipe.kal")
        os.mkfifo("pipe.csv")
        os.mkfifo("pipe.h5")
        os.symlink("pipe.kal", "link.kal")
        server = socket.socket(socket.AF_UNIX)
        server.bind("socket.kal")
        for name in ("pipe.kal", "link.kal", "socket.kal", "/dev/zero", "/dev/null"):
            for command in ("check", "run", "derive", "solve"):
                status, out, err = run(command, name)
                assert (status, out) == (1, ""), (command, name, status)
                assert "no regular file" in err, (command, name, err)
        for name in ("pipe.csv", "pipe.h5"):
            status, out, err = run("plot", name)
            assert (status, out) == (1, "") and "no regular file" in err, err
        for name in ("check", "plot"):
            status, out, err = run(name, "." if name == "check" else "folder.csv")
            assert status == 1, err
        Path("uses.kal").write_text('use "pipe.kal"\n' + MODEL)
        status, out, err = run("check", "uses.kal")
        assert (status, out) == (1, "") and "uses.kal:1:5" in err, err
        assert "no regular file" in err, err
        server.close()


@case
def use_stays_in_the_folder():
    with Folder() as folder:
        os.mkdir("in")
        os.mkdir("in/deep")
        Path("secret").write_text("password: swordfish\n")
        Path("in/deep/ok.kal").write_text("param k = 2\n")
        os.symlink("../secret", "in/one.kal")
        os.symlink(f"{folder}/secret", "in/two.kal")
        os.symlink("one.kal", "in/three.kal")
        os.symlink("..", "in/up")
        os.symlink("deep/ok.kal", "in/fine.kal")
        for path in ("one.kal", "two.kal", "three.kal", "up/secret"):
            Path("in/main.kal").write_text(f'use "{path}"\n' + MODEL)
            for name, where in (("main.kal", "in"), ("in/main.kal", "."),
                                (f"{folder}/in/main.kal", "/")):
                done = subprocess.run([PROGRAM, "check", name], capture_output=True,
                                      cwd=where, check=False, timeout=HANG, text=True)
                assert done.returncode == 1 and "swordfish" not in done.stderr, done
                assert "leads out of the folder" in done.stderr, done
            with open("in/main.kal", "rb") as text:
                done = subprocess.run([PROGRAM, "check", "-"], capture_output=True,
                                      cwd="in", check=False, timeout=HANG, stdin=text)
                assert done.returncode == 1 and b"swordfish" not in done.stderr, done
            status, out, err = run("check", "in/main.kal", "--allow-outside")
            assert status == 1 and "swordfish" in err, err # it was allowed
        Path("in/main.kal").write_text('use "fine.kal"\n' + MODEL.replace("1/2*x^2", "k*x^2"))
        status, out, err = run("check", "in/main.kal")
        assert status == 0, err


if __name__ == "__main__":
    sys.exit(main())
