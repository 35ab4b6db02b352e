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
# Parts of names of scorers that say nothing of a prediction, and what such scorers do.
_CLUSTERINGS = ("rand", "mutual_info", "completeness", "homogeneity", "v_measure", "fowlkes")
_UNFIT = {
    **dict.fromkeys(_CLUSTERINGS, "compares clusterings"),
    "_samples": "is for rows of several labels each",
}
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
    max_classes : int, optional
        The most classes it is defined for.

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

    def __init__(
        self,
        scorer: Callable[..., float],
        name: str,
        *,
        needs_classes: bool,
        max_classes: int | None = None,
    ) -> None:
        self.scorer = scorer
        self.name = name
        self.needs_classes = needs_classes
        self.max_classes = max_classes

    @classmethod
    def named(cls, name: str) -> ScorerMeasure:
        """Return the measure of the scorer that scikit-learn knows by this name."""
        needs_classes, max_classes = _classes_of(name)
        scorer = _metrics().get_scorer(name)
        return cls(scorer, name, needs_classes=needs_classes, max_classes=max_classes)

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
            if weights is not None and np.isfinite(self._score(y, prediction, None)):
                raise ValueError(
                    f"measure {self.name!r} takes no weights here ({error}); leave sample_weight "
                    "out, or use another measure."
                ) from error
            raise ValueError(f"measure {self.name!r} has no value here: {error}") from error
        if not np.isfinite(value):
            raise ValueError(f"measure {self.name!r} is {value} on {len(y)} rows.")
        return value


@cache
def scorer_names() -> tuple[str, ...]:
    """Return the scorers of scikit-learn that take predictions."""
    return tuple(name for name in _metrics().get_scorer_names() if why_unfit(name) is None)


def why_unfit(name: str) -> str | None:
    """Return what a scorer of scikit-learn does that says nothing of a prediction; else None.

    Examples
    --------
    >>> why_unfit("rand_score"), why_unfit("accuracy")
    ('compares clusterings', None)
    """
    if name not in _metrics().get_scorer_names():
        return None
    return next((reason for part, reason in _UNFIT.items() if part in name), None)


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
def _classes_of(name: str) -> tuple[bool, int | None]:
    """Return whether a scorer refuses a continuous target, and 2 where it refuses three classes."""
    # Twelve different numbers, none of which is a whole one: no scorer of classes takes them.
    y = np.linspace(0.1, 1.9, 12)
    if _takes(name, y, y, needs_classes=False):
        return False, None
    codes = np.arange(12) % 3
    # Right and wrong in each class, so that no quotient is one by zero.
    probabilities = (np.eye(3)[codes] + np.eye(3)[np.arange(12) // 4] + 0.5) / 3.5
    is_of_many = _takes(name, codes.astype(float), probabilities, needs_classes=True)
    return True, None if is_of_many else 2


def _takes(name: str, y: Vector, prediction: Prediction, *, needs_classes: bool) -> bool:
    measure = ScorerMeasure(_metrics().get_scorer(name), name, needs_classes=needs_classes)
    try:
        measure._score(y, prediction, None)
    except ValueError:
        return False
    return True


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
