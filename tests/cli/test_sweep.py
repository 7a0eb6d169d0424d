#!/usr/bin/env python3
"""Many runs of one model: test_sweep.py PROGRAM ROOT

Rows against single runs and closed forms; the same bytes for threads, shards and processes
that are killed; what is told of it.
"""

import csv
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from model_lab import EXAMPLES, PROGRAM, case, main, run, wait_until_at_work

SPRING = """model "Spring"
param m = 2 [kg], k = 8 [N/m]
coord x [m]
kinetic 1/2*m*x'^2
potential 1/2*k*x^2
init x = 1
event back: x falling set x' = x'
simulate 0 .. 5 every 5
"""

PENDULUM = """model "Pendulum"
param L = 1, g = 9.81
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential g*y
constraint rod: x^2 + y^2 = L^2
init x = L, y ~ 0
simulate 0 .. 3 every 0.1, rtol = 1e-7, atol = 1e-9
"""


DOUBLE_PENDULUM = """model "Double pendulum"
param g = 9.81, a1 = 1, a2 = 1
coord x1, y1, x2, y2
kinetic 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)
potential g*(y1 + y2)
constraint rod1: x1^2 + y1^2 = 1
constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1
init x1 = sin(a1), y1 ~ -cos(a1), x2 = sin(a1) + sin(a2), y2 ~ -cos(a1) - cos(a2)
simulate 0 .. 10 every 10
"""


class Folder:
    """A folder with models in it, the working folder meanwhile."""

    def __enter__(self):
        self.before = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)
        Path("spring.kal").write_text(SPRING)
        Path("pendulum.kal").write_text(PENDULUM)
        Path("double.kal").write_text(DOUBLE_PENDULUM)
        return self

    def __exit__(self, *error):
        os.chdir(self.before)
        self.temporary.cleanup()


def sweep(*arguments):
    status, out, err = run("sweep", *arguments)
    assert status == 0, (arguments, status, out, err)
    return out


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def files():
    """What there is beside the models."""
    return sorted(name for name in os.listdir(".") if not name.endswith(".kal"))


