"""Oblivious boosting as a learner, which can be trained further without some features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.data import RowCache
from lukewarm.learners._base import BaseLearner, LearnerTraits
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._task import check_task
from lukewarm.learners.boosting._block import grow_block
from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._dataset import BinnedDataset
from lukewarm.learners.boosting._ensemble import Ensemble
from lukewarm.learners.boosting._objectives import Objective, objective_for
from lukewarm.learners.boosting._surrogates import SurrogateValues
from lukewarm.learners.boosting._trees import Trees
from lukewarm.learners.boosting._work import Problem, Rules
from lukewarm.measures import Task

# Training, stopping and evaluation rows, and those by which it is seen what a model looks at.
TABLES_KEPT = 4
# What trees are grown by; the estimators have parameters of the same names.
TREE_SETTINGS = (
    "depth",
    "learning_rate",
    "n_bins",
    "random_strength",
    "l2_leaf",
    "shrinkage",
    "subsample",
    "feature_fraction",
)
_SETTINGS = (*TREE_SETTINGS, "objective", "n_threads", "n_classes", "seed")


class ObliviousBoosting(BaseLearner):
    """Boosted oblivious trees: SampleTree and TrainGBDT of the paper's appendix.

    A step is a tree. Before the first step the model predicts 0 (equal chances for a classifier);
    the start value, mean(y) or the prior log-odds, belongs to the first step.

    Parameters
    ----------
    depth : int, default 3
        Levels of a tree, 1 to 10.
    learning_rate : float, default 0.1
    n_bins : int, default 128
        Bins of a feature, 2 to 255; a missing value has one more of its own.
    random_strength : float, default 0
        beta of the paper: each split is drawn with probability proportional to exp(D / beta).
        0 takes the best split, infinity any.
    l2_leaf : float, default 0
        Added to the weight of a leaf where its value and its score are taken.
    shrinkage : float, default 0
        lambda of the paper: each step first multiplies the trees so far by
        ``1 - lambda * learning_rate / N``.
    subsample, feature_fraction : float in (0, 1], default 1
        The shares of rows and of features that a tree is grown on.
    objective : {"log_loss", "squared_error"}, default "log_loss"
        What a classifier minimises; the squared error is that of its probabilities.
    n_threads : int, default 1
        Threads that share the features of one tree; their number never changes a result.
    n_classes : int, optional
        None for regression.
    seed : int, default 0

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(200, 2))
    >>> learner = ObliviousBoosting(depth=2)
    >>> learner.advance(X, X[:, 0], n_steps=50)
    >>> bool(np.mean((learner.predict(X) - X[:, 0]) ** 2) < 0.01)
    True
    """

    # Of 2 to 40 trees at a time 10 and 20 are the fastest (Friedman's data, 2,000 rows): smaller
    # blocks pay for more calls, larger ones for trees that are rewound.
    block_size = 10
    traits = LearnerTraits(
        # Friedman's data, 1,500 rows and 500 to stop by, three draws: with a patience of 5 the
        # excess error is 18 % above that of 50, with 10 it is 3 %, with 20 none.
        patience=20,
        max_steps=1000,
        # A warm start has less to learn than the full model; a larger factor costs accuracy.
        learning_rate_factor=1.5,
        accepts_missing=True,
        accepts_categories=True,
        is_staged=True,
        has_learning_rate=True,
        imputes=True,
    )

    def __init__(
        self,
        depth: int = 3,
        learning_rate: float = 0.1,
        n_bins: int = 128,
        random_strength: float = 0.0,
        l2_leaf: float = 0.0,
        shrinkage: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        objective: str = "log_loss",
        n_threads: int = 1,
        n_classes: int | None = None,
        seed: int = 0,
    ) -> None:
        self.depth = check_count("depth", depth, minimum=1, maximum=10)
        self.learning_rate = check_number("learning_rate", learning_rate, above=0)
        self.n_bins = check_count("n_bins", n_bins, minimum=2, maximum=255)
        self.random_strength = check_number("random_strength", random_strength, minimum=0)
        self.l2_leaf = check_number("l2_leaf", l2_leaf, minimum=0)
        self.shrinkage = check_number("shrinkage", shrinkage, minimum=0)
        self.subsample = _check_share("subsample", subsample)
        self.feature_fraction = _check_share("feature_fraction", feature_fraction)
        self.objective = check_choice("objective", objective, ["log_loss", "squared_error"])
        self.n_threads = check_count("n_threads", n_threads)
        self.task = Task(n_classes)
        # Rarer levels of a column are one level together.
        self.traits = replace(type(self).traits, most_levels=self.n_bins - 1)
        self.seed = check_count("seed", seed, minimum=0)
        self._step_length = 1.0
        self._objective: Objective = objective_for(self.task, objective)
        self._borders: Borders | None = None
        self._ensemble: Ensemble | None = None
        self._filled_rows: RowCache[BinnedDataset] = RowCache(TABLES_KEPT)

    def __getstate__(self) -> dict[str, Any]:
        # A model is sent and saved without the tables it has met.
        return {**self.__dict__, "_filled_rows": RowCache(TABLES_KEPT)}

    @classmethod
    def from_model(cls, model: Any, *, task: Task, seed: int, prefit: bool) -> ObliviousBoosting:
        """Return a learner with an estimator's settings, or in its state."""
        if prefit:
            check_fitted(model, task)
            return model.learner_.copy(seed)
        check_task(model, task)
        others: dict[str, Any] = {"n_classes": task.n_classes}
        if not task.is_regression:
            others["objective"] = model.objective
        learner = model.make_learner(seed, **others)
        patience = learner.traits.patience if model.patience is None else model.patience
        learner.traits = replace(
            learner.traits,
            max_steps=check_count("n_trees", model.n_trees),
            patience=check_count("patience", patience),
        )
        return learner

    @property
    def n_steps(self) -> int:
        """Trees grown so far."""
        return 0 if self._ensemble is None else len(self._ensemble)

    @property
    def trees(self) -> Trees:
        """The trees grown so far; to be read, not changed."""
        if self._ensemble is None:
            raise ValueError("The learner has no trees yet; call advance first.")
        return self._ensemble.trees(0, self.n_steps)

    def fresh(self, seed: int) -> ObliviousBoosting:
        """Return an untrained learner with the same settings."""
        return self._with(seed=seed)

    def for_classes(self, n_classes: int) -> ObliviousBoosting:
        """Return an untrained classifier with the same settings."""
        return self._with(n_classes=n_classes)

    def _with(self, **changed: Any) -> ObliviousBoosting:
        return type(self)(**{**{name: getattr(self, name) for name in _SETTINGS}, **changed})

    def copy(self, seed: int | None = None) -> ObliviousBoosting:
        """Return an independent learner in the same state; trees are shared."""
        copied = self.fresh(self.seed if seed is None else seed)
        copied._step_length = self._step_length
        copied._borders = self._borders
        copied._ensemble = None if self._ensemble is None else self._ensemble.copy()
        return copied

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of further trees by `factor`."""
        self._step_length *= check_number("factor", factor, above=0)

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Let the trees read surrogate values where they ask for removed numeric columns.

        Trees grown from here on do without. Only rows from `datasets` tell what is removed.
        """
        if self._ensemble is None or not isinstance(X, BinnedDataset):
            return
        surrogates = SurrogateValues.learn(X, weights)
        if surrogates is not None:
            self._ensemble = self._ensemble.with_surrogates(surrogates)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean loss that decides when to stop."""
        return self._objective.loss(y, prediction, weights)

    def datasets(self, X_train: Features, *others: Features) -> tuple[BinnedDataset, ...]:
        """Return all the tables as bin codes.

        The borders are those the model was trained with; before training, those of `X_train`.
        """
        borders = self._borders or Borders.learn(X_train, self.n_bins)
        return tuple(BinnedDataset.encode(borders, X, self.n_threads) for X in (X_train, *others))

    def advance(
        self,
        X: Features,
        y: Vector,
        n_steps: int,
        weights: Vector | None = None,
        *,
        base: np.ndarray | None = None,
    ) -> None:
        """Grow `n_steps` further trees on these rows.

        `base` (n_outputs, n) are outputs of another model that the trees are added to; with one,
        they start from zero.
        """
        if n_steps == 0:
            return
        if self._borders is None:
            is_binned = isinstance(X, BinnedDataset)
            self._borders = X.borders if is_binned else Borders.learn(X, self.n_bins)
        rows = self._as_rows(X, self._borders)
        target = self._objective.target(y)
        if self._ensemble is None:
            self._ensemble = self._begin(target, weights, self._borders, base)
        raw = self._ensemble.raw(rows, self.n_steps).copy()
        if base is not None:
            raw += base / self._ensemble.scale(self.n_steps)
        row_weights = np.zeros(0) if weights is None else np.array(weights, dtype=float)
        problem = Problem(target, self._ensemble.start, row_weights, self._objective.kind)
        grown = self._grow(rows, problem, self._ensemble, raw, n_steps)
        # Trees on a base are summed anew where that is asked for: without it the sum is no longer
        # exact.
        self._ensemble.append(grown, rows, raw if base is None else None)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        return self._objective.predictions(self.outputs(X))

    def outputs(self, X: Features) -> np.ndarray:
        """Return what the trees sum up to, shape (n_outputs, n): numbers, log-odds, logarithms."""
        if self._ensemble is None or self._borders is None:
            return np.tile(self._objective.neutral[:, None], len(X))
        return self._ensemble.outputs(self._as_rows(X, self._borders))

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the predictions for the table `X` with the values of each fill in its columns."""
        return [self.as_predictions(each) for each in self.filled_outputs(X, fills)]

    def predict_changed(self, X: Features, values: dict[int, Any]) -> Prediction:
        """Return the predictions for `X` with other values in some columns."""
        return self.predict_filled(X, [values])[0]

    def filled_outputs(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[np.ndarray]:
        """Return `outputs` for the table `X` with the values of each fill."""
        if self._ensemble is None or self._borders is None:
            return [self.outputs(X)] * len(fills)
        # The same tables come back with draws of one column after another.
        rows = self._filled_rows.recall(X)
        if rows is None:
            rows = self._filled_rows.keep(self._as_rows(X, self._borders), X)
        return list(self._ensemble.drawn_outputs(rows, rows.filled_codes(X, fills)))

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return False where no tree asks for the columns; None else.

        Whether rows differ at all where a tree asks, only predictions can tell.
        """
        if self._ensemble is None or self._ensemble.asks_for(columns):
            return None
        return False

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` trees, exactly."""
        check_count("step", step, minimum=0, maximum=self.n_steps)
        if step == 0:
            self._ensemble = None
        elif self._ensemble is not None and step < self.n_steps:
            self._ensemble.truncate(step)

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        return self._objective.predictions(self.staged_outputs(X, first_step))

    def staged_outputs(self, X: Features, first_step: int) -> np.ndarray:
        """Return `outputs` after each of these steps, shape (n_stages, n_outputs, n)."""
        check_count("first_step", first_step, minimum=0, maximum=self.n_steps)
        if first_step == 0:
            untrained = np.tile(self._objective.neutral[:, None], len(X))[None]
            if self.n_steps == 0:
                return untrained
            return np.concatenate([untrained, self.staged_outputs(X, 1)])
        assert self._borders is not None
        assert self._ensemble is not None
        return self._ensemble.staged_outputs(self._as_rows(X, self._borders), first_step)

    def as_predictions(self, outputs: np.ndarray) -> Prediction:
        """Return the predictions that outputs (..., n_outputs, n) stand for."""
        return self._objective.predictions(outputs)

    def _as_rows(self, X: Features, borders: Borders) -> BinnedDataset:
        if not isinstance(X, BinnedDataset):
            return BinnedDataset.encode(borders, X, self.n_threads)
        if X.borders is not borders:
            raise ValueError(
                "X was binned with other borders than this model was trained with; pass what this "
                "learner's datasets returns, or the table itself."
            )
        return X

    def _begin(
        self,
        target: np.ndarray,
        weights: Vector | None,
        borders: Borders,
        base: np.ndarray | None,
    ) -> Ensemble:
        """Return what the first step starts from: the start value and the grid of leaf values."""
        start = self._objective.start(target, weights)
        if base is not None:
            start = np.zeros_like(start)
        largest = self._objective.largest_value(target, start)
        # 42 bits below the largest residual: sums of up to 2**11 times it are exact.
        unit = 2.0 ** (np.floor(np.log2(largest)) - 42) if largest > 0 else 1.0
        return Ensemble(start, unit, Trees.blank(0, self.depth, len(target), borders.is_category))

    def _grow(
        self,
        rows: BinnedDataset,
        problem: Problem,
        ensemble: Ensemble,
        raw: np.ndarray,
        n_trees: int,
    ) -> Trees:
        """Return `n_trees` more trees; `raw` is brought along."""
        grown = Trees.blank(n_trees, self.depth, len(raw), rows.borders.is_category)
        total_weight = problem.weights.sum() if len(problem.weights) else len(rows)
        learning_rate = min(self.learning_rate * self._step_length, 1.0)
        rules = Rules(
            learning_rate=learning_rate,
            shrink=1.0 - self.shrinkage * learning_rate / total_weight,
            l2=self.l2_leaf,
            random_strength=self.random_strength or None,
            subsample=self.subsample,
            feature_fraction=self.feature_fraction,
            unit=ensemble.unit,
            seed=self.seed,
        )
        grow_block(
            rows.borders.table(rows.codes),
            problem,
            rules,
            rows.candidates,
            self.n_steps,
            ensemble.scale(self.n_steps),
            raw,
            grown.arrays,
            self.n_threads,
        )
        return grown


def _check_share(name: str, value: Any) -> float:
    number = check_number(name, value, above=0)
    if number > 1:
        raise ValueError(f"{name} must be at most 1; got {value!r}.")
    return number
