"""What an experiment is: jobs, one record per job, a table and a figure from the records alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import pandas as pd

SCALES = ("quick", "paper")
Settings = Mapping[str, Any]
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Description:
    """What `lukewarm reproduce --list` says of an experiment.

    Parameters
    ----------
    name : str
    section : str
        Where in the paper it stands.
    shows : str
        One sentence.
    minutes : mapping from scale to float
        Measured on two cores that also did other work: "quick" for the default models, "paper" for
        trees alone (networks of the paper's width take hours).
    """

    name: str
    section: str
    shows: str
    minutes: Mapping[str, float]


def replicated(
    scale: str, models: Sequence[str], n_replicates: int, seed: int, **varied: Iterable[Any]
) -> list[dict[str, Any]]:
    """Return a job per model, combination of the values that are varied, and replicate.

    Examples
    --------
    >>> [job["n_rows"] for job in replicated("quick", ["boosting"], 2, 0, n_rows=(50, 100))]
    [50, 50, 100, 100]
    """
    return [
        {
            **{"scale": scale, "model": model, **dict(zip(varied, values, strict=True))},
            **{"replicate": replicate, "seed": seed},
        }
        for model, *values in product(models, *varied.values())
        for replicate in range(n_replicates)
    ]


class Experiment(Protocol):
    """A figure or table of the paper."""

    @property
    def description(self) -> Description:
        """Name, section and cost."""
        ...

    @property
    def models(self) -> tuple[str, ...]:
        """Models it can be run for."""
        ...

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return the settings of every job; equal settings give equal records."""
        ...

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the outcome of one job; called in worker processes."""
        ...

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the table of the experiment."""
        ...

    def figure(self, records: Sequence[Record]) -> Any:
        """Return the matplotlib Figure of the experiment."""
        ...
