# SPDX-License-Identifier: MIT
"""Runs and sweeps, against the command line and against mathematics."""

import csv
import math
import os
import threading
import time

import numpy as np
import pytest

import kalaba
from lab import EXAMPLES, PENDULUM, SPRING, command, command_json, interrupted_at_work

LONG = SPRING.replace("0 .. 10 every 0.1", "0 .. 1e9 every 100")
# All examples, or a share of them where sanitizers look on.
MODELS = sorted(path.stem for path in EXAMPLES.glob("*.kal"))[::int(
    os.environ.get("KAL_TEST_SHARE", "1"))]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], dtype=float).T


@pytest.mark.parametrize("name", MODELS)
def test_runs_are_those_of_the_command_line(name, tmp_path):
    path, out = EXAMPLES / f"{name}.kal", tmp_path / "out.csv"
    if name == "wheel_massless":  # whose acceleration is not unique
        with pytest.raises(kalaba.NotUniqueError, match="x"):
            kalaba.Model(path).run()
        return
    command("run", path, "-q", "-o", out)
    run = kalaba.Model(path).run(columns=())
    names, columns = rows_of(out)
    assert run.columns == names
    for name_, column in zip(names, columns):
        assert np.array_equal(run[name_], column, equal_nan=True), name_


def test_a_run_has_what_happened(tmp_path):
    run = kalaba.Model(PENDULUM).run(1.0, every=0.5)
    assert run.t.tolist() == [0, 0.5, 1] and run.complete and len(run) == 3
    assert list(run.reactions) == ["rod"] and run.units["t"] == "s"
    assert run.statistics.energy_drift < 1e-7 and run.json.t == 1 and not run.warnings
    assert "steps" in str(run) and "rod" in repr(run) and not run.not_unique
    with pytest.raises(KeyError, match="height"):
        run["hight"]
    for name in ("a.csv", "a.h5", "a.mat", "a.json"):
        run.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    with pytest.raises(kalaba.Error):
        run.save(tmp_path / "a.xyz")
    with pytest.raises(kalaba.FileError):
        run.save(tmp_path / "no" / "a.csv")


def test_options_reach_the_run():
    model = kalaba.Model(SPRING)
    exact = math.cos(20)
    rough, fine = (abs(model.run(tolerance=tolerance)["x"][-1] - exact)
                   for tolerance in (1e-4, 1e-11))
    assert fine < 1e-9 < rough < 1e-2
    assert model.run(method="bdf", tolerance=1e-8)["x"][-1] == pytest.approx(exact, abs=1e-4)
    assert model.run(start={"x": 3})["x"][0] == 3
    assert model.run(start="x' = 2, x = 0")["x'"][0] == 2
    assert "x''" in model.run(columns="x''")
    pendulum = kalaba.Model(PENDULUM)
    full = pendulum.run(form="full")["y"][-1]
    assert pendulum.run(form="reduced")["y"][-1] == pytest.approx(full, abs=1e-6)
    assert pendulum.run(drift="stabilize(5)")["y"][-1] == pytest.approx(full, abs=1e-5)
    for wrong in ({"method": "euler"}, {"drift": "much"}, {"form": "x"}, {"until": -1.0},
                  {"tolerance": -1.0}, {"every": 0.0}, {"columns": "nothing(*)"},
                  {"start": {"q": 1}}, {"start": "t = 1"}, {"until": math.nan}):
        with pytest.raises((ValueError, kalaba.Error)):
            model.run(**wrong)
    with pytest.raises(TypeError):
        model.run("soon")


def test_a_run_that_fails_keeps_what_there_is():
    model = kalaba.Model("coord x\nkinetic 1/2*x'^2\nforce x = log(1 - t)\n"
                         "simulate 0 .. 2 every 0.1\n")
    with pytest.raises(kalaba.Error) as caught:
        model.run()
    run = caught.value.run
    assert not run.complete and len(run) > 5 and run.time <= 1 and run.t[-1] <= 1


def test_ctrl_c_keeps_what_there_is():
    model = kalaba.Model(LONG)
    with interrupted_at_work(), pytest.raises(KeyboardInterrupt) as caught:
        model.run()
    run = caught.value.run
    assert not run.complete and 0 < run.time < 1e9 and len(run) > 0
    assert np.allclose(run["x"][:5], np.cos(2 * run.t[:5]), atol=1e-5)


def test_other_threads_go_on_during_a_run():
    model = kalaba.Model(LONG)
    turns = ["begun", "done"]

    def run():
        turns.append("begun")
        model.run(2e5)
        turns.append("done")
    for _ in range(100): # the system may let another thread wait, but not every time
        turns.clear()
        worker = threading.Thread(target=run)
        worker.start()
        while worker.is_alive():
            turns.append("turn")
            time.sleep(0.001)
        if turns.index("done") > turns.index("begun") + 2:
            return
    raise AssertionError("no thread had a turn during a run")


