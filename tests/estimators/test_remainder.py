"""Effects that a model cannot learn lengthen intervals, and are told."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.exceptions.HealthWarning")


def table(n_rows=500, seed=0):
    """Return columns of which a line of the third and a product of the others decide y."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n_rows, 4)), columns=list("abcd"))
    return X, X["a"] * X["b"] + X["c"] + 0.3 * generator.normal(size=n_rows)


def ends(result):
    low, high = result.interval()
    return dict(zip(result.names, zip(low, high, strict=True), strict=True))


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return lw.VariableImportance(LinearRegression(), random_state=0).fit(X, y)


def test_intervals_reach_what_a_line_cannot_learn(fitted):
    # The importance of a, b and c is 1 each, that of d nothing. The upper end is that of a machine
    # of half the rows, which has not learnt all, and of these rows.
    intervals = ends(fitted.result_)
    assert abs(fitted.result_.importance[0]) < 0.2
    for name in "abc":
        low, high = intervals[name]
        assert low < 1
        assert 0.9 < high < 1.5
    assert intervals["d"][1] < 0.2


def test_the_remark_says_how_much_is_missed(fitted):
    remarks = fitted.result_.health().query("name == 'underfit'")
    # Half of what there is to explain: as much again would be.
    (message,) = remarks["message"]
    assert "residuals" in message
    assert 0.7 < fitted.predictions_.remainder.share < 1.3


@pytest.mark.parametrize("model", ["auto", "kernel"])
def test_a_model_that_learns_the_product_leaves_nothing(model):
    X, y = table()
    vi = lw.VariableImportance(model, random_state=0, features=["a", "d"]).fit(X, y)
    assert vi.predictions_.remainder is None
    assert ends(vi.result_)["a"][0] > 0.5


def test_a_line_of_lines_leaves_nothing():
    # By chance, a machine helps by two standard errors on rows it did not see in one table of
    # forty, and on both halves more rarely: two in ten are less likely than one in forty.
    opened = 0
    for seed in range(10):
        X, _ = table(200, seed)
        y = X["a"] + X["c"] + np.random.default_rng(seed).normal(size=200)
        vi = lw.VariableImportance("linear", features=["a"], random_state=0, inference="paired")
        opened += vi.fit(X, y).predictions_.remainder is not None
    assert opened <= 1


def test_classes_reach_it_too():
    X, y = table(600)
    labels = np.where(y > 0, "yes", "no")
    vi = lw.VariableImportance(
        LogisticRegression(), measure=["neg_log_loss", "auc"], random_state=0
    ).fit(X, labels)
    for result in vi.results_.values():
        highs = result.interval()[1]
        assert (highs[:2] > 5 * highs[3]).all()
    assert "underfit" in set(vi.result_.health()["name"])


def test_levels_outputs_groups_and_weights_are_taken():
    X, y = table()
    levels = X.assign(d=pd.cut(X["d"], 3, labels=["low", "middle", "high"]))
    both = pd.DataFrame({"first": y, "second": 100 * X["a"]})
    groups = np.repeat(np.arange(100), 5)
    for table_of, target, more in (
        (levels, y, {"sample_weight": np.linspace(0.5, 1.5, len(y))}),
        (X, both, {}),
        (X, y, {"groups": groups}),
    ):
        model = LinearRegression() if table_of is X else "linear"
        vi = lw.VariableImportance(model, random_state=0).fit(table_of, target, **more)
        assert vi.predictions_.remainder.share > 0.2
        assert ends(vi.result_)["b"][1] > 5 * ends(vi.result_)["d"][1]


def test_one_seed_one_limit_however_sets_are_asked_for(fitted):
    X, y = table()
    again = lw.VariableImportance(
        LinearRegression(), random_state=0, features=["b", "d"], n_jobs=2
    ).fit(X, y)
    highs = ends(fitted.result_)
    assert all(highs[name] == end for name, end in ends(again.result_).items())
    assert np.isfinite(fitted.result_.by(X["c"] > 0)["True"].interval()[1]).all()


def test_a_trained_model_is_told_and_keeps_its_intervals():
    X, y = table(300)
    model = LinearRegression().fit(*table(300, seed=1))
    vi = lw.VariableImportance(model, prefit=True).fit(X, y, X_eval=X, y_eval=y)
    (message,) = vi.result_.health().query("name == 'underfit'")["message"]
    assert "no interval allows for it" in message
    assert ends(vi.result_)["a"][1] < 0.3


def test_labels_are_no_probabilities_that_could_be_off():
    X, _ = table()
    y = (X["c"] + np.random.default_rng(0).normal(size=len(X)) > 0).astype(int)
    members = [("line", LogisticRegression()), ("bayes", GaussianNB())]
    for voting, label in (("hard", "(labels)"), ("soft", "VotingClassifier")):
        vi = lw.VariableImportance(
            VotingClassifier(members, voting=voting), task="classification", random_state=0
        ).fit(X, y)
        assert label in vi.result_.model
        assert "underfit" not in set(vi.result_.health()["name"])


def test_retraining_has_no_second_look():
    X, y = table(200)
    again = lw.VariableImportance(LinearRegression(), "retrain", random_state=0).fit(X, y)
    assert again.predictions_.remainder is None


def test_shapley_values_are_told_of_too():
    X, y = table(600)
    missed = lw.ShapleyImportance(LinearRegression(), inference="paired", random_state=0).fit(X, y)
    learnt = lw.ShapleyImportance("kernel", inference="paired", random_state=0).fit(X, y)
    assert "underfit" in set(missed.result_.health()["name"])
    assert "underfit" not in set(learnt.result_.health()["name"])
