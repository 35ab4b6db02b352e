"""Skill of what a model should beat: a constant guess, and a linear model of the same columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lukewarm._typing import Features, Prediction
from lukewarm.data import Rows
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import skill_on_parts
from lukewarm.measures import Measure, Task

# A linear model of these columns gains nothing that a reader would see from more rows.
_MOST_ROWS = 20_000
# Further levels of a column are one.
_MOST_LEVELS = 30
# Two for every factor of ten around one, columns being standardised.
_PENALTIES = np.logspace(-3, 3, 13)
# Three times scikit-learn's default; the report only shows the model beside ours.
_MOST_ITERATIONS = 300


def constant_skill(prepared: Prepared, measure: Measure) -> float:
    """Return the skill of the training rows' mean, or class shares; nan where it has none."""
    constants = [model.constant().predict(model.evaluation.X) for model in prepared.full_models]
    return _skill(prepared, measure, constants)


def linear_skill(prepared: Prepared, measure: Measure) -> float:
    """Return the skill of ridge or logistic regression; nan where a fold lacks a class.

    It learns from the rows that the full models learn from, levels as columns of zeros and ones
    and gaps at the mean, and is evaluated on the same rows.
    """
    problem, runs = prepared.problem, prepared.runs
    predictions: list[Prediction] = [np.empty(0)] * len(runs.splits)
    for model in runs.whole:
        split = runs.splits[model]
        learnt_from = np.concatenate([split.train, split.stopping])
        # Evenly from all of them, since a table may be in some order.
        learnt_from = learnt_from[:: -(-len(learnt_from) // _MOST_ROWS)]
        prediction = _linear_prediction(
            problem.rows(learnt_from), problem.rows(split.evaluation).X, problem.task
        )
        if prediction is None:
            return np.nan
        predictions[model] = prediction
    return _skill(prepared, measure, predictions)


def _skill(prepared: Prepared, measure: Measure, predictions: list[Prediction]) -> float:
    try:
        return skill_on_parts(
            measure,
            prepared.problem.y[prepared.numbers],
            prepared.runs.stack(prepared.runs.whole, predictions),
            prepared.plan.full_parts,
            prepared.weights,
        ).value
    except (ArithmeticError, ValueError):
        # A measure need not be defined for them, such as one that correlates predictions, or one
        # of counts for a line that falls below zero.
        return np.nan


def _linear_prediction(learnt_from: Rows, X: Features, task: Task) -> Prediction | None:
    weights = learnt_from.weights
    # A row without weight would still be scaled and counted by the penalty.
    if weights is not None and not np.all(weights > 0):
        learnt_from = learnt_from.at(np.flatnonzero(weights > 0))
    if not len(learnt_from) or len(np.unique(learnt_from.y)) < (task.n_classes or 1):
        return None
    table = _named(learnt_from.X)
    model = _linear_model(table, task)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table, learnt_from.y, linear__sample_weight=learnt_from.weights)
    if task.is_regression:
        return np.asarray(model.predict(_named(X)), dtype=float)
    shares = np.asarray(model.predict_proba(_named(X)), dtype=float)
    return shares if task.is_multiclass else shares[:, 1]


def _named(X: Features) -> pd.DataFrame:
    """Return the rows as a table whose columns are called by their places."""
    return pd.DataFrame(X).set_axis(range(X.shape[1]), axis=1)


def _linear_model(X: pd.DataFrame, task: Task) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    is_number = [pd.api.types.is_numeric_dtype(each) for each in X.dtypes]
    numbers = [place for place, each in enumerate(is_number) if each]
    levels = [place for place, each in enumerate(is_number) if not each]
    filled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    encoded = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_LEVELS)
    columns = ColumnTransformer([("numbers", filled, numbers), ("levels", encoded, levels)])
    linear = (
        RidgeCV(_PENALTIES) if task.is_regression else LogisticRegression(max_iter=_MOST_ITERATIONS)
    )
    return Pipeline([("columns", columns), ("linear", linear)])
