"""Removed columns of networks, imputed by the others."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from lukewarm.data import Removal, Rows
from lukewarm.datasets import make_correlated_linear
from lukewarm.learners import train_until
from lukewarm.learners._imputation import Moments
from lukewarm.reduction import Dropout, EarlyStopping, KernelFlow, ReductionData
from lukewarm.reduction._warm_start import warm_start
from lukewarm.stopping import Patience

torch = pytest.importorskip("torch")

from lukewarm.learners import Network, TorchLearner  # noqa: E402

FIRST = np.array([True, False, False, False])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_guess_needs_no_correlations_of_all_columns(generator, weighted):
    known = generator.normal(size=(30, 5))
    X = np.hstack([known, known @ generator.normal(size=(5, 40))])
    weights = generator.uniform(1, 2, size=30) if weighted else None
    # 45 columns in 30 rows; the same in twice as many rows has its correlations computed ahead.
    wide = Moments.learn(X, weights)
    tall = Moments.learn(np.vstack([X, X]), None if weights is None else np.tile(weights, 2))
    assert wide.correlations is None
    assert tall.scaled is None
    is_removed = np.arange(45) >= 5
    found = replace(wide, n_rows=2 * wide.n_rows).imputation(is_removed)
    expected = tall.imputation(is_removed)
    np.testing.assert_allclose(found.slopes, expected.slopes, rtol=1e-8)
    np.testing.assert_allclose(found.offset, expected.offset, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_guess_is_least_squares_shrunk_to_the_adjusted_share(dependent_rows, generator, weighted):
    X = dependent_rows()
    weights = generator.integers(0, 3, size=len(X)).astype(float) if weighted else None
    found = Moments.learn(X, weights).imputation(FIRST)
    fit = LinearRegression().fit(X[:, 1:], X[:, 0], weights)
    n = len(X) if weights is None else weights.sum() ** 2 / (weights**2).sum()
    plain = fit.score(X[:, 1:], X[:, 0], weights)
    adjusted = 1 - (1 - plain) * (n - 1) / (n - 1 - 3)
    np.testing.assert_array_equal(found.kept, [1, 2, 3])
    # The ridge of 1e-6 of a column's variance moves a slope by about as much.
    np.testing.assert_allclose(found.slopes[:, 0], fit.coef_ * adjusted / plain, rtol=1e-4)
    guess = found.offset + X[:, 1:] @ found.slopes
    assert np.average(guess[:, 0], weights=weights) == pytest.approx(
        np.average(X[:, 0], weights=weights)
    )


def test_copies_share_and_constants_have_no_part(generator):
    x = generator.normal(size=300)
    X = np.column_stack([x, x, x, np.full(300, 0.1)])
    found = Moments.learn(X).imputation(FIRST)
    np.testing.assert_array_equal(found.kept, [1, 2])
    np.testing.assert_allclose(found.slopes[:, 0], 0.5, atol=1e-5)
    assert Moments.learn(X).imputation(np.array([False, False, False, True])) is None


def test_unrelated_columns_are_mostly_left_alone(generator):
    masks = [Moments.learn(generator.normal(size=(50, 4))).imputation(FIRST) for _ in range(200)]
    # The adjusted share is positive where F(3, 46) exceeds 1: in 40 % of cases, +- 3.5 %.
    assert 0.26 < np.mean([found is not None for found in masks]) < 0.54


@pytest.mark.parametrize("n_rows", [3, 4])
def test_too_few_rows_foretell_nothing(generator, n_rows):
    assert Moments.learn(generator.normal(size=(n_rows, 4))).imputation(FIRST) is None


def networks():
    torch.manual_seed(0)
    linear = torch.nn.Linear
    return {
        "ntk": Network((16,), activation="tanh"),
        "standard": Network((16,), parameterization="standard"),
        "module": TorchLearner(torch.nn.Sequential(linear(4, 8), torch.nn.ReLU(), linear(8, 1))),
        "unscaled": TorchLearner(
            torch.nn.Sequential(linear(4, 8), torch.nn.Tanh(), linear(8, 1)), standardize=False
        ),
        "without bias": TorchLearner(linear(4, 1, bias=False)),
    }


@pytest.mark.parametrize("name", networks())
def test_network_reads_the_guess_in_place_of_the_removed_column(dependent_rows, name):
    X, learner = dependent_rows(), networks()[name]
    learner.advance(X, X[:, 0] + X[:, 3], 3)
    held = X.copy()
    held[:, 0] = X[:, 0].mean()
    found = Moments.learn(X).imputation(FIRST)
    guessed = X.copy()
    guessed[:, 0] = (found.offset + X[:, 1:] @ found.slopes)[:, 0]
    before, expected = learner.predict(held), learner.predict(guessed)
    assert learner.traits.imputes
    learner.impute_conditionally(held, X)
    # float32 weights
    np.testing.assert_allclose(
        learner.predict(held), expected, atol=1e-4 * max(1, np.abs(expected).max())
    )
    assert np.abs(before - expected).max() > 1e-2 * np.std(expected)


def test_modules_that_begin_otherwise_stay_as_they_are(dependent_rows):
    X = dependent_rows()
    normed = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 1))
    for module in (torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.Linear(4, 1)), normed):
        learner = TorchLearner(module)
        learner.advance(X, X[:, 0], 1)
        before = copy.deepcopy(learner.module.state_dict())
        learner.impute_conditionally(X * [0, 1, 1, 1], X)
        for name, values in learner.module.state_dict().items():
            assert torch.equal(values, before[name])


def as_data(X, y, n_train):
    train, stopping = Rows(X[:n_train], y[:n_train]), Rows(X[n_train:], y[n_train:])
    return ReductionData(train, stopping, Removal.learn(train.X))


def test_a_copy_takes_over_all_without_a_step(generator):
    data = make_correlated_linear(n_samples=1500, correlation=1.0, random_state=generator)
    X, y = data.X.to_numpy(), data.y.to_numpy()
    rows = as_data(X, y, 1100)
    network = Network((64,), learning_rate=3e-3)
    full, trace = train_until(network, rows.train, rows.stopping, Patience(5), 200)
    best = trace.losses[trace.stopped_step]
    for way in (EarlyStopping(Patience(3), 20), KernelFlow()):
        model = way.reduce(full, rows, (0,), 0)
        assert model.trace.losses[0] < 1.05 * best
        assert (
            replace(way, conditional_imputation=False).reduce(full, rows, (0,), 0).trace.losses[0]
            > 10 * best
        )


def test_a_guess_that_makes_it_worse_is_not_taken(generator):
    # In the stopping rows the dependence is the other way round.
    x = generator.normal(size=800)
    sign = np.where(np.arange(800) < 600, 1, -1)
    X = np.column_stack([x, sign * x + 0.1 * generator.normal(size=800)])
    data = as_data(X, x, 600)
    full = TorchLearner(torch.nn.Linear(2, 1), learning_rate=0.05)
    full.advance(X, x, 50)
    train, stopping = data.without((0,))
    start = warm_start(full, data, (0,), train, stopping, conditional_imputation=True)
    dropout = Dropout().reduce(full, data, (0,), 0).predict(X)
    np.testing.assert_array_equal(start.predict(train.X), dropout[:600])
