#!/usr/bin/env python3
"""Contact and dry friction from outside: test_contact.py PROGRAM ROOT

Motions with contacts against closed forms: when they open, close, stick and slip.
"""

import csv
import json
import sys
import tempfile
from math import atan, cos, exp, pi, sin, sqrt
from pathlib import Path

from model_lab import EXAMPLES, case, main, options_of, run


def command(name, text, *options, **parameters):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.kal"
        model.write_text(text, encoding="utf-8")
        return run(name, model, "--json", *options, *options_of(parameters, None))


def simulate(text, *options, **parameters):
    status, out, err = command("run", text, *options, **parameters)
    assert status == 0, (status, out[:1000], err[:1000])
    assert not json.loads(out)["warnings"], json.loads(out)["warnings"]
    return json.loads(out)


def evaluate(text, *options, **parameters):
    status, out, err = command("eval", text, *options, **parameters)
    assert status == 0, (status, out[:1000], err[:1000])
    return json.loads(out)


def fail(text, *options, name="run", **parameters):
    status, out, err = command(name, text, *options, **parameters)
    assert status == 1, (status, out[:1000], err[:1000])
    return json.loads(out)["error"]


def near(got, want, tolerance=1e-9):
    assert abs(got - want) <= tolerance, (got, want, got - want)


def times(result, what, name=None):
    return [i["t"] for i in result["incidents"]
            if i["what"] == what and name in (None, i["name"])]


