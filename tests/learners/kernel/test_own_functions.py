import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from lukewarm.learners.kernel import (
    KernelMachine,
    KernelMachineClassifier,
    KernelMachineRegressor,
    OwnFunctions,
    as_columns,
    fit_shares,
    log_losses,
    probabilities,
)
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._refit import exact_machine
from lukewarm.measures import Task


@pytest.fixture(name="X")
def rows_of_features(generator):
    X = generator.normal(size=(120, 3))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    return X


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_are_fitted_to_their_stationary_point(X, generator, n_classes):
    scores = generator.normal(size=(120, n_classes)) + X[:, :1]
    target = softmax(scores, axis=1)
    targets = target[:, 1:] if n_classes == 2 else target
    offset = 0.3 * generator.normal(size=targets.shape)
    shares = generator.uniform(0.5, 1.5, 120)
    shares /= shares.sum()
    constant, coefficients = fit_shares(X, targets, shares, offset)
    outputs = offset + constant + X @ coefficients
    found = expit(outputs) if n_classes == 2 else softmax(outputs, axis=1)
    pull = shares[:, None] * (found - targets)
    # Where the gradient is zero; it is searched until it is a millionth, times how steep it is.
    assert np.abs(pull.sum(axis=0)).max() < 1e-5
    assert np.abs(X.T @ pull + coefficients).max() < 1e-5


def test_shares_of_labels_are_logistic_regression(X, generator):
    y = (X[:, 0] + generator.normal(size=120) > 0).astype(float)
    # scikit-learn's penalty is beside the sum of losses, ours beside their mean.
    C = 2.0
    expected = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    scale = np.sqrt(C * 120)
    constant, coefficients = fit_shares(
        scale * X, y[:, None], np.full(120, 1 / 120), np.zeros((120, 1))
    )
    # Each loss is within 1e-9 of its minimum, and as curved as p (1 - p) over 120 rows makes it.
    assert scale * coefficients[:, 0] == pytest.approx(expected.coef_[0], abs=1e-3)
    assert constant == pytest.approx(expected.intercept_, abs=1e-3)


def test_losses_of_probabilities_are_means_of_losses_of_labels(generator):
    outputs, target = generator.normal(size=(50, 1)), generator.uniform(size=50)
    ones, zeros = np.ones((50, 1)), np.zeros((50, 1))
    expected = target * log_losses(outputs, ones) + (1 - target) * log_losses(outputs, zeros)
    assert log_losses(outputs, as_columns(target)) == pytest.approx(expected, abs=1e-14)


def test_a_target_is_followed_by_the_exact_machine_without_the_column(X, generator):
    fitted = KernelMachineRegressor(random_state=0).fit(X, np.sin(2 * X[:, 1]) + X[:, 0])
    machine = fitted.machine_
    kernel = Kernel("rbf", np.array([0.5, 1.0, 0.2]), np.array([0.3, 0.1, 0.2]))
    functions = OwnFunctions(machine.coding, kernel, machine.coding.code(X), 0.01)
    target = np.cos(X[:, 0]) + 0.1 * generator.normal(size=120)
    found = functions.learn(X, target, None, (1,))
    rows = machine.coding.code(X)
    training = Training(rows, target[:, None], np.ones(120))
    without = kernel.without(np.array([False, True, False]))
    expected = exact_machine(training, machine.coding, without, 0.01)
    assert found.outputs(X) == pytest.approx(expected.outputs(X), abs=1e-8)


def test_removed_columns_are_not_read(X, generator):
    y = X[:, 0] + np.sin(2 * X[:, 1])
    fitted = KernelMachineRegressor(random_state=0).fit(X, y)
    functions = OwnFunctions.of(fitted.machine_, fitted.penalty_)
    found = functions.learn(X, y, None, (1,))
    other = X.copy()
    other[:, 1] = generator.normal(size=120)
    assert np.array_equal(found.outputs(X), found.outputs(other))


def test_features_and_machine_belong_together(X):
    fitted = KernelMachineRegressor(random_state=0).fit(X, X[:, 0] * X[:, 2])
    functions = OwnFunctions.of(fitted.machine_, fitted.penalty_)
    basis, features = functions.features(X, (0,))
    weights = np.linspace(-1, 1, features.shape[1])[:, None]
    outputs = functions.machine(basis, weights).outputs(X)
    # Weights of landmarks are coefficients divided by a factor that may be nearly singular.
    assert outputs == pytest.approx(features @ weights, rel=1e-5, abs=1e-5 * np.abs(outputs).max())


def test_a_learner_knows_what_it_is_made_of(X):
    labels = (X[:, 0] * X[:, 2] > 0).astype(float)
    untrained = KernelMachine(n_classes=2)
    assert untrained.own_functions is None
    untrained.advance(X, labels, n_steps=4)
    trained = untrained.own_functions
    # One over the cumulative step size: four steps are four updates.
    assert trained.penalty == pytest.approx(1 / 4)
    fitted = KernelMachineClassifier(random_state=0).fit(X, labels)
    learner = KernelMachine.from_fitted(fitted, task=Task(2), seed=0)
    assert learner.own_functions.penalty == fitted.penalty_
    assert probabilities(fitted.machine_.outputs(X)) == pytest.approx(learner.predict(X))
