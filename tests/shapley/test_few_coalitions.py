"""Few coalitions: refused, or sane with an honest error. The games' Shapley values are known."""

from math import comb

import numpy as np
import pytest

from lukewarm.shapley import as_proxy, estimate, least_coalitions, solve
from lukewarm.shapley._coalitions import all_membership
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._games import FunctionGame

SAMPLED = ("regression_adjusted", "kernel", "permutation", "marginal")


def random_table(n_players, generator):
    """An additive game and noise in every coalition."""
    membership = all_membership(n_players)
    table = membership @ generator.normal(size=n_players)
    table += 0.3 * generator.normal(size=len(table))
    return (lambda kept: table[sum(1 << each for each in kept)]), shapley_of_table(table)


def pairwise_game(n_players, generator):
    """Players alone and in twos; each of two gets half."""
    alone = generator.normal(size=n_players)
    together = np.triu(2 * generator.normal(size=(n_players, n_players)) / np.sqrt(n_players), 1)

    def value(kept):
        kept = list(kept)
        return alone[kept].sum() + together[np.ix_(kept, kept)].sum()

    return value, alone + (together.sum(axis=0) + together.sum(axis=1)) / 2


def teams_game(n_players, generator):
    """Random teams of up to six, each worth something when complete; its members share alike."""
    shapley, teams = np.zeros(n_players), []
    for _ in range(3 * n_players):
        team = generator.permutation(n_players)[: generator.integers(1, min(n_players, 6) + 1)]
        worth = generator.normal()
        shapley[team] += worth / len(team)
        teams.append((frozenset(team.tolist()), worth))

    def value(kept):
        kept = set(kept)
        return sum(worth for team, worth in teams if team <= kept)

    return value, shapley


