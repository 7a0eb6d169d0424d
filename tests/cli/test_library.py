#!/usr/bin/env python3
"""The parts of `use planar` and `use spatial` against mechanics: test_library.py PROGRAM ROOT

Small models around one component each, at states that satisfy the constraints, compared
with what a textbook has for the same thing.
"""

import json
import math
import sys
import tempfile
from math import cos, pi, sin
from pathlib import Path

from model_lab import (Text, body_spin_up, body_state, case, constrained, cross, dot, main, near,
                       near_matrix, pairs, plus, quaternion, quaternion_acceleration,
                       quaternion_product, random_states, rotation, run, scaled, solve, times,
                       transpose)

G = 9.81


def planar(text):
    return Text("use planar\n" + text)


def spatial(text):
    return Text("use spatial\n" + text)


def body(part, x, y, angle, *rates):
    """The state of a planar Body."""
    return pairs([f"{part}.{name}" for name in ("x", "y", "angle")], [x, y, angle],
                 list(rates) or [0.0, 0.0, 0.0])


def point(part, x, y, *rates):
    """The state of a planar Particle."""
    return pairs([f"{part}.x", f"{part}.y"], [x, y], list(rates) or [0.0, 0.0])


def turned(a, p):
    return [cos(a) * p[0] - sin(a) * p[1], sin(a) * p[0] + cos(a) * p[1]]


def left(p):
    return [-p[1], p[0]]


# The plane: frames

@case
def planar_particle_and_body_fall_freely():
    model = planar("""
        part stone = Particle(m = 2)
        output sx = stone.point([1, 2]).x, sy = stone.point([1, 2]).y
        part puck = Particle(m = 3, gravity = [0, 0])
        part stick = Body(m = 2, I = 0.5)
        output px = stick.point([1, 2]).x, py = stick.point([1, 2]).y
        output vx = (stick.point([1, 2])').x, vy = (stick.point([1, 2])').y
        output e = energy()
    """)
    now = model.at({**point("stone", 1.0, 2.0, 3.0, 4.0), **point("puck", 0.0, 0.0, 1.0, 1.0),
                          **body("stick", 0.5, 0.25, 0.7, 1.0, -1.0, 2.0)})
    near(now.answer["qdd"], [0, -G, 0, 0, 0, -G, 0])
    near_matrix(now.M, [[v if i == j else 0 for j in range(7)]
                        for i, v in enumerate([2, 2, 3, 3, 2, 2, 0.5])])
    near([now.outputs["sx"], now.outputs["sy"]], [2, 4])
    arm = turned(0.7, [1, 2])
    near([now.outputs["px"], now.outputs["py"]], plus([0.5, 0.25], arm))
    near([now.outputs["vx"], now.outputs["vy"]], plus([1, -1], left(arm), 2.0))
    near(now.outputs["e"], 25 + 2 * G * 2 + 3 + 2 + 0.25 * 4 + 2 * G * 0.25)


# The plane: joints

@case
def planar_pin_makes_a_compound_pendulum():
    m, inertia, d = 1.3, 0.4, 0.6
    model = planar("""
        part bar = Body(m = 1.3, I = 0.4)
        part pin = Pin(b = bar, at_a = [0.2, 0.1], at_b = [-0.6, 0])
        output angle = pin.angle, rate = pin.rate
    """)
    for chance in random_states(1):
        a, w = chance.uniform(-3, 3), chance.uniform(-4, 4)
        arm = [d * cos(a), d * sin(a)]
        now = model.at(body("bar", 0.2 + arm[0], 0.1 + arm[1], a, -w * arm[1], w * arm[0], w))
        second = -m * G * d * cos(a) / (inertia + m * d**2)
        near(now.qdd["bar.angle"], second)
        center = plus(scaled(second, left(arm)), arm, -w**2)
        near(now.accelerations("bar.x", "bar.y"), center)
        near([now.multipliers["pin.point.x"], now.multipliers["pin.point.y"]],
             scaled(m, plus(center, [0, G])))
        near([now.outputs["angle"], now.outputs["rate"]], [a, w])


@case
def planar_pins_make_a_double_pendulum():
    """Two bars against the textbook's equations in absolute angles from the vertical."""
    m, L = (1.0, 0.7), (0.8, 0.5)
    model = planar("""
        part one = Body(m = 1, I = 0.8^2/12)
        part two = Body(m = 0.7, I = 0.7*0.5^2/12)
        part top = Pin(b = one, at_b = [-0.4, 0])
        part mid = Pin(a = one, b = two, at_a = [0.4, 0], at_b = [-0.25, 0])
    """)
    for chance in random_states(2):
        a, b, wa, wb = (chance.uniform(-3, 3) for _ in range(4))
        ea, eb = [cos(a), sin(a)], [cos(b), sin(b)]
        r1, v1 = scaled(L[0] / 2, ea), scaled(wa * L[0] / 2, left(ea))
        r2 = plus(scaled(L[0], ea), eb, L[1] / 2)
        v2 = plus(scaled(wa * L[0], left(ea)), left(eb), wb * L[1] / 2)
        now = model.at({**body("one", *r1, a, *v1, wa), **body("two", *r2, b, *v2, wb)})
        couple = m[1] * L[0] * L[1] / 2
        M = [[m[0] * L[0]**2 / 3 + m[1] * L[0]**2, couple * cos(a - b)],
             [couple * cos(a - b), m[1] * L[1]**2 / 3]]
        Q = [-couple * sin(a - b) * wb**2 - (m[0] / 2 + m[1]) * G * L[0] * cos(a),
             couple * sin(a - b) * wa**2 - m[1] * G * L[1] / 2 * cos(b)]
        near(now.accelerations("one.angle", "two.angle"), solve(M, Q), 1e-11)


@case
def planar_weld_makes_one_body_of_two():
    """Welded bars on a pin are a compound pendulum about it."""
    model = planar("""
        part one = Body(m = 1, I = 0.1)
        part two = Body(m = 2, I = 0.3)
        part pin = Pin(b = one)
        part weld = Weld(a = one, b = two, at_a = [0.5, 0], at_b = [0, 0.2], turned = 0.8)
    """)
    for a, w in ((0.4, 1.5), (-2.0, 0.0)):
        # The second center in axes of the first: [0.5, 0] - R(0.8) [0, 0.2].
        offset = plus([0.5, 0], turned(0.8, [0, 0.2]), -1.0)
        arm = turned(a, offset)
        now = model.at({**body("one", 0.0, 0.0, a, 0.0, 0.0, w),
                              **body("two", *arm, a + 0.8, *scaled(w, left(arm)), w)})
        second = -2 * G * arm[0] / (0.1 + 0.3 + 2 * dot(arm, arm))
        near(now.accelerations("one.angle", "two.angle"), [second, second])
        center = plus(scaled(second, left(arm)), arm, -w**2)
        near([now.multipliers["weld.point.x"], now.multipliers["weld.point.y"]],
             scaled(2, plus(center, [0, G])))
        assert now.rank["A"] == 5, now.rank
        # Torque on the second body about its center: I2 w' = twist + moment of the force.
        reach = turned(a + 0.8, [0, 0.2])
        force = scaled(2, plus(center, [0, G]))
        near(now.multipliers["weld.twist"], 0.3 * second - dot(left(reach), force), 1e-12, 20)


@case
def planar_slider_slides_and_carries_its_load():
    m, slope = 2.0, 0.5
    axis = [cos(slope), -sin(slope)]
    model = planar("""
        let slope = 0.5
        part block = Body(m = 2, I = 0.1)
        part rail = Slider(b = block, at_a = [0, 1], at_b = [0.3, 0.2],
                           axis = [2*cos(slope), -2*sin(slope)], turned = 0.25)
        part push = Motor(joint = rail, torque = 3, damping = 0.5)
        output travel = rail.travel, rate = rail.rate
    """)
    for s, v in ((0.0, 0.0), (1.1, -2.0)):
        spot = plus(plus([0, 1], axis, s), turned(0.25, [0.3, 0.2]), -1.0)
        now = model.at(body("block", *spot, 0.25, *scaled(v, axis), 0.0))
        along = G * sin(slope) + (3 - 0.5 * v) / m
        near(now.answer["qdd"], [*scaled(along, axis), 0])
        near([now.outputs["travel"], now.outputs["rate"]], [s, v], 1e-12, 1)
        normal = m * G * cos(slope)
        near(now.multipliers["rail.across"], normal)
        # Moments about the center: the normal force and the push act at the point at_b.
        arm = turned(0.25, [0.3, 0.2])
        force = plus(scaled(normal, left(axis)), axis, 3 - 0.5 * v)
        near(now.multipliers["rail.twist"], -dot(left(arm), force), 1e-12, 20)


