# SPDX-License-Identifier: MIT
"""Texts of models from what Python has: mappings, lists, numbers, SymPy expressions."""

from __future__ import annotations

import math
import operator
import re
from typing import Any, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from .formula import check_symbols, from_sympy

__all__ = ["PARTS", "as_array", "as_number", "dimensions", "flag", "mapping", "model_text",
           "number_or_none", "number_text", "one_statement", "texts", "values_text", "whole",
           "word_or_none"]


def mapping(given: Any, what: str) -> Mapping[Any, Any]:
    """What was given, if it is a mapping; None is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} are a mapping of names to values, not {given!r}")
    return given


def texts(given: Any, what: str) -> list[str]:
    """A text, or several, as a list.

    >>> from kalaba.build import texts
    >>> texts("x", "columns"), texts(("x", "y"), "columns"), texts(None, "columns")
    (['x'], ['x', 'y'], [])
    """
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    found = list(given) if isinstance(given, Iterable) else [given]
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{what}: {one!r} is no text")
    return found


def word_or_none(given: Any, what: str) -> str | None:
    """A text or None."""
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{what}: {given!r} is no text")
    return given


def dimensions(given: Any, what: str) -> int:
    """Of an array, or of a list of lists: 0 of what is none."""
    try:
        return np.ndim(given)
    except ValueError:  # lists in lists without an end, or of several lengths
        raise ValueError(f"{what}: {given!r:.200} is neither a number nor a list of numbers"
                         ) from None


def flag(given: Any, what: str) -> bool:
    """Whether it is true."""
    try:
        return bool(given)
    except (TypeError, ValueError):
        raise TypeError(f"{what}: {given!r:.200} is neither true nor false") from None


def whole(given: Any, what: str) -> int:
    """A whole number."""
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"{what}: {given!r} is no whole number") from None


def number_or_none(given: Any, what: str) -> float | None:
    """A finite number or None."""
    try:
        return None if given is None else as_number(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from None


def as_array(given: Any, what: str) -> NDArray[np.float64]:
    """Real numbers, none of which is masked."""
    if np.ma.is_masked(given):
        raise ValueError(f"{what}: some of the numbers are masked: fill them or leave them out")
    try:
        return np.asarray(given).astype(float, casting="same_kind", copy=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: an array of real numbers is needed, not {given!r:.200}"
                          ) from None


_BRACKETS = {")": "(", "]": "[", "}": "{"}
_PIECE = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|.', re.DOTALL)  # a text, a comment, a letter


def one_statement(text: str) -> str:
    """The text of a statement that is made of what was given: nothing that was given ends it and
    begins another.

    >>> from kalaba.build import one_statement
    >>> one_statement("kinetic 1/2*(x'^2\\n + y'^2)\\n  + z'^2  # all of it")
    "kinetic 1/2*(x'^2  + y'^2)   + z'^2"
    >>> one_statement("potential x; force x = 3")
    Traceback (most recent call last):
    ValueError: this is more than one statement: 'potential x; force x = 3'
    """
    open_ones: list[str] = []
    found = []
    for piece in _PIECE.findall(text):
        if piece in "([{":
            open_ones.append(piece)
        elif piece in _BRACKETS and (not open_ones or open_ones.pop() != _BRACKETS[piece]):
            raise ValueError(f"a bracket is closed that is not open: {text!r}")
        elif piece == ";" and "{" not in open_ones:
            raise ValueError(f"this is more than one statement: {text!r}")
        if not piece.startswith("#"):
            found.append(" " if piece == "\n" and "{" not in open_ones else piece)
    if open_ones:
        raise ValueError(f"a bracket is not closed: {text!r}")
    return "".join(found).rstrip()


def as_number(value: Any) -> float:
    """A finite number of any kind: of Python, NumPy, SymPy, a fraction, a decimal.

    >>> from fractions import Fraction
    >>> from kalaba.build import as_number
    >>> as_number(Fraction(1, 4))
    0.25
    """
    if isinstance(value, (bool, np.bool_, str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{value!r} is no number")
    try:
        number = float(value)
    except (TypeError, ValueError):  # an array of many, a formula with names
        raise TypeError(f"{value!r} is no number") from None
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no number that a model can have")
    return number


def number_text(value: Any) -> str:
    """A number, text or list of them as the model language writes it.

    >>> from kalaba.build import number_text
    >>> number_text(0.1), number_text("30*deg"), number_text([1, 2])
    ('0.1', '30*deg', '[1, 2]')
    """
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if hasattr(value, "free_symbols"):  # of SymPy
        return from_sympy(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(number_text(one) for one in value) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return repr(value)
    return repr(as_number(value))


def values_text(values: str | Mapping[str, Any] | None) -> str | None:
    """Values of a state as the option --at takes them; None where nothing is given.

    >>> from kalaba.build import values_text
    >>> values_text({"x": 1, "x'": 0.5})
    "x = 1, x' = 0.5"
    """
    if values is None or isinstance(values, str):
        return values
    if isinstance(values, Mapping) and not values:
        return None
    return ", ".join(f"{name} = {number_text(value)}"
                     for name, value in mapping(values, "values of a state").items())


def _as_mapping(given: Mapping[str, Any] | Iterable[Any] | Any, stem: str) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    if hasattr(given, "tolist"):  # a matrix of SymPy, an array of NumPy
        rows = given.tolist()
        given = [one for row in rows for one in (row if isinstance(row, list) else [row])]
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return {f"{stem}{number}": value for number, value in enumerate(given, 1)}


def _equation(value: Any) -> str:
    """`lhs = rhs`; an expression alone is to be zero, as is lhs - rhs of SymPy's Eq."""
    if isinstance(value, str):
        return value if "=" in value.replace("==", "") else f"{value} = 0"
    if hasattr(value, "rel_op") and value.rel_op != "==":
        raise TypeError(f"a constraint is an equation, not {value}")
    if hasattr(value, "lhs") and hasattr(value, "rhs"):
        return f"{from_sympy(value.lhs)} = {from_sympy(value.rhs)}"
    if isinstance(value, bool) or str(value) in ("True", "False"):
        raise TypeError(f"an equation that is always {value} is no constraint")
    return f"{from_sympy(value)} = 0"


