"""Interaction values against games in which they are known."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.results import ShapleyResult

N_PLAYERS = 4


def played(value, n_rows=50):
    """Return the result of a game of 4 players whose every row has the value of the game."""
    coalitions = tuple(
        tuple(kept)
        for size in range(N_PLAYERS + 1)
        for kept in combinations(range(N_PLAYERS), size)
    )
    n = len(coalitions)
    generator = np.random.default_rng(0)
    noise = generator.normal(size=n_rows)
    influence = np.array([value(kept) * (noise - noise.mean()) for kept in coalitions])
    empty = np.zeros((0, N_PLAYERS))
    return ShapleyResult(
        names=tuple("abcd"),
        players=tuple((number,) for number in range(N_PLAYERS)),
        coalitions=coalitions,
        values=np.array([float(value(kept)) for kept in coalitions]),
        influence=influence,
        weights=np.zeros((N_PLAYERS, n)),
        covariance=np.zeros((N_PLAYERS, N_PLAYERS)),
        steps=np.zeros(n, dtype=int),
        seconds=np.zeros(n),
        history_sizes=np.zeros(0, dtype=int),
        history_values=empty,
        history_errors=empty,
        full_seconds=0.0,
        measure="neg_mse",
        method="retrain",
        model="game",
        solver="exact",
    )


def test_a_pair_that_is_worth_something_only_together_has_all_of_it():
    frame = played(lambda kept: 3.0 * ({0, 1} <= set(kept)) + (2 in kept)).interactions()
    assert tuple(frame.loc[0, ["first", "second"]]) == ("a", "b")
    assert frame["interaction"].tolist() == pytest.approx([3, 0, 0, 0, 0, 0], abs=1e-12)
    # Every row's influence is its value times the same noise, so the error is that of 3 times it.
    noise = np.random.default_rng(0).normal(size=50)
    assert frame["std_error"][0] == pytest.approx(3 * noise.std() / np.sqrt(50))


def test_players_that_stand_for_each_other_interact_negatively():
    frame = played(lambda kept: 1.0 * bool({0, 1} & set(kept))).interactions()
    assert frame["interaction"][0] == pytest.approx(-1)


def test_three_that_need_each_other_share_it_among_their_pairs():
    frame = played(lambda kept: 1.0 * ({0, 1, 2} <= set(kept))).interactions()
    # Of the orders of the two others, a pair meets the third in half of them.
    assert frame["interaction"][:3].tolist() == pytest.approx([0.5, 0.5, 0.5])
    assert frame["interaction"][3:].abs().max() < 1e-12


def test_coalitions_that_were_not_fitted_are_asked_for():
    result = played(lambda kept: 1.0 * len(kept))
    some = replace(result, coalitions=result.coalitions[:-2])
    with pytest.raises(ValueError, match="each of the 16 coalitions; 14 were fitted"):
        some.interactions()


def test_an_exact_fit_has_interactions():
    data = lw.datasets.make_correlated_linear(n_samples=200, random_state=0)
    sv = lw.ShapleyImportance("boosting", inference="paired", random_state=0)
    frame = sv.fit(data.X[["X1", "X2", "X3"]], data.y).result_.interactions()
    assert len(frame) == 3
    assert (frame["std_error"] > 0).all()
