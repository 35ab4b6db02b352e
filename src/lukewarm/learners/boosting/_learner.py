"""Oblivious boosting as a learner: it goes on from where it stands, without some features."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.learners.boosting._apply import add_groups, add_trees
from lukewarm.learners.boosting._block import grow_block
from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._objectives import Objective, objective_for
from lukewarm.learners.boosting._rows import BinnedRows
from lukewarm.learners.boosting._trees import Trees
from lukewarm.learners.boosting._work import Problem, Rules

_FREEZING = threading.Lock()
_NO_STAGES = np.empty((0, 0, 0))


@dataclass(frozen=True, eq=False)
class _Standing:
    """The sum of leaf values on some rows after some step; never written to."""

    step: int
    raw: np.ndarray


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

    patience = 10
    max_steps = 1000
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
        self._objective: Objective = objective_for(n_classes, objective)
        self._forget()

    def _forget(self) -> None:
        self._borders: Borders | None = None
        self._start = self._objective.neutral
        self._unit = 1.0
        self._shared: Trees | None = None
        self._own: Trees | None = None
        self._standings: WeakKeyDictionary[BinnedRows, _Standing] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_standings": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _standings=WeakKeyDictionary())

    @property
    def n_steps(self) -> int:
        """Trees grown so far."""
        if self._shared is None or self._own is None:
            return 0
        return len(self._shared) + len(self._own)

    @property
    def trees(self) -> Trees:
        """The trees grown so far; to be read, not changed."""
        if self._borders is None:
            raise ValueError("The learner has no trees yet; call advance first.")
        return self._trees(0, self.n_steps)

    def settings(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        names = (
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
        return {name: getattr(self, name) for name in names}

    def fresh(self, seed: int) -> ObliviousBoosting:
        """Return an untrained learner with the same settings."""
        return type(self)(**{**self.settings(), "seed": seed})

    def for_classes(self, n_classes: int) -> ObliviousBoosting:
        """Return an untrained classifier with the same settings."""
        return type(self)(**{**self.settings(), "n_classes": n_classes})

    def copy(self, seed: int | None = None) -> ObliviousBoosting:
        """Return an independent learner that stands where this one stands; trees are shared."""
        twin = self.fresh(self.seed if seed is None else seed)
        with _FREEZING:
            # From here on the trees so far are one object, so that every copy finds the leaves
            # of the rows it meets already computed.
            if self._shared is not None and self._own is not None and len(self._own):
                self._shared = self._shared.followed_by(self._own)
                self._own = self._own.first(0)
        twin._borders, twin._start, twin._unit = self._borders, self._start, self._unit
        twin._shared, twin._own = self._shared, self._own
        return twin

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean loss that decides when to stop."""
        return self._objective.loss(y, prediction, weights)

    def bind(self, X_train: Features, *others: Features) -> tuple[BinnedRows, ...]:
        """Return all the tables as bin codes.

        The borders are those the model was trained with; before training, those of `X_train`.
        """
        borders = self._borders or Borders.learn(X_train, self.n_bins, self.n_threads)
        return tuple(BinnedRows.encode(borders, X, self.n_threads) for X in (X_train, *others))

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on these rows."""
        if n_steps == 0:
            return
        if self._borders is None:
            is_bound = isinstance(X, BinnedRows)
            self._borders = X.borders if is_bound else Borders.learn(X, self.n_bins, self.n_threads)
        rows = self._as_rows(X)
        target = self._objective.target(y)
        row_weights = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
        if self.n_steps == 0:
            self._begin(target, row_weights)
        assert self._own is not None
        raw = self._raw_at(rows, self.n_steps).copy()
        grown = self._grow(rows, target, row_weights, weights is not None, raw, n_steps)
        self._own = self._own.followed_by(grown)
        self._standings[rows] = _Standing(self.n_steps, raw)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        if self._borders is None:
            return self._objective.predictions(np.tile(self._start[:, None], len(X)))
        raw = self._raw_at(self._as_rows(X), self.n_steps)
        return self._predictions(raw, self.n_steps)

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` trees, exactly."""
        check_count("step", step, minimum=0, maximum=self.n_steps)
        if self._shared is None or self._own is None or step == self.n_steps:
            return
        if step < len(self._shared):
            self._shared = self._shared.first(step)
        self._own = self._own.first(step - len(self._shared))
        later = [rows for rows, standing in self._standings.items() if standing.step > step]
        for rows in later:
            del self._standings[rows]
        if step == 0:
            self._start = self._objective.neutral

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        check_count("first_step", first_step, minimum=0, maximum=self.n_steps)
        if first_step == 0:
            neutral = np.tile(self._objective.neutral[:, None], len(X))
            first = self._objective.predictions(neutral)[None]
            return np.concatenate([first, self.staged_predict(X, 1)]) if self.n_steps else first
        rows = self._as_rows(X)
        raw = self._raw_at(rows, first_step - 1).copy()
        stages = np.empty((self.n_steps - first_step + 1, *raw.shape))
        trees = self._trees(first_step - 1, self.n_steps)
        self._add(rows, trees, raw, stages)
        self._standings[rows] = _Standing(self.n_steps, raw)
        stages *= trees.scales[:, None, None]
        stages += self._start[:, None]
        return self._objective.predictions(stages)

    def _begin(self, target: np.ndarray, weights: np.ndarray) -> None:
        """Set what the first step decides: the start value and the grid of leaf values."""
        assert self._borders is not None
        n_outputs = len(target)
        self._start = self._objective.start(target, weights)
        largest = self._objective.largest_value(target, self._start)
        # 42 bits below the largest residual: sums of up to 2**11 times it are exact.
        self._unit = 2.0 ** (np.floor(np.log2(largest)) - 42) if largest > 0 else 1.0
        self._shared = Trees.blank(0, self.depth, n_outputs, self._borders.is_category)
        self._own = self._shared

    def _grow(
        self,
        rows: BinnedRows,
        target: np.ndarray,
        weights: np.ndarray,
        is_weighted: bool,
        raw: np.ndarray,
        n_trees: int,
    ) -> Trees:
        """Return `n_trees` more trees; `raw` is brought along."""
        borders = rows.borders
        grown = Trees.blank(n_trees, self.depth, len(target), borders.is_category)
        table = borders.table(rows.codes)
        problem = Problem(target, self._start, weights, is_weighted, self._objective.kind)
        rules = Rules(
            self.learning_rate,
            1.0 - self.shrinkage * self.learning_rate / weights.sum(),
            self.l2_leaf,
            self.random_strength,
            self.subsample,
            self.feature_fraction,
            self._unit,
        )
        grow_block(
            table,
            problem,
            rules,
            rows.candidates,
            self.seed,
            self.n_steps,
            self._scale(self.n_steps),
            raw,
            grown,
            self.n_threads,
        )
        return grown

    def _as_rows(self, X: Features) -> BinnedRows:
        assert self._borders is not None
        if not isinstance(X, BinnedRows):
            return BinnedRows.encode(self._borders, X, self.n_threads)
        if X.borders is not self._borders:
            raise ValueError(
                "X was bound with other borders than this model was trained with; "
                "bind it with this learner's bind, or pass the table itself."
            )
        return X

    def _scale(self, step: int) -> float:
        if step == 0:
            return 1.0
        return float(self._trees(step - 1, step).scales[0])

    def _trees(self, first: int, last: int) -> Trees:
        """Return the trees of the steps first + 1 .. last."""
        assert self._shared is not None
        assert self._own is not None
        n_shared = len(self._shared)
        if first >= n_shared:
            return self._own.slice(first - n_shared, last - n_shared)
        if last <= n_shared:
            return self._shared.slice(first, last)
        return self._shared.slice(first, n_shared).followed_by(self._own.first(last - n_shared))

    def _raw_at(self, rows: BinnedRows, step: int) -> np.ndarray:
        """Return the sum of leaf values after `step` trees, shape (n_outputs, n); not to write."""
        standing = self._standings.get(rows)
        if standing is None or standing.step > step:
            standing = self._first_standing(rows, step)
        if standing.step < step:
            raw = standing.raw.copy()
            self._add(rows, self._trees(standing.step, step), raw, _NO_STAGES)
            standing = _Standing(step, raw)
        self._standings[rows] = standing
        return standing.raw

    def _first_standing(self, rows: BinnedRows, step: int) -> _Standing:
        assert self._shared is not None
        raw = np.zeros((len(self._start), len(rows)))
        trees = self._shared
        if step < len(trees):
            return _Standing(0, raw)
        groups = rows.leaf_groups(trees) if len(trees) else None
        if groups is None:
            return _Standing(0, raw)
        add_groups(
            groups,
            trees.group_size,
            trees.features,
            trees.thresholds,
            trees.values,
            trees.is_category,
            rows.removed,
            rows.fill_codes,
            raw,
        )
        return _Standing(len(trees), raw)

    def _add(self, rows: BinnedRows, trees: Trees, raw: np.ndarray, stages: np.ndarray) -> None:
        add_trees(
            rows.codes,
            trees.features,
            trees.thresholds,
            trees.values,
            trees.is_category,
            rows.removed,
            rows.fill_codes,
            raw,
            stages,
        )

    def _predictions(self, raw: np.ndarray, step: int) -> Prediction:
        return self._objective.predictions(self._start[:, None] + self._scale(step) * raw)


def _check_share(name: str, value: Any) -> float:
    number = check_number(name, value, above=0)
    if number > 1:
        raise ValueError(f"{name} must be at most 1; got {value!r}.")
    return number
