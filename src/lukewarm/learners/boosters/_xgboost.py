"""XGBoost: one booster per training session, new trees on top of a base_margin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._optional import require
from lukewarm._typing import Features, Vector
from lukewarm.learners.boosters._forest import Forest
from lukewarm.learners.boosters._live import LiveMarginLearner, Training
from lukewarm.learners.boosters._segments import Segment
from lukewarm.learners.boosters._tree_tables import Tree
from lukewarm.measures import REGRESSION, Task

# XGBoost's own defaults, which its estimators give as None.
_DEFAULT_TREES = 100
_DEFAULT_LEARNING_RATE = 0.3
_NOT_NATIVE = ("random_state", "eval_metric", "verbosity", "objective", "num_class")


class XGBoostLearner(LiveMarginLearner):
    """An XGBoost model that can be trained further.

    Parameters
    ----------
    estimator : XGBRegressor or XGBClassifier
        Its settings are read; the object itself is never changed or trained. ``n_estimators``
        becomes `max_steps`; XGBoost's own early stopping gives way to the stopping rule.
    task : Task
    seed : int, default 0

    Notes
    -----
    XGBoost keeps margins in single precision: two routes to the same model agree to some 1e-6 of
    the target's scale, not to the bit.

    Examples
    --------
    >>> import numpy as np
    >>> from xgboost import XGBRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = XGBoostLearner(XGBRegressor(max_depth=2, learning_rate=0.3))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.2
    True
    """

    engine = "XGBoost"

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        settings = estimator.get_params()
        if settings.get("booster") not in (None, "gbtree"):
            raise ValueError(
                f"model has booster={settings['booster']!r}, which cannot be trained "
                "further; use 'gbtree'."
            )
        self.max_steps = int(settings.get("n_estimators") or _DEFAULT_TREES)
        self._missing = settings.get("missing", np.nan)
        self._kinds = settings.get("feature_types")
        self._settings = {
            key: value
            for key, value in estimator.get_xgb_params().items()
            if key not in _NOT_NATIVE and value is not None
        }

    def _fitted_trees(self) -> Segment:
        booster = self.estimator.get_booster()
        best = booster.attr("best_iteration")
        n_trees = booster.num_boosted_rounds() if best is None else int(best) + 1
        return _XGBoostTrees(booster, n_trees, _intercept(booster))

    def _named_loss(self, settings: Mapping[str, Any]) -> Any:
        return _objective_name(settings.get("objective"), self.task)

    def _open(
        self, X: Features, y: Vector, weights: Vector | None, baseline: np.ndarray | None
    ) -> Training:
        data = self._matrix(X, label=y, weight=weights)
        if baseline is not None:
            data.set_base_margin(baseline)
        settings = {**self._native_settings(), **constraints_by_place(self._settings, X)}
        booster = require("xgboost", "xgboost").Booster(settings, [data])
        return _XGBoostTraining(booster, data, has_intercept=baseline is None)

    @property
    def _rate(self) -> float:
        return float(self._settings.get("learning_rate", _DEFAULT_LEARNING_RATE))

    def _native_settings(self) -> dict[str, Any]:
        return {
            **self._settings,
            "learning_rate": min(self._rate * self._step_length, 1.0),
            "verbosity": 0,
            **self._shared_settings(),
        }

    def _prepare(self, X: Features) -> Any:
        # A matrix with a margin of its own gets no intercept. It must have it before its first
        # prediction, because boosters remember what they predicted for a matrix.
        data = self._matrix(X)
        data.set_base_margin(np.zeros((data.num_row(), self._n_margins)))
        return data

    def _tree_rows(self, X: Features) -> Any:
        values, _ = _codes(X)
        values = np.asarray(values, dtype=float)
        return (
            values if np.isnan(self._missing) else np.where(values == self._missing, np.nan, values)
        )

    def _matrix(self, X: Features, **rows: Any) -> Any:
        # Without names: XGBoost refuses some, and settings that go by names are translated.
        values, kinds = _codes(X)
        kinds = kinds if self._kinds is None else self._kinds
        return require("xgboost", "xgboost").DMatrix(
            values,
            missing=self._missing,
            feature_types=kinds,
            enable_categorical=kinds is not None,
            nthread=self._settings.get("n_jobs", -1),
            **rows,
        )


class _XGBoostTraining:
    """A booster with its training rows; it keeps the margin of those rows up to date itself."""

    def __init__(self, booster: Any, data: Any, *, has_intercept: bool) -> None:
        self._booster = booster
        self._data = data
        self._has_intercept = has_intercept
        self._n_trees = 0

    def update(self) -> None:
        self._booster.update(self._data, self._n_trees)
        self._n_trees += 1

    def segment(self, n_trees: int) -> Segment:
        return _XGBoostTrees(self._booster, n_trees, self._start)

    @cached_property
    def _start(self) -> np.ndarray | None:
        return _intercept(self._booster) if self._has_intercept else None


def _intercept(booster: Any) -> np.ndarray:
    """Return the constant (1, d) that XGBoost starts from where it is given no margin."""
    matrix = require("xgboost", "xgboost").DMatrix
    row, kinds = np.zeros((1, booster.num_features())), booster.feature_types
    plain, without = (matrix(row, feature_types=kinds, enable_categorical=True) for _ in range(2))
    total = _first_tree(booster, plain)
    without.set_base_margin(np.zeros_like(total))
    return (total.astype(float) - _first_tree(booster, without)).reshape(1, -1)


def _first_tree(booster: Any, data: Any) -> np.ndarray:
    return booster.predict(
        data, output_margin=True, iteration_range=(0, 1), validate_features=False
    )


@dataclass(frozen=True, eq=False)
class _XGBoostTrees:
    """The first `n_trees` trees of a booster."""

    booster: Any
    n_trees: int
    intercept: np.ndarray | None

    def first(self, n_trees: int) -> _XGBoostTrees:
        return replace(self, n_trees=n_trees)

    def margin(self, data: Any) -> np.ndarray:
        return self._added(data, 0, self.n_trees)

    own_margin = margin

    def read_margin(self, rows: np.ndarray) -> np.ndarray:
        """Return what all the trees add as they were read."""
        assert self._forest is not None
        return self._with_intercept(self._forest.margin(rows))

    def read(self) -> Forest | None:
        """Return the trees laid out."""
        return self._forest

    @cached_property
    def _forest(self) -> Forest | None:
        return _forest(self.booster[: self.n_trees])

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        return np.cumsum(
            [self._added(data, step, step + 1) for step in range(start, self.n_trees)], axis=0
        )

    def _added(self, data: Any, start: int, end: int) -> np.ndarray:
        """Return what trees start+1 .. end add; with the model's first tree comes its intercept."""
        raw = self.booster.predict(
            data, output_margin=True, iteration_range=(start, end), validate_features=False
        )
        raw = raw.reshape(len(raw), -1)
        return self._with_intercept(raw) if start == 0 else raw.astype(float)

    def _with_intercept(self, raw: np.ndarray) -> np.ndarray:
        total = raw.astype(float)
        return total if self.intercept is None else total + self.intercept


