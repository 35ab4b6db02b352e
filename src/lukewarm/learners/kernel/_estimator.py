"""What the scikit-learn estimators share: settings and checks."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, RandomState, Vector
from lukewarm._validation import check_choice, check_count, check_flag, check_number, check_weights
from lukewarm.learners._table_estimator import TableEstimator
from lukewarm.learners.kernel._search import KERNELS

if TYPE_CHECKING:
    from typing_extensions import Self

# Fewer rows say too little of each column.
_LEAST_ROWS_FOR_RELEVANCE = 40
_KERNELS_WITH_RELEVANCE = ("auto", "rbf", "rbf+linear")


class KernelMachineEstimator(TableEstimator):
    """What the regressor and the classifier share."""

    def __init__(
        self,
        kernel: str = "auto",
        length_scale: float | None = None,
        penalty: float | None = None,
        ard: bool | str = "auto",
        max_landmarks: int = 2000,
        random_state: RandomState = None,
        depth: int | None = None,
        by_rank: bool = False,
    ) -> None:
        self.kernel = kernel
        self.length_scale = length_scale
        self.penalty = penalty
        self.ard = ard
        self.max_landmarks = max_landmarks
        self.random_state = random_state
        self.depth = depth
        self.by_rank = by_rank

    def settings(self) -> dict[str, Any]:
        """Return the checked settings of the search."""
        check_choice("kernel", self.kernel, ("auto", *KERNELS))
        for name in ("length_scale", "penalty"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        if self.depth is not None:
            check_count("depth", self.depth)
            if self.kernel != "ntk":
                raise ValueError(f"depth goes with kernel='ntk'; got {self.kernel!r}.")
        check_count("max_landmarks", self.max_landmarks, minimum=2)
        check_flag("by_rank", self.by_rank)
        if self.ard not in (True, False, "auto"):
            raise ValueError(f"ard must be True, False or 'auto'; got {self.ard!r}.")
        if self.ard is True and self.kernel not in _KERNELS_WITH_RELEVANCE:
            raise ValueError(
                f"ard=True goes with kernel 'auto', 'rbf' or 'rbf+linear'; got {self.kernel!r}."
            )
        if self.ard is True and self.length_scale is not None:
            raise ValueError(
                "ard=True finds a length scale for every column; leave length_scale out."
            )
        return {
            "name": self.kernel,
            "length_scale": self.length_scale,
            "penalty": self.penalty,
            "depth": self.depth,
            "max_landmarks": self.max_landmarks,
        }

    def _without_losses(self) -> Self:
        """Return a copy for a machine on other rows or columns, without the losses of this one."""
        other = copy(self)
        for name in ("loo_loss_", "cv_loss_", "validation_loss_"):
            other.__dict__.pop(name, None)
        return other

    def finds_relevance(self, n_rows: int) -> bool:
        """Return whether every column gets a length scale of its own."""
        if self.ard != "auto":
            return bool(self.ard)
        is_free = self.kernel in _KERNELS_WITH_RELEVANCE and self.length_scale is None
        return is_free and n_rows >= _LEAST_ROWS_FOR_RELEVANCE


def check_given_together(X_val: Any, y_val: Any) -> None:
    """Raise where rows that choose have no target, or a target no rows."""
    if (X_val is None) != (y_val is None):
        raise ValueError("X_val and y_val must be given together, or neither.")


def weighted_rows(X: Features, y: Vector, sample_weight: Any) -> tuple[Features, Vector, Vector]:
    """Return the rows that weigh something, and weights of mean one."""
    weights = check_weights(sample_weight, len(y))
    if weights is None:
        return X, y, np.ones(len(y))
    kept = weights > 0
    X = X.iloc[kept] if isinstance(X, pd.DataFrame) else X[kept]
    return X, y[kept], weights[kept] / weights[kept].mean()
