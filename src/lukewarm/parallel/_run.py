"""joblib behind one function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

Job = TypeVar("Job")
Result = TypeVar("Result")


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
        Must not depend on the order of the calls: seeds belong to the jobs.
    jobs : sequence
    n_jobs : int, optional
        As in joblib; None is 1 unless ``joblib.parallel_config`` says otherwise. Never more than
        there are jobs, or workers in the back end. Threads by default, since the engines release
        the GIL; another back end can be chosen with ``joblib.parallel_config``.
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
    return list(with_bar(results, len(jobs), verbose=verbose, description=description))


def iterate_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], *, n_jobs: int | None, prefer: str
) -> Iterable[Result]:
    """Return an iterator over the results, in the order of the jobs, as they come."""
    n_workers = _count_workers(n_jobs, len(jobs), prefer)
    if n_workers <= 1:
        return (function(job) for job in jobs)
    parallel = Parallel(n_jobs=n_workers, prefer=prefer, return_as="generator")
    return parallel(delayed(function)(job) for job in jobs)


def _count_workers(n_jobs: int | None, n_tasks: int, prefer: str) -> int:
    # joblib sets the configured number back to 1 where threads are only preferred, so it is asked
    # for without a preference.
    asked = get_active_backend()[1] if n_jobs is None else n_jobs
    if asked in (None, 1) or n_tasks <= 1:
        return 1
    backend = get_active_backend(prefer=prefer)[0]
    return min(backend.effective_n_jobs(asked), backend.effective_n_jobs(-1), n_tasks)


def with_bar(
    items: Iterable[Result], total: int, *, verbose: bool | None, description: str
) -> Iterator[Result]:
    """Yield the items, drawing a progress bar where somebody watches."""
    shown = _is_watched() if verbose is None else verbose
    if not shown or total < 2:
        yield from items
        return
    from tqdm.auto import tqdm

    yield from tqdm(items, total=total, desc=description, leave=False)


def _is_watched() -> bool:
    in_notebook = "ipykernel" in sys.modules
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())
