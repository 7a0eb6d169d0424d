#!/usr/bin/env python3
"""Pages that teach: test_tutorial.py PROGRAM ROOT

Every file, command and answer in them is tried, from top to bottom in one folder.  A block
after "file `name`:" is the file, one after "add to `name`:" goes behind it.  In a block of
`console`, lines with $ are commands, and what follows is their answer: numbers agree to the
digits that are shown, and … stands for any text, alone in a line for any lines.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from model_lab import HANG, PROGRAM, ROOT, case, main

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def blocks_of(text):
    """Fenced blocks: language, text, and the words before."""
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield found[1], found[2], " ".join(text[:found.start()].split())


def numbers_agree(want, got):
    """To a unit in the last place that is shown."""
    mantissa = want.split("e")[0]
    shown = len(mantissa.split(".")[1]) if "." in mantissa else 0
    scale = 10.0 ** int(want.split("e")[1]) if "e" in want else 1.0
    return abs(float(want) - float(got)) <= 1.001 * 10.0 ** -shown * scale


def pieces_agree(want, got):
    """Words are the same, numbers near each other."""
    if NUMBER.sub("#", want) != NUMBER.sub("#", got):
        return False
    return all(numbers_agree(*pair) for pair in zip(NUMBER.findall(want), NUMBER.findall(got)))


def line_agrees(want, got):
    want, got = want.split(), got.split()
    for i, word in enumerate(want):
        if "…" in word: # any text to the end of the line
            return " ".join(got[i:]).startswith(word.split("…")[0])
        if i >= len(got) or not pieces_agree(word, got[i]):
            return False
    return len(want) == len(got)


def lines_agree(want, got):
    """A line of … stands for any number of lines."""
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(lines_agree(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and line_agrees(want[0], got[0]) and lines_agree(want[1:], got[1:])


def solid(text):
    return [line for line in text.splitlines() if line.strip()]


def run_command(command):
    """What it prints, results and messages."""
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "kalaba", command
    done = subprocess.run([PROGRAM, *words[1:]], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=HANG, check=False)
    return done.returncode, done.stdout.decode()


class WithoutReports(Exception):
    """The program cannot write reports, which the page is about."""


def try_console(text):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, answer = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.DOTALL).groups()
        status, out = run_command(command)
        if "was built without" in out:
            raise WithoutReports
        fails = re.search(r"error:|^kalaba: (?!warning)", answer, re.MULTILINE) is not None
        assert (status != 0) == fails, (command, status, out)
        assert lines_agree(solid(answer), solid(out)), f"{command}\n{out}\nis not\n{answer}"


def try_page(path):
    """All blocks of a page, in a folder of their own; the number of commands."""
    commands = 0
    for language, text, before in blocks_of(path.read_text(encoding="utf-8")):
        file = re.search(r"(file|[Aa]dd to|here in) `([\w.]+)`:$", before)
        if language == "console":
            try_console(text)
            commands += text.count("\n$ ") + 1
        elif file and file[1] == "here in":
            assert lines_agree(solid(text), solid(Path(file[2]).read_text(encoding="utf-8"))), \
                (text, Path(file[2]).read_text(encoding="utf-8"))
        elif file:
            with open(file[2], "w" if file[1] == "file" else "a", encoding="utf-8") as out:
                out.write(text)
        else:
            assert language != "kal", f"{path}: whose text is this? {text}"
    return commands


def try_in_folder(path, least):
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            assert try_page(path) >= least
        except WithoutReports:
            return "reports are not built"
        finally:
            os.chdir(before)
    return None


def indented_consoles(text):
    """Blocks of indented lines that begin with a command of build/kalaba."""
    for block in re.findall(r"(?:^    [^\n]*\n|^\n)+", text, re.MULTILINE):
        lines = [line[4:] for line in block.splitlines()]
        first = next((i for i, line in enumerate(lines) if line.startswith("$ build/kalaba")), None)
        if first is not None and not lines[first].startswith("$ build/kalaba studio"): # it stays
            yield "\n".join(lines[first:]).replace("$ build/kalaba", "$ kalaba") + "\n"


@case
def the_first_page_is_true():
    """Commands of README.md; of those without an answer any will do."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink(ROOT / "examples", "examples")
        try:
            consoles = list(indented_consoles((ROOT / "README.md").read_text(encoding="utf-8")))
            assert len(consoles) >= 8, consoles
            for text in consoles:
                text = text.replace("count 100", "count 5") # enough to see that it works
                bare = [line for line in text.splitlines() if line and line[0] not in "$ "]
                try_console(text if bare else re.sub(r"(?<!\\)\n", "\n…\n", text.rstrip() + "\n"))
        except WithoutReports:
            return "reports are not built"
        finally:
            os.chdir(before)
    return None


@case
def the_comparison_sees_differences():
    assert lines_agree(["a 1.25", "…", "b"], ["a 1.2504", "x", "y", "b"])
    assert lines_agree(["x 8.7…"], ["x 8.7123"]) and line_agrees("t …", "t 1 2 3")
    assert not lines_agree(["a 1.25"], ["a 1.27"]) and not lines_agree(["a"], ["a", "b"])
    assert not line_agrees("x 8.7…", "x 8.8123") and not line_agrees("a b", "a")
    assert not line_agrees("x=1,y", "x=1,z") and line_agrees("x=1.50,y", "x=1.501,y")


@case
def tutorials_are_true():
    return try_in_folder(ROOT / "docs/tutorial.md", 10)


@case
def short_answers_are_true():
    return try_in_folder(ROOT / "docs/how-to.md", 9)


@case
def pictures_are_made_by_their_script():
    """All that the page shows, and something is in each."""
    shown = set(re.findall(r"figures/gallery/(\w+)\.svg", (ROOT / "docs/gallery.md").read_text(
        encoding="utf-8")))
    kept = {path.stem for path in (ROOT / "docs/figures/gallery").glob("*.svg")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-B", ROOT / "script/tools/make_gallery.py", PROGRAM,
                               ROOT, folder], capture_output=True, text=True, timeout=HANG,
                              check=False)
        if "was built without" in done.stderr:
            return "reports are not built"
        assert done.returncode == 0, done.stderr
        made = {path.stem: path.read_text(encoding="utf-8") for path in Path(folder).glob("*.svg")}
    assert shown == kept == set(made), (shown ^ kept, shown ^ set(made))
    for name, text in made.items():
        assert len(re.findall("<polyline|<circle", text)) >= 3 and "nan" not in text, name
    return None


if __name__ == "__main__":
    sys.exit(main())
