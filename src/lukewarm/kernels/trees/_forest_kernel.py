"""The kernel of a bagged ensemble: in how many of its trees two rows meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import Features, Matrix


def forest_kernel(forest: Any, X: Features) -> Matrix:
    """Return the kernel matrix of a fitted forest or tree of scikit-learn, divided by N.

    Parameters
    ----------
    forest : RandomForest, ExtraTrees or DecisionTree, regressor or classifier
        Fitted; it is not changed.
    X : Features of shape (n, p)
        Rows with the removed columns filled, as for the other kernels here.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric; every row sums to one.

    Notes
    -----
    ``K(i, j) = mean over trees of 1{same leaf} / rows in the leaf``. Setting the leaves of every
    tree to the mean residual of their rows, and adding a share of it to the predictions, is the
    step ``f + eps K (y - f)``. The share of trees in which two rows meet is the same without the
    counts (Scornet 2016, "Random forests and kernel methods").

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> kernel = forest_kernel(RandomForestRegressor(10).fit(X, X[:, 0]), X)
    >>> bool(np.allclose(kernel.sum(axis=1), 1))
    True
    """
    if not hasattr(forest, "apply"):
        raise TypeError(
            f"forest must be a forest or tree of scikit-learn, which has apply(X); got "
            f"{type(forest).__name__}."
        )
    check_is_fitted(forest)
    leaves = np.asarray(forest.apply(X))
    leaves = leaves.reshape(len(leaves), -1)
    n_rows, n_trees = leaves.shape
    total = np.zeros((n_rows, n_rows))
    for tree in range(n_trees):
        _, leaf, counts = np.unique(leaves[:, tree], return_inverse=True, return_counts=True)
        shares = sparse.csr_array((counts[leaf] ** -0.5, (np.arange(n_rows), leaf)))
        total += (shares @ shares.T).toarray()
    return total / n_trees
