"""Models that can go one step further from where they stand, and the one loop that trains them."""

from lukewarm.learners._base import BindsRows, Learner, StagedLearner
from lukewarm.learners._training import train_until

__all__ = ["BindsRows", "Learner", "StagedLearner", "train_until"]
