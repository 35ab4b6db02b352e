"""From a scikit-learn estimator of this room to the learner with its settings."""

from __future__ import annotations

from sklearn.base import clone

from lukewarm.learners._task import check_task
from lukewarm.learners.kernel._estimator import KernelMachineEstimator
from lukewarm.learners.kernel._learner import KernelMachine


def learner_of_kernel(
    estimator: KernelMachineEstimator, *, n_classes: int | None, seed: int
) -> KernelMachine:
    """Return an untrained learner with an estimator's settings; steps replace its penalty."""
    check_task(estimator, n_classes)
    return KernelMachine(clone(estimator), n_classes=n_classes, seed=seed)
