"""From a scikit-learn estimator of this room to the learner with its settings."""

from __future__ import annotations

from typing import Any

from lukewarm._validation import check_count
from lukewarm.learners._task import check_task
from lukewarm.learners.boosting._classifier import ObliviousBoostingClassifier
from lukewarm.learners.boosting._estimator import ObliviousBoostingEstimator
from lukewarm.learners.boosting._learner import ObliviousBoosting


def learner_of_boosting(
    estimator: ObliviousBoostingEstimator, *, n_classes: int | None, seed: int
) -> ObliviousBoosting:
    """Return an untrained learner with an estimator's settings; `n_trees` is its `max_steps`."""
    check_task(estimator, n_classes)
    others: dict[str, Any] = {"n_classes": n_classes}
    if isinstance(estimator, ObliviousBoostingClassifier):
        others["objective"] = estimator.objective
    learner = estimator.make_learner(seed, **others)
    learner.max_steps = check_count("n_trees", estimator.n_trees)
    if estimator.patience is not None:
        learner.patience = check_count("patience", estimator.patience)
    return learner
