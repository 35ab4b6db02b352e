from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

import lukewarm as lw
from lukewarm.estimators._runs import plan_runs
from lukewarm.evaluation import (
    EvaluationPlan,
    EvaluationPredictions,
    PredictionEvidence,
    ProductTerms,
    ScoredRows,
    TwinTerms,
)
from lukewarm.evaluation._twins import calibration
from lukewarm.inference import Moments, skewed_widths, spread_freedom
from lukewarm.measures import R2, NegLogLoss, NegMAE, NegMSE, mean_of_rows

FAST = {"model": "boosting", "method": "projection", "max_steps": 40, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return lw.datasets.make_correlated_linear(n_samples=400, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    return lw.VariableImportance(**FAST).fit(data.X, data.y)


def test_the_estimate_is_where_the_learning_curve_is_heading(fitted):
    whole = fitted.predictions_
    # A measure that is not for twins.
    measure = lw.measures.as_measure("neg_mae")

    def importances(predictions):
        full, reduced = predictions.skills(measure)
        return np.array([full.value - each.value for each in reduced])

    at_n = importances(replace(whole, half=None))
    at_half = np.mean([importances(each) for each in whole.half], axis=0)
    assert (at_n > at_half).any()
    assert (at_n < at_half).any()
    learnt = np.clip(at_half / np.where(at_n > 0, at_n, np.inf), 0, 1)
    expected = at_n + learnt * np.maximum(at_n - at_half, 0)
    assert np.allclose(importances(whole), expected, rtol=1e-12)
    full, reduced = whole.skills(measure)
    shifts = [(full - each).shift for each in reduced]
    assert np.allclose(shifts, at_n - at_half, rtol=1e-9, atol=1e-12)


class TestTwins:
    """Importances in squared error, by effects that two models of half the rows share."""

    def test_what_effects_save_is_a_difference_of_products(self, generator):
        y, *predictions = generator.normal(size=(7, 50))
        full, reduced = tuple(predictions[:3]), tuple(predictions[3:])
        terms = TwinTerms.of(NegMSE(), y, full, reduced)
        for factor in (1.0, 1.7):
            left = [y - h for h in reduced[1:]]
            with_effects = [
                r - factor * (f - h) for r, f, h in zip(left, full[1:], reduced[1:], strict=True)
            ]
            expected = left[0] * left[1] - with_effects[0] * with_effects[1]
            np.testing.assert_allclose(terms.gains(factor), expected, rtol=1e-9, atol=1e-12)

    def test_an_effect_learnt_in_part_is_found_whole(self, generator):
        # Half of the effect x, noise of their own, and y = x + noise: the importance is 1.
        n = 20_000
        x, y_noise, one, other = generator.normal(size=(4, n))
        zero = np.zeros(n)
        rows = np.arange(n)
        plan = EvaluationPlan((rows,), (rows,))
        halves = [
            EvaluationPredictions(x + y_noise, 0.5 * x + 0.3 * noise, (zero,), plan)
            for noise in (one, other)
        ]
        predictions = EvaluationPredictions(
            x + y_noise, 0.5 * x, (zero,), plan, half=tuple(halves), rises=True, twins=True
        )
        full, (reduced,) = predictions.skills(NegMSE())
        importance = full - reduced
        plain, (without,) = replace(predictions, twins=False).skills(NegMSE())
        assert abs(importance.value - 1) < 4 * rows_error(importance)
        # The model at hand is worth 2 / 2 - 1 / 4, and so it is extrapolated, a little further.
        assert (plain - without).value < 0.9
        difference = importance.value - (plain - without).value
        np.testing.assert_allclose(np.abs(importance.disagreement[-1]), difference, rtol=1e-12)

    def test_what_reduced_models_learn_wrong_by_themselves_lowers_the_lower_end(self, generator):
        # y = x + z + noise. Twins have x and z a tenth wrong, which is no error of their own
        # without z; errors of 0.3 v and -0.3 v are: a variance of 0.6^2 / 2.
        x, z, v, noise = generator.normal(size=(4, 20_000))
        y, rows = x + z + noise, np.arange(20_000)
        plan = EvaluationPlan((rows,), (rows,))

        def without(own, measure=None, **changed):
            whole, *halves = (
                EvaluationPredictions(
                    y, (1 + wrong) * x + (1 - wrong) * z, ((1 + wrong) * x + sign * own * v,), plan
                )
                for wrong, sign in ((0.0, 0), (0.1, 1), (-0.1, -1))
            )
            twins = replace(whole, **{"half": tuple(halves), "twins": True, **changed})
            return float(twins.missed(measure or NegMSE(), 0.95).without[0])

        # Chance: products of independent columns, and the mean of v^2.
        assert without(0.0) < 5 * 0.2**2 / np.sqrt(len(y))
        assert without(0.3) == pytest.approx(0.18, rel=5 * np.sqrt(2 / len(y)))
        assert without(0.3, R2()) == pytest.approx(without(0.3) / np.var(y))
        assert without(0.3, NegMAE()) == without(0.3, twins=False) == without(0.3, half=None) == 0

    def test_r2_is_the_same_over_the_variance(self, fitted):
        predictions = replace(fitted.predictions_, plan=one_part(fitted.predictions_))
        squares, shares = (
            [full.value - each.value for each in reduced]
            for full, reduced in map(predictions.skills, (NegMSE(), R2()))
        )
        np.testing.assert_allclose(shares, squares / np.var(predictions.y), rtol=1e-9, atol=1e-15)

    def test_the_estimates_are_those_of_the_twins_where_they_agree(self, fitted):
        predictions, result = fitted.predictions_, fitted.result_
        (one, other), y = predictions.half, predictions.y
        for number in range(3):
            terms = twin_terms(
                y, (one.full, other.full), (one.reduced[number], other.reduced[number])
            )
            means = [
                np.mean([each[part].mean() for part in predictions.plan.full_parts])
                for each in (terms.crossed, terms.shared)
            ]
            by_twins = means[0] ** 2 / means[1]
            course = predictions.courses(NegMSE())[number]
            without = replace(predictions, twins=False)
            full, reduced = without.skills(NegMSE())
            by_curve = (full - reduced[number]).value
            assert (course.share > 0) == (by_curve > by_twins)
            expected = by_twins + course.share * (by_curve - by_twins)
            np.testing.assert_allclose(result.importance[number], expected, rtol=1e-9)
            assert result.training_error[number] > abs(result.shift[number])

    def test_an_effect_that_one_model_has_hardly_learnt_is_not_blown_up(self, generator):
        # Effects of one shape have a cosine of 1, whatever their strength.
        x, noise = generator.normal(size=(2, 500))
        y, zero = 0.1 * x + noise, np.zeros(500)
        strong, weak = (
            calibration(*means_of(twin_terms(y, (0.1 * x, factor * x), (zero, zero))))
            for factor in (0.05, 0.001)
        )
        assert strong is not None
        assert weak is None

    def test_log_loss_of_an_effect_learnt_in_part_is_found_nearly_whole(self, generator):
        # The best probability is 0.5 + 0.3 x with x one of two signs. Each model has learnt half of
        # the effect, and noise of its own.
        n = 40_000
        signs = generator.choice([-1.0, 1.0], size=n)
        y = (generator.random(n) < 0.5 + 0.3 * signs).astype(float)
        truth = np.log(2) + 0.8 * np.log(0.8) + 0.2 * np.log(0.2)
        noise = 0.1 * generator.choice([-1.0, 1.0], size=(3, n))
        whole, *halves = 0.5 + 0.15 * signs + noise * np.array([[0.7], [1.0], [1.0]])
        constant, rows = np.full(n, 0.5), np.arange(n)
        plan = EvaluationPlan((rows,), (rows,))
        half = tuple(EvaluationPredictions(y, each, (constant,), plan) for each in halves)
        predictions = EvaluationPredictions(
            y, whole, (constant,), plan, half=half, rises=True, twins=True
        )
        full, (reduced,) = predictions.skills(NegLogLoss())
        importance = full - reduced
        # The parabola at 0.5, 2 u^2, leaves out higher powers of the effect 0.3.
        left_out, error = truth - 2 * 0.3**2, 4 * rows_error(importance)
        assert -left_out - error < importance.value - truth < error
        plain, (without,) = replace(predictions, twins=False).skills(NegLogLoss())
        assert abs((plain - without).value - truth) > 3 * abs(importance.value - truth)

    def test_two_classes_are_the_same_in_one_column_and_in_two(self, generator):
        y = generator.integers(2, size=200).astype(float)
        columns = tuple(generator.uniform(0.01, 0.99, size=(6, 200)))
        one = TwinTerms.of(NegLogLoss(), y, columns[:3], columns[3:])
        pairs = tuple(np.column_stack([1 - each, each]) for each in columns)
        both = TwinTerms.of(NegLogLoss(), y, pairs[:3], pairs[3:])
        for name in ("crossed", "shared", "first_size", "second_size", "beyond"):
            np.testing.assert_allclose(getattr(one, name), getattr(both, name), rtol=1e-9)

    def test_a_shape_that_takes_more_rows_than_twins_have_is_followed_by_the_curve(self, generator):
        # y is x + z + noise; models of half the rows have learnt x, that of all x and half of z.
        n = 20_000
        x, z, noise = generator.normal(size=(3, n))
        y, zero, rows = x + z + noise, np.zeros(n), np.arange(n)
        plan = EvaluationPlan((rows,), (rows,))
        half = (EvaluationPredictions(y, x, (zero,), plan),) * 2
        predictions = EvaluationPredictions(
            y, x + z / 2, (zero,), plan, half=half, rises=True, twins=True
        )
        full, (reduced,) = predictions.skills(NegMSE())
        importance = full - reduced
        # By the twins 1; by the model 7 / 4, of which halves have learnt 4 / 7: it is heading for
        # 7 / 4 + 3 / 7. The truth is 2.
        (course,) = predictions.courses(NegMSE())
        assert course.share > 0.99
        heading = 7 / 4 + 3 / 7
        assert abs(importance.value - heading) < 4 * rows_error(importance)
        assert abs(importance.disagreement[-1]) == pytest.approx(heading - 1, abs=0.1)

    def test_models_that_do_not_agree_are_not_taken_for_twins(self, generator):
        y, one, other = generator.normal(size=(3, 500))
        rows, zero = np.arange(500), np.zeros(500)
        plan = EvaluationPlan((rows,), (rows,))
        half = tuple(EvaluationPredictions(y, each, (zero,), plan) for each in (one, other))
        predictions = EvaluationPredictions(
            y, one, (zero,), plan, half=half, rises=True, twins=True
        )
        assert [course.factor for course in predictions.courses(NegMSE())] == [None]


def twin_terms(y, full, reduced):
    """Those of squared errors, for which the model of all rows does not count."""
    return TwinTerms.of(NegMSE(), y, (full[0], *full), (reduced[0], *reduced))


def means_of(terms):
    crossed, shared = (mean_of_rows(each, None) for each in (terms.crossed, terms.shared))
    return crossed, shared, (terms.first_size.mean(), terms.second_size.mean())


def rows_error(value):
    return np.sqrt(np.mean(np.square(value.influence)) / len(value.influence))


def one_part(predictions):
    rows = np.arange(len(predictions.y))
    return EvaluationPlan((rows,), (rows,))


def test_what_the_halves_disagree_by_is_measured_in_every_fold(fitted):
    predictions, y = fitted.predictions_, fitted.predictions_.y
    first, second = predictions.half
    losses = [
        np.array([np.square(y - h) - np.square(y - each.full) for h in each.reduced])
        for each in (first, second)
    ]
    folds = predictions.plan.full_parts
    assert len(folds) == 3
    apart = [losses[0][:, fold].mean(axis=1) - losses[1][:, fold].mean(axis=1) for fold in folds]
    # Each of two independent estimates has half the variance of their difference; the mean of
    # three such, of the models of the three thirds, a sixth of it.
    expected = np.sqrt(np.mean(np.square(apart), axis=0) / 6)
    result = fitted.result_
    disagreements = np.array([(result.full - each).disagreement[:3] for each in result.reduced])
    assert np.allclose(np.linalg.norm(disagreements, axis=1), expected)
    assert expected[:3].min() > 0


def test_what_the_training_rows_leave_open_widens_the_interval(fitted):
    result = fitted.result_
    rows_only = np.sqrt(np.mean(result.influence**2, axis=1) / result.influence.shape[1])
    assert np.allclose(result.standard_error, np.hypot(rows_only, result.training_error))
    assert (result.training_error >= np.abs(result.shift)).all()
    low, high = result.interval()
    # The first three matter; of the others some are not looked at and have limits of their own.
    below, above = skewed_widths(result.influence, 0.95)
    disagreement = np.sqrt(result.training_error**2 - result.shift**2)
    assert (result.shift[:3] > 0).any()
    # A positive shift counts twice above: nobody knows how slowly the rest is learnt.
    shift_above = np.where(result.shift > 0, 2, 1) * result.shift
    errors = (result.training_error, np.hypot(shift_above, disagreement))
    ends = [
        np.hypot(side, 1.959964 * error) for side, error in zip((below, above), errors, strict=True)
    ]
    lowest = result.importance - ends[0] - result.missed.without
    # What the product test shows is no longer in doubt, however the model may have learnt it.
    score, error = (
        np.array([getattr(each, name) for each in result.scores])
        for name in ("value", "standard_error")
    )
    moments = Moments.of_many([each.influence for each in result.scores])
    freedom = np.minimum(spread_freedom(moments), moments.n_rows - 1)
    shown = np.square(np.maximum(score - t.ppf(0.975, freedom) * error, 0))
    assert (shown[:3] > lowest[:3]).any()
    assert (shown[:3] < lowest[:3]).any()
    assert np.allclose(low[:3], np.maximum(lowest, shown)[:3], rtol=1e-5)
    assert np.allclose((high - result.importance)[:3], ends[1][:3], rtol=1e-5)
    retrained = replace(result, method="retrain")
    assert np.allclose(retrained.interval()[0], low)
    assert (retrained.interval()[1] <= high).all()
    assert (retrained.interval()[1] < high).any()


def test_the_headline_is_the_skill_of_the_model_at_hand(fitted):
    full = fitted.result_.full
    at_hand, _ = replace(fitted.predictions_, half=None).skills(lw.measures.as_measure("neg_mse"))
    assert full.value - full.shift == pytest.approx(at_hand.value, rel=1e-9)
    assert f"{at_hand.value:.4g}" in repr(fitted.result_)


def test_the_p_value_is_that_of_the_product_statistic():
    data = lw.datasets.make_correlated_linear(n_samples=10_100, random_state=0)
    vi = lw.VariableImportance(**FAST, features=["X3"]).fit(data.X, data.y)
    predictions = vi.predictions_
    effect = predictions.full - predictions.reduced[0]
    terms = (predictions.y - predictions.reduced[0]) * effect
    one, other = predictions.half
    differ = one.reduced[0] - other.reduced[0]
    effects = one.full - other.full - differ
    # The smaller of both differences, times three for what they share, half for twice the rows.
    own = -1.5 * np.sign(differ * effects) * np.minimum(differ**2, effects**2) / 2
    assert own.mean() > own.std() / np.sqrt(len(own))
    terms -= own
    # Of mean[terms] over the root of mean[effect^2], which is known less well by its own error.
    size = np.mean(effect**2)
    influence = terms - terms.mean() - terms.mean() * (effect**2 - size) / (2 * size)
    z = terms.mean() / (influence.std() / np.sqrt(len(terms)))
    (score,) = vi.result_.scores
    # Three quarters of the rows are learnt from.
    expected = z / np.sqrt(1 + 50 * len(terms) / (10_100 - len(terms)) ** 2)
    assert score.value / score.standard_error == pytest.approx(expected, rel=1e-3)
    assert vi.result_.p_value()[0] == pytest.approx(norm.sf(expected), rel=1e-6)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_seed_gives_one_result_for_any_number_of_jobs(data, fitted, n_jobs):
    again = lw.VariableImportance(**FAST, n_jobs=n_jobs).fit(data.X, data.y)
    pd.testing.assert_frame_equal(
        again.result_.to_frame().drop(columns="seconds"),
        fitted.result_.to_frame().drop(columns="seconds"),
        check_exact=True,
    )


def test_a_set_is_worth_the_same_whatever_else_is_asked_for(data, fitted):
    few = lw.VariableImportance(**FAST, features=["X4", "X1"]).fit(data.X, data.y)
    whole = fitted.result_.to_frame().set_index("feature")
    part = few.result_.to_frame().set_index("feature")
    for name in ("X1", "X4"):
        assert part.loc[name, "importance"] == whole.loc[name, "importance"]
        assert part.loc[name, "p_value"] == whole.loc[name, "p_value"]


def test_saved_and_loaded_results_say_the_same(fitted, tmp_path):
    loaded = lw.ImportanceResult.load(fitted.result_.save(tmp_path / "result.npz"))
    pd.testing.assert_frame_equal(loaded.to_frame(), fitted.result_.to_frame())


def test_parts_merge_to_the_whole(data, fitted):
    parts = [
        lw.VariableImportance(**FAST, features=names).fit(data.X, data.y).result_
        for names in (["X1", "X2", "X3"], ["X4", "X5", "X6"])
    ]
    merged = lw.ImportanceResult.merge(parts).to_frame().drop(columns="seconds")
    whole = fitted.result_.to_frame().drop(columns="seconds")
    pd.testing.assert_frame_equal(merged, whole, check_exact=True)


def test_a_column_no_model_looks_at_is_worth_nothing_with_an_upper_limit():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = 3 * X["a"] + generator.normal(size=300)
    model = make_pipeline(ColumnTransformer([("a", "passthrough", ["a"])]), LinearRegression())
    vi = lw.VariableImportance(model, "projection", random_state=0).fit(X, y)
    frame = vi.result_.to_frame().set_index("feature")
    assert frame.loc["b", "importance"] == 0
    # A slope is learnt from 200 rows, so one of 3.92 / sqrt(200) could have been missed. The
    # variance of the noise, 1, is known to 8 %.
    assert frame.loc["b", "ci_high"] == pytest.approx(3.92**2 / 200, rel=0.25)
    assert frame.loc["b", "p_value"] < 1
    assert frame.loc["a", "importance"] > 5


def test_the_upper_limit_of_an_ignored_column_is_that_of_the_level_asked_for():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(300, 2)), columns=["a", "b"])
    y = 3 * X["a"] + generator.normal(size=300)
    model = make_pipeline(ColumnTransformer([("a", "passthrough", ["a"])]), LinearRegression())

    def fit(level):
        vi = lw.VariableImportance(model, "projection", level=level, random_state=0)
        return vi.fit(X, y).result_

    result = fit(0.95)
    for level in (0.9, 0.99):
        assert result.interval(level)[1][1] == pytest.approx(fit(level).interval()[1][1], rel=1e-12)
    # Between the levels whose limits are kept they are interpolated.
    np.testing.assert_allclose(result.interval(0.97)[1][1], fit(0.97).interval()[1][1], rtol=0.01)
    assert result.interval(0.5)[1][1] < result.interval()[1][1]
    assert result.simultaneous_interval()[1][1] > result.interval()[1][1]


