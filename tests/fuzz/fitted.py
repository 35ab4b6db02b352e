"""Small fitted estimators, to call methods of."""

import warnings
from functools import cache
from typing import Any

import numpy as np

import lukewarm as lw
from fuzz.values import matrix, target


def fresh() -> tuple[Any, Any]:
    """Return a fitted VariableImportance and ShapleyImportance, to call methods of."""
    rng = np.random.default_rng(0)
    X = matrix(rng)
    y = target(rng, X)
    own = {"model": "boosting", "max_steps": 3, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        variable = lw.VariableImportance(**own).fit(X, y)
        shapley = lw.ShapleyImportance(solver="kernel", n_coalitions=6, **own).fit(X, y)
    return variable, shapley


fitted = cache(fresh)
