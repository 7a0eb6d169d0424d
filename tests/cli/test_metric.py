#!/usr/bin/env python3
"""Verdicts where masses are singular, small or but rounding: test_metric.py PROGRAM ROOT

Ranks are compared with those of an elimination here, in exact fractions of the numbers
that are meant; accelerations with those of other models of the same thing.
"""

import random
import sys
from fractions import Fraction
from math import cos, sin, sqrt

from model_lab import Text, case, main, near


def exact_rank(rows, smallest=1e-12):
    """The rank of rows, entries below `smallest` being meant to be 0."""
    rows = [[Fraction(x) if abs(x) > smallest else Fraction(0) for x in row] for row in rows]
    rank = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] / rows[rank][column]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[rank])]
        rank += 1
    return rank


ARM = """use spatial
part b = Body(m = 1, I = [1, 1, 1])
part j = Ball(b = b, at_b = [0, -1, 0])
init b.y ~ 1
"""

CHAIN = """use spatial
part b1 = Body(m = 0.4, I = [0.03, 0.05, 0.06])
part b2 = Body(m = 2, I = [0.1, 0.07, 0.13])
part b3 = Body(m = 0.17, I = [0.008, 0.008, 8e-05])
part j1 = Ball(b = b1, at_b = [0.5, 0, 0])
part j2 = Universal(a = b1, b = b2, at_a = [-0.5, 0, 0], at_b = [0.25, 0, 0], \
axis_a = [0, 1, 0], axis_b = [0, 0, 1])
part j3 = Revolute(a = b2, b = b3, at_a = [-0.25, 0, 0], at_b = [0.75, 0, 0])
init b1.x ~ -0.5, b2.x ~ -1.25, b3.x ~ -2.25
"""

DOOR = """use spatial
part d = Body(m = 120, I = [6, 7.8, 8.1])
part lower = Revolute(b = d, at_a = [0.73, 0, 0], at_b = [0.83, -0.4, 0], \
axis_a = [-1, 0, 0], axis_b = [-1, 0, 0])
part upper = Cylindrical(b = d, at_a = [-0.49, 0, 0], at_b = [-0.39, -0.4, 0], \
axis_a = [-1, 0, 0], axis_b = [-1, 0, 0])
init d.x ~ -0.1, d.y ~ 0.4
"""

DUST = (0.0, 1e-323, 1e-200, 1e-100, 1e-41, 1e-34, 1e-20, 1e-17)


@case
def an_arm_released_from_rest_falls():
    # About the joint its moment of inertia is 2, so it begins with z'' = -9.81/2.
    for dust in DUST:
        found = Text(ARM).evaluate({"b.e1": dust, "b.e2": -dust, "b.e3": dust})
        near(found.qdd["b.z"], -9.81 / 2, 1e-9)
        assert found.rank == {"M": 6, "A": 4, "Mhat": 7}, (dust, found.rank)


@case
def dust_changes_neither_ranks_nor_accelerations():
    clean = Text(CHAIN).evaluate()
    rank = exact_rank(clean.A)
    assert rank == 15 and clean.rank == {"M": 18, "A": rank, "Mhat": 21}, clean.rank
    source = random.Random(7)
    for dust in DUST:
        state = {f"b{k}.e{i}": dust * source.choice((-1, 0, 1))
                 for k in (1, 2, 3) for i in (1, 2, 3)}
        found = Text(CHAIN).evaluate(state)
        assert found.rank == clean.rank, (dust, found.rank)
        for name in clean.names:
            near(found.qdd[name], clean.qdd[name], 1e-9, 10.0)


@case
def small_turns_do_not_change_ranks():
    # Inertia along the quaternion is 4 I sin^2 of half the turn: any size there is.
    for turn in (1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-10, 1e-13):
        half = turn / 2
        found = Text(CHAIN).evaluate({"b1.e1": half, "b2.e1": half, "b3.e1": half})
        assert found.rank == {"M": 18, "A": 15, "Mhat": 21}, (turn, found.rank)


@case
def a_door_on_two_hinges_is_redundant_and_opens():
    found = Text(DOOR).evaluate()
    assert found.rank["A"] == exact_rank(found.A) == 6, found.rank
    # Turning about the x axis with the arm 0.4: (6 + 120*0.4^2) alpha = 120*9.81*0.4.
    near(found.qdd["d.z"], -0.4 * 120 * 9.81 * 0.4 / (6 + 120 * 0.16), 1e-9)


@case
def a_coordinate_held_twice_carries_a_gear():
    source = random.Random(1)
    for _ in range(40):
        a, b, c, d = (round(source.uniform(0.3, 3), 2) for _ in range(4))
        found = Text(f"""coord x, y, z
kinetic 1/2*({1 + a}*x'^2 + y'^2 + {0.5 + b}*z'^2) + 0.3*cos(y)*x'*y' + 0.2*y'*z'
potential 9.81*y + {c}*z^2
constraint one: x = 0
constraint two: {d}*x = 0
constraint gear: y = {a}*x + {b}*z
init z = 0.7, z' = {c}
""").evaluate()
        assert found.rank["A"] == 2, found.rank
        # With x at rest, y = b z: one equation for z.
        z = found.q["z"]
        mass = b * b + 0.5 + b + 2 * 0.2 * b
        near(found.qdd["z"], -(9.81 * b + 2 * c * z) / mass, 1e-9)


