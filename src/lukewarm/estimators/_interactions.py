"""Which pairs of feature sets are worth more, or less, together than beside each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.results import ImportanceResult


def leading_pairs(result: ImportanceResult, top: int) -> list[tuple[str, str]]:
    """Return the pairs of the `top` most important feature sets that share no column."""
    leading = np.argsort(-result.importance, kind="stable")[:top]
    return [
        (result.names[one], result.names[other])
        for one, other in combinations(leading, 2)
        if not set(result.removed[one]) & set(result.removed[other])
    ]


def unions(result: ImportanceResult, pairs: list[tuple[str, str]]) -> dict[str, FeatureSet]:
    """Return the columns of each pair, under the names `pair_name` gives them."""
    columns = dict(zip(result.names, result.removed, strict=True))
    return {
        pair_name(result, *pair): tuple(sorted({*columns[pair[0]], *columns[pair[1]]}))
        for pair in pairs
    }


def pair_name(result: ImportanceResult, first: str, second: str) -> str:
    """Return a name for a pair that no feature set of the result has."""
    name = f"{first} + {second}"
    while name in result.names:
        name = f"({name})"
    return name


def interaction_frame(
    result: ImportanceResult, joint: ImportanceResult | None, pairs: list[tuple[str, str]]
) -> pd.DataFrame:
    """Return one row per pair, the largest interactions first; `joint` holds the pairs' sets.

    Parameters
    ----------
    result : ImportanceResult
        Of single feature sets.
    joint : ImportanceResult, or None where `result` has them
        Of the pairs.
    pairs : list of pairs of str
        Names in `result`.
    """
    whole = result if joint is None else ImportanceResult.merge([result, joint])
    rows = []
    for first, second in pairs:
        together = pair_name(result, first, second)
        contrast = whole.contrast({first: 1.0, second: 1.0, together: -1.0})
        low, high = contrast.interval()
        rows.append(
            {
                "first": first,
                "second": second,
                "together": whole.contrast({together: 1.0}).estimate,
                "interaction": contrast.estimate,
                "std_error": contrast.standard_error,
                "ci_low": low,
                "ci_high": high,
                "p_value": contrast.p_value(),
            }
        )
    columns = [
        *("first", "second", "together", "interaction", "std_error", "ci_low", "ci_high", "p_value")
    ]
    frame = pd.DataFrame(rows, columns=columns)
    order = np.argsort(-frame["interaction"].abs().to_numpy(dtype=float), kind="stable")
    return frame.iloc[order].reset_index(drop=True)
