# SPDX-License-Identifier: MIT
"""What models come to: records, equations, tables, runs and sweeps."""

from __future__ import annotations

import html
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from .formula import to_sympy

__all__ = ["Record", "Equations", "Table", "Run", "Sweep"]


class Record(dict):
    """A result by name: the JSON of the command, its keys as attributes too.

    Lists of numbers under the keys of states and matrices are arrays.
    """

    _ARRAYS = ("q", "qd", "qdd", "M", "Q", "A", "b", "B", "C", "D", "ideal", "nonideal",
               "total", "eigenvalues")

    def __init__(self, found: dict[str, Any], text: Callable[[], str] | None = None) -> None:
        super().__init__({key: self._convert(key, value) for key, value in found.items()})
        self._text = text

    @classmethod
    def _convert(cls, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return cls(value)
        if key == "eigenvalues" and isinstance(value, list):
            return np.array([complex(*pair) for pair in value])
        if key in cls._ARRAYS and isinstance(value, list):
            return np.array(value, dtype=float)
        if isinstance(value, list):
            return [cls(one) if isinstance(one, dict) else one for one in value]
        return value

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}'; there are: "
                                 f"{', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __str__(self) -> str:
        return self._text() if self._text else super().__str__()


class Equations:
    """The equations of a model as text, LaTeX and SymPy expressions.

    `M`, `Q`, `A`, `b`, `C` and, with a closed form, `qdd` and `multipliers` are matrices of
    SymPy; `data` has all formulas as text by name.
    """

    def __init__(self, data: dict[str, Any], text: Callable[[], str],
                 latex: Callable[[], str]) -> None:
        self.data = data
        self._text = text
        self._latex = latex

    @property
    def text(self) -> str:
        """As the command prints it."""
        return self._text()

    @property
    def latex(self) -> str:
        """A whole document for pdflatex."""
        return self._latex()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<equations of {self.data['model']}>"

    def _rows(self, key: str) -> Any:
        closed = self.data.get("closed_form") or {}
        if key in self.data or key in ("A", "b"):  # there are none without constraints
            return self.data.get(key, [])
        if key in closed:
            return closed[key]
        if key == "C":  # all constraints are ideal
            return ["0"] * len(self.data["coordinates"])
        if "refused" in closed:
            raise AttributeError(f"there is no closed form: {closed['refused']}")
        raise AttributeError(f"there is no {key} in these equations" + (
            "; derive(closed_form=True) has it" if key in ("qdd", "multipliers") else ""))

    def _matrix(self, key: str) -> Any:
        import sympy
        rows = self._rows(key)
        names = set(self.data["coordinates"])
        if isinstance(rows, dict):
            rows = list(rows.values())
        if not rows:
            return sympy.zeros(0, len(self.data["coordinates"]) if key == "A" else 1)
        return sympy.Matrix([[to_sympy(one, names) for one in
                              (row if isinstance(row, list) else [row])] for row in rows])

    def __getattr__(self, name: str) -> Any:
        if name in ("M", "Q", "A", "b", "C", "qdd", "multipliers", "S", "s", "F"):
            return self._matrix(name)
        raise AttributeError(name)

    def _repr_latex_(self) -> str:
        latex = self.data["latex"]

        def matrix(rows: list[Any]) -> str:
            lines = [" & ".join(row) if isinstance(row, list) else row for row in rows]
            return r"\begin{pmatrix}" + r" \\ ".join(lines) + r"\end{pmatrix}"
        parts = [f"{name} &= {matrix(latex[name])}" for name in "MQAbC" if latex.get(name)]
        return r"$$\begin{aligned}" + r" \\ ".join(parts) + r"\end{aligned}$$"


