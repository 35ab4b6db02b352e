import numpy as np
import pytest
from sklearn import metrics

from lukewarm.evaluation._checks import check_measure
from lukewarm.measures import (
    MEASURES,
    GammaDeviance,
    MeanLoss,
    Measure,
    NegMeanLoss,
    Pinball,
    Task,
    as_measure,
    available,
    needs_classes,
)
from lukewarm.results import ImportanceWarning

N_ROWS = 60
NAMES = (*MEASURES, "pinball(0.9)", "huber(0.5)", "tweedie_deviance(1.5)")


def problem(name, n_classes=2):
    """Return y, a prediction with ties, and weights for the measure of that name."""
    generator = np.random.default_rng(3)
    if not needs_classes(as_measure(name)):
        y = generator.normal(size=N_ROWS)
        prediction = y + 0.5 * generator.normal(size=N_ROWS)
        weights = generator.uniform(0.5, 2, N_ROWS)
        if "deviance" in name:
            return np.exp(y), np.exp(prediction), weights
        return y, prediction, weights
    y = generator.integers(n_classes, size=N_ROWS).astype(float)
    scores = generator.normal(size=(N_ROWS, n_classes)) + np.eye(n_classes)[y.astype(int)]
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    if n_classes == 2:
        # Rounding makes ties between cases and controls, which AUC counts half.
        return y, probabilities[:, 1].round(1).clip(0.05, 0.95), generator.uniform(0.5, 2, N_ROWS)
    return y, probabilities, generator.uniform(0.5, 2, N_ROWS)


CASES = [(name, 2) for name in NAMES] + [
    (name, 3)
    for name in (
        *("accuracy", "deviance", "neg_log_loss"),
        *("balanced_accuracy", "brier", "f1", "macro_auc"),
    )
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


@pytest.mark.parametrize("name", NAMES)
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
        ("pinball(0.9)", lambda y, f: -metrics.mean_pinball_loss(y, f, alpha=0.9)),
        ("poisson_deviance", lambda y, f: -metrics.mean_poisson_deviance(y, f)),
        ("gamma_deviance", lambda y, f: -metrics.mean_gamma_deviance(y, f)),
        ("tweedie_deviance(1.5)", lambda y, f: -metrics.mean_tweedie_deviance(y, f, power=1.5)),
        ("accuracy", lambda y, f: metrics.accuracy_score(y, f > 0.5)),
        ("auc", metrics.roc_auc_score),
        ("neg_log_loss", lambda y, f: -metrics.log_loss(y, f)),
        ("deviance", lambda y, f: metrics.d2_log_loss_score(y.astype(int), f)),
        ("rmse", lambda y, f: -metrics.root_mean_squared_error(y, f)),
        ("brier", lambda y, f: -metrics.brier_score_loss(y, f)),
        ("balanced_accuracy", lambda y, f: metrics.balanced_accuracy_score(y, f > 0.5)),
        ("f1", lambda y, f: metrics.f1_score(y, f > 0.5)),
        ("average_precision", metrics.average_precision_score),
        ("macro_auc", metrics.roc_auc_score),
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
    with pytest.raises(ValueError, match=r"one of 'neg_mse', 'r2'.*got 'rsme'"):
        as_measure("rsme")


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("f1", lambda y, f: metrics.f1_score(y, f.argmax(axis=1), average="macro")),
        ("macro_auc", lambda y, f: metrics.roc_auc_score(y, f, multi_class="ovr")),
        ("balanced_accuracy", lambda y, f: metrics.balanced_accuracy_score(y, f.argmax(axis=1))),
    ],
)
def test_values_of_three_classes_agree_with_scikit_learn(name, reference):
    y, prediction, _ = problem(name, 3)
    np.testing.assert_allclose(
        as_measure(name).evaluate(y, prediction).value, reference(y, prediction), rtol=1e-12
    )


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_the_jackknife_comes_to_the_same_standard_error(name, n_classes):
    y, prediction, _ = problem(name, n_classes)
    measure = as_measure(name)
    value = measure.evaluate(y, prediction)
    without = np.array(
        [
            measure.evaluate(np.delete(y, row), np.delete(prediction, row, axis=0)).value
            for row in range(N_ROWS)
        ]
    )
    jackknife = (N_ROWS - 1) * (value.value - without)
    # Two terms of order 1 / n apart, in a function of means.
    np.testing.assert_allclose(np.std(value.influence), np.std(jackknife), rtol=6 / N_ROWS)
    assert np.corrcoef(value.influence, jackknife)[0, 1] > 1 - 6 / N_ROWS


SCORERS = [
    ("explained_variance", "neg_mse", 1),
    ("jaccard", "accuracy", 2),
    ("f1_macro", "f1", 3),
    ("roc_auc_ovo", "macro_auc", 3),
]


