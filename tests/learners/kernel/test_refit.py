from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lukewarm.learners.kernel import KernelMachineClassifier, KernelMachineRegressor
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._refit import FittedRows, exact_machine, landmark_machine

PENALTY = 0.01
KERNEL = Kernel("rbf", np.array([0.5, 1.0, 0.2]), np.array([0.3, 0.1, 0.2]))
# No product over columns.
TANGENT = Kernel("ntk", np.array([0.5, 1.0, 0.2]), np.zeros(3), depth=2)
both_kinds = pytest.mark.parametrize("kernel", [KERNEL, TANGENT], ids=["rbf", "ntk"])


@pytest.fixture(name="X")
def rows_of_features(generator):
    X = generator.normal(size=(60, 3))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    return X


@pytest.fixture
def training(X, generator):
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.1 * generator.normal(size=60)
    weights = generator.uniform(0.5, 1.5, size=60)
    return Training(Coding.learn(X).code(X), y[:, None], weights)


def by_eigenvalues(training, coding, kernel, n_landmarks):
    path = training.path(kernel, n_landmarks)
    return Machine.of_path(coding, path, 1 / (path.eigenvalues + PENALTY))


@both_kinds
def test_one_factorisation_gives_the_exact_machine(X, training, kernel):
    coding = Coding.learn(X)
    found = exact_machine(training, coding, kernel, PENALTY)
    expected = by_eigenvalues(training, coding, kernel, 60)
    assert found.outputs(X) == pytest.approx(expected.outputs(X), abs=1e-8)


@both_kinds
def test_two_factorisations_give_the_machine_of_landmarks(X, training, kernel):
    coding = Coding.learn(X)
    found = landmark_machine(training, coding, kernel, 20, PENALTY)
    expected = by_eigenvalues(training, coding, kernel, 20)
    assert found.outputs(X) == pytest.approx(expected.outputs(X), abs=1e-8)


@both_kinds
def test_refit_without_a_column_is_the_fit_to_the_other_columns(X, training, kernel):
    coding = Coding.learn(X)
    fitted = FittedRows(training, coding, 60)
    machine, penalty = fitted.without([1], kernel, PENALTY, conditional_imputation=False)
    others = Training(training.rows[:, [0, 2]], training.y, training.weights)
    scales, slopes = kernel.inverse_scales[[0, 2]], kernel.slopes[[0, 2]]
    path = others.path(replace(kernel, inverse_scales=scales, slopes=slopes), 60)
    expected = Machine.of_path(coding, path, 1 / (path.eigenvalues + penalty))
    found = machine.outputs_of_coded(training.rows)
    assert found == pytest.approx(expected.outputs_of_coded(others.rows), abs=1e-8)


def test_removed_columns_are_not_read(X, generator):
    y = X[:, 0] + np.sin(2 * X[:, 1])
    reduced = KernelMachineRegressor(random_state=0).fit(X, y).without(1)
    other = X.copy()
    other[:, 1] = generator.normal(size=60)
    assert reduced.predict(other) == pytest.approx(reduced.predict(X), abs=0)


def test_a_column_takes_over_from_one_that_hid_it(generator):
    X = generator.normal(size=(400, 3))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    y = X[:, 0] + 0.1 * generator.normal(size=400)
    model = KernelMachineRegressor(random_state=0).fit(X, y)
    assert model.kernel_.slopes[1] < 0.1 * model.kernel_.slopes[0]
    assert model.without(0).score(X, y) > 0.95
    assert model.without(0, 1).score(X, y) < 0.1


def test_columns_are_known_by_name_where_they_have_one(generator):
    frame = pd.DataFrame(generator.normal(size=(60, 2)), columns=["a", "b"])
    model = KernelMachineRegressor(random_state=0).fit(frame, frame["a"])
    assert model.without("a").score(frame, frame["a"]) < 0.5
    with pytest.raises(ValueError, match="columns must be among"):
        model.without("c")


def test_a_column_without_part_leaves_the_machine_as_it_is(generator):
    X = generator.normal(size=(300, 3))
    y = np.sin(3 * X[:, 0]) + 0.1 * generator.normal(size=300)
    model = KernelMachineRegressor(random_state=0).fit(X, y)
    unused = int(np.argmin(model.kernel_.inverse_scales + model.kernel_.slopes))
    assert model.kernel_.inverse_scales[unused] == model.kernel_.slopes[unused] == 0
    assert model.without(unused).machine_ is model.machine_


@pytest.mark.parametrize("weighted", [False, True])
def test_a_refit_on_the_same_rows_is_the_same_machine(X, generator, weighted):
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.1 * generator.normal(size=60)
    weights = generator.uniform(0.5, 1.5, size=60) if weighted else None
    model = KernelMachineRegressor(random_state=0).fit(X, y, weights)
    again = model.refitted(X, y, weights)
    assert again.penalty_ == model.penalty_
    assert again.predict(X) == pytest.approx(model.predict(X), abs=1e-8)
    labels = (y > 0).astype(int)
    classifier = KernelMachineClassifier(random_state=0).fit(X, labels, weights)
    shares = classifier.refitted(X, labels, weights).predict_proba(X)
    # Newton's steps end at a gradient, not at the last digit.
    assert shares == pytest.approx(classifier.predict_proba(X), abs=1e-3)


def test_a_refit_on_more_rows_keeps_the_kernel_and_uses_all_of_them(X, generator):
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.1 * generator.normal(size=60)
    model = KernelMachineRegressor(random_state=0).fit(X[:40], y[:40])
    again = model.refitted(X, y, None)
    assert (model._fitted.n_landmarks, again._fitted.n_landmarks) == (40, 60)
    assert np.array_equal(again.kernel_.inverse_scales, model.kernel_.inverse_scales)
    few = KernelMachineRegressor(max_landmarks=20, random_state=0).fit(X[:40], y[:40])
    assert few.refitted(X, y, None).n_landmarks_ <= 20


def test_a_refitted_machine_does_not_show_the_loss_of_another(X, generator):
    y = X[:, 0] + 0.1 * generator.normal(size=60)
    regressor = KernelMachineRegressor(random_state=0).fit(X, y)
    classifier = KernelMachineClassifier(random_state=0).fit(X, y > 0)
    assert hasattr(regressor, "loo_loss_")
    assert hasattr(classifier, "cv_loss_")
    assert not hasattr(regressor.refitted(X, y, None), "loo_loss_")
    assert not hasattr(regressor.without(0), "loo_loss_")
    assert not hasattr(classifier.refitted(X, (y > 0).astype(int), None), "cv_loss_")
