"""Stretches of training: what a machine learnt on one set of rows, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import row_blocks
from lukewarm.learners.kernel._log_loss import ClassRows, fit_log_loss
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._path import EigenPath


class Segment(Protocol):
    """Training on one set of rows; immutable."""

    @property
    def n_steps(self) -> int:
        """Steps taken."""
        ...

    @property
    def landmarks(self) -> Matrix:
        """Coded rows."""
        ...

    @property
    def penalty(self) -> float:
        """Of the squared norm, which as many steps stand for."""
        ...

    def extended(self, n_steps: int) -> Segment:
        """Return the segment with so many more steps."""
        ...

    def truncated(self, n_steps: int) -> Segment:
        """Return the segment with so many steps only."""
        ...

    def outputs(self, rows: Matrix, steps: Sequence[int]) -> np.ndarray:
        """Return what it adds for coded rows after each of these steps >= 1, (S, n, n_outputs)."""
        ...


def n_updates(steps: Sequence[int] | np.ndarray) -> Vector:
    """Return how many of the paper's updates have been made after each step.

    Examples
    --------
    >>> n_updates(range(0, 10))
    array([ 0.,  1.,  2.,  3.,  4.,  6.,  8., 12., 16., 24.])
    """
    steps = np.asarray(steps)
    half, odd = np.divmod(steps, 2)
    counts = np.where(odd == 1, 1.5 * 2.0**half, 2.0**half)
    return np.where(steps == 0, 0.0, np.where(steps == 1, 1.0, counts))


def largest_rate(eigenvalues: Vector) -> float:
    """Return the largest learning rate that the theory covers, min(1, 1 / largest eigenvalue)."""
    return 1 / max(1.0, float(eigenvalues.max(initial=0.0)))


def update_filters(eigenvalues: Vector, counts: Vector, learning_rate: float) -> Matrix:
    """Return (1 - (1 - learning_rate * eigenvalue)**count) / eigenvalue, shape (S, rank).

    Notes
    -----
    f <- f + learning_rate K (y - f), `count` times: the paper's iterative kernel update.
    """
    counts = np.asarray(counts, dtype=float)[:, None]
    # There the filter is a ratio of rounding errors; its limit is taken.
    tiny = eigenvalues * learning_rate < 1e-12
    safe = np.where(tiny, 1.0, eigenvalues)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.exp(counts * np.log1p(-np.minimum(safe * learning_rate, 1.0)))
    rest = np.where(counts == 0, 1.0, rest)
    return np.where(tiny, learning_rate * counts, (1 - rest) / safe)


@dataclass(frozen=True, eq=False)
class FittedSegment:
    """A machine that was fitted as a whole: one step, never extended.

    Parameters
    ----------
    machine : Machine
    penalty : float
    """

    machine: Machine
    penalty: float
    n_steps: int = 1

    @property
    def landmarks(self) -> Matrix:
        """Those of the machine."""
        return self.machine.landmarks

    def extended(self, n_steps: int) -> Segment:
        """Raise: training goes on in a segment of its own."""
        raise AssertionError("a fitted machine has no path of its own")

    def truncated(self, n_steps: int) -> FittedSegment:
        """Return the segment itself."""
        return self

    def outputs(self, rows: Matrix, steps: Sequence[int]) -> np.ndarray:
        """Return the machine's outputs, shape (S, n, n_outputs)."""
        blocks = row_blocks(len(rows), len(self.machine.landmarks))
        outputs = np.concatenate([self.machine.outputs_of_coded(rows[block]) for block in blocks])
        return np.stack([outputs] * len(steps))


@dataclass(frozen=True, eq=False)
class UpdateSegment:
    """The paper's iterative kernel update on squared error, in closed form.

    Parameters
    ----------
    path : EigenPath
        Of the residuals that the segment began with. Their mean is learnt by the first update: a
        constant is part of the kernel, with an eigenvalue of one over the learning rate.
    n_steps : int
    """

    path: EigenPath
    n_steps: int = 0

    @property
    def learning_rate(self) -> float:
        """The largest that the theory covers: one, or one over the largest eigenvalue."""
        return largest_rate(self.path.eigenvalues)

    @property
    def landmarks(self) -> Matrix:
        """Those of the path."""
        return self.path.basis.landmarks

    @property
    def penalty(self) -> float:
        """One over the cumulative step size."""
        return 1 / (self.learning_rate * float(n_updates([self.n_steps])[0]))

    def extended(self, n_steps: int) -> UpdateSegment:
        """Return the segment with so many more steps."""
        return replace(self, n_steps=self.n_steps + n_steps)

    def truncated(self, n_steps: int) -> UpdateSegment:
        """Return the segment with so many steps only."""
        return replace(self, n_steps=n_steps)

    def outputs(self, rows: Matrix, steps: Sequence[int]) -> np.ndarray:
        """Return what it adds after each of these steps >= 1, shape (S, n, n_outputs)."""
        filters = update_filters(self.path.eigenvalues, n_updates(steps), self.learning_rate)
        blocks = row_blocks(len(rows), max(self.path.basis.rank, len(filters)))
        parts = [
            self.path.outputs(self.path.eigenfeatures(rows[block]), filters) for block in blocks
        ]
        return np.concatenate(parts, axis=1).transpose(2, 1, 0)


@dataclass(frozen=True, eq=False)
class ClassSegment:
    """Penalised log-loss at falling penalties, each set out from the one before.

    Parameters
    ----------
    path : EigenPath
    rows : ClassRows
        With the outputs that the segment began with as offset.
    coefficients : tuple of ndarrays of shape (1 + rank, n_outputs)
        One per step.
    """

    path: EigenPath
    rows: ClassRows
    coefficients: tuple[Matrix, ...] = ()

    @property
    def n_steps(self) -> int:
        """Steps taken."""
        return len(self.coefficients)

    @property
    def landmarks(self) -> Matrix:
        """Those of the path."""
        return self.path.basis.landmarks

    @property
    def penalty(self) -> float:
        """Of the last step."""
        return self._penalty_of(self.n_steps)

    def _penalty_of(self, step: int) -> float:
        return 1 / (largest_rate(self.path.eigenvalues) * float(n_updates([step])[0]))

    def extended(self, n_steps: int) -> ClassSegment:
        """Return the segment with so many more steps; penalty = 1 / (learning rate * updates)."""
        coefficients = list(self.coefficients)
        for step in range(self.n_steps + 1, self.n_steps + n_steps + 1):
            penalty = self._penalty_of(step)
            start = coefficients[-1] if coefficients else None
            coefficients.append(fit_log_loss(self.rows, self.path.eigenvalues, penalty, start))
        return replace(self, coefficients=tuple(coefficients))

    def truncated(self, n_steps: int) -> ClassSegment:
        """Return the segment with so many steps only."""
        return replace(self, coefficients=self.coefficients[:n_steps])

    def outputs(self, rows: Matrix, steps: Sequence[int]) -> np.ndarray:
        """Return what it adds after each of these steps >= 1, shape (S, n, n_outputs)."""
        chosen = np.stack([self.coefficients[step - 1] for step in steps])
        parts = []
        for block in row_blocks(len(rows), self.path.basis.rank):
            features = self.path.eigenfeatures(rows[block])
            parts.append(chosen[:, :1] + features @ chosen[:, 1:])
        return np.concatenate(parts, axis=1)
