#!/usr/bin/env python3
"""Random piles of discs and rounded blocks in a box: test_piles.py PROGRAM ROOT

Bodies fall onto each other and come to rest.  Whatever happens, no gap is negative, no contact
pulls and no energy is gained; a run stops only where it names the contacts whose laws have no
solution, several, or would raise the energy.  KAL_PILES sets how many piles, KAL_PILES_FROM the
first seed.
"""

import csv
import json
import os
import random
import sys
import tempfile
from pathlib import Path

from model_lab import case, main, run

COUNT = int(os.environ.get("KAL_PILES", "8"))
FIRST = int(os.environ.get("KAL_PILES_FROM", "6"))

DEEPEST = 1e-9  # of a gap, in metres
PULL = 1e-8  # of the weight of all: rounding where a reaction comes to zero
GAIN = 1e-8  # of the energy

LEGITIMATE = ("satisfy the laws of contact and friction", "would raise the energy")

# Distances from the box with half sides a, b, in whose frame a point is [u, v]; from outside.
# The contact point of a disc of radius R about the point moves past the box with slip().
SHAPES = """
fn apart(u, v, a, b) = if(abs(u) <= a, abs(v) - b, if(abs(v) <= b, abs(u) - a,
    sqrt((abs(u) - a)^2 + (abs(v) - b)^2)))
fn out(s, a) = sign(s)*(abs(s) - a)
fn normal(u, v, a, b) = [if(abs(u) <= a, 0, if(abs(v) <= b, sign(u), out(u, a)/apart(u, v, a, b))),
    if(abs(u) <= a, sign(v), if(abs(v) <= b, 0, out(v, b)/apart(u, v, a, b)))]
fn turn(p, w) = [p[1]*cos(w) - p[2]*sin(w), p[1]*sin(w) + p[2]*cos(w)]
fn along(n, v) = -n[2]*v[1] + n[1]*v[2]
"""


class Pile:
    """A model of random bodies in a box of some width, row upon row."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = ["param g = 9.81 [m/s^2]", SHAPES]
        self.names = []
        self.weight = 0.0
        self.columns = self.rng.randint(1, 3)
        self.width = 0.85 * self.columns + 0.1
        self.mu = self.rng.choice([None, None, 0.1, 0.3, 0.6, 1.0])
        self.restitution = self.rng.choice([0, 0, 0.2, 0.5, 0.8])
        self.bodies = [self.place(k) for k in range(self.rng.randint(1, 5))]
        for k, body in enumerate(self.bodies):
            self.enclose(body)
            for other in self.bodies[:k]:
                self.part(body, other)
        self.lines.append("simulate 0 .. 2 every 0.02")

    def contact(self, name, gap, slip):
        options = f", restitution = {self.restitution}" if self.restitution else ""
        if self.mu is not None:
            options += f", friction = {self.mu}, slip = {slip}"
        self.lines += [f"contact {name}: {gap} >= 0{options}", f"output g_{name} = gap({name})",
                       f"output N_{name} = reaction({name})"]
        self.names.append(name)

    def place(self, k):
        """A disc, or a block whose corners are discs: half sides of its core, and a radius."""
        rng = self.rng
        block = rng.random() < 0.4
        size = ((rng.choice([0.1, 0.15, 0.2]), rng.choice([0.08, 0.1]), 0.03) if block
                else (0, 0, rng.choice([0.15, 0.2, 0.25])))
        mass = rng.choice([0.5, 1, 1, 3])
        a, b, r = size
        inertia = mass * ((a + r)**2 + (b + r)**2) / 3 if block else mass * r * r / 2
        self.weight += 9.81 * mass
        x = 0.475 + 0.85 * (k % self.columns) + rng.uniform(-0.05, 0.05)
        y = 0.4 + 0.75 * (k // self.columns) + rng.uniform(0, 0.05)
        angle = rng.choice([0, rng.uniform(-0.5, 0.5)]) if block else 0
        v = [rng.choice([0, rng.uniform(-1, 1)]) for _ in range(3)]
        self.lines.append(f"""
