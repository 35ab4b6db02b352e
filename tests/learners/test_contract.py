"""What every learner promises, checked on every engine.

``python tests/learners/test_contract.py`` writes the table of docs/engines.md anew.
"""

import importlib
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import pipeline
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import lukewarm as lw
from lukewarm.data import Removal, Rows
from lukewarm.learners import (
    AutoLearner,
    BasedBoosting,
    BaseLearner,
    KernelMachine,
    ObliviousBoosting,
    from_model,
    train_until,
)
from lukewarm.learners._objectives import OBJECTIVES
from lukewarm.learners._registry import ENTRIES, REFIT_ONLY
from lukewarm.learners.boosting import BASES
from lukewarm.learners.kernel._estimator import KernelMachineEstimator
from lukewarm.measures import Task, mean_log_loss, mean_squared_error
from lukewarm.stopping import Patience
from lukewarm.testing import check_learner

EXACT = 1e-10


@dataclass(frozen=True)
class Engine:
    """An engine and how to make a small, deterministic model of it.

    `tolerance` is for two routes to the same model; margins in double precision agree to 1e-10,
    engines that keep margins in single precision to a few of their units. The table in
    docs/engines.md is made of those with a `title`: `prefit` makes a model that a user trains,
    `named` are settings that name column "c" as one of levels, `falling` those by which predictions
    fall with the first column; `by_name` says that these may name it.
    """

    needs: str
    make: Callable
    tolerance: float = EXACT
    takes_weights: bool = True
    knows_its_columns: bool = True
    title: str = ""
    prefit: Callable | None = None
    named: dict = field(default_factory=dict)
    falling: dict = field(default_factory=dict)
    by_name: bool = False
    objectives: str = ""

    def model(self, n_classes=None):
        pytest.importorskip(self.needs, reason=f"{self.needs} is not installed")
        return self.make(n_classes)

    def learner(self, n_classes=None, seed=0):
        return from_model(self.model(n_classes), task=Task(n_classes), seed=seed)


def estimator(module, kind, **settings):
    def make(n_classes):
        name = f"{kind}{'Regressor' if n_classes is None else 'Classifier'}"
        model = getattr(importlib.import_module(module), name)(**settings)
        return model.set_params(loss="log_loss") if name == "SGDClassifier" else model

    return make


def pipeline_ending_in(make):
    def make_pipeline(n_classes):
        return pipeline.make_pipeline(StandardScaler(), make(n_classes))

    return make_pipeline


def torch_module(n_classes):
    import torch

    n_outputs = n_classes if n_classes is not None and n_classes > 2 else 1
    return torch.nn.Sequential(
        torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, n_outputs)
    )


def skorch_net(n_classes):
    import skorch
    import torch

    settings = {"lr": 0.02, "batch_size": 16, "optimizer": torch.optim.Adam}
    if n_classes is None:
        return skorch.NeuralNetRegressor(torch_module(None), **settings)
    return skorch.NeuralNetClassifier(
        torch_module(max(n_classes, 3)), criterion=torch.nn.CrossEntropyLoss, **settings
    )


def oblivious(n_classes):
    return importlib.import_module("lukewarm.learners").ObliviousBoostingRegressor()


CATBOOST = estimator(
    "catboost",
    "CatBoost",
    depth=3,
    learning_rate=0.2,
    random_strength=0,
    bootstrap_type="No",
    thread_count=1,
)
LIGHTGBM = estimator(
    "lightgbm", "LGBM", num_leaves=8, learning_rate=0.2, n_jobs=1, min_child_samples=5
)
XGBOOST = estimator("xgboost", "XGB", max_depth=3, learning_rate=0.2, n_jobs=1)
HISTOGRAMS = estimator(
    "sklearn.ensemble",
    "HistGradientBoosting",
    max_leaf_nodes=8,
    learning_rate=0.2,
    min_samples_leaf=5,
)
EXACT_TREES = estimator("sklearn.ensemble", "GradientBoosting", max_depth=3, learning_rate=0.2)
MLP = estimator(
    "sklearn.neural_network",
    "MLP",
    hidden_layer_sizes=(16,),
    learning_rate_init=0.02,
    batch_size=32,
)
KERNEL = estimator("lukewarm.learners.kernel", "KernelMachine", ard=False)
SGD = estimator("sklearn.linear_model", "SGD")

