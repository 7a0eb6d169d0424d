#!/usr/bin/env python3
"""What the tests reach, by module: coverage.py ROOT BUILD [--missed MODULE]

BUILD was configured with -Db_coverage=true, built, and its tests were run.  Prints a table
of lines and branches of the source files in src/, or the lines of a module that no test
reached.  A line is reached if any program that was built from it did; branches are the ways
that the compiler sees out of a line.  Those of assertions are left out: one of them is
never taken.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

BATCH = 40 # files of counts for one call of gcov


def counts_of(build):
    """What gcov says of each file of counts, file after file."""
    found = sorted(str(path.resolve()) for path in build.rglob("*.gcda"))
    for i in range(0, len(found), BATCH):
        run = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities",
                              *found[i:i + BATCH]],
                             capture_output=True, text=True, check=True, cwd=build)
        for line in run.stdout.splitlines():
            if line:
                yield json.loads(line)


class Source:
    """The lines of a source file, with the counts of all objects made of it."""

    def __init__(self, path):
        self.text = path.read_text().splitlines()
        self.lines = defaultdict(int)
        self.branches = defaultdict(list)

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        if "assert(" in self.text[number - 1]:
            return
        counts = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        before = self.branches[number]
        if len(before) == len(counts):
            self.branches[number] = [a + b for a, b in zip(before, counts)]
        elif len(before) < len(counts): # another object; other options, other branches
            self.branches[number] = counts


def collect(root, build):
    sources = {}
    for unit in counts_of(build):
        where = Path(unit["current_working_directory"])
        for file in unit["files"]:
            path = (where / file["file"]).resolve()
            if path.is_relative_to(root / "src") and path.suffix == ".c":
                source = sources.setdefault(path, Source(path))
                for line in file["lines"]:
                    source.add(line)
    return sources


def share(counts):
    return 100.0 * sum(count > 0 for count in counts) / max(len(counts), 1)


def print_table(root, sources):
    modules = defaultdict(lambda: ([], []))
    for path, source in sources.items():
        for name in (path.relative_to(root / "src").parts[0], "all"):
            lines, branches = modules[name]
            lines.extend(source.lines.values())
            branches.extend(c for counts in source.branches.values() for c in counts)
    print("| module | lines | reached | branches | taken |\n|---|--:|--:|--:|--:|")
    for name in [*sorted(name for name in modules if name != "all"), "all"]:
        lines, branches = modules[name]
        print(f"| `{name}` | {len(lines)} | {share(lines):.1f} % "
              f"| {len(branches)} | {share(branches):.1f} % |")


def print_missed(root, sources, module):
    for path, source in sorted(sources.items()):
        if path.relative_to(root / "src").parts[0] == module:
            for number in sorted(n for n, count in source.lines.items() if count == 0):
                print(f"{path.relative_to(root)}:{number}: {source.text[number - 1].strip()}")


def main():
    root, build = (Path(argument).resolve() for argument in sys.argv[1:3])
    sources = collect(root, build)
    if not sources:
        sys.exit(f"{build} has no counts: configure with -Db_coverage=true and run tests")
    if sys.argv[3:4] == ["--missed"]:
        print_missed(root, sources, sys.argv[4])
    else:
        print_table(root, sources)


if __name__ == "__main__":
    main()
