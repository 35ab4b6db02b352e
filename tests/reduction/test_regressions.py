"""What regressions on the kept columns share."""

import numpy as np

from lukewarm.data import Removal, Rows
from lukewarm.reduction.projection import _regressions as regressions_module
from lukewarm.reduction.projection._regressions import Regressions


class _Constant:
    def __init__(self, value):
        self.value = value
        self.n_calls = 0

    def predict(self, X):
        self.n_calls += 1
        return np.full(len(X), self.value)


def _regressions(generator):
    X = generator.normal(size=(80, 3))
    rows = Rows(X[:60], X[:60, 0]), Rows(X[60:], X[60:, 0])
    return Regressions(*rows, Removal.learn(X[:60], "mean"))


def test_predictions_are_kept_for_one_model_and_no_other(generator):
    regressions = _regressions(generator)
    first, second = _Constant(1.0), _Constant(2.0)
    for model in (first, first, second):
        predictions = regressions.predictions(model)
        assert [len(each) for each in predictions] == [60, 20, 20]
        assert all((each == model.value).all() for each in predictions)
    assert first.n_calls == second.n_calls == 3


def test_prepared_rows_are_kept_for_one_table_and_no_other(generator):
    regressions = _regressions(generator)
    one, other = generator.normal(size=(2, 5, 3))
    kept = regressions.prepare(one)
    assert regressions.prepare(one) is kept
    assert not np.array_equal(regressions.prepare(other).functions, kept.functions)
    assert np.array_equal(regressions.prepare(one).functions, kept.functions)


def test_fitted_values_of_many_rows_are_those_of_few(generator, monkeypatch):
    regressions = _regressions(generator)
    X = generator.normal(size=(40, 3))
    fit = regressions.fit(*(rows.X[:, 0] for rows in (regressions.train, regressions.stopping)), ())
    few = fit.predict(regressions.prepare(X))
    monkeypatch.setattr(regressions_module, "_MOST_KEPT", 10)
    rows = regressions.prepare(X.copy())
    assert np.allclose(fit.predict(rows), few, rtol=1e-10, atol=1e-12)
    assert "functions" not in vars(rows)
