"""What a training loop needs of torch: batches, optimisers, its own randomness, threads."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm._validation import check_choice

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

OptimizerFactory = Callable[..., "torch.optim.Optimizer"]

# The fused kernels do one pass over each parameter, and leave Python once per step.
OPTIMIZERS: dict[str, OptimizerFactory] = {
    "sgd": partial(torch.optim.SGD, fused=True),
    "momentum": partial(torch.optim.SGD, momentum=0.9, nesterov=True, fused=True),
    "adam": partial(torch.optim.Adam, fused=True),
}

_GLOBAL_STATE = threading.RLock()
# Multiplications of one batch below which a second thread costs more than it brings. On a busy
# machine the threads of a small step wait for one another in turns: a step of 64 rows through two
# layers of 256 took twenty times as long with two threads as with one.
_WORTH_THREADS = 2**25


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
        copied = copy.copy(self)
        copied._generator = torch.Generator()
        copied._generator.set_state(self._generator.get_state())
        return copied

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


def optimizer_factory(optimizer: Any) -> OptimizerFactory:
    """Return the factory that `optimizer`, a name or already a factory, stands for."""
    if callable(optimizer):
        return optimizer
    return OPTIMIZERS[check_choice("optimizer", optimizer, OPTIMIZERS)]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let torch's global generator draw from `seed` inside, and find it untouched after.

    Initialisers and dropout layers know only the global generator, so one thread at a time may
    use it.
    """
    with _GLOBAL_STATE, torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def reinitialize(module: torch.nn.Module, seed: int) -> None:
    """Draw the parameters of `module` anew, by the `reset_parameters` of its layers."""
    with seeded(seed):
        for name, layer in module.named_modules():
            reset = getattr(layer, "reset_parameters", getattr(layer, "_reset_parameters", None))
            if reset is not None:
                reset()
            elif next(layer.parameters(recurse=False), None) is not None:
                owned = [key for key, _ in layer.named_parameters(recurse=False)]
                raise TypeError(
                    f"module {name or type(module).__name__!r} has parameters of its own ({owned}) "
                    "but no reset_parameters() method, so it cannot be trained anew; add one."
                )


def draws_in_training(module: torch.nn.Module) -> bool:
    """Return whether a layer of `module` is random while it trains."""
    random_layers = (torch.nn.modules.dropout._DropoutNd, torch.nn.RReLU)
    return any(
        isinstance(layer, random_layers) or getattr(layer, "dropout", 0.0) not in (0, 0.0, None)
        for layer in module.modules()
    )


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
