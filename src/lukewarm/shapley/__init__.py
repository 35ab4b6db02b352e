"""Shapley values of any game: coalition samplers, solvers, and the game that models play."""

from lukewarm.shapley._estimate import SOLVERS, ShapleyEstimate, estimate, solve
from lukewarm.shapley._exact import exact
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._solution import Solution

__all__ = ["SOLVERS", "ProxyGame", "ShapleyEstimate", "Solution", "estimate", "exact", "solve"]