def test_the_test_of_an_ignored_column_finds_what_the_model_missed():
    generator = np.random.default_rng(1)
    X = pd.DataFrame(generator.normal(size=(600, 2)), columns=["a", "b"])
    y = 3 * X["a"] + 0.3 * X["b"] + generator.normal(size=600)
    model = make_pipeline(ColumnTransformer([("a", "passthrough", ["a"])]), LinearRegression())
    result = lw.VariableImportance(model, "projection", random_state=0).fit(X, y).result_
    frame = result.to_frame().set_index("feature")
    assert frame.loc["b", "importance"] == 0
    assert frame.loc["b", "p_value"] < 1e-6
    assert frame.loc["b", "ci_high"] > 0.09


def test_the_product_test_keeps_its_level_where_nothing_is_to_be_found():
    # f - h is noise that has nothing to do with y, as for a worthless feature: 400 tests at 5 %
    # reject 20 of them, and between 5 and 38 in all but one in ten thousand runs.
    generator = np.random.default_rng(0)
    rejected = 0
    for _ in range(400):
        h, u, e = generator.normal(size=(3, 200))
        rejected += ScoredRows(h + e, h, 0.1 * u).terms.score().p_value() < 0.05
    assert 5 <= rejected <= 38


@pytest.mark.parametrize("cv", [None, 4], ids=["thirds", "folds"])
def test_folds_keep_the_level_of_the_product_test(cv):
    # A feature worth nothing and a model that is a sum over the noise of its training rows: pairs
    # of rows count twice if every fold is trained on. Plain errors would reject in 12 %.
    generator = np.random.default_rng(1)
    n_rows, rejected = 120, 0
    for _ in range(400):
        plan = plan_runs(n_rows, 0, 0.75, cv, generator, None, with_halves=True)
        x, e = generator.normal(size=(2, n_rows))
        parts = []
        for fold, model in plan.tested:
            split, rows = plan.splits[model], plan.folds[fold]
            learnt = np.concatenate([split.train, split.stopping])
            slope = np.mean(x[learnt] * e[learnt])
            parts.append(ScoredRows(e[rows], np.zeros(len(rows)), slope * x[rows]).terms)
        score = ProductTerms.joined(parts).score(plan.variance_factor())
        rejected += score.p_value() < 0.05
    assert rejected <= 38


