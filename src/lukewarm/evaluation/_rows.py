"""Which rows evaluate the full model and which the reduced ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.inference import by_cluster, cluster_totals, small_sample_scale
from lukewarm.measures import Measure, centres_classes
from lukewarm.results import MeasureValue

# Those for which predictions are enough; the estimators know one more.
INFERENCES = ("paired", "split")


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """The rows of each fold that evaluate the full model, and those that evaluate the reduced ones.

    Parameters
    ----------
    full_parts, reduced_parts : tuple of ndarray
        Row numbers, one array per fold. The same arrays on both sides are the paired scheme of
        Algorithm 1; disjoint ones are sample splitting, valid when the true importance is zero
        (Williamson, Gilbert, Simon and Carone 2023, section 3.4).
    """

    full_parts: tuple[np.ndarray, ...]
    reduced_parts: tuple[np.ndarray, ...]

    @classmethod
    def paired(cls, folds: np.ndarray) -> EvaluationPlan:
        """Return the plan in which both sides see every row; `folds` numbers the fold of each."""
        _, number, sizes = np.unique(folds, return_inverse=True, return_counts=True)
        order = np.argsort(number, kind="stable")
        parts = tuple(np.split(order, np.cumsum(sizes)[:-1]))
        return cls(parts, parts)

    @classmethod
    def split(
        cls,
        folds: np.ndarray,
        generator: np.random.Generator,
        strata: np.ndarray | None = None,
        clusters: np.ndarray | None = None,
    ) -> EvaluationPlan:
        """Return the plan in which one random half of each fold evaluates each side.

        With K folds these are the 2K folds of Williamson et al.: every row is evaluated once. Rows
        of one cluster evaluate the same side.

        Parameters
        ----------
        folds : ndarray of shape (n,)
            The fold of each row; see `paired`.
        generator : Generator
        strata : ndarray of shape (n,), optional
            Class codes; both halves then hold every class in its share.
        clusters : ndarray of int of shape (n,), optional
            The group of each row, where rows belong together.
        """
        whole = cls.paired(folds).full_parts
        halves = [
            _two_halves(part, generator, strata)
            if clusters is None
            else _halves_of_clusters(part, clusters[part], generator)
            for part in whole
        ]
        return cls(tuple(first for first, _ in halves), tuple(second for _, second in halves))


def skill_on_parts(
    measure: Measure,
    y: Vector,
    prediction: Prediction,
    parts: tuple[np.ndarray, ...],
    weights: Vector | None = None,
    clusters: np.ndarray | None = None,
) -> MeasureValue:
    """Return the mean over parts of the measure on each part.

    Parameters
    ----------
    measure : Measure
    y, prediction : ndarrays of shape (n,), and (n,) or (n, n_outputs)
    parts : tuple of ndarrays of int
        The rows of each part.
    weights : ndarray of shape (n,), optional
    clusters : ndarray of int of shape (n,), optional
        The group of each row, where rows belong together; see `by_cluster`.

    Notes
    -----
    The influence vector has one entry per row of `y`, or per cluster, zero on rows outside the
    parts and scaled so that mean(influence**2) / n is the variance: a difference of two such values
    has the variance of paired rows where they share rows and the sum of variances where they do
    not.

    Influence values phi are centred part by part, so every part loses a degree of freedom of its
    own. With K parts of n_k rows the variance is

        1 / K**2 * sum over k of sum(phi**2 over part k) / (n_k (n_k - 1)),

    for K = 1 the usual one of a mean; weights enter by `small_sample_scale`, and clusters with the
    sum of their weights. A measure that
    centres the classes one by one (AUC) loses a degree in each, as in DeLong, DeLong and
    Clarke-Pearson (1988).
    """
    influence = np.zeros(len(y))
    value = 0.0
    for part in parts:
        part_weights = None if weights is None else weights[part]
        on_part = measure.evaluate(y[part], prediction[part], part_weights)
        _check_finite(measure, on_part, prediction[part])
        value += on_part.value / len(parts)
        part_clusters = None if clusters is None else clusters[part]
        enlarged = _scale_of_rows(measure, y[part], part_weights, part_clusters)
        influence[part] = on_part.influence * (len(y) / (len(parts) * len(part)) * enlarged)
    return MeasureValue(value, by_cluster(influence, clusters))


def _scale_of_rows(
    measure: Measure, y: Vector, weights: Vector | None, clusters: np.ndarray | None
) -> Vector | float:
    """Return for each row of a part by how much its influence value is to be enlarged.

    One number where it is the same for all of them.
    """
    if not centres_classes(measure):
        if weights is None and clusters is None:
            return float(np.sqrt(len(y) / (len(y) - 1)))
        weights = np.ones(len(y)) if weights is None else weights
        return small_sample_scale(cluster_totals(weights, clusters))
    weights = np.ones(len(y)) if weights is None else weights
    scale = np.empty(len(y))
    for code in np.unique(y):
        inside = y == code
        of_class = None if clusters is None else clusters[inside]
        scale[inside] = small_sample_scale(cluster_totals(weights[inside], of_class))
    return scale


def _check_finite(measure: Measure, value: MeasureValue, prediction: Prediction) -> None:
    if np.isfinite(value.value) and np.isfinite(value.influence).all():
        return
    n_bad = int((~np.isfinite(prediction)).sum())
    cause = (
        f"{n_bad} of {prediction.size} predictions are nan or inf; has the model diverged?"
        if n_bad
        else "the predictions are finite, so it is the measure that overflows or divides by zero."
    )
    raise ValueError(f"measure {measure.name!r} has no finite value: {cause}")


def _two_halves(
    part: np.ndarray, generator: np.random.Generator, strata: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    order = generator.permutation(part)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    return np.sort(order[::2]), np.sort(order[1::2])


def _halves_of_clusters(
    part: np.ndarray, clusters: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    order = generator.permutation(np.unique(clusters))
    is_first = np.isin(clusters, order[::2])
    return part[is_first], part[~is_first]
