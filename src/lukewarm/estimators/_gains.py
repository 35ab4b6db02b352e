"""What feature sets add to a base set: two reduced models each, compared on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.data import FeatureIndex, as_feature_sets
from lukewarm.results import ImportanceResult


@dataclass(frozen=True)
class GainPlan:
    """The models a comparison needs.

    With v(S) the skill of the model of the columns S and N all of them, the gain is
    v(B + j) - v(B): the importance of all that is not in B, minus that of all that is not in B + j.

    Parameters
    ----------
    base : str
        The name of what is removed to leave the base alone.
    removed : dict from name to FeatureSet
        What is removed to leave the base, and the base with each feature set.
    features : tuple of str
        The feature sets that are added; one that completes the table needs no model.
    """

    base: str
    removed: dict[str, FeatureSet]
    features: tuple[str, ...]

    @classmethod
    def of(cls, result: ImportanceResult, index: FeatureIndex, base: Any) -> GainPlan:
        """Return the plan for the feature sets of a result that share no column with the base.

        Parameters
        ----------
        result : ImportanceResult
        index : FeatureIndex
            The names of the columns.
        base : sequence
            Columns or sets, as `features` takes them, that every model keeps.
        """
        named = as_feature_sets(index, base) if len(base) else {}
        kept = {column for columns in named.values() for column in columns}
        sets = {
            name: columns
            for name, columns in zip(result.names, result.removed, strict=True)
            if not kept & set(columns)
        }
        if not sets:
            raise ValueError("base holds columns of every feature set, so there is none to add.")
        name = "base"
        while name in sets:
            name = f"({name})"
        every = range(len(index))
        removed = {name: tuple(column for column in every if column not in kept)}
        for feature, columns in sets.items():
            left = tuple(column for column in every if column not in kept | set(columns))
            if left:
                removed[feature] = left
        return cls(name, removed, tuple(sets))

    def frame(self, result: ImportanceResult) -> pd.DataFrame:
        """Return the gains, from a result of what is removed."""
        rows = []
        for feature in self.features:
            weights = {self.base: 1.0, **({feature: -1.0} if feature in self.removed else {})}
            gain = result.contrast(weights)
            low, high = gain.interval()
            rows.append(
                {
                    "feature": feature,
                    "gain": gain.estimate,
                    "std_error": gain.standard_error,
                    "ci_low": low,
                    "ci_high": high,
                    "p_value": gain.p_value(),
                }
            )
        return pd.DataFrame(rows)
