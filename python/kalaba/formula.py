# SPDX-License-Identifier: MIT
"""Formulas of the model language from and to SymPy.

Coordinates are functions of t, ``Function("x")(t)``, and velocities their derivatives;
everything else is a symbol.  SymPy is imported when the first formula is converted.
"""

from __future__ import annotations

import math
import re
from typing import Any, Iterator, Mapping

__all__ = ["check_symbols", "to_sympy", "from_sympy"]

_NAME = r"[^\W\d]\w*(?:\[\d+\]|\.[^\W\d]\w*)*"
_TOKEN = re.compile(rf"""\s*(?:
    (?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)
  | (?P<name>{_NAME})(?P<primes>'*)
  | (?P<sign><=|>=|==|!=|[-+*/^(),<>])
)""", re.VERBOSE)

_RELATIONS = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ImportError("formulas as SymPy expressions need SymPy; as text and LaTeX they "
                          "are in .text and .latex") from None
    return sympy


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Kind, text and primes of each token; an end marker last."""
    found: list[tuple[str, str, int]] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if not token:
            raise ValueError(f"cannot read the formula at '{text[place:place + 20]}'")
        kind = token.lastgroup or ""
        kind = kind if kind != "primes" else "name"
        found.append((kind, token[kind], len(token["primes"] or "")))
        place = token.end()
    return found + [("end", "", 0)]


class _Reader:
    """Recursive descent over the grammar of expressions, loosest operator first."""

    def __init__(self, text: str, coordinates: set[str]) -> None:
        self.sympy = _sympy()
        self.tokens = _tokens(text)
        self.place = 0
        self.coordinates = coordinates
        self.time = self.sympy.Symbol("t")

    def peek(self) -> str:
        return self.tokens[self.place][1]

    def next(self) -> tuple[str, str, int]:
        self.place += 1
        return self.tokens[self.place - 1]

    def take(self, *signs: str) -> str | None:
        if self.tokens[self.place][0] != "number" and self.peek() in signs:
            return self.next()[1]
        return None

    def need(self, sign: str) -> None:
        if self.take(sign) is None:
            raise ValueError(f"'{sign}' is missing before '{self.peek()}'")

    def whole(self) -> Any:
        value = self.disjunction()
        if self.tokens[self.place][0] != "end":
            raise ValueError(f"cannot read the formula at '{self.peek()}'")
        return value

    def disjunction(self) -> Any:
        value = self.conjunction()
        while self.take("or"):
            value = self.sympy.Or(value, self.conjunction())
        return value

    def conjunction(self) -> Any:
        value = self.negation()
        while self.take("and"):
            value = self.sympy.And(value, self.negation())
        return value

    def negation(self) -> Any:
        return self.sympy.Not(self.negation()) if self.take("not") else self.relation()

    def relation(self) -> Any:
        value = self.sum()
        sign = self.take(*_RELATIONS)
        return getattr(self.sympy, _RELATIONS[sign])(value, self.sum()) if sign else value

    def sum(self) -> Any:
        value = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            value = value + term if sign == "+" else value - term
        return value

    def product(self) -> Any:
        value = self.factor()
        while sign := self.take("*", "/"):
            factor = self.factor()
            value = value * factor if sign == "*" else value / factor
        return value

    def factor(self) -> Any:
        if self.take("-"):
            return -self.factor()
        value = self.primary()
        return value ** self.factor() if self.take("^") else value

    def primary(self) -> Any:
        if self.take("("):
            value = self.disjunction()
            self.need(")")
            return value
        kind, text, primes = self.next()
        if kind == "number":
            return self.sympy.Rational(text)
        if kind != "name":
            raise ValueError(f"cannot read the formula at '{text}'")
        return self.call(text) if self.take("(") else self.name(text, primes)

    def arguments(self) -> list[Any]:
        values = [self.disjunction()]
        while self.take(","):
            values.append(self.disjunction())
        self.need(")")
        return values

    def call(self, name: str) -> Any:
        s = self.sympy
        values = self.arguments()
        if name == "if":
            return s.Piecewise((values[1], values[0]), (values[2], True))
        if name == "hypot":
            return s.sqrt(sum(value**2 for value in values))
        if name == "mod":  # as it stands: some versions make another remainder of mod(-x, 3)
            return s.Mod(*values, evaluate=False)
        names = {"abs": s.Abs, "min": s.Min, "max": s.Max, "ceil": s.ceiling}
        known = ("sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign erf "
                 "floor").split()
        function = names.get(name) or (getattr(s, name) if name in known else s.Function(name))
        return function(*values)

    def name(self, name: str, primes: int) -> Any:
        s = self.sympy
        if name == "pi":
            return s.pi
        if name == "deg":
            return s.pi / 180
        if name == "t":
            return self.time
        if name not in self.coordinates and not primes:
            return s.Symbol(name)
        value = s.Function(name)(self.time)
        return s.Derivative(value, (self.time, primes)) if primes else value


def to_sympy(text: str, coordinates: set[str]) -> Any:
    """A formula as a SymPy expression.

    >>> from kalaba.formula import to_sympy
    >>> to_sympy("1/2*m*x'^2 + if(x > 0, x, 0)", {"x"})
    m*Derivative(x(t), t)**2/2 + Piecewise((x(t), x(t) > 0), (0, True))
    """
    return _Reader(text, coordinates).whole()


# Functions that the model language has not, and by what SymPy writes them.
_REWRITTEN = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh",
              "coth": "tanh", "asinh": "log", "acosh": "log", "atanh": "log", "acoth": "log",
              "acot": "atan", "asec": "acos", "acsc": "asin", "asech": "log", "acsch": "log",
              "Heaviside": "sign",
              "sinc": "sin", "erfc": "erf", "frac": "floor"}


def _checked(name: str) -> str:
    """The name of a symbol or function, if it is one in the model language too."""
    if not re.fullmatch(_NAME, name):
        raise ValueError(f"'{name}' is no name in a model: letters, digits and _ make one")
    if name in ("pi", "deg"):
        raise ValueError(f"'{name}' is a number in a model: give the symbol another name")
    return name


def _printer() -> Any:
    """SymPy's printer with the words of the model language."""
    import sympy
    from sympy import Derivative, Function, Rational, Symbol
    from sympy.core.function import AppliedUndef
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        """Only what differs from SymPy's own text."""

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            base, power = expr.as_base_exp()
            if power == Rational(1, 2):
                return f"sqrt({self._print(base)})"
            return f"{self._enclosed(base)}^{self._enclosed(power)}"

        def _enclosed(self, expr: Any) -> str:
            """In parentheses, unless it is a name, a call or a whole number."""
            text = self._print(expr)
            plain = isinstance(expr, (Symbol, Function, Derivative)) or (
                expr.is_Integer and expr >= 0)
            return text if plain else f"({text})"

        def _print_Symbol(self, expr: Any) -> str:
            return _checked(expr.name)

        def _print_Float(self, expr: Any) -> str:
            value = float(expr)
            if math.isinf(value) or (value == 0 and expr != 0):
                raise ValueError(f"{expr} is no number of double precision")
            return repr(value)

        def _print_NumberSymbol(self, expr: Any) -> str:
            return repr(float(expr))

        _print_GoldenRatio = _print_EulerGamma = _print_NumberSymbol
        _print_Catalan = _print_TribonacciConstant = _print_NumberSymbol

        def _refuse(self, expr: Any) -> str:
            raise ValueError(f"{expr} is no real number")

        _print_ImaginaryUnit = _print_Infinity = _print_NegativeInfinity = _refuse
        _print_ComplexInfinity = _print_NaN = _refuse

        def _done(self, expr: Any) -> str:
            """What is to be done with it, done."""
            found = expr.doit()
            if found.has(type(expr)) and not isinstance(expr, Derivative) or found == expr:
                raise ValueError(f"{expr} cannot be written as a formula of a model")
            return f"({self._print(found)})"

        _print_Integral = _print_Sum = _print_Product = _print_Subs = _done

        def _print_Exp1(self, expr: Any) -> str:
            return "exp(1)"

        def _print_Derivative(self, expr: Any) -> str:
            function, *variables = expr.args
            times = sum(count for _, count in variables)
            if not _is_undefined(function):
                return self._done(expr)
            if (any(str(variable) != "t" for variable, _ in variables)
                    or [str(argument) for argument in function.args] != ["t"]):
                raise ValueError(f"{expr} is no derivative of a coordinate by t")
            return _checked(str(function.func)) + "'" * int(times)

        def _print_Function(self, expr: Any) -> str:
            if [str(argument) for argument in expr.args] == ["t"] and _is_undefined(expr):
                return _checked(str(expr.func))
            if expr.func.__name__ in _REWRITTEN and not _is_undefined(expr):
                return f"({self._print(self._rewrite(expr))})"
            words = {"Abs": "abs", "ceiling": "ceil", "Min": "min", "Max": "max",
                     "Mod": "mod"}
            name = words.get(expr.func.__name__, expr.func.__name__)
            return f"{name}({', '.join(self._print(argument) for argument in expr.args)})"

        _print_Abs = _print_Min = _print_Max = _print_Mod = _print_Heaviside = _print_Function

        def _rewrite(self, expr: Any) -> Any:
            """By functions that the language has; all quantities of a model are real."""
            real = sympy.Dummy(real=True)
            other = getattr(sympy, _REWRITTEN[expr.func.__name__])
            found = expr.func(real).rewrite(other)
            if found.has(expr.func):
                raise ValueError(f"{expr} cannot be written as a formula of a model")
            return found.xreplace({real: expr.args[0]})

        def _print_part(self, expr: Any) -> str:
            """A part of something complex; all quantities of a model are real."""
            found = expr.atoms(Symbol, Derivative, AppliedUndef)
            names = {one: sympy.Dummy(real=True) for one in found}
            part = sympy.expand_complex(expr.xreplace(names))
            if part.has(sympy.I, sympy.re, sympy.im, sympy.conjugate):
                raise ValueError(f"{expr} cannot be written as a formula of a model")
            back = {dummy: one for one, dummy in names.items()}
            return f"({self._print(part.xreplace(back))})"

        _print_re = _print_im = _print_conjugate = _print_part

        def _print_Piecewise(self, expr: Any) -> str:
            (value, condition), *rest = expr.args
            if condition is True or str(condition) == "True":
                return self._print(value)
            if not rest:
                raise ValueError(f"{expr} has no value elsewhere: add (value, True)")
            other = self._print(expr.func(*rest))
            return f"if({self._print(condition)}, {self._print(value)}, {other})"

        def _print_And(self, expr: Any) -> str:
            return " and ".join(f"({self._print(part)})" for part in expr.args)

        def _print_Or(self, expr: Any) -> str:
            return " or ".join(f"({self._print(part)})" for part in expr.args)

        def _print_Xor(self, expr: Any) -> str:
            return self._print(sympy.to_nnf(expr, simplify=False))

        _print_ITE = _print_Implies = _print_Equivalent = _print_Xor

        def _print_Not(self, expr: Any) -> str:
            return f"not ({self._print(expr.args[0])})"

        def _print_Relational(self, expr: Any) -> str:
            return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

    return Printer()