# Since scikit-learn 1.7.
MLP_TAKES_WEIGHTS = "sample_weight" in signature(MLPRegressor.partial_fit).parameters
# The losses of torch.nn that test_objectives.py tries.
TORCH_LOSSES = "squared error; `L1Loss`, `HuberLoss`, `SmoothL1Loss`, `PoissonNLLLoss`"
ENGINES = {
    "boosting": Engine("numba", lambda n_classes: "boosting", title='"boosting"', prefit=oblivious),
    "network": Engine("torch", lambda n_classes: "network", title='"network"'),
    # A kernel machine solves the same equations in another order of the rows.
    "kernel": Engine("sklearn", KERNEL, title='"kernel"', tolerance=1e-8),
    "torch": Engine(
        "torch", torch_module, title="torch module", prefit=torch_module, objectives=TORCH_LOSSES
    ),
    # Baselines are kept in single precision, as are XGBoost's margins.
    "catboost": Engine(
        "catboost",
        CATBOOST,
        tolerance=1e-6,
        title="CatBoost",
        prefit=CATBOOST,
        named={"cat_features": ["c"]},
        falling={"monotone_constraints": [-1, 0, 0, 0]},
    ),
    "lightgbm": Engine(
        "lightgbm",
        LIGHTGBM,
        title="LightGBM",
        prefit=LIGHTGBM,
        falling={"monotone_constraints": [-1, 0, 0, 0]},
    ),
    "xgboost": Engine(
        "xgboost",
        XGBOOST,
        tolerance=2e-5,
        title="XGBoost",
        prefit=XGBOOST,
        falling={"monotone_constraints": (-1, 0, 0, 0)},
        by_name=True,
    ),
    "hist_gradient_boosting": Engine(
        "sklearn",
        HISTOGRAMS,
        title="HistGradientBoosting",
        prefit=HISTOGRAMS,
        named={"categorical_features": ["c"]},
        falling={"monotonic_cst": [-1, 0, 0, 0]},
        by_name=True,
    ),
    "gradient_boosting": Engine(
        "sklearn", EXACT_TREES, title="GradientBoosting", prefit=EXACT_TREES
    ),
    "mlp": Engine("sklearn", MLP, takes_weights=MLP_TAKES_WEIGHTS, title="MLP", prefit=MLP),
    "sgd": Engine("sklearn", SGD, title="SGD", prefit=SGD),
    "skorch": Engine("skorch", skorch_net, takes_weights=False, title="skorch", prefit=skorch_net),
    "pipeline_of_trees": Engine(
        "lightgbm",
        pipeline_ending_in(LIGHTGBM),
        knows_its_columns=False,
        title="Pipeline",
        prefit=pipeline_ending_in(LIGHTGBM),
        objectives="as its model",
    ),
    "pipeline_of_torch": Engine("torch", pipeline_ending_in(torch_module), knows_its_columns=False),
    "pipeline_of_epochs": Engine(
        "sklearn",
        pipeline_ending_in(MLP),
        knows_its_columns=False,
        takes_weights=MLP_TAKES_WEIGHTS,
        prefit=pipeline_ending_in(MLP),
    ),
}


@pytest.fixture(params=list(ENGINES))
def engine(request):
    return ENGINES[request.param]


@pytest.fixture(scope="module", name="X")
def features():
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]  # what one of them loses, the other can take over
    return X


@pytest.fixture(scope="module")
def y(X):
    noise = np.random.default_rng(1).normal(scale=0.1, size=len(X))
    return X[:, 0] + 0.5 * X[:, 1] + 0.3 * X[:, 2] + noise


def class_codes(y, n_classes):
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)


def close(engine, left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=engine.tolerance)


