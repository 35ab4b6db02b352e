"""One Generator at the entry, children drawn before any job starts, int seeds for back ends."""

from __future__ import annotations

import numbers

import numpy as np

from lukewarm._typing import RandomState

_SEED_LIMIT = 2**31 - 1  # the largest seed every back end takes


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return the Generator that `random_state` stands for.

    Examples
    --------
    >>> bool(as_generator(0).integers(10) == as_generator(0).integers(10))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative; got {random_state}.")
        return np.random.default_rng(int(random_state))
    raise TypeError(
        "random_state must be None, an int or a numpy.random.Generator; "
        f"got {type(random_state).__name__}."
    )


def derived_seed(root: int, *key: int) -> int:
    """Return the seed of the job that `key` names; the same whatever other jobs there are.

    Examples
    --------
    >>> derived_seed(0, 1, 2) == derived_seed(0, 1, 2) != derived_seed(0, 2, 1)
    True
    """
    # The length tells (1,) from (1, 0): a sequence is padded with zeros.
    sequence = np.random.SeedSequence((root, len(key), *key))
    return int(sequence.generate_state(1)[0]) % _SEED_LIMIT


def draw_seeds(generator: np.random.Generator, n_seeds: int) -> list[int]:
    """Return `n_seeds` int seeds, each fit for numpy, torch and every booster."""
    return [int(seed) for seed in generator.integers(_SEED_LIMIT, size=n_seeds)]