def rows_of(text, *options):
    """The result of a run, and the rows of its table by the names of columns."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "t.csv"
        result = simulate(text, "-o", table, *options)
        rows = list(csv.reader(table.open(encoding="utf-8")))
    names = [name.split()[0] for name in rows[0]]
    return result, [dict(zip(names, map(float, row))) for row in rows[1:]]


def table_of(text, *columns):
    return [[row[name] for name in columns] for row in rows_of(text)[1]]


BALL = """
param g = 9.81 [m/s^2], m = 2 [kg], e = 0.8, h = 1 [m]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
contact floor: y >= 0, restitution = e
init y = h, x' = 1
simulate 0 .. 6 every 0.1
output N = reaction(floor), d = gap(floor)
"""


@case
def a_ball_bounces_to_its_limit_point_and_beyond():
    for e in (0.0, 0.3, 0.8):
        result = simulate(BALL, e=e)
        fall = sqrt(2 / 9.81)
        first = fall + 2 * e * 9.81 * fall / (9.81 * (1 - e))
        impacts = times(result, "impact")
        near(impacts[0], fall)
        near(times(result, "closes")[-1], first, 1e-8)
        assert len(times(result, "closes")) == 1 and not times(result, "opens")
        near(result["q"]["y"], 0)
        near(result["qd"]["y"], 0)
        near(result["q"]["x"], 6)
        near(result["outputs"]["N"], 2 * 9.81)
        near(result["energy"]["lost"], 2 * 9.81, 1e-8)
        for k, t in enumerate(impacts[1:12]):
            near(t - impacts[k], 2 * fall * e ** (k + 1), 1e-8)


@case
def a_ball_that_loses_nothing_keeps_on():
    result = simulate(BALL, e=1)
    fall = sqrt(2 / 9.81)
    impacts = times(result, "impact")
    assert len(impacts) == int((6 - fall) / (2 * fall)) + 1
    for k, t in enumerate(impacts):
        near(t, fall * (2 * k + 1), 1e-8)
    near(result["energy"]["final"], result["energy"]["initial"], 1e-7)


# Several floors at once, the last one a moving table.
@case
def a_table_that_moves_is_followed():
    # The table falls with the acceleration a: a ball rests on it while a < g.
    text = """
    param a = 5, g = 9.81
    coord y
    kinetic 1/2*y'^2
    potential g*y
    contact table: y + 1/2*a*t^2 >= 0
    init y = 0, y' = 0
    simulate 0 .. 1 every 0.1
    output N = reaction(table), d = gap(table)
    """
    resting = simulate(text)
    near(resting["outputs"]["N"], 9.81 - 5)
    near(resting["q"]["y"], -2.5)
    falling = simulate(text, a=12)
    near(falling["q"]["y"], -9.81 / 2)
    near(falling["outputs"]["d"], (12 - 9.81) / 2)
    near(falling["outputs"]["N"], 0, 0)


SLOPE = """
param g = 9.81, m = 2, mu = 0.3, a = 30 [deg], v0 = 1
coord x, y
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*(y*cos(a) - x*sin(a))
contact floor: y >= 0, friction = mu, slip = x'
init x = 0, y = 0, x' = v0, y' = 0
simulate 0 .. 2 every 0.1
output N = reaction(floor), F = friction(floor)
output closed = active(floor), held = sticks(floor)
"""


@case
def a_block_on_a_slope_slides_or_sticks():
    a, g, m = pi / 6, 9.81, 2
    slides = simulate(SLOPE)
    near(slides["qd"]["x"], 1 + 2 * g * (sin(a) - 0.3 * cos(a)))
    near(slides["outputs"]["F"], -0.3 * m * g * cos(a))
    near(slides["outputs"]["closed"], 1, 0)
    near(slides["outputs"]["held"], 0, 0)
    near(slides["energy"]["balance"], 0, 1e-9)
    stops = simulate(SLOPE, mu=0.8)
    near(times(stops, "sticks")[0], 1 / (g * (0.8 * cos(a) - sin(a))))
    near(stops["qd"]["x"], 0)
    near(stops["outputs"]["held"], 1, 0)
    near(stops["outputs"]["F"], -m * g * sin(a))
    # Up the slope, and down again if friction cannot hold it.
    up = simulate(SLOPE, v0=-3)
    turn = 3 / (g * (sin(a) + 0.3 * cos(a)))
    near(up["qd"]["x"], (2 - turn) * g * (sin(a) - 0.3 * cos(a)))
    stays = simulate(SLOPE, v0=-3, mu=0.6)
    near(times(stays, "sticks")[0], 3 / (g * (sin(a) + 0.6 * cos(a))))
    near(stays["qd"]["x"], 0)


@case
def friction_at_one_instant_is_told_by_eval():
    rest = evaluate(SLOPE, v0=0, mu=0.8)
    near(rest["outputs"]["F"], -9.81, 1e-12)
    near(rest["qdd"][0], 0, 1e-12)
    slides = evaluate(SLOPE, v0=0)
    near(slides["outputs"]["F"], -0.3 * 2 * 9.81 * cos(pi / 6), 1e-12)
    there = evaluate(SLOPE, "--at", "x' = -1, y = 0")
    near(there["outputs"]["F"], 0.3 * 2 * 9.81 * cos(pi / 6), 1e-12)
    flying = evaluate(SLOPE, "--at", "y = 1")
    near(flying["outputs"]["N"], 0, 0)
    near(flying["qdd"][1], -9.81 * cos(pi / 6), 1e-12)


@case
def a_sphere_slides_and_then_rolls():
    text = """
    param g = 9.81, m = 2, mu = 0.2, R = 0.3, v0 = 3
    coord x, y, th
    kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(2/5*m*R^2)*th'^2
    potential m*g*y
    contact floor: y - R >= 0, friction = mu, slip = x' + R*th'
    init x = 0, y = R, x' = v0, th' = 0
    simulate 0 .. 2 every 0.1
    """
    result = simulate(text)
    near(times(result, "sticks")[0], 2 * 3 / (7 * 0.2 * 9.81))
    near(result["qd"]["x"], 5 / 7 * 3)
    near(result["qd"]["th"], -5 / 7 * 3 / 0.3)
    near(result["energy"]["work"]["friction"], -2 / 7 * 9, 1e-8)


LADDER = """
param g = 9.81, m = 5, L = 2, th0 = 60 [deg]
coord x [m], y [m], th [rad]
kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(1/12*m*L^2)*th'^2
potential m*g*y
contact floor: y - L/2*sin(th) >= 0
contact wall: x - L/2*cos(th) >= 0
init x = L/2*cos(th0), y = L/2*sin(th0), th = th0
event off: gap(wall) - 1e-9 rising stop
simulate 0 .. 2 every 0.01
output s = sin(th)
"""


@case
def a_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    for degrees in (50, 60, 80):
        opens = times(simulate(LADDER, th0=degrees), "opens", "wall")[0]
        result = simulate(LADDER, "--until", repr(opens), th0=degrees)
        near(result["outputs"]["s"], 2 / 3 * sin(degrees * pi / 180), 1e-8)


BLOCK = """
param g = 9.81, m = 3, w = 1, h = 2, mu = 0.3, P = 0
coord x, y, th
let c = cos(th), s = sin(th)
let A = [x - w/2*c + h/2*s, y - w/2*s - h/2*c]
let B = [x + w/2*c + h/2*s, y + w/2*s - h/2*c]
kinetic 1/2*m*(x'^2 + y'^2) + 1/24*m*(w^2 + h^2)*th'^2
potential m*g*y
power P along x' - h/2*th'
contact left: A.y >= 0, friction = mu, slip = A.x'
contact right: B.y >= 0, friction = mu, slip = B.x'
init x = 0, y = h/2, th = 0, x' = 0, y' = 0, th' = 0
simulate 0 .. 0.1 every 0.01
output N = reaction(left) + reaction(right), F = friction(left) + friction(right)
"""


@case
def a_block_rests_slides_or_tips():
    # Pushed at its top edge: slides at mu m g, tips at m g w / (2 h).
    weight, tips = 3 * 9.81, 3 * 9.81 / 4
    rests = simulate(BLOCK, P=0.9 * tips)
    near(rests["q"]["x"], 0)
    near(rests["outputs"]["F"], -0.9 * tips)
    near(rests["outputs"]["N"], weight)
    slides = simulate(BLOCK, mu=0.2, P=0.22 * weight)
    near(slides["qd"]["x"], 0.1 * 0.02 * 9.81)
    near(slides["qd"]["th"], 0)
    over = simulate(BLOCK, P=1.1 * tips)
    assert over["qd"]["th"] < 0 and over["outputs"]["N"] > 0
    # The first acceleration: about the right corner, which holds.
    first = evaluate(BLOCK, P=1.1 * tips)
    inertia = 3 * (1 + 4) / 12 + 3 * (0.25 + 1)
    near(first["qdd"][2], -(1.1 * tips * 2 - weight / 2) / inertia, 1e-10)


@case
def a_rocking_block_loses_what_housner_says():
    # About a corner, with friction enough to hold: the speeds of rocking before and after
    # the other corner hits are as 1 - 3/2 sin(alpha)^2, with tan(alpha) = w/h.
    text = BLOCK.replace("y = h/2, th = 0", "y = w/2*sin(0.1) + h/2*cos(0.1), th = -0.1")
    result = simulate(text + "output o = th'", "--until", "3", mu=3, w=0.5)
    hit = times(result, "impact")[0]
    alpha = atan(0.5 / 2)
    lost = result["energy"]["lost"]
    before = result["energy"]["initial"] - 3 * 9.81 * 1
    assert hit > 0 and len(times(result, "impact")) > 1
    first = simulate(text, "--until", repr(hit + 1e-9), mu=3, w=0.5)
    ratio = 1 - 1.5 * sin(alpha) ** 2
    near(first["energy"]["lost"] / before, 1 - ratio ** 2, 1e-7)
    assert lost > first["energy"]["lost"]


@case
def a_block_on_a_belt_sticks_and_slips():
    text = """
    param m = 1, k = 20, v = 0.5, F = 3, Fs = 4
    coord x
    kinetic 1/2*m*x'^2
    potential 1/2*k*x^2
    friction belt: x' - v, limit = F, static = Fs
    init x = 0, x' = v
    simulate 0 .. 20 every 0.1
    output f = friction(belt)
    """
    result = simulate(text)
    slips = times(result, "slips", "belt")
    sticks = times(result, "sticks", "belt")
    near(slips[0], 4 / 20 / 0.5)
    # It slips at x = Fs/k, swings about F/k, and sticks again where x' = v, mirrored.
    w, d = sqrt(20), (4 - 3) / 20
    swing = 2 * (pi - atan(d * w / 0.5)) / w
    near(sticks[0] - slips[0], swing, 1e-8)
    period = swing + 2 * d / 0.5
    for k in range(1, 8):
        near(slips[k] - slips[k - 1], period, 1e-7)
    assert result["energy"]["balance"] < 1e-7


@case
def a_clutch_locks():
    text = """
    param J1 = 2, J2 = 3, T = 5, M = 0
    coord a, b
    kinetic 1/2*J1*a'^2 + 1/2*J2*b'^2
    force a = M
    friction clutch: a' - b', limit = T
    init a' = 10, b' = 0
    simulate 0 .. 4 every 0.1
    output f = friction(clutch)
    """
    result = simulate(text)
    near(times(result, "sticks")[0], 10 / (5 * (1 / 2 + 1 / 3)))
    near(result["qd"]["a"], 4)
    near(result["qd"]["b"], 4)
    pulled = simulate(text, "--until", "8", M=5)
    near(pulled["outputs"]["f"], -3)
    torn = simulate(text, M=10, T=5)
    near(torn["qd"]["a"] - torn["qd"]["b"], 10 + 4 * (10 / 2 - 5 / 2 - 5 / 3))


@case
def a_ball_in_a_corner_stays_there():
    text = """
    param g = 9.81, e = 0.5
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    potential g*(x + y)/sqrt(2)
    contact left: x >= 0, restitution = e
    contact right: y >= 0, restitution = e
    init x = 0.1, y = 0.2, x' = 0, y' = 0
    simulate 0 .. 3 every 0.1
    output L = reaction(left), R = reaction(right)
    """
    result = simulate(text)
    near(result["q"]["x"], 0)
    near(result["q"]["y"], 0)
    near(result["outputs"]["L"], 9.81 / sqrt(2))
    near(result["outputs"]["R"], 9.81 / sqrt(2))
    # Thrown straight into it, both are hit at once.
    both = simulate(text.replace("y = 0.2", "y = 0.1"), "--until", "0.4", e=1)
    near(both["q"]["x"], both["q"]["y"])
    near(times(both, "impact", "left")[0], times(both, "impact", "right")[0])


CRADLE = """
param n = 3, e = 1
coord x[n]
kinetic sum(i in 1..n : 1/2*x[i]'^2)
for i in 1..n-1 { contact c[i]: x[i+1] - x[i] - 1 >= 0, restitution = e }
init x[1] = -1, x[2] = 1, x[3] = 2, x[1]' = 1, x[2]' = 0, x[3]' = 0
simulate 0 .. 3 every 0.1
"""


@case
def three_balls_in_a_row_keep_momentum_and_energy():
    # Newton's law for both contacts at once: not the cradle of the toy shop, but what the law
    # decides; momentum and energy stay.
    result = simulate(CRADLE)
    v = [result["qd"][f"x[{i}]"] for i in (1, 2, 3)]
    near(sum(v), 1)
    near(sum(u * u for u in v), 1)
    plastic = simulate(CRADLE, e=0)
    for i in (1, 2, 3):
        near(plastic["qd"][f"x[{i}]"], 1 / 3)


ROD = """
param g = 9.81, m = 1, l = 1, mu = 2, th0 = 53 [deg], v = 1
coord x, y, th
let P = [x + l*cos(th), y - l*sin(th)]
kinetic 1/2*m*(x'^2 + y'^2) + 1/6*m*l^2*th'^2
potential m*g*y
contact tip: P.y >= 0, friction = mu, slip = P.x'
init th = th0, x = 0, y ~ 0.5, x' = v, th' = 0, y' ~ 0
simulate 0 .. 1 every 0.01
"""


@case
def painleve_s_rod_stops_by_name():
    for v in (1, -1):
        status, out, _ = command("run", ROD, v=v)
        if status != 0:
            error = json.loads(out)["error"]
            assert "tip" in error["names"] and "tip" in error["message"], error
            break
    else:
        raise AssertionError("no paradox in either direction")
    simulate(ROD, mu=0.2, v=-v)


@case
def starts_are_as_the_language_says():
    above = evaluate(BALL, h=0.1)
    near(above["outputs"]["N"], 0, 0)
    # Exact values below the floor are an error, guesses move.
    error = fail(BALL, h=-0.1)
    assert "floor" in error["message"], error
    text = BALL.replace("y = h", "y ~ -0.1")
    status, out, _ = command("check", text)
    check = json.loads(out)
    assert status == 0 and check["start"]["q"]["y"] == 0, check["start"]
    # Closed, with an exact speed: an impact at once, or it opens.
    thrown = simulate(BALL.replace("y = h", "y = 0, y' = -2"), "--until", "0.1")
    near(times(thrown, "impact")[0], 0, 0)
    near(thrown["qd"]["y"], 0.8 * 2 - 0.1 * 9.81)
    lifted = simulate(BALL.replace("y = h", "y = 0, y' = 2"), "--until", "0.1")
    assert not times(lifted, "impact")
    near(lifted["qd"]["y"], 2 - 0.1 * 9.81)
    # What is 0 but for rounding is closed.
    for off in (1e-13, -1e-13, 0.1 + 0.2 - 0.3):
        lies = simulate(BALL.replace("y = h", f"y = {off!r}, y' = 0"), "--until", "0.1")
        assert not lies["incidents"], lies["incidents"]
        near(lies["outputs"]["N"], 2 * 9.81)
        near(lies["q"]["y"], 0, 1e-12)
    # A guess of the speed moves to rest.
    resting = simulate(BALL.replace("y = h", "y = 0, y' ~ -2"), "--until", "0.1")
    near(resting["qd"]["y"], 0, 0)


@case
def a_table_on_four_legs_shares_its_weight():
    text = """
    param g = 9.81, m = 4, a = 1
    coord z, p, r
    kinetic 1/2*m*z'^2 + 1/2*(p'^2 + r'^2)
    potential m*g*z
    contact leg[1]: z + a*p + a*r >= 0
    contact leg[2]: z + a*p - a*r >= 0
    contact leg[3]: z - a*p + a*r >= 0
    contact leg[4]: z - a*p - a*r >= 0
    init z = 0.5
    simulate 0 .. 2 every 0.1
    output N = reaction(leg[1]) + reaction(leg[2]) + reaction(leg[3]) + reaction(leg[4])
    """
    result = simulate(text)
    near(result["outputs"]["N"], 4 * 9.81)
    near(result["q"]["z"], 0)
    near(result["q"]["p"], 0)


BEAM = """
param g = 9.81, m = 4, v = 0, k = 0
coord x, y, a
kinetic 1/2*m*(x'^2 + y'^2) + 1/2*a'^2
potential m*g*y
for i in 1..N {
    contact leg[i]: y + (i - 3)*a >= 0, friction = 0.2 + k*i^2, slip = x'
    output N[i] = reaction(leg[i]), F[i] = friction(leg[i])
}
output total = sum(i in 1..N : reaction(leg[i])), pull = sum(i in 1..N : friction(leg[i]))
init x = 0, y = 0, a = 0, x' = v
simulate 0 .. 0.1 every 0.05
"""


@case
def redundant_supports_share_by_least_norm_and_are_marked():
    # Forces of least norm are linear in the place of the support: Σ N = mg, Σ N x = 0 over
    # x = -2 .. 4; beyond that, those that would pull have none.
    weight = 4 * 9.81
    for n, v in ((5, 0), (5, 1), (7, 0), (7, 1)):
        text = BEAM.replace("1..N", f"1..{n}")
        places = range(-2, n - 2)
        sums = [sum(x**k for x in places) for k in (0, 1, 2)]
        det = sums[0] * sums[2] - sums[1]**2
        share = [weight * (sums[2] - sums[1] * x) / det for x in places]
        assert min(share) >= 0
        run_ = simulate(text, v=v)
        at_once = evaluate(text, v=v)
        for got in (run_, at_once):
            for i, N in enumerate(share, 1):
                near(got["outputs"][f"N[{i}]"], N, 1e-8)
                near(got["outputs"][f"F[{i}]"], -0.2 * N * v, 1e-8)
                assert not got["unique_output"][f"N[{i}]"]
            near(got["outputs"]["total"], weight, 1e-8)
            near(got["outputs"]["pull"], -0.2 * weight * v, 1e-8)
            assert got["unique_output"]["total"] and got["unique_output"]["pull"]
        for i, N in enumerate(share, 1):
            near(at_once["multipliers"][f"leg[{i}]"], N, 1e-8)
            assert not at_once["unique_reaction"][f"leg[{i}]"]


@case
def redundant_supports_on_which_the_motion_depends_stop_by_name():
    # Friction that is not linear in the place: how the weight is shared decides the motion.
    for n in (5, 12):
        error = fail(BEAM.replace("1..N", f"1..{n}"), v=1, k=0.01)
        assert "are redundant" in error["message"], error
        assert set(error["names"]) == {f"leg[{i}]" for i in range(1, n + 1)}, error
    simulate(BEAM.replace("1..N", "1..5"), v=0, k=0.01)  # at rest they hold, whatever the shares
    # A wall takes any part of a push that a pad may hold by dry friction.
    error = fail("""
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    force x = -1
    contact wall: x >= 0, friction = 0.3, slip = y'
    friction pad: x', limit = 5
    init x = 0, y' = 1
    simulate 0 .. 1 every 0.1
    """)
    assert "wall and what holds by friction are redundant" in error["message"], error
    assert "same friction" not in error["message"], error


@case
def what_makes_no_sense_is_refused():
    for old, new, message in (
            ("restitution = e", "restitution = 1.5", "from 0 to 1"),
            ("restitution = e", "friction = 0.3", "slip"),
            ("restitution = e", "friction = -0.3, slip = x'", "negative"),
            ("restitution = e", "friction = 0.3, slip = x", "velocity"),
            ("restitution = e", "friction = 0.3, slip = x'^2", "linear"),
            ("y >= 0", "y <= 0", "y >= 0"),
            ("y >= 0", "y' >= 0", "velocit")):
        error = fail(BALL.replace(old, new))
        assert message in error["message"], (new, error)
    moving = BALL.replace("restitution = e", "restitution = 1 + t")
    assert "restitution" in fail(moving)["message"]


@case
def the_words_stay_free_as_names():
    text = """
    param contact = 2, friction = 3
    coord gap
    kinetic 1/2*contact*gap'^2
    potential friction*gap
    contact floor: gap >= 0
    init gap = 0, gap' = 0
    simulate 0 .. 1 every 0.5
    output N = reaction(floor)
    """
    near(simulate(text)["outputs"]["N"], 3)


# Three discs that fall into a box: heaps bounce ever lower, and come to rest.
HEAP = """
param g = 9.81, e = 0.3, R = 0.2
coord x[3], y[3]
kinetic sum(i in 1..3 : 1/2*(x[i]'^2 + y[i]'^2))
potential sum(i in 1..3 : g*y[i])
fn apart(i, j) = sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2) - 2*R
for i in 1..3 {
    contact floor[i]: y[i] - R >= 0, restitution = e
    contact left[i]: x[i] - R >= 0, restitution = e
    contact right[i]: 0.9 - x[i] - R >= 0, restitution = e
}
contact c[1]: apart(1, 2) >= 0, restitution = e
contact c[2]: apart(2, 3) >= 0, restitution = e
contact c[3]: apart(3, 1) >= 0, restitution = e
init x[1] = 0.22, y[1] = 0.25, x[2] = 0.66, y[2] = 0.4, x[3] = 0.5, y[3] = 0.95
simulate 0 .. 3 every 0.05
output least = min(gap(c[1]), min(gap(c[2]), gap(c[3])))
output N = reaction(floor[1]) + reaction(floor[2]) + reaction(floor[3])
"""


@case
def a_heap_comes_to_rest():
    result = simulate(HEAP)
    for value in result["qd"].values():
        near(value, 0, 1e-9)
    assert result["outputs"]["least"] > -1e-9
    near(result["outputs"]["N"], 3 * 9.81, 1e-7)
    near(result["energy"]["balance"], 0, 1e-8)


@case
def a_disc_rolls_gently_into_a_corner():
    # Floor and wall with friction 1: what the wall lifts comes back by less than the tolerance.
    text = """
    param g = 9.81, r = 0.15, v = 5e-5, e = 0.2
    coord x, y, a
    kinetic 1/2*(x'^2 + y'^2) + 1/4*r^2*a'^2
    potential g*y
    contact floor: y - r >= 0, restitution = e, friction = 1, slip = x' + r*a'
    contact wall: 1 - x - r >= 0, restitution = e, friction = 1, slip = y' + r*a'
    init x = 1 - r - 1e-6, y = r, x' = v, a' = -v/r, y' = 0
    simulate 0 .. 1 every 0.1
    """
    for v in (5e-5, 1e-6, 0.5):
        result = simulate(text, v=v)
        assert times(result, "impact", "wall"), result["incidents"]
        assert result["energy"]["final"] <= result["energy"]["initial"] + 1e-12
        assert result["q"]["y"] >= 0.15 - 1e-9


@case
def a_low_rebound_that_cannot_be_stopped_is_followed_and_told():
    # A lift rises by w^2/2, less than the tolerance, and takes the ball from the floor: with both
    # contacts closed the ball would have to stand and to rise.
    w = 1e-6
    result = simulate("""
    param w = 1e-6
    coord y
    kinetic 1/2*y'^2
    potential 9.81*y
    contact floor: y >= 0
    contact lift: y - w*t + 1/2*t^2 >= 0
    init y = 0, y' = -1
    simulate 0 .. 1e-3 every 1e-4
    """)
    told = [i for i in result["incidents"] if "it is followed" in i["text"]]
    assert [(i["t"], i["name"]) for i in told] == [(0, "floor")], result["incidents"]
    # Back on the floor when the lift is, to the time in which gaps change by the tolerance.
    near(times(result, "closes", "floor")[0], 2 * w, 1e-6)
    near(times(result, "opens", "lift")[0], 2 * w, 1e-6)
    near(result["q"]["y"], 0, 1e-12)


@case
def a_contact_that_comes_to_say_the_same_changes_nothing():
    # The second floor meets the first one smoothly at x = 1: from there on they are the same.
    text = """
    param g = 9.81, mu = 0.1
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    potential g*y
    contact floor: y >= 0, friction = mu, slip = x'
    contact other: if(x < 1, y + (x - 1)^2, y) >= 0, friction = mu, slip = x'
    init x = 0, y = 0, x' = 2
    simulate 0 .. 1 every 0.1
    output N = reaction(floor) + reaction(other)
    """
    result = simulate(text)
    near(result["q"]["x"], 2 - 0.1 * 9.81 / 2, 1e-8)
    near(result["q"]["y"], 0)
    near(result["outputs"]["N"], 9.81, 1e-8)


# A woodpecker on a sleeve that is wider than its bar (Glocker 1995): it slides down, jams and pecks.
WOODPECKER = """
param mM = 0.0003 [kg], JM = 5.0e-9 [kg*m^2], mS = 0.0045 [kg], JS = 7.0e-7 [kg*m^2]
param hM = 0.0058 [m], lM = 0.010 [m], lG = 0.015 [m], hS = 0.02 [m], lS = 0.0201 [m]
param r0 = 0.0025 [m], rM = 0.0031 [m], c = 0.0056 [N*m/rad], g = 9.81 [m/s^2], mu = 0.3
coord y [m], pM [rad], pS [rad]
kinetic 1/2*mM*y'^2 + 1/2*JM*pM'^2 + 1/2*JS*pS'^2 + 1/2*mS*(y' + lM*pM' + lG*pS')^2
potential (mM + mS)*g*y + mS*g*(lM*pM + lG*pS) + 1/2*c*(pM - pS)^2
contact beak: (lM + lG - lS - r0) - hS*pS >= 0, restitution = 0.5, friction = mu,
    slip = y' + lM*pM' + (lG - lS)*pS'