class TestLearnerContract:
    @pytest.mark.parametrize("n_classes", [None, 2, 3])
    def test_it_keeps_what_every_learner_promises(self, engine, X, y, n_classes):
        X, y = X[:150], y[:150]
        target = y if n_classes is None else class_codes(y, n_classes)
        check_learner(
            engine.learner(n_classes), X, target, n_classes=n_classes, tolerance=engine.tolerance
        )

    def test_steps_are_counted_and_lower_the_training_loss(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 15)
        assert learner.n_steps == 15
        assert mean_squared_error(y, learner.predict(X)) < 0.5 * np.var(y)

    def test_fresh_learner_forgets_the_training(self, engine, X, y):
        trained = engine.learner()
        trained.advance(X, y, 10)
        fresh, new = trained.fresh(5), engine.learner(seed=5)
        assert fresh.n_steps == 0
        fresh.advance(X, y, 10)
        new.advance(X, y, 10)
        np.testing.assert_array_equal(fresh.predict(X), new.predict(X))

    def test_training_goes_on_under_other_rows(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 20)
        X_removed = X.copy()
        X_removed[:, 0] = X[:, 0].mean()
        dropped = mean_squared_error(y, learner.predict(X_removed))
        learner.advance(X_removed, y, 20)
        assert mean_squared_error(y, learner.predict(X_removed)) < 0.9 * dropped

    def test_lengthened_steps_are_longer_and_leave_the_others_alone(self, engine, X, y):
        learner = engine.learner()
        if not learner.traits.has_learning_rate:
            pytest.skip("the engine's steps have one length")
        learner.advance(X, y, 4)
        before = learner.predict(X)
        usual, longer, tiny = learner.copy(), learner.copy(), learner.copy()
        longer.scale_learning_rate(2.0)
        tiny.scale_learning_rate(1e-4)
        np.testing.assert_array_equal(longer.predict(X), before)
        for each in (usual, longer, tiny):
            each.advance(X, y, 1)
        assert np.ptp(tiny.predict(X) - before) < 0.01 * np.ptp(usual.predict(X) - before)
        if not learner.traits.is_staged:
            return  # an epoch is many steps, each from where the last led
        # One tree on the same gradients splits alike; only the length differs. Classifiers'
        # leaves and those of other losses need not, so this is about regression.
        close(engine, longer.predict(X) - before, 2 * (usual.predict(X) - before))
        assert np.ptp(usual.predict(X) - before) > 0.01

    def test_a_removed_column_is_imputed_by_its_copy(self, engine, X, y):
        learner = engine.learner()
        if not learner.traits.imputes:
            pytest.skip("the engine imputes nothing")
        table = X.copy()
        table[:, 3] = table[:, 0]
        (dataset,) = learner.datasets(table)
        learner.advance(dataset, y, 15)
        held = Rows(dataset, y).without((0,), Removal.learn(table)).X
        whole, dropped = learner.predict(dataset), learner.predict(held)
        imputed = learner.copy()
        imputed.impute_conditionally(held, dataset)
        assert mean_squared_error(whole, dropped) > 0.1, "the column counts"
        # The guess is shrunk and, in trees, the bin of it: near, and not the same.
        assert mean_squared_error(whole, imputed.predict(held)) < 0.1 * mean_squared_error(
            whole, dropped
        )
        np.testing.assert_array_equal(learner.predict(held), dropped)

    def test_weights_decide_which_rows_count(self, engine, X, y):
        light = np.where(X[:, 0] > 0, 1.0, 1e-3)
        target = np.where(X[:, 0] > 0, y, -y)
        flipped = X.copy()
        flipped[:, 0] = 0.0  # the two halves contradict each other
        weighted, plain = engine.learner(), engine.learner()
        if not engine.takes_weights:
            with pytest.raises(TypeError, match="sample_weight"):
                weighted.advance(flipped, target, 20, light)
            return
        weighted.advance(flipped, target, 20, light)
        plain.advance(flipped, target, 20)
        heavy = X[:, 0] > 0
        errors = [
            mean_squared_error(target[heavy], learner.predict(flipped)[heavy])
            for learner in (weighted, plain)
        ]
        assert errors[0] < 0.8 * errors[1]

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_classifier_gives_probabilities_that_improve(self, engine, X, y, n_classes):
        codes = class_codes(y, n_classes)
        learner = engine.learner(n_classes)
        learner.advance(X, codes, 15)
        probability = learner.predict(X)
        assert probability.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
        if n_classes > 2:
            np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-6)
        assert ((probability >= 0) & (probability <= 1)).all()
        assert mean_log_loss(codes, probability) < 0.7 * np.log(n_classes)
        assert learner.loss(codes, probability, None) == mean_log_loss(codes, probability)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_a_calibrated_classifier_is_a_model_like_any_other(self, engine, X, y, n_classes):
        codes, learner = class_codes(y, n_classes), calibrating(engine.learner(n_classes))
        learner.advance(X, codes, 12)
        sure = learner.predict(X)
        learner.match_calibration(X, X, codes)
        close(engine, learner.predict(X), sure)
        X_removed = X.copy()
        X_removed[:, 0] = X[:, 0].mean()
        before = mean_log_loss(codes, learner.predict(X_removed))
        learner.match_calibration(X_removed, X, codes)
        start = learner.predict(X_removed)
        assert learner.n_steps == 12
        assert mean_log_loss(codes, start) < 1.02 * before
        learner.advance(X_removed, codes, 4)
        assert not np.allclose(learner.predict(X_removed), start)
        if not learner.traits.is_staged:
            return
        stages = learner.staged_predict(X_removed, 12)
        close(engine, stages[0], start)
        close(engine, stages[-1], learner.predict(X_removed))
        close(engine, learner.copy().staged_predict(X_removed, 9)[3], start)
        learner.rewind(12)
        close(engine, learner.predict(X_removed), start)

    def test_calibration_outlasts_what_the_learner_remembers_of_its_rows(self, engine, X, y):
        codes, learner = class_codes(y, 2), calibrating(staged(engine.learner(2)))
        learner.advance(X, codes, 12)
        sure, reminded, anew = learner.predict(X), learner, learner.copy()
        X_removed = X.copy()
        X_removed[:, 0] = X[:, 0].mean()
        for each in (reminded, anew):
            each.match_calibration(X_removed, X, codes)
        assert np.abs(anew.predict(X) - sure).max() > 1e-3
        close(engine, reminded.predict(X), anew.predict(X))
        for each in (reminded, anew):
            each.advance(X, codes, 3)
        close(engine, reminded.predict(X), anew.predict(X))

    def test_calibration_is_for_classes(self, engine, X, y):
        learner = calibrating(engine.learner())
        learner.advance(X, y, 5)
        before = learner.predict(X)
        learner.match_calibration(X[:, ::-1], X, y)
        np.testing.assert_array_equal(learner.predict(X), before)

    def test_copies_trained_beside_each_other_equal_those_trained_alone(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 5)

        def train(column):
            X_removed = X.copy()
            X_removed[:, column] = 0.0
            copied = learner.copy(column)
            copied.advance(X_removed, y, 8)
            return copied.predict(X_removed)

        alone = [train(column) for column in range(4)]
        with ThreadPoolExecutor(2) as pool:
            beside = list(pool.map(train, range(4)))
        np.testing.assert_array_equal(alone, beside)

    def test_a_trained_learner_survives_pickling(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 6)
        learner.copy().advance(X, y, 2)
        copied = pickle.loads(pickle.dumps(learner.copy()))
        np.testing.assert_array_equal(copied.predict(X), learner.predict(X))
        copied.advance(X, y, 3)
        assert copied.n_steps == 9

    def test_missing_values_are_taken_where_promised(self, engine, X, y):
        learner = engine.learner()
        if not (learner.traits.accepts_missing and engine.knows_its_columns):
            pytest.skip("the engine promises nothing for missing values")
        gappy = X.copy()
        gappy[::7, 0] = np.nan
        learner.advance(gappy, y, 15)
        assert mean_squared_error(y, learner.predict(gappy)) < 0.5 * np.var(y)

    def test_categories_are_taken_where_promised(self, engine, X, y):
        learner = engine.learner()
        if not (learner.traits.accepts_categories and engine.knows_its_columns):
            pytest.skip("the engine promises nothing for categories")
        level = np.random.default_rng(2).integers(3, size=len(X))
        frame = pd.DataFrame(X[:, 1:], columns=["b", "c", "d"])
        frame["kind"] = pd.Categorical(np.array(["u", "v", "w"], dtype=object)[level])
        frame.loc[::11, "kind"] = np.nan
        target = np.array([0.0, 3.0, -2.0])[level] + y
        learner.advance(frame, target, 20)
        assert mean_squared_error(target, learner.predict(frame)) < 0.4 * np.var(target)
        copied = learner.copy()
        copied.advance(frame.assign(kind=constant_level(frame["kind"], "v")), target, 5)
        assert np.isfinite(copied.predict(frame)).all()

    @pytest.mark.parametrize("n_classes", [None, 2])
    def test_the_users_model_is_left_alone(self, engine, X, y, n_classes):
        model = engine.model(n_classes)
        if not hasattr(model, "get_params"):
            pytest.skip("not an estimator")
        target = y if n_classes is None else class_codes(y, 2)
        settings = described(model.get_params())
        learner = from_model(model, task=Task(n_classes), seed=0)
        learner.advance(X, target, 5)
        assert described(model.get_params()) == settings
        assert not is_fitted(model[0] if isinstance(model, pipeline.Pipeline) else model)

    def test_stops_at_the_best_step_of_the_stopping_rows(self, engine, X, y):
        train, stopping = Rows(X[:200], y[:200]), Rows(X[200:], y[200:])
        learner, trace = train_until(engine.learner(), train, stopping, Patience(5), 60)
        assert trace.losses[trace.stopped_step] < 0.5 * trace.losses[0]
        assert learner.n_steps == trace.stopped_step
        assert mean_squared_error(stopping.y, learner.predict(stopping.X)) == pytest.approx(
            trace.losses[trace.stopped_step], abs=max(1e-12, engine.tolerance)
        )

    def test_a_trained_model_stands_where_it_stood_and_goes_on(self, engine, X, y):
        if engine.prefit is None:
            pytest.skip("the engine has no models of the user's")
        engine.model()
        model = engine.prefit(None)
        is_module = not hasattr(model, "fit")
        rows = X.astype(np.float32)
        if not is_module:
            # skorch compares shapes and dtypes, and its module gives a column.
            model.fit(rows, y.astype(np.float32)[:, None] if engine.needs == "skorch" else y)
        learner = from_model(model, task=Task(), seed=0, prefit=True)
        before = learner.predict(rows)
        if not is_module:
            np.testing.assert_allclose(before, np.ravel(model.predict(rows)), rtol=0, atol=2e-5)
        learner.advance(rows, -y, 5)
        assert not np.allclose(learner.predict(rows), before)

    def test_settings_name_columns_where_promised(self, engine, X, y):
        frame = pd.DataFrame(X, columns=list("abcd")).assign(c=np.arange(len(X)) % 3)
        for setting, value in engine.named.items():
            model = engine.model().set_params(**{setting: value})
            vi = lw.VariableImportance(
                model, "dropout", features=["c"], max_steps=20, random_state=0, inference="paired"
            )
            assert vi.fit(frame, y + 3 * (frame["c"] == 1)).result_.importance[0] > 1

    def test_constraints_hold_before_and_after_a_warm_start(self, engine, X, y):
        model = engine.model()
        if not engine.falling:
            pytest.skip("the engine has no constraints")
        learner = from_model(model.set_params(**engine.falling), task=Task(), seed=0)
        free = from_model(engine.model(), task=Task(), seed=0)
        line = np.zeros((50, 4))
        line[:, 0] = np.linspace(-2, 2, 50)
        for each in (learner, free):
            each.advance(X, y, 10)
        assert np.diff(free.predict(line)).max() > 0.1
        assert np.diff(learner.predict(line)).max() <= 1e-6
        warm = learner.copy()
        warm.scale_learning_rate(2.0)
        without = X.copy()
        without[:, 1] = 0.0
        warm.advance(without, y, 10)
        assert np.diff(warm.predict(line)).max() <= 1e-6

    def test_constraints_name_columns_where_promised(self, engine, X, y):
        model = engine.model()
        if not engine.by_name:
            pytest.skip("the engine's constraints go by place")
        by_name = {setting: {"a": value[0]} for setting, value in engine.falling.items()}
        named = from_model(model.set_params(**by_name), task=Task(), seed=0)
        frame = pd.DataFrame(X, columns=list("abcd"))
        named.advance(frame, y, 10)
        line = pd.DataFrame(np.zeros((50, 4)), columns=list("abcd"))
        line["a"] = np.linspace(-2, 2, 50)
        assert np.diff(named.predict(line)).max() <= 1e-6


PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
BEGIN, END = "<!-- begin: made by tests/learners/test_contract.py -->", "<!-- end -->"


def engine_table():
    """Return what the engines of the contract accept, as a table in Markdown."""
    heads = ("engine", "losses of a regression", "categories", "gaps", "weights", "prefit")
    heads += ("columns by name", "constraints")
    listed = [described_engine(each) for each in ENGINES.values() if each.title]
    rows = [heads, ("---",) * len(heads), *listed]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def described_engine(engine):
    learner = engine.learner()
    known = engine.knows_its_columns
    return (
        engine.title,
        engine.objectives or objectives(engine.title),
        mark(learner.traits.accepts_categories) if known else "as its transformers",
        mark(learner.traits.accepts_missing) if known else "as its transformers",
        mark(engine.takes_weights) if known else "as its model",
        mark(engine.prefit is not None),
        names_of(engine) if known else "in its transformers",
        settings_of(engine.falling) if known else "as its model",
    )


def objectives(title):
    """Return the names of the table of objectives, one for each of the same meaning."""
    table = OBJECTIVES.get(title)
    if table is None:
        return "squared error"
    first_of = {}
    for name, meaning in table.items():
        first_of.setdefault(meaning, name)
    return ", ".join(f"`{name}`" for name in first_of.values())


