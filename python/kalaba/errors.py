# SPDX-License-Identifier: MIT
"""What can go wrong, as exceptions.

All of them are :class:`Error`.  The message is what the command line prints, for errors in
a model with the line and a caret below the place.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Iterator, Mapping

__all__ = ["Error", "ModelError", "UsageError", "FileError", "MissingFileError", "LimitError",
           "NumberError", "MassError", "ContradictionError", "NoAccelerationError",
           "NotUniqueError", "FormulationError", "IntegrationError"]

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): ")
_ERROR = re.compile(_PLACE.pattern + "error: ", re.MULTILINE)  # among warnings


class Error(Exception):
    """A failure of Kalaba.

    `message` says what went wrong, `names` lists the coordinates or constraints at fault,
    `file`, `line` and `column` are a place in a model (None where there is none), `kind` is
    the name of the library's status.
    """

    def __init__(self, message: str, names: list[str] | None = None, kind: str = "") -> None:
        super().__init__(message)
        place = _ERROR.search(message) or _PLACE.match(message)
        self.message = message
        self.names = list(names or [])
        self.kind = kind
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None
        self.column = int(place["column"]) if place else None


class ModelError(Error, ValueError):
    """The text of a model, or a value in the model language, is wrong."""


class UsageError(Error, ValueError):
    """An argument makes no sense."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class LimitError(Error):
    """Something is too large."""


class NumberError(Error, ArithmeticError):
    """A number is not usable: not finite, or a formula has no value."""


class MassError(Error):
    """The mass matrix is not symmetric positive semi-definite."""


class ContradictionError(Error):
    """Constraints contradict each other."""


class NoAccelerationError(Error):
    """A force acts along a direction without mass and constraint."""


class NotUniqueError(Error):
    """The acceleration is not unique."""


class FormulationError(Error):
    """What was asked for does not apply to this model."""


class IntegrationError(Error):
    """A run could not go on: steps became too small, or events follow without end."""


_KINDS = {
    "KAL_ERR_LIMIT": LimitError,
    "KAL_ERR_USAGE": UsageError,
    "KAL_ERR_FILE": FileError,
    "KAL_ERR_SYNTAX": ModelError,
    "KAL_ERR_SHAPE": UsageError,
    "KAL_ERR_NUMBER": NumberError,
    "KAL_ERR_MASS": MassError,
    "KAL_ERR_CONTRADICTION": ContradictionError,
    "KAL_ERR_NO_ACCELERATION": NoAccelerationError,
    "KAL_ERR_FORMULATION": FormulationError,
    "KAL_ERR_STEP": IntegrationError,
    "KAL_ERR_NOT_UNIQUE": NotUniqueError,
    "KAL_ERR_CHATTER": IntegrationError,
}


@contextmanager
def pointing(text: str | Mapping[str, str] | None) -> Iterator[None]:
    """Errors that have a place in this text show it, with a caret below the place.

    Of several texts in a mapping the keys are what messages call them.
    """
    try:
        yield
    except ModelError as error:
        if isinstance(text, Mapping):
            text = text.get(error.file or "")
        lines = (text or "").split("\n")
        if (error.line is None or error.column is None or "\n" in error.message
                or error.line > len(lines)):
            raise
        error.message += f"\n    {lines[error.line - 1]}\n    {' ' * (error.column - 1)}^"
        error.args = (error.message,)
        raise


def make_error(kind: str, message: str, names: list[str]) -> BaseException:
    """The exception for a status of the library; called by the native module."""
    if kind == "KAL_ERR_NOMEM":
        return MemoryError(message)
    if kind == "KAL_ERR_INTERRUPTED":
        return KeyboardInterrupt(message)
    return _KINDS.get(kind, Error)(message.rstrip("\n\0"), names, kind)
