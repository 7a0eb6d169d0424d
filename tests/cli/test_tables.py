#!/usr/bin/env python3
"""Functions from data, from outside: test_tables.py PROGRAM ROOT

Motions under tables that have closed forms; drives along splines; the analyses; sweeps; files
that are wrong.
"""

import csv
import json
import os
import tempfile
from math import cos, pi, sin, sqrt
from pathlib import Path

from model_lab import EXAMPLES, case, main, run

HOSTILE = {
    "missing": None,
    "unsorted": "x,y\n0,1\n2,2\n1,3\n",
    "nan": "x,y\n0,1\n1,nan\n",
    "text": "x,y\n0,1\n1,one\n",
    "one": "x,y\n0,1\n",
    "empty": "",
    "binary": "\x00\x01\x02\xff",
}


def close(got, want, tolerance):
    assert abs(got - want) <= tolerance, (got, want, abs(got - want), tolerance)


class Folder:
    """A folder with a model and its data."""

    def __init__(self, model, **files):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.model = self.path / "model.kal"
        self.model.write_text(model)
        for name, text in files.items():
            (self.path / f"{name}.csv").write_text(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def json(self, command, *options):
        status, out, err = run(command, self.model, "--json", "-q", *options)
        assert status == 0, (status, out[:1000], err[:1000])
        return json.loads(out)

    def rows(self, *options):
        out = self.path / "out.csv"
        status, text, err = run("run", self.model, "-q", "-o", out, *options)
        assert status == 0, (status, text[:1000], err[:1000])
        with open(out, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


BILINEAR = """
table spring = [-1, 0, 1], [-9, 0, 4], method = linear, outside = extend
coord x
kinetic 1/2*x'^2
force x = -spring(x)
init x = 0, x' = 1
event back: x rising stop
simulate 0 .. 20 every 0.01, rtol = 1e-11, atol = 1e-12
"""


@case
def a_spring_of_two_rates_has_the_period_of_both_halves():
    with Folder(BILINEAR) as folder:
        answer = folder.json("run")
        close(answer["t"], pi/2 + pi/3, 1e-9)
        close(answer["qd"]["x"], 1, 1e-9)


@case
def a_road_of_lines_is_met_at_every_point():
    height = [0.02*((7*i) % 5) for i in range(1001)]
    road = "s,h\n" + "".join(f"{0.1*i:.1f},{height[i]}\n" for i in range(1001))
    model = ("table road = \"road.csv\", x = s, y = h, method = linear\n"
             "param k = 100, m = 1\ncoord y\nkinetic 1/2*m*y'^2\n"
             "potential 1/2*k*(y - road(2*t))^2\ninit y = 0\n"
             "simulate 0 .. 20 every 0.1, rtol = 1e-10, atol = 1e-12\n")
    with Folder(model, road=road) as folder:
        rows = folder.rows()
        answer = folder.json("run")
    # Exactly: y'' = k (r - y), r linear in each of the pieces of 0.05 s.
    y, v, w = 0.0, 0.0, 10.0
    for i in range(400):
        slope = (height[i + 1] - height[i])/0.05
        a, b = y - height[i], (v - slope)/w
        y = height[i + 1] + a*cos(w*0.05) + b*sin(w*0.05)
        v = slope + w*(b*cos(w*0.05) - a*sin(w*0.05))
        if i % 2 == 1:
            close(float(rows[(i + 1)//2]["y"]), y, 1e-8)
    assert answer["steps"] < 4000, answer["steps"]


@case
def a_drive_along_a_spline_takes_the_force_of_its_second_derivative():
    n = 24
    lift = "angle,lift\n" + "".join(f"{2*pi*i/n!r},{sin(2*pi*i/n)**2!r}\n" for i in range(n + 1))
    model = ("table lift = \"lift.csv\", x = angle, y = lift, outside = repeat\n"
             "param m = 2 [kg]\ncoord y\nkinetic 1/2*m*y'^2\nprescribe y = lift(3*t)\n"
             "simulate 0 .. 5 every 0.01\noutput push = drive(y), want = 18*lift''(3*t)\n")
    with Folder(model, lift=lift) as folder:
        rows = folder.rows()
    for row in rows:
        close(float(row["push"]), float(row["want"]), 1e-9)
        exact = 2*9*2*(1 - 2*sin(3*float(row["t"]))**2)
        close(float(row["push"]), exact, 0.04*36)  # a spline of 24 points: order 2


@case
def an_equilibrium_under_a_table_is_where_its_value_is_the_load():
    model = ("table spring [N] = [-1, 0, 1, 2], [-4, 0, 4, 14], outside = extend\n"
             "param m = 1 [kg], g = 9.81 [m/s^2]\ncoord x [m]\nkinetic 1/2*m*x'^2\n"
             "potential m*g*x\nforce x = -spring(x)\ninit x ~ -1\n"
             "output f = spring(x), slope = spring'(x)\n")
    with Folder(model) as folder:
        found = folder.json("equilibria")["equilibria"][0]
        at = f"x={found['q']['x']!r}, x'=0"
        outputs = folder.json("eval", "--at", at)["outputs"]
        close(outputs["f"], -9.81, 1e-8)
        modes = folder.json("modes", "--at", at)
        close(max(im for _, im in modes["eigenvalues"]), sqrt(outputs["slope"]), 1e-8)
        matrix = folder.json("linearize", "--at", at)["A"]
        close(matrix[1][0], -outputs["slope"], 1e-8)


@case
def equations_show_tables_by_their_names():
    model = ("table road = [0, 1, 2, 3], [0, 1, 0, 1]\ncoord x, y\nkinetic x'^2 + y'^2\n"
             "constraint on: y = road(x)\ninit x = 1, x' = 1\nsimulate 0 .. 0.3 every 0.1\n")
    with Folder(model) as folder:
        status, out, err = run("derive", folder.model, "--closed-form")
        assert status == 0 and "road''(x)" in out and "road'(x)" in out, (out, err)
        status, out, err = run("reduce", folder.model)
        assert status == 0 and "road'(x)" in out, (out, err)
        assert folder.json("check")["constraints"][0]["kind"] == "holonomic"
        status, out, err = run("run", folder.model, "--verify")
        assert status == 0, err
        status, out, err = run("format", folder.model)
        assert out == model, out
        status, _, err = run("export", folder.model, "--c", folder.path / "c")
        assert status == 0 and "road" in (folder.path / "c" / "model.c").read_text(), err


@case
def the_end_of_the_points_ends_the_run_with_its_reason():
    for method in ("linear", "cubic", "monotone"):
        model = (f"table f = [0, 1, 2], [1, 1, 1], method = {method}\ncoord x\n"
                 "kinetic 1/2*x'^2\nforce x = f(x)\ninit x = 0.5\nsimulate 0 .. 9 every 1\n")
        with Folder(model) as folder:
            status, _, err = run("run", folder.model, "-q")
            assert status == 1 and "table f" in err and "from 0 to 2" in err, err
            assert "1.73205" in err, err  # √3: there x = 1/2 + t²/2 = 2


@case
def sweeps_give_the_numbers_of_runs():
    model = ("param k = 1\ntable spring = \"spring.csv\", outside = extend\ncoord x\n"
             "kinetic 1/2*x'^2\nforce x = -k*spring(x)\ninit x = 1\n"
             "simulate 0 .. 3 every 1\n")
    spring = "x,f\n" + "".join(f"{0.2*i - 2:.1f},{(0.2*i - 2)**3}\n" for i in range(21))
    with Folder(model, spring=spring) as folder:
        out = folder.path / "sweep.csv"
        status, _, err = run("sweep", folder.model, "-o", out, "--vary", "k = 1 .. 2 count 6",
                             "--keep", "final(x)", "-q")
        assert status == 0, err
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            assert row["status"] == "ok", row
            answer = folder.json("run", "-p", f"k={row['k']}")
            close(answer["q"]["x"], float(row["final(x)"]), 1e-9)


@case
def the_cam_jumps_in_the_turn_that_is_too_fast():
    status, out, err = run("run", EXAMPLES / "cam.kal", "--json", "-q")
    assert status == 0, err
    answer = json.loads(out)
    assert answer["stopped_by"] == "jump", answer
    step = 2*pi/24
    bend = 6*(1 - cos(step))/(step**2*(2 + cos(step)))  # of a spline through a cosine
    jump = sqrt((4000*0.015 + 0.2*9.81)/(0.2*0.005*bend))
    tops = [sqrt(2*100*(2*k + 1)*pi) for k in range(60)]  # speeds w at which w^2/200 = (2k + 1) pi
    first = next(speed for speed in tops if speed > jump)
    # Before the top by what the speed there is more than that of the jump.
    assert first - 1 < answer["outputs"]["speed"] < first, (answer["outputs"], first)
    assert max(speed for speed in tops if speed < jump) < jump < first


@case
def points_follow_overrides():
    model = ("param top = 2\ntable f = [0, 1, 2], [0, top, 0]\ncoord x\nkinetic x'^2\n"
             "output o = f(1)\n")
    with Folder(model) as folder:
        close(folder.json("eval")["outputs"]["o"], 2, 1e-15)
        close(folder.json("eval", "-p", "top=5")["outputs"]["o"], 5, 1e-15)


@case
def hostile_files_are_errors_with_their_names():
    model = ("table f = \"data.csv\"\ncoord x\nkinetic x'^2\npotential f(x)\n")
    for name, text in HOSTILE.items():
        with Folder(model, **({} if text is None else {"data": text})) as folder:
            status, _, err = run("check", folder.model)
            assert status == 1 and "data.csv" in err and "model.kal:1:11" in err, (name, err)
    with Folder(model) as folder:
        data = folder.path / "data.csv"
        for make in (os.mkfifo, os.mkdir, lambda p: os.symlink("/dev/zero", p)):
            make(data)
            status, _, err = run("check", folder.model)
            assert status == 1 and "data.csv" in err, err
            if data.is_dir() and not data.is_symlink():
                data.rmdir()
            else:
                data.unlink()


if __name__ == "__main__":
    main()
