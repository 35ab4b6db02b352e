"""Kernel machines: ridge regression and its path in closed form, with landmarks for many rows.

They are the paper's iterative kernel update with a kernel that never changes.
"""

from lukewarm.learners.kernel._classifier import KernelMachineClassifier
from lukewarm.learners.kernel._coding import QuantityColumn, any_heavy_tails
from lukewarm.learners.kernel._filled import filled_outputs
from lukewarm.learners.kernel._kernel import rbf_matrix
from lukewarm.learners.kernel._learner import KernelMachine
from lukewarm.learners.kernel._log_loss import (
    as_columns,
    fit_shares,
    log_losses,
    probabilities,
)
from lukewarm.learners.kernel._machine import HasMachine, Machine
from lukewarm.learners.kernel._own_functions import HasOwnFunctions, OwnFunctions
from lukewarm.learners.kernel._regressor import KernelMachineRegressor
from lukewarm.learners.kernel._residuals import ResidualMachine
from lukewarm.learners.kernel._segments import n_updates
from lukewarm.learners.kernel._stand_out import columns_with_waves, scores_that_stand_out

__all__ = [
    "HasMachine",
    "HasOwnFunctions",
    "KernelMachine",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "Machine",
    "OwnFunctions",
    "QuantityColumn",
    "ResidualMachine",
    "any_heavy_tails",
    "as_columns",
    "columns_with_waves",
    "filled_outputs",
    "fit_shares",
    "log_losses",
    "n_updates",
    "probabilities",
    "rbf_matrix",
    "scores_that_stand_out",
]
