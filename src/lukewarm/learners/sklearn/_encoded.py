"""Models that go by a name and take numbers only, behind indicators, filled gaps and scales."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from lukewarm._typing import Features
from lukewarm.learners._base import LearnerTraits
from lukewarm.learners._registry import from_model
from lukewarm.learners.sklearn._pipeline import PipelineLearner
from lukewarm.measures import Task

_TAKE_NUMBERS = ("network", "random_forest", "linear")
# Trees of scikit-learn have a rule of their own for gaps.
_TAKE_NO_GAPS = ("network", "linear")
# Rarer levels of a column share one indicator.
_MOST_LEVELS = 30


class EncodedLearner(PipelineLearner):
    """A model behind transformers of its own, which reads the table as models of ours do."""

    @property
    def model_type(self) -> str:
        """The type of the model itself."""
        return self.last.model_type

    @property
    def traits(self) -> LearnerTraits:
        """Those of a pipeline, but dates come as numbers."""
        return replace(super().traits, reads="matrix")

    def for_classes(self, n_classes: int) -> EncodedLearner:
        """Return the learner itself: its model was made for the task."""
        return self


def suited_to_table(model: Any, X: Features, task: Task) -> Any:
    """Return the model that a name stands for on this table.

    A user who names a model has no pipeline to put an encoder into. Where the table has columns of
    levels and the model takes numbers only, it is put behind indicators; where numbers have gaps
    that it does not take, these get the column's mean, and an indicator says where they were.
    Columns come to logistic regression in units of their standard deviation: its penalty depends
    on their units, and its solver gives up where these differ by many orders of magnitude.
    Everything else comes back as it is.

    Parameters
    ----------
    model : str or anything
    X : Features
        Levels are columns of categories.
    task : Task

    Examples
    --------
    >>> X = pd.DataFrame({"size": [1.0, 2.0], "kind": pd.Categorical(["a", "b"])})
    >>> suited_to_table("linear", X, Task()).model_type
    'LinearRegression'
    >>> suited_to_table("linear", X[["size"]], Task())
    'linear'
    """
    if not isinstance(model, str) or model not in _TAKE_NUMBERS:
        return model
    levels, has_gaps = _levels_and_gaps(X)
    steps: list[tuple[str, Any]] = []
    if levels or (has_gaps and model in _TAKE_NO_GAPS):
        steps.append(("columns", _encoder(levels, fills_gaps=model in _TAKE_NO_GAPS)))
    if model == "linear" and not task.is_regression:
        steps.append(("scales", StandardScaler()))
    if not steps:
        return model
    last = from_model(model, task=replace(task, n_targets=1), seed=0)
    return EncodedLearner(Pipeline([*steps, ("model", "passthrough")]), last)


def _encoder(levels: list[Any], fills_gaps: bool) -> ColumnTransformer:
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MOST_LEVELS, sparse_output=False
    )
    # A column without any number in the rows of one full model is a constant there.
    means = SimpleImputer(add_indicator=True, keep_empty_features=True)
    return ColumnTransformer(
        [("levels", indicators, levels)], remainder=means if fills_gaps else "passthrough"
    )


def _levels_and_gaps(X: Features) -> tuple[list[Any], bool]:
    """Return the names of the columns of levels, and whether other columns have gaps."""
    if not isinstance(X, pd.DataFrame):
        return [], bool(np.isnan(X).any())
    is_level = [isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes]
    numbers = X.loc[:, np.invert(is_level)]
    return list(X.columns[is_level]), bool(numbers.isna().to_numpy().any())
