import numpy as np
import pytest

import lukewarm as lw


@pytest.fixture
def table(generator):
    X = generator.normal(size=(160, 3))
    return X, X[:, 0] + np.abs(X[:, 1]) + 0.5 * generator.normal(size=160)


def _fitted(X, y, **settings):
    return lw.VariableImportance(random_state=0, **settings).fit(X, y)


def test_the_number_of_jobs_changes_no_number(table):
    one, two = (_fitted(*table, n_jobs=n_jobs).result_ for n_jobs in (1, 2))
    assert np.array_equal(one.importance, two.importance)
    assert np.array_equal(one.standard_error, two.standard_error)
    losses = [[(each.name, each.loss) for each in result.candidates] for result in (one, two)]
    assert losses[0] == losses[1]


def test_candidates_are_kept_printed_saved_and_loaded(table, tmp_path):
    result = _fitted(*table, features=[0]).result_
    # Three folds, at least four candidates each.
    assert {each.fold for each in result.candidates} == {0, 1, 2}
    assert len(result.candidates) >= 12
    names = {each.name for each in result.candidates}
    assert {"kernel machine", "trees of depth 3 on a linear model"} <= names
    assert "Tried (loss on the stopping rows): " in repr(result)
    assert all(name in repr(result) for name in names)
    again = lw.ImportanceResult.load(result.save(tmp_path / "result"))
    assert again.candidates == result.candidates


def test_shapley_values_keep_the_candidates_too(table, tmp_path):
    shapley = lw.ShapleyImportance(random_state=0, inference="paired").fit(*table).result_
    assert "Tried (loss on the stopping rows): " in repr(shapley)
    again = lw.ShapleyResult.load(shapley.save(tmp_path / "result"))
    assert again.candidates == shapley.candidates
    assert len(again.candidates) >= 4


def test_a_model_that_was_named_has_no_candidates(table):
    result = _fitted(*table, model="boosting", features=[0]).result_
    assert result.candidates == ()
    assert "Tried" not in repr(result)


def test_a_constant_column_is_worth_nothing(table):
    X, y = table
    X = np.column_stack([X[:, :2], np.full(160, 3.0)])
    result = _fitted(X, y, features=[0, 2], inference="paired").result_
    assert result.importance[0] > 0.5
    assert result.importance[1] == 0


def test_more_columns_than_rows_are_learnt(generator):
    X = generator.normal(size=(90, 120))
    result = _fitted(X, 3 * X[:, 0], features=[0], inference="paired").result_
    assert result.importance[0] > 3


def test_a_single_class_is_named(table):
    X, _ = table
    with pytest.raises(ValueError, match="y must have at least two classes; every value is 1"):
        _fitted(X, np.ones(160), task="classification")
