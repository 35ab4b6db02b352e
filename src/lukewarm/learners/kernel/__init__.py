"""Kernel machines: ridge regression and its path in closed form, with landmarks for many rows.

They are the paper's iterative kernel update with a kernel that never changes.
"""

from lukewarm.learners.kernel._classifier import KernelMachineClassifier
from lukewarm.learners.kernel._coding import QuantityColumn
from lukewarm.learners.kernel._from_estimator import learner_of_kernel
from lukewarm.learners.kernel._kernel import half_squared_distances
from lukewarm.learners.kernel._learner import KernelMachine
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._regressor import KernelMachineRegressor

__all__ = [
    "KernelMachine",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "Machine",
    "QuantityColumn",
    "half_squared_distances",
    "learner_of_kernel",
]
