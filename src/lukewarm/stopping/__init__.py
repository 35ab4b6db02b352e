"""When to stop: stateless rules over a plain list of losses; they know no model."""

from lukewarm.stopping._base import StoppingRule
from lukewarm.stopping._rules import FixedSteps, Patience

__all__ = ["FixedSteps", "Patience", "StoppingRule"]
