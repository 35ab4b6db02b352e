"""Models of other libraries, each with its defaults and with a light tuning; one thread each.

Tuned boosters take small steps until a fifth of the rows no longer improves; the others choose
from a small grid on that fifth, and are then fitted on all rows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

MOST_TREES = 2000
PATIENCE = 50


def _split(data, seed):
    strata = None if data.n_classes is None else data.y
    return train_test_split(data.X, data.y, test_size=0.2, random_state=seed, stratify=strata)


def _predict(model, n_classes):
    if n_classes is None:
        return model.predict
    if n_classes == 2:
        return lambda X: model.predict_proba(X)[:, 1]
    return model.predict_proba


def _levels(X):
    if not isinstance(X, pd.DataFrame):
        return []
    return list(X.select_dtypes("category").columns)


def _lightgbm(data, seed, tuned):
    import lightgbm

    kind = lightgbm.LGBMRegressor if data.n_classes is None else lightgbm.LGBMClassifier
    shared = {"n_jobs": 1, "verbose": -1, "random_state": seed}
    if not tuned:
        return kind(**shared).fit(data.X, data.y)
    X, X_stop, y, y_stop = _split(data, seed)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    model = kind(n_estimators=MOST_TREES, learning_rate=0.05, **shared)
    return model.fit(X, y, eval_set=[(X_stop, y_stop)], callbacks=[stop])


def _xgboost(data, seed, tuned):
    import xgboost

    kind = xgboost.XGBRegressor if data.n_classes is None else xgboost.XGBClassifier
    shared = {"n_jobs": 1, "random_state": seed, "enable_categorical": True}
    if not tuned:
        return kind(**shared).fit(data.X, data.y)
    X, X_stop, y, y_stop = _split(data, seed)
    model = kind(
        n_estimators=MOST_TREES,
        learning_rate=0.05,
        early_stopping_rounds=PATIENCE,
        **shared,
    )
    return model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False)


def _catboost(data, seed, tuned):
    import catboost

    kind = catboost.CatBoostRegressor if data.n_classes is None else catboost.CatBoostClassifier
    shared = {
        "thread_count": 1,
        "verbose": False,
        "random_seed": seed,
        "allow_writing_files": False,
        "cat_features": _levels(data.X),
    }
    if not tuned:
        return kind(**shared).fit(data.X, data.y)
    X, X_stop, y, y_stop = _split(data, seed)
    model = kind(iterations=MOST_TREES, learning_rate=0.05, **shared)
    return model.fit(X, y, eval_set=(X_stop, y_stop), early_stopping_rounds=PATIENCE)


def _hist(data, seed, tuned):
    is_regression = data.n_classes is None
    kind = HistGradientBoostingRegressor if is_regression else HistGradientBoostingClassifier
    changed = {}
    if tuned:
        changed = {
            "max_iter": MOST_TREES,
            "learning_rate": 0.05,
            "early_stopping": True,
            "validation_fraction": 0.2,
            "n_iter_no_change": PATIENCE,
        }
    return kind(random_state=seed, **changed).fit(data.X, data.y)


def _plain(model, data):
    """The model behind indicators of levels and standardised columns."""
    numbers = StandardScaler()
    if _levels(data.X):
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        select = make_column_selector(dtype_include="category")
        numbers = make_column_transformer((one_hot, select), remainder=numbers)
    return make_pipeline(numbers, model)


def _best_of(makes, data, seed):
    """Fit the model of a grid that predicts a fifth of the rows best, on all rows."""
    X, X_stop, y, y_stop = _split(data, seed)
    scores = []
    for make in makes:
        predict = _predict(_plain(make(), data).fit(X, y), data.n_classes)
        if data.n_classes is None:
            scores.append(mean_squared_error(y_stop, predict(X_stop)))
        else:
            labels = np.arange(data.n_classes)
            scores.append(log_loss(y_stop, predict(X_stop), labels=labels))
    return _plain(makes[int(np.argmin(scores))](), data).fit(data.X, data.y)


def _forest(regressor, classifier):
    def fit(data, seed, tuned):
        kind = regressor if data.n_classes is None else classifier
        if not tuned:
            return _plain(kind(n_jobs=1, random_state=seed), data).fit(data.X, data.y)
        makes = [
            lambda share=share, least=least: kind(
                n_jobs=1, random_state=seed, max_features=share, min_samples_leaf=least
            )
            for share in (1 / 3, 1.0)
            for least in (1, 5)
        ]
        return _best_of(makes, data, seed)

    return fit


def _kernel_ridge(data, seed, tuned):
    p = data.X.shape[1]
    if not tuned:
        return _CentredRidge(_plain(KernelRidge(kernel="rbf"), data)).fit(data.X, data.y)
    makes = [
        lambda gamma=gamma, alpha=alpha: KernelRidge(kernel="rbf", gamma=gamma / p, alpha=alpha)
        for gamma in (0.03, 0.1, 0.3, 1.0)
        for alpha in (0.01, 0.1, 1.0)
    ]
    mean = data.y.mean()
    X, X_stop, y, y_stop = _split(data, seed)
    scores = [
        mean_squared_error(y_stop - mean, _plain(make(), data).fit(X, y - mean).predict(X_stop))
        for make in makes
    ]
    best = _plain(makes[int(np.argmin(scores))](), data)
    return _CentredRidge(best).fit(data.X, data.y)


class _CentredRidge:
    """Kernel ridge regression has no constant; the mean of y is one."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.mean = y.mean()
        self.model.fit(X, y - self.mean)
        return self

    def predict(self, X):
        return self.mean + self.model.predict(X)


