"""Open direction: what of the theory of oblivious trees holds for regular ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal
from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._random_functions import random_trees
from lukewarm.experiments._slopes import slope_columns
from lukewarm.experiments._style import legend_below, logarithmic_upwards
from lukewarm.kernels import RegularTrees, oracle_stop, tree_kernel, tree_kernel_at
from lukewarm.plotting import COLOURS, new_figure, tidy

# 0 is greedy, as boosters of other libraries are; at the largest the kernel all but stays.
_STRENGTHS = (0, 0.01, 0.1, 1, 10, 100, 1000, 10000)
# Where the distance follows its law.
_LEAST_STRENGTH = 1
_DEPTHS = (2, 3)
_ROWS = 128
_REPLICATES = {"quick": 5, "paper": 10}
_DISTANCES = ("kernel_change", "prediction_gap")
_MARKS = {"regular": "o-", "oblivious": "s--"}
# Whose paths are drawn.
_SHOWN_DEPTH, _SHOWN_STRENGTHS = 2, (0, 0.1, 10000)
_MEANS = (*_DISTANCES, "trace", "dropout", "error", "best", "drift", "bound")
_MEDIANS = ("max_step", "optimal_step", "best_step")
KINDS = ("regular", "oblivious")
# The paper's learning rate.
_RATE = 0.1
# Past T_max, so that the best step is seen as well.
_N_STEPS = 200
_NOISE_STD = 0.1
_FIRSTS = np.arange(3)
# Of the first feature, which is removed: without it, its part of y is noise.
_SIGMA = float(np.sqrt(1.25 + _NOISE_STD**2))
_BORDERS = [np.empty(0), *(first + np.array([0.5, 1.5, 2.5]) for first in _FIRSTS[1:])]


class RegularTreesExperiment:
    """A regular tree is a kernel update too; only noise keeps its kernel in place."""

    description = Description(
        name="regular-trees",
        section="4.4; open direction",
        shows="trees with a split of their own in every node beside oblivious ones: distance from "
        "the stationary kernel by random strength, and T_max from its spectrum",
        minutes={"quick": 0.5, "paper": 1.0},
    )
    models = ("boosting",)

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per kind of tree, depth, random strength and replicate."""
        n = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n, seed, kind=KINDS, depth=_DEPTHS, size=_STRENGTHS)

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the distances, stopping times and errors of one warm start."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        return regular_run(job["kind"], job["depth"], float(job["size"]), _ROWS, generator)

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return means per kind, depth and random strength, with the exponent of each distance."""
        frame = pd.DataFrame(list(records))
        rows = []
        for (kind, depth), chosen in frame.groupby(["kind", "depth"], sort=False):
            noisy = chosen[chosen["size"] >= _LEAST_STRENGTH]
            slopes = slope_columns(noisy, "size", _DISTANCES)
            for size, each in chosen.groupby("size"):
                rows.append(
                    {
                        **{"kind": kind, "depth": depth, "size": size, "replicates": len(each)},
                        **{name: float(each[name].mean()) for name in _MEANS},
                        **{name: float(each[name].median()) for name in _MEDIANS},
                        **slopes,
                    }
                )
        return pd.DataFrame(rows)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return two panels: the kernel's distance by random strength, and paths of the error."""
        figure, panels = new_figure(9.4, 4.6, n_columns=2)
        _draw_distances(panels[0], self.table(records))
        _draw_paths(panels[1], pd.DataFrame(list(records)))
        legend_below(figure)
        return figure


def _draw_distances(axes: Any, table: pd.DataFrame) -> None:
    for (kind, depth), rows in table.groupby(["kind", "depth"], sort=False):
        noisy, mark = rows[rows["size"] > 0], _MARKS[str(kind)]
        colour = COLOURS[_DEPTHS.index(depth)]
        label = f"{kind}, depth {depth}"
        axes.plot(noisy["size"], noisy["kernel_change"], mark, color=colour, label=label)
        # Greedy trees have no place on the axis: their distance is a level.
        greedy = rows[rows["size"] == 0]["kernel_change"].item()
        axes.axhline(greedy, color=colour, linestyle=mark[1:], linewidth=0.8)
    axes.set_xscale("log")
    axes.set(xlabel="random strength β (level: greedy)", title="How far the kernel moves")
    axes.set_ylabel("largest change of the kernel\n(share of its norm)", fontsize=9)
    logarithmic_upwards(axes)
    tidy(axes)


