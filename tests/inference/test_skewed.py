import numpy as np
import pytest
from scipy import stats

from lukewarm.inference import skewed_widths


def student_quantile(influence, level):
    kurtosis = np.mean(influence**4) / np.mean(influence**2) ** 2
    return stats.t.ppf(0.5 + level / 2, 2 * len(influence) / (kurtosis - 1))


def test_without_skewness_the_interval_is_students():
    influence = np.random.default_rng(0).normal(size=50)
    influence = np.concatenate([influence, -influence])
    below, above = skewed_widths(influence, 0.95)
    plain = student_quantile(influence, 0.95) * np.sqrt(np.mean(influence**2) / 100)
    assert below == pytest.approx(plain, rel=1e-6)
    assert above == pytest.approx(plain, rel=1e-6)


def test_normal_rows_have_as_many_degrees_of_freedom_as_rows():
    influence = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    below, _ = skewed_widths(influence, 0.95)
    wald = 1.959964 * np.sqrt(np.mean(influence**2) / 400)
    # Kurtosis 3 up to the cut tails: t quantile of 400 degrees over the normal one is 1.003.
    assert below / wald == pytest.approx(1.003, abs=0.001)


def test_an_interval_carried_by_one_row_in_a_hundred_is_far_wider():
    influence = np.repeat([-1.0, 1.0], 100)
    influence[0], influence[1] = -20.0, 20.0
    influence -= influence.mean()
    below, _ = skewed_widths(influence, 0.95)
    assert below > 1.2 * 1.959964 * np.sqrt(np.mean(influence**2) / 200)


def test_the_side_of_the_long_tail_is_the_longer_one():
    influence = np.random.default_rng(0).exponential(size=(2, 200))
    influence -= influence.mean(axis=1, keepdims=True)
    influence[1] *= -1
    below, above = skewed_widths(influence, 0.95)
    assert above[0] > below[0]
    assert above[1] < below[1]


def test_the_ends_invert_the_cubic_transformation():
    influence = np.random.default_rng(1).exponential(size=300) - 1
    influence -= influence.mean()
    below, above = skewed_widths(influence, 0.9)
    spread, n = np.sqrt(np.mean(influence**2)), 300
    skewness = np.mean(influence**3) / spread**3

    def g(W):
        return W + skewness * W**2 / 3 + skewness**2 * W**3 / 27 + skewness / (6 * n)

    heavier = student_quantile(influence, 0.9) / 1.644854
    assert np.sqrt(n) * g(below / heavier / spread) == pytest.approx(1.644854, rel=1e-6)
    assert np.sqrt(n) * g(-above / heavier / spread) == pytest.approx(-1.644854, rel=1e-6)


def test_means_of_skewed_rows_are_covered_more_often_than_by_wald():
    # Squares of a product, as a feature in an interaction gives them: 300 rows, 2,000 samples.
    # The two coverages differ by 0.025, five standard errors of their paired difference.
    generator = np.random.default_rng(0)
    covered = np.zeros(2)
    for _ in range(2000):
        x, z = generator.normal(size=(2, 300))
        rows = (x * z) ** 2
        influence, mean = rows - rows.mean(), rows.mean()
        wald = 1.959964 * influence.std() / np.sqrt(300)
        below, above = skewed_widths(influence, 0.95)
        covered += [abs(mean - 1) <= wald, mean - below <= 1 <= mean + above]
    wald, skewed = covered / 2000
    assert wald < 0.925
    assert skewed > wald + 0.02


def test_no_spread_has_no_width():
    assert skewed_widths(np.zeros((1, 5)), 0.95)[0] == 0
