"""Measures of several outputs: of each by itself, and their mean over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector
from lukewarm.measures._base import Measure
from lukewarm.measures._mean_loss import MeanLoss
from lukewarm.measures._regression import R2, NegMSE
from lukewarm.results import MeasureValue


@dataclass(frozen=True)
class OneOutput:
    """The skill of one of several outputs.

    Parameters
    ----------
    measure : Measure
    number : int
        The column of targets and predictions.
    output : str
        Its name.

    Examples
    --------
    >>> y = np.array([[0.0, 5.0], [1.0, 7.0]])
    >>> second = OneOutput(NegMSE(), 1, "NOX")
    >>> second.name, second.evaluate(y, y + [9.0, 1.0]).value
    ('neg_mse of NOX', -1.0)
    """

    measure: Measure
    number: int
    output: str

    @property
    def name(self) -> str:
        """The name of the measure, and of what."""
        return f"{self.measure.name} of {self.output}"

    def evaluate(
        self, y: Matrix, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the skill of this output, with its influence values."""
        return self.measure.evaluate(y[:, self.number], prediction[:, self.number], weights)

    def check_target(self, y: Matrix) -> None:
        """Raise where the measure has no value for this output."""
        if hasattr(self.measure, "check_target"):
            self.measure.check_target(y[:, self.number])


@dataclass(frozen=True)
class MeanOverOutputs:
    """The mean skill of several outputs, each with the same weight.

    Parameters
    ----------
    name : str
    parts : tuple of OneOutput

    Notes
    -----
    A mean of values has the mean of their influence values, so its standard error knows what the
    outputs have in common. Of R2 it is the uniform average of scikit-learn's `r2_score`.
    """

    name: str
    parts: tuple[OneOutput, ...]

    def evaluate(
        self, y: Matrix, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the mean of the outputs' skills, with its influence values."""
        return MeasureValue.mean([each.evaluate(y, prediction, weights) for each in self.parts])

    def check_target(self, y: Matrix) -> None:
        """Raise where the measure has no value for one of the outputs."""
        for each in self.parts:
            each.check_target(y)


@dataclass(frozen=True)
class OutputsLoss(MeanLoss):
    """The mean loss of several outputs: what a model of them is trained on.

    Parameters
    ----------
    measures : tuple of MeanLoss
        One per output.
    """

    measures: tuple[MeanLoss, ...]
    name = "mean loss over outputs"

    def losses(self, y: Matrix, prediction: Prediction) -> Vector:
        """Return the mean over outputs of their losses, one per row."""
        columns = zip(self.measures, y.T, prediction.T, strict=True)
        return np.mean([each.losses(*pair) for each, *pair in columns], axis=0)

    def check_target(self, y: Matrix) -> None:
        """Raise when the loss of an output is not defined for its values."""
        for each, column in zip(self.measures, y.T, strict=True):
            each.check_target(column)

    def best_constant(self, y: Matrix, weights: Vector | None = None) -> Vector:
        """Return the constant of least mean loss of each output, shape (n_outputs,)."""
        columns = zip(self.measures, y.T, strict=True)
        return np.array([each.best_constant(column, weights) for each, column in columns])

    def as_measures(self, outputs: Sequence[str]) -> tuple[Measure, ...]:
        """Return the measures of a model that is trained on this loss.

        Squared errors are in the unit of each output, so that the share of variance explained
        stands for them.
        """
        each: list[Any] = [R2() if isinstance(one, NegMSE) else one for one in self.measures]
        names = list(dict.fromkeys(one.name for one in each))
        return over_outputs(each, outputs, names[0] if len(names) == 1 else "mean over outputs")


def loss_of(measure: MeanLoss, n_targets: int) -> MeanLoss:
    """Return what a model of so many targets is trained on, each of them by this loss."""
    return measure if n_targets == 1 else OutputsLoss((measure,) * n_targets)


def over_outputs(
    measures: Sequence[Measure], outputs: Sequence[str], name: str
) -> tuple[Measure, ...]:
    """Return the mean over outputs, under this name, and the measure of each output.

    Parameters
    ----------
    measures : sequence of Measure
        One per output.
    outputs : sequence of str
    name : str
        Of the mean.
    """
    parts = tuple(
        OneOutput(measure, number, output)
        for number, (measure, output) in enumerate(zip(measures, outputs, strict=True))
    )
    return (MeanOverOutputs(name, parts), *parts)