def saturating_game(n_players, generator):
    """Players that stand in for each other: 1 - prod(1 - strength).

    The integrand of the multilinear extension is a polynomial, so Gauss-Legendre nodes are exact.
    """
    strength = generator.uniform(0, 0.8, size=n_players)
    nodes, node_weights = np.polynomial.legendre.leggauss(n_players // 2 + 2)
    missing = 1 - np.outer((nodes + 1) / 2, strength)
    shapley = [
        strength[player] * node_weights / 2 @ np.delete(missing, player, axis=1).prod(axis=1)
        for player in range(n_players)
    ]
    return (lambda kept: 1 - np.prod(1 - strength[list(kept)])), np.array(shapley)


def additive_game(n_players, generator):
    """Players who do not mind each other."""
    worth = generator.normal(size=n_players)
    return (lambda kept: worth[list(kept)].sum()), worth


def majority_vote(n_players, generator):
    """One vote each; more than half of them win."""
    return (lambda kept: float(len(kept) > n_players / 2)), np.full(n_players, 1 / n_players)


def weighted_vote(n_players, generator):
    """Parties with seats; more than half of the seats win.

    A player gets the share of orders in which it is the one that wins: the coalitions of the others
    are counted by size and seats.
    """
    seats = generator.integers(1, 50, size=n_players)
    half = seats.sum() / 2
    reached = np.arange(seats.sum() + 1)
    shapley = np.zeros(n_players)
    for player, own in enumerate(seats):
        ways = np.zeros((n_players, len(reached)))
        ways[0, 0] = 1
        for other in np.delete(seats, player):
            ways[1:, other:] = ways[1:, other:] + ways[:-1, :-other]
        decides = (reached <= half) & (reached + own > half)
        for size in range(n_players):
            shapley[player] += ways[size, decides].sum() / comb(n_players - 1, size) / n_players
    return (lambda kept: float(seats[list(kept)].sum() > half)), shapley


def unanimity_game(n_players, generator):
    """One team of two to eight; its members share alike."""
    size = generator.integers(2, min(n_players, 9))
    team = generator.permutation(n_players)[:size].tolist()
    shapley = np.zeros(n_players)
    shapley[team] = 1 / len(team)
    return (lambda kept: float(set(team) <= set(kept))), shapley


def airport_game(n_players, generator):
    """The longest runway needed; every stretch is shared by those who need it."""
    runway = np.sort(generator.uniform(size=n_players))
    shapley = np.cumsum(np.diff(runway, prepend=0) / np.arange(n_players, 0, -1))
    return (lambda kept: runway[list(kept)].max(initial=0)), shapley


def smooth_game(n_players, generator):
    """A sum of waves over random sums of the players, integrated as the saturating game is."""
    steps = 3 * generator.normal(size=(6, n_players)) / np.sqrt(n_players)
    start, height = generator.uniform(0, 2 * np.pi, size=6), generator.normal(size=6)
    nodes, node_weights = np.polynomial.legendre.leggauss(n_players // 2 + 2)
    shapley = np.zeros(n_players)
    for turn, begin, size in zip(np.exp(1j * steps), start, height, strict=True):
        factors = 1 + np.outer((nodes + 1) / 2, turn - 1)
        for player in range(n_players):
            others = np.delete(factors, player, axis=1).prod(axis=1)
            wave = np.exp(1j * begin) * (turn[player] - 1) * (node_weights / 2 @ others)
            shapley[player] += size * wave.real
    return (lambda kept: height @ np.cos(steps[:, list(kept)].sum(axis=1) + start)), shapley


VOTES = (majority_vote, weighted_vote)
SMOOTHER = (
    additive_game,
    pairwise_game,
    teams_game,
    saturating_game,
    unanimity_game,
    airport_game,
    smooth_game,
)


@pytest.mark.parametrize("game", [*VOTES, *SMOOTHER])
def test_the_games_have_the_values_of_enumeration(game):
    value, shapley = game(6, np.random.default_rng(0))
    table = [value(tuple(np.flatnonzero(row))) for row in all_membership(6)]
    assert np.ptp(shapley) > 0.01 or game is majority_vote
    np.testing.assert_allclose(shapley, shapley_of_table(np.array(table)), atol=1e-10)


def cells(games, samplers, sizes, multiples):
    return [
        (game, sampler, n_players, multiple)
        for game in games
        for sampler in samplers
        for n_players in sizes
        for multiple in multiples
    ]


@pytest.mark.parametrize(
    ("game", "sampler", "n_players", "multiple"),
    [
        *cells(VOTES, ("regression_adjusted", "kernel"), (8, 12), (1, 2, 4)),
        *cells(VOTES, ("regression_adjusted", "kernel"), (20,), (1,)),
        *cells(SMOOTHER, ("regression_adjusted", "kernel"), (8, 20), (1,)),
        *cells([random_table], ("regression_adjusted", "kernel"), (5, 12), (1,)),
        *cells((random_table, teams_game), ("permutation",), (6, 10), (1,)),
        *cells((saturating_game, pairwise_game), ("marginal",), (10,), (1, 2)),
    ],
)
def test_intervals_cover_from_the_least_number_on(game, sampler, n_players, multiple):
    n_coalitions = multiple * least_coalitions(sampler, n_players)
    covered = []
    for seed in range(40):
        value, shapley = game(n_players, np.random.default_rng([seed, n_players]))
        result = estimate(value, n_players, n_coalitions, sampler, seed)
        assert result.n_coalitions <= n_coalitions < 2**n_players - 2
        total = value(tuple(range(n_players))) - value(())
        assert result.values.sum() == pytest.approx(total, abs=1e-10)
        allowed = 1.96 * result.standard_error + 1e-9 * np.ptp(shapley)
        covered.append(np.mean(np.abs(result.values - shapley) <= allowed))
    # At least 90 % on average; the mean of 40 games has a standard error of about 0.02.
    assert np.mean(covered) >= 0.9 - 2 * np.std(covered) / np.sqrt(40)


@pytest.mark.parametrize("sampler", SAMPLED)
@pytest.mark.parametrize("n_players", [2, 4, 7, 60])
def test_refuses_fewer_coalitions_than_tell_the_players_apart(sampler, n_players):
    least = least_coalitions(sampler, n_players)
    message = f"n_coalitions must be at least {least} for the solver '{sampler}' and {n_players}"
    with pytest.raises(ValueError, match=message):
        estimate(lambda kept: float(len(kept)), n_players, least - 1, sampler)
    values = estimate(lambda kept: float(len(kept)), n_players, least, sampler).values
    np.testing.assert_allclose(values, 1.0, atol=1e-6)


def test_refuses_a_thousand_players_and_fifty_coalitions():
    with pytest.raises(ValueError, match="n_coalitions must be at least 4000"):
        estimate(lambda kept: float(len(kept) ** 2), 1000, 50)


@pytest.mark.parametrize("n_coalitions", [28, 32, 40, 60])
def test_a_proxy_never_brings_values_beyond_the_game(n_coalitions):
    """Least squares leaves nothing of a proxy that few pairs show; round-off is not a signal."""
    generator = np.random.default_rng(0)
    value, shapley = random_table(7, generator)
    cheap = FunctionGame(saturating_game(7, generator)[0], 7)
    game = FunctionGame(value, 7)
    solution = solve(game, "regression_adjusted", n_coalitions, 0, [as_proxy(cheap, 0)])
    values = solution.shapley_of(game.values(solution.coalitions))
    assert np.abs(values - shapley).max() <= np.ptp(shapley)
    assert (np.abs(values - shapley) <= 4 * solution.standard_error).all()


def test_a_good_proxy_is_worth_more_than_few_pairs():
    value, shapley = saturating_game(12, np.random.default_rng(3))
    cheap = FunctionGame(lambda kept: 2 * value(kept) + 0.1 * len(kept), 12)
    game = FunctionGame(value, 12)
    errors = []
    for proxies in ([], [as_proxy(cheap, 0)]):
        solution = solve(game, "regression_adjusted", 48, 0, proxies)
        values = solution.shapley_of(game.values(solution.coalitions))
        assert (np.abs(values - shapley) <= 4 * solution.standard_error + 1e-6).all()
        errors.append(np.abs(values - shapley).max())
    assert errors[1] < 1e-3 < errors[0]


def test_an_additive_proxy_is_left_out():
    value, _ = saturating_game(6, np.random.default_rng(0))
    cheap = FunctionGame(lambda kept: sum(0.1 * each for each in kept), 6)
    game = FunctionGame(value, 6)
    alone, beside = (
        solve(game, "regression_adjusted", 40, 0, proxies) for proxies in ([], [as_proxy(cheap, 0)])
    )
    np.testing.assert_array_equal(alone.weights, beside.weights)


@pytest.mark.parametrize("sampler", SAMPLED)
def test_a_constant_added_to_every_value_changes_nothing(sampler):
    value, _ = teams_game(8, np.random.default_rng(1))
    plain = estimate(value, 8, 60, sampler, random_state=0)
    shifted = estimate(lambda kept: value(kept) - 1e6, 8, 60, sampler, random_state=0)
    # A value of 1e6 holds ten digits after the point.
    np.testing.assert_allclose(shifted.values, plain.values, atol=1e-8)
    assert abs(shifted.values.sum() - (value(tuple(range(8))) - value(()))) < 1e-9
