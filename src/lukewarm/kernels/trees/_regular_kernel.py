"""The kernel of boosted trees whose nodes split each for itself."""

from __future__ import annotations

import math

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_count, check_number, check_rows, check_vector
from lukewarm.kernels.trees._box_graph import BoxGraph
from lukewarm.kernels.trees._cells import Borders, Cells, check_borders, to_cells


class RegularTrees:
    """The nodes of all regular trees over some rows, found once for many residuals.

    Parameters
    ----------
    X : array of shape (n, p)
    borders : sequence of p arrays
        As for :func:`tree_kernel`.
    depth : int
        Splits along a path at most; a node that no border cuts stays a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> trees = RegularTrees(np.array([[0.0], [1.0], [2.0]]), borders=[[0.5, 1.5]], depth=1)
    >>> trees.kernel_matrix()
    array([[0.75, 0.25, 0.  ],
           [0.25, 0.5 , 0.25],
           [0.  , 0.25, 0.75]])
    """

    def __init__(self, X: Matrix, *, borders: Borders, depth: int) -> None:
        X, _ = check_rows(X)
        self._borders = check_borders(borders, X.shape[1])
        self._cells: Cells = to_cells(X, self._borders)
        self._graph = BoxGraph.grow(self._cells, self._borders, check_count("depth", depth))

    def kernel_matrix(
        self,
        residuals: Vector | None = None,
        random_strength: float = math.inf,
        Z: Matrix | None = None,
    ) -> Matrix:
        """Return the mean kernel of the next tree, (n, n) or (n, k), divided by N.

        Parameters
        ----------
        residuals : array of shape (n,), optional
            ``y - f(X)``; without them all splits of a node are as likely.
        random_strength : float
            beta.
        Z : array of shape (k, p), optional
            Further rows; those of X where missing.
        """
        # Kernels are taken between cells and read off for the rows.
        rows = self._cells.cell_of_row
        sums = None
        # At infinite noise scores do not matter, and every split of a node is as likely as the
        # others.
        if residuals is not None and random_strength != math.inf:
            sums = self._cells.sums(check_vector("residuals", residuals, n_rows=len(rows)))
        weights = self._graph.leaf_weights(
            sums, check_number("random_strength", random_strength, minimum=0)
        )
        if Z is None:
            return self._graph.cell_kernel(weights)[rows][:, rows]
        others = to_cells(check_rows(Z)[0], self._borders)
        return self._graph.cell_kernel(weights, others.bins)[rows][:, others.cell_of_row]


def regular_tree_kernel(
    X: Matrix, Z: Matrix | None = None, *, borders: Borders, depth: int
) -> Matrix:
    """Return the stationary kernel matrix of regular (not oblivious) trees, divided by N.

    Parameters
    ----------
    X, Z, borders
        As for :func:`tree_kernel`.
    depth : int
        Splits along a path at most.

    Returns
    -------
    array of shape (n, k)

    Notes
    -----
    Every node is cut by one of the borders that leave rows on both sides, each as likely; a node
    that none cuts stays a leaf. Rows of the matrix sum to one, so its largest eigenvalue is 1, and
    its trace is at most 2**depth, as for oblivious trees. At depth 1 the two kinds are the same.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> regular_tree_kernel(X, borders=[[0.5, 1.5]], depth=2)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return RegularTrees(X, borders=borders, depth=depth).kernel_matrix(Z=Z)


def regular_tree_kernel_at(
    X: Matrix,
    residuals: Vector,
    Z: Matrix | None = None,
    *,
    borders: Borders,
    depth: int,
    random_strength: float,
) -> Matrix:
    """Return K_tau of regular trees: the mean kernel of the next tree given the residuals.

    Parameters
    ----------
    X, Z, borders, depth
        As for :func:`regular_tree_kernel`.
    residuals : array of shape (n,)
        ``y - f(X)``.
    random_strength : float
        beta; at 0 every node takes its best split, as the boosters of other libraries do.

    Notes
    -----
    Each node draws its split by score - beta log(-log u), that is with probabilities
    softmax(D / beta), D the part that its two halves have in the score of SampleTree. Nodes draw
    independently of one another, so the kernel is a sum over boxes of bins rather than over trees.

    Examples
    --------
    >>> import numpy as np
    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(30, 2))
    >>> settings = {"borders": [np.array([-0.5, 0.5])] * 2, "depth": 2}
    >>> near = regular_tree_kernel_at(X, X[:, 0], random_strength=1e6, **settings)
    >>> bool(np.allclose(near, regular_tree_kernel(X, **settings), atol=1e-5))
    True
    """
    trees = RegularTrees(X, borders=borders, depth=depth)
    return trees.kernel_matrix(residuals, random_strength, Z)