@pytest.mark.parametrize(("name", "alike", "n_classes"), SCORERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scorer_of_scikit_learn_is_a_measure_with_a_jackknife(name, alike, n_classes, weighted):
    y, prediction, weights = problem(alike, n_classes)
    if weighted and name == "roc_auc_ovo":
        pytest.skip("the scorer takes no weights")
    measure = as_measure(name)
    assert needs_classes(measure) == (n_classes > 1)
    value = measure.evaluate(y, prediction, weights if weighted else None)
    assert np.isfinite(value.influence).all()
    assert abs(value.influence.mean()) < 1e-12
    assert np.std(value.influence) > 0.05


@pytest.mark.parametrize("n_rows", [60, 3000])
def test_the_jackknife_of_a_scorer_agrees_with_known_influence_values(n_rows):
    generator = np.random.default_rng(0)
    y = generator.integers(2, size=n_rows).astype(float)
    prediction = np.clip(0.3 * y + generator.uniform(size=n_rows) * 0.7, 0.01, 0.99)
    ours, theirs = as_measure("auc"), as_measure("roc_auc")
    known, jackknife = (each.evaluate(y, prediction) for each in (ours, theirs))
    assert known.value == pytest.approx(jackknife.value, rel=1e-12)
    # A standard deviation of k = min(n, 200) groups has a relative error of sqrt(1 / 2k).
    spread = 4 * np.sqrt(1 / (2 * min(n_rows, 200)))
    assert np.std(jackknife.influence) == pytest.approx(np.std(known.influence), rel=spread)


@pytest.mark.parametrize("name", ["neg_mse", "rmse", "r2", "brier", "neg_log_loss", "deviance"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_curvature_is_half_the_second_derivative_of_the_expected_loss(name, n_classes, generator):
    measure = as_measure(name)
    if n_classes > getattr(measure, "max_classes", n_classes):
        pytest.skip("a measure of one number")
    shares = generator.dirichlet(np.full(n_classes, 5.0))
    assert shares.min() > 0.05  # above the floor
    best = shares[1:] if n_classes == 2 else shares[np.newaxis]
    step = 1e-3 * np.array([1.0, -1.0, *[0.0] * (n_classes - 2)])

    def expected_loss(prediction):
        losses = [measure.losses(np.array([float(each)]), prediction) for each in range(n_classes)]
        return float(np.ravel(losses) @ shares)

    moved = best - step[1:2] if n_classes == 2 else best + step
    behind = 2 * best - moved
    second = (expected_loss(moved) + expected_loss(behind) - 2 * expected_loss(best)) / 2
    expected = np.sum(measure.curvature(best) * np.square(moved - best))
    # Of the next even power of the step, a millionth beside the square.
    np.testing.assert_allclose(second, expected, rtol=1e-3)


@pytest.mark.parametrize("name", ["neg_mse", "brier", "neg_log_loss", "deviance"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_no_prediction_loses_less_than_the_least_curvature_says(name, n_classes, generator):
    measure = as_measure(name)
    codes = np.arange(n_classes)

    def expected_loss(prediction, shares):
        losses = [measure.losses(np.array([float(code)]), prediction) for code in codes]
        return float(np.ravel(losses) @ shares)

    ratios = []
    # From shares that are even to those that are all but sure, far from each other and close.
    for evenness in np.repeat([0.3, 1.0, 100.0], 200):
        pair = generator.dirichlet(np.full(n_classes, evenness), size=2) + 1e-3
        shares, other = pair / pair.sum(axis=1, keepdims=True)
        best, worse = (each[1:] if n_classes == 2 else each[np.newaxis] for each in (shares, other))
        distance = np.sum(np.square(worse - best))
        if distance > 1e-6:
            lost = expected_loss(worse, shares) - expected_loss(best, shares)
            ratios.append(lost / distance)
    assert len(ratios) > 500
    least = measure.least_curvature(1 if n_classes == 2 else n_classes)
    # Losses round to 1e-15 or so, over squared distances of 1e-6 and more.
    assert min(ratios) > least - 1e-8
    # Of two classes it is reached, by a coin.
    if n_classes == 2:
        assert min(ratios) < 1.05 * least


@pytest.mark.parametrize(
    ("name", "message"),
    [
        # As scikit-learn called it before its version 1.6, and calls the function still.
        (
            "max_error",
            "or a scorer of scikit-learn.*got 'max_error'. Did you mean 'neg_max_error'?",
        ),
        ("mse", "Did you mean 'neg_mse'?"),
        ("rand_score", "got 'rand_score', which compares clusterings."),
        ("f1_samples", "got 'f1_samples', which is for rows of several labels each."),
        ("random", "got 'random'."),
        (3, "got 3."),
    ],
)
def test_a_name_that_is_no_measure_is_refused_with_the_nearest_one(name, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?") + "$"):
        as_measure(name)


@pytest.mark.parametrize("name", ["neg_max_error", "neg_median_absolute_error"])
def test_a_scorer_of_one_row_or_two_warns_that_its_interval_does_not_hold(name):
    with pytest.warns(ImportanceWarning, match=f"{name!r}.*importances hold, but not their int"):
        as_measure(name)
    assert available().set_index("measure").loc[name, "interval"] == "not valid"


@pytest.mark.filterwarnings("ignore:measure 'neg_m:lukewarm.ImportanceWarning")
def test_every_measure_of_the_table_can_be_had_by_name():
    table = available()
    assert {"rmse", "pinball(quantile)", "brier", "macro_auc", "f1_weighted"} <= set(
        table["measure"]
    )
    for name, target in zip(table["measure"], table["target"], strict=True):
        named = name.replace("(quantile)", "(0.5)").replace("(delta)", "(1)")
        measure = as_measure(named.replace("(power)", "(1.5)"))
        assert needs_classes(measure) == (target != "numbers")


def predicted(target, generator):
    """Return a target of a kind of `available`, and predictions that are right more often than not.

    Of "classes" there are three, of "two classes" two.
    """
    if target == "numbers":
        y = np.exp(generator.normal(size=N_ROWS))
        return y, y * np.exp(0.3 * generator.normal(size=N_ROWS))
    n_classes = 3 if target == "classes" else 2
    y = generator.integers(n_classes, size=N_ROWS)
    shares = generator.random((N_ROWS, n_classes)) + 0.5 * np.eye(n_classes)[y]
    shares /= shares.sum(axis=1, keepdims=True)
    return y.astype(float), shares if n_classes == 3 else shares[:, 1]


@pytest.mark.filterwarnings("ignore:measure 'neg_m:lukewarm.ImportanceWarning")
def test_every_measure_of_the_table_has_a_value_on_the_target_it_is_listed_for(generator):
    table = available()
    for name, target in zip(table["measure"], table["target"], strict=True):
        named = name.replace("(quantile)", "(0.5)").replace("(delta)", "(1)")
        measure = as_measure(named.replace("(power)", "(1.5)"))
        found = measure.evaluate(*predicted(target, generator))
        assert np.isfinite(found.value), name
        assert np.isfinite(found.influence).all(), name


@pytest.mark.parametrize("name", ["jaccard", "precision", "roc_auc", "positive_likelihood_ratio"])
def test_a_scorer_of_two_classes_is_refused_for_three_before_anything_is_trained(name):
    with pytest.raises(ValueError, match=f"{name!r} is defined for 2 classes; y has 3"):
        check_measure(as_measure(name), Task(3), np.arange(9.0) % 3)


def test_a_scorer_without_weights_says_so(generator):
    y, prediction = predicted("two classes", generator)
    measure = as_measure("positive_likelihood_ratio")
    with pytest.raises(ValueError, match=r"takes no weights here.*leave sample_weight out"):
        measure.evaluate(y, prediction, np.ones(N_ROWS))


LOSSES = [name for name in NAMES if isinstance(as_measure(name), MeanLoss)]


@pytest.mark.parametrize("name", LOSSES)
def test_the_jackknife_gives_the_influence_values(name):
    y, prediction, _ = problem(name)
    measure = as_measure(name)
    value = measure.evaluate(y, prediction)
    without = [
        measure.evaluate(np.delete(y, row), np.delete(prediction, row)).value
        for row in range(N_ROWS)
    ]
    # Of a mean, the jackknife is exact.
    np.testing.assert_allclose(
        value.influence, (N_ROWS - 1) * (value.value - np.array(without)), atol=1e-10
    )


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_constant_has_a_lower_loss(name, weighted):
    y, _, weights = problem(name)
    weights = weights if weighted else None
    measure = as_measure(name)
    best = measure.best_constant(y, weights)
    least = measure.mean_loss(y, np.full(N_ROWS, best), weights)
    for other in np.quantile(y, np.linspace(0.02, 0.98, 49)):
        # The search for a constant without a formula ends 1e-8 of the range from it.
        assert measure.mean_loss(y, np.full(N_ROWS, other), weights) >= least - 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_known_by_the_name_it_shows(name):
    assert as_measure(name).name == name


def test_measures_with_a_number_ask_for_it():
    with pytest.raises(ValueError, match=r"'pinball\(quantile\)'.*got 'pinball'"):
        as_measure("pinball")
    with pytest.raises(ValueError, match=r"quantile must be .* less than 1"):
        Pinball(1.5)


def test_deviances_refuse_what_they_are_not_defined_for():
    with pytest.raises(ValueError, match="needs a target above zero; row 1 has 0"):
        GammaDeviance().check_target(np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match="a target of zero or more; row 0 has -1"):
        as_measure("poisson_deviance").check_target(np.array([-1.0, 0.0]))
    with pytest.raises(ValueError, match=r"predictions above zero.*row 1 has -2"):
        as_measure("poisson_deviance").evaluate(np.array([1.0, 1.0]), np.array([1.0, -2.0]))


@pytest.mark.parametrize(
    "name",
    [
        "r2",
        "rmse",
        "neg_mae",
        "pinball(0.5)",
        "huber(1.0)",
        "poisson_deviance",
        "gamma_deviance",
        "tweedie_deviance(1.5)",
    ],
)
def test_measures_of_one_number_refuse_three_classes(name):
    measure, codes = as_measure(name), np.array([0.0, 1.0, 2.0])
    check_measure(measure, Task(2), codes[:2])
    with pytest.raises(ValueError, match="is defined for 2 classes; y has 3"):
        check_measure(measure, Task(3), codes)
