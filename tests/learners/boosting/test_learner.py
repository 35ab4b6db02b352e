import pickle

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.learners import train_until
from lukewarm.learners.boosting import ObliviousBoosting, _block
from lukewarm.stopping import Patience

NOISY = {
    "random_strength": 0.05,
    "subsample": 0.7,
    "feature_fraction": 0.6,
    "shrinkage": 3.0,
    "l2_leaf": 0.5,
}
SETTINGS = [{}, NOISY, {"random_strength": np.inf}]
TASKS = [
    {},
    {"n_classes": 2},
    {"n_classes": 3},
    {"n_classes": 2, "objective": "squared_error"},
    {"n_classes": 3, "objective": "squared_error"},
]


@pytest.fixture(scope="module", name="X")
def features():
    X = np.random.default_rng(0).normal(size=(400, 5))
    X[::9, 3] = np.nan
    return X


@pytest.fixture(scope="module")
def y(X):
    noise = 0.2 * np.random.default_rng(1).normal(size=len(X))
    return X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * (X[:, 0] > 0) + np.isnan(X[:, 3]) + noise


def target_of(y, task):
    n_classes = task.get("n_classes")
    if n_classes is None:
        return y
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)


def trained(X, y, n_steps=30, **settings):
    learner = ObliviousBoosting(**settings)
    learner.advance(X, y, n_steps)
    return learner


def test_has_the_abilities_of_a_booster():
    traits = ObliviousBoosting().traits
    assert traits.is_staged
    assert traits.imputes


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("settings", SETTINGS)
def test_advancing_in_two_calls_equals_advancing_in_one(X, y, settings, task):
    target = target_of(y, task)
    one, two = (
        trained(X, target, 75, **settings, **task),
        trained(X, target, 50, **settings, **task),
    )
    halfway = two.predict(X)
    two.advance(X, target, 25)
    assert not np.array_equal(halfway, two.predict(X))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("settings", SETTINGS)
def test_rewound_model_is_the_model_trained_that_long(X, y, settings, task):
    target = target_of(y, task)
    learner = trained(X, target, 40, **settings, **task)
    stages = learner.staged_predict(X, 0)
    assert len(stages) == 41
    learner.rewind(15)
    shorter = trained(X, target, 15, **settings, **task)
    np.testing.assert_array_equal(learner.predict(X), shorter.predict(X))
    np.testing.assert_array_equal(learner.predict(X), stages[15])
    learner.advance(X, target, 25)
    np.testing.assert_array_equal(learner.predict(X), stages[40])


def test_rewinding_below_what_a_copy_shares_leaves_the_original_alone(X, y):
    learner = trained(X, y, 20)
    before = learner.predict(X)
    copied = learner.copy()
    copied.rewind(5)
    np.testing.assert_array_equal(copied.predict(X), trained(X, y, 5).predict(X))
    np.testing.assert_array_equal(learner.predict(X), before)
    assert learner.n_steps == 20


@pytest.mark.parametrize("depth", [1, 3, 4, 8, 9])
@pytest.mark.parametrize("removed", [(0,), (3,), (1, 2, 4), (0, 1, 2, 3, 4)])
def test_removal_by_mask_equals_writing_the_fill_value(X, y, removed, depth):
    removal = Removal.learn(X)
    full = trained(X, y, 25, depth=depth)
    (rows,) = full.datasets(X)
    filled = removal.apply(X, removed)
    masked = removal.apply(rows, removed)
    assert not np.array_equal(full.predict(masked), full.predict(rows))
    np.testing.assert_array_equal(full.copy().predict(masked), full.predict(filled))
    by_mask, by_value = full.copy(1), full.copy(1)
    by_mask.advance(masked, y, 12)
    by_value.advance(filled, y, 12)
    np.testing.assert_array_equal(by_mask.predict(masked), by_value.predict(filled))
    assert not np.isin(by_mask.trees.features[25:], removed).any()


def test_predictions_by_stored_leaves_equal_those_tree_by_tree(X, y):
    learner = trained(X, y, 30, depth=3)
    (rows,) = learner.datasets(X)
    one_by_one = learner.staged_predict(rows, 1)[-1]
    np.testing.assert_array_equal(learner.copy().predict(rows), one_by_one)


def test_features_removed_one_after_the_other_are_all_gone(X, y):
    learner = trained(X, y)
    (rows,) = learner.datasets(X)
    fill = Removal.learn(X).fill_values
    twice, once = rows.without((0,), fill).without((2,), fill), rows.without((0, 2), fill)
    np.testing.assert_array_equal(learner.predict(twice), learner.predict(once))


