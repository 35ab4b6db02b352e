"""Every way to a reduced model, from one full model and evaluated on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._random import draw_seeds
from lukewarm._typing import FeatureSet, Prediction
from lukewarm.data import split_rows
from lukewarm.estimators import _full_model
from lukewarm.estimators._full_model import FullModel
from lukewarm.estimators._problem import as_problem
from lukewarm.evaluation import importance_from_predictions
from lukewarm.experiments._base import Record
from lukewarm.experiments._models import PaperModel, start_engine
from lukewarm.learners import from_model
from lukewarm.results import HealthWarning

# The default of the estimators.
_TRAIN_FRACTION = 0.75
_WARM = ("early_stopping", "kernel_flow", "lazy")


@dataclass(frozen=True, eq=False)
class Trained:
    """A full model of the library, with the paper's settings for its reductions.

    Parameters
    ----------
    full : FullModel
    settings : PaperModel
    seconds : float
        Processor time of its training.
    seed : int
        Of its reductions.
    """

    full: FullModel
    settings: PaperModel
    seconds: float
    seed: int

    @property
    def prediction(self) -> Prediction:
        """What the full model predicts for the evaluation rows."""
        return self.full.learner.predict(self.full.evaluation.X)


@dataclass(frozen=True, eq=False)
class Reduced:
    """Predictions of a model without some features, with what they cost.

    Parameters
    ----------
    prediction : Prediction
        Of the evaluation rows.
    seconds : float
        Processor time of obtaining the model and predicting: wall clocks say little where several
        replicates run side by side.
    n_steps : int
        Steps kept.
    """

    prediction: Prediction
    seconds: float
    n_steps: int


def methods_of(model: str, *, with_lazy: bool = False) -> tuple[str, ...]:
    """Return the ways to a reduced model that are compared for this kind of model."""
    of_networks = ("kernel_flow", "lazy") if with_lazy else ("kernel_flow",)
    return ("dropout", "retrain", "early_stopping", *(of_networks if model == "network" else ()))


def train_full(X: Any, y: Any, settings: PaperModel, generator: np.random.Generator) -> Trained:
    """Return the full model trained on 56 % of the rows and stopped by 19 % of them."""
    problem = as_problem(X, y, None, settings.model, None, "regression")
    split = split_rows(len(problem.y), _TRAIN_FRACTION, generator)
    learner_seed, seed = draw_seeds(generator, 2)
    learner = from_model(settings.model, task=problem.task, seed=learner_seed)
    start_engine(settings, np.asarray(problem.X), problem.y)
    started = process_time()
    full = _full_model.train_full(
        problem, split, learner, settings.rule, settings.max_steps, "mean"
    )
    return Trained(full, settings, process_time() - started, seed)


def reduce(trained: Trained, method: str, removed: FeatureSet) -> Reduced:
    """Return what the model without `removed`, obtained by `method`, predicts."""
    settings = trained.settings
    max_steps = settings.max_steps if method == "retrain" else settings.max_reduced_steps
    reduction = settings.reduction(method, max_steps)
    started = process_time()
    model = trained.full.reduce(reduction, removed, trained.seed)
    prediction = model.predict(trained.full.evaluation.X)
    return Reduced(prediction, process_time() - started, model.trace.stopped_step)


def own_full(trained: Trained, method: str) -> Prediction:
    """Return the fair opponent of the reduced models: the full one, trained further alike."""
    if method not in _WARM:
        return trained.prediction
    return reduce(trained, method, ()).prediction


def compare(
    trained: Trained,
    methods: Sequence[str],
    features: Sequence[FeatureSet],
    measure: str = "neg_mse",
) -> dict[str, dict[str, list[float]]]:
    """Return importances by each method, a list over `features` for each number.

    "estimate" is the symmetric comparison, "literal" that of Algorithm 1 as printed.
    """
    y, plain = trained.full.evaluation.y, trained.prediction
    outcome = {}
    for method in methods:
        reduced = [reduce(trained, method, removed) for removed in features]
        named = {str(number): each.prediction for number, each in enumerate(reduced)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HealthWarning)
            fair = importance_from_predictions(y, own_full(trained, method), named, measure)
            literal = importance_from_predictions(y, plain, named, measure)
        outcome[method] = {
            "estimate": fair.importance.tolist(),
            "std_error": fair.standard_error.tolist(),
            "literal": literal.importance.tolist(),
            "seconds": [each.seconds for each in reduced],
            "steps": [float(each.n_steps) for each in reduced],
        }
    return outcome


def one_row_per_method(long: pd.DataFrame, **columns: tuple[str, str]) -> pd.DataFrame:
    """Return a row per model and method, with its "speed_up" over the model's retraining.

    Parameters
    ----------
    long : DataFrame
        With columns "model" and "method".
    **columns
        As of ``DataFrameGroupBy.agg``; "seconds" is one of them.
    """
    table = long.groupby(["model", "method"], sort=False).agg(**columns).reset_index()
    retrain = table[table["method"] == "retrain"].set_index("model")["seconds"]
    return table.assign(speed_up=table["model"].map(retrain) / table["seconds"])


def one_row_per_estimate(records: Sequence[Record]) -> pd.DataFrame:
    """Return records of `compare` with a row per method and feature.

    A record holds "methods" (what `compare` returned), "features" (their names) and, where it is
    known, "truth", a list like them.
    """
    rows = []
    for record in records:
        shared: Mapping[str, Any] = {
            key: value
            for key, value in record.items()
            if key not in ("methods", "features", "truth") and not isinstance(value, dict)
        }
        truth = record.get("truth") or [None] * len(record["features"])
        for method, numbers in record["methods"].items():
            for place, feature in enumerate(record["features"]):
                each = {name: values[place] for name, values in numbers.items()}
                rows.append(
                    {**shared, "method": method, "feature": feature, "truth": truth[place], **each}
                )
    return pd.DataFrame(rows)
