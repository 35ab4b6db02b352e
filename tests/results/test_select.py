from dataclasses import replace

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.inference import adjust_p_values
from lukewarm.results import MeasureValue


def simulated(generator, truth, n_rows=200):
    """A result whose importances have these true values and independent rows of spread 1."""
    rows = truth[:, None] + generator.normal(size=(len(truth), n_rows))
    result = lw.importance_from_predictions(np.arange(40.0), np.ones(40), np.zeros((2, 40)))
    return replace(
        result,
        names=tuple(f"x{number}" for number in range(len(truth))),
        full=MeasureValue(0.0, np.zeros(n_rows)),
        reduced=tuple(MeasureValue(-row.mean(), row.mean() - row) for row in rows),
    )


@pytest.mark.parametrize("adjust", ["bh", "by", "holm"])
def test_selected_are_those_of_small_adjusted_p_values(adjust):
    result = simulated(np.random.default_rng(0), np.repeat([0.0, 0.25], 10))
    adjusted = adjust_p_values(result.p_value(), adjust)
    expected = [name for name, p in zip(result.names, adjusted, strict=True) if p <= 0.1]
    assert 0 < len(expected) < 20
    assert result.select(0.1, adjust=adjust) == expected


def test_the_share_of_false_discoveries_is_bounded():
    # Half of 20 sets are worth nothing, so Benjamini-Hochberg at 0.2 gives 0.1 in the mean. The
    # share varies by about 0.1 from sample to sample: 300 of them know its mean to 0.006.
    generator = np.random.default_rng(1)
    truth = np.repeat([0.0, 0.2], 10)
    false, power = [], []
    for _ in range(300):
        numbers = [int(name[1:]) for name in simulated(generator, truth).select(0.2)]
        false.append(np.mean(np.array(numbers) < 10) if numbers else 0.0)
        power.append(np.sum(np.array(numbers) >= 10) / 10)
    assert 0.1 - 0.025 < np.mean(false) < 0.1 + 0.025
    assert np.mean(power) > 0.7


def test_a_share_outside_of_its_range_is_refused():
    result = simulated(np.random.default_rng(0), np.zeros(3))
    with pytest.raises(ValueError, match="fdr must be"):
        result.select(1.5)
    with pytest.raises(ValueError, match="adjust must be one of"):
        result.select(adjust="none")
