import numpy as np
import pytest

from lukewarm.shapley._coalitions import all_membership, as_coalition
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._games import FunctionGame
from lukewarm.shapley._pairs import PairSample
from lukewarm.shapley._shrinkage import (
    _NOISES,
    _additive_features,
    _Posterior,
    _variance_of_noise,
    needs_shrinkage,
    shrunken_least_squares,
)

N_PLAYERS = 5


def all_pairs(n_players):
    rows = [row for row in all_membership(n_players) if row[0] and not row.all()]
    return [(as_coalition(row), as_coalition(~row)) for row in rows]


def random_game(n_players, seed=0):
    table = np.random.default_rng(seed).normal(size=2**n_players)
    game = FunctionGame(lambda kept: table[sum(1 << each for each in kept)], n_players)
    return game, shapley_of_table(table)


def test_all_pairs_give_the_exact_values_without_error():
    game, shapley = random_game(N_PLAYERS)
    solution = shrunken_least_squares(game, PairSample.of(all_pairs(N_PLAYERS), N_PLAYERS))
    values = solution.shapley_of(game.values(solution.coalitions))
    np.testing.assert_allclose(values, shapley, atol=1e-10)
    np.testing.assert_allclose(solution.covariance, 0, atol=1e-10)


def test_noise_has_the_variance_of_enumeration():
    weights = PairSample.of(all_pairs(N_PLAYERS), N_PLAYERS).shapley_weights
    np.testing.assert_allclose(_variance_of_noise(N_PLAYERS), weights @ weights.T, atol=1e-12)


@pytest.mark.parametrize("number", [18, 22, 28])
def test_posterior_equals_conditioning_on_the_joint_law_of_all_pairs(number):
    everything = PairSample.of(all_pairs(N_PLAYERS), N_PLAYERS)
    n_seen, noise = 6, _NOISES[number]
    # The joint law of the Shapley values and all r, as one linear map of independent normals.
    features = _additive_features(everything)
    roots = np.sqrt(noise) * np.eye(len(everything.counts))
    of_r = np.hstack([features.differences, roots])
    of_shapley = np.hstack([features.shapley, everything.shapley_weights @ roots])
    seen = of_r[:n_seen]
    gain = of_shapley @ seen.T @ np.linalg.inv(seen @ seen.T)
    posterior = of_shapley @ of_shapley.T - gain @ seen @ of_shapley.T

    sample = PairSample.of(all_pairs(N_PLAYERS)[:n_seen], N_PLAYERS)
    r = np.random.default_rng(0).normal(size=n_seen)
    fitted = _Posterior(sample, r, _additive_features(sample))
    weights, covariance = fitted.of_noise(number)
    np.testing.assert_allclose(weights, gain, atol=1e-8)
    np.testing.assert_allclose(
        covariance / np.trace(covariance), posterior / np.trace(posterior), atol=1e-8
    )


def test_players_on_one_side_throughout_keep_an_error():
    """Players 0 and 1 are never parted, so the pairs cannot tell how they share."""
    pairs = [pair for pair in all_pairs(8) if (0 in pair[0]) == (1 in pair[0])][:40]
    worth = np.arange(8.0)
    game = FunctionGame(lambda kept: worth[list(kept)].sum(), 8)
    sample = PairSample.of(pairs, 8)
    assert needs_shrinkage(sample)
    solution = shrunken_least_squares(game, sample)
    values = solution.shapley_of(game.values(solution.coalitions))
    assert solution.standard_error[:2].min() > 0.5
    assert solution.standard_error[2:].max() < 1e-4
    np.testing.assert_allclose(values[2:], worth[2:], atol=1e-6)


def test_many_pairs_that_tell_all_players_apart_need_no_shrinkage():
    assert not needs_shrinkage(PairSample.of(all_pairs(6), 6))
