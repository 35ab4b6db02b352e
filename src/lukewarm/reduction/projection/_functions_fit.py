"""A fitted estimator that reads some of the functions of a basis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class FunctionsFit:
    """A kernel machine, or the tree of a rule, on some of the functions of a basis.

    Parameters
    ----------
    model : fitted estimator
    places : ndarray of int
        The functions it reads.
    """

    model: Any
    places: np.ndarray

    def predict(self, functions: Matrix) -> Vector:
        """Return the fitted values at rows given by all their functions (n, m)."""
        return np.asarray(self.model.predict(functions[:, self.places]))
