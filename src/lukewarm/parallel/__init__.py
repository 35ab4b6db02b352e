"""Independent jobs side by side, with a progress bar; the order of results is that of the jobs."""

from lukewarm.parallel._blas import blas_for
from lukewarm.parallel._run import run_jobs
from lukewarm.parallel._store import read_records, run_resumable

__all__ = ["blas_for", "read_records", "run_jobs", "run_resumable"]
