import os

import numpy as np
import pytest

# Two workers on two cores: more threads inside each would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")


class GradientDescent:
    """Least squares by gradient descent: the smallest learner there is, with a known answer."""

    def __init__(self, learning_rate=0.1, n_steps=0, coefficients=None):
        self.learning_rate = learning_rate
        self.n_steps = n_steps
        self.coefficients = coefficients

    def fresh(self, seed):
        return GradientDescent(self.learning_rate)

    def copy(self, seed=None):
        kept = None if self.coefficients is None else self.coefficients.copy()
        return GradientDescent(self.learning_rate, self.n_steps, kept)

    def advance(self, X, y, n_steps, weights=None):
        if self.coefficients is None:
            self.coefficients = np.zeros(X.shape[1])
        for _ in range(n_steps):
            residuals = y - X @ self.coefficients
            self.coefficients += self.learning_rate * X.T @ residuals / len(y)
        self.n_steps += n_steps

    def predict(self, X):
        return np.zeros(len(X)) if self.coefficients is None else X @ self.coefficients


@pytest.fixture
def gradient_descent():
    return GradientDescent()


@pytest.fixture
def generator():
    return np.random.default_rng(20240607)
