import numpy as np
import pytest

from lukewarm.data import Rows, joined
from lukewarm.learners import AutoLearner, train_for, train_until
from lukewarm.learners import _auto as auto_module
from lukewarm.learners._blend import Blend
from lukewarm.stopping import Patience


def _chosen(signal, n_rows=600, n_columns=4, noise=0.2, n_classes=None, learns_all=False):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, n_columns))
    y = signal(X) + noise * generator.normal(size=n_rows)
    if n_classes is not None:
        y = (y > 0).astype(float)
    cut = 3 * n_rows // 4
    train, stopping = Rows(X[:cut], y[:cut]), Rows(X[cut:], y[cut:])
    learner = AutoLearner(n_classes=n_classes)
    if learns_all:
        learner.learn_stopping_rows()
    trained, _ = train_until(learner, train, stopping, Patience(50), 2000)
    return trained, stopping


def _name(learner):
    return min(learner.candidates, key=lambda candidate: candidate.loss).name


def test_it_picks_the_kernel_machine_on_products():
    learner, _ = _chosen(lambda X: X[:, 0] * X[:, 1], n_columns=8)
    assert _name(learner) == "kernel machine"


def test_it_picks_trees_on_steps():
    learner, _ = _chosen(lambda X: np.floor(2 * X[:, 0]) + 2.0 * (X[:, 1] > 0.3))
    assert _name(learner).startswith("trees")


def test_a_line_is_learnt_to_the_noise():
    learner, stopping = _chosen(lambda X: X @ [3.0, 2.0, 1.0, 0.0])
    error = np.mean((learner.predict(stopping.X) - stopping.X @ [3.0, 2.0, 1.0, 0.0]) ** 2)
    # Five coefficients from 450 rows, ten times their share of the noise.
    assert error < 10 * 0.04 * 5 / 450


def test_it_picks_the_linear_base_on_lines():
    def line(X):
        return X @ [3.0, 2.0, 1.0, 0.0]

    learner, _ = _chosen(line)
    losses = {each.name: each.loss for each in learner.candidates}
    assert min(losses, key=losses.get).endswith("on a linear model")
    assert losses["trees of depth 3 on a linear model"] < 0.5 * losses["trees of depth 3"]


def test_classes_along_a_line_are_best_learnt_on_a_base():
    learner, _ = _chosen(lambda X: X @ [1.0, 1.0, 1.0, 1.0], noise=1.0, n_classes=2)
    losses = {each.name: each.loss for each in learner.candidates}
    assert losses["trees of depth 3 on a linear model"] < losses["trees of depth 3"]


def test_a_clear_winner_is_the_model():
    learner, stopping = _chosen(lambda X: X[:, 0] * X[:, 1], n_columns=8)
    loss = np.mean((stopping.y - learner.predict(stopping.X)) ** 2)
    assert loss == pytest.approx(min(each.loss for each in learner.candidates), rel=1e-9)
    assert learner.chosen_name == "kernel machine"
    assert len(learner.candidates) == 5


def test_models_that_the_stopping_rows_cannot_tell_apart_are_averaged():
    learner, stopping = _chosen(lambda X: X[:, 0] + np.abs(X[:, 1]), n_rows=200, noise=1.0)
    assert isinstance(learner.chosen, Blend)
    members = [member.predict(stopping.X) for member in learner.chosen.members]
    mean = np.tensordot(learner.chosen.weights, members, 1)
    assert np.allclose(learner.predict(stopping.X), mean)
    assert np.array_equal(learner.copy(1).predict(stopping.X), learner.predict(stopping.X))


def test_classes_get_probabilities():
    learner, stopping = _chosen(lambda X: 2 * X[:, 0] * X[:, 1], n_classes=2)
    probabilities = learner.predict(stopping.X)
    assert probabilities.min() >= 0
    assert probabilities.max() <= 1
    assert np.mean((probabilities > 0.5) == stopping.y) > 0.8


def test_many_rows_are_raced_first_and_two_candidates_go_on(monkeypatch):
    monkeypatch.setattr(auto_module, "_RACED_ROWS", 200)
    learner, _ = _chosen(lambda X: X[:, 0])
    assert len(learner.candidates) == 5 + 2


def test_the_same_rows_give_the_same_model():
    first, stopping = _chosen(lambda X: X[:, 0] * X[:, 1])
    second, _ = _chosen(lambda X: X[:, 0] * X[:, 1])
    assert np.array_equal(first.predict(stopping.X), second.predict(stopping.X))


