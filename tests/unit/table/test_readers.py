#!/usr/bin/env python3
"""Our files as other programs read them: test_readers.py SAMPLE

SAMPLE writes the table of sample.h to a folder.  Python's own modules read CSV and JSON,
h5dump reads HDF5, and SciPy reads MAT.
"""

import csv
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

# Seconds after which a program counts as hanging: a guard, not a measure of speed.
HANG = 900

try:
    from scipy.io import loadmat
except ImportError:
    loadmat = None

SAMPLE = sys.argv[1]
NAMES = ["t", "x", "x'", "link[2].a'", "a,b", 'say "hi"', "θ", "a/b%2F.", ".", " #x ", "#y"]
UNITS = ["s", "m", "m/s", "rad/s", "", "", "°", "kg*m^2", "", 'a,"b"', ""]
X = [1.0, math.nan, 2.0**-52, 3.1415926535897932, 1.0]
XD = [-0.0, math.inf, 1.0 + 2.0**-52, -3.1415926535897932, 2.0]
CASES = []


class Skip(Exception):
    """This machine lacks the reader."""


def case(function):
    CASES.append(function)
    return function


def same(got, want):
    got, want = list(map(float, got)), list(map(float, want))
    assert len(got) == len(want), (got, want)
    for one, other in zip(got, want):
        equal = one == other and math.copysign(1, one) == math.copysign(1, other)
        assert equal or (math.isnan(one) and math.isnan(other)), (got, want)


