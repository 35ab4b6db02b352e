"""Feature names, and the sets of features whose importance is asked for."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lukewarm._typing import FeatureSet
from lukewarm._validation import check_list


@dataclass(frozen=True)
class FeatureIndex:
    """The names of the columns and the way from a name or an index to a column."""

    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def position(self, feature: Any, where: str) -> int:
        """Return the column that `feature` (a name or an index) stands for."""
        if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
            column = int(feature)
            if not -len(self) <= column < len(self):
                raise ValueError(
                    f"{where} names column {column}, but X has {len(self)} columns (0 to "
                    f"{len(self) - 1})."
                )
            return column % len(self)
        if str(feature) not in self.names:
            raise ValueError(
                f"{where} names column {feature!r}, but X has no such column; "
                f"X has {list(self.names)}."
            )
        return self.names.index(str(feature))

    def feature_set(self, features: Any, where: str) -> FeatureSet:
        """Return the sorted columns of one feature or an iterable of features."""
        if isinstance(features, str | numbers.Integral):
            return (self.position(features, where),)
        if not isinstance(features, Iterable):
            raise TypeError(
                f"{where} must be a column name, an index or a list of them; got {features!r}."
            )
        columns = [self.position(feature, where) for feature in features]
        if not columns:
            raise ValueError(f"{where} is empty; name at least one column.")
        if len(set(columns)) < len(columns):
            raise ValueError(f"{where} names a column twice; got {list(features)}.")
        return tuple(sorted(columns))

    def label(self, removed: FeatureSet) -> str:
        """Return the name shown for a feature set."""
        return " + ".join(self.names[column] for column in removed)


def as_feature_sets(
    index: FeatureIndex,
    features: Sequence[Any] | None = None,
    groups: Mapping[str, Iterable[Any]] | None = None,
) -> dict[str, FeatureSet]:
    """Return the named feature sets to explain, in the order asked for.

    Parameters
    ----------
    index : FeatureIndex
    features : sequence, optional
        Columns, or sets of columns, by name or index. Default: every column by itself, unless
        `groups` is given.
    groups : mapping from name to columns, optional
        Named, disjoint sets of columns. With `groups` and no `features`, the groups come first,
        then each column that is in none of them.

    Examples
    --------
    >>> index = FeatureIndex(("AT", "AP", "AH", "CDP"))
    >>> as_feature_sets(index, groups={"ambient": ["AT", "AP", "AH"]})
    {'ambient': (0, 1, 2), 'CDP': (3,)}
    >>> as_feature_sets(index, features=["CDP", ("AT", "AP")])
    {'CDP': (3,), 'AT + AP': (0, 1)}
    """
    grouped = _named_groups(index, groups)
    if features is None:
        in_a_group = {column for columns in grouped.values() for column in columns}
        alone = {
            name: (column,) for column, name in enumerate(index.names) if column not in in_a_group
        }
        return {**grouped, **alone}
    if isinstance(features, str | numbers.Integral):
        features = [features]
    chosen: dict[str, FeatureSet] = {}
    for number, feature in enumerate(check_list("features", features)):
        if isinstance(feature, str) and feature in grouped:
            chosen[feature] = grouped[feature]
            continue
        columns = index.feature_set(feature, f"features[{number}]")
        chosen[index.label(columns)] = columns
    if not chosen:
        raise ValueError("features is empty; name at least one column, or pass None for all.")
    return chosen


def _named_groups(
    index: FeatureIndex, groups: Mapping[str, Iterable[Any]] | None
) -> dict[str, FeatureSet]:
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise TypeError(
            f"groups must map a name to a list of columns; got {type(groups).__name__}."
        )
    named = {
        str(name): index.feature_set(columns, f"groups[{str(name)!r}]")
        for name, columns in groups.items()
    }
    owner: dict[int, str] = {}
    for name, columns in named.items():
        if name in index.names and columns != (index.names.index(name),):
            raise ValueError(
                f"groups[{name!r}] has the name of a column; give the group a name of its own."
            )
        for column in columns:
            if column in owner:
                raise ValueError(
                    f"groups must be disjoint; column {index.names[column]!r} is in "
                    f"{owner[column]!r} and in {name!r}. Pass overlapping sets as features."
                )
            owner[column] = name
    return named
