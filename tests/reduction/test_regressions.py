"""What regressions on the kept columns share."""

import numpy as np
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.learners import KernelMachineRegressor
from lukewarm.learners.additive import RidgeFit
from lukewarm.reduction.projection import _prepared_rows
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
    monkeypatch.setattr(_prepared_rows, "_MOST_KEPT", 10)
    rows = regressions.prepare(X.copy())
    assert np.allclose(fit.predict(rows), few, rtol=1e-10, atol=1e-12)
    assert "functions" not in vars(rows)


def _guess_of(function, generator, n_columns=5, n_rows=400):
    """Return the mean squared error of a guess of function(X) with noise, and its base."""
    X = generator.normal(size=(n_rows + 2000, n_columns))
    truth = function(X)
    target = truth + 0.3 * generator.normal(size=len(X))
    train, stopping = slice(300), slice(300, n_rows)
    rows = (Rows(X[part], target[part]) for part in (train, stopping))
    regressions = Regressions(*rows, Removal.learn(X[train], "mean"))
    guess = regressions.fit(target[train], target[stopping], ())
    error = np.mean(np.square(guess.predict(regressions.prepare(X[n_rows:])) - truth[n_rows:]))
    return error, guess.base


@pytest.mark.parametrize(
    "function",
    [
        lambda X: X[:, 0] * X[:, 1],
        lambda X: np.sin(4 * X[:, 0]),
        lambda X: np.abs(X[:, 0]) * X[:, 1],
    ],
    ids=["product", "wave", "bent product"],
)
def test_guesses_follow_products_and_waves(function, generator):
    error, base = _guess_of(function, generator)
    assert isinstance(base.model, KernelMachineRegressor)
    # Fifteen coefficients, known from 300 rows with noise of variance 0.09, would leave 0.0045;
    # a constant leaves 0.5 to 1, and curves of single columns with trees about 0.1.
    assert error < 0.04


def test_guesses_of_lines_have_no_machine(generator):
    error, base = _guess_of(lambda X: X[:, 0] - 2 * X[:, 1], generator)
    assert isinstance(base, RidgeFit)
    assert error < 0.01


def _patients(generator, n_patients, n_visits=10):
    """Return columns and a target that are the patient's own, and know nothing of each other."""
    patient = np.repeat(np.arange(n_patients), n_visits)
    return generator.normal(size=(n_patients, 3))[patient], patient


def test_what_patients_have_by_chance_is_not_learnt_by_heart(generator):
    # By rows, a guess that knows 24 patients by heart is chosen by further rows of theirs: on new
    # patients its squared error was 1.8 to 7.8 times that of a constant, in the means of ten seeds;
    # by patients 1.0 to 1.3.
    excess = {"rows": [], "patients": []}
    for _ in range(10):
        X, patient = _patients(generator, 24)
        new, _ = _patients(generator, 200)
        removal = Removal.learn(X, "mean")
        for name, clusters in (("rows", None), ("patients", patient)):
            nothing = Rows(X[:0], X[:0, 0])
            regressions = Regressions(Rows(X, X[:, 0], None, clusters), nothing, removal)
            train, stopping = regressions.train.X[:, 0], regressions.stopping.X[:, 0]
            guess = regressions.fit(train, stopping, (0,))
            error = np.mean(np.square(new[:, 0] - guess.predict(regressions.prepare(new))))
            excess[name].append(error / np.mean(np.square(new[:, 0] - train.mean())))
    assert np.mean(excess["rows"]) > 1.6
    assert np.mean(excess["patients"]) < 1.4


def test_rows_set_aside_to_choose_a_guess_are_whole_groups(generator):
    X, patient = _patients(generator, 24)
    regressions = Regressions(
        Rows(X, X[:, 0], None, patient), Rows(X[:0], X[:0, 0]), Removal.learn(X, "mean")
    )
    kept, aside = (set(rows.clusters) for rows in (regressions.train, regressions.stopping))
    assert len(aside) == 6
    assert not kept & aside
