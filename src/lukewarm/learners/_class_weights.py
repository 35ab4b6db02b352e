"""Weights of classes by label, for engines that get the classes as codes."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_BY_POSITION = "class_weights"  # CatBoost takes the order of a mapping's keys for that of the codes
_NAMES = ("class_weight", _BY_POSITION)


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
