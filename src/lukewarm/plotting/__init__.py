"""Figures from records only; matplotlib is loaded when the first is drawn."""

from lukewarm.plotting._effects import plot_effects
from lukewarm.plotting._elimination import plot_elimination
from lukewarm.plotting._forest import (
    plot_forest,
    plot_importance_against_shapley,
    plot_learning_curve,
)
from lukewarm.plotting._importance import plot_comparison, plot_importance
from lukewarm.plotting._interactions import plot_interaction_network, plot_interactions
from lukewarm.plotting._segments import plot_segments
from lukewarm.plotting._shapley import plot_convergence, plot_shapley, plot_waterfall
from lukewarm.plotting._style import COLOURS, new_axes, new_figure, save_figure, tidy
from lukewarm.plotting._trace import plot_trace

__all__ = [
    "COLOURS",
    "new_axes",
    "new_figure",
    "plot_comparison",
    "plot_convergence",
    "plot_effects",
    "plot_elimination",
    "plot_forest",
    "plot_importance",
    "plot_importance_against_shapley",
    "plot_interaction_network",
    "plot_interactions",
    "plot_learning_curve",
    "plot_segments",
    "plot_shapley",
    "plot_trace",
    "plot_waterfall",
    "save_figure",
    "tidy",
]
