import numpy as np
import pytest

from lukewarm import datasets


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8, 1.0])
def test_true_importance_of_x1_is_that_of_the_paper(correlation):
    data = datasets.make_correlated_linear(50, correlation, random_state=0)
    np.testing.assert_allclose(
        data.true_importance("X1"), 1.5**2 * (1 - correlation**2), atol=1e-12
    )


@pytest.mark.parametrize("removed", [("X1",), ("X1", "X2"), ("X2", "X4"), (0, 2)])
def test_true_importance_is_the_error_added_to_least_squares(removed):
    data = datasets.make_correlated_linear(200_000, 0.6, noise_std=1.0, random_state=0)
    kept = data.X.drop(columns=[data.X.columns[c] if isinstance(c, int) else c for c in removed])
    residuals = data.y - kept @ np.linalg.lstsq(kept, data.y)[0]
    truth = data.true_importance(removed)
    assert truth > 0.5
    # The residual variance of n = 200,000 Gaussian rows has a relative error of sqrt(2 / n).
    np.testing.assert_allclose(residuals.var() - 1.0, truth, atol=4 * (1 + truth) * 0.0032)


def test_removing_nothing_costs_nothing():
    assert datasets.make_correlated_linear(20, random_state=0).true_importance([]) == 0


def test_true_shapley_values_add_up_and_share_between_twins():
    data = datasets.make_correlated_linear(20, 0.7, coefficients=(1.0, 1.0, 2.0), random_state=0)
    values = data.true_shapley()
    np.testing.assert_allclose(values.sum(), data.true_importance(["X1", "X2", "X3"]))
    np.testing.assert_allclose(values[0], values[1])
    np.testing.assert_allclose(values[2], 4.0)


def test_true_shapley_by_hand_for_a_correlated_pair():
    rho, (b1, b2) = 0.7, (1.5, 1.2)
    data = datasets.make_correlated_linear(20, rho, random_state=0)
    alone = (b1 + rho * b2) ** 2
    last = b1**2 * (1 - rho**2)
    np.testing.assert_allclose(data.true_shapley()[0], (alone + last) / 2)


def test_true_shapley_works_for_a_hundred_features():
    values = datasets.make_high_dimensional_linear(20, random_state=0).true_shapley()
    np.testing.assert_allclose(values[2:5], [9, 4, 1])
    assert not values[5:].any()


@pytest.mark.parametrize(
    "make",
    [
        datasets.make_correlated_linear,
        datasets.make_high_dimensional_linear,
        datasets.make_high_dimensional_network,
        datasets.make_logistic,
    ],
)
def test_one_seed_gives_one_data_set(make):
    first, again, other = (make(n_samples=30, random_state=seed) for seed in (1, 1, 2))
    assert first.X.equals(again.X)
    assert first.y.equals(again.y)
    assert not first.y.equals(other.y)


def test_logistic_targets_scatter_around_a_sigmoid():
    data = datasets.make_logistic(5000, random_state=0)
    clear = np.abs(data.X @ (10.0 * np.arange(10))) > 20
    distance = np.minimum(np.abs(data.y), np.abs(data.y - 1))[clear]
    assert distance.max() < 0.5
    np.testing.assert_allclose(np.corrcoef(data.X["X1"], data.X["X2"])[0, 1], 0.5, atol=0.05)


def test_network_features_have_variance_a_tenth():
    data = datasets.make_high_dimensional_network(5000, random_state=0)
    np.testing.assert_allclose(data.X.var().mean(), 0.1, rtol=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correlation": 1.5}, r"correlation must be in \[-1, 1\]; got 1.5"),
        ({"n_samples": 0}, r"n_samples must be in 1\.\."),
        ({"noise_std": -1}, "noise_std must be at least 0"),
    ],
)
def test_impossible_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_correlated_linear(**arguments)
