#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An ensemble of double pendulums beside C that is written by hand for it, in lanes.

    /usr/bin/python3 sweep.py KALABA [RUNS]
    /usr/bin/python3 sweep.py --clock KALABA [RUNS]
    /usr/bin/python3 sweep.py --scaling TABLE KALABA [RUNS]

Each pendulum starts at rest at random angles within 1 rad and moves for 10 s with rtol = atol =
1e-6: in Cartesian coordinates with two rods, and in two angles.  Programs by hand are those of
the folder `anchors` beside the project: four lanes, two threads; they check nothing and project
nothing.  All times are of the processor, in this one run; rates are for two cores that are free.
Errors are those of the second mass at the end, against tolerances of 1e-12.

With --clock one and two threads and ranks of mpirun do RUNS runs, 1,000,000 of them, by the
clock, by turns: for a machine that does nothing else.  Two processes that know nothing of each
other, each with half of the runs, are the most that its two cores give.

With --scaling threads and ranks share the runs: TABLE, a CSV, gets how many run as many times
as fast as one does, by the processor time of a run, which is what they cost each other;
start-up, the same for any number of runs, is taken away.
"""

import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from math import cos, hypot, sin
from pathlib import Path

ANCHORS = Path(__file__).resolve().parents[2] / "shared" / "anchors"
MODELS = Path(__file__).resolve().parent / "models"
REPEATS = 3  # of which the fastest was disturbed least
CORES = 2
REFERENCES = 200  # runs whose errors are found
CLOCKED = 1000000  # runs
TURNS = 2
THREADS = 1.9  # times as fast as one thread two of them are to be
RANKS = 0.9  # of what threads do ranks are to do
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


class Ensemble:
    """A model, and what is kept of its runs."""

    def __init__(self, title, model, hand, keep):
        self.title = title
        self.model = MODELS / model
        self.hand = hand  # case of the program by hand
        self.keep = keep

    def command(self, kalaba, table, runs, *more, tolerance="1e-6"):
        kept = ", ".join(f"final({name})" for name in self.keep)
        return [kalaba, "sweep", str(self.model), "-o", str(table), "-q", "--seed", "1",
                "--random", "a1 = uniform(-1, 1)", "--random", "a2 = uniform(-1, 1)",
                "--count", str(runs), "--tolerance", tolerance, "--keep", kept, *more]

    def ends(self, table):
        """Where the masses are at the end, x1, y1, x2, y2, run by run."""
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert all(row["status"] == "ok" for row in rows)
        kept = [[float(row[f"final({name})"]) for name in self.keep] for row in rows]
        return kept if len(self.keep) == 4 else [
            (sin(p), -cos(p), sin(p) + sin(q), -cos(p) - cos(q)) for p, q in kept]


ENSEMBLES = [Ensemble("two rods", "double_pendulum.kal", "dpend_cart", ["x1", "y1", "x2", "y2"]),
             Ensemble("two angles", "double_pendulum_angles.kal", "dpend", ["p", "q"])]


def processor_seconds(command, env=None):
    """What a command takes of the processor, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def by_hand(folder, runs):
    """Pendulums a second by hand, on two cores, by case; {} without the folder."""
    if not ANCHORS.is_dir():
        return {}
    program = folder / "hand"
    subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=fast", f"-I{ANCHORS}",
                    str(ANCHORS / "hand.c"), "-o", str(program), "-lm", "-lpthread"], check=True)
    _, text = processor_seconds([str(program), "ens", str(runs)])
    lines = [line.split("\t") for line in text.splitlines()]
    return {line[2]: float(line[3]) for line in lines}


def measure(ensemble, kalaba, folder, runs, hand):
    """Print rates and errors; whether lanes change no byte."""
    rates = {}
    tables = {lanes: folder / f"lanes{lanes}.csv" for lanes in ("1", "0")}
    for lanes, table in tables.items():
        env = {**os.environ, "KALABA_LANES": lanes}
        command = ensemble.command(kalaba, table, runs)
        best = min(processor_seconds(command, env)[0] for _ in range(REPEATS))
        rates[lanes] = CORES * runs / best
    exact = folder / "exact.csv"
    subprocess.run(ensemble.command(kalaba, exact, REFERENCES, tolerance="1e-12"), check=True)
    ends = ensemble.ends(tables["1"])
    errors = [hypot(a[2] - b[2], a[3] - b[3]) for a, b in zip(ends, ensemble.ends(exact))]
    rods = max(max(abs(hypot(x1, y1) - 1), abs(hypot(x2 - x1, y2 - y1) - 1))
               for x1, y1, x2, y2 in ends)
    same = tables["1"].read_bytes() == tables["0"].read_bytes()
    print(ensemble.title)
    print(f"  in lanes      {rates['1']:10.0f} a second")
    print(f"  one by one    {rates['0']:10.0f} a second")
    if ensemble.hand in hand:
        rate = hand[ensemble.hand]
        print(f"  by hand       {rate:10.0f} a second; lanes are {rates['1'] / rate:.2f} of it")
    print(f"  median error  {statistics.median(errors):10.2g}")
    print(f"  rods off by   {rods:10.2g}")
    print("  the same bytes with lanes and without" if same else "  LANES CHANGE BITS",
          flush=True)
    return same


