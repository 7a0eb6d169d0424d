#!/usr/bin/env python3
"""Reports from outside: test_report.py PROGRAM ROOT

What `run --report` writes, without a browser, and how it fails.
"""

import base64
import csv
import json
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

from model_lab import EXAMPLES, HANG, PROGRAM, case, main, run, wait_until_at_work

SLEIGH = EXAMPLES / "sleigh.kal"
FALL = "coord y\nkinetic 1/2*y'^2\npotential 9.81*y\nsimulate 0 .. {} every {}\n"


class Folder:
    """A folder that goes away, with a model written into it."""

    def __init__(self, text=""):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)
        self.model = self.path / "model.kal"
        self.model.write_text(text)
        self.report = self.path / "out.html"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.temporary.cleanup()

    def names(self):
        return sorted(path.name for path in self.path.iterdir())


class Page(HTMLParser):
    """The elements of a report, and the data in it."""

    def __init__(self, path):
        super().__init__()
        self.tags = []
        self.inside = None
        self.data = ""
        self.text = path.read_text()
        self.feed(self.text)
        self.run = json.loads(self.data)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id") if tag == "script" else self.inside

    def handle_endtag(self, tag):
        self.inside = None if tag == "script" else self.inside

    def handle_data(self, data):
        self.data += data if self.inside == "data" else ""

    def column(self, name):
        values = next(c for c in self.run["columns"] if c["name"] == name)["values"]
        if not isinstance(values, str):
            return [values] * self.run["rows"]
        raw = base64.b64decode(values)
        return list(struct.unpack(f"<{len(raw) // 8}d", raw))


@case
def a_report_is_one_file_that_asks_for_no_other():
    with Folder() as folder:
        status, out, err = run("run", SLEIGH, "--report", folder.report)
        assert status == 0 and "Chaplygin" in out, (status, err)
        page = Page(folder.report)
        for tag, attributes in page.tags:
            assert tag not in ("img", "link", "iframe", "object", "base"), tag
            assert not {"src", "href"} & set(attributes), (tag, attributes)
        assert page.text.count("url(") == page.text.count("url(data:font/ttf;base64,") == 1
        assert "@import" not in page.text
        policy = next(a["content"] for t, a in page.tags if "http-equiv" in a)
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy, policy
        assert sum(tag == "math" for tag, _ in page.tags) > 10
        assert page.run["check"]["counts"]["velocity_freedom"] == 2
        assert page.run["complete"] is True and page.run["failure"] is None


@case
def the_numbers_are_those_of_the_table():
    with Folder() as folder:
        table = folder.path / "out.csv"
        status, out, err = run("run", SLEIGH, "--report", folder.report, "-o", table, "-q")
        assert status == 0 and not out, (status, out, err)
        page = Page(folder.report)
        rows = list(csv.reader(table.open()))
        assert rows[0] == ["t", "x", "y", "theta", "x'", "y'", "theta'", "u1", "side", "exact"]
        for i, name in enumerate(rows[0]):
            assert page.column(name) == [float(row[i]) for row in rows[1:]], name


@case
def json_goes_to_standard_output_all_the_same():
    with Folder() as folder:
        status, out, _ = run("run", SLEIGH, "--report", folder.report, "--json", "--until", "1",
                             "-p", "b=0.5")
        assert status == 0 and json.loads(out)["t"] == 1
        given = [p for p in Page(folder.report).run["parameters"] if p["overridden"]]
        assert [(p["name"], p["value"]) for p in given] == [("b", 0.5)], given


@case
def a_title_is_no_markup():
    title = "</script><script>alert(1)</script><!-- &amp; '"
    with Folder(f'model "{title}"\n' + FALL.format(1, 0.1)) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert page.run["title"] == title
        assert sum(tag == "script" for tag, _ in page.tags) == 2
        assert "<script>alert" not in page.text


@case
def long_runs_give_small_pages():
    with Folder(FALL.format(1000, 0.01)) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert folder.report.stat().st_size < 4e6
        assert page.run["samples"] == 100001 and page.run["rows"] < 20000
        assert page.column("t")[0] == 0 and page.column("t")[-1] == 1000


