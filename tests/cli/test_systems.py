#!/usr/bin/env python3
"""The examples against their exact results: test_systems.py PROGRAM ROOT

Everything that can be said of one instant: equations, accelerations, forces, verdicts, at
states that are chosen at random (with fixed seeds) or tabulated.  What is expected is
computed here from formulas that were derived by hand, never from the model files.
"""

import math
import sys
from math import cos, exp, sin, sqrt, tan

from model_lab import (EXAMPLES, case, constrained, cross, dot, evaluate, examples, main, moving,
                       near, near_matrix, pairs, plus, quaternion, quaternion_product,
                       quaternion_rate, random_states, refuse, rotation, run, scaled, solve,
                       times, transpose, body_state)
from snake import snake_rows, snake_torques

GRAVITY = 9.81


@case
def every_example_satisfies_the_general_equation():
    """M q'' = Q + Q^c + control, A q'' = b, and the ideal part is A^T lambda."""
    for path in examples(1):
        now = evaluate(path)
        qdd = now.answer["qdd"]
        force = now.answer["force"]
        size = max([1.0, *map(abs, now.answer["Q"]), *map(abs, force["total"])])
        steer = now.answer.get("control_force", {})
        push = plus(now.answer["Q"], [steer.get(name, 0.0) for name in now.names])
        near(times(now.M, qdd), plus(push, force["total"]), 1e-11, size)
        near(plus(force["ideal"], force["nonideal"]), force["total"], 1e-12, size)
        if now.A:
            reach = [sum(abs(a * x) for a, x in zip(row, qdd)) + abs(b) + 1
                     for row, b in zip(now.A, now.b)]
            near(times(now.A, qdd), now.b, 1e-11, max(reach))
            pull = times(transpose(now.A), [now.multipliers[name] for name in now.rows])
            near(pull, force["ideal"], 1e-11, size)


@case
def models_that_are_refused_say_who_is_to_blame():
    for k in (1, 2):
        names, message = refuse(EXAMPLES / "broken" / f"two_masses_no_m{k}.kal")
        assert names and set(names) <= {"x1", "q1", "q2"}, names
        assert message
    names, message = refuse(EXAMPLES / "broken" / "flexible_arm_motors.kal")
    assert "follow" in message or "follow" in names, (names, message)


# 1. Projectiles

@case
def projectile_falls_freely_in_all_three_descriptions():
    m = 2.0
    for chance in random_states(1):
        r, theta = chance.uniform(1, 9), chance.uniform(-3, 3)
        rd, thetad = chance.uniform(-3, 3), chance.uniform(-3, 3)
        want = [r * thetad**2 - GRAVITY * sin(theta),
                -(2 * rd * thetad + GRAVITY * cos(theta)) / r]
        state = moving(r=(r, rd), theta=(theta, thetad))
        polar, direct = evaluate("projectile_polar", state), evaluate("projectile_direct", state)
        near(polar.answer["qdd"], want)
        near(direct.answer["qdd"], want)
        near_matrix(polar.M, [[m, 0], [0, m * r**2]])
        near_matrix(direct.M, [[m, 0], [0, m]])
        near(direct.answer["Q"], scaled(m, want))
        flat = evaluate("projectile", moving(
            x=(r * cos(theta), rd * cos(theta) - r * thetad * sin(theta)),
            y=(r * sin(theta), rd * sin(theta) + r * thetad * cos(theta))))
        near(flat.answer["qdd"], [0, -GRAVITY])
        # The polar accelerations, in Cartesian terms, are the same.
        radial, across = want[0] - r * thetad**2, r * want[1] + 2 * rd * thetad
        near([radial * cos(theta) - across * sin(theta),
              radial * sin(theta) + across * cos(theta)], [0, -GRAVITY], 1e-12, GRAVITY)


@case
def projectiles_start_alike():
    flat, polar = evaluate("projectile"), evaluate("projectile_polar")
    r, theta = polar.q["r"], polar.q["theta"]
    rd, thetad = polar.qd["r"], polar.qd["theta"]
    near([r * cos(theta), r * sin(theta)], [flat.q["x"], flat.q["y"]])
    near([rd * cos(theta) - r * thetad * sin(theta), rd * sin(theta) + r * thetad * cos(theta)],
         [flat.qd["x"], flat.qd["y"]])
    direct = evaluate("projectile_direct")
    assert direct.q == polar.q and direct.qd == polar.qd
    for now in (flat, polar, direct):
        near(now.outputs["error"], 0, 1e-12, 5)


# 2. Pfaffian constraints

@case
def pfaffian_constraints_have_their_rows():
    for chance in random_states(2):
        x, y, z = (chance.uniform(-2, 2) for _ in range(3))
        yd, zd = chance.uniform(-2, 2), chance.uniform(-2, 2)
        for model, factor, right, b in (
                ("pfaffian_scleronomic", y, 0, -2 * yd**2),
                ("pfaffian_rheonomic", y, 1, -2 * yd**2),
                ("pfaffian_nonholonomic", z, 0, -2 * yd * zd)):
            xd = right - 2 * factor * yd - zd
            now = evaluate(model, moving(x=(x, xd), y=(y, yd), z=(z, zd)))
            row = [1, 2 * factor, 1]
            near_matrix(now.A, [row])
            near(now.b, [b])
            multiplier = (b + GRAVITY) / dot(row, row)
            near(now.answer["qdd"], plus([0, 0, -GRAVITY], row, multiplier))
            near(now.multipliers["c"], multiplier)


# 3. Spiral

@case
def spiral_is_held_to_its_path():
    for t in (0.0, 7.3, 31.0, 60.0):
        theta = 30 - t
        r = exp(0.1 * theta)
        now = evaluate("spiral", {"t": t, **moving(r=(r, -0.1 * r), theta=(theta, -1.0))})
        near_matrix(now.A, [[1, -0.1 * r], [0, 1]])
        near(now.b, [0.01 * r, 0], 1e-12, max(r, 1))
        near(now.answer["qdd"], [0.01 * r, 0], 1e-12, max(r, GRAVITY / r))
        free = [r - GRAVITY * sin(theta), (-2 * 0.1 * r - GRAVITY * cos(theta)) / r]
        near(now.answer["force"]["total"], plus([0.01 * r, 0], free, -1.0), 1e-12,
             max(1, r, GRAVITY / r))
        near([now.outputs["e1"], now.outputs["e2"]], [0, 0], 1e-12, max(r, 1))


# 4. Swarm

def swarm_errors(q, qd):
    """beta of each robot and its rate without control, from (62) of Zhao et al."""
    beta, drift = [], []
    for i, (place, velocity) in enumerate(zip(q, qd)):
        error, rate = list(velocity), [0.0, 0.0]
        for j, (other, speed) in enumerate(zip(q, qd)):
            if i == j:
                continue
            d, v = plus(place, other, -1.0), plus(velocity, speed, -1.0)
            size = sqrt(dot(d, d))
            error = plus(error, d, 1 - 0.5 / size)
            rate = plus(plus(rate, v, 1 - 0.5 / size), d, 0.5 * dot(d, v) / size**3)
        beta.append(error)
        drift.append(rate)
    return beta, drift


@case
def swarm_errors_decay_at_the_rate():
    k = 2.0
    table = ([[0, 0], [2, 9], [5, 8], [6, 4], [5, 0]],
             [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.3, 0.3], [0.3, 0.3]])
    tries = [table]
    for chance in random_states(4, 3):
        tries.append(([[chance.uniform(0, 9), chance.uniform(0, 9)] for _ in range(5)],
                      [[chance.uniform(-1, 1), chance.uniform(-1, 1)] for _ in range(5)]))
    for q, qd in tries:
        state = {}
        for i in range(5):
            state.update(pairs([f"x[{i + 1}]", f"y[{i + 1}]"], q[i], qd[i]))
        now = evaluate("swarm", state if (q, qd) != table else None)
        beta, drift = swarm_errors(q, qd)
        for i in range(5):
            got = now.accelerations(f"x[{i + 1}]", f"y[{i + 1}]")
            near(got, plus(scaled(-1.0, drift[i]), beta[i], -k), 1e-12, 50)
            near(now.outputs[f"beta[{i + 1}]"], sqrt(dot(beta[i], beta[i])))
    # The pulls cancel: the center feels the errors only.
    total = [math.fsum(b[axis] for b in beta) for axis in (0, 1)]
    near(total, [math.fsum(v[axis] for v in qd) for axis in (0, 1)], 1e-12, 10)


# 5. Flexible-joint arm

