"""A number of steps set beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._validation import check_count


@dataclass(frozen=True)
class FixedSteps:
    """Take exactly `n_steps` steps and keep the last.

    Examples
    --------
    >>> FixedSteps(2).should_stop([3.0, 1.0]), FixedSteps(2).should_stop([3.0, 1.0, 2.0])
    (False, True)
    """

    n_steps: int

    def __post_init__(self) -> None:
        check_count("n_steps", self.n_steps, minimum=0)

    def should_stop(self, losses: Sequence[float]) -> bool:
        """Return whether `n_steps` steps are taken, or the last loss is nan."""
        return len(losses) > self.n_steps or bool(np.isnan(losses[-1]))

    def best_step(self, losses: Sequence[float]) -> int:
        """Return `n_steps`, or the last step taken when there are fewer."""
        return min(self.n_steps, len(losses) - 1)