@case
def csv_is_rfc_4180(whole, _):
    with open(whole / "sample.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows[0] == NAMES, rows[0]
    assert {len(row) for row in rows} == {len(NAMES)} and len(rows) == 6
    same([row[1] for row in rows[1:]], X)
    same([row[2] for row in rows[1:]], XD)
    same([row[0] for row in rows[1:]], [0, 0.25, 0.5, 0.75, 1])


@case
def csv_has_its_units_beside_it(whole, _):
    with open(whole / "sample.units.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows[0] == ["name", "unit", "description"]
    assert [row[0] for row in rows[1:]] == NAMES
    assert [row[1] for row in rows[1:]] == UNITS
    assert rows[4][2] == "two\nlines", rows[4]


@case
def incomplete_csv_has_one_more_column(_, cut):
    with open(cut / "sample.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows[0] == NAMES + ["(incomplete)"]
    assert {row[-1] for row in rows[1:]} == {"1"}


@case
def json_has_everything(whole, cut):
    table = json.loads((whole / "sample.json").read_text(encoding="utf-8"))
    assert list(table["columns"]) == NAMES
    assert [column["unit"] for column in table["columns"].values()] == UNITS
    same([math.nan if x is None else x for x in table["columns"]["x"]["values"]], X)
    assert table["parameters"]["m"] == {"unit": "kg", "value": 1.5,
                                        "description": 'mass of the "bob"'}
    assert table["parameters"]["k"]["value"] is None
    assert table["notes"]["steps"] == 1234 and table["notes"]["version"] == "0.1.0"
    assert len(table["notes"]["model"].encode()) == 100000
    assert table["incomplete"] is False
    assert json.loads((cut / "sample.json").read_text(encoding="utf-8"))["incomplete"] is True


def h5dump(*arguments):
    if not shutil.which("h5dump"):
        raise Skip("no h5dump")
    done = subprocess.run(["h5dump", "-m", "%.17g", *map(str, arguments)],
                          capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(dump):
    """What stands between the braces of DATA, without the indices."""
    data = re.search(r"DATA \{(.*?)\}", dump, re.DOTALL).group(1)
    return re.sub(r"\(\d+\):", "", data).replace(",", " ").split()


@case
def hdf5_has_a_dataset_for_each_column(whole, _):
    path = whole / "sample.h5"
    same(numbers(h5dump("-d", "/columns/x", path)), X)
    same(numbers(h5dump("-d", "/columns/x'", path)), XD)
    assert '"m/s"' in h5dump("-a", "/columns/x'/unit", path)
    assert '"time"' in h5dump("-a", "/columns/t/description", path)
    assert "H5T_IEEE_F64LE" in h5dump("-H", "-d", "/columns/t", path)
    same(numbers(h5dump("-d", "/columns/a%2Fb%252F.", path)), [-1e-300, 1e23, 2, 1e-11, 7])
    same(numbers(h5dump("-d", "/columns/%2E", path)), [5e-324, 1e15, 3, 1e-12, 8])


@case
def hdf5_has_its_columns_in_order(whole, _):
    listing = h5dump("-H", "-q", "creation_order", "-g", "/columns", whole / "sample.h5")
    found = re.findall(r'DATASET "(.*)" \{', listing)
    assert found[:4] == ["t", "x", "x'", "link[2].a'"] and len(found) == len(NAMES), found


@case
def hdf5_has_parameters_and_notes(whole, cut):
    path = whole / "sample.h5"
    same(numbers(h5dump("-d", "/parameters/m", path)), [1.5])
    assert '"kg"' in h5dump("-a", "/parameters/m/unit", path)
    same(numbers(h5dump("-a", "/steps", path)), [1234])
    assert '"0.1.0"' in h5dump("-a", "/version", path)
    assert "STRSIZE 100001" in h5dump("-a", "/model", path)
    same(numbers(h5dump("-a", "/incomplete", path)), [0])
    same(numbers(h5dump("-a", "/incomplete", cut / "sample.h5")), [1])


def load(path):
    if loadmat is None:
        raise Skip("no SciPy")
    return loadmat(path, chars_as_strings=False)


def texts(matrix):
    """Each column of a character matrix; MAT files have bytes, SciPy makes Latin-1."""
    columns = ("".join(column) for column in matrix.T)
    return [text.rstrip(" ").encode("latin-1").decode("utf-8") for text in columns]


class Trajectory:
    """The way in which readers of Dymola's files find a variable."""

    def __init__(self, path):
        self.matrices = load(path)
        kind = ["".join(row).rstrip() for row in self.matrices["Aclass"]]
        assert kind == ["Atrajectory", "1.1", "", "binTrans"], kind
        self.names = texts(self.matrices["name"])
        self.descriptions = texts(self.matrices["description"])

    def find(self, name):
        matrix, row = self.matrices["dataInfo"][:2, self.names.index(name)]
        data = self.matrices[f"data_{matrix or 2}"]
        return data[abs(row) - 1] * (1 if row > 0 else -1)


@case
def mat_is_a_trajectory_of_dymola(whole, _):
    result = Trajectory(whole / "sample.mat")
    assert result.names[:4] == ["time", "x", "x'", "link[2].a'"], result.names
    assert result.names[6] == "θ" and result.names[-3:] == ["m", "l/2", "k"]
    same(result.find("time"), [0, 0.25, 0.5, 0.75, 1])
    same(result.find("x"), X)
    same(result.find("x'"), XD)
    same(result.find("#y"), [2.2250738585072014e-308, 3, 5, 0.125, 10])
    same(result.find("m"), [1.5, 1.5])
    same(result.find("k"), [-math.inf, -math.inf])
    same(result.matrices["data_1"][0], [0, 1])
    assert result.descriptions[0] == "time [s]" and result.descriptions[1] == "[m]"
    assert result.descriptions[-3] == 'mass of the "bob" [kg]'
    assert [str(result.matrices[name].dtype) for name in ("dataInfo", "data_1", "data_2")] \
        == ["int32", "float64", "float64"]
    assert list(result.matrices["dataInfo"][:, 0]) == [0, 1, 0, -1]
    assert list(result.matrices["dataInfo"][:, 1]) == [2, 2, 0, -1]


@case
def incomplete_mat_says_so(whole, cut):
    assert "(incomplete)" not in Trajectory(whole / "sample.mat").names
    same(Trajectory(cut / "sample.mat").find("(incomplete)"), [1, 1])


def main():
    failed = 0
    print(f"1..{len(CASES)}")
    with tempfile.TemporaryDirectory() as name:
        whole, cut = Path(name) / "whole", Path(name) / "cut"
        for folder, arguments in ((whole, []), (cut, ["incomplete"])):
            folder.mkdir()
            subprocess.run([SAMPLE, folder, *arguments], timeout=HANG, check=True)
        for number, function in enumerate(CASES, 1):
            try:
                function(whole, cut)
                print(f"ok {number} - {function.__name__}")
            except Skip as reason:
                print(f"ok {number} - {function.__name__} # SKIP {reason}")
            except Exception: # a case that breaks is a case that fails
                failed += 1
                print(f"not ok {number} - {function.__name__}")
                for line in traceback.format_exc().splitlines():
                    print("#", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
