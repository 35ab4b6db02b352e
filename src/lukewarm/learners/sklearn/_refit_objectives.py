"""What estimators that are fitted in one go are trained on, by their class and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lukewarm.learners._objectives import known_measure
from lukewarm.measures import (
    GammaDeviance,
    MeanLoss,
    NegMAE,
    NegMSE,
    Pinball,
    PoissonDeviance,
    TweedieDeviance,
)

Settings = Mapping[str, Any]


def _of_power(settings: Settings) -> MeanLoss:
    power = float(settings["power"])
    named: dict[float, MeanLoss] = {1.0: PoissonDeviance(), 2.0: GammaDeviance()}
    # Powers between 0 and 1 belong to no distribution; 0 is the normal one.
    return named.get(power, TweedieDeviance(power)) if power >= 1 else NegMSE()


def _of_criterion(settings: Settings) -> MeanLoss:
    named: dict[str, MeanLoss] = {"absolute_error": NegMAE(), "poisson": PoissonDeviance()}
    return named.get(settings["criterion"], NegMSE())


# Boosters whose trees are no sum to add to are fitted in one go, too.
_ENGINES = {"LGBMRegressor": "LightGBM", "XGBRegressor": "XGBoost"}
_BY_CLASS: dict[str, Callable[[Settings], MeanLoss]] = {
    "QuantileRegressor": lambda settings: Pinball(float(settings["quantile"])),
    # Its delta is a multiple of a spread that is only known after the fit.
    "HuberRegressor": lambda settings: NegMAE(),
    "PoissonRegressor": lambda settings: PoissonDeviance(),
    "GammaRegressor": lambda settings: GammaDeviance(),
    "TweedieRegressor": _of_power,
    "RandomForestRegressor": _of_criterion,
    "ExtraTreesRegressor": _of_criterion,
    "DecisionTreeRegressor": _of_criterion,
}


def measure_of(estimator: Any) -> MeanLoss:
    """Return the measure that suits what a regressor is trained on; squared error unless known.

    Support vectors stay at squared error: their loss belongs to neither mean nor median.

    Subclasses are known by their scikit-learn parents.

    Examples
    --------
    >>> from sklearn.linear_model import QuantileRegressor, Ridge
    >>> measure_of(QuantileRegressor(quantile=0.9)).name, measure_of(Ridge()).name
    ('pinball(0.9)', 'neg_mse')
    """
    for kind in type(estimator).__mro__:
        if kind.__name__ in _ENGINES:
            return known_measure(
                _ENGINES[kind.__name__], estimator.objective, estimator.get_params(deep=False)
            )
        if kind.__name__ in _BY_CLASS and kind.__module__.startswith("sklearn."):
            return _BY_CLASS[kind.__name__](estimator.get_params(deep=False))
    return NegMSE()
