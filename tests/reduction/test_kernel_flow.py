"""Kernel flow and its relatives as reductions of a trained network."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2

from lukewarm.data import Removal, Rows
from lukewarm.learners import DifferentiableLearner, train_until
from lukewarm.measures import mean_log_loss, mean_squared_error
from lukewarm.reduction import (
    CrossValidatedStopping,
    Dropout,
    EarlyStopping,
    KernelFlow,
    KernelRidge,
    KernelSketch,
    Lazy,
    OneStep,
    ReductionData,
    Retrain,
)
from lukewarm.stopping import Patience

torch = pytest.importorskip("torch")

from lukewarm.kernels import tangent_kernel  # noqa: E402
from lukewarm.learners import Network, TorchLearner  # noqa: E402

ALL_ROWS = KernelSketch(n_landmarks=10_000, max_landmarks=10_000, max_units=None)
REDUCTIONS = [KernelFlow(), KernelRidge(), Lazy(), OneStep()]


def correlated_rows(n_rows, seed, correlation=0.5):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4))
    X[:, 1] = correlation * X[:, 0] + np.sqrt(1 - correlation**2) * X[:, 1]
    y = 1.5 * X[:, 0] + 1.2 * X[:, 1] + X[:, 2] + 0.1 * generator.normal(size=n_rows)
    return 10 * X + 500, 3 * y + 7


def as_data(X, y, n_train):
    train = Rows(X[:n_train], y[:n_train])
    return ReductionData(train, Rows(X[n_train:], y[n_train:]), Removal.learn(train.X))


@pytest.fixture(scope="module", name="trained")
def _trained():
    X, y = correlated_rows(900, 0)
    data = as_data(X, y, 700)
    network = Network((64, 64), learning_rate=3e-3).fresh(0)
    full, trace = train_until(network, data.train, data.stopping, Patience(5), 200)
    assert trace.losses[trace.stopped_step] < 0.05 * np.var(y)
    return full, data


@pytest.fixture(scope="module", name="evaluation")
def _evaluation():
    return Rows(*correlated_rows(2000, 1))


class DoubleModule(DifferentiableLearner):
    """A float64 module as a learner that never scales: for identities to the last digits."""

    training_loss = "squared_error"
    module = None
    n_steps = 1

    def __init__(self, module):
        self.module = module.double()

    def inputs(self, X):
        return torch.as_tensor(X, dtype=torch.float64)

    def targets(self, y):
        return torch.as_tensor(y, dtype=torch.float64)

    def as_prediction(self, outputs):
        return outputs.detach().double().numpy()

    def predict(self, X):
        return self.module(self.inputs(X)).detach().numpy()[:, 0]

    def copy(self, seed=None):
        return DoubleModule(copy.deepcopy(self.module))

    def fresh(self, seed):
        raise NotImplementedError

    def advance(self, X, y, n_steps, weights=None):
        raise NotImplementedError


def small_problem(seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 4))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.5 * generator.normal(size=60)


def test_all_rows_as_landmarks_equal_the_update_equation_step_by_step():
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 30), torch.nn.Tanh(), torch.nn.Linear(30, 1))
    full = DoubleModule(module)
    X, y = small_problem()
    data = as_data(X, y, 40)
    learning_rate = 0.05
    model = KernelFlow(ALL_ROWS, learning_rate).reduce(full, data, (0,), seed=0)
    n_steps = round(model.trace.path[model.trace.stopped_step] / learning_rate)
    assert n_steps > 3

    rows = torch.as_tensor(data.removal.apply(X, (0,)))
    kernel = tangent_kernel(module, rows, rows[:40]).detach().numpy() / 40
    function = full.predict(data.removal.apply(X, (0,)))
    for _ in range(n_steps):
        function = function - learning_rate * kernel @ (function[:40] - y[:40])
    np.testing.assert_allclose(model.predict(X), function, atol=1e-8)


def test_linear_module_takes_gradient_descents_own_steps():
    torch.manual_seed(0)
    full = DoubleModule(torch.nn.Linear(4, 1))
    X, y = small_problem()
    data = as_data(X, y, 40)
    learning_rate = 0.02
    model = KernelFlow(ALL_ROWS, learning_rate).reduce(full, data, (0,), seed=0)
    n_steps = round(model.trace.path[model.trace.stopped_step] / learning_rate)
    assert 3 < n_steps < 10_000

    descended = torch.nn.Linear(4, 1).double()
    descended.load_state_dict(full.module.state_dict())
    optimizer = torch.optim.SGD(descended.parameters(), lr=learning_rate)
    rows = torch.as_tensor(data.removal.apply(X, (0,)))
    for _ in range(n_steps):
        optimizer.zero_grad()
        loss = (descended(rows[:40])[:, 0] - torch.as_tensor(y[:40])).square().mean() / 2
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(model.predict(X), descended(rows)[:, 0].detach(), atol=1e-8)


def test_too_large_steps_are_refused_with_the_limit():
    full = DoubleModule(torch.nn.Linear(4, 1))
    data = as_data(*small_problem(), 40)
    with pytest.raises(ValueError, match="learning_rate must be at most"):
        KernelFlow(ALL_ROWS, learning_rate=100.0).reduce(full, data, (0,), seed=0)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda each: each.name)
def test_error_lies_between_truth_and_dropout(reduction, trained, evaluation):
    full, data = trained
    error = mean_squared_error(
        evaluation.y, reduction.reduce(full, data, (0,), seed=0).predict(evaluation.X)
    )
    dropout = mean_squared_error(
        evaluation.y, Dropout().reduce(full, data, (0,), 0).predict(evaluation.X)
    )
    # y = 3 (...): the best without X1 leaves 9 (1.5**2 (1 - 0.5**2) + 0.1**2), dropout
    # 9 (1.5**2 + 0.1**2); a linear fit on 700 rows is within 1 % of the best, a network on so few
    # rows within 15 %, and 2000 evaluation rows add 3 % (one standard error).
    best = 9 * (1.5**2 * 0.75 + 0.01)
    assert dropout > 1.2 * best
    assert error < (1.15 + 4 * 0.03) * best if reduction.name != "one_step" else error < dropout


def test_path_begins_at_dropout(trained):
    full, data = trained
    model = KernelFlow(conditional_imputation=False).reduce(full, data, (0,), seed=0)
    filled = data.removal.apply(data.stopping.X, (0,))
    dropout = mean_squared_error(data.stopping.y, full.predict(filled))
    assert model.trace.path[0] == 0
    # float32 network, sums in another order
    assert model.trace.losses[0] == pytest.approx(dropout, rel=1e-4)
    assert model.trace.losses[model.trace.stopped_step] < 0.9 * dropout
    assert (np.diff(model.trace.eigenvalues) <= 0).all()


def test_moved_network_of_a_linear_module_is_its_linearisation(evaluation):
    X, y = correlated_rows(400, 2)
    data = as_data(X, y, 300)
    learner = TorchLearner(torch.nn.Linear(4, 1), learning_rate=0.01)
    learner.advance(data.train.X, data.train.y, 20)
    linearization = KernelSketch(n_landmarks=8).linearize(learner, X, None, seed=0)
    linearization.grow(8)
    basis = linearization.basis()
    coefficients = np.random.default_rng(0).normal(size=len(basis.pivots))
    moved = linearization.moved(basis, coefficients).predict(evaluation.X)
    linear = linearization.predictor(basis, coefficients).predict(evaluation.X)
    assert np.ptp(moved - learner.predict(evaluation.X)) > 0.1 * np.std(y)
    # float32 sums of a few terms
    np.testing.assert_allclose(moved, linear, atol=1e-4 * np.std(y))


def test_rounds_go_on_where_a_fixed_kernel_cannot_follow():
    # The removed feature has a copy, so nothing need be lost.
    X, y = correlated_rows(1200, 3, correlation=1.0)
    data = as_data(X[:900], y[:900], 700)
    network = Network((64, 64), learning_rate=3e-3).fresh(0)
    full, _ = train_until(network, data.train, data.stopping, Patience(5), 200)
    one, several = (
        KernelFlow(max_rounds=n, conditional_imputation=False).reduce(full, data, (0,), 0)
        for n in (1, 5)
    )
    errors = [mean_squared_error(y[900:], model.predict(X[900:])) for model in (one, several)]
    assert errors[1] < 0.8 * errors[0]
    assert (np.diff(several.trace.path) >= 0).all()
    best = several.trace.losses[several.trace.stopped_step]
    assert best < one.trace.losses[one.trace.stopped_step]
    assert best == several.trace.losses.min()


@pytest.mark.parametrize("max_rounds", [0, 1.5])
def test_rounds_are_a_count(max_rounds):
    with pytest.raises((TypeError, ValueError), match="max_rounds"):
        KernelFlow(max_rounds=max_rounds)


def test_nothing_removed_never_worsens_the_stopping_loss(trained):
    full, data = trained
    trace = KernelFlow().reduce(full, data, (), seed=0).trace
    assert trace.losses[trace.stopped_step] <= trace.losses[0]


def test_sampled_units_change_little(trained, evaluation):
    full, data = trained
    exact, sampled = (
        KernelFlow(KernelSketch(max_units=units), conditional_imputation=False)
        .reduce(full, data, (0,), 0)
        .predict(evaluation.X)
        for units in (None, 32)
    )
    difference = np.mean((exact - sampled) ** 2)
    assert 0 < difference < 0.05 * np.var(evaluation.y)


def test_half_precision_changes_little(trained, evaluation):
    full, data = trained
    exact, rounded = (
        KernelFlow(KernelSketch(precision=precision))
        .reduce(full, data, (0,), 0)
        .predict(evaluation.X)
        for precision in ("full", "bfloat16")
    )
    # bfloat16 rounds to one part in 256, errors of 64 summed terms average out.
    difference = np.mean((exact - rounded) ** 2)
    assert 0 < difference < (1 / 256) ** 2 * np.var(evaluation.y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifier_flows_under_cross_entropy(n_classes):
    X, score = correlated_rows(900, 0)
    noisy = score + 2 * np.random.default_rng(1).normal(size=900)
    codes = np.digitize(noisy, np.quantile(noisy, np.arange(1, n_classes) / n_classes))
    data = as_data(X[:700], codes[:700].astype(float), 500)
    network = Network((32, 32), learning_rate=3e-3).for_classes(n_classes)
    full, _ = train_until(network.fresh(0), data.train, data.stopping, Patience(5), 100)
    flow = KernelFlow().reduce(full, data, (0,), 0).predict(X[700:])
    dropout = Dropout().reduce(full, data, (0,), 0).predict(X[700:])
    assert flow.shape == dropout.shape
    assert mean_log_loss(codes[700:], flow) < mean_log_loss(codes[700:], dropout) - 0.02


@pytest.mark.parametrize("reduction", [Lazy(), KernelRidge(), OneStep()], ids=lambda r: r.name)
def test_least_squares_methods_refuse_classifiers(reduction, trained):
    _, data = trained
    with pytest.raises(TypeError, match="kernel_flow"):
        reduction.reduce(Network().for_classes(2), data, (0,), 0)


def test_learners_without_gradients_are_refused(trained):
    class Constant:
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(TypeError, match=r"linearises a network.*Constant"):
        KernelFlow().reduce(Constant(), trained[1], (0,), 0)


def test_losses_of_the_users_own_are_refused(trained):
    learner = TorchLearner(torch.nn.Linear(4, 1), loss=torch.nn.L1Loss())
    with pytest.raises(TypeError, match="loss of its own"):
        KernelFlow().reduce(learner, trained[1], (0,), 0)


def test_one_training_row_is_too_few():
    full = DoubleModule(torch.nn.Linear(4, 1))
    data = as_data(*small_problem(), 1)
    with pytest.raises(ValueError, match="at least 2 training rows"):
        KernelFlow().reduce(full, data, (0,), 0)


def test_folds_choose_as_many_steps_as_help(trained, evaluation):
    full, data = trained
    model = CrossValidatedStopping(Patience(3), 50, n_folds=3).reduce(full, data, (0,), seed=0)
    held_out = EarlyStopping(Patience(3), 50).reduce(full, data, (0,), seed=0)
    dropout = Dropout().reduce(full, data, (0,), 0)
    errors = [
        mean_squared_error(evaluation.y, each.predict(evaluation.X))
        for each in (model, held_out, dropout)
    ]
    assert model.trace.stopped_step > 0
    # Both ways of stopping find much the same model; neither is dropout.
    assert errors[0] < 1.1 * errors[1] < errors[2]


def test_zero_folded_steps_equal_dropout(trained, evaluation):
    full, data = trained
    model = CrossValidatedStopping(Patience(3), max_steps=0).reduce(full, data, (0,), seed=0)
    dropout = Dropout().reduce(full, data, (0,), 0)
    np.testing.assert_array_equal(model.predict(evaluation.X), dropout.predict(evaluation.X))


@pytest.mark.parametrize(
    "reduction", [KernelFlow(), EarlyStopping(Patience(2), 3)], ids=lambda each: each.name
)
def test_threads_beside_change_no_number(reduction, trained, evaluation):
    full, data = trained

    def predict(removed):
        return reduction.reduce(full, data, removed, seed=0).predict(evaluation.X)

    sets = [(0,), (1,), (2,), ()]
    alone = [predict(removed) for removed in sets]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(predict, sets))
    assert not np.array_equal(alone[0], alone[1])
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_importance_meets_the_truth_on_several_data_sets():
    """Removing X1 costs 9 * 1.5**2 * (1 - 0.5**2); dropout says 9 * 1.5**2."""
    estimates = []
    for seed in range(5):
        X, y = correlated_rows(1200, 10 + seed)
        data = as_data(X[:800], y[:800], 600)
        network = Network((64,), learning_rate=0.01).fresh(seed)
        full, _ = train_until(network, data.train, data.stopping, Patience(5), 200)
        errors = [
            mean_squared_error(
                y[800:], KernelFlow().reduce(full, data, removed, seed).predict(X[800:])
            )
            for removed in ((0,), ())
        ]
        estimates.append(errors[0] - errors[1])
    truth = 9 * 1.5**2 * 0.75
    standard_error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    # A network fitted on 600 rows without X1 is a few percent above the best fit.
    assert abs(np.mean(estimates) - truth) < 4 * standard_error + 0.05 * truth < 9 * 1.5**2 - truth


def test_a_classifier_that_was_sure_and_is_wrong_is_calibrated_first():
    # Held at its mean, a feature takes its square out of Hastie's sum of squares.
    X, y = make_hastie_10_2(6000, random_state=0)
    y = (y > 0).astype(float)
    data, judged = as_data(X[:4500], y[:4500], 3480), Rows(X[4500:], y[4500:])
    network = Network((64, 64), learning_rate=3e-3, n_classes=2).fresh(0)
    rule = Patience(5)
    full, _ = train_until(network, data.train, data.stopping, rule, 100)
    losses = {
        way.name: mean_log_loss(judged.y, way.reduce(full, data, (0,), 0).predict(judged.X))
        for way in (Dropout(), KernelFlow(), Retrain(rule, 100))
    }
    assert losses["dropout"] > 1.2 * losses["retrain"]
    assert losses["kernel_flow"] < 1.02 * losses["retrain"]