def arm_equations(q2, q4, q2d, q4d, q1, q3):
    """D and the forces on the links, equations (66) to (68), all data 1 or 1/2."""
    c4, s4 = cos(q4), sin(q4)
    D = [[1 + 0.25 + c4 + 0.25 + 2, 0.25 + 0.5 * c4 + 1], [0.25 + 0.5 * c4 + 1, 1.25]]
    G = [1.5 * GRAVITY * sin(q2) + 0.5 * GRAVITY * sin(q2 + q4), 0.5 * GRAVITY * sin(q2 + q4)]
    centrifugal = [-0.5 * s4 * q4d * q2d - 0.5 * s4 * (q4d + q2d) * q4d, 0.5 * s4 * q2d**2]
    spring = [q2 - q1, q4 - q3]
    return D, [-a - b - c for a, b, c in zip(G, centrifugal, spring)]


@case
def flexible_arm_follows_its_servo():
    k = 2.0
    for chance in random_states(5):
        q = [chance.uniform(-2, 2) for _ in range(4)]
        qd = [chance.uniform(-2, 2) for _ in range(4)]
        state = pairs(["q1", "q2", "q3", "q4"], q, qd)
        D, F = arm_equations(q[1], q[3], qd[1], qd[3], q[0], q[2])
        beta = qd[1] + qd[3]
        # D a = F + A^T mu with A a = -k beta is the least control force.
        links, _ = constrained(D, F, [[1, 1]], [-k * beta])
        now = evaluate("flexible_arm", state)
        near(now.accelerations("q2", "q4"), links)
        near(now.accelerations("q1", "q3"), [q[1] - q[0], q[3] - q[2]])
        near(now.outputs["beta"], beta)
        torques = evaluate("flexible_arm_torques", state)
        for model in (now, torques): # in the order q1, q2, q3, q4
            near_matrix(model.M, [[1, 0, 0, 0], [0, D[0][0], 0, D[0][1]], [0, 0, 1, 0],
                                  [0, D[1][0], 0, D[1][1]]])
            near(model.answer["Q"], [q[1] - q[0], F[0], q[3] - q[2], F[1]], 1e-12, 20)
        near(sum(torques.accelerations("q2", "q4")), -k * beta, 1e-12, 10)
        got = torques.accelerations("q2", "q4")
        near(times(D, got), plus(F, [torques.outputs["torque2"], torques.outputs["torque4"]]),
             1e-12, 50)
        # Of all torques that do it, the least: along the effect of each on q2'' + q4''.
        effect = solve(D, [1.0, 1.0])
        near(torques.outputs["torque2"] * effect[1] - torques.outputs["torque4"] * effect[0], 0,
             1e-12, 50)
    start = evaluate("flexible_arm")
    near(start.outputs["beta"], 0.9)


# 6. Pendulum in polar coordinates

@case
def pendulum_rod_has_its_tension():
    m, L, fx = 0.5, 1.2, 0.8
    for chance in random_states(6):
        theta, rate = chance.uniform(-3, 3), chance.uniform(-3, 3)
        now = evaluate("pendulum_polar", moving(r=(L, 0.0), theta=(theta, rate)))
        want = -m * L * rate**2 - m * GRAVITY * cos(theta) - fx * sin(theta)
        near([now.multipliers["rod"], now.outputs["exact"]], [want, want])
        near(now.answer["qdd"], [0, (fx * cos(theta) - m * GRAVITY * sin(theta)) / (m * L)])


@case
def pendulum_in_its_angle_is_the_textbooks():
    now = evaluate("pendulum", moving(theta=(0.7, -1.1)))
    near(now.answer["qdd"], [-GRAVITY * sin(0.7)])


@case
def ball_falls_between_its_bounces():
    now = evaluate("bouncing_ball", moving(y=(0.4, -2.0)))
    near(now.answer["qdd"], [-GRAVITY])
    near_matrix(now.M, [[1]])


# 7. Slider-crank

CRANK = {"L1": 0.1, "L2": 0.25, "m1": 0.4, "m2": 0.7, "m3": 0.9, "tau": 0.6, "f": -1.5}


def crank_state(theta, rate):
    L1, L2 = CRANK["L1"], CRANK["L2"]
    phi = math.pi - math.asin(L1 / L2 * sin(theta))
    phid = L1 * cos(theta) * rate / (L2 * cos(phi))
    x = 2 * L1 * cos(theta) - 2 * L2 * cos(phi)
    return [theta, phi, x], [rate, phid, -2 * L1 * sin(theta) * rate + 2 * L2 * sin(phi) * phid]


def crank_equations(q, qd):
    theta, phi, _ = q
    thetad, phid, _ = qd
    L1, L2, m1, m2, m3 = (CRANK[name] for name in ("L1", "L2", "m1", "m2", "m3"))
    I1, I2 = m1 * L1**2 / 3, m2 * L2**2 / 3
    couple = -2 * m2 * L1 * L2 * cos(theta - phi)
    M = [[I1 + m1 * L1**2 + 4 * m2 * L1**2, couple, 0], [couple, I2 + m2 * L2**2, 0], [0, 0, m3]]
    B = [-2 * m2 * L1 * L2 * sin(theta - phi) * phid**2,
         2 * m2 * L1 * L2 * sin(theta - phi) * thetad**2, 0]
    G = [(m1 + 2 * m2) * L1 * GRAVITY * cos(theta), -m2 * L2 * GRAVITY * cos(phi), 0]
    Q = [f - b - g for f, b, g in zip([CRANK["tau"], 0, CRANK["f"]], B, G)]
    A = [[-2 * L1 * sin(theta), 2 * L2 * sin(phi), -1],
         [2 * L1 * cos(theta), -2 * L2 * cos(phi), 0]]
    b = [2 * L1 * cos(theta) * thetad**2 - 2 * L2 * cos(phi) * phid**2,
         2 * L1 * sin(theta) * thetad**2 - 2 * L2 * sin(phi) * phid**2]
    return M, Q, A, b


@case
def slider_crank_has_its_equations():
    for chance in random_states(7):
        q, qd = crank_state(chance.uniform(-3, 3), chance.uniform(-9, 9))
        M, Q, A, b = crank_equations(q, qd)
        now = evaluate("slider_crank", pairs(["theta", "phi", "x"], q, qd))
        near_matrix(now.M, M)
        near(now.answer["Q"], Q)
        near_matrix(now.A, A)
        near(now.b, b)
        qdd, multipliers = constrained(M, Q, A, b)
        near(now.answer["qdd"], qdd)
        near([now.multipliers["loop.x"], now.multipliers["loop.y"]], multipliers)
        # Constraint forces do no work, so the energy grows by that of tau and f.
        near(dot(now.answer["force"]["total"], qd), 0, 1e-12, 100)


@case
def slider_crank_moves_alike_in_one_coordinate_and_from_parts():
    L1, L2 = CRANK["L1"], CRANK["L2"]
    for chance in random_states(71):
        q, qd = crank_state(chance.uniform(-3, 3), chance.uniform(-9, 9))
        (theta, phi, x), (thetad, phid, xd) = q, qd
        full = evaluate("slider_crank", pairs(["theta", "phi", "x"], q, qd))
        single = evaluate("slider_crank_angle", moving(theta=(theta, thetad)))
        near(single.qdd["theta"], full.qdd["theta"], 1e-11)
        rod = phi - math.pi
        state = pairs(
            ["crank.x", "crank.y", "crank.angle", "rod.x", "rod.y", "rod.angle", "block.x",
             "block.y", "block.angle"],
            [L1 * cos(theta), L1 * sin(theta), theta, x - L2 * cos(rod), -L2 * sin(rod), rod,
             x, 0.0, 0.0],
            [-L1 * sin(theta) * thetad, L1 * cos(theta) * thetad, thetad,
             xd + L2 * sin(rod) * phid, -L2 * cos(rod) * phid, phid, xd, 0.0, 0.0])
        parts = evaluate("slider_crank_parts", state)
        near(parts.accelerations("crank.angle", "rod.angle", "block.x"), full.answer["qdd"],
             1e-11)
        # What the connecting rod does to the slider is the same force.
        near(parts.multipliers["wrist.point.x"], -full.multipliers["loop.x"], 1e-11, 100)


# 8. Four-bar linkage

BARS = {"L1": 0.2, "L2": 0.5, "L3": 0.4, "d": 0.45}


