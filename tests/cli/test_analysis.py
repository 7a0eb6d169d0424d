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
kinetic 0.5*(x'^2 + y'^2)
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
def a_state_whose_equation_can_be_integrated_stays():
    model = """coord x, y
kinetic 1/2*x'^2
potential 2*x^2
constraint gear: y' = 2*x'
state i: i' = x' - y'
force x = -3*i
init x = 0
"""
    # y = 2 x but for a constant, and i = x - y but for a constant: x'' = -4 x - 3 i.
    answer, _ = ask("linearize", model)
    assert answer["states"] == ["y", "i", "y'"], answer["states"]
    for got, want in zip(answer["A"], ([0, 0, 1], [0, 0, -0.5], [-4, -6, 0])):
        near(got, want, 1e-12)
    answer, _ = ask("modes", model)
    sorted_near(spectrum(answer), [0, 1j, -1j], 1e-7)
    answer, _ = ask("equilibria", model)
    first = answer["equilibria"][0]
    assert first["family_dimension"] >= 1, first
    assert list(first["multipliers"]) == list(first["unique_reaction"]) == ["gear"], first


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
        assert "taken as it is: constraint rod is off by 2" in err, err
        _, err = ask(command, PENDULUM, "--at", "x=0, y=-2, x'=0, y'=3")
        assert "taken as it is: the rate of rod is off by 12" in err, err
    for state in ("x=1, y=1", "x=0, y=-2, x'=0, y'=3"):
        errors = {ask(command, PENDULUM, "--at", state)[1].splitlines()[0]
                  for command in ("eval", "linearize", "modes")}
        assert len(errors) == 1 and "taken as it is" in errors.pop(), errors


HALVES = """coord x
kinetic 1/2*x'^2
potential {V}
force x = {F}
"""


def kink_of(V, F="0", state="x=0, x'=0"):
    model = HALVES.format(V=V, F=F)
    answers = [ask(command, model, "--at", state) for command in ("linearize", "modes")]
    for answer, err in answers:
        assert (answer["kink"] is not None) == ("kink or a jump" in err), err
    first, second = (answer["kink"] for answer, _ in answers)
    assert (first is None) == (second is None), (first, second)
    return first


@case
def kinks_are_told_with_their_place():
    assert "abs(x) at" in kink_of("x^2 + abs(x)") and ":3:11" in kink_of("x^2 + abs(x)")
    assert "sign(x') at" in kink_of("x^2", F="-0.3*sign(x')")
    assert ":3:11" in kink_of("if(x > 0, x^2, 3*x^2)")  # a spring of two rates
    assert "max(x - 1, 0)" in kink_of("x^2 + max(x - 1, 0)^2", state="x=1, x'=0")


@case
def inputs_have_kinks_too():
    model = "coord x\nkinetic 1/2*x'^2\npotential x^2\nactuator u: %s\n"
    answer, _ = ask("linearize", model % "if(x < 0, 1, 2)*x'", "--at", "x=0, x'=0")
    assert "x < 0" in answer["kink"] and ":4:10" in answer["kink"], answer["kink"]
    answer, _ = ask("linearize", model % "if(x < 1, 1, 2)*x'", "--at", "x=0, x'=0")
    assert answer["kink"] is None


@case
def long_reasons_are_whole():
    text = "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\nforce x = -max(x, 10*x)\n"
    text += "force y = -y - hypot(y', 0)\nconstraint c: y = min(x, 2*x)\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a_model_with_a_name_that_is_not_short_at_all.kal"
        path.write_text(text)
        status, out, _ = run("equilibria", path)
        assert status == 0 and f"{path}:5:12\n" in out, out


@case
def smooth_places_are_no_kinks():
    assert kink_of("x^2 + abs(x)", state="x=0.1, x'=0") is None
    assert kink_of("x^2", F="-0.3*sign(x')", state="x=0, x'=0.5") is None
    assert kink_of("x^2 + abs(x)^3") is None
    assert kink_of("if(x > 0, x^2 + x^4, x^2 - x^4)") is None


@case
def equilibria_are_listed_with_their_stability():
    answer, err = ask("equilibria", PENDULUM)
    found = sorted(answer["equilibria"], key=lambda one: one["q"]["y"])
    assert err == "" and len(found) == 2
    assert [one["stability"] for one in found] == ["stable", "unstable"]
    near([one["q"]["y"] for one in found], [-2, 2])
    near(found[0]["multipliers"]["rod"], -9.81 / 4)
    near(found[0]["force"]["y"], 9.81)
    assert all(one["family_dimension"] == 0 and one["qd"]["x"] == 0 for one in found)
    answer, _ = ask("equilibria", "sleigh")
    assert [one["family_dimension"] for one in answer["equilibria"]] == [3]
    answer, _ = ask("equilibria", "sleigh", "--steady")
    near(answer["equilibria"][0]["qd"]["x"], 1, 1e-9)
    assert answer["equilibria"][0]["family_dimension"] == 1
    answer, _ = ask("equilibria", "rolling_disc", "--steady")
    assert answer["equilibria"][0]["qd"]["psi"] == -2


@case
def equilibria_have_numbers():
    one, _ = ask("modes", "double_pendulum", "--equilibrium", "1")
    all_of_them, _ = ask("equilibria", "double_pendulum")
    assert one["q"] == all_of_them["equilibria"][0]["q"] and one["equilibrium"]
    assert len(all_of_them["equilibria"]) == 4
    status, out, _ = run("linearize", EXAMPLES / "double_pendulum.kal", "--equilibrium", "9",
                         "--json")
    assert status == 1 and "4 were found" in json.loads(out)["error"]["message"]


