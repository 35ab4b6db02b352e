import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lukewarm import learners
from lukewarm.learners import BaseLearner, from_model
from lukewarm.learners._registry import ENTRIES, PREDICT_ONLY, REFIT_ONLY
from lukewarm.measures import Task


class Follower:
    """A learner by structure alone, which tells its seed."""

    def __init__(self, seed=0):
        self.seed = seed
        self.n_steps = 0

    def fresh(self, seed):
        return Follower(seed)

    def copy(self, seed=None):
        return Follower(self.seed if seed is None else seed)

    def advance(self, X, y, n_steps, weights=None):
        self.n_steps += n_steps

    def predict(self, X):
        return np.zeros(len(X))


def test_a_follower_of_the_protocol_is_taken_fresh_with_the_seed():
    model = Follower()
    model.n_steps = 3
    learner = from_model(model, task=Task(), seed=11)
    assert (type(learner.adapted), learner.adapted.seed, learner.n_steps) == (Follower, 11, 0)


def test_a_follower_that_cannot_classify_says_so():
    with pytest.raises(TypeError, match=r"no for_classes.* 3 classes"):
        from_model(Follower(), task=Task(3), seed=0)


@pytest.mark.parametrize("model", [3, object(), None])
def test_an_unknown_model_lists_the_supported_ones(model):
    with pytest.raises(
        TypeError, match=r"'boosting'.*CatBoost.*LightGBM.*SGD.*skorch.*torch.nn.Module"
    ):
        from_model(model, task=Task(), seed=0)


def test_a_class_instead_of_an_object_is_named():
    with pytest.raises(TypeError, match=r"pass Follower\(\.\.\.\)"):
        from_model(Follower, task=Task(), seed=0)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match=r"'boosting', 'network', 'kernel', 'catboost', .*; got 'forest'"
    ):
        from_model("forest", task=Task(), seed=0)


def test_other_engines_are_not_imported():
    code = (
        "import sys, lukewarm.learners as learners\n"
        "from sklearn.ensemble import GradientBoostingRegressor\n"
        "from lukewarm.measures import Task\n"
        "learners.from_model(GradientBoostingRegressor(), task=Task(), seed=0)\n"
        "print(sorted({'catboost', 'lightgbm', 'xgboost', 'torch', 'skorch'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_a_fitted_model_counts_for_its_settings_only():
    catboost = pytest.importorskip("catboost")
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = catboost.CatBoostRegressor(
        iterations=7, depth=2, verbose=False, allow_writing_files=False
    ).fit(X, X[:, 0])
    before = model.predict(X)
    learner = from_model(model, task=Task(), seed=0)
    assert (learner.n_steps, learner.traits.max_steps) == (0, 7)
    learner.advance(X, -X[:, 0], 5)
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_task_of_model_and_target_must_agree():
    catboost = pytest.importorskip("catboost")
    with pytest.raises(TypeError, match="pass a classifier"):
        from_model(catboost.CatBoostRegressor(), task=Task(2), seed=0)
    with pytest.raises(TypeError, match="pass a regressor"):
        from_model(catboost.CatBoostClassifier(), task=Task(), seed=0)


def test_every_extra_of_the_registry_is_one_of_the_package():
    page = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    extras = {entry.extra for entry in ENTRIES if entry.extra is not None}
    assert extras == {"catboost", "lightgbm", "skorch", "torch", "xgboost"}
    assert all(f"\n{extra} = [" in page for extra in extras)


@pytest.mark.parametrize(
    "entry", [*ENTRIES, REFIT_ONLY, PREDICT_ONLY], ids=lambda entry: entry.label
)
def test_every_wrapper_of_the_registry_loads_and_wraps(entry):
    pytest.importorskip(entry.extra or "sklearn")
    wrapper = entry.load()
    assert issubclass(wrapper, BaseLearner)
    assert callable(wrapper.from_model)
    assert getattr(learners, entry.wrapper) is wrapper


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "random_forest", "linear"])
@pytest.mark.parametrize("n_classes", [None, 3])
def test_engines_of_other_libraries_have_names(name, n_classes):
    learner = from_model(name, task=Task(n_classes), seed=0)
    kind = type(learner.estimator).__name__
    assert kind.endswith(("Classifier", "LogisticRegression")) == (n_classes is not None)
