#!/usr/bin/env python3
"""The documents under examples/: test_documents.py PROGRAM EXAMPLES

Each is solved by the program and compared with numbers found by hand.
"""

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

# Seconds after which a program counts as hanging: a guard, not a measure of speed.
HANG = 900

PROGRAM = os.path.abspath(sys.argv[1])
EXAMPLES = Path(sys.argv[2])

# Accelerations, multipliers, coordinates that are free, sets that depend.
KNOWN = {
    # Tension m v²/L + m g cosθ = 5 + 8 = 13, so λ = −13/5.
    "pendulum": ([-7.8, 0.4], [-2.6], [], []),
    # −g (sinα + μ cosα) (cosα, sinα); the slope carries 50 cosα = 40 = 5 λ.
    "incline_with_friction": ([-8, -6], [8], [], []),
    # θ'' = m g R sinα/(m R² + I) = 12/1.5, y'' = 0.3 θ''.
    "wheel_with_massless_particle": ([8, 2.4, 0], [-40], ["x"], []),
    # Four legs carry 60 + 5 (x + y) each, in the shortest way.
    "table_on_four_legs": ([0, 0, 0], [70, 60, 50, 60], [],
                           [["front left", "front right", "back right", "back left"]]),
}

# Who is named in the refusal.
REFUSED = {
    "two_drives": ["motor", "cam"],
    "push_without_mass": ["x"],
}


def solve(path, *options):
    done = subprocess.run([PROGRAM, "solve", *options, path], capture_output=True,
                          timeout=HANG, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def near(got, want):
    assert len(got) == len(want), (got, want)
    for one, other in zip(got, want):
        assert abs(one - other) <= 1e-12 * max(1, *map(abs, want)), (got, want)


def check_known(name):
    qdd, multipliers, free, sets = KNOWN[name]
    status, out, err = solve(EXAMPLES / f"{name}.json", "--json")
    assert status == 0, err
    answer = json.loads(out)
    near(answer["qdd"], qdd)
    near([answer["multipliers"][c] for c in answer["constraints"]], multipliers)
    assert answer["indeterminate"] == free, answer
    assert answer["unique"] == (not free), answer
    assert answer["dependent_sets"] == sets, answer
    status, out, _ = solve(EXAMPLES / f"{name}.json")
    assert status == 0 and all(c in out for c in answer["coordinates"]), out


def check_refused(name):
    status, out, err = solve(EXAMPLES / "broken" / f"{name}.json", "--json")
    assert status == 1, (status, err)
    assert json.loads(out)["error"]["names"] == REFUSED[name], out
    status, out, err = solve(EXAMPLES / "broken" / f"{name}.json")
    assert (status, out) == (1, ""), (status, out)
    assert all(word in err for word in REFUSED[name]), err


def check_complete():
    """Every document is held to something."""
    assert {p.stem for p in EXAMPLES.glob("*.json")} == set(KNOWN)
    assert {p.stem for p in (EXAMPLES / "broken").glob("*.json")} == set(REFUSED)


def main():
    cases = [(name, check_known, (name,)) for name in KNOWN]
    cases += [(name, check_refused, (name,)) for name in REFUSED]
    cases.append(("complete", check_complete, ()))
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, function, arguments) in enumerate(cases, 1):
        try:
            function(*arguments)
            print(f"ok {number} - {name}")
        except Exception: # a case that breaks is a case that fails
            failed += 1
            print(f"not ok {number} - {name}")
            for line in traceback.format_exc().splitlines():
                print("#", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
