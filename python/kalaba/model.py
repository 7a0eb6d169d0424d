# SPDX-License-Identifier: MIT
"""Models: load, examine, evaluate, run."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from functools import partial
from pathlib import Path
from typing import (Any, Callable, Iterable, Iterator, Literal, Mapping, Sequence,
                    overload)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .build import (PARTS, as_array, as_number, dimensions, flag, mapping, model_text, number_or_none,
                    number_text, one_statement, texts, values_text, whole, word_or_none)
from .errors import FormulationError, MissingFileError, pointing
from .results import Equations, Record, Run, Sweep, Task, perform

__all__ = ["Model", "Parameters", "load"]

_FORMATS = {"text": 0, "json": 1, "latex": 2, "markdown": 3, "html": 4}


class Parameters(Mapping[str, float]):
    """Parameters of a model by name: `model.params["m"]`, `model.params.m`.

    Values are in the units that the model gives them, so angles may be in degrees.
    """

    _values: dict[str, float]
    units: dict[str, str]

    def __init__(self, values: dict[str, float], units: dict[str, str]) -> None:
        self.__dict__["_values"] = values
        self.__dict__["units"] = units

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> float:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"there is no parameter '{name}'")
        return values[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return Parameters, (self._values, self.units)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a model does not change: use model.with_params({name}={value!r})")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return "Parameters(" + ", ".join(f"{name}={value:g}" for name, value in
                                         self._values.items()) + ")"


def _base(value: float, unit: str | None) -> float:
    """A number in base units: angles in degrees are kept in radians."""
    return _native.radians(value) if unit == "deg" else value


def _own(value: float, unit: str | None) -> float:
    """A number that is kept in base units in its own: the rounder one of those that it is."""
    if unit != "deg":
        return value
    degrees = math.degrees(value)
    rounder = float(f"{degrees:.15g}")
    return rounder if _native.radians(rounder) == value else degrees


def _flat(given: Any) -> list[Any]:
    """What a mapping, a list or one thing has to say; equations as they are."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.values())
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _read(path: Path) -> str | bytes:
    """The text of a model; bytes that are no UTF-8 as they are: loading says where."""
    if not path.exists():
        hint = "" if path.suffix else "; the text of a model has more than one line"
        raise MissingFileError(f"{path}: there is no such file{hint}", kind="KAL_ERR_FILE")
    found = _native.read_file(path)
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError:
        return found


