#!/usr/bin/env python3
"""Control, drives and friction in time, from outside: test_control.py PROGRAM ROOT

Errors of servos obey their laws exactly, whatever meets them; what actuators cannot do is
refused or reported; drives and friction give and take the energy that they should.
"""

import csv
import json
import sys
import tempfile
from math import atan, cos, exp, hypot, pi, radians, sin, sqrt
from pathlib import Path

from model_lab import EXAMPLES, case, dot, main, run, solve
from snake import snake_rows, snake_torques

GRAVITY = 9.81


def close(got, want, tolerance):
    assert abs(got - want) <= tolerance, (got, want, abs(got - want), tolerance)


class Result:
    """The summary of a run, its samples by name, and the start."""

    def __init__(self, model, columns="", *options):
        with tempfile.TemporaryDirectory() as folder:
            path = EXAMPLES / f"{model}.kal"
            if "\n" in model:
                path = Path(folder) / "model.kal"
                path.write_text(model)
            out = Path(folder) / "out.csv"
            more = ["--columns", columns] if columns else []
            status, text, err = run("run", path, "--json", "-q", "-o", out, *more, *options)
            assert status == 0, (model, status, text[:1000], err[:1000])
            self.answer = json.loads(text)
            with open(out, newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
        self.rows = [dict(zip(rows[0], map(float, row))) for row in rows[1:]]
        self.start = self.rows[0]
        self.end = self.rows[-1]

    def balanced(self, tolerance):
        energy = self.answer["energy"]
        assert energy["balance"] <= tolerance, energy


def refuse(model, *options):
    """Names and message of a run that is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = model
        if isinstance(model, str):
            path = Path(folder) / "model.kal"
            path.write_text(model)
        status, out, err = run("run", path, "--json", *options)
        assert status == 1, (status, out, err)
        error = json.loads(out)["error"]
        return error["names"], error["message"]


def runge_kutta(rate, y, t_end, steps):
    """The classical method, which the tool does not use."""
    h = t_end / steps
    for k in range(steps):
        t = k * h
        k1 = rate(t, y)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y


# Drives

@case
def a_drive_delivers_force_power_and_energy():
    # A cart driven along x = sin 2t carries a pendulum; all forces are on the cart.
    result = Result("""param M = 3, m = 1, L = 0.8
coord x, th
let tip = [x + L*sin(th), -L*cos(th)]
kinetic 1/2*M*x'^2 + 1/2*m*dot(tip', tip')
potential m*9.81*tip.y
prescribe x = sin(2*t)
init th = 0.4
simulate 0 .. 8 every 0.02
""", "x'', th'', drive(x), power(drive(x)), work(drive(x)), energy()")
    for row in result.rows:
        force = (4 * row["x''"] + 0.8 * (row["th''"] * cos(row["th"])
                                         - row["th'"] ** 2 * sin(row["th"])))
        close(row["drive(x)"], force, 1e-10)
        close(row["power(drive(x))"], force * row["x'"], 1e-10)
        close(row["work(drive(x))"], row["energy()"] - result.start["energy()"], 1e-6)
    assert abs(result.end["work(drive(x))"]) > 0.1
    close(result.answer["energy"]["work"]["drives"]["x"], result.end["work(drive(x))"], 0)
    result.balanced(1e-6)


# Laws

@case
def inputs_with_laws_have_columns():
    # Whole and cut at its limit, for the first of two actuators and for one with none.
    result = Result("""param k = 10, most = 2
coord x, y
state z: z' = x - z
kinetic 1/2*(x'^2 + y'^2)
actuator u: x', law = -k*x - x', limit = most
actuator w: y', law = 3*z + control(u)
init x = 1
simulate 0 .. 3 every 0.1
""", "control(*), demand(*), power(control(w))")
    for row in result.rows:
        demand = -10 * row["x"] - row["x'"]
        close(row["demand(u)"], demand, 1e-14)
        close(row["control(u)"], max(-2, min(2, demand)), 1e-14)
        close(row["control(w)"], 3 * row["z"] + row["control(u)"], 1e-14)
        close(row["demand(w)"], row["control(w)"], 0)
        close(row["power(control(w))"], row["control(w)"] * row["y'"], 1e-14)
    assert any(abs(row["demand(u)"]) < 2 for row in result.rows)


# Servo laws

POSITION = """param k = 3
coord x, y, z
kinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2)
potential 2*x^2 + sin(y)*z
constraint c: x^2 + 2*y^2 = 3
{actuators}
servo s: sin(y) + z + z^3/3 = 1 + sin(t), rate = k
init x ~ 1, y = 1, z = 0.7, z' = -0.4
simulate 0 .. 4 every 0.05
output e = sin(y) + z + z^3/3 - 1 - sin(t), ed = cos(y)*y' + (1 + z^2)*z' - cos(t)
"""


@case
def errors_of_positions_are_critically_damped():
    for actuators in ("", "actuator u: z'", "actuator u: y'\nactuator w: z', weight = 5"):
        result = Result(POSITION.format(actuators=actuators), "energy()")
        e, ed = result.start["e"], result.start["ed"]
        assert abs(e) > 0.1
        for row in result.rows:
            t = row["t"]
            close(row["e"], (e + (ed + 3 * e) * t) * exp(-3 * t), 1e-8)
            close(row["x"] ** 2 + 2 * row["y"] ** 2, 3, 1e-14)
        assert result.answer["constraint_error"]["position"] < 1e-14
        result.balanced(1e-7)
        work = result.answer["energy"]["work"]
        assert set(work["controls"]) == {line.split(":")[0].split()[1]
                                         for line in actuators.splitlines()}
        assert (work["servos"] != 0) == (actuators == "")


@case
def swarm_comes_together_without_collisions():
    result = Result("swarm", "energy(), work(servos)")
    k = 2
    for row in result.rows:
        t = row["t"]
        for i in range(1, 6):
            close(row[f"beta[{i}]"], result.start[f"beta[{i}]"] * exp(-k * t), 1e-7)
        way = 0.24 * (1 - exp(-k * t)) / k
        close(row["center_x"], result.start["center_x"] + way, 1e-9)
        close(row["center_y"], result.start["center_y"] + way, 1e-9)
        places = [(row[f"x[{i}]"], row[f"y[{i}]"]) for i in range(1, 6)]
        gap = min(hypot(p[0] - q[0], p[1] - q[1])
                  for i, p in enumerate(places) for q in places[:i])
        close(row["gap"], gap, 1e-12)
        assert gap > 0.2, (t, gap)
    result.balanced(1e-7)


@case
def flexible_arm_follows_within_two_seconds():
    for model in ("flexible_arm", "flexible_arm_torques"):
        result = Result(model, "power(*), work(*)")
        close(result.start["beta"], 0.9, 1e-15)
        for row in result.rows:
            close(row["beta"], 0.9 * exp(-2 * row["t"]), 1e-8)
            assert row["t"] < 2 or abs(row["beta"]) < 0.02 * 0.9
        result.balanced(1e-7)
    # Two torques share by least norm: both act on q2' + q4' as u2 and u4 do.
    for row in result.rows[1:]:
        speeds = row["q2'"], row["q4'"]
        close(row["power(control(u2))"], row["torque2"] * speeds[0], 1e-10)
        close(row["power(control(u4))"], row["torque4"] * speeds[1], 1e-10)


@case
def motors_behind_springs_are_refused():
    names, message = refuse(EXAMPLES / "broken" / "flexible_arm_motors.kal")
    assert names == ["follow"] and "relative degree 4" in message, (names, message)
    assert "docs/control.md" in message, message


CHAIN = """
param N = 2, c = 100, d = 0
coord x[N]
kinetic 1/2*sum(i in 1..N : x[i]'^2)
potential 1/2*c*sum(i in 1..N - 1 : (x[i + 1] - x[i])^2)
dissipation 1/2*d*sum(i in 1..N - 1 : (x[i + 1]' - x[i]')^2)
actuator F: x[1]'
servo s: x[N] = sin(t), rate = 5
simulate 0 .. 1 every 0.1
"""


@case
def the_relative_degree_is_told():
    # Behind j springs an input comes through 2 j integrations more, behind j dampers through j.
    for n in (2, 3, 4):
        for d, degree in ((0, 2 * n), (3, n + 1)):
            names, message = refuse(CHAIN, "-p", f"N={n}", "-p", f"d={d}")
            assert names == ["s"] and f"relative degree {degree} " in message, message
    _, message = refuse(CHAIN, "-p", "c=0")
    assert "no degree up to ten" in message, message


@case
def too_few_actuators_are_refused():
    names, message = refuse("""coord x, y
kinetic 1/2*(x'^2 + y'^2)
actuator u: x' + y'
servo one: x = 1, rate = 1
servo two: y = 2, rate = 1
""")
    assert names == ["one", "two"] and "not enough actuators" in message, (names, message)
    names, message = refuse("""coord x, y
kinetic 1/2*(x'^2 + y'^2)
constraint fixed: x = 0
servo one: x = 1, rate = 1
""")
    assert "one" in names and "fixed" in names, (names, message)


# Limits

@case
def limits_are_told_with_their_times():
    # x'' = u, u = -2 x' - x cut at 1/2: x = 1 - t^2/4 until t^2/4 + t = 1/2.
    text = """coord x
kinetic 1/2*x'^2
actuator u: x'{limit}
servo s: x = 0, rate = 1
init x = 1
simulate 0 .. 6 every 0.1
"""
    result = Result(text.format(limit=", limit = 1/2"), "demand(u), control(u), work(*)")
    leave = sqrt(6) - 2
    for row in result.rows:
        t = row["t"]
        if t < leave:
            close(row["x"], 1 - t * t / 4, 1e-12)
            close(row["demand(u)"], t * t / 4 + t - 1, 1e-12)
            close(row["control(u)"], -0.5, 1e-15)
        else:
            x, v, s = 1 - leave**2 / 4, -leave / 2, t - leave
            close(row["x"], (x + (v + x) * s) * exp(-s), 2e-9)
            close(row["control(u)"], row["demand(u)"], 0)
    control = result.answer["controls"]["u"]
    close(control["demanded"], 1, 1e-12)
    close(control["delivered"], 0.5, 0)
    close(control["limit"], 0.5, 0)
    close(control["limited"], leave, 1e-9)
    incidents = result.answer["incidents"]
    assert len(incidents) == 1, incidents
    for word in ("u at its limit", "0.5", "from t = 0 to t = 0.44948974", "not held"):
        assert word in incidents[0]["text"], incidents
    result.balanced(1e-9)
    # Without a limit nothing is told.
    free = Result(text.format(limit=""))
    assert free.answer["incidents"] == []
    control = free.answer["controls"]["u"]
    assert control["limit"] is None and control["demanded"] == control["delivered"] == 1


@case
def limits_on_both_sides_and_at_the_end():
    # A servo that follows sin t with a weak motor: its force is cut over and over.
    result = Result("""coord x
kinetic 1/2*x'^2
actuator u: x', limit = 0.6
servo s: x = sin(t), rate = 5
simulate 0 .. 20 every 0.01
""", "demand(u), control(u), x''")
    for row in result.rows:
        close(row["control(u)"], max(-0.6, min(0.6, row["demand(u)"])), 0)
        close(row["x''"], row["control(u)"], 1e-14)
    texts = [i["text"] for i in result.answer["incidents"]]
    assert len(texts) > 4 and all("u at its limit" in text for text in texts), texts
    # The times at the limit are those of the samples, to the distance of samples.
    cut = sum(abs(row["demand(u)"]) > 0.6 for row in result.rows) * 0.01
    close(result.answer["controls"]["u"]["limited"], cut, 0.02 * len(texts))
    result.balanced(1e-8)


@case
def stiffness_under_servos_is_told():
    text = """coord x, y
kinetic 1/2*(x'^2 + y'^2)
dissipation 1e5*y'^2
servo s: x = 1, rate = 1
init y' = 1
simulate 0 .. 1 every 0.1
"""
    result = Result(text)
    told = [i["text"] for i in result.answer["incidents"]]
    assert len(told) == 1 and "stiff" in told[0] and "servos" in told[0], told
    assert result.answer["stiff"] is False
    names, message = refuse(text, "--method", "bdf")
    assert "servos" in message and "dop853" in message, (names, message)


# Under-actuation

@case
def roller_racer_moves_as_its_own_equations_say():
    m, inertia, I2, d1, d2, size, w = 60.0, 4.0, 1.5, 0.4, 0.15, 0.5, 5.0

    def instant(t, speed):
        phi, phid, phidd = size * sin(w * t), size * w * cos(w * t), -size * w**2 * sin(w * t)
        span = d1 * cos(phi) - d2
        turn = (speed * sin(phi) + d2 * phid) / span
        rate = sin(phi) / span
        known = (speed * cos(phi) * phid + d2 * phidd
                 + turn * d1 * sin(phi) * phid) / span
        ud = -(((inertia + I2) * known + I2 * phidd) * rate) / (m + (inertia + I2) * rate**2)
        thetadd = rate * ud + known
        force = ((inertia + I2) * thetadd + I2 * phidd) / span
        return turn, ud, force, I2 * (thetadd + phidd) + d2 * force, phid

    def rate(t, y):
        turn, ud, _, torque, phid = instant(t, y[3])
        return [y[3] * cos(y[2]), y[3] * sin(y[2]), turn, ud, torque * phid]

    result = Result("roller_racer", "work(drive(phi)), reaction(*), drive(phi)",
                    "--until", 5)
    for row in result.rows[::10]:
        turn, _, force, torque, _ = instant(row["t"], row["speed"])
        close(row["theta'"], turn, 1e-10)
        close(row["reaction(bar)"], force, 1e-7)
        close(row["drive(phi)"], torque, 1e-7)
        close(-row["x'"] * sin(row["theta"]) + row["y'"] * cos(row["theta"]), 0, 1e-13)
    want = runge_kutta(rate, [0, 0, 0, 0, 0], 5, 8000)
    for name, value in zip(("x", "y", "theta", "speed", "work(drive(phi))"), want):
        close(result.end[name], value, 3e-7 * max(1, abs(value)))
    assert result.end["speed"] ** 2 > 0.01 and result.end["work(drive(phi))"] > 0


@case
def kinematic_snake_goes_where_its_shape_leads():
    A, w, bend = 0.6, 2.0, 0.7

    def shape(t):
        return ([-bend + A * sin(w * t), bend + A * cos(w * t)],
                [A * w * cos(w * t), -A * w * sin(w * t)])

    def body(theta, t):
        angles, rates = shape(t)
        W = snake_rows(theta, *angles)
        return solve([row[:3] for row in W], [-dot(row[3:], rates) for row in W])

    result = Result("kinematic_snake",
                    "*'', reaction(*), drive(*), power(drive(*)), work(drive(*)), energy()",
                    "--until", 6)
    names = ["x", "y", "theta", "a1", "a2"]
    for row in result.rows[::15]:
        t = row["t"]
        near = [row[f"{name}'"] for name in names]
        for got, want in zip(near, [*body(row["theta"], t), *shape(t)[1]]):
            close(got, want, 1e-11)
        lambdas = snake_torques(row["theta"], row["a1"], row["a2"], near,
                                [row[f"{name}''"] for name in names])
        forces = ("reaction(skid1)", "reaction(skid2)", "reaction(skid3)", "drive(a1)",
                  "drive(a2)")
        for name, want in zip(forces, lambdas):
            close(row[name], want, 1e-9)
        for name in ("a1", "a2"):
            close(row[f"power(drive({name}))"], row[f"drive({name})"] * row[f"{name}'"], 1e-10)
        close(row["work(drive(a1))"] + row["work(drive(a2))"],
              row["energy()"] - result.start["energy()"], 1e-7)
    want = runge_kutta(lambda t, y: body(y[2], t), [0, 0, 0], 6, 1500)
    for name, value in zip(names, want):
        close(result.end[name], value, 1e-8)
    assert result.answer["constraint_error"]["velocity"] < 1e-13


# Friction

@case
def friction_on_an_incline_takes_its_energy():
    m, mu, alpha = 2.0, 0.3, radians(30)
    brake = GRAVITY * (sin(alpha) + mu * cos(alpha))
    for model in ("incline_friction", "incline_friction_reaction"):
        result = Result(model, "*'', cforce(*), power(nonideal), work(nonideal)")
        assert result.answer["stopped_by"] == "rest"
        close(result.answer["t"], 3 / brake, 1e-11)
        for row in result.rows[:-1]:
            speed = 3 - brake * row["t"]
            close(row["speed"], speed, 1e-12)
            close(row["x''"], -brake * cos(alpha), 1e-11)
            close(row["y''"], -brake * sin(alpha), 1e-11)
            close(row["power(nonideal)"], -mu * m * GRAVITY * cos(alpha) * speed, 1e-11)
        loss = -mu * m * GRAVITY * cos(alpha) * 9 / (2 * brake)
        close(result.answer["energy"]["work"]["nonideal"], loss, 1e-11)
        result.balanced(1e-11)


@case
def blocks_stick_and_slip():
    m, k, v, mu_s, mu_k = 1.5, 40.0, 0.3, 0.6, 0.4
    w, xs, xk = sqrt(k / m), mu_s * m * GRAVITY / k, mu_k * m * GRAVITY / k
    slip_time = 2 * (pi - atan((xs - xk) * w / v)) / w
    period = 2 * (xs - xk) / v + slip_time
    result = Result("stick_slip", "work(*)")
    close(result.end["period"], period, 1e-12)
    events = [(i["t"], i["text"].split(";")[0]) for i in result.answer["incidents"]]
    slips = [t for t, text in events if text == "event slip"]
    grips = [t for t, text in events if text == "event grip"]
    assert len(slips) == 7 and len(grips) == 7, events
    for i, (slip, grip) in enumerate(zip(slips, grips)):
        close(slip, xs / v + i * period, 1e-8)
        close(grip, xs / v + i * period + slip_time, 1e-8)
    for row, after in zip(result.rows, [*result.rows[1:], {"t": None}]):
        # Friction jumps at the events: there is a row before and one after each.
        side = -1e-7 if after["t"] == row["t"] else 1e-7
        t = (row["t"] + side - xs / v) % period - side
        if row["t"] + side < xs / v:
            place, friction = v * row["t"], k * v * row["t"]
        elif t + side < slip_time:
            place = xk + (xs - xk) * cos(w * t) + v / w * sin(w * t)
            friction = mu_k * m * GRAVITY
        else:
            place = 2 * xk - xs + v * (t - slip_time)
            friction = k * place
        close(row["x"], place, 1e-8)
        close(row["friction"], friction, 1e-6)
    # From one slip to the next the friction forces do no work in sum.
    work = result.answer["energy"]["work"]
    close(work["constraints"] + work["nonideal"],
          result.answer["energy"]["final"] - result.answer["energy"]["initial"], 1e-8)
    result.balanced(1e-8)


if __name__ == "__main__":
    sys.exit(main())
