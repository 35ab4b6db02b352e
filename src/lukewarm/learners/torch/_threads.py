"""How many threads a training step is worth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

# Multiplications of one batch below which a second thread costs more than it brings. On a busy
# machine the threads of a small step wait for one another in turns: a step of 64 rows through two
# layers of 256 took twenty times as long with two threads as with one.
_WORTH_THREADS = 2**25


@contextmanager
def threads_for(n_rows: int, module: torch.nn.Module) -> Iterator[None]:
    """Use one thread inside the block when a batch of `n_rows` is little work for the module."""
    threads = torch.get_num_threads()
    n_parameters = sum(parameter.numel() for parameter in module.parameters())
    if threads == 1 or n_rows * n_parameters >= _WORTH_THREADS:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
