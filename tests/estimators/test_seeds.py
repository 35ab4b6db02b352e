"""An importance is a function of the data, the settings, the seed and its feature set alone."""

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import SGDRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw
from lukewarm.estimators import _prepared
from lukewarm.learners import ObliviousBoosting

pytestmark = pytest.mark.filterwarnings(
    "ignore::lukewarm.ImportanceWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def lightgbm():
    kind = pytest.importorskip("lightgbm").LGBMRegressor
    sampled = {"subsample": 0.5, "subsample_freq": 1, "min_child_samples": 2}
    return kind(n_jobs=1, num_leaves=4, verbose=-1, **sampled)


def xgboost():
    return pytest.importorskip("xgboost").XGBRegressor(n_jobs=1, max_depth=2, subsample=0.5)


def catboost():
    kind = pytest.importorskip("catboost").CatBoostRegressor
    return kind(
        depth=2, thread_count=1, bootstrap_type="Bernoulli", subsample=0.5, learning_rate=0.2
    )


def module_with_dropout():
    torch = pytest.importorskip("torch")
    return torch.nn.Sequential(
        torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1)
    )


def mlp():
    net = MLPRegressor(hidden_layer_sizes=(8,), learning_rate_init=0.02, batch_size=16)
    return make_pipeline(StandardScaler(), net)


def network():
    pytest.importorskip("torch")
    return "network"


def skorch():
    net = pytest.importorskip("skorch").NeuralNetRegressor
    return make_pipeline(StandardScaler(), net(module_with_dropout(), lr=0.05))


# All but the kernel machine draw at random while they are trained: rows, splits, the order of
# rows, or units.
ENGINES = {
    "boosting": lambda: ObliviousBoosting(2, subsample=0.5, random_strength=1.0),
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost,
    "hist_gradient_boosting": lambda: HistGradientBoostingRegressor(
        max_features=0.5, min_samples_leaf=2
    ),
    "gradient_boosting": lambda: GradientBoostingRegressor(max_depth=2, subsample=0.5),
    "mlp": mlp,
    "sgd": lambda: make_pipeline(StandardScaler(), SGDRegressor()),
    "network": network,
    "torch": module_with_dropout,
    "skorch": skorch,
    "kernel": lambda: "kernel",
}
RANDOM = [name for name in ENGINES if name != "kernel"]
# Fitted in one go, so they have no warm start.
FORESTS = {
    "random_forest": lambda: RandomForestRegressor(5, max_features=0.5),
    "extra_trees": lambda: ExtraTreesRegressor(5, max_features=0.5),
    "bagging": lambda: BaggingRegressor(n_estimators=5, max_features=0.7),
}
EVERY = {**ENGINES, **FORESTS}


@pytest.fixture(scope="module", name="linear")
def _linear():
    return lw.datasets.make_correlated_linear(n_samples=160, random_state=0)


def fit(data, model, features, **options):
    settings = {
        "inference": "paired",
        "cv": 2,
        "max_steps": 4,
        "patience": 4,
        "random_state": 1,
    }
    vi = lw.VariableImportance(model, features=features, **{**settings, **options})
    return vi.fit(data.X.to_numpy(), data.y.to_numpy()).result_


def influence_by_set(result):
    rows = zip(result.removed, result.reduced, strict=True)
    return {removed: result.full.influence - reduced.influence for removed, reduced in rows}


def assert_same_numbers(data, model, **options):
    """Check that other sets, their order, jobs and merging change no bit of an importance."""
    whole = fit(data, model, [0, 2, (0, 1)], **options)
    expected = influence_by_set(whole)
    assert all(np.ptp(influence) > 0 for influence in expected.values())
    first, second = (fit(data, model, [column], **options) for column in (0, 2))
    others = {
        "the other order": fit(data, model, [2, 0], **options),
        "alone": second,
        "two jobs": fit(data, model, [(0, 1), 0, 2], n_jobs=2, **options),
        "merged": lw.ImportanceResult.merge([second, first]),
    }
    for name, result in others.items():
        for removed, influence in influence_by_set(result).items():
            np.testing.assert_array_equal(influence, expected[removed], err_msg=name)
            number = whole.removed.index(removed)
            assert result.importance[result.removed.index(removed)] == whole.importance[number]
    return whole


@pytest.mark.parametrize("engine", ENGINES)
def test_what_else_is_asked_for_changes_no_bit_of_a_warm_start(linear, engine):
    whole = assert_same_numbers(linear, ENGINES[engine](), method="early_stopping")
    assert (whole.to_frame()["steps"] > 0).any()


@pytest.mark.parametrize("engine", EVERY)
def test_what_else_is_asked_for_changes_no_bit_of_a_projection(linear, engine):
    assert_same_numbers(linear, EVERY[engine](), method="projection")


@pytest.mark.parametrize("engine", EVERY)
def test_what_else_is_asked_for_changes_no_bit_of_the_defaults(linear, engine):
    assert_same_numbers(linear, EVERY[engine](), inference="auto", cv=None)


@pytest.mark.parametrize("engine", EVERY)
def test_what_else_is_asked_for_changes_no_bit_of_retraining(linear, engine):
    assert_same_numbers(linear, EVERY[engine](), method="retrain")


@pytest.mark.parametrize("method", ["kernel_flow", "lazy", "kernel_ridge", "one_step"])
def test_what_else_is_asked_for_changes_no_bit_of_a_closed_form(linear, method):
    assert_same_numbers(linear, network(), method=method)


@pytest.mark.parametrize("engine", ["boosting", "catboost", "torch"])
def test_what_else_is_asked_for_changes_no_bit_of_dropout(linear, engine):
    assert_same_numbers(linear, ENGINES[engine](), method="dropout")


@pytest.mark.parametrize("method", ["projection", "retrain"])
def test_what_else_is_asked_for_changes_no_bit_of_the_chosen_model(linear, method):
    assert_same_numbers(linear, "auto", method=method)


@pytest.mark.parametrize("engine", [*RANDOM, *FORESTS])
def test_the_seed_of_a_job_decides_what_its_model_draws(linear, engine, monkeypatch):
    method = "retrain" if engine in FORESTS else "early_stopping"

    def numbers():
        # Of several sets, for a warm start may take no step at all.
        result = fit(linear, EVERY[engine](), [0, 2, (0, 1)], method=method, symmetric=False)
        return result.full.influence, [reduced.influence for reduced in result.reduced]

    full, reduced = numbers()
    full_again, reduced_again = numbers()
    np.testing.assert_array_equal(full_again, full)
    np.testing.assert_array_equal(reduced_again, reduced)
    # Rows and full models are the same: what differs is drawn while the reduced model is trained.
    seed_of = _prepared.derived_seed
    monkeypatch.setattr(_prepared, "derived_seed", lambda *key: seed_of(*key) // 2)
    full_again, reduced_otherwise = numbers()
    np.testing.assert_array_equal(full_again, full)
    assert not np.array_equal(reduced_otherwise, reduced)


def test_every_set_and_fold_draws_from_a_seed_of_its_own(linear, monkeypatch):
    seeds, copy = [], ObliviousBoosting.copy

    def recorded(self, seed=None):
        seeds.extend([] if seed is None else [seed])
        return copy(self, seed)

    monkeypatch.setattr(ObliviousBoosting, "copy", recorded)
    fit(linear, ENGINES["boosting"](), [0, 2], method="early_stopping")
    # Two sets and the full model's own continuation, in each of two folds.
    assert len(set(seeds)) == 6
