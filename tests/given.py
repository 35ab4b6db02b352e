"""Learners whose predictions are known."""

from lukewarm.learners import BaseLearner
from lukewarm.measures import Task


class Fixed(BaseLearner):
    """A learner that stays as it is."""

    n_steps = 1

    def fresh(self, seed):
        return self

    def copy(self, seed=None):
        return self

    def advance(self, X, y, n_steps, weights=None):
        pass


class Given(Fixed):
    """A model that is a known function of the columns."""

    def __init__(self, function, n_classes=None):
        self._function, self.task = function, Task(n_classes)

    def predict(self, X):
        return self._function(X)
