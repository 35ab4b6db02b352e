"""Groups of columns that belong together, found in the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix
from lukewarm._validation import check_number
from lukewarm.data._features import FeatureIndex

_SEPARATORS = ("_", "=")
# A matrix of 200 MB, and some copies of it.
_MOST_COMPARED = 5_000


def as_groups(
    groups: str | Mapping[str, Any] | None, X: Features, index: FeatureIndex
) -> Mapping[str, Iterable[Any]] | None:
    """Return the named groups that `groups` stands for.

    Parameters
    ----------
    groups : None, "auto", {"correlation": threshold} or mapping from name to columns
        "auto" finds one-hot columns, a correlation threshold clusters of alike columns; a
        mapping of groups is returned as it is.
    X : Features
    index : FeatureIndex

    Examples
    --------
    >>> X = np.tile([[1.0, 0.0, 5.0], [0.0, 1.0, 7.0]], (10, 1))
    >>> as_groups("auto", X, FeatureIndex(("city_Rome", "city_Oslo", "age")))
    {'city': ['city_Rome', 'city_Oslo']}
    """
    if isinstance(groups, str):
        if groups != "auto":
            raise ValueError(
                "groups must be 'auto', {'correlation': threshold} or a mapping from names to "
                f"columns; got {groups!r}."
            )
        return one_hot_groups(X, index)
    if isinstance(groups, Mapping) and list(groups) == ["correlation"]:
        asked = groups["correlation"]
        if not isinstance(asked, Iterable):
            threshold = check_number("groups['correlation']", asked, above=0, minimum=0)
            if threshold > 1:
                raise ValueError(f"groups['correlation'] must be at most 1; got {threshold:g}.")
            return correlation_groups(X, index, threshold)
    return groups


def one_hot_groups(X: Features, index: FeatureIndex) -> dict[str, list[str]]:
    """Return the sets of 0/1 columns that share a prefix and are never on together.

    The name is what stands before a "_" or "=": ``city_Rome`` and ``city_Oslo`` are ``city``, and
    ``encoder__city_Rome``, as a ColumnTransformer writes it, belongs to ``encoder__city``. A set
    in which one column is on in every row is taken before one that may lack its first level, and
    of those the one with the shorter prefix.
    """
    values = _numeric_columns(X)
    binary = [column for column, entries in values.items() if np.isin(entries, (0.0, 1.0)).all()]
    free = {index.names[column]: column for column in binary}
    groups: dict[str, list[str]] = {}
    names_with: dict[str, list[str]] = {}
    for name in free:
        for prefix in _prefixes(name):
            names_with.setdefault(prefix, []).append(name)
    for needs_all_rows in (True, False):
        for prefix in sorted(names_with, key=len):
            members = [name for name in names_with[prefix] if name in free]
            on = sum((values[free[name]] for name in members), np.zeros(len(X)))
            if len(members) > 1 and on.max() == 1 and (on.min() == 1 or not needs_all_rows):
                groups[prefix if prefix not in index else f"{prefix}_*"] = members
                for name in members:
                    del free[name]
    return groups


def correlation_groups(X: Features, index: FeatureIndex, threshold: float) -> dict[str, list[str]]:
    """Return clusters of numeric columns whose rank correlations all reach `threshold`.

    Complete-linkage clustering of 1 - |Spearman's correlation|; a cluster has the name of its
    members.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n, p)
    index : FeatureIndex
        The names of the columns.
    threshold : float
        The least absolute rank correlation inside a cluster.
    """
    # scipy's clusters and ranks take longer to load than all the rest of the room.
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    values = _numeric_columns(X)
    if len(values) < 2:
        return {}
    if len(values) > _MOST_COMPARED:
        raise ValueError(
            f"groups['correlation'] compares all pairs of columns; X has {len(values)} numeric "
            f"ones, and at most {_MOST_COMPARED} are compared. Name the groups, or keep fewer "
            "columns."
        )
    correlation = np.abs(rank_correlation(np.column_stack(list(values.values()))))
    distance = np.maximum(1 - correlation, 0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="complete")
    # The distance of two equal columns is a rounding error, not zero.
    label = fcluster(tree, 1 - threshold + 1e-12, criterion="distance")
    names = np.array([index.names[column] for column in values], dtype=object)
    clusters = [list(names[label == number]) for number in np.unique(label)]
    return {" + ".join(members): members for members in clusters if len(members) > 1}


def _numeric_columns(X: Features) -> dict[int, np.ndarray]:
    if not isinstance(X, pd.DataFrame):
        return {column: X[:, column] for column in range(X.shape[1])}
    return {
        column: X[name].to_numpy(float)
        for column, name in enumerate(X.columns)
        if not isinstance(X[name].dtype, pd.CategoricalDtype)
    }


def _prefixes(name: str) -> list[str]:
    """Return what stands before each separator of the feature's own name.

    A double underscore ends the name of a transformer, unless nothing but a level follows it.
    """
    transformer, double, own = name.rpartition("__")
    if double and not any(separator in own for separator in _SEPARATORS):
        return [transformer] if transformer and own else []
    skipped = len(transformer) + len(double)
    return [
        name[:place] for place in range(skipped + 1, len(name) - 1) if name[place] in _SEPARATORS
    ]


def rank_correlation(values: Matrix) -> Matrix:
    """Return Spearman's correlations; gaps take the mean rank, a constant column has none."""
    from scipy.stats import rankdata

    ranks = rankdata(values, axis=0, nan_policy="omit")
    is_gap = np.isnan(ranks)
    n_known = np.maximum((~is_gap).sum(axis=0), 1)  # a column of gaps alone is constant, too
    ranks = np.where(is_gap, np.nansum(ranks, axis=0) / n_known, ranks)
    centred = ranks - ranks.mean(axis=0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    scaled = centred / np.where(length > 0, length, 1.0)
    return scaled.T @ scaled
