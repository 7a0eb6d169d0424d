#!/usr/bin/env python3
"""All examples with two builds: compare_examples.py BUILD OTHER [ROUNDS] [EXAMPLE…]

BUILD and OTHER are build folders with the command `kalaba`; OTHER is the older.  Every
example of BUILD's source runs with both in turn, as a process `kalaba run MODEL --json`,
several times, and the least processor time counts.  What takes longer than 1.05 of OTHER is
run again, ten times as often, before it is said to be slower.

Then, in the same way, `kalaba eval` of small models beside a program that does nothing.
Fails when an example is slower, when one that OTHER runs fails, or when `kalaba eval` takes
2 ms more than the empty program.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SLOWER = 1.05
MOST_SECONDS = 2e-3
SMALL = ("pendulum", "slider_crank", "sleigh")


def processor_time(command):
    """Seconds of a process, and whether it succeeded."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, process.returncode == 0


def least(commands, rounds):
    """The least times of commands that run in turn, and whether all runs succeeded."""
    best = [float("inf")] * len(commands)
    fine = [True] * len(commands)
    for _ in range(rounds):
        for i, command in enumerate(commands):
            seconds, succeeded = processor_time(command)
            best[i] = min(best[i], seconds)
            fine[i] = fine[i] and succeeded
    return best, fine


def compare(builds, model, rounds):
    commands = [[build / "kalaba", "run", model, "--json"] for build in builds]
    best, fine = least(commands, rounds)
    if all(fine) and best[0] > SLOWER * best[1]:
        best, fine = least(commands, 10 * rounds)
    return best, fine


def compare_all(builds, models, rounds):
    rows = []
    for model in models:
        (now, before), (works, worked) = compare(builds, model, rounds)
        rows.append((now / before, model.stem, before, now, works, worked))
    print("| example | before | now | times |\n|---|---|---|---|")
    for ratio, name, before, now, works, worked in sorted(rows, reverse=True):
        note = "" if works and worked else " fails" if worked else " failed before"
        print(f"| {name} | {1e3*before:.2f} ms | {1e3*now:.2f} ms | {ratio:.2f}{note} |")
    alike = [row for row in rows if row[4] and row[5]]
    sums = [sum(row[k] for row in alike) for k in (2, 3)]
    print(f"| all | {1e3*sums[0]:.0f} ms | {1e3*sums[1]:.0f} ms | {sums[1]/sums[0]:.2f} |")
    broken = [row[1] for row in rows if row[5] and not row[4]]
    slower = [row[1] for row in alike if row[0] > SLOWER]
    print(f"slower than {SLOWER}: {', '.join(slower) or 'none'}")
    return not broken and not slower


def compare_processes(build, examples, rounds):
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", empty], check=True, text=True,
                       input="int main(void) { return 0; }\n")
        commands = [[empty]] + [[build / "kalaba", "eval", examples / f"{name}.kal", "--json"]
                                for name in SMALL]
        best, fine = least(commands, 20 * rounds)
    print("| process | time | more than an empty one |\n|---|---|---|")
    for name, seconds in zip(("empty", *SMALL), best):
        print(f"| {name} | {1e3*seconds:.2f} ms | {1e3*(seconds - best[0]):.2f} ms |")
    return all(fine) and max(best) - best[0] <= MOST_SECONDS


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builds = [Path(argument).resolve() for argument in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    names = sys.argv[4:]
    examples = builds[0].parent / "examples"
    models = sorted(path for path in examples.glob("*.kal")
                    if not names or path.stem in names)
    fine = compare_all(builds, models, rounds)
    return 0 if compare_processes(builds[0], examples, rounds) and fine else 1


if __name__ == "__main__":
    sys.exit(main())