contact upper: (rM - r0) + hM*pM >= 0, friction = mu, slip = y' + rM*pM'
contact lower: (rM - r0) - hM*pM >= 0, friction = mu, slip = y' + rM*pM'
event turn: pS + 0.2788 falling set y = 0
init y = 0, pM ~ -0.1036, pS = -0.2788, y' = -0.3411, pM' = 0, pS' = -7.4583
simulate 0 .. 2 every 0.01
"""


@case
def a_woodpecker_pecks_its_published_cycle():
    """The cycle goes through (pS, y', pS') = (-0.2788, -0.3411, -7.4583), four digits of a
    time-stepping scheme: from there it stays near, jams and lets go where statics say."""
    mM, mS, JS, hM, lM, lG, rM = 0.0003, 0.0045, 7e-7, 0.0058, 0.010, 0.015, 0.0031
    c, g, mu, jam = 0.0056, 9.81, 0.3, -0.0006/0.0058
    result, rows = rows_of(WOODPECKER)
    cycle = ["sticks upper", "slips upper", "opens upper", "impact lower", "impact beak",
             "impact lower", "closes lower", "opens lower", "impact upper", "impact upper",
             "closes upper"]
    told = [f"{i['what']} {i['name']}" for i in result["incidents"] if i["name"] != "turn"]
    assert told[:len(cycle)*12] == cycle*12, told[:24]

    def excess(pS):  # of the friction that jamming takes over its limit; linear in pS
        turn = -(c*(pS - jam) + mS*g*lG)/(JS + mS*lG**2)
        T = (mS + mM)*g + mS*lG*turn
        return T - mu*(mS*lM*lG*turn + c*(jam - pS) + mS*g*lM - rM*T)/hM

    lets_go = excess(0)/(excess(0) - excess(1))
    at = {row["t"]: row for row in rows}
    for t in times(result, "slips", "upper"):
        near(at[t]["pS"], lets_go, 1e-9)
        near(at[t]["pM"], jam, 1e-9)
    for t in times(result, "opens", "upper"):
        near(at[t]["pS"], jam, 1e-9)  # the spring is at rest
    turns = times(result, "event", "turn")
    for t in turns:
        near(at[t]["y'"], -0.3411, 0.01*0.3411)
        near(at[t]["pS'"], -7.4583, 0.002*7.4583)
    near((turns[-1] - turns[-3])/2, 0.14598, 1e-5)  # of one turn: every other one is longer


# A block that slides with a pendulum, whose rod may be said twice.
SLED = """
param g = 9.81
coord x, y, px, py
kinetic 1/2*(x'^2 + y'^2) + 1/4*(px'^2 + py'^2)
potential g*y + 0.5*g*py
constraint rod: (px - x)^2 + (py - y)^2 = 1
{more}
contact floor: y >= 0, friction = 0.3, slip = x'
init x = 0, y = 0, px = 0.6, py = -0.8, x' = 5, y' = 0, px' = 5.8, py' = 0.6
simulate 0 .. 0.5 every 0.1
"""


@case
def a_constraint_said_twice_does_not_change_friction():
    once = simulate(SLED.format(more=""))
    again = "constraint again: 2*(px - x)^2 + 2*(py - y)^2 = 2"
    twice = simulate(SLED.format(more=again))
    for name, value in once["qd"].items():
        near(twice["qd"][name], value, 1e-7)


@case
def the_examples_do_as_they_say():
    def example(name, *options):
        status, out, err = run("run", EXAMPLES / f"{name}.kal", "--json", *options)
        assert status == 0, (name, out[:500], err[:500])
        return json.loads(out)
    near(times(example("ball_at_rest"), "closes")[-1], sqrt(2 / 9.81) * 9, 1e-8)
    near(times(example("sliding_sphere"), "sticks")[0], 6 / (7 * 0.2 * 9.81))
    opens = times(example("ladder"), "opens", "wall")[0]
    low = example("ladder", "--until", repr(opens))
    near(sin(low["q"]["th"]), 2 / 3 * sin(pi / 3), 1e-8)
    cradle = example("cradle", "--until", "1")
    for i in (1, 2, 3, 4):
        near(cradle["q"][f"a[{i}]"], 0, 0.003)
    near(cradle["q"]["a[5]"], 0.6, 0.01)


@case
def what_does_not_cover_contacts_says_so():
    for name, options in (("linearize", ()), ("modes", ()), ("reduce", ()),
                          ("run", ("--verify",))):
        status, out, err = command(name, BALL, *options)
        assert status == 1 and "floor" in out + err, (name, out, err)


PUSHED = """
param m = 2 [kg], g = 9.81 [m/s^2], mu = 0.3, a = 1.5 [m/s^2], k = 5 [1/s], v = 0.1 [m/s], al = 0
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
contact table: y >= 0, friction = mu, slip = x'
actuator F: x'*cos(al) - y'*sin(al)
servo drive: x = 1/2*a*t^2 + v*t, rate = k
init x' = 0.1 [m/s]
simulate 0 .. 2 every 0.1
output u = control(F), N = reaction(table)
"""


@case
def a_servo_pushes_what_rubs():
    # m a = u cos α − μ N with N = m g + u sin α: the input loads the table that it rubs on.
    for al in (0.0, 0.5, -0.3):
        result = simulate(PUSHED, al=al)
        u = (2 * 1.5 + 0.3 * 2 * 9.81) / (cos(al) - 0.3 * sin(al))
        near(result["outputs"]["u"], u)
        near(result["outputs"]["N"], 2 * 9.81 + u * sin(al))
        near(result["q"]["x"], 3.2)
        assert not result["incidents"], result["incidents"]
    # It is pulled off the table where N would be negative: u sin(−α) > m g.
    lifted = simulate(PUSHED, al=-0.3, a=60, mu=0)
    assert lifted["q"]["y"] > 1 and lifted["outputs"]["N"] == 0, lifted["outputs"]


@case
def a_servo_drives_a_wheel_through_friction():
    # The torque has an effect on x by the contact alone: m a = f, T = f R + J a/R.
    wheel = """
    param m = 2, R = 0.3, g = 9.81, mu = 0.5, a = 2
    coord x, y, p
    kinetic 1/2*m*(x'^2 + y'^2) + 1/4*m*R^2*p'^2
    potential m*g*y
    contact ground: y - R >= 0, friction = mu, slip = x' - R*p'
    actuator T: p'
    servo drive: x = 1/2*a*t^2, rate = 5
    init y = 0.3
    simulate 0 .. 2 every 0.1
    output u = control(T), f = friction(ground)
    """
    result = simulate(wheel)
    near(result["outputs"]["u"], 2 * 2 * 0.3 + 0.5 * 2 * 0.3**2 * 2 / 0.3)
    near(result["outputs"]["f"], 4)
    near(result["q"]["x"], 4)


STOPPED = """
param m = 2, k = 5, v = 1, L = 1, most = 1000, e = 0
coord x
kinetic 1/2*m*x'^2
contact stop: L - x >= 0, restitution = e
actuator F: x', limit = most
servo drive: x = v*t, rate = k
init x' = 1
simulate 0 .. 2 every 0.1
output u = control(F), N = reaction(stop)
"""


@case
def a_servo_that_runs_into_a_stop_presses():
    # Nothing meets the servo there: the input is what it would need without the stop, which is
    # m (2 k e' + k² e) for the error e = v t − L, cut at its limit.
    for most, N in ((1000, 2 * (2 * 5 + 25)), (10, 10)):
        result = simulate(STOPPED, most=most)
        near(times(result, "closes", "stop")[0], 1)
        near(result["outputs"]["u"], N)
        near(result["outputs"]["N"], N)
        assert any(i["name"] == "drive" and "keep it" in i["text"] for i in result["incidents"])
    # With a rebound it comes back at the limit: m x'' = F, so bounces are those of a ball that
    # falls with F/m, from the speed e v on.
    bounces = simulate(STOPPED, most=10, e=0.5)
    impacts = times(bounces, "impact", "stop")
    near(impacts[0], 1)
    near(impacts[1], 1.2)
    near(times(bounces, "closes", "stop")[0], 1.4, 1e-6)
    near(bounces["outputs"]["N"], 10)


@case
def a_servo_lifts_and_sets_down():
    # y = h sin²(ω t) is followed to the end of a period, where it comes down at no speed.
    text = """
    param m = 2, g = 9.81, w = 2, h = 0.5
    coord y
    kinetic 1/2*m*y'^2
    potential m*g*y
    contact table: y >= 0
    actuator F: y'
    servo lift: y = h*sin(w*t)^2, rate = 5
    simulate 0 .. 1 every 0.1
    output u = control(F), N = reaction(table)
    """
    result = simulate(text)
    near(result["q"]["y"], 0.5 * sin(2) ** 2)
    near(result["outputs"]["u"], 2 * (9.81 + 0.5 * 8 * cos(4)))
    error = fail(text.replace("actuator F: y'", "").replace("control(F)", "1"))
    assert "no actuator" in error["message"], error
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = command("export", text, "--c", Path(folder) / "sources")
        assert status == 1 and "servos and contacts" in out + err, (status, out, err)


@case
def what_cannot_move_is_not_driven_while_something_slides():
    # What the input moves of a body that friction or a stop holds is rounding, which another
    # friction that slides must not hide: the input is what it would need without contacts.
    text = """
    param g = 9.81
    coord x, y, s
    kinetic x'^2 + y'^2 + 1/2*s'^2
    potential 2*g*y
    contact floor: y - 0.1*sin(3*x) >= 0, friction = 0.5, slip = x', static = 0.65
    contact stop: 2.5 - x >= 0
    friction pad: s', limit = 0.3
    actuator F: x'
    servo go: x = 2 + t, rate = 5
    init y ~ 0.1, s' = 2
    simulate 0 .. 3 every 0.02
    output u = control(F)
    """
    for x in (1.95, 2.1, 2.3):
        for tolerance in ("1e-6", "1e-9"):
            result, rows = rows_of(text + f"init x ~ {x}", "--tolerance", tolerance)
            near(result["q"]["x"], 2.5)
            near(result["outputs"]["u"], 2 * (2 * 5 + 25 * 2.5))
            assert max(abs(row["u"]) for row in rows) < 146


@case
def redundant_feet_hold_what_one_of_them_could_not():
    # A block on two feet is pulled by less than both hold together, and by more than either.
    text = """
    param m = 2, g = 9.81, mu = 0.3, F = 4
    coord x, y, a
    kinetic 1/2*m*(x'^2 + y'^2) + 1/2*a'^2
    potential m*g*y
    force x = F
    contact left: y - a >= 0, friction = mu, slip = x'
    contact right: y + a >= 0, friction = mu, slip = x'
    simulate 0 .. 1 every 0.1
    """
    for F in (2.5, 4, 5.8):
        result = simulate(text, F=F)
        assert not result["incidents"], result["incidents"][:4]
        near(result["q"]["x"], 0)
    near(simulate(text, F=6)["q"]["x"], 0.5 * (6 - 0.3 * 2 * 9.81) / 2)


PRESSED = """
param mu = 0.3, v = 0, F = 0, k = 0
coord x, y
kinetic 1/2*(x'^2 + y'^2)
force y = -t
force x = F + k*t
contact c: y >= 0, friction = mu, slip = x'
init x' = v
simulate 0 .. 1 every 0.1
"""

PRESSED_IN_SPACE = """
param mu = 0.3, v = 0, F = 0, k = 0
coord x, z, y
kinetic 1/2*(x'^2 + y'^2 + z'^2)
force y = -t
force x = 0.6*(F + k*t)
force z = 0.8*(F + k*t)
contact c: y >= 0, friction = mu, slip = [x', z']
init x' = 0.6*v, z' = 0.8*v
simulate 0 .. 1 every 0.1
"""


@case
def friction_begins_with_the_force_that_presses():
    # N = t is zero at the start: what slides then, or is about to, is slowed down by mu t, and
    # what stays holds while k t <= mu t.
    wants = (({"v": 1}, 1 - 0.15), ({"v": -1}, -1 + 0.15), ({"F": 1}, 1 - 0.15),
             ({"F": -1}, -1 + 0.15), ({}, 0), ({"k": 0.29}, 0), ({"k": 0.31}, 0.005),
             ({"k": 1}, 0.35), ({"F": 0.1}, 0))
    for text, along in ((PRESSED, 1), (PRESSED_IN_SPACE, 0.6)):
        for parameters, speed in wants:
            near(simulate(text, **parameters)["qd"]["x"], along * speed)
    near(times(simulate(PRESSED, F=0.1), "sticks")[0], 2 / 3)
    # It is pressed for half a turn, lies there for another, and is pressed again.
    twice = PRESSED.replace("force y = -t", "force y = -max(0, sin(t))")
    near(simulate(twice, "--until", "9", v=2)["qd"]["x"], 2 - 0.3 * (3 - cos(9)), 1e-8)


@case
def a_bead_on_a_turning_rod_is_slowed_down():
    # From rest on the rod nothing presses: then N = 2 w r', and r'' = w^2 r - mu N.
    text = """
    param w = 3, mu = 0.4
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    let c = cos(w*t), s = sin(w*t)
    contact rod: y*c - x*s >= 0, friction = mu, slip = x'*c + y'*s
    init x = 1, y = 0, x' = 0, y' = w
    simulate 0 .. 1 every 0.1
    output r = sqrt(x^2 + y^2)
    """
    a, b = -0.4 * 3 + 3 * sqrt(1 + 0.16), -0.4 * 3 - 3 * sqrt(1 + 0.16)
    near(simulate(text)["outputs"]["r"], (a * exp(b) - b * exp(a)) / (a - b), 1e-8)


JUMPS = """
coord x
kinetic 1/2*x'^2
init x = 0, x' = 1
simulate 0 .. 2 every 0.3
"""


@case
def outputs_that_jump_alone_have_two_rows():
    # A condition on the position, one on time, steps, and a bend that is no jump.
    for output, places in (("if(x < 0.5, 1, 3)", [0.5]), ("sign(t - 0.65)", [0.65]),
                           ("if(t < 0.6, 0, 5)", [0.6]), ("sign(t - 0.6)", [0.6, 0.6]),
                           ("floor(x + 0.2)", [0.8, 1.8]), ("abs(x - 0.5)", []),
                           ("if(x < 0.5, 0, x - 0.5)", [])):
        rows = table_of(JUMPS + f"output u = {output}", "t", "u")
        close = [(a, b) for a, b in zip(rows, rows[1:]) if b[0] - a[0] < 1e-9]
        assert [round(a[0], 9) for a, _ in close] == places, (output, rows)
        assert all(abs(a[1] - b[1]) >= 1 for a, b in close), (output, rows)
        for (a, b), want in zip(close, places):
            near(a[0], want, 1e-13)
            near(b[0], want, 1e-13)


@case
def accelerations_that_jump_have_two_rows():
    # A force that begins at t = 0.5: x'' is 0 in the row before and 2 in the one behind; a spring
    # that begins to act there bends only.
    text = JUMPS + "force x = {}\noutput a = x''"
    rows = table_of(text.format("if(t < 0.5, 0, 2)"), "t", "a")
    at = [a for t, a in rows if abs(t - 0.5) < 1e-9]
    assert at == [0, 2], rows
    rows = table_of(text.format("-3*max(x - 0.5, 0)"), "t", "a")
    assert not [a for t, a in rows if abs(t - 0.5) < 1e-9], rows


@case
def what_is_never_reached_is_warned_of():
    def warnings(text):
        status, out, err = command("check", JUMPS + text)
        assert status == 0, (out, err)
        return " ".join(json.loads(out)["warnings"])
    assert "contact 'c' can never close" in warnings("contact c: x^2 + 1 >= 0")
    assert "no normal force" in warnings("contact c: x^2 + 1 >= 0, friction = 1, slip = x'")
    assert "never close" not in warnings("contact c: x^2 - 1 >= -2 + x")
    assert "friction 'f' never does anything" in warnings("friction f: x', limit = 0*t")
    assert "friction 'f' never does anything" in warnings(
        "contact c: x^2 + 1 >= 0\nfriction f: x', limit = 0.3*reaction(c)")
    assert "friction 'f'" not in warnings(
        "contact c: x + 1 >= 0\nfriction f: x', limit = 0.3*reaction(c)")
    table = "table f = [3, 4, 5], [0, 1, 0], outside = hold\nforce x = f({})"
    assert "table 'f' is never reached" in warnings(table.format("t"))
    assert "table" not in warnings(table.format("2*t"))
    assert "table" not in warnings(table.format("x"))


@case
def contacts_that_leave_no_way_to_move_say_why():
    free = "coord x\nkinetic 1/2*x'^2\ninit x = 0.2, x' ~ 0\ncontact floor: x >= 0\n"
    for rest, names in (("contact roof: 1 - t - x >= 0", ["floor", "roof"]),
                        ("constraint drive: x = 0.2 - 0.2*t", ["floor"])):
        error = fail(free + rest, "--until", "2")
        assert "no velocities after the impact" in error["message"], error
        assert "t = 1:" in error["message"], error
        assert "leave no way to move" in error["message"], error
        assert all(name in error["message"] for name in names), error
        assert "friction" not in error["message"], error
        assert "Painlev" not in error["message"], error


KICKED = """
param g = 9.81, e = 0.5
coord y
kinetic 1/2*y'^2
potential g*y
contact floor: y >= 0, restitution = e
simulate 0 .. 0.6 every 0.1
"""


PUCK = """
param mu = 0.2, g = 9.81
coord x, y, z
kinetic 1/2*(x'^2 + y'^2 + z'^2)
potential g*z
contact table: z >= 0, friction = mu, slip = [x', y']
"""


@case
def a_puck_that_slides_is_thrown_back():
    # Its friction of two rows holds nothing while the wall throws it back.
    for e in (0.0, 0.5, 1.0):
        result = simulate(PUCK + f"contact wall: 0.5 - x >= 0, restitution = {e}\n"
                          "init x' = 2, y' = 1\nsimulate 0 .. 0.8 every 0.1", "--until", "0.5")
        v, a = sqrt(5), 0.2 * 9.81
        hit = times(result, "impact")[0]
        way = 0.5 * sqrt(5) / 2
        near(hit, (v - sqrt(v * v - 2 * a * way)) / a)
        u = v - a * hit
        x, y = -e * 2 / v * u, 1 / v * u
        left = 1 - a * (0.5 - hit) / sqrt(x * x + y * y)
        near(result["qd"]["x"], x * left, 1e-8)
        near(result["qd"]["y"], y * left, 1e-8)


@case
def a_puck_at_rest_is_pushed():
    # By a wall that accelerates: friction against it, and the wall presses with both.
    text = PUCK + """
    contact wall: x - 1/2*3*t^2 >= 0
    init x = 0, x' = 0
    simulate 0 .. 1 every 0.1
    output N = reaction(wall)
    """
    result = simulate(text)
    near(result["q"]["x"], 1.5)
    near(result["outputs"]["N"], 3 + 0.2 * 9.81)


def turntable(speed, until):
    return f"""
    param g = 9.81, mu = 0.2, R = 1.1
    let W = {speed}
    coord x, y, z
    kinetic 1/2*(x'^2 + y'^2 + z'^2)
    potential g*z
    contact table: z >= 0, friction = mu, static = 1.5*mu, slip = [x' + W*y, y' - W*x]
    contact rim: R - sqrt(x^2 + y^2) >= 0
    init x = R, y = 0, z = 0, x' = 0, y' = R*({speed.replace("t", "0")}), z' = 0
    simulate 0 .. {until} every 0.05
    output N = reaction(rim), T = friction(table)
    """


@case
def a_puck_bounces_along_a_rim_until_it_rests():
    # Between low bounces it sticks to the turntable but for rounding, and both stop at once.
    for speed, mu, t in ((1, 0.2, 1), (1, 0.25, 1), (1, 0.1, 1), (50, 0.2, 0.02)):
        text = f"""
        param W = 2*{speed}, mu = {mu}
        coord x, y, z
        kinetic 1/2*(x'^2 + y'^2 + z'^2)
        potential 9.81*{speed}^2*z
        contact table: z >= 0, friction = mu, static = 1.5*mu, slip = [x' + W*y, y' - W*x]
        contact rim: 1.1 - sqrt(x^2 + y^2) >= 0, restitution = 0.8
        init x = 1, y' = 2*{speed}
        simulate 0 .. 2*{t} every {t}
        """
        for tolerance in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
            result = simulate(text, "--tolerance", str(tolerance))
            followed = [i["text"] for i in result["incidents"] if "too slowly" in i["text"]]
            assert not followed, followed
            near(result["energy"]["balance"] / result["energy"]["initial"], 0, 20 * tolerance)


PAIR = """
param W = 3, mu = 0.6, m = 2
coord x, y, z, u, v, w
kinetic 1/2*m*(x'^2 + y'^2 + z'^2) + 1/2*(u'^2 + v'^2 + w'^2)
potential 9.81*m*z + 9.81*w
contact a: z >= 0, friction = mu, slip = [x' + W*y, y' - W*x]
contact b: w >= 0, friction = mu, slip = [u' + W*v, v' - W*u]
constraint rod: (x - u)^2 + (y - v)^2 = 1
"""


@case
def a_puck_that_is_turned_downhill_begins_to_slide():
    # On a tilted turntable it holds until centre and slope pull together, hardly more than it bears.
    text = """
    param g = 9.81, m = 1/2
    coord x, y, z
    kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
    potential m*g*(z*cos(0.1) - x*sin(0.1))
    contact table: z >= 0, friction = 0.4, slip = [x' + 3*y, y' - 3*x]
    init x = -0.35, y = -0.61, z = 0, x' = -0.39, y' = 1.39
    simulate 0 .. 1.5 every 0.02
    """
    for tolerance in (1e-8, 1e-9):
        result = simulate(text, "--tolerance", str(tolerance))
        stuck, slips = times(result, "sticks", "table"), times(result, "slips", "table")
        near(stuck[0], 0.5405683, 40 * tolerance)
        # There |W² r + g sin 0.1 ex| = 0.4 g cos 0.1 at the place r of the table that it sticks to.
        near(slips[0], 0.81068199, 40 * tolerance)
        near(result["q"]["x"], 0.29652838, 500 * tolerance)
        assert result["steps"] < 2000, result["steps"]


@case
def two_pucks_on_a_rod_are_carried_round():
    # Of four rows of slips and one of the rod four count, others as the rod turns.
    text = PAIR + """
    init x = 0.5, y = 0.1, z = 0, x' = -0.3, y' = 1.5
    init u ~ -0.5, v ~ 0.1, w = 0, u' ~ -0.3, v' ~ -1.5
    simulate 0 .. 4 every 0.1
    output F = friction(a), G = friction(b)
    """
    for tolerance in (1e-6, 1e-9):
        result = simulate(text, "--tolerance", str(tolerance), m=1)
        assert not result["incidents"], result["incidents"]
        near(result["q"]["x"], 0.5 * cos(12) - 0.1 * sin(12), 20 * tolerance)
        outputs = result["outputs"]
        near(outputs["F.x"] + outputs["G.x"], 2 * 9 * 0.1 * sin(12), 1000 * tolerance)
        near(outputs["F.y"] + outputs["G.y"], -2 * 9 * 0.1 * cos(12), 1000 * tolerance)


@case
def two_pucks_on_a_rod_come_to_rest_together():
    # A rod that slides and turns comes to rest at once, with both ends.
    text = PAIR + """
    init x = -0.35, y = 0.61, z = 0, x' = 0.8, y' = 0.4
    init u ~ -0.35, v ~ -0.4, w = 0, u' ~ -0.6, v' ~ 0.9
    simulate 0 .. 1.5 every 0.1
    """
    for tolerance in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        result = simulate(text, "--tolerance", str(tolerance))
        assert [i["what"] for i in result["incidents"]] == ["sticks"] * 2, result["incidents"]
        for name in "ab":
            near(times(result, "sticks", name)[0], 0.52523602, 20 * tolerance)
        near(result["q"]["x"], 0.52792803551, 40 * tolerance)
        near(result["energy"]["balance"], 0, 100 * tolerance)


def pull_by_steps(w, until, count):
    """The puck below by implicit steps of impulses, of second order in each phase."""
    h = until / count
    x, v, limit = [0.0, 0.0], [0.0, 0.0], 3 * h
    for k in range(count):
        t = (k + 0.5) * h
        free = [v[0] + h * 3 * t * cos(w * t), v[1] + h * 3 * t * sin(w * t)]
        size = sqrt(free[0] ** 2 + free[1] ** 2)
        after = [0.0, 0.0] if size <= limit else [u * (1 - limit / size) for u in free]
        x = [x[i] + h * (v[i] + after[i]) / 2 for i in (0, 1)]
        v = after
    return x, v


@case
def a_puck_that_is_pulled_ever_harder_begins_to_slide():
    # 3 t = mu m g at t = 1: its slip begins from nothing, while the pull turns.
    text = """
    param mu = 0.3, w = 1
    coord x, y, z
    kinetic 1/2*(x'^2 + y'^2 + z'^2)
    potential 10*z
    force x = 3*t*cos(w*t)
    force y = 3*t*sin(w*t)
    contact c: z >= 0, friction = mu, slip = [x', y']
    simulate 0 .. 2 every 0.1
    """
    for w in (0, 0.1, 1, 10):
        result = simulate(text, w=w)
        near(times(result, "slips")[0], 1, 1e-8)
        x, v = pull_by_steps(w, 2, 20000)
        for i, name in enumerate(("x", "y")):
            near(result["q"][name], x[i], 2e-5 * (1 + w))  # errors of the steps
            near(result["qd"][name], v[i], 2e-5 * (1 + w))
        assert result["energy"]["balance"] < 1e-9, result["energy"]


@case
def a_box_tumbles_and_comes_to_rest():
    # On eight feet with friction: edges that hold, slide and turn about corners.
    result = simulate("""
    use spatial
    part b = Body(m = 1, I = [0.02, 0.03, 0.04], spin = [2, -1, 1])
    part f[i in 1..8] = Foot(b = b, at_b = [if(mod(i, 2) == 0, 0.3, -0.3),
                             if(mod(floor((i - 1)/2), 2) == 0, 0.2, -0.2), if(i < 5, 0.1, -0.1)],
                             friction = 1)
    init b.x = 0, b.y = 0, b.z = 0.8, b.x' = 0.7, b.y' = -0.4
    simulate 0 .. 2.5 every 0.05
    output least = min(min(gap(f[5].touch), gap(f[6].touch)), min(gap(f[7].touch), gap(f[8].touch)))
    """)
    for value in result["qd"].values():
        near(value, 0, 1e-9)
    assert result["outputs"]["least"] > -1e-9, result["outputs"]
    assert result["energy"]["balance"] < 1e-8, result["energy"]
    assert result["steps"] < 10000, result["steps"]


@case
def a_puck_on_a_spring_stops_and_turns_back():
    # Along a line it is the oscillator with dry friction: each half turn takes pi/w and 2 F/k of
    # the swing, until the spring cannot pull it off; on a table that moves it stops against that.
    text = """
    param k = 100, mu = 0.2, v = 0
    coord x, y, z
    kinetic 1/2*(x'^2 + y'^2 + z'^2)
    potential 10*z + 1/2*k*((x - v*t)^2 + y^2)
    contact table: z >= 0, friction = mu, slip = [x' - v, y']
    init x = 0.306, y = 0.408, x' = v
    simulate 0 .. 5 every 0.1
    """
    for v in (0, 0.7):
        result = simulate(text, v=v)
        stops = times(result, "sticks")
        assert len(stops) == 1, result["incidents"]
        near(stops[0], 13 * pi / 10, 1e-7)
        near(result["q"]["x"], 0.006 + 5 * v, 1e-7)
        near(result["q"]["y"], 0.008, 1e-7)
        assert result["steps"] < 1500, result["steps"]
        assert not times(result, "method"), result["incidents"]


@case
def a_puck_is_carried_along_a_rim():
    # Friction alone could not carry it, for R W^2 > 1.5 mu g, but it need not: the rim bears what
    # it does not.  With W = t^2 the table carries it until 2 R t = 1.5 mu g, then it slides.
    names = ["x", "y", "N", "T.x", "T.y"]
    for x, y, N, fx, fy in table_of(turntable("2", 4), *names):
        near(N - (fx * x + fy * y) / 1.1, 4.4, 1e-8)
        near(fx * y - fy * x, 0.0, 1e-8)
        assert fx * fx + fy * fy <= (0.3 * 9.81) ** 2 * (1 + 1e-8) and N >= 0, (N, fx, fy)
    result = simulate(turntable("2", 4))
    near(result["q"]["x"], 1.1 * cos(8), 1e-8)
    near(result["q"]["y"], 1.1 * sin(8), 1e-8)
    assert not times(result, "slips"), result["incidents"]
    result = simulate(turntable("t^2", 2))
    slips = times(result, "slips")
    assert len(slips) == 1, result["incidents"]
    near(slips[0], 0.3 * 9.81 / 2.2, 1e-8)
    speed = 1.1 * slips[0] ** 2 + 0.2 * 9.81 * (2 - slips[0])
    near(sqrt(result["qd"]["x"] ** 2 + result["qd"]["y"] ** 2), speed, 1e-7)


@case
def four_feet_hold_what_friction_can():
    # Pushed with 3 t along (4, 3) at its center, a body on four feet slips at 3 t = static m g,
    # however its feet share that, and none bears anything along the plane without a push.
    text = """
    use spatial
    part b = Body(m = 2, I = [0.1, 0.1, 0.1])
    part f[i in 1..4] = Foot(b = b, at_b = [if(i < 3, 0.2, -0.2), if(i == 1 or i == 3, 0.2, -0.2),
                             -0.1], friction = 0.3, static = 0.4)
    force b.x = 3*t*0.8
    force b.y = 3*t*0.6
    init b.x = 0, b.y = 0, b.z = 0.1
    simulate 0 .. 4 every 0.1
    output T = sum(i in 1..4 : friction(f[i].touch).x), one = friction(f[1].touch).x
    """
    result = simulate(text)
    slip = 0.4 * 2 * 9.81 / 3
    assert len(times(result, "slips")) == 4, result["incidents"]
    for t in times(result, "slips"):
        near(t, slip, 1e-8)
    speed = 0.75 * (16 - slip * slip) - 0.3 * 9.81 * (4 - slip)
    near(result["qd"]["b.x"], 0.8 * speed, 1e-8)
    near(result["qd"]["b.y"], 0.6 * speed, 1e-8)
    still = simulate(text, "--until", "2")
    near(still["outputs"]["T"], -4.8, 1e-9)
    near(evaluate(text)["outputs"]["one"], 0.0, 1e-9)


@case
def what_sticks_at_a_rim_stays():
    # Bounces along the rim end as the table takes the puck along: it goes round with the table.
    text = (EXAMPLES.parent / "fuzz/corpus/run/contact_space.kal").read_text(encoding="utf-8")
    result = simulate(text)
    near(result["qd"]["x"] ** 2 + result["qd"]["y"] ** 2, 2.2 ** 2, 1e-8)
    assert len(times(result, "sticks", "table")) == 1, result["incidents"]
    assert not times(result, "slips", "table"), result["incidents"]


@case
def four_feet_meet_a_wall():
    # All slide alike, so that the center is thrown back as a puck is.
    result = simulate("""
    use spatial
    part b = Body(m = 2, I = [0.1, 0.1, 0.1])
    part f[i in 1..4] = Foot(b = b, at_b = [if(i < 3, 0.2, -0.2), if(i == 1 or i == 3, 0.2, -0.2),
                             -0.01], friction = 0.05)
    part w = Foot(b = b, at_a = [0.5, 0, 0], axis_a = [-1, 0, 0], restitution = 0.5)
    init b.x = 0, b.y = 0, b.z = 0.01, b.x' = 3, b.y' = 0, b.z' = 0
    simulate 0 .. 1 every 0.1
    """, "--until", "0.5")
    a = 0.05 * 9.81
    v = sqrt(9 - 2 * a * 0.5)
    hit = (3 - v) / a
    near(times(result, "impact", "w.touch")[0], hit)
    near(result["qd"]["b.x"], -0.5 * v + a * (0.5 - hit), 1e-8)


@case
def what_has_no_mass_is_told_by_the_contact():
    error = fail("""
    coord x, s
    kinetic 1/2*x'^2
    potential 50*(x - s - 1)^2 + 9.81*x
    contact cap: s >= 0
    init x = 1, s = 0
    simulate 0 .. 1 every 0.1
    """)
    assert error["names"] == ["cap"], error
    assert "nor constraint resists a force along the gap or slip of cap" in error["message"], error


@case
def a_wedged_block_gets_no_advice_that_does_not_help():
    text = """
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    contact low: y >= 0, friction = 0.1, slip = x'
    contact high: -y >= 0, friction = {}, slip = x'
    init y = 0, x' = 1
    simulate 0 .. 1 every 0.1
    """
    for mu, advised in ((0.1, False), (0.2, True)):
        message = fail(text.format(mu))["message"]
        assert "low, high are redundant" in message, message
        assert ("the same friction" in message) == advised, message


@case
def friction_cannot_drive():
    # A limit that becomes negative while it slides ends the run.
    text = "coord a\nkinetic 1/2*a'^2\nfriction f: a', limit = 1 - t\ninit a' = {}\n"
    error = fail(text.format(3) + "simulate 0 .. 2 every 0.1")
    assert "the friction of f cannot be negative" in error["message"], error
    result = simulate(text.format(3) + "simulate 0 .. 1 every 0.1")
    near(result["qd"]["a"], 2.5)


@case
def events_kick_what_rests():
    # Contacts are one-sided: what an event sets opens them, or strikes them.
    up = simulate(KICKED + "event kick: t - 0.5 set y' = 2")
    near(up["q"]["y"], 0.2 - 9.81 / 2 * 0.01)
    near(times(up, "opens", "floor")[0], 0.5)
    down = simulate(KICKED + "event kick: t - 0.5 set y' = -2")
    near(times(down, "impact", "floor")[0], 0.5)
    near(down["q"]["y"], 0.1 - 9.81 / 2 * 0.01)
    lifted = simulate(KICKED + "event lift: t - 0.5 set y = 2")
    near(times(lifted, "opens", "floor")[0], 0.5)
    near(lifted["q"]["y"], 2 - 9.81 / 2 * 0.01)
    error = fail(KICKED + "event sink: t - 0.5 set y = -2")
    assert "event sink" in error["message"] and "floor" in error["message"], error


SLOPED = """
param a = pi/9, mu = 0.8
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
contact floor: y*cos(a) - x*sin(a) >= 0, friction = mu, slip = x'*cos(a) + y'*sin(a)
simulate 0 .. 0.6 every 0.1
"""


@case
def events_kick_what_sticks():
    # Up the slope: the impact along the normal takes friction with it, which takes mu*tan(a) of
    # the speed along the slope, and down the slope the block flies until it meets it again.
    a, mu = pi / 9, 0.8
    up = simulate(SLOPED + "event kick: t - 0.5 set x' = 1")
    slowed = cos(a) - mu * sin(a)
    stops = slowed / (9.81 * (sin(a) + mu * cos(a)))
    near(times(up, "sticks")[0], 0.5 + stops)
    near(up["q"]["x"], slowed * stops / 2 * cos(a))
    down = simulate(SLOPED + "event kick: t - 0.5 set x' = -1")
    near(times(down, "opens")[0], 0.5)
    near(times(down, "impact")[0], 0.5 + 2 * sin(a) / (9.81 * cos(a)))


@case
def what_engages_does_not_make_what_rests_rebound():
    result = simulate("""
    coord y, z
    kinetic 1/2*(y'^2 + z'^2)
    potential 9.81*(y + z)
    contact floor: y >= 0, restitution = 0.5
    constraint tie: z - y = 1, off
    event catch: z - y - 1 falling engage tie
    init y = 0, z = 2
    simulate 0 .. 1 every 0.1
    """)
    near(result["q"]["z"], 1)
    assert not times(result, "opens"), result["incidents"]


@case
def gaps_that_jump_open_or_are_told():
    free = "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nsimulate 0 .. 2 every 0.1\n"
    for gap, start, t in (("y - floor(t)", "y = 5", "t = 1:"),
                          ("y - if(t < 0.1, 0, 0.99)", "y = 1", "t = 0.1:")):
        error = fail(f"{free}contact c: {gap} >= 0\ninit {start}")
        assert "contact c is entered" in error["message"], error
        assert t in error["message"] and error["names"] == ["c"], error
    opened = simulate(f"{free}contact c: y - if(t < 1, 0, -0.99) >= 0\ninit y = 0")
    near(times(opened, "opens")[0], 1)
    near(times(opened, "impact")[0], 1 + sqrt(2 * 0.99 / 9.81))


@case
def a_road_with_a_bend_does_not_pull():
    # Over the edge of a slope a ball flies, and lands on it; at its foot there is an impact.
    road = """
    param k = -1
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    potential 9.81*y
    contact road: y - if(x < 0, 0, k*x) >= 0
    init x = -1, y = 0, x' = 1, y' = 0
    simulate 0 .. 1.5 every 0.1
    """
    result = simulate(road)
    near(times(result, "opens")[0], 1)
    near(times(result, "impact")[0], 1 + 2 / 9.81)
    result = simulate(road, "--until", "1.1", k=0.5)
    near(times(result, "impact")[0], 1)
    near(result["qd"]["x"], 0.8 - 0.1 * 9.81 * 0.5 / 1.25)


@case
def a_belt_that_starts_at_once_drags():
    for text in ("coord x\nkinetic 1/2*x'^2\nfriction f: x' - if(t < 1, 0, 1), limit = 2",
                 "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 10*y\n"
                 "contact f: y >= 0, friction = 0.2, slip = x' - if(t < 1, 0, 1)"):
        result = simulate(text + "\nsimulate 0 .. 2 every 0.1", "--until", "1.25")
        near(result["qd"]["x"], 0.5)
        near(times(result, "slips", "f")[0], 1)


@case
def limits_of_what_is_not_unique_are_refused():
    text = """
    coord x, y
    kinetic 1/2*(x'^2 + y'^2)
    potential 9.81*y
    constraint a: y = 0
    constraint b: y = 0{}
    friction f: x', limit = 0.2*abs({})
    init x' = 2
    simulate 0 .. 0.5 every 0.1
    """
    for name in ("run", "eval"):
        error = fail(text.format("", "reaction(a)"), name=name)
        assert "friction f depends on reactions that are not unique" in error["message"], error
    late = fail(text.format(", off\nevent e: t - 0.2 engage b", "reaction(a)"))
    assert "t = 0.2: the limit of friction f" in late["message"], late
    result = simulate(text.format("", "reaction(a) + reaction(b)"))
    near(result["qd"]["x"], 2 - 0.2 * 9.81 * 0.5)


@case
def counts_follow_what_acts():
    for start, freedom in (("y = h", 2), ("y = 0, y' = 0", 1)):
        _, out, _ = command("check", BALL.replace("y = h", start))
        check = json.loads(out)
        counts = check["counts"]
        assert counts["configuration_freedom"] == freedom, counts
        assert counts["velocity_freedom"] == freedom, counts
        assert counts["constraints"] == 2 - freedom, counts
        assert check["constraints"][0]["kind"] == "contact", check["constraints"]


# A rod that begins to turn holds the mass still along itself at that instant only: dry friction
# on x' slides from then on.  By angles: a'' = -g cos a - f sin a, f = 1 while x' < 0.
@case
def a_friction_that_others_hold_for_an_instant_slides():
    text = """
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1
init x = 1
friction f: x', limit = 1
output holds = sticks(f)
simulate 0 .. 0.5 every 0.1
"""
    angle = """
coord a
kinetic 1/2*a'^2
potential 9.81*sin(a)
force a = -sin(a)
simulate 0 .. 0.5 every 0.1
"""
    result = simulate(text)
    a = simulate(angle)["q"]["a"]
    near(result["q"]["x"], cos(a))
    near(result["q"]["y"], sin(a))
    near(result["energy"]["work"]["friction"], cos(a) - 1, 1e-8)
    assert result["outputs"]["holds"] == 0


@case
def what_is_not_ideal_follows_reactions_with_friction():
    # Two masses of 1 kg that a rod ties are pulled with 2 N against 0.3 N: the rod bears 0.85 N, of
    # which it loses half.  A block that slides down a slope loses a tenth of what that bears.
    text = """
coord x, y
kinetic 1/2*(x'^2 + y'^2)
constraint rod: y = x
nonideal y = -0.5*reaction(rod)
friction brake: x', limit = 0.3
force x = 2
init x' = 1
output r = reaction(rod)
simulate 0 .. 1 every 0.5
"""
    result = evaluate(text)
    near(result["outputs"]["r"], 0.85, 1e-14)
    near(result["qdd"][0], (1.7 - 0.425) / 2, 1e-14)
    near(simulate(text)["qd"]["x"], 1 + (1.7 - 0.425) / 2, 1e-10)
    text = """
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 10*y
contact floor: y + x/2 >= 0, friction = 0.4, slip = x'
nonideal x = -0.1*reaction(floor)*x'
init x' = 1, y' = -0.5
output N = reaction(floor)
"""
    # x'' = N/2 - 0.4 N, y'' = N - 10, y'' + x''/2 = 0; the whole, with -0.1 N more, along (1, -1/2)
    N = 10 / (1 + 0.1 / 2)
    result = evaluate(text)
    near(result["outputs"]["N"], N, 1e-13)
    near(result["qdd"][0], (-0.4 * N - 0.1 * N + 10 / 2) / (1 + 1 / 4), 1e-13)


@case
def pieces_follow_what_contacts_do():
    # Two masses that a rod ties are pulled with 2 N, of which it bears 1 N; on the ground, by
    # whose friction 4 N hold back, -1 N. What that brakes loses 0.1 N, at once or after a fall.
    text = """
coord x, y, z, s, u
kinetic 1/2*(x'^2 + y'^2 + z'^2 + s'^2 + u'^2)
potential 10*z
constraint rod: y = x
force x = 2
contact floor: z >= 0, friction = 0.4, slip = x'
friction brake: s', limit = 0.1*abs(reaction(rod))
nonideal u = -0.1*if(reaction(rod) > 0, reaction(rod), -reaction(rod))
init x' = 3, s' = 1, u' = 1, z = {}
output r = reaction(rod)
simulate 0 .. 0.5 every 0.1
"""
    for height, speed in ((0, 2.5), (0.05, 3.1 - 0.2 - 0.4)):
        result = simulate(text.format(height))
        near(result["qd"]["x"], speed, 1e-9)
        near(result["outputs"]["r"], -1, 1e-9)
        near(result["qd"]["s"], 0.95, 1e-9)
        near(result["qd"]["u"], 0.95, 1e-9)


@case
def pieces_follow_an_impact_at_the_start():
    result = simulate("""
coord x
kinetic 1/2*x'^2
contact floor: x >= 0, restitution = 1
force x = -3*sign(x')
init x = 0, x' = -2
simulate 0 .. 0.5 every 0.1
""")
    near(result["qd"]["x"], 0.5, 1e-9)


PENDULUM = """
param g = 9.81
coord q
kinetic 1/2*q'^2
potential -g*cos(q)
init q = {}, q' = {}
simulate 0 .. {} every 0.05
output E = 1/2*q'^2 - g*cos(q)
"""
TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)


@case
def what_only_touches_the_floor_passes():
    # The lowest point of a pendulum reaches the floor, whose row vanishes there.
    text = PENDULUM.format(1.5, 1.3, 1) + "contact floor: 1 - cos(q) >= 0, restitution = 0.3\n"
    energy = 1.3**2 / 2 - 9.81 * cos(1.5)
    for tolerance in TOLERANCES:
        result = simulate(text, "--tolerance", tolerance)
        assert not result["incidents"], result["incidents"]
        near(result["outputs"]["E"], energy, 100 * tolerance)
        assert result["q"]["q"] < -1, result["q"]
    # It begins there.
    text = text.replace("init q = 1.5, q' = 1.3", "init q = 1e-9, q' = -4")
    for tolerance in TOLERANCES:
        result = simulate(text, "--tolerance", tolerance)
        assert not result["incidents"], result["incidents"]
        near(result["outputs"]["E"], 8 - 9.81, 100 * tolerance)


@case
def what_only_touches_the_floor_passes_on_a_rod():
    # The same in coordinates that a rod ties: the row is that of the rod there.
    for tolerance in TOLERANCES:
        result = simulate("""
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1
contact floor: y + 1 >= 0, restitution = 0.3
init x = 0.8, y = -0.6, x' = 0, y' = 0
simulate 0 .. 3 every 0.05
output E = 1/2*(x'^2 + y'^2) + 9.81*y
""", "--tolerance", tolerance)
        assert not result["incidents"], result["incidents"]
        near(result["outputs"]["E"], -9.81 * 0.6, 1000 * tolerance)


@case
def what_touches_the_floor_at_a_wall_rebounds_from_the_wall():
    # Of the energy above the bottom the wall leaves a quarter, and the floor takes none.
    text = PENDULUM.format(1, 0, 1) + """
contact floor: 1 - cos(q) >= 0, restitution = 0.3
contact wall: sin(q) >= 0, restitution = 0.5
"""
    for tolerance in TOLERANCES:
        result = simulate(text, "--tolerance", tolerance)
        assert [i["name"] for i in result["incidents"]] == ["wall"], result["incidents"]
        near(result["outputs"]["E"] + 9.81, 9.81 * (1 - cos(1)) / 4, 100 * tolerance)


@case
def what_enters_the_floor_by_more_than_the_tolerance_is_thrown_back():
    # A floor that is higher by 1e-7 than the lowest point leaves no way past it.
    text = PENDULUM.format(1, 0, 1) + "contact floor: 1 - cos(q) - 1e-7 >= 0, restitution = 0.5\n"
    for tolerance in (1e-9, 1e-10, 1e-11):
        result = simulate(text, "--tolerance", tolerance)
        assert len(times(result, "impact", "floor")) == 1, result["incidents"]
        near(result["outputs"]["E"] + 9.81, (9.81 * (1 - cos(1)) + 3 * 9.81e-7) / 4,
             100 * tolerance)


@case
def what_grazes_and_is_driven_on_is_hit():
    # A mass that a force would turn back at the wall; but the force turns at the same time.
    result = simulate("""
coord x
kinetic 1/2*x'^2
contact wall: x >= 0
force x = if(t < 1, 1, -1)
init x = 0.5, x' = -1
simulate 0 .. 3 every 0.1
output N = reaction(wall)
""")
    near(result["q"]["x"], 0, 1e-8)
    near(result["outputs"]["N"], 1, 1e-9)


if __name__ == "__main__":
    sys.exit(main())
