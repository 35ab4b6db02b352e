"""The model chosen on the stopping rows: trees with and without a base, kernel machines.

Where a kernel machine is best, trees are tried on what it leaves. Where the stopping rows cannot
tell the best models apart, their average is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm.data import Rows, joined
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._blend import Blend, shares_of_wins
from lukewarm.learners._kernel_candidate import (
    KERNEL_MACHINE,
    RANKED_MACHINE,
    KernelCandidate,
)
from lukewarm.learners._training import train_for, train_until
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.boosting import BASES, BasedBoosting
from lukewarm.learners.kernel import any_heavy_tails
from lukewarm.measures import Task, log_losses, mean_of_rows, squared_errors
from lukewarm.results import Candidate, TrainingTrace
from lukewarm.stopping import StoppingRule

# What results and reports say of the model that trees are grown on.
_BELOW = {"none": "", "linear": " on a linear model", "additive": " on an additive model"}
# Deep trees overfit small tables; the stopping rows decide between the two depths.
_SHALLOW, _DEEP = "trees of depth 3", "trees of depth 6"
# Enough to tell models apart that differ by a few percent.
_RACED_ROWS = 10_000
# Columns up to which curves, nine functions of each, stand under the trees.
_MOST_CURVED = 100
# Columns up to which a kernel machine can learn a length scale for each in a few seconds.
_MOST_SCALED = 300
# The loss on few stopping rows wanders; a longer wait costs time only.
_PATIENCE = 50
# Bounds the time of a race where the loss keeps falling.
_MOST_TREES = 2000
# A jump between two borders is smeared over the rows between them: with 32 bins the excess error of
# trees at 2,000 rows of a sum of steps was 0.048, with 128 0.018. More cost as much again in time.
_N_BINS = 128
# In rows: what a leaf of few rows says is held back (CatBoost's default too).
_L2_LEAF = 3.0
# Standard errors of the stopping rows by which a second stage must be better than none.
_CLEAR_GAIN = 1.0


class AutoLearner(BaseLearner):
    """Several kinds of models are trained; the best on the stopping rows is kept.

    Trees of two depths, on what a ridge (for classes a logistic) regression leaves where that is
    better, and a kernel machine; one more on ranks, where columns have heavy tails. A kernel has
    one length scale per column, so a machine that must follow long products and short waves gives
    one of them up: where it is best for a regression, trees are trained on what it leaves, and kept
    if they are clearly better. Where the stopping rows leave it open which is best, the model is
    the average of those that may be, each weighted by how likely it is to be. Training goes on with
    the likeliest of them alone.

    Parameters
    ----------
    n_classes : int, optional
        None for regression.
    seed : int, default 0
    """

    traits = LearnerTraits(
        patience=_PATIENCE,
        max_steps=_MOST_TREES,
        accepts_missing=True,
        accepts_categories=True,
        chooses_model=True,
    )
    chosen_name = ""
    candidates: tuple[Candidate, ...] = ()

    def __init__(self, *, n_classes: int | None = None, seed: int = 0) -> None:
        self.task = Task(n_classes)
        self.seed = seed
        self.chosen: BaseLearner | None = None
        self._learns_stopping_rows = False

    @property
    def n_steps(self) -> int:
        """Steps of the chosen model."""
        return 0 if self.chosen is None else self.chosen.n_steps

    def fresh(self, seed: int) -> AutoLearner:
        """Return a learner that has chosen nothing yet."""
        return self._like(self.n_classes, seed)

    def for_classes(self, n_classes: int) -> AutoLearner:
        """Return a learner for classes that has chosen nothing yet."""
        return self._like(n_classes, self.seed)

    def _like(self, n_classes: int | None, seed: int) -> AutoLearner:
        other = AutoLearner(n_classes=n_classes, seed=seed)
        # A retrained model learns from as many rows as the full one.
        other._learns_stopping_rows = self._learns_stopping_rows
        return other

    def copy(self, seed: int | None = None) -> BaseLearner:
        """Return the chosen model's copy."""
        return self.fresh(self.seed) if self.chosen is None else self.chosen.copy(seed)

    def predict(self, X: Features) -> Prediction:
        """Return the chosen model's predictions."""
        if self.chosen is None:
            return self.task.untrained_prediction(len(X))
        return self.chosen.predict(X)

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the chosen model's predictions with the values of each fill in its columns."""
        assert self.chosen is not None
        return self.chosen.predict_filled(X, fills)

    def predict_changed(self, X: Features, values: dict[int, Any]) -> Prediction:
        """Return the chosen model's predictions with other values in some columns."""
        assert self.chosen is not None
        return self.chosen.predict_changed(X, values)

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return what the chosen model knows of it."""
        return None if self.chosen is None else self.chosen.looks_at(columns)

    @property
    def parts(self) -> tuple[tuple[float, BaseLearner], ...]:
        """Those of the chosen model."""
        return super().parts if self.chosen is None else self.chosen.parts

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take further steps with the chosen model."""
        if self.chosen is None:
            raise TypeError("nothing is chosen yet; train with train_until.")
        self.chosen.advance(X, y, n_steps, weights)

    def learn_stopping_rows(self) -> None:
        """Let `choose` train what it has chosen on the stopping rows, too."""
        self._learns_stopping_rows = True

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[BaseLearner, TrainingTrace]:
        """Train the candidates and return the best of them as the full model.

        With many rows a race on some of them comes first, and only the two best go on. With few,
        and where they are not needed any longer, the rows that chose the model are then learnt
        from as well, with as many steps as before.
        """
        raced = None
        if len(train) > _RACED_ROWS:
            few = _Contest(self, _some(train), _some(stopping), rule, max_steps)
            few.run()
            raced = few.ranking[:2]
            self.candidates = tuple(entry.candidate for entry in few.entries)
        contest = _Contest(self, train, stopping, rule, max_steps)
        if raced is None:
            contest.run()
        else:
            contest.run_on(raced)
        contest.add_second_stage()
        self.candidates += tuple(entry.candidate for entry in contest.entries)
        kept = contest.kept(self.seed)
        members = [entry.learner for _, entry in kept]
        if self._learns_stopping_rows and raced is None:
            rows = joined(train, stopping)
            members = [entry.trained_on(rows) for _, entry in kept]
        if len(kept) == 1:
            self.chosen, self.chosen_name = members[0], kept[0][1].candidate.name
        else:
            weights = np.array([weight for weight, _ in kept])
            self.chosen = Blend(members, weights)
            self.chosen_name = " + ".join(entry.candidate.name for _, entry in kept)
        return self, kept[0][1].trace


