#!/usr/bin/env python3
"""Motion in time from outside: test_run.py PROGRAM ROOT

What `run` prints and writes, how it fails, and motions over a long time.
KAL_TEST_SHARE makes the long runs shorter, for slow builds.
"""

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from math import cos, exp, log, pi, remainder, sin, sqrt
from pathlib import Path

from model_lab import (EXAMPLES, HANG, PROGRAM, SHARE, case, evaluate, examples, main,
                       options_of, run, wait_until_at_work)

SHORT = SHARE > 1


def path_of(model):
    return EXAMPLES / f"{model}.kal" if isinstance(model, str) else model


def simulate(model, *options, **parameters):
    status, out, err = run("run", path_of(model), "--json", *options,
                           *options_of(parameters, None))
    assert status == 0, (model, status, out[:1000], err[:1000])
    return json.loads(out)


class Folder:
    """A folder that goes away, with a model written into it."""

    def __init__(self, text=""):
        self.text = text

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)
        self.model = self.path / "model.kal"
        self.model.write_text(self.text)
        return self

    def __exit__(self, *error):
        self.temporary.cleanup()


def simulate_text(text, *options):
    with Folder(text) as folder:
        return simulate(folder.model, *options)


def fail_text(text, *options):
    with Folder(text) as folder:
        status, out, err = run("run", folder.model, "--json", *options)
        assert status == 1, (status, out[:1000], err[:1000])
        return json.loads(out)["error"]


def close(got, want, tolerance):
    assert abs(got - want) <= tolerance, (got, want, abs(got - want), tolerance)


SLOPE = """param m = 2 [kg], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint slope: y = x
simulate 0 .. 1 every 0.25
output double = 2*x [m]
"""

BALL = """coord y
kinetic 1/2*y'^2
potential 9.81*y
init y = 1
event floor: y falling stop
simulate 0 .. 3 every 0.1
"""


@case
def json_has_what_scripts_rely_on():
    answer = simulate_text(SLOPE)
    assert list(answer)[:4] == ["model", "t", "q", "qd"], answer
    assert answer["states"] == answer["holds"] == {} and "outputs" in answer
    close(answer["t"], 1, 0)
    close(answer["q"]["x"], -9.81 / 4, 1e-12)
    close(answer["qd"]["y"], -9.81 / 2, 1e-12)
    close(answer["outputs"]["double"], -9.81 / 2, 1e-12)
    assert set(answer["energy"]) >= {"initial", "final", "drift"}
    assert set(answer["constraint_error"]) == {"position", "velocity"}
    assert answer["steps"] > 0 and answer["evaluations"] > 0 and answer["seconds"] >= 0
    assert answer["stopped_by"] is None


@case
def machine_code_changes_no_digit():
    for model in ("slider_crank", "sleigh", "squeezer"):
        answers = []
        for wish in ("0", "1"):
            done = subprocess.run([PROGRAM, "run", path_of(model), "--until", "0.02", "--json"],
                                  capture_output=True, timeout=HANG, check=True,
                                  env={**os.environ, "KALABA_JIT": wish})
            answers.append(json.loads(done.stdout))
        for part in ("t", "q", "qd", "outputs", "energy", "steps", "evaluations"):
            assert answers[0][part] == answers[1][part], (model, part, answers)


@case
def an_event_that_stops_is_named():
    answer = simulate_text(BALL)
    assert answer["stopped_by"] == "floor"
    close(answer["t"], sqrt(2 / 9.81), 1e-13)


@case
def a_second_opinion_agrees():
    for model in ("sleigh", "double_pendulum_redundant", "incline_friction_reaction",
                  "roller_racer", "flexible_arm_torques", "two_masses_light1"):
        options = ("--until", "2") if model == "roller_racer" else ()
        verify = simulate(model, "--verify", *options)["verify"]
        assert verify["passed"] and verify["ratio"] < 20, (model, verify)
        assert set(verify["largest_difference"]) == {"q", "qd", "force"}
        assert 0 < verify["largest_difference"]["q"] < 1e-5, (model, verify)
        assert verify["samples"] > 2 and verify["seconds"] >= 0
        assert set(verify) >= {"method", "at", "expected", "allowed", "not_verified"}


@case
def both_forms_end_alike():
    for model in ("sleigh", "double_pendulum_redundant", "constant_speed", "rolling_disc",
                  "two_masses_light1", "flexible_arm", "parallelogram"):
        full, reduced = (simulate(model, "--form", form, "--tolerance", "1e-11")
                         for form in ("full", "reduced"))
        for key in ("q", "qd"):
            for name, value in full[key].items():
                close(reduced[key][name], value, 1e-7)
        assert reduced["constraint_error"]["velocity"] < 1e-12, reduced
    with Folder(SLOPE) as folder:
        status, out, err = run("run", folder.model, "--form", "short")
        assert (status, out) == (2, "") and "full, reduced" in err, err
        status, out, err = run("run", folder.model, "--form", "reduced", "--method", "bdf")
        assert (status, out) == (1, "") and "dop853" in err, err


