"""Measures in words a reader knows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lukewarm._text import printable


@dataclass(frozen=True)
class MeasureWords:
    """How a measure is spoken of.

    Parameters
    ----------
    name : str
    loss : str
        What happens without a feature, with `{}` for the amount.
    skill : str
        What the model does, with `{}` for its skill.
    total : str
        The skill that Shapley values share out, with `{}` for the amount.
    scale : float
        Amounts are shown multiplied by this; 100 shows shares as points.
    sign : int
        -1 where the measure is a negated loss, which is shown as the loss.
    best : float
        The most skill there can be.
    """

    name: str
    loss: str
    skill: str
    total: str
    scale: float = 1.0
    sign: int = 1
    best: float = math.inf

    @property
    def unit(self) -> str:
        """The unit of an amount, empty where it is that of the measure."""
        return "points" if self.scale == 100 else ""

    @property
    def column(self) -> str:
        """What an importance is, as the head of a column or an axis."""
        if self.sign < 0:
            return f"increase in {self.name}"
        return f"points of {self.name} lost" if self.unit else f"loss of {self.name}"


def _share(name: str, whole: str) -> MeasureWords:
    return MeasureWords(
        name,
        f"the model explains {{}} percentage points less of the {whole}",
        f"explains {{}} % of the {whole}",
        f"{{}} points of the {whole} that the model explains",
        scale=100.0,
        best=1.0,
    )


def _error(name: str) -> MeasureWords:
    return MeasureWords(
        name,
        f"the {name} rises by {{}}",
        f"has a {name} of {{}}",
        f"{{}} by which the model lowers the {name}",
        sign=-1,
        best=0.0,
    )


_MEASURES = {
    "r2": _share("R²", "variance"),
    "deviance": _share("deviance explained", "deviance"),
    "accuracy": MeasureWords(
        "accuracy",
        "the accuracy falls by {} percentage points",
        "is right in {} % of the rows",
        "{} points of accuracy beyond a constant guess",
        scale=100.0,
        best=1.0,
    ),
    "auc": MeasureWords(
        "AUC",
        "the area under the ROC curve falls by {}",
        "has an area under the ROC curve of {}",
        "{} of the area under the ROC curve beyond a constant guess",
        best=1.0,
    ),
    "macro_auc": MeasureWords(
        "mean AUC of the classes",
        "the mean area under the ROC curves of the classes falls by {}",
        "has a mean area under the ROC curves of the classes of {}",
        "{} of the mean area under the ROC curves beyond a constant guess",
        best=1.0,
    ),
    "average_precision": MeasureWords(
        "average precision",
        "the average precision falls by {}",
        "has an average precision of {}",
        "{} of average precision beyond a constant guess",
        best=1.0,
    ),
    "balanced_accuracy": MeasureWords(
        "balanced accuracy",
        "the accuracy, averaged over the classes, falls by {} percentage points",
        "is right in {} % of the rows, averaged over the classes",
        "{} points of balanced accuracy beyond a constant guess",
        scale=100.0,
        best=1.0,
    ),
    "f1": MeasureWords(
        "F1",
        "the F1 score falls by {}",
        "has an F1 score of {}",
        "{} of the F1 score beyond a constant guess",
        best=1.0,
    ),
    "brier": _error("Brier score"),
    "rmse": _error("root mean squared error"),
    "neg_mse": _error("mean squared error"),
    "neg_mae": _error("mean absolute error"),
    "neg_log_loss": _error("log-loss"),
    "poisson_deviance": _error("Poisson deviance"),
    "gamma_deviance": _error("gamma deviance"),
}


# Measures with a number in their name, such as "pinball(0.9)".
_WITH_NUMBER = {
    "pinball": "pinball loss",
    "huber": "Huber loss",
    "tweedie_deviance": "Tweedie deviance",
}


def words_for(measure: str) -> MeasureWords:
    """Return how to speak of the measure of that name; of a user's own, by its name.

    Examples
    --------
    >>> words_for("pinball(0.9)").column
    'increase in pinball loss (0.9)'
    >>> words_for("r2").loss
    'the model explains {} percentage points less of the variance'
    """
    if measure in _MEASURES:
        return _MEASURES[measure]
    stem, bracket, rest = measure.partition("(")
    if bracket and stem in _WITH_NUMBER:
        return _error(f"{_WITH_NUMBER[stem]} ({_as_format(rest)}")
    plain = printable(measure)
    said = _as_format(measure)
    return MeasureWords(
        plain,
        f"the skill measured by {said} falls by {{}}",
        f"has a skill of {{}}, measured by {said}",
        f"{{}} of skill, measured by {said}, beyond a constant guess",
    )


def _as_format(text: str) -> str:
    """Return a text that str.format leaves as it is."""
    return printable(text).replace("{", "{{").replace("}", "}}")
