"""LightGBM: one booster per training session, new trees on top of an init_score."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.class_weight import compute_sample_weight

from lukewarm._optional import require
from lukewarm._typing import Features, Vector
from lukewarm.learners._fitted import as_numbers
from lukewarm.learners.boosters._forest import Forest, ForestOnDemand
from lukewarm.learners.boosters._live import LiveMarginLearner, Training
from lukewarm.learners.boosters._segments import Segment
from lukewarm.learners.boosters._tree_tables import Tree, level_bits
from lukewarm.measures import REGRESSION, Task

# Settings of the wrapper, and those that are decided here.
_NOT_NATIVE = (
    *("n_estimators", "importance_type", "class_weight", "random_state", "objective"),
    *("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"),
    *("num_iterations", "num_boost_round", "verbose", "verbosity"),
)

_THREADS = ("num_threads", "num_thread", "nthreads", "nthread", "n_jobs")


class LightGBMLearner(LiveMarginLearner):
    """A LightGBM model that can be trained further.

    Parameters
    ----------
    estimator : LGBMRegressor or LGBMClassifier
        Its settings are read; the object itself is never changed or trained. ``n_estimators``
        becomes `max_steps`; LightGBM's own early stopping gives way to the stopping rule. Copies
        go on with the bins learnt at the first step.
    task : Task
    seed : int, default 0

    Examples
    --------
    >>> import numpy as np
    >>> from lightgbm import LGBMRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = LightGBMLearner(LGBMRegressor(num_leaves=4, learning_rate=0.3))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.2
    True
    """

    engine = "LightGBM"

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        settings = estimator.get_params()
        _check_boosting(settings)
        self.max_steps = int(settings["n_estimators"])
        self._class_weight = settings.get("class_weight")
        self._settings = {key: value for key, value in settings.items() if key not in _NOT_NATIVE}
        self._reference: Any = None

    def _fitted_trees(self) -> Segment:
        booster = self.estimator.booster_
        n_trees = self.estimator.best_iteration_ or booster.current_iteration()
        return _LightGBMTrees(booster, n_trees)

    def __getstate__(self) -> dict[str, Any]:
        # Rows in LightGBM's own form cannot be sent to another process; they are binned anew there.
        return {**super().__getstate__(), "_reference": None, "_session": None}

    def _named_loss(self, settings: Mapping[str, Any]) -> Any:
        return _objective_name(settings.get("objective"), self.task)

    def _open(
        self, X: Features, y: Vector, weights: Vector | None, baseline: np.ndarray | None
    ) -> Training:
        lightgbm = require("lightgbm", "lightgbm")
        if self._class_weight is not None:
            balance = compute_sample_weight(self._class_weight, y)
            weights = balance if weights is None else weights * balance
        if baseline is not None:
            # LightGBM reads a matrix of scores class by class.
            baseline = baseline.ravel(order="F")
        settings = self._native_settings()
        data = lightgbm.Dataset(
            self._prepare(X),
            y,
            weight=weights,
            init_score=baseline,
            params=settings,
            reference=self._reference,
        ).construct()
        if self._reference is None:
            self._reference = data
        return _LightGBMTraining(lightgbm.Booster(settings, data))

    def _native_settings(self) -> dict[str, Any]:
        return {
            # LightGBM otherwise times two layouts against each other, and the sums differ.
            "force_col_wise": "force_row_wise" not in self._settings,
            **self._settings,
            "learning_rate": self._settings["learning_rate"] * self._step_length,
            "verbosity": -1,
            **self._shared_settings(),
        }

    def _prepare(self, X: Features) -> Any:
        data = as_numbers(X)
        if isinstance(data, pd.DataFrame):
            # LightGBM refuses names with brackets, commas and the like, and has no setting that
            # goes by names.
            return data.set_axis([f"x{column}" for column in range(data.shape[1])], axis=1)
        return data

    def _tree_rows(self, X: Features) -> Any:
        data = as_numbers(X)
        if isinstance(data, np.ndarray):
            return data
        segment: Any = self._segments[0]
        return _as_codes(data, segment.levels)

    def _link(self, margin: np.ndarray) -> np.ndarray:
        if not self.task.is_regression and margin.shape[-1] == 1:
            margin = margin * float(self._settings.get("sigmoid", 1.0))
        return super()._link(margin)


class _LightGBMTraining:
    """A booster that grows until no leaf can be split; the trees it then owes add nothing."""

    def __init__(self, booster: Any) -> None:
        self._booster = booster
        self._is_exhausted = False

    def update(self) -> None:
        if not self._is_exhausted:
            self._is_exhausted = self._booster.update()

    def segment(self, n_trees: int) -> Segment:
        return _LightGBMTrees(self._booster, n_trees)


class _LightGBMTrees:
    """The first `n_trees` steps of a booster, which may have grown fewer."""

    def __init__(self, booster: Any, n_trees: int) -> None:
        self.n_trees = n_trees
        self._booster = booster
        self._forest = ForestOnDemand(partial(_forest, booster, n_trees))

    def first(self, n_trees: int) -> _LightGBMTrees:
        return _LightGBMTrees(self._booster, n_trees)

    def margin(self, data: Any) -> np.ndarray:
        forest = self._forest.get() if isinstance(data, np.ndarray) else None
        return self.own_margin(data) if forest is None else forest.margin(data)

    def own_margin(self, data: Any) -> np.ndarray:
        """Return what all the trees add by LightGBM's own prediction."""
        raw = self._predict(data, raw_score=True, num_iteration=self.n_trees)
        return raw.reshape(len(raw), -1)

    def read_margin(self, rows: np.ndarray) -> np.ndarray:
        """Return what all the trees add as they were read."""
        forest = self._forest.laid_out
        assert forest is not None
        return forest.margin(rows)

    def read(self) -> Forest | None:
        """Return the trees laid out."""
        return self._forest.laid_out

    @property
    def levels(self) -> list[list[Any]]:
        """The levels of each column of categories, in the order of their numbers."""
        return self._booster.pandas_categorical or []

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        """Look leaf values up by hand: one call for all the steps instead of one for each."""
        d = self._booster.num_model_per_iteration()
        n_grown = min(self.n_trees, self._booster.current_iteration()) - start
        if n_grown <= 0:
            return np.zeros((self.n_trees - start, len(data), d))
        leaves = self._predict(
            data, pred_leaf=True, start_iteration=start, num_iteration=n_grown
        ).reshape(len(data), -1)
        values = [
            [self._booster.get_leaf_output(start * d + tree, leaf) for leaf in range(last + 1)]
            for tree, last in enumerate(leaves.max(axis=0))
        ]
        added = [np.array(values[tree])[leaves[:, tree]] for tree in range(n_grown * d)]
        steps = np.array(added).reshape(n_grown, d, len(data)).transpose(0, 2, 1)
        owed = np.zeros((self.n_trees - start - n_grown, len(data), d))
        return np.cumsum(np.concatenate([steps, owed]), axis=0)

    def _predict(self, data: Any, **kind: Any) -> np.ndarray:
        # LightGBM has one number of threads for all its boosters, and the last call sets it: a
        # prediction that asked for none would have the training of n_jobs=1 go on with all cores.
        settings = self._booster.params
        asked = next((settings[name] for name in _THREADS if settings.get(name)), 0)
        predicted: np.ndarray = self._booster.predict(data, **kind, num_threads=asked)
        return predicted


