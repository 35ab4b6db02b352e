"""What engines are trained on is what stops them, on the scale of the target."""

import importlib
import inspect
import pickle

import numpy as np
import pytest

from lukewarm.data import Rows
from lukewarm.learners import from_model, train_until
from lukewarm.learners._objectives import OBJECTIVES, objective_of
from lukewarm.measures import Task
from lukewarm.stopping import Patience

SETTINGS = {
    "LightGBM": ("lightgbm", "LGBMRegressor", {"min_child_samples": 5, "n_jobs": 1, "verbose": -1}),
    "XGBoost": ("xgboost", "XGBRegressor", {"max_depth": 3, "n_jobs": 1}),
    "CatBoost": (
        "catboost",
        "CatBoostRegressor",
        {"depth": 3, "random_strength": 0, "bootstrap_type": "No", "thread_count": 1, "verbose": 0},
    ),
    "HistGradientBoosting": (
        "sklearn.ensemble",
        "HistGradientBoostingRegressor",
        {"min_samples_leaf": 5, "early_stopping": False},
    ),
    "GradientBoosting": ("sklearn.ensemble", "GradientBoostingRegressor", {"random_state": 0}),
    "SGD": ("sklearn.linear_model", "SGDRegressor", {"random_state": 0}),
    "MLP": ("sklearn.neural_network", "MLPRegressor", {"learning_rate_init": 0.01}),
}
BOOSTERS = ("LightGBM", "XGBoost", "CatBoost", "HistGradientBoosting", "GradientBoosting")
TREES = {"LightGBM": "n_estimators", "XGBoost": "n_estimators", "CatBoost": "iterations"}
TREES |= {"HistGradientBoosting": "max_iter", "GradientBoosting": "n_estimators"}
# Where an objective has a number, one that is not its default.
NUMBERS = {
    ("LightGBM", "quantile"): {"alpha": 0.8},
    ("LightGBM", "huber"): {"alpha": 0.7},
    ("LightGBM", "tweedie"): {"tweedie_variance_power": 1.3},
    ("XGBoost", "reg:quantileerror"): {"quantile_alpha": 0.8},
    ("XGBoost", "reg:pseudohubererror"): {"huber_slope": 2.0},
    ("XGBoost", "reg:tweedie"): {"tweedie_variance_power": 1.3},
    ("HistGradientBoosting", "quantile"): {"quantile": 0.8},
    ("GradientBoosting", "quantile"): {"alpha": 0.8},
}
CATBOOST_NUMBERS = {
    "Quantile": ":alpha=0.8",
    "Huber": ":delta=0.7",
    "Expectile": ":alpha=0.8",
    "Lq": ":q=1.5",
    "Tweedie": ":variance_power=1.3",
}
CASES = [(engine, name) for engine, table in OBJECTIVES.items() for name in table]
BOOSTED = [case for case in CASES if case[0] in BOOSTERS]


def make(engine, name, **settings):
    module, kind, fixed = SETTINGS[engine]
    if engine not in ("SGD", "MLP"):
        fixed = {**fixed, "learning_rate": 0.2}
    model = getattr(pytest.importorskip(module), kind)
    key = {"LightGBM": "objective", "XGBoost": "objective", "CatBoost": "loss_function"}
    if engine == "CatBoost":
        name += CATBOOST_NUMBERS.get(name, "")
    elif engine == "MLP" and "loss" not in inspect.signature(model).parameters:
        pytest.skip("MLPs older than scikit-learn 1.7 know squared error only")
    numbers = NUMBERS.get((engine, name), {})
    return model(**{**fixed, key.get(engine, "loss"): name, **numbers, **settings})


@pytest.fixture(scope="module", name="X")
def features():
    return np.random.default_rng(0).normal(size=(400, 3))


@pytest.fixture(scope="module")
def y(X):
    """Amounts in (0, 1], so that every objective is defined for them."""
    noise = np.random.default_rng(1).gamma(5.0, 1 / 5.0, size=len(X))
    amount = np.exp(0.8 * X[:, 0] + 0.4 * X[:, 1]) * noise
    return amount / amount.max()


@pytest.mark.parametrize(("engine", "name"), CASES)
def test_training_lowers_the_loss_that_stops_it(engine, name, X, y):
    learner = from_model(make(engine, name), task=Task(), seed=0)
    target = y if name == "reg:logistic" else 20 * y
    best = learner.measure.best_constant(target)
    learner.advance(X, target, 60)
    loss = learner.loss(target, learner.predict(X), None)
    assert loss == learner.measure.mean_loss(target, learner.predict(X))
    # The entropy of shares is not zero where they are predicted exactly.
    least = learner.measure.mean_loss(target, target)
    untrained = learner.measure.mean_loss(target, np.full(len(y), best))
    assert loss - least < 0.8 * (untrained - least)


