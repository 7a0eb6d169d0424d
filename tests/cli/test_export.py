#!/usr/bin/env python3
"""Exported sources from outside: test_export.py PROGRAM ROOT

What compiled sources compute is the suite `export`; here are files, names and refusals.
"""

import json
import re
import tempfile
from pathlib import Path

from model_lab import EXAMPLES, case, main, run

FILES = {"CMakeLists.txt", "main.c", "meson.build"}


def export(model, folder, *options):
    return run("export", model, "--c", folder, *options)


@case
def files_are_named_after_the_model():
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = export(EXAMPLES / "slider_crank.kal", folder, "--json")
        assert status == 0, err
        told = json.loads(out)
        assert told["name"] == "slider_crank"
        assert set(told["files"]) == FILES | {"slider_crank.h", "slider_crank.c"}
        assert {path.name for path in Path(folder).iterdir()} == set(told["files"])
        sizes = [(Path(folder) / name).stat().st_size
                 for name in ("slider_crank.h", "slider_crank.c")]
        assert told["bytes"] == sum(sizes)
        assert 0 < told["operations"] < told["most_operations"]
        assert told["redundant"] is False


@case
def the_same_model_gives_the_same_bytes():
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for _ in range(2):
            assert export(EXAMPLES / "squeezer.kal", folder)[0] == 0
            texts.append((Path(folder) / "squeezer.c").read_bytes())
        assert texts[0] == texts[1]


@case
def files_of_others_are_not_touched():
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "main.c"
        own.write_text("int main(void) { return 0; }\n")
        status, _, err = export(EXAMPLES / "pendulum.kal", folder)
        assert status == 1 and "main.c" in err
        assert [path.name for path in Path(folder).iterdir()] == ["main.c"]
        assert own.read_text().startswith("int main")


@case
def what_is_not_exported_is_named_and_leaves_nothing():
    with tempfile.TemporaryDirectory() as folder:
        for model, word in (("flexible_arm", "servos"), ("net", "432 coordinates")):
            target = Path(folder) / model
            status, _, err = export(EXAMPLES / f"{model}.kal", target)
            assert status == 1 and word in err, err
            assert not target.exists()


@case
def names_become_identifiers():
    text = """
        model "names */ // ??/ of all kinds"
        param int = 1, θ = 2, v1 = 3, L[2] = [4, 5]
        component Bar(m) { coord x, while; kinetic 1/2*m*(x'^2 + while'^2) }
        part bar = Bar(m = int + θ + v1 + L[1] + L[2])
        coord work, x[2], x_1, exp
        kinetic 1/2*(work'^2 + x[1]'^2 + x[2]'^2 + x_1'^2 + exp'^2)
        potential exp(exp) + bar.x*work
        output double = work
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        model = Path(other) / "names.kal"
        model.write_text(text)
        status, _, err = export(model, folder, "--name", "for")
        assert status == 0, err
        header = (Path(folder) / "for_.h").read_text()
        for name in ("double int_;", "double theta;", "double L_1;", "for__q_bar_x = 0",
                     "for__q_x_1 ", "for__q_x_1_", "for__o_double_"):
            assert name in header, name
        assert len(re.findall(r"/\*", header)) == len(re.findall(r"\*/", header))


@case
def wrong_usage_is_told():
    assert run("export", EXAMPLES / "pendulum.kal")[0] == 2
    status, _, err = export(EXAMPLES / "pendulum.kal", "/nowhere/at/all")
    assert status == 1 and "/nowhere/at/all" in err


main()
