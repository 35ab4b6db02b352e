"""A user's object with the methods of a learner is adapted once; a learner is left as it is."""

import pickle

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lukewarm.data import Rows
from lukewarm.learners import (
    AutoLearner,
    BaseLearner,
    LearnerTraits,
    ObliviousBoosting,
    as_learner,
    from_model,
    train_until,
)
from lukewarm.measures import NegMAE, Task
from lukewarm.reduction import EarlyStopping, ReductionData
from lukewarm.stopping import Patience


class Mean:
    """Each step takes half the way to the mean."""

    def __init__(self, value=0.0, n_steps=0):
        self.value, self.n_steps = value, n_steps

    def fresh(self, seed):
        return type(self)()

    def copy(self, seed=None):
        return type(self)(self.value, self.n_steps)

    def advance(self, X, y, n_steps, weights=None):
        for _ in range(n_steps):
            self.value += (np.average(y, weights=weights) - self.value) / 2
        self.n_steps += n_steps

    def predict(self, X):
        return np.full(len(X), self.value)


class Told(Mean):
    patience = 3
    max_steps = 44
    accepts_missing = True
    reads = "named"
    measure = NegMAE()
    calibrated = False

    def loss(self, y, prediction, weights=None):
        return 7.0

    def scale_learning_rate(self, factor):
        self.factor = factor

    def match_calibration(self, X, before, y, weights=None):
        self.calibrated = True

    def calibrate_scores(self, X, y, weights=None):
        self.scored = True

    def refit_without(self, train, removed):
        return self, removed

    def average_draws(self, X, draws):
        return draws


class Least(BaseLearner):
    """The five duties and nothing else."""

    n_steps = 0

    def fresh(self, seed):
        return Least()

    def copy(self, seed=None):
        return Least()

    def advance(self, X, y, n_steps, weights=None):
        self.n_steps += n_steps

    def predict(self, X):
        return np.zeros(len(X))


def test_a_learner_of_ours_is_left_as_it_is():
    learner = ObliviousBoosting()
    assert as_learner(learner) is learner


def test_an_object_without_extras_has_the_defaults():
    learner = as_learner(Mean())
    assert learner.traits == LearnerTraits()
    assert learner.measure.name == "neg_mse"
    assert learner.output is None
    assert learner.thinned is learner
    assert learner.refit_without(None, (0,)) is None
    assert learner.average_draws(None, []) is None
    assert learner.calibrate_scores(None, None) is None
    table = np.zeros((2, 1))
    assert learner.datasets(table, table) == (table, table)
    assert learner.loss(np.array([1.0, 3.0]), np.zeros(2)) == 5.0


def test_what_an_object_has_beyond_the_duty_is_used():
    learner = as_learner(Told())
    assert learner.traits == LearnerTraits(
        patience=3, max_steps=44, accepts_missing=True, reads="named", has_learning_rate=True
    )
    assert learner.measure.name == "neg_mae"
    assert learner.loss(np.zeros(1), np.zeros(1)) == 7.0
    learner.scale_learning_rate(2.0)
    learner.match_calibration(None, None, None)
    learner.calibrate_scores(None, None)
    assert (learner.adapted.factor, learner.adapted.calibrated) == (2.0, True)
    assert learner.adapted.scored
    assert learner.refit_without(None, (1,)) == (learner.adapted, (1,))
    assert learner.average_draws(None, [3]) == [3]


def test_copies_and_fresh_ones_are_adapted_too():
    learner = as_learner(Mean(), Task(2))
    learner.advance(np.zeros((2, 1)), np.ones(2), 1)
    for other in (learner.copy(), pickle.loads(pickle.dumps(learner))):
        assert isinstance(other, BaseLearner)
        assert (other.task, other.n_steps) == (Task(2), 1)
        other.advance(np.zeros((2, 1)), np.ones(2), 1)
    assert learner.predict(np.zeros((1, 1))) == 0.5
    assert learner.fresh(0).n_steps == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("patience", 0, "patience must be at least 1; got 0"),
        ("reads", "frame", "reads must be one of 'matrix', 'named', 'given'; got 'frame'"),
        ("learning_rate_factor", -1.0, "learning_rate_factor must be"),
    ],
)
def test_a_wrong_trait_is_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        LearnerTraits(**{name: value})


@pytest.mark.parametrize("learner", [Least(), as_learner(Mean())], ids=["inherits", "adapted"])
def test_an_ability_that_is_not_there_raises(learner):
    rows = Rows(np.zeros((4, 1)), np.zeros(4))
    with pytest.raises(TypeError, match=r"learning_rate_factor must be 1 for a (Least|Mean)"):
        learner.scale_learning_rate(2.0)
    with pytest.raises(TypeError, match=r"(Least|Mean), which has no for_classes"):
        learner.for_classes(3)
    if isinstance(learner, Least):
        for call, trait in (
            (lambda: learner.rewind(0), "is_staged"),
            (lambda: learner.staged_predict(rows.X, 0), "is_staged"),
            (lambda: learner.impute_conditionally(rows.X, rows.X), "imputes"),
            (lambda: learner.choose(rows, rows, Patience(1), 1), "chooses_model"),
        ):
            with pytest.raises(TypeError, match=f"a Least .* trait {trait} is False"):
                call()


def test_early_stopping_asks_for_a_factor_only_where_it_is_not_one():
    X = np.arange(12.0)[:, None]
    data = ReductionData(Rows(X, X[:, 0]), Rows(X, X[:, 0]), None)
    with pytest.raises(TypeError, match="learning_rate_factor must be 1 for a Mean"):
        EarlyStopping(Patience(2), 5, learning_rate_factor=2).reduce(
            as_learner(Mean()), _Kept(data), (), 0
        )


class _Kept:
    """Rows from which nothing is removed."""

    def __init__(self, data):
        self.train, self.stopping, self.removal = data.train, data.stopping, data.removal

    def without(self, removed):
        return self.train, self.stopping


def test_a_pipeline_has_what_its_model_has():
    X = np.random.default_rng(0).normal(size=(80, 2))
    rows = Rows(X, X[:, 0])
    model = make_pipeline(StandardScaler(), AutoLearner())
    learner = from_model(model, task=Task(), seed=0)
    assert learner.traits.chooses_model
    with pytest.raises(TypeError, match="nothing is chosen yet"):
        learner.advance(X, X[:, 0], 1)
    chosen, _ = train_until(learner, rows, rows, Patience(3), 20)
    assert chosen.chosen_name
    assert np.mean((chosen.predict(X) - X[:, 0]) ** 2) < 0.1