@case
def planar_slider_turns_with_its_rail():
    """A block in a slot of a turning bar: Coriolis and centrifugal terms, both ways."""
    model = planar("""
        part bar = Body(m = 1, I = 0.9, gravity = [0, 0])
        part block = Body(m = 2, I = 0.1, gravity = [0, 0])
        part hub = Pin(b = bar)
        part rail = Slider(a = bar, b = block, at_a = [0, 0.3], turned = 0.4)
    """)
    for a, s, w, v in ((0.3, 0.5, 2.0, 0.0), (-1.1, 0.8, -1.5, 0.7)):
        place = turned(a, [s, 0.3])
        velocity = plus(scaled(w, left(place)), turned(a, [v, 0]))
        now = model.at({**body("bar", 0.0, 0.0, a, 0.0, 0.0, w),
                              **body("block", *place, a + 0.4, *velocity, w)})
        # T = (1 + 2 (s^2 + 0.09)) w^2/2 - 0.6 w v + v^2
        M = [[1 + 2 * (s**2 + 0.09), -0.6], [-0.6, 2]]
        wd, vd = solve(M, [-4 * s * v * w, 2 * s * w**2])
        near(now.accelerations("bar.angle", "block.angle"), [wd, wd])
        near(plus(now.accelerations("block.x", "block.y"), scaled(wd, left(place)), -1.0),
             plus(plus(turned(a, [vd, 0]), place, -w**2), turned(a, [0, 2 * v * w])), 1e-12, 5)


@case
def planar_slot_throws_a_bead_off_a_turning_wire():
    m, w = 0.4, 3.0
    model = planar("""
        part wire = Ground(turn = 3*t)
        part bead = Particle(m = 0.4)
        part slot = Slot(a = wire, b = bead, at_a = [0.12, 0.16], axis = [3, 4])
        output travel = slot.travel, rate = slot.rate
    """)
    for t, s, v in ((0.0, 0.5, 0.0), (0.3, 0.8, -1.2), (1.0, -0.4, 2.0)):
        along, normal = turned(w * t, [0.6, 0.8]), turned(w * t, [-0.8, 0.6])
        state = point("bead", *scaled(s, along), *plus(scaled(v, along), normal, s * w))
        now = model.at({"t": t, **state})
        second = s * w**2 - G * along[1]
        near(now.answer["qdd"], plus(scaled(second - s * w**2, along), normal, 2 * v * w), 1e-12,
             G)
        near(now.multipliers["slot.across"], m * (2 * v * w + G * normal[1]))
        near([now.outputs["travel"], now.outputs["rate"]], [s - 0.2, v], 1e-12, 1)


@case
def planar_rod_has_its_tension():
    m, L = 0.7, 1.5
    model = planar("""
        part bob = Particle(m = 0.7)
        part rod = Rod(b = bob, at_a = [1, 0], length = 1.5)
    """)
    for a, w in ((0.3, 0.0), (2.0, 3.0)):
        e = [sin(a), -cos(a)]
        now = model.at(point("bob", *plus([1, 0], e, L), *scaled(w * L, left(e))))
        near(now.multipliers["rod.stretch"], -m * L * w**2 - m * G * cos(a))
        near(now.answer["qdd"], plus(scaled(-G * sin(a), left(e)), e, -L * w**2))


@case
def planar_wheel_rolls_on_a_cart():
    """A solid wheel on a cart that is pushed: the wheel gets a third of its acceleration."""
    m, M, R, F = 1.5, 4.0, 0.3, 6.0
    model = planar("""
        part cart = Body(m = 4, I = 1)
        part wheel = Body(m = 1.5, I = 1.5*0.3^2/2)
        part rail = Slider(b = cart)
        part roll = RollingWheel(a = cart, b = wheel, radius = 0.3, at_a = [0, 0.2])
        part push = Motor(joint = rail, torque = 6)
    """)
    now = model.at({**body("cart", 0.4, 0.0, 0.0, 1.0, 0.0, 0.0),
                          **body("wheel", 0.1, 0.5, 0.0, 2.5, 0.0, -1.5 / R)})
    A = F / (M + m / 3)
    near(now.answer["qdd"], [A, 0, 0, A / 3, 0, 2 * A / 3 / R])
    near([now.multipliers["roll.touch"], now.multipliers["roll.slip"]], [m * G, m * A / 3])


@case
def planar_wheel_rolls_on_a_seesaw():
    """A wheel on a turning beam: against coordinates (beam angle, distance)."""
    m, R, Ib, mb, hub = 1.5, 0.3, 2.0, 3.0, [0.5, 0.1]
    Iw, H = m * R**2 / 2, 0.4 + R # the road is 0.4 above the pivot, the center R above it
    model = planar("""
        part beam = Body(m = 3, I = 2)
        part wheel = Body(m = 1.5, I = 1.5*0.3^2/2)
        part pivot = Pin(b = beam, at_a = [0.5, 0.1], at_b = [0, -0.2])
        part roll = RollingWheel(a = beam, b = wheel, radius = 0.3, at_a = [0.7, 0.2])
    """)
    for a, s, w, v in ((0.2, 0.5, 0.0, 0.0), (0.6, -0.4, 1.3, -0.8)):
        along, normal = turned(a, [1, 0]), turned(a, [0, 1])
        center, place = scaled(0.2, normal), plus(scaled(s, along), normal, H) # from the pivot
        # Against the beam the wheel turns by -v/R.
        velocity = plus(scaled(w, left(place)), along, v)
        now = model.at({**body("beam", *plus(hub, center), a, *scaled(w, left(center)), w),
                        **body("wheel", *plus(hub, place), 0.0, *velocity, w - v / R)})
        # T = (Ib + mb 0.2^2 + m (s^2 + H^2)) w^2/2 - m H w v + m v^2/2 + Iw (w - v/R)^2/2
        couple = -m * H - Iw / R
        M = [[Ib + mb * 0.04 + m * (s**2 + H**2) + Iw, couple], [couple, m + Iw / R**2]]
        Q = [-2 * m * s * v * w - m * G * (s * cos(a) - H * sin(a)) + mb * G * 0.2 * sin(a),
             m * s * w**2 - m * G * sin(a)]
        wd, vd = solve(M, Q)
        near(now.accelerations("beam.angle", "wheel.angle"), [wd, wd - vd / R], 1e-11)


@case
def planar_knife_edge_holds_sideways():
    m, inertia, spot, axis = 1.7, 0.3, [-0.25, 0.1], [0.6, 0.8]
    model = planar("""
        part sled = Body(m = 1.7, I = 0.3, gravity = [0, 0])
        part edge = KnifeEdge(b = sled, at = [-0.25, 0.1], axis = [3, 4])
    """)
    for a, u, w in ((0.4, 1.2, 0.9), (-1.0, -0.6, 2.0)):
        # The blade moves along itself at speed u.
        along, arm = turned(a, axis), turned(a, spot)
        velocity = plus(scaled(u, along), left(arm), -w)
        now = model.at(body("sled", 0.0, 0.0, a, *velocity, w))
        # With n to the left of the blade, n.(v + w left(arm)) = 0 and its derivative.
        n = left(along)
        row, right = [*n, dot(n, left(arm))], w * u + w**2 * dot(n, arm)
        near_matrix(now.A, [row])
        near(now.b, [right])
        M = [[m, 0, 0], [0, m, 0], [0, 0, inertia]]
        want, multipliers = constrained(M, [0, 0, 0], [row], [right])
        near(now.answer["qdd"], want)
        near([now.multipliers["edge.skid"]], multipliers)


@case
def planar_gears_share_torque():
    model = planar("""
        part one = Body(m = 1, I = 0.02, gravity = [0, 0])
        part two = Body(m = 1, I = 0.07, gravity = [0, 0])
        part pin1 = Pin(b = one)
        part pin2 = Pin(b = two, at_a = [0.3, 0])
        part mesh = Gear(a = one, b = two, radius_a = 0.1, radius_b = 0.2)
        part drive = Motor(joint = pin1, torque = 0.5)
    """)
    now = model.at({**body("one", 0.0, 0.0, 0.8, 0.0, 0.0, 2.0),
                          **body("two", 0.3, 0.0, -0.4, 0.0, 0.0, -1.0)})
    second = 0.5 / (0.02 + 0.07 / 4)
    near(now.accelerations("one.angle", "two.angle"), [second, -second / 2])
    near(now.multipliers["mesh.mesh"], (0.02 * second - 0.5) / 0.1)


