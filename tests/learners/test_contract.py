"""What every learner promises, checked on every engine."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows
from lukewarm.learners import StagedLearner, as_learner, train_until
from lukewarm.measures import mean_log_loss, mean_squared_error
from lukewarm.stopping import Patience

EXACT = 1e-10


@dataclass(frozen=True)
class Engine:
    """An engine and how to make a small, deterministic model of it.

    `tolerance` is for two routes to the same model; margins in double precision agree to 1e-10,
    engines that keep margins in single precision to a few of their units.
    """

    module: str
    regressor: str
    classifier: str | None
    settings: dict
    tolerance: float = EXACT
    takes_weights: bool = True

    def model(self, n_classes=None):
        module = pytest.importorskip(self.module, reason=f"{self.module} is not installed")
        name = self.regressor if n_classes is None else self.classifier
        if name is None:
            pytest.skip(f"{self.module} has no classifier of this kind")
        return getattr(module, name)(**self.settings)

    def learner(self, n_classes=None, seed=0):
        return as_learner(self.model(n_classes), n_classes=n_classes, seed=seed)


ENGINES = {
    "catboost": Engine(
        "catboost",
        "CatBoostRegressor",
        "CatBoostClassifier",
        {
            "depth": 3,
            "learning_rate": 0.2,
            "random_strength": 0,
            "bootstrap_type": "No",
            "thread_count": 1,
        },
        tolerance=1e-6,  # baselines are kept in single precision
    ),
}


@pytest.fixture(params=list(ENGINES))
def engine(request):
    return ENGINES[request.param]


@pytest.fixture(scope="module", name="X")
def features():
    return np.random.default_rng(0).normal(size=(300, 4))


@pytest.fixture(scope="module")
def y(X):
    noise = np.random.default_rng(1).normal(scale=0.1, size=len(X))
    return X[:, 0] + 0.5 * X[:, 1] + 0.3 * X[:, 2] + noise


def class_codes(y, n_classes):
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)


def close(engine, left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=engine.tolerance)


class TestLearnerContract:
    def test_untrained_learner_has_taken_no_step_and_predicts(self, engine, X):
        learner = engine.learner()
        assert learner.n_steps == 0
        assert learner.predict(X).shape == (len(X),)

    def test_steps_are_counted_and_lower_the_training_loss(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 15)
        assert learner.n_steps == 15
        assert mean_squared_error(y, learner.predict(X)) < 0.5 * np.var(y)

    def test_advancing_in_two_calls_equals_advancing_in_one(self, engine, X, y):
        one, two = engine.learner(), engine.learner()
        one.advance(X, y, 15)
        two.advance(X, y, 9)
        between = two.predict(X)
        two.advance(X, y, 6)
        assert not np.allclose(between, two.predict(X))
        close(engine, one.predict(X), two.predict(X))

    def test_same_seed_gives_the_same_model(self, engine, X, y):
        one, two = engine.learner(seed=3), engine.learner(seed=3)
        one.advance(X, y, 10)
        two.advance(X, y, 10)
        np.testing.assert_array_equal(one.predict(X), two.predict(X))

    def test_copy_stands_where_the_original_stands_and_leaves_it_alone(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 10)
        before = learner.predict(X)
        twin = learner.copy(7)
        np.testing.assert_array_equal(twin.predict(X), before)
        twin.advance(X, y[::-1].copy(), 10)
        assert not np.allclose(twin.predict(X), before)
        assert (learner.n_steps, twin.n_steps) == (10, 20)
        np.testing.assert_array_equal(learner.predict(X), before)

    def test_original_and_copy_go_on_alike(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 8)
        twin = learner.copy()
        learner.advance(X, y, 5)
        twin.advance(X, y, 5)
        close(engine, learner.predict(X), twin.predict(X))

    def test_fresh_learner_forgets_the_training(self, engine, X, y):
        trained = engine.learner()
        trained.advance(X, y, 10)
        fresh, new = trained.fresh(5), engine.learner(seed=5)
        assert fresh.n_steps == 0
        fresh.advance(X, y, 10)
        new.advance(X, y, 10)
        np.testing.assert_array_equal(fresh.predict(X), new.predict(X))

    def test_staged_predictions_are_those_of_rewound_models(self, engine, X, y):
        learner = staged(engine.learner())
        learner.advance(X, y, 7)
        learner.advance(X, y, 5)
        stages = learner.staged_predict(X, 3)
        assert stages.shape == (10, len(X))
        assert np.ptp(stages, axis=0).max() > 0.01
        for step in (11, 7, 4, 3):
            learner.rewind(step)
            assert learner.n_steps == step
            close(engine, learner.predict(X), stages[step - 3])

    def test_rewound_learner_goes_on_as_if_it_had_stopped_there(self, engine, X, y):
        learner, direct = staged(engine.learner()), engine.learner()
        learner.advance(X, y, 12)
        learner.rewind(5)
        learner.advance(X, y, 4)
        direct.advance(X, y, 9)
        close(engine, learner.predict(X), direct.predict(X))

    def test_rewinding_to_the_start_gives_the_untrained_model(self, engine, X, y):
        learner = staged(engine.learner())
        untrained = learner.predict(X)
        learner.advance(X, y, 4)
        assert not np.allclose(learner.predict(X), untrained)
        learner.rewind(0)
        np.testing.assert_array_equal(learner.predict(X), untrained)

    def test_training_goes_on_under_other_rows(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 20)
        X_removed = X.copy()
        X_removed[:, 0] = X[:, 0].mean()
        dropped = mean_squared_error(y, learner.predict(X_removed))
        learner.advance(X_removed, y, 20)
        assert mean_squared_error(y, learner.predict(X_removed)) < 0.9 * dropped

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
    def test_classifier_goes_on_and_rewinds(self, engine, X, y, n_classes):
        codes = class_codes(y, n_classes)
        one, two = engine.learner(n_classes), engine.learner(n_classes)
        one.advance(X, codes, 12)
        two.advance(X, codes, 7)
        two.advance(X, codes, 5)
        close(engine, one.predict(X), two.predict(X))
        if isinstance(two, StagedLearner):
            stages = two.staged_predict(X, 5)
            assert stages.shape == (8, *two.predict(X).shape)
            two.rewind(6)
            close(engine, two.predict(X), stages[1])

    def test_copies_trained_beside_each_other_equal_those_trained_alone(self, engine, X, y):
        learner = engine.learner()
        learner.advance(X, y, 5)

        def train(column):
            X_removed = X.copy()
            X_removed[:, column] = 0.0
            twin = learner.copy(column)
            twin.advance(X_removed, y, 8)
            return twin.predict(X_removed)

        alone = [train(column) for column in range(4)]
        with ThreadPoolExecutor(2) as pool:
            beside = list(pool.map(train, range(4)))
        np.testing.assert_array_equal(alone, beside)

    def test_missing_values_are_taken_where_promised(self, engine, X, y):
        learner = engine.learner()
        if not learner.accepts_missing:
            pytest.skip("the engine promises nothing for missing values")
        gappy = X.copy()
        gappy[::7, 0] = np.nan
        learner.advance(gappy, y, 15)
        assert mean_squared_error(y, learner.predict(gappy)) < 0.5 * np.var(y)

    def test_categories_are_taken_where_promised(self, engine, X, y):
        learner = engine.learner()
        if not learner.accepts_categories:
            pytest.skip("the engine promises nothing for categories")
        level = np.random.default_rng(2).integers(3, size=len(X))
        frame = pd.DataFrame(X[:, 1:], columns=["b", "c", "d"])
        frame["kind"] = pd.Categorical(np.array(["u", "v", "w"], dtype=object)[level])
        frame.loc[::11, "kind"] = np.nan
        target = np.array([0.0, 3.0, -2.0])[level] + y
        learner.advance(frame, target, 20)
        assert mean_squared_error(target, learner.predict(frame)) < 0.4 * np.var(target)
        twin = learner.copy()
        twin.advance(frame.assign(kind=constant_level(frame["kind"], "v")), target, 5)
        assert np.isfinite(twin.predict(frame)).all()

    @pytest.mark.parametrize("n_classes", [None, 2])
    def test_the_users_model_is_left_alone(self, engine, X, y, n_classes):
        model = engine.model(n_classes)
        target = y if n_classes is None else class_codes(y, 2)
        settings = dict(model.get_params())
        learner = as_learner(model, n_classes=n_classes, seed=0)
        learner.advance(X, target, 5)
        assert model.get_params() == settings
        assert not is_fitted(model)

    def test_stops_at_the_best_step_of_the_stopping_rows(self, engine, X, y):
        train, stopping = Rows(X[:200], y[:200]), Rows(X[200:], y[200:])
        learner, trace = train_until(engine.learner(), train, stopping, Patience(5), 60)
        assert trace.losses[trace.stopped_step] < 0.5 * trace.losses[0]
        assert learner.n_steps == trace.stopped_step
        assert mean_squared_error(stopping.y, learner.predict(stopping.X)) == pytest.approx(
            trace.losses[trace.stopped_step], abs=max(1e-12, engine.tolerance)
        )


def staged(learner):
    if not isinstance(learner, StagedLearner):
        pytest.skip("the engine keeps no earlier steps")
    return learner


def constant_level(column, level):
    return pd.Categorical([level] * len(column), categories=column.cat.categories)


def is_fitted(model):
    if hasattr(model, "is_fitted"):
        return model.is_fitted()
    return importlib.import_module("sklearn.utils.validation")._is_fitted(model)
