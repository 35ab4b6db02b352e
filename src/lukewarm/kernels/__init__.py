"""The theory as code: kernels of networks and trees, spectra, stopping times, error terms.

Pure functions, numpy in and out; each names its equation. ``docs/theory.md`` walks through them.
"""

from importlib import import_module
from typing import Any

from lukewarm.exceptions import KernelWarning, TangentWarning
from lukewarm.infinite_width import nngp, ntk
from lukewarm.kernels._complexity import (
    critical_radius,
    local_complexity,
    population_critical_radius,
)
from lukewarm.kernels._decomposition import (
    ErrorDecomposition,
    error_decomposition,
    run_decomposition,
)
from lukewarm.kernels._estimate_law import ImportanceLaw, QuadraticForm, importance_law
from lukewarm.kernels._fixed_kernel import FixedKernelRun, fixed_kernel_run
from lukewarm.kernels._noise import estimate_gap_norm, estimate_noise_std
from lukewarm.kernels._runs import KernelRun, OracleStop, follow_run, oracle_stop
from lukewarm.kernels._spectra import kernel_eigenvalues, rkhs_gap_norm
from lukewarm.kernels._stopping_times import max_theoretical_step, optimal_step
from lukewarm.kernels._theoretical_stop import TheoreticalStop
from lukewarm.kernels.tangent._network_kernel import network_kernel
from lukewarm.kernels.trees._boosting_kernel import boosting_kernel
from lukewarm.kernels.trees._forest_kernel import forest_kernel
from lukewarm.kernels.trees._kernel import SampledKernel, sampled_tree_kernel, tree_kernel
from lukewarm.kernels.trees._law import (
    TreeDistribution,
    expected_update,
    tree_distribution,
    tree_kernel_at,
)
from lukewarm.kernels.trees._regular_kernel import (
    RegularTrees,
    regular_tree_kernel,
    regular_tree_kernel_at,
)

__all__ = [
    "ErrorDecomposition",
    "FixedKernelRun",
    "ImportanceLaw",
    "KernelRun",
    "KernelWarning",
    "OracleStop",
    "QuadraticForm",
    "RegularTrees",
    "SampledKernel",
    "TangentMap",
    "TangentWarning",
    "TheoreticalStop",
    "TreeDistribution",
    "boosting_kernel",
    "critical_radius",
    "error_decomposition",
    "estimate_gap_norm",
    "estimate_noise_std",
    "expected_update",
    "fixed_kernel_run",
    "follow_run",
    "forest_kernel",
    "importance_law",
    "kernel_eigenvalues",
    "local_complexity",
    "max_theoretical_step",
    "network_kernel",
    "nngp",
    "ntk",
    "optimal_step",
    "oracle_stop",
    "population_critical_radius",
    "regular_tree_kernel",
    "regular_tree_kernel_at",
    "rkhs_gap_norm",
    "run_decomposition",
    "sampled_tree_kernel",
    "tangent_kernel",
    "tree_distribution",
    "tree_kernel",
    "tree_kernel_at",
]

# Torch loads when a tangent kernel is first asked for.
_LOADED_ON_DEMAND = {
    "TangentMap": "lukewarm.kernels.tangent._map",
    "tangent_kernel": "lukewarm.kernels.tangent._map",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_DEMAND[name]), name)