def four_bar_angles(a1, rate):
    """Angles, rates and the centrifugal parts of the second derivatives of the bars."""
    L1, L2, L3, d = BARS["L1"], BARS["L2"], BARS["L3"], BARS["d"]
    bx, by = L1 * cos(a1), L1 * sin(a1)
    s = math.hypot(d - bx, by)
    a2 = math.atan2(-by, d - bx) + math.acos((L2**2 + s**2 - L3**2) / (2 * L2 * s))
    a3 = math.atan2(by + L2 * sin(a2), bx + L2 * cos(a2) - d)
    # L1 e(a1) + L2 e(a2) - L3 e(a3) is constant.
    rows = [[-L2 * sin(a2), L3 * sin(a3)], [L2 * cos(a2), -L3 * cos(a3)]]
    r2, r3 = solve(rows, [L1 * sin(a1) * rate, -L1 * cos(a1) * rate])
    return [a1, a2, a3], [rate, r2, r3]


def four_bar_places(angles, rates):
    """States (x, y, angle) of the three bars in the plane."""
    L = [BARS["L1"], BARS["L2"], BARS["L3"]]
    (a1, a2, a3), (r1, r2, r3) = angles, rates
    q = [L[0] / 2 * cos(a1), L[0] / 2 * sin(a1), a1,
         L[0] * cos(a1) + L[1] / 2 * cos(a2), L[0] * sin(a1) + L[1] / 2 * sin(a2), a2,
         BARS["d"] + L[2] / 2 * cos(a3), L[2] / 2 * sin(a3), a3]
    qd = [-L[0] / 2 * sin(a1) * r1, L[0] / 2 * cos(a1) * r1, r1,
          -L[0] * sin(a1) * r1 - L[1] / 2 * sin(a2) * r2,
          L[0] * cos(a1) * r1 + L[1] / 2 * cos(a2) * r2, r2,
          -L[2] / 2 * sin(a3) * r3, L[2] / 2 * cos(a3) * r3, r3]
    return q, qd


PLANE = ["x1", "y1", "a1", "x2", "y2", "a2", "x3", "y3", "a3"]


@case
def four_bar_moves_as_the_one_angle_model():
    for chance in random_states(8):
        angles, rates = four_bar_angles(chance.uniform(-3, 3), chance.uniform(-5, 5))
        q, qd = four_bar_places(angles, rates)
        now = evaluate("four_bar", pairs(PLANE, q, qd))
        single = evaluate("four_bar_angle", moving(a1=(angles[0], rates[0])))
        near(single.qdd["a1"], now.qdd["a1"], 1e-11)
        near([single.outputs["coupler"], single.outputs["rocker"]], angles[1:])


@case
def four_bar_in_space_moves_as_in_the_plane():
    for chance in random_states(81, 2):
        angles, rates = four_bar_angles(chance.uniform(-3, 3), chance.uniform(-5, 5))
        q, qd = four_bar_places(angles, rates)
        flat = evaluate("four_bar", pairs(PLANE, q, qd))
        state = {}
        for i, part in enumerate(("crank", "coupler", "rocker")):
            x, y, a = q[3 * i:3 * i + 3]
            xd, yd, ad = qd[3 * i:3 * i + 3]
            state.update(body_state(part, [x, y, 0.0], quaternion([0, 0, 1], a), [xd, yd, 0.0],
                                    [0.0, 0.0, ad]))
        now = evaluate("spatial_four_bar", state)
        assert now.rank == {"M": 18, "A": 20, "Mhat": 21} and now.answer["unique"], now.rank
        unique = now.answer["unique_reaction"]
        for pin in "ABCD":
            assert unique[f"{pin}.point.x"] and unique[f"{pin}.point.y"], unique
            assert not unique[f"{pin}.point.z"] and not unique[f"{pin}.axis.x"], unique
        for i, part in enumerate(("crank", "coupler", "rocker")):
            a, ad = angles[i], rates[i]
            near(now.accelerations(f"{part}.x", f"{part}.y", f"{part}.z"),
                 [*flat.accelerations(f"x{i + 1}", f"y{i + 1}"), 0], 1e-10)
            second = flat.qdd[f"a{i + 1}"]
            want = [-sin(a / 2) * second / 2 - cos(a / 2) * ad**2 / 4, 0, 0,
                    cos(a / 2) * second / 2 - sin(a / 2) * ad**2 / 4]
            near(now.accelerations(*(f"{part}.e{k}" for k in range(4))), want, 1e-10)


# 9. Sleighs and knife edges

@case
def sleigh_has_its_side_force_and_reduced_motion():
    m, inertia, b = 1.0, 0.2, 0.3
    for chance in random_states(9):
        u, w, theta = chance.uniform(-2, 2), chance.uniform(-3, 3), chance.uniform(-3, 3)
        velocity = [u * cos(theta) - b * w * sin(theta), u * sin(theta) + b * w * cos(theta), w]
        for model, names, row in (
                ("sleigh", ["x", "y", "theta"], "skid"),
                ("sleigh_parts", ["sleigh.x", "sleigh.y", "sleigh.angle"], "blade.skid")):
            now = evaluate(model, pairs(names, [0.4, -1.3, theta], velocity))
            near(now.multipliers[row], m * inertia / (m * b**2 + inertia) * w * u)
            xdd, ydd, wd = now.answer["qdd"]
            near(wd, -m * b / (m * b**2 + inertia) * u * w)
            ud = xdd * cos(theta) + ydd * sin(theta) + w * (velocity[1] * cos(theta)
                                                            - velocity[0] * sin(theta))
            near(ud, b * w**2, 1e-12, 5)
            near_matrix(now.A, [[-sin(theta), cos(theta), -b]])
            near(now.b, [w * (velocity[0] * cos(theta) + velocity[1] * sin(theta))], 1e-12, 5)
            if model == "sleigh":
                near([now.outputs["u1"], now.outputs["exact"]], [u, now.outputs["side"]])
            # T is constant.
            near(dot(times(now.M, now.answer["qdd"]), velocity), 0, 1e-12, 10)
    near(evaluate("sleigh").qd["y"], 0.6)


@case
def turning_sleigh_follows_its_closed_form():
    m, inertia, a = 2.0, 0.3, 0.25
    k2 = inertia / m + a**2
    table = { # t: x'', y'', theta'', lam, from the closed form
        0: (2.08931602092883655780, -2.37376463970000475673, 3.52941176470588235294,
            4.23529411764705882353),
        1: (-0.210076534216993601486, -3.89899080638758707819, -3.93351833142142462248,
            -4.72022199770570954697),
        2: (0.735198134187890972596, 0.146209009544029944150, -0.880235252209568544762,
            -1.05628230265148225371),
    }
    places = {0: (0.0, 0.0, 0.4),
              1: (-0.526188271033729837715, -0.424362430859569497339, 3.63052736393158385154),
              2: (-0.782937237176346736254, -1.90860910179200766577, 4.96972678888658993984)}
    C = sqrt(1.5**2 + k2 * 4)
    for t, (xdd, ydd, thetadd, lam) in table.items():
        tau = a * C * t / k2 + math.atanh(-1.5 / C)
        v, w = C * math.tanh(tau), C / sqrt(k2) / math.cosh(tau)
        theta = places[t][2]
        now = evaluate("sleigh_turning", {"t": t, **pairs(
            ["x", "y", "theta"], list(places[t]), [v * cos(theta), v * sin(theta), w])})
        near(now.answer["qdd"], [xdd, ydd, thetadd])
        near(now.multipliers["skid"], -lam)
        near([now.outputs["v"], now.outputs["exact_v"], now.outputs["exact_w"]], [v, v, w])


@case
def knife_edge_has_its_side_force():
    m, G, w = 3.0, 4.905, 1.7
    for t in (0.0, 0.4, 1.0, 3.0):
        s, c = sin(w * t), cos(w * t)
        state = pairs(["x", "y", "theta"],
                      [G / (2 * w**2) * s**2, G / (2 * w**2) * (w * t - s * c), w * t],
                      [G / w * s * c, G / w * s**2, w])
        now = evaluate("knife_edge", {"t": t, **state})
        near(now.answer["qdd"], [G * (c**2 - s**2), 2 * G * s * c, 0])
        near(now.multipliers["skid"], -2 * m * G * s)
        near_matrix(now.M, [[3, 0, 0], [0, 3, 0], [0, 0, 0.2]])


# 10. Locomotion