@pytest.mark.parametrize("task", TASKS)
def test_weights_of_two_equal_rows_doubled(X, y, task):
    target = target_of(y, task)
    generator = np.random.default_rng(2)
    weights = generator.integers(1, 3, size=len(y)).astype(float)
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    (rows,) = ObliviousBoosting().datasets(X)
    learner = ObliviousBoosting(**task)
    learner.advance(rows, target, 30, weights)
    doubled = ObliviousBoosting(**task)
    # The same borders for both: quantiles are those of the rows, whatever their weights.
    doubled._borders = rows.borders
    doubled.advance(X[repeated], target[repeated], 30)
    plain = trained(X, target, 30, **task)
    assert np.abs(learner.predict(X) - plain.predict(X)).max() > 1e-3
    # Leaf sums are added in another order; leaf values lie on a grid of 2**-42 of the residuals.
    np.testing.assert_allclose(learner.predict(X), doubled.predict(X), atol=1e-9)


def test_all_weights_doubled_change_nothing(X, y):
    plain, heavy = trained(X, y, 30), ObliviousBoosting()
    heavy.advance(X, y, 30, np.full(len(y), 2.0))
    np.testing.assert_allclose(heavy.predict(X), plain.predict(X), atol=1e-9)


@pytest.mark.parametrize("settings", [*SETTINGS, {"n_classes": 3}])
def test_threads_do_not_change_a_result(X, y, settings, monkeypatch):
    monkeypatch.setattr(_block, "_FEWEST_CODES_TO_SHARE", 0)
    target = target_of(y, settings)
    alone = trained(X, target, 20, **settings)
    for n_threads in (2, 3):
        together = trained(X, target, 20, **settings, n_threads=n_threads)
        np.testing.assert_array_equal(alone.predict(X), together.predict(X))


@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_one_seed_one_result_and_another_seed_another(X, y, settings):
    one, same, other = (trained(X, y, 20, **settings, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.predict(X), same.predict(X))
    assert not np.array_equal(one.predict(X), other.predict(X))


def test_copy_with_a_seed_goes_its_own_way(X, y):
    learner = trained(X, y, 10, random_strength=0.5)
    alike, other = learner.copy(), learner.copy(99)
    for copied in (learner, alike, other):
        copied.advance(X, y, 5)
    np.testing.assert_array_equal(learner.predict(X), alike.predict(X))
    assert not np.array_equal(learner.predict(X), other.predict(X))


def test_bound_rows_train_the_same_model_as_the_table(X, y):
    learner = ObliviousBoosting()
    train, others = learner.datasets(X[:300], X[300:])
    learner.advance(train, y[:300], 20)
    plain = trained(X[:300], y[:300], 20)
    np.testing.assert_array_equal(learner.predict(others), plain.predict(X[300:]))
    np.testing.assert_array_equal(learner.predict(X[300:]), plain.predict(X[300:]))


def test_single_precision_layout_and_write_protection_do_not_matter(X, y):
    coarse = X.astype(np.float32)
    protected = np.asfortranarray(coarse)
    protected.flags.writeable = False
    learner = trained(protected, y, 20)
    np.testing.assert_array_equal(
        learner.predict(coarse), trained(coarse.astype(float), y, 20).predict(coarse.astype(float))
    )


def test_learner_survives_pickling(X, y):
    learner = trained(X, y, 20)
    loaded = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(loaded.predict(X), learner.predict(X))
    learner.advance(X, y, 5)
    loaded.advance(X, y, 5)
    np.testing.assert_array_equal(loaded.predict(X), learner.predict(X))


def test_missing_values_have_a_bin_of_their_own(X, y):
    learner = trained(X, y, 60)
    gone = np.isnan(X[:, 3])
    lifted = X.copy()
    lifted[gone, 3] = 0.0
    # Whether a value is missing adds 1 to y, and nothing else tells.
    effect = (learner.predict(X) - learner.predict(lifted))[gone]
    assert 0.7 < effect.mean() < 1.3


def test_column_without_a_single_value_is_never_split(X, y):
    empty = X.copy()
    empty[:, 4] = np.nan
    learner = trained(empty, y, 30)
    assert not (learner.trees.features == 4).any()
    np.testing.assert_array_equal(learner.predict(empty), learner.predict(X))


def test_model_without_any_feature_left_predicts_the_mean(y):
    learner = trained(np.ones((len(y), 2)), y, 5)
    np.testing.assert_allclose(learner.predict(np.zeros((3, 2))), y.mean(), atol=1e-9)


def test_untrained_model_predicts_zero_or_even_chances(X):
    assert (ObliviousBoosting().predict(X) == 0).all()
    assert (ObliviousBoosting(n_classes=2).predict(X) == 0.5).all()
    np.testing.assert_allclose(ObliviousBoosting(n_classes=4).predict(X), 0.25)


@pytest.mark.parametrize("task", TASKS[1:])
def test_classifier_learns_probabilities(X, y, task):
    codes = target_of(y, task)
    learner = trained(X[:300], codes[:300], 60, **task)
    probability = learner.predict(X[300:])
    if task["n_classes"] > 2:
        np.testing.assert_allclose(probability.sum(axis=1), 1)
    blind = ObliviousBoosting(**task).predict(X[300:])
    assert learner.loss(codes[300:], probability) < 0.6 * learner.loss(codes[300:], blind)


def frame_with_kinds(n_rows, seed=0, kinds=("u", "v", "w")):
    generator = np.random.default_rng(seed)
    kind = pd.Categorical(generator.choice(list(kinds), n_rows), categories=list(kinds))
    return pd.DataFrame({"number": generator.normal(size=n_rows), "kind": kind})


def test_a_category_is_told_from_all_others():
    frame = frame_with_kinds(300)
    y = (frame["kind"] == "v").to_numpy(float)
    learner = trained(frame, y, 60, depth=1)
    np.testing.assert_allclose(learner.predict(frame), y, atol=0.01)
    assert set(learner.trees.features[:, 0]) == {1}


def test_unseen_and_missing_categories_are_predicted_as_no_known_level():
    frame = frame_with_kinds(300)
    y = (frame["kind"] == "v").to_numpy(float)
    learner = trained(frame, y, 60, depth=1)
    strange = pd.DataFrame({"number": [0.0] * 3, "kind": pd.Series(["new", None, "u"])})
    unseen, missing, known = learner.predict(strange)
    assert unseen == known == missing


def test_levels_beyond_the_bins_share_one():
    kinds = [f"k{i}" for i in range(40)]
    frame = frame_with_kinds(2000, kinds=kinds)
    learner = trained(frame, np.arange(2000) % 7.0, 5, n_bins=10)
    assert (learner.trees.thresholds <= 10).all()
    (rows,) = learner.datasets(frame)
    assert rows.codes[1].max() == 10


def test_removing_a_category_holds_it_at_its_most_frequent_level():
    frame = frame_with_kinds(300)
    y = (frame["kind"] == "v").to_numpy(float) + frame["number"].to_numpy()
    learner = trained(frame, y, 40)
    removal = Removal.learn(frame)
    (rows,) = learner.datasets(frame)
    masked = learner.predict(removal.apply(rows, (1,)))
    assert not np.array_equal(masked, learner.predict(rows))
    np.testing.assert_array_equal(masked, learner.predict(removal.apply(frame, (1,))))


def test_early_stopped_continuation_learns_from_a_correlated_feature():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(600, 3))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    y = X[:, 0] + 0.1 * generator.normal(size=600)
    learner = ObliviousBoosting()
    train, stopping = learner.datasets(X[:400], X[400:])
    rule = Patience(10)
    full, _ = train_until(learner, Rows(train, y[:400]), Rows(stopping, y[400:]), rule, 200)
    removal = Removal.learn(X[:400])
    reduced, trace = train_until(
        full.copy(1),
        Rows(train, y[:400]).without((0,), removal),
        Rows(stopping, y[400:]).without((0,), removal),
        rule,
        200,
    )
    assert reduced.n_steps == full.n_steps + trace.stopped_step
    # Without X0 the variance of y is 1, and 0.64 of it can be told from X1.
    assert trace.losses[0] > 0.8
    assert trace.losses[trace.stopped_step] < 0.5


