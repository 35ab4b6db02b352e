"""What all of a learner's training shares: the coding, the kernel and the number of landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._class_search import choose_for_classes
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._estimator import KernelMachineEstimator
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._search import choose
from lukewarm.learners.kernel._segments import largest_rate
from lukewarm.measures import Task


@dataclass(frozen=True, eq=False)
class Ground:
    """What the first rows that a learner met have decided.

    Parameters
    ----------
    coding : Coding
    kernel : Kernel
    n_landmarks : int
    """

    coding: Coding
    kernel: Kernel
    n_landmarks: int

    @classmethod
    def choose(
        cls,
        training: Training,
        coding: Coding,
        estimator: KernelMachineEstimator,
        task: Task,
    ) -> Ground:
        """Return the best kernel for these rows by an estimator's settings.

        Parameters
        ----------
        training : Training
        coding : Coding
            Of the table's columns, in which the rows of `training` are.
        estimator : KernelMachineEstimator
            Its penalty does not count: steps take its place.
        task : Task
        """
        settings = {
            **estimator.settings(),
            "penalty": None,
            "relevance": estimator.finds_relevance(len(training.y)),
        }
        if task.is_regression:
            choice = choose(training, coding.block, **settings)
            return cls(coding, choice.kernel, choice.n_landmarks)
        of_classes = choose_for_classes(training, coding.block, **settings)
        return cls(coding, of_classes.path.basis.kernel, of_classes.n_landmarks)

    def kernel_matrix(self, rows: Matrix) -> Matrix:
        """Return the kernel of the updates between coded rows, divided by n, constant included."""
        kernel = self.kernel.matrix(rows, rows) / len(rows)
        kernel -= kernel.mean(axis=0)
        kernel -= kernel.mean(axis=1, keepdims=True)
        kernel = (kernel + kernel.T) / 2
        return kernel + 1 / (
            largest_rate(np.asarray(np.linalg.eigvalsh(kernel), dtype=float)) * len(rows)
        )


def are_same(rows: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return whether two triples of features, target and weights are the same rows."""
    return all(_equal(one, other) for one, other in zip(rows, others, strict=True))


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if one is None or other is None:
        return False
    if isinstance(one, pd.DataFrame):
        return isinstance(other, pd.DataFrame) and one.equals(other)
    return np.array_equal(one, other, equal_nan=True)
