#!/usr/bin/env python3
"""The commands that take a model, from outside: test_models.py PROGRAM ROOT

What they print is compared with mechanics by test_systems.py; here it is how they treat
their arguments, wrong models, wrong starts and files.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, SHARE, case, main, run

PENDULUM = """model "Pendulum"
param m = 2 [kg], L = 1 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x = 0.6, y ~ -0.8, x' ~ 0.8, y' ~ 0.6
output height = y + L [m]
"""

COMMANDS = ["check", "derive", "eval", "reduce"]


def answer(command, *arguments, text=PENDULUM):
    status, out, err = run(command, "-", "--json", *arguments, text=text)
    assert status == 0, (status, out, err)
    return json.loads(out)


def refuse(text, *parts, command="eval", arguments=(), names=()):
    """The model must be refused in words, for people with the place and for scripts."""
    status, out, err = run(command, "-", *arguments, text=text)
    assert status == 1, (status, out, err)
    for part in parts:
        assert part in err, (part, err)
    assert all(c >= " " or c == "\n" for c in err), err

    status, out, err = run(command, "-", "--json", *arguments, text=text)
    assert status == 1 and "error" not in err, (status, err)
    error = json.loads(out)["error"]
    assert parts[0] in error["message"], error
    assert set(names) <= set(error["names"]), error


def near(got, want, tolerance=1e-12):
    assert len(got) == len(want), (got, want)
    for one, other in zip(got, want):
        assert abs(one - other) <= tolerance, (got, want)


@case
def eval_gives_what_the_contract_says():
    got = answer("eval")
    wanted = ["model", "t", "coordinates", "q", "qd", "M", "Q", "A", "b", "C", "constraints",
              "qdd", "force", "multipliers", "unique_reaction", "rank", "unique",
              "indeterminate", "dependent_sets", "consistent", "residual", "outputs"]
    assert set(wanted) <= set(got), got
    assert got["model"] == "Pendulum" and got["coordinates"] == ["x", "y"]
    assert got["constraints"] == ["rod"] and got["t"] == 0
    assert got["rank"] == {"M": 2, "A": 1, "Mhat": 2} and got["unique"] is True
    assert got["unique_reaction"] == {"rod": True} and got["consistent"] is True
    near(got["q"], [0.6, -0.8])
    near(got["outputs"].values(), [0.2])
    # tension: m (v² + g·(0.8))/L along the rod, v = 1; λ = −T/(2L)
    tension = 2 * (1 + 9.81 * 0.8)
    near(got["multipliers"].values(), [-tension / 2])


@case
def parameters_are_overridden():
    got = answer("eval", "-p", "m=3", "-p", "g=10", "--at", "x=0, y=-1, x'=0, y'=0")
    near(got["Q"], [0, -30])
    near(got["qdd"], [0, 0])
    got = answer("eval", "-p", "L=2*1.5", "--at", "x=0,y=-3,x'=0,y'=0")
    near(got["outputs"].values(), [0])


@case
def overrides_that_are_wrong_are_refused():
    refuse(PENDULUM, "mm", arguments=["-p", "mm=3"])
    refuse(PENDULUM, "-p", arguments=["-p", "m=3+"])
    refuse(PENDULUM, "-p", arguments=["-p", "m=x"])
    for wrong in ["m", "=3", "m="]:
        status, out, err = run("eval", "-", "-p", wrong, text=PENDULUM)
        assert (status, out) == (2, "") and "NAME=VALUE" in err, err


@case
def at_replaces_values_as_they_are():
    got = answer("eval", "--at", "x'=5, t=3")
    near(got["q"], [0.6, -0.8])
    assert got["qd"][0] == 5 and got["t"] == 3
    got = answer("eval", "--at", "x=2, y=1, x'=0, y'=30*deg")
    assert got["q"] == [2, 1]  # not on the rod: no correction
    refuse(PENDULUM, "z", arguments=["--at", "z=1"])
    refuse(PENDULUM, "--at", arguments=["--at", "x=="])


@case
def errors_have_their_places_all_of_them():
    text = "param inertia = 1\ncoord x\nkinetic 1/2*inertai*x'^2\npotential cosh(x\nforce y = 2\n"
    status, out, err = run("eval", "-", text=text)
    assert (status, out) == (1, ""), (status, out)
    assert "stdin:4:" in err, err
    text = text.replace("cosh(x", "cosh(x)")
    status, out, err = run("eval", "-", text=text)
    assert "stdin:3:13: error:" in err and "stdin:5:7: error:" in err, err
    assert "kinetic 1/2*inertai*x'^2" in err and "^~" in err, err
    assert "did you mean" in err, err


@case
def wrong_models_are_refused():
    wrong = {
        "coord x\nkinetic x'^2/0\n": "zero",
        "coord x[3]\nkinetic x[4]'^2\n": "4",
        "coord x\nkinetic 1/2*dot([x',1], [1,2,3])\n": "2",
        "coord x\nkinetic 1/2*x'^2\nconstraint c: x''^2 = 1\n": "linear",
        "coord x\nkinetic 1/2*x'^2\nconstraint c: 1 = 2\n": "c",
        "coord x\nkinetic 1/2*x'^2\nlet a = b\nlet b = 1\nforce x = a\n": "declared only in line 4",
        "coord x\nfn f(a) = f(a)\nkinetic 1/2*f(x')^2\n": "f",
        "component A() { part b = A() }\npart a = A()\n": "A",
        "coord x [m], y [s]\nkinetic 1/2*x'^2\nconstraint c: x + y = 0\n": "unit",
        "": "coordinate",
        "kinetic 1\n": "coordinate",
    }
    for text, part in wrong.items():
        for command in COMMANDS:
            status, out, err = run(command, "-", text=text)
            assert (status, out) == (1, ""), (command, text, status, out)
            assert part in err, (command, text, err)


@case
def starts_that_cannot_be_met_are_named():
    text = PENDULUM.replace("y ~ -0.8", "y = -0.5")
    refuse(text, "rod", names=["rod"])
    status, out, err = run("check", "-", "--json", text=text)
    got = json.loads(out)
    assert status == 1 and got["start"]["consistent"] is False
    assert got["error"]["names"] == ["rod"], got
    status, out, err = run("check", "-", text=text)
    assert status == 1 and "rod" in err, err


@case
def contradictions_are_named():
    text = ("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x'' = 1\n"
            "constraint b: 2*x'' = 3\nconstraint c: y = 0\n")
    refuse(text, "contradict", names=["a", "b"])
    text = "coord x, y\nkinetic 1/2*x'^2\nforce y = 1\n"
    refuse(text, "y", names=["y"])


@case
def what_is_not_unique_is_an_answer_with_a_warning():
    text = "coord x, y\nkinetic 1/2*x'^2\n"
    status, out, err = run("eval", "-", "--json", text=text)
    got = json.loads(out)
    assert status == 0 and got["unique"] is False and got["indeterminate"] == ["y"]
    assert "not unique" in err, err
    status, out, err = run("eval", "-", "--json", "-q", text=text)
    assert (status, err) == (0, ""), err


@case
def values_without_meaning_are_told_with_their_place():
    text = "coord x\nkinetic 1/2*x'^2\nforce x = 1/x\n"
    refuse(text, "divides by x", "stdin:3:")


@case
def what_is_written_keeps_its_domain():
    text = "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\nforce x = %s\n"
    # Formula, where it has no value and why, where it has one and which.
    for formula, bad, cause, good, value in (
            ("x'/x'", {}, "divides by x'", {"x'": 2}, 1),
            ("sqrt(x)*sqrt(x)", {"x": -1}, "sqrt(x)", {"x": 4}, 4),
            ("(x^(1/3))^3", {"x": -1}, "(x^(1/3))^3", {"x": 8}, 8),
            ("(x^3)^(1/3)", {"x": -8}, "(x^3)^(1/3)", {"x": 8}, 8),
            ("(x^3)^(2/3)", {"x": -2}, "(x^3)^(2/3)", {"x": 2}, 4),
            ("(x^-3)^(1/3)", {"x": -2}, "(x^-3)^(1/3)", {"x": 2}, 0.5),
            ("(x^2)^(1/2)", None, "", {"x": -3}, 3),
            ("exp(log(x))", {"x": -1}, "log(x)", {"x": 3}, 3),
            ("x^2/x", {}, "divides by x", {"x": 3}, 3),
            ("1/(1/x)", {}, "divides by x", {"x": 3}, 3),
            ("1/x - 1/x", {}, "divides by x", {"x": 3}, 0),
            ("(1/x)^0", {}, "divides by x", {"x": 3}, 1),
            ("x*(y + 2)/x", {}, "divides by x", {"x": 3}, 2),
            ("log(x) - log(x) + 1", {"x": -1}, "log(x)", {"x": 2}, 1),
            ("asin(x) - asin(x) + 1", {"x": 3}, "asin(x)", {"x": 0.5}, 1),
            # What lies within what is forgotten as a whole.
            ("sin(1/x) - sin(1/x)", {}, "divides by x", {"x": 3}, 0),
            ("floor(1/x)^0", {}, "divides by x", {"x": 3}, 1),
            ("sign(log(x))*0 + tanh(log(x))/tanh(log(x))", {}, "log(x)", {"x": 3}, 1),
            ("y + atan(1/x) - atan(1/x)", {}, "divides by x", {"x": 3}, 0),
            ("if(1/x > 0, 1, 2) - if(1/x > 0, 1, 2)", {}, "divides by x", {"x": 3}, 0),
            ("if(floor(1/x) > 0, 1, 1)", {}, "divides by x", {"x": 3}, 1),
            ("asin(x)*atan(1/y) - asin(x)*atan(1/y)", {}, "divides by y",
             {"x": 0.5, "y": 3}, 0),
            ("0/x", {}, "divides by x", {"x": 3}, 0),
            ("0*log(x)", {}, "log(x)", {"x": 3}, 0),
            ("1 + y*log(x)*0", {}, "log(x)", {"x": 3}, 1),
            ("-0*(2 + sqrt(x))", {"x": -1}, "sqrt(x)", {"x": 3}, 0),
            ("0*sin(y)/x", {}, "divides by x", {"x": 3}, 0),
            ("0*x^(y - 1)", {}, "x^(y - 1)", {"x": 3}, 0),
            ("[0, 1].x/x", None, "", {}, 0),
            ("sqrt(x^2 + y^2)^2", None, "", {}, 0),
            ("if(x != 0, x/x, 1)", None, "", {}, 1)):
        def at(state):
            values = {"x": 0, "y": 0, "x'": 0, "y'": 0, "t": 0} | state
            return "--at", ", ".join(f"{name}={v}" for name, v in values.items())
        got = answer("eval", *at(good), text=text % formula)
        near(got["Q"], [value, 0], 1e-14)
        if bad is not None:
            refuse(text % formula, cause, "stdin:3:", arguments=at(bad))
    table = FREE + "table f = [0, 1], [0, 1]\nforce x = %s\n"
    for formula in ("f(x) - f(x)", "0*f(x)", "f(x)^0", "sin(f(x)) - sin(f(x))"):
        near(answer("eval", "--at", "x=0.5", text=table % formula)["Q"],
             [1 if "^0" in formula else 0, 0])
        refuse(table % formula, "outside of its points", arguments=("--at", "x=5"))
    # Parameters are looked at when the model is read.
    text = "param a = %s\ncoord x\nkinetic 1/2*x'^2\nforce x = sqrt(a)*sqrt(a)\n"
    near(answer("eval", text=text % "2")["Q"], [2])
    refuse(text % "-2", "sqrt(a)", "stdin:4:")
    refuse(FREE + "output o = 0*log(-2)\n", "log(-2)", "stdin:3:")


@case
def what_rests_at_a_border_is_no_kink():
    text = FREE + "force x = if(%s, 1, 2)\n"
    for condition, x, kink in (
            ("floor(x) >= 3", 3.5, False), ("floor(x) >= 3", 3, True),
            ("ceil(x) <= 4", 3.5, False), ("min(x, 3) >= 3", 4, False),
            ("min(x, 3) >= 3", 3, True), ("x >= 3", 3, True), ("floor(t) >= 0", 3, True),
            ("floor(t + 0.5) >= 0", 3, False)):
        status, out, err = run("eval", "-", "--at", f"x={x}", text=text % condition)
        assert status == 0 and ("kink or a jump" in err) == kink, (condition, err)


@case
def warnings_go_to_standard_error_unless_quiet():
    text = PENDULUM + "param unused = 3\n"
    status, out, err = run("eval", "-", text=text)
    assert status == 0 and "unused" in err and "warning" in err, err
    status, out, err = run("eval", "-", "-q", text=text)
    assert (status, err) == (0, ""), err
    assert any("unused" in warning for warning in answer("check", text=text)["warnings"])


@case
def files_are_used_relative_to_the_model():
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / "inner"
        (inner / "parts").mkdir(parents=True)
        (inner / "parts" / "mass.kal").write_text(
            'use "shape.kal"\ncomponent Mass(m = 1) { coord x; kinetic half(m*x\'^2) }\n')
        (inner / "parts" / "shape.kal").write_text("fn half(a) = 1/2*a\n")
        (inner / "main.kal").write_text('use "parts/mass.kal"\npart a = Mass(m = 3)\n')
        got = run("eval", inner / "main.kal", "--json")
        assert got[0] == 0 and json.loads(got[1])["M"] == [[3]], got

        (Path(folder) / "out.kal").write_text("coord z\nkinetic z'^2\n")
        for path in ["../out.kal", str(Path(folder) / "out.kal")]:
            (inner / "escape.kal").write_text(f'use "{path}"\n')
            status, out, err = run("eval", inner / "escape.kal")
            assert (status, out) == (1, "") and "escape.kal:1:5" in err, err
            status, out, err = run("eval", inner / "escape.kal", "--allow-outside")
            assert status == 0, err

        (inner / "ring.kal").write_text('use "ring2.kal"\ncoord x\n')
        (inner / "ring2.kal").write_text('use "ring.kal"\n')
        status, out, err = run("eval", inner / "ring.kal")
        assert (status, out) == (1, "") and "ring.kal" in err, err
        (inner / "missing.kal").write_text('use "nowhere.kal"\n')
        status, out, err = run("eval", inner / "missing.kal")
        assert (status, out) == (1, "") and "nowhere.kal" in err, err


@case
def equations_of_many_parts_are_shown():
    """More than a million characters together, and all of them."""
    n = 5000
    text = (f"param N = {n}\ncoord x[N], y[N]\n"
            "kinetic sum(i in 1..N : x[i]'^2 + y[i]'^2)/2\npotential 9.81*sum(i in 1..N : y[i])\n"
            "for i in 2..N {\n constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n")
    status, out, err = run("derive", "-", text=text)
    assert status == 0 and not err, err
    assert len(out) > 1000000
    assert f"b[{n - 1}] = " in out


@case
def limits_are_higher_for_who_asks():
    text = FREE + "let a[1000001] = 1\noutput o = a[1000001]\n"
    refuse(text, "at most 1000000 elements", "--huge", "stdin:3:")
    status, out, err = run("eval", "-", "--huge", text=text)
    assert status == 0, err


@case
def files_that_are_not_there():
    for command in COMMANDS:
        status, out, err = run(command, "/nowhere/model.kal")
        assert (status, out) == (1, "") and "/nowhere/model.kal" in err, err
        status, out, err = run(command)
        assert (status, out) == (2, ""), err


@case
def every_command_has_help_with_examples():
    for command in COMMANDS:
        status, out, err = run("help", command)
        assert status == 0 and "Example" in out and "-p NAME=VALUE" in out, out
        assert run(command, "--help")[1] == out


@case
def topics_tell_of_statements_that_there_are():
    _, overview, _ = run("help")
    topics = overview.split("Topics:\n")[1].split("\n\n")[0].splitlines()
    for name in [line.split()[0] for line in topics]:
        status, out, err = run("help", name)
        assert (status, err) == (0, "") and len(out) > 300, (name, out)
        assert all(len(line) <= 88 for line in out.splitlines()), name
    statements = [line.strip().split("   ")[0] for line in run("help", "language")[1].splitlines()
                  if line.startswith("  ")]
    assert len(statements) > 25, statements
    for text in statements:
        done = subprocess.run([PROGRAM, "format", "-"], input=text.encode(), capture_output=True,
                              timeout=HANG, check=False)
        assert done.returncode == 0, (text, done.stderr)
    status, _, err = run("help", "languge")
    assert status == 2 and "did you mean 'language'" in err, err


SLEIGH = EXAMPLES / "sleigh.kal"
SPEEDS = "u = x'*cos(theta) + y'*sin(theta), w = theta'"


@case
def reduce_takes_speeds():
    status, out, err = run("reduce", SLEIGH, "--speeds", SPEEDS)
    assert (status, err) == (0, ""), err
    assert "  u' = b*w^2\n  w' = -m*b*u*w/(m*b^2 + I)\n" in out, out
    status, out, err = run("reduce", SLEIGH, "--speeds", SPEEDS, "--json")
    got = json.loads(out)
    assert got["rates"] == {"u'": "b*w^2", "w'": "-m*b*u*w/(m*b^2 + I)"}, got
    assert got["freedom"] == 2 and list(got["speeds"]) == ["u", "w"], got
    status, out, err = run("reduce", SLEIGH, "--speeds", "u1, w = theta'", "--json")
    assert list(json.loads(out)["speeds"]) == ["u1", "w"], out


@case
def reduce_finds_speeds():
    status, out, err = run("reduce", SLEIGH, "--json")
    got = json.loads(out)
    assert got["S"] == [["cos(theta)", "-b*sin(theta)"], ["sin(theta)", "b*cos(theta)"],
                        ["0", "1"]], got
    assert got["M"] == [["m", "0"], ["0", "m*b^2 + I"]], got
    for word, part in {"latex": "\\begin{align*}", "markdown": "$$"}.items():
        status, out, err = run("reduce", SLEIGH, "--format", word)
        assert status == 0 and part in out, (out, err)


@case
def reduce_names_what_has_no_value_at_the_start():
    squeezer = EXAMPLES / "squeezer.kal"
    got = json.loads(run("reduce", squeezer, "--json")[1])
    assert got["no_value_at_start"] == ["beta'", "Theta'", "gamma''"], got["no_value_at_start"]
    for form in ("text", "latex", "markdown"):
        out = run("reduce", squeezer, "--format", form)[1]
        assert "Without a value at the start of the model: " in out, out[-300:]
    out = run("reduce", squeezer)[1]
    assert "model: beta', Theta', the equations of motion.\n" in out, out[-300:]
    assert json.loads(run("reduce", SLEIGH, "--json")[1])["no_value_at_start"] == []
    assert "Without a value" not in run("reduce", SLEIGH)[1]


@case
def reduce_refuses_with_reasons():
    for speeds, part in {"u = x'": "2 velocities are free", "u = x'^2, w = theta'": "u is not",
                         "u = x', w = 2*x'": "u, w do not determine",
                         "u = nothing', w = x'": "nothing", "u9, w = x'": "u9",
                         "m = x', w = theta'": "'m'"}.items():
        status, out, err = run("reduce", SLEIGH, "--speeds", speeds)
        assert (status, out) == (1, "") and part in err, (speeds, err)
    for speeds in ("", "u = x',", ",", "= 3"):
        status, out, err = run("reduce", SLEIGH, "--speeds", speeds)
        assert (status, out) == (2, "") and "--speeds" in err, (speeds, err)
    status, out, err = run("reduce", SLEIGH, "--speeds", "u = x'", "--json")
    assert status == 1 and json.loads(out)["error"]["names"] == ["u"], out


@case
def check_gives_what_the_contract_says():
    got = answer("check")
    assert got["coordinates"] == ["x", "y"] and got["model"] == "Pendulum"
    assert got["constraints"] == [{
        "name": "rod", "at": "stdin:6:12", "level": "position", "kind": "holonomic",
        "time_dependent": False, "linear_in_velocity": True}
        | {key: got["constraints"][0][key] for key in got["constraints"][0]
           if key not in ("name", "at", "level", "kind", "time_dependent",
                          "linear_in_velocity")}], got["constraints"]
    assert got["counts"] == {"coordinates": 2, "constraints": 1, "rank": 1,
                             "configuration_freedom": 1, "velocity_freedom": 1}
    assert got["unique"] is True and got["dependent_sets"] == []
    assert got["unique_reaction"] == {"rod": True}
    assert got["start"]["consistent"] is True and got["start"]["moved"] == {}
    assert "energy" in got["conserved"] and got["warnings"] == []


@case
def check_tells_what_moved():
    got = answer("check", text=PENDULUM.replace("y ~ -0.8", "y ~ -0.9"))
    moved = got["start"]["moved"]
    assert set(moved) == {"y"}, moved
    near(moved.values(), [0.1])
    near(got["start"]["q"].values(), [0.6, -0.8])


FREE = "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"


@case
def branches_far_away_are_not_forgotten():
    state = "x=20, y=3, x'=0.7, y'=-1.3, t=0"
    text = "coord x, y\nkinetic 1/2*(x' + %s*y')^2 + 1/2*y'^2\n"
    # With u = x' + p y': Q = (p_x y' u - p' y', p_y y' u - p' u - p p' y').
    got = answer("eval", "--at", state, text=text % "if(x > 10, x*y, 0)")
    near(got["Q"], [270.4, -1701.87], 1e-10)
    got = answer("eval", "--at", state, text=text % "max(0, x - 10)")
    near(got["Q"], [16.9, 17.71], 1e-12)
    refuse(FREE + "constraint c: x'' + if(x > 10, y''^2, y'') = 3\n",
           "'c' is not linear in the accelerations", "stdin:3:")
    refuse(FREE + "constraint c: x'' + if(x > 1e6, y''^2, y'') = 3\n",
           "it is not proven that the factor of y''", "stdin:3:")
    refuse(FREE + "actuator u: if(x > 10, x'^2, x')\nservo s: x = 1, rate = 1\n",
           "actuator 'u' must be linear in the velocities", "stdin:3:")


@case
def check_says_what_is_not_decided():
    for force in ("if(x > 10, -3*x', 0)", "if(t > 3, 1, 0)"):
        got = answer("check", text=FREE + f"force x = {force}\n")
        assert got["conserved"] == ["momentum(y)"] and not got["warnings"], got
    text = FREE + "force x = if(x > 1e6, -3*x', 0)\n"
    got = answer("check", text=text)
    assert got["conserved"] == ["momentum(y)"], got
    for what in ("energy", "momentum(x)"):
        assert any(what in warning and "not decided" in warning
                   for warning in got["warnings"]), got["warnings"]
    status, out, err = run("check", "-", text=text)
    assert status == 0 and "not decided: momentum(x)" in out, out
    assert "it is not decided whether the force on 'x' does work" in out, out
    text = "coord x, y, z\nkinetic 1/2*x'^2 + 1/2*y'^2 + 1/2*z'^2\n"
    for edge, by in ((5, "numeric"), ("1e6", "undecided")):
        got = answer("check", text=text + f"constraint c: z' = if(x > {edge}, y, 0)*x'\n")
        (row,) = got["constraints"]
        assert (row["kind"], row["decided_by"]) == ("nonholonomic", by), row
        assert any("not decided" in warning
                   for warning in got["warnings"]) == (by == "undecided"), got["warnings"]


@case
def constraints_that_wait_do_not_count():
    text = """coord x, y, z
