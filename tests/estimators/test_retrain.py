"""Retraining compares like with like: the same rows and the same steps on both sides."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import lukewarm as lw
from lukewarm._random import derived_seed
from lukewarm.results import HealthWarning

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{HealthWarning.__module__}.HealthWarning",
)

FITTED_IN_ONE_GO = {
    "tree": DecisionTreeClassifier(),
    "neighbours": KNeighborsClassifier(),
    "bayes": GaussianNB(),
    "forest": RandomForestClassifier(n_estimators=5),
    "pipeline": make_pipeline(StandardScaler(), KNeighborsClassifier()),
}


def seeded(model, seed):
    """Return an unfitted copy that draws from `seed`, where it draws at all."""
    copied = clone(model)
    return copied.set_params(random_state=seed) if "random_state" in copied.get_params() else copied


@pytest.mark.parametrize("name", FITTED_IN_ONE_GO)
@pytest.mark.parametrize("cv", [None, 3])
def test_a_model_fitted_in_one_go_equals_a_refit_by_hand_on_all_rows_not_evaluated(name, cv):
    X, y = load_breast_cancer(return_X_y=True)
    model = FITTED_IN_ONE_GO[name]
    vi = lw.VariableImportance(
        model,
        "retrain",
        "accuracy",
        features=[7],
        cv=cv,
        random_state=0,
        inference="paired",
    ).fit(X, y)
    folds = np.split(vi._prepared.numbers, vi.predictions_.plan.full_parts[0][-1:] + 1)
    evaluated = folds[0]
    learnt_from = np.setdiff1d(np.arange(len(y)), evaluated)
    without = X.copy()
    without[:, 7] = vi._prepared.full_models[0].data.removal.fill_values[7]
    seed = derived_seed(vi._prepared.root_seed, 0, 7)
    by_hand = seeded(model, seed).fit(without[learnt_from], y[learnt_from])
    outcome = vi._prepared.outcome(0, (7,))
    assert by_hand.score(without[evaluated], y[evaluated]) > 0.8
    # Sums of the same rows; only the layout in memory may differ, and with it their order.
    tolerance = 1e-9 if name == "bayes" else 0
    expected = by_hand.predict_proba(without[evaluated])[:, 1]
    np.testing.assert_allclose(outcome.prediction, expected, rtol=tolerance, atol=0)
    assert outcome.trace.stopped_step == 1
    # No feature of these thirty is worth a tenth of the accuracy: each has several near copies.
    assert abs(vi.result_.importance[0]) < 0.1


def test_the_full_model_fitted_in_one_go_learns_from_all_rows_not_evaluated():
    X, y = load_breast_cancer(return_X_y=True)
    vi = lw.VariableImportance(
        GaussianNB(), "dropout", features=[0], random_state=0, inference="paired"
    ).fit(X, y)
    evaluated = vi._prepared.numbers
    learnt_from = np.setdiff1d(np.arange(len(y)), evaluated)
    by_hand = GaussianNB().fit(X[learnt_from], y[learnt_from])
    np.testing.assert_allclose(
        vi.predictions_.full, by_hand.predict_proba(X[evaluated])[:, 1], rtol=1e-9
    )


@pytest.fixture(scope="module", name="table")
def _table():
    """Three columns that matter, five that do not; the last 500 rows evaluate."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1500, 8))
    return X, X[:, :3] @ [3.0, 1.0, 0.5] + generator.normal(size=1500)


COLUMNS = [0, 2, 7]
TRAINED = {
    "ridge": Ridge(),
    # Leaves of some size: two columns that cut off the same single row tie, and chance decides.
    "trees": GradientBoostingRegressor(n_estimators=15, max_depth=2, min_samples_leaf=20),
    "histograms": HistGradientBoostingRegressor(max_iter=10),
    "pipeline": make_pipeline(StandardScaler(), Ridge()),
}


