"""Standard errors, intervals and tests from per-row influence values.

Pure functions over arrays: nothing here knows a model, a measure or a data set.
"""

from lukewarm.inference._clusters import by_cluster, cluster_totals
from lukewarm.inference._moments import Moments, mapped
from lukewarm.inference._multiplicity import (
    ADJUSTMENTS,
    adjust_p_values,
    check_adjustments,
    simultaneous_quantile,
)
from lukewarm.inference._resampled import resampled_error
from lukewarm.inference._skewed import interval_ends, skewed_widths, spread_freedom
from lukewarm.inference._wald import (
    p_value,
    reach_zero,
    small_sample_scale,
    standard_error,
    wald_interval,
)

__all__ = [
    "ADJUSTMENTS",
    "Moments",
    "adjust_p_values",
    "by_cluster",
    "check_adjustments",
    "cluster_totals",
    "interval_ends",
    "mapped",
    "p_value",
    "reach_zero",
    "resampled_error",
    "simultaneous_quantile",
    "skewed_widths",
    "small_sample_scale",
    "spread_freedom",
    "standard_error",
    "wald_interval",
]
