"""Functions of single columns: all columns at once, and some of them anew."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.learners.additive import AdditiveBasis


def _table(has_gaps):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 4))
    X[:, 2] = X[:, 2] > 0  # two values: a line only
    if has_gaps:
        X[generator.random(60) < 0.2, 1] = np.nan
    return X


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_all_columns_at_once_equal_one_after_another(curved, has_gaps):
    X = _table(has_gaps)
    basis = AdditiveBasis.learn(X, curved=curved)
    other = np.where(np.arange(60)[:, None] == 3, np.nan, 2 * X)
    for table in (X, other):
        # A frame is taken column by column.
        assert np.array_equal(basis.transform(table), basis.transform(pd.DataFrame(table)))


@pytest.mark.parametrize("has_gaps", [False, True])
def test_filled_functions_equal_those_of_the_filled_table(has_gaps):
    X = _table(has_gaps)
    basis = AdditiveBasis.learn(X)
    changed = X.copy()
    changed[:, 1], changed[:, 3] = X[:, 0], np.nan
    places, found = basis.functions_of(X, {1: changed[:, 1], 3: changed[:, 3]})
    assert set(basis.owner[places]) == {1, 3}
    assert np.array_equal(found, basis.transform(changed)[:, places])