@case
def rows_have_inputs_values_and_a_status():
    with Folder():
        out = sweep("spring.kal", "-o", "a.csv", "--vary", "m = 1, 2", "--vary",
                    "k = 1 .. 9 count 5", "--keep",
                    "final(x), max(x), min(x), mean(x), rms(x), when(back)")
        assert "10 runs, 0 failed" in out, out
        out = sweep("spring.kal", "-o", "one.csv", "--vary", "m = 1", "--keep", "final(x)")
        assert "\n  1 run, 0 failed" in out, out
        os.remove("one.csv")
        rows = rows_of("a.csv")
        assert list(rows[0]) == ["run", "m", "k", "final(x)", "max(x)", "min(x)", "mean(x)",
                                 "rms(x)", "when(back)", "status"]
        assert [row["run"] for row in rows] == [str(i + 1) for i in range(10)]
        for i, row in enumerate(rows):
            m, k = [1, 2][i // 5], 1 + 2 * (i % 5)
            assert float(row["m"]) == m and float(row["k"]) == k and row["status"] == "ok"
            w = math.sqrt(k / m)
            a = 5 * w
            expected = {"final(x)": math.cos(a), "max(x)": 1,
                        "min(x)": -1 if a > math.pi else math.cos(a),
                        "mean(x)": math.sin(a) / a,
                        "rms(x)": math.sqrt(0.5 + math.sin(2 * a) / (4 * a)),
                        "when(back)": 0.5 * math.pi / w}
            for name, value in expected.items():
                assert abs(float(row[name]) - value) < 1e-7, (row, name, value)
        assert files() == ["a.csv"]


@case
def rows_are_the_runs_of_the_model():
    """To the last bit, as `run` has it."""
    with Folder():
        sweep("pendulum.kal", "-o", "a.csv", "--vary", "L = 0.5, 0.7, 2", "--vary",
              "y' = 0, -1", "--keep", "final(x), final(y'), max(reaction(rod))")
        for row in rows_of("a.csv"):
            status, out, _ = run("run", "pendulum.kal", "-p", f"L={row['L']}", "--family",
                                 "y' = " + row["y'"], "--json")
            assert status == 0, out
            one = json.loads(out)["family"][0]["run"]
            assert one["q"]["x"] == float(row["final(x)"]), (one, row)
            assert one["qd"]["y"] == float(row["final(y')"])


@case
def a_failed_run_is_a_row_with_its_reason():
    with Folder():
        status, out, err = run("sweep", "pendulum.kal", "-o", "a.csv", "--vary",
                               "x' = 0, 0.5", "--json")
        assert status == 0, (status, err)
        answer = json.loads(out)
        assert answer["runs"] == 2 and answer["ok"] == 1 and answer["failed"] == 1
        assert answer["reasons"] == {"the constraints contradict each other": 1}
        assert answer["file"] == "a.csv" and answer["model"] == "Pendulum"
        good, bad = rows_of("a.csv")
        assert good["status"] == "ok" and "rod" in bad["status"]
        assert all(math.isnan(float(bad[name])) for name in bad if name.startswith("final"))


@case
def a_page_shows_runs_from_everywhere():
    """Of 8000 runs it has one of two, and of these as many on either side of the middle."""
    with Folder():
        sweep("spring.kal", "-o", "a.csv", "--report", "a.html", "--random",
              "k = uniform(1, 3)", "--count", "8000", "--design", "sobol", "--until", "0.1")
        column = re.search(r'"name": "k"[^[]*\[([^]]*)\]', Path("a.html").read_text())
        shown = [float(text) for text in column[1].split(",")]
        assert len(shown) == 4000
        assert 1800 < sum(k < 2 for k in shown) < 2200, sum(k < 2 for k in shown)


@case
def random_inputs_follow_the_seed():
    with Folder():
        random_options = ["--random", "k = normal(8, 0.5)", "--random", "m = uniform(1, 3)",
                          "--keep", "final(x)", "--count"]
        tables = {}
        for name, more in {"a": [], "b": ["--seed", "1"], "c": ["--design", "latin"],
                           "d": ["--design", "sobol"], "e": ["--seed", "0"]}.items():
            sweep("spring.kal", "-o", f"{name}.csv", *random_options, "40", *more)
            tables[name] = Path(f"{name}.csv").read_text()
        assert tables["a"] == tables["e"]
        assert len({tables[name] for name in "abcd"}) == 4
        masses = sorted(float(row["m"]) for row in rows_of("c.csv"))
        assert all(1 + i / 20 <= m <= 1 + (i + 1) / 20 for i, m in enumerate(masses))
        # more samples do not change the first ones
        sweep("spring.kal", "-o", "f.csv", *random_options, "60")
        assert Path("f.csv").read_text().startswith(tables["a"])


@case
def structure_may_change():
    with Folder():
        sweep(EXAMPLES / "pendulum_chain.kal", "-o", "a.csv", "--vary", "N = 2 .. 4",
              "--until", "0.05", "--keep", "final(t), final(*[1]*)")
        rows = rows_of("a.csv")
        assert [row["status"] for row in rows] == ["ok"] * 3, rows
        assert all(float(row["final(t)"]) == 0.05 for row in rows)


@case
def threads_and_shards_make_no_difference():
    with Folder():
        command = ["pendulum.kal", "--vary", "L = 0.5 .. 2 count 23", "--random",
                   "g = uniform(9, 10)", "--count", "2", "--keep", "final(*), max(x)"]
        for ending in ("csv", "h5"):
            sweep(*command, "-o", f"one.{ending}", "--threads", "1")
            sweep(*command, "-o", f"many.{ending}", "--threads", "7")
            for k in (3, 1, 2):
                sweep(*command, "-o", f"merged.{ending}", "--shard", f"{k}/3")
                assert not Path(f"merged.{ending}").exists()
            sweep(*command, "-o", f"merged.{ending}", "--merge")
            one = Path(f"one.{ending}").read_bytes()
            assert one == Path(f"many.{ending}").read_bytes()
            assert one == Path(f"merged.{ending}").read_bytes()
        assert not [name for name in files() if name.endswith(".sweep")]


def kill_and_go_on(command, times, seconds):
    """Kill a command again and again: it comes to what is in whole.csv."""
    whole = Path("whole.csv").read_bytes()
    rng = random.Random(5)
    for _ in range(times):
        process = subprocess.Popen([*command, "-o", "a.csv", "--resume"])
        while process.poll() is None and not Path("a.csv.sweep").exists():
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.15) * seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not Path("a.csv").exists() or Path("a.csv").read_bytes() == whole
    subprocess.run([*command, "-o", "a.csv", "--resume"], check=True)
    assert Path("a.csv").read_bytes() == whole


