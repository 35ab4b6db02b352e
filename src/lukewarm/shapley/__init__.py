"""Shapley values of any game: coalition samplers, solvers, and the game that models play."""

from lukewarm.shapley._estimate import (
    SOLVERS,
    ShapleyEstimate,
    as_proxy,
    check_enough_coalitions,
    estimate,
    is_exhaustive,
    least_coalitions,
    solve,
)
from lukewarm.shapley._exact import check_exact_is_feasible, exact
from lukewarm.shapley._linear import LinearGame, numeric_design
from lukewarm.shapley._models import Fit, FittedCoalition, ModelGame
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._solution import Solution

__all__ = [
    "SOLVERS",
    "Fit",
    "FittedCoalition",
    "LinearGame",
    "ModelGame",
    "ProxyGame",
    "ShapleyEstimate",
    "Solution",
    "as_proxy",
    "check_enough_coalitions",
    "check_exact_is_feasible",
    "estimate",
    "exact",
    "is_exhaustive",
    "least_coalitions",
    "numeric_design",
    "solve",
]
