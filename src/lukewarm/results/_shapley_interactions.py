"""Which pairs of players are worth more, or less, together than beside each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import comb, ndtr, ndtri

from lukewarm._typing import Matrix
from lukewarm.inference import mapped, standard_error

if TYPE_CHECKING:
    from lukewarm.results._shapley import ShapleyResult

_COLUMNS = ["first", "second", "interaction", "std_error", "ci_low", "ci_high", "p_value"]


def interaction_weights(membership: np.ndarray) -> Matrix:
    """Return the weight of each coalition's value in the interaction of each pair.

    Parameters
    ----------
    membership : ndarray of bool, shape (2**p, p)

    Returns
    -------
    ndarray of shape (p (p - 1) / 2, 2**p)
        Pairs in the order of `itertools.combinations`.

    Notes
    -----
    The Shapley interaction index (Grabisch and Roubens 1999): the mean, over the sizes t of
    coalitions T of the others and over those of each size, of
    v(T + j + k) - v(T + j) - v(T + k) + v(T).
    """
    n_players = membership.shape[1]
    sizes = membership.sum(axis=1)
    rows = []
    for first, second in combinations(range(n_players), 2):
        inside = membership[:, [first, second]].sum(axis=1)
        others = sizes - inside
        share = 1 / ((n_players - 1) * comb(n_players - 2, others))
        rows.append(np.where(inside == 1, -share, share))
    return np.array(rows).reshape(-1, len(membership))


def shapley_interactions(result: ShapleyResult) -> pd.DataFrame:
    """Return one row per pair of players; see `ShapleyResult.interactions`."""
    n_players = len(result)
    if len(result.coalitions) < 2**n_players:
        raise ValueError(
            f"interactions need the value of each of the {2**n_players} coalitions; "
            f"{len(result.coalitions)} were fitted. Use solver='exact', with groups if there are "
            "many features, or VariableImportance.interactions."
        )
    membership = np.zeros((len(result.coalitions), n_players), dtype=bool)
    for number, coalition in enumerate(result.coalitions):
        membership[number, list(coalition)] = True
    weights = interaction_weights(membership)
    estimate = weights @ (result.values - result.values[0])
    error = standard_error(mapped(weights, result.influence)) if len(weights) else np.zeros(0)
    if result.shifts is not None:
        error = np.hypot(error, weights @ result.shifts)
    if result.disagreements is not None:
        error = np.hypot(error, np.linalg.norm(weights @ result.disagreements, axis=1))
    reach = ndtri(0.5 + result.level / 2) * error
    score = np.abs(estimate) / np.where(error > 0, error, np.where(estimate == 0, 1.0, 1e-300))
    names = list(combinations(result.names, 2))
    frame = pd.DataFrame(
        {
            "first": [first for first, _ in names],
            "second": [second for _, second in names],
            "interaction": estimate,
            "std_error": error,
            "ci_low": estimate - reach,
            "ci_high": estimate + reach,
            "p_value": 2 * ndtr(-score),
        },
        columns=_COLUMNS,
    )
    order = np.argsort(-np.abs(estimate), kind="stable")
    return frame.iloc[order].reset_index(drop=True)
