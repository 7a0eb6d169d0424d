# SPDX-License-Identifier: MIT
"""The examples of docstrings, of docs/python.md and of the notebooks."""

import doctest
import os
import re
import runpy
from pathlib import Path

import pytest

import kalaba
import kalaba.build
import kalaba.formula
import kalaba.model
import kalaba.solution

ROOT = Path(os.environ["KALABA_ROOT"])
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.py"))


@pytest.mark.parametrize("module", [kalaba, kalaba.build, kalaba.formula, kalaba.model,
                                    kalaba.solution], ids=lambda module: module.__name__)
def test_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0


def test_the_page_of_the_docs(monkeypatch, tmp_path):
    """Blocks of Python on the page go on from each other, as a reader would type them."""
    monkeypatch.chdir(ROOT / "examples")
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    space = {"folder": tmp_path}
    for block in blocks:
        exec(compile(block.replace('"out/', f'"{tmp_path}/'), "docs/python.md", "exec"), space)
    assert len(blocks) > 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KALABA_EXAMPLES", str(ROOT / "examples"))
    runpy.run_path(str(path))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3
