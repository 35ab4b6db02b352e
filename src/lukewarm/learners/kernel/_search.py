"""The choice of kernel, length scale, penalty and landmarks, all by the same judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import LandmarkBasis
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._judge import Judge
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._path import EigenPath, ridge_filters
from lukewarm.learners.kernel._relevance import relevance_kernel

KERNELS = ("linear", "rbf", "rbf+linear", "laplace", "laplace+linear", "polynomial")
# Four a decade: between two of them the loss hardly differs.
PENALTIES = 10.0 ** np.arange(-8, 1.01, 0.25)
_LENGTH_SCALES = (0.5, 0.9, 1.6, 2.9, 5.0)
# Kernels are compared on so many rows and landmarks, whatever the table's size.
_SEARCH_ROWS = 2000
_SEARCH_LANDMARKS = 300
# Rows that judge by being left out; their mean is precise to a hundredth and better.
_JUDGING_ROWS = 5000
_FIRST_LANDMARKS = 500
# Twice the landmarks must lower the loss by this share to be worth eight times the time.
_WORTHWHILE = 0.02


@dataclass(frozen=True, eq=False)
class Training:
    """Training rows in random order, the first of which serve as landmarks.

    Parameters
    ----------
    rows, y : ndarrays of shape (n, q) and (n,)
    weights : ndarray of shape (n,)
        Of mean one.
    held_out : Judge, optional
        Rows that choose; without them the training rows do, each by being left out.
    """

    rows: Matrix
    y: Vector
    weights: Vector
    held_out: Judge | None = None

    @property
    def shares(self) -> Vector:
        """Weights of sum one."""
        return self.weights / self.weights.sum()

    def first(self, n_rows: int) -> Training:
        """Return the training on the first rows alone."""
        return Training(self.rows[:n_rows], self.y[:n_rows], self.weights[:n_rows], self.held_out)

    def judge(self) -> Judge:
        """Return what chooses."""
        if self.held_out is not None:
            return self.held_out
        few = slice(_JUDGING_ROWS)
        return Judge(self.rows[few], self.y[few], self.weights[few], self.shares[few])

    def unit_scale(self) -> float:
        """Return one over the typical distance of a row from the mean row."""
        from_mean = np.square(self.rows - self.shares @ self.rows)
        spread = np.sqrt(self.shares @ from_mean.sum(axis=1))
        return float(1 / spread) if spread > 0 else 1.0

    def path(self, kernel: Kernel, n_landmarks: int) -> EigenPath:
        """Return all penalties of this kernel."""
        basis = LandmarkBasis.learn(kernel, self.rows[:n_landmarks])
        return EigenPath.learn(basis, self.rows, self.y, self.shares)


@dataclass(frozen=True, eq=False)
class Choice:
    """A machine chosen among penalties.

    Parameters
    ----------
    path : EigenPath
    penalty : float
    loss : float
        That chose it.
    """

    path: EigenPath
    penalty: float
    loss: float

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.path.basis.kernel

    def machine(self, coding: Coding) -> Machine:
        """Return the machine under the chosen penalty."""
        filters = ridge_filters(self.path.eigenvalues, np.array([self.penalty]))[0]
        return Machine.of_path(coding, self.path, filters)


def choose_penalty(
    training: Training, kernel: Kernel, n_landmarks: int, penalty: float | None
) -> Choice:
    """Return the best machine of one kernel."""
    path = training.path(kernel, n_landmarks)
    penalties = PENALTIES if penalty is None else np.array([penalty])
    losses = training.judge().losses(path, penalties)
    best = int(np.argmin(losses))
    return Choice(path, float(penalties[best]), float(losses[best]))


def choose_kernel(
    training: Training, name: str, length_scale: float | None, penalty: float | None
) -> Choice:
    """Return the best machine with one length scale, on some of the rows and landmarks.

    "auto" looks for the scale with the sum of an RBF kernel and a line, the most general of the
    kernels, and compares the others near that scale.
    """
    few = training.first(_SEARCH_ROWS)
    unit = few.unit_scale()
    scales = _LENGTH_SCALES if length_scale is None else (length_scale,)
    best = _over_scales(few, "rbf+linear" if name == "auto" else name, scales, penalty)
    if name != "auto":
        return best
    scale = float(unit / best.kernel.inverse_scales[0])
    others = [("linear", 1.0), ("rbf", scale), ("polynomial", 1.0)]
    others += [("laplace+linear", each) for each in (scale, 4 * scale)]
    for other, its_scale in others:
        kernel = common_kernel(other, its_scale, few)
        choice = choose_penalty(few, kernel, _SEARCH_LANDMARKS, penalty)
        best = min(best, choice, key=lambda each: each.loss)
    return best


def _over_scales(
    few: Training, name: str, scales: tuple[float, ...], penalty: float | None
) -> Choice:
    """Return the best of these length scales, found by going downhill from the middle."""
    tried: dict[int, Choice] = {}

    def choice(place: int) -> Choice:
        if place not in tried:
            kernel = common_kernel(name, scales[place], few)
            tried[place] = choose_penalty(few, kernel, _SEARCH_LANDMARKS, penalty)
        return tried[place]

    place = len(scales) // 2
    while True:
        near = [each for each in (place, place - 1, place + 1) if 0 <= each < len(scales)]
        best = min(near, key=lambda each: choice(each).loss)
        if best == place:
            return choice(place)
        place = best


def common_kernel(name: str, length_scale: float, training: Training) -> Kernel:
    """Return the kernel of this name with one length scale for all columns.

    Parameters
    ----------
    name : str
        One of ``KERNELS``.
    length_scale : float
        In units of the rows' own spread; 1: the RBF kernel of two typical rows is 1 / e.
    training : Training
    """
    unit = np.full(training.rows.shape[1], training.unit_scale())
    shape, _, linear = name.partition("+")
    if shape == "linear":
        return Kernel("none", np.zeros_like(unit), unit)
    return Kernel(shape, unit / length_scale, unit if linear else np.zeros_like(unit))


def choose(
    training: Training,
    block: np.ndarray,
    *,
    name: str,
    length_scale: float | None,
    penalty: float | None,
    relevance: bool,
    max_landmarks: int,
) -> Choice:
    """Return the machine on all rows, with as many landmarks as are worth their time."""
    best = choose_kernel(training, name, length_scale, penalty)
    if relevance:
        few = training.first(_SEARCH_ROWS)
        has_line = name in ("auto", "rbf+linear")
        kernel = relevance_kernel(few.rows, few.y, few.weights, block, has_line=has_line)
        tuned = choose_penalty(few, kernel, _SEARCH_LANDMARKS, penalty)
        best = min(best, tuned, key=lambda choice: choice.loss)
    return _with_landmarks(training, best.kernel, penalty, max_landmarks)


def _with_landmarks(
    training: Training, kernel: Kernel, penalty: float | None, max_landmarks: int
) -> Choice:
    """Return the machine once twice the landmarks no longer help."""
    most = min(max_landmarks, len(training.y))
    count = min(_FIRST_LANDMARKS, most)
    best = choose_penalty(training, kernel, count, penalty)
    while count < most and best.path.basis.rank > 0.9 * count:
        count = min(2 * count, most)
        larger = choose_penalty(training, kernel, count, penalty)
        if larger.loss > (1 - _WORTHWHILE) * best.loss:
            return min(best, larger, key=lambda choice: choice.loss)
        best = larger
    return best
