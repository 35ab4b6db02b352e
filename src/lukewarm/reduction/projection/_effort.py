"""What may be spent on a regression, by how dear the model beside it is."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Effort:
    """What may be spent on a regression.

    Parameters
    ----------
    most_rows : int
        Rows for training, and as many for stopping.
    curve_penalties : tuple of float
        In rows: curves have up to nine coefficients for every column.
    learning_rate : float
    patience, most_trees : int
        What a guess gains from trees shows early, so they need not wait as long as a model's, and
        their number has an end for the sake of time.
    kernel_rows : int, default 500
        Rows that find the kernel of a kernel regression.
    """

    most_rows: int
    curve_penalties: tuple[float, ...]
    learning_rate: float
    patience: int
    most_trees: int
    kernel_rows: int = 500


# A slope is known to a hundredth from so many rows; more cost time and change nothing.
THOROUGH = Effort(20_000, (3.0, 30.0, 300.0), 0.1, 10, 200)
# Beside models that are trained in a fraction of a second: longer steps and fewer of them, one
# penalty (benchmarks/speed.py has the error of the reduced models).
QUICK = Effort(20_000, (30.0,), 0.3, 5, 30)
# Beside forests: a kernel found by half the rows guesses as well, at a quarter of the price
# (benchmarks/forests.py).
LOCAL = replace(THOROUGH, kernel_rows=250)
