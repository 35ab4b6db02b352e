"""The search for one length scale per column, against a long search from the same start."""

import numpy as np
import pytest

from lukewarm.learners.kernel import _relevance
from lukewarm.learners.kernel._relevance import _stand_out, find_relevance


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


def test_columns_that_matter_in_products_only_are_found_among_many():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 50))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    block = np.arange(50)
    target = (y + 0.5 * generator.normal(size=400))[:, None]
    # No column goes along with y by itself: the largest of fifty correlations is within chance.
    alone = np.abs(np.corrcoef(X.T, target[:, 0])[-1, :4]) * np.sqrt(400)
    assert alone.max() < np.sqrt(2 * np.log(50)) + 2
    found = find_relevance(X, target, np.ones(400), block, has_line=True)
    scales = found.kernel.inverse_scales
    assert set(np.argsort(-scales)[:4]) == {0, 1, 2, 3}
    assert scales[:4].min() > 5 * np.sort(scales[4:])[-1]


def test_the_second_start_holds_back_columns_that_do_not_stand_out():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(500, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] ** 2)[:, None]
    stand_out = _stand_out(X, y, np.ones(500))
    assert stand_out.tolist() == [True, True, True, True, False, False]
    noise = generator.normal(size=(500, 1))
    assert not _stand_out(X, noise, np.ones(500)).any()
