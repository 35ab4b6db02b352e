"""What the user's X and y ask: a checked table, a target, and whether it is one of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Vector
from lukewarm._validation import as_relative, check_number, check_readable, check_weights, shown
from lukewarm._warnings import warn_user
from lukewarm.data import (
    MINIMUM_ROWS,
    FeatureIndex,
    Rows,
    RowUnits,
    as_given,
    as_pandas,
    as_table,
    as_target,
    as_targets,
    output_names,
    target_name,
    text_doubts,
    with_labels,
)
from lukewarm.evaluation import check_measure, encode_classes
from lukewarm.exceptions import RowOrderWarning, SeenRowsWarning, UnknownLossWarning
from lukewarm.learners import (
    MINIMUM_ROWS_PER_CLASS,
    BaseLearner,
    is_classification,
    quantile_models,
    warn_of_codes,
)
from lukewarm.measures import Measure, OutputsLoss, Task, as_measure, over_outputs
from lukewarm.results import Remark


class RowPlaces(NamedTuple):
    """The numbers of rows in a table of the user's, and how many rows it has."""

    rows: np.ndarray
    n_table_rows: int


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its target and what is to be measured.

    Parameters
    ----------
    X : Features
    y : ndarray of shape (n,), or (n, n_outputs) where there are several outputs
        The target, or class codes.
    weights : ndarray of shape (n,), optional
    index : FeatureIndex
    measures : tuple of Measure
    classes : ndarray, optional
        The labels behind the codes; None for a numeric target.
    n_evaluation : int, default 0
        How many of the last rows the user named for the evaluation; 0 where they are drawn.
    doubts : tuple of Remark
        On columns of text that may have been meant as something else.
    given : DataFrame, optional
        The table with the user's own names and dtypes; None for an array of numbers.
    places : RowPlaces, optional
        Where the rows stood before some were left out; None where none was.
    units : RowUnits, optional
        Rows that no split parts.
    clusters : ndarray of int, shape (n,), optional
        The group of each row, where the rows of a group are not independent.
    outputs : tuple of str
        The names of the outputs, where there are several.
    target : str, optional
        What the user's column calls the target.
    """

    X: Features
    y: Vector
    weights: Vector | None
    index: FeatureIndex
    measures: tuple[Measure, ...]
    classes: np.ndarray | None
    n_evaluation: int = 0
    doubts: tuple[Remark, ...] = ()
    given: pd.DataFrame | None = None
    places: RowPlaces | None = None
    units: RowUnits | None = None
    clusters: np.ndarray | None = None
    outputs: tuple[str, ...] = ()
    target: str | None = None

    def evaluated(self, numbers: np.ndarray) -> RowPlaces:
        """Return where rows stood in the table they are evaluated from, the user's X or X_eval."""
        places = _places(self) if self.places is None else self.places
        return RowPlaces(places.rows[numbers], places.n_table_rows)

    @property
    def task(self) -> Task:
        """A regression, or a classification with as many classes as there are labels."""
        return _task(self.classes, self.outputs)

    @property
    def strata(self) -> Vector | None:
        """Class codes by which splits are stratified; None for a numeric target."""
        return None if self.classes is None else self.y

    def read_by(self, learner: BaseLearner) -> Problem:
        """Return the problem with X in the form this learner reads; see `BaseLearner`."""
        form = learner.traits.reads
        if self.given is None or form == "matrix":
            return self
        X = self.given if form == "given" else with_labels(self.X, self.given.columns)
        return replace(self, X=X)

    def measured_for(self, learner: BaseLearner, *, is_asked: bool) -> Problem:
        """Return the problem with the measure that suits the learner's loss, unless one is asked.

        Raises when the target holds values that the loss is not defined for.
        """
        if self.classes is not None:
            return self
        own: Any = learner.measure
        if own is None:
            warn_unknown_loss()
            return self
        try:
            check_measure(own, self.task, self.y)
        except ValueError as error:
            raise ValueError(f"y does not suit the model's objective: {error}") from None
        if is_asked:
            return self
        measures = own.as_measures(self.outputs) if isinstance(own, OutputsLoss) else (own,)
        return replace(self, measures=measures)

    def rows(self, chosen: np.ndarray) -> Rows:
        """Return the rows with these numbers."""
        return Rows(self.X, self.y, self.weights, self.clusters).at(chosen)


