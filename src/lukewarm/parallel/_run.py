"""joblib behind one function."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from lukewarm.exceptions import ClaimedElsewhere
from lukewarm.parallel._blas import one_blas_thread
from lukewarm.parallel._chunks import chunked_results
from lukewarm.parallel._dask import DaskCluster, is_dask
from lukewarm.parallel._ray import RayCluster, is_ray
from lukewarm.parallel._shared import SharedFunction, call_shared

Job = TypeVar("Job")
Result = TypeVar("Result")
Item = TypeVar("Item")

# Arrays of more bytes are sent to worker processes by a file that they map into memory.
_LARGEST_SENT = 1000
# A worker that is killed takes the jobs of its neighbours along; a job that kills every worker
# it meets does so again and again.
_MOST_BREAKS = 3
# By name, for clusters are not imported here: of loky; of Dask, where what was shared is gone with
# the one worker that held it, or a job has outlived several; of Ray.
_LOST_WORKER = {
    "TerminatedWorkerError",
    *("FutureCancelledError", "FuturesCancelledError", "CancelledError", "KilledWorker"),
    *("WorkerCrashedError", "RayActorError", "ActorDiedError", "OutOfMemoryError"),
}
# Jobs per worker up to which each is sent by itself. joblib puts short ones together, up to a
# second of work, which spares messages but leaves workers idle while one has the last bundle.
_MOST_SENT_ALONE = 100
# Between two looks at jobs that others have claimed: short where they are about to be done, and
# doubled up to what a user does not notice beside a job of minutes.
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class _Elsewhere:
    """Stands for the result of a job that another process is at work on."""


def run_jobs(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None = None,
    verbose: bool | None = None,
    description: str = "",
) -> list[Result]:
    """Return ``[function(job) for job in jobs]``, with `n_jobs` at a time.

    Parameters
    ----------
    function : callable
        Must not depend on the order of the calls: seeds belong to the jobs. What it holds on to is
        sent to worker processes once.
    jobs : sequence
        Small: a job is sent by itself.
    n_jobs : int, optional
        As in joblib; None is 1 unless ``joblib.parallel_config`` says otherwise. Never more than
        there are jobs, or workers in the back end. Threads by default, since the engines release
        the GIL; another back end can be chosen with ``joblib.parallel_config``. "loky" stands in
        for "multiprocessing" where that would fork.
    verbose : bool, optional
        Whether to show a bar with the time left; by default in a terminal or a notebook only.
    description : str
        What stands in front of the bar.

    Examples
    --------
    >>> run_jobs(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    results = iterate_jobs(function, jobs, n_jobs=n_jobs, prefer="threads")
    found = dict(with_bar(results, len(jobs), verbose=verbose, description=description))
    return [found[number] for number in range(len(jobs))]


def iterate_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], *, n_jobs: int | None, prefer: str
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each job and its result, as they come.

    They come in the order of the jobs, but from clusters, and but for those that another process
    is at work on (`ClaimedElsewhere`): these are asked for again when the others are done. Jobs
    whose worker process was killed are run again.

    Parameters
    ----------
    function : callable from a job to its result
    jobs : sequence
    n_jobs : int, optional
        Workers at the same time; what joblib is configured for by default.
    prefer : {"threads", "processes"}
        What workers are where joblib has no other backend configured.
    """
    missing = dict(enumerate(jobs))
    pause, n_breaks = _FIRST_PAUSE_SECONDS, 0
    while missing:
        n_before = len(missing)
        try:
            for number, result in _one_pass(function, missing, n_jobs, prefer):
                if not isinstance(result, _Elsewhere):
                    del missing[number]
                    yield number, result
        except BaseException as error:  # Dask's are no Exceptions
            if type(error).__name__ not in _LOST_WORKER:
                raise
            n_breaks = 1 if len(missing) < n_before else n_breaks + 1
            if n_breaks == _MOST_BREAKS:
                n_workers = _count_workers(n_jobs, len(missing), prefer)
                raise MemoryError(
                    f"worker processes were killed {n_breaks} times in a row with {len(missing)} "
                    f"jobs to go, {n_workers} at a time, as the system does where memory runs "
                    f"out{_memory_told()}. Use fewer n_jobs, or threads."
                ) from error
            continue
        if missing:
            pause = _FIRST_PAUSE_SECONDS if len(missing) < n_before else 2 * pause
            time.sleep(min(pause, _LONGEST_PAUSE_SECONDS))


def _one_pass(
    function: Callable[[Job], Result], jobs: dict[int, Job], n_jobs: int | None, prefer: str
) -> Iterator[tuple[int, Result | _Elsewhere]]:
    """Yield the numbers and results of these jobs, some of which may be elsewhere."""
    n_workers = _count_workers(n_jobs, len(jobs), prefer)
    numbers = list(jobs)

    def attempt(job: Job) -> Result | _Elsewhere:
        try:
            return function(job)
        except ClaimedElsewhere:
            return _Elsewhere()

    todo = [jobs[number] for number in numbers]
    results = (
        enumerate(map(attempt, todo)) if n_workers <= 1 else _spread(attempt, todo, n_jobs, prefer)
    )
    for place, result in results:
        yield numbers[place], result


def _spread(
    function: Callable[[Job], Result], jobs: list[Job], n_jobs: int | None, prefer: str
) -> Iterator[tuple[int, Result]]:
    """Yield the place of each job and its result, from the workers of the active back end."""
    backend = get_active_backend(prefer=prefer)[0]
    n_workers = _count_workers(n_jobs, len(jobs), prefer)
    if is_ray(backend):
        ray = RayCluster(SharedFunction.of(function), n_workers, backend.ray_remote_args)
        yield from chunked_results(ray, jobs)
        return
    if is_dask(backend):
        dask = DaskCluster(SharedFunction.of(function), _asked(n_jobs), backend)
        with backend.retrieval_context():  # leaves room for jobs where this is a worker, too
            yield from chunked_results(dask, jobs)
        return
    is_forking = _forks(backend)
    can_stream = is_forking or backend.supports_return_generator
    parallel = Parallel(
        n_jobs=n_workers,
        backend="loky" if is_forking else None,
        prefer=prefer,
        # Not every back end can hand out results before all are there.
        return_as="generator" if can_stream else "list",
        batch_size=1 if len(jobs) <= _MOST_SENT_ALONE * n_workers else "auto",
        max_nbytes=_LARGEST_SENT,
        # Workers write to pages of their own: engines may not take read-only arrays.
        mmap_mode="c",
    )
    if getattr(backend, "supports_sharedmem", False):
        # The jobs are what runs in parallel.
        with one_blas_thread():
            yield from enumerate(parallel(delayed(function)(job) for job in jobs))
        return
    shared = SharedFunction.of(function)
    calls = (delayed(call_shared)(shared.data, shared.token, job) for job in jobs)
    yield from enumerate(parallel(calls))


def _forks(backend: Any) -> bool:
    """Whether workers would be copies of this process, in which OpenMP's threads are gone.

    Engines such as LightGBM wait for these threads without end. loky starts workers afresh.
    """
    is_pool = type(backend).__name__ == "MultiprocessingBackend"
    return is_pool and multiprocessing.get_start_method() == "fork"


def _memory_told() -> str:
    """Return the memory of this machine in words, where the system tells."""
    try:
        page, pages, free = (
            os.sysconf(f"SC_{name}") for name in ("PAGE_SIZE", "PHYS_PAGES", "AVPHYS_PAGES")
        )
    except (AttributeError, ValueError, OSError):
        return ""
    return f" (this machine has {page * pages / 1e9:.3g} GB, {page * free / 1e9:.3g} GB free now)"


def _count_workers(n_jobs: int | None, n_tasks: int, prefer: str) -> int:
    asked = _asked(n_jobs)
    if asked == 1 or n_tasks <= 1:
        return 1
    backend = get_active_backend(prefer=prefer)[0]
    if is_dask(backend):
        # A cluster that starts up, or has lost a worker, may have one processor at the moment.
        n_processors = max(2, backend.effective_n_jobs(-1))
        return min(n_processors if asked < 0 else asked, n_processors, n_tasks)
    return min(backend.effective_n_jobs(asked), backend.effective_n_jobs(-1), n_tasks)


def _asked(n_jobs: int | None) -> int:
    """Return the workers that were asked for; all of them, or all but some, where negative."""
    # joblib sets the configured number back to 1 where threads are only preferred, so it is asked
    # for without a preference.
    backend, configured = get_active_backend()
    asked = configured if n_jobs is None else n_jobs
    return backend.default_n_jobs if asked is None else asked  # of clusters: all


def with_bar(
    items: Iterable[Item], total: int, *, verbose: bool | None, description: str
) -> Iterator[Item]:
    """Yield the items, drawing a progress bar where somebody watches.

    Parameters
    ----------
    items : iterable
    total : int
    verbose : bool or None
        None shows the bar in a terminal or a notebook only.
    description : str
        What is counted.
    """
    shown = _is_watched() if verbose is None else verbose
    if not shown or total < 2:
        yield from items
        return
    from tqdm.auto import tqdm

    yield from tqdm(items, total=total, desc=description, leave=False)


def _is_watched() -> bool:
    in_notebook = "ipykernel" in sys.modules
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())
