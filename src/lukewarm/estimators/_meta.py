"""Estimators that fit a VariableImportance and answer one question by it."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from lukewarm.estimators._variable_importance import VariableImportance

_TAKE_MISSING = ("auto", "boosting", "catboost")


class ImportanceMetaEstimator(MetaEstimatorMixin, BaseEstimator):
    """Parameters of VariableImportance, and `_own` ones that it does not know."""

    _own: ClassVar[tuple[str, ...]]

    def _fitted_importance(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, time: Any
    ) -> VariableImportance:
        """Return the importances that the question is about."""
        validate_data(self, X, skip_check_array=True)
        options = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in self._own
        }
        importance = VariableImportance(**options)
        return importance.fit(X, y, sample_weight, groups=groups, time=time)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = (
            get_tags(self.model).input_tags.allow_nan
            if isinstance(self.model, BaseEstimator)
            else self.model in _TAKE_MISSING
        )
        tags.non_deterministic = self.random_state is None
        return tags
