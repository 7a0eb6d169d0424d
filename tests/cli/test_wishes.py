#!/usr/bin/env python3
"""Options that commands share: test_wishes.py PROGRAM ROOT

States and their units, results to standard output, options that are given twice.
"""

import csv
import io
import json
import math
import os
import sys
import tempfile
from pathlib import Path

from model_lab import EXAMPLES, case, main, near, run

# Free motion: where it begins is all that happens to it.
FREE = """model "Free"
param m = 2 [kg], L = 2 [m], al = 20 [deg]
coord x [m], a [rad]
state i [A]: i' = 0
kinetic 1/2*m*x'^2 + 1/2*m*L^2*a'^2
init x = L*cos(al), a = 0
simulate 0 .. 1 every 0.5
"""

PENDULUM = """model "Pendulum"
param m = 1 [kg], L = 2 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x ~ 1, y ~ -1
output height = y [m]
simulate 0 .. 1 every 0.5
"""


class Folder:
    """A folder with models in it, the working folder meanwhile."""

    def __enter__(self):
        self.before = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)
        Path("free.kal").write_text(FREE, encoding="utf-8")
        Path("pendulum.kal").write_text(PENDULUM, encoding="utf-8")
        return self

    def __exit__(self, *error):
        os.chdir(self.before)
        self.temporary.cleanup()


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def evaluated(*options):
    status, out, err = run("eval", "free.kal", "--json", "-q", *options)
    assert status == 0, (options, out, err)
    return json.loads(out)


@case
def units_of_a_state_count():
    with Folder():
        for text, place, index, value in (
                ("x = 3 [m]", "q", 0, 3.0), ("x' = 3 [m/s]", "qd", 0, 3.0),
                ("a = 30 [deg]", "q", 1, math.pi / 6), ("a = 2 [rad]", "q", 1, 2.0),
                ("a = pi/2 [deg]", "q", 1, math.pi / 2), ("a = 30*deg", "q", 1, math.pi / 6),
                ("a' = 3 [rad/s]", "qd", 1, 3.0), ("a = al", "q", 1, math.pi / 9)):
            near(evaluated("--at", text)[place][index], value, 1e-15)
        assert evaluated("--at", "t = 3 [s]")["t"] == 3
        assert evaluated("--at", "i = 3 [A]")["states"]["i"] == 3


@case
def units_that_do_not_fit_are_refused():
    with Folder():
        for text, said in (
                ("x = 3 [cm]", "another size"), ("x = 3 [s]", "do not match"),
                ("x' = 3 [m]", "do not match"), ("a' = 30 [deg/s]", "another size"),
                ("x = 3 [deg]", "do not match"), ("x = 3 [bogus]", "unknown unit 'bogus'"),
                ("x = 3 [meter]", "did you mean 'm'"), ("a = al [deg]", "radians already"),
                ("a = pi + 3 [deg]", "made of pi and deg"), ("t = 3 [m]", "do not match"),
                ("i = 3 [V]", "do not match")):
            for command in ("eval", "run", "modes"):
                if command != "eval" and text.startswith("t"):
                    continue
                status, _, err = run(command, "free.kal", "--at", text)
                assert status == 1 and said in err, (command, text, status, err)
        status, _, err = run("equilibria", "free.kal", "--where", "x = 0 [cm] .. 1")
        assert status == 1 and "another size" in err, err


@case
def units_of_inputs_count():
    with Folder():
        for text, column, values in (
                ("L = 1 [m] .. 3 [m] count 3", "L", [1, 2, 3]),
                ("al = 10 [deg], 20, pi, 30*deg", "al", [10, 20, 180, 30]),
                ("a = 90 [deg], pi", "a", [math.pi / 2, math.pi]),
                ("x' = 1 [m/s], 2", "x'", [1, 2])):
            status, out, err = run("sweep", "free.kal", "-o", "o.csv", "--vary", text)
            assert status == 0, (text, out, err)
            rows = table_of(Path("o.csv").read_text(encoding="utf-8"))
            near([float(row[column]) for row in rows], values, 1e-13)
            os.remove("o.csv")
        for text in ("L = 1 [cm], 2", "L = 1 [foo]", "al = 1 [m]", "x = 1 .. 2 count 3 [m]",
                     "x' = 1 [m]"):
            status, _, err = run("sweep", "free.kal", "-o", "o.csv", "--vary", text)
            assert status == 1 and ("unit" in err), (text, status, err)
        status, _, err = run("sweep", "free.kal", "-o", "o.csv", "--count", "3", "--random",
                             "L = normal(1 [kg], 2)")
        assert status == 1 and "units do not match" in err, err


@case
def a_run_begins_where_it_is_told():
    with Folder():
        status, out, err = run("run", "free.kal", "--at", "x = 1, x' = 2, a' = 90*deg", "--json")
        assert status == 0, err
        end = json.loads(out)
        near([end["q"]["x"], end["q"]["a"]], [3.0, math.pi / 2], 1e-9)
        # what is named holds, and the rest follows the constraint
        status, out, err = run("run", "pendulum.kal", "--at", "x = 1.2", "-o", "-")
        first = table_of(out)[0]
        near([float(first["x"]), float(first["y"])], [1.2, -1.6], 1e-12)
        status, out, err = run("run", "pendulum.kal", "--at", "x = 3")
        assert status == 1 and "rod" in err, err
        status, out, err = run("run", "free.kal", "--at", "t = 1")
        assert status == 1 and "first time" in err, err
        status, out, err = run("run", "free.kal", "--at", "x = 1", "--family", "x' = 2, 4",
                               "-o", "-", "-q")
        ends = [float(row["x"]) for row in table_of(out) if float(row["t"]) == 1]
        near(ends, [3.0, 5.0], 1e-12)