@case
def a_family_fills_one_table():
    with Folder(SLOPE) as folder:
        out = folder.path / "out.csv"
        status, text, err = run("run", folder.model, "-o", out, "-q", "--family",
                                "x' = -1, 0, 2; x = 0 .. 1 count 2")
        assert (status, text, err) == (0, "", ""), (status, text, err)
        head, *rows = rows_of(out)
        assert head[-1] == "run" and len(rows) == 30, (head, len(rows))
        starts = [(-1, 0), (-1, 1), (0, 0), (0, 1), (2, 0), (2, 1)]
        for row in rows:
            speed, place = starts[int(row[-1]) - 1]
            t, x, y = map(float, row[:3])
            close(x, place + speed * t - 9.81 / 4 * t * t, 1e-12)
            close(y, x, 1e-15)
        status, text, err = run("run", folder.model, "--json", "--family", "x' = 3, 4")
        family = json.loads(text)["family"]
        assert [member["start"] for member in family] == ["x' = 3", "x' = 4"], family
        close(family[1]["run"]["qd"]["x"], 4 - 9.81 / 2, 1e-12)
        status, text, err = run("run", folder.model, "--family", "x' = 3, 4")
        assert status == 0 and text.count("State: position") == 2, text


@case
def a_family_that_makes_no_sense_is_refused():
    with Folder(SLOPE) as folder:
        for text in ("", "x", "x =", "= 1", "x = 1,", "x = 0 .. 1", "x = 0 .. 1 count 0",
                     "x = 0 .. 1 count 1e9", "x = a .. 1 count 2"):
            status, out, err = run("run", folder.model, "--family", text)
            assert (status, out) == (2, "") and "family" in err, (text, status, err)
        for text, part in {"z = 1": "'z'", "x = 1, y = 2": "found '='",
                           "t = 1": "first time", "x = 0; y = 3": "slope"}.items():
            status, out, err = run("run", folder.model, "--family", text)
            assert status == 1 and out == "" and part in err, (text, status, err)


@case
def a_second_opinion_says_what_it_left_out():
    gaps = simulate("bouncing_ball", "--verify")["verify"]["not_verified"]
    assert gaps and all("event" in gap["reason"] for gap in gaps), gaps
    with Folder(SLOPE) as folder:
        status, out, err = run("run", folder.model, "--verify")
    assert (status, err) == (0, "") and "Second opinion" in out, (status, out, err)
    assert "agrees" in out and "constraint forces" in out, out


@case
def text_is_for_people():
    with Folder(SLOPE) as folder:
        status, out, err = run("run", folder.model)
    assert status == 0 and err == "", (status, err)
    for word in ("State", "Outputs", "Statistics", "worst position error", "double"):
        assert word in out, (word, out)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@case
def a_csv_has_all_samples():
    with Folder(SLOPE) as folder:
        out = folder.path / "out.csv"
        status, text, err = run("run", folder.model, "-o", out, "-q", "--columns",
                                "*'', reaction(slope), energy()")
        assert (status, text, err) == (0, "", ""), (status, text, err)
        rows = rows_of(out)
        assert rows[0] == ["t", "x", "y", "x'", "y'", "double", "x''", "y''",
                           "reaction(slope)", "energy()"], rows[0]
        assert [float(row[0]) for row in rows[1:]] == [0, 0.25, 0.5, 0.75, 1]
        for row in rows[1:]:
            t, x, y, u, _, double, a, _, reaction, energy = map(float, row)
            close(x, -9.81 / 4 * t * t, 1e-13)
            close(y, x, 1e-15)
            close(u, -9.81 / 2 * t, 1e-13)
            close(double, 2 * x, 1e-15)
            close(a, -9.81 / 2, 1e-13)
            close(reaction, 9.81, 1e-12)
            close(energy, 0, 1e-12)
        assert sorted(p.name for p in folder.path.iterdir()) == ["model.kal", "out.csv",
                                                                 "out.units.csv"]


PUSHED = """param c = 0.4
coord x, s
kinetic 1/2*x'^2 + 1/2*s'^2
potential 2*(x - s)^2
dissipation c*x'^2
force x = 3*cos(2*t)
prescribe s = 0.2*sin(t)
simulate 0 .. 6 every 0.1
"""


@case
def the_balance_of_energy_closes():
    answer = simulate_text(PUSHED)
    energy = answer["energy"]
    work = energy["work"]
    assert list(work) == ["forces", "dissipation", "time", "masses", "constraints", "nonideal",
                          "friction", "servos", "drives", "controls", "events"], work
    gain = work["forces"] + work["dissipation"] + work["drives"]["s"]
    close(gain, energy["final"] - energy["initial"], 3e-8)
    assert work["forces"] > 1 and work["dissipation"] < -1 and abs(work["drives"]["s"]) > 0.1
    assert 0 < energy["balance"] < 3e-8, energy
    assert answer["conserved"] == {}
    assert list(answer["phases"]) == ["reading", "deriving", "compiling", "starting",
                                      "integrating", "recording", "writing"]
    assert answer["phases"]["integrating"] <= answer["seconds"]


