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


def test_a_line_goes_on_beyond_the_training_rows_as_far_as_they_reach():
    X = np.linspace(-1.0, 1.0, 41)[:, None]
    basis = AdditiveBasis.learn(X, curved=False)
    slope = basis.transform(X)[-1, 0]
    # The range is 2 long: up to 3 the line goes on, and is held there.
    assert basis.transform(np.array([[2.5], [3.0], [50.0]]))[:, 0] == pytest.approx(
        [2.5 * slope, 3 * slope, 3 * slope]
    )


def test_a_parabola_is_straight_far_out():
    generator = np.random.default_rng(0)
    X = np.append(generator.normal(size=999), 30.0)[:, None]
    basis = AdditiveBasis.learn(X)
    parabola = list(basis.is_line).index(False)
    column = basis.columns[0]
    z = np.array([-3.0, 0.0, 2.0, 5.0, 6.0, 7.0])
    found = basis.transform(column.centre + column.spread * z[:, None])[:, parabola]
    found = found * basis.spread[parabola] + basis.centre[parabola]
    assert found[:3] == pytest.approx(z[:3] ** 2)
    # 4 (2 z - 4) from four standard deviations on: the tangent there.
    assert found[3:] == pytest.approx(4 * (2 * z[3:] - 4))


def test_a_row_of_a_heavy_tail_is_predicted_along_the_line():
    x = np.random.default_rng(0).standard_t(3, size=(1000, 1))
    far = np.array([[1.5 * x.max()]])
    assert far > 8 * x.std()
    basis = AdditiveBasis.learn(x, curved=False)
    slope = np.linalg.lstsq(basis.transform(x), x - x.mean(), rcond=None)[0]
    assert x.mean() + basis.transform(far) @ slope == pytest.approx(far, rel=1e-9)


def test_functions_are_combined_column_by_column():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(50, 3)))
    X[1] = pd.Categorical(generator.choice(["u", "v", "w"], size=50))
    X.loc[::7, 2] = np.nan
    basis = AdditiveBasis.learn(X)
    coefficients = generator.normal(size=len(basis.owner))
    coefficients[basis.owner == 0] = 0.0
    expected = basis.transform(X) @ coefficients
    assert np.allclose(basis.combined(X, coefficients), expected, rtol=1e-10, atol=1e-12)
