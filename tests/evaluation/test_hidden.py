import numpy as np
import pytest
from scipy.special import expit, ndtri
from sklearn.linear_model import LinearRegression

import lukewarm as lw
from lukewarm.evaluation._hidden import hidden_effect, moved
from lukewarm.evaluation._predictions import EvaluationPredictions
from lukewarm.evaluation._rows import EvaluationPlan
from lukewarm.measures import NegLogLoss, NegMSE, PoissonDeviance

QUANTILE = float(ndtri(0.975))


def limit(y, full, measure, n_learnt):
    plan = EvaluationPlan.paired(np.zeros(len(y)))
    predictions = EvaluationPredictions(y, full, (0.9 * full,), plan)
    return predictions.missed(measure, 0.95, n_learnt)


def test_squared_error_hides_a_parameter_s_worth(generator):
    y = generator.normal(size=300)
    limits = limit(y, np.zeros(300), NegMSE(), (200, 200))
    for quantile in (QUANTILE, 1.0, 3.0):
        assert limits.at(quantile) == pytest.approx((2 * quantile) ** 2 * np.mean(y**2) / 200)


def test_log_loss_hides_half_as_much_per_row(generator):
    full = expit(generator.normal(size=20_000))
    y = (generator.random(20_000) < full).astype(int)
    for probabilities in (full, np.column_stack([1 - full, full])):
        limits = limit(y, probabilities, NegLogLoss(), (5000,))
        # Of second order in the effect; the next terms are a few percent at this size.
        assert limits.at(QUANTILE) == pytest.approx((2 * QUANTILE) ** 2 / 10_000, rel=0.1)


def test_a_missed_slope_is_worth_what_is_said(generator):
    # y = x b + noise with b at 3.92 standard errors: the model without x loses b² in squared error.
    n_rows, noise = 400, 1.5
    slope = 2 * QUANTILE * noise / np.sqrt(n_rows)
    size = hidden_effect(np.full(2, noise), np.zeros(2), NegMSE(), n_rows, QUANTILE)
    assert size == pytest.approx(slope)


def test_unknown_training_rows_set_no_limit(generator):
    y = generator.normal(size=30)
    for n_learnt in ((), (0,)):
        assert limit(y, np.zeros(30), NegMSE(), n_learnt).at(QUANTILE) == -np.inf


def test_moved_predictions_stay_what_they_are():
    counts = np.array([0.1, 5.0])
    assert (moved(counts, np.array([-1.0, 1.0]), PoissonDeviance()) > 0).all()
    chances = np.array([[0.1, 0.2, 0.7]])
    shifted = moved(chances, np.array([[-0.5, 0.5, 0.9]]), NegLogLoss())
    assert shifted.sum() == pytest.approx(1)
    assert ((shifted > 0) & (shifted < 1)).all()


@pytest.mark.filterwarnings("ignore::lukewarm.results.ImportanceWarning")
def test_no_interval_ends_below_what_may_be_missed(generator):
    X = generator.normal(size=(300, 3))
    y = X[:, 0] + generator.normal(size=300)
    result = lw.VariableImportance("linear", "projection", random_state=0).fit(X, y).result_
    # Two thirds of the rows train a model; noise has variance 1, its estimate an error of 8 %.
    hidden = (2 * QUANTILE) ** 2 / 200
    assert (result.interval()[1] > 0.75 * hidden).all()
    assert (result.simultaneous_interval()[1] > result.interval()[1]).all()
    fitted = LinearRegression().fit(X[:, :2], y)
    of_fitted = lw.VariableImportance(fitted, "projection", prefit=True, random_state=0)
    prefit = of_fitted.fit(X[:, :2], y).result_
    assert (prefit.missed.at(QUANTILE) == -np.inf).all()