def _is_undefined(expr: Any) -> bool:
    from sympy.core.function import AppliedUndef
    return isinstance(expr, AppliedUndef)


def _symbols(given: Any) -> Iterator[Any]:
    """Free symbols and undefined functions of all expressions in mappings and lists; without
    SymPy if there are none."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, (list, tuple, set)):
        for one in given:
            yield from _symbols(one)
    elif hasattr(given, "free_symbols"):
        from sympy.core.function import AppliedUndef
        yield from given.free_symbols
        yield from given.atoms(AppliedUndef)


def check_symbols(*given: Any) -> None:
    """Refuse expressions in which two different things have one name."""
    found: dict[str, Any] = {}
    for one in _symbols(given):
        name = str(one.func if one.args else one)
        other = found.setdefault(name, one)
        if other != one:
            raise ValueError(f"two different things are called '{name}': {other!r} and {one!r}"
                             ", which are a symbol and a function, or differ in assumptions")


def from_sympy(expression: Any) -> str:
    """A SymPy expression, a number or a text as a formula of the model language.

    >>> import sympy
    >>> from kalaba.formula import from_sympy
    >>> t, m = sympy.symbols("t m")
    >>> x = sympy.Function("x")(t)
    >>> from_sympy(m*x.diff(t)**2/2 - sympy.cos(x))
    "m*x'^2/2 - cos(x)"
    """
    if isinstance(expression, str):
        return expression
    sympy = _sympy()
    try:
        found = sympy.sympify(expression)
    except sympy.SympifyError:
        raise TypeError(f"{expression!r:.200} is no formula") from None
    return str(_printer().doprint(found))