def _draw_paths(axes: Any, frame: pd.DataFrame) -> None:
    chosen = frame[(frame["depth"] == _SHOWN_DEPTH) & (frame["kind"] == "regular")]
    for strength, colour in zip(_SHOWN_STRENGTHS, COLOURS[2:], strict=False):
        rows = chosen[chosen["size"] == strength]
        mean = np.mean(rows["path"].tolist(), axis=0)
        label = "greedy" if strength == 0 else f"β = {strength:g}"
        axes.plot(np.arange(len(mean)), mean, color=colour, label=f"error, {label}")
    last = float(chosen["max_step"].median())
    axes.axvline(last, color="0.4", linewidth=0.8, label="T_max of the stationary kernel")
    axes.set(xlabel="trees after the warm start", title=f"Regular trees of depth {_SHOWN_DEPTH}")
    axes.set_ylabel("error, mean over data sets", fontsize=9)
    logarithmic_upwards(axes)
    tidy(axes)


def regular_run(
    kind: str, depth: int, random_strength: float, n_rows: int, generator: np.random.Generator
) -> dict[str, Any]:
    """Return how far the kernel moves along a warm start, its spectrum's T_max, and the errors.

    Parameters
    ----------
    kind : "regular" or "oblivious"
        Whether every node has a split of its own, or all nodes of a level share one.
    depth : int
    random_strength : float
        beta; 0 for greedy trees.
    n_rows : int
    generator : Generator

    Notes
    -----
    The start is scikit-learn's booster of regular trees, trained with all features. The mean over
    the next tree is exact at every step, so that the distances carry no chance.
    """
    X = generator.integers(_FIRSTS, _FIRSTS + 4, size=(n_rows, 3)).astype(float)
    truth = random_trees(generator)(X)
    y = truth + X[:, 0] - 1.5 + _NOISE_STD * generator.standard_normal(n_rows)
    full = GradientBoostingRegressor(max_depth=depth, learning_rate=_RATE, random_state=0)
    X_removed = Removal.learn(X).apply(X, (0,))
    position = full.fit(X, y).predict(X_removed)
    kernel_of = _kernels(kind, X_removed, depth, random_strength)
    stationary = kernel_of(None)
    path, changes, linear = [position], [], [position]
    for _ in range(_N_STEPS):
        residuals = y - path[-1]
        kernel = kernel_of(residuals)
        changes.append(np.linalg.norm(kernel - stationary))
        path.append(path[-1] + _RATE * (kernel @ residuals))
        linear.append(linear[-1] + _RATE * (stationary @ (y - linear[-1])))
    stop = oracle_stop(
        np.array(path),
        y,
        truth,
        learning_rate=_RATE,
        stationary_kernel=stationary,
        noise_std=_SIGMA,
    )
    error, last = stop.terms.error, int(min(stop.max_step, _N_STEPS))
    gaps = np.square(np.array(path) - np.array(linear)).mean(axis=1)
    return {
        "prediction_gap": float(np.sqrt(gaps.max()) / y.std()),
        "kernel_change": float(max(changes) / np.linalg.norm(stationary)),
        "trace": float(np.trace(stationary)),
        "max_step": last,
        "optimal_step": stop.optimal_step,
        "best_step": int(np.argmin(error)),
        "dropout": float(error[0]),
        "error": float(error[last]),
        "best": float(error.min()),
        "drift": float(stop.terms.drift_term[last]),
        "bound": float(stop.terms.bound[last]),
        "path": [float(f"{value:.5g}") for value in error],
    }


def _kernels(
    kind: str, X: Matrix, depth: int, random_strength: float
) -> Callable[[Vector | None], Matrix]:
    """Return the function from residuals, or None for the stationary kernel, to a kernel matrix."""
    if kind == "regular":
        trees = RegularTrees(X, borders=_BORDERS, depth=depth)
        return lambda residuals: trees.kernel_matrix(
            residuals, math.inf if residuals is None else random_strength
        )
    laws: dict[str, Any] = {"borders": _BORDERS, "depth": depth}
    return lambda residuals: (
        tree_kernel(X, **laws)
        if residuals is None
        else tree_kernel_at(X, residuals, random_strength=random_strength, **laws)
    )
