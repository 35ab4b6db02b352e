"""What a stopping rule is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class StoppingRule(Protocol):
    """A stateless answer to "stop?" and "which step was best?".

    ``losses[0]`` is the loss before any step, so the best step may be 0: no step at all.
    """

    def should_stop(self, losses: Sequence[float]) -> bool:
        """Return whether training ends after the steps taken so far."""
        ...

    def best_step(self, losses: Sequence[float]) -> int:
        """Return the step whose model is kept."""
        ...
