"""A table of features and its target."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

# More rows fit into no memory; what is larger is a mistake.
MOST_SAMPLES = 10**9


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and target of the same rows.

    Parameters
    ----------
    X : DataFrame of shape (n, p)
    y : Series of shape (n,)
    """

    X: pd.DataFrame
    y: pd.Series
