"""Kernel machines: ridge regression and its path in closed form, with landmarks for many rows.

They are the paper's iterative kernel update with a kernel that never changes.
"""

from lukewarm.learners.kernel._regressor import KernelMachineRegressor

__all__ = ["KernelMachineRegressor"]
