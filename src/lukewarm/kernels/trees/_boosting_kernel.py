"""The kernel of our boosting at the place where a learner stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.kernels.trees._kernel import tree_kernel
from lukewarm.kernels.trees._law import tree_kernel_at


def boosting_kernel(learner: Any, X: Features, y: Vector | None = None) -> Matrix:
    """Return the kernel matrix of an ObliviousBoosting learner, divided by N.

    Parameters
    ----------
    learner : ObliviousBoosting
        A trained regression; it is not changed.
    X : rows, as the learner takes them
        Features that are removed or constant there are not split, as in training.
    y : array of shape (n,), optional
        With it K_tau, the kernel of the next tree; without, the stationary kernel.

    Examples
    --------
    >>> from lukewarm.learners import ObliviousBoosting
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> learner = ObliviousBoosting(depth=2, n_bins=4, random_strength=1e4)
    >>> learner.advance(X, X[:, 0], 10)
    >>> now, stationary = boosting_kernel(learner, X, X[:, 0]), boosting_kernel(learner, X)
    >>> bool(np.abs(now - stationary).max() < 1e-3)
    True
    """
    _check_learner(learner)
    codes, borders = _codes_and_borders(learner, X)
    if y is None:
        return tree_kernel(codes, borders=borders, depth=learner.depth)
    residuals = np.asarray(y, dtype=float) - learner.predict(X)
    return tree_kernel_at(
        codes,
        residuals,
        borders=borders,
        depth=learner.depth,
        random_strength=learner.random_strength,
    )


def _check_learner(learner: Any) -> None:
    from lukewarm.learners import ObliviousBoosting

    if not isinstance(learner, ObliviousBoosting):
        raise TypeError(f"learner must be an ObliviousBoosting; got {type(learner).__name__}.")
    if learner.n_steps == 0:
        raise ValueError("learner must be trained: before its first tree it has no borders.")
    # With any of these the next tree is no longer a kernel update of the paper's form.
    plain = {"n_classes": None, "l2_leaf": 0, "shrinkage": 0, "subsample": 1, "feature_fraction": 1}
    for name, value in plain.items():
        if getattr(learner, name) != value:
            raise ValueError(
                f"the tree kernel is that of plain boosting, {name}={value}; "
                f"the learner has {name}={getattr(learner, name)}."
            )


def _codes_and_borders(learner: Any, X: Features) -> tuple[Matrix, list[np.ndarray]]:
    """Return bin codes (n, p) and thresholds on them: a missing value has a bin of its own."""
    rows = X if hasattr(X, "codes") else learner.datasets(X)[0]
    if rows.borders.is_category.any():
        raise ValueError("the tree kernel knows no categorical splits; encode them as numbers.")
    candidates = set(rows.candidates.tolist())
    borders = [
        np.arange(first, last + 1.0) if feature in candidates else np.empty(0)
        for feature, (first, last) in enumerate(rows.borders.thresholds.T)
    ]
    return rows.codes.T.astype(float), borders
