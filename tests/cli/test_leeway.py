#!/usr/bin/env python3
"""Equilibria under contacts and dry friction are ranges: test_leeway.py PROGRAM ROOT

Their ends are those of statics: friction at its limit, or a contact that would have to pull.
"""

import json
import math
import sys
import tempfile
from pathlib import Path

from model_lab import case, main, run


def equilibria(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.kal"
        model.write_text(text, encoding="utf-8")
        status, out, err = run("equilibria", model, *options)
        return status, out, err


def ranges(text, name, *options):
    """Pairs of the ends of one coordinate, in rising order; None where the search ended."""
    status, out, err = equilibria(text, "--json", *options)
    assert status == 0, (status, out, err)
    found = []
    for entry in json.loads(out)["ranges"]:
        ends = [None if end["goes_on"] else end["q"][name] for end in (entry["from"], entry["to"])]
        order = [entry["from"]["q"][name], entry["to"]["q"][name]]
        found.append((min(order), max(order), ends))
    return sorted(found)


def near(got, want, tolerance=1e-7):
    assert abs(got - want) <= tolerance*max(1, abs(want)), (got, want)


BLOCK = """
param m = 2, g = 9.81, k = 100, mu = 0.3
coord x, y
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y + 1/2*k*x^2
contact floor: y >= 0{law}
{more}
init x = 0.01, y = 0
"""


@case
def a_block_on_a_spring_rests_where_friction_holds_it():
    for law, mu in ((", friction = mu, slip = x'", 0.3),
                    (", friction = mu, slip = x', static = 0.5", 0.5)):
        (low, high, ends), = ranges(BLOCK.format(law=law, more=""), "x")
        near(low, -mu*2*9.81/100)
        near(high, mu*2*9.81/100)
        assert None not in ends


@case
def without_friction_there_is_one_state():
    (low, high, _), = ranges(BLOCK.format(law="", more=""), "x")
    near(low, 0)
    near(high, 0)


@case
def another_contact_ends_a_range():
    text = BLOCK.format(law=", friction = mu, slip = x'", more="contact stop: 0.03 - x >= 0")
    (low, high, ends), = ranges(text, "x")
    near(low, -0.05886)
    near(high, 0.03)
    assert None not in ends


LADDER = """
param L = 3, m = 10, g = 9.81
coord x, y, a [rad]
kinetic 1/2*m*(x'^2 + y'^2) + 1/24*m*L^2*a'^2
potential m*g*y
contact floor: y - L/2*sin(a) >= 0, friction = {mu}, slip = (x + L/2*cos(a))'
contact wall: x - L/2*cos(a) >= 0{wall}
contact top: y + L/2*sin(a) >= 0
init a = 1.2, x ~ 0.5, y ~ 1.3
"""


@case
def a_ladder_stands_above_its_angle():
    for mu, rough in ((0.4, 0), (0.4, 0.2)):
        wall = f", friction = {rough}, slip = (y + L/2*sin(a))'" if rough else ""
        (low, high, ends), = ranges(LADDER.format(mu=mu, wall=wall), "a")
        near(low, math.atan((1 - mu*rough)/(2*mu)))
        near(high, math.pi/2)
        assert None not in ends


PENDULUM = """
param m = 1, l = 0.5, g = 9.81
coord a [rad]
kinetic 1/2*m*l^2*a'^2
potential -m*g*l*cos(a)
friction bearing: a', limit = 1
init a = 0.1
"""


@case
def a_pendulum_with_a_dry_bearing_rests_below_and_above():
    hang = math.asin(1/(9.81*0.5))
    found = ranges(PENDULUM, "a")
    below = [entry for entry in found if None not in entry[2] and abs(entry[0]) < 1]
    near(below[0][0], -hang)
    near(below[0][1], hang)
    above = [entry for entry in found if entry not in below]
    assert above and all(abs(abs(low + high)/2 - math.pi) < 2*hang for low, high, _ in above), found
    for low, high, _ in above:  # about the top, as far as the search goes
        inner = high if low < 0 else low
        near(abs(inner), math.pi - hang)


@case
def a_block_on_a_slope_rests_everywhere_or_nowhere():
    slope = """
param g = 9.81, tilt = 20 [deg]
coord s, h
kinetic 1/2*(s'^2 + h'^2)
potential g*(h*cos(tilt) - s*sin(tilt))
contact plane: h >= 0, friction = {mu}, slip = s'
init s = 0, h = 0
"""
    (_, _, ends), = ranges(slope.format(mu=0.4), "s")
    assert ends == [None, None], ends
    assert not ranges(slope.format(mu=0.3), "s")


def lines(text, *options):
    """The ends of the coordinate of each way."""
    status, out, err = equilibria(text, "--json", *options)
    assert status == 0, (status, out, err)
    found = {}
    for entry in json.loads(out)["ranges"]:
        name = entry["along"]
        found[name] = sorted(entry[end]["q"][name] for end in ("from", "to"))
    return found


@case
def several_ways_have_a_range_each():
    # The set of rest is a disc of radius mu m g/k; lines through the start cut it in chords.
    text = """
    param m = 2, g = 9.81, k = 100, mu = 0.3
    coord x, y, z
    kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
    potential m*g*z + 1/2*k*(x^2 + y^2)
    contact floor: z >= 0, friction = mu, slip = [x', y']
    init x = 0.02, y = 0.03, z = 0
    """
    radius = 0.05886
    found = lines(text)
    assert sorted(found) == ["x", "y"], found
    for name, other in (("x", 0.03), ("y", 0.02)):
        near(found[name][0], -math.sqrt(radius**2 - other**2))
        near(found[name][1], math.sqrt(radius**2 - other**2))
    assert lines(text, "--at", "x = 0.1, y = 0.1, z = 0") == {}
    # Beside a ladder a box that does not know of it.
    text = LADDER.format(mu=0.4, wall="") + "coord s\nkinetic 1/2*s'^2\npotential 50*s^2\n" \
        "friction box: s', limit = 3\n"
    found = lines(text)
    near(found.pop("s")[1], 0.03)
    (ends,) = found.values()
    near(ends[0], 0)
    near(ends[1], 1.5*math.cos(math.atan(1/0.8)))


@case
def people_read_ranges_too():
    status, out, _ = equilibria(BLOCK.format(law="", more=""), "--at", "y = 1")
    assert status == 0 and "0 ranges" in out and "2 ways to move: x, y;" in out, out
    status, out, _ = equilibria(BLOCK.format(law=", friction = mu, slip = x'", more=""))
    assert status == 0 and "x from -0.05886 to 0.05886" in out and "closed: floor" in out, out
    status, out, _ = equilibria(LADDER.format(mu=0.4, wall=""), "--at", "a = 1.1")
    assert status == 0 and "floor, wall" in out, out


@case
def what_has_no_ranges_is_refused():
    for text, words in ((BLOCK.format(law="", more="force x = cos(t)"), "depend on time"),
                        (BLOCK.format(law="", more="nonideal x = cos(t)"), "depend on time")):
        status, _, err = equilibria(text)
        assert status == 1 and words in err, (status, err)
    status, _, err = equilibria(PENDULUM, "--steady")
    assert status == 2 and "--at" in err, (status, err)


if __name__ == "__main__":
    sys.exit(main())
