"""When to stop: stateless rules over a plain list of losses; they know no model."""

from lukewarm.stopping._base import StoppingRule
from lukewarm.stopping._fixed import FixedSteps
from lukewarm.stopping._patience import Patience

__all__ = ["FixedSteps", "Patience", "StoppingRule"]
