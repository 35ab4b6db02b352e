"""Boosted oblivious trees, compiled: the paper's SampleTree and TrainGBDT.

Importing this room loads numba; `lukewarm.learners` does so only when one of its names is used.
"""

from lukewarm.learners.boosting._based import BASES, BasedBoosting
from lukewarm.learners.boosting._borders import Borders, suitable_bins
from lukewarm.learners.boosting._classifier import ObliviousBoostingClassifier
from lukewarm.learners.boosting._dataset import BinnedDataset
from lukewarm.learners.boosting._learner import ObliviousBoosting
from lukewarm.learners.boosting._regressor import ObliviousBoostingRegressor
from lukewarm.learners.boosting._warm_up import compile_once

__all__ = [
    "BASES",
    "BasedBoosting",
    "BinnedDataset",
    "Borders",
    "ObliviousBoosting",
    "ObliviousBoostingClassifier",
    "ObliviousBoostingRegressor",
    "compile_once",
    "suitable_bins",
]
