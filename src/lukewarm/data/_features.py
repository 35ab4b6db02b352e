"""Feature names, and the sets of features whose importance is asked for."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import FeatureSet
from lukewarm._validation import check_list


@dataclass(frozen=True)
class FeatureIndex:
    """The names of the columns and the way from a name or an index to a column.

    Parameters
    ----------
    names : tuple of str
        The names shown.
    labels : tuple, optional
        The names as the user's frame has them: integers, dates, tuples. None for an array.

    Notes
    -----
    A name goes before a position: where a frame names its columns by integers, an integer is
    always a name.

    Examples
    --------
    >>> FeatureIndex(("2019", "2020"), (2019, 2020)).position(2020, "features[0]")
    1
    >>> FeatureIndex(("AT", "AP")).position(1, "features[0]")
    1
    """

    names: tuple[str, ...]
    labels: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def position(self, feature: Any, where: str) -> int:
        """Return the column that `feature` (a name or an index) stands for."""
        if self.has_label(feature):
            return self._by_label[feature]
        if _is_integer(feature) and not self._has_integer_labels:
            return self._by_number(int(feature), where)
        if str(feature) not in self._by_name:
            raise ValueError(
                f"{where} names column {feature!r}, but X has no such column; "
                f"X has {list(self.labels or self.names)}."
            )
        return self._by_name[str(feature)]

    def has_label(self, feature: Any) -> bool:
        """Return whether a column of the user's frame has this very name."""
        # True equals 1, and would be found under it.
        return (
            isinstance(feature, Hashable)
            and not isinstance(feature, bool | np.bool_)
            and feature in self._by_label
        )

    def _by_number(self, column: int, where: str) -> int:
        if not -len(self) <= column < len(self):
            raise ValueError(
                f"{where} names column {column}, but X has {len(self)} columns (0 to "
                f"{len(self) - 1})."
            )
        position = column % len(self)
        if self._by_name.get(str(column), position) != position:
            raise ValueError(
                f"{where} is the number {column}, but X has a column of the name {str(column)!r} "
                f"at another place; write {str(column)!r} for that column, or "
                f"{self.names[position]!r} for column number {column}."
            )
        return position

    @cached_property
    def _has_integer_labels(self) -> bool:
        return any(map(_is_integer, self._by_label))

    @cached_property
    def _by_label(self) -> dict[Any, int]:
        return {label: column for column, label in enumerate(self.labels or ())}

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    def feature_set(self, features: Any, where: str) -> FeatureSet:
        """Return the sorted columns of one feature or an iterable of features."""
        if isinstance(features, str | numbers.Integral) or self.has_label(features):
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
        Columns, or sets of columns, by name or position (see `FeatureIndex`). Default: every
        column by itself, unless `groups` is given.
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
    if isinstance(features, str | numbers.Integral) or index.has_label(features):
        features = [features]
    chosen: dict[str, FeatureSet] = {}
    for number, feature in enumerate(check_list("features", features)):
        if isinstance(feature, str) and feature in grouped:
            name, columns = feature, grouped[feature]
        else:
            columns = index.feature_set(feature, f"features[{number}]")
            name = index.label(columns)
        if name in chosen:
            raise ValueError(
                f"features must name each set once; features[{number}] is {name!r} again. Leave it "
                "out, or give the set a name of its own in groups."
            )
        chosen[name] = columns
    if not chosen:
        raise ValueError("features is empty; name at least one column, or pass None for all.")
    return chosen


def check_disjoint(sets: Mapping[str, FeatureSet], what: str) -> None:
    """Raise when two sets share a column; `what` names the sets."""
    owner: dict[int, str] = {}
    for name, columns in sets.items():
        for column in columns:
            if column in owner:
                raise ValueError(
                    f"{what} must not share columns; {owner[column]!r} and {name!r} both have "
                    f"column {column}."
                )
            owner[column] = name


def _is_integer(feature: Any) -> bool:
    return isinstance(feature, numbers.Integral) and not isinstance(feature, bool)


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
    if len(named) < len(groups):
        raise ValueError(f"groups must have names that differ as text; got {list(groups)}.")
    owner: dict[int, str] = {}
    for name, columns in named.items():
        if name in index and columns != (index.position(name, "groups"),):
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