@case
def powers_and_works_are_columns():
    with Folder(PUSHED) as folder:
        out = folder.path / "out.csv"
        status, _, err = run("run", folder.model, "-o", out, "-q", "--columns",
                             "power(*), work(*), drive(s), energy()")
        assert status == 0, err
        rows = rows_of(out)
        names = ["power(forces)", "power(dissipation)", "power(drive(s))", "work(forces)",
                 "work(dissipation)", "work(drive(s))", "drive(s)", "energy()"]
        assert rows[0][5:] == names, rows[0]
        table = [dict(zip(rows[0], map(float, row))) for row in rows[1:]]
        for row in table:
            close(row["power(forces)"], 3 * cos(2 * row["t"]) * row["x'"], 1e-12)
            close(row["power(dissipation)"], -0.8 * row["x'"] ** 2, 1e-12)
            close(row["power(drive(s))"], row["drive(s)"] * row["s'"], 1e-12)
            works = sum(row[f"work({name})"] for name in ("forces", "dissipation", "drive(s)"))
            close(works, row["energy()"] - table[0]["energy()"], 3e-8)
        # Simpson's rule on the powers agrees with the works.
        for name in ("forces", "dissipation", "drive(s)"):
            powers = [row[f"power({name})"] for row in table]
            simpson = sum((1 if i in (0, 60) else 4 if i % 2 else 2) * p
                          for i, p in enumerate(powers)) * 0.1 / 3
            close(simpson, table[-1][f"work({name})"], 1e-3)
        status, _, err = run("run", folder.model, "-o", out, "--columns", "power(time)")
        assert status == 1 and "power(w)" in err, (status, err)


@case
def the_balance_of_the_slider_crank_is_its_own():
    answer = simulate("slider_crank")
    start = evaluate("slider_crank")
    energy = answer["energy"]
    tau, f = 0.6, -1.5
    work = tau * (answer["q"]["theta"] - start.q["theta"]) + f * (answer["q"]["x"]
                                                                  - start.q["x"])
    close(energy["work"]["forces"], work, 1e-9 * abs(work))
    close(energy["final"] - energy["initial"], work, 1e-8 * abs(work))
    assert energy["balance"] < 1e-8 * abs(work), energy
    close(answer["outputs"]["balance"], start.outputs["balance"], 1e-8 * abs(work))


@case
def conserved_quantities_are_followed():
    answer = simulate("spinning_top")
    conserved = answer["conserved"]
    assert set(conserved) == {"energy", "momentum(phi)", "momentum(psi)"}, conserved
    assert all(0 <= drift < 1e-8 for drift in conserved.values()), conserved
    close(conserved["energy"], answer["energy"]["drift"], 0)
    close(answer["energy"]["work"]["constraints"], 0, 0)
    _, out, _ = run("run", EXAMPLES / "spinning_top.kal")
    assert "change of momentum(phi)" in out and "largest change of energy" in out, out
    _, out, _ = run("run", EXAMPLES / "roller_racer.kal")
    assert "work of drive(phi)" in out and "energy balance off by" in out, out


@case
def other_formats_are_chosen_by_their_endings():
    with Folder(SLOPE) as folder:
        for ending, start in (("h5", b"\x89HDF"), ("json", b"{"), ("mat", b"")):
            out = folder.path / f"out.{ending}"
            status, _, err = run("run", folder.model, "-o", out, "-q")
            assert status == 0, (ending, err)
            data = out.read_bytes()
            assert len(data) > 200 and data.startswith(start), ending
        status, _, err = run("run", folder.model, "-o", folder.path / "out.xyz")
        assert status != 0 and ".csv" in err, (status, err)


@case
def units_go_where_they_are_wanted():
    with Folder(SLOPE) as folder:
        out = folder.path / "out.csv"
        assert run("run", folder.model, "-o", out, "-q", "--units", "comment")[0] == 0
        assert out.read_text().startswith("# units: s,m,m,m/s,m/s,m"), out.read_text()[:80]
        assert run("run", folder.model, "-o", out, "-q", "--units=file")[0] == 0
        assert out.read_text().startswith("t,x,y")
        assert "m/s" in (folder.path / "out.units.csv").read_text()


@case
def narrow_pulses_are_not_jumped_over():
    # A pulse of 1 ms in 20 s gives a mass of 1 the velocity that is its integral.
    for pulse, area in (("exp(-((t - 5)/w)^2)", sqrt(pi)),
                        ("exp(-(t - 5)^2/w^2)*(2 + sin(t))", (2 + sin(5)) * sqrt(pi)),
                        ("1/(1 + ((t - 5)/w)^4)", pi / sqrt(2)),
                        ("1/cosh((2*t - 10)/w)^2", 1),
                        ("exp(-((mod(t, 4) - 2)/w)^2)", 5 * sqrt(pi)),
                        ("exp(-((t - 5)/w)^2) - exp(-((t - 5.01)/w)^2)", 0)):
        text = f"""param w = 1e-3
coord x
kinetic 1/2*x'^2
force x = 1000*({pulse})
simulate 0 .. 20 every 0.5
"""
        for method in ("dop853", "bdf"):
            answer = simulate_text(text, "--method", method)
            close(answer["qd"]["x"], area, 2e-6)
    # One that drives: y begins to swing with the velocity that is four times its area.
    answer = simulate_text("""coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 1/2*4*(y - x)^2
prescribe x = 1e-3*exp(-((t - 5)/1e-3)^2)
simulate 0 .. 10 every 1
""")
    close(answer["qd"]["y"], 4e-6 * sqrt(pi) * cos(2 * 5), 1e-9)


def meet(body, *options, start="init x = 0, x' = 1", until=20):
    """The velocity of a mass of 1 after it has met something narrow."""
    return simulate_text(f"coord x\nkinetic 1/2*x'^2\n{start}\n{body}\n"
                         f"simulate 0 .. {until} every 0.5\n", *options)["qd"]["x"]


