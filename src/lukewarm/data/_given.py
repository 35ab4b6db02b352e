"""The user's table as the models of other libraries are to see it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm.data._table import column_names


def as_given(X: Any) -> pd.DataFrame | None:
    """Return the user's frame with its own names and dtypes; None for an array of numbers.

    Text and other names side by side become text, because scikit-learn refuses such a mixture.
    An array that holds text becomes a frame with numbered columns.

    Examples
    --------
    >>> as_given(pd.DataFrame({1: [True], "b": ["u"]})).dtypes.index.tolist()
    ['1', 'b']
    """
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True)
        is_text = {isinstance(label, str) for label in frame.columns}
        return frame if len(is_text) == 1 else frame.set_axis(list(column_names(frame)), axis=1)
    array = np.asarray(X)
    return pd.DataFrame(array).infer_objects() if array.dtype.kind in "OSU" else None


def with_labels(X: Features, labels: pd.Index) -> pd.DataFrame:
    """Return a table, as the library keeps it, as a frame with these column names."""
    if isinstance(X, pd.DataFrame):
        return X.set_axis(labels, axis=1)
    return pd.DataFrame(X, columns=labels)
