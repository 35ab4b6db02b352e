"""One model for each of several outputs, as one learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Draw, Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BaseLearner, Predicts
from lukewarm.learners._training import train_until
from lukewarm.learners._traits import LearnerTraits
from lukewarm.measures import MeanLoss, OutputsLoss, Task
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


class PerOutputLearner(BaseLearner):
    """Learners of one output each, trained side by side on the columns of y.

    What is asked of it is asked of each of them. Where they take steps, each is trained until its
    own stopping rows say so, and not at the pace of the others.

    Parameters
    ----------
    members : sequence of BaseLearner
        One per output, of the same kind.

    Examples
    --------
    >>> from lukewarm.learners import ObliviousBoosting
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> learner = PerOutputLearner([ObliviousBoosting(), ObliviousBoosting()])
    >>> learner.advance(X, X[:, ::-1], 20)
    >>> learner.predict(X).shape, learner.n_steps
    ((100, 2), 20)
    """

    def __init__(self, members: Sequence[BaseLearner]) -> None:
        self.members = tuple(members)
        self.task = Task(n_targets=len(self.members))
        self.measure = _loss_of([each.measure for each in self.members])

    @property
    def traits(self) -> LearnerTraits:
        """Those of the members, which are trained by `choose`; their steps differ in number."""
        first = self.members[0].traits
        return replace(first, chooses_model=first.can_warm_start, is_staged=False)

    @property
    def model_type(self) -> str:
        """The type of the members."""
        return self.members[0].model_type

    @property
    def chosen_name(self) -> str:
        """That there are several models, and what they chose to be."""
        names = [each.chosen_name for each in self.members if each.chosen_name]
        return "one for each output" + (f": {', '.join(dict.fromkeys(names))}" if names else "")

    @property
    def n_steps(self) -> int:
        """Most steps of a member."""
        return max(each.n_steps for each in self.members)

    def fresh(self, seed: int) -> PerOutputLearner:
        """Return untrained members with the same settings."""
        return PerOutputLearner([each.fresh(seed) for each in self.members])

    def copy(self, seed: int | None = None) -> PerOutputLearner:
        """Return independent members in the same state."""
        return PerOutputLearner([each.copy(seed) for each in self.members])

    def datasets(self, X_train: Features, *others: Features) -> tuple[Features, ...]:
        """Return the tables as the first member meets them; all have the same settings."""
        return self.members[0].datasets(X_train, *others)

    def advance(self, X: Features, y: Matrix, n_steps: int, weights: Vector | None = None) -> None:
        """Take further steps of every member."""
        for each, column in zip(self.members, y.T, strict=True):
            each.advance(X, column, n_steps, weights)

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[BaseLearner, TrainingTrace]:
        """Return the members, each trained on from where it is, and the longest of the traces."""
        trained = [
            train_until(
                each, replace(train, y=column), replace(stopping, y=held_out), rule, max_steps
            )
            for each, column, held_out in zip(self.members, train.y.T, stopping.y.T, strict=True)
        ]
        members, traces = zip(*trained, strict=True)
        return PerOutputLearner(members), max(traces, key=lambda trace: trace.n_steps_taken)

    def learn_stopping_rows(self) -> None:
        """Let members that choose themselves learn from the stopping rows, too."""
        for each in self.members:
            each.learn_stopping_rows()

    def predict(self, X: Features) -> Prediction:
        """Return the predictions of all members, shape (n, n_outputs)."""
        return np.column_stack([each.predict(X) for each in self.members])

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the predictions of all members for `X` with each fill."""
        parts = [each.predict_filled(X, fills) for each in self.members]
        return [np.column_stack(columns) for columns in zip(*parts, strict=True)]

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the members' means over draws; None where one of them is asked for each."""
        means = [each.average_draws(X, draws) for each in self.members]
        given = [mean for mean in means if mean is not None]
        return np.column_stack(given) if len(given) == len(means) else None

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the members fitted without `removed`; None without closed forms."""
        fitted = [
            each.refit_without(replace(train, y=column), removed)
            for each, column in zip(self.members, train.y.T, strict=True)
        ]
        refitted = [each for each in fitted if each is not None]
        return _Columns(refitted) if len(refitted) == len(fitted) else None

    @cached_property
    def thinned(self) -> BaseLearner:
        """The members' cheaper models; itself where they have none."""
        few = [each.thinned for each in self.members]
        is_same = all(one is other for one, other in zip(few, self.members, strict=True))
        return self if is_same else PerOutputLearner(few)

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Impute removed columns in every member."""
        for each in self.members:
            each.impute_conditionally(X, before, weights)

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of every member."""
        for each in self.members:
            each.scale_learning_rate(factor)


