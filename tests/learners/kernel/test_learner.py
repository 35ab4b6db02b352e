import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.data import Rows
from lukewarm.kernels import (
    TheoreticalStop,
    error_decomposition,
    kernel_eigenvalues,
    max_theoretical_step,
    oracle_stop,
    rkhs_gap_norm,
)
from lukewarm.learners import train_until
from lukewarm.learners.kernel import KernelMachine, KernelMachineRegressor
from lukewarm.learners.kernel._path import ridge_filters
from lukewarm.learners.kernel._segments import n_updates, update_filters
from lukewarm.measures import Task
from lukewarm.stopping import Patience

# Landmarks that others span to 1e-10 are left out of the basis.
CLOSE = 1e-7


@pytest.fixture(name="X")
def rows_of_features(generator):
    return generator.normal(size=(80, 3))


@pytest.fixture
def truth(X):
    return X[:, 0] + np.sin(2 * X[:, 1]) + 1


@pytest.fixture
def y(truth, generator):
    return truth + 0.3 * generator.normal(size=80)


def iterate(kernel, y, learning_rate, n_times):
    path = [np.zeros(len(y))]
    for _ in range(n_times):
        path.append(path[-1] + learning_rate * kernel @ (y - path[-1]))
    return np.array(path)


@pytest.fixture(params=["auto", "ntk"])
def learner(X, y, request):
    learner = KernelMachine(KernelMachineRegressor(request.param))
    learner.advance(X, y, 12)
    return learner


def test_steps_are_the_updates_of_the_paper(learner, X, y):
    kernel = learner.kernel_matrix(X)
    counts = n_updates(np.arange(13)).astype(int)
    expected = iterate(kernel, y, learner.learning_rate, counts[-1])[counts]
    assert learner.staged_predict(X, 0) == pytest.approx(expected, abs=CLOSE)


@pytest.mark.filterwarnings("error::lukewarm.kernels.KernelWarning")
def test_theory_holds_without_drift(learner, X, y, truth):
    kernel, rate = learner.kernel_matrix(X), learner.learning_rate
    predictions = learner.staged_predict(X, 0)[:5]  # after 0, 1, 2, 3 and 4 updates
    oracle = oracle_stop(
        predictions, y, truth, learning_rate=rate, stationary_kernel=kernel, noise_std=0.3
    )
    terms = error_decomposition([kernel] * 4, truth, y - truth, rate)
    assert oracle.terms.drift_term == pytest.approx(np.zeros(5), abs=CLOSE)
    assert oracle.terms.error == pytest.approx(terms.error, abs=CLOSE)
    assert (terms.error <= terms.bound).all()


@pytest.mark.filterwarnings("error::lukewarm.kernels.KernelWarning")
def test_theoretical_stop_equals_the_oracle_s(learner, X, y, truth):
    kernel, rate = learner.kernel_matrix(X), learner.learning_rate
    norm = rkhs_gap_norm(kernel, truth)
    rule = TheoreticalStop.learn(kernel, y, learning_rate=rate, noise_std=0.3, rkhs_gap_norm=norm)
    oracle = oracle_stop(
        learner.staged_predict(X, 0)[:5],
        y,
        truth,
        learning_rate=rate,
        stationary_kernel=kernel,
        noise_std=0.3,
    )
    assert rule.max_step == oracle.max_step
    assert rule.max_step == max_theoretical_step(
        kernel_eigenvalues(kernel), learning_rate=rate, noise_std=0.3, rkhs_gap_norm=norm
    )
    assert 1 <= rule.max_step < np.inf


def test_one_update_and_no_end_of_them_are_points_of_the_ridge_path():
    eigenvalues = np.array([0.1, 0.5, 1.0])
    first = update_filters(eigenvalues, np.array([1.0]), 0.7)
    assert first == pytest.approx(np.full((1, 3), 0.7))
    last = update_filters(eigenvalues, np.array([1e9]), 0.7)
    assert last == pytest.approx(ridge_filters(eigenvalues, np.zeros(1)), abs=1e-10)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_updates_and_ridge_meet_in_every_direction(scale):
    # After eta / rate updates a direction is where the penalty e / (exp(e eta) - 1) puts it.
    eigenvalue, rate, eta = np.array([0.01]), 1e-6, scale
    updated = update_filters(eigenvalue, np.array([eta / rate]), rate)
    penalty = eigenvalue / np.expm1(eigenvalue * eta)
    assert updated == pytest.approx(ridge_filters(eigenvalue, penalty), rel=1e-4)


def test_the_whole_path_is_judged_at_once(X, y):
    _, trace = train_until(KernelMachine(), Rows(X, y), Rows(X, y), Patience(5), 70)
    assert len(trace.losses) == 71  # on the training rows more updates always help
    assert (np.diff(trace.losses) <= 1e-12).all()


def test_a_product_is_learnt_after_many_steps_in_vain(generator):
    X = generator.normal(size=(400, 2))
    y = X[:, 0] * X[:, 1] + 0.1 * generator.normal(size=400)
    learner = KernelMachine(KernelMachineRegressor("rbf", length_scale=10.0, ard=False))
    rows, others = Rows(X[:200], y[:200]), Rows(X[200:], y[200:])
    stop = Patience(learner.traits.patience)
    best, trace = train_until(learner, rows, others, stop, learner.traits.max_steps)
    assert (trace.losses[2:8] > trace.losses[1]).all()
    # Noise is a hundredth of the variance.
    assert np.mean((best.predict(others.X) - others.y) ** 2) < 0.1 * others.y.var()


@pytest.mark.parametrize("method", ["early_stopping", "retrain", "dropout"])
@pytest.mark.filterwarnings("ignore::lukewarm.results.ImportanceWarning")
def test_importance_with_a_kernel_machine(method, generator):
    X = generator.normal(size=(240, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * generator.normal(size=240)
    estimator = lw.VariableImportance(
        "kernel", method, features=["x0", "x2"], inference="paired", random_state=0
    )
    result = estimator.fit(X, y).result_.to_frame().set_index("feature")
    assert result.importance["x0"] > 0.5
    assert abs(result.importance["x2"]) < 0.1


@pytest.mark.filterwarnings("ignore::lukewarm.results.ImportanceWarning")
def test_importance_of_levels_and_gaps_for_classes(generator):
    colour = generator.choice(["red", "green", "blue"], size=240)
    size = np.where(generator.random(240) < 0.2, np.nan, generator.normal(size=240))
    frame = pd.DataFrame({"colour": colour, "size": size})
    y = np.where((colour == "red") ^ (generator.random(240) < 0.1), "yes", "no")
    model = lw.learners.KernelMachineClassifier(ard=False)
    result = lw.VariableImportance(model, random_state=0).fit(frame, y).result_.to_frame()
    importance = result.set_index("feature").importance
    assert importance["colour"] > 0.2 > importance["size"]


def test_a_fitted_regressor_goes_on_from_where_it_stands(X, y):
    model = lw.learners.KernelMachineRegressor(random_state=0).fit(X, y)
    learner = lw.learners.from_model(model, task=Task(), seed=0, prefit=True)
    assert learner.n_steps == 1
    assert learner.predict(X) == pytest.approx(model.predict(X), abs=1e-10)
    before = np.mean((learner.predict(X) - y) ** 2)
    learner.advance(X, y, 20)
    assert np.mean((learner.predict(X) - y) ** 2) < before