@case
def what_cancels_is_no_contradiction():
    for k in range(60):
        constant = round(2.0 + 0.03 * k, 2)
        found = Text(f"""coord x, y
kinetic 1/2*(x'^2 + y'^2)
constraint one: x'^2 + x' = {constant}
constraint two: (1 + y^2)*(x'^2 + x') = {constant}*(1 + y^2)
init x' ~ 1, y = 0.7, y' = 0.9
""").evaluate()
        assert found.rank["A"] == 1, (constant, found.rank)
        near(found.qdd["x"], 0.0, 1e-12, 1.0)


def rank_of(rows, smallest=1e-9):
    """The rank of rows of numbers that are rounded, by elimination with the largest pivots."""
    rows = [[x / max(map(abs, row)) for x in row] for row in rows]
    rank = 0
    while rank < len(rows):
        size, r, c = max((abs(x), r, c) for r in range(rank, len(rows))
                         for c, x in enumerate(rows[r]))
        if size < smallest:
            break
        rows[rank], rows[r] = rows[r], rows[rank]
        for below in range(rank + 1, len(rows)):
            factor = rows[below][c] / rows[rank][c]
            rows[below] = [0.0 if k == c else x - factor * y
                           for k, (x, y) in enumerate(zip(rows[below], rows[rank]))]
        rank += 1
    return rank


def slider_crank(angle, tilt):
    """A crank, a rod and a slider, whose joints have parallel axes: three constraints too
    many.  The slider is held at its centre, so nothing but its own unit has to do with the
    length of its quaternion."""
    c, s = cos(angle), sin(angle)
    x, y, z = [1, 0, 0], [0, cos(tilt), -sin(tilt)], [0, sin(tilt), cos(tilt)]

    def at(along, up):
        return [along * x[i] + up * y[i] for i in range(3)]

    crank, pin, slide = at(c / 2, s / 2), at(c, s), at(c + sqrt(4 - s * s), 0)
    rod = [(pin[i] + slide[i]) / 2 for i in range(3)]

    def seen(point, body):
        return [point[i] - body[i] for i in range(3)]

    def start(name, place):
        return ", ".join(f"{name}.{axis} ~ {place[i]!r}" for i, axis in enumerate("xyz"))

    return f"""use spatial
part b0 = Body(m = 1, I = [0.1, 0.2, 0.3])
part b1 = Body(m = 3, I = [0.2, 0.5, 0.6])
part b2 = Body(m = 2, I = [0.04, 0.06, 0.05])
part j0 = Revolute(b = b0, at_b = {seen([0, 0, 0], crank)}, axis_a = {z}, axis_b = {z})
part j1 = Revolute(a = b0, b = b1, at_a = {seen(pin, crank)}, at_b = {seen(pin, rod)}, \
axis_a = {z}, axis_b = {z})
part j2 = Revolute(a = b1, b = b2, at_a = {seen(slide, rod)}, axis_a = {z}, axis_b = {z})
part j3 = Prismatic(b = b2, at_a = {slide}, axis_a = {x}, axis_b = {x}, turned = 0)
init {start("b0", crank)}, {start("b1", rod)}, {start("b2", slide)}
"""


@case
def a_row_that_nothing_depends_on_has_a_unique_reaction():
    # A multiplier is unique exactly if the rank falls without its row.
    for k in range(8):
        found = Text(slider_crank(0.3 + 0.35 * k, 0.2 * k)).evaluate()
        rank = rank_of(found.A)
        assert rank == 20 and found.rank["A"] == rank, (rank, found.rank)
        for i, name in enumerate(found.rows):
            alone = rank_of(found.A[:i] + found.A[i + 1:]) < rank
            assert found.answer["unique_reaction"][name] == alone, (k, name, alone)
        assert found.answer["unique_reaction"]["b2.unit"]


@case
def masses_that_stand_in_a_model_are_meant():
    # With T = 1/2 (a x' + b f y')^2 + 1/2 (c f y')^2, from rest:
    # y'' = (F_y - F_x b f/a)/(c f)^2 and x'' = (F_x/a - b f y'')/a.
    source = random.Random(1)
    for _ in range(16):
        factor = source.choice(("1", "cos(y)", "(1 + y^2)", "(2 + sin(x))"))
        a = float(f"{10 ** source.uniform(3, 12):.3g}")
        c = float(f"{10 ** source.uniform(-12, -3):.3g}")
        b = float(f"{c * 10 ** source.uniform(-2, 2):.3g}")
        found = Text(f"""coord x, y
kinetic 1/2*({a}*x' + {b}*{factor}*y')^2 + 1/2*({c}*{factor}*y')^2
force x = {a}, y = {-b}
output f = {factor}
init x = 0.3, y = 0.4
""").evaluate()
        assert found.rank["M"] == 2, (a, b, c, found.rank)
        f = found.outputs["f"]
        y = -(b + b * f) / (c * f) ** 2
        near(found.qdd["y"], y, 1e-10)
        near(found.qdd["x"], (1 - b * f * y) / a, 1e-10)