def _forest(booster: Any) -> Forest | None:
    """Return the trees laid out; None where they hold more than constants."""
    learner = json.loads(booster.save_raw("json"))["learner"]
    model = learner["gradient_booster"].get("model")
    n_features = int(learner["learner_model_param"]["num_feature"])
    if model is None or any(
        int(each["tree_param"]["size_leaf_vector"]) > 1 for each in model["trees"]
    ):
        return None
    # One tree for each output at a step, in their order, is what margins are summed by.
    output_of = np.array(model["tree_info"], dtype=int)
    n_outputs = int(output_of.max(initial=0)) + 1
    if not np.array_equal(output_of, np.arange(len(output_of)) % n_outputs):
        return None
    trees = [_tree(each) for each in model["trees"]]
    return Forest.of(trees, n_features, n_outputs, is_single=True)


def _tree(fields: dict[str, Any]) -> Tree:
    left = np.array(fields["left_children"])
    is_leaf, split = left < 0, left >= 0
    number = np.where(is_leaf, -np.cumsum(is_leaf, dtype=int), np.cumsum(split) - 1)
    condition = np.array(fields["split_conditions"], dtype=np.float32)
    # A value below the condition goes left, in single precision: one that is at most the number
    # before it.
    threshold = np.nextafter(condition[split], np.float32(-np.inf)).astype(float)
    begins, sizes = fields["categories_segments"], fields["categories_sizes"]
    levels = {
        int(number[node]): np.array(fields["categories"][begin : begin + size], dtype=int)
        for node, begin, size in zip(fields["categories_nodes"], begins, sizes, strict=True)
    }
    return Tree(
        np.array(fields["split_indices"])[split],
        threshold,
        np.array(fields["default_left"], dtype=bool)[split],
        number[left[split]],
        number[np.array(fields["right_children"])[split]],
        condition[is_leaf].astype(float),
        levels,
        others_go_left=True,
    )


