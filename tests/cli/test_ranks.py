#!/usr/bin/env python3
"""Ranks on the way: test_ranks.py PROGRAM ROOT

Bodies in space whose mass matrix is singular always, and nearly so in other directions:
they run, keep their energy, and lose no rank.  And mechanisms that do lose rank: every
passage is told, at every tolerance.
"""

import json
import os
import sys
import tempfile
from math import cos, floor, pi, sin, sqrt
from pathlib import Path

from model_lab import case, main, run


# Cases take every third of their combinations, such that each value of each part occurs, or all
# of them where the environment has KAL_TEST_ALL.
ALL = "KAL_TEST_ALL" in os.environ


def result_of(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.kal"
        model.write_text(text)
        status, out, err = run("run", model, "--json", *options)
        assert status == 0, (text, options, out[:300], err[:300])
        return json.loads(out)


def quiet(text, scale, *options):
    """A run that keeps its energy, of a size, and tells of no loss of rank."""
    answer = result_of(text, *options)
    assert answer["passages"] == 0, (text, options, answer["passages"])
    assert abs(answer["energy"]["balance"]) < 1e-7 * scale, (text, answer["energy"])
    return answer


# Single bodies that begin at rest where the quaternion is (1, 0, 0, 0).
RESTING = {
    "Ball": "",
    "Revolute": ", axis_a = [{2}, {0}, {1}], axis_b = [{2}, {0}, {1}]",
    "Universal": ", axis_a = [{2}, {0}, {1}], axis_b = [{1}, {2}, {0}]",
}
ARMS = ((1, 0, 0), (0, -1, 0), (0, 0, 1))


@case
def bodies_fall_from_rest():
    for i, (kind, axes) in enumerate(RESTING.items()):
        for j, arm in enumerate(ARMS):
            for k, inertia in enumerate(("1, 1, 1", "0.8, 0.72, 0.8", "0.66, 0.0066, 0.66")):
                if not ALL and (i + j + k) % 3:
                    continue
                size = [abs(x) for x in arm]
                text = f"""use spatial
part b = Body(m = 3, I = [{inertia}])
part j = {kind}(b = b, at_b = [{', '.join(str(-x) for x in arm)}]{axes.format(*size)})
init b.x ~ {arm[0]}, b.y ~ {arm[1]}, b.z ~ {arm[2]}
simulate 0 .. 2 every 0.1
"""
                for form in ((), ("--form", "reduced")):
                    quiet(text, 30, *form)


@case
def chains_and_trees_fall_from_rest():
    chain = """use spatial
part b1 = Body(m = 2.5, I = [0.05, 0.05, 0.015])
part b2 = Body(m = 0.25, I = [0.008, 0.009, 0.011], products = [-0.002, -0.0015, 0.0002])
part b3 = Body(m = 2.6, I = [0.2, 0.2, 0.002])
part j1 = Ball(b = b1, at_b = [0.2, 0, 0])
part j2 = Ball(a = b1, b = b2, at_a = [-0.3, 0, 0], at_b = [-0.6, 0, 0])
part j3 = Ball(a = b2, b = b3, at_a = [0.25, 0, 0], at_b = [-0.7, 0, 0])
init b1.x ~ -0.2, b2.x ~ 0.1, b3.x ~ 1.05
simulate 0 .. 2 every 0.1
"""
    tree = """use spatial
part b1 = Body(m = 0.03, I = [2e-05, 0.002, 0.002])
part b2 = Body(m = 0.3, I = [0.02, 0.02, 0.02])
part b3 = Body(m = 0.3, I = [0.006, 0.004, 0.003], products = [-1e-05, 0.0002, 0.0005])
part j1 = Ball(b = b1, at_b = [-0.8, 0, 0])
part j2 = Revolute(a = b1, b = b2, at_a = [0.2, 0, 0], at_b = [0, -0.6, 0], axis_a = [1, 0, 0], axis_b = [1, 0, 0])
part j3 = Prismatic(a = b1, b = b3, at_a = [0.2, 0, 0], at_b = [-0.4, 0, 0])
init b1.x ~ 0.8, b2.x ~ 1, b2.y ~ 0.6, b3.x ~ 1.4, b3.z ~ 0.3
simulate 0 .. 2 every 0.1
"""
    for form in ((), ("--form", "reduced")):
        quiet(chain, 50, *form)
        quiet(tree, 10, *form)


@case
def masses_over_six_decades_move():
    quiet("""use spatial
part b1 = Body(m = 0.001, I = [1.7e-05, 1.7e-07, 1.7e-05])
part b2 = Body(m = 0.001, I = [2.2e-05, 2.2e-05, 2.2e-05])
part b3 = Body(m = 1, I = [0.025, 0.05, 0.025])
part j1 = Revolute(b = b1, at_b = [0, 0.25, 0], axis_a = [1, 0, 0], axis_b = [1, 0, 0])
part j2 = Weld(a = b1, b = b2, at_a = [0, -0.2, 0], at_b = [-0.2, 0, 0])
part j3 = Cylindrical(a = b2, b = b3, at_a = [0.3, 0, 0], at_b = [-0.6, 0, 0], axis_a = [0, 1, 0], axis_b = [0, 1, 0])
init b1.y ~ -0.25, b2.x ~ 0.2, b2.y ~ -0.45, b3.x ~ 1.1, b3.y ~ -0.3
simulate 0 .. 2 every 0.1
""", 10)


@case
def a_satellite_with_three_wheels_turns():
    wheels = "".join(f"""
part w{k} = Body(m = 1, I = [{0.01 + 0.01*(k == 1)}, {0.01 + 0.01*(k == 2)}, {0.01 + 0.01*(k == 3)}],
                 gravity = [0, 0, 0], spin = [{30*(k == 1)}, {40*(k == 2)}, {20*(k == 3)}])
part j{k} = Revolute(a = s, b = w{k}, axis_a = {axis}, axis_b = {axis})"""
                     for k, axis in ((1, "[1, 0, 0]"), (2, "[0, 1, 0]"), (3, "[0, 0, 1]")))
    answer = quiet(f"""use spatial
part s = Body(m = 10, I = [3, 4, 5], gravity = [0, 0, 0])
{wheels}
simulate 0 .. 5 every 0.1
""", 30)
    assert answer["steps"] < 1000, answer["steps"]


@case
def bodies_on_springs_and_dampers_come_to_rest():
    """With a quaternion near (1, 0, 0, 0) in as many steps as with angles."""
    legs = "".join(f"""
part s{k} = Spring(b = b, at_a = {foot}, at_b = {head}, k = 1000, length = 1.25)
part d{k} = Damper(b = b, at_a = {foot}, at_b = {head}, c = 20)""" for k, (foot, head) in enumerate((
        ("[0.6, 0.8, 0]", "[0.6, 0.1, 0]"), ("[0.6, -0.8, 0]", "[0.6, -0.1, 0]"),
        ("[-1, 0.2, 0]", "[-0.4, 0.5, 0]"), ("[0.4, 0.9, 0]", "[-0.2, 0.6, 0]"),
        ("[0.4, -0.9, 0]", "[-0.2, -0.6, 0]"), ("[-1, -0.2, 0]", "[-0.4, -0.5, 0]"))))
    for spin in ("0.5, 0.2, 0.1", "1e-3, 0, 0", "0, 0, 3"):
        x, y, z = spin.split(",")
        steps = [quiet(f"""use spatial
part b = {body}
init {start}, b.z ~ 1
{legs}
simulate 0 .. 2 every 0.1
""", 100)["steps"] for body, start in (
            (f"Body(m = 10, I = [1, 1, 2], spin = [{spin}])", "b.x ~ 0"),
            ("EulerBody(m = 10, I = [1, 1, 2], axes = [[0, 0, 1], [0, 1, 0], [1, 0, 0]])",
             f"b.phi' = {x}, b.theta' = {y}, b.psi' = {z}"))]
        assert steps[0] < 1.5 * steps[1], (spin, steps)


PARALLELOGRAM = """coord a, b, c
param p = {p}, d = {d}, mA = {mA}, mB = {mB}, w = {w}, a0 = {a0}, g = {g}, J = {J}
let A = p*[cos(a), sin(a)], B = A + d*[cos(c), sin(c)]
kinetic 1/2*(mA*dot(A', A') + mB*dot(B', B')) + 1/2*J*(a'^2 + b'^2)
potential g*(mA*A.y + mB*B.y)
constraint loop: B - [d + p*cos(b), p*sin(b)] = [0, 0]
init a = a0, b ~ a0, c ~ 0, a' = w, b' ~ w
simulate 0 .. {until} every 0.05
"""


@case
def parallelograms_tell_every_passage():
    """They swing right round: level at every multiple of π."""
    tolerances = ("1e-4", "1e-6", "1e-8", "1e-9", "1e-10", "1e-12")
    for k in range(12):
        p, d = 0.5 + 0.25 * (k % 4), 1 + 0.5 * (k % 3)
        values = {"p": p, "d": d, "mA": 1 + k % 5, "mB": 1 + k % 2, "a0": -1.2 + 0.2 * k,
                  "w": (-1) ** k * 3.5 * sqrt(9.81 / p), "until": 6,
                  "g": 9.81 * (k % 3 != 1), "J": k % 2}
        for tolerance in (tolerances[k % 6], tolerances[(k + 3) % 6])[:1 + ALL]:
            answer = result_of(PARALLELOGRAM.format(**values), "--tolerance", tolerance)
            a = answer["q"]["a"]
            level = abs(floor(a / pi) - floor(values["a0"] / pi))
            assert level > 5 and answer["passages"] == level, (values, tolerance, level,
                                                               answer["passages"])
            assert abs(answer["q"]["b"] - a) < 1e-3, (values, tolerance, answer["q"])


def in_space(along, up, bodies, p, d, a, w):
    """A parallelogram of three bodies on four hinges, in the plane of two directions, that
    turns right round without weight; bodies: masses and moments of inertia."""
    axis = [along[i - 2]*up[i - 1] - along[i - 1]*up[i - 2] for i in range(3)]

    def mix(x, y):
        return [x*u + y*v for u, v in zip(along, up)]

    crank, speed = mix(p/2*cos(a), p/2*sin(a)), mix(-p/2*w*sin(a), p/2*w*cos(a))
    text = "use spatial\n"
    for name, twice, (x, y) in (("c", 1, (0, 0)), ("f", 1, (d, 0)), ("l", 2, (d/2, 0))):
        m, inertia = bodies[name]
        text += f"part {name} = Body(m = {m}, I = {inertia}, gravity = [0, 0, 0], " \
                f"spin ~ {[w*(2 - twice)*x for x in axis]})\n"
        for i, letter in enumerate("xyz"):
            text += f"init {name}.{letter} ~ {mix(x, y)[i] + twice*crank[i]}, " \
                    f"{name}.{letter}' ~ {twice*speed[i]}\n"
    back = [-x for x in crank]
    for k, joint in enumerate((f"b = c, at_b = {back}",
                               f"b = f, at_a = {mix(d, 0)}, at_b = {back}",
                               f"a = c, b = l, at_a = {crank}, at_b = {mix(-d/2, 0)}",
                               f"a = f, b = l, at_a = {crank}, at_b = {mix(d/2, 0)}")):
        text += f"part h{k} = Revolute({joint}, axis_a = {axis}, axis_b = {axis})\n"
    return text + "part turns = TorsionSpring(joint = h0, k = 0)\nsimulate 0 .. 6 every 0.05\n"


# Two of 50 that lost a passage: one between sines that did not fall, and one where a row,
# less what lies in the span of others, turned by more than a right angle in the same step.
OVERLOOKED = (
    ([0, 0.52999894, 0.848], [0, -0.848, 0.52999894],
     {"c": (5.77e-7, [9.85e-11, 1.76e-10, 5.89e-10]),
      "f": (6.55e-7, [1.57e-10, 8.5e-10, 3.08e-10]),
      "l": (3.34e-6, [4.94e-10, 2.72e-9, 1.82e-9])},
     0.068798, 0.104943, 0.429633, -3.56603),
    ([0, -0.4893447, 0.8720905], [-0.8734746, 0.4245944, 0.2382471],
     {"c": (3.738, [57.3, 4.411, 54.36]), "f": (0.2783, [0.5364, 2.17, 3.442]),
      "l": (8.191, [35.88, 99.37, 9.774])},
     6.416975, 12.016425, 1.888609, -7.933788),
)


@case
def parallelograms_in_space_tell_every_passage():
    tolerances = ("1e-6", "1e-7", "2e-7", "1e-8", "1e-9")
    for k, values in enumerate(OVERLOOKED):
        for tolerance in tolerances if ALL else tolerances[k::2]:
            answer = result_of(in_space(*values), "--tolerance", tolerance)
            start = values[5]
            level = abs(floor((start + answer["q"]["turns.twist"]) / pi) - floor(start / pi))
            assert level > 5 and answer["passages"] == level, (values, tolerance, level,
                                                               answer["passages"])


# Its rows that count come to depend on each other at 5.6 s, where all rows together do not.
CROSSED = ([0, 1, 0], [-0.6466857900103588, 0.0, 0.7627565070182478],
           {"c": (0.01691413892133104, [0.0013084667840159738, 0.0010689405070830797,
                                        0.000384911475156891]),
            "f": (2.540089868515408, [0.1403211989544897, 0.08114042709818245,
                                      0.07477201618458386]),
            "l": (0.8747378589221618, [0.008651811727419864, 0.013054312684064566,
                                       0.005852980143762987])},
           0.2882600973100088, 0.712310700516606, -2.328447607412514, -5.4748571223799)


@case
def samples_satisfy_redundant_rows_too():
    text = in_space(*CROSSED).replace("every 0.05", "every 0.01")
    for tolerance in ("2e-12", "1e-11"):
        answer = result_of(text, "--tolerance", tolerance)
        assert answer["constraint_error"]["velocity"] < 1e-12, answer["constraint_error"]


@case
def the_tolerance_asked_for_is_used():
    """A four-bar that loses no rank takes longer steps where it may."""
    text = """coord a, b, c
kinetic 1/2*(a'^2 + b'^2 + c'^2)
constraint loop: [cos(a) + 3*cos(c) - 2*cos(b) - 3, sin(a) + 3*sin(c) - 2*sin(b)] = [0, 0]
init a = 1, b ~ 1.2, c ~ 0.3, a' = 3
simulate 0 .. 20 every 1
"""
    steps = [result_of(text, "--tolerance", r)["steps"] for r in ("1e-8", "1e-5")]
    assert steps[1] < 0.6 * steps[0], steps


if __name__ == "__main__":
    sys.exit(main())
