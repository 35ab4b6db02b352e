import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(300, 3)), columns=["a", "b", "c"])
    segment = np.where(generator.random(300) < 0.5, "left", "right")
    return X, 2 * X["a"] + X["b"] + generator.normal(size=300), segment


def fit(X, y, *args, **options):
    vi = lw.VariableImportance(LinearRegression(), "projection", random_state=0, **options)
    return vi.fit(X, y, *args)


def added_up(by):
    return sum(share * part.importance for share, part in zip(by.shares, by.results, strict=True))


def test_labels_of_the_table_find_their_evaluation_rows(table):
    X, y, segment = table
    whole = fit(X, y).result_
    by = whole.by(segment)
    np.testing.assert_allclose(added_up(by), whole.importance, rtol=1e-9)
    assert sorted(whole.rows) == list(range(300))
    for name, part in zip(by.segments, by.results, strict=True):
        assert set(segment[part.rows]) == {name}
        # The product statistic is that of the segment's own rows; a matters, c does not.
        p_values = part.p_value()
        assert p_values[0] < 1e-4
        assert p_values[2] > 1e-3
    one_split = fit(X, y, inference="paired").result_
    assert len(one_split.rows) < 100
    of_table, of_rows = one_split.by(segment), one_split.by(segment[one_split.rows])
    pd.testing.assert_frame_equal(of_table.to_frame(), of_rows.to_frame())


def test_rows_of_no_weight_keep_their_numbers(table):
    X, y, segment = table
    weights = np.arange(300) % 3 > 0
    result = fit(X, y, weights.astype(float), inference="paired").result_
    assert weights[result.rows].all()
    for part, name in zip(result.by(segment).results, ("left", "right"), strict=True):
        assert set(segment[part.rows]) == {name}


def test_rows_are_those_of_the_evaluation_table_where_one_is_given(table):
    X, y, segment = table
    weights = np.r_[0.0, np.ones(99)]
    vi = lw.VariableImportance(LinearRegression(), "projection", inference="paired", random_state=0)
    vi.fit(X[:200], y[:200], X_eval=X[200:], y_eval=y[200:], sample_weight_eval=weights)
    np.testing.assert_array_equal(vi.result_.rows, np.arange(1, 100))
    by = vi.result_.by(segment[200:])
    np.testing.assert_allclose(added_up(by), vi.result_.importance, rtol=1e-9)
    assert by["left"].rows.tolist() == [n for n in range(1, 100) if segment[200 + n] == "left"]


def test_weights_of_a_segment_do_not_move_what_its_test_shows(generator):
    # The importance of the first column is 1 in both segments, whose rows weigh 9 and 1.
    X = generator.normal(size=(900, 2))
    y = X.sum(axis=1) + generator.normal(size=900)
    is_heavy = generator.uniform(size=900) < 0.3
    vi = lw.VariableImportance(LinearRegression(), random_state=0)
    vi.fit(X, y, sample_weight=np.where(is_heavy, 9.0, 1.0))
    by = vi.result_.by(np.where(is_heavy, "heavy", "light"))
    for name in ("heavy", "light"):
        score = by[name].scores[0]
        # A weight that is the same in all rows of a segment is none.
        assert abs(score.value - 1) < 4 * score.standard_error
        assert score.standard_error < 0.12
