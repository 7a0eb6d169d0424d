#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three systems in Python, with SymPy, lambdify and solve_ivp and with kalaba, side by side.

    PYTHONPATH=build/python /usr/bin/python3 bench/compare_python.py

Both sides begin with the same SymPy expressions T, V and constraints.  `first` is the time
from there to the end of ten seconds of motion by the same solve_ivp; `call` that of one
f(t, y); `many` that of one state of 10⁵ side by side.  All times are of the processor, the
best of three.
"""

import time

import kalaba
import numpy as np
import sympy
from scipy.integrate import solve_ivp

t = sympy.Symbol("t")
SPAN = 10.0
STATES = 100_000


def coordinates(names):
    return [sympy.Function(name)(t) for name in names.split()]


def pendulum():
    (a,) = coordinates("a")
    return [a], a.diff(t)**2 / 2, -9.81 * sympy.cos(a), [], [1.0], [0.0]


def slider_crank():
    a, b, x = coordinates("a b x")
    T = (a.diff(t)**2 + b.diff(t)**2 / 2 + x.diff(t)**2) / 2
    closed = [sympy.cos(a) + 2 * sympy.cos(b) - x, sympy.sin(a) + 2 * sympy.sin(b)]
    beta = -np.arcsin(np.sin(0.5) / 2)
    q = [0.5, beta, np.cos(0.5) + 2 * np.cos(beta)]
    rate = -np.cos(0.5) / (2 * np.cos(beta))
    return ([a, b, x], T, 3 * sympy.sin(a), closed, q,
            [1.0, rate, -np.sin(0.5) - 2 * np.sin(beta) * rate])


def four_bar():
    a, b, c = coordinates("a b c")
    T = (a.diff(t)**2 + 2 * b.diff(t)**2 + 2 * c.diff(t)**2
         + 2 * a.diff(t) * b.diff(t) * sympy.cos(a - b)) / 2
    V = 9.81 * (sympy.sin(a) + sympy.sin(b) + sympy.sin(c))
    closed = [sympy.cos(a) + 3 * sympy.cos(b) - 2.5 * sympy.cos(c) - 3,
              sympy.sin(a) + 3 * sympy.sin(b) - 2.5 * sympy.sin(c)]
    q = np.array([1.2, 0.4, 1.5])
    loop = sympy.lambdify([a, b, c], closed)
    slope = sympy.lambdify([a, b, c], sympy.Matrix(closed).jacobian([b, c]))
    for _ in range(30):  # close the loop
        q[1:] -= np.linalg.solve(slope(*q), loop(*q))
    return [a, b, c], T, V, closed, list(q), [0.0, 0.0, 0.0]


def by_sympy(q, T, V, closed):
    """f(t, y) of the equations with multipliers, with lambdify."""
    qd, n = [one.diff(t) for one in q], len(q)
    L, row = T - V, sympy.Matrix(closed)
    force = sympy.Matrix([L.diff(one) for one in q])
    momentum = sympy.Matrix([L.diff(one) for one in qd])
    M = momentum.jacobian(qd)
    Q = force - momentum.jacobian(q) * sympy.Matrix(qd)
    A = row.jacobian(q) if closed else sympy.zeros(0, n)
    b = -(A * sympy.Matrix(qd)).jacobian(q) * sympy.Matrix(qd) if closed else sympy.zeros(0, 1)
    y = sympy.symbols(f"y:{2 * n}")
    place = dict(zip(qd, y[n:])) | dict(zip(q, y[:n]))
    whole = sympy.Matrix(sympy.BlockMatrix([[M, A.T], [A, sympy.zeros(len(closed))]])
                         ) if closed else M
    numbers = sympy.lambdify([y], [whole.subs(place), sympy.Matrix([Q, b]).subs(place)],
                             cse=True)

    def f(_, state):
        left, right = numbers(state)
        return np.concatenate([state[n:], np.linalg.solve(left, right[:, 0])[:n]])
    return f


def by_kalaba(q, T, V, closed):
    return kalaba.Model.from_sympy(T, V, closed, coordinates=q).rates()


def best(call):
    times = []
    for _ in range(3):
        began = time.process_time()
        result = call()
        times.append(time.process_time() - began)
    return min(times), result


def measure(make, system):
    *parts, q, qd = system
    start = np.array([*q, *qd], dtype=float)

    def go():
        f = make(*parts)
        return f, solve_ivp(f, (0.0, SPAN), start, rtol=1e-6, atol=1e-8, method="DOP853")
    first, (f, motion) = best(go)
    calls = 2000
    call, _ = best(lambda: [f(0.0, start) for _ in range(calls)])
    return first, call / calls, f, motion.y[:, -1]


def main():
    print("                first ms           call µs           many ns")
    print("              SymPy  kalaba      SymPy  kalaba     kalaba")
    for name in (pendulum, slider_crank, four_bar):
        system = name()
        *theirs, _, end = measure(by_sympy, system)
        *ours, f, our_end = measure(by_kalaba, system)
        assert np.allclose(end, our_end, atol=1e-2), (name, end, our_end)
        start = np.array([*system[4], *system[5]])
        states = np.repeat(start[:, None], STATES, axis=1)
        f(0.0, states[:, :1000])
        many, _ = best(lambda: f(0.0, states))
        print(f"{name.__name__:12} {theirs[0]*1e3:7.1f} {ours[0]*1e3:7.2f}    "
              f"{theirs[1]*1e6:7.1f} {ours[1]*1e6:7.2f}    {many/STATES*1e9:7.1f}")


if __name__ == "__main__":
    main()