def by_hand(model, X, y):
    """Return the skill lost without some columns, of models trained on the first 1000 rows."""

    def skill(rows):
        fitted = clone(model).fit(rows[:1000], y[:1000])
        return -np.mean((y[1000:] - fitted.predict(rows[1000:])) ** 2)

    return skill(X) - np.array([skill(np.delete(X, column, axis=1)) for column in COLUMNS])


@pytest.mark.parametrize("name", TRAINED)
def test_retraining_a_trained_model_equals_refits_by_hand(name, table):
    X, y = table
    model = TRAINED[name]
    vi = lw.VariableImportance(
        clone(model).fit(X[:1000], y[:1000]),
        "retrain",
        features=COLUMNS,
        prefit=True,
        inference="paired",
    ).fit(X[:1000], y[:1000], X_eval=X[1000:], y_eval=y[1000:])
    expected = by_hand(model, X, y)
    assert expected[0] > 2
    # A column held constant and one that is not there differ by rounding only.
    np.testing.assert_allclose(vi.result_.importance, expected, atol=1e-9)


def skorch_net(**settings):
    skorch, torch = pytest.importorskip("skorch"), pytest.importorskip("torch")
    return skorch.NeuralNetRegressor(torch.nn.Linear(8, 1), max_epochs=2, verbose=0, **settings)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("make", "n_learnt_from"),
    [
        (lambda: HistGradientBoostingRegressor(max_iter=5, early_stopping=True), 900),
        (lambda: HistGradientBoostingRegressor(max_iter=5), 1000),
        (lambda: GradientBoostingRegressor(n_estimators=5, n_iter_no_change=3), 900),
        (lambda: MLPRegressor(max_iter=5, early_stopping=True, validation_fraction=0.3), 700),
        (lambda: make_pipeline(StandardScaler(), MLPRegressor(max_iter=5)), 1000),
        (skorch_net, 800),
        (lambda: skorch_net(train_split=None), 1000),
    ],
)
def test_rows_a_trained_model_set_aside_for_itself_do_not_train_its_opponents(
    make, n_learnt_from, table
):
    X, y = table[0].astype(np.float32), table[1].astype(np.float32)
    model = make()
    is_net = type(model).__name__ == "NeuralNetRegressor"
    model.fit(X[:1000], y[:1000, np.newaxis] if is_net else y[:1000])
    vi = lw.VariableImportance(
        model, "retrain", features=[0], prefit=True, random_state=0, inference="paired"
    )
    vi.fit(X[:1000], y[:1000], X_eval=X[1000:], y_eval=y[1000:])
    assert len(vi._prepared.full_models[0].data.train) == n_learnt_from


@pytest.mark.parametrize(("name", "method"), [("ridge", "dropout"), ("trees", "early_stopping")])
def test_the_check_of_a_trained_model_equals_refits_by_hand(name, method, table):
    X, y = table
    model = TRAINED[name]
    vi = lw.VariableImportance(
        clone(model).fit(X[:1000], y[:1000]),
        method,
        features=COLUMNS,
        prefit=True,
        random_state=0,
        inference="paired",
    ).fit(X[:1000], y[:1000], X_eval=X[1000:], y_eval=y[1000:])
    retrained = vi.check(3).set_index("feature")["retrained"]
    np.testing.assert_allclose(retrained[["x0", "x2", "x7"]], by_hand(model, X, y), atol=1e-9)


def test_a_bare_module_does_not_tell_how_it_was_trained_and_is_not_retrained(table):
    torch = pytest.importorskip("torch")
    X, y = table
    rows = {"X_eval": X[1000:], "y_eval": y[1000:]}
    vi = lw.VariableImportance(torch.nn.Linear(8, 1), "retrain", prefit=True, inference="paired")
    with pytest.raises(ValueError, match=r"how many steps .*Leave prefit out"):
        vi.fit(X[:1000], y[:1000], **rows)
    vi = lw.VariableImportance(
        torch.nn.Linear(8, 1), "dropout", features=[0], prefit=True, inference="paired"
    )
    with pytest.raises(ValueError, match="how many steps"):
        vi.fit(X[:1000], y[:1000], **rows).check(1)
