"""Forests and trees of scikit-learn: quickly averaged over draws of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.learners._refit_only import RefitOnlyLearner

if TYPE_CHECKING:
    from lukewarm.learners._tree_draws import Trees

# What a projection still has to correct is seen as well by as many trees.
_ENOUGH_TREES = 100


class BaggedTreesLearner(RefitOnlyLearner):
    """A random forest, extremely randomised trees or a single tree.

    Trained in one go, like any estimator that takes no steps. Its mean over draws of some columns
    is had in one pass through the trees.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> learner = BaggedTreesLearner(RandomForestRegressor(5))
    >>> learner.advance(X, X[:, 0], 1)
    >>> same = learner.average_draws(X, np.ones((60, 1)), {0: X[:, :1]})
    >>> bool(np.allclose(same, learner.predict(X)))
    True
    """

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Fit the trees at the first step."""
        super().advance(X, y, n_steps, weights)
        for laid_out in ("_trees", "thinned"):
            vars(self).pop(laid_out, None)

    def average_draws(
        self, X: Features, weights: Matrix, values: Mapping[int, Matrix]
    ) -> Prediction | None:
        """Return the mean prediction over draws; None where the trees cannot be laid out.

        Parameters
        ----------
        X : Features of shape (n, p)
        weights : ndarray of shape (n, m)
        values : mapping from column to ndarray of shape (n, m)
            What the removed columns are in each draw.
        """
        return self._averaged(self._trees, X, weights, values)

    @cached_property
    def thinned(self) -> _ThinnedForest | None:
        """A forest of some of the trees; None where there are few."""
        trees = self._estimators()
        if trees is None or len(trees) <= _ENOUGH_TREES:
            return None
        return _ThinnedForest(self, trees[:: -(-len(trees) // _ENOUGH_TREES)])

    def _averaged(
        self, trees: Trees | None, X: Features, weights: Matrix, values: Mapping[int, Matrix]
    ) -> Prediction | None:
        from lukewarm.learners._tree_draws import MOST_DRAWS

        if trees is None or weights.shape[1] > MOST_DRAWS:
            return None
        try:
            matrix = np.asarray(X, dtype=float)
            draws = np.stack([np.asarray(each, dtype=float) for each in values.values()])
        except (TypeError, ValueError):  # columns of text, which no tree takes
            return None
        # The trees' own rule for gaps is left to scikit-learn.
        if np.isnan(matrix).any() or np.isnan(draws).any():
            return None
        mean = trees.average(matrix, list(values), draws, weights)
        if self.n_classes is None:
            return mean[:, 0]
        return mean[:, 1] if self.n_classes == 2 else mean

    @cached_property
    def _trees(self) -> Trees | None:
        estimators = self._estimators()
        return None if estimators is None else self._laid_out(estimators)

    def _laid_out(self, estimators: list[Any]) -> Trees:
        from lukewarm.learners._tree_draws import Trees  # loads numba

        return Trees.of(estimators, of_classes=self.n_classes is not None)

    def _estimators(self) -> list[Any] | None:
        """Return the fitted trees; None before a fit, or where they have several outputs."""
        if self._model is None or getattr(self._model, "n_outputs_", 1) != 1:
            return None
        return list(getattr(self._model, "estimators_", [self._model]))


class _ThinnedForest:
    """Some trees of a forest, as a model that predicts."""

    def __init__(self, forest: BaggedTreesLearner, estimators: list[Any]) -> None:
        self._forest = forest
        self._few = forest._laid_out(estimators)

    def average_draws(
        self, X: Features, weights: Matrix, values: Mapping[int, Matrix]
    ) -> Prediction | None:
        """Return the mean prediction of these trees over draws; see BaggedTreesLearner."""
        return self._forest._averaged(self._few, X, weights, values)

    def predict(self, X: Features) -> Prediction:
        """Return the predictions of these trees; of all of them where X has gaps."""
        first = np.asarray(X)[:, :1].astype(float)
        prediction = self.average_draws(X, np.ones((len(X), 1)), {0: first})
        return self._forest.predict(X) if prediction is None else prediction
