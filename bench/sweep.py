#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An ensemble of double pendulums beside C that is written by hand for it, in lanes.

    /usr/bin/python3 sweep.py KALABA [RUNS]
    /usr/bin/python3 sweep.py --scaling TABLE KALABA [RUNS]

Each pendulum starts at rest at random angles within 1 rad, in Cartesian coordinates with two
rods, and moves for 10 s with rtol = atol = 1e-6.  Programs by hand are those of the folder
`anchors` beside the project: four lanes, two threads; they check nothing and project nothing.
All times are of the processor, in this one run; rates are for two cores that are free.  Errors
are those of the second mass at the end, against tolerances of 1e-12.

With --scaling threads and ranks of mpirun share the runs: TABLE, a CSV, gets how many run as
many times as fast as one does, by the processor time of a run, which is what they cost each
other; start-up, the same for any number of runs, is taken away.
"""

import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from math import hypot
from pathlib import Path

ANCHORS = Path(__file__).resolve().parents[2] / "shared" / "anchors"
REPEATS = 3  # of which the fastest was disturbed least
CORES = 2
REFERENCES = 200  # runs whose errors are found


def processor_seconds(command, env=None):
    """What a command takes of the processor, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def sweep_command(kalaba, model, table, runs, tolerance):
    return [kalaba, "sweep", str(model), "-o", str(table), "-q", "--seed", "1",
            "--random", "a1 = uniform(-1, 1)", "--random", "a2 = uniform(-1, 1)",
            "--count", str(runs), "--tolerance", tolerance,
            "--keep", "final(x2), final(y2), final(x1), final(y1)"]


def read_rows(table):
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(row["status"] == "ok" for row in rows)
    return [tuple(float(row[f"final({name})"]) for name in ("x1", "y1", "x2", "y2"))
            for row in rows]


def by_hand(folder, runs):
    """Pendulums a second by hand, on two cores; None without the folder."""
    if not ANCHORS.is_dir():
        return None
    program = folder / "hand"
    subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=fast", f"-I{ANCHORS}",
                    str(ANCHORS / "hand.c"), "-o", str(program), "-lm", "-lpthread"], check=True)
    _, text = processor_seconds([str(program), "ens", str(runs)])
    lines = [line.split("\t") for line in text.splitlines()]
    return {line[2]: float(line[3]) for line in lines}["dpend_cart"]


def measure(kalaba, folder, runs, lanes):
    model = ANCHORS / "models" / "dpend.kal"
    if not model.exists():
        model = Path(__file__).resolve().parent / "models" / "double_pendulum.kal"
    table = folder / f"lanes{lanes}.csv"
    env = {**os.environ, "KALABA_LANES": lanes}
    command = sweep_command(kalaba, model, table, runs, "1e-6")
    best = min(processor_seconds(command, env)[0] for _ in range(REPEATS))
    return CORES * runs / best, model, read_rows(table)


def seconds_a_run(command, runs):
    """Processor time of a run, without start-up: that of four times as many, less these."""
    times = []
    for factor in (1, 4):
        more = [*command, "--count", str(factor * runs)]
        times.append(min(processor_seconds(more)[0] for _ in range(REPEATS)))
    return (times[1] - times[0]) / (3 * runs)


def scaling(table, kalaba, runs):
    """How many times as fast threads and ranks are as one thread."""
    model = Path(__file__).resolve().parent / "models" / "double_pendulum.kal"
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
    lines = ["n,threads,ranks"]
    with tempfile.TemporaryDirectory() as name:
        command = sweep_command(kalaba, model, Path(name) / "a.csv", runs, "1e-6")
        command = [word for i, word in enumerate(command)
                   if word != "--count" and command[i - 1] != "--count"]
        alone = seconds_a_run([*command, "--threads", "1"], runs)
        for n in (1, 2, 4):
            threads = (alone if n == 1 else
                       seconds_a_run([*command, "--threads", str(n)], runs))
            ranks = seconds_a_run([*mpirun, str(n), *command], runs)
            lines.append(f"{n},{n * alone / threads:.3f},{n * alone / ranks:.3f}")
            print(lines[-1], flush=True)
    Path(table).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def main():
    if sys.argv[1] == "--scaling":
        return scaling(*sys.argv[2:4], int(sys.argv[4]) if len(sys.argv) > 4 else 5000)
    kalaba = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hand = by_hand(folder, runs)
        rates = {}
        for lanes in ("1", "0"):
            rates[lanes], model, rows = measure(kalaba, folder, runs, lanes)
        exact = folder / "exact.csv"
        subprocess.run(sweep_command(kalaba, model, exact, REFERENCES, "1e-12"), check=True)
        ends = read_rows(exact)
        same = (folder / "lanes1.csv").read_bytes() == (folder / "lanes0.csv").read_bytes()
    errors = [hypot(a[2] - b[2], a[3] - b[3]) for a, b in zip(rows, ends)]
    rods = max(max(abs(hypot(x1, y1) - 1), abs(hypot(x2 - x1, y2 - y1) - 1))
               for x1, y1, x2, y2 in rows)
    print(f"in lanes      {rates['1']:10.0f} a second")
    print(f"one by one    {rates['0']:10.0f} a second")
    if hand:
        print(f"by hand       {hand:10.0f} a second; lanes are {rates['1'] / hand:.2f} of it")
    print(f"median error  {statistics.median(errors):10.2g}")
    print(f"rods off by   {rods:10.2g}")
    print("the same bytes with lanes and without" if same else "LANES CHANGE BITS")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
