"""Weights of classes: by code instead of label, and in the loss that decides when to stop.

A classifier with weights of classes learns another population, in which rare classes are as
frequent as the weights say. Its log-loss on the rows as they are is best long before it has learnt
that one, so it is stopped by the log-loss of the weighted rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_sample_weight

from lukewarm._typing import Vector

_BY_POSITION = "class_weights"  # CatBoost takes the order of a mapping's keys for that of the codes
_NAMES = ("class_weight", _BY_POSITION)
# CatBoost's names for weights by frequency, and the power of the frequency each takes.
_BY_FREQUENCY = {"Balanced": 1.0, "SqrtBalanced": 0.5}


def weights_by_code(model: Any, classes: ArrayLike | None) -> Any:
    """Return the model, or a copy whose weights of classes are given by code instead of label.

    Parameters
    ----------
    model : object
        Steps of a pipeline are seen to as well.
    classes : array-like, optional
        The labels in the order of their codes; None for a regression.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> model = SGDClassifier(class_weight={"no": 1, "yes": 5})
    >>> weights_by_code(model, ["no", "yes"]).class_weight
    {0: 1, 1: 5}
    """
    if classes is None or not hasattr(model, "get_params"):
        return model
    labels = np.asarray(classes).tolist()
    changed = {
        name: _by_code(name, weights, labels)
        for name, weights in model.get_params().items()
        if name.rpartition("__")[2] in _NAMES and isinstance(weights, Mapping)
    }
    return deepcopy(model).set_params(**changed) if changed else model


def _by_code(name: str, weights: Mapping[Any, Any], classes: list[Any]) -> Any:
    if set(weights) != set(classes):
        raise ValueError(
            f"{name} must give a weight to each of the classes {classes}; got weights of "
            f"{list(weights)}."
        )
    ordered = [weights[label] for label in classes]
    if name.rpartition("__")[2] == _BY_POSITION:
        return ordered
    return dict(enumerate(ordered))


@dataclass(frozen=True)
class ClassWeights:
    """The weights that a classifier's settings give to classes.

    Parameters
    ----------
    settings : mapping
        Of an estimator, with weights by code: ``class_weight`` of scikit-learn and LightGBM,
        ``is_unbalance`` of LightGBM, ``class_weights`` and ``auto_class_weights`` of CatBoost,
        ``scale_pos_weight`` of all boosters.

    Examples
    --------
    >>> y = np.array([0.0, 0.0, 0.0, 1.0])
    >>> ClassWeights({"scale_pos_weight": 3}).of_rows(y, None)
    array([1., 1., 1., 3.])
    >>> ClassWeights({"auto_class_weights": "Balanced"}).of_rows(y, None)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    >>> ClassWeights({}).of_rows(y, None) is None
    True
    """

    settings: Mapping[str, Any]

    def of_rows(self, y: Vector, weights: Vector | None) -> Vector | None:
        """Return the rows' own weights times those of their classes; None where all are alike."""
        for of_class in self._by_class(y):
            weights = of_class if weights is None else weights * of_class
        return weights

    def _by_class(self, y: Vector) -> list[Vector]:
        given = self.settings
        codes = y.astype(int)
        factors: list[Vector] = []
        if given.get("class_weight") is not None:
            factors.append(compute_sample_weight(given["class_weight"], codes))
        if given.get("is_unbalance"):
            factors.append(compute_sample_weight("balanced", codes))
        if given.get("auto_class_weights") in _BY_FREQUENCY:
            power = _BY_FREQUENCY[given["auto_class_weights"]]
            factors.append(compute_sample_weight("balanced", codes) ** power)
        if given.get(_BY_POSITION) is not None:
            factors.append(np.array([float(given[_BY_POSITION][code]) for code in codes]))
        if given.get("scale_pos_weight") is not None:
            factors.append(np.where(codes == 1, float(given["scale_pos_weight"]), 1.0))
        return factors