def test_trees_learn_the_step_that_a_kernel_machine_leaves():
    def product_and_step(X):
        return 3 * X[:, 0] * X[:, 1] + 2 * X[:, 2] * X[:, 3] + 1.5 * (X[:, 4] > 0)

    learner, stopping = _chosen(product_and_step, n_rows=1000, n_columns=6)
    losses = {each.name: each.loss for each in learner.candidates}
    assert learner.chosen_name == "kernel machine, then trees of depth 3"
    assert losses[learner.chosen_name] < 0.8 * losses["kernel machine"]
    assert np.allclose(
        learner.predict(stopping.X),
        sum(member.predict(stopping.X) for member in learner.chosen.members),
    )
    fill = {4: np.zeros(len(stopping))}
    filled = stopping.X.copy()
    filled[:, 4] = 0
    assert np.allclose(learner.predict_filled(stopping.X, [fill])[0], learner.predict(filled))


def test_parts_of_stages_within_an_average_carry_the_product_of_their_weights():
    learner, stopping = _chosen(lambda X: X[:, 0] * X[:, 1], n_rows=200)
    single = learner.copy()
    stages = Blend([single, single], np.ones(2))
    blend = Blend([stages, single], np.array([0.25, 0.75]))
    assert [weight for weight, _ in blend.parts] == [0.25, 0.25, 0.75]
    summed = sum(weight * part.predict(stopping.X) for weight, part in blend.parts)
    assert np.allclose(summed, blend.predict(stopping.X))


@pytest.mark.parametrize("n_classes", [None, 2])
def test_trees_that_learn_the_stopping_rows_are_those_of_all_rows_with_as_many_steps(n_classes):
    def steps(X):
        return np.floor(2 * X[:, 0]) + 2.0 * (X[:, 1] > 0.3)

    first, _ = _chosen(steps, n_classes=n_classes)
    second, _ = _chosen(steps, n_classes=n_classes, learns_all=True)
    assert [each.loss for each in first.candidates] == [each.loss for each in second.candidates]
    assert second.chosen_name == first.chosen_name
    for (_, before), (_, after) in zip(first.parts, second.parts, strict=True):
        if not hasattr(before, "base"):
            continue
        generator = np.random.default_rng(0)
        X = generator.normal(size=(600, 4))
        y = steps(X) + 0.2 * generator.normal(size=600)
        y = y if n_classes is None else (y > 0).astype(float)
        rows = joined(Rows(X[:450], y[:450]), Rows(X[450:], y[450:]))
        expected, _ = train_for(before.fresh(0), rows, before.n_steps)
        assert np.array_equal(after.predict(X), expected.predict(X))
        assert not np.array_equal(after.predict(X), before.predict(X))
        break
    else:
        pytest.fail("no trees were chosen")


@pytest.mark.parametrize("n_classes", [None, 2])
def test_a_kernel_machine_that_learns_the_stopping_rows_has_them_as_landmarks(n_classes):
    def product(X):
        return X[:, 0] * X[:, 1]

    first, _ = _chosen(product, n_columns=8, n_classes=n_classes)
    second, _ = _chosen(product, n_columns=8, n_classes=n_classes, learns_all=True)
    machines = [
        next(part for _, part in each.parts if hasattr(part, "machine"))._estimator
        for each in (first, second)
    ]
    assert [each._fitted.n_landmarks for each in machines] == [450, 600]
    scales = [each.kernel_.inverse_scales for each in machines]
    assert np.array_equal(*scales)


def test_retrained_models_learn_from_as_many_rows_as_the_full_one():
    learner, _ = _chosen(lambda X: X[:, 0] * X[:, 1], n_rows=200, learns_all=True)
    assert learner.fresh(0)._learns_stopping_rows
    assert not AutoLearner().fresh(0)._learns_stopping_rows


@pytest.mark.parametrize(("raced", "is_kept"), [(400, True), (250, False)])
def test_a_kernel_for_classes_is_looked_for_once_if_most_rows_raced(monkeypatch, raced, is_kept):
    monkeypatch.setattr(auto_module, "_RACED_ROWS", raced)
    looked = []
    choose = auto_module.KernelCandidate.choose

    def counted(self, train, *others):
        looked.append(len(train))
        return choose(self, train, *others)

    monkeypatch.setattr(auto_module.KernelCandidate, "choose", counted)
    learner, stopping = _chosen(lambda X: X[:, 0] * X[:, 1], n_rows=1000, n_classes=2)
    machines = [each for each in learner.candidates if each.name == "kernel machine"]
    assert [each.n_rows for each in machines] == [375 if is_kept else 250, 750]
    assert looked == [each.n_rows for each in machines][: 1 if is_kept else 2]
    assert np.isfinite(learner.predict(stopping.X)).all()
