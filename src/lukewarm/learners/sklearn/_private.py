"""Every private name of scikit-learn that this library uses, behind functions of its own.

scikit-learn's boosters cannot be trained on top of a given margin, nor tell what single trees add,
and its networks cannot be told that labels have become codes. Private names can change with any
release. `check_private_names` says which one is gone before a model is trained: a method that is
overridden here under a name that scikit-learn no longer calls would be wrong in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import _openmp_helpers

from lukewarm._typing import Features
from lukewarm.measures import Task

_TESTED = "1.6 to 1.9"
# By the end of a class's name: what the class itself must have.
_OF_CLASSES = {
    "HistGradientBoostingRegressor": (
        "_is_fitted",
        "_raw_predict",
        "_preprocess_X",
        "_predict_iterations",
    ),
    "HistGradientBoostingClassifier": (
        "_is_fitted",
        "_raw_predict",
        "_preprocess_X",
        "_predict_iterations",
        "_get_loss",
    ),
    "GradientBoostingRegressor": ("_raw_predict", "_raw_predict_init"),
    "GradientBoostingClassifier": ("_raw_predict", "_raw_predict_init"),
}
# What a fitted model must have.
_OF_MODELS = {
    "HistGradientBoostingRegressor": ("_predictors", "_baseline_prediction", "_preprocessor"),
    "HistGradientBoostingClassifier": ("_predictors", "_baseline_prediction", "_preprocessor"),
    "GradientBoostingRegressor": ("_rng",),
    "GradientBoostingClassifier": ("_rng",),
    "MLPClassifier": ("_label_binarizer",),
}


def check_private_names(kind: type) -> None:
    """Raise an ImportError when a class of scikit-learn lacks a private name that is used here."""
    for base in kind.__mro__:
        _check(kind, base.__name__, _OF_CLASSES.get(base.__name__, ()))


def check_fitted_names(model: Any) -> None:
    """Raise an ImportError when a fitted model lacks a private name that is used here."""
    for base in type(model).__mro__:
        _check(model, base.__name__, _OF_MODELS.get(base.__name__, ()))


def _check(owner: Any, name: str, wanted: Iterable[str]) -> None:
    gone = [each for each in wanted if not hasattr(owner, each)]
    if gone:
        raise ImportError(
            f"scikit-learn {sklearn.__version__} has no {name}.{gone[0]}, which lukewarm needs to "
            f"train such a model further; it works with scikit-learn {_TESTED}. Install one of "
            "these, or use another booster, such as model='boosting'."
        )


# HistGradientBoosting


class _OnTopOfMargin:
    """A histogram booster that believes to be fitted already, to the margin it is given."""

    _margin: np.ndarray | None

    def _is_fitted(self) -> bool:
        return True

    def _raw_predict(self, X: Any, n_threads: int | None = None) -> np.ndarray:
        return np.array(self._margin, order="F")


class _RegressorOnTop(_OnTopOfMargin, HistGradientBoostingRegressor):
    pass


class _ClassifierOnTop(_OnTopOfMargin, HistGradientBoostingClassifier):
    _longest_leaf = np.inf

    def _get_loss(self, sample_weight: Any) -> Any:
        loss: Any = super()._get_loss(sample_weight=sample_weight)
        if np.isfinite(self._longest_leaf):
            loss.gradient_hessian = _with_curvature(loss.gradient_hessian, 1 / self._longest_leaf)
        return loss


def _with_curvature(gradient_hessian: Any, least: float) -> Any:
    """Return the function with curvatures of at least so many times the gradient's size.

    A leaf is a sum of gradients over a sum of curvatures, so none is longer than 1 / `least`; the
    booster has no setting for that.
    """

    def bounded(**rows: Any) -> tuple[np.ndarray, np.ndarray]:
        gradient, curvature = gradient_hessian(**rows)
        np.maximum(curvature, least * np.abs(gradient), out=curvature)
        return gradient, curvature

    return bounded


def histogram_booster_on(
    margin: np.ndarray, task: Task, settings: dict[str, Any], longest_leaf: float
) -> Any:
    """Return a histogram booster whose first tree is grown on top of a margin (n, d).

    Parameters
    ----------
    margin : ndarray of shape (n, d)
    task : Task
    settings : dict
        Parameters of the booster.
    longest_leaf : float
        The largest step of a leaf; infinite for no bound.
    """
    kind = _RegressorOnTop if task.is_regression else _ClassifierOnTop
    model: Any = kind(**settings)
    seed = settings["random_state"]
    model._margin = margin
    model._longest_leaf = longest_leaf
    model._predictors = []
    model._random_seed = seed
    model._feature_subsample_rng = np.random.default_rng(seed)
    model._baseline_prediction = np.zeros((1, margin.shape[1]))
    model.train_score_ = model.validation_score_ = np.empty(0)
    model.n_trees_per_iteration_ = margin.shape[1]
    return model


def forget_margin(model: Any) -> None:
    """Drop the margin of the training rows once the booster is trained."""
    model._margin = None


def histogram_trees(model: Any, start: int, end: int) -> list[list[Any]]:
    """Return the trees of the iterations start + 1 .. end, one for each output."""
    return model._predictors[start:end]


def histogram_intercept(model: Any) -> np.ndarray:
    """Return where a histogram booster starts from, shape (1, d)."""
    return model._baseline_prediction


def moves_columns(model: Any) -> bool:
    """Return whether a histogram booster puts columns of levels to the front."""
    return model._preprocessor is not None


def histogram_place(model: Any, column: int) -> int:
    """Return the number that the trees of a histogram booster have for a column."""
    if not moves_columns(model):
        return column
    is_category = model.is_categorical_
    order = np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)])
    return int(np.flatnonzero(order == column)[0])


def histogram_level_sets(tree: Any) -> np.ndarray:
    """Return the sets of levels that splits send left, as words of 32 bits: (n_sets, 8)."""
    return tree.raw_left_cat_bitsets


def as_histogram_rows(model: Any, X: Features) -> Any:
    """Return the rows in the order of columns that the trees of a histogram booster know."""
    return model._preprocess_X(X, reset=False)


def add_histogram_trees(model: Any, X: Any, trees: list[list[Any]], total: np.ndarray) -> None:
    """Add what the trees give for the rows to `total` (n, d), which is changed in place."""
    n_threads = _openmp_helpers._openmp_effective_n_threads()
    model._predict_iterations(X, trees, total, is_binned=False, n_threads=n_threads)


# GradientBoosting


def set_generator(model: Any, generator: np.random.RandomState) -> None:
    """Let the further trees of an exact booster draw from this generator."""
    model._rng = generator


def fit_on(margin: np.ndarray | None, model: Any, X: Features, y: Any, weights: Any) -> None:
    """Fit an exact booster with ``warm_start`` on top of a margin (n, d), where there is one.

    Its own sum would take the old trees at the new learning rate.

    Parameters
    ----------
    margin : ndarray of shape (n, d), or None
    model : GradientBoostingRegressor or GradientBoostingClassifier
    X, y, weights
        As its `fit` takes them.
    """
    if margin is not None:
        model._raw_predict = lambda rows: margin.copy()
    model.fit(X, y, sample_weight=weights)
    vars(model).pop("_raw_predict", None)


def first_margin(model: Any, X: np.ndarray) -> np.ndarray:
    """Return where an exact booster starts from, shape (n, d)."""
    return model._raw_predict_init(X)


# MLP


def with_codes(model: Any, task: Task) -> Any:
    """Return a fitted network or linear model that takes class codes where it took labels."""
    if not task.is_regression:
        model.classes_ = task.codes
        if hasattr(model, "_label_binarizer"):
            model._label_binarizer = LabelBinarizer().fit(model.classes_)
    return model
