"""A run of oblivious trees that never changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm.learners.boosting._work import TreeArrays

# One byte, and a table of 256 sums, which stays in the first cache.
BITS_PER_GROUP = 8


@dataclass(frozen=True, eq=False)
class Trees:
    """Oblivious trees: at each level all nodes share one split.

    Parameters
    ----------
    features : ndarray of shape (n_trees, depth), int32
        The feature tested at each level; -1 where a tree has fewer levels.
    thresholds : ndarray of shape (n_trees, depth), uint8
        The test is ``code > threshold``, for categories ``code == threshold``.
    values : ndarray of shape (n_trees, 2**depth, n_outputs)
        Leaf values, learning rate included. Level `l` sets bit `l` of a leaf's number.
    scales : ndarray of shape (n_trees,)
        The factor of the sum of all leaf values so far, once the tree is in; 1 without shrinkage.
    is_category : ndarray of shape (p,), bool
    """

    features: np.ndarray
    thresholds: np.ndarray
    values: np.ndarray
    scales: np.ndarray
    is_category: np.ndarray

    @classmethod
    def blank(cls, n_trees: int, depth: int, n_outputs: int, is_category: np.ndarray) -> Trees:
        """Return trees that are still to be filled in."""
        return cls(
            np.empty((n_trees, depth), np.int32),
            np.zeros((n_trees, depth), np.uint8),
            np.empty((n_trees, 2**depth, n_outputs)),
            np.empty(n_trees),
            is_category,
        )

    def __len__(self) -> int:
        return len(self.features)

    @property
    def arrays(self) -> TreeArrays:
        """What is filled in while blank trees grow."""
        return TreeArrays(self.features, self.thresholds, self.values, self.scales)

    @property
    def group_size(self) -> int:
        """Trees whose leaf numbers are kept together in one byte; 1 for deep trees."""
        # Deeper than eight levels, one tree takes two bytes by itself.
        return max(1, BITS_PER_GROUP // self.features.shape[1])

    @property
    def n_groups(self) -> int:
        """Groups that hold all the trees."""
        return -(-len(self) // self.group_size)

    def first(self, n_trees: int) -> Trees:
        """Return the first `n_trees` of these trees."""
        return self.slice(0, n_trees)

    def slice(self, first: int, last: int) -> Trees:
        """Return the trees first + 1 .. last."""
        return Trees(
            self.features[first:last],
            self.thresholds[first:last],
            self.values[first:last],
            self.scales[first:last],
            self.is_category,
        )

    def followed_by(self, others: Trees) -> Trees:
        """Return these trees and the others after them."""
        return Trees(
            np.concatenate([self.features, others.features]),
            np.concatenate([self.thresholds, others.thresholds]),
            np.concatenate([self.values, others.values]),
            np.concatenate([self.scales, others.scales]),
            self.is_category,
        )
