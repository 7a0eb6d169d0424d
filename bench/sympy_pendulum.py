#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time SymPy on the planar pendulum of N links in absolute angles.

    sympy_pendulum.py N    prints the seconds of processor time it took

from symbols to a function of numbers.

Lagrange's equations by LagrangesMethod, then mass matrix and forcing by lambdify: what a
user of SymPy would do to get numbers.
"""

import sys
import time

import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols


def derive(count):
    """A function of angles, rates, masses, lengths and g that gives M and the force."""
    angles = dynamicsymbols(f"a1:{count + 1}")
    masses = sympy.symbols(f"m1:{count + 1}")
    lengths = sympy.symbols(f"l1:{count + 1}")
    gravity = sympy.Symbol("g")
    t = dynamicsymbols._t
    x = y = sympy.Integer(0)
    lagrangian = sympy.Integer(0)
    for angle, mass, length in zip(angles, masses, lengths):
        x = x + length * sympy.sin(angle)
        y = y - length * sympy.cos(angle)
        lagrangian += mass * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - mass * gravity * y
    method = LagrangesMethod(lagrangian, list(angles))
    method.form_lagranges_equations()
    rates = [angle.diff(t) for angle in angles]
    arguments = [*angles, *rates, *masses, *lengths, gravity]
    matrices = [method.mass_matrix.tolist(), method.forcing.tolist()]
    return sympy.lambdify(arguments, matrices, "math")


def main():
    count = int(sys.argv[1])
    begin = time.process_time()
    function = derive(count)
    seconds = time.process_time() - begin
    function(*[0.1 * i for i in range(4 * count)], 9.81)
    print(f"{seconds:.3f}")


if __name__ == "__main__":
    main()
