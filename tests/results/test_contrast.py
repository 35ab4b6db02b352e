from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import lukewarm as lw
from lukewarm.inference import skewed_widths
from lukewarm.results import MeasureValue, Missed


@pytest.fixture
def result(generator):
    x, z, noise = generator.normal(size=(3, 400))
    full = x + z + x * z
    y = full + 0.5 * noise
    return lw.importance_from_predictions(y, full, {"x": z, "z": x, "x+z": 0 * x})


WEIGHTS = {"x": 1.0, "z": 1.0, "x+z": -1.0}


def test_a_contrast_is_the_difference_by_hand(result):
    found = result.contrast(WEIGHTS)
    influence = np.array([1, 1, -1]) @ result.influence
    np.testing.assert_allclose(found.estimate, np.array([1, 1, -1]) @ result.importance)
    np.testing.assert_allclose(found.standard_error, np.sqrt(np.mean(influence**2) / 400))
    z = found.estimate / found.standard_error
    assert found.p_value(found.estimate) == 1
    low, high = found.interval(0.9)
    assert (high - low) / 2 == pytest.approx(1.644854 * found.standard_error)
    # Two sides: the p-value at an end of a 90 % interval is 10 %.
    assert found.p_value(low) == pytest.approx(0.1, rel=1e-4)
    assert found.p_value(high) == pytest.approx(0.1, rel=1e-4)
    assert z > 2
    assert repr(found).startswith("1 x + 1 z - 1 x+z = ")


def test_a_contrast_of_one_set_is_its_importance(result):
    skewed = replace(
        result,
        inference="learning_curve",
        full=replace(result.full, disagreement=np.array([0.3, 0.0])),
        reduced=tuple(
            replace(each, shift=0.1, disagreement=np.array([0.1, 0.2])) for each in result.reduced
        ),
        missed=Missed(
            np.array([0.0, 5.0]),
            np.array([[0.0, 900.0], *[[np.nan] * 2] * 2]),
            without=np.array([0.0, 0.2, 0.3]),
        ),
    )
    low, high = skewed.interval()
    for number, name in enumerate(skewed.names):
        found = skewed.contrast({name: 1})
        np.testing.assert_allclose(found.interval(), (low[number], high[number]), rtol=1e-12)
        np.testing.assert_allclose(found.standard_error, skewed.standard_error[number])
    # The limit of the first set lowers the contrast in which it is subtracted.
    with_limit = skewed.contrast({"z": 1, "x": -1}).interval()
    without = replace(skewed, missed=None).contrast({"z": 1, "x": -1}).interval()
    assert with_limit[0] < without[0]
    assert with_limit[1] == without[1]


def test_slow_learning_counts_on_the_side_where_it_would_move_the_sum(result):
    risen = replace(
        result,
        method="projection",
        full=replace(result.full, shift=0.3),
        reduced=tuple(replace(each, shift=0.1) for each in result.reduced),
    )
    low, high = risen.interval()
    np.testing.assert_allclose(risen.contrast({"x": 1}).interval(), (low[0], high[0]), rtol=1e-12)
    turned = risen.contrast({"x": -1}).interval()
    np.testing.assert_allclose(turned, (-high[0], -low[0]), rtol=1e-12)
    # Both have moved by as much, so their difference has not; either may be learnt slowly.
    difference = risen.difference("x", "z")
    assert difference.shift == pytest.approx(0, abs=1e-12)
    rows = np.diff(replace(risen, method="retrain").difference("x", "z").interval()) / 2
    expected = np.hypot(rows, 1.959964 * 0.2)
    low, high = difference.interval()
    assert difference.estimate - low == pytest.approx(expected[0], rel=1e-6)
    assert high - difference.estimate == pytest.approx(expected[0], rel=1e-6)


def test_what_halves_disagree_by_adds_up_before_it_is_squared(result):
    marks = ((0.1, 0.0), (0.2, 0.1), (0.5, 0.1))
    found = replace(
        result,
        full=replace(result.full, disagreement=np.zeros(2)),
        reduced=tuple(
            replace(each, disagreement=np.array(mark))
            for each, mark in zip(result.reduced, marks, strict=True)
        ),
    ).contrast(WEIGHTS)
    assert found.training_error == pytest.approx(np.hypot(0.5 - 0.1 - 0.2, 0.1 - 0.1))
    assert found.standard_error > np.hypot(0.0, 0.2)


def test_shifts_add_up_and_skewness_is_known(result):
    reduced = tuple(
        replace(each, shift=shift)
        for each, shift in zip(result.reduced, (0.1, 0.2, 0.6), strict=True)
    )
    found = replace(result, inference="learning_curve", reduced=reduced).contrast(WEIGHTS)
    assert found.shift == pytest.approx(-0.1 - 0.2 + 0.6)
    below, above = skewed_widths(found.influence, 0.95)
    moved = 1.959964 * 0.3
    np.testing.assert_allclose(
        found.interval(),
        (found.estimate - np.hypot(below, moved), found.estimate + np.hypot(above, moved)),
        rtol=1e-6,
    )


def test_intervals_cover_the_true_contrast():
    # Importances that share rows and noise; 400 samples of 300 rows at 95 %.
    generator = np.random.default_rng(0)
    mixing = generator.normal(size=(4, 4))
    truth, weights = np.array([1.0, 2.0, 2.5]), np.array([1.0, 1.0, -1.0])
    covered = rejected = 0
    for _ in range(400):
        rows = generator.normal(size=(300, 4)) @ mixing
        values = [MeasureValue(float(each.mean()), each - each.mean()) for each in rows.T]
        full = values[0]
        reduced = [
            MeasureValue(each.value - gap, each.influence)
            for each, gap in zip(values[1:], truth, strict=True)
        ]
        result = replace(
            lw.importance_from_predictions(np.arange(40.0), np.ones(40), np.zeros((3, 40))),
            full=full,
            reduced=tuple(reduced),
            names=("a", "b", "c"),
        )
        found = result.contrast(dict(zip("abc", weights, strict=True)))
        low, high = found.interval()
        covered += low <= weights @ truth <= high
        rejected += found.p_value(weights @ truth) < 0.05
    # All but one in ten thousand runs.
    assert binom.ppf(5e-5, 400, 0.945) <= covered <= binom.ppf(1 - 5e-5, 400, 0.955)
    assert rejected == 400 - covered


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (["x"], TypeError, "weights must be a mapping"),
        ({}, ValueError, "weights is empty"),
        ({"w": 1}, ValueError, "weights must be one of 'x', 'z', 'x\\+z'"),
        ({"x": "1"}, TypeError, r"weights\['x'\] must be"),
        ({"x": np.inf}, ValueError, r"weights\['x'\] must be"),
    ],
)
def test_wrong_weights_are_refused(result, weights, error, message):
    with pytest.raises(error, match=message):
        result.contrast(weights)


def test_spaces_around_the_plus_of_a_name_do_not_count(result):
    spaced = result.contrast({"x + z": 1.0})
    assert spaced.weights == {"x+z": 1.0}
    assert spaced.estimate == result.importance[2]


def test_nothing_is_certain_of_two_equal_sets(result):
    same = replace(result, reduced=(result.reduced[0],) * 3)
    assert same.difference("x", "z").p_value() == 1
    assert result.difference("x", "x").interval() == (0, 0)