@pytest.mark.parametrize(
    ("setting", "value", "kind"),
    [
        ("depth", 0, ValueError),
        ("depth", 11, ValueError),
        ("n_bins", 1, ValueError),
        ("n_bins", 256, ValueError),
        ("learning_rate", -0.1, ValueError),
        ("learning_rate", "fast", TypeError),
        ("random_strength", -1.0, ValueError),
        ("l2_leaf", -1.0, ValueError),
        ("shrinkage", np.nan, ValueError),
        ("subsample", 0.0, ValueError),
        ("feature_fraction", 1.5, ValueError),
        ("objective", "hinge", ValueError),
        ("n_threads", 0, ValueError),
        ("n_classes", 1, ValueError),
    ],
)
def test_bad_settings_are_named(setting, value, kind):
    with pytest.raises(kind, match=setting):
        ObliviousBoosting(**{setting: value})


def test_rows_bound_by_another_learner_are_refused(X, y):
    learner = trained(X, y, 5)
    (foreign,) = ObliviousBoosting(n_bins=5).datasets(X)
    with pytest.raises(ValueError, match="datasets"):
        learner.predict(foreign)


def test_rewinding_forward_is_refused(X, y):
    with pytest.raises(ValueError, match="step"):
        trained(X, y, 5).rewind(6)


def test_other_number_of_columns_is_refused(X, y):
    with pytest.raises(ValueError, match="5 columns"):
        trained(X, y, 5).predict(X[:, :4])


def test_array_in_place_of_a_frame_with_categories_is_refused():
    frame = frame_with_kinds(50)
    learner = trained(frame, frame["number"].to_numpy(), 3)
    with pytest.raises(TypeError, match="DataFrame"):
        learner.predict(np.zeros((4, 2)))
