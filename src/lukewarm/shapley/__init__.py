"""Shapley values of any game: coalition samplers, solvers, and the game that models play."""

from lukewarm.shapley._estimate import SOLVERS, ShapleyEstimate, estimate, is_exhaustive, solve
from lukewarm.shapley._exact import check_exact_is_feasible, exact
from lukewarm.shapley._linear import LinearGame, numeric_design
from lukewarm.shapley._models import FittedCoalition, ModelGame
from lukewarm.shapley._proxy import MAX_PROXY_PLAYERS, ProxyGame
from lukewarm.shapley._solution import Solution

__all__ = [
    "MAX_PROXY_PLAYERS",
    "SOLVERS",
    "FittedCoalition",
    "LinearGame",
    "ModelGame",
    "ProxyGame",
    "ShapleyEstimate",
    "Solution",
    "check_exact_is_feasible",
    "estimate",
    "exact",
    "is_exhaustive",
    "numeric_design",
    "solve",
]
