"""What the front decides about a reduction before training, and what a result says of it."""

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.estimators._base import ImportanceEstimator
from lukewarm.learners import ObliviousBoosting
from lukewarm.reduction import EarlyStopping
from lukewarm.stopping import FixedSteps, Patience

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.ImportanceWarning")

CLOSED_FORMS = ("kernel_flow", "lazy", "kernel_ridge", "one_step")


@pytest.fixture(scope="module", name="linear")
def _linear():
    return lw.datasets.make_correlated_linear(n_samples=300, random_state=0)


def importance(data, model, method="early_stopping", y=None, **options):
    settings = {"features": [0], "inference": "paired", "random_state": 0, **options}
    vi = lw.VariableImportance(model, method, **settings)
    return vi.fit(data.X, data.y if y is None else y)


@pytest.mark.parametrize("method", ["lazy", "kernel_ridge", "one_step"])
def test_a_least_squares_method_refuses_classes_before_any_training(linear, method, monkeypatch):
    torch_learner = pytest.importorskip("lukewarm.learners.torch._learner").TorchLearner

    def train(*_):
        raise AssertionError("a step was taken")

    monkeypatch.setattr(torch_learner, "advance", train)
    with pytest.raises(TypeError, match=f"method '{method}' is a least-squares fit"):
        importance(linear, "network", method, linear.y > 0)


def test_steps_of_kernel_flow_refuse_classes_before_any_training(linear, monkeypatch):
    torch_learner = pytest.importorskip("lukewarm.learners.torch._learner").TorchLearner
    from lukewarm.reduction import KernelFlow

    def train(*_):
        raise AssertionError("a step was taken")

    monkeypatch.setattr(torch_learner, "advance", train)
    with pytest.raises(TypeError, match="learning_rate is for regression"):
        importance(linear, "network", KernelFlow(learning_rate=0.1), linear.y > 0)


def reduction_of(data, **options):
    vi = lw.VariableImportance(
        ObliviousBoosting(), "early_stopping", inference="paired", random_state=0, **options
    )
    problem = vi._problem(data.X, data.y)
    return ImportanceEstimator._prepare(vi, problem).reduction


def test_the_users_patience_is_the_one_that_stops_warm_starts(linear):
    reduction = reduction_of(linear, patience=20, max_steps=2)
    assert isinstance(reduction, EarlyStopping)
    assert reduction.learning_rate_factor == ObliviousBoosting.traits.learning_rate_factor > 1
    assert reduction.rule.patience == 20


def test_the_librarys_own_patience_waits_for_fewer_of_longer_steps(linear):
    reduction = reduction_of(linear, max_steps=2)
    # 20 trees / 1.5, rounded up: as long a way at the longer steps.
    assert (ObliviousBoosting.traits.patience, ObliviousBoosting.traits.learning_rate_factor) == (
        20,
        1.5,
    )
    assert reduction.rule.patience == 14


def test_a_rule_as_stopping_is_the_one_of_full_models_and_of_warm_starts(linear):
    rule = FixedSteps(3)
    vi = importance(linear, "boosting", stopping=rule)
    assert vi._prepared.reduction.rule is rule
    taken = [model.trace.n_steps_taken for model in vi._prepared.full_models]
    taken += [run.n_steps_taken for runs in vi.result_.traces for run in runs]
    assert set(taken) == {3}, "the library's own patience takes 20 trees at the least"


def test_patience_as_a_rule_is_the_users_patience(linear):
    one = importance(linear, "boosting", patience=3, min_delta=0.01).result_
    other = importance(linear, "boosting", stopping=Patience(3, 0.01)).result_
    default = importance(linear, "boosting").result_
    np.testing.assert_array_equal(one.importance, other.importance)
    assert one.importance != default.importance


def test_a_rule_and_a_patience_are_refused_together(linear):
    with pytest.raises(ValueError, match="patience and min_delta would have no effect"):
        importance(linear, "boosting", stopping=FixedSteps(3), patience=5)


def test_a_class_of_rules_is_refused(linear):
    with pytest.raises(TypeError, match=r"stopping must be an object.*pass FixedSteps\(\.\.\.\)"):
        importance(linear, "boosting", stopping=FixedSteps)


def test_cross_validated_stopping_is_reported_under_its_own_name(linear):
    result = importance(linear, "boosting", stopping="cross_validation", max_steps=3).result_
    assert result.method == "cross_validated_stopping"


def test_cross_validated_stopping_is_refused_of_a_model_that_cannot_go_on(linear):
    from sklearn.linear_model import LinearRegression

    with pytest.raises(TypeError, match="cannot be warm-started"):
        importance(linear, LinearRegression(), stopping="cross_validation")


@pytest.mark.parametrize("method", CLOSED_FORMS)
def test_a_closed_form_takes_no_steps_also_after_loading(linear, method, tmp_path):
    pytest.importorskip("torch")
    result = importance(linear, "network", method, max_steps=20).result_
    assert result.traces[0][0].stopped_step > 0, "the point of the path that was kept"
    loaded = lw.ImportanceResult.load(result.save(tmp_path / "result.zip"))
    for each in (result, loaded):
        assert each.to_frame()["steps"].tolist() == [0]
        np.testing.assert_array_equal(each.traces[0][0].losses, result.traces[0][0].losses)


def test_a_closed_form_takes_no_steps_for_shapley_values(linear):
    pytest.importorskip("torch")
    shapley = lw.ShapleyImportance(
        "network",
        "kernel_flow",
        inference="paired",
        max_steps=20,
        random_state=0,
        groups={"first": [0, 1], "others": [2, 3, 4, 5]},
    )
    assert shapley.fit(linear.X, linear.y).result_.steps.tolist() == [0, 0, 0, 0]
