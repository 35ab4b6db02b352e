"""Predictive skill V(f, P) and its per-row influence values; larger is better."""

from lukewarm.measures._base import Measure, as_measure
from lukewarm.measures._losses import mean_log_loss, mean_squared_error
from lukewarm.measures._regression import R2, NegMSE

__all__ = ["R2", "Measure", "NegMSE", "as_measure", "mean_log_loss", "mean_squared_error"]
