"""What docs/open_directions.md says of kernel machines and other networks."""

from __future__ import annotations

from collections.abc import Callable

from measured_runs import said, spread
from paper_page import best_results


def exact_case_reading() -> str:
    """Return what the table of kernel machines says."""
    rows = [row for row in best_results("exact-case") if row["start"] == "other rows"]
    first, last = rows[0], rows[-1]
    loose = spread((row["lemma"] / row["error"] for row in rows), ".1f")
    step = spread((row["step_bound"] / row["lemma"] for row in rows), ".1f")
    rate = spread((row["rate_bound"] / row["step_bound"] for row in rows), ".1f")
    return said(
        "**Answer: the bounds hold on every run, in their order.** The lemma's bound is "
        f"{loose} times the error, because its factors 2 and 4 replace cross terms that vanish on "
        f"average. The bound that only knows the step is {step} times as large again, and the one "
        f"that only knows the trace of the kernel {rate} times that. The probability that the "
        "error exceeds C / η, which the paper bounds by an exponential with unknown constants, is "
        f"at most {max(row['exceeds'] for row in rows):.0e} by the exact law. T_max is early: at "
        f"the best step the error is {first['best'] / first['error']:.1f} ({first['n_rows']} rows) "
        f"to {last['best'] / last['error']:.1f} ({last['n_rows']:,} rows) of that at T_max. No "
        f"drift is left but round-off (at most {max(row['drift'] for row in rows):.0e}).",
    )


def _seen_noise() -> str:
    row = max(
        (row for row in best_results("exact-case") if row["start"] != "other rows"),
        key=lambda row: row["n_rows"],
    )
    return f"{row['ratio']:.2f} ± {row['ratio_error']:.2f} times the expected one"


def exact_case_start() -> str:
    """Return how the error departs from the closed form where the start has seen the noise."""
    rows = best_results("exact-case")
    fresh = [row for row in rows if row["start"] == "other rows"]
    errors = spread((row["ratio_error"] for row in fresh), ".2f")
    return said(
        "The error is that of the closed form only where the full model was trained on other rows: "
        f"there their ratio is {spread((row['ratio'] for row in fresh), '.2f')} at all sizes, with "
        f"a standard error of {errors}. With the full model of the same rows the error is "
        f"{_seen_noise()} at {max(row['n_rows'] for row in rows):,} rows (last panel).",
    )


def paper_start() -> str:
    """Return the same for the list of claims that fail."""
    rows = max(row["n_rows"] for row in best_results("exact-case"))
    return said(
        "**The start has seen the noise.** The expected error of the theory is that of a start "
        "independent of the noise. A full model trained on the same rows is not: with "
        f"{rows:,} rows its error is {_seen_noise()} "
        "([kernel machines](open_directions.md#kernel-machines-the-exact-case)).",
    )


def architectures_reading() -> str:
    """Return how fast predictions come nearer to the linear path."""
    slopes = [
        row["slope"] for row in best_results("architectures") if row["distance"] == "prediction_gap"
    ]
    n_sets = best_results("architectures")[0]["replicates"]
    return said(
        "**Answer: yes, but for attention with a single head.** The kernels of convolutional, "
        "residual and normalised networks settle as fast as those of fully connected ones, faster "
        "than m^(-1/2). Predictions come nearer to the linear path more slowly at these small "
        f"widths (exponents {min(slopes):.1f} to {max(slopes):.1f}, of fully connected networks "
        f"too); {n_sets} data sets do not tell them apart.",
    )


BLOCKS: tuple[Callable[[], str], ...] = (
    exact_case_reading,
    exact_case_start,
    paper_start,
    architectures_reading,
)