@case
def a_search_begins_where_it_is_told():
    with Folder():
        for start, height in (("y = -1.9", -2.0), ("y = 1.9", 2.0)):
            status, out, err = run("equilibria", "pendulum.kal", "--at", start, "--json")
            assert status == 0, err
            found = json.loads(out)
            assert found["starts"] == 1 and len(found["equilibria"]) == 1, found
            near(found["equilibria"][0]["q"]["y"], height, 1e-9)
        status, _, err = run("equilibria", "pendulum.kal", "--at", "z = 5")
        assert status == 1 and "'z'" in err, err


@case
def standard_output_takes_tables():
    with Folder():
        status, out, err = run("run", "free.kal", "-o", "-")
        assert status == 0 and err == "", err
        assert [row["t"] for row in table_of(out)] == ["0", "0.5", "1"], out
        _, units, _ = run("run", "free.kal", "-o", "-", "--units", "comment")
        assert units == "# units: s,m,rad,m/s,rad/s,A\n" + out, units
        status, out, _ = run("equilibria", "pendulum.kal", "-o", "-")
        assert status == 0 and len(table_of(out)) == 2 and "height" in out, out
        assert not [name for name in os.listdir() if not name.endswith(".kal")]
        for arguments in (["run", "free.kal", "--json"], ["modes", "free.kal", "--json"],
                          ["equilibria", "pendulum.kal", "--json"],
                          ["run", "free.kal", "--units", "file"]):
            status, out, err = run(*arguments, "-o", "-")
            assert status == 2 and "standard output" in err and not out, (arguments, err)


@case
def units_come_with_a_table():
    with Folder():
        run("run", "free.kal", "-o", "a.csv", "-q")
        assert "x',m/s," in Path("a.units.csv").read_text(encoding="utf-8")
        run("equilibria", "pendulum.kal", "-o", "b.csv", "-q")
        units = Path("b.units.csv").read_text(encoding="utf-8")
        assert "x',m/s," in units and "height,m," in units, units
        run("run", "free.kal", "-o", "c.csv", "-q", "--units", "none")
        assert not Path("c.units.csv").exists()


@case
def eigenvalues_go_to_tables():
    with Folder():
        status, out, err = run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", "w=1..200",
                               "--points", "3", "-o", "-")
        rows = table_of(out)
        assert status == 0 and [float(row["w"]) for row in rows] == [1, 100.5, 200], (out, err)
        assert [row["stability"] for row in rows] == ["-1", "-1", "1"], out
        run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", "w=1..200", "--points", "3",
            "-o", "s.csv", "-q")
        assert Path("s.csv").read_text(encoding="utf-8") == out
        status, out, _ = run("modes", "pendulum.kal", "--at", "x = 0, y = -2", "-o", "-")
        frequency = math.sqrt(9.81 / 2) / (2 * math.pi)
        near([float(row["frequency"]) for row in table_of(out)], [frequency] * 2, 1e-9)


@case
def spaces_in_ranges_do_not_matter():
    """`run --vary` and `simulate` take them, too."""
    with Folder():
        tables = [run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", text, "--points", "3",
                      "-o", "-", "-q") for text in ("w=1..200", " w = 1 .. 200 ")]
        assert tables[0] == tables[1] and tables[0][0] == 0, tables
        run("run", "free.kal", "-o", "t.csv", "-q")
        figures = [run("plot", "t.csv", "--y", "x", "--between", between, "--size", size, "-o",
                       "f.svg", "-q") and Path("f.svg").read_text(encoding="utf-8")
                   for between, size in (("0..0.5", "80x60"), ("0 .. 0.5", "80 x 60"))]
        assert figures[0] == figures[1]


@case
def an_option_is_no_value():
    status, out, err = run("modes", EXAMPLES / "sleeping_top.kal", "--equilibrium", "--sweep",
                           "w=1..2")
    assert (status, out) == (2, "") and "'--equilibrium' lacks its value" in err, err


@case
def eigenvalues_that_are_always_zero_are_left_out():
    status, out, err = run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", "w=1..200",
                           "--points", "3")
    rows = [line.split() for line in out.splitlines() if "stable  " in line]
    assert status == 0 and "2 eigenvalues are 0 throughout" in out, (out, err)
    assert rows[0][2:] == ["11.0733", "±0.0833333i", "-11.0733", "±0.0833333i"], rows
    status, out, err = run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", "w=1..200",
                           "--points", "3", "-o", "-")
    rows = table_of(out)
    assert status == 0 and "re[4]" in rows[0] and "re[5]" not in rows[0], (out, err)
    near(sorted(float(rows[0][f"re[{k}]"]) for k in (1, 2, 3, 4)),
         [-11.0733, -11.0733, 11.0733, 11.0733], 1e-4)


@case
def an_option_is_given_once():
    with Folder():
        for options in (["-o", "a.csv", "-o", "b.csv"], ["--until", "1", "--until=2"],
                        ["--at", "x=1", "--at", "a=2"]):
            status, out, err = run("run", "free.kal", *options)
            assert status == 2 and f"'{options[0]}' is given twice" in err, (options, err)
        assert not [name for name in os.listdir() if name.endswith(".csv")]
        status, _, err = run("run", "free.kal", "-p", "m=1", "-p", "L=3", "-q", "-q")
        assert status == 0, err


if __name__ == "__main__":
    sys.exit(main())
