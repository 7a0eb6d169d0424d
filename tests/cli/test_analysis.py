#!/usr/bin/env python3
"""Analysis from outside: test_analysis.py PROGRAM ROOT

What `linearize` and `modes` print, against closed forms and against `check`.
"""

import cmath
import json
import sys
import tempfile
from math import pi, sqrt
from pathlib import Path

from model_lab import EXAMPLES, case, check, main, near, run

PENDULUM = """param g = 9.81, L = 2, c = 0
coord x [m], y [m]
kinetic 1/2*(x'^2 + y'^2)
potential g*y
dissipation 1/2*c*(x'^2 + y'^2)
constraint rod: x^2 + y^2 = L^2
actuator u: x'
output height = y
init x = 0, y ~ -1
"""

# Names of examples that have a start, servos aside.
MODELS = ["double_pendulum", "double_pendulum_redundant", "four_bar", "parallelogram",
          "rolling_disc", "rolling_disc_parts", "rolling_wheel", "sleigh", "sleigh_parts",
          "spatial_four_bar", "spinning_top", "suspended_body", "universal_joint",
          "pfaffian_scleronomic", "pfaffian_nonholonomic", "repeated_constraints",
          "roller_racer", "kinematic_snake", "wheel_incline", "knife_edge"]


def ask(command, model, *options):
    """The JSON object of a command and its warnings."""
    with tempfile.TemporaryDirectory() as folder:
        if "\n" in model:
            path = Path(folder) / "model.kal"
            path.write_text(model)
        else:
            path = EXAMPLES / f"{model}.kal"
        status, out, err = run(command, path, "--json", *options)
    assert status == 0, (model, status, out[:1000], err[:1000])
    return json.loads(out), err


def spectrum(answer):
    return [complex(*pair) for pair in answer["eigenvalues"]]


def sorted_near(got, want, tolerance):
    """Two sets of complex numbers agree."""
    got = list(got)
    assert len(got) == len(want), (got, want)
    for value in want:
        best = min(got, key=lambda one: abs(one - value))
        assert abs(best - value) <= tolerance, (value, best)
        got.remove(best)


@case
def a_pendulum_hangs_and_stands():
    w = sqrt(9.81 / 2)
    answer, err = ask("modes", PENDULUM)
    sorted_near(spectrum(answer), [1j * w, -1j * w], 1e-13)
    assert answer["stability"] == "stable" and not answer["decays"] and err == ""
    near(answer["modes"][0]["frequency"], w / (2 * pi))
    near(answer["modes"][0]["shape"]["x"], [1, 0])
    assert answer["q"] == {"x": 0, "y": -2} and answer["qd"] == {"x": 0, "y": 0}
    answer, err = ask("modes", PENDULUM, "--at", "x=0, y=2, x'=0, y'=0")
    sorted_near(spectrum(answer), [w, -w], 1e-13)
    assert answer["stability"] == "unstable" and err == ""
    answer, err = ask("modes", PENDULUM, "-p", "c=0.5")
    root = cmath.sqrt(0.0625 - 9.81 / 2)
    sorted_near(spectrum(answer), [-0.25 + root, -0.25 - root], 1e-13)
    assert answer["stability"] == "stable" and answer["decays"]


@case
def matrices_have_names():
    answer, _ = ask("linearize", PENDULUM, "--inputs", "u, g")
    assert answer["states"] == ["x", "x'"] and answer["inputs"] == ["u", "g"]
    assert answer["outputs"] == ["height"]
    near(answer["A"][0], [0, 1])
    near(answer["A"][1], [-9.81 / 2, 0])
    near(answer["B"][1], [1, 0])
    near(answer["C"][0], [0, 0])
    near(answer["D"][0], [0, 0])
    assert answer["equilibrium"] and answer["steady"] and answer["note"] is None
    answer, _ = ask("linearize", PENDULUM)
    assert answer["inputs"] == ["u"]


@case
def as_many_states_as_check_counts():
    for model in MODELS:
        counts = check(model)["counts"]
        want = counts["configuration_freedom"] + counts["velocity_freedom"]
        answer, _ = ask("linearize", model)
        assert len(answer["states"]) == want, (model, answer["states"], counts)
        answer, _ = ask("modes", model)
        assert len(answer["eigenvalues"]) == want, model


@case
def redundant_constraints_change_no_mode():
    once, _ = ask("modes", "repeated_constraints_once")
    more, _ = ask("modes", "repeated_constraints")
    sorted_near(spectrum(more), spectrum(once), 1e-9)
    assert once["stability"] == more["stability"]


@case
def a_sleigh_glides():
    rate = 0.3 / (0.3**2 + 0.2)
    answer, err = ask("modes", "sleigh", "--at", "x'=2, y'=0, theta'=0")
    sorted_near(spectrum(answer), [0, 0, 0, 0, -2 * rate], 1e-6)
    assert answer["stability"] == "stable" and answer["family_dimension"] == 1
    assert answer["steady"] and not answer["equilibrium"] and err == ""
    answer, _ = ask("modes", "sleigh", "--at", "x'=-2, y'=0, theta'=0")
    assert answer["stability"] == "unstable"


@case
def what_is_no_equilibrium_is_said():
    for command in ("linearize", "modes"):
        answer, err = ask(command, "four_bar")
        assert "not an equilibrium" in err and "not an equilibrium" in answer["note"]
        _, err = ask(command, "four_bar", "-q")
        assert err == ""
        _, err = ask(command, "roller_racer")
        assert "time" in err and "not an equilibrium" in err
        _, err = ask(command, PENDULUM, "--at", "x=1, y=1")
        assert "moved" in err


@case
def text_is_for_people():
    status, out, _ = run("modes", EXAMPLES / "sleigh.kal", "--at", "x'=1, y'=0, theta'=0")
    assert status == 0 and "stable: all modes decay" in out and "family" in out
    status, out, _ = run("linearize", EXAMPLES / "sleigh.kal", "-q")
    assert status == 0 and "5 states: 3 of the configuration" in out
    status, out, _ = run("linearize", EXAMPLES / "pendulum_chain.kal", "-p", "N=20", "-q")
    assert status == 0 and "entries that are not 0" in out


@case
def wrong_questions_are_refused():
    status, out, _ = run("linearize", EXAMPLES / "sleigh.kal", "--inputs", "mass", "--json")
    assert status == 1 and "no actuator or parameter" in json.loads(out)["error"]["message"]
    status, out, _ = run("modes", EXAMPLES / "swarm.kal", "--json")
    assert status == 1 and "servo" in json.loads(out)["error"]["message"]
    status, out, _ = run("modes", EXAMPLES / "sleigh.kal", "--at", "q=1", "--json")
    assert status == 1 and "error" in json.loads(out)
    status, _, err = run("modes", EXAMPLES / "sleigh.kal", "--inputs", "m")
    assert status == 2 and "unknown option" in err


if __name__ == "__main__":
    sys.exit(main())
