import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import lukewarm as lw
from lukewarm.evaluation import EvaluationPlan, EvaluationPredictions, skill_on_parts
from lukewarm.measures import MEASURES, as_measure, needs_classes
from lukewarm.measures._base import mean_of_rows


def predictions_for(name, generator, n_rows=2000):
    """Return y with a good and a poorer prediction, in the form the measure wants."""
    signal, other, noise = generator.normal(size=(3, n_rows))
    if not needs_classes(as_measure(name)):
        numbers = signal + other + noise, signal + other, signal
        return tuple(np.exp(np.array(numbers) / 4)) if "deviance" in name else numbers
    chance = 1 / (1 + np.exp(-2 * (signal + other)))
    y = (generator.uniform(size=n_rows) < chance).astype(int)
    return y, chance, 1 / (1 + np.exp(-1.3 * signal))


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("inference", ["paired", "split"])
def test_standard_errors_agree_with_a_bootstrap(name, inference):
    generator = np.random.default_rng(5)
    y, full, reduced = predictions_for(name, generator)
    result = lw.importance_from_predictions(y, full, reduced, name, inference=inference)
    assert result.importance[0] > 3 * result.standard_error[0]
    measure = as_measure(name)
    n_rows, n_draws = len(y), 1500
    strata = y if needs_classes(measure) else None
    halves = EvaluationPlan.split(np.zeros(n_rows), np.random.default_rng(0), strata)
    draws = np.empty(n_draws)
    for draw in range(n_draws):
        if inference == "paired":
            rows = other = generator.integers(n_rows, size=n_rows)
        else:
            rows = generator.choice(halves.full_parts[0], n_rows // 2)
            other = generator.choice(halves.reduced_parts[0], n_rows // 2)
        y_float = y.astype(float)
        draws[draw] = (
            measure.evaluate(y_float[rows], full[rows]).value
            - measure.evaluate(y_float[other], reduced[other]).value
        )
    # The bootstrap's own standard deviation is known to 1 / sqrt(2 * 1500) = 1.8 %; the two
    # agree within the 5 % promised.
    np.testing.assert_allclose(result.standard_error[0], draws.std(), rtol=0.05)


def covered_and_rejected(inference, gap, n_replicates=2000, n_rows=400):
    """Coverage and rejections over simulated predictions whose true importance is gap**2."""
    generator = np.random.default_rng(11)
    covered = rejected = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.HealthWarning)
        for _ in range(n_replicates):
            noise, feature = generator.normal(size=(2, n_rows))
            y = gap * feature + noise
            result = lw.importance_from_predictions(
                y,
                gap * feature,
                np.zeros(n_rows),
                inference=inference,
                random_state=generator,
            )
            low, high = result.interval(reach_zero=True)
            covered += bool(low[0] <= gap**2 <= high[0])
            rejected += bool(result.p_value()[0] < 0.05)
    return covered, rejected


@pytest.mark.parametrize("inference", ["paired", "split"])
def test_intervals_cover_an_importance_away_from_zero(inference):
    covered, rejected = covered_and_rejected(inference, gap=0.8)
    assert rejected > 1000
    # Of 2000 replicates; squared Gaussians are skewed, which costs up to a point of coverage at
    # n = 200 rows a side (Edgeworth, O(1/n)), so the band is that of 0.94 to 0.96.
    assert binom.ppf(0.0005, 2000, 0.94) <= covered <= binom.ppf(0.9995, 2000, 0.96)


def test_the_split_test_keeps_its_level_when_both_models_are_the_same():
    covered, rejected = covered_and_rejected("split", gap=0.0)
    # Intervals wholly below zero are extended to it, so misses are on one side only.
    assert binom.ppf(0.0005, 2000, 0.97) <= covered <= binom.ppf(0.9995, 2000, 0.98)
    assert binom.ppf(0.0005, 2000, 0.05) <= rejected <= binom.ppf(0.9995, 2000, 0.06)


def test_split_folds_are_disjoint_and_every_row_is_evaluated_once():
    folds = np.repeat([0, 1, 2], [30, 31, 40])
    plan = EvaluationPlan.split(folds, np.random.default_rng(0))
    assert len(plan.full_parts) == len(plan.reduced_parts) == 3
    used = np.concatenate([*plan.full_parts, *plan.reduced_parts])
    np.testing.assert_array_equal(np.sort(used), np.arange(len(folds)))
    for full_rows, reduced_rows in zip(plan.full_parts, plan.reduced_parts, strict=True):
        assert len(set(folds[full_rows]) | set(folds[reduced_rows])) == 1


def test_folds_average_the_measure_and_pool_the_variance(generator):
    y = generator.normal(size=90)
    full, reduced = y + 0.3 * generator.normal(size=(2, 90))
    folds = np.repeat(["a", "b"], [30, 60])
    result = lw.importance_from_predictions(y, full, reduced - 0.5, "r2", folds=folds)
    parts = [
        lw.importance_from_predictions(y[rows], full[rows], reduced[rows] - 0.5, "r2")
        for rows in (folds == "a", folds == "b")
    ]
    np.testing.assert_allclose(
        result.importance[0], np.mean([part.importance[0] for part in parts]), rtol=1e-12
    )
    expected = np.sqrt(sum(part.standard_error[0] ** 2 for part in parts)) / 2
    np.testing.assert_allclose(result.standard_error[0], expected, rtol=1e-12)


def test_predictions_may_come_in_any_of_the_usual_forms(generator):
    y, first, second = generator.normal(size=(3, 50))
    full = y
    named = lw.importance_from_predictions(y, full, {"a": first, "b": second})
    as_frame = lw.importance_from_predictions(y, full, pd.DataFrame({"a": first, "b": second}))
    as_list = lw.importance_from_predictions(y, full, [first, second])
    as_array = lw.importance_from_predictions(y, full, np.stack([first, second]))
    single = lw.importance_from_predictions(y, full, first)
    assert named.names == as_frame.names == ("a", "b")
    for other in (as_frame, as_list, as_array):
        np.testing.assert_array_equal(other.importance, named.importance)
    np.testing.assert_array_equal(single.importance, named.importance[:1])


def test_labels_of_any_type_are_classes(generator):
    y, full, reduced = predictions_for("auc", generator, 300)
    text = np.array(["no", "yes"])[y]
    np.testing.assert_array_equal(
        lw.importance_from_predictions(text, full, reduced, "auc").importance,
        lw.importance_from_predictions(y, full, reduced, "auc").importance,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "auc", "y": np.zeros(40)}, "at least two classes"),
        ({"measure": "accuracy"}, "y must hold classes"),
        ({"measure": "auc", "y": ["a", None] * 20}, "20 of 40 are missing"),
        ({"measure": "auc", "y": np.arange(40) % 3}, "defined for 2 classes; y has 3"),
        ({"measure": "auc", "y": np.arange(40) % 2, "full": np.full(40, 1.5)}, r"in \[0, 1\]"),
        ({"folds": [0, 1]}, "folds must name the fold of each of the 40 rows"),
        ({"weights": np.full(40, -1.0)}, "must not be negative; row 0 has -1"),
        ({"weights": np.zeros(40)}, "must not be zero in every row"),
        ({"reduced": np.zeros(39)}, "must have 40 rows; got 39"),
        ({"full": np.full(40, np.nan)}, "full must be finite"),
        ({"level": 1.0}, "level must be greater than 0 and less than 1"),
        ({"inference": "bootstrap"}, "inference must be one of 'paired', 'split'"),
        (
            {"measure": "auc", "y": np.arange(40) >= 20, "folds": np.arange(40) >= 20},
            "every fold must hold all 2 classes",
        ),
        (
            {
                "measure": "accuracy",
                "y": np.arange(40) >= 20,
                "weights": np.r_[np.ones(20), np.zeros(20)],
            },
            "weights must leave rows of all 2 classes of y in every fold",
        ),
        ({"folds": np.arange(40)}, "at least 2 evaluation rows in every part, .*; one has 1"),
        ({"weights": np.eye(40)[0]}, "at least 2 evaluation rows of positive weight"),
        ({"weights": np.r_[1e300, np.ones(39)]}, "at least 2 evaluation rows of positive weight"),
        (
            {"measure": "auc", "y": np.arange(40) % 20 == 0, "folds": np.arange(40) >= 20},
            "'auc' needs at least 2 rows of each class",
        ),
        (
            {"measure": "r2", "y": np.arange(40) // 10, "folds": np.arange(40) // 10},
            "y is 0 on all 10 rows of a part",
        ),
        ({"full": np.full(40, 1e160)}, r"full must not exceed 1e\+70"),
        ({"y": np.linspace(0, 1e160, 40)}, r"y must not exceed 1e\+70"),
        ({"reduced": {1: np.zeros(40), "1": np.ones(40)}}, "name each feature set differently"),
        ({"y": np.ma.masked_less(np.linspace(0, 1, 40), 0.5)}, "20 of 40 values are nan"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    usual = {
        "y": np.linspace(0, 1, 40),
        "full": np.full(40, 0.5),
        "reduced": np.full(40, 0.4),
    }
    with pytest.raises(ValueError, match=message):
        lw.importance_from_predictions(**{**usual, **arguments})


def test_standard_errors_of_few_rows_are_unbiased():
    # Three folds of 2 rows leave three degrees of freedom, so the squared standard error has a
    # coefficient of variation of sqrt(2 / 3).
    terms = np.random.default_rng(0).normal(size=(20_000, 6))
    folds = np.array([0, 0, 1, 1, 2, 2])
    plan = EvaluationPlan.paired(folds)
    errors = [
        skill_on_parts(Terms(), row, np.zeros(6), plan.full_parts).standard_error for row in terms
    ]
    band = 4 * np.sqrt(2 / 3 / len(terms))
    np.testing.assert_allclose(np.mean(np.square(errors)), 1 / 6, rtol=band)


def test_weighted_standard_errors_of_few_rows_are_unbiased():
    weights = np.array([3.0, 1.0, 1.0, 0.0])
    terms = np.random.default_rng(0).normal(size=(20_000, 4))
    rows = (np.arange(4),)
    errors = [
        skill_on_parts(Terms(), row, np.zeros(4), rows, weights).standard_error for row in terms
    ]
    expected = np.sum((weights / weights.sum()) ** 2)
    # A quadratic form in Gaussians varies by at most sqrt(2) of its mean.
    np.testing.assert_allclose(
        np.mean(np.square(errors)), expected, rtol=4 * np.sqrt(2 / len(terms))
    )


class Terms:
    """The plain mean of y."""

    name = "terms"

    def evaluate(self, y, prediction, weights=None):
        return mean_of_rows(y, weights)


def test_the_standard_error_of_auc_is_that_of_delong(generator):
    y = np.repeat([0.0, 1.0], [9, 3])
    full, reduced = generator.uniform(size=(2, 12))
    result = lw.importance_from_predictions(y, full, reduced, "auc")
    difference = result.influence[0]
    # Back to DeLong's components: shares of the other class, centred, per class.
    cases, controls = difference[9:] * 3 / 12, difference[:9] * 9 / 12
    scale = np.sqrt([3 / 2, 9 / 8])
    for scores, sign in ((full, 1), (reduced, -1)):
        below = (scores[9:, None] > scores[:9]) * 1.0
        cases = cases - sign * scale[0] * (below.mean(axis=1) - below.mean())
        controls = controls - sign * scale[1] * (below.mean(axis=0) - below.mean())
    np.testing.assert_allclose(cases, 0, atol=1e-12)
    np.testing.assert_allclose(controls, 0, atol=1e-12)


def test_the_size_of_weights_has_no_meaning(generator):
    y, full, reduced = generator.normal(size=(3, 30))
    weights = generator.uniform(size=30)
    small, large = (
        lw.importance_from_predictions(y, full, reduced, weights=weights * size)
        for size in (1.0, 1e308)
    )
    np.testing.assert_allclose(small.importance, large.importance, rtol=1e-12)
    np.testing.assert_allclose(small.standard_error, large.standard_error, rtol=1e-12)


def test_a_model_that_diverged_is_refused(generator):
    y = generator.normal(size=10)
    predictions = EvaluationPredictions(
        y, y, (np.full(10, np.nan),), EvaluationPlan.paired(np.zeros(10))
    )
    with pytest.raises(ValueError, match="10 of 10 predictions are nan or inf"):
        predictions.skills(as_measure("neg_mse"))