@dataclass(frozen=True, eq=False)
class _Entry:
    candidate: Candidate
    learner: BaseLearner
    trace: TrainingTrace
    row_losses: Vector
    trained_on: Callable[[Rows], BaseLearner]


class _Contest:
    """Candidates trained on the same rows."""

    def __init__(
        self,
        settings: AutoLearner,
        train: Rows,
        stopping: Rows,
        rule: StoppingRule,
        max_steps: int,
    ) -> None:
        self.entries: list[_Entry] = []
        self._replaced = set[str]()
        self._settings = settings
        self._train, self._stopping = train, stopping
        self._rule, self._max_steps = rule, max_steps

    @property
    def ranking(self) -> list[_Entry]:
        """The entries, lowest stopping loss first."""
        return sorted(self.entries, key=lambda entry: entry.candidate.loss)

    def kept(self, seed: int) -> list[tuple[float, _Entry]]:
        """Return the entries that may be the best, with their weights, the heaviest first."""
        ranking = [each for each in self.ranking if each.candidate.name not in self._replaced]
        losses = np.stack([entry.row_losses for entry in ranking])
        shares = shares_of_wins(losses, seed, self._stopping.weights)
        order = np.argsort(-shares, kind="stable")
        return [(float(shares[each]), ranking[each]) for each in order if shares[each] > 0]

    def run_on(self, raced: list[_Entry]) -> None:
        """Train the models that won a race on some of these rows.

        A kernel for classes that was found on half of them and more is not looked for again: the
        search costs as much as all the rest, 20 seconds on 15,000 rows, and found nothing better.
        """
        candidates = self._candidates()
        is_dear = not self._settings.task.is_regression
        for entry in raced:
            name, is_kernel = entry.candidate.name, isinstance(entry.learner, KernelCandidate)
            if is_kernel and is_dear and 2 * entry.candidate.n_rows >= len(self._train):
                started = perf_counter()
                trained, make = entry.trained_on(self._train), candidates[name]
                self._enter(name, make, trained, TrainingTrace.untrained(), started)
            else:
                self._try(name, candidates[name])

    def run(self) -> None:
        """Train all candidates that are worth trying.

        Deeper trees are tried on one base only, the one that suits shallow ones best.
        """
        candidates = self._candidates()
        heavy = RANKED_MACHINE in candidates and any_heavy_tails(self._train.X, self._train.weights)
        for name, make in candidates.items():
            if not name.startswith(_DEEP) and (name != RANKED_MACHINE or heavy):
                self._try(name, make)
        shallow = next(
            entry.candidate.name
            for entry in self.ranking
            if entry.candidate.name.startswith(_SHALLOW)
        )
        name = shallow.replace(_SHALLOW, _DEEP)
        self._try(name, candidates[name])

    def add_second_stage(self) -> None:
        """Where a kernel machine is best for a regression, try trees on what it leaves.

        They take its place if the stopping rows say clearly that they add something.
        """
        machine = self.ranking[0]
        name = machine.candidate.name
        if name not in (KERNEL_MACHINE, RANKED_MACHINE) or not self._settings.task.is_regression:
            return
        started = perf_counter()
        train, stopping = (
            replace(rows, y=rows.y - machine.learner.predict(rows.X))
            for rows in (self._train, self._stopping)
        )
        make = partial(self._trees, 3, self._bases()[-1])
        trees, trace = self._trained(make(), train, stopping)
        losses = squared_errors(stopping.y, trees.predict(stopping.X))
        gain = mean_of_rows(machine.row_losses - losses, stopping.weights)
        if gain.value <= _CLEAR_GAIN * gain.standard_error:
            return
        seconds = machine.candidate.seconds + perf_counter() - started
        loss = float(np.average(losses, weights=stopping.weights))
        candidate = Candidate(f"{name}, then {_SHALLOW}", loss, seconds, len(train))

        def trained_on(rows: Rows) -> BaseLearner:
            first = machine.trained_on(rows)
            left = replace(rows, y=rows.y - first.predict(rows.X))
            return Blend([_anew(make(), trees, left), first], np.ones(2))

        both = Blend([trees, machine.learner], np.ones(2))
        self.entries.append(_Entry(candidate, both, trace, losses, trained_on))
        self._replaced.add(name)

    def _candidates(self) -> dict[str, Callable[[], BaseLearner]]:
        candidates: dict[str, Callable[[], BaseLearner]] = {}
        for kind, depth in ((_SHALLOW, 3), (_DEEP, 6)):
            for base in self._bases():
                candidates[kind + _BELOW[base]] = partial(self._trees, depth, base)
        if self._train.X.shape[1] <= _MOST_SCALED:
            settings = self._settings
            for name in (KERNEL_MACHINE, RANKED_MACHINE):
                candidates[name] = partial(KernelCandidate, name, settings.task, settings.seed)
        return candidates

    def _bases(self) -> tuple[str, ...]:
        return BASES if self._train.X.shape[1] <= _MOST_CURVED else BASES[:2]

    def _trees(self, depth: int, base: str) -> BasedBoosting:
        return BasedBoosting(
            base,
            depth=depth,
            n_bins=_N_BINS,
            n_classes=self._settings.n_classes,
            l2_leaf=_L2_LEAF,
            seed=self._settings.seed,
        )

    def _try(self, name: str, make: Callable[[], BaseLearner]) -> None:
        started = perf_counter()
        trained, trace = self._trained(make(), self._train, self._stopping)
        self._enter(name, make, trained, trace, started)

    def _enter(
        self,
        name: str,
        make: Callable[[], BaseLearner],
        trained: BaseLearner,
        trace: TrainingTrace,
        started: float,
    ) -> None:
        stopping = self._stopping
        losses_of = squared_errors if self._settings.task.is_regression else log_losses
        losses = losses_of(stopping.y, trained.predict(stopping.X))
        loss = float(np.average(losses, weights=stopping.weights))
        candidate = Candidate(name, loss, perf_counter() - started, len(self._train))
        trained_on = partial(_anew, make(), trained)
        self.entries.append(_Entry(candidate, trained, trace, losses, trained_on))

    def _trained(
        self, learner: BaseLearner, train: Rows, stopping: Rows
    ) -> tuple[BaseLearner, TrainingTrace]:
        X_train, X_stopping = learner.datasets(train.X, stopping.X)
        train, stopping = replace(train, X=X_train), replace(stopping, X=X_stopping)
        return train_until(learner, train, stopping, self._rule, self._max_steps)


def _anew(fresh: BaseLearner, trained: BaseLearner, rows: Rows) -> BaseLearner:
    """Return what was trained as it is on other rows, with as many steps."""
    if isinstance(trained, KernelCandidate):
        return trained.on(rows)
    if not trained.n_steps:
        return trained
    (X,) = fresh.datasets(rows.X)
    return train_for(fresh, replace(rows, X=X), trained.n_steps)[0]


def _some(rows: Rows) -> Rows:
    """Return at most as many rows as a race is run on, evenly spaced."""
    numbers = np.arange(len(rows))[:: -(-len(rows) // _RACED_ROWS)]
    return rows.at(numbers)
