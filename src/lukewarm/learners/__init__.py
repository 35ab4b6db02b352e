"""Models that can go one step further from where they stand, and the one loop that trains them."""

from typing import TYPE_CHECKING, Any

from lukewarm.learners._base import BindsRows, Learner, StagedLearner
from lukewarm.learners._training import train_until

if TYPE_CHECKING:
    from lukewarm.learners.boosting import ObliviousBoosting

__all__ = ["BindsRows", "Learner", "ObliviousBoosting", "StagedLearner", "train_until"]

_COMPILED = ("ObliviousBoosting",)


def __getattr__(name: str) -> Any:
    # Compiled code is loaded when first asked for.
    if name in _COMPILED:
        from lukewarm.learners import boosting

        return getattr(boosting, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
