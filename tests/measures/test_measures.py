import numpy as np
import pytest
from sklearn import metrics

from lukewarm.measures import MEASURES, Measure, NegMeanLoss, as_measure, needs_classes

N_ROWS = 60


def problem(name, n_classes=2):
    """Return y, a prediction with ties, and weights for the measure of that name."""
    generator = np.random.default_rng(3)
    if not needs_classes(as_measure(name)):
        y = generator.normal(size=N_ROWS)
        return y, y + 0.5 * generator.normal(size=N_ROWS), generator.uniform(0.5, 2, N_ROWS)
    y = generator.integers(n_classes, size=N_ROWS).astype(float)
    scores = generator.normal(size=(N_ROWS, n_classes)) + np.eye(n_classes)[y.astype(int)]
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    if n_classes == 2:
        # Rounding makes ties between cases and controls, which AUC counts half.
        return y, probabilities[:, 1].round(1).clip(0.05, 0.95), generator.uniform(0.5, 2, N_ROWS)
    return y, probabilities, generator.uniform(0.5, 2, N_ROWS)


CASES = [(name, 2) for name in MEASURES] + [
    (name, 3) for name in ("accuracy", "deviance", "neg_log_loss")
]


@pytest.mark.parametrize(("name", "n_classes"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_influence_is_the_derivative_under_reweighting(name, n_classes, weighted):
    y, prediction, weights = problem(name, n_classes)
    weights = weights if weighted else np.ones(N_ROWS)
    measure = as_measure(name)
    value = measure.evaluate(y, prediction, weights if weighted else None)
    step = 1e-5
    derivative = np.empty(N_ROWS)
    for row in range(N_ROWS):
        up, down = weights.copy(), weights.copy()
        up[row] += step * weights[row]
        down[row] -= step * weights[row]
        rise = measure.evaluate(y, prediction, up).value
        fall = measure.evaluate(y, prediction, down).value
        derivative[row] = N_ROWS * (rise - fall) / (2 * step)
    assert np.abs(value.influence).max() > 0.05
    # Central differences: truncation is O(step**2), rounding about 1e-16 / step * n.
    np.testing.assert_allclose(value.influence, derivative, atol=1e-6)


@pytest.mark.parametrize(("name", "n_classes"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_influence_has_mean_zero(name, n_classes, weighted):
    y, prediction, weights = problem(name, n_classes)
    value = as_measure(name).evaluate(y, prediction, weights if weighted else None)
    assert abs(value.influence.mean()) < 1e-12


@pytest.mark.parametrize("name", MEASURES)
def test_a_weight_of_two_is_a_row_twice(name):
    y, prediction, _ = problem(name)
    weights = np.where(np.arange(N_ROWS) < 10, 2.0, 1.0)
    twice = np.r_[np.arange(10), np.arange(N_ROWS)]
    measure = as_measure(name)
    weighted = measure.evaluate(y, prediction, weights).value
    assert weighted != measure.evaluate(y, prediction).value
    np.testing.assert_allclose(
        weighted, measure.evaluate(y[twice], prediction[twice]).value, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("neg_mse", lambda y, f: -metrics.mean_squared_error(y, f)),
        ("neg_mae", lambda y, f: -metrics.mean_absolute_error(y, f)),
        ("r2", metrics.r2_score),
        ("accuracy", lambda y, f: metrics.accuracy_score(y, f > 0.5)),
        ("auc", metrics.roc_auc_score),
        ("neg_log_loss", lambda y, f: -metrics.log_loss(y, f)),
        ("deviance", lambda y, f: metrics.d2_log_loss_score(y.astype(int), f)),
    ],
)
def test_values_agree_with_scikit_learn(name, reference):
    y, prediction, _ = problem(name)
    np.testing.assert_allclose(
        as_measure(name).evaluate(y, prediction).value, reference(y, prediction), rtol=1e-12
    )


def test_ties_count_half_in_auc():
    value = as_measure("auc").evaluate(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert value.value == 0.5


def test_any_loss_per_row_makes_a_measure():
    measure = NegMeanLoss(lambda y, f: np.abs(y - f) ** 3, "cubic")
    y, prediction, _ = problem("neg_mse")
    assert isinstance(measure, Measure)
    assert as_measure(measure) is measure
    np.testing.assert_allclose(
        measure.evaluate(y, prediction).value, -np.mean(np.abs(y - prediction) ** 3)
    )


def test_an_unknown_measure_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"one of 'neg_mse', 'r2'.*got 'rmse'"):
        as_measure("rmse")
