"""What the full models leave to be learnt, as another model found it in their residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction


@dataclass(frozen=True, eq=False)
class Remainder:
    """What is left of y, at each evaluation row by a model that did not learn from it.

    Parameters
    ----------
    full : ndarray of shape (n,) or (n, n_outputs)
        E[y - f | all features].
    reduced : tuple of ndarrays like `full`
        E[y - f | the other features], one per feature set.
    share : float
        Of what the full models explain of y in squared error, how much more would be explained.
    """

    full: Prediction
    reduced: tuple[Prediction, ...]
    share: float

    def at(self, chosen: np.ndarray) -> Remainder:
        """Return what is left at some rows."""
        reduced = tuple(each[chosen] for each in self.reduced)
        return Remainder(self.full[chosen], reduced, self.share)

    def of_output(self, number: int) -> Remainder:
        """Return what is left of one of several outputs."""
        reduced = tuple(each[:, number] for each in self.reduced)
        return Remainder(self.full[:, number], reduced, self.share)

    @classmethod
    def joined(cls, parts: Sequence[Remainder]) -> Remainder:
        """Return what the same full models leave, without the feature sets of all parts."""
        reduced = tuple(each for part in parts for each in part.reduced)
        return cls(parts[0].full, reduced, parts[0].share)
