"""Jobs handed to a cluster several at a time.

A message to a worker of Dask or Ray and back takes milliseconds, most of them on the processors
that the jobs need. So a task takes several jobs: a share of those that are left, so that sizes
shrink and no worker is idle for long while another has the last chunk (guided self-scheduling,
Polychronopoulos and Kuck, 1987), and no more than fill a second by the time that the last ones
took. Jobs need not be alike: a worker whose second is over hands back what it has not begun.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from joblib import parallel_config

from lukewarm.parallel._shared import call_shared

# Two hundred times what a message costs; little to do again when a worker is lost.
_TASK_SECONDS = 1.0
# Before anything is known: the first messages have no more than a hundred jobs.
_FIRST_JOB_SECONDS = 0.01
# Messages stay small, even where jobs have nothing to do.
_LEAST_JOB_SECONDS = 0.001
# A chunk is what falls to a worker of the jobs that are left, divided by this. Half of them are
# under way then while all workers have one chunk, as in factoring (Hummel, Schonberg and Flynn,
# 1992).
_CHUNKS_PER_SHARE = 1.5


class Cluster(Protocol):
    """What is asked of Dask and Ray; a task is whatever they call it."""

    @property
    def n_workers(self) -> int:
        """Jobs that run at the same time."""

    @property
    def n_tasks(self) -> int:
        """Tasks that are begun at the same time; some may wait for a worker."""

    def begin(self, jobs: Sequence[Any], seconds: float) -> Any:
        """Return a task that calls `call_chunk` in a worker."""

    def first_done(self, tasks: Sequence[Any]) -> Any:
        """Return one of the tasks that is done, after waiting for it."""

    def result(self, task: Any) -> tuple[list[Any], float]:
        """Return what `call_chunk` returned; raises what the job raised."""

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Call off tasks that nobody waits for."""


def call_chunk(
    data: Any, token: str, jobs: Sequence[Any], seconds: float
) -> tuple[list[Any], float]:
    """Return the results of the first jobs, one or as many as fit, and the seconds they took.

    Parameters
    ----------
    data, token
        As in `call_shared`.
    jobs : sequence
    seconds : float
        No job begins later than this.
    """
    started = time.perf_counter()
    results: list[Any] = []
    # Models with workers of their own would have them beside those of all other tasks.
    with parallel_config("sequential"):
        for job in jobs:
            if results and time.perf_counter() - started > seconds:
                break
            try:
                results.append(call_shared(data, token, job))
            except Exception:
                # Those before it are not lost: the job is sent again, as the first.
                if not results:
                    raise
                break
    return results, time.perf_counter() - started


def chunked_results(cluster: Cluster, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the place of each job and its result, as they come.

    Parameters
    ----------
    cluster : Cluster
    jobs : sequence
    """
    waiting = deque(range(len(jobs)))
    at_work: dict[Any, list[int]] = {}
    job_seconds = _FIRST_JOB_SECONDS
    try:
        while waiting or at_work:
            while waiting and len(at_work) < cluster.n_tasks:
                size = _chunk_size(len(waiting), cluster.n_workers, job_seconds)
                places = [waiting.popleft() for _ in range(size)]
                task = cluster.begin([jobs[place] for place in places], _TASK_SECONDS)
                at_work[task] = places
            task = cluster.first_done(list(at_work))
            places = at_work.pop(task)
            results, seconds = cluster.result(task)
            job_seconds = seconds / len(results)
            waiting.extendleft(reversed(places[len(results) :]))
            yield from zip(places, results, strict=False)
    finally:
        # After an error, or a break by the user, nobody waits for the others.
        cluster.cancel(list(at_work))


def _chunk_size(n_waiting: int, n_workers: int, job_seconds: float) -> int:
    share = math.ceil(n_waiting / (_CHUNKS_PER_SHARE * n_workers))
    return max(1, min(share, int(_TASK_SECONDS / max(job_seconds, _LEAST_JOB_SECONDS))))
