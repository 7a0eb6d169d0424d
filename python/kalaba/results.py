# SPDX-License-Identifier: MIT
"""What models come to: records, equations, tables, runs and sweeps."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import Error, FormulationError, pointing
from .formula import to_sympy

__all__ = ["Record", "Equations", "Table", "Run", "Sweep"]


class Record(dict[str, Any]):
    """A result by name: the JSON of the command, its keys as attributes too.

    Lists of numbers under the keys of states and matrices are arrays.
    """

    _ARRAYS = ("q", "qd", "qdd", "M", "Q", "A", "b", "B", "C", "D", "ideal", "nonideal",
               "total", "eigenvalues")

    def __init__(self, found: dict[str, Any],
                 text: Callable[[], str] | str | None = None) -> None:
        super().__init__({key: self._convert(key, value) for key, value in found.items()})
        self._text = text

    def __getstate__(self) -> dict[str, Any]:
        """For copies and other processes: the text as it is told."""
        return {"_text": None if self._text is None else str(self)}

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
        return self._text() if callable(self._text) else self._text or super().__str__()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """In IPython and notebooks: as print() shows it."""
        printer.text(str(self))


class Equations:
    """The equations of a model as text, LaTeX and SymPy expressions.

    `M`, `Q`, `A`, `b`, `C` and, with a closed form, `qdd` and `multipliers` are matrices of
    SymPy; `data` has all formulas as text by name.  Equations of larger systems are told in
    `parts`, whose names are in the matrices; :meth:`put_in` puts them in.
    """

    _SHOWN = 60  #: parts that a notebook shows
    _SYMBOLS = {"kinetic": "T", "potential": "V", "M": "M", "Q": "Q", "A": "A", "b": "b",
                "C": "C", "qdd": r"\ddot q", "multipliers": r"\lambda", "speeds": "u",
                "S": "S", "s": "s", "F": "F", "rates": r"\dot u"}

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
        return f"<equations of {self.data['model'] or 'a model'}>"

    @property
    def parts(self) -> dict[str, Any]:
        """Formulas that occur often, each by the names of those before it, as SymPy
        expressions; empty where the equations are told whole."""
        names = set(self.data["coordinates"])
        return {name: to_sympy(text, names) for name, text in self.data.get("parts", {}).items()}

    def put_in(self, expression: Any) -> Any:
        """An expression or a matrix with all parts put in for their names."""
        import sympy
        for name, value in reversed(self.parts.items()):
            expression = expression.xreplace({sympy.Symbol(name): value})
        return expression

    def _assemble(self, key: str) -> Any:
        """A matrix of which what is not 0 is listed among the parts; M is symmetric."""
        import sympy
        n, m = len(self.data["coordinates"]), len(self.data["constraints"])
        rows, columns = {"M": (n, n), "A": (m, n), "b": (m, 1)}.get(key, (n, 1))
        found, names = sympy.zeros(rows, columns), set(self.data["coordinates"])
        for name, text in self.data["parts"].items():
            if place := re.fullmatch(rf"{key}\[(\d+)(?:,(\d+))?\]", name):
                row, column = int(place[1]) - 1, int(place[2] or 1) - 1
                found[row, column] = to_sympy(text, names)
                if key == "M":
                    found[column, row] = found[row, column]
        return found

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
        if "parts" in self.data and key in "MQAbC":
            return self._assemble(key)
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

    def _repr_latex_(self) -> str | None:
        latex = self.data["latex"]
        if len(latex.get("parts", ())) > self._SHOWN:
            return None  # nobody reads that many: print() has them

        found = {**latex, **(latex.get("closed_form") or {})}
        lines = [f"{name} &= {value}" for name, value in latex.get("parts", {}).items()]
        lines += [f"{symbol} &= {self._set(found[key])}" for key, symbol in
                  self._SYMBOLS.items() if found.get(key)]
        return r"$$\begin{aligned}" + r" \\[1ex] ".join(lines) + r"\end{aligned}$$"

    @staticmethod
    def _set(value: Any) -> str:
        """A formula, or formulas as a column or a matrix; roomy, for they may be fractions."""
        if isinstance(value, str):
            return value
        rows = list(value.values()) if isinstance(value, dict) else value
        lines = [" & ".join(row) if isinstance(row, list) else row for row in rows]
        gap = r" \\[1ex] " if any("frac" in line for line in lines) else r" \\ "
        return r"\begin{pmatrix}" + gap.join(lines) + r"\end{pmatrix}"


class Table:
    """Named columns of numbers.

    `table["x"]` is an array, `table.columns` lists the names, `table.units` the units.
    """

    def __init__(self, columns: list[tuple[str, str, str]], values: NDArray[np.float64]) -> None:
        self.columns = [name for name, _, _ in columns]
        self.units = {name: unit for name, unit, _ in columns}
        self.descriptions = {name: text for name, _, text in columns}
        self._values = dict(zip(self.columns, values))

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if not isinstance(name, str):
            raise TypeError(f"columns have names: {name!r:.200} is none")
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

    @property
    def not_unique(self) -> list[str]:
        """Columns that hang on how redundant constraints share a force."""
        return [name for name in self.columns
                if self.descriptions[name].startswith("not unique")]

    def _label(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name


class Run(Table):
    """A motion: time, coordinates, velocities and outputs as columns.

    `run.t` is the time, `run["x"]` a column, `run.reactions` those of constraints; not
    unique ones are listed in `run.not_unique`.  `run.statistics`, `run.incidents`,
    `run.warnings` and `run.json` tell what happened.
    """

    def __init__(self, native: Any, task: Task, seconds: float, failure: str | None) -> None:
        super().__init__(*native.table())
        facts = native.facts()
        self._native = native  # None in copies, until they need it
        self._lock = threading.Lock()  # one thread at a time may ask it
        self._shown: tuple[str, str] | None = None
        self._task = task
        self._seconds = seconds
        self._failure = failure
        self._begun: bool = facts["begun"]
        self._ended_at: int = facts["ended_at"]  # by a signal; see native/run.c
        self.complete: bool = facts["complete"]
        self.stopped_by: str | None = facts["stopped_by"]
        self.incidents = [Record(dict(zip(("t", "what", "name", "text"), one)))
                          for one in facts["incidents"]]
        self.statistics = Record(facts["statistics"])
        self.warnings: list[str] = facts["warnings"]
        self.time: float = facts["time"]

    def __getstate__(self) -> dict[str, Any]:
        """For copies and other processes: all but what is compiled."""
        shown = self._show(False), self._show(True)
        return {**self.__dict__, "_native": None, "_lock": None, "_shown": shown}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def _again(self, report: bool) -> Any:
        """The same run done once more: the same bits, and the same end if it ended early."""
        return self._task.repeat(report, self._failure is not None, self._ended_at)

    def _show(self, as_json: bool) -> str:
        if not self._begun:
            return (json.dumps({"complete": False, "failure": self._failure}) if as_json else
                    f"the run did not begin: {self._failure}\n")
        with self._lock:
            return (self._shown[as_json] if self._shown else
                    self._native.show(as_json, self._seconds))

    @property
    def t(self) -> NDArray[np.float64]:
        """The times of the samples."""
        return self["t"]

    @property
    def reactions(self) -> dict[str, NDArray[np.float64]]:
        """Multipliers by the names of their constraints."""
        return {name[len("reaction("):-1]: self[name] for name in self.columns
                if name.startswith("reaction(") and name.endswith(")")}

    @property
    def json(self) -> Record:
        """What the run came to, as the command prints it with --json."""
        return Record(json.loads(self._show(True)), self.__str__)

    def __str__(self) -> str:
        return self._show(False)

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
        with self._lock:
            self._native = self._native or self._again(False)
            self._native.save(path, places.index(units))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the interactive page of the run.

        The same run is done once more to have all that the page shows: the same bits.
        """
        if not self._begun:
            raise FormulationError("there is nothing to report: the run did not begin",
                                   kind="KAL_ERR_FORMULATION")
        self._again(True).report(path, self._seconds, self._failure)

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
            try:
                self.report(path)
            except Error as error:
                return f"<pre>{html.escape(f'{self}{error}')}</pre>"
            page = path.read_text(encoding="utf-8")
        return (f'<iframe srcdoc="{html.escape(page)}" width="100%" height="640" '
                'style="border: 0" sandbox="allow-scripts allow-downloads" '
                'allow="clipboard-write"></iframe>')


