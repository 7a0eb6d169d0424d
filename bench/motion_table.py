#!/usr/bin/env python3
"""How exactly models move: motion_table.py PROGRAM EXAMPLES

Prints the table of docs/accuracy.md: each system over time, at several tolerances, with
the error against its exact result, the worst error of the constraints and the steps.  A
line that misses its mark makes the exit status 1.
"""

import json
import subprocess
import sys
from math import exp, hypot, sqrt
from pathlib import Path

TOLERANCES = ("1e-6", "1e-9", "1e-11")
# The error may be this many tolerances, for what the motion itself magnifies.
MAGNIFIED = {"double pendulum": 3e4, "triple pendulum": 3e4, "swarm of robots": 1e3,
             "slider-crank, three coordinates": 1e3, "four-bar, nine coordinates": 1e3}
USUAL = 300


def difference(*pairs):
    """The largest difference of outputs that should be equal."""
    def error(answer):
        values = {**answer["outputs"], **answer["q"]}
        return max(abs(values[a] - values[b]) for a, b in pairs)
    return error


def distance(**exact):
    """The largest distance from known coordinates."""
    def error(answer):
        return max(abs(answer["q"][name.replace("_of_", "[")
                                   + ("]" if "_of_" in name else "")] - value)
                   for name, value in exact.items())
    return error


def output(name):
    return lambda answer: abs(answer["outputs"][name])


def swarm(answer):
    t = answer["t"]
    center = 0.24 * (1 - exp(-2 * t)) / 2
    return hypot(answer["outputs"]["center_x"] - 3.6 - center,
                 answer["outputs"]["center_y"] - 4.2 - center)


def friction(answer):
    g, a = 9.81, 0.5 + 0.3 * sqrt(3) / 2
    way = 9 / (2 * g * a)
    return max(abs(answer["t"] - 3 / (g * a)),
               abs(hypot(answer["q"]["x"], answer["q"]["y"]) - way))


def against(model, *names):
    """The largest difference from another model of the same machine."""
    def error(answer):
        other = run(model, "1e-12")
        return max(abs(answer["q"][mine] - other["q"][theirs]) for mine, theirs in names)
    return error


SYSTEMS = (
    ("projectile, Cartesian", "projectile", output("error")),
    ("projectile, polar", "projectile_polar", output("error")),
    ("particle on a spiral", "spiral", difference(("r", "exact"))),
    ("swarm of robots", "swarm", swarm),
    ("flexible arm, servo", "flexible_arm", difference(("beta", "exact"))),
    ("slider-crank, three coordinates", "slider_crank",
     against("slider_crank_angle", ("theta", "theta"))),
    ("Chaplygin sleigh", "sleigh_turning", difference(("v", "exact_v"))),
    ("knife edge on an incline", "knife_edge",
     difference(("x", "exact_x"), ("y", "exact_y"))),
    ("inverse Kepler, one orbit", "inverse_kepler", distance(x=-1 / 1.6, y=0)),
    ("block with friction, to rest", "incline_friction", friction),
    ("wheel, singular mass matrix", "wheel_incline", difference(("theta", "exact"))),
    ("two springs in series", "two_masses_light1", difference(("stretch", "exact"))),
    ("pendulum, 15 periods", "pendulum_period2", distance(x=1)),
    ("pendulum, MEBDF", "pendulum_index3",
     distance(x=0.88439238309272025400, y=0.46674416196410977521)),
    ("car axis", "car_axis",
     distance(xl=0.049345578427524092132, yl=0.49698946023000810676,
              xr=1.0417425248854261152, yr=0.37391102726536581936)),
    ("double pendulum", "double_pendulum_level",
     distance(x1=-0.58686920981627114532, y1=-0.80968174647180080514,
              x2=-1.5507784694704428004, y2=-1.0759127348126524565)),
    ("triple pendulum", "triple_pendulum",
     distance(x_of_3=-0.9540519975795697899, y_of_3=-1.138744393910456664)),
)


def run(model, tolerance):
    path = Path(sys.argv[2]) / f"{model}.kal"
    done = subprocess.run([sys.argv[1], "run", str(path), "--json", "-q", "--tolerance",
                           tolerance], capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{model}: {done.stdout.decode()}{done.stderr.decode()}")
    return json.loads(done.stdout)


def main():
    missed = False
    print("| system | tolerance | error | constraints | steps |\n|---|---|---|---|---|")
    for title, model, error in SYSTEMS:
        for tolerance in TOLERANCES:
            answer = run(model, tolerance)
            off = error(answer)
            worst = max(answer["constraint_error"].values())
            # Rounding counts too, in long runs of large numbers.
            allowed = MAGNIFIED.get(title, USUAL) * float(tolerance) + 1e-11
            mark = "" if off <= allowed else " missed"
            missed = missed or off > allowed
            print(f"| {title} | {tolerance} | {off:.1e}{mark} | {worst:.0e} "
                  f"| {answer['steps']} |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
