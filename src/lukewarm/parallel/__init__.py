"""Independent jobs side by side, with a progress bar; the order of results is that of the jobs."""

from lukewarm.parallel._run import run_jobs

__all__ = ["run_jobs"]
