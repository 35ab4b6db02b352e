"""check_learner passes the learner of the docs and names what a broken one gets wrong."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows
from lukewarm.learners import ObliviousBoosting
from lukewarm.results import TrainingTrace
from lukewarm.testing import check_learner

PAGE = Path(__file__).parents[2] / "docs" / "your_learner.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def minimal_learner():
    names = {}
    exec(BLOCKS[0], names)
    return names["GradientDescent"]


Minimal = minimal_learner()


class Correct(Minimal):
    """The learner of the docs, so written that its subclasses beget their own kind."""

    def fresh(self, seed):
        return type(self)()

    def copy(self, seed=None):
        return type(self)(self.n_steps, self.coefficients)


class FreshIsTrained(Correct):
    def fresh(self, seed):
        return self.copy()


class FreshIsShared(Correct):
    only = None

    def fresh(self, seed):
        if type(self).only is None:
            type(self).only = type(self)()
        return type(self).only


class CopyIsTheOriginal(Correct):
    def copy(self, seed=None):
        return self


class CopyForgets(Correct):
    def copy(self, seed=None):
        return type(self)(self.n_steps)


class CopySharesItsArray(Correct):
    def advance(self, X, y, n_steps, weights=None):
        start = self.coefficients
        super().advance(X, y, n_steps, weights)
        if isinstance(start, np.ndarray):
            start[:] = self.coefficients
            self.coefficients = start


class StepsShrinkInACall(Correct):
    def advance(self, X, y, n_steps, weights=None):
        for step in range(n_steps):
            before = self.coefficients
            super().advance(X, y, 1, weights)
            self.coefficients = before + (self.coefficients - before) / (step + 1)


class CountsCalls(Correct):
    def advance(self, X, y, n_steps, weights=None):
        before = self.n_steps
        super().advance(X, y, n_steps, weights)
        self.n_steps = before + 1


class LearnsNothing(Correct):
    def advance(self, X, y, n_steps, weights=None):
        self.n_steps += n_steps


class GoesUphill(Correct):
    def advance(self, X, y, n_steps, weights=None):
        super().advance(X, -y, n_steps, weights)


class IgnoresWeights(Correct):
    def advance(self, X, y, n_steps, weights=None):
        super().advance(X, y, n_steps)


class UsesTheGlobalSeed(Correct):
    def advance(self, X, y, n_steps, weights=None):
        super().advance(X, y, n_steps, weights)
        self.coefficients = self.coefficients + 1e-3 * np.random.normal()  # noqa: NPY002


class PredictsAColumn(Correct):
    def predict(self, X):
        return super().predict(X)[:, None]

    def advance(self, X, y, n_steps, weights=None):
        copied = Minimal(self.n_steps, self.coefficients)
        copied.advance(X, y, n_steps, weights)
        self.n_steps, self.coefficients = copied.n_steps, copied.coefficients


class StartsAtNan(Correct):
    def predict(self, X):
        return np.full(len(X), np.nan) if not self.n_steps else super().predict(X)

    def advance(self, X, y, n_steps, weights=None):
        before, self.n_steps = self.n_steps, 1
        super().advance(X, y, n_steps, weights)
        self.n_steps = before + n_steps


class CentresInPlace(Correct):
    def advance(self, X, y, n_steps, weights=None):
        X -= X.mean(axis=0)
        super().advance(X, y, n_steps, weights)


class SaysItCannotGoOn(Correct):
    can_warm_start = False


class HasNoPatience(Correct):
    patience = 0


class Staged(Correct):
    block_size = 4

    def __init__(self, n_steps=0, coefficients=0.0, path=(0.0,)):
        super().__init__(n_steps, coefficients)
        self.path = path

    def copy(self, seed=None):
        return type(self)(self.n_steps, self.coefficients, self.path)

    def advance(self, X, y, n_steps, weights=None):
        for _ in range(n_steps):
            super().advance(X, y, 1, weights)
            self.path = (*self.path, self.coefficients)

    def rewind(self, step):
        self.path = self.path[: step + 1]
        self.n_steps, self.coefficients = step, self.path[-1]

    def staged_predict(self, X, first_step):
        return np.stack([type(self)(0, each).predict(X) for each in self.path[first_step:]])


class StagesBeginLate(Staged):
    def staged_predict(self, X, first_step):
        return super().staged_predict(X, first_step + 1)


class StagesAreOneOff(Staged):
    def staged_predict(self, X, first_step):
        return super().staged_predict(X, first_step - 1)[:-1]


class RewindKeepsTheModel(Staged):
    def rewind(self, step):
        kept = self.coefficients
        super().rewind(step)
        self.coefficients = kept


class Imputes(Correct):
    """Gives the coefficient of a removed column to the last, which is a copy of it."""

    def impute_conditionally(self, X, before, weights=None):
        removed = np.ptp(X, axis=0) == 0
        moved = self.coefficients[removed].sum()
        self.coefficients = np.where(removed, 0.0, self.coefficients)
        self.coefficients[-1] += self.share * moved

    share = 1.0


class ImputesBackwards(Imputes):
    share = -1.0


class ImputesItsOriginal(Imputes):
    def copy(self, seed=None):
        copied = super().copy()
        copied.original = self
        return copied

    def impute_conditionally(self, X, before, weights=None):
        self.original.coefficients = self.original.coefficients * 0.5


class Chooses(Correct):
    """It becomes the model after as many steps as lower the stopping loss."""

    chosen = None
    chosen_name = ""

    def choose(self, train, stopping, rule, max_steps):
        self.chosen, self.chosen_name = Correct(), "gradient descent"
        self.chosen.advance(train.X, train.y, max_steps, train.weights)
        self.n_steps = max_steps
        return self, TrainingTrace.untrained()

    def copy(self, seed=None):
        return self.chosen.copy(seed)

    def predict(self, X):
        return np.zeros(len(X)) if self.chosen is None else self.chosen.predict(X)

    def advance(self, X, y, n_steps, weights=None):
        if self.chosen is None:
            raise TypeError("nothing is chosen yet")
        self.chosen.advance(X, y, n_steps, weights)


class AdvancesBeforeItChooses(Chooses):
    def advance(self, X, y, n_steps, weights=None):
        pass


class ChoosesWithoutWeights(Chooses):
    def choose(self, train, stopping, rule, max_steps):
        return super().choose(Rows(train.X, train.y), stopping, rule, max_steps)


class ChoosesAndKeepsQuiet(Chooses):
    def choose(self, train, stopping, rule, max_steps):
        chosen = super().choose(train, stopping, rule, max_steps)
        self.chosen_name = ""
        return chosen


class CopiesWhatItChose(Chooses):
    def copy(self, seed=None):
        return self.chosen


@pytest.fixture(name="X")
def features(generator):
    return generator.normal(size=(100, 2)) + 0.1


@pytest.fixture
def y(X, generator):
    return X @ [2.0, 1.0] + 0.1 * generator.normal(size=len(X))


def test_the_minimal_learner_of_the_docs_keeps_the_contract_and_is_explained(recwarn):
    names = {}
    for block in BLOCKS:
        exec(block, names)
    assert names["vi"].result_.importance[0] > 1
    # What "about twenty lines" of the page means.
    assert len(BLOCKS[0].strip().splitlines()) <= 25


@pytest.mark.parametrize("kind", [Minimal, Correct, Staged, Imputes, Chooses])
def test_a_correct_learner_passes(kind, X, y):
    check_learner(kind(), X, y)


def test_the_learner_itself_is_never_trained(X, y):
    learner = Correct()
    check_learner(learner, X, y)
    assert learner.n_steps == 0
    learner.advance(X, y, 3)
    before = learner.predict(X)
    check_learner(learner, X, y)
    np.testing.assert_array_equal(learner.predict(X), before)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (FreshIsShared, "n_steps must be 0 after fresh; got 1"),
        (CopyIsTheOriginal, "training a copy changed its original"),
        (CopyForgets, "copy must predict as its original"),
        (CopySharesItsArray, "training a copy changed its original"),
        (StepsShrinkInACall, "advance of 7 and 5 steps must equal that of 12"),
        (CountsCalls, "n_steps must be 7 after advance of 7 steps; got 1"),
        (LearnsNothing, "advance left the predictions as they were"),
        (GoesUphill, "12 steps must lower the loss"),
        (IgnoresWeights, "advance ignored the weights"),
        (UsesTheGlobalSeed, r"must forget the training|one seed must give one model"),
        (PredictsAColumn, r"predict must return shape \(100,\); got \(100, 1\)"),
        (StartsAtNan, "finite|nan apart"),
        (CentresInPlace, "wrote to X"),
        (SaysItCannotGoOn, "can_warm_start is False, but a copy was trained further"),
        (HasNoPatience, "patience must be at least 1; got 0"),
        (StagesBeginLate, r"staged_predict must return shape \(10, 100\); got \(9, 100\)"),
        (StagesAreOneOff, "staged_predict and the model rewound to step 12 must agree"),
        (ImputesBackwards, "impute_conditionally must not take predictions further"),
        (ImputesItsOriginal, "imputing columns of a copy changed its original"),
        (AdvancesBeforeItChooses, "advanced before it had chosen"),
        (ChoosesWithoutWeights, "choose ignored the weights"),
        (ChoosesAndKeepsQuiet, "chosen_name must name the model"),
        (CopiesWhatItChose, "training a copy changed its original"),
        (RewindKeepsTheModel, "the model rewound to step 11 must agree"),
    ],
)
def test_a_broken_promise_is_named(broken, message, X, y):
    with pytest.raises(AssertionError, match=f"^{broken.__name__}: .*({message})"):
        check_learner(broken(), X, y)


def test_a_fresh_learner_that_is_trained_is_found_out(X, y):
    learner = FreshIsTrained()
    learner.advance(X, y, 2)
    with pytest.raises(AssertionError, match="n_steps must be 0 after fresh; got 2"):
        check_learner(learner, X, y)


class Scores(ObliviousBoosting):
    """A classifier that returns something else than probabilities."""

    def predict(self, X):
        return 3 * super().predict(X)


@pytest.mark.parametrize(
    ("n_classes", "message"), [(2, r"in \[0, 1\]"), (3, r"in \[0, 1\]|sum to one")]
)
def test_probabilities_are_asked_of_classifiers(n_classes, message, X, y):
    codes = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    check_learner(ObliviousBoosting(n_classes=n_classes), X, codes, n_classes=n_classes)
    with pytest.raises(AssertionError, match=message):
        check_learner(Scores(n_classes=n_classes), X, codes, n_classes=n_classes)


def test_a_frame_with_categories_and_gaps_is_taken(X, y):
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["kind"] = pd.Categorical(np.where(y > 0, "u", "v"))
    frame.loc[::9, "a"] = np.nan
    check_learner(ObliviousBoosting(), frame, y)


def test_what_is_no_learner_is_refused(X, y):
    with pytest.raises(TypeError, match=r"learner must have fresh, copy.*; got float"):
        check_learner(3.0, X, y)
