"""Array aliases with their shapes, and the names of things passed between rooms."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float64]
"""One float per row, shape (n,)."""

Matrix: TypeAlias = npt.NDArray[np.float64]
"""Rows by columns, shape (n, p)."""

Prediction: TypeAlias = npt.NDArray[np.float64]
"""(n,) for regression and for the probability of the second of two classes, else (n, n_classes)."""

Features: TypeAlias = Any
"""Rows of features: a float matrix (n, p), a DataFrame, or a learner's own representation of one
(see :meth:`lukewarm.learners.BaseLearner.datasets`)."""

Draw: TypeAlias = tuple[Vector, dict[int, Any]]
"""The weight of a draw in each row, shape (n,), and the values of the columns drawn in it."""

FeatureSet: TypeAlias = tuple[int, ...]
"""Column indices, sorted, without repetition."""

RandomState: TypeAlias = "int | np.random.Generator | None"
