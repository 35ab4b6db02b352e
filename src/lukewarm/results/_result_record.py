"""What the records of both estimators share: they are saved, loaded, merged, and have remarks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import pandas as pd

from lukewarm.results._fields import Contents, FieldKind, Sizes, Text
from lukewarm.results._health import Remark, health_frame
from lukewarm.results._storage import reading_record, write_record
from lukewarm.results._tables import Tabular

if TYPE_CHECKING:
    from typing_extensions import Self

Result = TypeVar("Result")


class ResultRecord(Tabular):
    """A frozen record of fields, with a frame, a file and remarks."""

    @property
    def _all_remarks(self) -> tuple[Remark, ...]:
        """Those of the fit and those on the estimates."""
        raise NotImplementedError

    def health(self) -> pd.DataFrame:
        """Return what to know before relying on these numbers, one row per remark.

        Returns
        -------
        DataFrame
            With columns severity ("warning" or "note"), name, feature and message, warnings
            first; empty when there is nothing to say.

        Examples
        --------
        >>> import numpy as np
        >>> import lukewarm as lw
        >>> y, noise = np.random.default_rng(0).normal(size=(2, 50))
        >>> result = lw.importance_from_predictions(y, y + noise, {"a": y + 1.001 * noise})
        >>> result.health()[["severity", "name", "feature"]]
          severity       name feature
        0  warning  near_zero       a
        """
        return health_frame(self._all_remarks)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to one file, JSON and arrays, and return its path."""
        return save_result(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the result saved at `path`.

        Raises
        ------
        ValueError
            If the file is damaged, holds something else, or comes from another version.
        """
        return load_result(path, cls)


def field_kinds(result_type: type) -> dict[str, FieldKind]:
    """Return the kind of each field of a result, in the order of the fields."""
    return {
        name: next(each for each in get_args(hint) if isinstance(each, FieldKind))
        for name, hint in get_type_hints(result_type, include_extras=True).items()
        if get_origin(hint) is Annotated
    }


def save_result(path: str | os.PathLike[str], result: Any) -> Path:
    """Write the result to one file and return its path."""
    contents = Contents()
    for name, kind in field_kinds(type(result)).items():
        kind.write(name, getattr(result, name), contents)
    return write_record(path, type(result).__name__, contents.record, contents.arrays)


def load_result(path: str | os.PathLike[str], result_type: type[Result]) -> Result:
    """Return the result of that type stored at `path`; a ValueError names what is wrong."""
    sizes: Sizes = {}
    with reading_record(path, result_type.__name__) as stored:
        return result_type(
            **{
                name: kind.read(name, stored, sizes)
                for name, kind in field_kinds(result_type).items()
            }
        )


def joined_fields(parts: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of the result that the parts are merged to."""
    return {
        name: kind.joined([getattr(part, name) for part in parts])
        for name, kind in field_kinds(type(parts[0])).items()
    }


def settings(result: Any) -> dict[str, str]:
    """Return the texts among the fields: what was measured, and how."""
    kinds = field_kinds(type(result))
    return {name: getattr(result, name) for name, kind in kinds.items() if isinstance(kind, Text)}
