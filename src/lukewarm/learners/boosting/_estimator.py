"""What the scikit-learn estimators share: settings, checks, training with and without stopping."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import Features, RandomState, Vector
from lukewarm._validation import check_count, check_fraction, check_weights
from lukewarm.data import Rows
from lukewarm.learners._table_estimator import TableEstimator
from lukewarm.learners._training import train_until
from lukewarm.learners.boosting._learner import TREE_SETTINGS, ObliviousBoosting
from lukewarm.stopping import Patience


class ObliviousBoostingEstimator(TableEstimator):
    """What the regressor and the classifier share."""

    _dtypes = (np.float64, np.float32)

    def __init__(
        self,
        n_trees: int = 200,
        learning_rate: float = 0.1,
        depth: int = 3,
        n_bins: int = 128,
        random_strength: float = 0.0,
        l2_leaf: float = 0.0,
        shrinkage: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        patience: int | None = None,
        validation_fraction: float = 0.25,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.depth = depth
        self.n_bins = n_bins
        self.random_strength = random_strength
        self.l2_leaf = l2_leaf
        self.shrinkage = shrinkage
        self.subsample = subsample
        self.feature_fraction = feature_fraction
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def make_learner(self, seed: int, **others: Any) -> ObliviousBoosting:
        """Return an untrained learner with these settings."""
        settings = {name: getattr(self, name) for name in TREE_SETTINGS}
        # More threads than cores would only wait for one another.
        n_threads = min(effective_n_jobs(self.n_jobs), effective_n_jobs(-1))
        return ObliviousBoosting(**settings, n_threads=n_threads, seed=seed, **others)

    def _train(
        self,
        learner: Any,
        X: Features,
        y: Vector,
        sample_weight: Any,
        validation: tuple[Features, Vector] | None,
        generator: np.random.Generator,
    ) -> None:
        """Set `learner_` to the learner trained on these rows, or on part of them till it stops."""
        n_trees = check_count("n_trees", self.n_trees)
        weights = check_weights(sample_weight, len(y))
        train, stopping = Rows(X, y, weights), Rows(*validation) if validation else None
        if weights is not None and not weights.all():
            # A row without weight must not move a border either.
            train = train.at(np.flatnonzero(weights))
        if self.patience is None:
            (rows,) = learner.datasets(train.X)
            learner.advance(rows, train.y, n_trees, train.weights)
            self.learner_ = learner
            return
        if stopping is None:
            train, stopping = self._hold_out(train, generator)
        binned_train, binned_stopping = learner.datasets(train.X, stopping.X)
        learner, trace = train_until(
            learner,
            Rows(binned_train, train.y, train.weights),
            Rows(binned_stopping, stopping.y, stopping.weights),
            Patience(self.patience),
            n_trees,
        )
        self.learner_ = learner
        self.validation_losses_ = trace.losses

    def _hold_out(self, rows: Rows, generator: np.random.Generator) -> tuple[Rows, Rows]:
        share = check_fraction("validation_fraction", self.validation_fraction)
        n_rows = len(rows)
        if n_rows < 2:
            raise ValueError(
                "patience needs at least 2 samples, one of them to stop by; got 1 sample. Pass "
                "X_val and y_val, or patience=None."
            )
        # One row on either side at the least.
        n_stopping = min(max(round(share * n_rows), 1), n_rows - 1)
        order = generator.permutation(n_rows)
        return rows.at(np.sort(order[n_stopping:])), rows.at(np.sort(order[:n_stopping]))

    def _check_validation(self, X_val: Any, y_val: Any) -> tuple[Features, Any] | None:
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val must be given together, or neither.")
        if X_val is None:
            return None
        if self.patience is None:
            raise ValueError(
                "X_val and y_val serve to stop early; set patience, or leave them out."
            )
        return self._check_features(X_val, reset=False), y_val

    @property
    def n_trees_(self) -> int:
        """Trees of the fitted model; fewer than `n_trees` where it stopped early."""
        check_is_fitted(self)
        return self.learner_.n_steps