@case
def a_killed_sweep_goes_on_to_the_same_bytes():
    with Folder():
        command = [PROGRAM, "sweep", "pendulum.kal", "-q", "--vary",
                   "L = 0.5 .. 2 count 40", "--vary", "g = 9 .. 11 count 60", "--keep",
                   "final(*), max(x)"]
        began = time.monotonic()
        subprocess.run([*command, "-o", "whole.csv"], check=True)
        kill_and_go_on(command, 12, time.monotonic() - began)


@case
def interrupted_work_is_kept_for_the_same_command_only():
    with Folder():
        command = ["pendulum.kal", "--vary", "L = 0.5 .. 2 count 100", "--vary",
                   "g = 9 .. 11 count 1000", "--until", "400", "-o", "a.csv"] # for hours
        process = subprocess.Popen([PROGRAM, "sweep", *command], stderr=subprocess.PIPE)
        while process.poll() is None and not Path("a.csv.sweep").exists():
            time.sleep(0.01)
        wait_until_at_work(process, 0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        assert process.returncode == 130 and b"--resume" in err, err
        assert Path("a.csv.sweep").exists() and not Path("a.csv").exists()
        status, out, err = run("sweep", *command, "--resume", "--tolerance", "1e-5")
        assert status == 2 and "another sweep" in err, (status, out, err)
        assert Path("a.csv.sweep").exists()


@case
def work_of_options_that_show_in_later_runs_is_another():
    """Where `simulate` depends on an input, an option that says what the model does is no less an
    option."""
    with Folder():
        Path("timed.kal").write_text(SPRING.replace("k = 8 [N/m]", "k = 8 [N/m], T = 5").replace(
            "0 .. 5 every 5", "0 .. T every T, rtol = 1e-8, atol = 1e-8"))
        command = ["timed.kal", "-o", "a.csv", "--vary", "T = 1, 2, 3, 4", "--shard", "1/2",
                   "--resume"]
        sweep(*command)
        for more in ["--until", "5"], ["--tolerance", "1e-8"], ["--drift", "project"], [
                "--method", "auto"], ["--max-steps", "100000000"]:
            status, _, err = run("sweep", *command, *more)
            assert status == 2 and "another sweep" in err, (more, status, err)
        sweep(*command)


@case
def values_that_are_not_unique_are_told():
    # Two rods side by side: how they share the pull is not unique, the sum of it is.
    with Folder():
        Path("rods.kal").write_text("""param g = 9.81
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential g*y
constraint rod: x^2 + y^2 = 1
constraint twin: 2*x^2 + 2*y^2 = 2
constraint other: x = 0
output one = reaction(twin), all = reaction(rod) + 2*reaction(twin)
init x = 0, y = -1
simulate 0 .. 0.1 every 0.1
""")
        kept = "final(one), max(reaction(*)), final(all), final(x)"
        shared = ["final(one)", "max(reaction(rod))", "max(reaction(twin))"]
        out = sweep("rods.kal", "-o", "a.csv", "--vary", "g = 1, 2", "--keep", kept)
        assert all(f"not unique: {name}\n" in out for name in shared), out
        assert out.count("not unique") == len(shared), out
        answer = json.loads(sweep("rods.kal", "-o", "b.h5", "--vary", "g = 1, 2", "--keep", kept,
                                  "--json"))
        assert answer["not_unique"] == shared, answer
        for name in shared + ["final(all)"]:
            described = subprocess.run(["h5dump", "-A", "-d", f"/columns/{name}", "b.h5"],
                                       capture_output=True, check=True).stdout.decode()
            assert ("not unique" in described) == (name in shared), (name, described)
        head, *rows = list(csv.reader(Path("a.csv").read_text().splitlines()))
        assert head[-2:] == ["not_unique", "status"], head
        assert [row[-2:] for row in rows] == 2 * [["; ".join(shared), "ok"]], rows
        _, figure, _ = run("plot", "a.csv", "--x", "g", "--y", "final(one)")
        assert "final(one) (not unique)" in figure, figure


@case
def what_is_not_unique_on_the_way_alone_is_told_of_that_run():
    # The twin acts from T on, for a while: after it final values are unique again, but those
    # that depend on the time before are not, nor is the work of a drive that had a twin.
    with Folder():
        Path("late.kal").write_text("""param g = 9.81, T = 0.5
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential g*y
prescribe x = sin(t)
constraint twin: 2*x = 2*sin(t), off
event join: t - T engage twin
event part: t - T - 0.1 release twin
output one = drive(x), all = drive(x) + 2*reaction(twin)
init x = 0, y = 0
simulate 0 .. 1 every 1
""")
        kept = ("final(one), max(one), rms(all), mean(reaction(twin)), final(work(drive(x))), "
                "when(join)")
        vary = ["--vary", "T = 0.5, 2, 0.95"]
        marks = ["max(one); mean(reaction(twin)); final(work(drive(x)))", "",
                 "final(one); max(one); mean(reaction(twin)); final(work(drive(x)))"]

        def told(file):
            head, *rows = list(csv.reader(Path(file).read_text().splitlines()))
            return [row[head.index("not_unique")] for row in rows]

        sweep("late.kal", "-o", "a.csv", *vary, "--keep", kept)
        assert told("a.csv") == marks, told("a.csv")
        for shard in "1/2", "2/2":
            sweep("late.kal", "-o", "b.csv", *vary, "--keep", kept, "--shard", shard)
        answer = json.loads(sweep("late.kal", "-o", "b.csv", *vary, "--keep", kept, "--merge",
                                  "--json"))
        assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
        assert answer["not_unique"] == marks[2].split("; "), answer
        sweep("late.kal", "-o", "c.csv", *vary, "--trajectories")
        assert set(told("c.csv")) == {"one", ""}
        sweep("late.kal", "-o", "d.csv", "--vary", "T = 2, 3", "--keep", kept)
        assert "not_unique" not in Path("d.csv").read_text()


@case
def one_process_works_on_a_sweep_at_a_time():
    with Folder():
        command = ["pendulum.kal", "--vary", "L = 0.5 .. 2 count 100", "--vary",
                   "g = 9 .. 11 count 1000", "--until", "400", "-o", "a.csv"] # for hours
        process = subprocess.Popen([PROGRAM, "sweep", "-q", *command])
        while process.poll() is None and not Path("a.csv.sweep").exists():
            time.sleep(0.01)
        wait_until_at_work(process, 0)
        for more in [], ["--resume"]:
            status, _, err = run("sweep", *command, *more)
            assert status == 1 and "another process is at work on a.csv.sweep" in err, err
        assert files() == ["a.csv.sweep"], files()
        process.kill()
        process.wait()
        sweep("pendulum.kal", "--vary", "L = 1, 2", "-o", "a.csv")


@case
def hdf5_has_columns_texts_and_notes():
    with Folder():
        sweep("pendulum.kal", "-o", "a.h5", "--vary", "L = 1, 2", "--vary", "x' = 0, 1",
              "--keep", "final(x)")
        def dump(*arguments):
            return subprocess.run(["h5dump", *arguments, "a.h5"], capture_output=True,
                                  check=True).stdout.decode()
        assert "H5T_STRING" in dump("-d", "/status") and '"ok' in dump("-d", "/status")
        assert "H5T_IEEE_F64LE" in dump("-d", "/columns/final(x)")
        layout = dump("-p", "-H", "-d", "/columns/L")
        assert "CHUNKED" in layout and "DEFLATE" in layout
        header = dump("-A")
        for word in ("model_text", "command", "kalaba", "--vary", "potential g*y"):
            assert word in header, word
        status, out, _ = run("plot", "a.h5", "--x", "L", "--y", "final(x)", "-o", "p.svg")
        assert status == 0, out


@case
def trajectories_are_the_samples_of_runs():
    """To the last bit the rows that `run` writes."""
    with Folder():
        options = ["--columns", "reaction(*), x''", "--until", "1.05"]
        sweep("pendulum.kal", "-o", "a.csv", "--trajectories", "--vary", "L = 0.5, 0.7, 2",
              "--vary", "y' = 0, -1", *options)
        rows = rows_of("a.csv")
        assert list(rows[0])[:4] == ["run", "L", "start(y')", "t"], rows[0]
        assert [int(row["run"]) for row in rows] == [i // 12 + 1 for i in range(6 * 12)]
        assert all(row["status"] == "ok" for row in rows)
        for number in range(6):
            own = rows[12 * number:12 * number + 12]
            status, out, err = run("run", "pendulum.kal", "-o", "one.csv", "-q", "-p",
                                   f"L={own[0]['L']}", "--family",
                                   "y' = " + own[0]["start(y')"], *options)
            assert status == 0, (out, err)
            single = rows_of("one.csv")
            names = [name for name in single[0] if name != "run"]
            assert list(own[0]) == ["run", "L", "start(y')", *names, "status"]
            assert [[row[name] for name in names] for row in own] == [
                [row[name] for name in names] for row in single]


@case
def trajectories_of_failed_runs_end_early():
    with Folder():
        Path("gap.kal").write_text(SPRING.replace(
            "simulate 0 .. 5 every 5", "force x = sqrt(a - t)\nsimulate 0 .. 1 every 0.25"
        ).replace("k = 8 [N/m]", "k = 8 [N/m], a = 2"))
        sweep("gap.kal", "-o", "a.csv", "--trajectories", "--vary", "a = 2, 0.6, -1")
        rows = rows_of("a.csv")
        whole, part, none = ([row for row in rows if row["run"] == str(k)]
                             for k in (1, 2, 3))
        times = [float(row["t"]) for row in whole]  # with the event in it, before and after
        assert times[:4] + times[-1:] == [0, 0.25, 0.5, 0.75, 1] and times[4] == times[5]
        status, _, _ = run("run", "gap.kal", "-o", "one.csv", "-q", "-p", "a=0.6")
        assert status == 1
        single = rows_of("one.csv")
        names = [name for name in single[0] if name != "(incomplete)"]
        assert [[row[name] for name in names] for row in part] == [
            [row[name] for name in names] for row in single]
        assert all(row["status"] not in ("", "ok") for row in part + none)
        assert len(none) == 1 and math.isnan(float(none[0]["t"]))


@case
def trajectories_have_the_same_bytes_however_they_came():
    with Folder():
        command = ["pendulum.kal", "--trajectories", "--vary", "L = 0.5 .. 2 count 23",
                   "--vary", "x' = 0, 1", "--columns", "reaction(rod)"]
        for ending in ("csv", "h5"):
            sweep(*command, "-o", f"one.{ending}", "--threads", "1")
            sweep(*command, "-o", f"many.{ending}", "--threads", "3")
            for k in (2, 1):
                sweep(*command, "-o", f"merged.{ending}", "--shard", f"{k}/2")
            sweep(*command, "-o", f"merged.{ending}", "--merge")
            one = Path(f"one.{ending}").read_bytes()
            assert one == Path(f"many.{ending}").read_bytes()
            assert one == Path(f"merged.{ending}").read_bytes()
        # values and samples are different work
        sweep(*command, "-o", "part.csv", "--shard", "1/2")
        status, _, err = run("sweep", *command[:1], *command[2:-2], "-o", "part.csv",
                             "--shard", "1/2", "--resume")
        assert status == 2 and "another sweep" in err, (status, err)
        for ending in ("csv", "h5"):
            status, out, err = run("plot", f"one.{ending}", "--x", "t", "--y", "x", "-o",
                                   "p.svg")
            assert status == 0, (out, err)


@case
def killed_trajectories_go_on_to_the_same_bytes():
    with Folder():
        command = [PROGRAM, "sweep", "pendulum.kal", "-q", "--trajectories", "--vary",
                   "L = 0.5 .. 2 count 20", "--vary", "g = 9 .. 11 count 30"]
        began = time.monotonic()
        subprocess.run([*command, "-o", "whole.csv"], check=True)
        kill_and_go_on(command, 6, time.monotonic() - began)


@case
def trajectories_have_columns_of_all_structures():
    with Folder():
        sweep(EXAMPLES / "pendulum_chain.kal", "-o", "a.csv", "--vary", "N = 2 .. 3",
              "--until", "0.02", "--trajectories")
        rows = rows_of("a.csv")
        name = next(name for name in rows[0] if "[3]" in name)
        assert {row["N"] for row in rows} == {"2", "3"}
        for row in rows:
            assert math.isnan(float(row[name])) == (row["N"] == "2"), row


@case
def a_dry_run_tells_and_writes_nothing():
    with Folder():
        before = files()
        out = sweep("spring.kal", "--vary", "k = 1 .. 2 count 1000", "--vary",
                    "m = 1 .. 2 count 1000", "--dry-run", "-o", "a.h5")
        assert "1000000 runs" in out and "MB" in out, out
        answer = json.loads(sweep("spring.kal", "--vary", "k = 1, 2", "--dry-run", "--json"))
        assert answer["runs"] == 2 and answer["inputs"] == ["k"] and answer["bytes"] > 0
        samples = json.loads(sweep("spring.kal", "--vary", "k = 1, 2", "--dry-run", "--json",
                                   "--trajectories"))
        assert samples["bytes"] == 4 * answer["bytes"]  # at 0, twice at the event, at 5
        assert files() == before


@case
def wrong_usage_is_told():
    with Folder():
        Path("status.kal").write_text("coord status\nkinetic status'^2\n")
        before = files()
        for arguments, word in [
                (["spring.kal"], "-o FILE"),
                (["spring.kal", "-o", "a.mat"], ".csv"),
                (["spring.kal", "-o", "a.csv", "--vary", "q = 1"], "no parameter"),
                (["spring.kal", "-o", "a.csv", "--vary", "K = 1"], "did you mean 'k'"),
                (["spring.kal", "-o", "a.csv", "--vary", "k = 1 .. 2.5"], "count"),
                (["spring.kal", "-o", "a.csv", "--vary", "k = 1 .. 2 step 0.1"],
                 "the number of values, not their distance"),
                (["spring.kal", "-o", "a.csv", "--random", "k = normal(1, 2)"], "--count"),
                (["spring.kal", "-o", "a.csv", "--random", "k = cauchy(1, 2)", "--count",
                  "3"], "normal"),
                (["spring.kal", "-o", "a.csv", "--keep", "final(q)"], "no column"),
                (["spring.kal", "-o", "a.csv", "--keep", "when(q)"], "no event"),
                (["spring.kal", "-o", "a.csv", "--keep", "top(x)"], "final(x)"),
                (["spring.kal", "-o", "a.csv", "--columns", "x"], "--trajectories"),
                (["spring.kal", "-o", "a.csv", "--trajectories", "--keep", "final(x)"],
                 "exclude each other"),
                (["spring.kal", "-o", "a.csv", "--trajectories", "--columns", "q"],
                 "no column"),
                (["status.kal", "-o", "a.csv", "--trajectories"], "two columns 'status'"),
                (["spring.kal", "-o", "a.csv", "--design", "cubic"], "latin"),
                (["spring.kal", "-o", "a.csv", "--shard", "3/2"], "shards"),
                (["spring.kal", "-o", "a.csv", "--shard", "x"], "K/N"),
                (["spring.kal", "-o", "a.csv", "--threads", "0"], "1 or more"),
                (["spring.kal", "-o", "a.csv", "--seed", "9007199254740993"],
                 "up to 9007199254740991"),
                (["spring.kal", "-o", "a.csv", "--merge"], "no work of shards"),
                (["spring.kal", "-o", "a.csv", "--vary", "k = 1, 2", "-p", "k=3"],
                 "an input of the sweep"),
                (["spring.kal", "-o", "a.csv", "--until", "x"], "number"),
                (["spring.kal", "-o", "a.csv", "--run", "1"], "takes '--report FILE'"),
                (["spring.kal", "--run", "1", "-o", "a.csv", "--report", "a.html"],
                 "no '-o'"),
                (["spring.kal", "--run", "0", "--report", "a.html"], "1 or more"),
                (["spring.kal", "-o", "a.csv", "--trajectories", "--report", "a.html"],
                 "'--trajectories'"),
                (["spring.kal", "-o", "a.csv", "--shard", "1/2", "--report", "a.html"],
                 "'--merge'"),
                (["spring.kal", "-o", "a.csv", "--report", "a.csv"], "same file"),
                (["spring.kal", "-o", "spring.kal"], "same file")]:
            status, out, err = run("sweep", *arguments)
            assert status == 2 and word in err, (arguments, status, out, err)
            assert files() == before, (arguments, files())


# ---- the examples of docs/sweeping.md


@case
def basins_of_attraction_have_the_symmetry_of_the_magnets():
    with Folder():
        sweep(EXAMPLES / "magnetic_pendulum.kal", "-o", "basins.csv", "--keep", "final(where)",
              "--vary", "x = -2 .. 2 count 21", "--vary", "y = -2 .. 2 count 21")
        ends = {(round(float(row["x"]), 9), round(float(row["y"]), 9)):
                float(row["final(where)"]) for row in rows_of("basins.csv")}
        assert len(ends) == 441
        for (x, y), end in ends.items():
            assert min(abs(end - magnet) for magnet in (-120, 0, 120)) < 1, (x, y, end)
            # Mirrored starts end at mirrored magnets; on the axis the bob stays there.
            assert abs(end + ends[x, -y]) < 1 or y == 0, (x, y, end)
        assert {round(end / 120) for end in ends.values()} == {-1, 0, 1}
        status, out, _ = run("plot", "basins.csv", "-q")
        assert status == 0 and "final(where): -120" in out, out


@case
def a_four_bar_swings_as_far_as_its_triangles_say():
    with Folder():
        bars = {"L1": 0.2, "L2": 0.5, "L3": 0.4, "d": 0.45}
        randoms = [word for name, length in bars.items()
                   for word in ("--random", f"{name} = normal({length}, 0.002)")]
        sweep(EXAMPLES / "four_bar_driven.kal", "-o", "study.csv", "--keep",
              "max(a3), min(a3)", *randoms, "--count", "16", "--design", "sobol")
        for row in rows_of("study.csv"):
            crank, coupler, rocker, ground = (float(row[name]) for name in bars)
            for kept, side in ("max(a3)", coupler - crank), ("min(a3)", coupler + crank):
                angle = math.pi - math.acos((ground ** 2 + rocker ** 2 - side ** 2)
                                            / (2 * ground * rocker))
                assert abs(float(row[kept]) - angle) < 2e-6, (row, angle)


@case
def a_driven_pendulum_doubles_its_period():
    with Folder():
        sweep(EXAMPLES / "driven_pendulum.kal", "-o", "periods.csv", "--trajectories",
              "--vary", "A = 0.9, 1.07, 1.15")
        late = [row for row in rows_of("periods.csv") if float(row["t"]) > 1400]
        speeds = [sorted({round(float(row["theta'"]), 4) for row in late
                          if float(row["A"]) == force}) for force in (0.9, 1.07, 1.15)]
        distinct = [sum(b - a > 1e-3 for a, b in zip(some, some[1:])) + 1 for some in speeds]
        assert distinct[:2] == [1, 2] and distinct[2] > 20, distinct
        status, out, err = run("plot", "periods.csv", "--kind", "scatter", "--x", "A", "--y",
                               "theta'", "--between", "1400..")
        assert (status, err) == (0, "") and "A" in out, err


# Rows turn so fast that runs have to look at them closely: in lanes as alone.
@case
def lanes_change_no_bits_where_pendulums_go_over_the_top():
    with Folder():
        for lanes in "01":
            command = [PROGRAM, "sweep", "double.kal", "-o", f"{lanes}.csv", "-q", "--count",
                       "100", "--keep", "final(x2), final(y1)", "--tolerance", "1e-3",
                       "--random", "a1 = uniform(-3, 3)", "--random", "a2 = uniform(-3, 3)"]
            subprocess.run(command, check=True, env={**os.environ, "KALABA_LANES": lanes})
        assert Path("0.csv").read_bytes() == Path("1.csv").read_bytes()


if __name__ == "__main__":
    sys.exit(main())
