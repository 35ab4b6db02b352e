"""The search for one length scale per column, against a long search from the same start."""

import numpy as np
import pytest

from lukewarm.learners.kernel import _relevance
from lukewarm.learners.kernel._relevance import find_relevance
from lukewarm.learners.kernel._stand_out import columns_with_waves, scores_that_stand_out


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


def test_lines_and_pairs_stand_out_and_noise_does_not():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(500, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] ** 2)[:, None]
    found = scores_that_stand_out(X, y, np.ones(500))
    assert np.flatnonzero(found[:, -1]).tolist() == [0]
    pairs = {tuple(pair) for pair in np.argwhere(found[:, :-1]).tolist()}
    assert pairs >= {(1, 2), (2, 1), (3, 3)}
    assert not {column for pair in pairs for column in pair} & {4, 5}
    noise = generator.normal(size=(500, 1))
    assert not scores_that_stand_out(X, noise, np.ones(500)).any()


def test_waves_are_seen_and_parabolas_and_noise_are_not():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))
    y = np.sin(4 * X[:, :1]) + X[:, 1:2] ** 2 + X[:, 2:3]
    assert columns_with_waves(X, y, np.ones(300)).tolist() == [True, False, False, False]
    n_seen = sum(
        columns_with_waves(X, generator.normal(size=(300, 1)), np.ones(300)).any()
        for _ in range(100)
    )
    # At most one table in four; the bound is far from sharp, and one in forty is what is seen.
    assert n_seen <= 10


@pytest.mark.parametrize("weights", ["exponential", "one and ten", "half of them zero"])
def test_weights_are_no_waves(weights):
    generator = np.random.default_rng(0)
    n_seen = 0
    for _ in range(50):
        X = generator.normal(size=(400, 4))
        given = {
            "exponential": generator.exponential(size=400),
            "one and ten": np.where(generator.random(400) < 0.5, 1.0, 10.0),
            "half of them zero": (X[:, 0] > 0).astype(float),
        }[weights]
        n_seen += columns_with_waves(X, generator.normal(size=(400, 1)), given).any()
    # At most one table in four.
    assert n_seen <= 12
    assert columns_with_waves(X, np.sin(6 * X[:, :1]), given)[0]


def test_a_wave_among_other_columns_is_found():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(330, 6))
    y = np.sin(3 * X[:, :1]) + X[:, 1:2] + 0.3 * generator.normal(size=(330, 1))
    kernel = find_relevance(X, y, np.ones(330), np.arange(6), has_line=True).kernel
    # A third of the way of a turn of sin(3 x) is about 0.7.
    assert kernel.inverse_scales[0] > 1
    assert kernel.inverse_scales[1:].max() < 0.5 * kernel.inverse_scales[0]


def _ishigami(n_rows, seed):
    """Return the function of Ishigami and Homma (1990): its third column counts in a product only.

    The product is with the first column, at the fourth power of the third.
    """
    generator = np.random.default_rng(seed)
    X = generator.uniform(-np.pi, np.pi, size=(n_rows, 3))
    y = np.sin(X[:, 0]) + 7 * np.sin(X[:, 1]) ** 2 + 0.1 * X[:, 2] ** 4 * np.sin(X[:, 0])
    y += 0.5 * generator.normal(size=n_rows)
    return X / X.std(axis=0), y[:, None], np.ones(n_rows), np.arange(3)


def test_a_column_that_the_search_let_go_is_tried_again():
    training = _ishigami(330, seed=0)
    likelihood = _relevance._likelihood(*training)
    bounds = [(_relevance._LOWEST, _relevance._HIGHEST)] * 6
    bounds += [_relevance._AMPLITUDE, _relevance._NOISE]
    search = _relevance._Search(likelihood, bounds, 100)
    gone = np.log([1.0, 1.0, 1e-3, 1e-3, 1e-3, 1e-3, 1.0, 0.3])
    # Without pull the third column stays where it is; from across the valley it is used.
    stuck = search._from(gone)
    assert np.exp(stuck.x[2]) < 0.01
    found = search.best_from([gone])
    assert np.exp(found.x[2]) > 0.3
    assert 330 * (stuck.fun - found.fun) > _relevance._CLEAR_GAIN


def test_columns_of_noise_do_not_come_back():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(300, 8))
    y = rows[:, :1] + 0.5 * generator.normal(size=(300, 1))
    kernel = find_relevance(rows, y, np.ones(300), np.arange(8), has_line=True).kernel
    assert kernel.inverse_scales[1:].max() < 0.05
