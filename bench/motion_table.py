#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How exactly models move: motion_table.py PROGRAM EXAMPLES

Prints the table of docs/accuracy.md: each system over time, at several tolerances, with
the error against its exact result, the worst error of the constraints and the steps.  A
line that misses its mark makes the exit status 1.
"""

import json
import subprocess
import sys
from math import asin, atan2, cos, exp, hypot, pi, sin, sqrt
from pathlib import Path

TOLERANCES = ("1e-6", "1e-9", "1e-11")
# The error may be this many tolerances; more where the motion itself magnifies it.
USUAL = 300
MAGNIFIED = {"slider-crank, three coordinates": 1000}
# Rounding counts too, in long runs of large numbers.
ROUNDING = 1e-11


# What an answer is compared with

def difference(*pairs):
    """The largest difference of numbers of the answer that should be equal."""
    def error(answer):
        values = {**answer["outputs"], **answer["q"],
                  **{f"{name}'": value for name, value in answer["qd"].items()}}
        return max(abs(values[a] - (values[b] if isinstance(b, str) else b))
                   for a, b in pairs)
    return error


def distance(exact):
    """The largest distance from known coordinates, numbers or a function of t."""
    def error(answer):
        known = exact(answer["t"]) if callable(exact) else exact
        return max(abs(answer["q"][name] - value) for name, value in known.items())
    return error


def output(name):
    return lambda answer: abs(answer["outputs"][name])


def energy(answer):
    return answer["energy"]["drift"]


def against(model, *names):
    """The largest difference from another model of the same machine."""
    def error(answer):
        other = run(model, "1e-12")
        return max(abs(answer["q"][mine] - other["q"][theirs]) for mine, theirs in names)
    return error


# Exact motions

def cd(u, k):
    """Jacobi's function cd, by arithmetic and geometric means."""
    means, b, factor = [(1.0, k)], sqrt(1 - k * k), 1.0
    for _ in range(8):
        a, _ = means[-1]
        means.append(((a + b) / 2, (a - b) / 2))
        b, factor = sqrt(a * b), 2 * factor
    phi = factor * means[-1][0] * u
    for a, c in reversed(means[1:]):
        phi = (phi + asin(c / a * sin(phi))) / 2
    return cos(phi) / sqrt(1 - (k * sin(phi)) ** 2)


def swing(angle, frequency, t):
    """The angle of a pendulum released at rest from an angle."""
    k = sin(angle / 2)
    return 2 * asin(k * cd(frequency * t, k))


def level_pendulum(t):
    """Of length 1, released level on the left."""
    angle = swing(-pi / 2, sqrt(9.81), t)
    return {"x": sin(angle), "y": -cos(angle)}


def pushed_pendulum(t):
    """A steady force to the side makes gravity slant."""
    m, length, g, push = 0.5, 1.2, 9.81, 0.8
    rest = atan2(push / m, g)
    return {"r": length,
            "theta": rest + swing(pi / 3 - rest, sqrt(hypot(g, push / m) / length), t)}


def swarm_errors():
    """How far the velocity of each robot is from its rule, at the start."""
    x, y, v = (0, 2, 5, 6, 5), (0, 9, 8, 4, 0), (0.1, 0.2, 0.3, 0.3, 0.3)
    for i in range(5):
        east = north = v[i]
        for j in range(5):
            if j != i:
                part = 1 - 0.5 / hypot(x[i] - x[j], y[i] - y[j])
                east += (x[i] - x[j]) * part
                north += (y[i] - y[j]) * part
        yield hypot(east, north)


def swarm(answer):
    """The center, and the error of every robot."""
    t, outputs = answer["t"], answer["outputs"]
    center = 0.24 * (1 - exp(-2 * t)) / 2
    off = [abs(outputs[f"beta[{i + 1}]"] - start * exp(-2 * t))
           for i, start in enumerate(swarm_errors())]
    return max(*off, hypot(outputs["center_x"] - 3.6 - center,
                           outputs["center_y"] - 4.2 - center))


def friction(answer):
    g, a = 9.81, 0.5 + 0.3 * sqrt(3) / 2
    way = 9 / (2 * g * a)
    return max(abs(answer["t"] - 3 / (g * a)),
               abs(hypot(answer["q"]["x"], answer["q"]["y"]) - way))


