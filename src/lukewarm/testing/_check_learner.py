"""The learner contract as checks that anyone can run on a learner of their own.

Every check is a function of one `Case` and raises an AssertionError that says which promise of
:class:`lukewarm.learners.BaseLearner` was broken, and how. Nothing here needs a test framework.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Vector
from lukewarm._validation import check_number
from lukewarm.data import Removal, Rows
from lukewarm.learners import (
    BaseLearner,
    Learner,
    as_learner,
    stopping_loss,
    train_until,
)
from lukewarm.measures import Task
from lukewarm.stopping import Patience
from lukewarm.testing._case import Case

# Unequal parts, so that a learner that takes the wrong one of them is found out.
_FIRST, _MORE = 7, 5


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
    are left as they are. What follows from the :class:`~lukewarm.learners.LearnerTraits`: a staged
    learner goes back exactly, a learning rate can be scaled, a column with a copy can be imputed by
    it, a model that is fitted in one go (`can_warm_start` is False) refuses to train a copy
    further. A learner that chooses its model refuses to advance before it has chosen; the model it
    chooses is checked as a copy.

    Parameters
    ----------
    learner : BaseLearner or Learner
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
    task = Task(n_classes)
    adapted = as_learner(learner, task)
    check_number("tolerance", tolerance, minimum=0, finite=True)
    case = Case(adapted, X, np.asarray(y, dtype=float), task, tolerance)
    _check_traits(case)
    if adapted.traits.chooses_model:
        _check_choice(case)
        return
    _check_inputs(case)
    _check_fresh(case)
    _check_predictions(case)
    _check_seed(case)
    _check_copy(case)
    _check_weights(case)
    if adapted.traits.can_warm_start:
        _check_advance(case)
    else:
        _check_refusal(case)
    if adapted.traits.is_staged:
        _check_staged_predictions(case)
        _check_rewind(case)
    if adapted.traits.has_learning_rate:
        _check_learning_rate(case)
    if adapted.traits.imputes:
        _check_imputation(case)
    _check_datasets(case)


def _check_traits(case: Case) -> None:
    try:
        traits = case.learner.traits
    except (TypeError, ValueError) as error:
        case.fail(f"its traits are wrong: {error}")
    if traits.can_warm_start and not traits.chooses_model:
        return
    if traits.is_staged:
        case.fail("only a learner that is trained step by step can be staged")


def _check_choice(case: Case) -> None:
    untrained = case.learner.fresh(0)
    case.counted(untrained, 0, "fresh")
    case.check_form(untrained.predict(case.X), "untrained")
    try:
        untrained.advance(case.X, case.y, 1)
    except TypeError:
        pass
    else:
        case.fail("chooses_model is True, but it advanced before it had chosen")
    X, y = case.X.copy(), case.y.copy()
    one, again = (_chosen(case, 3) for _ in range(2))
    if not pd.DataFrame(case.X).equals(pd.DataFrame(X)) or not np.array_equal(case.y, y):
        case.fail("choose wrote to X or y; they must be left as they were given")
    before = one.predict(case.X)
    case.check_form(before, "chosen")
    case.same(before, again.predict(case.X), "one seed must give one model")
    weighted = _chosen(case, 3, case.weights)
    case.changed(before, weighted.predict(case.X), "choose ignored the weights")
    if not one.chosen_name:
        case.fail("chosen_name must name the model that was chosen")
    copied = one.copy(7)
    case.same(copied.predict(case.X), before, "copy must predict as its original", case.tolerance)
    copied.advance(case.X, case.y[::-1].copy(), _MORE)
    case.changed(before, copied.predict(case.X), "advance left a copy as it was")
    case.same(one.predict(case.X), before, "training a copy changed its original")
    rows = Rows(case.X, case.y)
    losses = [stopping_loss(one, rows, each) for each in (untrained.predict(case.X), before)]
    if not losses[1] < losses[0]:
        case.fail(
            f"the chosen model must have a lower loss than the untrained one; it was "
            f"{losses[0]:.4g} and became {losses[1]:.4g}"
        )


def _chosen(case: Case, seed: int, weights: Vector | None = None) -> BaseLearner:
    rows = Rows(case.X, case.y, weights)
    chosen, _ = train_until(case.learner.fresh(seed), rows, rows, Patience(_MORE), _FIRST + _MORE)
    return chosen


def _check_inputs(case: Case) -> None:
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


def _check_fresh(case: Case) -> None:
    before, n_steps = case.learner.predict(case.X), case.learner.n_steps
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
    case.same(case.learner.predict(case.X), before, "training what fresh returned changed it")
    case.counted(case.learner, n_steps, "training what it returned")


def _check_predictions(case: Case) -> None:
    rows = Rows(case.X, case.y)
    losses = []
    for learner, when in ((case.trained(), "untrained"), (case.trained(_FIRST + _MORE), "trained")):
        prediction = learner.predict(case.X)
        case.check_form(prediction, when)
        losses.append(stopping_loss(learner, rows, prediction))
    if not losses[1] < losses[0]:
        case.fail(
            f"{_FIRST + _MORE} steps must lower the loss on the training rows; it was "
            f"{losses[0]:.4g} and became {losses[1]:.4g}"
        )


def _check_seed(case: Case) -> None:
    one, two = (case.trained(_FIRST, seed=3).predict(case.X) for _ in range(2))
    case.same(one, two, "one seed must give one model")


def _check_copy(case: Case) -> None:
    learner = case.trained(_FIRST)
    before = learner.predict(case.X)
    copied = learner.copy(7)
    case.counted(copied, _FIRST, "copy")
    case.same(copied.predict(case.X), before, "copy must predict as its original")
    if not learner.traits.can_warm_start:
        return
    copied.advance(case.X, case.y[::-1].copy(), _MORE)
    case.counted(copied, _FIRST + _MORE, "training of a copy")
    case.changed(before, copied.predict(case.X), "advance left a copy as it was")
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


def _check_weights(case: Case) -> None:
    weights = case.weights
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
    case.check_form(prediction, "weighted")
    case.changed(case.trained(_FIRST).predict(case.X), prediction, "advance ignored the weights")


def _check_refusal(case: Case) -> None:
    try:
        case.trained(1).copy().advance(case.X, case.y, 1)
    except TypeError:
        return
    case.fail("can_warm_start is False, but a copy was trained further; it must raise a TypeError")


def _check_advance(case: Case) -> None:
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


def _check_staged_predictions(case: Case) -> None:
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


def _check_rewind(case: Case) -> None:
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


def _check_learning_rate(case: Case) -> None:
    learner = case.trained(_FIRST)
    usual, larger = learner.copy(), learner.copy()
    larger.scale_learning_rate(2.0)
    case.same(
        larger.predict(case.X),
        learner.predict(case.X),
        "scale_learning_rate changed the steps taken",
    )
    for each in (usual, larger):
        each.advance(case.X, case.y, 1)
    case.changed(
        usual.predict(case.X),
        larger.predict(case.X),
        "scale_learning_rate left further steps alone",
    )


def _check_datasets(case: Case) -> None:
    learner = case.learner.fresh(0)
    rows, again = learner.datasets(case.X, case.X)
    learner.advance(rows, case.y, _FIRST)
    plain = case.trained(_FIRST).predict(case.X)
    for each, which in ((rows, "of the training rows"), (again, "of other rows")):
        case.same(
            learner.predict(each),
            plain,
            f"training on a dataset must equal training on X (dataset {which})",
            case.tolerance,
        )


def _check_imputation(case: Case) -> None:
    if isinstance(case.X, pd.DataFrame) or case.X.shape[1] < 2:
        return  # levels have no linear guess, and a single column no others
    # The first column has a copy, so that the best guess of it is exact.
    table = case.X.copy()
    table[:, -1] = table[:, 0]
    learner = case.learner.fresh(0)
    (dataset,) = learner.datasets(table)
    learner.advance(dataset, case.y, _FIRST + _MORE)
    held = Rows(dataset, case.y).without((0,), Removal.learn(table)).X
    whole, dropped = learner.predict(dataset), learner.predict(held)
    imputed = learner.copy()
    imputed.impute_conditionally(held, dataset)
    case.counted(imputed, _FIRST + _MORE, "impute_conditionally")
    case.same(learner.predict(held), dropped, "imputing columns of a copy changed its original")
    before, after = (
        float(np.mean(np.square(each - whole))) for each in (dropped, imputed.predict(held))
    )
    if after > before + case.tolerance**2:
        case.fail(
            "impute_conditionally must not take predictions further from those with a column that "
            f"has a copy; they were {before:.2g} off in mean square and became {after:.2g}"
        )
