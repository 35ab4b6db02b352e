"""Jobs as tasks of a Ray cluster.

Ray's own back end for joblib starts its workers anew for every run, which takes seconds, and sends
what jobs share with each of them. Tasks go to workers that stay, and shared data is put into Ray's
store once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from joblib import parallel_config

from lukewarm.parallel._shared import SharedFunction, call_shared


def is_ray(backend: Any) -> bool:
    """Whether a back end of joblib is that of Ray, which is not imported to tell."""
    return type(backend).__name__ == "RayBackend"


def ray_results(
    shared: SharedFunction, jobs: Sequence[Any], n_tasks: int, options: dict[str, Any] | None
) -> Iterator[Any]:
    """Yield what a packed function makes of each job, in their order.

    Parameters
    ----------
    shared : SharedFunction
    jobs : sequence
    n_tasks : int
        At the same time. For tasks that wait, Ray starts further workers, which costs more than
        the moment between two tasks.
    options : dict, optional
        What a task asks of the cluster (``ray_remote_args`` of the back end); one processor by
        default.
    """
    ray = import_module("ray")  # there, since its back end is
    task = ray.remote(**(options or {"num_cpus": 1}))(_call)
    data = ray.put(shared.data)
    places: dict[Any, int] = {}
    results: dict[int, Any] = {}
    n_begun = 0
    try:
        for place in range(len(jobs)):
            while place not in results:
                while len(places) < n_tasks and n_begun < len(jobs):
                    reference = task.remote(data, shared.token, jobs[n_begun])
                    places[reference] = n_begun
                    n_begun += 1
                (done, *_), _ = ray.wait(list(places), num_returns=1)
                found = places.pop(done)
                results[found] = _result(ray, done)
            yield results.pop(place)
    finally:
        # After an error, or a break by the user, nobody waits for the others.
        for reference in places:
            ray.cancel(reference)


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error  # what the job raised, with its notes


def _call(data: Any, token: str, job: Any) -> Any:
    # Models with workers of their own would have them beside those of all other tasks.
    with parallel_config("sequential"):
        return call_shared(data, token, job)
