"""joblib behind one function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from joblib import Parallel, delayed

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
        As in joblib. Threads by default, since the engines release the GIL; another back end can
        be chosen with ``joblib.parallel_config``.
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
    if n_jobs in (None, 1) or len(jobs) <= 1:
        return (function(job) for job in jobs)
    parallel = Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")
    return parallel(delayed(function)(job) for job in jobs)


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