def two_masses(t):
    """Two masses at a and b on springs in a row: the sum of two modes."""
    m1, m2, k1, k2 = 2, 3, 40, 70
    places = [0.0, 0.0]
    half, product = ((k1 + k2) / m1 + k2 / m2) / 2, k1 * k2 / (m1 * m2)
    squares = [half + sign * sqrt(half * half - product) for sign in (1, -1)]
    shapes = [(1, (k1 + k2 - m1 * square) / k2) for square in squares]
    start = (0.1, 0.05)
    determinant = shapes[0][0] * shapes[1][1] - shapes[1][0] * shapes[0][1]
    sizes = [(start[0] * shapes[1][1] - start[1] * shapes[1][0]) / determinant,
             (start[1] * shapes[0][0] - start[0] * shapes[0][1]) / determinant]
    for square, shape, size in zip(squares, shapes, sizes):
        for i in range(2):
            places[i] += size * shape[i] * cos(sqrt(square) * t)
    return {"x1": places[0], "q1": places[0] + 0.5, "q2": places[1] - places[0]}


def integrate(rate, state, until, steps):
    """The classical method of order 4 with steps so short that its error is rounding."""
    h = until / steps
    for i in range(steps):
        t = i * h
        k1 = rate(t, state)
        k2 = rate(t + h / 2, [y + h / 2 * k for y, k in zip(state, k1)])
        k3 = rate(t + h / 2, [y + h / 2 * k for y, k in zip(state, k2)])
        k4 = rate(t + h, [y + h * k for y, k in zip(state, k3)])
        state = [y + h / 6 * (a + 2 * b + 2 * c + d)
                 for y, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def racer_rate(t, state):
    """A roller racer's speed along its seat, its place and its direction."""
    m, inertia, bar, d1, d2 = 60, 4, 1.5, 0.4, 0.15
    speed, theta = state[0], state[3]
    phi, turn, bend = 0.5 * sin(5 * t), 2.5 * cos(5 * t), -12.5 * sin(5 * t)
    arm = d1 * cos(phi) - d2
    sigma = sin(phi) / arm
    spin = (speed * sin(phi) + d2 * turn) / arm
    # spin' = sigma speed' + rest
    rest = ((speed * cos(phi) * turn + d2 * bend) / arm
            + (speed * sin(phi) + d2 * turn) * d1 * sin(phi) * turn / arm**2)
    pull = -sigma * ((inertia + bar) * rest + bar * bend)
    return [pull / (m + (inertia + bar) * sigma**2), speed * cos(theta),
            speed * sin(theta), spin]


def snake_rate(t, state):
    """The middle link of a snake: its wheels leave one speed and one spin."""
    length, size, rate, lag, bend = 0.5, 0.6, 2, pi / 2, 0.7
    a1, a2 = -bend + size * sin(rate * t), bend + size * sin(rate * t + lag)
    turn1, turn2 = size * rate * cos(rate * t), size * rate * cos(rate * t + lag)
    # -speed sin a1 - length (1 + cos a1) spin = length turn1, and so on
    matrix = ((-sin(a1), -length * (1 + cos(a1))), (-sin(a2), length * (1 + cos(a2))))
    right = (length * turn1, -length * turn2)
    determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]
    speed = (right[0] * matrix[1][1] - right[1] * matrix[0][1]) / determinant
    spin = (right[1] * matrix[0][0] - right[0] * matrix[1][0]) / determinant
    return [speed * cos(state[2]), speed * sin(state[2]), spin]


def reduced(rate, start, names, steps):
    """The state of fewer equations, made by hand, at the end of a run."""
    known = {}

    def exact(t):
        if t not in known:
            known[t] = dict(zip(names, integrate(rate, start, t, steps)))
            known[t].pop("", None)
        return known[t]
    return exact