@case
def searches_repeat_themselves():
    options = ("--starts", "12", "--seed", "5", "--where", "x1 = -1 .. 1")
    first, _ = ask("equilibria", "double_pendulum", *options)
    second, _ = ask("equilibria", "double_pendulum", *options)
    assert first == second and first["starts"] == 12


@case
def critical_values_are_found():
    answer, err = ask("modes", "rolling_disc_upright", "--sweep", "w=2..5", "--points", "7")
    [critical] = answer["critical"]
    near(critical["value"], sqrt(9.81 / 0.9), 1e-12)
    assert (critical["growing_below"], critical["growing_above"]) == (1, 0) and err == ""
    words = [point["stability"] for point in answer["points"]]
    assert words == ["unstable"] * 3 + ["stable"] * 4
    assert all(len(point["eigenvalues"]) == 8 for point in answer["points"])
    answer, _ = ask("modes", "sleeping_top", "--sweep", "w=50..300")
    [critical] = answer["critical"]
    near(critical["value"], sqrt(4 * 2.4e-3 * 0.5 * 9.81 * 0.06) / 4e-4, 1e-10)
    assert len(answer["points"]) == 41 and answer["parameter"] == "w"


@case
def a_grid_shows_every_member_of_a_family():
    """Chaplygin's sleigh glides straight on at any speed u, with the eigenvalue
    -m b u/(m b^2 + I)."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rest.csv"
        status, _, err = run("equilibria", EXAMPLES / "sleigh.kal", "--steady", "--each",
                             "--grid", "x' = -2 .. 2 count 5", "-o", table, "-q")
        assert status == 0, err
        head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    found = [dict(zip(head, map(float, row))) for row in rows]
    for row, (u, stability) in zip(found, ((-2, -1), (-1, -1), (0, 0), (1, 1), (2, 1)),
                                   strict=True):
        near(row["x'"], u, 1e-12)
        near(row["u1"], u, 1e-12)
        near(row["theta'"], 0, 1e-12)
        assert row["stability"] == stability
    answer, _ = ask("equilibria", "sleigh", "--steady", "--grid", "x' = -2, -1, 1, 2")
    assert answer["starts"] == 4
    assert [one["stability"] for one in answer["equilibria"]] == ["unstable", "stable"]
    answer, _ = ask("equilibria", PENDULUM, "--grid", "y = -2, 2")
    assert answer["starts"] == 2
    assert sorted(round(one["q"]["y"], 9) for one in answer["equilibria"]) == [-2, 2]


@case
def text_is_for_people():
    status, out, _ = run("modes", EXAMPLES / "sleigh.kal", "--at", "x'=1, y'=0, theta'=0")
    assert status == 0 and "stable: all modes decay" in out and "family" in out
    status, out, _ = run("linearize", EXAMPLES / "sleigh.kal", "-q")
    assert status == 0 and "5 states: 3 of the configuration" in out
    status, out, _ = run("modes", EXAMPLES / "sleeping_top.kal", "--sweep", "w=100..300")
    assert status == 0 and "Critical values" in out
    status, out, _ = run("equilibria", EXAMPLES / "sleigh.kal", "-q")
    assert status == 0 and "family of 3 dimensions" in out
    status, out, _ = run("linearize", EXAMPLES / "pendulum_chain.kal", "-p", "N=20", "-q")
    assert status == 0 and "entries that are not 0" in out


@case
def a_law_is_no_input_but_its_parameters_are():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text("param push = 0\ncoord x\nkinetic x'^2\n"
                        "actuator u: x', law = push - 3*x\n")
        status, out, _ = run("linearize", path, "--inputs", "u", "--json")
        assert status == 1 and "its law says" in json.loads(out)["error"]["message"], out
        status, out, _ = run("linearize", path, "--inputs", "push", "--json")
        assert status == 0 and abs(json.loads(out)["B"][1][0] - 0.5) < 1e-15, out


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
    status, _, err = run("equilibria", EXAMPLES / "sleigh.kal", "--starts", "many")
    assert status == 2 and "--starts" in err
    status, _, err = run("equilibria", EXAMPLES / "sleigh.kal", "--grid", "x'")
    assert status == 2 and "grid" in err
    status, _, err = run("equilibria", EXAMPLES / "sleigh.kal", "--grid", "nobody = 1, 2")
    assert status == 1 and "nobody" in err
    status, _, err = run("modes", EXAMPLES / "sleigh.kal", "--at", "x=1", "--equilibrium", "1")
    assert status == 2 and "exclude" in err
    status, _, err = run("modes", EXAMPLES / "sleigh.kal", "--sweep", "m=2..1")
    assert status == 2 and "--sweep" in err
    status, _, err = run("modes", EXAMPLES / "sleigh.kal", "--sweep", "zz=1..2")
    assert status == 1 and err.count("zz") < 4
    status, out, _ = run("equilibria", EXAMPLES / "roller_racer.kal", "--json")
    assert status == 1 and "time" in json.loads(out)["error"]["message"]
    status, out, _ = run("equilibria", EXAMPLES / "sleigh.kal", "--where", "x=1", "--json")
    assert status == 1 and "low .. high" in json.loads(out)["error"]["message"]


if __name__ == "__main__":
    sys.exit(main())