@case
def roller_racer_solves_for_drive_and_motion_at_once():
    m, inertia, I2, d1, d2, size, w = 60.0, 4.0, 1.5, 0.4, 0.15, 0.5, 5.0
    for t, speed, theta in ((0.13, 0.7, 0.4), (0.9, -1.1, 2.2), (2.0, 0.0, -1.0)):
        phi, phid, phidd = (size * sin(w * t), size * w * cos(w * t), -size * w**2 * sin(w * t))
        # Body axes: forward speed u; the bar's wheels demand
        #   u sin(phi) = (d1 cos(phi) - d2) theta' - d2 phi'.
        span = d1 * cos(phi) - d2
        turn = (speed * sin(phi) + d2 * phid) / span
        velocity = [speed * cos(theta), speed * sin(theta), turn, phid]
        now = evaluate("roller_racer", {"t": t, **pairs(["x", "y", "theta", "phi"],
                                                        [0.3, -0.2, theta, phi], velocity)})
        # Lagrange with the freedoms u: theta' = (u sin(phi) + d2 phi')/span, m u' - the side
        # force of the seat does no work; virtual motion (1, sin(phi)/span) in (u, theta').
        rate = sin(phi) / span
        span_rate = -d1 * sin(phi) * phid
        known = (speed * cos(phi) * phid + d2 * phidd - turn * span_rate) / span
        # theta'' = rate u' + known
        ud = -(((inertia + I2) * known + I2 * phidd) * rate) / (m + (inertia + I2) * rate**2)
        thetadd = rate * ud + known
        near(now.accelerations("theta", "phi"), [thetadd, phidd], 1e-11)
        near(now.accelerations("x", "y"),
             [ud * cos(theta) - speed * turn * sin(theta),
              ud * sin(theta) + speed * turn * cos(theta)], 1e-11)
        # The bar's equation: I2 (theta'' + phi'') = drive - d2 * force, and along theta:
        force = ((inertia + I2) * thetadd + I2 * phidd) / span
        near(now.multipliers["bar"], force, 1e-11)
        near(now.outputs["torque"], I2 * (thetadd + phidd) + d2 * force, 1e-11)
        near(now.multipliers["drive(phi)"], now.outputs["torque"], 1e-11)


@case
def kinematic_snake_moves_as_its_shape_says():
    A, w, bend = 0.6, 2.0, 0.7
    for t, theta in ((0.0, 0.0), (0.35, 1.1), (2.0, -2.0)):
        a1, a2 = -bend + A * sin(w * t), bend + A * cos(w * t)
        shape = [A * w * cos(w * t), -A * w * sin(w * t)]
        bent = [-A * w**2 * sin(w * t), -A * w**2 * cos(w * t)]
        W = snake_rows(theta, a1, a2)
        body = solve([row[:3] for row in W], [-dot(row[3:], shape) for row in W])
        qd = [*body, *shape]
        # W' q' by the chain rule.
        rows = []
        for sign, bend_angle, rate in ((-1, a1, shape[0]), (0, 0.0, 0.0), (1, a2, shape[1])):
            angle, spin = theta + bend_angle, body[2] + rate
            rows.append(-cos(angle) * spin * body[0] - sin(angle) * spin * body[1]
                        - sign * 0.5 * sin(bend_angle) * rate * body[2])
        want = solve([row[:3] for row in W],
                     [-dot(row[3:], bent) - extra for row, extra in zip(W, rows)])
        names = ["x", "y", "theta", "a1", "a2"]
        now = evaluate("kinematic_snake", {"t": t, **pairs(
            names, [0.2, 0.1, theta, a1, a2], qd)})
        near_matrix(now.A[:3], W)
        near(now.answer["qdd"], [*want, *bent], 1e-11)
        rows = ("skid1", "skid2", "skid3", "drive(a1)", "drive(a2)")
        near([now.multipliers[row] for row in rows],
             snake_torques(theta, a1, a2, qd, [*want, *bent]), 1e-11)
        if t == 0.0:
            start = evaluate("kinematic_snake")
            near(start.answer["qd"], qd)
            assert start.rank["A"] == 5, start.rank


# 11. Inverse Kepler problem

@case
def orbit_constraints_make_newtons_law():
    m, e, parameter, L = 1.5, 0.6, 1.0, 2.0
    for angle in (0.0, 0.7, 1.9, 3.1, 4.4, 5.9):
        r = parameter / (1 - e * cos(angle))
        rate = L / (m * r**2)
        rd = -e * sin(angle) * rate * r**2 / parameter
        x, y = r * cos(angle), r * sin(angle)
        now = evaluate("inverse_kepler", moving(
            x=(x, rd * cos(angle) - r * rate * sin(angle)),
            y=(y, rd * sin(angle) + r * rate * cos(angle))))
        pull = -L**2 / (m * parameter * r**2)
        near(now.answer["force"]["total"], [pull * cos(angle), pull * sin(angle)])
        near([now.outputs["radial"], now.outputs["exact"], now.outputs["across"]],
             [pull, pull, 0])


# 12. Friction on an incline

@case
def block_slides_with_friction_known_or_not():
    m, mu, alpha = 2.0, 0.3, math.radians(30)
    for model in ("incline_friction", "incline_friction_reaction"):
        for speed in (2.0, -0.7):
            now = evaluate(model, moving(
                x=(0.5 * cos(alpha), speed * cos(alpha)),
                y=(0.5 * cos(alpha) * tan(alpha), speed * sin(alpha))))
            size = -GRAVITY * (sin(alpha) + mu * cos(alpha) * math.copysign(1, speed))
            near(now.answer["qdd"], [size * cos(alpha), size * sin(alpha)])
            near(now.answer["force"]["ideal"],
                 [-m * GRAVITY * sin(alpha) * cos(alpha), m * GRAVITY * cos(alpha)**2])
            rub = -mu * m * GRAVITY * cos(alpha) * math.copysign(1, speed)
            near(now.answer["force"]["nonideal"], [rub * cos(alpha), rub * sin(alpha)])
            near(now.multipliers["plane"], m * GRAVITY * cos(alpha)**2)


# 13. Nonlinear and dependent constraints

@case
def constant_speed_leaves_the_part_of_gravity_across():
    v = 5.0
    for angle in (0.0, 0.8, 2.5, -1.2):
        now = evaluate("constant_speed", moving(x=(0.0, v * cos(angle)), y=(0.0, v * sin(angle))))
        across = -GRAVITY * cos(angle)
        near(now.answer["qdd"], [-across * sin(angle), across * cos(angle)])
        near_matrix(now.A, [[2 * v * cos(angle), 2 * v * sin(angle)]])


@case
def repeated_constraints_change_nothing_but_multipliers():
    m = 1.3
    for chance in random_states(13):
        x, xd, z = chance.uniform(-2, 2), chance.uniform(-2, 2), chance.uniform(-1, 1)
        y, yd = x**2 / 4, x * xd / 2
        state = moving(x=(x, xd), y=(y, yd), z=(z, 0.5 * xd * y))
        many, once = evaluate("repeated_constraints", state), evaluate(
            "repeated_constraints_once", state)
        near(many.answer["qdd"], once.answer["qdd"], 1e-11, 20)
        for kind in ("ideal", "nonideal", "total"):
            near(many.answer["force"][kind], once.answer["force"][kind], 1e-11, 20)
        assert many.rank["A"] == once.rank["A"] == 2, many.rank
        flags = many.answer["unique_reaction"]
        assert flags["tilt"] and not any(flags[row] for row in flags if row != "tilt"), flags
        (together,) = many.answer["dependent_sets"]
        assert sorted(together) == ["both", "wire", "wire_in_mm", "wire_speed"], together
        # By hand: rows (-x/2, 1, 0) and (-y/2, 0, 1); C is the drag, of which only the
        # part along the free direction is left.
        M = [[m, 0, 0.2 * m], [0, m, 0], [0.2 * m, 0, m]]
        A = [[-x / 2, 1, 0], [-y / 2, 0, 1]]
        b = [xd**2 / 2, 0.5 * xd * yd]
        C = [-0.4 * xd, -0.4 * yd, -0.4 * 0.5 * xd * y]
        Q = [0, -m * GRAVITY, 0]
        want, _ = constrained(M, plus(Q, C), A, b)
        ideal, _ = constrained(M, Q, A, b)
        near(once.answer["qdd"], want, 1e-12, 20)
        near(once.answer["force"]["ideal"], plus(times(M, ideal), Q, -1.0), 1e-12, 20)
        # The two parts of the constraint force are orthogonal through M.
        extra = plus(want, ideal, -1.0)
        free = solve(M, Q)
        near(dot(times(M, extra), plus(ideal, free, -1.0)), 0, 1e-11, 100)


