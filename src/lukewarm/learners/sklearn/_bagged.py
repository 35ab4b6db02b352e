"""Forests and trees of scikit-learn: quickly averaged over draws of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Draw, Features, FeatureSet, Prediction, Vector
from lukewarm.learners.sklearn._refit_only import RefitOnlyLearner

if TYPE_CHECKING:
    from lukewarm.learners.sklearn._tree_draws import Trees

# What a projection still has to correct is seen as well by as many trees, and ways through them:
# one draw for each of many trees is better than many for a few. Up to as many trees take all draws.
_ENOUGH_TREES, _ENOUGH_WAYS, _FEW_TREES = 200, 200, 25
# Ways through trees for each row when the mean over draws itself is asked for.
_WAYS = 500


class BaggedTreesLearner(RefitOnlyLearner):
    """A random forest, extremely randomised trees, bagged trees or a single tree.

    Trained in one go, like any estimator that takes no steps. For its mean over draws of some
    columns, each tree takes some of the draws.

    Parameters
    ----------
    estimator : estimator of trees
    task : Task
    seed : int, default 0

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> learner = BaggedTreesLearner(RandomForestRegressor(5))
    >>> learner.advance(X, X[:, 0], 1)
    >>> same = learner.average_draws(X, [(np.ones(60), {0: X[:, 0]})])
    >>> bool(np.allclose(same, learner.predict(X)))
    True
    """

    traits = replace(RefitOnlyLearner.traits, is_local=True)
    _n_ways = _WAYS

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Fit the trees at the first step."""
        super().advance(X, y, n_steps, weights)
        for laid_out in ("_trees", "thinned"):
            vars(self).pop(laid_out, None)

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the mean prediction over draws; None where the trees cannot be laid out."""
        if self._trees is None:
            return None
        weights, drawn = zip(*draws, strict=True)
        columns = list(drawn[0])
        try:
            matrix = np.asarray(X, dtype=float)
            values = np.array([[each[column] for column in columns] for each in drawn], dtype=float)
        except (TypeError, ValueError):  # columns of text, which no tree takes
            return None
        # The trees' own rule for gaps is left to scikit-learn.
        if np.isnan(matrix).any() or np.isnan(values).any():
            return None
        mean = self._trees.average(matrix, columns, values, np.stack(weights), self._n_ways)
        # Means are predictions already, so no link is needed but the shape.
        return self.task.link(mean) if self.task.is_regression else self.task.as_prediction(mean)

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return whether some tree asks for one of the columns; None where they are not known."""
        if self._trees is None:
            return None
        return not self._trees.used_columns.isdisjoint(columns)

    @cached_property
    def thinned(self) -> BaggedTreesLearner:
        """A forest of some of the trees, which take fewer draws; itself where there are few."""
        trees = self._estimators()
        if trees is None or len(trees) <= _FEW_TREES:
            return self
        few = copy(self)
        few._model = copy(self._model)
        every = slice(None, None, -(-len(trees) // _ENOUGH_TREES))
        few._model.estimators_ = trees[every]
        if hasattr(self._model, "estimators_features_"):  # bagged; it divides by its setting
            few._model.estimators_features_ = self._model.estimators_features_[every]
            few._model.n_estimators = len(trees[every])
        vars(few).pop("_trees", None)
        few._n_ways = _ENOUGH_WAYS
        return few

    @cached_property
    def _trees(self) -> Trees | None:
        from lukewarm.learners.sklearn._tree_draws import Trees  # loads numba

        estimators = self._estimators()
        if estimators is None:
            return None
        return Trees.of(estimators, of_classes=not self.task.is_regression)

    def _estimators(self) -> list[Any] | None:
        """Return the fitted trees; None before a fit, or where they are not all there is to it."""
        model = self._model
        if model is None or getattr(model, "n_outputs_", 1) != self.task.n_targets:
            return None
        # A subclass of the user's may predict otherwise.
        if not type(model).__module__.startswith("sklearn."):
            return None
        trees = list(getattr(model, "estimators_", [model]))
        return trees if _see_everything(trees, model) else None


def _see_everything(trees: list[Any], model: Any) -> bool:
    """Return whether all trees know all columns and classes; bagged ones may know some."""
    classes = getattr(model, "n_classes_", None)
    every = np.arange(model.n_features_in_)
    return all(
        np.array_equal(each, every) for each in getattr(model, "estimators_features_", ())
    ) and all(classes is None or each.n_classes_ == classes for each in trees)
