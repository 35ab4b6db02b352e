"""Any scorer of scikit-learn as a measure, its influence values by the jackknife.

A scorer is a number for a set of rows and nothing else. Left without a group of m of n rows it
changes by the mean influence of the group: (n - m) / m times the fall from the full value is the
jackknife's estimate of that mean. All rows of a group share it, times sqrt(m): then the mean of
the squares over all rows is what the rows' own influence values would have, and the standard
error is that of the delete-a-group jackknife (Kott 2001).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from lukewarm._typing import Prediction, Vector
from lukewarm.results import MeasureValue

# Each costs one call of the scorer, about a millisecond, for every model.
_MOST_GROUPS = 200
# They compare clusterings, and say nothing of a prediction.
_OF_CLUSTERS = ("rand", "mutual_info", "completeness", "homogeneity", "v_measure", "fowlkes")
# They hang on one row or two, however many there are, so that leaving out a group says little.
_OF_FEW_ROWS = ("max_error", "median")


class ScorerMeasure:
    """A scorer of scikit-learn, with a jackknife in place of influence values.

    Parameters
    ----------
    scorer : callable (estimator, X, y), such as make_scorer gives
        It may ask for predictions or class probabilities. Larger is better.
    name : str
    needs_classes : bool
        Whether y holds class codes.

    Notes
    -----
    The jackknife is right for smooth functions of means; for medians and maxima it is not.

    Examples
    --------
    >>> measure = ScorerMeasure.named("explained_variance")
    >>> y = np.arange(30.0)
    >>> measure.evaluate(y, y + 1.0).value
    1.0
    """

    def __init__(self, scorer: Callable[..., float], name: str, *, needs_classes: bool) -> None:
        self.scorer = scorer
        self.name = name
        self.needs_classes = needs_classes

    @classmethod
    def named(cls, name: str) -> ScorerMeasure:
        """Return the measure of the scorer that scikit-learn knows by this name."""
        return cls(_metrics().get_scorer(name), name, needs_classes=_is_of_classes(name))

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the score and the jackknife's influence values."""
        value = self._score(y, prediction, weights)
        groups = _groups(y, by_class=self.needs_classes)
        influence = np.empty(len(y))
        row_weights = np.ones(len(y)) if weights is None else weights
        for group in range(groups.max() + 1):
            is_left_out = groups == group
            kept = np.flatnonzero(~is_left_out)
            left = self._score(
                y[kept], prediction[kept], None if weights is None else weights[kept]
            )
            out = row_weights[is_left_out].sum()
            share = out / row_weights.sum()
            n_out = int(is_left_out.sum())
            fall = (value - left) * (1 - share) / share if out else 0.0
            influence[is_left_out] = fall * np.sqrt(n_out) * out / (n_out * row_weights.mean())
        return MeasureValue(value, influence - influence.mean())

    def _score(self, y: Vector, prediction: Prediction, weights: Vector | None) -> float:
        model: Any = (_Classes if self.needs_classes else _Values)(prediction)
        target = y.astype(int) if self.needs_classes else y
        options = {} if weights is None else {"sample_weight": weights}
        numbers = np.arange(len(y))[:, np.newaxis]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = float(self.scorer(model, numbers, target, **options))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"measure {self.name!r} has no value here: {error}") from error
        if not np.isfinite(value):
            raise ValueError(f"measure {self.name!r} is {value} on {len(y)} rows.")
        return value


@cache
def scorer_names() -> tuple[str, ...]:
    """Return the scorers of scikit-learn that take predictions."""
    names = _metrics().get_scorer_names()
    return tuple(name for name in names if not any(part in name for part in _OF_CLUSTERS))


def compares_clusters(name: str) -> bool:
    """Return whether scikit-learn has a scorer of this name that takes no predictions."""
    return name in _metrics().get_scorer_names() and name not in scorer_names()


def is_smooth(name: str) -> bool:
    """Return whether the jackknife is right for a scorer: no maximum and no median.

    Examples
    --------
    >>> is_smooth("jaccard"), is_smooth("neg_max_error")
    (True, False)
    """
    return not any(part in name for part in _OF_FEW_ROWS)


def _metrics() -> Any:
    # Few fits need them, and every import of the estimators would wait for them.
    import sklearn.metrics

    return sklearn.metrics


@cache
def _is_of_classes(name: str) -> bool:
    """Return whether a scorer refuses a continuous target."""
    # Twelve different numbers, none of which is a whole one: no scorer of classes takes them.
    y = np.linspace(0.1, 1.9, 12)
    try:
        ScorerMeasure(_metrics().get_scorer(name), name, needs_classes=False)._score(y, y, None)
    except ValueError:
        return True
    return False


def _groups(y: Vector, *, by_class: bool) -> np.ndarray:
    """Return the number of each row's group: single rows where there are few of them."""
    n_groups = min(len(y), _MOST_GROUPS)
    order = np.random.default_rng(0).permutation(len(y))
    if by_class:  # every class is dealt out evenly, so that none is lost
        order = order[np.argsort(y[order], kind="stable")]
    groups = np.empty(len(y), dtype=int)
    groups[order] = np.arange(len(y)) % n_groups
    return groups


class _Values(RegressorMixin, BaseEstimator):
    """What a scorer takes for a fitted regressor: row numbers in, known predictions out."""

    def __init__(self, prediction: Prediction | None = None) -> None:
        self.prediction = prediction

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: np.ndarray) -> Any:
        assert self.prediction is not None
        return self.prediction[X[:, 0]]


class _Classes(ClassifierMixin, BaseEstimator):
    """The same for a classifier."""

    def __init__(self, prediction: Prediction | None = None) -> None:
        self.prediction = prediction

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        return np.arange(self._matrix().shape[1])

    def predict(self, X: np.ndarray) -> Any:
        return self._matrix().argmax(axis=1)[X[:, 0]]

    def predict_proba(self, X: np.ndarray) -> Any:
        return self._matrix()[X[:, 0]]

    def _matrix(self) -> np.ndarray:
        assert self.prediction is not None
        if self.prediction.ndim == 2:
            return self.prediction
        return np.column_stack([1 - self.prediction, self.prediction])