@case
def narrow_pulses_in_the_state_are_not_jumped_over():
    # Through a brake k*exp(-u^2)*x', u = (x - 3)/w, v falls by k*w*sqrt(pi); behind a step of a
    # potential, V, v^2 by 2 V; a wall that is too high throws back.
    for method in ("dop853", "bdf"):
        for w in (1e-2, 1e-4, 1e-7):
            u = f"((x - 3)/{w})"
            through = {f"force x = {-0.2 / w}*exp(-{u}^2)*x'": 1 - 0.2 * sqrt(pi),
                       f"force x = {-0.2 / w}*(1 - tanh({u})^2)*x'": 0.6,
                       f"potential 0.2*tanh({u})": sqrt(0.2),
                       f"potential 0.8*exp(-{u}^2)": -1,
                       f"potential 0.8*({w}/hypot(x - 3, {w}))^4": -1}
            for body, v in through.items():
                close(meet(body, "--method", method), v, 2e-5)
    close(meet("force x = -2000/cosh((x - 3)/1e-4)^2*x'"), 0.6, 1e-6)
    close(meet("potential 1e-9/(x - 3)^2"), -1, 1e-8)
    # Of the velocity: it stays where 50*exp(-u^2) = 1.
    close(meet("force x = 1 - 50*exp(-((x' - 2)/1e-5)^2)"), 2 - 1e-5 * sqrt(log(50)), 1e-8)
    # Of a constraint: a bump of a wire, on which 1 is more than the energy of 1/2.
    close(simulate_text("""coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 100*y
constraint wire: y = 0.01*exp(-((x - 3)/1e-4)^2)
init x = 0, x' = 1
simulate 0 .. 20 every 0.5
""")["qd"]["x"], -1, 1e-6)
    # Of a state: s' is a pulse.
    answer = simulate_text("""coord x
kinetic 1/2*x'^2
state s: s' = 1e4*exp(-((x - 3)/1e-4)^2)
init x = 0, x' = 1
simulate 0 .. 20 every 0.5
""")
    close(answer["states"]["s"], sqrt(pi), 1e-6)


@case
def poles_of_formulas_alone_are_passed():
    # 2*(1 - cos(x))/x has no pole, x^-2 in it does: the motion is that of the series.
    start = "init x = 0.01, x' = 0"
    plain = meet("force x = -(x - x^3/12 + x^5/360)", start=start)
    close(meet("force x = -2*(1 - cos(x))/x^2*x", start=start), plain, 1e-10)


@case
def options_that_make_no_sense_are_refused():
    with Folder(SLOPE) as folder:
        for options in (["--until", "soon"], ["--tolerance", "-1"], ["--method", "euler"],
                        ["--drift", "stabilize"], ["--drift", "stabilize(0)"],
                        ["--columns", "x''"], ["--units", "here"]):
            status, out, err = run("run", folder.model, *options)
            assert status == 2 and out == "" and err, (options, status, out, err)
        status, _, err = run("run", folder.model, "--until", "-1")
        assert status == 1 and "until" in err, (status, err)
        status, _, err = run("run", folder.model, "-o", folder.path / "a.csv",
                             "--columns", "nothing")
        assert status == 1 and "nothing" in err, (status, err)


@case
def options_change_how_it_runs():
    answer = simulate_text(SLOPE, "--until", "0.5")
    close(answer["t"], 0.5, 0)
    for method in ("dop853", "bdf"):
        answer = simulate("pendulum_index3", "--method", method, "--tolerance", "1e-10")
        close(answer["q"]["x"], 0.88439238309272025400, 3e-8)
        assert answer["stiff"] == (method == "bdf")
    loose = simulate("pendulum_index3", "--drift", "none", "--tolerance", "1e-6")
    held = simulate("pendulum_index3", "--drift", "stabilize(5)", "--tolerance", "1e-6")
    assert loose["constraint_error"]["position"] > held["constraint_error"]["position"] > 1e-12


# An eccentric ball that spins and slides, in Euler's parameters: a tippe top.
TIPPE = """use spatial
param m = 0.02, R = 0.02, a = 0.003, I1 = 3e-6, I3 = 3.2e-6, c = 0.05
part b = Body(m = m, I = [I1, I1, I3], turn = [cos(0.05), sin(0.05), 0, 0], spin = [0, 0, 150])
let center = b.r + a*b.R*[0, 0, 1]
constraint floor: center.z = R
let slip = center' + cross(b.omega, [0, 0, -R])
dissipation 1/2*c*(slip.x^2 + slip.y^2)
init b.z ~ R - a
simulate 0 .. 1 every 1
"""


def distance(one, other):
    """The largest difference of two states, relative to 1 + |y|."""
    return max(abs(x - other[kind][name])/(1 + abs(x))
               for kind in ("q", "qd") for name, x in one[kind].items())


@case
def both_methods_keep_the_tolerance():
    best = simulate_text(TIPPE, "--method", "dop853", "--tolerance", "1e-13")
    for method in ("dop853", "bdf"):
        for tolerance in (1e-8, 1e-9, 1e-10):
            answer = simulate_text(TIPPE, "--method", method, "--tolerance", str(tolerance))
            off = distance(best, answer)
            assert off < 1000*tolerance, (method, tolerance, off)
    answer = simulate_text(TIPPE, "--method", "bdf", "--tolerance", "1e-12", "--until", "0.1")
    assert any("method bdf keeps tolerances down to" in incident["text"]
               for incident in answer["incidents"]), answer["incidents"]