@dataclass(frozen=True)
class Task:
    """What a run is made of: enough to do it once more."""

    system: _native.System
    settings: list[tuple[str, float]]
    options: tuple[Any, ...]  #: of _native.Run, the end first
    columns: list[str]
    start: str | None

    def make(self, report: bool) -> _native.Run:
        """A run that has not begun."""
        return _native.Run(self.system, self.settings, self.options, self.columns, report)

    def repeat(self, report: bool, failed: bool, ended_at: int) -> _native.Run:
        """A run that has been done; one that failed, or that a signal ended, does so again."""
        other = self.make(report)
        try:
            other.go(self.start, ended_at)
        except (Error, MemoryError):
            if not failed:
                raise
        return other


def perform(task: Task) -> Run:
    """Do a run.  If it ends early, by a failure or Ctrl-C, what there is goes with it."""
    native = task.make(False)
    began = time.perf_counter()
    try:
        with pointing(task.start):
            native.go(task.start)
    except BaseException as error:
        setattr(error, "run", Run(native, task, time.perf_counter() - began, str(error)))
        raise
    return Run(native, task, time.perf_counter() - began, None)


class Sweep(Table):
    """Many runs: a row for each, inputs and kept values as columns.

    `sweep.failures` has the reasons of runs that failed, by their number from 1; their kept
    values are NaN.
    """

    def __init__(self, columns: list[tuple[str, str, str]], values: NDArray[np.float64],
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
