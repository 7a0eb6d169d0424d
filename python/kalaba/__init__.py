# SPDX-License-Identifier: MIT
"""Constrained mechanical systems by the Udwadia-Kalaba equation.

>>> import kalaba
>>> model = kalaba.Model('''
... param L = 1 [m], g = 9.81 [m/s^2]
... coord x, y
... kinetic 1/2*(x'^2 + y'^2)
... potential g*y
... constraint rod: x^2 + y^2 = L^2
... init x = 1, y ~ 0
... simulate 0 .. 1 every 0.1
... ''')
>>> model.eval().qdd
array([ 0.  , -9.81])
>>> run = model.run()
>>> bool(abs(run["x"]**2 + run["y"]**2 - 1).max() < 1e-12)
True
>>> model.with_params(L=2).eval().q
array([1.        , 1.73205081])
"""

from ._native import version as __version__
from .errors import (ContradictionError, Error, FileError, FormulationError, IntegrationError,
                     LimitError, MassError, MissingFileError, ModelError, NoAccelerationError,
                     NotUniqueError, NumberError, UsageError)
from .model import Model, load
from .results import Equations, Record, Run, Sweep, Table
from .solution import Solution, solve

__all__ = ["Model", "load", "solve", "Solution", "Run", "Sweep", "Table", "Record", "Equations",
           "Error", "ModelError", "UsageError", "FileError", "MissingFileError", "LimitError",
           "NumberError", "MassError", "ContradictionError", "NoAccelerationError",
           "NotUniqueError", "FormulationError", "IntegrationError", "__version__"]
