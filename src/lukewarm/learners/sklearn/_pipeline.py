"""A scikit-learn Pipeline whose last step is a model: features are removed before it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm.data import RowCache, Rows
from lukewarm.learners._base import BaseLearner, Predicts
from lukewarm.learners._fitted import as_seen
from lukewarm.learners._registry import from_model
from lukewarm.learners._traits import LearnerTraits
from lukewarm.measures import Task
from lukewarm.results import Candidate, TrainingTrace
from lukewarm.stopping import StoppingRule

# What they learn of a column is the same without the others.
_COLUMNWISE = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")


class PipelineLearner(BaseLearner):
    """The model at the end of a pipeline, with the transformers in front of it.

    Importances are those of the pipeline's input columns. The transformers are fitted at the first
    step, on the rows of that step; a warm start goes on behind the transformers as they are,
    retraining fits them anew. Settings of the training and abilities are those of the model, but
    for conditional imputation: it is for columns that reach the model as they are.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Cloned, never changed.
    last : BaseLearner
        Of the pipeline's last step.
    """

    def __init__(self, pipeline: Any, last: BaseLearner) -> None:
        self.pipeline = pipeline
        self.last = last
        self.task, self.measure = last.task, last.measure
        self._transformers: Any = None
        # Training and stopping rows come back at every step.
        self._transformed: RowCache[Features] = RowCache(2)
        self._scaled: RowCache[Rows] = RowCache()
        self._is_given = False

    @classmethod
    def from_fitted(cls, pipeline: Any, last: BaseLearner) -> PipelineLearner:
        """Return a learner in the state of the fitted pipeline.

        Its last step has been found to be trained when `last` was made of it.
        """
        learner = cls(pipeline, last)
        learner._transformers, learner._is_given = pipeline[:-1], True
        return learner

    @classmethod
    def from_model(cls, model: Any, *, task: Task, seed: int, prefit: bool) -> PipelineLearner:
        """Return a learner around that of the pipeline's last step."""
        last = from_model(model.steps[-1][1], task=task, seed=seed, prefit=prefit)
        return cls.from_fitted(model, last) if prefit else cls(model, last)

    @property
    def model_type(self) -> str:
        """The type of the user's model."""
        return type(self.pipeline).__name__

    @property
    def traits(self) -> LearnerTraits:
        """Those of the model; what X may hold is for the transformers to say."""
        return replace(
            self.last.traits,
            accepts_missing=True,
            accepts_categories=True,
            most_levels=None,
            reads="given",
            imputes=False,
        )

    @property
    def n_steps(self) -> int:
        """Steps the model has taken."""
        return self.last.n_steps

    @property
    def output(self) -> str | None:
        """What class probabilities are made of, where they are not the model's own."""
        return self.last.output

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        return self.last.block_size

    def fresh(self, seed: int) -> PipelineLearner:
        """Return an untrained learner with the same settings."""
        return type(self)(self.pipeline, self.last.fresh(seed))

    def copy(self, seed: int | None = None) -> PipelineLearner:
        """Return an independent learner behind the same fitted transformers."""
        copied = copy(self)
        copied.last = self.last.copy(seed)
        copied._transformed = RowCache(2)
        copied._scaled = RowCache()
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Train the model `n_steps` further on the transformed rows."""
        self._fit_transformers(X, y)
        self.last.advance(self._transform(X), y, n_steps, weights)

    def predict(self, X: Features) -> Prediction:
        """Return the model's predictions for the transformed rows."""
        if self._transformers is None:
            return self.task.untrained_prediction(len(X))
        return self.last.predict(self._transform(X))

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model's closed form, where the transformers treat every column by itself.

        None for transformers that the user has fitted: retraining fits them anew.
        """
        if self._transformers is None or self._is_given:
            return None
        if not _is_columnwise(self._transformers):
            return None
        rows = self._scaled.recall(train)
        if rows is None:
            rows = self._scaled.keep(replace(train, X=self._transform(train.X)), train)
        model = self.last.refit_without(rows, removed)
        return None if model is None else _BehindTransformers(self, model)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the model's own loss."""
        return self.last.loss(y, prediction, weights)

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make the model's predictions for `X` as confident as they were `before`."""
        if self._transformers is not None:
            self.last.match_calibration(self._transform(X), self._transform(before), y, weights)

    def calibrate_scores(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what the model's scores for the transformed rows are worth."""
        if self._transformers is not None and self.last.output == "scores":
            self.last.calibrate_scores(self._transform(X), y, weights)

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of the model's further steps."""
        self.last.scale_learning_rate(factor)

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps."""
        self.last.rewind(step)
        self._transformed.forget()

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        return self.last.staged_predict(self._transform(X), first_step)

    @property
    def chosen_name(self) -> str:
        """What the model became, where it chooses."""
        return self.last.chosen_name

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What the model tried, where it chooses."""
        return self.last.candidates

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[BaseLearner, TrainingTrace]:
        """Let the model choose on the transformed rows."""
        self._fit_transformers(train.X, train.y)
        train, stopping = (replace(each, X=self._transform(each.X)) for each in (train, stopping))
        self.last, trace = self.last.choose(train, stopping, rule, max_steps)
        return self, trace

    def _fit_transformers(self, X: Features, y: Vector) -> None:
        if self._transformers is None:
            transformers = clone(self.pipeline[:-1])
            try:
                # As in the pipeline's own fit; a target encoder treats its training rows
                # differently.
                features = self._as_features(transformers.fit_transform(X, y))
            except Exception as error:  # whatever a transformer of the user's raises
                raise ValueError(
                    f"the transformers of model {self.model_type} cannot be fitted: {error}"
                ) from error
            self._transformers = transformers
            self._transformed.keep(features, X)

    def _transform(self, X: Features) -> Features:
        matrix = self._transformed.recall(X)
        if matrix is not None:
            return matrix
        rows = as_seen(self._transformers, X)
        return self._transformed.keep(self._as_features(self._transformers.transform(rows)), X)

    def _as_features(self, matrix: Any) -> Features:
        """Return what the transformers give in the form the model reads."""
        if sparse.issparse(matrix):
            return matrix.toarray().astype(float)
        if not isinstance(matrix, pd.DataFrame):
            return np.asarray(matrix, dtype=float)
        form = self.last.traits.reads
        return matrix if form == "given" else _as_floats(matrix, with_names=form == "named")


@dataclass(frozen=True, eq=False)
class _BehindTransformers:
    """A model of transformed rows, asked for rows of the table."""

    pipeline: PipelineLearner
    model: Predicts

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        return self.model.predict(self.pipeline._transform(X))


def _is_columnwise(transformers: Any) -> bool:
    """Return whether each column becomes one column that depends on no other."""
    # The very classes: a subclass may look at several columns.
    return all(
        step in (None, "passthrough")
        or (type(step).__module__.startswith("sklearn.") and type(step).__name__ in _COLUMNWISE)
        for _, step in transformers.steps
    )


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
