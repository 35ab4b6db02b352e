"""Remarks on rows that are copies of others."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import as_table, row_doubts


@pytest.fixture
def table(generator):
    X = pd.DataFrame(generator.normal(size=(200, 2)), columns=["a", "b"])
    X["kind"] = generator.choice(["x", "y"], 200)
    X.loc[::9, "b"] = np.nan
    return X


def doubts(X, y):
    return [(remark.name, remark.severity) for remark in row_doubts(as_table(X)[0], y)]


@pytest.mark.parametrize("n_classes", [None, 2])
def test_an_oversampled_table_is_told(table, n_classes):
    y = table["a"].to_numpy() if n_classes is None else (table["a"] > 1).to_numpy(float)
    assert doubts(table, y) == []
    rare = np.flatnonzero(table["a"] > 1)
    numbers = np.concatenate([np.arange(200), np.repeat(rare, 3)])
    assert len(rare) > 20
    (found,) = row_doubts(as_table(table.iloc[numbers])[0], y[numbers])
    assert (found.name, found.severity) == ("repeated_rows", "warning")
    assert found.message.startswith(f"{3 * len(rare) / len(numbers):.0%} of the rows are copies")


def test_rows_of_the_same_columns_and_other_targets_are_no_copies(table, generator):
    twice = pd.concat([table, table], ignore_index=True)
    assert doubts(twice, generator.normal(size=400)) == []


def test_a_few_copies_pass(table):
    some = table.iloc[[*range(200), 1, 2, 3]]
    assert doubts(some, np.r_[np.arange(200.0) ** 1.5, 1, 2**1.5, 3**1.5]) == []


def test_rows_of_levels_and_counts_are_alike_by_chance(generator):
    X = pd.DataFrame({"age": generator.integers(20, 80, 400), "sex": generator.integers(0, 2, 400)})
    y = generator.integers(0, 2, 400).astype(float)
    assert X.assign(y=y).duplicated().mean() > 0.3
    assert doubts(X, y) == []
    assert doubts(X[["age"]].round(-1), y) == []
