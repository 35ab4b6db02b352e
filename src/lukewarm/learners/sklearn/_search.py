"""Searches over settings: GridSearchCV and its kin, looked through to the best estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from sklearn.base import clone

from lukewarm._typing import Draw, Features, FeatureSet, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BaseLearner, Predicts
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._registry import from_model
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.sklearn._refit_only import RefitOnlyLearner
from lukewarm.measures import REGRESSION, Task


class SearchLearner(RefitOnlyLearner):
    """A search that is made once for a full model; models without columns have what it found.

    It is fitted in one go. What can be had quickly of the best estimator, such as the mean of a
    forest over draws, is had through the search.

    Parameters
    ----------
    estimator : GridSearchCV or another search of scikit-learn
    task : Task
    seed : int, default 0

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> learner = SearchLearner(GridSearchCV(Ridge(), {"alpha": [0.1, 1e6]}))
    >>> learner.advance(X, X[:, 0], 1)
    >>> learner.fresh(0).estimator
    Ridge(alpha=0.1)
    """

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        if estimator.refit is False:
            raise ValueError(
                f"model is a {self.model_type} with refit=False, which finds settings and has no "
                "model to explain; pass refit=True."
            )

    @classmethod
    def from_model(cls, model: Any, *, task: Task, seed: int, prefit: bool) -> BaseLearner:
        """Return an untrained search, or the learner of what a fitted one found."""
        if not prefit or not hasattr(model, "best_estimator_"):
            return super().from_model(model, task=task, seed=seed, prefit=prefit)
        check_fitted(model, task)
        return from_model(model.best_estimator_, task=task, seed=seed, prefit=True)

    @cached_property
    def traits(self) -> LearnerTraits:  # type: ignore[override]
        """Those of any estimator; local where the estimator that is searched for is."""
        inner = from_model(self.estimator.estimator, task=self.task, seed=0)
        return replace(RefitOnlyLearner.traits, is_local=inner.traits.is_local)

    def fresh(self, seed: int) -> BaseLearner:
        """Return an untrained learner with the settings found, or with all those to search."""
        if self._found is None:
            return super().fresh(seed)
        return RefitOnlyLearner(clone(self._model.best_estimator_), task=self.task, seed=seed)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Search at the first step."""
        super().advance(X, y, n_steps, weights)
        for seen in ("_found", "thinned"):
            vars(self).pop(seen, None)

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the best estimator's mean over draws, where it has a quick way to it."""
        return None if self._found is None else self._found.average_draws(X, draws)

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the best estimator without `removed`, where it has a closed form."""
        return None if self._found is None else self._found.refit_without(train, removed)

    @cached_property
    def thinned(self) -> BaseLearner:
        """That of the best estimator; itself where that has none."""
        if self._found is None or self._found.thinned is self._found:
            return self
        return self._found.thinned

    @cached_property
    def _found(self) -> BaseLearner | None:
        """The learner of the best estimator, which predicts as the search does."""
        # Scores are calibrated around a whole search, which leaves nothing to look through.
        if self.output is not None or not hasattr(self._model, "best_estimator_"):
            return None
        return from_model(self._model.best_estimator_, task=self.task, seed=self.seed, prefit=True)
