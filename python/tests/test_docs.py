# SPDX-License-Identifier: MIT
"""The examples of docstrings, of docs/python.md and of the notebooks."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kalaba
import kalaba.build
import kalaba.formula
import kalaba.model
import kalaba.solution

ROOT = Path(os.environ["KALABA_ROOT"])
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("module", [kalaba, kalaba.build, kalaba.formula, kalaba.model,
                                    kalaba.solution], ids=lambda module: module.__name__)
def test_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("page, folder, least", [("docs/python.md", "examples", 6),
                                                 ("README.md", ".", 1)])
def test_pages(page, folder, least, monkeypatch, tmp_path):
    """Blocks of Python on a page go on from each other, as a reader would type them."""
    monkeypatch.chdir(ROOT / folder)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    space = {"folder": tmp_path}
    for block in blocks:
        exec(compile(block.replace('"out/', f'"{tmp_path}/'), page, "exec"), space)
    assert len(blocks) >= least


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KALABA_EXAMPLES", str(ROOT / "examples"))
    space = {}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"{path.name}[{number}]", "exec"), space)
    assert "kalaba" in space


def test_type_hints(tmp_path):
    """The package as a user's checker sees it, and a use of it with two mistakes."""
    use = tmp_path / "use.py"
    use.write_text("import kalaba\nrun = kalaba.load('a.kal').run(until=1.0)\nx = run['x']\n"
                   "y: int = run.t\nkalaba.Model('a').export(3)\n"
                   "z = kalaba.load('a').sweep({'k': [1]})['k']\n"
                   "runs, failed = kalaba.load('a').sweep({'k': [1]}, save='a.h5')\n")
    settings = tmp_path / "settings.ini"  # SymPy is large, and takes minutes to check
    settings.write_text("[mypy]\nignore_missing_imports = True\n"
                        "[mypy-sympy.*,scipy.*]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"),
               "--config-file", settings]
    package = Path(kalaba.__file__).parent
    done = subprocess.run(command + [package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    done = subprocess.run(command + [use], capture_output=True, text=True, check=False,
                          env={**os.environ, "MYPYPATH": str(package.parent)})
    assert done.stdout.count("error:") == 2 and "use.py:4" in done.stdout, done.stdout
    assert "use.py:5" in done.stdout


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3