# The title, the model, what is exact, and the last time if it is not the model's.
SYSTEMS = (
    ("projectile, Cartesian", "projectile", output("error")),
    ("projectile, polar", "projectile_polar", output("error")),
    ("projectile, typed in", "projectile_direct", output("error")),
    ("Pfaffian, scleronomic", "pfaffian_scleronomic", difference(("integral", 3.25))),
    ("Pfaffian, rheonomic", "pfaffian_rheonomic", difference(("integral", 3.25))),
    ("Pfaffian, nonholonomic: energy", "pfaffian_nonholonomic", energy),
    ("particle on a spiral", "spiral", difference(("r", "exact"))),
    ("swarm of robots", "swarm", swarm),
    ("flexible arm, servo", "flexible_arm", difference(("beta", "exact"))),
    ("pendulum, polar, pushed", "pendulum_polar", distance(pushed_pendulum)),
    ("slider-crank, three coordinates", "slider_crank",
     against("slider_crank_angle", ("theta", "theta"))),
    ("four-bar, nine coordinates", "four_bar", against("four_bar_angle", ("a1", "a1"))),
    ("Chaplygin sleigh", "sleigh_turning",
     distance({"x": 1.42038704472850511372, "y": -6.69944243240182736629,
               "theta": 5.17619587289579058740})),
    ("knife edge on an incline", "knife_edge",
     difference(("x", "exact_x"), ("y", "exact_y"))),
    ("roller racer", "roller_racer",
     distance(reduced(racer_rate, [0.0] * 4, ("", "x", "y", "theta"), 50000))),
    ("kinematic snake", "kinematic_snake",
     distance(reduced(snake_rate, [0.0] * 3, ("x", "y", "theta"), 20000))),
    ("inverse Kepler, one orbit", "inverse_kepler", distance({"x": -1 / 1.6, "y": 0})),
    ("block with friction, to rest", "incline_friction", friction),
    ("friction from the reaction", "incline_friction_reaction", friction),
    ("constant speed under gravity", "constant_speed", difference(("y'", "exact"))),
    ("repeated constraints", "repeated_constraints",
     against("repeated_constraints_once", ("x", "x"), ("y", "y"), ("z", "z"))),
    ("wheel, singular mass matrix", "wheel_incline", difference(("theta", "exact"))),
    ("two masses, two springs", "two_masses", distance(two_masses)),
    ("two springs in series", "two_masses_light1", difference(("stretch", "exact"))),
    ("one mass, a loose spring", "two_masses_light2", difference(("x1", "exact"))),
    ("pendulum, MEBDF", "pendulum_index3",
     distance({"x": 0.88439238309272025400, "y": 0.46674416196410977521})),
    ("pendulum, SUNDIALS, 14 periods", "pendulum_period2",
     distance({"x": 0.8190646817017470846254, "y": -0.5737011828372116355374}), "28.3"),
    ("pendulum, IFToMM", "pendulum_iftomm", distance(level_pendulum)),
    ("car axis", "car_axis",
     distance({"xl": 0.049345578427524092132, "yl": 0.49698946023000810676,
               "xr": 1.0417425248854261152, "yr": 0.37391102726536581936})),
    ("double pendulum, published", "double_pendulum",
     distance({"x1": -0.20998969386185921562, "y1": -1.3234441161121245644,
               "x2": -0.060635458454746727321, "y2": -8.0217792310765854050}), "1"),
    ("double pendulum, level", "double_pendulum_level",
     distance({"x1": -0.58686920981627114532, "y1": -0.80968174647180080514,
               "x2": -1.5507784694704428004, "y2": -1.0759127348126524565})),
    ("double pendulum, redundant", "double_pendulum_redundant",
     distance({"x1": -0.58686920981627114532, "y1": -0.80968174647180080514,
               "x2": -1.5507784694704428004, "y2": -1.0759127348126524565})),
    ("triple pendulum", "triple_pendulum",
     distance({"x[3]": -0.9540519975795697899, "y[3]": -1.138744393910456664})),
)


def run(model, tolerance, until=None):
    path = Path(sys.argv[2]) / f"{model}.kal"
    options = ["--json", "-q", "--tolerance", tolerance, *(["--until", until] if until else [])]
    done = subprocess.run([sys.argv[1], "run", str(path), *options], capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(f"{model}: {done.stdout.decode()}{done.stderr.decode()}")
    return json.loads(done.stdout)


def main():
    missed = False
    print("| system | tolerance | error | drift | steps |\n|---|---|---|---|---|")
    for title, model, error, *until in SYSTEMS:
        for tolerance in TOLERANCES:
            answer = run(model, tolerance, *until)
            off = error(answer)
            worst = max(answer["constraint_error"].values())
            allowed = MAGNIFIED.get(title, USUAL) * float(tolerance) + ROUNDING
            wrong = not off <= allowed
            missed = missed or wrong
            print(f"| {title} | {tolerance} | {off:.1e}{' missed' if wrong else ''} "
                  f"| {worst:.0e} | {answer['steps']} |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