def test_products_of_errors_count_less_with_more_rows(generator):
    few, many = (
        plan_runs(n, 0, 0.75, None, generator, None, with_halves=True) for n in (90, 12_000)
    )
    assert 1.5 < few.variance_factor() < 3
    assert 1 < many.variance_factor() < 1.01
    # Rows of ten patients are worth ten.
    patients = np.arange(12_000) % 10
    assert many.variance_factor(patients) > 2


class TestImportancesThatRise:
    """A projection's importance is expected to rise with the rows; a fall is taken for chance."""

    @staticmethod
    def predictions(generator, *, rises):
        # Of two feature sets the importance rises and falls when the training rows double.
        y, error = generator.normal(size=(2, 200))

        def off(scale):
            return y + scale * error

        rows = np.arange(200)
        plan = EvaluationPlan((rows[:100], rows[100:]), (rows[:100], rows[100:]))
        half = EvaluationPredictions(y, off(0.5), (off(1.0), off(1.2)), plan)
        return EvaluationPredictions(
            y, off(0.4), (off(1.0), off(1.1)), plan, half=(half, half), rises=rises
        )

    def test_one_that_fell_is_that_of_all_rows(self, generator):
        predictions = self.predictions(generator, rises=True)
        size = np.mean(np.square(predictions.full - predictions.y)) / 0.16
        full, (rose, fell) = predictions.skills(NegMSE())
        # Errors are 0.4 and 0.5 of all rows and half of them, without a set 1.0 and 1.0, or 1.1 and
        # 1.2, times the same: importances of 0.84 and 0.75, 1.05 and 1.19.
        risen = 0.84 + 0.75 / 0.84 * (0.84 - 0.75)
        np.testing.assert_allclose((full - rose).value, risen * size, rtol=1e-12)
        np.testing.assert_allclose((full - fell).value, 1.05 * size, rtol=1e-12)
        np.testing.assert_allclose((full - fell).shift, (1.05 - 1.19) * size, rtol=1e-12)
        alone = replace(predictions, half=None).skills(NegMSE())
        at_n = alone[0] - alone[1][1]
        np.testing.assert_allclose((full - fell).influence, at_n.influence, atol=1e-12)

    def test_what_models_of_half_the_rows_had_not_learnt_is_not_counted_twice(self, generator):
        predictions = self.predictions(generator, rises=True)
        late = replace(predictions.half[0], full=predictions.half[0].reduced[0])
        predictions = replace(predictions, half=(late, late))
        size = np.mean(np.square(predictions.full - predictions.y)) / 0.16
        full, (rose, _) = predictions.skills(NegMSE())
        np.testing.assert_allclose((full - rose).value, 0.84 * size, rtol=1e-12)
        np.testing.assert_allclose((full - rose).shift, 0.84 * size, rtol=1e-12)

    def test_other_methods_are_extrapolated_either_way(self, generator):
        predictions = self.predictions(generator, rises=False)
        size = np.mean(np.square(predictions.full - predictions.y)) / 0.16
        full, (_, fell) = predictions.skills(NegMSE())
        np.testing.assert_allclose((full - fell).value, (2 * 1.05 - 1.19) * size, rtol=1e-12)

    def test_segments_add_up_whatever_their_own_shifts(self, generator):
        predictions = self.predictions(generator, rises=True)
        y, chosen = predictions.y, predictions.y > 0.3
        # On the chosen rows the second importance has risen, although it fell on all of them.
        half = predictions.half[0]
        error = (predictions.full - y) / 0.4
        lower = np.where(chosen, y + 0.9 * error, y + 1.4 * error)
        half = replace(half, reduced=(half.reduced[0], lower))
        predictions = replace(predictions, half=(half, half))
        full, reduced = predictions.skills(NegMSE())
        evidence = PredictionEvidence(predictions, NegMSE(), 200)
        parts = [evidence.on_rows(each, 0.95) for each in (chosen, ~chosen)]
        shifts = [(part.full - part.reduced[1]).shift for part in parts]
        assert shifts[0] > 0 > shifts[1]
        assert (full - reduced[1]).shift < 0
        for number, whole in enumerate(reduced):
            importances = [part.full.value - part.reduced[number].value for part in parts]
            total = np.dot([part.share for part in parts], importances)
            np.testing.assert_allclose(total, full.value - whole.value, rtol=1e-12)


