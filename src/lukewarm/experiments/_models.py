"""The models of the paper's experiments, with the rules they are trained by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from lukewarm._optional import require
from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm.learners import BaseLearner, from_model
from lukewarm.measures import REGRESSION
from lukewarm.reduction import (
    BaseReduction,
    EarlyStopping,
    KernelFlow,
    ReducedModel,
    Reduction,
    ReductionData,
    as_reduction,
)
from lukewarm.stopping import Patience

MODELS = ("boosting", "network", "catboost")
# Rows of a first step that compiles or loads the engine.
_FEW = 40
# So that a network takes seconds; the paper's is below.
_QUICK_WIDTH = 128
_PAPER_WIDTH = 2048


@dataclass(frozen=True)
class PaperModel:
    """A model and when its training ends.

    Parameters
    ----------
    model : BaseLearner or estimator
    patience : int
    min_delta : float
    max_steps : int
        Of the full model and of retraining.
    max_reduced_steps : int
        Of early stopping, beyond the full model.
    learning_rate_factor : float, default 1
        How many times as large the learning rate of early stopping is; the paper's is as large.
    conditional_imputation : bool, default False
        Whether removed features are first imputed by the others; the paper's are not.
    """

    model: Any
    patience: int
    min_delta: float
    max_steps: int
    max_reduced_steps: int
    learning_rate_factor: float = 1.0
    conditional_imputation: bool = False

    @property
    def rule(self) -> Patience:
        """The stopping rule."""
        return Patience(self.patience, self.min_delta)

    def reduction(self, method: str, max_steps: int) -> Reduction:
        """Return the way of that name to a reduced model, as these settings have it."""
        if method == "distil":
            return Distilled(self.reduction("early_stopping", max_steps))
        reduction = as_reduction(method, self.rule, max_steps, self.learning_rate_factor)
        if isinstance(reduction, EarlyStopping | KernelFlow):
            return replace(reduction, conditional_imputation=self.conditional_imputation)
        return reduction


@dataclass(frozen=True)
class Distilled(BaseReduction):
    """A way to a reduced model that learns the full model's predictions instead of y.

    Parameters
    ----------
    way : Reduction

    Notes
    -----
    Its target is f(X) with all features, so that without a removed feature nothing is left to
    learn, and the full model needs no further training to be a fair opponent.
    """

    way: Reduction
    name: str = "distil"

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the reduced model of rows whose response is what the full model predicts."""
        train, stopping = (
            replace(rows, y=full.predict(rows.X)) for rows in (data.train, data.stopping)
        )
        return self.way.reduce(full, replace(data, train=train, stopping=stopping), removed, seed)


def start_engine(settings: PaperModel, X: Matrix, y: Vector) -> None:
    """Have the engine load or compile what its first use asks for, before a clock runs."""
    from_model(settings.model, task=REGRESSION, seed=0).advance(X[:_FEW], y[:_FEW], 1)


def installed_models(models: Sequence[str]) -> list[str]:
    """Return what an experiment runs by default: all but CatBoost, networks where torch is."""
    has_torch = find_spec("torch") is not None
    return [name for name in models if name != "catboost" and (name != "network" or has_torch)]


# How the authors' CatBoost draws its splits; nearly at random, until its noise fades.
_AUTHORS_CATBOOST = {
    "random_strength": 10_000,
    "score_function": "L2",
    "feature_border_type": "Median",
}


def paper_model(
    name: str,
    scale: str,
    *,
    depth: int = 3,
    patience: int = 10,
    max_trees: int = 1000,
    is_literal: bool = True,
) -> PaperModel:
    """Return the model that an experiment runs: trees of the paper's depth, or its network.

    Parameters
    ----------
    name : "boosting", "network" or "catboost"
    scale : "quick" or "paper"
        At "quick" the network is narrow and trained by Adam, so that it takes seconds.
    depth : int, default 3
        Of the trees; the text says 2, the authors' scripts use 3, and 8 for the gas turbines.
    patience, max_trees : int
        Of the trees; 25 and 3000 in high dimension.
    is_literal : bool, default True
        Whether CatBoost draws splits as in the authors' scripts, or as it does by itself.
    """
    if name == "boosting":
        from lukewarm.learners import ObliviousBoosting

        trees: Any = ObliviousBoosting(depth=depth, learning_rate=0.1)
        return PaperModel(trees, patience, 0.0, max_trees, max_trees)
    if name == "catboost":
        # One thread: replicates already run side by side.
        regressor = require("catboost", "catboost").CatBoostRegressor
        trees = regressor(
            depth=depth,
            learning_rate=0.1,
            iterations=max_trees,
            thread_count=1,
            **(_AUTHORS_CATBOOST if is_literal else {}),
        )
        return PaperModel(trees, patience, 0.0, max_trees, max_trees)
    return _network(scale)


def default_network() -> PaperModel:
    """Return the library's own network, with its own patience and warm starts."""
    from lukewarm.learners import Network

    traits = Network.traits
    return PaperModel(
        Network(),
        traits.patience,
        0.0,
        traits.max_steps,
        traits.max_steps,
        traits.learning_rate_factor,
        conditional_imputation=True,
    )


def _network(scale: str) -> PaperModel:
    from lukewarm.learners import Network

    if scale == "quick":
        narrow = Network((_QUICK_WIDTH, _QUICK_WIDTH), learning_rate=5e-3, batch_size=256)
        return PaperModel(narrow, 5, 0.0, 400, 100)
    wide = Network(
        (_PAPER_WIDTH, _PAPER_WIDTH),
        weight_scale=0.99**0.5,
        bias_scale=0.1,
        optimizer="sgd",
        learning_rate=0.1,
        batch_size=32,
    )
    return PaperModel(wide, 3, 1e-3, 800, 100)
