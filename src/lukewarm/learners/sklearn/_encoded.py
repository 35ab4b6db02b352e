"""Models that go by a name and take numbers only, behind indicators of levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from lukewarm._typing import Features
from lukewarm.learners._base import LearnerTraits
from lukewarm.learners._registry import from_model
from lukewarm.learners.sklearn._pipeline import PipelineLearner
from lukewarm.measures import Task

_TAKE_NUMBERS = ("network", "random_forest", "linear")
# Rarer levels of a column share one indicator.
_MOST_LEVELS = 30


class EncodedLearner(PipelineLearner):
    """A model behind indicators of levels, which reads the table as models of ours do."""

    @property
    def model_type(self) -> str:
        """The type of the model itself."""
        return self.last.model_type

    @property
    def traits(self) -> LearnerTraits:
        """Those of a pipeline, but dates come as numbers; gaps are for the model to take."""
        accepts_missing = self.last.traits.accepts_missing
        return replace(super().traits, reads="matrix", accepts_missing=accepts_missing)

    def for_classes(self, n_classes: int) -> EncodedLearner:
        """Return the learner itself: its model was made for the task."""
        return self


def with_levels_encoded(model: Any, X: Features, task: Task) -> Any:
    """Return the model that a name stands for on this table.

    A user who names a model has no pipeline to put an encoder into. Where the table has columns of
    levels and the model takes numbers only, it is put behind indicators; everything else comes back
    as it is.

    Parameters
    ----------
    model : str or anything
    X : Features
        Levels are columns of categories.
    task : Task

    Examples
    --------
    >>> X = pd.DataFrame({"size": [1.0, 2.0], "kind": pd.Categorical(["a", "b"])})
    >>> with_levels_encoded("linear", X, Task()).model_type
    'LinearRegression'
    >>> with_levels_encoded("linear", X[["size"]], Task())
    'linear'
    """
    if not isinstance(model, str) or model not in _TAKE_NUMBERS or not isinstance(X, pd.DataFrame):
        return model
    levels = [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]
    if not levels:
        return model
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MOST_LEVELS, sparse_output=False
    )
    columns = ColumnTransformer([("levels", indicators, levels)], remainder="passthrough")
    last = from_model(model, task=replace(task, n_targets=1), seed=0)
    return EncodedLearner(Pipeline([("columns", columns), ("model", "passthrough")]), last)
