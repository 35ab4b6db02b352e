"""Models of quantiles, counts and amounts through the front."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    GammaRegressor,
    HuberRegressor,
    LinearRegression,
    PoissonRegressor,
    QuantileRegressor,
    TweedieRegressor,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import lukewarm as lw
from lukewarm.exceptions import UnknownLossWarning
from lukewarm.results import HealthWarning, UntrainedWarning

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{HealthWarning.__module__}.HealthWarning"),
    pytest.mark.filterwarnings(f"error::{UntrainedWarning.__module__}.UntrainedWarning"),
]


def lightgbm(**settings):
    kind = pytest.importorskip("lightgbm").LGBMRegressor
    return kind(n_jobs=1, verbose=-1, num_leaves=8, **settings)


def xgboost(**settings):
    return pytest.importorskip("xgboost").XGBRegressor(
        n_jobs=1, max_depth=3, learning_rate=0.1, **settings
    )


def catboost(loss):
    kind = pytest.importorskip("catboost").CatBoostRegressor
    return kind(loss_function=loss, depth=3, iterations=150, learning_rate=0.1, thread_count=1)


def histograms(**settings):
    return HistGradientBoostingRegressor(max_leaf_nodes=8, **settings)


QUANTILE = {
    "lightgbm": lambda: lightgbm(objective="quantile", alpha=0.9),
    "xgboost": lambda: xgboost(objective="reg:quantileerror", quantile_alpha=0.9),
    "catboost": lambda: catboost("Quantile:alpha=0.9"),
    "histograms": lambda: histograms(loss="quantile", quantile=0.9),
    "exact": lambda: GradientBoostingRegressor(loss="quantile", alpha=0.9, max_depth=2),
    "pipeline": lambda: make_pipeline(
        StandardScaler(),
        histograms(loss="quantile", quantile=0.9),
    ),
}
COUNTS = {
    "lightgbm": lambda: lightgbm(objective="poisson"),
    "xgboost": lambda: xgboost(objective="count:poisson"),
    "catboost": lambda: catboost("Poisson"),
    "histograms": lambda: histograms(loss="poisson"),
}


# The least pinball loss of a normal variable with unit spread is its density at the quantile.
LOSS_PER_SPREAD = norm.pdf(norm.ppf(0.9))


@pytest.fixture(scope="module", name="linear")
def _linear():
    """2 x0 + x1 / 2 + noise of spread 1 / 2: the spread of what is left is known for every set."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(3000, 3))
    return X, 2 * X[:, 0] + 0.5 * X[:, 1] + 0.5 * generator.normal(size=3000)


@pytest.fixture(scope="module", name="counts")
def _counts():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(2000, 3))
    return X, generator.poisson(np.exp(0.6 * X[:, 0] + 0.3 * X[:, 1])).astype(float)


def warm_result(model, X, y):
    vi = lw.VariableImportance(model, "early_stopping", inference="paired", random_state=0)
    return vi.fit(X, y).result_


@pytest.mark.parametrize("name", QUANTILE)
def test_quantile_models_are_trained_stopped_and_measured_by_their_pinball_loss(name, linear):
    X, y = linear
    warm = warm_result(QUANTILE[name](), X, y)
    assert warm.measure == "pinball(0.9)"
    least, without = 0.5 * LOSS_PER_SPREAD, np.sqrt([4.25, 0.5, 0.25]) * LOSS_PER_SPREAD
    # Trees of this size are some 40 % above the least loss on 1700 rows.
    assert least * 0.9 < -warm.full.value < 1.5 * least
    np.testing.assert_allclose(warm.importance, without - least, atol=0.4 * least)


@pytest.mark.parametrize("name", COUNTS)
def test_count_models_are_measured_by_their_deviance(name, counts):
    X, y = counts
    result = warm_result(COUNTS[name](), X, y)
    assert result.measure == "poisson_deviance"
    # The deviance of counts with mean 1 around their true mean is about 1.1.
    assert -result.full.value < 1.25
    assert result.importance[0] > 0.3
    assert abs(result.importance[2]) < 0.02


def test_a_measure_that_is_asked_for_is_taken(linear):
    X, y = linear
    vi = lw.VariableImportance(
        QUANTILE["histograms"](), "dropout", "neg_mae", random_state=0, inference="paired"
    )
    assert vi.fit(X, y).result_.measure == "neg_mae"