@pytest.mark.parametrize(("engine", "name"), BOOSTED)
def test_predictions_are_those_of_the_library(engine, name, X, y):
    target = y if name == "reg:logistic" else 20 * y
    fitted = make(engine, name, **{TREES[engine]: 15}).fit(X, target)
    learner = from_model(fitted, task=Task(), seed=0, prefit=True)
    assert np.ptp(fitted.predict(X)) > 0.1 * np.ptp(target) or name == "reg:logistic"
    np.testing.assert_allclose(learner.predict(X), fitted.predict(X), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(("engine", "name"), BOOSTED)
def test_going_on_from_margins_equals_going_on(engine, name, X, y):
    target = y if name == "reg:logistic" else 20 * y
    at_once = from_model(make(engine, name), task=Task(), seed=0)
    at_once.advance(X, target, 15)
    begun = from_model(make(engine, name), task=Task(), seed=0)
    begun.advance(X, target, 9)
    copied = pickle.loads(pickle.dumps(begun.copy()))
    copied.advance(X, target, 6)
    assert not np.allclose(copied.predict(X), begun.predict(X), rtol=1e-3)
    # Single precision of margins, for a target that ranges to 20. Where a row lies on the quantile
    # to the bit, rounding decides the sign of its gradient, so a few rows may differ.
    apart = np.abs(copied.predict(X) - at_once.predict(X))
    assert np.quantile(apart, 0.95) < 1e-4


@pytest.mark.parametrize(
    ("engine", "name", "expected"),
    [
        ("LightGBM", "quantile", "pinball(0.8)"),
        ("LightGBM", "mae", "neg_mae"),
        ("LightGBM", "huber", "huber(0.7)"),
        ("LightGBM", "tweedie", "tweedie_deviance(1.3)"),
        ("XGBoost", "reg:quantileerror", "pinball(0.8)"),
        ("XGBoost", "reg:pseudohubererror", "pseudo_huber(2)"),
        ("XGBoost", "count:poisson", "poisson_deviance"),
        ("CatBoost", "Quantile", "pinball(0.8)"),
        ("CatBoost", "Huber", "huber(0.7)"),
        ("CatBoost", "Tweedie", "tweedie_deviance(1.3)"),
        ("HistGradientBoosting", "quantile", "pinball(0.8)"),
        ("HistGradientBoosting", "gamma", "gamma_deviance"),
        ("GradientBoosting", "quantile", "pinball(0.8)"),
        ("GradientBoosting", "huber", "neg_mae"),
        ("SGD", "huber", "huber(0.1)"),
    ],
)
def test_numbers_of_an_objective_are_read_where_the_engine_keeps_them(engine, name, expected):
    learner = from_model(make(engine, name), task=Task(), seed=0)
    assert learner.measure.name == expected


def test_an_unknown_objective_names_the_known_ones():
    with pytest.raises(ValueError, match=r"objective='survival:cox'.*reg:quantileerror"):
        objective_of("XGBoost", "survival:cox", {})
    with pytest.raises(ValueError, match="a function for its objective"):
        objective_of("LightGBM", len, {})


def test_several_quantiles_are_refused():
    with pytest.raises(ValueError, match=r"one quantile; got quantile_alpha=\[0.1, 0.9\]"):
        objective_of("XGBoost", "reg:quantileerror", {"quantile_alpha": [0.1, 0.9]})


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    def learner(self, torch, loss, **settings):
        module = torch.nn.Sequential(
            torch.nn.Linear(3, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
        )
        kind = importlib.import_module("lukewarm.learners").TorchLearner
        return kind(module, loss=loss, learning_rate=0.01, **settings).fresh(0)

    @pytest.mark.parametrize(
        ("loss", "expected"),
        [
            ("MSELoss", "neg_mse"),
            ("L1Loss", "neg_mae"),
            ("HuberLoss", "neg_mae"),
            ("SmoothL1Loss", "neg_mae"),
            ("PoissonNLLLoss", "poisson_deviance"),
        ],
    )
    def test_losses_of_torch_have_their_measure(self, torch, X, y, loss, expected):
        learner = self.learner(torch, getattr(torch.nn, loss)())
        assert learner.measure.name == expected
        rows = Rows(X[:300], 20 * y[:300]), Rows(X[300:], 20 * y[300:])
        trained, trace = train_until(learner, *rows, Patience(5), 60)
        assert trace.losses[trace.stopped_step] < 0.5 * trace.losses[0]
        constant = np.full(100, learner.measure.best_constant(rows[0].y))
        skill = learner.measure.evaluate(rows[1].y, trained.predict(rows[1].X)).value
        assert skill > 0.7 * learner.measure.evaluate(rows[1].y, constant).value

    def test_a_huber_loss_on_the_scale_of_y_keeps_its_delta(self, torch):
        learner = self.learner(torch, torch.nn.HuberLoss(delta=2.5), standardize=False)
        assert learner.measure.name == "huber(2.5)"

    def test_a_loss_that_needs_a_variance_is_refused(self, torch):
        with pytest.raises(TypeError, match="needs a variance for every row"):
            self.learner(torch, torch.nn.GaussianNLLLoss())
