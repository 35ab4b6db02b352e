"""PlattScaling of margins, before and after features are gone."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from lukewarm.data import Removal, Rows
from lukewarm.learners import from_model, train_until
from lukewarm.learners._calibration import PlattScaling
from lukewarm.learners._class_outputs import ScoredClassifier
from lukewarm.measures import Task, mean_log_loss
from lukewarm.reduction import Dropout, ReductionData, Retrain, as_reduction
from lukewarm.stopping import Patience


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_fitted_as_by_logistic_regression(generator, weighted):
    margin = 3 * generator.normal(size=(500, 1))
    y = (generator.random(500) < 1 / (1 + np.exp(-0.5 - 0.4 * margin[:, 0]))).astype(float)
    weights = generator.random(500) if weighted else None
    by_sklearn = LogisticRegression(C=np.inf, tol=1e-10).fit(margin, y, weights)
    fitted = PlattScaling.fit(margin, y, weights)
    # The ridge of 1e-6 and the stopping of L-BFGS leave less than 1e-3.
    np.testing.assert_allclose(fitted.scale, by_sklearn.coef_[0, 0], atol=1e-3)
    np.testing.assert_allclose(fitted.offset, by_sklearn.intercept_, atol=1e-3)


def test_several_classes_are_fitted_better_than_by_the_law_they_were_drawn_from(generator):
    margin = 2 * generator.normal(size=(3000, 3))
    offset = np.array([0.3, 0.0, -0.3])
    shares = softmax(offset + 0.5 * margin, axis=1)
    y = (generator.random((3000, 1)) > shares.cumsum(axis=1)).sum(axis=1).astype(float)
    fitted = PlattScaling.fit(margin, y, None)
    loss = mean_log_loss(y, softmax(fitted.offset + fitted.scale * margin, axis=1))
    drawn = mean_log_loss(y, shares)
    # Twice the difference is chi-squared with 3 degrees of freedom: below 17 but once in 1400.
    assert 0 < 2 * 3000 * (drawn - loss) < 17


def test_classes_told_apart_exactly_have_a_largest_scale(generator):
    margin = generator.normal(size=(50, 1))
    assert PlattScaling.fit(margin, (margin[:, 0] > 0).astype(float), None).scale == 10


@pytest.mark.parametrize("scale", [0.7, 1.0, 3.0])
def test_nothing_is_left_to_do_between_equal_confidences(scale):
    confidence = PlattScaling(np.array([0.2, -0.4]), scale)
    same = confidence.relative_to(confidence)
    assert same.scale == 1
    np.testing.assert_array_equal(same.offset, [0, 0])


@pytest.mark.parametrize(
    ("reduced", "full", "expected"),
    [(0.4, 0.8, 0.5), (0.4, 3.0, 0.4), (2.0, 3.0, 1.0), (0.9, 0.8, 1.0), (0.0, 0.5, 0.0)],
)
def test_margins_are_shrunk_to_the_confidence_of_the_full_model(reduced, full, expected):
    to = PlattScaling(np.zeros(1), reduced).relative_to(PlattScaling(np.zeros(1), full))
    assert to.scale == pytest.approx(expected)
    np.testing.assert_array_equal(to.offset, [0.0])


def test_classes_that_have_become_too_rare_are_moved_back():
    # The full model is even-handed; without a feature every margin is 2 too low.
    to = PlattScaling(np.array([1.0]), 0.5).relative_to(PlattScaling(np.array([0.0]), 1.0))
    assert to.offset + to.scale * np.array([-2.0]) == 0


def lightgbm():
    kind = pytest.importorskip("lightgbm").LGBMClassifier
    return kind(n_estimators=400, n_jobs=1, verbose=-1)


def histograms():
    return HistGradientBoostingClassifier(max_iter=400)


def behind_a_scaler():
    return make_pipeline(StandardScaler(), histograms())


@pytest.mark.parametrize("make", [lightgbm, histograms, behind_a_scaler])
def test_newton_steps_do_not_overshoot_where_the_full_model_was_sure(make):
    # Held at its mean, a feature takes its square out of Hastie's sum of squares: all the margins
    # are wrong by much. Without calibration the first trees make the predictions worse.
    X, y = make_hastie_10_2(4000, random_state=0)
    y = (y > 0).astype(float)
    rows = [Rows(X[part], y[part]) for part in np.split(np.arange(4000), [2200, 3000])]
    learner = from_model(make(), task=Task(2), seed=0)
    rule = Patience(learner.traits.patience)
    full, _ = train_until(learner, rows[0], rows[1], rule, 400)
    data = ReductionData(rows[0], rows[1], Removal.learn(rows[0].X))
    losses = {
        way.name: mean_log_loss(rows[2].y, way.reduce(full, data, (0,), 0).predict(rows[2].X))
        for way in (
            Dropout(),
            Retrain(rule, 400),
            as_reduction(
                "early_stopping",
                rule,
                400,
                learning_rate_factor=learner.traits.learning_rate_factor,
            ),
        )
    }
    assert losses["dropout"] > 1.05 * losses["retrain"]
    assert losses["early_stopping"] < 1.02 * losses["retrain"]


@pytest.mark.parametrize("kind", ["network", "mlp"])
def test_networks_need_not_unlearn_what_they_were_sure_of(kind):
    if kind == "network":
        pytest.importorskip("torch")
        from lukewarm.learners import Network

        model = Network((32,), learning_rate=0.02)
    else:
        model = make_pipeline(StandardScaler(), MLPClassifier((32,), learning_rate_init=0.02))
    X, y = make_hastie_10_2(3000, random_state=0)
    y = (y > 0).astype(float)
    learner = from_model(model, task=Task(2), seed=0)
    learner.advance(X[:2000], y[:2000], 40)
    held_out = X[2000:].copy()
    held_out[:, 0] = 0.0
    chosen, judged = np.split(np.arange(1000), 2)
    sure = mean_log_loss(y[2000:][judged], learner.predict(held_out[judged]))
    learner.match_calibration(held_out[chosen], X[2000:][chosen], y[2000:][chosen])
    moderate = mean_log_loss(y[2000:][judged], learner.predict(held_out[judged]))
    assert moderate < 0.95 * sure


def test_a_module_trained_elsewhere_is_calibrated(generator):
    torch = pytest.importorskip("torch")
    X = generator.normal(size=(400, 2))
    y = (X[:, 0] + 0.5 * generator.normal(size=400) > 0).astype(float)
    module = torch.nn.Linear(2, 1)
    with torch.no_grad():
        # Sure of the second column, which tells nothing; so it is without the first.
        module.weight.copy_(torch.tensor([[4.0, 2.0]]))
        module.bias.zero_()
    learner = from_model(module, task=Task(2), seed=0, prefit=True)
    without = X * [0, 1]
    sure = mean_log_loss(y, learner.predict(without))
    learner.match_calibration(without, X, y)
    assert mean_log_loss(y, learner.predict(without)) < 0.9 * sure


def test_an_untrained_module_is_left_as_it_is(generator):
    torch = pytest.importorskip("torch")
    X, y = generator.normal(size=(40, 2)), generator.integers(0, 2, 40).astype(float)
    learner = from_model(torch.nn.Linear(2, 1), task=Task(2), seed=0)
    before = learner.predict(X)
    learner.match_calibration(X * [0, 1], X, y)
    np.testing.assert_array_equal(learner.predict(X), before)


def test_an_untrained_pipeline_is_left_as_it_is(generator):
    X, y = generator.normal(size=(40, 2)), generator.integers(0, 2, 40).astype(float)
    learner = from_model(make_pipeline(StandardScaler(), MLPClassifier()), task=Task(2), seed=0)
    learner.match_calibration(X * [0, 1], X, y)
    np.testing.assert_array_equal(learner.predict(X), 0.5)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_scores_of_several_classes_are_calibrated_to_the_end():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))
    codes = np.digitize(X[:, 0] + 0.7 * generator.normal(size=300), np.linspace(-1, 1, 4))
    scored = ScoredClassifier(SVC().fit(X, codes))
    scored.calibrate(X, codes)
    # As many steps as this need more than scikit-learn allows by default.
    assert scored._map.n_iter_ > LogisticRegression().max_iter
    # A maximum of the likelihood has the classes as often as they are.
    shares = np.bincount(codes) / len(codes)
    np.testing.assert_allclose(scored.predict_proba(X).mean(axis=0), shares, atol=1e-3)
