"""What a fit would take, from one full model and two feature sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from joblib import effective_n_jobs

from lukewarm._text import duration
from lukewarm._typing import FeatureSet
from lukewarm.estimators._prepared import Prepared
from lukewarm.parallel import blas_for

# A first set pays for what all sets of a model share; the second is like all that follow.
_N_TIMED = 2


@dataclass(frozen=True)
class Forecast:
    """How much work a fit is.

    Parameters
    ----------
    n_full_models, n_reduced_models : int
        How many models are trained, and how many are derived from them.
    full_model_seconds : float
        Of all full models, one after the other.
    reduced_model_seconds : float
        Of all reduced models, one after the other.
    n_workers : int
        How many are worked on at a time.
    """

    n_full_models: int
    n_reduced_models: int
    full_model_seconds: float
    reduced_model_seconds: float
    n_workers: int = 1

    @property
    def seconds(self) -> float:
        """What the fit is expected to take."""
        return (self.full_model_seconds + self.reduced_model_seconds) / self.n_workers

    def __str__(self) -> str:
        models = "1 full model" if self.n_full_models == 1 else f"{self.n_full_models} full models"
        return (
            f"{models} ({duration(self.full_model_seconds)}) and {self.n_reduced_models:,} reduced "
            f"ones ({duration(self.reduced_model_seconds)}): about {duration(self.seconds)}"
            + (f", {self.n_workers} at a time." if self.n_workers > 1 else ".")
        )


def forecast_of(
    prepared: Prepared, sets: Sequence[FeatureSet], started: float, n_jobs: int | None
) -> Forecast:
    """Return the forecast of a fit whose first full model is trained.

    Parameters
    ----------
    prepared : Prepared
        With the first full model only.
    sets : sequence of FeatureSet
    started : float
        When the training of the full model began, by `perf_counter`.
    n_jobs : int, optional
        As for the estimators.
    """
    # Training rows of each model over those of the first: what a model of half of them costs.
    n_rows = [len(split.train) for split in prepared.runs.splits]
    n_models = sum(n_rows) / n_rows[0]
    full_seconds = perf_counter() - started
    timed = []
    with blas_for(len(prepared.problem.y)):
        for removed in sets[:_N_TIMED]:
            begun = perf_counter()
            prepared.outcome(0, removed)
            timed.append(perf_counter() - begun)
    per_model = timed[0] + timed[-1] * (len(sets) - 1)
    n_reduced = len(n_rows) * len(sets)
    return Forecast(
        len(n_rows),
        n_reduced,
        full_seconds * n_models,
        per_model * n_models,
        min(effective_n_jobs(n_jobs), n_reduced),
    )
