import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from lukewarm.learners.kernel import KernelMachineClassifier, KernelMachineRegressor


def expected_failures(estimator):
    if estimator.penalty is not None:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "a row of weight 2 is left out as a whole, of the same row twice only one is, so that "
            "other penalties are chosen"
        )
    }


@parametrize_with_checks(
    [
        KernelMachineRegressor(),
        KernelMachineRegressor(kernel="rbf+linear", length_scale=1.0, penalty=0.01),
        KernelMachineRegressor(kernel="ntk"),
        KernelMachineClassifier(),
        KernelMachineClassifier(kernel="ntk", depth=1, length_scale=1.0, penalty=0.01),
        KernelMachineClassifier(kernel="rbf", length_scale=1.0, penalty=0.01),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def sparse_problem(generator, n_rows):
    X = generator.normal(size=(n_rows, 20))
    return X, X[:, 0] + np.sin(2 * X[:, 2]) + X[:, 3] * X[:, 4]


def test_own_length_scales_find_the_few_columns_that_count(generator):
    X, signal = sparse_problem(generator, 600)
    y = signal + 0.5 * generator.normal(size=600)
    train, test = slice(400), slice(400, None)

    def excess(ard):
        model = KernelMachineRegressor(ard=ard, random_state=0).fit(X[train], y[train])
        return np.mean((model.predict(X[test]) - signal[test]) ** 2)

    assert excess(False) > 0.5
    assert excess("auto") < 0.2


def test_depth_of_the_tangent_kernel_is_the_one_that_predicts_best(generator):
    X = generator.normal(size=(200, 3))
    y = np.abs(X[:, 0] + X[:, 1]) + 0.3 * generator.normal(size=200)
    machines = {
        depth: KernelMachineRegressor("ntk", depth=depth, random_state=0).fit(X, y)
        for depth in (1, 2, 3, None)
    }
    losses = {depth: machine.loo_loss_ for depth, machine in machines.items()}
    chosen = machines[None].kernel_.depth
    assert losses[1] < 0.5 * y.var()
    assert len(set(losses.values())) == 3
    assert losses[None] == losses[chosen] == min(losses.values())


def test_landmarks_of_the_tangent_kernel_do_nearly_as_well_as_all_rows(generator):
    X = generator.normal(size=(400, 3))
    y = np.abs(X[:, 0] + X[:, 1])
    machine = KernelMachineRegressor("ntk", depth=1, max_landmarks=100, random_state=0)
    machine.fit(X[:300], y[:300])
    assert machine.n_landmarks_ <= 100
    assert machine.score(X[300:], y[300:]) > 0.95
    assert machine.without(2).score(X[300:], y[300:]) > 0.95
    assert machine.without(0).score(X[300:], y[300:]) < 0.6


def test_a_line_is_followed_beyond_the_training_rows(generator):
    X = generator.normal(size=(300, 3))
    model = KernelMachineRegressor(random_state=0).fit(X, X @ [1.0, -2.0, 0.0])
    assert model.predict([[6.0, -6.0, 0.0]]) == pytest.approx([18.0], rel=0.01)


def test_levels_and_gaps_are_features(generator):
    colour = generator.choice(["red", "green", "blue"], size=300)
    size = generator.normal(size=300)
    is_gap = generator.random(300) < 0.3
    frame = pd.DataFrame({"colour": colour, "size": np.where(is_gap, np.nan, size)})
    y = np.where(colour == "red", 2.0, 0.0) + np.where(is_gap, 3.0, size)
    model = KernelMachineRegressor(random_state=0).fit(frame[:200], y[:200])
    assert model.score(frame[200:], y[200:]) > 0.99


def test_a_level_never_met_and_a_gap_never_met_are_predicted(generator):
    frame = pd.DataFrame({"colour": ["red", "green"] * 50, "size": generator.normal(size=100)})
    model = KernelMachineRegressor(random_state=0).fit(frame, frame["size"])
    new = pd.DataFrame({"colour": ["blue", "red"], "size": [1.0, np.nan]})
    assert np.isfinite(model.predict(new)).all()


def test_held_out_rows_choose_where_they_are_given(generator):
    X, y = sparse_problem(generator, 300)
    model = KernelMachineRegressor(random_state=0)
    model.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    errors = np.mean((model.predict(X[200:]) - y[200:]) ** 2)
    assert model.validation_loss_ == pytest.approx(errors)
    assert not hasattr(model, "loo_loss_")


def test_a_heavy_tail_does_not_hide_the_rest_of_a_column(generator):
    x = generator.standard_t(1, size=(800, 1))
    model = KernelMachineRegressor(random_state=0).fit(x[:500], np.sin(x[:500, 0]))
    middle = np.abs(x[500:, 0]) < 2
    errors = model.predict(x[500:][middle]) - np.sin(x[500:, 0][middle])
    assert np.mean(errors**2) < 0.01


def test_constant_columns_and_more_columns_than_rows_are_fine(generator):
    X = np.column_stack([np.full(60, 3.0), generator.normal(size=(60, 100))])
    model = KernelMachineRegressor(random_state=0).fit(X, X[:, 1])
    assert model.score(X, X[:, 1]) > 0.9
    only_constant = KernelMachineRegressor(random_state=0).fit(X[:, :1], X[:, 1])
    assert only_constant.predict(X[:, :1]) == pytest.approx(X[:, 1].mean())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "cosine"}, "kernel must be one of"),
        ({"penalty": 0.0}, "penalty must be greater than 0"),
        ({"length_scale": -1.0}, "length_scale must be greater than 0"),
        ({"ard": "yes"}, "ard must be True, False or 'auto'"),
        ({"ard": True, "kernel": "laplace"}, "ard=True goes with kernel"),
        ({"depth": 2}, "depth goes with kernel='ntk'; got 'auto'"),
        ({"kernel": "ntk", "depth": 0}, "depth must be at least 1"),
        ({"max_landmarks": 1}, "max_landmarks must be at least 2"),
    ],
)
def test_wrong_settings_say_what_to_do(generator, settings, message):
    X = generator.normal(size=(30, 2))
    with pytest.raises(ValueError, match=message):
        KernelMachineRegressor(**settings).fit(X, X[:, 0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_get_probabilities_near_the_true_ones(generator, n_classes):
    X = generator.normal(size=(500, 4))
    margins = np.column_stack([2 * X[:, 0] * X[:, 1], X[:, 2], -X[:, 2]])[:, :n_classes]
    truth = softmax(margins, axis=1)
    y = (truth.cumsum(axis=1) < generator.random((500, 1))).sum(axis=1)
    labels = np.array(["a", "b", "c"])[np.minimum(y, n_classes - 1)]
    model = KernelMachineClassifier(random_state=0).fit(X[:350], labels[:350])
    found = model.predict_proba(X[350:])
    assert found.sum(axis=1) == pytest.approx(1.0)
    shares = truth[:350].mean(axis=0)
    assert np.mean((truth[350:] - shares) ** 2) > 0.03
    assert np.mean((truth[350:] - found) ** 2) < 0.015


def test_penalised_log_loss_is_at_its_least(generator):
    X = generator.normal(size=(80, 2))
    y = (X[:, 0] + generator.normal(size=80) > 0).astype(int)
    model = KernelMachineClassifier("linear", penalty=0.05, ard=False, random_state=0).fit(X, y)
    kernel, scaled = model.kernel_, model.machine_.coding.code(X) * model.kernel_.slopes
    reference = LogisticRegression(C=1 / (0.05 * 80), tol=1e-10).fit(scaled, y)
    assert kernel.shape == "none"
    expected = reference.predict_proba(scaled)
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-4)


def test_a_single_class_is_an_error(generator):
    X = generator.normal(size=(30, 2))
    with pytest.raises(ValueError, match="at least two classes; got 1 class"):
        KernelMachineClassifier().fit(X, np.ones(30))


def test_held_out_rows_choose_a_classifier_too(generator):
    X = generator.normal(size=(300, 2))
    y = np.where(X[:, 0] + generator.normal(size=300) > 0, "warm", "cold")
    model = KernelMachineClassifier(random_state=0)
    model.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert model.validation_loss_ == pytest.approx(log_loss(y[200:], model.predict_proba(X[200:])))
    with pytest.raises(ValueError, match="'mild', which is not a class of y"):
        model.fit(X[:200], y[:200], X_val=X[:1], y_val=["mild"])


def test_folds_judge_without_having_been_seen():
    # Classes so far apart that the loss of seen rows falls to nothing as the penalty does.
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:120], order[120:]
    model = KernelMachineClassifier(ard=False, random_state=0).fit(X[train], y[train])
    other = log_loss(y[test], model.predict_proba(X[test]))
    assert model.cv_loss_ > 0.3 * other > 0.001


def test_own_length_scales_must_win_on_rows_that_did_not_tune_them(generator):
    # Every column counts alike: scales of their own can only follow the noise.
    X = generator.normal(size=(100, 30))
    y = X.sum(axis=1) / np.sqrt(30) + 0.7 * generator.normal(size=100)
    tuned = KernelMachineRegressor(random_state=0).fit(X, y)
    common = KernelMachineRegressor(ard=False, random_state=0).fit(X, y)
    assert tuned.loo_loss_ == common.loo_loss_
