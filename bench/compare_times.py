#!/usr/bin/env python3
"""The same models with two versions of the library: compare_times.py BUILD OTHER

BUILD and OTHER are build folders of Meson, each within its source.  bench/times.c, which
knows public headers only, is compiled with the headers and linked with the library of each;
both programs run the examples of their sources in turn, several times, and the fastest
counts.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROUNDS = 3
MODELS = ("spatial_four_bar", "universal_joint", "suspended_body", "spinning_top_parts",
          "rolling_disc_parts", "squeezer")


def compile_with(build, program):
    """bench/times.c with the library of a build folder."""
    subprocess.run(["ninja", "-C", build, "src/libkalaba.so.0.1.0"], check=True,
                   stdout=subprocess.DEVNULL)
    library = build / "src"
    subprocess.run(["cc", "-O2", "-std=c17", "-D_POSIX_C_SOURCE=200809L",
                    "-I", build.parent / "include", "-I", build / "include",
                    BENCH / "times.c", library / "libkalaba.so.0.1.0",
                    f"-Wl,-rpath,{library}", "-lm", "-o", program], check=True)


def measure(program, source, best):
    out = subprocess.run([program, *(source / "examples" / f"{name}.kal"
                                     for name in MODELS)],
                         check=True, capture_output=True, text=True).stdout
    for path, result in json.loads(out).items():
        name = Path(path).stem
        if name not in best or result["seconds"] < best[name]["seconds"]:
            best[name] = result


def main():
    builds = [Path(argument).resolve() for argument in sys.argv[1:3]]
    best = [{}, {}]
    with tempfile.TemporaryDirectory() as folder:
        programs = [Path(folder) / f"times{i}" for i in range(2)]
        for build, program in zip(builds, programs):
            compile_with(build, program)
        for _ in range(ROUNDS):
            for build, program, results in zip(builds, programs, best):
                measure(program, build.parent, results)
    print("| model | before | now | times as fast |\n|---|---|---|---|")
    for name in MODELS:
        now, before = (results[name]["seconds"] for results in best)
        print(f"| {name} | {1e3*before:.1f} ms | {1e3*now:.1f} ms | {before/now:.1f} |")


if __name__ == "__main__":
    sys.exit(main())
