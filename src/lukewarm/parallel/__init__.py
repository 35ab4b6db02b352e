"""Independent jobs side by side, with a progress bar; the order of results is that of the jobs."""

from lukewarm.parallel._blas import blas_for
from lukewarm.parallel._run import iterate_jobs, run_jobs, with_bar
from lukewarm.parallel._store import read_records, run_resumable

__all__ = [
    "blas_for",
    "iterate_jobs",
    "read_records",
    "run_jobs",
    "run_resumable",
    "with_bar",
]
