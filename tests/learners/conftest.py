import numpy as np
import pytest


@pytest.fixture
def dependent_rows(generator):
    """A function from a number of rows to a table whose first column depends on two others."""

    def draw(n_rows: int = 400) -> np.ndarray:
        X = generator.normal(size=(n_rows, 4)) * [1, 5, 0.1, 1] + [0, 100, -3, 0]
        X[:, 0] = 0.3 * X[:, 1] - 2 * X[:, 2] + 0.5 * generator.normal(size=n_rows) + 7
        return X

    return draw
