from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.stats import binom

from lukewarm.measures import NegMSE
from lukewarm.results import ShapleyResult
from lukewarm.shapley import solve

COVARIANCE = 0.7 ** np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
COEFFICIENTS = np.array([1.0, 0.0, -0.7, 0.5, 0.0])


def best_slopes(kept):
    """The population's best linear predictor from the kept features."""
    slopes = np.zeros(len(COEFFICIENTS))
    if kept:
        block = COVARIANCE[np.ix_(kept, kept)]
        slopes[list(kept)] = np.linalg.solve(block, COVARIANCE[list(kept)] @ COEFFICIENTS)
    return slopes


class PopulationGame:
    n_players = len(COEFFICIENTS)

    def values(self, coalitions):
        gap = [COEFFICIENTS - best_slopes(kept) for kept in coalitions]
        return np.array([-(each @ COVARIANCE @ each) for each in gap])


class RowsGame:
    """The same predictors, judged on some rows."""

    n_players = len(COEFFICIENTS)

    def __init__(self, generator, n_rows):
        root = np.linalg.cholesky(COVARIANCE)
        self.X = generator.normal(size=(n_rows, self.n_players)) @ root.T
        self.y = self.X @ COEFFICIENTS + 0.5 * generator.normal(size=n_rows)

    def skills(self, coalitions):
        return [NegMSE().evaluate(self.y, self.X @ best_slopes(kept)) for kept in coalitions]

    def values(self, coalitions):
        return np.array([skill.value for skill in self.skills(coalitions)])


def population_shapley():
    solution = solve(PopulationGame(), "exact", 0, 0)
    return solution.weights @ PopulationGame().values(solution.coalitions)


def test_what_halves_disagree_by_counts_as_an_error_of_its_own():
    game = RowsGame(np.random.default_rng(0), 200)
    plain = make_result(game)
    n_coalitions = len(plain.coalitions)
    found = replace(
        plain,
        shifts=np.zeros(n_coalitions),
        disagreements=np.random.default_rng(1).normal(size=(n_coalitions, 3)),
    )
    apart = np.linalg.norm(found.weights @ found.disagreements, axis=1)
    assert apart.min() > 0
    assert found.standard_error == pytest.approx(np.hypot(plain.standard_error, apart))
    whole = found.value_of(range(5))
    assert np.array_equal(whole.disagreement, found.disagreements[-1])


def make_result(game, solver="exact", n_coalitions=0, seed=0, with_rows=None):
    solution = solve(game, solver, n_coalitions, seed)
    skills = game.skills(solution.coalitions)
    n_players, n_coalitions = solution.weights.shape
    return ShapleyResult(
        names=tuple("abcde"),
        players=tuple((number,) for number in range(n_players)),
        coalitions=solution.coalitions,
        values=np.array([skill.value for skill in skills]),
        influence=np.array([skill.influence for skill in skills]),
        weights=solution.weights,
        covariance=solution.covariance,
        steps=np.zeros(n_coalitions, dtype=int),
        seconds=np.zeros(n_coalitions),
        history_sizes=np.array([n_coalitions - 2]),
        history_values=np.zeros((1, n_players)),
        history_errors=np.zeros((1, n_players)),
        full_seconds=0.0,
        measure="neg_mse",
        method="given",
        model="given",
        solver=solver,
        inference="paired" if with_rows is None else "split",
        with_rows=with_rows,
    )


@pytest.fixture
def result(generator):
    return make_result(RowsGame(generator, 400))


@pytest.mark.parametrize(
    ("solver", "n_fits"),
    [("exact", 0), ("regression_adjusted", 20), ("kernel", 20), ("permutation", 24)],
)
def test_intervals_cover_the_population_shapley_values(generator, solver, n_fits):
    truth = population_shapley()
    assert truth.min() > 0.01
    n_sets = 300
    covered = np.zeros(len(truth))
    for seed in range(n_sets):
        low, high = make_result(RowsGame(generator, 300), solver, n_fits, seed).interval(0.9)
        covered += (low <= truth) & (truth <= high)
    # Two-sided binomial bounds at 1e-4 for each feature; the normal intervals of 300 rows with
    # skewed losses cover about a point less than stated.
    assert covered.min() >= binom.ppf(1e-4, n_sets, 0.88)
    assert covered.max() <= binom.ppf(1 - 1e-4, n_sets, 0.92)