# 14 to 16. Singular mass matrices

@case
def wheel_rolls_although_the_mass_matrix_is_singular():
    m, R, inertia, alpha = 3.0, 0.25, 0.12, math.radians(20)
    spin = m * GRAVITY * R * sin(alpha) / (m * R**2 + inertia)
    for theta in (0.0, 1.7):
        state = moving(theta=(theta, 0.4), y=(R * theta * sin(alpha), R * 0.4 * sin(alpha)))
        now = evaluate("wheel_incline", state)
        near(now.accelerations("theta", "y"), [spin, R * sin(alpha) * spin])
        assert now.rank == {"M": 1, "A": 1, "Mhat": 2} and now.answer["unique"], now.rank
        loose = evaluate("wheel_massless", {**state, "x": 0.3, "x'": 0.1})
        near(loose.accelerations("theta", "y"), [spin, R * sin(alpha) * spin])
        assert not loose.answer["unique"], loose.answer
        assert loose.answer["indeterminate"] == ["x"], loose.answer


@case
def two_masses_join_from_sub_systems():
    m1, m2, k1, k2 = 2.0, 3.0, 40.0, 70.0
    for chance in random_states(16):
        x1, q2 = chance.uniform(-1, 1), chance.uniform(-1, 1)
        now = evaluate("two_masses", moving(x1=(x1, 0.3), q1=(x1 + 0.5, 0.3), q2=(q2, -0.2)))
        first = (k2 * q2 - k1 * x1) / m1
        near(now.answer["qdd"], [first, first, -first - k2 * q2 / m2])
        assert now.rank == {"M": 2, "A": 1, "Mhat": 3}, now.rank
        q2 = k1 * x1 / k2
        light = evaluate("two_masses_light1", moving(
            x1=(x1, 0.3), q1=(x1 + 0.5, 0.3), q2=(q2, 0.3 * k1 / k2)))
        size = -k1 * k2 * (x1 + q2) / (m2 * (k1 + k2)**2)
        near(light.answer["qdd"], [k2 * size, k2 * size, k1 * size])
        light = evaluate("two_masses_light2", moving(
            x1=(x1, 0.3), q1=(x1 + 0.5, 0.3), q2=(0.0, 0.0)))
        near(light.answer["qdd"], [-k1 * x1 / m1, -k1 * x1 / m1, 0])


@case
def two_masses_are_refused_when_one_has_no_mass():
    state = moving(x1=(0.1, 0.0), q1=(0.6, 0.0), q2=(-0.05, 0.0))
    for name in ("m1", "m2"):
        names, _ = refuse("two_masses", state, **{name: 0})
        assert names and set(names) <= {"x1", "q1", "q2"}, names
    # In balance there is no push, but the accelerations are not unique either.
    state = moving(x1=(0.7, 0.0), q1=(1.2, 0.0), q2=(0.4, 0.0))
    now = evaluate("two_masses", state, m1=0)
    assert not now.answer["unique"], now.answer
    assert sorted(now.answer["indeterminate"]) == ["q1", "q2", "x1"], now.answer


# Published problems.  The tables have lam = -lambda.

@case
def cartesian_pendulums_have_the_tabulated_accelerations():
    rows = (
        ("pendulum_index3", 0.86734864060043932173, 0.49770105047967292935,
         -0.033748018060954519609, 0.058813011465250007541, 0.42769234807642551055,
         -0.75458204353396310509, -0.24655157571950939403),
        ("pendulum_index3", 0.88439238309272025400, 0.46674416196410977521,
         0.12037265524170179631, -0.22808353720039254653, 0.35396256198944067147,
         -0.81319382378137236057, -0.20011624294616466282),
        ("pendulum_iftomm", 0.98629175113187531936, -0.16501085312554116875,
         0.29690551591631582156, 1.7746436411126556265, -4.7896984578762162649,
         -9.0086628420634871932, 2.4281347037423382982),
        ("pendulum_iftomm", -0.94230543504375733550, -0.33475433841400058079,
         0.85790425688594907306, -2.4149286543704886226, 9.2834237002392652664,
         -6.5120604536297305318, 4.9259100897620185463),
        ("pendulum_iftomm", -0.27508746257611686005, -0.96141920509912506426,
         4.1755981009517288365, -1.1947490545604752716, 7.7834806974064481956,
         17.392940311880948081, 14.147283603033625321),
    )
    for model, x, y, xd, yd, xdd, ydd, lam in rows:
        now = evaluate(model, moving(x=(x, xd), y=(y, yd)))
        near(now.answer["qdd"], [xdd, ydd])
        near(now.multipliers["rod"], -lam)
    x, y, xd, yd = (0.8190646817017470846254, -0.5737011828372116355374,
                    -2.278771786709857528878, -3.253368729208357809361)
    now = evaluate("pendulum_period2", moving(x=(x, xd), y=(y, yd)))
    near(now.multipliers["rod"], -11.83290670807173106362)


DOUBLE = ["x1", "y1", "x2", "y2"]


@case
def double_pendulum_has_the_published_tensions():
    table = (
        ([0.34681752043737782155, -1.2943406072273515042, 3.1783598741000640440,
          -7.3666027803729062580],
         [2.7786321443207396753, 0.74453223913390099518, -1.5665875422727935654,
          -1.2816769770905264252],
         [8.8798508664360529019, 8.7726620369554605491, -6.9815010275226899192,
          5.1618772690670029925], [82.004463553446972458, 13.807459282237001565]),
        ([0.45069654636157658340, -1.2619320992421689126, 1.8665142788169465757,
          -7.8106312180340022405],
         [-3.4726295611232834573, -1.2402427602335147717, -3.1849930414000387541,
          -1.1780562285668941928],
         [-16.688810324190641200, 4.8146560347830811603, -3.7685979546348529139,
          7.6212085085965835788], [91.260341946322222574, 14.905978405395081637]),
        ([-0.20998969386185921562, -1.3234441161121245644, -0.060635458454746727321,
          -8.0217792310765854050],
         [2.4487506687726073188, -0.38854107779796712566, -4.1524403688421075740,
          -0.53572927057689174674],
         [16.969427594785643790, 1.9524353690894782605, -0.39876038890407330343,
          8.0738632073090857797], [86.338784549144918840, 14.951421844689572736]),
    )
    for q, qd, qdd, lam in table:
        now = evaluate("double_pendulum", pairs(DOUBLE, q, qd))
        near(now.answer["qdd"], qdd)
        near([now.multipliers["rod1"], now.multipliers["rod2"]], scaled(-1.0, lam))
    start = evaluate("double_pendulum")
    near([start.outputs["tension1"], start.outputs["tension2"]],
         [109.88598116161894309, 92.509977190987910484])
    near(start.answer["q"], table[0][0])
    near(start.answer["qd"], table[0][1])


@case
def level_double_pendulum_is_the_same_with_a_redundant_rod():
    table = (
        ([1, 0, 2, 0], [0, 0, 0, 0], [0, -9.81, 0, -9.81], [0, 0]),
        ([-0.58516839199887506894, -0.81091180346906462094, -1.4448188499434757965,
          -1.3217944613814645558],
         [-3.1806228021604616165, 2.2951940306368917789, -3.8463536098580947779,
          3.4154038965259580849],
         [7.2176499008089951618, 13.763193991851689773, 17.146467422202721840,
          0.37999381610033566601], [41.636078872589814659, 19.945859696509005937]),
        ([-0.46441286869951397749, -0.88561881607511478534, -1.4341248174642766370,
          -1.1298701956471579784],
         [2.7146768995930747224, -1.4235592826715551067, 3.4350405438200174735,
          -4.2835031425036971725],
         [-0.40860722135985186593, 10.823792334031282058, 12.937706368800204659,
          -6.5512460647692400103], [26.978363417287159435, 13.341803599801465430]),
        ([-0.58686920981627114532, -0.80968174647180080514, -1.5507784694704428004,
          -1.0759127348126524565],
         [1.7209046070034419489, -1.2473369089548377363, 2.7543836794925753391,
          -4.9891253981133040728],
         [-1.7085659917577073014, 6.8175759530238213416, 17.204752266321449262,
          -5.0580607960280181825], [26.404837765155668264, 17.848933490372440648]),
    )
    for q, qd, qdd, lam in table:
        now = evaluate("double_pendulum_level", pairs(DOUBLE, q, qd))
        near(now.answer["qdd"], qdd)
        near([now.multipliers["rod1"], now.multipliers["rod2"]], scaled(-1.0, lam))
        more = evaluate("double_pendulum_redundant", pairs(DOUBLE, q, qd))
        near(more.answer["qdd"], qdd)
        near(more.answer["force"]["total"], now.answer["force"]["total"], 1e-12, 20)
        assert more.rank["A"] == 2 and not any(more.answer["unique_reaction"].values())
        # The least (l1, l2, l3) with l1 + l3, l2 + l3 given: l3 is a third of their sum.
        third = -(lam[0] + lam[1]) / 3
        near([more.multipliers[name] for name in ("rod1", "rod2", "both")],
             [-lam[0] - third, -lam[1] - third, third], 1e-12, 50)


