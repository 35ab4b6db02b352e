"""The error of a mean over splits that share rows, on simulated splits."""

import numpy as np
import pytest

from lukewarm.inference import p_value, resampled_error

N_ROWS, N_TEST, N_SPLITS, N_DRAWS = 60, 12, 10, 4000
RATIO = N_TEST / (N_ROWS - N_TEST)


def rejected(values, ratio):
    """Return how often "the mean is at most 0" is rejected at 5 %, columns being data sets."""
    error = resampled_error(values, ratio)
    return np.mean(p_value(values.mean(axis=0), error, freedom=len(values) - 1) < 0.05)


def test_estimates_of_splits_that_are_correlated_as_assumed_are_tested_at_their_level(generator):
    share = N_TEST / N_ROWS
    common, own = generator.normal(size=(1, N_DRAWS)), generator.normal(size=(N_SPLITS, N_DRAWS))
    values = np.sqrt(share) * common + np.sqrt(1 - share) * own
    # 4 binomial standard errors.
    assert rejected(values, RATIO) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / N_DRAWS))
    assert rejected(values, 0.0) > 0.15


def test_influence_of_evaluation_and_training_rows_leaves_the_level(generator):
    # A split finds the mean influence of its evaluation rows, plus that of its training rows.
    influence = generator.normal(size=(N_ROWS, N_DRAWS))
    of_training = generator.normal(size=(N_ROWS, N_DRAWS))
    values = []
    for _ in range(N_SPLITS):
        order = generator.permutation(N_ROWS)
        test, train = order[:N_TEST], order[N_TEST:]
        values.append(influence[test].mean(axis=0) + of_training[train].mean(axis=0))
    values = np.array(values)
    # Rows that all splits train on move all of them together, which no spread between them shows:
    # the correction is rough there, and far better than none.
    assert 0.02 < rejected(values, RATIO) < 0.12
    assert rejected(values, 0.0) > 0.2


def test_splits_that_agree_leave_no_error():
    assert resampled_error(np.ones((4, 2)), 0.25).tolist() == [0.0, 0.0]
