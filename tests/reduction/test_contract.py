"""One test class for every reduction."""

import numpy as np
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.learners import Network, train_until
from lukewarm.measures import Task
from lukewarm.reduction import (
    METHODS,
    CrossValidatedStopping,
    Dropout,
    EarlyStopping,
    KernelFlow,
    KernelRidge,
    Lazy,
    OneStep,
    Projection,
    Reduction,
    ReductionData,
    Retrain,
    as_reduction,
    constant_model,
)
from lukewarm.stopping import FixedSteps, Patience

RULE = Patience(5)


@pytest.fixture
def data(generator):
    X = generator.normal(size=(300, 3))
    X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
    y = X @ [1.0, 2.0, 0.0] + 0.1 * generator.normal(size=300)
    train, stopping = Rows(X[:200], y[:200]), Rows(X[200:], y[200:])
    return ReductionData(train, stopping, Removal.learn(train.X))


@pytest.fixture
def full(data, gradient_descent):
    return train_until(gradient_descent, data.train, data.stopping, RULE, 500)[0]


# By the kind of full model that they take.
OF_ANY_MODEL = [
    Dropout(),
    EarlyStopping(RULE, 500),
    CrossValidatedStopping(RULE, 500),
    Retrain(RULE, 500),
    Projection(),
]
OF_NETWORKS = [KernelFlow(), KernelRidge(), Lazy(), OneStep()]
REDUCTIONS = {each.name: each for each in (*OF_ANY_MODEL, *OF_NETWORKS)}


@pytest.fixture(name="reduced_by", params=list(REDUCTIONS))
def _reduced_by(request, data, gradient_descent):
    """A reduction and a trained full model that it takes."""
    reduction = REDUCTIONS[request.param]
    if reduction in OF_ANY_MODEL:
        untrained, max_steps = gradient_descent, 500
    else:
        pytest.importorskip("torch")
        untrained, max_steps = Network((16,), learning_rate=0.01).fresh(0), 60
    trained, trace = train_until(untrained, data.train, data.stopping, RULE, max_steps)
    assert trace.losses[trace.stopped_step] < 0.1 * np.var(data.stopping.y), "it has learnt"
    return reduction, trained


class TestReduction:
    def test_it_follows_the_protocol(self, reduced_by):
        assert isinstance(reduced_by[0], Reduction)

    def test_the_full_model_is_left_alone(self, reduced_by, data):
        reduction, full = reduced_by
        before, steps = full.predict(data.stopping.X), full.n_steps
        reduced = reduction.reduce(full, data, (0,), seed=1)
        np.testing.assert_array_equal(full.predict(data.stopping.X), before)
        assert full.n_steps == steps
        assert not np.allclose(reduced.predict(data.stopping.X), before)

    def test_one_seed_gives_one_model(self, reduced_by, data):
        reduction, full = reduced_by
        one, other = (reduction.reduce(full, data, (0,), seed=1) for _ in range(2))
        X = data.stopping.X
        np.testing.assert_array_equal(one.predict(X), other.predict(X))

    def test_the_removed_feature_has_no_say(self, reduced_by, data):
        reduction, full = reduced_by
        reduced = reduction.reduce(full, data, (0,), seed=1)
        X = data.stopping.X
        other = X.copy()
        other[:, 0] += 5
        # A network need not move by as much in every row.
        assert np.median(np.abs(full.predict(other) - full.predict(X))) > 1
        np.testing.assert_array_equal(reduced.predict(other), reduced.predict(X))

    def test_removing_nothing_is_no_worse_on_the_stopping_rows(self, reduced_by, data):
        reduction, full = reduced_by
        rows = data.stopping
        unreduced = reduction.reduce(full, data, (), seed=1)
        gain = np.mean((rows.y - full.predict(rows.X)) ** 2) - np.mean(
            (rows.y - unreduced.predict(rows.X)) ** 2
        )
        assert gain >= 0


def test_every_reduction_is_under_contract():
    assert {*METHODS[1:], "cross_validated_stopping"} == set(REDUCTIONS)


def test_no_steps_of_early_stopping_are_dropout(full, data):
    none = EarlyStopping(FixedSteps(0), 500).reduce(full, data, (1,), seed=0)
    dropout = Dropout().reduce(full, data, (1,), seed=0)
    X = data.stopping.X
    assert not np.allclose(dropout.predict(X), full.predict(X))
    np.testing.assert_array_equal(none.predict(X), dropout.predict(X))


def test_removing_nothing_without_a_further_step_is_the_full_model(full, data):
    none = EarlyStopping(FixedSteps(0), 500).reduce(full, data, (), seed=0)
    X = data.stopping.X
    np.testing.assert_array_equal(none.predict(X), full.predict(X))


def test_early_stopping_nears_the_least_squares_fit_that_dropout_misses(full, data):
    kept = data.train.X[:, 1:]
    best = data.stopping.X[:, 1:] @ np.linalg.lstsq(kept, data.train.y)[0]
    X = data.stopping.X
    early = EarlyStopping(RULE, 500).reduce(full, data, (0,), seed=0)
    dropout = Dropout().reduce(full, data, (0,), seed=0)
    far = np.mean((dropout.predict(X) - best) ** 2)
    assert early.trace.stopped_step > 0
    assert np.mean((early.predict(X) - best) ** 2) < 0.1 * far


def test_steps_chosen_by_folds_are_taken_on_all_rows(full, data):
    chosen = CrossValidatedStopping(RULE, 500).reduce(full, data, (0,), seed=0)
    assert chosen.trace.stopped_step > 0
    rows = np.concatenate([each.X for each in data.without((0,))])
    by_hand = full.copy()
    by_hand.advance(
        rows, np.concatenate([data.train.y, data.stopping.y]), chosen.trace.stopped_step
    )
    X = data.removal.apply(data.stopping.X, (0,))
    np.testing.assert_array_equal(chosen.predict(data.stopping.X), by_hand.predict(X))


def test_early_stopping_takes_fewer_steps_than_retraining(full, data):
    early = EarlyStopping(RULE, 500).reduce(full, data, (2,), seed=0)
    retrained = Retrain(RULE, 500).reduce(full, data, (2,), seed=0)
    assert early.trace.n_steps_taken < retrained.trace.n_steps_taken


def test_without_features_the_mean_is_left(data):
    prediction = constant_model(data).predict(data.stopping.X)
    np.testing.assert_allclose(prediction, np.full(100, data.train.y.mean()))


def test_without_features_the_class_shares_are_left(data):
    classes = Rows(data.train.X, np.repeat([0.0, 1.0, 2.0], [100, 60, 40]))
    shares = constant_model(ReductionData(classes, classes, data.removal), Task(3))
    np.testing.assert_allclose(shares.predict(data.stopping.X[:2]), [[0.5, 0.3, 0.2]] * 2)


@pytest.mark.parametrize("method", METHODS[1:])  # "auto" is a choice among the others
def test_reductions_are_known_by_name(method):
    assert as_reduction(method, RULE, 10).name == method


def test_an_unknown_method_lists_the_known_ones():
    with pytest.raises(ValueError, match="method must be one of 'early_stopping'"):
        as_reduction("permutation", RULE, 10)
