import numpy as np

from lukewarm.evaluation import ProductTerms, ScoredRows, own_squares, score_of_outputs
from lukewarm.measures import R2


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
            score = ScoredRows(f + noise, h, f - h, own_errors=each).terms.score()
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
        ScoredRows(x + z + noise, z, x, own_errors=each).terms.score() for each in (None, own)
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
    np.testing.assert_array_equal(rows.terms.products, plain.terms.products)


def test_weights_count_for_the_errors_as_for_the_products():
    generator = np.random.default_rng(3)
    f, h, one, other, noise = generator.normal(size=(5, 50))
    own = own_squares((f, f), (one, other), 1.0)
    weights = generator.uniform(0.5, 2.0, 50)
    products = (f + noise - h) * (f - h)
    assert own.mean() > own.std() / np.sqrt(50)
    terms = ScoredRows(f + noise, h, f - h, weights, own).terms
    spread = np.std(weights * products)
    np.testing.assert_allclose(terms.products, weights * (products - own) / spread)
    np.testing.assert_allclose(terms.effects, weights * np.square(f - h) / spread**2)
    np.testing.assert_array_equal(terms.units, weights)


def test_a_weight_of_two_is_the_row_twice():
    x, z, noise = np.random.default_rng(11).normal(size=(3, 60))
    weights = np.where(x > 0, 2.0, 1.0)
    twice = np.repeat(np.arange(60), weights.astype(int))
    y = x + z + noise
    one = ScoredRows(y, z, x, weights).terms.score()
    other = ScoredRows(y[twice], z[twice], x[twice]).terms.score()
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
    # Whatever the unit of the weights.
    many = ScoredRows(y, z, x, 7 * weights).terms.score()
    np.testing.assert_allclose(many.influence, one.influence, rtol=1e-9, atol=1e-12)


def test_weights_and_scales_have_errors_of_their_own():
    # Weights that fall with the effect, and the variance of y that R2 divides by: the spread of
    # 1,000 scores is their standard error, to 4 times 1 / sqrt(2 * 1,000), where neglecting the
    # third mean gave 0.4 and 0.75 times it.
    generator = np.random.default_rng(12)
    scores = {"weights": [], "scale": []}
    for _ in range(1000):
        x, z, noise = generator.normal(size=(3, 300))
        y = x + 3 * z + 0.1 * noise
        weighted = ScoredRows(y, 3 * z, x, weights=1 / (0.1 + x**2))
        scaled = ScoredRows(y, 3 * z, x, units=R2().scale_terms(y))
        for name, rows in (("weights", weighted), ("scale", scaled)):
            scores[name].append(rows.terms.score())
    for each in scores.values():
        spread = np.std([score.value for score in each])
        error = np.sqrt(np.mean([score.rows_error**2 for score in each]))
        assert abs(error / spread - 1) < 4 / np.sqrt(2000) + 0.02  # the delta method's own error


def test_the_squared_score_of_the_best_effect_is_the_importance_on_these_rows():
    # y = x + z without noise, f = y and h = z: mean[(y - h)^2] - mean[(y - f)^2] = mean[x^2].
    x, z = np.random.default_rng(4).normal(size=(2, 200))
    score = ScoredRows(x + z, z, x).terms.score()
    np.testing.assert_allclose(score.value**2, np.mean(x**2), rtol=1e-12)


def test_the_scale_of_an_effect_does_not_move_its_score():
    x, z, noise = np.random.default_rng(5).normal(size=(3, 200))
    scores = [ScoredRows(x + z + noise, z, c * x).terms.score() for c in (0.01, 1.0, 30.0)]
    np.testing.assert_allclose([each.value for each in scores], scores[0].value, rtol=1e-12)
    for each in scores[1:]:
        np.testing.assert_allclose(each.influence, scores[0].influence, atol=1e-12)


def test_influence_values_of_a_score_are_those_of_a_jackknife():
    x, z, noise = np.random.default_rng(6).normal(size=(3, 300))
    terms = ScoredRows(x + z + noise, z, x + 0.5 * x**2).terms
    score = terms.score(variance_factor=1.0)
    everyone = np.arange(300)
    left_out = [terms.at(everyone != row).score().value for row in everyone]
    # Of a smooth function of means they differ by terms of 1/n.
    jackknife = 299 * (score.value - np.array(left_out))
    np.testing.assert_allclose(score.influence, jackknife, atol=0.02 * np.ptp(score.influence))
    assert np.std(score.influence) > 0.5


def test_what_a_score_shows_is_not_above_the_importance_of_a_poor_effect():
    # The importance of x is 1. f has learnt it five times too strong, by its sign only, or as a
    # wave: 1, 2 / pi and the squared correlation of x and sin(3 x), e^-4.5 * 9 / mean[sin^2].
    x, z, noise = np.random.default_rng(7).normal(size=(3, 200_000))
    share = 9 * np.exp(-9) / ((1 - np.exp(-18)) / 2)
    for effect, worth in ((5 * x, 1.0), (np.sign(x), 2 / np.pi), (np.sin(3 * x), share)):
        score = ScoredRows(x + z + noise, z, effect).terms.score()
        # The square of a score moves by twice the score times its error.
        bound = 4 * 2 * np.sqrt(worth) * score.rows_error + 16 * score.rows_error**2
        assert abs(score.value**2 - worth) < bound
        assert bound < 0.05


def test_lower_limits_of_scores_keep_their_level_near_zero():
    # Effects of 0, 1.5 and 3 standard errors: the limit at 97.5 % is above the truth in 2.5 % of
    # 2,000 samples, within 4 binomial standard errors; above zero for the others in 32 and 85 %.
    generator = np.random.default_rng(8)
    for size, power in ((0.0, 0.025), (1.5, 0.323), (3.0, 0.851)):
        slope, above, shown = size / np.sqrt(400), 0, 0
        for _ in range(2000):
            x, noise = generator.normal(size=(2, 400))
            score = ScoredRows(slope * x + noise, np.zeros(400), x).terms.score()
            root = max(score.value - 1.96 * score.rows_error, 0.0)
            above += root > slope
            shown += root > 0
        assert abs(above / 2000 - 0.025) < 4 * np.sqrt(0.025 * 0.975 / 2000)
        # Studentised, so a little less than by the normal law.
        assert abs(shown / 2000 - power) < 4 * np.sqrt(power * (1 - power) / 2000) + 0.005


def test_parts_without_an_effect_do_not_count():
    x, z, noise = np.random.default_rng(9).normal(size=(3, 100))
    with_effect, without = (ScoredRows(x + z + noise, z, u).terms for u in (x, 0 * x))
    both = ProductTerms.joined([with_effect, without]).score()
    np.testing.assert_allclose(both.value, with_effect.score().value / np.sqrt(2), rtol=1e-12)
    nothing = ProductTerms.joined([without, without]).score()
    assert nothing.value == 0
    assert not nothing.influence.any()


def test_outputs_count_in_units_of_their_noise():
    x, z, noise = np.random.default_rng(10).normal(size=(3, 200))
    one = ScoredRows(x + noise, 0 * x, x).terms
    other = ScoredRows(1000 * (x + z), 0 * x, 1000 * x).terms
    smaller = ScoredRows(x + z, 0 * x, x).terms
    large, small = (score_of_outputs([one, each], 1.0) for each in (other, smaller))
    np.testing.assert_allclose(large.value, small.value, rtol=1e-12)
    np.testing.assert_allclose(large.influence, small.influence, rtol=1e-9, atol=1e-12)