@pytest.mark.parametrize("inference", ["auto", "paired", "split"])
def test_every_kind_of_interval_takes_levels_and_gaps(inference):
    generator = np.random.default_rng(0)
    n = 240
    X = pd.DataFrame(
        {
            "level": generator.choice(["a", "b", "c"], size=n),
            "gaps": np.where(generator.random(n) < 0.2, np.nan, generator.normal(size=n)),
            "x": generator.normal(size=n),
        }
    )
    y = (X["level"] == "a") * 2.0 + X["x"] + np.where(X["gaps"].isna(), 1.0, 0.0)
    vi = lw.VariableImportance(**FAST, inference=inference, groups={"both": ["level", "gaps"]})
    frame = vi.fit(X, y + 0.1 * generator.normal(size=n)).result_.to_frame()
    assert np.isfinite(frame.drop(columns="feature").to_numpy(float)).all()
    assert frame.set_index("feature").loc["both", "importance"] > 0.1


def test_a_trained_model_has_no_halves(data):
    model = LinearRegression().fit(data.X[:300], data.y[:300])
    vi = lw.VariableImportance(model, "projection", prefit=True, random_state=0)
    vi.fit(data.X[:300], data.y[:300], X_eval=data.X[300:], y_eval=data.y[300:])
    assert vi.result_.inference == "paired"
    with pytest.raises(ValueError, match="learning_curve"):
        vi.set_params(inference="learning_curve").fit(
            data.X[:300], data.y[:300], X_eval=data.X[300:], y_eval=data.y[300:]
        )


def test_the_upper_limit_of_an_ignored_column_holds_for_several_classes_too():
    generator = np.random.default_rng(2)
    X = pd.DataFrame(generator.normal(size=(360, 2)), columns=["a", "b"])
    y = np.digitize(X["a"] + 0.5 * generator.normal(size=360), [-0.5, 0.5]).astype(str)
    only_a = ColumnTransformer([("a", "passthrough", ["a"])])
    model = make_pipeline(only_a, LogisticRegression())
    frame = lw.VariableImportance(model, "projection", random_state=0).fit(X, y).result_.to_frame()
    low, high = frame.set_index("feature").loc["b", ["ci_low", "ci_high"]]
    # Two slopes known to about 1 / sqrt(360) each: a share of deviance of a few hundredths.
    assert low == 0 < high < 0.1
    assert frame.set_index("feature").loc["a", "importance"] > 0.2