@case
def failures_say_when_and_why():
    error = fail_text("coord x, y\nkinetic 1/2*x'^2\npotential y*0 + x\n")
    assert error["names"] == ["y"] and "not unique" in error["message"], error
    error = fail_text("coord x\nkinetic 1/2*x'^2\nforce x = sqrt(1 - x)\ninit x' = 1\n")
    assert "model.kal:3:" in error["message"] and "sqrt(1 - x)" in error["message"], error
    error = fail_text("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x = 0\n"
                      "constraint b: x = t^2\ninit x = 0\n")
    assert set(error["names"]) <= {"a", "b"} and error["names"], error
    error = fail_text(BALL.replace("stop", "set y' = -0.5*y'"))
    assert "floor" in error["message"], error


@case
def what_was_computed_before_a_failure_is_kept():
    text = ("coord x\nkinetic 1/2*x'^2\nforce x = 0.001*sqrt(1 - x)\ninit x' = 1\n"
            "simulate 0 .. 3 every 0.1\n")
    with Folder(text) as folder:
        out = folder.path / "out.csv"
        status, _, err = run("run", folder.model, "-o", out)
        assert status == 1 and "sqrt" in err, (status, err)
        rows = rows_of(out)
        assert rows[0][-1] == "(incomplete)" and len(rows) >= 10, rows[:2]
        assert 0.9 < float(rows[-1][0]) < 1.01, rows[-1]


@case
def the_same_bits_every_time():
    first = simulate("double_pendulum")
    second = simulate("double_pendulum")
    for answer in (first, second):
        del answer["seconds"]
        del answer["phases"]
    assert first == second


# Faults

