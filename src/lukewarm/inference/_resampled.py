"""Errors from the spread between splits of the rows."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector


def resampled_error(values: Matrix, test_over_train: float) -> Vector:
    """Return the standard error of a mean over splits, which share rows.

    Parameters
    ----------
    values : ndarray of shape (n_splits, n_estimates)
        An estimate from every split.
    test_over_train : float
        Evaluation rows of a split over its training rows.

    Notes
    -----
    sqrt((1 / J + test_over_train) S**2) with S**2 the variance among the J estimates (Nadeau and
    Bengio, *Inference for the generalization error*, 2003). The plain 1 / J takes splits to be
    independent, although they share rows. The law of the mean over this error is taken to be
    Student's, with J - 1 degrees of freedom.

    Examples
    --------
    >>> resampled_error(np.array([[1.0], [2.0], [3.0]]), 0.25).round(3)
    array([0.764])
    """
    return np.sqrt((1 / len(values) + test_over_train) * np.var(values, axis=0, ddof=1))