def test_data_error_is_the_spread_over_data_sets(generator):
    runs = [make_result(RowsGame(generator, 300)) for _ in range(400)]
    spread = np.std([run.shapley_value for run in runs], axis=0, ddof=1)
    stated = np.sqrt(np.mean([run.data_error**2 for run in runs], axis=0))
    # The spread of 400 runs is known within 1 / sqrt(800) = 3.5 %.
    np.testing.assert_allclose(stated, spread, rtol=0.15)


def test_influence_is_linear_in_the_rows(generator):
    """Dropping a row moves the estimate by minus its influence over n, to first order."""
    game = RowsGame(generator, 200)
    whole = make_result(game)
    game.X, game.y = game.X[1:], game.y[1:]
    moved = make_result(game).shapley_value - whole.shapley_value
    np.testing.assert_allclose(moved, -whole.shapley_influence[:, 0] / 199, rtol=1e-8, atol=1e-12)


def test_both_parts_make_the_standard_error(generator):
    result = make_result(RowsGame(generator, 300), "kernel", 20)
    assert result.sampling_error.min() > 0
    np.testing.assert_allclose(
        result.standard_error**2, result.sampling_error**2 + result.data_error**2
    )


def test_values_are_efficient(result):
    gain = result.value_of("abcde").value - result.value_of([]).value
    assert result.shapley_value.sum() == pytest.approx(gain, abs=1e-10)


def test_split_keeps_the_variance_up_where_paired_lets_it_vanish(generator):
    game = RowsGame(generator, 400)
    # A feature that no model uses: every paired difference is zero.
    game.skills = lambda kept: RowsGame.skills(
        game, [tuple(each for each in some if each != 4) for some in kept]
    )
    halves = np.arange(400) % 2 == 0
    paired, split = make_result(game), make_result(game, with_rows=halves)
    assert paired.data_error[4] < 1e-10
    assert split.data_error[4] > 0.01
    np.testing.assert_array_equal(paired.shapley_value, split.shapley_value)


def test_split_error_is_that_of_two_separate_halves(generator):
    game = RowsGame(generator, 400)
    halves = np.arange(400) % 2 == 0
    result = make_result(game, with_rows=halves)
    player = 0
    has = np.array([player in kept for kept in result.coalitions])
    with_side = result.weights[player, has] @ result.influence[has][:, halves]
    without_side = result.weights[player, ~has] @ result.influence[~has][:, ~halves]
    expected = np.sqrt(np.mean(with_side**2) / 200 + np.mean(without_side**2) / 200)
    assert result.data_error[player] == pytest.approx(expected)


def test_value_of_takes_names_and_numbers(result):
    by_name, by_number = result.value_of(["c", "a"]), result.value_of((0, 2))
    assert by_name.value == by_number.value
    assert by_name.value == result.values[result.coalitions.index((0, 2))]


def test_value_of_refuses_what_was_not_fitted(generator):
    result = make_result(RowsGame(generator, 100), "kernel", 20)
    unknown = next(
        kept
        for kept in chain.from_iterable(combinations(range(5), size) for size in range(6))
        if kept not in result.coalitions
    )
    with pytest.raises(ValueError, match="not among the 22 that were fitted"):
        result.value_of(unknown)
    with pytest.raises(ValueError, match="kept must be one of"):
        result.value_of(["z"])


@pytest.mark.parametrize("split", [False, True])
def test_save_and_load_give_the_same_result(generator, tmp_path, split):
    halves = np.arange(100) % 2 == 0 if split else None
    result = make_result(RowsGame(generator, 100), "kernel", 20, with_rows=halves)
    again = ShapleyResult.load(result.save(tmp_path / "shapley.npz"))
    assert again.coalitions == result.coalitions
    assert again.players == result.players
    assert again.to_frame().equals(result.to_frame())
    assert repr(again) == repr(result)


def test_frame_has_one_row_per_player(result):
    frame = result.to_frame()
    assert list(frame["feature"]) == list("abcde")
    assert list(frame.columns) == [
        "feature",
        "shapley_value",
        "std_error",
        "std_error_sampling",
        "std_error_data",
        "ci_low",
        "ci_high",
        "p_value",
        "shift",
    ]
    assert (frame["ci_low"] < frame["shapley_value"]).all()


def test_text_names_solver_and_fits(result):
    assert "5 players by exact over 30 reduced models" in repr(result)
    assert "<table" in result._repr_html_()
