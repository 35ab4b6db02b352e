"""One result on the page: what its values are called, and its bars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Vector
from lukewarm.reporting._bars import BarTable, uncertainty_heads
from lukewarm.reporting._subjects import Subject
from lukewarm.reporting._words import clean
from lukewarm.results import MeasureWords, ShapleyResult, words_for

# Those in common use, from which the reader may choose beside that of the result.
LEVELS = (0.95, 0.99)


@dataclass(frozen=True, eq=False)
class Panel:
    """A result as the page shows it.

    Parameters
    ----------
    subject : Subject
    key : str
        Names the panel's elements on the page.
    most_rows : int
        Features beyond these are left out of the page, the least important first.
    """

    subject: Subject
    key: str
    most_rows: int

    @property
    def result(self) -> Any:
        """The result behind the panel."""
        return self.subject.result

    @property
    def is_shapley(self) -> bool:
        """Whether the values are Shapley values."""
        return isinstance(self.result, ShapleyResult)

    @cached_property
    def words(self) -> MeasureWords:
        """How its measure is spoken of."""
        return words_for(self.result.measure)

    @cached_property
    def values(self) -> Vector:
        """Importances or Shapley values, in the order of the result."""
        return self.result.shapley_value if self.is_shapley else self.result.importance

    @property
    def quantity(self) -> str:
        """What a value is called."""
        return "Shapley value" if self.is_shapley else "Importance"

    @property
    def title(self) -> str:
        """What the panel shows, in a few words."""
        return f"{self.quantity}, {self.words.name}"

    @property
    def unit(self) -> str:
        """What the values are, in words."""
        if not self.is_shapley:
            return self.words.column
        share = "points of the" if self.words.unit else "share of the"
        return f"{share} gain in {self.words.name}"

    @property
    def model(self) -> str:
        """The name of the model."""
        return clean(self.result.model)

    @property
    def alpha(self) -> float:
        """What p-values are compared with."""
        return 1 - self.result.level

    @property
    def has_shift(self) -> bool:
        """Whether halves of the rows told what the estimates moved."""
        return bool(np.any(self.result.shift != 0))

    @cached_property
    def order(self) -> np.ndarray:
        """Numbers of the features on the page, the largest value first."""
        return np.argsort(-self.values, kind="stable")[: self.most_rows]

    @cached_property
    def bars(self) -> BarTable:
        """The chart and the table."""
        frame = self.result.to_frame(adjust=("holm", "bh")).iloc[self.order]
        quantity = "shapley_value" if self.is_shapley else "importance"
        sources = {
            "value": quantity,
            "low": "ci_low",
            "high": "ci_high",
            **{name: name for name in ("std_error", "p_value", "p_holm", "p_bh")},
            **({"shift": "shift"} if self.has_shift else {}),
        }
        level = self.result.level
        heads = {
            "value": self.quantity,
            **uncertainty_heads(level),
            **({"shift": "Shift"} if self.has_shift else {}),
        }
        intervals = {
            each: tuple(end[self.order] for end in self.result.interval(each))
            for each in LEVELS
            if each != level
        }
        return BarTable(
            names=tuple(frame["feature"]),
            columns={key: frame[name].to_numpy(float) for key, name in sources.items()},
            heads=heads,
            intervals={each: (low, high) for each, (low, high) in intervals.items()},
            level=level,
            scale=self.words.scale,
            unit=self.unit,
            quantity=quantity,
            is_one_sided=True,
            n_left_out=len(self.result) - len(frame),
        )
