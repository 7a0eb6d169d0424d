#!/usr/bin/env python3
"""Count the single cases in Meson's test logs.

tally.py suites FOLDER            names the suites of a build folder, one a line
tally.py targets FOLDER SUITE…    names what is to be built for the tests of suites, as Ninja
                                  wants it
tally.py count FOLDER=OUTCOME…    prints what each build gave and, last, the line
                                  "N passed, N failed"; fails if anything did or if
                                  nothing ran.  OUTCOME is the exit status of
                                  `meson test`, or a text: what kept it from running.

A program that speaks TAP counts by its cases, any other as one case.  A case that was
planned but not reported, a missing plan, a crash and a timeout are failures.
"""

import json
import re
import sys
from pathlib import Path

PLAN = re.compile(r"1\.\.(\d+)\b")
CASE = re.compile(r"(not )?ok\b\s*\d*\s*(?:- )?([^#]*)(#\s*skip)?", re.IGNORECASE)
REMARKS = 20 # lines shown of what a failing case says
GOOD = ("OK", "EXPECTEDFAIL", "SKIP")


def tests_of(folder):
    return json.loads((folder / "meson-info" / "intro-tests.json").read_text())


def suites_of(folder):
    return sorted({s.split(":", 1)[1] for t in tests_of(folder) for s in t["suite"]})


def targets_of(folder, suites):
    """Files, from the build folder, that the tests of some suites need."""
    needed = {target for test in tests_of(folder) for target in test["depends"]
              if any(s.split(":", 1)[1] in suites for s in test["suite"])}
    listed = json.loads((folder / "meson-info" / "intro-targets.json").read_text())
    return sorted({str(Path(file).relative_to(folder.resolve()))
                   for target in listed if target["id"] in needed
                   for file in target["filename"]})


def speaks_tap(folder):
    """From the name of a test in the log to whether its output is TAP."""
    tap = {}
    for test in tests_of(folder):
        project = test["suite"][0].split(":")[0]
        suites = "+".join(s.split(":", 1)[1] for s in test["suite"])
        for name in (test["name"], f"{project}:{suites} / {test['name']}"):
            tap[name] = test["protocol"] == "tap"
    return tap


def count_tap(record):
    """Passed and skipped cases of one program, and a text for each failure."""
    passed, skipped, planned, bad, remarks = 0, 0, None, [], []
    for line in (record.get("stdout") or "").splitlines():
        plan, case = PLAN.match(line), CASE.match(line)
        if plan:
            planned = int(plan.group(1))
        elif line.startswith("#"):
            remarks.append(line[1:])
        elif case and case.group(1):
            bad.append("\n   ".join([case.group(2).strip(), *remarks[-REMARKS:]]))
        elif case and case.group(3):
            skipped += 1
        elif case:
            passed += 1
        if case:
            remarks = []
    seen = passed + skipped + len(bad)
    if planned is None:
        bad.append("no plan")
    elif planned != seen:
        bad += [f"{seen} of {planned} cases reported"] * max(planned - seen, 1)
    if record["result"] not in GOOD and not bad:
        bad.append(f"ended with {record['result']}, status {record['returncode']}")
    return passed, skipped, bad


def count_record(record, tap):
    if tap.get(record["name"], False):
        return count_tap(record)
    if record["result"] == "SKIP":
        return 0, 1, []
    if record["result"] in GOOD:
        return 1, 0, []
    return 0, 0, [record["result"].lower()]


def count_build(folder, outcome):
    """Passed, skipped and a text for each failure of one build."""
    log = folder / "meson-logs" / "testlog.json"
    if not outcome.isdigit():
        return 0, 0, [outcome]
    if not log.is_file():
        return 0, 0, [f"left no test log, status {outcome}"]
    tap = speaks_tap(folder)
    passed, skipped, bad = 0, 0, []
    for line in log.read_text().splitlines():
        record = json.loads(line)
        more, skips, failures = count_record(record, tap)
        passed += more
        skipped += skips
        bad += [f"{record['name']}: {failure}" for failure in failures]
    if outcome != "0" and not bad:
        bad.append(f"meson test ended with status {outcome}")
    return passed, skipped, bad


def count(arguments):
    total_passed, total_failed, failures = 0, 0, []
    print("\nbuild          passed  failed  skipped")
    for argument in arguments:
        path, outcome = argument.rsplit("=", 1)
        folder = Path(path)
        passed, skipped, bad = count_build(folder, outcome)
        print(f"{folder.name:<14} {passed:6}  {len(bad):6}  {skipped:7}")
        failures += [f"failed: {folder.name}: {text}" for text in bad]
        total_passed += passed
        total_failed += len(bad)
    for text in failures:
        print(text)
    if total_passed + total_failed == 0:
        print("no test ran")
    print(f"{total_passed} passed, {total_failed} failed")
    return total_failed > 0 or total_passed == 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "suites":
        print("\n".join(suites_of(Path(arguments[1]))))
        return 0
    if len(arguments) > 2 and arguments[0] == "targets":
        print("\n".join(targets_of(Path(arguments[1]), arguments[2:])))
        return 0
    if arguments and arguments[0] == "count":
        return count(arguments[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
