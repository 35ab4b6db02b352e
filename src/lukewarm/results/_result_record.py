"""What the records of both estimators can do: be saved, be loaded, say what to know of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from lukewarm.results._fields import load_result, save_result
from lukewarm.results._health import Remark, health_frame
from lukewarm.results._tables import Tabular

if TYPE_CHECKING:
    from typing_extensions import Self


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
