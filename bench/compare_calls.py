#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Python adds to the C functions: f(t, y) beside kal_instant_solve(), and f(t, (2n, 10⁵))
beside kal_instant_solve_many(), of examples.

    PYTHONPATH=build/python /usr/bin/python3 bench/compare_calls.py build/bench/bench_call examples

The two take turns; of each the best counts, in processor time.  Fails when f(t, y) costs more
than 0.6 µs beyond the C call, or many states more than 1.5 times what they take in C.
"""

import subprocess
import sys
import time

import kalaba
import numpy as np

MODELS = ("pendulum", "sleigh", "slider_crank", "double_pendulum", "four_bar_angle")
ROUNDS, CALLS, STATES = 20, 5000, 100_000
MOST, RATIO = 0.6, 1.5


def in_c(program, path):
    out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    return tuple(map(float, out.split()))


def seconds(call, times):
    began = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - began) / times


def in_python(model):
    t, q, qd = model.start()
    f, y = model.rates(), np.concatenate([q, qd])
    states = np.repeat(y[:, None], STATES, axis=1)
    loop = seconds(lambda: None, CALLS)
    one = min(seconds(lambda: f(t, y), CALLS) for _ in range(20)) - loop
    many = min(seconds(lambda: f(t, states), 1) for _ in range(3)) / STATES
    return one * 1e6, many * 1e9


def main():
    program, examples = sys.argv[1:]
    slow = []
    print("                      C µs   f(t, y) µs   more      C many ns   Python many ns   ratio")
    for name in MODELS:
        path = f"{examples}/{name}.kal"
        model = kalaba.Model(path)
        pairs = [(in_c(program, path), in_python(model)) for _ in range(ROUNDS)]
        (c, c_many), (p, p_many) = (np.min(side, axis=0) for side in zip(*pairs))
        print(f"{name:20} {c:6.2f} {p:12.2f} {p - c:6.2f} {c_many:14.1f} {p_many:16.1f}"
              f" {p_many/c_many:7.2f}")
        if p - c > MOST or p_many > RATIO * c_many:
            slow.append(name)
    sys.exit(f"slow: {', '.join(slow)}" if slow else 0)


if __name__ == "__main__":
    main()
