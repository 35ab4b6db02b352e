"""Shapley values of any game: coalitions, samplers and solvers.

Pure game theory: nothing here knows a feature, a model or a table.
"""

from lukewarm.shapley._coalitions import Coalition, as_membership
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
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._solution import Solution

__all__ = [
    "SOLVERS",
    "Coalition",
    "ProxyGame",
    "ShapleyEstimate",
    "Solution",
    "as_membership",
    "as_proxy",
    "check_enough_coalitions",
    "check_exact_is_feasible",
    "estimate",
    "exact",
    "is_exhaustive",
    "least_coalitions",
    "solve",
]