def test_shapley_values_start_from_the_best_constant(linear):
    X, y = linear
    model = QUANTILE["histograms"]()
    sv = lw.ShapleyImportance(
        model, solver="exact", random_state=0, method="early_stopping", inference="paired"
    ).fit(X, y)
    assert sv.result_.measure == "pinball(0.9)"
    numbers = sv._prepared.numbers
    train = np.setdiff1d(np.arange(len(y)), numbers)
    constant = np.quantile(y[train], 0.9)
    skill = lw.measures.Pinball(0.9).evaluate(y[numbers], np.full(len(numbers), constant)).value
    least = sv.result_.values[list(sv.result_.coalitions).index(())]
    # The stopping rows have no part in the model's constant.
    assert least == pytest.approx(skill, abs=0.01)


@pytest.mark.parametrize("name", COUNTS)
def test_targets_outside_an_objectives_domain_are_refused(name, counts):
    X, y = counts
    with pytest.raises(ValueError, match=r"y does not suit the model's objective.*row 0 has -"):
        lw.VariableImportance(COUNTS[name](), method="early_stopping", inference="paired").fit(
            X, y - y[0] - 1
        )


def test_a_measure_outside_its_domain_is_refused(linear):
    X, y = linear
    with pytest.raises(ValueError, match="'gamma_deviance' needs a target above zero"):
        lw.VariableImportance(
            measure="gamma_deviance", model="boosting", method="early_stopping", inference="paired"
        ).fit(X, y)
    with pytest.raises(ValueError, match="'poisson_deviance' needs a target of zero or more"):
        lw.importance_from_predictions(y, y, y, "poisson_deviance")


class HalfSquares:
    """An objective of the user's, as CatBoost takes them."""

    def calc_ders_range(self, approxes, targets, weights):
        derivatives = []
        for row in range(len(targets)):  # CatBoost compiles this
            derivatives.append((targets[row] - approxes[row], -1.0))
        return derivatives


def test_a_loss_of_the_users_is_stopped_by_squared_error_and_said_to_be(linear):
    X, y = linear
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostRegressor(
        loss_function=HalfSquares(), eval_metric="RMSE", iterations=5, learning_rate=0.3
    )
    vi = lw.VariableImportance(model, "dropout", features=[0], random_state=0, inference="paired")
    with pytest.warns(UnknownLossWarning, match="decided by squared error"):
        vi.fit(X[:300], y[:300])
    assert vi.result_.measure == "neg_mse"


@pytest.mark.parametrize(
    ("model", "measure"),
    [
        (QuantileRegressor(quantile=0.9, alpha=0), "pinball(0.9)"),
        (HuberRegressor(), "neg_mae"),
        (PoissonRegressor(), "poisson_deviance"),
        (GammaRegressor(), "gamma_deviance"),
        (TweedieRegressor(power=1.5, link="log"), "tweedie_deviance(1.5)"),
        (TweedieRegressor(power=0), "neg_mse"),
        (SVR(), "neg_mse"),
        (RandomForestRegressor(10, criterion="absolute_error", min_samples_leaf=20), "neg_mae"),
        (RandomForestRegressor(10, criterion="poisson", min_samples_leaf=20), "poisson_deviance"),
        (RandomForestRegressor(10, min_samples_leaf=20), "neg_mse"),
        (KNeighborsRegressor(), "neg_mse"),
        (LinearRegression(), "neg_mse"),
        (make_pipeline(StandardScaler(), PoissonRegressor()), "poisson_deviance"),
    ],
    ids=str,
)
def test_estimators_fitted_in_one_go_are_measured_by_their_own_loss(model, measure, counts):
    X, y = counts
    vi = lw.VariableImportance(model, "retrain", inference="paired", random_state=0)
    result = vi.fit(X[:1200], y[:1200] + 1).result_
    assert result.measure == measure
    assert result.importance[0] > max(result.importance[2], 0)


@pytest.mark.parametrize("by_default", ["PoissonNLLLoss", "L1Loss", "MSELoss"])
def test_skorch_nets_are_stopped_and_measured_by_their_own_loss(by_default, counts):
    torch, skorch = pytest.importorskip("torch"), pytest.importorskip("skorch")
    X, y = counts
    net = skorch.NeuralNetRegressor(
        torch.nn.Linear,
        module__in_features=3,
        module__out_features=1,
        criterion=getattr(torch.nn, by_default),
        lr=0.05,
        max_epochs=40,
        verbose=0,
    )
    vi = lw.VariableImportance(net, "early_stopping", inference="paired", random_state=0)
    result = vi.fit(X[:600].astype("float32"), y[:600]).result_
    own = {"PoissonNLLLoss": "poisson_deviance", "L1Loss": "neg_mae", "MSELoss": "neg_mse"}
    assert result.measure == own[by_default]
    assert result.importance[0] > 0.05
    if by_default == "PoissonNLLLoss":
        # The deviance of counts with mean 1 around their true mean is about 1.1.
        assert -result.full.value < 1.4
