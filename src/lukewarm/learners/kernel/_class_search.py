"""A machine for classes, by the log-loss of folds left out or of rows held out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._log_loss import (
    ClassRows,
    fit_log_loss,
    log_losses,
    outputs_of,
)
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._path import EigenPath
from lukewarm.learners.kernel._relevance import TUNING_ROWS
from lukewarm.learners.kernel._search import find_kernel, with_landmarks

# Features of all rows are kept between steps: 480 MB at most.
_FEATURE_NUMBERS = 60_000_000
# From strong to weak, until it gets worse; then what lies between.
_PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
# Each costs a fit; leaving single rows out has no closed form under the log-loss.
_N_FOLDS = 5
# Beyond so many features one of the folds is enough: it holds rows in plenty.
_NUMBERS_FOR_ALL_FOLDS = 5_000_000


def most_landmarks(n_rows: int, max_landmarks: int) -> int:
    """Return how many landmarks' features of all rows fit into memory."""
    # 50 at the least, whatever the memory: judgement.
    return min(max_landmarks, max(_FEATURE_NUMBERS // n_rows, 50))


@dataclass(frozen=True, eq=False)
class ClassChoice:
    """A machine for classes chosen among penalties.

    Parameters
    ----------
    path : EigenPath
    coefficients : ndarray of shape (1 + rank, n_outputs)
        Constants, and coefficients in the eigenbasis.
    penalty, loss : float
    n_landmarks : int
        First training rows that were offered as landmarks.
    """

    path: EigenPath
    coefficients: Matrix
    penalty: float
    loss: float
    n_landmarks: int

    def machine(self, coding: Coding) -> Machine:
        """Return the machine of these coefficients."""
        return class_machine(coding, self.path, self.coefficients)


def class_machine(coding: Coding, path: EigenPath, coefficients: Matrix) -> Machine:
    """Return the machine with constants and eigenbasis coefficients (1 + rank, n_outputs)."""
    features = path.vectors @ coefficients[1:]
    constant = coefficients[0] - path.centre @ features
    return Machine.of_coefficients(coding, path.basis, features, constant)


def fit_class_machine(
    training: Training, coding: Coding, path: EigenPath, penalty: float
) -> Machine:
    """Return the machine under one penalty; the targets of `training` are indicators."""
    features = all_eigenfeatures(path, training.rows)
    rows = ClassRows(features, training.y, training.shares, np.zeros_like(training.y))
    return class_machine(coding, path, fit_log_loss(rows, path.eigenvalues, penalty))


def all_eigenfeatures(path: EigenPath, rows: Matrix) -> Matrix:
    """Return the eigenfeatures of all training rows, kept or made block by block."""
    if path.training_features is not None:
        return path.training_features
    blocks = path.basis.blocks(len(rows))
    return np.concatenate([path.eigenfeatures(rows[block]) for block in blocks])


def choose_for_classes(
    training: Training,
    block: np.ndarray,
    *,
    length_scale: float | None,
    penalty: float | None,
    max_landmarks: int,
    **search: Any,
) -> ClassChoice:
    """Return the best machine; the targets of `training` are indicators.

    Kernel and landmarks are chosen by squared errors, which have a closed form. These like steep
    functions, and ask for shorter length scales also where the log-odds are smooth: the log-loss
    decides whether they are taken. Few rows cannot tell by it, and keep the scales.

    Parameters
    ----------
    training : Training
    block : ndarray of int of shape (q,)
        Coded columns of the same block share a length scale.
    length_scale : float, or None
        In units of the rows' own spread; None compares several.
    penalty : float, or None
        Of the squared norm, beside the mean log-loss; None compares several.
    max_landmarks : int
    **search
        Further parameters of `find_kernel`.
    """
    most = most_landmarks(len(training.y), max_landmarks)
    kernel = find_kernel(training, block, length_scale=length_scale, penalty=None, **search)
    sharpens = length_scale is None and len(training.y) > TUNING_ROWS
    tried = with_landmarks(training, kernel, None, most, sharpens=sharpens)
    choice = choose_class_penalty(training, tried.path, tried.n_landmarks, penalty)
    if tried.kernel is kernel:
        return choice
    smoother = with_landmarks(training, kernel, None, most, sharpens=False)
    other = choose_class_penalty(training, smoother.path, smoother.n_landmarks, penalty)
    return min(other, choice, key=lambda each: each.loss)


def choose_class_penalty(
    training: Training, path: EigenPath, n_landmarks: int, penalty: float | None
) -> ClassChoice:
    """Return the best machine on this path; the targets of `training` are indicators.

    Parameters
    ----------
    training : Training
    path : EigenPath
    n_landmarks : int
        Those of the path.
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    """
    features = all_eigenfeatures(path, training.rows)
    rows = ClassRows(features, training.y, training.shares, np.zeros_like(training.y))
    criterion = _class_criterion(training, path, n_landmarks)

    def fitted(each: float, start: ClassChoice | None) -> ClassChoice:
        near = None if start is None else start.coefficients
        coefficients = fit_log_loss(rows, path.eigenvalues, each, near)
        loss = criterion.loss(rows, path.eigenvalues, coefficients, each)
        return ClassChoice(path, coefficients, each, loss, n_landmarks)

    if penalty is not None:
        return fitted(penalty, None)
    best = fitted(_PENALTIES[0], None)
    for each in _PENALTIES[1:]:
        choice = fitted(each, best)
        if choice.loss > best.loss:
            break
        best = choice
    between = [fitted(best.penalty * factor, best) for factor in (10**0.5, 10**-0.5)]
    return min([best, *between], key=lambda choice: choice.loss)


class _Criterion(Protocol):
    def loss(
        self, rows: ClassRows, eigenvalues: Vector, coefficients: Matrix, penalty: float
    ) -> float: ...


def _class_criterion(training: Training, path: EigenPath, n_landmarks: int) -> _Criterion:
    validation = training.validation_rows(n_landmarks)
    if validation.shares is not None:
        is_small = training.y.size * path.basis.rank <= _NUMBERS_FOR_ALL_FOLDS
        return _LeftOut(validation.first, _N_FOLDS if is_small else 1)
    blocks = path.basis.blocks(len(validation.y))
    features = np.concatenate([path.eigenfeatures(validation.rows[block]) for block in blocks])
    shares = validation.weights / validation.weights.sum()
    return _HeldOut(ClassRows(features, validation.y, shares, np.zeros_like(validation.y)))


@dataclass(frozen=True, eq=False)
class _HeldOut:
    held_out: ClassRows

    def loss(
        self, rows: ClassRows, eigenvalues: Vector, coefficients: Matrix, penalty: float
    ) -> float:
        losses = log_losses(outputs_of(self.held_out, coefficients), self.held_out.targets)
        return float(self.held_out.shares @ losses)


@dataclass
class _LeftOut:
    """Folds of training rows; those from `first` on, landmarks of no machine, validate.

    A fold's machine sets out from its own coefficients at the penalty before, never from those of
    all rows: these have seen the fold, and steps that end early would not forget it.
    """

    first: int
    n_folds: int
    starts: dict[int, Matrix] = field(default_factory=dict)

    def loss(
        self, rows: ClassRows, eigenvalues: Vector, coefficients: Matrix, penalty: float
    ) -> float:
        fold = np.arange(len(rows.targets)) % _N_FOLDS
        total = weight = 0.0
        for number in range(self.n_folds):
            is_out = fold == number
            shares = np.where(is_out, 0.0, rows.shares)
            kept = replace(rows, shares=shares / shares.sum())
            start = self.starts.get(number)
            self.starts[number] = fit_log_loss(kept, eigenvalues, penalty, start)
            outputs = outputs_of(rows, self.starts[number])
            is_out[: self.first] = False
            losses = log_losses(outputs[is_out], rows.targets[is_out])
            total += float(rows.shares[is_out] @ losses)
            weight += float(rows.shares[is_out].sum())
        return total / weight
