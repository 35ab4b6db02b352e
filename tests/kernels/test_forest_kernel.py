"""The kernel of a bagged ensemble against leaves refreshed one by one."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from lukewarm.kernels import error_decomposition, forest_kernel, kernel_eigenvalues

MODELS = [
    RandomForestRegressor(7, min_samples_leaf=3, random_state=0),
    ExtraTreesRegressor(5, max_depth=4, random_state=0),
    DecisionTreeRegressor(max_depth=3, random_state=0),
]


def fitted(model):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * generator.normal(size=80)
    filled = X.copy()
    filled[:, 0] = X[:, 0].mean()
    return model.fit(X, y), filled, y


@pytest.mark.parametrize("model", MODELS)
def test_a_kernel_step_refreshes_the_leaves_of_every_tree(model):
    forest, X, y = fitted(model)
    residuals = y - forest.predict(X)
    refreshed = np.zeros(len(X))
    trees = getattr(forest, "estimators_", [forest])
    for tree in trees:
        leaf = tree.apply(X)
        for each in np.unique(leaf):
            refreshed[leaf == each] += residuals[leaf == each].mean() / len(trees)
    assert np.abs(refreshed).max() > 0.01
    np.testing.assert_allclose(forest_kernel(forest, X) @ residuals, refreshed, atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_largest_eigenvalue_is_one(model):
    forest, X, _ = fitted(model)
    eigenvalues = kernel_eigenvalues(forest_kernel(forest, X))
    np.testing.assert_allclose(eigenvalues[0], 1.0, atol=1e-10)
    assert eigenvalues[-1] > -1e-10


def test_leaves_that_stay_have_no_drift():
    forest, X, y = fitted(MODELS[0])
    kernel = forest_kernel(forest, X)
    terms = error_decomposition([kernel] * 20, y - forest.predict(X), np.zeros(80), 0.5)
    assert terms.drift_term.max() == 0
    assert (np.diff(terms.error) <= 1e-12).all()


def test_a_model_without_leaves_is_refused():
    with pytest.raises(TypeError, match="apply"):
        forest_kernel(Ridge(), np.zeros((3, 2)))
