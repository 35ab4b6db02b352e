"""The path of skill as feature sets are taken away one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lukewarm._text import printable
from lukewarm._validation import check_fraction
from lukewarm.results._tables import Tabular

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult


@dataclass(frozen=True, eq=False, repr=False)
class EliminationPath(Tabular):
    """What the model loses as feature sets leave it, the least needed first.

    Parameters
    ----------
    order : tuple of str
        The feature sets in the order in which they left.
    result : ImportanceResult
        Under the name of each feature set, the importance of it *and all that left before it*,
        together.

    Notes
    -----
    The order is chosen by skill on the rows that decide when to stop (the training rows of a model
    that is fitted in one go), and the path is measured on the evaluation rows. So its intervals
    are those of sets that were named beforehand, except that with folds the rows that choose for
    one model evaluate another.
    """

    order: tuple[str, ...]
    result: ImportanceResult

    def __len__(self) -> int:
        return len(self.order)

    def to_frame(self, level: float | None = None) -> pd.DataFrame:
        """Return one row per step, the first set that left first.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; the result's own by default.

        Returns
        -------
        DataFrame
            With columns feature (the set that left), n_kept, skill (of the model that is left),
            loss (of skill, against the full model), std_error, ci_low, ci_high and p_value (of "all
            that left is worth nothing").
        """
        result, places = self.result, self._places
        low, high = result.interval(level)
        return pd.DataFrame(
            {
                "feature": list(self.order),
                "n_kept": np.arange(len(self))[::-1],
                "skill": [result.reduced[place].value for place in places],
                "loss": result.importance[places],
                "std_error": result.standard_error[places],
                "ci_low": low[places],
                "ci_high": high[places],
                "p_value": result.p_value()[places],
            }
        )

    def select(self, alpha: float = 0.05) -> list[str]:
        """Return the feature sets left when taking away more is known to cost skill.

        Parameters
        ----------
        alpha : float, default 0.05
            The chance to keep a set although all that is left without it was worth nothing.

        Notes
        -----
        Steps are tested in their order until a p-value is at most alpha. No adjustment for their
        number is needed: a step is tested only after all before it were not rejected (fixed
        sequence).
        """
        check_fraction("alpha", alpha)
        clear = np.flatnonzero(self.result.p_value()[self._places] <= alpha)
        first = int(clear[0]) if len(clear) else len(self)
        left = set(self.order[first:])
        return [name for name in self.result.names if name in left]

    @cached_property
    def _places(self) -> list[int]:
        """The place of each step in the result."""
        numbers = {name: number for number, name in enumerate(self.result.names)}
        return [numbers[name] for name in self.order]

    def _headline(self) -> str:
        result = self.result
        return (
            f"{len(self)} feature sets taken away one after the other; {result.measure} of the "
            f"full model {result.full.value:.4g} on {result.n_rows:,} rows"
        )

    @property
    def _footnotes(self) -> list[str]:
        kept = ", ".join(map(printable, self.select(1 - self.result.level))) or "none"
        return [f"Needed, at the {100 * (1 - self.result.level):.4g} % level: {kept}."]