def _svm(data, seed, tuned):
    p = data.X.shape[1]
    if not tuned:
        return _plain(SVC(probability=True, random_state=seed), data).fit(data.X, data.y)
    makes = [
        lambda gamma=gamma, C=C: SVC(gamma=gamma / p, C=C, probability=True, random_state=seed)
        for gamma in (0.03, 0.3, 1.0)
        for C in (0.3, 3.0)
    ]
    return _best_of(makes, data, seed)


def _mlp(data, seed, tuned):
    kind = MLPRegressor if data.n_classes is None else MLPClassifier
    if not tuned:
        return _scaled_mlp(lambda: kind(random_state=seed), data, seed, False)
    # A tenth of few rows says too little of when to stop.
    shared = {"early_stopping": len(data.y) > 1000, "max_iter": 500, "random_state": seed}
    make = [
        lambda alpha=alpha, sizes=sizes: kind(hidden_layer_sizes=sizes, alpha=alpha, **shared)
        for sizes in ((100,), (100, 100))
        for alpha in (1e-4, 1.0)
    ]
    return _scaled_mlp(make, data, seed, True)


def _scaled_mlp(make, data, seed, tuned):
    """A network on a target of unit spread, which its step size presumes."""
    if data.n_classes is not None:
        return _best_of(make, data, seed) if tuned else _plain(make(), data).fit(data.X, data.y)
    mean, spread = data.y.mean(), data.y.std()
    scaled = type(data)(data.X, (data.y - mean) / spread, data.X_test, data.y_test, None)
    model = _best_of(make, scaled, seed) if tuned else _plain(make(), data).fit(data.X, scaled.y)
    return _Rescaled(model, mean, spread)


class _Rescaled:
    def __init__(self, model, mean, spread):
        self.model, self.mean, self.spread = model, mean, spread

    def predict(self, X):
        return self.mean + self.spread * self.model.predict(X)


def _kernel(data, seed, tuned):
    return (_kernel_ridge if data.n_classes is None else _svm)(data, seed, tuned)


_FITS = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "hist_gradient_boosting": _hist,
    "random_forest": _forest(RandomForestRegressor, RandomForestClassifier),
    "extra_trees": _forest(ExtraTreesRegressor, ExtraTreesClassifier),
    "kernel": _kernel,
    "mlp": _mlp,
}
RIVALS = tuple(name + end for name in _FITS for end in ("", "_tuned"))


def fit_rival(name, data, seed):
    """Return the fitted model's predict."""
    tuned = name.endswith("_tuned")
    model = _FITS[name.removesuffix("_tuned")](data, seed, tuned)
    return _predict(model, data.n_classes)
