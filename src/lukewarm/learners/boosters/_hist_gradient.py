"""scikit-learn's histogram booster: new trees on top of a margin."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lukewarm._typing import Features, Vector
from lukewarm.learners._fitted import as_numbers, as_seen
from lukewarm.learners.boosters._forest import Forest, ForestOnDemand
from lukewarm.learners.boosters._margins import BlockMarginLearner
from lukewarm.learners.boosters._segments import Segment
from lukewarm.learners.boosters._tree_tables import Tree, level_bits
from lukewarm.learners.sklearn._private import (
    add_histogram_trees,
    as_histogram_rows,
    check_fitted_names,
    check_private_names,
    forget_margin,
    histogram_booster_on,
    histogram_intercept,
    histogram_level_sets,
    histogram_place,
    histogram_trees,
    moves_columns,
)
from lukewarm.measures import REGRESSION, Task


class HistGradientBoostingLearner(BlockMarginLearner):
    """A histogram booster of scikit-learn that can be trained further.

    Parameters
    ----------
    estimator : HistGradientBoostingRegressor or HistGradientBoostingClassifier
        Its settings are read; the object itself is never changed or trained. ``max_iter`` becomes
        `max_steps`; its own early stopping gives way to the stopping rule.
    task : Task
    seed : int, default 0

    Notes
    -----
    ``warm_start=True`` reads the old trees by bin number, but bins the new rows anew; once a column
    is held constant its bins are others, and the old trees go astray. So new trees are trained
    on top of the margin that the old ones give for the rows as they are.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = HistGradientBoostingLearner(HistGradientBoostingRegressor(learning_rate=0.3))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.2
    True
    """

    engine = "HistGradientBoosting"
    # Fastest of 5 to 60 on Friedman's data, 2,000 rows.
    first_block = 15
    _shared_traits = replace(BlockMarginLearner._shared_traits, reads="named")

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        check_private_names(type(estimator))
        self.max_steps = int(estimator.max_iter)

    def _fitted_trees(self) -> Segment:
        return _HistogramTrees(self.estimator, self.estimator.n_iter_, has_intercept=True)

    def _grow(
        self,
        X: Features,
        y: Vector,
        n_steps: int,
        weights: Vector | None,
        baseline: np.ndarray | None,
    ) -> Segment:
        settings = {
            **self.estimator.get_params(deep=False),
            "max_iter": n_steps,
            "learning_rate": self.estimator.learning_rate * self._step_length,
            "early_stopping": False,
            "random_state": (self.seed + self.n_steps) % (2**31 - 1),
            "verbose": 0,
            "warm_start": baseline is not None,
        }
        model: Any
        if baseline is None:
            model = type(self.estimator)(**settings)
        else:
            model = histogram_booster_on(baseline, self.task, settings, self._longest_leaf)
        model.fit(X, y, sample_weight=weights)
        forget_margin(model)
        check_fitted_names(model)
        return _HistogramTrees(model, n_steps, has_intercept=baseline is None)

    def _prepare(self, X: Features) -> Any:
        return as_numbers(X)

    def _tree_rows(self, X: Features) -> Any:
        model = self._first_model
        return (
            as_histogram_rows(model, as_seen(model, X)) if moves_columns(model) else as_numbers(X)
        )

    def _tree_column(self, column: int) -> int:
        return histogram_place(self._first_model, column)

    @property
    def _first_model(self) -> Any:
        first: Any = self._segments[0]
        return first.model


class _HistogramTrees:
    """The first `n_trees` iterations of a histogram booster."""

    def __init__(self, model: Any, n_trees: int, *, has_intercept: bool) -> None:
        self.model = model
        self.n_trees = n_trees
        self.has_intercept = has_intercept
        self._forest = ForestOnDemand(partial(_forest, model, n_trees))

    def first(self, n_trees: int) -> _HistogramTrees:
        return _HistogramTrees(self.model, n_trees, has_intercept=self.has_intercept)

    def margin(self, data: Any) -> np.ndarray:
        is_plain = isinstance(data, np.ndarray) and not moves_columns(self.model)
        forest = self._forest.get() if is_plain else None
        if forest is not None:
            return forest.margin(data, self._start(0))
        return self.own_margin(data)

    def own_margin(self, data: Any) -> np.ndarray:
        """Return what all the trees add by scikit-learn's own prediction."""
        return self._added(self._rows(data), 0, self.n_trees)

    def read_margin(self, rows: np.ndarray) -> np.ndarray:
        """Return what all the trees add as they were read."""
        forest = self._forest.laid_out
        assert forest is not None
        return forest.margin(rows, self._start(0))

    def read(self) -> Forest | None:
        """Return the trees laid out."""
        return self._forest.laid_out

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        X = self._rows(data)
        added = [self._added(X, step, step + 1) for step in range(start, self.n_trees)]
        return np.cumsum(added, axis=0)

    def _rows(self, data: Any) -> Any:
        return as_histogram_rows(self.model, as_seen(self.model, data))

    def _start(self, step: int) -> Any:
        return histogram_intercept(self.model) if self.has_intercept and step == 0 else 0.0

    def _added(self, X: Any, start: int, end: int) -> np.ndarray:
        total = np.zeros((X.shape[0], self.model.n_trees_per_iteration_), order="F")
        total += self._start(start)
        add_histogram_trees(self.model, X, histogram_trees(self.model, start, end), total)
        return total


def _forest(model: Any, n_trees: int) -> Forest | None:
    """Return the trees laid out; None where they have too many leaves."""
    trees = [_tree(tree) for trees in histogram_trees(model, 0, n_trees) for tree in trees]
    return Forest.of(trees, model.n_features_in_, model.n_trees_per_iteration_)


def _tree(tree: Any) -> Tree:
    nodes = tree.nodes
    is_leaf = nodes["is_leaf"].astype(bool)
    number = np.where(is_leaf, -np.cumsum(is_leaf), np.cumsum(~is_leaf) - 1)
    splits = nodes[~is_leaf]
    words = histogram_level_sets(tree)
    return Tree(
        splits["feature_idx"].astype(int),
        splits["num_threshold"],
        splits["missing_go_to_left"].astype(bool),
        number[splits["left"]],
        number[splits["right"]],
        nodes["value"][is_leaf],
        {
            int(split): level_bits(words[splits["bitset_idx"][split]])
            for split in np.flatnonzero(splits["is_categorical"])
        },
    )