def _here() -> str | None:
    """Where relative paths begin; None where that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _in_order(name: Any) -> list[Any]:
    """q2 before q10."""
    return [int(part) if part.isdigit() else part
            for part in re.split(r"(\d+)", str(name))]


def _numbers(given: Any, what: str) -> Iterable[Any]:
    """All of an array or a list, or the one number."""
    if dimensions(given, what):
        return np.ravel(given)
    return [given]


def _inputs(given: str | Iterable[str] | Mapping[str, Any] | None, what: str) -> list[str]:
    """Inputs of sweeps: texts as the command takes them, or a mapping."""
    if not isinstance(given, Mapping):
        return texts(given, what)
    return [f"{name} = {value}" if isinstance(value, str)
            else f"{name} = " + ", ".join(number_text(one) for one in _numbers(value, name))
            for name, value in given.items()]


def _places(option: str, texts: list[str]) -> dict[str, str]:
    """Inputs of sweeps by what messages call them; a line each."""
    return {option if len(texts) == 1 else f"{option} {number}": text.replace("\n", " ")
            for number, text in enumerate(texts, 1)}


class Model:
    """A mechanical system.

    `source` is the path of a model, or its text if it has more than one line.  A model never
    changes; :meth:`with_params` gives another one that shares what is compiled.
    """

    def __init__(self, source: str | os.PathLike[str], params: Mapping[str, Any] | None = None,
                 *, name: str = "model", folder: str | os.PathLike[str] | None = None) -> None:
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"a model is a path or a text, not {source!r}")
        word_or_none(name, "name")
        self._text: str | bytes
        self._base = _here()  # so that it loads again when the current folder is another
        if isinstance(source, str) and "\n" in source:
            self._name = name if folder is None else os.path.join(folder, name)
            self._text = source
        else:
            path = Path(source)
            folder = path.parent if folder is None else folder
            self._name, self._text = str(path), _read(path)
        self._folder = None if folder is None else os.path.abspath(folder)
        self._overrides: dict[str, str] = {str(key): number_text(value) for key, value in
                                           mapping(params, "parameters").items()}
        self._settings: dict[str, float] = {}  # in base units
        self._given: dict[str, str] = {}  # the same as they were given
        self._system = self._load()
        self._prepare()

    @classmethod
    def build(cls, coordinates: Iterable[Any] | str, kinetic: Any, potential: Any = None,
              **parts: Any) -> Model:
        """A model from its parts, texts or SymPy expressions.

        `constraints` (a mapping or a list), `forces`, `nonideal`, `outputs`, `params` and
        `init` (mappings), `dissipation`, `simulate`, `title`, and `more` statements.

        >>> import kalaba
        >>> model = kalaba.Model.build("x y", "1/2*m*(x'^2 + y'^2)", "m*9.81*y",
        ...                            constraints={"rod": "x^2 + y^2 = 1"},
        ...                            params={"m": 2}, init={"x": 1})
        >>> model.eval().qdd
        array([ 0.  , -9.81])
        """
        for name in parts:
            if name not in PARTS:
                raise TypeError(f"a model has no part '{name}'; there are: {', '.join(PARTS)}")
        return cls(model_text(coordinates, kinetic, potential, **parts))

    @classmethod
    def from_sympy(cls, T: Any, V: Any = 0, constraints: Any = None, *,
                   coordinates: Iterable[Any] | None = None, **parts: Any) -> Model:
        """A model from SymPy expressions of functions of t.

        >>> import kalaba, sympy
        >>> t, L, g = sympy.symbols("t L g")
        >>> a = sympy.Function("a")(t)
        >>> model = kalaba.Model.from_sympy(L**2*a.diff(t)**2/2, -g*L*sympy.cos(a),
        ...                                 params={L: 2, g: 9.81}, init={a: 1})
        >>> float(model.eval().qdd[0]) == -9.81/2*__import__("math").sin(1)
        True
        """
        from sympy import sympify
        from sympy.core.function import AppliedUndef
        V = None if V is None or V == 0 else V
        if coordinates is None:
            given = [T, V, *_flat(constraints), *(one for key in
                     ("forces", "dissipation", "nonideal", "outputs") for one in
                     _flat(parts.get(key)))]
            found = set().union(*(sympify(one).atoms(AppliedUndef) for one in given
                                  if one is not None and not isinstance(one, str)))
            coordinates = sorted(found, key=_in_order)
        return cls.build(coordinates, T, V, constraints=constraints, **parts)

    # Loading

    def _load(self, analysis: bool = False) -> Any:
        return _native.System(self._name, self._text, list(self._overrides.items()),
                              self._folder, self._base, True, True, analysis)

    def _prepare(self) -> None:
        self._about = self._system.describe()
        self._evaluator = _native.Evaluator(self._system, list(self._settings.items()))

    def with_params(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Model:
        """The same model with other parameters, in their own units.

        What is compiled is shared; where a parameter changes the structure, or a value is a
        text such as "30*deg", the model is loaded once more.

        >>> import kalaba
        >>> model = kalaba.Model("param k = 1\\ncoord x\\nkinetic 1/2*x'^2\\n"
        ...                      "potential 1/2*k*x^2\\ninit x = 1\\n")
        >>> model.with_params(k=4).eval().qdd
        array([-4.])
        """
        wanted = {str(name): value for name, value in
                  {**mapping(values, "parameters"), **more}.items()}
        other = self._twin()
        settings = self._find_settings(wanted)
        if settings is not None:
            other._settings = {**self._settings, **settings}
            other._given = {**self._given, **self._spell(wanted)}
            try:
                other._prepare()
                return other
            except FormulationError:
                pass
        other._overrides = {**self._overrides, **self._given,
                            **{name: number_text(value) for name, value in wanted.items()}}
        other._settings, other._given = {}, {}
        other._system = other._load()
        other._prepare()
        return other

    def _twin(self) -> Model:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def _units(self) -> dict[str, str | None]:
        return {name: unit for name, unit, _, _ in self._about["parameters"]}

    def _find_settings(self, wanted: dict[str, Any]) -> dict[str, float] | None:
        """Numbers in base units for parameters that need no loading, else None."""
        fixed = {name: is_fixed for name, _, _, is_fixed in self._about["parameters"]}
        units = self._units()
        found = {}
        for name, value in wanted.items():
            if isinstance(value, str):
                return None
            if dimensions(value, name) == 1:
                names = [f"{name}[{i}]" for i in range(1, len(value) + 1)]
                if not names or f"{name}[{len(value) + 1}]" in fixed:
                    raise ValueError(f"there are more values of {name} than {len(value)}")
            else:
                names, value = [name], [value]
            for one, number in zip(names, value):
                if fixed.get(one, True):
                    return None
                found[one] = _base(as_number(number), units[one])
        return found

    @staticmethod
    def _spell(wanted: dict[str, Any]) -> dict[str, str]:
        """Numbers as overrides, those of lists one by one."""
        found = {}
        for name, value in wanted.items():
            if dimensions(value, name) == 0:
                found[name] = repr(as_number(value))
            for number, one in enumerate(value if dimensions(value, name) else (), 1):
                found[f"{name}[{number}]"] = repr(as_number(one))
        return found

    def _whole(self, analysis: bool = False) -> Any:
        """The system loaded with all parameters, for what is proven about formulas.

        For analysis first-order states are coordinates without mass.
        """
        if not self._settings and not analysis:
            return self._system
        other = self._twin()
        other._overrides = {**self._overrides, **self._given}
        return other._load(analysis)

    # What it is

    @property
    def title(self) -> str:
        """The title that the model gives itself, or its file."""
        return self._about["title"]

    @property
    def text(self) -> str:
        """The text that it was loaded from."""
        return str(self._text)

    @property
    def coordinates(self) -> list[str]:
        """The names of all coordinates."""
        return list(self._about["coordinates"])

    @property
    def constraints(self) -> list[str]:
        """The names of all constraints."""
        return list(self._about["constraints"])

    @property
    def states(self) -> list[str]:
        """The names of all first-order states."""
        return list(self._about["states"])

    @property
    def holds(self) -> list[str]:
        """The names of all values that are held between renewals."""
        return list(self._about["holds"])

    @property
    def inputs(self) -> list[str]:
        """The names of all inputs that :meth:`rates` takes: of actuators without a law."""
        return list(self._about["inputs"])

    @property
    def outputs(self) -> list[str]:
        """The names of all outputs."""
        return list(self._about["outputs"])

    @property
    def warnings(self) -> str:
        """What is odd about the model, with places; "" if nothing is."""
        return self._about["warnings"]

    @property
    def params(self) -> Parameters:
        """Its parameters."""
        values = self._evaluator.parameters()
        listed = [(name, unit, _own(value, unit)) for (name, unit, _, _), value in
                  zip(self._about["parameters"], values.tolist()) if name]
        return Parameters({name: value for name, _, value in listed},
                          {name: unit or "" for name, unit, _ in listed})

    def __repr__(self) -> str:
        counts = [f"{len(names)} {word}{'s' * (len(names) != 1)}" for names, word in
                  ((self.coordinates, "coordinate"), (self.constraints, "constraint"))]
        return f"<model {self.title}: {', '.join(counts)}>"

    # Commands

    def check(self) -> Record:
        """Kinds of constraints, freedom, redundancy, uniqueness, what is conserved."""
        system = self._whole()
        return Record(json.loads(system.check(True)), partial(system.check, False))

    def derive(self, closed_form: bool = False) -> Equations:
        """M, Q, A, b, C as formulas, and q'' with `closed_form`."""
        closed_form = flag(closed_form, "closed_form")
        system = self._whole()
        return Equations(json.loads(system.derive(_FORMATS["json"], closed_form)),
                         partial(system.derive, _FORMATS["text"], closed_form),
                         partial(system.derive, _FORMATS["latex"], closed_form))

    def reduce(self, speeds: Mapping[str, str] | None = None) -> Equations:
        """Equations of as many speeds as are free; `speeds` names outputs to be speeds."""
        system = self._whole()
        chosen = mapping(speeds, "speeds")
        names, outputs = list(chosen), list(chosen.values())
        return Equations(json.loads(system.reduce(_FORMATS["json"], names, outputs)),
                         partial(system.reduce, _FORMATS["text"], names, outputs),
                         partial(system.reduce, _FORMATS["latex"], names, outputs))

    def eval(self, at: str | Mapping[str, Any] | None = None) -> Record:
        """One instant: M, Q, A, b, C, accelerations, forces, verdicts, outputs.

        The state is the consistent start with the values of `at` put in their places.
        """
        evaluator, state = self._evaluator, values_text(at)
        with pointing(state):
            found, misfit = evaluator.eval(state, True)
        if misfit is not None and state is not None:
            name, off, velocity = misfit
            warnings.warn(f"the state does not satisfy the constraint {name}"
                          f"{' with its velocities' if velocity else ''}: it is off by "
                          f"{off:.3g}", stacklevel=2)
        return Record(json.loads(found), lambda: evaluator.eval(state, False)[0])

    def start(self, values: str | Mapping[str, Any] | None = None
              ) -> tuple[Any, ...]:
        """A consistent start (t, q, q') with `values` held; with first-order states
        (t, q, q', states)."""
        text = values_text(values)
        with pointing(text):
            t, q, qd, states = self._evaluator.start(text)
        return (t, q, qd, states) if self.states else (t, q, qd)

    def run(self, until: float | None = None, *, every: float | None = None,
            tolerance: float | None = None, rtol: float | None = None,
            atol: float | None = None, method: str | None = None, drift: str | None = None,
            form: str | None = None, fixed_step: float | None = None,
            max_steps: int | None = None, columns: str | Sequence[str] | None = None,
            start: str | Mapping[str, Any] | None = None,
            events: str | Sequence[str] | Mapping[str, str] | None = None) -> Run:
        """The motion from the start on, as the model says where an argument is None.

        `columns` names more columns, such as "x''" or "cforce(*)"; reactions of all
        constraints if None.  `start` are values to begin with.  `events` are more events than
        those of the model, `{"down": "x falling stop"}` or texts such as "down: x falling
        stop"; the model is loaded once more with them.  If the run fails, or Ctrl-C ends it,
        the exception has what there is as its attribute `run`.

        >>> import kalaba
        >>> model = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\npotential 1/2*x^2\\n"
        ...                      "init x = 1\\nsimulate 0 .. 10 every 1\\n")
        >>> round(model.run(events={"down": "x falling stop"}).time, 6)
        1.570796
        """
        if events is not None and not (isinstance(events, (str, Mapping)) and not events):
            return self._with_events(events).run(
                until, every=every, tolerance=tolerance, rtol=rtol, atol=atol, method=method,
                drift=drift, form=form, fixed_step=fixed_step, max_steps=max_steps,
                columns=columns, start=start)
        if tolerance is not None:
            rtol = tolerance if rtol is None else rtol
            atol = tolerance if atol is None else atol
        word, rate = self._drift(word_or_none(drift, "drift"))
        numbers = {"until": until, "every": every, "rtol": rtol, "atol": atol, "rate": rate,
                   "fixed_step": fixed_step, "max_steps": max_steps}
        until, every, rtol, atol, rate, fixed_step, most = (
            number_or_none(value, name) for name, value in numbers.items())
        if fixed_step is not None and fixed_step <= 0:
            raise ValueError(f"fixed_step: a step has a positive size, not {fixed_step:g}")
        if columns is None:
            columns = ["reaction(*)"] if any(not name.startswith("drive(")
                                             for name in self.constraints) else []
        return perform(Task(self._system, list(self._settings.items()),
                            (until, every, rtol, atol, word_or_none(method, "method"), word,
                             rate, word_or_none(form, "form"), fixed_step, most),
                            texts(columns, "columns"), values_text(start)))

    def _with_events(self, events: str | Iterable[str] | Mapping[str, str]) -> Model:
        if isinstance(events, Mapping):
            events = [f"{name}: {rule}" for name, rule in events.items()]
        other = self._twin()
        other._text = "\n".join([self.text, *(one_statement(f"event {one}")
                                              for one in texts(events, "events")), ""])
        other._system = other._load()
        other._prepare()
        return other

    @staticmethod
    def _drift(text: str | None) -> tuple[str | None, float | None]:
        found = re.fullmatch(r"stabilize\((.+)\)", text or "")
        if not found:
            return text, None
        try:
            return "stabilize", float(found[1])
        except ValueError:
            raise ValueError(f"drift: stabilize(k) has a number k, not {found[1]!r}") from None

    def linearize(self, at: str | Mapping[str, Any] | None = None, *,
                  inputs: str | Sequence[str] | None = None, equilibrium: int = 0) -> Record:
        """A, B, C, D about a state, or about an equilibrium counted from 1.

        >>> import kalaba
        >>> model = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\npotential 2*x^2\\n"
        ...                      "actuator u: x'\\n")
        >>> model.linearize().A
        array([[ 0.,  1.],
               [-4.,  0.]])
        """
        return self._about_state(_native.linearize, at, inputs, equilibrium)

    def modes(self, at: str | Mapping[str, Any] | None = None, *, equilibrium: int = 0
              ) -> Record:
        """Eigenvalues, shapes and stability about a state or an equilibrium."""
        return self._about_state(_native.modes, at, None, equilibrium)

    def _about_state(self, find: Callable[..., str], at: Any, inputs: Any,
                     equilibrium: int) -> Record:
        names = None if inputs is None else ", ".join(texts(inputs, "inputs"))
        text = values_text(at)
        equilibrium = whole(equilibrium, "equilibrium")
        if equilibrium < 0:
            raise ValueError(f"equilibria are counted from 1, not {equilibrium}")
        if equilibrium and text is not None:
            raise ValueError("a state and an equilibrium exclude each other")
        with pointing(text):
            found = Record(json.loads(self._analyze(find, names, text, equilibrium)))
        shape = (len(found.get("outputs", ())), len(found.states), len(found.get("inputs", ())))
        for key, rows, columns in (("B", 1, 2), ("C", 0, 1), ("D", 0, 2)):
            if key in found:  # empty ones have a shape too
                found[key] = np.reshape(found[key], (shape[rows], shape[columns]))
        for said in ("note", "kink"):
            if found.get(said):
                warnings.warn(str(found[said]), stacklevel=3)
        return found

    def _analyze(self, find: Callable[..., str], *rest: Any) -> str:
        if self.states:
            return find(self._whole(analysis=True), [], *rest)
        try:
            return find(self._system, list(self._settings.items()), *rest)
        except FormulationError:
            if not self._settings:
                raise
            return find(self._whole(), [], *rest)

    def equilibria(self, *, starts: int = 0, seed: int = 0, where: str | None = None,
                   steady: bool = False, each: bool = False) -> list[Record]:
        """States of rest, or steady motions, with forces and stability."""
        found = self._analyze(_native.equilibria, whole(starts, "starts"), whole(seed, "seed"),
                              word_or_none(where, "where"), flag(steady, "steady"),
                              flag(each, "each"))
        return [Record(one) for one in json.loads(found)["equilibria"]]

    # Functions

    def rates(self) -> Callable[..., NDArray[np.float64]]:
        """f(t, y) with y = (q, q') and f = (q', q''), for integrators.

        y has the shape (2n,), or (2n, k) for k of them at once; the first-order states of a
        model follow q'.  f(t, y, u) has inputs of actuators, in the order of
        :attr:`inputs`; those that are not given are 0.

        >>> import kalaba
        >>> f = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\npotential 2*x^2\\n").rates()
        >>> f(0.0, [1.0, 3.0])
        array([ 3., -4.])
        >>> f = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\nactuator u: x'\\n").rates()
        >>> f(0.0, [1.0, 3.0], [0.5])
        array([3. , 0.5])
        """
        return self._evaluator.rates

    def acceleration(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0,
                     params: Mapping[str, ArrayLike] | None = None,
                     inputs: ArrayLike | None = None) -> NDArray[np.float64]:
        """q'' of a state (n,), or of k states (n, k) with t, parameters and inputs of their
        own."""
        q, qd, t = as_array(q, "q"), as_array(qd, "qd"), as_array(t, "t")
        given = mapping(params, "parameters")
        names, units = list(given), self._units()
        count = q.shape[1] if q.ndim == 2 else 1
        values = np.array([self._for_all(value, name, units.get(name), count)
                           for name, value in given.items()]).reshape(-1)
        if names:  # others that are set stay
            for name, value in self._settings.items():
                if name not in names:
                    names.append(name)
                    values = np.concatenate([values, np.full(count, value)])
        return self._evaluator.accelerations(q, qd, t, names, values, inputs)

    @staticmethod
    def _for_all(value: ArrayLike, name: str, unit: str | None, count: int
                 ) -> NDArray[np.float64]:
        """A value of a parameter for each of so many states, in base units."""
        own = as_array(value, f"parameter {name}")
        if own.shape not in ((), (1,), (count,)):
            raise ValueError(f"parameter {name} has one value, or one for each of the {count} "
                             f"states, not the shape {own.shape}")
        base = np.array([_base(one, unit) for one in own.ravel()]) if unit == "deg" else own
        return np.broadcast_to(base, (count,))

    @overload
    def sweep(self, vary: Any = ..., random: Any = ..., *, count: int = ..., seed: int = ...,
              design: str = ..., keep: str | Sequence[str] | None = ..., threads: int = ...,
              save: None = ..., resume: Literal[False] = ...) -> Sweep: ...

    @overload
    def sweep(self, vary: Any = ..., random: Any = ..., *, count: int = ..., seed: int = ...,
              design: str = ..., keep: str | Sequence[str] | None = ..., threads: int = ...,
              save: str | os.PathLike[str], resume: bool = ...) -> tuple[int, int]: ...

    def sweep(self, vary: Any = None, random: Any = None, *, count: int = 0, seed: int = 0,
              design: str = "random", keep: str | Sequence[str] | None = None,
              threads: int = 0, save: str | os.PathLike[str] | None = None,
              resume: bool = False) -> Sweep | tuple[int, int]:
        """Many runs, on all cores.

        `vary` maps inputs to values, `{"L": [1, 2], "theta": "0 .. 1 count 5"}`, or lists
        texts as `kalaba sweep` takes them; `random` likewise, `{"k": "normal(100, 5)"}`.
        With `save` the rows go to a file, and the number of runs and of failures comes back.

        >>> import kalaba
        >>> model = kalaba.Model("param k = 1\\ncoord x\\nkinetic 1/2*x'^2\\n"
        ...                      "potential 1/2*k*x^2\\ninit x = 1\\nsimulate 0 .. 10 every 1\\n")
        >>> sweep = model.sweep({"k": [1, 4]}, keep="max(x')")
        >>> sweep["max(x')"].round(6)
        array([1., 2.])
        """
        threads, count, seed = whole(threads, "threads"), whole(count, "count"), whole(seed, "seed")
        if threads < 0:
            raise ValueError(f"a sweep has 1 thread or more, or 0 for all cores, not {threads}")
        resume = flag(resume, "resume")
        if resume and save is None:
            raise ValueError("what is resumed is a file: name it with save=")
        kept = None if keep is None else ", ".join(texts(keep, "keep"))
        varied, drawn = _inputs(vary, "vary"), _inputs(random, "random")
        with pointing({**_places("--vary", varied), **_places("--random", drawn)}):
            native = _native.Sweep(self._whole(), varied, drawn, count, seed,
                                   word_or_none(design, "design") or "random", kept)
        if save is not None:
            return native.write(save, threads, resume)
        columns, values, failures = native.go(threads)
        return Sweep(columns, values, failures, len(varied) + len(drawn))

    def export(self, path: str | os.PathLike[str], kind: str = "c", *,
               name: str | None = None, single: bool = False, fmi: int = 3) -> Record:
        """The model as C sources in a folder, or with kind "fmu" as an FMU.

        Functions and files are called by `name`, or by the name of the model's file; `single`
        writes floats, `fmi` is the version of the standard.  Tells what it came to.

        >>> import kalaba, tempfile
        >>> model = kalaba.Model("coord x\\nkinetic 1/2*x'^2\\npotential 2*x^2\\n")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.export(folder, name="spring").name
        'spring'
        """
        if kind not in ("c", "fmu"):
            raise ValueError(f"there is no kind {kind!r} of export: it is 'c' or 'fmu'")
        if whole(fmi, "fmi") not in (2, 3):
            raise ValueError(f"FMI has the versions 2 and 3 here, not {fmi}")
        if flag(single, "single") and kind == "fmu":
            raise ValueError("an FMU has doubles: single is for C sources")
        name = Path(self._name).stem if word_or_none(name, "name") is None else name
        system = self._whole()
        return Record(system.export_c(path, name, flag(single, "single")) if kind == "c" else
                      system.export_fmu(path, name, fmi))


def load(source: str | os.PathLike[str], /, **params: Any) -> Model:
    """Load a model: `kalaba.load("sleigh.kal", b=0.5)`."""
    return Model(source, params)