@case
def coefficients_that_stand_in_a_model_are_meant():
    for large in (1e22, 1e27, 1e40):
        found = Text(f"""coord x, y
kinetic 1/2*x'^2 + 1/2*({large}*y')^2
force y = {large}
constraint c: {large}*y' + 2*x' = 3*t
""").evaluate()
        # In u = large*y: u + 2 x = 3 t, masses 1 and 1, force 1 on u: x'' = (6 - 2)/5.
        near(found.qdd["x"], 0.8, 1e-12)
        near(found.qdd["y"], 1.4 / large, 1e-12)


@case
def light_and_heavy_masses_keep_theirs():
    found = Text("""coord x, y, z
kinetic 1/2*1e20*x'^2 + 1/2*1e-7*(y'^2 + z'^2)
force y = 1e-7
constraint c: y = z
""").evaluate()
    assert found.rank == {"M": 3, "A": 1, "Mhat": 3}, found.rank
    near(found.qdd["z"], 0.5, 1e-12)
    near(found.multipliers["c"], -5e-8, 1e-12)
    found = Text("""coord x, y, u, v
kinetic 1/2*2e30*(x'^2 + y'^2) + 1/2*700*(u'^2 + v'^2)
potential -6.674e-11*2e30*700/hypot(u - x, v - y)
init u = 1.5e11, v' = 3e4
""").evaluate()
    near(found.qdd["u"], -6.674e-11 * 2e30 / 1.5e11**2, 1e-12)
    found = Text("""coord x, y
kinetic 1/2*x'^2 + 1/2*(1 + tan(x)^2)*y'^2
force x = 1
init x = 1.5707963267948966
""").evaluate()
    assert found.rank["M"] == 2, found.rank
    near(found.qdd["x"], 1.0, 1e-12)


@case
def no_mass_and_hardly_any_are_the_same():
    """A rotor without inertia about one axis, on an arm that resists there."""
    for spin in ("=", "~"):
        found = {}
        for inertia in ("0", "1e-60", "1e-40", "1e-30", "1e-24", "1e-19"):
            text = Text(f"""use spatial
part b = Body(m = 1, I = [{inertia}, 0.2, 0.3], spin {spin} [0.3, 2, 1])
part j = Ball(b = b, at_b = [0, -1, 0.2])
init b.y ~ 1
""")
            found[inertia] = text.evaluate()
        for inertia, now in found.items():
            assert now.rank["A"] == 4, (inertia, now.rank)
            for name, value in found["0"].qdd.items():
                near(now.qdd[name], value, 1e-11, 10)


@case
def a_rod_that_weighs_nothing_joins_as_one_that_hardly_does():
    """A universal joint made of two hinges and a rod between them: along its axes and across,
    constraints are told apart only by the body that it carries."""
    for turn in (0, 0.1):
        found = {}
        for mass in ("0", "1e-300", "1e-100", "1e-60", "1e-40", "1e-31", "1e-30", "1e-26", "1e-20"):
            found[mass] = Text(f"""use spatial
part b = Body(m = 1, I = [1, 1, 1])
part r = Body(m = {mass}, I = {mass}*[1, 1, 1])
part j = Revolute(b = r, at_b = [0, 0, 0.5], axis_a = [1, 0, 0], axis_b = [1, 0, 0])
part k = Revolute(a = r, b = b, at_a = [0, 0, -0.5], axis_a = [0, 1, 0], axis_b = [0, 1, 0])
init r.z ~ -0.5, b.z ~ -1, b.x' ~ 1, b.y' ~ 0.7, b.e1 ~ {turn}, b.e2 ~ {turn}
""").evaluate()
        for mass, now in found.items():
            assert now.rank["A"] == 12 and now.rank["Mhat"] == 14, (mass, now.rank)
            assert not now.answer["dependent_sets"], (mass, now.answer["dependent_sets"])
            assert all(now.answer["unique_reaction"].values()), mass
            for name, value in found["0"].qdd.items():
                near(now.qdd[name], value, 1e-10, 10)
            for name, value in found["0"].multipliers.items():
                near(now.multipliers[name], value, 1e-10, 10)


@case
def a_servo_out_of_reach_is_refused_wherever_it_is():
    for k in range(1, 15):
        names, message = Text(f"""coord x, y
kinetic 1.11*x'^2 + 1.54*y'^2 + 0.3*cos(x + 1.29)*x'*y'
constraint c: y = 0
actuator u: y'
servo s: sin(x - 2.15) = 0.3, rate = 0.7
init x = {k / 10}
""").refuse()
        assert names == ["s"] and "no actuator" in message, (k, names, message)


if __name__ == "__main__":
    sys.exit(main())