class Table:
    """Named columns of numbers.

    `table["x"]` is an array, `table.columns` lists the names, `table.units` the units.
    """

    def __init__(self, columns: list[tuple[str, str, str]], values: np.ndarray) -> None:
        self.columns = [name for name, _, _ in columns]
        self.units = {name: unit for name, unit, _ in columns}
        self.descriptions = {name: text for name, _, text in columns}
        self._values = dict(zip(self.columns, values))

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(f"there is no column '{name}'; there are: "
                           f"{', '.join(self.columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def keys(self) -> list[str]:
        """The names of the columns, so that dict(table) works."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self._values.values()), ()))

    def to_pandas(self) -> Any:
        """A DataFrame; of runs with time as its index."""
        import pandas
        frame = pandas.DataFrame(self._values)
        return frame.set_index("t") if "t" in self else frame

    def _axes(self, ax: Any) -> Any:
        if ax is not None:
            return ax
        import matplotlib.pyplot
        return matplotlib.pyplot.subplots()[1]

    def _label(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name


class Run(Table):
    """A motion: time, coordinates, velocities and outputs as columns.

    `run.t` is the time, `run["x"]` a column, `run.reactions` those of constraints; not
    unique ones are listed in `run.not_unique`.  `run.statistics`, `run.incidents`,
    `run.warnings` and `run.json` tell what happened.
    """

    def __init__(self, native: Any, again: Callable[[float], Any], seconds: float,
                 failure: str | None) -> None:
        super().__init__(*native.table())
        facts = native.facts()
        self._native = native
        self._again = again
        self._seconds = seconds
        self._failure = failure
        self.complete: bool = facts["complete"]
        self.stopped_by: str | None = facts["stopped_by"]
        self.incidents = [Record(dict(zip(("t", "what", "name", "text"), one)))
                          for one in facts["incidents"]]
        self.statistics = Record(facts["statistics"])
        self.warnings: list[str] = facts["warnings"]
        self.time: float = facts["time"]

    @property
    def t(self) -> np.ndarray:
        """The times of the samples."""
        return self["t"]

    @property
    def reactions(self) -> dict[str, np.ndarray]:
        """Multipliers by the names of their constraints."""
        return {name[len("reaction("):-1]: self[name] for name in self.columns
                if name.startswith("reaction(") and name.endswith(")")}

    @property
    def not_unique(self) -> list[str]:
        """Columns that hang on how redundant constraints share a force."""
        return [name for name in self.columns
                if self.descriptions[name].startswith("not unique")]

    @property
    def json(self) -> Record:
        """What the run came to, as the command prints it with --json."""
        import json
        return Record(json.loads(self._native.show(True, self._seconds)), lambda: str(self))

    def __str__(self) -> str:
        return self._native.show(False, self._seconds)

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return (f"<run of {len(self)} samples to t = {self.time:g}{state}; columns: "
                f"{', '.join(self.columns)}>")

    def to_xarray(self) -> Any:
        """A Dataset over time, with units."""
        import xarray
        data = {name: ("t", self[name], {"units": self.units[name]})
                for name in self.columns if name != "t"}
        return xarray.Dataset(data, coords={"t": ("t", self.t, {"units": self.units["t"]})})

    def save(self, path: str | os.PathLike[str], units: str = "none") -> None:
        """Write the table: .csv, .h5, .mat or .json.

        `units` says where those of a CSV go: "none", "comment" or "file".
        """
        places = ("none", "comment", "file")
        if units not in places:
            raise ValueError(f"units go to {', '.join(places)}, not to '{units}'")
        self._native.save(os.fspath(path), places.index(units))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the interactive page of the run.

        The same run is done once more to have all that the page shows: the same bits.
        """
        self._again(self.time).report(os.fspath(path), self._seconds, self._failure)

    def plot(self, *names: str, against: str = "t", ax: Any = None) -> Any:
        """Plot columns with Matplotlib; all coordinates if none is named."""
        ax = self._axes(ax)
        if not names:
            names = tuple(name for name in self.columns
                          if f"{name}'" in self and not name.endswith("'"))
        for name in names:
            ax.plot(self[against], self[name], label=self._label(name))
        ax.set_xlabel(self._label(against))
        if len(names) == 1:
            ax.set_ylabel(self._label(names[0]))
        else:
            ax.legend()
        return ax

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.html"
            self.report(path)
            page = path.read_text(encoding="utf-8")
        return (f'<iframe srcdoc="{html.escape(page)}" width="100%" height="640" '
                'style="border: 0" sandbox="allow-scripts"></iframe>')


def perform(make: Callable[[bool, float | None], Any], start: str | None) -> Run:
    """Do a run.  If it ends early, by a failure or Ctrl-C, what there is goes with it."""
    native = make(False, None)
    began = time.perf_counter()

    def again(until: float) -> Any:
        other = make(True, None if finished else until)
        try:
            other.go(start)
        except Exception:  # it ends as it did before
            if finished:
                raise
        return other
    finished = False
    try:
        native.go(start)
        finished = True
    except BaseException as error:
        found = Run(native, again, time.perf_counter() - began, str(error))
        setattr(error, "run", found)
        raise
    return Run(native, again, time.perf_counter() - began, None)


class Sweep(Table):
    """Many runs: a row for each, inputs and kept values as columns.

    `sweep.failures` has the reasons of runs that failed, by their number from 1; their kept
    values are NaN.
    """

    def __init__(self, columns: list[tuple[str, str, str]], values: np.ndarray,
                 failures: dict[int, str], n_inputs: int) -> None:
        super().__init__(columns, values.T)
        self.failures = failures
        self.inputs = self.columns[:n_inputs]

    @property
    def status(self) -> list[str]:
        """"ok", or why a run failed."""
        return [self.failures.get(number, "ok") for number in range(1, len(self) + 1)]

    def __repr__(self) -> str:
        return (f"<sweep of {len(self)} runs, {len(self.failures)} failed; columns: "
                f"{', '.join(self.columns)}>")

    def plot(self, name: str, against: str | None = None, ax: Any = None) -> Any:
        """Plot a column over an input, or as a map over two that form a grid."""
        ax = self._axes(ax)
        if against is None and len(self.inputs) == 2:
            return self._map(name, ax)
        against = against or self.inputs[0]
        ax.plot(self[against], self[name], ".")
        ax.set_xlabel(self._label(against))
        ax.set_ylabel(self._label(name))
        return ax

    def _map(self, name: str, ax: Any) -> Any:
        x, y = self.inputs
        xs, ys = np.unique(self[x]), np.unique(self[y])
        grid = np.full((len(ys), len(xs)), np.nan)
        grid[np.searchsorted(ys, self[y]), np.searchsorted(xs, self[x])] = self[name]
        mesh = ax.pcolormesh(xs, ys, grid, shading="nearest")
        ax.figure.colorbar(mesh, ax=ax, label=self._label(name))
        ax.set_xlabel(self._label(x))
        ax.set_ylabel(self._label(y))
        return ax
