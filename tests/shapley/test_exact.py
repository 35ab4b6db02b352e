from itertools import permutations

import numpy as np
import pytest

from lukewarm.datasets import make_correlated_linear
from lukewarm.shapley import exact


def random_game(n_players, seed=0):
    generator = np.random.default_rng(seed)
    table = generator.normal(size=2**n_players)
    return lambda kept: table[sum(1 << player for player in kept)]


def by_definition(value, n_players):
    """The mean marginal contribution over all orders of the players."""
    orders = list(permutations(range(n_players)))
    totals = np.zeros(n_players)
    for order in orders:
        for place, player in enumerate(order):
            before = tuple(sorted(order[:place]))
            totals[player] += value(tuple(sorted((*before, player)))) - value(before)
    return totals / len(orders)


@pytest.mark.parametrize("n_players", [1, 2, 3, 5])
def test_equals_the_mean_contribution_over_all_orders(n_players):
    value = random_game(n_players)
    np.testing.assert_allclose(exact(value, n_players), by_definition(value, n_players), atol=1e-10)


def test_additive_game_returns_its_terms():
    worth = np.array([3.0, -1.0, 0.0, 2.5, 7.0])
    shapley = exact(lambda kept: 4.0 + worth[list(kept)].sum(), 5)
    np.testing.assert_allclose(shapley, worth, atol=1e-10)


def test_unanimity_game_is_shared_by_its_members():
    members = {1, 2, 4}
    shapley = exact(lambda kept: float(members <= set(kept)), 6)
    np.testing.assert_allclose(shapley, [0, 1 / 3, 1 / 3, 0, 1 / 3, 0], atol=1e-10)


def test_linear_gaussian_game_returns_the_population_shapley_values():
    data = make_correlated_linear(n_samples=20, correlation=0.8, random_state=0)
    n_features = len(data.coefficients)

    def value(kept):
        return -data.true_importance([each for each in range(n_features) if each not in kept])

    truth = data.true_shapley()
    # The pair of correlated features shares: not simply the squared coefficients.
    assert abs(truth[0] - 1.5**2) > 0.1
    np.testing.assert_allclose(exact(value, n_features), truth, atol=1e-10)


def test_is_efficient():
    value = random_game(6)
    assert exact(value, 6).sum() == pytest.approx(value(tuple(range(6))) - value(()), abs=1e-10)


def test_symmetric_players_get_the_same():
    shapley = exact(lambda kept: float(len({0, 1} & set(kept))) ** 2 + 3 * (2 in kept), 3)
    assert shapley[0] == pytest.approx(shapley[1], abs=1e-12)
    assert shapley[0] != pytest.approx(shapley[2])


def test_null_player_gets_nothing():
    value = random_game(4)
    shapley = exact(lambda kept: value(tuple(player for player in kept if player < 4)), 5)
    assert shapley[4] == pytest.approx(0, abs=1e-12)
    assert np.abs(shapley[:4]).min() > 1e-3


def test_is_linear_in_the_game():
    first, second = random_game(5, seed=1), random_game(5, seed=2)
    together = exact(lambda kept: 2 * first(kept) - 3 * second(kept), 5)
    np.testing.assert_allclose(together, 2 * exact(first, 5) - 3 * exact(second, 5), atol=1e-10)


def test_asks_for_every_coalition_once():
    asked = []
    exact(lambda kept: asked.append(kept) or 0.0, 4)
    assert len(asked) == len(set(asked)) == 16
    assert all(list(kept) == sorted(kept) for kept in asked)


def test_refuses_too_many_players_and_names_the_cost():
    with pytest.raises(ValueError, match=r"21 players need 2\*\*21 = 2,097,152 values"):
        exact(lambda kept: 0.0, 21)


def test_refuses_a_value_that_is_not_finite():
    with pytest.raises(ValueError, match=r"returned nan for \(0,\)"):
        exact(lambda kept: np.nan if kept == (0,) else 0.0, 2)


def test_a_function_that_takes_no_coalition_is_named():
    with pytest.raises(TypeError, match=r"value must be a function of a coalition; value\(\(\)\)"):
        exact(object, 3)
