"""When to stop: stateless rules over a plain list of losses; they know no model."""

from lukewarm.stopping._rules import FixedSteps, Patience, StoppingRule

__all__ = ["FixedSteps", "Patience", "StoppingRule"]
