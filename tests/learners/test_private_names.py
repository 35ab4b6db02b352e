"""The private names of scikit-learn in use: a release that drops one is named here first."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.neural_network import MLPClassifier

import lukewarm
from lukewarm.learners.boosters._hist_gradient import HistGradientBoostingLearner
from lukewarm.learners.sklearn import _private
from lukewarm.learners.sklearn._private import check_fitted_names, check_private_names

SETTINGS = {
    GradientBoostingClassifier: {"n_estimators": 2},
    GradientBoostingRegressor: {"n_estimators": 2},
    HistGradientBoostingClassifier: {"max_iter": 2},
    HistGradientBoostingRegressor: {"max_iter": 2},
    MLPClassifier: {"max_iter": 2},
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_scikit_learn_has_the_private_names_in_use(kind):
    X = np.random.default_rng(0).normal(size=(60, 2))
    check_private_names(kind)
    check_fitted_names(kind(**SETTINGS[kind]).fit(X, (X[:, 0] > 0).astype(int)))


def test_a_name_that_is_gone_is_named_before_anything_is_trained(monkeypatch):
    monkeypatch.setitem(_private._OF_CLASSES, "HistGradientBoostingRegressor", ("_no_such_name",))

    class Booster(HistGradientBoostingRegressor):
        """A class of its own, for which nothing has been checked yet."""

    with pytest.raises(
        ImportError,
        match=r"scikit-learn \d.* has no HistGradientBoostingRegressor\._no_such_name.*works with",
    ):
        HistGradientBoostingLearner(Booster())


def test_no_other_module_imports_private_names():
    root = Path(lukewarm.__file__).parent
    private = re.compile(r"(from|import) sklearn[\w.]*\._|from sklearn[\w.]* import _")
    using = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if private.search(path.read_text(encoding="utf-8"))
    ]
    assert using == ["learners/sklearn/_private.py"]
