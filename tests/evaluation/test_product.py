import numpy as np

from lukewarm.evaluation import ScoredRows, own_squares, product_score


def test_errors_of_the_prediction_without_a_feature_are_not_its_merit():
    # The feature is worth nothing: f is the best prediction without it, too. h = f + e, and models
    # of halves have errors as large. All of 200 tests reject without what they show.
    generator = np.random.default_rng(0)
    rejected = {"plain": 0, "corrected": 0}
    for _ in range(200):
        f, noise, *errors = generator.normal(size=(5, 400))
        h, one, other = (f + 0.5 * error for error in errors)
        own = own_squares((f, f), (one, other), 1.0)
        for name, each in (("plain", None), ("corrected", own)):
            score = product_score([ScoredRows(f + noise, h, f - h, own_errors=each)], 1.0)
            rejected[name] += score.p_value() < 0.05
    assert rejected["plain"] == 200
    # With a squared bias of zero twice the square is taken off.
    assert rejected["corrected"] <= 10


def test_what_halves_agree_on_is_left_alone():
    # y = f + noise with f = x + z; h = z by all models, so nothing is their own.
    generator = np.random.default_rng(1)
    x, z, noise = generator.normal(size=(3, 400))
    own = own_squares((x + z, x + z), (z, z), 0.5)
    assert not own.any()
    plain, corrected = (
        product_score([ScoredRows(x + z + noise, z, x, own_errors=each)], 1.0)
        for each in (None, own)
    )
    assert plain.value == corrected.value > 0.3


def test_a_negative_square_is_not_believed():
    # Reduced models that differ less than they should have u1 - u2 on their side.
    generator = np.random.default_rng(2)
    f, other_f, noise = generator.normal(size=(3, 400))
    own = own_squares((f, other_f), (f / 4, other_f / 4), 1.0)
    assert own.mean() < 0
    rows = ScoredRows(f + noise, f / 4, f - f / 4, own_errors=own)
    plain = ScoredRows(f + noise, f / 4, f - f / 4)
    np.testing.assert_array_equal(rows.terms, plain.terms)


def test_weights_count_for_the_errors_as_for_the_products():
    generator = np.random.default_rng(3)
    f, h, one, other, noise = generator.normal(size=(5, 50))
    own = own_squares((f, f), (one, other), 1.0)
    weights = generator.uniform(0.5, 2.0, 50)
    products = (f + noise - h) * (f - h)
    shares = weights / weights.mean()
    assert own.mean() > 0
    terms = ScoredRows(f + noise, h, f - h, weights, own).terms
    np.testing.assert_allclose(terms, shares * (products - own) / np.std(shares * products))
