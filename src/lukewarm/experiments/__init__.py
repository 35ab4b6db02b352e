"""One module per figure or table of the paper: replicates, then tables and figures from records."""

from lukewarm.experiments._coverage import (
    CoverageJob,
    coverage_jobs,
    coverage_table,
    plot_coverage,
    run_coverage_job,
)

__all__ = [
    "CoverageJob",
    "coverage_jobs",
    "coverage_table",
    "plot_coverage",
    "run_coverage_job",
]
