# SPDX-License-Identifier: MIT
"""The wheel, built by pip without a network and installed in an environment of its own."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import kalaba

ROOT = Path(os.environ["KALABA_ROOT"])
BUILD = Path(os.environ["KALABA_PROGRAM"]).resolve().parent

USE = """
import kalaba, sys
model = kalaba.Model(sys.argv[1])
run = model.run()
run.report("a.html")
print(kalaba.__file__, kalaba.__version__, run["theta"][-1].hex())
"""


def run(*command, **environment):
    keep = {name: value for name, value in os.environ.items()
            if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True,
                          timeout=900, check=False, env={**keep, **environment})
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_wheel_is_built_installed_and_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", tmp_path / "stage")
    found = next((tmp_path / "stage").rglob("kalaba.pc"))
    text = found.read_text(encoding="utf-8")
    found.write_text(text.replace("prefix=/", f"prefix={tmp_path}/stage/", 1), encoding="utf-8")
    shutil.copytree(ROOT / "python", tmp_path / "package",
                    ignore=shutil.ignore_patterns(".mesonpy*", "build"))
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "-w", tmp_path / "wheels",
        tmp_path / "package", PKG_CONFIG_PATH=str(found.parent))
    wheels = list((tmp_path / "wheels").glob("kalaba-*.whl"))
    assert len(wheels) == 1 and kalaba.__version__ in wheels[0].name
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    run(tmp_path / "venv" / "bin" / "python", "-m", "pip", "install", "--no-deps", "--no-index",
        wheels[0])
    model = ROOT / "examples" / "sleigh.kal"
    place, version, end = run(tmp_path / "venv" / "bin" / "python", "-c", USE, model).split()
    assert str(tmp_path / "venv") in place and version == kalaba.__version__
    assert end == kalaba.Model(model).run()["theta"][-1].hex()
    assert (tmp_path / "a.html").stat().st_size > 10000


def test_a_build_takes_the_packages_for_pages_that_are_there(tmp_path):
    """So that pip needs no network after script/run; others than those of the lock are not taken."""
    found = importlib.util.spec_from_file_location("backend", ROOT / "python" / "backend.py")
    backend = importlib.util.module_from_spec(found)
    found.loader.exec_module(backend)
    root, here = tmp_path / "root", tmp_path / "here"
    there = root / backend.PAGES
    (there / "node_modules").mkdir(parents=True)
    (root / "web").mkdir()
    (root / "web" / "package-lock.json").write_text("{}", encoding="utf-8")
    lent = here / "src" / "report" / "web"
    for stamp in (None, "of others", hashlib.sha256(b"{}").hexdigest()):
        if stamp:
            (there / "installed.txt").write_text(stamp, encoding="utf-8")
        assert not lent.exists()
        backend._lend_pages(here, root)
    assert (lent / "node_modules").resolve() == there / "node_modules"
    assert (lent / "installed.txt").read_text(encoding="utf-8") == stamp
