"""Columns that others determine by steps."""

import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.data import Removal, Rows
from lukewarm.evaluation import ScoredRows
from lukewarm.reduction.projection._column_values import codes_of
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._regressions import Regressions
from lukewarm.reduction.projection._rules import fit_rule, may_follow_a_rule


def regressions_of(X):
    train, stopping = (Rows(part, np.zeros(len(part))) for part in (X[:300], X[300:400]))
    return Regressions(train, stopping, Removal.learn(X[:300]))


@pytest.fixture
def numbers(generator):
    return generator.normal(size=(900, 3))


def wrong_share(X, column):
    """How often a row's most probable value is not its own, on rows that nothing has seen."""
    regressions = regressions_of(X)
    draws = ConditionalDraws(regressions, (column,))
    values = X.iloc[:, column] if isinstance(X, pd.DataFrame) else X[:, column]
    guess = draws.central_values(regressions.prepare(X[400:]))[column]
    return np.mean(np.asarray(guess) != np.asarray(values)[400:])


def test_bins_of_a_number_are_known_but_for_rows_beside_their_borders(numbers):
    x = numbers[:, 0]
    # 300 rows leave gaps of a few hundredths at five borders; half of each is on the wrong side.
    assert wrong_share(np.column_stack([numbers, np.clip(np.floor(x), -3, 2)]), 3) < 0.03


def test_so_are_levels(numbers):
    frame = pd.DataFrame(numbers, columns=list("abc"))
    frame["region"] = np.where(frame["a"] > 0.3, "east", np.where(frame["b"] > 0, "north", "south"))
    frame["region"] = frame["region"].astype("category")
    assert wrong_share(frame, 3) < 0.03


def test_of_a_column_by_chance_there_is_no_rule(numbers, generator):
    coin = generator.integers(0, 2, 900).astype(float)
    X = np.column_stack([numbers, coin])
    regressions = regressions_of(X)
    assert not regressions.may_follow_a_rule((X[:300, 3], X[300:400, 3]), (3,))
    share = ConditionalDraws(regressions, (3,)).residuals(regressions.prepare(X[400:]))
    # Its probability stays about a half in every row.
    assert np.abs(np.abs(share) - 0.5).max() < 0.25


def test_of_a_column_that_follows_a_line_the_line_is_the_guess(numbers):
    # Some fifty values, but a line leaves a twelfth of a step's square, and a tree much more.
    rounded = np.round(5 * (numbers[:, 0] + numbers[:, 1]))
    X = np.column_stack([numbers, rounded])
    regressions = regressions_of(X)
    draws = ConditionalDraws(regressions, (3,))
    left = draws.residuals(regressions.prepare(X[400:]))
    assert np.mean(left**2) < 0.12
    rule = regressions.rule(X[:300, 3], (3,)).predict(regressions.prepare(X[400:]))
    assert np.mean((X[400:, 3] - rule) ** 2) > 0.5


def test_one_value_on_the_rows_that_judge_shows_no_rule(numbers):
    # The ones lie where no row judges, so a tree is right about all of these.
    functions = numbers.copy()
    functions[[5, 200], 0] = 50.0
    rare = (functions[:, 0] == 50.0) + 0.0
    tree = fit_rule(functions[:300], rare[:300], np.arange(3), None)
    assert not tree.predict(functions[300:400]).any()
    columns = rare[:300], rare[300:400]
    assert not may_follow_a_rule((functions[:300], functions[300:400]), columns, np.arange(3))


def test_rules_do_not_read_what_is_removed(numbers):
    x = numbers[:, 0]
    functions, places = numbers[:400], np.array([1, 2])
    bins = np.floor(2 * x[:400])
    assert not may_follow_a_rule(
        (functions[:300], functions[300:]), (bins[:300], bins[300:]), places
    )
    fit = fit_rule(functions, bins, places, None)
    moved = functions.copy()
    moved[:, 0] = 100.0
    np.testing.assert_array_equal(fit.predict(moved), fit.predict(functions))


def test_rows_without_weight_teach_no_rule():
    x = np.linspace(0, 1, 200)[:, np.newaxis]
    steps = np.where(x[:, 0] < 0.5, 0.0, 1.0)
    wrong = np.append(steps, 1 - steps)
    weights = np.append(np.ones(200), np.zeros(200))
    fit = fit_rule(np.concatenate([x, x]), wrong, np.array([0]), weights)
    np.testing.assert_array_equal(fit.predict(x), steps)


def test_codes_of_levels_are_those_of_the_training_rows():
    train, others = pd.Series(["u", None, "v"]), pd.Series(["v", "w", None, "u"])
    codes, found = codes_of(train, others)
    assert codes.tolist() == [0, -1, 1]
    assert found.tolist() == [1, 2, -1, 0]
    pairs = [pd.Series([("a", 1), ("a", 2)], dtype=object) for _ in range(2)]
    assert [each.tolist() for each in codes_of(*pairs)] == [[0, 1], [0, 1]]
    codes, found = codes_of(np.array([2.0, np.nan, 5.0]), np.array([np.nan, 5.0]))
    assert (codes.tolist(), found.tolist()) == ([2, 1, 5], [1, 5])


@pytest.mark.parametrize("model", ["auto", "lightgbm"])
def test_the_bins_that_y_follows_are_worth_little_beside_their_number(model, generator):
    if model == "lightgbm":
        pytest.importorskip("lightgbm")
    x = generator.uniform(0, 4, 1200)
    frame = pd.DataFrame({"x": x, "bin": np.floor(x), "z": generator.normal(size=1200)})
    y = 2 * frame["bin"] + frame["z"] + generator.normal(size=1200)
    vi = lw.VariableImportance(model, features=["bin", "z"], random_state=0).fit(frame, y)
    worth = dict(zip(vi.result_.names, vi.result_.importance, strict=True))
    # Of 533 rows behind each border one in a few hundred is on the wrong side of it, by 2: without
    # the rule the guess smooths over a twentieth of all rows.
    assert worth["z"] > 0.7
    assert abs(worth["bin"]) < 0.05


@pytest.mark.parametrize("model", ["auto", "boosting", "lightgbm"])
def test_levels_that_others_determine_are_worth_exactly_nothing(model, generator):
    if model == "lightgbm":
        pytest.importorskip("lightgbm")
    city = generator.integers(0, 12, 600)
    frame = pd.DataFrame({"x": generator.normal(size=600)})
    frame["city"] = pd.Categorical([f"city {each}" for each in city])
    frame["country"] = pd.Categorical([f"country {each // 4}" for each in city])
    y = city // 4 + frame["x"] + generator.normal(size=600)
    vi = lw.VariableImportance(model, features=["country", "x"], random_state=0).fit(frame, y)
    country, x = vi.result_.importance
    assert x > 0.5
    assert abs(country) < 1e-9
    # Whatever is left of the effect is rounding, and the test takes it for nothing.
    assert vi.result_.p_value()[0] == 1.0
    assert (vi.result_.full.influence != 0).any()


def test_an_effect_of_rounding_has_no_score(generator):
    y, h = generator.normal(size=(2, 100))
    tiny, small = (ScoredRows(y, h, y * size).terms.score() for size in (1e-9, 1e-3))
    assert (tiny.value, tiny.standard_error) == (0.0, 0.0)
    assert small.p_value() < 0.05