kinetic 1/2*(x'^2 + y'^2 + z'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1{off}
constraint gear: z' = 2*x'{off}
event hit: x + 2 engage rod, engage gear
init x = 1, y = 0
"""
    for off in ("", ", off"):  # what an event engages and none releases waits, too
        waiting = text.replace("{off}", off)
        got = answer("check", text=waiting)
        assert got["counts"]["configuration_freedom"] == 3, got["counts"]
        assert got["counts"]["velocity_freedom"] == 3, got["counts"]
        assert [(row["kind"], row["acts_at_start"]) for row in got["constraints"]] == [
            ("holonomic", False), ("integrable", False)], got["constraints"]
        assert len(answer("linearize", text=waiting)["states"]) == 6
        closed = answer("derive", "--closed-form", text=waiting)["closed_form"]
        assert list(closed) == ["refused"] and "does not act" in closed["refused"], closed
        refuse(waiting, "rod does not act at the start", command="reduce")
        assert answer("derive", text=waiting)["acts_at_start"] == [False, False]
        for form in ("text", "latex", "markdown"):
            shown = run("derive", "-", "--format", form, text=waiting)[1]
            assert "do not act at the start: rod, gear\n" in shown, shown
    acting = text.replace("{off}", "").replace("event hit: x + 2 engage rod, engage gear\n", "")
    counts = answer("check", text=acting)["counts"]
    assert counts["configuration_freedom"] == counts["velocity_freedom"] == 1, counts
    assert answer("derive", text=acting)["acts_at_start"] == [True, True]
    assert "refused" not in answer("derive", "--closed-form", text=acting)["closed_form"]


@case
def servos_have_no_part_in_formulas():
    text = PENDULUM + "servo steady: x' = 1, rate = 2\n"
    closed = answer("derive", "--closed-form", text=text)["closed_form"]
    assert list(closed) == ["refused"] and "servos" in closed["refused"], closed
    refuse(text, "the model has servos", command="reduce")


@case
def no_formula_is_shown_for_one_branch_of_several():
    text = FREE + "constraint c: if(x > 10, 1, 0)*x' + if(x > 30, 1, 0)*y' = 0\n"
    status, out, err = run("derive", "-", "--closed-form", text=text)
    assert status == 0 and "no closed form for all states" in out, out
    refuse(text, "no choice of speeds holds for all", command="reduce")


@case
def long_and_deep_texts_end():
    many = 200000 // SHARE
    texts = [
        "coord x\nkinetic " + "(" * 5000 + "x'^2" + ")" * 5000 + "\n",
        "coord x\nkinetic x'^2\nlet " + "a" * 5000 + " = 1\n",
        "coord x\nkinetic x'^2\n" + "# comment\n" * (2 * many),
        "coord x\nkinetic " + " + ".join(["x'^2"] * many) + "\n",
        "coord x[100000000]\nkinetic x[1]'^2\n",
        "coord x\nlet a0 = [x, x]\n"
        + "".join(f"let a{i + 1} = [a{i}, a{i}]\n" for i in range(60)) + "kinetic x'^2\n",
        "coord x\nlet a0 = x\n"
        + "".join(f"let a{i + 1} = a{i}*sin(a{i})\n" for i in range(400))
        + "kinetic 1/2*x'^2\nforce x = a400\n",
    ]
    if SHARE == 1: # millions of passes; the unit test of limits has fewer for the sanitizers
        texts.append("coord x\nkinetic sum(i in 1..1000000 : sum(j in 1..1000000 : x'^2))\n")
    for text in texts:
        status, out, err = run("eval", "-", text=text)
        assert status in (0, 1), (text[:60], status)
        assert status == 0 or err, text[:60]


if __name__ == "__main__":
    sys.exit(main())
