"""CatBoost: new trees on top of a baseline, truncated to the tree."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from lukewarm._optional import require
from lukewarm._typing import Features, Vector
from lukewarm.learners._objectives import Objective, objective_of
from lukewarm.learners.boosters._margins import BlockMarginLearner
from lukewarm.learners.boosters._oblivious import ObliviousForest
from lukewarm.learners.boosters._segments import Segment
from lukewarm.measures import REGRESSION, Task

_ITERATIONS = ("iterations", "n_estimators", "num_boost_round", "num_trees")
_LEARNING_RATE = ("learning_rate", "eta")
# When to stop, what to print and what to write is decided here.
_OVERRULED = (
    *_ITERATIONS,
    *(
        "early_stopping_rounds",
        "od_type",
        "od_pval",
        "od_wait",
        "use_best_model",
        "best_model_min_trees",
    ),
    *("verbose", "verbose_eval", "silent", "logging_level", "metric_period"),
    *("allow_writing_files", "save_snapshot", "snapshot_file", "snapshot_interval", "train_dir"),
    *("random_seed", "random_state", "cat_features"),
)
_MISSING_LEVEL = "missing"
# Two fits at a time in one process crash it about once in 20,000 fits (CatBoost 1.2.10).
_ONE_FIT_AT_A_TIME = threading.Lock()


class CatBoostLearner(BlockMarginLearner):
    """A CatBoost model that can be trained further.

    Parameters
    ----------
    estimator : CatBoostRegressor or CatBoostClassifier
        Its settings are read; the object itself is never changed or trained. ``iterations`` becomes
        `max_steps`; CatBoost's own early stopping settings give way to the stopping rule.
    task : Task
    seed : int, default 0

    Notes
    -----
    Trees are added on top of a baseline. Going on by ``init_model`` gives the same trees (the test
    error agreed to 1e-9) at the same cost, but one merged model that has to be copied every time.

    CatBoost chooses a learning rate from the number of iterations and of rows when none is set; a
    block of twenty trees would get a wrong one, so the choice is taken once, for `max_steps` trees.

    CatBoost is not safe for two fits at a time in one process, so threads take turns; what runs
    side by side is CatBoost's own ``thread_count``.

    Examples
    --------
    >>> import numpy as np
    >>> from catboost import CatBoostRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> learner = CatBoostLearner(CatBoostRegressor(depth=2, learning_rate=0.3))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.2
    True
    """

    engine = "CatBoost"
    first_block = 20  # a fit costs about as much as seven trees before its first tree
    _shared_traits = replace(BlockMarginLearner._shared_traits, reads="named")

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        settings = estimator.get_params()
        self.max_steps = next((int(settings[key]) for key in _ITERATIONS if key in settings), 1000)
        self._settings = {key: value for key, value in settings.items() if key not in _OVERRULED}
        self._cat_features = settings.get("cat_features") or []
        self._text_features = settings.get("text_features") or []
        self._learning_rate = next(
            (settings[key] for key in _LEARNING_RATE if settings.get(key) is not None), None
        )

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> Self:
        """Return a learner in the state of the fitted estimator."""
        learner = super().from_fitted(estimator, task=task, seed=seed)
        learner._cat_features = list(estimator.get_cat_feature_indices())
        learner._text_features = list(estimator.get_text_feature_indices())
        learner._learning_rate = estimator.learning_rate_
        return learner

    def _fitted_trees(self) -> Segment:
        return _CatBoostTrees(self.estimator, self.estimator.tree_count_)

    @classmethod
    def named(cls, *, task: Task = REGRESSION, seed: int = 0) -> CatBoostLearner:
        """Return the learner that the name "catboost" stands for."""
        catboost = require("catboost", "catboost")
        kind = catboost.CatBoostRegressor if task.is_regression else catboost.CatBoostClassifier
        return cls(kind(), task=task, seed=seed)

    def fresh(self, seed: int) -> CatBoostLearner:
        """Return an untrained learner with the same settings."""
        copied: Any = super().fresh(seed)
        copied._cat_features = self._cat_features
        copied._text_features = self._text_features
        return copied

    def _own_objective(self, settings: Mapping[str, Any]) -> Objective:
        """Return what a regression is trained on; 'Quantile:alpha=0.9' is a name with settings."""
        loss = settings.get("loss_function", settings.get("objective")) or "RMSE"
        if not isinstance(loss, str):
            return Objective(None)
        name, _, numbers = loss.partition(":")
        fields = [field.partition("=") for field in numbers.split(";") if field]
        return objective_of(self.engine, name, {key.strip(): value for key, _, value in fields})

    def _grow(
        self,
        X: Features,
        y: Vector,
        n_steps: int,
        weights: Vector | None,
        baseline: np.ndarray | None,
    ) -> Segment:
        target = y if self.task.is_regression else y.astype(int)
        pool = self._pool(X, target, weights, baseline)
        if self._learning_rate is None:
            self._learning_rate = self._chosen_learning_rate(pool)
        learning_rate = min(self._learning_rate * self._step_length, 1.0)
        model = self._untrained(n_steps, learning_rate=learning_rate)
        with _ONE_FIT_AT_A_TIME:
            model.fit(pool)
        return _CatBoostTrees(model, n_steps)

    def _untrained(self, iterations: int, **settings: Any) -> Any:
        fixed = {
            "iterations": iterations,
            # Segments of one training must not repeat each other's random draws.
            "random_seed": (self.seed + self.n_steps) % (2**31 - 1),
            "logging_level": "Silent",
            "allow_writing_files": False,
        }
        if self.task.is_multiclass:
            fixed |= {"loss_function": "MultiClass", "classes_count": self.task.n_outputs}
        own = {key: value for key, value in self._settings.items() if key not in _LEARNING_RATE}
        return type(self.estimator)(**{**own, **fixed, **settings})

    @property
    def _n_margins(self) -> int:
        # CatBoost has one for each of two classes as well where it is told to.
        loss = self._settings.get("loss_function", self._settings.get("objective"))
        is_told = self.n_classes == 2 and str(loss).startswith("MultiClass")
        return 2 if is_told else super()._n_margins

    @property
    def _rate(self) -> float | None:
        return self._learning_rate

    def _chosen_learning_rate(self, pool: Any) -> float:
        model = self._untrained(self.max_steps)
        with _ONE_FIT_AT_A_TIME:
            model.fit(pool, callbacks=[_StopAtOnce()])
        return float(model.learning_rate_)

    def _prepare(self, X: Features) -> Any:
        return self._pool(X)

    def _tree_rows(self, X: Features) -> Any:
        return self._pool(X)

    def _pool(
        self,
        X: Features,
        y: Vector | None = None,
        weights: Vector | None = None,
        baseline: np.ndarray | None = None,
    ) -> Any:
        data, levels, texts = _with_text(X, self._cat_features, self._text_features)
        if baseline is not None and baseline.shape[1] == 1:
            baseline = baseline[:, 0]
        pool = require("catboost", "catboost").Pool
        return pool(
            data,
            y,
            weight=weights,
            baseline=baseline,
            cat_features=levels,
            text_features=texts,
        )


@dataclass(frozen=True, eq=False)
class _CatBoostTrees:
    """The first `n_trees` trees of a CatBoost model.

    CatBoost ends a fit that can split no further; the trees it then owes add nothing.
    """

    model: Any
    n_trees: int

    def first(self, n_trees: int) -> _CatBoostTrees:
        return replace(self, n_trees=n_trees)

    def margin(self, data: Any) -> np.ndarray:
        n_trees = min(self.n_trees, self.model.tree_count_)
        raw = self.model.predict(data, prediction_type="RawFormulaVal", ntree_end=n_trees)
        return raw.reshape(len(raw), -1)

    own_margin = margin

    def read_margin(self, rows: Any) -> np.ndarray:
        """Return what all the trees add as they were read, without CatBoost's constant."""
        assert self._forest is not None
        return self._forest.margin(rows)

    def read(self) -> ObliviousForest | None:
        """Return the trees as they are written to a file."""
        return self._forest

    @cached_property
    def _forest(self) -> ObliviousForest | None:
        return ObliviousForest.of(self.model, min(self.n_trees, self.model.tree_count_))

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        """Sum leaf values by hand: some 30 times faster than CatBoost's own staged_predict."""
        scale, bias = self.model.get_scale_and_bias()
        last = min(self.n_trees, self.model.tree_count_)
        first = min(start, last - 1)
        leaf_counts = np.asarray(self.model.get_tree_leaf_counts(), dtype=int)
        values = np.asarray(self.model.get_leaf_values()).reshape(leaf_counts.sum(), -1)
        leaves = np.asarray(
            self.model.calc_leaf_indexes(data, ntree_start=first, ntree_end=last), dtype=int
        )
        offsets = (np.cumsum(leaf_counts) - leaf_counts)[first:last]
        added = np.cumsum(scale * values[leaves.T + offsets[:, np.newaxis]], axis=0)
        if start == 0:
            added = added + np.asarray(bias)
        elif first < start:
            added = np.zeros_like(added)
        owed = self.n_trees - start - len(added)
        return np.concatenate([added, np.repeat(added[-1:], owed, axis=0)])


