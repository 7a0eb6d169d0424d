# SPDX-License-Identifier: MIT
"""Texts of models from what Python has: mappings, lists, numbers, SymPy expressions."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from .formula import from_sympy

__all__ = ["number_text", "values_text", "model_text"]


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
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is no number, text or list of them")
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{value!r} is no number that a model can have")
    return repr(value)


def values_text(values: str | Mapping[str, Any] | None) -> str | None:
    """Values of a state as the option --at takes them.

    >>> from kalaba.build import values_text
    >>> values_text({"x": 1, "x'": 0.5})
    "x = 1, x' = 0.5"
    """
    if values is None or isinstance(values, str):
        return values
    return ", ".join(f"{name} = {number_text(value)}" for name, value in values.items())


def _as_mapping(given: Mapping[str, Any] | Iterable[Any] | Any, stem: str) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
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


def _starts(init: Mapping[Any, Any]) -> str:
    """`=` for values, `~` for those in a guess ("~", value)."""
    parts = []
    for name, value in init.items():
        guess = isinstance(value, tuple) and len(value) == 2 and value[0] == "~"
        text = from_sympy(name) if not isinstance(name, str) else name
        parts.append(f"{text} {'~' if guess else '='} "
                     f"{number_text(value[1] if guess else value)}")
    return ", ".join(parts)


def model_text(coordinates: Iterable[Any] | str, kinetic: Any, potential: Any = None, *,
               constraints: Any = None, forces: Mapping[Any, Any] | None = None,
               nonideal: Mapping[Any, Any] | None = None,
               dissipation: Any = None, params: Mapping[Any, Any] | None = None,
               outputs: Mapping[str, Any] | None = None,
               init: Mapping[Any, Any] | None = None, simulate: str | None = None,
               title: str | None = None, more: str = "") -> str:
    """The text of a model; see :meth:`kalaba.Model.build`."""
    if isinstance(coordinates, str):
        coordinates = coordinates.replace(",", " ").split()
    lines = [] if title is None else [f'model "{title}"']
    lines += [f"param {name} = {number_text(value)}" for name, value in (params or {}).items()]
    lines.append("coord " + ", ".join(_name(one) for one in coordinates))
    lines.append(f"kinetic {from_sympy(kinetic)}")
    if potential is not None:
        lines.append(f"potential {from_sympy(potential)}")
    if dissipation is not None:
        lines.append(f"dissipation {from_sympy(dissipation)}")
    lines += [f"force {_name(on)} = {from_sympy(value)}" for on, value in (forces or {}).items()]
    lines += [f"constraint {name}: {_equation(value)}"
              for name, value in _as_mapping(constraints, "c").items()]
    lines += [f"nonideal {_name(on)} = {from_sympy(value)}"
              for on, value in (nonideal or {}).items()]
    lines += [f"output {name} = {from_sympy(value)}" for name, value in (outputs or {}).items()]
    if init:
        lines.append(f"init {_starts(init)}")
    if simulate:
        lines.append(f"simulate {simulate}")
    return "\n".join(lines) + "\n" + more
