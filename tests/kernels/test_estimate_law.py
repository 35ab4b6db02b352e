import numpy as np
import pytest
from scipy import stats

from lukewarm.kernels import QuadraticForm, importance_law


def test_a_sum_of_squares_is_chi_square():
    form = QuadraticForm(0.0, np.zeros(5), np.eye(5))
    for probability in (0.01, 0.5, 0.975):
        expected = stats.chi2.ppf(probability, 5)
        assert form.quantile(probability) == pytest.approx(expected, rel=1e-6)
        assert form.cdf(expected) == pytest.approx(probability, abs=1e-8)
    assert form.skewness == pytest.approx(np.sqrt(8 / 5))


def test_a_shifted_square_is_noncentral_chi_square():
    # (w + 2)^2 = 4 + 4 w + w^2
    form = QuadraticForm(4.0, np.array([4.0]), np.eye(1))
    law = stats.ncx2(1, 4.0)
    assert form.mean == pytest.approx(law.mean())
    assert form.variance == pytest.approx(law.var())
    assert form.cdf(3.0) == pytest.approx(law.cdf(3.0), abs=1e-8)


def test_a_linear_form_is_normal():
    form = QuadraticForm(1.0, np.array([3.0, 4.0]), np.zeros((2, 2)))
    assert form.quantile(0.975) == pytest.approx(1 + 5 * stats.norm.ppf(0.975), rel=1e-8)
    assert form.skewness == 0


def test_eigenvalues_of_both_signs_give_the_law_of_a_product():
    # w1 w2 has a density symmetric about zero, with variance 1.
    form = QuadraticForm(0.0, np.zeros(2), np.array([[0.0, 0.5], [0.5, 0.0]]))
    assert form.cdf(0.0) == pytest.approx(0.5, abs=1e-9)
    product = stats.norm.rvs(size=(2, 400_000), random_state=0).prod(axis=0)
    # Four standard errors of a share of 400,000 draws.
    assert form.cdf(1.0) == pytest.approx(np.mean(product <= 1.0), abs=4 * np.sqrt(0.1 / 400_000))


def test_a_form_without_spread_is_a_constant():
    form = QuadraticForm(2.0, np.zeros(2), np.zeros((2, 2)))
    assert (form.cdf(1.9), form.cdf(2.0), form.quantile(0.3)) == (0.0, 1.0, 2.0)


@pytest.fixture(name="smoothers")
def _smoothers(generator):
    """Ridge regressions with and without the second of two columns; n = 40, m = 25."""
    X, X_new = generator.normal(size=(40, 2)), generator.normal(size=(25, 2))

    def smoother(columns):
        A, B = X[:, columns], X_new[:, columns]
        return B @ np.linalg.solve(A.T @ A + np.eye(len(columns)), A.T)

    return X, X_new, smoother([0, 1]), smoother([0])


def test_the_law_is_that_of_simulated_estimates(smoothers, generator):
    X, X_new, full, reduced = smoothers
    mean_train, mean_new = X @ [1.0, 0.5], X_new @ [1.0, 0.5]
    law = importance_law(full, reduced, mean_train, mean_new, X_new[:, 0], 0.7)
    n_draws = 40_000
    y = mean_train + 0.7 * generator.normal(size=(n_draws, 40))
    y_new = mean_new + 0.7 * generator.normal(size=(n_draws, 25))
    losses = [np.mean((y_new - y @ each.T) ** 2, axis=1) for each in (reduced, full)]
    estimates = losses[0] - losses[1]
    spread = estimates.std()
    assert law.form.mean == pytest.approx(estimates.mean(), abs=4 * spread / np.sqrt(n_draws))
    # The variance of a sample variance is about (kurtosis - 1) / n of its square.
    tolerance = 4 * np.sqrt((stats.kurtosis(estimates) + 2) / n_draws)
    assert law.form.variance == pytest.approx(spread**2, rel=tolerance)
    for probability in (0.025, 0.5, 0.975):
        share = np.mean(estimates <= law.form.quantile(probability))
        error = np.sqrt(probability * (1 - probability) / n_draws)
        assert share == pytest.approx(probability, abs=4 * error)


def test_what_evaluation_rows_add_is_the_variance_given_the_training_rows(smoothers, generator):
    X, X_new, full, reduced = smoothers
    mean_train, mean_new = X @ [1.0, 0.5], X_new @ [1.0, 0.5]
    law = importance_law(full, reduced, mean_train, mean_new, X_new[:, 0], 0.7)
    y = mean_train + 0.7 * generator.normal(size=(20_000, 40))
    gaps = (y @ full.T - y @ reduced.T) ** 2
    conditional = 4 * 0.7**2 / 25**2 * gaps.sum(axis=1)
    error = conditional.std() / np.sqrt(len(conditional))
    assert law.given_training == pytest.approx(conditional.mean(), abs=4 * error)
    assert 0 < law.share_of_training < 1


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"reduced must have the shape \(3, 4\)"):
        importance_law(
            np.zeros((3, 4)), np.zeros((3, 5)), np.zeros(4), np.zeros(3), np.zeros(3), 1.0
        )
