"""How an ImportanceResult is laid out on disk: fields of a JSON record, and arrays."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm.results._candidates import candidate_record, stored_candidates
from lukewarm.results._health import stored_remarks
from lukewarm.results._records import ClosedFormTrace, MeasureValue, TrainingTrace
from lukewarm.results._storage import StoredRecord

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult


def importance_record(result: ImportanceResult) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the fields and the arrays that a result is stored as."""
    record = {
        "names": result.names,
        "removed": result.removed,
        "values": [reduced.value for reduced in result.reduced],
        "full_value": result.full.value,
        "shifts": [reduced.shift for reduced in result.reduced],
        "full_shift": result.full.shift,
        "stopped_steps": [[run.stopped_step for run in runs] for runs in result.traces],
        "full_stopped_steps": [run.stopped_step for run in result.full_traces],
        "seconds": result.seconds,
        "full_seconds": result.full_seconds,
        "measure": result.measure,
        "method": result.method,
        "model": result.model,
        "inference": result.inference,
        "level": result.level,
        "notes": result.notes,
        "remarks": [asdict(remark) for remark in result.remarks],
    }
    tried, numbers = candidate_record(result.candidates)
    record |= tried
    arrays = {
        **numbers,
        "influence": np.stack([reduced.influence for reduced in result.reduced]),
        "full_influence": result.full.influence,
    }
    if result.scores is not None:
        arrays["scores"] = np.array([score.value for score in result.scores])
        arrays["score_influence"] = np.stack([score.influence for score in result.scores])
    if result.missed is not None:
        arrays["missed"] = np.array(result.missed, dtype=float)  # None becomes nan
    is_closed_form = [isinstance(runs[0], ClosedFormTrace) for runs in result.traces]
    if any(is_closed_form):
        arrays["is_closed_form"] = np.array(is_closed_form)
    for fold, run in enumerate(result.full_traces):
        arrays[f"full_losses_{fold}"] = run.losses
    for number, runs in enumerate(result.traces):
        for fold, run in enumerate(runs):
            arrays[f"losses_{number}_{fold}"] = run.losses
    return record, arrays


def importance_fields(stored: StoredRecord) -> dict[str, Any]:
    """Return the arguments of the result that is stored; a ValueError says what is wrong."""
    names = stored.texts("names")
    full_influence = stored.array("full_influence", (None,))
    influence = stored.array("influence", (len(names), len(full_influence)))
    values = stored.numbers("values", len(names))
    shifts = stored.numbers("shifts", len(names))
    steps = stored.count_lists("stopped_steps", len(names))
    kinds = _stored_kinds(stored, len(names))
    return {
        "names": names,
        "removed": stored.count_lists("removed", len(names)),
        "full": MeasureValue(
            stored.number("full_value"), full_influence, stored.number("full_shift")
        ),
        "reduced": tuple(map(MeasureValue, values, influence, shifts)),
        "scores": _stored_scores(stored, len(names)),
        "missed": _stored_limits(stored, len(names)),
        "traces": tuple(
            tuple(
                _stored_trace(stored, f"losses_{number}_{fold}", step, kinds[number])
                for fold, step in enumerate(folds)
            )
            for number, folds in enumerate(steps)
        ),
        "seconds": stored.numbers("seconds", len(names)),
        "full_traces": tuple(
            _stored_trace(stored, f"full_losses_{fold}", step)
            for fold, step in enumerate(stored.counts("full_stopped_steps"))
        ),
        "full_seconds": stored.number("full_seconds"),
        "measure": stored.text("measure"),
        "method": stored.text("method"),
        "model": stored.text("model"),
        "inference": stored.text("inference"),
        "level": stored.number("level", above=0, below=1),
        "notes": stored.texts("notes"),
        "remarks": stored_remarks(stored),
        "candidates": stored_candidates(stored),
    }


def _stored_scores(stored: StoredRecord, n_sets: int) -> tuple[MeasureValue, ...] | None:
    if not stored.has_array("scores"):
        return None
    values = stored.array("scores", (n_sets,)).tolist()
    return tuple(map(MeasureValue, values, stored.array("score_influence", (n_sets, None))))


def _stored_limits(stored: StoredRecord, n_sets: int) -> tuple[float | None, ...] | None:
    if not stored.has_array("missed"):
        return None
    limits = stored.array("missed", (n_sets,), finite=False).tolist()
    return tuple(None if np.isnan(each) else each for each in limits)


def _stored_kinds(stored: StoredRecord, n_sets: int) -> list[type[TrainingTrace]]:
    if not stored.has_array("is_closed_form"):
        return [TrainingTrace] * n_sets
    is_closed_form = stored.array("is_closed_form", (n_sets,), "b", finite=False)
    return [ClosedFormTrace if each else TrainingTrace for each in is_closed_form]


def _stored_trace(
    stored: StoredRecord, name: str, step: int, kind: type[TrainingTrace] = TrainingTrace
) -> TrainingTrace:
    # A model that took no step measured no loss: nan.
    losses = stored.array(name, (None,), finite=False)
    if step >= len(losses):
        raise ValueError(f"step {step} was kept, but array {name!r} has {len(losses)} losses")
    return kind(losses, step)
