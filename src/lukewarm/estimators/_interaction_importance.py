"""InteractionImportance: which pairs of features need, or stand for, each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import RandomState
from lukewarm._validation import check_count
from lukewarm.estimators._meta import ImportanceMetaEstimator
from lukewarm.measures import Measure
from lukewarm.reduction import Reduction


class InteractionImportance(ImportanceMetaEstimator):
    """Interactions VI_j + VI_k - VI_jk of the leading features, with intervals.

    For pairs as the first question; a fitted :class:`VariableImportance` has the same table as
    ``vi.interactions(top)``.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner, default "auto"
        See :class:`VariableImportance`.
    top : int, default 10
        All pairs of so many feature sets, the most important ones: 45 pairs of 10.
    method, measure, task, features, groups, inference, cv, level
        Those of :class:`VariableImportance`.
    random_state : None, int or Generator
    n_jobs : int, optional

    Attributes
    ----------
    interactions_ : DataFrame
        One row per pair, the largest interaction first: `first`, `second`, the importance of both
        `together`, `interaction`, `std_error`, `ci_low`, `ci_high` and two-sided `p_value`; see
        :meth:`VariableImportance.interactions`.
    importance_ : VariableImportance
        The fitted estimator, with the `result_` of single features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where `X` names its columns by text.

    Examples
    --------
    >>> import numpy as np
    >>> import lukewarm as lw
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> pairs = lw.InteractionImportance("boosting", inference="paired", random_state=0)
    >>> frame = pairs.fit(X, X[:, 0] * X[:, 1] + X[:, 2]).interactions_
    >>> frame.loc[0, ["first", "second"]].tolist(), bool(frame.loc[0, "ci_low"] > 0)
    (['x0', 'x1'], True)
    """

    _own = ("top",)

    def __init__(
        self,
        model: Any = "auto",
        *,
        top: int = 10,
        method: str | Reduction = "auto",
        measure: str | Measure | None = None,
        task: str = "auto",
        features: Sequence[Any] | None = None,
        groups: str | Mapping[str, Any] | None = None,
        inference: str = "auto",
        cv: Any = None,
        level: float = 0.95,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.top = top
        self.method = method
        self.measure = measure
        self.task = task
        self.features = features
        self.groups = groups
        self.inference = inference
        self.cv = cv
        self.level = level
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
    ) -> InteractionImportance:
        """Measure the importances, then the pairs of the leading feature sets.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        groups, time : array-like of shape (n,), optional
            Which rows belong together, and when each was seen; see
            :meth:`VariableImportance.fit`.
        """
        check_count("top", self.top, minimum=2)
        self.importance_ = self._fitted_importance(X, y, sample_weight, groups, time)
        self.interactions_ = self.importance_.interactions(self.top)
        return self

    def plot(self, **options: Any) -> Any:
        """Draw the pairs as a heat map and return the matplotlib Axes.

        Parameters
        ----------
        **options
            Passed on to :func:`lukewarm.plot_interactions`.
        """
        from lukewarm.plotting import plot_interactions

        check_is_fitted(self, "interactions_")
        return plot_interactions(self.interactions_, **options)

    def plot_network(self, **options: Any) -> Any:
        """Draw the pairs as lines between features and return the matplotlib Axes.

        The areas of the features are their importances.

        Parameters
        ----------
        **options
            Passed on to :func:`lukewarm.plot_interaction_network`.
        """
        from lukewarm.plotting import plot_interaction_network

        check_is_fitted(self, "interactions_")
        return plot_interaction_network(self.interactions_, self.importance_.result_, **options)