def elapsed(*commands):
    """Seconds by the clock until all of some commands, begun together, have ended."""
    began = time.perf_counter()
    started = [subprocess.Popen(command) for command in commands]
    assert all([process.wait() == 0 for process in started])
    return time.perf_counter() - began


def clock_once(ensemble, kalaba, folder, runs):
    """Seconds of each way to do the runs; the folder gets a table of each."""
    def table(name):
        return folder / f"{name}.h5"

    alone = ensemble.command(kalaba, table("one"), runs, "--threads", "1")
    halves = [ensemble.command(kalaba, table("half"), runs, "--threads", "1", "--shard",
                               f"{k}/2") for k in (1, 2)]
    threads = ensemble.command(kalaba, table("threads"), runs, "--threads", "2")
    ranks = [*MPIRUN, "2", *ensemble.command(kalaba, table("ranks"), runs)]
    one_rank = [*MPIRUN, "1", *ensemble.command(kalaba, table("rank"), runs)]
    return {"one": elapsed(alone), "halves": elapsed(*halves), "threads": elapsed(threads),
            "ranks": elapsed(ranks), "rank": elapsed(one_rank)}


def clock(kalaba, runs):
    """Threads and ranks by the clock; whether all tables have the same bytes."""
    good = True
    for ensemble in ENSEMBLES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            turns = [clock_once(ensemble, kalaba, folder, runs) for _ in range(TURNS)]
            best = {way: min(turn[way] for turn in turns) for way in turns[0]}
            whole = (folder / "one.h5").read_bytes()
            same = all((folder / f"{way}.h5").read_bytes() == whole
                       for way in ("threads", "ranks", "rank"))
        threads, ranks = best["one"] / best["threads"], best["threads"] / best["ranks"]
        print(f"{ensemble.title}, {runs} runs, best of {TURNS}, by the clock")
        print(f"  one thread     {best['one']:7.2f} s   one rank {best['rank']:7.2f} s")
        print(f"  two processes  {best['halves']:7.2f} s   "
              f"{best['one'] / best['halves']:.2f} times as fast, without a table: what the machine gives")
        print(f"  two threads    {best['threads']:7.2f} s   {threads:.2f} times as fast"
              f"{'' if threads >= THREADS else f', not {THREADS}'}")
        print(f"  two ranks      {best['ranks']:7.2f} s   {ranks:.2f} of threads"
              f"{'' if ranks >= RANKS else f', not {RANKS}'}")
        print("  the same bytes" if same else "  OTHER BYTES", flush=True)
        good = good and same
    return 0 if good else 1


def seconds_a_run(command, runs):
    """Processor time of a run, without start-up: that of four times as many, less these."""
    times = []
    for factor in (1, 4):
        more = [*command, "--count", str(factor * runs)]
        times.append(min(processor_seconds(more)[0] for _ in range(REPEATS)))
    return (times[1] - times[0]) / (3 * runs)


def scaling(table, kalaba, runs):
    """How many times as fast threads and ranks are as one thread."""
    lines = ["n,threads,ranks"]
    with tempfile.TemporaryDirectory() as name:
        command = ENSEMBLES[0].command(kalaba, Path(name) / "a.csv", runs)
        command = [word for i, word in enumerate(command)
                   if word != "--count" and command[i - 1] != "--count"]
        alone = seconds_a_run([*command, "--threads", "1"], runs)
        for n in (1, 2, 4):
            threads = (alone if n == 1 else
                       seconds_a_run([*command, "--threads", str(n)], runs))
            ranks = seconds_a_run([*MPIRUN, str(n), *command], runs)
            lines.append(f"{n},{n * alone / threads:.3f},{n * alone / ranks:.3f}")
            print(lines[-1], flush=True)
    Path(table).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def main():
    if sys.argv[1] == "--scaling":
        return scaling(*sys.argv[2:4], int(sys.argv[4]) if len(sys.argv) > 4 else 5000)
    if sys.argv[1] == "--clock":
        return clock(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else CLOCKED)
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hand = by_hand(folder, runs)
        good = [measure(ensemble, sys.argv[1], folder, runs, hand) for ensemble in ENSEMBLES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
