"""Jobs as tasks of a Dask cluster.

joblib's own back end for Dask looks for results every hundredth of a second, has a message for
every job, ignores ``n_jobs``, and counts the workers once. Its client is used here; shared data is
scattered once per worker.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from lukewarm.parallel._chunks import call_chunk
from lukewarm.parallel._shared import SharedFunction

# Between two looks at how many workers there are.
_COUNT_SECONDS = 1.0


def is_dask(backend: Any) -> bool:
    """Whether a back end of joblib is that of Dask, which is not imported to tell."""
    return type(backend).__name__ == "DaskDistributedBackend"


class DaskCluster:
    """The cluster of a back end.

    Parameters
    ----------
    shared : SharedFunction
    n_jobs : int
        The most jobs at the same time; as many as the cluster has processors where negative.
    backend : DaskDistributedBackend
    """

    def __init__(self, shared: SharedFunction, n_jobs: int, backend: Any) -> None:
        self._distributed = import_module("distributed")  # there, since its back end is
        self._client = backend.client
        self._options = backend.submit_kwargs
        self._n_jobs = n_jobs
        self._n_processors = 0
        self._counted_at = -math.inf
        # To all workers at once: Dask would rather have a task wait for a worker that has its data
        # than give it to an idle one, and what only one worker holds is lost with it.
        self._data = self._client.scatter(shared.data, broadcast=True, hash=False)
        self._token = shared.token

    @property
    def n_workers(self) -> int:
        """Jobs that run at the same time."""
        n_processors = self._count_processors()
        return n_processors if self._n_jobs < 0 else min(self._n_jobs, n_processors)

    @property
    def n_tasks(self) -> int:
        """Tasks that are begun at the same time."""
        # One more for each worker, which has it then when it is done with the other. Dask drops
        # copies of shared data from workers without a task, too.
        n_ahead = 2 * self._count_processors()
        return n_ahead if self._n_jobs < 0 else min(self._n_jobs, n_ahead)

    def _count_processors(self) -> int:
        """Return the processors of the cluster, to which workers may be added at any time."""
        if time.monotonic() - self._counted_at > _COUNT_SECONDS:
            self._n_processors = sum(self._client.nthreads().values())
            self._counted_at = time.monotonic()
        return max(1, self._n_processors)

    def begin(self, jobs: Sequence[Any], seconds: float) -> Any:
        """Return a future of the results of a new task."""
        return self._client.submit(
            call_chunk, self._data, self._token, jobs, seconds, pure=False, **self._options
        )

    def first_done(self, tasks: Sequence[Any]) -> Any:
        """Return one of the futures that has its results."""
        done, _ = self._distributed.wait(tasks, return_when="FIRST_COMPLETED")
        return done.pop()

    def result(self, task: Any) -> tuple[list[Any], float]:
        """Return the results; raises what the job raised."""
        return task.result()

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Call off tasks that nobody waits for."""
        self._client.cancel(tasks)