def _codes(X: Features) -> tuple[np.ndarray, list[str] | None]:
    """Return the rows as floats, categories by their codes, and the kind of each column."""
    if not isinstance(X, pd.DataFrame):
        return X, None
    is_category = [isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes]
    if not any(is_category):
        return X.to_numpy(float), None
    values = np.empty(X.shape)
    for place, coded in enumerate(is_category):
        column = X.iloc[:, place]
        codes = column.cat.codes.to_numpy(float) if coded else column.to_numpy(float)
        values[:, place] = np.where(codes < 0, np.nan, codes) if coded else codes
    return values, ["c" if coded else "q" for coded in is_category]


def _objective_name(objective: Any, task: Task) -> Any:
    if task.is_regression:
        return objective or "reg:squarederror"
    if callable(objective):
        raise ValueError("model has a function for its objective; pass the name of one.")
    return "multi:softprob" if task.is_multiclass else "binary:logistic"


def constraints_by_place(settings: Mapping[str, Any], X: Features) -> dict[str, Any]:
    """Return those constraints of the settings that name columns, with places for the names.

    Examples
    --------
    >>> X = pd.DataFrame({"size": [1.0], "age": [2.0], "[m]": [3.0]})
    >>> constraints_by_place({"monotone_constraints": {"age": 1}}, X)
    {'monotone_constraints': (0, 1, 0)}
    >>> constraints_by_place({"interaction_constraints": [["size", "[m]"], ["age"]]}, X)
    {'interaction_constraints': '[[0, 2], [1]]'}
    """
    by_place: dict[str, Any] = {}
    monotone = settings.get("monotone_constraints")
    if isinstance(monotone, Mapping):
        signs = {_place(name, X, "monotone_constraints"): sign for name, sign in monotone.items()}
        by_place["monotone_constraints"] = tuple(signs.get(place, 0) for place in range(X.shape[1]))
    sets = settings.get("interaction_constraints")
    if isinstance(sets, list | tuple):
        # As text: of a list XGBoost takes even places for names.
        by_place["interaction_constraints"] = str(
            [[_place(name, X, "interaction_constraints") for name in names] for names in sets]
        )
    return by_place


def _place(name: Any, X: Features, setting: str) -> int:
    if isinstance(name, int):
        return name
    if not isinstance(X, pd.DataFrame):
        raise ValueError(
            f"model has {setting} for column {name!r}, but X is an array, without names; pass a "
            "DataFrame, or constraints by place."
        )
    # As XGBoost itself names the columns of a frame.
    names = [
        " ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in X.columns
    ]
    if name not in names:
        raise ValueError(
            f"model has {setting} for column {name!r}, but X has no such column; X has {names}."
        )
    return names.index(name)
