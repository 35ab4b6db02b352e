"""Long runs that can be interrupted: one JSON line per finished job."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lukewarm._files import write_text
from lukewarm.parallel._run import iterate_jobs, with_bar

Settings = Mapping[str, Any]


def run_resumable(
    function: Callable[[Settings], Mapping[str, Any]],
    jobs: Sequence[Settings],
    path: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    verbose: bool | None = None,
    description: str = "",
) -> list[dict[str, Any]]:
    """Return one record per job, computing only those that the file at `path` lacks.

    Parameters
    ----------
    function : callable from settings to a mapping of JSON values
        Called in worker processes, so it must be importable.
    jobs : sequence of mappings of JSON values
        What makes a job is its settings: a job whose settings stand in the file is done.
    path : path
        One JSON line per finished job, settings and outcome together, appended as they come.
    n_jobs, verbose, description
        As in :func:`lukewarm.parallel.run_jobs`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_resumable(lambda job: {"square": job["x"] ** 2}, [{"x": 2}], f"{folder}/run.jsonl")
    [{'x': 2, 'square': 4}]
    """
    target = Path(path)
    done = _read_done(target, list(jobs[0])) if jobs and target.exists() else {}
    missing = [job for job in jobs if _key(job) not in done]
    target.parent.mkdir(parents=True, exist_ok=True)
    outcomes = iterate_jobs(function, missing, n_jobs=n_jobs, prefer="processes")
    watched = with_bar(outcomes, len(missing), verbose=verbose, description=description)
    with target.open("a", encoding="utf-8") as file:
        for number, outcome in watched:
            job = missing[number]
            record = {**job, **outcome}
            file.write(json.dumps(record) + "\n")
            file.flush()
            done[_key(job)] = record
    return [done[_key(job)] for job in jobs]


def read_records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the records of a run's file; a corrupt line is named by its number."""
    records = []
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise ValueError(
                f"line {number} of {os.fspath(path)!r} is not JSON ({error}); delete the line to "
                "have its job run again."
            ) from error
        if not isinstance(record, dict):
            raise ValueError(f"line {number} of {os.fspath(path)!r} is not a record: {line[:60]}")
        records.append(record)
    return records


def _read_done(path: Path, keys: list[str]) -> dict[str, dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        # The run was killed while it wrote its last line.
        write_text(path, text[: text.rfind("\n") + 1])
    done = {}
    for number, record in enumerate(read_records(path), start=1):
        if any(key not in record for key in keys):
            raise ValueError(
                f"line {number} of {os.fspath(path)!r} belongs to another run: it lacks "
                f"{[key for key in keys if key not in record]}."
            )
        done[_key({key: record[key] for key in keys})] = record
    return done


def _key(settings: Settings) -> str:
    return json.dumps(dict(settings), sort_keys=True)
