"""Compilation of the engine before its first use."""

from __future__ import annotations

from functools import cache

import numpy as np

from lukewarm.learners.boosting._apply import add_trees
from lukewarm.learners.boosting._encode import encode_numbers
from lukewarm.learners.boosting._grow import grow_trees
from lukewarm.learners.boosting._trees import Trees
from lukewarm.learners.boosting._work import Problem, Rules, Table, make_workspace


@cache
def compile_once() -> None:
    """Compile what every fit needs, or load it from numba's cache on disk.

    What only some need (draws of splits at random, several threads, 32-bit numbers, stored leaves)
    is compiled when they first need it.
    """
    encode_numbers.compile_for(np.dtype(np.float64))
    add_trees.compile_for(np.dtype(np.uint8))
    _grow_one_tree()


def _grow_one_tree() -> None:
    """Grow a tree on two rows: any call compiles, and this one takes no time beyond that."""
    table = Table(
        np.array([[1, 2]], np.uint8), np.array([3]), np.array([1]), np.array([1]), np.array([False])
    )
    problem = Problem(np.array([[0.0, 1.0]]), np.zeros(1), np.zeros(0), 0)
    rules = Rules(0.1, 1.0, 0.0, None, 1.0, 1.0, 1.0, seed=0)
    trees = Trees.blank(1, 1, 1, table.is_category)
    candidates = np.zeros(1, np.int32)
    work = make_workspace(table, problem, rules, candidates, 1)
    grow_trees(table, problem, rules, candidates, 0, 1.0, np.zeros((1, 2)), trees.arrays, work)