class _StopAtOnce:
    def after_iteration(self, info: Any) -> bool:
        return False


def _with_text(
    X: Features, cat_features: Any, text_features: Any
) -> tuple[Features, list[int] | None, list[int] | None]:
    """Return the rows with columns of levels and of texts as text, and the places of both.

    CatBoost takes neither a missing nor a fractional value in a categorical column, and reads an
    integer as a place, also where it is a name.
    """
    if not isinstance(X, pd.DataFrame):
        if not len(cat_features):
            return X, None, None
        X = pd.DataFrame(X)
    texts = _places(X, text_features, "text_features")
    kinds = enumerate(X.dtypes)
    by_dtype = {place for place, dtype in kinds if isinstance(dtype, pd.CategoricalDtype)}
    levels = (_places(X, cat_features, "cat_features") | by_dtype) - texts
    data = X.copy(deep=False)
    for place in levels | texts:
        data.isetitem(place, _as_text(X.iloc[:, place]))
    return data, sorted(levels), sorted(texts)


def _places(X: pd.DataFrame, keys: Any, setting: str) -> set[int]:
    """Return the places of columns given by name or place; unknown ones are named."""
    by_name = {str(label): place for place, label in enumerate(X.columns)}
    unknown = [key for key in keys if isinstance(key, str) and key not in by_name]
    if unknown:
        raise ValueError(
            f"model has {setting}={list(keys)}, but X has no column {unknown[0]!r}; X has "
            f"{list(by_name)}."
        )
    return {by_name[key] if isinstance(key, str) else int(key) for key in keys}


def _as_text(column: pd.Series) -> pd.Series:
    codes, levels = pd.factorize(column, use_na_sentinel=True)
    names = np.array([*(_level_name(level) for level in levels), _MISSING_LEVEL], dtype=object)
    return pd.Series(names[codes], index=column.index)


def _level_name(level: Any) -> str:
    # A level that came as 3 and one that came as 3.0, through a frame with a gap, are the same.
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
