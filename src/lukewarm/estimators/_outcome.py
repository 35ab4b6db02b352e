"""What a model without some features predicts, and its form in a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lukewarm._typing import Prediction
from lukewarm.results import ClosedFormTrace, TrainingTrace
from lukewarm.store import Entry


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one model without some features predicts, and what obtaining it took.

    `is_kept` tells whether it is in a store.
    """

    prediction: Prediction
    trace: TrainingTrace
    seconds: float
    direction: Prediction | None = None
    is_kept: bool = False

    def kept_by(self, keep: Callable[[np.ndarray], np.ndarray]) -> Outcome:
        """Return the outcome with its predictions where `keep` puts them."""
        direction = None if self.direction is None else keep(self.direction)
        return replace(self, prediction=keep(self.prediction), direction=direction)

    def to_entry(self) -> Entry:
        """Return the outcome as a store keeps it."""
        arrays = {"prediction": self.prediction, "losses": self.trace.losses}
        if self.direction is not None:
            arrays["direction"] = self.direction
        record = {
            "seconds": float(self.seconds),
            "stopped_step": int(self.trace.stopped_step),
            "is_closed_form": isinstance(self.trace, ClosedFormTrace),
        }
        return Entry(record, {name: np.asarray(array) for name, array in arrays.items()})

    @classmethod
    def from_entry(cls, entry: Entry, *, is_kept: bool) -> Outcome:
        """Return the outcome that a store has kept."""
        record, arrays = entry.record, entry.arrays
        kind = ClosedFormTrace if record["is_closed_form"] else TrainingTrace
        trace = kind(arrays["losses"], int(record["stopped_step"]))
        seconds, direction = float(record["seconds"]), arrays.get("direction")
        return cls(arrays["prediction"], trace, seconds, direction, is_kept)
