# SPDX-License-Identifier: MIT
"""One instant of constrained motion from arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .build import texts, word_or_none

__all__ = ["Solution", "solve"]


@dataclass(frozen=True)
class Solution:
    """What M q'' = Q + Qc with A q'' = b comes to."""

    qdd: NDArray[np.float64]  #: acceleration, of least norm where it is not unique
    force_ideal: NDArray[np.float64]  #: A^T lambda
    force_nonideal: NDArray[np.float64]  #: what C adds
    multipliers: NDArray[np.float64]  #: lambda of the ideal part, of least norm
    rank_M: int
    rank_A: int
    rank_Mhat: int  #: of [M; A]: the acceleration is unique iff this is n
    unique: bool  #: of the acceleration
    indeterminate: list[int]  #: coordinates whose acceleration nothing determines
    dependent_sets: list[list[int]]  #: rows of A that depend on each other
    residual: float  #: max |A q'' - b| relative to the size of its terms
    residual_motion: float  #: the same of the equation of motion

    @property
    def force(self) -> NDArray[np.float64]:
        """The whole force of the constraints."""
        return self.force_ideal + self.force_nonideal

    @property
    def unique_reaction(self) -> NDArray[np.bool_]:
        """Of each row of A whether its multiplier is unique."""
        dependent = {row for rows in self.dependent_sets for row in rows}
        return np.array([row not in dependent for row in range(len(self.multipliers))], bool)


def _sets(numbers: list[int]) -> list[list[int]]:
    return [[row for row, of in enumerate(numbers) if of == number]
            for number in range(max(numbers, default=-1) + 1)]


def solve(M: ArrayLike, Q: ArrayLike, A: ArrayLike | None = None, b: ArrayLike | None = None,
          C: ArrayLike | None = None, *, coordinates: Sequence[str] = (),
          constraints: Sequence[str] = (), formulation: str = "default") -> Solution:
    """Acceleration and constraint forces of one instant.

    M (n, n) is symmetric and positive semi-definite: it may be singular.  Rows of A (m, n)
    may depend on each other.  C (n,) makes constraints non-ideal.  Names are for messages.

    A bead of mass 1 on a wire of slope 3/4, and the same wire twice:

    >>> from kalaba import solve
    >>> answer = solve([[1, 0], [0, 1]], [0, -10], [[3, -4], [6, -8]], [0, 0])
    >>> answer.qdd
    array([-4.8, -3.6])
    >>> answer.unique, answer.unique_reaction.tolist()
    (True, [False, False])
    """
    if (A is None) != (b is None):
        raise ValueError("A and b come together")
    for name, given in {"M": M, "Q": Q}.items():
        if given is None:
            raise TypeError(f"{name} is an array of real numbers, not None")
    found = _native.solve(M, Q, A, b, C, texts(coordinates, "coordinates"),
                          texts(constraints, "constraints"),
                          word_or_none(formulation, "formulation") or "default")
    ranks = found["ranks"]
    return Solution(found["qdd"], found["force_ideal"], found["force_nonideal"],
                    found["multipliers"], ranks[0], ranks[1], ranks[2], found["unique"],
                    [i for i, free in enumerate(found["indeterminate"]) if free],
                    _sets(found["dependent_set"]), found["residual_constraints"],
                    found["residual_motion"])
