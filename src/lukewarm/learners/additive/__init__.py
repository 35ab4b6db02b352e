"""Additive functions of the columns by ridge regression, for any set of kept columns.

They stand under trees, which cannot follow a line into its tails, and guess columns from others.
"""

from lukewarm.learners.additive._basis import AdditiveBasis, Line
from lukewarm.learners.additive._ridge import RidgeFamily, RidgeFit, without_functions

__all__ = ["AdditiveBasis", "Line", "RidgeFamily", "RidgeFit", "without_functions"]