@case
def triple_pendulum_has_the_tabulated_accelerations():
    names = [f"{axis}[{i}]" for i in (1, 2, 3) for axis in "xy"]
    table = (
        ([0.8660254037844386468, 0.5, 1.472243186433545699, 0.15, 1.272243186433545699,
          -0.1964101615137754587],
         [-0.25, 0.4330127018922193234, -0.6, -0.1732050807568877294, 0.09282032302755091741,
          -0.5732050807568877294],
         [3.467565716752892342, -6.506, 0.4037825378636695590, -10.41262812921102037, 0.64,
          -8.701487483155918532], [-5.306, -1.86, 1.6]),
        ([-0.4601699174191386170, -0.8878308662704080293, -1.140076868070271992,
          -1.054343744019479692, -1.474444571666784441, -1.273884716941608277],
         [-0.8576201371962176653, 0.4445114522413713291, -1.322573165334934108,
          2.343012035686892592, -6.381653554118988046, 10.04814820864120199],
         [-30.99528686152403582, 17.11609936494355805, -13.94406431006753775,
          -29.56352716718280469, 158.7499792033680629, 94.42292833249168356],
         [44.53045134925777503, 75.72633421711752227, 237.3883265276937934]),
        ([-0.2787088327571393483, -0.9603756486621018696, -0.7467880913858252074,
          -1.480857932358309741, -0.9540519975795697899, -1.138744393910456664],
         [4.628280828343991585, -1.343164780507520747, 4.103417187176769770,
          -0.8711452867909937945, 9.190022728376123830, 2.210491699920720914],
         [-6.233733837647757831, 25.99240387862503514, 3.658991877548734976,
          18.05304531876614767, 34.45256505773948835, -66.67802471767682614],
         [65.69771135410999081, 52.43613305121364461, 83.11279491551746797]),
    )
    for q, qd, qdd, lam in table:
        now = evaluate("triple_pendulum", pairs(names, q, qd))
        near(now.accelerations(*names), qdd)
        near([now.multipliers[f"rod[{i}]"] for i in (1, 2, 3)], scaled(-1.0, lam))


@case
def car_axis_has_the_tabulated_accelerations():
    names = ["xl", "yl", "xr", "yr"]
    table = (
        (0.0, [0, 0.5, 1, 0.5], [-0.5, 0, -0.5, 0], [0, -1, 0, -1], [0, 0]),
        (1.0, [0.027182095440113456346, 0.49891155262926493259, 1.0245487959703789852,
               0.42638800698116773106],
         [0.41916441475479463212, -0.024290049857214544131, 0.29717268576311038299,
          -1.7019588283087645239],
         [-2.7227063676048307345, -0.24296894507791511224, -2.9013971057226277507,
          36.313907811970046928], [0.0038371209827120937374, 0.0012287984619505462324]),
        (3.0, [0.049345578427524092132, 0.49698946023000810676, 1.0417425248854261152,
               0.37391102726536581936],
         [-0.077058368403592084284, 0.0074468665920684164914, 0.017556815753541736630,
          0.77034104377960106312],
         [-4.9302868748419281517, 0.52026580273932798011, 0.52201119991551300884,
          49.284321166943541368], [0.0047368865908533265153, 0.0011046803312595658399]),
    )
    for t, q, qd, qdd, lam in table:
        now = evaluate("car_axis", {"t": t, **pairs(names, q, qd)})
        # Forces of order 1 move masses of 5e-4: rounding of the state is multiplied.
        near(now.answer["qdd"], qdd, 1e-11, 50)
        near([now.multipliers["road"], now.multipliers["axis"]], scaled(-1.0, lam), 1e-12, 0.5)


# Mechanisms

@case
def pendulum_chain_has_its_mass_matrix_for_any_length():
    m, L = 0.2, 0.3
    for count, chance in zip((1, 5, 12), random_states(20, 3)):
        a = [chance.uniform(-3, 3) for _ in range(count)]
        rate = [chance.uniform(-2, 2) for _ in range(count)]
        names = [f"a[{i + 1}]" for i in range(count)]
        now = evaluate("pendulum_chain", pairs(names, a, rate), N=count)

        def load(i, j):
            return m * L**2 * (count - max(i, j))

        span = range(count)
        M = [[load(i, j) * cos(a[i] - a[j]) for j in span] for i in span]
        Q = [-m * GRAVITY * L * (count - i) * sin(a[i])
             - math.fsum(load(i, j) * sin(a[i] - a[j]) * rate[j]**2 for j in span) for i in span]
        near_matrix(now.M, M)
        near(now.answer["Q"], Q)
        near(now.answer["qdd"], solve(M, Q), 1e-11)


@case
def squeezer_starts_as_published():
    names = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"]
    now = evaluate("squeezer")
    near(now.accelerations(*names), [14222.4439199541138705911625887,
                                     -10666.8329399655854029433719415, 0, 0, 0, 0, 0], 1e-11)
    near([now.multipliers[f"loop{i}.{axis}"] for i in (1, 2, 3) for axis in "xy"],
         [-98.5668703962410896057654982170, 6.12268834425566265503114393122, 0, 0, 0, 0], 1e-11)
    assert now.rank["A"] == 6, now.rank