def _forest(booster: Any, n_trees: int) -> Forest | None:
    """Return the trees laid out; None where they hold more than constants."""
    text = booster.model_to_string(num_iteration=n_trees)
    trees = []
    for block in text.split("\nTree=")[1:]:
        fields = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        kinds = _numbers(fields, "decision_type", int)
        is_by_level, zero_is_missing = kinds & 1 == 1, (kinds >> 2) & 3 == 1
        is_strange = (zero_is_missing & ~is_by_level).any()
        if is_strange or fields.get("is_linear", "0") != "0":
            return None
        threshold = _numbers(fields, "threshold", float)
        takes_missing = (kinds >> 2) & 3 == 2
        # Where a column had no gaps in training, a missing value counts as zero. A missing level
        # always goes right.
        goes_left = np.where(takes_missing, (kinds >> 1) & 1, threshold >= 0) & ~is_by_level
        feature, left, right = (
            _numbers(fields, name, int) for name in ("split_feature", "left_child", "right_child")
        )
        value = _numbers(fields, "leaf_value", float)
        levels = _levels_of(fields, threshold, is_by_level) if is_by_level.any() else None
        trees.append(Tree(feature, threshold, goes_left, left, right, value, levels))
    return Forest.of(trees, booster.num_feature(), booster.num_model_per_iteration())


def _levels_of(
    fields: dict[str, str], threshold: np.ndarray, is_by_level: np.ndarray
) -> dict[int, np.ndarray]:
    """Return the levels that splits send left: bits of words, which the threshold numbers."""
    bounds = _numbers(fields, "cat_boundaries", int)
    words = _numbers(fields, "cat_threshold", int)
    levels = {}
    for split in np.flatnonzero(is_by_level):
        number = int(threshold[split])
        levels[int(split)] = level_bits(words[bounds[number] : bounds[number + 1]])
    return levels


def _as_codes(X: pd.DataFrame, levels: list[list[Any]]) -> np.ndarray | None:
    """Return a frame as numbers, levels by their place in `levels`; None for other columns."""
    is_category = [isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes]
    if sum(is_category) != len(levels):
        return None
    numbers = np.empty(X.shape)
    next_levels = iter(levels)
    for place, coded in enumerate(is_category):
        column = X.iloc[:, place]
        if not coded:
            numbers[:, place] = column.to_numpy(float)
            continue
        places = pd.Index(next(next_levels)).get_indexer(column.cat.categories)
        codes = np.append(places, -1)[column.cat.codes]
        numbers[:, place] = np.where(codes < 0, np.nan, codes)
    return numbers


def _numbers(fields: dict[str, str], name: str, kind: type) -> np.ndarray:
    return np.array(fields.get(name, "").split(), dtype=kind)


def _check_boosting(settings: dict[str, Any]) -> None:
    kind = settings.get("boosting_type", "gbdt")
    if kind not in ("gbdt", "goss"):
        raise ValueError(
            f"model has boosting_type={kind!r}, which cannot be trained further; use "
            "'gbdt' or 'goss'."
        )
    if settings.get("reg_sqrt"):
        raise ValueError(
            "model has reg_sqrt=True, whose margins are not on the scale of y; leave it out."
        )


def _objective_name(objective: Any, task: Task) -> Any:
    if task.is_regression:
        return objective or "regression"
    allowed = ("multiclass", "softmax") if task.is_multiclass else ("binary",)
    if objective is not None and objective not in allowed:
        raise ValueError(
            f"model has objective={objective!r}; for this target use one of {', '.join(allowed)}."
        )
    return objective or allowed[0]
