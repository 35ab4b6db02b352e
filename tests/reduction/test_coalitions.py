import pickle

import numpy as np
import pytest
from given import Fixed, Given

from lukewarm.data import Removal, Rows
from lukewarm.learners.kernel import HasMachine, KernelMachineRegressor
from lukewarm.reduction import CoalitionProjection, Projection, ReductionData
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._kernel_mean import closed_form_machine, kernel_mean


class Fitted(Fixed, HasMachine):
    """A kernel machine as `auto` holds it."""

    machine = None

    def __init__(self, machine):
        self.machine = machine

    def predict(self, X):
        return self.machine.outputs(X)[:, 0]


def gaussian(n_rows, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    X[:, 2] = 0.5 * X[:, 1] + X[:, 2]
    return X


def as_data(X):
    y = np.zeros(len(X))
    n_train = 3 * len(X) // 4
    train, stopping = Rows(X[:n_train], y[:n_train]), Rows(X[n_train:], y[n_train:])
    return ReductionData(train, stopping, Removal.learn(train.X, "mean"))


def product(X):
    return X[:, 0] + X[:, 1] * X[:, 2]


@pytest.mark.parametrize("removed", [(0,), (0, 1), (1, 2), (0, 1, 2)])
def test_the_shared_route_equals_the_other_where_trees_help_no_guess(removed):
    X = gaussian(400, seed=2)
    full, data = Given(product), as_data(X)
    draws = ConditionalDraws(data.regressions, removed)
    assert all(each.trees is None for each in draws._quantities.regressions)
    fast = CoalitionProjection.of([(full, data)]).reduce(full, data, removed, 0)
    slow = Projection().reduce(full, data, removed, 0)
    assert np.var(fast.predict(X) - full.predict(X)) > 0.1
    np.testing.assert_array_equal(fast.predict(X), slow.predict(X))


@pytest.mark.parametrize("kept", [(0,), (1,), (0, 2), (1, 2), (0, 1, 3)])
def test_coalitions_of_a_linear_gaussian_model_are_worth_the_closed_form(kept):
    X = gaussian(4000, seed=1)
    slopes = np.array([1.5, 1.0, -0.5, 0.0])
    root = np.array([[1, 0, 0, 0], [0.8, 0.6, 0, 0], [0.4, 0.3, 1, 0], [0, 0, 0, 1.0]])
    covariance = root @ root.T
    full, data = Given(lambda X: X @ slopes), as_data(X)
    removed = tuple(sorted({0, 1, 2, 3} - set(kept)))
    reduced = CoalitionProjection.of([(full, data)]).reduce(full, data, removed, 0)
    part = np.ix_(kept, kept)
    best = X[:, kept] @ np.linalg.solve(covariance[part], covariance[list(kept)] @ slopes)
    assert np.var(best) > 0.1
    # A regression on k columns from n rows errs by the residual variance (below 2 here) times k/n;
    # one for the guess, one for the correction, and five times that for chance.
    assert np.mean(np.square(reduced.predict(X) - best)) < 5 * 2 * 2 * len(kept) / 3000


def test_columns_the_model_never_uses_change_nothing():
    X = gaussian(300)
    full, data = Given(product), as_data(X)
    reduced = CoalitionProjection.of([(full, data)]).reduce(full, data, (3,), 0)
    np.testing.assert_array_equal(reduced.predict(X), full.predict(X))


def test_a_worker_process_finds_the_model_it_was_sent():
    X = gaussian(200)
    full, data = Given(product), as_data(X)
    projection = CoalitionProjection.of([(full, data)])
    sent, its_full, its_data = pickle.loads(pickle.dumps((projection, full, data)))
    np.testing.assert_array_equal(
        sent.reduce(its_full, its_data, (0,), 0).predict(X),
        projection.reduce(full, data, (0,), 0).predict(X),
    )


@pytest.mark.parametrize("kernel", ["rbf", "rbf+linear", "polynomial", "linear"])
def test_the_mean_of_a_kernel_machine_is_that_of_normal_quadrature(kernel):
    X = gaussian(200)
    fitted = KernelMachineRegressor(kernel=kernel, random_state=0).fit(X, product(X) + X[:, 3])
    full, data = Fitted(fitted.machine_), as_data(X)
    regressions = data.regressions
    draws = ConditionalDraws(regressions, (1,))
    assert closed_form_machine(full, (1,)) is full.machine
    rows = regressions.stopping_rows
    _, guess, covariance = draws.moments(rows)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    expected = np.zeros(len(guess))
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        drawn = rows.X.copy()
        drawn[:, 1] = guess[:, 0] + np.sqrt(covariance[0, 0]) * node
        expected += weight * full.predict(drawn)
    assert np.ptp(expected) > 0.1
    # Far nodes reach beyond where the machine clips its columns; they weigh next to nothing.
    np.testing.assert_allclose(kernel_mean(full.machine, draws, rows), expected, atol=1e-6)


def test_several_columns_are_averaged_together():
    X = gaussian(300)
    fitted = KernelMachineRegressor(kernel="rbf", random_state=0).fit(X, product(X))
    full, data = Fitted(fitted.machine_), as_data(X)
    rows = data.regressions.stopping_rows
    draws = ConditionalDraws(data.regressions, (1, 2))
    columns, guess, covariance = draws.moments(rows)
    noise = np.random.default_rng(0).multivariate_normal(np.zeros(2), covariance, 4000)
    sample = np.empty((len(noise), len(guess)))
    for number, each in enumerate(noise):
        drawn = rows.X.copy()
        drawn[:, columns] = guess + each
        sample[number] = full.predict(drawn)
    error = sample.std(axis=0) / np.sqrt(len(sample))
    gap = np.abs(kernel_mean(full.machine, draws, rows) - sample.mean(axis=0))
    # The largest of 75 normal deviates, dependent ones at that.
    assert (gap <= 5 * error).all()


def test_other_shapes_are_averaged_draw_by_draw():
    X = gaussian(200)
    fitted = KernelMachineRegressor(kernel="laplace", random_state=0).fit(X, product(X))
    assert closed_form_machine(Fitted(fitted.machine_), (1,)) is None
    assert closed_form_machine(Given(product), (1,)) is None
