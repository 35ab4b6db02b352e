"""Two routes to one margin: the library's own prediction, and trees laid out as bits."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from lukewarm.learners import from_model
from lukewarm.learners.boosters._forest import Forest
from lukewarm.learners.boosters._tree_tables import Tree
from lukewarm.measures import Task

STUMP = Tree(
    np.array([1]),
    np.array([0.5]),
    np.array([1]),
    np.array([-1]),
    np.array([-2]),
    np.array([3.0, 5.0]),
)


def lightgbm_model(n_classes, **settings):
    lightgbm = pytest.importorskip("lightgbm")
    kind = lightgbm.LGBMRegressor if n_classes is None else lightgbm.LGBMClassifier
    return kind(n_jobs=1, min_child_samples=5, **settings)


def histogram_model(n_classes, **settings):
    kind = HistGradientBoostingRegressor if n_classes is None else HistGradientBoostingClassifier
    return kind(min_samples_leaf=5, **settings)


def gappy_rows(n_rows=500):
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    X[::9, 1] = np.nan
    return X


@pytest.mark.parametrize("make", [lightgbm_model, histogram_model])
@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_laid_out_trees_give_the_same_margin_to_the_bit(make, n_classes):
    X = gappy_rows()
    signal = X[:, 0] + np.nan_to_num(X[:, 1]) * X[:, 2]
    y = signal if n_classes is None else np.digitize(signal, [0.0, 1.0][: n_classes - 1])
    learner = from_model(make(n_classes), task=Task(n_classes), seed=0)
    learner.advance(X, y.astype(float), 40)
    other = gappy_rows(800)
    other[:, 3] = np.nan  # a gap where training had none
    segment = learner._segments[0]
    own = segment.margin(other)
    assert segment._forest.get() is None
    laid_out = segment._forest.get()
    assert laid_out is not None
    assert np.ptp(own) > 1
    np.testing.assert_array_equal(segment.margin(other), own)


def test_a_row_at_the_threshold_goes_left_and_a_missing_one_where_told():
    X = np.array([[9.0, 0.5], [9.0, 0.5 + 1e-12], [9.0, np.nan], [9.0, -1.0]])
    np.testing.assert_array_equal(Forest.of([STUMP], 2, 1).margin(X)[:, 0], [3, 5, 3, 3])


def test_a_tree_without_a_split_adds_its_one_value():
    nothing = np.zeros(0, dtype=int)
    single = Tree(nothing, np.zeros(0), nothing, nothing, nothing, np.array([2.0]))
    X = np.zeros((3, 2))
    np.testing.assert_array_equal(Forest.of([single, STUMP], 2, 1).margin(X)[:, 0], [5, 5, 5])


@pytest.mark.parametrize("make", [lightgbm_model, histogram_model])
def test_trees_without_any_split_are_asked_for_draws(make):
    # No leaf of nine rows holds five on either side.
    X = np.random.default_rng(0).normal(size=(9, 2))
    learner = from_model(make(None), task=Task(), seed=0)
    learner.advance(X, X[:, 0], 5)
    assert np.ptp(learner.predict(X)) == 0
    assert learner.looks_at((0,)) is False


def test_sixty_four_leaves_find_their_slots():
    X = np.random.default_rng(0).uniform(size=(4000, 2))
    learner = from_model(histogram_model(None, max_leaf_nodes=64), task=Task(), seed=0)
    learner.advance(X, np.sin(9 * X[:, 0]) + X[:, 1], 3)
    segment = learner._segments[0]
    assert max(len(trees[0].nodes) for trees in segment.model._predictors) == 127
    own = segment.margin(X)
    segment._forest.get()
    np.testing.assert_array_equal(segment._forest.get().margin(X, segment._start(0)), own)


def test_trees_that_cannot_be_laid_out_are_left_to_their_library():
    X = np.random.default_rng(0).uniform(size=(4000, 2))
    y = np.sin(9 * X[:, 0]) + X[:, 1]
    large = from_model(histogram_model(None, max_leaf_nodes=100), task=Task(), seed=0)
    linear = from_model(lightgbm_model(None, linear_tree=True), task=Task(), seed=0)
    for learner in (large, linear):
        learner.advance(X, y, 3)
        own = learner._segments[0].margin(X)
        for _ in range(3):
            np.testing.assert_array_equal(learner._segments[0].margin(X), own)
        assert learner._segments[0].read() is None