def test_pages_frames_and_plots(tmp_path):
    run = kalaba.Model(PENDULUM).run()
    run.report(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert run._repr_html_().startswith("<iframe srcdoc=")
    frame = run.to_pandas()
    assert frame.index.name == "t" and np.array_equal(frame["x"], run["x"])
    assert dict(run)["x"] is run["x"]
    ax = run.plot("x", "y")
    assert [line.get_label() for line in ax.lines] == ["x [m]", "y [m]"]
    assert np.array_equal(run.plot().lines[0].get_ydata(), run["x"])
    ax.figure.savefig(tmp_path / "a.png")


def test_datasets_have_units():
    pytest.importorskip("xarray")
    data = kalaba.Model(PENDULUM).run().to_xarray()
    assert data["x"].attrs["units"] == "m" and data.sizes["t"] == 201


def test_sweeps_are_those_of_the_command_line(tmp_path):
    path = tmp_path / "m.kal"
    path.write_text(SPRING)
    command("sweep", path, "-q", "--vary", "k = 1 .. 4 count 3", "--random",
            "x = uniform(1, 2)", "--count", "5", "--seed", "7", "--keep", "final(x), max(x')",
            "-o", tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    sweep = kalaba.Model(path).sweep({"k": "1 .. 4 count 3"}, {"x": "uniform(1, 2)"}, count=5,
                                     seed=7, keep=["final(x)", "max(x')"])
    assert len(sweep) == 15 and not sweep.failures and sweep.inputs == ["k", "x"]
    for place, name in enumerate(rows[0][1:-1], 1):
        assert [float(row[place]) for row in rows[1:]] == sweep[name].tolist(), name
    runs, failed = kalaba.Model(path).sweep({"k": [1, 2]}, save=tmp_path / "b.h5")
    assert (runs, failed) == (2, 0) and (tmp_path / "b.h5").stat().st_size > 1000


def test_sweeps_tell_what_is_not_unique():
    twins = ("param T = 1\ncoord x\nkinetic 1/2*x'^2\nconstraint rod: x = sin(t)\n"
             "constraint twin: 2*x = 2*sin(t), off\nevent join: t - T engage twin\n"
             "init x = 0\nsimulate 0 .. 2 every 2\n")
    keep = ["final(reaction(rod))", "final(x)"]
    assert kalaba.Model(twins).sweep({"T": [1, 3]}, keep=keep).not_unique == keep[:1]
    assert kalaba.Model(twins).sweep({"T": [3, 4]}, keep=keep).not_unique == []


def test_sweeps_have_their_closed_form_and_maps():
    sweep = kalaba.Model(SPRING).sweep({"k": [1, 4, 9], "x": [1, 2]}, keep="max(x'), final(x)")
    assert np.allclose(sweep["max(x')"], np.sqrt(sweep["k"]) * sweep["x"], rtol=1e-6)
    assert np.allclose(sweep["final(x)"], sweep["x"] * np.cos(10 * np.sqrt(sweep["k"])), atol=1e-6)
    assert sweep.plot("max(x')").get_xlabel() == "k"
    assert sweep.to_pandas().shape == (6, 4)


def test_runs_of_a_sweep_that_fail_have_a_reason():
    text = "param s = 1\ncoord x\nkinetic 1/2*x'^2\nforce x = log(s - t)\nsimulate 0 .. 2 every 1\n"
    sweep = kalaba.Model(text).sweep({"s": [1, 3]}, keep="final(x)")
    assert list(sweep.failures) == [1] and sweep.status[1] == "ok" != sweep.status[0]
    assert math.isnan(sweep["final(x)"][0]) and not math.isnan(sweep["final(x)"][1])


def test_a_sweep_ends_by_ctrl_c():
    model = kalaba.Model(LONG)
    with interrupted_at_work(), pytest.raises(KeyboardInterrupt):
        model.sweep({"k": [1, 2, 3]})


def test_the_command_agrees_about_the_end():
    told = command_json("run", EXAMPLES / "four_bar.kal", "-q")
    found = kalaba.Model(EXAMPLES / "four_bar.kal").run().json
    assert found.q == told["q"] and found.energy == told["energy"]


def test_events_of_a_run():
    model = kalaba.Model(SPRING).with_params(k=9)
    run = model.run(events={"down": "x falling stop"})
    assert run.stopped_by == "down" and abs(run.time - np.pi / 6) < 1e-6
    both = model.run(events=["down: x falling set x' = x'", "up: x rising stop"])
    assert both.stopped_by == "up" and abs(both.time - np.pi / 2) < 1e-6
    with pytest.raises(kalaba.ModelError):
        model.run(events="down: nothing falling stop")
    assert model.run().complete