@case
def ctrl_c_keeps_what_there_is():
    text = ("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
            "constraint rod: x^2 + y^2 = 1\ninit x = 1\nsimulate 0 .. 1e7 every 0.5\n")
    with Folder(text) as folder:
        out = folder.path / "out.csv"
        process = subprocess.Popen([PROGRAM, "run", str(folder.model), "-o", str(out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until_at_work(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG)
        assert process.returncode == 130, (process.returncode, err)
        rows = rows_of(out)
        assert rows[0][-1] == "(incomplete)" and len(rows) > 10, rows[0]
        assert sorted(p.name for p in folder.path.iterdir()) == ["model.kal", "out.csv",
                                                                 "out.units.csv"]
        process = subprocess.Popen([PROGRAM, "run", str(folder.model), "-o", str(out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until_at_work(process)
        process.kill() # then the old file stays
        process.communicate(timeout=HANG)
        assert rows_of(out) == rows


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


@case
def a_full_disk_leaves_no_file():
    with Folder(SLOPE) as folder:
        for ending in ("csv", "h5", "mat", "json"):
            out = folder.path / f"out.{ending}"
            done = subprocess.run([PROGRAM, "run", str(folder.model), "-o", str(out),
                                   "--until", "400"], capture_output=True, check=False,
                                  preexec_fn=limit_files, timeout=HANG)
            assert done.returncode == 1 and b"out." in done.stderr, (ending, done)
        assert [p.name for p in folder.path.iterdir()] == ["model.kal"]


@case
def a_folder_that_is_not_there_is_noticed_at_once():
    with Folder(SLOPE) as folder:
        # To the end of this run would take longer than `run` waits.
        status, _, err = run("run", folder.model, "-o", folder.path / "no" / "out.csv",
                             "--until", "1e9")
        assert status == 1 and "no/out.csv" in err, (status, err)


# Exact motions

@case
def a_sleigh_against_its_formula():
    text = """param m = 2, I = 0.3, a = 0.25
coord x, y, th
kinetic 1/2*m*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + 1/2*I*th'^2
constraint blade: -x'*sin(th) + y'*cos(th) = 0
init x = 0, y = 0, th = 0.4, x' = -1.5*cos(0.4), y' ~ -0.58, th' = 2
simulate 0 .. 5 every 0.1
"""
    answer = simulate_text(text, "--tolerance", "1e-11")
    for name, want in {"x": 1.42038704472850511372, "y": -6.69944243240182736629,
                       "th": 5.17619587289579058740}.items():
        close(answer["q"][name], want, 1e-8 * max(1, abs(want)))
    close(answer["qd"]["th"], 0.000858348398831866703629, 1e-10)
    assert answer["constraint_error"]["velocity"] < 1e-14
    assert answer["energy"]["drift"] < 1e-9


@case
def a_pendulum_for_a_long_time():
    seconds = 100 if SHORT else 1000
    text = f"""param g = 13.750371636040745654980191559621114395801712
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential g*y
constraint rod: x^2 + y^2 = 1
init x = 1, y = 0
simulate 0 .. {seconds} every 0.1
"""
    answer = simulate_text(text, "--tolerance", "1e-9")
    assert answer["constraint_error"]["position"] < 1e-14, answer["constraint_error"]
    assert answer["constraint_error"]["velocity"] < 1e-14, answer["constraint_error"]
    close(answer["q"]["x"], 1, 2e-4) # a whole number of periods
    close(answer["q"]["y"], 0, 2e-4)


LOOP = """param N = 5
coord x[N], y[N]
kinetic sum(i in 1..N : 1/2*(x[i]'^2 + y[i]'^2))
potential 9.81*sum(i in 1..N : y[i])
fn px(i) = 0.5/sin(pi/(N + 1))*(sin(2*pi*i/(N + 1)))
fn py(i) = 0.5/sin(pi/(N + 1))*(cos(2*pi*i/(N + 1)) - 1)
constraint first: x[1]^2 + y[1]^2 = 1
for i in 2..N {{ constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }}
constraint last: x[N]^2 + y[N]^2 = 1
{more}
for i in 1..N {{ init x[i] ~ px(i), y[i] ~ py(i) }}
init x[1]' ~ 0.3
simulate 0 .. {until} every 0.5
"""


@case
def closed_loops_stay_closed():
    sizes = ((5, 20), (50, 0.5)) if SHORT else ((5, 100), (50, 5))
    for n, until in sizes:
        answer = simulate_text(LOOP.format(more="", until=until), "-p", f"N={n}")
        assert answer["constraint_error"]["position"] < 1e-12, answer["constraint_error"]
        assert answer["constraint_error"]["velocity"] < 1e-12, answer["constraint_error"]
        scale = max(1, abs(answer["energy"]["initial"]))
        assert answer["energy"]["drift"] < 1e-6 * scale, answer["energy"]


@case
def redundant_constraints_change_nothing():
    more = "constraint all: x[1]^2 + y[1]^2 + 3*(x[2] - x[1])^2 + 3*(y[2] - y[1])^2 = 4"
    plain = simulate_text(LOOP.format(more="", until=2))
    twice = simulate_text(LOOP.format(more=more, until=2))
    for name, want in plain["q"].items():
        close(twice["q"][name], want, 1e-6)


def energy_is_balanced(energy):
    """Whether energies and works of a run add up."""
    size = max(abs(energy["initial"]), energy["drift"],
               *(abs(x) for x in energy["work"].values() if isinstance(x, float)),
               *map(abs, energy["work"]["drives"].values()), 0.1)
    return energy["balance"] < 1e-7 * size


@case
def all_examples_run():
    refused = {"wheel_massless"}
    for path in examples():
        options = ["--until", "0.5"] if SHORT else []
        status, out, err = run("run", path, "--json", *options)
        assert status == (1 if path.stem in refused else 0), (path, out[:500], err[:500])
        if status == 0:
            answer = json.loads(out)
            worst = answer["constraint_error"]
            assert worst["position"] < 1e-9 and worst["velocity"] < 1e-9, (path, worst)
            assert energy_is_balanced(answer["energy"]), (path, answer["energy"])


@case
def large_examples_move_as_they_must():
    """A chain whose end outruns a stone; a net whose corners carry it, a chain its nail."""
    fall = simulate("falling_chain", "--until", "0.45")["outputs"]
    assert fall["fallen"] > 1.05 * fall["stone"], fall
    close(fall["speed"], fall["ideal"], 0.03 * fall["ideal"])  # of a rod in 121
    net = simulate("net", "--until", "0.3")["outputs"]
    close(net["lift"], net["pull"], 1e-9)
    chain = simulate("catenary_let_go", "--until", "0.4")
    close(chain["outputs"]["lift"], chain["outputs"]["pull"], 1e-9)
    close(chain["energy"]["final"], chain["energy"]["initial"], 1e-7)


@case
def systems_of_the_books_over_time():
    parabola = [simulate(name, "--until", "1") for name in ("projectile", "projectile_direct")]
    for name, value in parabola[0]["q"].items():
        if name in parabola[1]["q"]:
            close(parabola[1]["q"][name], value, 1e-9)
    spiral = simulate("spiral")
    close(spiral["q"]["r"], exp(0.1 * (30 - spiral["t"])), 1e-7)
    crank = simulate("slider_crank")
    alone = simulate("slider_crank_angle")
    close(crank["q"]["theta"], alone["q"]["theta"], 1e-6 * abs(alone["q"]["theta"]))
    bars = simulate("four_bar")
    one = simulate("four_bar_angle")
    close(bars["energy"]["final"], one["energy"]["final"], 1e-6)


BLOCK = """coord x
kinetic 1/2*x'^2
init x' = 3
simulate 0 .. 5 every 0.1
"""


@case
def chatter_is_told_with_its_place():
    for method in ("auto", "dop853", "bdf"):
        with Folder(BLOCK + "force x = -3*sign(x')\n") as folder:
            status, _, err = run("run", folder.model, "--method", method)
            assert status == 1, status
            assert "model.kal:5:14: sign(x') chatters at t = 1: " in err, err
            assert "'friction name: v, limit = F'" in err and "tanh" in err, err


@case
def steps_have_a_limit():
    with Folder(BLOCK + "potential 500*x^2\n") as folder:
        status, out, _ = run("run", folder.model, "--json", "--max-steps", "20")
        assert status == 1 and "has taken 20 steps" in json.loads(out)["error"]["message"]
        assert simulate(folder.model, "--max-steps", "0")["t"] == 5
        for wrong in ("x", "-1", "1.5", "nan"):
            assert run("run", folder.model, "--max-steps", wrong)[0] == 2, wrong


@case
def an_open_balance_of_energy_is_a_warning():
    drag = "force x = -0.01*x'\n"
    with Folder(BLOCK + drag + "potential 0.1*atan2(sin(x), cos(x))\n") as folder:
        status, out, err = run("run", folder.model, "--json")
        assert status == 0 and "warning: the energy balance is off by 1.3" in err, err
        assert "the energy balance is off by 1.3" in json.loads(out)["warnings"][0]
        status, _, err = run("run", folder.model, "--verify")
        assert status == 1 and "the energy balance is off by 1.3" in err, err
        assert "smaller --tolerance" not in err, err
    assert simulate_text(BLOCK + drag)["warnings"] == []


@case
def energies_that_jump_end_the_run():
    """Where the state makes them jump; time may, and so may events that say what follows."""
    for line, which, jump, t in (("potential 0.3*floor(x)", "potential", "0.3", 1 / 3),
                                 ("potential 2*sign(x - 1.5)", "potential", "4", 0.5),
                                 ("potential mod(x, 2)", "potential", "2", None),
                                 ("kinetic 1/2*if(x > 1, 1, 0)*x'^2", "kinetic", "4.5", 1 / 3),
                                 ("kinetic 1/2*if(t > 1, 1, 0)*x'^2", "kinetic", "4.5", 1)):
        error = fail_text(BLOCK + line + "\n")["message"]
        assert f"makes the {which} energy jump by {jump} at t = " in error, error
        assert "model.kal:5:" in error, error
        assert t is None or abs(float(error.split("at t = ")[1].split(":")[0]) - t) < 1e-8, error
    answer = simulate_text(BLOCK + "potential if(t > 1, 2, 1)*x^2\n")
    assert not answer["warnings"], answer["warnings"]
    # With E = T + V: a step of 4 at x = 1 that an event makes, and one that turns back.
    for step, speed, x in ((4, 1, 1 + (5 - 1 / 3)), (5, -3, 1 - 3 * (5 - 1 / 3))):
        answer = simulate_text(BLOCK + f"potential if(x > 1, {step}, 0)\n"
                               f"event wall: x - 1 rising set x' = {speed}\n")
        close(answer["q"]["x"], x, 1e-8)
        assert not answer["warnings"] and answer["energy"]["drift"] < 1e-8, answer
    for line in ("potential 2*abs(x - 1)", "potential max(0, x - 1)^2/9",
                 "potential (mod(x + 1, 2) - 1)^2/4"):
        answer = simulate_text(BLOCK + line + "\n")
        assert not answer["warnings"] and answer["energy"]["drift"] < 1e-6, answer


@case
def tables_tell_what_is_not_unique():
    text = """coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 1000*y
constraint S1: x = 0
constraint S2: y = 0
constraint S3: x + y = 0
output f = reaction(S2), both = reaction(S2) + reaction(S3)
simulate 0 .. 1 every 0.5
"""
    with Folder(text) as folder:
        for name, more, warned in (("a.csv", ("--units", "none"), True),
                                   ("a.csv", ("--units", "comment"), True),
                                   ("a.csv", ("--units", "file"), False),
                                   ("a.csv", (), False), ("a.json", (), False),
                                   ("a.csv", ("-q",), False)):
            status, _, err = run("run", folder.model, "-o", folder.path / name, *more)
            assert status == 0 and ("not unique, and not marked in" in err) == warned, err
            assert not warned or f"{name}: f; with --units file" in err, err
        marks = (folder.path / "a.units.csv").read_text()
        assert 'f,"",not unique' in marks and 'both,"",""' in marks, marks
        table = json.loads((folder.path / "a.json").read_text())["columns"]
        assert table["f"]["description"] == "not unique" and not table["both"]["description"]


@case
def what_is_not_unique_is_marked_everywhere():
    """A mass on three rods of a plane, one of which is redundant: what they do together has no
    mark, in the same places."""
    text = """coord x, y, s
kinetic x'^2 + y'^2 + 1/2*s'^2
potential 2*9.81*y + 15*s^2
constraint S[1]: sqrt((x + 1)^2 + (y - 1)^2) = sqrt(2)
constraint S[2]: sqrt(x^2 + (y - 1)^2) = 1
constraint S[3]: sqrt((x - 1)^2 + (y - 1)^2) = sqrt(2)
init s = 1
output bar = reaction(S[2])
output all = (reaction(S[1]) + reaction(S[3]))/sqrt(2) + reaction(S[2])
plot bar, all
simulate 0 .. 1 every 0.1
"""
    marks = {"bar": False, "all": True}
    with Folder(text) as folder:
        for command in ("eval", "run"):
            _, out, _ = run(command, folder.model)
            lines = [line for line in out.splitlines() if line.strip()[:3] in marks]
            assert len(lines) == 2 and all(("not unique" in line) != marks[line.strip()[:3]]
                                           for line in lines), lines
            assert json.loads(run(command, folder.model, "--json")[1])["unique_output"] == marks
        for name in ("a.csv", "a.h5"):
            page = folder.path / "page.html"
            status, out, _ = run("run", folder.model, "--json", "-o", folder.path / name,
                                 "--report", page)
            assert status == 0 and json.loads(out)["not_unique"] == ["bar"], out
            figure = run("plot", folder.path / name, "--y", "bar")[1]
            assert "bar (not unique)" in figure, (name, figure)
        columns = page.read_text()
        for name, unique in (*marks.items(), ("reaction(S[1])", False)):
            column = columns.split(f'"name": "{name}", "unit"')[1].split("}")[0]
            assert ('"unique": false' in column) != unique, (name, column[:100])
        _, out, _ = run("equilibria", folder.model)
        assert out.count("not unique") == 6, out
        for found in json.loads(run("equilibria", folder.model, "--json")[1])["equilibria"]:
            assert not any(found["unique_reaction"].values()), found


@case
def nothing_compared_is_told():
    """Between two samples there is a corner, at which there is no row."""
    text = BLOCK.replace("0.1", "0.5") + "force x = abs(sin(20*t))\n"
    with Folder(text) as folder:
        status, out, err = run("run", folder.model, "--verify")
    assert status == 1 and "agrees" not in out, (status, out)
    assert "NOTHING of the motion was compared" in out, out
    assert "nothing could be verified: a piecewise formula" in err, err


@case
def rows_at_jumps_let_pieces_be_compared():
    text = BLOCK.replace("0.1", "0.5") + "force x = if(sin(20*t) > 0, 1, -1)\n"
    verify = simulate_text(text, "--verify")["verify"]
    assert verify["passed"] and verify["restarts"] > 30, verify
    assert abs(verify["time"] - 5) < 1e-9 and not verify["not_verified"], verify


@case
def pieces_are_verified_between_their_ends():
    text = BLOCK + "force x = if(sin(5*t) > 0, 1, -1) - abs(x)*x\n"
    verify = simulate_text(text, "--verify")["verify"]
    assert verify["passed"] and verify["samples"] > 30, verify
    assert any("piece" in gap["reason"] for gap in verify["not_verified"]), verify


@case
def torsion_springs_follow_several_turns():
    """theta'' = -k (theta - rest) on a hinge, whose angle lies between -pi and pi."""
    k, rest, w = 0.1, 0.7, 3.0
    rate = sqrt(k)
    for joint, wound in (("Revolute", 0), ("Cylindrical", 0), ("Revolute", 6 * pi)):
        answer = simulate_text(f"""use spatial
part b = Body(m = 1, I = [1, 1, 1], gravity = [0, 0, 0], spin = [0, 0, {w}])
part hinge = {joint}(b = b, axis_a = [0, 0, 2])
part spring = TorsionSpring(joint = hinge, k = {k}, rest = {rest})
init spring.twist ~ {wound + 1}
output turn = hinge.angle
simulate 0 .. 30 every 0.1
""")
        angle = rest + (wound - rest) * cos(rate * 30) + w / rate * sin(rate * 30)
        close(answer["q"]["spring.twist"], angle, 1e-6)
        close(answer["outputs"]["turn"], remainder(angle, 2 * pi), 1e-6)
        close(answer["energy"]["initial"], 0.5 * w * w + 0.5 * k * (wound - rest) ** 2, 1e-9)
        assert answer["energy"]["drift"] < 1e-6 and not answer["warnings"], answer


RELAXATION = """
coord x
kinetic 1/2*x'^2
state u: u' = 1 - u
event full: u - 1/2 rising set u = 0
init x = 0
simulate 0 .. 5 every 0.125
"""


@case
def events_set_states():
    """A capacitor that is charged over a resistor and emptied at half: its period is log 2."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text(RELAXATION)
        status, out, err = run("run", path, "--json", "-q")
        assert status == 0, err
        answer = json.loads(out)
    full = [i["t"] for i in answer["incidents"] if i["name"] == "full"]
    assert len(full) == 7, full
    for k, t in enumerate(full):
        assert abs(t - (k + 1)*log(2)) < 1e-8, (k, t)
    assert abs(answer["states"]["u"] - (1 - exp(7*log(2) - 5))) < 1e-8, answer["states"]


@case
def events_set_held_values_until_they_are_renewed():
    model = ("coord x\nkinetic 1/2*x'^2\nhold k every 4: 1\nstate s: s' = k\n"
             "event up: t - 2 rising set k = 3\nsimulate 0 .. 5 every 1\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text(model)
        status, out, err = run("run", path, "--json", "-q")
        assert status == 0, err
        answer = json.loads(out)
        assert abs(answer["states"]["s"] - (2*1 + 2*3 + 1*1)) < 1e-9, answer
        path.write_text(model.replace("set k = 3", "set k' = 3"))
        status, _, err = run("check", path)
        assert status == 1 and "no derivative that could be set" in err, err


@case
def events_at_one_instant_have_an_order_that_is_told():
    model = ("coord x\nkinetic 1/2*x'^2\nevent first: t - 1 rising set x' = 2\n"
             "event second: t - 1 rising set x' = 10*x'\nsimulate 0 .. 2 every 1\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text(model)
        status, out, err = run("run", path, "--json", "-q")
        assert status == 0, err
        answer = json.loads(out)
    assert abs(answer["qd"]["x"] - 20) < 1e-12, answer["qd"]
    texts = [i["text"] for i in answer["incidents"]]
    assert any("it sets x', which event first has set at the same instant" in text
               for text in texts), texts


@case
def counts_of_phases_are_those_of_the_start():
    for name, words in (("shaken_box", "0 degrees of freedom at the start; events change"),
                        ("block_on_belt", "0 of the velocity at the start; contacts change")):
        status, out, _ = run("check", EXAMPLES / f"{name}.kal")
        assert status == 0 and words in out, out
        status, out, _ = run("check", EXAMPLES / f"{name}.kal", "--json")
        assert status == 0 and json.loads(out)["phases"] is True, out
    status, out, _ = run("check", EXAMPLES / "bouncing_ball.kal", "--json")
    assert status == 0 and json.loads(out)["phases"] is False, out


if __name__ == "__main__":
    sys.exit(main())