def mark(holds):
    return "yes" if holds else "–"


def names_of(engine):
    return settings_of({**engine.named, **(engine.falling if engine.by_name else {})})


def settings_of(settings):
    return ", ".join(f"`{name}`" for name in settings) or "–"


def test_the_page_on_engines_shows_what_the_contract_tests():
    for engine in ENGINES.values():
        engine.model()
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    if not MLP_TAKES_WEIGHTS:
        pytest.skip("the page is for scikit-learn 1.7 and newer")
    assert shown.strip() == engine_table(), f"run python {Path(__file__).name} to write the page"


def test_every_engine_of_the_registry_is_under_contract():
    tested = {type(each.learner()).__name__ for each in ENGINES.values()}
    assert {entry.wrapper for entry in ENTRIES if entry.can_warm_start} <= tested


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_a_learner_that_chooses_its_model_keeps_the_contract(X, y, n_classes):
    X, y = X[:90], y[:90]
    target = y if n_classes is None else class_codes(y, n_classes)
    check_learner(AutoLearner(n_classes=n_classes), X, target, n_classes=n_classes, tolerance=1e-9)


@pytest.mark.parametrize("base", BASES)
def test_trees_on_a_base_keep_the_contract(X, y, base):
    check_learner(BasedBoosting(base), X, y)


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_a_kernel_machine_with_a_length_scale_per_column_keeps_the_contract(X, y, n_classes):
    X, y = X[:100], y[:100]
    target = y if n_classes is None else class_codes(y, n_classes)
    learner = KernelMachine(KernelMachineEstimator(ard=True), n_classes)
    check_learner(learner, X, target, n_classes=n_classes, tolerance=ENGINES["kernel"].tolerance)


