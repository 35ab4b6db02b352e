import numpy as np
import pandas as pd
import pytest

from lukewarm.data import as_table, column_doubts

N_ROWS = 200


@pytest.fixture
def columns(generator):
    return {name: generator.normal(size=N_ROWS) for name in ("a", "b", "c")}


def found(columns, y, n_classes=None, sets=None):
    table, names = as_table(pd.DataFrame(columns))
    sets = [(number,) for number in range(len(names))] if sets is None else sets
    remarks = column_doubts(table, names, np.asarray(y), n_classes, sets)
    return {(remark.name, remark.feature) for remark in remarks}


def test_an_ordinary_table_has_nothing_to_say(columns, generator):
    columns["level"] = generator.choice(["x", "y", "z"], N_ROWS)
    columns["count"] = generator.poisson(30, N_ROWS)
    assert found(columns, columns["a"] + columns["b"] + generator.normal(size=N_ROWS)) == set()
    assert found(columns, generator.integers(2, size=N_ROWS), n_classes=2) == set()


def test_a_constant_column_is_named(columns, generator):
    columns |= {"c": np.ones(N_ROWS), "level": ["x"] * N_ROWS, "empty": np.full(N_ROWS, np.nan)}
    expected = {("constant", name) for name in ("c", "level", "empty")}
    assert found(columns, generator.normal(size=N_ROWS)) == expected


def test_a_column_that_varies_outside_the_sample_is_not_constant(generator):
    rare = np.zeros(100_000)
    rare[777] = 1.0
    assert found({"rare": rare}, generator.normal(size=len(rare))) == set()


def test_alike_columns_are_named_in_pairs(columns, generator):
    columns["b"] = columns["a"] ** 3
    columns["c"] = -columns["a"] + 1e-3 * generator.normal(size=N_ROWS)
    expected = {("correlated", pair) for pair in ("a + b", "a + c", "b + c")}
    assert found(columns, generator.normal(size=N_ROWS)) == expected


def test_numbers_of_repeated_rows_are_no_recodings(generator):
    X = np.repeat(generator.normal(size=(100, 3)), 4, axis=0)
    y = X[:, 0] + generator.normal(size=400)
    assert column_doubts(X, ("a", "b", "c"), y, None, [(0,), (1,), (2,)]) == ()


def test_copies_and_recodings_are_duplicates(columns, generator):
    level = generator.choice(["x", "y", "z"], N_ROWS)
    columns |= {"copy": columns["a"], "level": level}
    columns["code"] = pd.Series(level).map({"x": 3.0, "y": 1.0, "z": 2.0}).to_numpy()
    expected = {("duplicate", "a + copy"), ("duplicate", "level + code")}
    assert found(columns, generator.normal(size=N_ROWS)) == expected


def test_alike_columns_that_are_taken_away_together_pass(columns, generator):
    columns["b"] = columns["a"]
    assert found(columns, generator.normal(size=N_ROWS), sets=[(0, 1), (2,)]) == set()


def test_alike_columns_that_are_not_explained_pass(columns, generator):
    columns["b"] = columns["a"]
    assert found(columns, generator.normal(size=N_ROWS), sets=[(2,)]) == set()


def test_a_row_number_is_like_an_id_in_any_order(columns, generator):
    columns["c"] = generator.permutation(N_ROWS) + 1000
    assert found(columns, generator.normal(size=N_ROWS)) == {("id_like", "c")}


@pytest.mark.parametrize("name", ["copy", "rank", "level"])
def test_a_column_that_tells_a_number_is_named(name, columns, generator):
    y = generator.integers(5, size=N_ROWS) * 2.0 if name == "level" else columns["a"]
    tells = {"copy": 3 * y + 2, "rank": np.exp(y), "level": [f"is {value}" for value in y]}
    columns = {"b": columns["b"], "tells": tells[name]}
    assert found(columns, y) == {("leaking", "tells")}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["score", "level"])
def test_a_column_that_tells_the_class_is_named(name, n_classes, columns, generator):
    y = generator.integers(n_classes, size=N_ROWS)
    tells = {
        "score": y + generator.uniform(0, 0.9, N_ROWS),
        "level": [f"is {value}" for value in y],
    }
    columns["c"] = tells[name]
    assert found(columns, y, n_classes) == {("leaking", "c")}


def test_a_good_feature_is_no_leak(columns, generator):
    noise = generator.normal(size=N_ROWS)
    assert found(columns, columns["a"] + 0.1 * noise) == set()
    assert found(columns, (columns["a"] + 0.1 * noise > 0).astype(int), n_classes=2) == set()


def test_many_columns_are_looked_at_in_part_and_it_is_said(generator):
    X = generator.normal(size=(30, 400))
    assert ("columns_not_looked_at", "") in found(X, generator.normal(size=30))


def test_more_pairs_than_are_listed_are_counted(generator):
    one = generator.normal(size=(50, 1))
    X = one + 1e-4 * generator.normal(size=(50, 10))
    told = found(X, generator.normal(size=50))
    pairs = [feature for name, feature in told if name == "correlated"]
    assert len(pairs) == 21
    assert "and 25 more pairs" in pairs


def test_rare_columns_that_a_sample_cannot_tell_apart_pass(generator):
    columns = {f"rare{number}": np.zeros(50_000) for number in range(3)}
    for number, column in enumerate(columns.values()):
        column[7 + number] = 1.0
    assert found(columns, generator.normal(size=50_000)) == set()


def test_a_few_values_among_gaps_do_not_make_columns_alike(generator):
    columns = {name: np.full(N_ROWS, np.nan) for name in ("a", "b")}
    for column in columns.values():
        column[:4] = np.sort(generator.normal(size=4))
    assert found(columns, generator.normal(size=N_ROWS)) == set()


@pytest.mark.filterwarnings("error")
def test_very_large_numbers_are_no_trouble(columns, generator):
    columns = {name: 2e149 * np.clip(values, -4, 4) for name, values in columns.items()}
    assert found(columns, 1e69 * generator.normal(size=N_ROWS)) == set()
