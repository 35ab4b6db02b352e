"""ImportanceSelector: the features whose importance is above zero, as a step of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import RandomState
from lukewarm._validation import check_choice, check_fraction
from lukewarm.estimators._meta import ImportanceMetaEstimator
from lukewarm.inference import ADJUSTMENTS
from lukewarm.measures import Measure
from lukewarm.reduction import Reduction


class ImportanceSelector(SelectorMixin, ImportanceMetaEstimator):
    """The columns without which a model predicts worse, chosen by adjusted p-values.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner, default "auto"
        The model whose skill counts; see :class:`VariableImportance`. It is trained by `fit` and
        needs not be the one that comes after the selector.
    alpha : float, default 0.05
        What the adjustment bounds: with "bh" and "by" the expected share of useless columns among
        those selected, with "holm" the chance of selecting any.
    adjust : "bh", "by" or "holm", default "bh"
        How p-values are adjusted for the number of feature sets.
    method, measure, task, groups, inference, cv
        Those of :class:`VariableImportance`. Columns of a group are kept or left out together.
    random_state : None, int or Generator
    n_jobs : int, optional

    Attributes
    ----------
    importance_ : VariableImportance
        The fitted estimator, with its `result_`.
    support_ : ndarray of bool, shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where `X` names its columns by text.

    Notes
    -----
    An importance is what a column adds to all the others. Of two columns that say the same, neither
    adds anything, and both would be left out: join them by ``groups={"correlation": 0.9}``. Rows
    are spent on the test, so the selector belongs inside the cross-validation of a pipeline, where
    scikit-learn puts it.

    Examples
    --------
    >>> import lukewarm as lw
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
    >>> selector = lw.ImportanceSelector(LinearRegression(), random_state=0)
    >>> pipeline = make_pipeline(selector, LinearRegression()).fit(data.X, data.y)
    >>> pipeline[0].get_support()[:3]
    array([ True,  True,  True])
    """

    _own = ("alpha", "adjust")

    def __init__(
        self,
        model: Any = "auto",
        *,
        alpha: float = 0.05,
        adjust: str = "bh",
        method: str | Reduction = "auto",
        measure: str | Measure | None = None,
        task: str = "auto",
        groups: str | Mapping[str, Any] | None = None,
        inference: str = "auto",
        cv: Any = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.adjust = adjust
        self.method = method
        self.measure = measure
        self.task = task
        self.groups = groups
        self.inference = inference
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        time: Any = None,
    ) -> ImportanceSelector:
        """Measure the importances and keep the columns that have one.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        groups, time : array-like of shape (n,), optional
            Which rows belong together, and when each was seen; see
            :meth:`VariableImportance.fit`.
        """
        check_fraction("alpha", self.alpha)
        check_choice("adjust", self.adjust, ADJUSTMENTS)
        importance = self._fitted_importance(X, y, sample_weight, groups, time)
        result = importance.result_
        chosen = set(result.select(self.alpha, adjust=self.adjust))
        support = np.zeros(importance.n_features_in_, dtype=bool)
        for name, columns in zip(result.names, result.removed, strict=True):
            support[list(columns)] = name in chosen
        self.importance_, self.support_ = importance, support
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_