ONE_GO = {
    "BaggedTreesLearner": (lambda: RandomForestRegressor(10), lambda: RandomForestClassifier(10)),
    "LinearLearner": (Ridge, LogisticRegression),
    "RefitOnlyLearner": (SVR, SVC),
    "SearchLearner": (
        lambda: GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
        lambda: GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ),
}


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("wrapper", ONE_GO)
def test_a_model_fitted_in_one_go_keeps_the_contract(X, y, n_classes, wrapper):
    model = ONE_GO[wrapper][n_classes is not None]()
    target = y if n_classes is None else class_codes(y, n_classes)
    learner = from_model(model, task=Task(n_classes), seed=0)
    assert type(learner).__name__ == wrapper
    check_learner(learner, X, target, n_classes=n_classes)


def test_every_model_fitted_in_one_go_is_under_contract():
    whole = {entry.wrapper for entry in (*ENTRIES, REFIT_ONLY) if not entry.can_warm_start}
    assert whole == set(ONE_GO)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ObliviousBoosting(subsample=0.5, feature_fraction=0.5),
        lambda: ObliviousBoosting(random_strength=1.0),
    ],
    ids=["rows", "strength"],
)
def test_a_learner_with_randomness_keeps_the_contract(X, y, make):
    one, other = (make().fresh(seed) for seed in (0, 1))
    for each in (one, other):
        each.advance(X, y, 5)
    assert not np.allclose(one.predict(X), other.predict(X))
    check_learner(make(), X, y)


def staged(learner):
    if not learner.traits.is_staged:
        pytest.skip("the engine keeps no earlier steps")
    return learner


def calibrating(learner):
    model = getattr(learner, "last", learner)
    if type(model).match_calibration is BaseLearner.match_calibration:
        pytest.skip("the engine needs no calibration")
    return learner


def constant_level(column, level):
    return pd.Categorical([level] * len(column), categories=column.cat.categories)


def described(settings):
    return re.sub(r" at 0x\w+", "", str(settings))


def is_fitted(model):
    if hasattr(model, "is_fitted"):
        return model.is_fitted()
    if hasattr(model, "initialized_"):
        return model.initialized_
    return importlib.import_module("sklearn.utils.validation")._is_fitted(model)


if __name__ == "__main__":
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{engine_table()}\n{END}{after}", encoding="utf-8")
