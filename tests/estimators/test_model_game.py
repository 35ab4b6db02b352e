import numpy as np

from lukewarm.estimators._model_game import FittedCoalition, ModelGame
from lukewarm.results import MeasureValue


def make_game(players):
    batches = []

    def fit(removed):
        skill = MeasureValue(float(len(removed)), np.zeros(3))
        return FittedCoalition((skill, MeasureValue(-1.0, np.zeros(3))), 0, 0.0)

    def run(removed):
        batches.append(list(removed))
        return [fit(each) for each in removed]

    return ModelGame(players, run), batches


def test_unknown_coalitions_are_fitted_once_in_one_batch():
    game, batches = make_game([(0,), (1,), (2,)])
    game.of_measure(0).values([(0,), (0, 1), (0,)])
    game.of_measure(1).values([(0, 1), (0, 1, 2)])
    assert batches == [[(1, 2), (2,)], [()]]


def test_players_take_all_their_columns_with_them():
    game, _ = make_game([(3, 5), (0,), (1, 4)])
    assert game.removed((1,)) == (1, 3, 4, 5)
    assert game.removed((0, 1, 2)) == ()


def test_each_measure_has_its_own_values():
    game, _ = make_game([(0,), (1,)])
    np.testing.assert_array_equal(game.of_measure(0).values([(), (0,)]), [2, 1])
    np.testing.assert_array_equal(game.of_measure(1).values([(), (0,)]), [-1, -1])