class _Columns:
    """Models of one output each, as one that predicts."""

    def __init__(self, models: Sequence[Predicts]) -> None:
        self._models = models

    def predict(self, X: Features) -> Prediction:
        """Return the predictions of all models, shape (n, n_outputs)."""
        return np.column_stack([each.predict(X) for each in self._models])


def _loss_of(measures: Sequence[MeanLoss | None]) -> OutputsLoss | None:
    losses = tuple(each for each in measures if each is not None)
    return OutputsLoss(losses) if len(losses) == len(measures) else None


def takes_several_outputs(model: Any) -> bool:
    """Return whether an estimator is one model of several outputs, fitted as a whole.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sklearn.svm import SVR
    >>> takes_several_outputs(RandomForestRegressor()), takes_several_outputs(SVR())
    (True, False)
    """
    names = {kind.__name__ for kind in type(model).__mro__}
    # By their tags searches and networks take one output, and take several all the same.
    if "BaseSearchCV" in names:
        return takes_several_outputs(model.estimator)
    if names & {"MLPRegressor", "Module", "NeuralNet"}:
        return True
    # XGBoost has one model for each output, unless told otherwise.
    if "XGBRegressor" in names:
        return getattr(model, "multi_strategy", None) == "multi_output_tree"
    tags = getattr(model, "__sklearn_tags__", None)
    return tags is not None and bool(tags().target_tags.multi_output)


def model_of_one_output(model: Any, prefit: bool) -> Any:
    """Return the estimator inside scikit-learn's wrapper for several outputs, of one; else `model`.

    The wrapper takes a matrix, and its classifier gives a list of probabilities, for one column,
    too. What is inside is the same model without either.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.multioutput import MultiOutputRegressor
    >>> model_of_one_output(MultiOutputRegressor(Ridge()), prefit=False)
    Ridge()
    """
    names = {kind.__name__ for kind in type(model).__mro__}
    if not names & {"MultiOutputRegressor", "MultiOutputClassifier"}:
        return model
    if not prefit:
        return model.estimator
    # One that is not fitted is refused as any other is.
    fitted = getattr(model, "estimators_", [model])
    if len(fitted) > 1:
        raise ValueError(
            f"model was trained on {len(fitted)} outputs, and y has one column; pass one of its "
            "estimators_, or all columns of y."
        )
    return fitted[0]


def quantile_models(model: Any) -> dict[str, Any]:
    """Return a model for each quantile of an estimator of several, by name; else none.

    Examples
    --------
    >>> from xgboost import XGBRegressor
    >>> both = XGBRegressor(objective="reg:quantileerror", quantile_alpha=[0.1, 0.9])
    >>> models = quantile_models(both)
    >>> list(models), models["quantile 0.9"].get_params()["quantile_alpha"]
    (['quantile 0.1', 'quantile 0.9'], 0.9)
    """
    is_xgboost = type(model).__name__ == "XGBRegressor"
    models = {}
    for level in quantile_levels(model):
        own = (
            {"quantile_alpha": level}
            if is_xgboost
            else {"loss_function": f"Quantile:alpha={level:g}"}
        )
        models[f"quantile {level:g}"] = type(model)(**{**model.get_params(), **own})
    return models


def quantile_levels(model: Any) -> tuple[float, ...]:
    """Return the levels of an estimator of several quantiles; of any other none.

    Examples
    --------
    >>> from catboost import CatBoostRegressor
    >>> quantile_levels(CatBoostRegressor(loss_function="MultiQuantile:alpha=0.1,0.9"))
    (0.1, 0.9)
    """
    kind = type(model).__name__
    levels: list[float] = []
    if kind == "XGBRegressor":
        levels = np.atleast_1d(model.get_params().get("quantile_alpha")).tolist()
    elif kind == "CatBoostRegressor":
        loss = model.get_params().get("loss_function")
        if isinstance(loss, str) and loss.startswith("MultiQuantile:alpha="):
            levels = [float(each) for each in loss.partition("=")[2].split(",")]
    return tuple(levels) if len(levels) > 1 else ()
