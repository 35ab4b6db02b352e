"""The search for one length scale per column, against a long search from the same start."""

import numpy as np
import pytest

from lukewarm.learners.kernel import _relevance
from lukewarm.learners.kernel._relevance import find_relevance


def _products(n_rows, n_columns=6):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(n_rows, n_columns))
    y = rows[:, 0] * rows[:, 1] + rows[:, 2] + 0.5 * generator.normal(size=n_rows)
    return rows, y[:, None], np.ones(n_rows), np.arange(n_columns)


def _log_posterior(training, found):
    """Return the log-posterior of all rows, in units in which one standard error costs a half."""
    rows, y, weights, block = training
    likelihood = _relevance._likelihood(rows, y, weights, block)
    value, _ = _relevance._with_prior(found.parameters, likelihood, 2 * len(block))
    return -value * len(rows)


@pytest.fixture
def long_search(monkeypatch):
    def search(training):
        with monkeypatch.context() as patch:
            patch.setattr(_relevance, "_STAGES", ((len(training[0]), 500),))
            patch.setattr(_relevance, "_LEAST_GAIN", 1e-7)
            return find_relevance(*training, has_line=True)

    return search


@pytest.mark.parametrize("n_rows", [200, 600])
def test_stages_end_where_a_search_on_all_rows_at_once_ends(n_rows, long_search):
    training = _products(n_rows)
    best = _log_posterior(training, long_search(training))
    found = _log_posterior(training, find_relevance(*training, has_line=True))
    # One standard error of each of the 14 parameters would cost 7.
    assert found > best - 7


def test_a_search_that_sets_out_from_fewer_rows_ends_where_one_anew_does(long_search):
    training = _products(600)
    rows, y, weights, block = training
    start = find_relevance(rows[:400], y[:400], weights[:400], block, has_line=True)
    found = find_relevance(*training, has_line=True, start=start)
    assert _log_posterior(training, start) < _log_posterior(training, found)
    assert _log_posterior(training, found) > _log_posterior(training, long_search(training)) - 7


def test_columns_without_use_get_no_scale_to_speak_of():
    kernel = find_relevance(*_products(600), has_line=True).kernel
    assert kernel.inverse_scales[3:].max() < 0.2 * kernel.inverse_scales[:2].min()
