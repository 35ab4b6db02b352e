"""Oblivious boosting as a learner: it goes on from where it stands, without some features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.learners.boosting._block import grow_block
from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._ensemble import Ensemble
from lukewarm.learners.boosting._objectives import Objective, objective_for
from lukewarm.learners.boosting._rows import BinnedRows
from lukewarm.learners.boosting._stand_ins import StandIns
from lukewarm.learners.boosting._trees import Trees
from lukewarm.learners.boosting._work import Problem, Rules

_SETTINGS = (
    "depth",
    "learning_rate",
    "n_bins",
    "random_strength",
    "l2_leaf",
    "shrinkage",
    "subsample",
    "feature_fraction",
    "objective",
    "n_threads",
    "n_classes",
    "seed",
)


class ObliviousBoosting:
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

    patience = 20
    max_steps = 1000
    # A warm start has less to learn than the full model; longer steps than these cost accuracy.
    stride = 1.5
    block_size = 10
    accepts_missing = True
    accepts_categories = True

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
        if n_classes is not None:
            check_count("n_classes", n_classes, minimum=2)
        self.n_classes = n_classes
        self.seed = check_count("seed", seed, minimum=0)
        self._step_length = 1.0
        self._objective: Objective = objective_for(n_classes, objective)
        self._borders: Borders | None = None
        self._ensemble: Ensemble | None = None

    @property
    def most_levels(self) -> int:
        """Levels of a column that are told apart; all rarer ones are one level together."""
        return self.n_bins - 1

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
        """Return an independent learner that stands where this one stands; trees are shared."""
        twin = self.fresh(self.seed if seed is None else seed)
        twin._step_length = self._step_length
        twin._borders = self._borders
        twin._ensemble = None if self._ensemble is None else self._ensemble.twin()
        return twin

    def lengthen_steps(self, factor: float) -> None:
        """Multiply the learning rate of further trees by `factor`."""
        self._step_length *= check_number("factor", factor, above=0)

    def take_over(self, X: Features, before: Features, weights: Vector | None = None) -> None:
        """Let the trees read what numeric columns of `X` make one expect of those removed.

        Trees grown from here on do without. Only rows that `bind` has made tell what is removed.
        """
        if self._ensemble is None or not isinstance(X, BinnedRows):
            return
        found = StandIns.learn(X, weights)
        if found is not None:
            self._ensemble = self._ensemble.with_stand_ins(found)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean loss that decides when to stop."""
        return self._objective.loss(y, prediction, weights)

    def bind(self, X_train: Features, *others: Features) -> tuple[BinnedRows, ...]:
        """Return all the tables as bin codes.

        The borders are those the model was trained with; before training, those of `X_train`.
        """
        borders = self._borders or Borders.learn(X_train, self.n_bins)
        return tuple(BinnedRows.encode(borders, X, self.n_threads) for X in (X_train, *others))

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on these rows."""
        if n_steps == 0:
            return
        if self._borders is None:
            is_bound = isinstance(X, BinnedRows)
            self._borders = X.borders if is_bound else Borders.learn(X, self.n_bins)
        rows = self._as_rows(X, self._borders)
        target = self._objective.target(y)
        if self._ensemble is None:
            self._ensemble = self._begin(target, weights, self._borders)
        raw = self._ensemble.raw(rows, self.n_steps).copy()
        row_weights = np.zeros(0) if weights is None else np.array(weights, dtype=float)
        problem = Problem(target, self._ensemble.start, row_weights, self._objective.kind)
        grown = self._grow(rows, problem, self._ensemble, raw, n_steps)
        self._ensemble.append(grown, rows, raw)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        if self._ensemble is None or self._borders is None:
            return self._untrained_prediction(len(X))
        rows = self._as_rows(X, self._borders)
        return self._objective.predictions(self._ensemble.outputs(rows))

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the predictions for the table `X` with the values of each fill in its columns."""
        if self._borders is None:
            return [self.predict(X)] * len(fills)
        rows = self._as_rows(X, self._borders)
        return np.split(self.predict(rows.filled(X, fills)), len(fills))

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` trees, exactly."""
        check_count("step", step, minimum=0, maximum=self.n_steps)
        if step == 0:
            self._ensemble = None
        elif self._ensemble is not None and step < self.n_steps:
            self._ensemble.truncate(step)

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        check_count("first_step", first_step, minimum=0, maximum=self.n_steps)
        if first_step == 0:
            untrained = self._untrained_prediction(len(X))[None]
            if self.n_steps == 0:
                return untrained
            return np.concatenate([untrained, self.staged_predict(X, 1)])
        assert self._borders is not None
        assert self._ensemble is not None
        rows = self._as_rows(X, self._borders)
        return self._objective.predictions(self._ensemble.staged_outputs(rows, first_step))

    def _untrained_prediction(self, n_rows: int) -> Prediction:
        return self._objective.predictions(np.tile(self._objective.neutral[:, None], n_rows))

    def _as_rows(self, X: Features, borders: Borders) -> BinnedRows:
        if not isinstance(X, BinnedRows):
            return BinnedRows.encode(borders, X, self.n_threads)
        if X.borders is not borders:
            raise ValueError(
                "X was bound with other borders than this model was trained with; "
                "bind it with this learner's bind, or pass the table itself."
            )
        return X

    def _begin(self, target: np.ndarray, weights: Vector | None, borders: Borders) -> Ensemble:
        """Return what the first step starts from: the start value and the grid of leaf values."""
        start = self._objective.start(target, weights)
        largest = self._objective.largest_value(target, start)
        # 42 bits below the largest residual: sums of up to 2**11 times it are exact.
        unit = 2.0 ** (np.floor(np.log2(largest)) - 42) if largest > 0 else 1.0
        return Ensemble(start, unit, Trees.blank(0, self.depth, len(target), borders.is_category))

    def _grow(
        self, rows: BinnedRows, problem: Problem, ensemble: Ensemble, raw: np.ndarray, n_trees: int
    ) -> Trees:
        """Return `n_trees` more trees; `raw` is brought along."""
        grown = Trees.blank(n_trees, self.depth, len(raw), rows.borders.is_category)
        total_weight = problem.weights.sum() if len(problem.weights) else len(rows)
        learning_rate = min(self.learning_rate * self._step_length, 1.0)
        rules = Rules(
            learning_rate=learning_rate,
            shrink=1.0 - self.shrinkage * learning_rate / total_weight,
            l2=self.l2_leaf,
            random_strength=self.random_strength,
            subsample=self.subsample,
            feature_fraction=self.feature_fraction,
            unit=ensemble.unit,
        )
        grow_block(
            rows.borders.table(rows.codes),
            problem,
            rules,
            rows.candidates,
            self.seed,
            self.n_steps,
            ensemble.scale(self.n_steps),
            raw,
            grown,
            self.n_threads,
        )
        return grown


def _check_share(name: str, value: Any) -> float:
    number = check_number(name, value, above=0)
    if number > 1:
        raise ValueError(f"{name} must be at most 1; got {value!r}.")
    return number
