#!/usr/bin/env python3
"""What a report costs: report.py PROGRAM EXAMPLES

The processor's time for whole commands, best of some, without a report, with one, and with
a table in CSV instead, and the size of the page.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, EXAMPLES = sys.argv[1], Path(sys.argv[2])
REPEATS = 15
MODELS = ["slider_crank", "sleigh", "swarm", "four_bar", "spatial_four_bar"]


def spent():
    """Seconds that commands have taken so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def best(*arguments):
    """Seconds of one command."""
    times = []
    for _ in range(REPEATS):
        begun = spent()
        subprocess.run([PROGRAM, "run", *map(str, arguments)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(spent() - begun)
    return min(times)


def main():
    print(f"{'model':18} {'run':>9} {'report/run':>11} {'CSV/run':>8} {'page':>8}")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "out.html"
        for name in MODELS:
            model = EXAMPLES / f"{name}.kal"
            plain = best(model)
            report = best(model, "--report", page)
            table = best(model, "-o", Path(folder) / "out.csv")
            print(f"{name:18} {1e3 * plain:6.1f} ms {report / plain:11.2f} "
                  f"{table / plain:8.2f} {page.stat().st_size / 1000:5.0f} kB", flush=True)


main()
