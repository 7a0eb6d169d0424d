#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Move a pendulum and a slider-crank with Kalaba, with SciPy and by hand, side by side.

    /usr/bin/python3 compare_run.py BENCH_RUN EXAMPLES

Kalaba runs the models of the examples through its library; SciPy integrates the formula
of Udwadia and Kalaba with NumPy's pinv, as one would write it; by hand are programs in C
for these systems alone (bench/run.c).  All have the same tolerance and time, take no
samples, and are timed by the processor in this one run.  The exit status is 1 when a
result is off by more than the tolerance allows, or a ratio misses its mark.
"""

import json
import os
import subprocess
import sys
import time
from math import cos, inf, pi, sin
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would only wait for work

import numpy as np
from scipy.integrate import solve_ivp

RTOL, ATOL = 1e-9, 1e-12
REPEATS = 2  # of SciPy's runs, which are long
# Errors of steps add up, and the motion magnifies them: so many tolerances may be left.
MAGNIFIED = 3000
# Kalaba should be this many times as fast as SciPy, and take no more than this many times
# as long as programs written by hand.
FASTER, SLOWER = 100, 25
G = 9.81


def accelerate(M, Q, A, b):
    """q'' from M q'' = Q and A q'' = b."""
    free = np.linalg.solve(M, Q)
    weighted = np.linalg.solve(M, A.T)
    return free + weighted @ (np.linalg.pinv(A @ weighted) @ (b - A @ free))


def pendulum(_, state):
    x, y, u, v = state
    M = np.eye(2)
    Q = np.array([0, -G])
    A = np.array([[x, y]])
    b = np.array([-u * u - v * v])
    return np.concatenate((state[2:], accelerate(M, Q, A, b)))


L1, L2, M1, M2, M3, TORQUE, PUSH = 0.1, 0.25, 0.4, 0.7, 0.9, 0.6, -1.5


def slider_crank(_, state):
    theta, phi = state[:2]
    w1, w2 = state[3] ** 2, state[4] ** 2
    s1, c1, s2, c2 = sin(theta), cos(theta), sin(phi), cos(phi)
    coupling = 2 * M2 * L1 * L2 * cos(theta - phi)
    turning = 2 * M2 * L1 * L2 * sin(theta - phi)
    M = np.array([[4 / 3 * M1 * L1**2 + 4 * M2 * L1**2, -coupling, 0],
                  [-coupling, 4 / 3 * M2 * L2**2, 0],
                  [0, 0, M3]])
    Q = np.array([TORQUE + turning * w2 - (M1 + 2 * M2) * L1 * G * c1,
                  -turning * w1 + M2 * L2 * G * c2, PUSH])
    A = np.array([[-2 * L1 * s1, 2 * L2 * s2, -1], [2 * L1 * c1, -2 * L2 * c2, 0]])
    b = np.array([2 * L1 * c1 * w1 - 2 * L2 * c2 * w2, 2 * L1 * s1 * w1 - 2 * L2 * s2 * w2])
    return np.concatenate((state[3:], accelerate(M, Q, A, b)))


def start_of_crank():
    theta, speed = 40 * pi / 180, 3.0
    phi = pi - np.arcsin(L1 / L2 * sin(theta))
    turn = L1 * cos(theta) / (L2 * cos(phi)) * speed
    return [theta, phi, 2 * L1 * cos(theta) - 2 * L2 * cos(phi), speed, turn,
            -2 * L1 * sin(theta) * speed + 2 * L2 * sin(phi) * turn]


SYSTEMS = {"pendulum": (pendulum, [-1.0, 0.0, 0.0, 0.0]),
           "slider-crank": (slider_crank, start_of_crank())}


def run_scipy(rate, start, until):
    seconds = inf
    for _ in range(REPEATS):
        begin = time.process_time()
        done = solve_ivp(rate, (0, until), start, method="DOP853", rtol=RTOL, atol=ATOL)
        seconds = min(seconds, time.process_time() - begin)
        if not done.success:
            raise SystemExit(f"SciPy: {done.message}")
    return {"seconds": seconds, "total": seconds, "evaluations": done.nfev,
            "y": list(done.y[:, -1])}


def error_of(result, reference):
    return max(abs(a - b) / max(1, abs(b)) for a, b in zip(result["y"], reference["y"]))


def compare(name, ways):
    """Print what a system took; answers whether all is as it should be."""
    reference = ways.pop("reference")
    ours = ways["kalaba"]
    fine = True
    title = f"{name}, {ways.pop('until')} s"
    print(f"{title:<18}{'start to end':>15}{'with loading':>17}{'evaluations':>14}"
          f"{'relative error':>17}")
    for title, key in (("Kalaba", "kalaba"), ("by hand, in C", "hand"), ("SciPy", "scipy")):
        error = error_of(ways[key], reference)
        wrong = error > MAGNIFIED * RTOL
        fine = fine and not wrong
        print(f"  {title:<16}{1e3 * ways[key]['seconds']:14.3f} ms "
              f"{1e3 * ways[key]['total']:13.3f} ms {ways[key]['evaluations']:13d} "
              f"{error:16.1e}{' wrong' if wrong else ''}")
    faster = ways["scipy"]["seconds"] / ours["seconds"]
    slower = ours["seconds"] / ways["hand"]["seconds"]
    missed = faster < FASTER or slower > SLOWER
    print(f"  SciPy/Kalaba {faster:.0f}, with loading "
          f"{ways['scipy']['total'] / ours['total']:.0f}; Kalaba/by hand {slower:.1f}, "
          f"with loading {ours['total'] / ways['hand']['total']:.1f}"
          f"{'; missed' if missed else ''}\n")
    return fine and not missed


def main():
    program, examples = sys.argv[1], Path(sys.argv[2])
    models = [str(examples / name) for name in ("pendulum_iftomm.kal", "slider_crank.kal")]
    done = subprocess.run([program, *models, str(RTOL), str(ATOL)], capture_output=True,
                          text=True, check=True)
    fine = True
    print(f"rtol {RTOL}, atol {ATOL}, processor time\n")
    for name, ways in json.loads(done.stdout).items():
        ways["scipy"] = run_scipy(*SYSTEMS[name], ways["until"])
        fine = compare(name, ways) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