@case
def squeezer_has_the_published_equations():
    """The entries of M and f as the Test Set prints them."""
    m2, m4, m6 = 0.00365, 0.00706, 0.00706
    da, rr, zt, e4, u, f6 = 0.0115, 0.007, 0.04, 0.02 - 0.01421, 0.04, 0.02 - 0.01421
    for chance in random_states(21):
        be, th, ga, ph, de, om, ep = (chance.uniform(-2, 2) for _ in range(7))
        q = [be, th, ga, ph, de, om, ep]
        qd = [chance.uniform(-20, 20) for _ in range(7)]
        bed, thd, _, phd, ded, omd, epd = qd
        now = evaluate("squeezer", pairs(
            ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"], q, qd))
        M = [[0.0] * 7 for _ in range(7)]
        M[0][0] = (0.04325 * 0.00092**2 + m2 * (rr**2 - 2 * da * rr * cos(th) + da**2)
                   + 2.194e-6 + 4.410e-7)
        M[0][1] = M[1][0] = m2 * (da**2 - da * rr * cos(th)) + 4.410e-7
        M[1][1] = m2 * da**2 + 4.410e-7
        M[2][2] = 0.02373 * (0.01874**2 + 0.01043**2) + 5.255e-6
        M[3][3] = m4 * e4**2 + 5.667e-7
        M[3][4] = M[4][3] = m4 * (e4**2 + zt * e4 * sin(ph)) + 5.667e-7
        M[4][4] = (m4 * (zt**2 + 2 * zt * e4 * sin(ph) + e4**2)
                   + 0.07050 * (0.02308**2 + 0.00916**2) + 5.667e-7 + 1.169e-5)
        M[5][5] = m6 * f6**2 + 5.667e-7
        M[5][6] = M[6][5] = m6 * (f6**2 - u * f6 * sin(om)) + 5.667e-7
        M[6][6] = (m6 * (f6**2 - 2 * u * f6 * sin(om) + u**2)
                   + 0.05498 * (0.01228**2 + 0.00449**2) + 5.667e-7 + 1.912e-5)
        for got, want in zip(now.M, M):
            near(got, want, 1e-12, 1e-5)
        xd = 0.02 * cos(ga) + 0.018 * sin(ga) - 0.03635 - 0.014
        yd = 0.02 * sin(ga) - 0.018 * cos(ga) + 0.03273 - 0.072
        force = -4530 * (1 - 0.07785 / math.hypot(xd, yd))
        want = [
            0.033 - m2 * da * rr * thd * (thd + 2 * bed) * sin(th),
            m2 * da * rr * bed**2 * sin(th),
            force * xd * (0.018 * cos(ga) - 0.02 * sin(ga))
            + force * yd * (0.02 * cos(ga) + 0.018 * sin(ga)),
            m4 * zt * e4 * ded**2 * cos(ph),
            -m4 * zt * e4 * phd * (phd + 2 * ded) * cos(ph),
            -m6 * u * f6 * epd**2 * cos(om),
            m6 * u * f6 * omd * (omd + 2 * epd) * cos(om)]
        near(now.answer["Q"], want, 1e-12, 1.0)


@case
def parallelogram_moves_as_one_crank():
    L, D, m, M = 0.3, 0.5, 0.4, 1.5
    for a, rate in ((1.2, 0.0), (2.4, -1.7), (-0.9, 3.0)):
        names = [f"crank[{i}].{c}" for i in (1, 2, 3) for c in ("x", "y", "angle")]
        names += ["coupler.x", "coupler.y", "coupler.angle"]
        q, qd = [], []
        for i in (-1, 0, 1):
            q += [D * i + L / 2 * cos(a), L / 2 * sin(a), a]
            qd += [-L / 2 * sin(a) * rate, L / 2 * cos(a) * rate, rate]
        q += [L * cos(a), L * sin(a), 0.0]
        qd += [-L * sin(a) * rate, L * cos(a) * rate, 0.0]
        now = evaluate("parallelogram", pairs(names, q, qd))
        want = -(1.5 * m + M) * GRAVITY * L * cos(a) / ((m + M) * L**2)
        near([now.qdd[f"crank[{i}].angle"] for i in (1, 2, 3)], [want] * 3, 1e-11)
        near(now.qdd["coupler.angle"], 0, 1e-11, 10)
        near(now.outputs["exact"], want)
        assert now.rank["A"] == 11 and now.answer["unique"], now.rank
        assert now.answer["dependent_sets"], now.answer


def polygon(count, tilt):
    return [tilt + 2 * math.pi * i / count for i in range(count)]


@case
def closed_loop_moves_as_a_chain_of_angles():
    """The same loop in N absolute angles with two closing constraints."""
    m, L = 0.2, 0.4
    for count in (4, 6):
        a = polygon(count, math.radians(-120))
        # Rates that keep the loop closed: solve for the last two.
        rate = [0.3 * (k + 1) * (-1)**k for k in range(count - 2)]
        rows = [[-sin(a[-2]), -sin(a[-1])], [cos(a[-2]), cos(a[-1])]]
        right = [math.fsum(sin(x) * r for x, r in zip(a, rate)),
                 -math.fsum(cos(x) * r for x, r in zip(a, rate))]
        rate += solve(rows, right)
        span = range(count)
        # Place of link k: sum of L e(a_j), j < k, and half of e(a_k).
        weight = [[L if j < k else L / 2 if j == k else 0.0 for j in span] for k in span]
        both = [[math.fsum(weight[k][i] * weight[k][j] for k in span) for j in span] for i in span]
        M = [[m * both[i][j] * cos(a[i] - a[j]) + (m * L**2 / 12 if i == j else 0.0)
              for j in span] for i in span]
        Q = [-m * GRAVITY * math.fsum(weight[k][i] for k in span) * cos(a[i])
             - math.fsum(m * both[i][j] * sin(a[i] - a[j]) * rate[j]**2 for j in span)
             for i in span]
        A = [[-L * sin(x) for x in a], [L * cos(x) for x in a]]
        b = [math.fsum(L * cos(x) * r**2 for x, r in zip(a, rate)),
             math.fsum(L * sin(x) * r**2 for x, r in zip(a, rate))]
        want, _ = constrained(M, Q, A, b)
        state = {}
        for k in span:
            state.update(pairs(
                [f"link[{k + 1}].{c}" for c in ("x", "y", "angle")],
                [math.fsum(w * cos(x) for w, x in zip(weight[k], a)),
                 math.fsum(w * sin(x) for w, x in zip(weight[k], a)), a[k]],
                [-math.fsum(w * sin(x) * r for w, x, r in zip(weight[k], a, rate)),
                 math.fsum(w * cos(x) * r for w, x, r in zip(weight[k], a, rate)), rate[k]]))
        now = evaluate("closed_loop", state, N=count)
        near([now.qdd[f"link[{k + 1}].angle"] for k in span], want, 1e-11)
        assert now.rank["A"] == 2 * count + 2, now.rank


@case
def planetary_gear_obeys_willis():
    sun, planet = 0.04, 0.03
    ring, arm = sun + 2 * planet, sun + planet
    n, p = 1 + ring / sun, 1 - ring / planet
    Is, Ic, mp, Ip, tau, load = 1e-4, 4e-4, 0.15, 7e-5, 0.05, 0.02
    for c, rate in ((0.0, 0.0), (0.8, 3.0)):
        names = [f"{part}.{k}" for part in ("center", "carrier", "moon")
                 for k in ("x", "y", "angle")]
        now = evaluate("gear_train", pairs(
            names, [0, 0, n * c, 0, 0, c, arm * cos(c), arm * sin(c), p * c],
            [0, 0, n * rate, 0, 0, rate, -arm * sin(c) * rate, arm * cos(c) * rate, p * rate]))
        want = (n * tau - load * rate) / (Is * n**2 + Ic + mp * arm**2 + Ip * p**2)
        near(now.accelerations("center.angle", "carrier.angle", "moon.angle"),
             [n * want, want, p * want], 1e-11)
        near(now.outputs["ratio"], n, 1e-11)
        # The teeth of the sun: Is n c'' = tau + force * sun.
        near(now.multipliers["mesh1.mesh"], (Is * n * want - tau) / sun, 1e-11)


@case
def wheel_from_parts_rolls_down():
    m, R, alpha = 3.0, 0.25, math.radians(20)
    along = [cos(alpha), -sin(alpha)]
    for s, speed in ((0.0, 0.0), (1.4, 2.0)):
        r = plus(scaled(s, along), scaled(R, [sin(alpha), cos(alpha)]))
        now = evaluate("rolling_wheel", pairs(
            ["disc.x", "disc.y", "disc.angle"], [*r, -s / R],
            [*scaled(speed, along), -speed / R]))
        size = GRAVITY * sin(alpha) / 1.5
        near(now.answer["qdd"], [*scaled(size, along), -size / R])
        near([now.outputs["normal"], now.outputs["friction"]],
             [m * GRAVITY * cos(alpha), -m * GRAVITY * sin(alpha) / 3])


def euler_quaternion(phi, theta, psi):
    turned = quaternion_product(quaternion([0, 0, 1], phi), quaternion([1, 0, 0], theta))
    return quaternion_product(turned, quaternion([0, 0, 1], psi))


@case
def spinning_top_obeys_lagrange_in_angles_and_from_parts():
    m, length, I1, I3 = 0.5, 0.06, 2.4e-3, 4e-4
    for chance in random_states(23):
        phi, theta, psi = chance.uniform(-3, 3), chance.uniform(0.3, 2.5), chance.uniform(-3, 3)
        phid, thetad, psid = chance.uniform(-9, 9), chance.uniform(-9, 9), chance.uniform(50, 99)
        w3 = psid + phid * cos(theta)
        thetadd = (phid**2 * sin(theta) * cos(theta)
                   + (m * GRAVITY * length - I3 * w3 * phid) * sin(theta) / I1)
        phidd = (I3 * w3 * thetad / I1 - 2 * phid * thetad * cos(theta)) / sin(theta)
        psidd = phid * thetad * sin(theta) - phidd * cos(theta)
        now = evaluate("spinning_top", pairs(["phi", "theta", "psi"], [phi, theta, psi],
                                             [phid, thetad, psid]))
        near(now.answer["qdd"], [phidd, thetadd, psidd])
        # In space: the axis is a, its second derivative follows from the angles.
        sp, cp, st, ct = sin(phi), cos(phi), sin(theta), cos(theta)
        a = [sp * st, -cp * st, ct]
        ad = [cp * st * phid + sp * ct * thetad, sp * st * phid - cp * ct * thetad, -st * thetad]
        add = [cp * st * phidd + sp * ct * thetadd - sp * st * phid**2 + 2 * cp * ct * phid * thetad
               - sp * st * thetad**2,
               sp * st * phidd - cp * ct * thetadd + cp * st * phid**2 + 2 * sp * ct * phid * thetad
               + cp * st * thetad**2,
               -st * thetadd - ct * thetad**2]
        spin = [phid * st * sin(psi) + thetad * cos(psi), phid * st * cos(psi) - thetad * sin(psi),
                w3]
        state = body_state("top", scaled(length, a), euler_quaternion(phi, theta, psi),
                           scaled(length, ad), spin)
        parts = evaluate("spinning_top_parts", state)
        near(parts.accelerations("top.x", "top.y", "top.z"), scaled(length, add), 1e-10)
        assert parts.rank == {"M": 6, "A": 4, "Mhat": 7}, parts.rank
    steady = evaluate("spinning_top")
    near(steady.answer["qdd"], [0, 0, 0], 1e-12, 100)
    steady = evaluate("spinning_top_parts")
    near(steady.qdd["top.z"], 0, 1e-10, 10)
    near(steady.outputs["force_z"], 0.5 * GRAVITY, 1e-10)


@case
def rolling_disc_obeys_euler_in_angles_and_from_parts():
    m, R = 1.0, 0.3
    Ia, Id = m * R**2 / 2, m * R**2 / 4
    for chance in random_states(24):
        psi, theta = chance.uniform(-3, 3), chance.uniform(-1.2, 1.2)
        psid, thetad, phid = (chance.uniform(-4, 4) for _ in range(3))
        w = phid + psid * sin(theta)
        st, ct = sin(theta), cos(theta)
        thetadd = ((Ia + m * R**2) * w * psid * ct - Id * psid**2 * st * ct
                   + m * GRAVITY * R * st) / (Id + m * R**2)
        wd = -m * R**2 * psid * thetad * ct / (Ia + m * R**2)
        psidd = (2 * psid * thetad * st - Ia * w * thetad / Id) / ct
        phidd = wd - psidd * st - psid * thetad * ct
        speed = R * phid
        now = evaluate("rolling_disc", pairs(
            ["x", "y", "psi", "theta", "phi"], [0.1, 0.2, psi, theta, 0.3],
            [speed * cos(psi), speed * sin(psi), psid, thetad, phid]))
        near(now.accelerations("psi", "theta", "phi"), [psidd, thetadd, phidd], 1e-11)
        # The same from parts.  Body axes h, n, e3 at spin 0.
        e = quaternion_product(quaternion([0, 0, 1], psi), quaternion([1, 0, 0], theta))
        e = quaternion_product(e, quaternion([0, 1, 0], 0.3))
        frame = rotation(quaternion_product(quaternion([0, 0, 1], psi),
                                            quaternion([1, 0, 0], theta)))
        h, n, e3 = transpose(frame)
        omega = plus(plus(scaled(thetad, h), n, w), e3, psid * ct)
        arm = scaled(R, e3)
        velocity = cross(omega, arm)
        center = plus([0.1, 0.2, 0.0], arm)
        parts = evaluate("rolling_disc_parts", body_state(
            "disc", center, e, velocity, times(transpose(rotation(e)), omega)))
        # v = R w h - R theta' n in axes that turn with psi' z + theta' h.
        turn = plus([0.0, 0.0, psid], h, thetad)
        want = plus(plus(scaled(R * wd, h), n, -R * thetadd), cross(turn, velocity))
        near(parts.accelerations("disc.x", "disc.y", "disc.z"), want, 1e-10)
        near(parts.outputs["lean_now"], theta)
        near(math.remainder(parts.outputs["heading"] - psi, 2 * math.pi), 0, 1e-12, 3)
    steady = evaluate("rolling_disc")
    near(steady.accelerations("psi", "theta", "phi"), [0, 0, 0], 1e-12, 30)
    steady = evaluate("rolling_disc_parts") # on a circle: the center neither rises nor falls
    near([steady.qdd["disc.z"], steady.outputs["normal"]], [0, GRAVITY], 1e-10)


@case
def universal_joint_is_uneven():
    bend, rate, J = math.radians(40), 10.0, 0.01
    sb, cb = sin(bend), cos(bend)
    for a in (0.0, 0.6, 1.5, 2.9):
        b = math.atan2(cb * sin(a), cos(a))
        ratio = cb / (1 - sb**2 * sin(a)**2)
        second = cb * sb**2 * 2 * sin(a) * cos(a) / (1 - sb**2 * sin(a)**2)**2 * rate**2
        state = body_state("shaft1", [0.0] * 3, quaternion([0, 0, 1], a), [0.0] * 3, [0, 0, rate])
        state.update(body_state(
            "shaft2", [0.0] * 3,
            quaternion_product(quaternion([1, 0, 0], bend), quaternion([0, 0, 1], b)),
            [0.0] * 3, [0, 0, ratio * rate]))
        now = evaluate("universal_joint", {"t": a / rate, **state})
        near([now.outputs["speed"], now.outputs["exact"]], [ratio * rate] * 2)
        # Drive torque: the second shaft's inertia J/2, seen through the ratio.
        near(now.outputs["torque"], J / 2 * second * ratio, 1e-10, 1.0)
        e = [state[f"shaft2.e{k}"] for k in range(4)]
        ed = quaternion_rate(e, [0, 0, ratio * rate])
        want = plus(scaled(0.5, quaternion_product(e, [0, 0, 0, second])),
                    scaled(0.5, quaternion_product(ed, [0, 0, 0, ratio * rate])))
        near(now.accelerations(*(f"shaft2.e{k}" for k in range(4))), want, 1e-10)
        assert now.rank["A"] == 14 and now.answer["unique"], now.rank


@case
def starts_fit_the_geometry():
    """Where the constants of the constraints show, which A and b do not."""
    crank, speed = crank_state(math.radians(40), 3.0)
    bars, rates = four_bar_places(*four_bar_angles(math.radians(60), 4.0))
    heading = polygon(6, math.radians(-120))
    lean = math.radians(20)
    for model, want in (
            ("slider_crank", pairs(["theta", "phi", "x"], crank, speed)),
            ("slider_crank_parts", {"block.x": crank[2], "block.y": 0, "block.angle": 0,
                                    "rod.angle": crank[1] - math.pi, "block.x'": speed[2]}),
            ("four_bar", pairs(PLANE, bars, rates)),
            ("spatial_four_bar", {"coupler.x": bars[3], "coupler.y": bars[4], "rocker.x": bars[6],
                                  "rocker.x'": rates[6], "coupler.z": 0}),
            ("parallelogram", {"crank[2].angle": math.radians(70), "coupler.angle": 0}),
            ("closed_loop", {f"link[{k + 1}].angle": a for k, a in enumerate(heading)}),
            ("gear_train", {"moon.x": 0.07, "center.angle": 0, "moon.angle": 0}),
            ("rolling_wheel", {"disc.x": 0.25 * sin(lean), "disc.y": 0.25 * cos(lean)}),
            ("rolling_disc_parts", {"disc.z": 0.3 * cos(lean), "disc.e1": sin(lean / 2)}),
            ("spinning_top_parts", {"top.z": 0.06 * cos(math.radians(30)), "top.x": 0}),
            ("universal_joint", {"shaft2.e1": sin(math.radians(20)), "shaft1.e0": 1}),
            ("suspended_body", {"plate.z": 0, "bob.x": 0.05, "bob.y": 0}),
            ("inverse_kepler", {"y'": -2 * 1.6 / 1.5, "x'": 0}),
            ("wheel_incline", {"y": 0, "y'": 0}),
            ("two_masses", {"q1": 0.6}), ("two_masses_light1", {"q2": 0.1 * 40 / 70}),
            ("repeated_constraints", {"y": 0.25, "y'": 1, "z'": 0.25}),
            ("constant_speed", {"x'": 5}), ("pendulum_polar", {"r": 1.2}),
            ("roller_racer", {"phi": 0, "phi'": 2.5, "theta'": 1.5}),
            ("spiral", {"r": exp(3)}), ("squeezer", {"epsilon": 1.23054744454982119})):
        now = evaluate(model)
        found = {**now.q, **{name + "'": rate for name, rate in now.qd.items()}}
        for name, value in want.items():
            near(found[name], value, 1e-11, max(1.0, abs(value)))


@case
def overrides_follow_through_derived_parameters():
    """L2 is in I2 and in the constraint."""
    now = evaluate("slider_crank", L2=0.4)
    near(now.M[1][1], 0.7 * 0.4**2 / 3 + 0.7 * 0.4**2)


@case
def suspended_plate_keeps_four_freedoms():
    assert evaluate("suspended_body").rank == {"M": 12, "A": 10, "Mhat": 14}


@case
def unknown_names_are_refused():
    status, out, _ = run("eval", EXAMPLES / "pendulum.kal", "--json", "-p", "mass_of_bob=1")
    assert status != 0 and "mass_of_bob" in out, out


if __name__ == "__main__":
    sys.exit(main())