def as_problem(
    X: Any, y: Any, sample_weight: Any, model: Any, measure: Any, task: str = "auto"
) -> Problem:
    """Return the checked problem; see `is_classification` for what makes it one of classes.

    Parameters
    ----------
    X, y, sample_weight
        As the user gave them.
    model, measure, task
        Those of the estimator; they decide whether `y` holds classes, and what is measured.
    """
    X, y = as_pandas(X), as_pandas(y)
    table, names = as_table(X)
    index = FeatureIndex(names, tuple(X.columns) if isinstance(X, pd.DataFrame) else None)
    if check_readable("y", y).ndim == 0:
        raise TypeError(f"y must have one value per row; got {shown(y)}.")
    if len(y) != len(table):
        raise ValueError(
            f"X and y must have the same number of rows; X has {len(table)}, y has {len(y)}."
        )
    warn_of_order(X, y)
    asked = None if measure is None else _as_measures(measure)
    outputs = output_names(y)
    if is_classification(task, y, model, asked):
        if outputs:
            raise ValueError(
                f"y has {len(outputs)} columns of classes, {list(outputs)}; several outputs must "
                "be numbers. Pass one column at a time."
            )
        target, classes = encode_classes(y)
        _check_class_sizes(target, len(classes))
    else:
        target, outputs = _numbers(y, len(table), outputs, model)
        classes = None
        warn_of_codes(task, target, model, asked)
    task_found = _task(classes, outputs)
    measures = asked or _as_measures(task_found.default_measure)
    if outputs:
        measures = tuple(
            part
            for each in measures
            for part in over_outputs([each] * len(outputs), outputs, each.name)
        )
    for each in measures:
        check_measure(each, task_found, target)
    weights = as_relative(check_weights(sample_weight, len(table)))
    return Problem(
        table,
        target,
        weights,
        index,
        measures,
        classes,
        doubts=text_doubts(X, table),
        given=as_given(X),
        outputs=outputs,
        target=target_name(y),
    )