@case
def planar_belts_turn_pulleys_alike():
    for radius, sign in ((0.2, 1), (-0.2, -1)):
        model = planar(f"""
            part one = Body(m = 1, I = 0.02, gravity = [0, 0])
            part two = Body(m = 1, I = 0.07, gravity = [0, 0])
            part pin1 = Pin(b = one)
            part pin2 = Pin(b = two, at_a = [0.5, 0])
            part belt = Belt(a = one, b = two, radius_a = 0.1, radius_b = {radius})
            part drive = Motor(joint = pin1, torque = 0.5)
        """)
        now = model.at({**body("one", 0.0, 0.0, 0.8, 0.0, 0.0, 2.0),
                        **body("two", 0.5, 0.0, sign*0.4, 0.0, 0.0, sign*1.0)})
        first = 0.5/(0.02 + 0.07/4)
        near(now.accelerations("one.angle", "two.angle"), [first, sign*first/2])
        near(now.multipliers["belt.grip"], 0.07*sign*first/2/radius)


@case
def planar_clutches_lock_up():
    """Two flywheels: they slip for w/(T (1/I + 1/J)) and then turn as one."""
    text = ("use planar\npart one = Body(m = 1, I = 0.2, gravity = [0, 0])\n"
            "part two = Body(m = 1, I = 0.3, gravity = [0, 0])\n"
            "part pin1 = Pin(b = one)\npart pin2 = Pin(b = two)\n"
            "part clutch = Clutch(a = one, b = two, torque = 0.6)\n"
            "init one.angle' = 10\nsimulate 0 .. 5 every 0.5\n"
            "output torque = friction(clutch.grip)\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text(text)
        status, out, err = run("run", path, "--json", "-q")
        assert status == 0, err
        answer = json.loads(out)
    near([answer["qd"]["one.angle"], answer["qd"]["two.angle"]], [4, 4], 1e-8)
    near(answer["outputs"]["torque"], 0, 1e-8, 1.0)
    locked = [i["t"] for i in answer["incidents"] if i["what"] == "sticks"]
    near(locked, [10/(0.6*(1/0.2 + 1/0.3))], 1e-8)


@case
def planar_cams_push_by_the_second_derivative_of_their_profile():
    count, height, speed = 200, 0.01, 30.0
    angles = [2*pi*i/count for i in range(count + 1)]
    lifts = [height*(1 - cos(a)) for a in angles[:-1]] + [0.0]
    model = planar(f"""
        part shaft = Body(m = 1, I = 0.5, gravity = [0, 0])
        part bearing = Pin(b = shaft)
        part valve = Particle(m = 0.2)
        part guide = Slot(b = valve, axis = [0, 1])
        part cam = Cam(cam = shaft, guide = guide, angles = {angles!r}, lifts = {lifts!r})
    """)
    for angle in (0.3, 2.0, 4.5, 7.9):
        ds, dds = height*sin(angle), height*cos(angle)
        start = f"init shaft.angle = {angle!r}, shaft.angle' = {speed!r}\n"
        now = Text(model.text + start).evaluate()
        # I a'' = -N s', m (s'' w^2 + s' a'') = N - m g.
        turn = -ds*0.2*(dds*speed**2 + 9.81)/(0.5 + 0.2*ds**2)
        push = 0.2*(dds*speed**2 + ds*turn + 9.81)
        near(now.accelerations("shaft.angle")[0]/turn, 1, 1e-3)
        near(now.multipliers["cam.lift"]/push, 1, 1e-3)


# Contacts

def motion(text, *options):
    """The end of a run, and when what was told of it happened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text(text)
        status, out, err = run("run", path, "--json", "-q", *options)
        assert status == 0, (out[:500], err[:500])
        answer = json.loads(out)
    told = {}
    for incident in answer["incidents"]:
        told.setdefault((incident["what"], incident["name"]), []).append(incident["t"])
    return answer, told


@case
def planar_floors_bounce_and_rub_even_while_they_move():
    """A stone on a ramp that moves away under it: seen from the ramp gravity differs."""
    tilt, lift, mu, e = 0.3, 2.0, 0.2, 0.5
    answer, told = motion(f"""
        use planar
        part ramp = Ground(at = [0, 1/2*{lift}*t^2], turn = {tilt})
        part stone = Particle(m = 2)
        part floor = Floor(a = ramp, b = stone, restitution = {e}, friction = {mu})
        let up = [-sin({tilt}), cos({tilt})], along = [cos({tilt}), sin({tilt})]
        init stone.x = {sin(-tilt)!r}, stone.y = {cos(tilt)!r}
        simulate 0 .. 3 every 0.1
        output N = reaction(floor.touch), F = friction(floor.touch), slip = floor.slip
    """)
    weight = 9.81 + lift
    fall = math.sqrt(2 / (weight * cos(tilt)))
    near(told["impact", "floor.touch"][0], fall, 1e-8)
    near(told["closes", "floor.touch"][0], fall * (1 + 2 * e / (1 - e)), 1e-8)
    near(answer["outputs"]["N"], 2 * weight * cos(tilt), 1e-8)
    near(answer["outputs"]["F"], 2 * mu * weight * cos(tilt), 1e-8)
    # Impulses of the impacts rub as the steady force does: all in all mu N t.
    slides = -weight * (sin(tilt) * 3 - mu * cos(tilt) * 3)
    near(answer["outputs"]["slip"], slides, 1e-8)


@case
def planar_wheels_slip_until_they_roll():
    """A disc of inertia 1/2 m r^2 that slides begins to roll at v/(3 mu g), with 2/3 v."""
    answer, told = motion("""
        use planar
        part disc = Body(m = 2, I = 1/2*2*0.3^2)
        part road = Wheel(b = disc, radius = 0.3, friction = 0.2)
        init disc.y = 0.3, disc.x' = 3
        simulate 0 .. 1 every 0.1
    """)
    near(told["sticks", "road.touch"], [3 / (3 * 0.2 * 9.81)], 1e-8)
    near([answer["qd"]["disc.x"], answer["qd"]["disc.angle"]], [2, -2 / 0.3], 1e-8)


@case
def planar_stops_throw_back():
    """A rod on a pin meets its stops with the speed of its fall, and rests on one."""
    answer, told = motion("""
        use planar
        part rod = Body(m = 2, I = 2*0.6^2/12)
        part pin = Pin(b = rod, at_b = [-0.3, 0])
        part stop = Stop(at = pin.angle, from = -1, to = 1, restitution = 0.5)
        init rod.angle = 0.5
        simulate 0 .. 3 every 0.1
        output torque = reaction(stop.low)
    """)
    speed = math.sqrt(3 * 9.81 / 0.6 * (sin(0.5) + sin(1)))
    inertia = 2 * 0.6**2 / 3
    near(answer["energy"]["lost"], inertia * speed**2 / 2, 1e-8)
    near(answer["q"]["rod.angle"], -1, 1e-9)
    near(answer["outputs"]["torque"], 2 * 9.81 * 0.3 * cos(1), 1e-8)
    assert ("impact", "stop.high") not in told, told


@case
def spatial_spheres_slide_and_roll_on_a_slope():
    """Thrown across a slope: 7/2 mu g cos a of the slip is lost a second, and then it rolls."""
    mu, speed = 0.4, 2.0
    answer, told = motion(f"""
        use spatial
        part ball = Body(m = 2, I = [0.072, 0.072, 0.072])
        part plane = Sphere(b = ball, radius = 0.3, friction = {mu})
        init ball.z = 0.3, ball.x' = {speed * 0.6}, ball.y' = {speed * 0.8}
        simulate 0 .. 1 every 0.1
    """, "--tolerance", "1e-11")
    # A slip of two numbers has no direction where it ends, which costs digits of its time.
    near(told["sticks", "plane.touch"], [2 * speed / (7 * mu * 9.81)], 1e-9)
    near([answer["qd"]["ball.x"], answer["qd"]["ball.y"]],
         [5 / 7 * speed * 0.6, 5 / 7 * speed * 0.8], 1e-8)
    # From rest on a slope, with friction enough: 5/7 g sin a.
    answer, _ = motion("""
        use spatial
        part ball = Body(m = 2, I = [0.072, 0.072, 0.072])
        part plane = Sphere(b = ball, radius = 0.3, friction = 0.4, axis_a = [sin(0.4), 0, cos(0.4)])
        init ball.x = 0.3*sin(0.4), ball.z = 0.3*cos(0.4)
        simulate 0 .. 1 every 0.1
    """)
    near([answer["qd"]["ball.x"], answer["qd"]["ball.z"]],
         [5 / 7 * 9.81 * sin(0.4) * cos(0.4), -5 / 7 * 9.81 * sin(0.4)**2], 1e-8)


@case
def spatial_feet_slide_and_stop():
    """A stool on three feet, pushed: it stops after v/(mu g), without turning."""
    mu, v = 0.3, 1.5
    answer, told = motion(f"""
        use spatial
        part stool = Body(m = 2, I = [0.09, 0.05, 0.05])
        part a = Foot(b = stool, at_b = [0.3, 0, -0.1], friction = {mu})
        part b = Foot(b = stool, at_b = [-0.15, 0.25, -0.1], friction = {mu})
        part c = Foot(b = stool, at_b = [-0.15, -0.25, -0.1], friction = {mu})
        init stool.z = 0.1, stool.x' = {0.8 * v}, stool.y' = {0.6 * v}
        simulate 0 .. 1 every 0.1
        output N = reaction(a.touch) + reaction(b.touch) + reaction(c.touch)
    """)
    stop = v / (mu * 9.81)
    for foot in "abc":
        near(told["sticks", f"{foot}.touch"], [stop], 1e-7)
    near([answer["q"]["stool.x"], answer["q"]["stool.y"]],
         [0.8 * v * stop / 2, 0.6 * v * stop / 2], 1e-7)
    near(answer["outputs"]["N"], 2 * 9.81, 1e-8)


@case
def spatial_bearings_stop_by_their_load():
    """A rotor on a level axle: mu r m g, and what the seals take."""
    torque = 0.1 * 0.02 * 2 * 9.81 + 0.01
    answer, told = motion("""
        use spatial
        part rotor = Body(m = 2, I = [0.09, 0.05, 0.05], spin = [3, 0, 0])
        part hinge = Revolute(b = rotor, axis_a = [1, 0, 0], axis_b = [1, 0, 0])
        part bearing = Bearing(joint = hinge, radius = 0.02, friction = 0.1, drag = 0.01)
        simulate 0 .. 10 every 0.1
        output load = bearing.load
    """)
    near(told["sticks", "bearing.grip"], [0.09 * 3 / torque], 1e-7)
    near(answer["outputs"]["load"], 2 * 9.81, 1e-8)


# The plane: forces

@case
def planar_springs_and_dampers_pull():
    model = planar("""
        part one = Body(m = 1, I = 0.2, gravity = [0, 0])
        part two = Body(m = 2, I = 0.3, gravity = [0, 0])
        part coil = Spring(a = one, b = two, at_a = [0.3, 0.1], at_b = [-0.2, 0.4], k = 50,
                           length = 0.7)
        part dash = Damper(a = one, b = two, at_a = [0.3, 0.1], at_b = [-0.2, 0.4], c = 4)
        output stretch = coil.stretch, rate = dash.rate
    """)
    for chance in random_states(10):
        r1, r2, v1, v2 = ([chance.uniform(-2, 2), chance.uniform(-2, 2)] for _ in range(4))
        a1, a2, w1, w2 = (chance.uniform(-3, 3) for _ in range(4))
        arm1, arm2 = turned(a1, [0.3, 0.1]), turned(a2, [-0.2, 0.4])
        d = plus(plus(r2, arm2), plus(r1, arm1), -1.0)
        v = plus(plus(v2, left(arm2), w2), plus(v1, left(arm1), w1), -1.0)
        size = math.hypot(*d)
        rate = dot(d, v) / size
        force = scaled(-(50 * (size - 0.7) + 4 * rate) / size, d) # on two
        now = model.at({**body("one", *r1, a1, *v1, w1), **body("two", *r2, a2, *v2, w2)})
        near(now.answer["Q"], [*scaled(-1.0, force), -dot(left(arm1), force), *force,
                               dot(left(arm2), force)])
        near([now.outputs["stretch"], now.outputs["rate"]], [size - 0.7, rate])


@case
def planar_bushing_and_torsion_spring_pull():
    model = planar("""
        part bar = Body(m = 1, I = 0.2, gravity = [0, 0])
        part mount = Bushing(b = bar, at_a = [0.1, 0], at_b = [0.3, 0], k = 20, c = 3)
        part arm = Body(m = 1, I = 0.2, gravity = [0, 0])
        part pin = Pin(a = bar, b = arm)
        part twist = TorsionSpring(joint = pin, k = 7, rest = 0.2)
        part rub = TorsionDamper(joint = pin, c = 0.6)
        part motor = Motor(joint = pin, torque = 2*sin(t), damping = 0.1)
    """)
    for chance in random_states(11):
        r, v = [chance.uniform(-1, 1), chance.uniform(-1, 1)], [chance.uniform(-1, 1), 0.4]
        a, b, wa, wb = (chance.uniform(-2, 2) for _ in range(4))
        arm = turned(a, [0.3, 0])
        d, speed = plus(plus(r, arm), [0.1, 0], -1.0), plus(v, left(arm), wa)
        force = plus(scaled(-20.0, d), speed, -3.0)
        torque = -7 * (b - a - 0.2) - 0.7 * (wb - wa) + 2 * sin(1.3)
        now = model.at({"t": 1.3, **body("bar", *r, a, *v, wa), **body("arm", *r, b, *v, wb)})
        near(now.answer["Q"], [*force, dot(left(arm), force) - torque, 0, 0, torque])


# Space: frames

@case
def spatial_body_obeys_eulers_equations():
    inertia = [[1.0, 0.12, -0.2], [0.12, 2.0, 0.1], [-0.2, 0.1, 2.5]]
    model = spatial("""
        part sat = Body(m = 3, I = [1, 2, 2.5], products = [0.1, -0.2, 0.12])
        output wx = sat.w.x, wy = sat.w.y, wz = sat.w.z
        output ox = sat.omega.x, oy = sat.omega.y, oz = sat.omega.z
        output px = sat.point([0.1, 0.2, 0.3]).x, py = sat.point([0.1, 0.2, 0.3]).y
        output vz = (sat.point([0.1, 0.2, 0.3])').z
        output e = energy()
    """)
    for chance in random_states(20, 6):
        e = quaternion([chance.gauss(0, 1) for _ in range(3)], chance.uniform(0, 6))
        w = [chance.gauss(0, 2) for _ in range(3)]
        r, v = [chance.gauss(0, 1) for _ in range(3)], [chance.gauss(0, 1) for _ in range(3)]
        now = model.at(body_state("sat", r, e, v, w))
        want = solve(inertia, scaled(-1.0, cross(w, times(inertia, w))))
        near(body_spin_up(now, "sat", e), want, 1e-11)
        near(now.accelerations("sat.x", "sat.y", "sat.z"), [0, 0, -G])
        near(now.accelerations(*(f"sat.e{k}" for k in range(4))),
             quaternion_acceleration(e, w, want), 1e-11)
        near([now.outputs[f"w{c}"] for c in "xyz"], w)
        R = rotation(e)
        omega = times(R, w)
        near([now.outputs[f"o{c}"] for c in "xyz"], omega)
        arm = times(R, [0.1, 0.2, 0.3])
        near([now.outputs["px"], now.outputs["py"]], plus(r, arm)[:2])
        near(now.outputs["vz"], plus(v, cross(omega, arm))[2], 1e-12, 5)
        near(now.outputs["e"], 1.5 * dot(v, v) + 0.5 * dot(w, times(inertia, w)) + 3 * G * r[2])
        assert now.rank == {"M": 6, "A": 1, "Mhat": 7} and now.answer["unique"], now.rank


@case
def spatial_body_starts_as_it_is_told():
    model = spatial("""
        part a = Body(m = 1, I = [1, 2, 3], turn = quaternion([1, 2, 2], 0.8), spin = [1, -2, 0.5])
        output wx = a.w.x, wy = a.w.y, wz = a.w.z
    """)
    now = model.evaluate()
    near([now.q[f"a.e{k}"] for k in range(4)], quaternion([1, 2, 2], 0.8))
    near([now.outputs[f"w{c}"] for c in "xyz"], [1, -2, 0.5])
    # What the model says itself takes the place of what the part says.
    now = Text(model.text + "\ninit a.e0 = 0.6, a.e1 ~ 0.8, a.e2 = 0, a.e3 = 0").evaluate()
    near([now.q[f"a.e{k}"] for k in range(4)], [0.6, 0.8, 0, 0])


def trial(text):
    """Whether the parts can start as they are told: the status and the JSON of `check`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text("use spatial\n" + text)
        status, out, _ = run("check", path, "--json")
    return status, json.loads(out)


@case
def spatial_body_holds_what_is_given():
    """`=` holds to the last digit or is refused by name; `~` moves."""
    made = "part b = Body(m = 1, I = [1, 2, 3], {})"
    status, answer = trial(made.format("turn = [2, -2, 2, 2]"))
    assert status == 0
    near([answer["start"]["q"][f"b.e{k}"] for k in range(4)], [0.5, -0.5, 0.5, 0.5], 1e-16)
    hinge = "\npart j = Revolute(b = b)"
    status, answer = trial(made.format("turn = [1, 0.1, 0, 0]") + hinge)
    assert status == 1 and "j.axis.y" in answer["error"]["names"], answer
    status, answer = trial(made.format("spin = [1, 0, 3]") + hinge)
    assert status == 1 and "j.axis.y" in answer["error"]["names"], answer
    status, answer = trial(made.format("spin ~ [1, 0, 3]") + hinge)
    assert status == 0
    near([answer["start"]["qd"][f"b.e{k}"] for k in range(4)], [0, 0, 0, 1.5])
    # The spin holds in axes of the body wherever a guess of its turn moves to.
    now = spatial(made.format("spin = [0, 0, 3], turn ~ [1, 0.1, 0, 0]") + """
        part j = Revolute(b = b, axis_a = [1, 2, 2])
        output wx = b.w.x, wy = b.w.y, wz = b.w.z
    """).evaluate()
    near([now.outputs[f"w{c}"] for c in "xyz"], [0, 0, 3])


@case
def spatial_particle_hangs_on_a_rod():
    m, L = 0.6, 1.4
    model = spatial("""
        part bob = Particle(m = 0.6)
        output x = bob.point([0.5, 0, 0]).x
        part rod = Distance(b = bob, at_a = [0, 0, 2], length = 1.4)
    """)
    for chance in random_states(21):
        a, b, wa, wb = (chance.uniform(-2, 2) for _ in range(4))
        e = [sin(a) * cos(b), sin(a) * sin(b), -cos(a)]
        ed = [cos(a) * cos(b) * wa - sin(a) * sin(b) * wb,
              cos(a) * sin(b) * wa + sin(a) * cos(b) * wb, sin(a) * wa]
        now = model.at(pairs(["bob.x", "bob.y", "bob.z"], plus([0, 0, 2], e, L),
                                   scaled(L, ed)))
        near(now.outputs["x"], L * e[0] + 0.5)
        tension = m * L * dot(ed, ed) + m * G * cos(a)
        near(now.multipliers["rod.stretch"], -tension)
        near(now.answer["qdd"], plus([0, 0, -G], e, -tension / m))


# Space: joints

@case
def spatial_ball_makes_a_spherical_pendulum():
    """Euler's equations about the fixed point, with the moment of gravity."""
    m, inertia, arm = 2.0, [0.3, 0.4, 0.5], [0.1, -0.2, -0.6]
    model = spatial("""
        part rock = Body(m = 2, I = [0.3, 0.4, 0.5])
        part ball = Ball(b = rock, at_a = [1, 0, 0], at_b = [-0.1, 0.2, 0.6])
    """)
    about = [[(inertia[i] + m * dot(arm, arm) if i == j else 0.0) - m * arm[i] * arm[j]
              for j in range(3)] for i in range(3)]
    for chance in random_states(22):
        e = quaternion([chance.gauss(0, 1) for _ in range(3)], chance.uniform(0, 6))
        w = [chance.gauss(0, 2) for _ in range(3)]
        R = rotation(e)
        reach, omega = times(R, arm), times(R, w)
        now = model.at(body_state("rock", plus([1, 0, 0], reach), e, cross(omega, reach), w))
        weight = times(transpose(R), [0, 0, -m * G])
        moment = plus(cross(arm, weight), cross(w, times(about, w)), -1.0)
        want = solve(about, moment)
        near(body_spin_up(now, "rock", e), want, 1e-11)
        spin = times(R, want)
        center = plus(cross(spin, reach), cross(omega, cross(omega, reach)))
        near([now.multipliers[f"ball.point.{c}"] for c in "xyz"],
             scaled(m, plus(center, [0, 0, G])), 1e-11)


def hinge_frames(axis_a, axis_b, angle):
    """The quaternion that puts axis_b on axis_a, turned by an angle about it."""
    a = scaled(1 / math.sqrt(dot(axis_a, axis_a)), axis_a)
    b = scaled(1 / math.sqrt(dot(axis_b, axis_b)), axis_b)
    between = cross(b, a)
    size = math.sqrt(dot(between, between))
    onto = [1.0, 0, 0, 0] if size < 1e-9 else quaternion(between, math.atan2(size, dot(a, b)))
    return quaternion_product(quaternion(a, angle), onto)


def normals(u):
    """Two directions that make a right-handed frame with the direction u."""
    s = -1.0 if u[2] < 0 else 1.0
    return ([1 - s * u[0]**2 / (s + u[2]), -s * u[0] * u[1] / (s + u[2]), -s * u[0]],
            [-u[0] * u[1] / (s + u[2]), s - u[1]**2 / (s + u[2]), -u[1]])


@case
def spatial_revolute_makes_a_compound_pendulum():
    """Any axes: theta'' = moment about the axis/inertia about it."""
    m, inertia, arm = 1.2, [0.2, 0.35, 0.5], [0.3, -0.1, 0.4]
    for axis_a, axis_b in (([0, 0, 1], [0, 0, 1]), ([1, 0, 0], [1, 0, 0]), ([0, 0, -1], [0, 2, 0]),
                           ([1, 2, -0.5], [0.3, -1, 2]), ([0, -3, 0], [-1, 1, 1])):
        model = spatial(f"""
            part door = Body(m = 1.2, I = [0.2, 0.35, 0.5])
            part hinge = Revolute(b = door, at_a = [0, 0, 1], at_b = [-0.3, 0.1, -0.4],
                                  axis_a = {axis_a}, axis_b = {axis_b})
            part motor = Motor(joint = hinge, torque = 0.7)
            output angle = hinge.angle, rate = hinge.rate
        """)
        u = scaled(1 / math.sqrt(dot(axis_b, axis_b)), axis_b) # in body axes
        about = (dot(u, [i * x for i, x in zip(inertia, u)])
                 + m * (dot(arm, arm) - dot(arm, u)**2))
        seen = []
        for angle, rate in ((0.4, 0.0), (1.9, 2.5), (-1.0, -1.0)):
            e = hinge_frames(axis_a, axis_b, angle)
            R = rotation(e)
            w = scaled(rate, u)
            reach, omega, line = times(R, arm), times(R, w), times(R, u)
            now = model.at(body_state("door", plus([0, 0, 1], reach), e, cross(omega, reach),
                                            w))
            moment = dot(line, cross(reach, [0, 0, -m * G])) + 0.7
            near(body_spin_up(now, "door", e), scaled(moment / about, u), 1e-10, 10)
            near(now.outputs["rate"], rate, 1e-12, 1)
            seen.append(now.outputs["angle"] - angle)
            assert len(now.rows) == 6 and now.rank["A"] == 6 and now.rank["Mhat"] == 7, now.rank
        # The angle counts from a fixed place.
        for shift in seen:
            near(math.remainder(shift - seen[0], 2 * math.pi), 0, 1e-11, 3)


@case
def spatial_joints_take_what_they_should():
    """Rows, all independent, at a general place of two bodies."""
    for joint, arguments, rows in (
            ("Ball", "", 3), ("Revolute", "", 5), ("Universal", "", 4), ("Cylindrical", "", 4),
            ("Prismatic", "", 5), ("Weld", "", 6),
            ("Distance", ", at_a = [0, 0, 2], length = 2", 1)):
        model = spatial(f"""
            part one = Body(m = 1, I = [1, 2, 3], turn = quaternion([1, 2, 3], 0.5))
            part two = Body(m = 1, I = [1, 2, 3], turn = quaternion([1, 2, 3], 0.5))
            part joint = {joint}(a = one, b = two{arguments})
        """)
        e = quaternion([1, 2, 3], 0.5)
        state = {**body_state("one", [0.0] * 3, e, [0.0] * 3, [0.0] * 3),
                 **body_state("two", [0.0] * 3, e, [0.0] * 3, [0.0] * 3)}
        now = model.at(state)
        assert len(now.rows) == rows + 2, (joint, now.rows)
        assert now.rank["A"] == rows + 2 and now.rank["Mhat"] == 14, (joint, now.rank)
        assert all(now.answer["unique_reaction"].values()), joint


@case
def spatial_prismatic_slides_down():
    m = 2.0
    model = spatial("""
        part sled = Body(m = 2, I = [0.1, 0.2, 0.3])
        part rail = Prismatic(b = sled, at_a = [0, 1, 0], at_b = [0.1, 0.2, 0.3],
                              axis_a = [3, 0, -4], axis_b = [0, 1, 0], turned = 0.6)
        part push = Motor(joint = rail, torque = 1.5)
        output travel = rail.travel, rate = rail.rate
    """)
    u = [0.6, 0, -0.8]
    # The normals of both axes, as models/spatial.kal makes them; `turned` is from one to
    # the other.
    start = plus(scaled(cos(0.6), normals(u)[0]), normals(u)[1], sin(0.6))
    e = hinge_frames(u, [0, 1, 0], 0.0)
    seen = times(rotation(e), normals([0, 1, 0])[0])
    e = hinge_frames(u, [0, 1, 0], math.atan2(dot(u, cross(seen, start)), dot(seen, start)))
    near(times(rotation(e), [0, 1, 0]), u)
    arm = times(rotation(e), [0.1, 0.2, 0.3])
    place = plus(plus([0, 1, 0], u, 0.7), arm, -1.0)
    state = body_state("sled", place, e, scaled(1.1, u), [0.0] * 3)
    now = model.at(state)
    along = 0.8 * G + 1.5 / m
    near(now.accelerations("sled.x", "sled.y", "sled.z"), scaled(along, u), 1e-11)
    near(body_spin_up(now, "sled", e), [0, 0, 0], 1e-11, 10)
    near([now.outputs["travel"], now.outputs["rate"]], [0.7, 1.1])
    pull = math.hypot(now.multipliers["rail.line.x"], now.multipliers["rail.line.y"])
    near(pull, m * G * 0.6, 1e-11)
    # The start finds a place in the joint by itself.
    now = model.evaluate()
    place = [now.q[f"sled.{c}"] for c in "xyz"]
    found = rotation([now.q[f"sled.e{k}"] for k in range(4)])
    reach = plus(plus(place, times(found, [0.1, 0.2, 0.3])), [0, 1, 0], -1.0)
    near(cross(reach, u), [0, 0, 0], 1e-11, 1)


@case
def spatial_cylindrical_turns_and_slides():
    m, J = 1.4, 0.06
    model = spatial("""
        part sleeve = Body(m = 1.4, I = [0.02, 0.03, 0.06])
        part rod = Cylindrical(b = sleeve, at_a = [1, 2, 3], axis_a = [0, 1, 1])
        part motor = Motor(joint = rod, torque = 0.9, damping = 0.2)
        output angle = rod.angle, rate = rod.rate, travel = rod.travel, speed = rod.speed
    """)
    u = scaled(1 / math.sqrt(2), [0, 1, 1])
    for angle, rate, s, v in ((0.0, 0.0, 0.0, 0.0), (1.3, 4.0, 0.5, -2.0)):
        e = hinge_frames([0, 1, 1], [0, 0, 1], angle)
        now = model.at(body_state("sleeve", plus([1, 2, 3], u, s), e, scaled(v, u),
                                  [0, 0, rate]))
        near(now.accelerations("sleeve.x", "sleeve.y", "sleeve.z"), scaled(-G * u[2], u))
        near(body_spin_up(now, "sleeve", e), [0, 0, (0.9 - 0.2 * rate) / J], 1e-11)
        near([now.outputs["rate"], now.outputs["travel"], now.outputs["speed"]], [rate, s, v])
        force = math.hypot(now.multipliers["rod.line.x"], now.multipliers["rod.line.y"])
        near(force, m * G * math.sqrt(0.5))


@case
def spatial_weld_holds_a_beam():
    """A beam welded to a wall: the force is its weight, the torque its moment."""
    model = spatial("""
        part beam = Body(m = 3, I = [0.1, 0.5, 0.6])
        part wall = Weld(b = beam, at_a = [0, 0, 1], at_b = [-0.5, 0, 0],
                         turned = quaternion([0, 0, 1], 0.9))
    """)
    e = quaternion([0, 0, 1], 0.9)
    arm = [0.5 * cos(0.9), 0.5 * sin(0.9), 0.0]
    now = model.at(body_state("beam", plus([0, 0, 1], arm), e, [0.0] * 3, [0.0] * 3))
    near(now.answer["qdd"], [0] * 7, 1e-12, 10)
    near([now.multipliers[f"wall.point.{c}"] for c in "xyz"], [0, 0, 3 * G])
    # In the welded frame gravity turns the beam about y; turn.y holds against it.
    near([now.multipliers[f"wall.turn.{c}"] for c in "xyz"], [0, -3 * G * 0.5, 0])
    assert now.rank["A"] == 7, now.rank


@case
def spatial_welds_make_one_body_of_two():
    """Two welded, one on a hinge along x: a compound pendulum."""
    model = spatial("""
        part one = Body(m = 1, I = [0.1, 0.2, 0.3])
        part two = Body(m = 2, I = [0.2, 0.2, 0.1])
        part hinge = Revolute(b = one, axis_a = [1, 0, 0], axis_b = [1, 0, 0])
        part weld = Weld(a = one, b = two, at_a = [0, 0.7, 0])
    """)
    for a, rate in ((0.3, 0.0), (1.2, -2.0)):
        e = quaternion([1, 0, 0], a)
        arm = [0.0, 0.7 * cos(a), 0.7 * sin(a)]
        now = model.at({
            **body_state("one", [0.0] * 3, e, [0.0] * 3, [rate, 0, 0]),
            **body_state("two", arm, e, cross([rate, 0, 0], arm), [rate, 0, 0])})
        want = -2 * G * arm[1] / (0.1 + 0.2 + 2 * 0.49)
        near(body_spin_up(now, "one", e), [want, 0, 0], 1e-11)
        near(body_spin_up(now, "two", e), [want, 0, 0], 1e-11)


@case
def spatial_universal_lets_two_ways_turn():
    """A rod that hangs on a universal joint: small state, full equations in two angles."""
    m, L, Ia, Iz = 1.5, 0.8, 0.09, 0.02
    model = spatial("""
        part rod = Body(m = 1.5, I = [0.09, 0.09, 0.02])
        part joint = Universal(b = rod, at_b = [0, 0, 0.8])
    """)
    for a, b, wa, wb in ((0.3, -0.4, 0.0, 0.0), (0.5, 0.7, 1.1, -0.8)):
        # Turned by a about space x (the arm of the ground), then by b about its own y.
        e = quaternion_product(quaternion([1, 0, 0], a), quaternion([0, 1, 0], b))
        w = [wa * cos(b), wb, wa * sin(b)]
        R = rotation(e)
        reach = times(R, [0, 0, -L])
        now = model.at(body_state("rod", reach, e, cross(times(R, w), reach), w))
        # T = (J cos(b)^2 + Iz sin(b)^2) a'^2/2 + J b'^2/2, V = -m g L cos(a) cos(b).
        J = Ia + m * L**2
        about = J * cos(b)**2 + Iz * sin(b)**2
        slope = 2 * (Iz - J) * sin(b) * cos(b)
        ad = (-slope * wb * wa - m * G * L * sin(a) * cos(b)) / about
        bd = (slope * wa**2 / 2 - m * G * L * cos(a) * sin(b)) / J
        want = [ad * cos(b) - wa * sin(b) * wb, bd, ad * sin(b) + wa * cos(b) * wb]
        near(body_spin_up(now, "rod", e), want, 1e-11)


# Space: forces

@case
def spatial_springs_and_dampers_pull():
    model = spatial("""
        part one = Body(m = 1, I = [0.1, 0.2, 0.3], gravity = [0, 0, 0])
        part two = Body(m = 2, I = [0.2, 0.3, 0.4], gravity = [0, 0, 0])
        part coil = Spring(a = one, b = two, at_a = [0.3, 0.1, 0], at_b = [-0.2, 0.4, 0.1], k = 50,
                           length = 0.7)
        part dash = Damper(a = one, b = two, at_a = [0.3, 0.1, 0], at_b = [-0.2, 0.4, 0.1], c = 4)
        part mount = Bushing(b = one, at_a = [0.1, 0, 0], k = 20, c = 3)
    """)
    for chance in random_states(30):
        r, v, w, e = [], [], [], []
        for _ in range(2):
            r.append([chance.gauss(0, 1) for _ in range(3)])
            v.append([chance.gauss(0, 1) for _ in range(3)])
            w.append([chance.gauss(0, 1) for _ in range(3)])
            e.append(quaternion([chance.gauss(0, 1) for _ in range(3)], chance.uniform(0, 6)))
        R = [rotation(x) for x in e]
        arm = [times(R[0], [0.3, 0.1, 0]), times(R[1], [-0.2, 0.4, 0.1])]
        omega = [times(R[k], w[k]) for k in (0, 1)]
        d = plus(plus(r[1], arm[1]), plus(r[0], arm[0]), -1.0)
        rel = plus(plus(v[1], cross(omega[1], arm[1])), plus(v[0], cross(omega[0], arm[0])), -1.0)
        size = math.sqrt(dot(d, d))
        force = scaled(-(50 * (size - 0.7) + 4 * dot(d, rel) / size) / size, d) # on two
        now = model.at({**body_state("one", r[0], e[0], v[0], w[0]),
                              **body_state("two", r[1], e[1], v[1], w[1])})
        near(now.accelerations("two.x", "two.y", "two.z"), scaled(0.5, force), 1e-11)
        hold = plus(scaled(-20.0, plus(r[0], [0.1, 0, 0], -1.0)), v[0], -3.0)
        near(now.accelerations("one.x", "one.y", "one.z"), plus(hold, force, -1.0), 1e-11)
        for k, part, inertia, pull in ((0, "one", [0.1, 0.2, 0.3], scaled(-1.0, force)),
                                       (1, "two", [0.2, 0.3, 0.4], force)):
            moment = times(transpose(R[k]), cross(arm[k], pull))
            momentum = [i * x for i, x in zip(inertia, w[k])]
            free = plus(moment, cross(w[k], momentum), -1.0)
            near(body_spin_up(now, part, e[k]), [x / i for x, i in zip(free, inertia)], 1e-10)


@case
def spatial_hinge_carries_motor_spring_and_damper():
    """Between two free bodies, a torque and its opposite."""
    for joint in ("Revolute", "Cylindrical"):
        model = spatial(f"""
            part one = Body(m = 1, I = [0.1, 0.2, 0.3], gravity = [0, 0, 0])
            part two = Body(m = 1, I = [0.2, 0.3, 0.4], gravity = [0, 0, 0])
            part hinge = {joint}(a = one, b = two)
            part motor = Motor(joint = hinge, torque = 3*cos(t), damping = 0.5)
            part twist = TorsionSpring(joint = hinge, k = 6, rest = 0.1)
            part rub = TorsionDamper(joint = hinge, c = 0.25)
            output angle = hinge.angle, rate = hinge.rate
        """)
        for t, angle, w1, w2 in ((0.0, 0.8, 0.0, 0.0), (0.7, -1.2, 2.0, -1.0)):
            base = quaternion([1, 1, 0], 0.6)
            e2 = quaternion_product(base, quaternion([0, 0, 1], angle))
            rest = [0.0, 0.0, 0.0]
            now = model.at({"t": t, **body_state("one", rest, base, rest, [0, 0, w1]),
                            **body_state("two", rest, e2, rest, [0, 0, w2])})
            torque = 3 * cos(t) - 0.75 * (w2 - w1) - 6 * (angle - 0.1)
            near(body_spin_up(now, "one", base), [0, 0, -torque / 0.3], 1e-11)
            near(body_spin_up(now, "two", e2), [0, 0, torque / 0.4], 1e-11)
            near([now.outputs["angle"], now.outputs["rate"]], [angle, w2 - w1])


@case
def motors_give_the_torque_that_is_written():
    """One that depends on the rate: not once more what its slope gives."""
    law = "torque = 1 - 0.5*hinge.rate - 0.2*hinge.rate^3"
    plane = planar(f"""
        part rotor = Body(m = 1, I = 0.3, gravity = [0, 0])
        part hinge = Pin(b = rotor)
        part motor = Motor(joint = hinge, {law})
    """)
    space = spatial(f"""
        part rotor = Body(m = 1, I = [0.2, 0.2, 0.3], gravity = [0, 0, 0])
        part hinge = Revolute(b = rotor)
        part motor = Motor(joint = hinge, {law})
    """)
    for rate in (-1.5, 0.0, 0.4, 2.0):
        up = (1 - 0.5 * rate - 0.2 * rate**3) / 0.3
        now = plane.at(body("rotor", 0.0, 0.0, 0.7, 0.0, 0.0, rate))
        near(now.answer["qdd"], [0, 0, up])
        e = quaternion([0, 0, 1], 0.7)
        now = space.at(body_state("rotor", [0.0] * 3, e, [0.0] * 3, [0, 0, rate]))
        near(body_spin_up(now, "rotor", e), [0, 0, up], 1e-11)


@case
def spatial_ground_turns_as_told():
    """A table that turns faster and faster: what a body on it feels through a damper."""
    model = spatial("""
        part table = Ground(at = [0, 0, 0.1*t], turn = quaternion([1, 2, 2], t + t^2))
        part rotor = Body(m = 1, I = [0.2, 0.2, 0.2], gravity = [0, 0, 0])
        part joint = Ball(a = table, b = rotor)
        part rub = Bushing(a = table, b = rotor, at_a = [0.3, 0, 0], at_b = [0.3, 0, 0], k = 0, c = 2)
        output wx = table.omega.x, wy = table.omega.y, wz = table.omega.z
        let hinge = table.omega - rotor.omega
        output hx = hinge.x, hy = hinge.y, hz = hinge.z
    """)
    axis = [1 / 3, 2 / 3, 2 / 3]
    for t in (0.0, 0.4, 1.1):
        e = quaternion([1, 2, 2], t + t * t)
        now = model.at({"t": t, **body_state("rotor", [0, 0, 0.1 * t], e, [0, 0, 0.1], [0.0] * 3)})
        omega = scaled(1 + 2 * t, axis)
        near([now.outputs[k] for k in ("wx", "wy", "wz")], omega)
        near([now.outputs[k] for k in ("hx", "hy", "hz")], omega)
        arm = times(rotation(e), [0.3, 0, 0])
        torque = cross(arm, scaled(2.0, cross(omega, arm)))
        near(times(rotation(e), body_spin_up(now, "rotor", e)), scaled(1 / 0.2, torque), 1e-11)


@case
def spatial_disc_rolls_straight_and_steers():
    """A wheel between a fork: rolling speed, and the gyroscopic torque of steering."""
    R, Ia, Id, m = 0.35, 0.12, 0.07, 2.0
    model = spatial("""
        part wheel = Body(m = 2, I = [0.07, 0.12, 0.07])
        part road = RollingDisc(b = wheel, radius = 0.35)
        output heading = road.heading, lean = road.lean, cx = road.contact.x, cz = road.contact.z
    """)
    # Upright, turning about the vertical at rate p while rolling at rate w: it starts to
    # lean at (Ia + m R^2) w p/(Id + m R^2).
    for heading, w, p in ((0.0, 5.0, 0.0), (0.7, 3.0, 0.8)):
        e = quaternion([0, 0, 1], heading)
        ahead = [cos(heading), sin(heading), 0.0]
        now = model.at(body_state("wheel", [0.4, 0.2, R], e, scaled(R * w, ahead),
                                        [0, w, p]))
        lean = (Ia + m * R**2) * w * p / (Id + m * R**2)
        # In body axes w' = (lean, 0, 0) and, as the wheel rolls on, w x p terms.
        near(body_spin_up(now, "wheel", e), [lean - w * p, 0, 0], 1e-11, 20)
        near([now.outputs["heading"], now.outputs["lean"], now.outputs["cx"], now.outputs["cz"]],
             [heading, 0, 0.4, 0], 1e-12, 1)
        assert now.rank["A"] == 4 and now.rank["Mhat"] == 7, now.rank


# Space: bodies with coordinates of their own

@case
def spatial_euler_body_obeys_eulers_equations():
    """Torque-free: I w' + w x I w = 0, whatever the three axes are."""
    inertia = [[1.0, 0.12, -0.2], [0.12, 2.0, 0.1], [-0.2, 0.1, 2.5]]
    for axes in ("[[0, 0, 1], [1, 0, 0], [0, 0, 1]]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
                 "[[0, 0, 1], [2, 0, 0], [1, 3, 0]]"):
        model = spatial(f"""
            part sat = EulerBody(m = 3, I = [1, 2, 2.5], products = [0.1, -0.2, 0.12], axes = {axes})
            output wx = sat.w.x, wy = sat.w.y, wz = sat.w.z
            output dx = (sat.w').x, dy = (sat.w').y, dz = (sat.w').z
            output ex = (sat.R*sat.w - sat.omega).x, ey = (sat.R*sat.w - sat.omega).y
            let turn = sat.R'*transpose(sat.R)
            output fx = turn[3].y - sat.omega.x, fy = turn[1].z - sat.omega.y
            output fz = turn[2].x - sat.omega.z
        """)
        names = [f"sat.{name}" for name in ("x", "y", "z", "psi", "theta", "phi")]
        for chance in random_states(5):
            now = model.at(pairs(names, [0, 0, 0, *(chance.uniform(0.3, 1.2) for _ in range(3))],
                                 [chance.uniform(-2, 2) for _ in range(6)]))
            w = [now.outputs[f"w{c}"] for c in "xyz"]
            rate = [now.outputs[f"d{c}"] for c in "xyz"]
            near(plus(times(inertia, rate), cross(w, times(inertia, w))), [0, 0, 0], 1e-11, 10)
            near([now.outputs[k] for k in ("ex", "ey", "fx", "fy", "fz")], [0] * 5, 1e-13, 5)
            near(now.answer["qdd"][:3], [0, 0, -G])


@case
def spatial_top_and_disc_have_modes():
    """Steady spinning and rolling with parts, against closed forms."""
    m, A, C, L = 2.0, 0.03, 0.01, 0.3
    about = A + m * L**2
    sleeping = f"""
        part top = EulerBody(m = {m}, I = [{A}, {A}, {C}], axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        part tip = Ball(b = top, at_b = [0, 0, {-L}])
        init top.z ~ {L}, top.phi' = 300
    """
    root = math.sqrt((C * 300) ** 2 - 4 * about * m * G * L)
    near(frequencies(sleeping), sorted([(C * 300 + root) / (2 * about), (C * 300 - root) / (2 * about)]),
         1e-10)
    # Steady precession: psi' and phi' follow from their momenta, and the lean swings.
    lean, p = 0.5, 3.0
    c, s = cos(lean), sin(lean)
    spin = (m * G * L + about * p**2 * c) / (C * p)
    leaning = f"""
        part top = EulerBody(m = {m}, I = [{A}, {A}, {C}])
        part tip = Ball(b = top, at_b = [0, 0, {-L}])
        init top.theta = {lean!r}, top.theta' = 0, top.psi' = {p!r}, top.phi' = {spin - p * c!r}
    """
    stiff = about * p**2 * s**2 + (C * spin - 2 * about * p * c) ** 2 / about
    near(frequencies(leaning), [math.sqrt(stiff / about)], 1e-9)
    for w in (2.0, 3.0, 4.0, 6.0):
        R = 0.3
        disc = f"""
            part d = EulerBody(m = 1, I = [{R}^2/4, {R}^2/2, {R}^2/4],
                               axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
            part road = RollingDisc(b = d, radius = {R})
            init d.z ~ {R}, d.psi = 0, d.theta = 0, d.phi' = {w!r}
        """
        square = (12 * w**2 - 4 * G / R) / 5 # zero at w^2 = g/(3 R)
        near(frequencies(disc), [math.sqrt(square)] if square > 0 else [], 1e-9)


def frequencies(text):
    """Of the modes that oscillate, from below [rad/s]."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.kal"
        path.write_text("use spatial\n" + text)
        status, out, err = run("modes", path, "--json")
    assert status == 0, (out, err)
    answer = json.loads(out)
    assert answer["steady"], answer
    return sorted(im for re, im in answer["eigenvalues"] if im > 1e-3)


@case
def spatial_hinged_and_sliding_bodies_move_as_joints_make_them():
    """The same chain with coordinates of its own, and with constraints."""
    first = "I = [0.1, 0.2, 0.3], products = [0.01, -0.02, 0.03]"
    hinge = "at_a = [0.1, 0.2, 0.3], at_b = [-0.4, 0.1, 0.2], axis_a = [1, 2, 2], axis_b = [0, 3, 4]"
    rail = "at_a = [0.3, 0, 0.1], at_b = [0, 0.2, 0], axis_a = [0, 1, 1], axis_b = [1, 0, 0]"
    own = spatial(f"""
        part arm = HingedBody(m = 1.5, {first}, {hinge})
        part sled = SlidingBody(a = arm, m = 0.7, I = [0.3, 0.2, 0.1], {rail}, turned = 0.4)
        param c = 1 [N*m*s]
        part motor = Motor(joint = arm, torque = 2 - c*arm.rate)
        part spring = TorsionSpring(joint = arm, k = 3, rest = 0.2)
        part rub = TorsionDamper(joint = sled, c = 0.6)
        for i in 1..3 {{
            output ra[i] = arm.r[i], rs[i] = sled.r[i], va[i] = (arm.r')[i], vs[i] = (sled.r')[i]
            output wa[i] = arm.w[i], ws[i] = sled.w[i], ga[i] = (arm.r'')[i], gs[i] = (sled.r'')[i]
            output Ra[i] = arm.R[i], Rs[i] = sled.R[i]
        }}
    """)
    joined = spatial(f"""
        part arm = Body(m = 1.5, {first})
        part sled = Body(m = 0.7, I = [0.3, 0.2, 0.1])
        part hinge = Revolute(b = arm, {hinge})
        part rail = Prismatic(a = arm, b = sled, {rail}, turned = 0.4)
        part motor = Motor(joint = hinge, torque = 2 - hinge.rate)
        part spring = TorsionSpring(joint = hinge, k = 3, rest = 0.2)
        part rub = TorsionDamper(joint = rail, c = 0.6)
        output angle = hinge.angle, rate = hinge.rate, travel = rail.travel, speed = rail.rate
    """)
    for chance in random_states(3):
        q, qd = [chance.uniform(-1, 1) for _ in range(2)], [chance.uniform(-1, 1) for _ in range(2)]
        now = own.at(pairs(["arm.angle", "sled.travel"], q, qd))
        state, moves = {}, []
        for part, k in (("arm", "a"), ("sled", "s")):
            def vector(name, end=k):
                return [now.outputs[f"{name}{end}[{i}]"] for i in (1, 2, 3)]
            R = [[now.outputs[f"R{k}[{i}].{c}"] for c in "xyz"] for i in (1, 2, 3)]
            state.update(body_state(part, vector("r"), quaternion_of(R), vector("v"), vector("w")))
            moves += [part, vector("g")]
        other = joined.at(state)
        near([other.outputs[k] for k in ("angle", "travel", "rate", "speed")], [*q, *qd], 1e-11, 1)
        for part, want in zip(moves[::2], moves[1::2]):
            near([other.qdd[f"{part}.{c}"] for c in "xyz"], want, 1e-10, 10)


def quaternion_of(R):
    """Of a rotation matrix that turns by less than half a turn."""
    e0 = math.sqrt(1 + R[0][0] + R[1][1] + R[2][2]) / 2
    return [e0, (R[2][1] - R[1][2]) / (4 * e0), (R[0][2] - R[2][0]) / (4 * e0),
            (R[1][0] - R[0][1]) / (4 * e0)]


@case
def constraints_by_hand_agree_with_parts():
    """A body on a pin, and the same written out."""
    parts = planar("""
        part arm = Body(m = 1.1, I = 0.3)
        part pin = Pin(b = arm, at_b = [-0.4, 0.1])
    """)
    state = body("arm", 0.2, -0.3, 0.6, 0.1, 0.5, 1.3)
    now = parts.evaluate(state) # off the constraint, which is no matter to its rows
    reach = turned(0.6, [-0.4, 0.1])
    A = [[1, 0, -reach[1]], [0, 1, reach[0]]]
    b = scaled(1.3**2, reach)
    near_matrix(now.A, A)
    near(now.b, b)
    want, multipliers = constrained([[1.1, 0, 0], [0, 1.1, 0], [0, 0, 0.3]], [0, -1.1 * G, 0], A, b)
    near(now.answer["qdd"], want)
    near([now.multipliers["pin.point.x"], now.multipliers["pin.point.y"]], multipliers)


if __name__ == "__main__":
    sys.exit(main())
