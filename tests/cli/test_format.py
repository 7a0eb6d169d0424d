#!/usr/bin/env python3
"""The canonical form of models: test_format.py PROGRAM ROOT"""

import os
import stat
import subprocess
import tempfile
from pathlib import Path

from model_lab import HANG, PROGRAM, ROOT, SHARE, case, examples, main, run

UGLY = "coord   x # the way\n\n\n\nkinetic (1)/2*x'^2;potential x^2/2\n"
NICE = "coord x  # the way\n\nkinetic 1/2*x'^2\npotential x^2/2\n"


def models():
    return [*examples(3), *sorted((ROOT / "models").glob("*.kal"))]


@case
def a_form_is_printed():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.kal")
        path.write_text(UGLY)
        assert run("format", path) == (0, NICE, "")
        assert path.read_text() == UGLY
        done = subprocess.run([PROGRAM, "format", "-"], input=UGLY.encode(), timeout=HANG,
                              capture_output=True, check=False)
        assert (done.returncode, done.stdout.decode()) == (0, NICE), done


@case
def check_tells_by_its_status():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.kal")
        path.write_text(UGLY)
        status, out, err = run("format", "--check", path)
        assert (status, out) == (1, "") and "m.kal is not in its canonical form" in err, err
        path.write_text(NICE)
        assert run("format", "--check", path) == (0, "", "")


@case
def write_replaces_the_file():
    with tempfile.TemporaryDirectory() as folder:
        path, link = Path(folder, "m.kal"), Path(folder, "link.kal")
        path.write_text(UGLY)
        path.chmod(0o640)
        link.symlink_to("m.kal")
        assert run("format", "--write", link) == (0, "", "")
        assert link.is_symlink() and path.read_text() == NICE
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        before = path.stat()
        assert run("format", "--write", path) == (0, "", "")
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == \
            (before.st_ino, before.st_mtime_ns), "a file that is right is not touched"
        assert sorted(os.listdir(folder)) == ["link.kal", "m.kal"]


@case
def what_is_no_model_stays_as_it_is():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.kal")
        path.write_text("coord\n")
        for options in ([], ["--check"], ["--write"]):
            status, out, err = run("format", *options, path)
            assert (status, out) == (1, "") and "m.kal:1:6: error:" in err, (options, err)
        assert path.read_text() == "coord\n"
        status, _, err = run("format", Path(folder, "none.kal"))
        assert status == 1 and "none.kal" in err, err


@case
def wrong_usage_is_told():
    for arguments in (["format"], ["format", "--write", "-"],
                      ["format", "--check", "--write", "m.kal"]):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "") and err.startswith("kalaba: "), (arguments, err)


@case
def all_models_mean_the_same_in_their_form():
    """The tool itself compares the trees; here the form is a form, and loses no comment."""
    assert len(models()) * SHARE > 40
    with tempfile.TemporaryDirectory() as folder:
        for model in models():
            status, out, err = run("format", model)
            assert status == 0, (model, err)
            path = Path(folder, model.name)
            path.write_text(out)
            assert run("format", "--check", path) == (0, "", ""), model
            assert out.count("#") == model.read_text().count("#"), model
            assert max(map(len, out.splitlines())) <= 100, model


if __name__ == "__main__":
    main()
