"""What the engines can be trained on, and the measure and the link each of it stands for.

One table per engine, from the name an objective has there. The measure gives the loss that decides
when to stop and is the default of the importance; the link takes margins to predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from lukewarm.measures import (
    GammaDeviance,
    Huber,
    MeanLoss,
    NegMAE,
    NegMeanLoss,
    NegMSE,
    Pinball,
    PoissonDeviance,
    TweedieDeviance,
)
from lukewarm.measures import _losses as losses

Settings = Mapping[str, Any]
LINKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"log": np.exp, "logit": expit}


@dataclass(frozen=True)
class Objective:
    """A measure, how margins become predictions, and the values a target may have.

    Parameters
    ----------
    measure : MeanLoss or None
        None where we do not know the loss.
    link : str, optional
        "log" or "logit"; None where the margin is the prediction.
    """

    measure: MeanLoss | None
    link: str | None = None

    def prediction(self, margin: np.ndarray) -> np.ndarray:
        """Return the predictions that margins stand for."""
        return margin if self.link is None else LINKS[self.link](margin)


def _number(settings: Settings, name: str, default: float) -> float:
    value = settings.get(name)
    return default if value is None else float(value)


def _one_quantile(settings: Settings, name: str, default: float | None = None) -> float:
    given = settings.get(name)
    value = np.atleast_1d(np.asarray(default if given is None else given, dtype=float))
    if len(value) != 1 or np.isnan(value[0]):
        raise ValueError(
            f"model must predict one quantile; got {name}={given!r}. Make a model for each."
        )
    return float(value[0])


def _squared(settings: Settings) -> Objective:
    return Objective(NegMSE())


def _absolute(settings: Settings) -> Objective:
    return Objective(NegMAE())


def _poisson(settings: Settings) -> Objective:
    return Objective(PoissonDeviance(), "log")


def _gamma(settings: Settings) -> Objective:
    return Objective(GammaDeviance(), "log")


def _tweedie(name: str, settings: Settings) -> Objective:
    return Objective(TweedieDeviance(_number(settings, name, 1.5)), "log")


def _quantile(name: str, default: float | None, settings: Settings) -> Objective:
    return Objective(Pinball(_one_quantile(settings, name, default)))


def _huber(name: str, default: float, settings: Settings) -> Objective:
    return Objective(Huber(_number(settings, name, default)))


def _adaptive_huber(settings: Settings) -> Objective:
    # GradientBoosting chooses delta anew for every tree, as a quantile of the errors.
    return Objective(NegMAE())


def _of_loss(name: str, loss: Callable[..., np.ndarray], settings: Settings) -> Objective:
    return Objective(NegMeanLoss(loss, name))


def _of_loss_with(
    name: str,
    loss: Callable[..., np.ndarray],
    argument: str,
    setting: str,
    default: float,
    settings: Settings,
) -> Objective:
    """Return the objective of a loss with one number: the engine's `setting`, its `argument`.

    Parameters
    ----------
    name : str
        What the measure is called, before its number.
    loss : callable (y, prediction, argument=...)
    argument, setting : str
        What the loss and what the engine call the number.
    default : float
        The engine's.
    settings : mapping
    """
    number = _number(settings, setting, default)
    return Objective(NegMeanLoss(partial(loss, **{argument: number}), f"{name}({number:g})"))


def _logistic(settings: Settings) -> Objective:
    return Objective(NegMeanLoss(losses.cross_entropies, "cross_entropy"), "logit")


def _insensitive(power: float, settings: Settings) -> Objective:
    margin = _number(settings, "epsilon", 0.1)
    name = f"epsilon_insensitive({margin:g})" if power == 1 else f"squared_insensitive({margin:g})"
    loss = partial(losses.insensitive_losses, margin=margin, power=power)
    return Objective(NegMeanLoss(loss, name))


_Table = Mapping[str, Callable[[Settings], Objective]]
# LightGBM's own default.
_LIGHTGBM_QUANTILE = partial(_quantile, "alpha", 0.9)
_PERCENTAGE = partial(_of_loss, "mape", losses.percentage_errors)

OBJECTIVES: dict[str, _Table] = {
    "LightGBM": {
        **dict.fromkeys(
            (
                *("regression", "regression_l2", "l2", "mean_squared_error", "mse"),
                *("l2_root", "root_mean_squared_error", "rmse"),
            ),
            _squared,
        ),
        **dict.fromkeys(("regression_l1", "l1", "mean_absolute_error", "mae"), _absolute),
        "huber": partial(_huber, "alpha", 0.9),
        "fair": partial(_of_loss_with, "fair", losses.fair_losses, "scale", "fair_c", 1.0),
        "quantile": _LIGHTGBM_QUANTILE,
        "mape": _PERCENTAGE,
        "mean_absolute_percentage_error": _PERCENTAGE,
        "poisson": _poisson,
        "gamma": _gamma,
        "tweedie": partial(_tweedie, "tweedie_variance_power"),
    },
    "XGBoost": {
        "reg:squarederror": _squared,
        "reg:absoluteerror": _absolute,
        "reg:pseudohubererror": partial(
            _of_loss_with, "pseudo_huber", losses.pseudo_huber_losses, "slope", "huber_slope", 1.0
        ),
        "reg:quantileerror": partial(_quantile, "quantile_alpha", None),
        "reg:squaredlogerror": partial(_of_loss, "squared_log_error", losses.squared_log_errors),
        "reg:logistic": _logistic,
        "count:poisson": _poisson,
        "reg:gamma": _gamma,
        "reg:tweedie": partial(_tweedie, "tweedie_variance_power"),
    },
    "CatBoost": {
        "RMSE": _squared,
        "MAE": _absolute,
        "Quantile": partial(_quantile, "alpha", 0.5),
        "Huber": partial(_huber, "delta", 1.0),
        "MAPE": _PERCENTAGE,
        "LogCosh": partial(_of_loss, "log_cosh", losses.log_cosh_losses),
        "Expectile": partial(
            _of_loss_with, "expectile", losses.expectile_losses, "level", "alpha", 0.5
        ),
        "Lq": partial(_of_loss_with, "lq", losses.power_errors, "power", "q", 2.0),
        "Poisson": _poisson,
        "Tweedie": partial(_tweedie, "variance_power"),
    },
    "HistGradientBoosting": {
        "squared_error": _squared,
        "absolute_error": _absolute,
        "quantile": partial(_quantile, "quantile", None),
        "poisson": _poisson,
        "gamma": _gamma,
    },
    "GradientBoosting": {
        "squared_error": _squared,
        "absolute_error": _absolute,
        "huber": _adaptive_huber,
        "quantile": partial(_quantile, "alpha", 0.9),
    },
    "SGD": {
        "squared_error": _squared,
        "huber": partial(_huber, "epsilon", 0.1),
        "epsilon_insensitive": partial(_insensitive, 1.0),
        "squared_epsilon_insensitive": partial(_insensitive, 2.0),
    },
    "MLP": {
        "squared_error": _squared,
        "poisson": _poisson,
    },
}


def objective_of(engine: str, name: Any, settings: Settings) -> Objective:
    """Return what the objective of that name is for us, or raise naming those known.

    Parameters
    ----------
    engine : str
        A key of OBJECTIVES.
    name : str
        As the engine spells it.
    settings : mapping
        Where the engine keeps the objective's numbers.

    Examples
    --------
    >>> objective_of("XGBoost", "reg:quantileerror", {"quantile_alpha": 0.9}).measure.name
    'pinball(0.9)'
    """
    table = OBJECTIVES[engine]
    if not _is_known(engine, name):
        what = "a function for its objective" if callable(name) else f"objective={name!r}"
        raise ValueError(
            f"model has {what}, whose loss and scale of predictions are not known here; for a "
            f"numeric target use one of {', '.join(table)}."
        )
    return table[name](settings)


def known_measure(engine: str, name: Any, settings: Settings) -> MeanLoss:
    """Return the measure of the objective of that name; squared error where it is not known.

    Parameters
    ----------
    engine : str
        A key of OBJECTIVES.
    name, settings
        As `objective_of` takes them.
    """
    measure = objective_of(engine, name, settings).measure if _is_known(engine, name) else None
    return NegMSE() if measure is None else measure


def _is_known(engine: str, name: Any) -> bool:
    return isinstance(name, str) and name in OBJECTIVES[engine]
