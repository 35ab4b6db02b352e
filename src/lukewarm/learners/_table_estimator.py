"""Estimators of scikit-learn's kind that read tables with gaps and levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from lukewarm._typing import Features


class TableEstimator(BaseEstimator):
    """An estimator whose X may be a frame with categories, and may have missing values."""

    # The first is what other numbers become.
    _dtypes: tuple[Any, ...] = (np.float64,)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _check_training(self, X: Any) -> Features:
        X = self._check_features(X, reset=True)
        self._has_categories = isinstance(X, pd.DataFrame)
        return X

    def _check_features(self, X: Any, *, reset: bool) -> Features:
        """Return a frame with categories as it is, anything else as a float matrix."""
        if isinstance(X, pd.DataFrame) and self._keeps_frame(X, reset):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(
            self, X, reset=reset, dtype=list(self._dtypes), ensure_all_finite="allow-nan"
        )

    def _keeps_frame(self, X: pd.DataFrame, reset: bool) -> bool:
        if reset:
            return not all(pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes)
        return self._has_categories