@case
def what_was_computed_before_a_failure_is_shown():
    text = ("coord x\nkinetic 1/2*x'^2\nforce x = 0.001*sqrt(1 - x)\ninit x' = 1\n"
            "simulate 0 .. 3 every 0.1\n")
    with Folder(text) as folder:
        status, _, err = run("run", folder.model, "--report", folder.report)
        assert status == 1 and "sqrt" in err, (status, err)
        page = Page(folder.report)
        assert page.run["complete"] is False and "sqrt" in page.run["failure"]
        assert "This run is not complete.</strong> It ended at t = " in page.text
        assert 0.9 < page.column("t")[-1] < 1.01


@case
def an_event_that_stops_is_told_first():
    text = FALL.format(5, 0.1) + "init y = 1\nevent floor: y falling stop\n"
    with Folder(text) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert "The event floor stopped this run at t = 0.4515236" in page.text
        assert page.run["complete"] is True and page.run["stopped_by"] == "floor"


@case
def ctrl_c_leaves_a_report():
    with Folder(FALL.format("1e7", 1)) as folder:
        process = subprocess.Popen([PROGRAM, "run", str(folder.model), "--report",
                                    str(folder.report)], stderr=subprocess.PIPE)
        wait_until_at_work(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG)
        assert process.returncode == 130, (process.returncode, err)
        assert Page(folder.report).run["complete"] is False
        assert folder.names() == ["model.kal", "out.html"]


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


@case
def a_full_disk_leaves_no_file():
    with Folder(FALL.format(1, 0.1)) as folder:
        done = subprocess.run([PROGRAM, "run", str(folder.model), "--report",
                               str(folder.report)], capture_output=True, check=False,
                              preexec_fn=limit_files, timeout=HANG)
        assert done.returncode == 1 and b"out.html" in done.stderr, done
        assert folder.names() == ["model.kal"]


@case
def a_folder_that_is_not_there_is_noticed_at_once():
    with Folder(FALL.format("1e9", 1)) as folder:
        # To the end of this run would take longer than `run` waits.
        status, _, err = run("run", folder.model, "--report", folder.path / "no" / "out.html")
        assert status == 1 and "no/out.html" in err, (status, err)


@case
def runs_that_do_not_fit_are_refused_at_once():
    with Folder(FALL.format("1e9", 0.1)) as folder:
        status, _, err = run("run", folder.model, "--report", folder.report)
        assert status == 1 and "samples" in err, (status, err)
        assert folder.names() == ["model.kal"]


@case
def models_without_drawings_or_constraints_have_reports():
    with Folder(FALL.format(1, 0.5)) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert page.run["plots"] == [] and page.run["drawings"] == []
        assert [c["kind"] for c in page.run["columns"]] == ["time", "position", "velocity",
                                                            "energy"]


@case
def drawings_beyond_the_limit_are_left_out():
    text = ("param N = 1500\ncoord x\nkinetic 1/2*x'^2\ninit x' = 1\n"
            "for i in 1..N {\n    draw line [x*i, i] -> [x*i + 1, x - i]\n}\n"
            "simulate 0 .. 1 every 0.5\n")
    with Folder(text) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert 0 < page.run["drawings_left_out"] < 1500
        assert len(page.run["drawings"]) + page.run["drawings_left_out"] == 1500


@case
def plots_beyond_the_limit_are_left_out():
    text = ("param N = 5000\ncoord x\nkinetic 1/2*x'^2\ninit x' = 1\n"
            "for i in 1..N {\n    plot x*i, x\n}\nsimulate 0 .. 1 every 0.5\n")
    with Folder(text) as folder:
        assert run("run", folder.model, "--report", folder.report, "-q")[0] == 0
        page = Page(folder.report)
        assert 0 < page.run["plots_left_out"] < 5000
        assert len(page.run["plots"]) + page.run["plots_left_out"] == 5000


# A program without web parts says so, and that is all there is to test.
with Folder() as trial:
    said = run("run", SLEIGH, "--report", trial.report, "-q")
    if said[0] == 1 and re.search(r"built without its web parts", said[2]):
        print("1..0 # SKIP built without web parts")
    else:
        sys.exit(main())
