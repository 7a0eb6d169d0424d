#!/usr/bin/env python3
"""What `check` says of the examples: test_verdicts.py PROGRAM ROOT

Levels and kinds of constraints, freedoms, ranks, uniqueness, consistent starts.
"""

import json
import sys
import tempfile
from pathlib import Path

from model_lab import SHARE, case, check, examples, main, near, run


def kinds_of(model, **parameters):
    return {row["name"]: row for row in check(model, **parameters)["constraints"]}


def freedoms(model, **parameters):
    counts = check(model, **parameters)["counts"]
    return counts["configuration_freedom"], counts["velocity_freedom"]


@case
def every_example_passes_its_check():
    files = examples(2)
    assert len(files) * SHARE >= 50, files
    for path in files:
        answer = check(path)
        assert answer["model"], path
        assert answer["start"]["consistent"], path
        assert answer["unique"] == (path.stem != "wheel_massless"), path


@case
def pfaffian_constraints_are_classified():
    for model, kind, timed in (("pfaffian_scleronomic", "integrable", False),
                               ("pfaffian_rheonomic", "integrable", True),
                               ("pfaffian_nonholonomic", "nonholonomic", False)):
        answer = check(model)
        (row,) = answer["constraints"]
        assert row["level"] == "velocity" and row["linear_in_velocity"], row
        assert row["kind"] == kind and row["time_dependent"] == timed, row
        freedom = 3 if kind == "nonholonomic" else 2
        assert answer["counts"]["configuration_freedom"] == freedom, answer["counts"]
        assert answer["counts"]["velocity_freedom"] == 2, answer["counts"]


@case
def accelerations_that_are_given_leave_velocities_free():
    # As many states as there are numbers to choose at the start: linearize counts the same.
    head = "coord x, y\nkinetic x'^2 + y'^2\ninit x = 0, y = 0, x' = 1, y' = -1\n"
    for text, rank, positions, velocities in (
            ("constraint c: x'' = -4*x\n", 1, 2, 2),
            ("constraint c: x'' = -4*x\nconstraint r: y = -x\n", 2, 1, 1),
            ("constraint c: x'' + y'' = 0\nconstraint r: y = -x\n", 1, 1, 1),
            ("constraint c: x'' = x\nconstraint r: y' = -x'*cos(y)\n", 2, 1, 1)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.kal"
            path.write_text(head + text)
            counts = check(path)["counts"]
            status, out, _ = run("linearize", path, "--json", "-q")
        assert counts["rank"] == rank, (text, counts)
        assert counts["configuration_freedom"] == positions, (text, counts)
        assert counts["velocity_freedom"] == velocities, (text, counts)
        assert status == 0, out
        assert len(json.loads(out)["states"]) == positions + velocities, (text, out)


@case
def constraints_have_their_level_and_kind():
    for model, name, level, kind in (
            ("sleigh", "skid", "velocity", "nonholonomic"),
            ("sleigh_parts", "blade.skid", "velocity", "nonholonomic"),
            ("knife_edge", "skid", "velocity", "nonholonomic"),
            ("roller_racer", "bar", "velocity", "nonholonomic"),
            ("rolling_disc", "roll.x", "velocity", "nonholonomic"),
            ("rolling_disc_parts", "rim.slip.x", "velocity", "nonholonomic"),
            ("rolling_disc_parts", "rim.touch", "position", "holonomic"),
            ("rolling_wheel", "road.touch", "position", "holonomic"),
            ("rolling_wheel", "road.slip", "velocity", "integrable"),
            ("four_bar", "A.x", "position", "holonomic"),
            ("inverse_kepler", "orbit", "position", "holonomic")):
        row = kinds_of(model)[name]
        assert (row["level"], row["kind"]) == (level, kind), (model, row)
    row = kinds_of("constant_speed")["pace"]
    assert row["level"] == "velocity" and not row["linear_in_velocity"], row
    rows = kinds_of("car_axis")
    assert rows["road"]["time_dependent"] and not rows["axis"]["time_dependent"], rows


@case
def freedoms_are_counted():
    for model, configuration, velocity in (
            ("slider_crank", 1, 1), ("slider_crank_parts", 1, 1), ("four_bar", 1, 1),
            ("spatial_four_bar", 1, 1), ("squeezer", 1, 1), ("parallelogram", 1, 1),
            ("closed_loop", 4, 4), ("gear_train", 1, 1), ("rolling_wheel", 1, 1), ("sleigh", 3, 2),
            ("roller_racer", 3, 1), ("spinning_top_parts", 3, 3), ("rolling_disc", 5, 3),
            # Its wheels leave one motion only, which is integrable in place and time.
            ("kinematic_snake", 0, 0), ("rolling_disc_parts", 5, 3), ("spiral", 0, 0),
            ("double_pendulum_redundant", 2, 2), ("suspended_body", 4, 4)):
        assert freedoms(model) == (configuration, velocity), (model, freedoms(model))
    assert freedoms("closed_loop", N=9) == (7, 7)


@case
def redundant_constraints_are_found():
    answer = check("spatial_four_bar")
    counts = answer["counts"]
    assert (counts["coordinates"], counts["constraints"], counts["rank"]) == (21, 23, 20), counts
    answer = check("parallelogram")
    assert answer["counts"]["rank"] == 11 and answer["unique"], answer
    assert answer["dependent_sets"] and not all(answer["unique_reaction"].values()), answer
    answer = check("double_pendulum_redundant")
    assert [sorted(group) for group in answer["dependent_sets"]] == [["both", "rod1", "rod2"]]


@case
def what_nothing_determines_is_named():
    answer = check("wheel_massless")
    assert answer["indeterminate"] == ["x"], answer


@case
def starts_move_to_the_constraints():
    start = check("sleigh")["start"]
    near(start["moved"]["y'"], 0.6)
    near(start["qd"]["y"], 0.6)


@case
def conserved_energy_is_known():
    for model in ("sleigh", "four_bar", "spinning_top", "rolling_disc", "closed_loop"):
        assert "energy" in check(model)["conserved"], model
    for model in ("incline_friction", "gear_train", "suspended_body", "car_axis"):
        assert "energy" not in check(model)["conserved"], model


if __name__ == "__main__":
    sys.exit(main())