def _numbers(
    y: Any, n_rows: int, outputs: tuple[str, ...], model: Any
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the target, with a column for each output, and the names of several outputs."""
    if outputs:
        return as_targets(y, n_rows, outputs), outputs
    target, quantiles = as_target(y, n_rows), tuple(quantile_models(model))
    return (np.tile(target[:, np.newaxis], len(quantiles)) if quantiles else target), quantiles


def _task(classes: np.ndarray | None, outputs: tuple[str, ...]) -> Task:
    return Task(None if classes is None else len(classes), max(len(outputs), 1))


def check_columns(problem: Problem, learner: BaseLearner, model: str) -> None:
    """Raise when X holds text or missing values that the learner does not take."""
    X, names = problem.X, problem.index.names
    if isinstance(X, pd.DataFrame):
        missing = np.asarray(X.isna()).any(axis=0)
        text = [str(name) for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
        if text and not learner.traits.accepts_categories:
            raise ValueError(
                f"model {model!r} needs numeric columns, but {text} hold text or categories; "
                "encode them as numbers, or use a model that takes categories, such as 'auto', "
                "'boosting' or 'catboost'."
            )
    else:
        missing = np.isnan(X).any(axis=0)
    if missing.any() and not learner.traits.accepts_missing:
        columns = [names[column] for column in np.flatnonzero(missing)]
        raise ValueError(
            f"model {model!r} does not take missing values, but columns {columns} hold nan; "
            "impute or drop them, or use a model that takes missing values, such as 'auto', "
            "'boosting' or 'catboost'."
        )


def _check_class_sizes(codes: Vector, n_classes: int) -> None:
    if len(codes) < MINIMUM_ROWS_PER_CLASS * n_classes:
        raise ValueError(
            f"y holds {n_classes} different labels in {len(codes)} rows, too many to be classes; "
            "is it the right column? A numeric target must hold numbers only."
        )


def warn_of_order(X: Any, y: Any, ending: str = "") -> None:
    """Warn where y has the row labels of X in another order; `ending` is that of their names."""
    if not (isinstance(X, pd.DataFrame) and isinstance(y, pd.Series | pd.DataFrame)):
        return
    is_other_order = not X.index.equals(y.index) and X.index.is_unique
    if is_other_order and X.index.symmetric_difference(y.index).empty:
        warn_user(
            f"y{ending} has the row labels of X{ending} in another order, and rows go by their "
            f"position, not by label. If labels say what belongs together, pass "
            f"y{ending}.loc[X{ending}.index]; if positions do, pass y{ending}.to_numpy().",
            RowOrderWarning,
        )


def warn_seen_rows() -> None:
    """Warn that evaluation rows drawn from X may have trained the model."""
    warn_user(
        "the evaluation rows are drawn from X; if the model was trained on them, its skill and the "
        "importances are overstated. Pass rows it has not seen as X_eval and y_eval.",
        SeenRowsWarning,
    )


def warn_unknown_loss() -> None:
    """Warn that a model is stopped by another loss than it is trained on."""
    warn_user(
        "the model is trained on a loss of its own that is not known here: when to stop is decided "
        "by squared error, and predictions are taken to be on the scale of y. Name one of the "
        "engine's own losses instead.",
        UnknownLossWarning,
    )


def without_weightless_rows(problem: Problem) -> Problem:
    """Return the problem without the rows of weight zero: they count as if they were not there."""
    if problem.weights is None or problem.weights.all():
        return problem
    kept = np.flatnonzero(problem.weights)
    rows = problem.rows(kept)
    places = problem.evaluated(kept)
    n_fit = len(problem.y) - problem.n_evaluation
    n_evaluation = int(np.sum(kept >= n_fit)) if problem.n_evaluation else 0
    if len(kept) - n_evaluation < MINIMUM_ROWS:
        raise ValueError(
            f"sample_weight must be positive for at least {MINIMUM_ROWS} rows of X; it is for "
            f"{len(kept) - n_evaluation}."
        )
    return replace(
        problem,
        X=rows.X,
        y=rows.y,
        weights=rows.weights,
        n_evaluation=n_evaluation,
        given=None if problem.given is None else problem.given.iloc[kept].reset_index(drop=True),
        places=places,
        units=None if problem.units is None else problem.units.at(kept),
        clusters=None if problem.clusters is None else problem.clusters[kept],
    )


def _places(problem: Problem) -> RowPlaces:
    """Return the places of all rows; those before the evaluation rows of X_eval are negative."""
    n_before = len(problem.y) - problem.n_evaluation if problem.n_evaluation else 0
    return RowPlaces(np.arange(len(problem.y)) - n_before, len(problem.y) - n_before)


def fill_by_column(fill: Any, problem: Problem) -> Any:
    """Return `fill` with the columns a mapping names as numbers, their values checked."""
    if not isinstance(fill, Mapping):
        return fill
    named = {}
    for name, value in fill.items():
        column = problem.index.position(name, "fill")
        levels = _levels(problem.X, column)
        if levels is not None and value not in levels:
            raise ValueError(f"fill[{name!r}] must be one of the levels {levels}; got {value!r}.")
        if column in named:
            raise ValueError(f"fill names column {problem.index.names[column]!r} twice.")
        named[column] = (
            check_number(f"fill[{name!r}]", value, finite=True) if levels is None else value
        )
    return named


def _levels(X: Features, column: int) -> list[Any] | None:
    if not isinstance(X, pd.DataFrame):
        return None
    values = X.iloc[:, column]
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    return list(values.cat.categories) if is_category else None


def _as_measures(measure: Any) -> tuple[Measure, ...]:
    several = measure if isinstance(measure, list | tuple) else [measure]
    if not several:
        raise ValueError("measure is empty; name at least one measure.")
    measures = tuple(as_measure(each) for each in several)
    names = [each.name for each in measures]
    if len(set(names)) < len(names):
        raise ValueError(f"measure must hold measures of different names; got {names}.")
    return measures
