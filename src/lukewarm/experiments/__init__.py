"""One module per figure or table of the paper: replicates, then tables and figures from records."""

from lukewarm.experiments._base import SCALES
from lukewarm.experiments._run import EXPERIMENTS, Reproduction, describe, redraw, run

__all__ = ["EXPERIMENTS", "SCALES", "Reproduction", "describe", "redraw", "run"]
