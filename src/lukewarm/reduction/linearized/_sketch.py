"""A few rows and units for all: landmarks are added until more of them no longer help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Features, Vector
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.learners import DifferentiableLearner
from lukewarm.reduction.linearized._linearization import Linearization
from lukewarm.reduction.linearized._path_trace import PathTrace
from lukewarm.reduction.linearized._spectral import LandmarkBasis


@dataclass(frozen=True, eq=False)
class Solution:
    """The function chosen on a path, in the basis of the landmarks it was found with."""

    basis: LandmarkBasis
    coefficients: Vector
    trace: PathTrace

    @property
    def loss(self) -> float:
        """Loss that chose it."""
        return float(self.trace.losses[self.trace.stopped_step])


@dataclass(frozen=True)
class KernelSketch:
    """How the tangent kernel of all rows and units is represented by some of them.

    Parameters
    ----------
    n_landmarks : int, default 128
        Training rows to begin with that stand for all of them.
    max_landmarks : int, default 512
    tolerance : float, default 0.005
        Landmarks are doubled until the loss falls by less than this share.
    max_units : int or None, default 512
        Units of a wider layer that stand for all of them in inner products; None: all.
    precision : "auto", "full" or "bfloat16", default "auto"
        How hidden layers are multiplied; "auto" takes bfloat16 for layers at least 1024 wide
        where the hardware is quicker at it.
    """

    n_landmarks: int = 128
    max_landmarks: int = 512
    tolerance: float = 0.005
    max_units: int | None = 512
    precision: str = "auto"

    def __post_init__(self) -> None:
        check_count("n_landmarks", self.n_landmarks, minimum=2)
        check_count("max_landmarks", self.max_landmarks, minimum=self.n_landmarks)
        check_number("tolerance", self.tolerance, minimum=0)
        if self.max_units is not None:
            check_count("max_units", self.max_units)
        check_choice("precision", self.precision, ("auto", "full", "bfloat16"))

    def linearize(
        self, full: DifferentiableLearner, train: Features, others: Features | None, seed: int
    ) -> Linearization:
        """Return the linearisation of `full` on these rows, before its first landmark.

        Parameters
        ----------
        full : DifferentiableLearner
        train, others : tables
            Rows that are fitted, with the landmarks among them, and rows to choose by.
        seed : int
            Draws the landmarks.
        """
        candidates = self.draw(len(train), seed)
        return Linearization(full, train, others, candidates, self.max_units, self.precision)

    def draw(self, n_rows: int, seed: int) -> np.ndarray:
        """Return the rows that may become landmarks, drawn uniformly."""
        if n_rows < 2:
            raise ValueError(
                f"the tangent kernel needs at least 2 training rows as landmarks; got {n_rows}."
            )
        # All candidates at once: the first m of them are the landmarks, whatever m becomes.
        return np.random.default_rng(seed).permutation(n_rows)[: self.max_landmarks]

    def best(
        self, linearization: Linearization, n_rows: int, solve: Callable[[], Solution]
    ) -> Solution:
        """Return the best solution once more landmarks improve it by less than the tolerance.

        Parameters
        ----------
        linearization : Linearization
            Given further landmarks here.
        n_rows : int
            The most landmarks there can be.
        solve : callable () -> Solution
            Fits with the landmarks so far.
        """
        best: Solution | None = None
        for count in self._counts(min(self.max_landmarks, n_rows)):
            linearization.grow(count)
            solution = solve()
            # Twice the landmarks cost twice as much in kernels, eight times in decompositions.
            if best is not None and solution.loss > (1 - self.tolerance) * best.loss:
                return min(best, solution, key=lambda each: each.loss)
            best = solution
        assert best is not None
        return best

    def _counts(self, most: int) -> Iterator[int]:
        count = min(self.n_landmarks, most)
        yield count
        while count < most:
            count = min(2 * count, most)
            yield count
