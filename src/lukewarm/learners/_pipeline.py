"""A scikit-learn Pipeline whose last step is a model: features are removed before it."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._base import Learner, LengthensSteps, Recalibrates
from lukewarm.learners._fitted import as_seen
from lukewarm.learners._sklearn_epochs import untrained_prediction


class PipelineLearner:
    """The model at the end of a pipeline, with the transformers in front of it.

    Importances are those of the pipeline's input columns. The transformers are fitted at the first
    step, on the rows of that step; a warm start goes on behind the transformers as they are,
    retraining fits them anew.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Cloned, never changed.
    last : Learner
        Of the pipeline's last step.
    """

    accepts_missing = True
    accepts_categories = True
    reads = "given"

    def __init__(self, pipeline: Any, last: Learner) -> None:
        self.pipeline = pipeline
        self.last = last
        self._transformers: Any = None
        self._transformed: list[tuple[Features, Features]] = []

    @classmethod
    def from_fitted(cls, pipeline: Any, last: Learner) -> PipelineLearner:
        """Return a learner that stands where the fitted pipeline stands.

        Its last step has been found to be trained when `last` was made of it.
        """
        learner = cls(pipeline, last)
        learner._transformers = pipeline[:-1]
        return learner

    def __getattr__(self, name: str) -> Any:
        # The settings of training (patience, max_steps, loss, ...) are those of the model.
        if name in (
            "patience",
            "max_steps",
            "loss",
            "measure",
            "n_classes",
            "can_warm_start",
            "block_size",
            "stride",
            "output",
            "output_note",
        ):
            return getattr(self.last, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @property
    def n_steps(self) -> int:
        """Steps the model has taken."""
        return self.last.n_steps

    def fresh(self, seed: int) -> PipelineLearner:
        """Return an untrained learner with the same settings."""
        return type(self)(self.pipeline, self.last.fresh(seed))

    def copy(self, seed: int | None = None) -> PipelineLearner:
        """Return an independent learner behind the same fitted transformers."""
        twin = copy(self)
        twin.last = self.last.copy(seed)
        twin._transformed = []
        return twin

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Train the model `n_steps` further on the transformed rows."""
        if self._transformers is None:
            self._transformers = clone(self.pipeline[:-1])
            # As in the pipeline's own fit; a target encoder treats its training rows differently.
            self._keep(X, self._as_features(self._transformers.fit_transform(X, y)))
        self.last.advance(self._transform(X), y, n_steps, weights)

    def recalibrate(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make the model's predictions for `X` as confident as they were `before`."""
        if self._transformers is not None and isinstance(self.last, Recalibrates):
            self.last.recalibrate(self._transform(X), self._transform(before), y, weights)

    def calibrate(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what scores are worth, of a trained classifier that gives nothing else."""
        if hasattr(self.last, "calibrate"):
            self.last.calibrate(self._transform(X), y, weights)

    def predict(self, X: Features) -> Prediction:
        """Return the model's predictions for the transformed rows."""
        if self._transformers is None:
            return untrained_prediction(len(X), getattr(self.last, "n_classes", None))
        return self.last.predict(self._transform(X))

    def _transform(self, X: Features) -> Features:
        for seen, matrix in self._transformed:
            if seen is X:
                return matrix
        rows = as_seen(self._transformers, X)
        matrix = self._as_features(self._transformers.transform(rows))
        self._keep(X, matrix)
        return matrix

    def _as_features(self, matrix: Any) -> Features:
        """Return what the transformers give in the form the model reads."""
        if sparse.issparse(matrix):
            return matrix.toarray().astype(float)
        if not isinstance(matrix, pd.DataFrame):
            return np.asarray(matrix, dtype=float)
        form = getattr(self.last, "reads", "matrix")
        return matrix if form == "given" else _as_floats(matrix, with_names=form == "named")

    def _keep(self, X: Features, matrix: Features) -> None:
        # Training and stopping rows come back at every step.
        self._transformed = [*self._transformed[-1:], (X, matrix)]


class LengtheningPipelineLearner(PipelineLearner):
    """A pipeline whose model can take longer steps."""

    last: LengthensSteps

    def lengthen_steps(self, factor: float) -> None:
        """Make every further step of the model `factor` times as large."""
        self.last.lengthen_steps(factor)


class StagedPipelineLearner(LengtheningPipelineLearner):
    """A pipeline whose model can show its earlier steps, and take longer ones."""

    last: Any

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        return self.last.block_size

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps."""
        self.last.rewind(step)
        self._transformed = []

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        return self.last.staged_predict(self._transform(X), first_step)


def _as_floats(frame: pd.DataFrame, *, with_names: bool) -> Features:
    """Return all but categories as floats; a matrix where neither names nor categories count."""
    is_category = [isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes]
    if not any(is_category):
        matrix = frame.to_numpy(dtype=float, na_value=np.nan)
        return pd.DataFrame(matrix, columns=frame.columns) if with_names else matrix
    floats = frame.copy(deep=False)
    for place, skipped in enumerate(is_category):
        if not skipped:
            floats.isetitem(place, frame.iloc[:, place].to_numpy(dtype=float, na_value=np.nan))
    return floats
