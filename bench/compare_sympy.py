#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derive the planar pendulum of ten links with Kalaba and with SymPy, side by side.

    compare_sympy.py BENCH_MODEL EXAMPLES

Kalaba goes from the text of the model to a ready program (BENCH_MODEL prints its times),
SymPy from symbols to a function of numbers.  Both run here, one after the other, and
both times are of the processor.
"""

import re
import subprocess
import sys
from pathlib import Path

LINKS = 10


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def main():
    bench, examples = sys.argv[1], Path(sys.argv[2])
    models = [examples / f"{name}.kal" for name in ("pendulum_chain", "slider_crank", "squeezer")]
    table = run(bench, *map(str, models))
    print(table)
    ours = float(re.search(rf"^ +{LINKS} +([0-9.]+) ms", table, re.MULTILINE).group(1)) / 1000
    script = Path(__file__).with_name("sympy_pendulum.py")
    theirs = float(run(sys.executable, str(script), str(LINKS)))
    print(f"{LINKS} links: Kalaba {ours * 1000:.3f} ms, SymPy {theirs:.3f} s, "
          f"ratio {theirs / ours:.0f}")


if __name__ == "__main__":
    main()
