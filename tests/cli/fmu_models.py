"""FMUs of models for tests: made once, begun, and the runs that they are compared with."""

import csv
import functools
import os
import re
import shutil
import tempfile
from pathlib import Path

from fmu_lab import OK, Unit
from model_lab import EXAMPLES, run

VERSIONS = (2, 3)

# Compilers take most of the time.  So but for KAL_TEST_ALL each model is that of one version of
# the standard, by turns, and two models only are compiled with the optimization that users get;
# what is written for the others is compiled without.
ALL = "KAL_TEST_ALL" in os.environ
OPTIMIZED = ("pendulum.kal", "slider_crank.kal")


def plain_compiler(folder):
    """An environment in which the compiler does not optimize."""
    script = Path(folder) / "cc"
    script.write_text(f'#!/bin/sh\nexec {shutil.which("cc")} "$@" -O0\n', encoding="utf-8")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


@functools.cache
def export(model, version, *options):
    """The FMU of a model, by its path or text; made once."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as tools:
        path = Path(folder) / "unit.fmu"
        if not isinstance(model, Path):
            text, model = model, Path(folder) / "unit.kal"
            model.write_text(text, encoding="utf-8")
        optimized = ALL or model.name in OPTIMIZED
        status, _, err = run("export", model, "--fmu", path, "--fmi", version, *options,
                             env=None if optimized else plain_compiler(tools))
        assert status == 0, err
        assert {p.suffix for p in Path(folder).iterdir()} <= {".fmu", ".kal"}
        return Unit(path)


def example(name):
    return EXAMPLES / f"{name}.kal"


def last_row(model, until, *options):
    """The last row of a run, by column."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        status, _, err = run("run", model, "-o", path, "--until", until, "-q",
                             *options)
        assert status == 0, err
        with open(path, encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        return {re.sub(r" \[.*\]$", "", name): float(value)
                for name, value in rows[-1].items()}


def initialized(unit, kind, **options):
    instance = unit.instance(kind)
    assert instance.handle, instance.messages
    assert instance.enter(**options) == OK, instance.messages
    assert instance.leave() == OK, instance.messages
    return instance
