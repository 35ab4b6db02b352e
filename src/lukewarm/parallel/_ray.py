"""Jobs as tasks of a Ray cluster.

Ray's own back end for joblib starts its workers anew for every run, which takes seconds, and sends
what jobs share with each of them. Tasks go to workers that stay, and shared data is put into Ray's
store once.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from lukewarm.parallel._chunks import call_chunk
from lukewarm.parallel._shared import SharedFunction


def is_ray(backend: Any) -> bool:
    """Whether a back end of joblib is that of Ray, which is not imported to tell."""
    return type(backend).__name__ == "RayBackend"


class RayCluster:
    """The Ray cluster that this process is connected to.

    Parameters
    ----------
    shared : SharedFunction
    n_workers : int
    options : dict, optional
        What a task asks of the cluster (``ray_remote_args`` of the back end); one processor by
        default.
    """

    def __init__(
        self, shared: SharedFunction, n_workers: int, options: dict[str, Any] | None
    ) -> None:
        # For tasks that wait, Ray starts further workers, which costs more than the moment between
        # two tasks.
        self.n_workers = self.n_tasks = n_workers
        self._ray = import_module("ray")  # there, since its back end is
        self._task = self._ray.remote(**(options or {"num_cpus": 1}))(call_chunk)
        self._data = self._ray.put(shared.data)
        self._token = shared.token

    def begin(self, jobs: Sequence[Any], seconds: float) -> Any:
        """Return a reference to the results of a new task."""
        return self._task.remote(self._data, self._token, jobs, seconds)

    def first_done(self, tasks: Sequence[Any]) -> Any:
        """Return one of the references that has its results."""
        return self._ray.wait(tasks, num_returns=1)[0][0]

    def result(self, task: Any) -> tuple[list[Any], float]:
        """Return the results; raises what the job raised, with its notes."""
        try:
            return self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Call off tasks that nobody waits for."""
        for task in tasks:
            self._ray.cancel(task)
