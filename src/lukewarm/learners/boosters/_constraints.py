"""XGBoost's constraints by column name, as constraints by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from lukewarm._typing import Features


def constraints_by_place(settings: Mapping[str, Any], X: Features) -> dict[str, Any]:
    """Return those constraints of the settings that name columns, with places for the names.

    Examples
    --------
    >>> X = pd.DataFrame({"size": [1.0], "age": [2.0], "[m]": [3.0]})
    >>> constraints_by_place({"monotone_constraints": {"age": 1}}, X)
    {'monotone_constraints': (0, 1, 0)}
    >>> constraints_by_place({"interaction_constraints": [["size", "[m]"], ["age"]]}, X)
    {'interaction_constraints': '[[0, 2], [1]]'}
    """
    by_place: dict[str, Any] = {}
    monotone = settings.get("monotone_constraints")
    if isinstance(monotone, Mapping):
        signs = {_place(name, X, "monotone_constraints"): sign for name, sign in monotone.items()}
        by_place["monotone_constraints"] = tuple(signs.get(place, 0) for place in range(X.shape[1]))
    sets = settings.get("interaction_constraints")
    if isinstance(sets, list | tuple):
        # As text: of a list XGBoost takes even places for names.
        by_place["interaction_constraints"] = str(
            [[_place(name, X, "interaction_constraints") for name in names] for names in sets]
        )
    return by_place


def _place(name: Any, X: Features, setting: str) -> int:
    if isinstance(name, int):
        return name
    if not isinstance(X, pd.DataFrame):
        raise ValueError(
            f"model has {setting} for column {name!r}, but X is an array, without names; pass a "
            "DataFrame, or constraints by place."
        )
    # As XGBoost itself names the columns of a frame.
    names = [
        " ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in X.columns
    ]
    if name not in names:
        raise ValueError(
            f"model has {setting} for column {name!r}, but X has no such column; X has {names}."
        )
    return names.index(name)
