"""LightGBM: one booster per training session, new trees on top of an init_score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.class_weight import compute_sample_weight

from lukewarm._optional import require
from lukewarm._typing import Features, Vector
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._live import LiveMarginLearner, Training
from lukewarm.learners._margins import Segment
from lukewarm.learners._task import check_task

# Settings of the wrapper, and those that are decided here.
_NOT_NATIVE = (
    *("n_estimators", "importance_type", "class_weight", "random_state", "objective"),
    *("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"),
    *("num_iterations", "num_boost_round", "verbose", "verbosity"),
)
_IDENTITY = (
    *("regression", "regression_l1", "l2", "l1", "mse", "mae", "rmse"),
    *("huber", "fair", "quantile", "mape"),
)
_EXPONENTIAL = ("poisson", "gamma", "tweedie")


class LightGBMLearner(LiveMarginLearner):
    """A LightGBM model that can go on from where it stands.

    Parameters
    ----------
    estimator : LGBMRegressor or LGBMClassifier
        Its settings are read; the object itself is never changed or trained. ``n_estimators``
        becomes `max_steps`; LightGBM's own early stopping gives way to the stopping rule.
    n_classes : int, optional
        None for regression.
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

    def __init__(self, estimator: Any, *, n_classes: int | None = None, seed: int = 0) -> None:
        check_task(estimator, n_classes)
        super().__init__(estimator, n_classes=n_classes, seed=seed)
        settings = estimator.get_params()
        _check_boosting(settings)
        self.max_steps = int(settings["n_estimators"])
        self._class_weight = settings.get("class_weight")
        self._objective = _objective(settings["objective"], n_classes)
        self._settings = {key: value for key, value in settings.items() if key not in _NOT_NATIVE}

    @classmethod
    def from_fitted(cls, estimator: Any, *, n_classes: int | None, seed: int) -> LightGBMLearner:
        """Return a learner that stands where the fitted estimator stands."""
        check_fitted(estimator, n_classes)
        learner = cls(estimator, n_classes=n_classes, seed=seed)
        n_trees = estimator.best_iteration_ or estimator.booster_.current_iteration()
        learner._segments = (_LightGBMTrees(estimator.booster_, n_trees),)
        return learner

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
            self._prepare(X), y, weight=weights, init_score=baseline, params=settings
        )
        return _LightGBMTraining(lightgbm.Booster(settings, data))

    def _native_settings(self) -> dict[str, Any]:
        settings = {
            # LightGBM otherwise times two layouts against each other, and the sums differ.
            "force_col_wise": "force_row_wise" not in self._settings,
            **self._settings,
            "objective": self._objective,
            "seed": (self.seed + self.n_steps) % (2**31 - 1),
            "verbosity": -1,
        }
        if self.n_classes is not None and self.n_classes > 2:
            settings["num_class"] = self.n_classes
        return settings

    def _prepare(self, X: Features) -> Any:
        if isinstance(X, pd.DataFrame):
            # LightGBM refuses names with brackets, commas and the like.
            return X.set_axis([f"x{column}" for column in range(X.shape[1])], axis=1)
        return X

    def _link(self, margin: np.ndarray) -> np.ndarray:
        if self.n_classes is not None and margin.shape[-1] == 1:
            margin = margin * float(self._settings.get("sigmoid", 1.0))
        prediction = super()._link(margin)
        return np.exp(prediction) if self._objective in _EXPONENTIAL else prediction


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


@dataclass(frozen=True, eq=False)
class _LightGBMTrees:
    """The first `n_trees` trees of a booster."""

    booster: Any
    n_trees: int

    def first(self, n_trees: int) -> _LightGBMTrees:
        return replace(self, n_trees=n_trees)

    def margin(self, data: Any) -> np.ndarray:
        return self._added(data, 0, self.n_trees)

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        grown = self.booster.current_iteration()
        nothing = np.zeros_like(self._added(data, 0, 1))
        added = [
            self._added(data, step, 1) if step < grown else nothing
            for step in range(start, self.n_trees)
        ]
        return np.cumsum(added, axis=0)

    def _added(self, data: Any, start: int, n_trees: int) -> np.ndarray:
        raw = self.booster.predict(
            data, raw_score=True, start_iteration=start, num_iteration=n_trees
        )
        return raw.reshape(len(raw), -1)


def _check_boosting(settings: dict[str, Any]) -> None:
    kind = settings.get("boosting_type", "gbdt")
    if kind not in ("gbdt", "goss"):
        raise ValueError(
            f"model has boosting_type={kind!r}, which cannot go on from where it stands; use "
            "'gbdt' or 'goss'."
        )


def _objective(objective: Any, n_classes: int | None) -> str:
    known: tuple[str, ...]
    if n_classes is None:
        default, known = "regression", (*_IDENTITY, *_EXPONENTIAL)
    elif n_classes == 2:
        default, known = "binary", ("binary",)
    else:
        default, known = "multiclass", ("multiclass", "softmax")
    if objective is None:
        return default
    if objective not in known:
        raise ValueError(
            f"model has objective={objective!r}; for this target use one of {', '.join(known)}."
        )
    return str(objective)