def _name(coordinate: Any) -> str:
    """x for "x", Symbol("x") and Function("x")(t)."""
    return str(getattr(coordinate, "func", coordinate) if getattr(coordinate, "args", ())
               else coordinate)


def _starts(init: Mapping[Any, Any] | str) -> str:
    """`=` for values, `~` for those in a guess ("~", value); a text is taken as it is."""
    if isinstance(init, str):
        return init
    parts = []
    for name, value in mapping(init, "start values").items():
        guess = isinstance(value, tuple) and len(value) == 2 and value[0] == "~"
        text = from_sympy(name) if not isinstance(name, str) else name
        parts.append(f"{text} {'~' if guess else '='} "
                     f"{number_text(value[1] if guess else value)}")
    return ", ".join(parts)


def _quoted(title: Any) -> str:
    if not isinstance(title, str):
        raise TypeError(f"title: {title!r} is no text")
    if "\n" in title:
        raise ValueError("a title has one line")
    escaped = title.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


#: What model_text() takes by name.
PARTS = ("constraints", "forces", "nonideal", "dissipation", "params", "outputs", "init",
         "simulate", "title", "more")


def model_text(coordinates: Iterable[Any] | str, kinetic: Any, potential: Any = None, *,
               constraints: Any = None, forces: Mapping[Any, Any] | None = None,
               nonideal: Mapping[Any, Any] | None = None,
               dissipation: Any = None, params: Mapping[Any, Any] | None = None,
               outputs: Mapping[str, Any] | None = None,
               init: Mapping[Any, Any] | str | None = None, simulate: str | None = None,
               title: str | None = None, more: str = "") -> str:
    """The text of a model; see :meth:`kalaba.Model.build`."""
    if not isinstance(coordinates, Iterable):
        raise TypeError(f"coordinates are names, not {coordinates!r}")
    coordinates = (coordinates.replace(",", " ").split() if isinstance(coordinates, str)
                   else list(coordinates))
    check_symbols(kinetic, potential, constraints, forces, nonideal, dissipation, outputs)
    lines = [] if title is None else [f"model {_quoted(title)}"]
    lines += [f"param {name} = {number_text(value)}"
              for name, value in mapping(params, "parameters").items()]
    lines.append("coord " + ", ".join(_name(one) for one in coordinates))
    if kinetic is not None:
        lines.append(f"kinetic {from_sympy(kinetic)}")
    if potential is not None:
        lines.append(f"potential {from_sympy(potential)}")
    if dissipation is not None:
        lines.append(f"dissipation {from_sympy(dissipation)}")
    lines += [f"force {_name(on)} = {from_sympy(value)}"
              for on, value in mapping(forces, "forces").items()]
    lines += [f"constraint {name}: {_equation(value)}"
              for name, value in _as_mapping(constraints, "c").items()]
    lines += [f"nonideal {_name(on)} = {from_sympy(value)}"
              for on, value in mapping(nonideal, "forces").items()]
    lines += [f"output {name} = {from_sympy(value)}"
              for name, value in mapping(outputs, "outputs").items()]
    if init:
        lines.append(f"init {_starts(init)}")
    if word_or_none(simulate, "simulate"):
        lines.append(f"simulate {simulate}")
    return "\n".join(map(one_statement, lines)) + "\n" + more
