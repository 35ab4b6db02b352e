"""Rows beyond those of a fit, in the form in which its models read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Vector
from lukewarm._validation import check_vector
from lukewarm.data import as_table, with_labels
from lukewarm.estimators._problem import Problem


@dataclass(frozen=True, eq=False)
class FurtherRows:
    """Brings further rows to the form in which a problem's own were read.

    Parameters
    ----------
    names : tuple of str
        Columns that are asked of a frame.
    levels : dict from name to CategoricalDtype
    labels : Index, optional
        The user's own column names, where models read a frame.
    given : dict from name to dtype, optional
        Those of the user's frame, where models read it as it was.
    classes : ndarray, optional
    """

    names: tuple[str, ...]
    levels: dict[str, pd.CategoricalDtype]
    labels: pd.Index | None
    given: dict[Any, Any] | None
    classes: np.ndarray | None

    @classmethod
    def of(cls, problem: Problem, seen: Problem, reads: str) -> FurtherRows:
        """Return that of a problem whose models read `seen`."""
        X = problem.X
        levels = (
            {str(name): dtype for name, dtype in X.dtypes.items() if dtype.name == "category"}
            if isinstance(X, pd.DataFrame)
            else {}
        )
        is_frame = isinstance(seen.X, pd.DataFrame)
        as_given = reads == "given" and problem.given is not None
        return cls(
            problem.index.names,
            levels,
            seen.X.columns if is_frame else None,
            dict(problem.given.dtypes) if as_given and problem.given is not None else None,
            problem.classes,
        )

    def features(self, frame: pd.DataFrame) -> Features:
        """Return the features of a frame."""
        frame = frame[list(self.names)].copy()
        for name, dtype in self.levels.items():
            column = frame[name].astype(object)
            codes = dtype.categories.get_indexer(pd.Index(column))
            unknown = column.notna() & (codes < 0)
            if unknown.any():
                raise ValueError(
                    f"column {name!r} holds the level {column[unknown].iloc[0]!r}, which the rows "
                    "of the fit did not have. Fit on rows.sample(...), which knows all levels."
                )
            frame[name] = pd.Categorical.from_codes(codes, dtype=dtype)
        if self.given is not None:
            frame.columns = pd.Index(list(self.given))
            return frame.astype({name: self.given[name] for name in self.given})
        X, _ = as_table(frame, 1)
        if self.labels is None:
            return X
        return with_labels(X, self.labels)

    def target(self, y: pd.Series, numbers: np.ndarray) -> Vector:
        """Return the target as numbers, or as class codes."""
        missing = np.asarray(y.isna())
        if missing.any():
            raise ValueError(
                f"the target must have a value in every row; row {numbers[missing.argmax()]} has "
                "none. Filter the dataset, or fill it."
            )
        if self.classes is None:
            return check_vector("y", y)
        labels = y.to_numpy().astype(self.classes.dtype)
        codes = np.searchsorted(self.classes, labels).clip(max=len(self.classes) - 1)
        unknown = self.classes[codes] != labels
        if unknown.any():
            raise ValueError(
                f"row {numbers[unknown.argmax()]} is of class {labels[unknown][0]!r}, which the "
                f"rows of the fit did not have; they had {self.classes.tolist()}."
            )
        return codes.astype(float)
