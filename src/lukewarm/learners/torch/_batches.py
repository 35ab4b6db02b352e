"""Shuffled batches of an epoch, in the portions a learner takes as its steps."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")


class Shuffler:
    """Where in the current epoch a learner stands, and the order of its rows.

    Parameters
    ----------
    batch_size : int
        Largest batch. The batches of an epoch differ by one row at most, so that no batch of a
        single row is left over (batch normalisation could not take it).
    steps_per_epoch : int
    seed : int
    """

    def __init__(self, batch_size: int, steps_per_epoch: int, seed: int) -> None:
        self.batch_size = batch_size
        self.steps_per_epoch = steps_per_epoch
        self._generator = torch.Generator().manual_seed(seed)
        self._order = torch.empty(0, dtype=torch.int64)
        self._portion = 0

    def copy(self, seed: int | None) -> Shuffler:
        """Return one at the same place of the epoch; with a seed, one at a new epoch's start."""
        if seed is not None:
            return Shuffler(self.batch_size, self.steps_per_epoch, seed)
        twin = copy.copy(self)
        twin._generator = torch.Generator()
        twin._generator.set_state(self._generator.get_state())
        return twin

    def draw_seed(self) -> int:
        """Return a seed for the random layers of the next step."""
        return int(torch.randint(2**31 - 1, (1,), generator=self._generator))

    def next_rows(self, n_rows: int) -> Iterator[torch.Tensor]:
        """Yield the row numbers of each batch of the next portion of an epoch."""
        if self._portion == 0 or len(self._order) != n_rows:
            self._order = torch.randperm(n_rows, generator=self._generator)
            self._portion = 0
        batches = torch.tensor_split(self._order, -(-n_rows // self.batch_size))
        first = self._portion * len(batches) // self.steps_per_epoch
        last = (self._portion + 1) * len(batches) // self.steps_per_epoch
        self._portion = (self._portion + 1) % self.steps_per_epoch
        yield from batches[first:last]
