"""What a stopping rule is, and the rules: patience, as in Algorithm 1, and a number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Protocol, runtime_checkable

import numpy as np

from lukewarm._validation import check_count, check_number


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


@dataclass(frozen=True)
class Patience:
    """Stop once the best loss is `patience` steps old.

    Parameters
    ----------
    patience : int
        Steps without improvement that end the training.
    min_delta : float, default 0
        An improvement is a loss that falls below the best so far by more than this.

    Examples
    --------
    >>> rule = Patience(2)
    >>> rule.should_stop([5.0, 4.0, 4.5]), rule.should_stop([5.0, 4.0, 4.5, 4.0])
    (False, True)
    >>> rule.best_step([5.0, 4.0, 4.5, 4.0])
    1
    """

    patience: int
    min_delta: float = 0.0

    def __post_init__(self) -> None:
        check_count("patience", self.patience)
        check_number("min_delta", self.min_delta, minimum=0, finite=True)

    def for_longer_steps(self, factor: float) -> Patience:
        """Return the rule that waits for as long a way at steps `factor` times as large.

        Shorter steps are not waited for any longer: after a warm start there is less to learn.

        Examples
        --------
        >>> Patience(20).for_longer_steps(1.5), Patience(20).for_longer_steps(0.5)
        (Patience(patience=14, min_delta=0.0), Patience(patience=20, min_delta=0.0))
        """
        return replace(self, patience=ceil(self.patience / max(factor, 1.0)))

    def should_stop(self, losses: Sequence[float]) -> bool:
        """Return whether the best step is `patience` steps back, or the last loss is nan."""
        if np.isnan(losses[-1]):
            return True
        return len(losses) - 1 - self.best_step(losses) >= self.patience

    def best_step(self, losses: Sequence[float]) -> int:
        """Return the last step that improved on the best before it."""
        values = np.asarray(losses, dtype=float)
        if self.min_delta == 0:
            best = int(values.argmin())  # the first nan, where there is one
            return best if not np.isnan(values[best]) else _best_number(values)
        best = 0
        for step in range(1, len(values)):
            if values[step] < values[best] - self.min_delta:
                best = step
        return best


def _best_number(values: np.ndarray) -> int:
    return 0 if np.isnan(values[0]) else int(np.nanargmin(values))


@dataclass(frozen=True)
class FixedSteps:
    """Take exactly `n_steps` steps and keep the last.

    Parameters
    ----------
    n_steps : int
        0 keeps the model as it is.

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