coord x{k}, y{k}, w{k}
kinetic 1/2*{mass}*(x{k}'^2 + y{k}'^2) + 1/2*{inertia!r}*w{k}'^2
potential {mass}*g*y{k}
init x{k} = {x!r}, y{k} = {y!r}, w{k} = {angle!r}
init x{k}' = {v[0]!r}, y{k}' = {v[1]!r}, w{k}' = {v[2]!r}""")
        discs = [""]
        if block:
            discs = ["a", "b", "c", "d"]
            for name, (su, sv) in zip(discs, ((1, 1), (-1, 1), (-1, -1), (1, -1))):
                self.lines.append(f"let p{k}{name} = [x{k}, y{k}] + turn([{su * a}, {sv * b}], w{k})")
        else:
            self.lines.append(f"let p{k} = [x{k}, y{k}]")
        return k, block, size, [f"p{k}{name}" for name in discs]

    def enclose(self, body):
        k, _, (_, _, r), discs = body
        for p in discs:
            self.contact(f"floor_{p}", f"{p}.y - {r}", f"{p}.x' + {r}*w{k}'")
            self.contact(f"left_{p}", f"{p}.x - {r}", f"{p}.y' - {r}*w{k}'")
            self.contact(f"right_{p}", f"{self.width} - {p}.x - {r}", f"{p}.y' + {r}*w{k}'")

    def part(self, one, other):
        if not one[1] and not other[1]:
            (i, _, (_, _, r), _), (k, _, (_, _, s), _) = one, other
            name = f"d{i}{k}"
            self.lines.append(f"let e{name} = p{i} - p{k}")
            self.lines.append(f"let n{name} = e{name}/norm(e{name})")
            self.contact(name, f"norm(e{name}) - {r + s}",
                         f"along(n{name}, p{i}' - p{k}') - {r}*w{i}' - {s}*w{k}'")
            return
        for disc, block in ((one, other), (other, one)):
            if block[1]:
                for p in disc[3]:
                    self.touch(disc, p, block)

    def touch(self, disc, p, block):
        """Disc p of a body, which may be a corner, against a block."""
        i, _, (_, _, r), _ = disc
        k, _, (a, b, s), _ = block
        name = f"{p}_{k}"
        self.lines.append(f"let f{name} = turn({p} - [x{k}, y{k}], -w{k})")
        arguments = f"f{name}[1], f{name}[2], {a}, {b}"
        self.lines.append(f"let n{name} = turn(normal({arguments}), w{k})")
        self.lines.append(f"let c{name} = {p} - {r}*n{name} - [x{k}, y{k}]")
        moves = (f"along(n{name}, {p}' - [x{k}', y{k}'] - w{k}'*[-c{name}[2], c{name}[1]])"
                 f" - {r}*w{i}'")
        self.contact(name, f"apart({arguments}) - {r + s}", moves)

    def text(self):
        return "\n".join(self.lines) + "\n"


def judge(seed, pile, folder):
    """What is wrong with the run of a pile, or None; and whether it went to its end."""
    model, table = Path(folder) / "pile.kal", Path(folder) / "pile.csv"
    model.write_text(pile.text(), encoding="utf-8")
    status, out, err = run("run", model, "--json", "-o", table)
    assert out.startswith("{"), (seed, status, out[:300], err[-1000:])
    result = json.loads(out)
    if status != 0:
        error = result["error"]
        named = error["names"] and all(name in pile.names for name in error["names"])
        legitimate = pile.mu is not None and any(t in error["message"] for t in LEGITIMATE)
        return (None if named and legitimate else error["message"]), False
    rows = list(csv.reader(table.open(encoding="utf-8")))
    columns = {name.split()[0]: [float(row[k]) for row in rows[1:]]
               for k, name in enumerate(rows[0])}
    deepest = min(min(columns[f"g_{name}"]) for name in pile.names)
    pull = min(min(columns[f"N_{name}"]) for name in pile.names)
    energy = result["energy"]
    gain = energy["final"] - energy["initial"]
    if deepest < -DEEPEST:
        return f"penetrates by {-deepest:.3g}", True
    if pull < -PULL * pile.weight:
        return f"pulls with {-pull:.3g}", True
    if gain > GAIN * abs(energy["initial"]):
        return f"gains the energy {gain:.3g}", True
    return None, True


@case
def piles_neither_penetrate_nor_pull_nor_gain():
    stopped = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(FIRST, FIRST + COUNT):
            wrong, ended = judge(seed, Pile(seed), folder)
            assert wrong is None, (seed, wrong)
            stopped += not ended
    print(f"# {stopped} of {COUNT} stopped by name")
    assert stopped <= 1 + COUNT // 10, stopped


if __name__ == "__main__":
    sys.exit(main())
