"""The learner contract as checks that anyone can run on a learner of their own.

Every check is a function of one `_Case` and raises an AssertionError that says which promise of
:class:`lukewarm.learners.Learner` was broken, and how. Nothing here needs a test framework.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_count, check_number
from lukewarm.data import Rows
from lukewarm.learners import (
    BindsRows,
    Learner,
    LengthensSteps,
    StagedLearner,
    fits_in_one_go,
    stopping_loss,
)

__all__ = ["check_learner"]

# Unequal parts, so that a learner that takes the wrong one of them is found out.
_FIRST, _MORE = 7, 5
# Rows of this weight count for next to nothing; zero would be left out by some engines.
_LIGHT = 1e-3
# Class probabilities are often kept in single precision, whose unit is 1e-7.
_SUM_TOLERANCE = 1e-6
_READS = ("matrix", "named", "given")


def check_learner(
    learner: Learner,
    X: Features,
    y: Vector,
    *,
    n_classes: int | None = None,
    tolerance: float = 1e-10,
) -> None:
    """Raise an AssertionError unless `learner` keeps the learner contract on these rows.

    The checks: an untrained learner predicts; `fresh` forgets and is independent; one seed gives
    one model; steps are counted and lower the training loss; two calls of `advance` equal one;
    `copy` predicts and goes on as its original and leaves it alone; predictions have the right
    shape and are finite, and those of classes are probabilities; weights count; X, y and weights
    are left as they are. A :class:`~lukewarm.learners.StagedLearner` goes back exactly; a model
    that is fitted in one go (`can_warm_start` is False) refuses to train a copy further.

    Parameters
    ----------
    learner : Learner
        Never trained itself; the checks train what `fresh` returns.
    X : array or DataFrame of shape (n, p)
        Rows that the learner can learn something from; some hundred are enough.
    y : ndarray of shape (n,)
        Numbers; codes 0, ..., n_classes - 1 for a classifier.
    n_classes : int, optional
        None for regression.
    tolerance : float, default 1e-10
        How far the predictions of two routes to one model may be apart: training in one call or in
        two, rewinding or stopping there. Engines that keep their state in single precision need
        about 1e-5. Promises of identity (copies, seeds) are checked to the bit.

    Raises
    ------
    AssertionError
        At the first promise that is broken.

    Examples
    --------
    >>> from lukewarm.learners import ObliviousBoosting
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> check_learner(ObliviousBoosting(), X, X[:, 0])
    """
    if not isinstance(learner, Learner):
        raise TypeError(
            "learner must have fresh, copy, advance, predict and n_steps, as "
            f"lukewarm.learners.Learner says; got {type(learner).__name__}."
        )
    if n_classes is not None:
        check_count("n_classes", n_classes, minimum=2)
    check_number("tolerance", tolerance, minimum=0, finite=True)
    case = _Case(learner, X, np.asarray(y, dtype=float), n_classes, tolerance)
    _check_attributes(case)
    _check_inputs(case)
    _check_fresh(case)
    _check_predictions(case)
    _check_seed(case)
    _check_copy(case)
    _check_weights(case)
    if fits_in_one_go(learner):
        _check_refusal(case)
    else:
        _check_advance(case)
    if isinstance(learner, StagedLearner):
        _check_staged_predictions(case)
        _check_rewind(case)
    if isinstance(learner, LengthensSteps):
        _check_lengthened_steps(case)
    if isinstance(learner, BindsRows):
        _check_bound_rows(case)


@dataclass(frozen=True, eq=False)
class _Case:
    """A learner and the rows it is checked on."""

    learner: Any
    X: Features
    y: Vector
    n_classes: int | None
    tolerance: float

    def trained(self, *n_steps: int, seed: int = 0) -> Any:
        """Return a fresh learner after so many steps, one call each."""
        learner = self.learner.fresh(seed)
        for each in n_steps:
            learner.advance(self.X, self.y, each)
        return learner

    def fail(self, what: str) -> NoReturn:
        raise AssertionError(f"{type(self.learner).__name__}: {what}.")

    def same(self, left: Prediction, right: Prediction, what: str, tolerance: float = 0.0) -> None:
        """Fail unless two predictions agree."""
        if left.shape != right.shape:
            self.fail(f"{what}: their shapes are {left.shape} and {right.shape}")
        apart = float(np.max(np.abs(left - right)))
        # A nan is no agreement.
        if not apart <= tolerance:
            self.fail(f"{what}: predictions are up to {apart:.2g} apart, allowed {tolerance:.2g}")

    def changed(self, before: Prediction, after: Prediction, what: str) -> None:
        """Fail where two predictions are the same to the tolerance."""
        if np.allclose(before, after, rtol=0, atol=self.tolerance):
            self.fail(what)

    def counted(self, learner: Any, n_steps: int, after: str) -> None:
        if learner.n_steps != n_steps:
            self.fail(f"n_steps must be {n_steps} after {after}; got {learner.n_steps}")


def _check_attributes(case: _Case) -> None:
    for name in ("patience", "max_steps"):
        value = getattr(case.learner, name, 1)
        if not isinstance(value, int | np.integer) or value < 1:
            case.fail(f"{name} must be a positive int; got {value!r}")
    reads = getattr(case.learner, "reads", "matrix")
    if reads not in _READS:
        case.fail(f"reads must be one of {_READS}; got {reads!r}")


def _check_inputs(case: _Case) -> None:
    # On a copy: the rows of the caller are kept from what this is to find out.
    X: Any = case.X.copy()
    y = case.y.copy()
    learner = case.learner.fresh(0)
    learner.advance(X, y, 1)
    learner.predict(X)
    # A frame's own comparison takes two missing values for equal, in columns of any kind.
    if not pd.DataFrame(case.X).equals(pd.DataFrame(X)):
        case.fail("advance or predict wrote to X; it must be left as it was given")
    if not np.array_equal(case.y, y):
        case.fail("advance wrote to y; it must be left as it was given")


def _check_fresh(case: _Case) -> None:
    standing, n_steps = case.learner.predict(case.X), case.learner.n_steps
    fresh = case.learner.fresh(0)
    case.counted(fresh, 0, "fresh")
    untrained = fresh.predict(case.X)
    trained = case.trained(_FIRST)
    case.counted(trained, _FIRST, f"advance of {_FIRST} steps")
    case.changed(untrained, trained.predict(case.X), "advance left the predictions as they were")
    case.same(fresh.predict(case.X), untrained, "training one fresh learner changed another")
    again = trained.fresh(5)
    case.counted(again, 0, "fresh of a trained learner")
    again.advance(case.X, case.y, _FIRST)
    case.same(
        again.predict(case.X),
        case.trained(_FIRST, seed=5).predict(case.X),
        "fresh of a trained learner must forget the training",
    )
    case.same(case.learner.predict(case.X), standing, "training what fresh returned changed it")
    case.counted(case.learner, n_steps, "training what it returned")


def _check_predictions(case: _Case) -> None:
    rows = Rows(case.X, case.y)
    losses = []
    for learner, when in ((case.trained(), "untrained"), (case.trained(_FIRST + _MORE), "trained")):
        prediction = learner.predict(case.X)
        _check_form(case, prediction, when)
        losses.append(stopping_loss(learner, rows, prediction))
    if not losses[1] < losses[0]:
        case.fail(
            f"{_FIRST + _MORE} steps must lower the loss on the training rows; it was "
            f"{losses[0]:.4g} and became {losses[1]:.4g}"
        )


def _check_form(case: _Case, prediction: Prediction, when: str) -> None:
    n_rows, k = len(case.y), case.n_classes
    shape = (n_rows,) if k is None or k == 2 else (n_rows, k)
    if np.shape(prediction) != shape:
        case.fail(
            f"predict must return shape {shape}; got {np.shape(prediction)} from the {when} learner"
        )
    if not np.isfinite(prediction).all():
        case.fail(f"predictions must be finite; those of the {when} learner are not")
    if k is None:
        return
    if prediction.min() < 0 or prediction.max() > 1:
        case.fail(
            f"probabilities must be in [0, 1]; those of the {when} learner go from "
            f"{prediction.min():.4g} to {prediction.max():.4g}"
        )
    if k > 2:
        apart = float(np.abs(prediction.sum(axis=1) - 1).max())
        if apart > _SUM_TOLERANCE:
            case.fail(
                f"probabilities of a row must sum to one; those of the {when} learner are up to "
                f"{apart:.2g} off"
            )


def _check_seed(case: _Case) -> None:
    one, two = (case.trained(_FIRST, seed=3).predict(case.X) for _ in range(2))
    case.same(one, two, "one seed must give one model")


def _check_copy(case: _Case) -> None:
    learner = case.trained(_FIRST)
    before = learner.predict(case.X)
    twin = learner.copy(7)
    case.counted(twin, _FIRST, "copy")
    case.same(twin.predict(case.X), before, "copy must predict as its original")
    if fits_in_one_go(learner):
        return
    twin.advance(case.X, case.y[::-1].copy(), _MORE)
    case.counted(twin, _FIRST + _MORE, "training of a copy")
    case.changed(before, twin.predict(case.X), "advance left a copy as it was")
    case.same(learner.predict(case.X), before, "training a copy changed its original")
    case.counted(learner, _FIRST, "training of a copy")
    alike = learner.copy()
    for each in (learner, alike):
        each.advance(case.X, case.y, _MORE)
    case.same(
        learner.predict(case.X),
        alike.predict(case.X),
        "a copy without a seed must go on as its original",
        case.tolerance,
    )


def _check_weights(case: _Case) -> None:
    weights = np.where(case.y > np.median(case.y), 1.0, _LIGHT)
    given, weighted = weights.copy(), case.learner.fresh(0)
    try:
        weighted.advance(case.X, case.y, _FIRST, weights)
    except TypeError as refusal:
        # A learner may refuse weights, but must say so: they are never ignored.
        if "weight" not in str(refusal):
            case.fail(f"advance must take weights, or refuse them by name; it raised {refusal!r}")
        return
    if not np.array_equal(given, weights):
        case.fail("advance wrote to the weights; they must be left as they were given")
    prediction = weighted.predict(case.X)
    _check_form(case, prediction, "weighted")
    case.changed(case.trained(_FIRST).predict(case.X), prediction, "advance ignored the weights")


def _check_refusal(case: _Case) -> None:
    try:
        case.trained(1).copy().advance(case.X, case.y, 1)
    except TypeError:
        return
    case.fail("can_warm_start is False, but a copy was trained further; it must raise a TypeError")


def _check_advance(case: _Case) -> None:
    one, two = case.trained(_FIRST + _MORE), case.trained(_FIRST)
    between = two.predict(case.X)
    two.advance(case.X, case.y, _MORE)
    case.counted(two, _FIRST + _MORE, f"advance of {_FIRST} and of {_MORE} steps")
    after = two.predict(case.X)
    case.changed(between, after, "a second call of advance left the predictions as they were")
    case.same(
        one.predict(case.X),
        after,
        f"advance of {_FIRST} and {_MORE} steps must equal that of {_FIRST + _MORE}",
        case.tolerance,
    )


def _check_staged_predictions(case: _Case) -> None:
    if not case.learner.block_size >= 1:
        case.fail(f"block_size must be at least 1; got {case.learner.block_size!r}")
    learner, first = case.trained(_FIRST, _MORE), 3
    last = _FIRST + _MORE
    stages = learner.staged_predict(case.X, first)
    shape = (last - first + 1, *learner.predict(case.X).shape)
    if stages.shape != shape:
        case.fail(f"staged_predict must return shape {shape}; got {stages.shape}")
    case.changed(stages[0], stages[-1], "the stages of staged_predict do not differ")
    # From the last step backwards, across the seam of the two calls of advance.
    for step in (last, last - 1, _FIRST, first + 1, first):
        learner.rewind(step)
        case.counted(learner, step, "rewind")
        case.same(
            learner.predict(case.X),
            stages[step - first],
            f"staged_predict and the model rewound to step {step} must agree",
            case.tolerance,
        )


def _check_rewind(case: _Case) -> None:
    untrained = case.trained().predict(case.X)
    learner = case.trained(_FIRST + _MORE)
    learner.rewind(_MORE)
    learner.advance(case.X, case.y, _FIRST)
    case.same(
        learner.predict(case.X),
        case.trained(_FIRST + _MORE).predict(case.X),
        "a rewound learner must go on as if it had stopped there",
        case.tolerance,
    )
    learner.rewind(0)
    case.counted(learner, 0, "rewind")
    case.same(learner.predict(case.X), untrained, "rewind to 0 must give the untrained model")


def _check_lengthened_steps(case: _Case) -> None:
    learner = case.trained(_FIRST)
    usual, longer = learner.copy(), learner.copy()
    longer.lengthen_steps(2.0)
    case.same(
        longer.predict(case.X), learner.predict(case.X), "lengthen_steps changed the steps taken"
    )
    for each in (usual, longer):
        each.advance(case.X, case.y, 1)
    case.changed(
        usual.predict(case.X), longer.predict(case.X), "lengthen_steps left further steps alone"
    )


def _check_bound_rows(case: _Case) -> None:
    learner = case.learner.fresh(0)
    rows, again = learner.bind(case.X, case.X)
    learner.advance(rows, case.y, _FIRST)
    plain = case.trained(_FIRST).predict(case.X)
    for each, which in ((rows, "bound training rows"), (again, "other bound rows")):
        case.same(
            learner.predict(each),
            plain,
            f"training on bound rows must equal training on X ({which})",
            case.tolerance,
        )
