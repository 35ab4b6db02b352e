"""Kernel machines on the ranks of columns with heavy tails."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

import lukewarm as lw
from lukewarm.data import filled
from lukewarm.learners import KernelMachineClassifier, KernelMachineRegressor
from lukewarm.learners.kernel import _normal_scores as module
from lukewarm.learners.kernel import any_heavy_tails, filled_outputs
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._normal_scores import NormalScores, has_heavy_tails


@pytest.fixture
def incomes(generator):
    return np.exp(1.2 * generator.normal(size=(400, 3)))


def of_logarithms(X):
    return np.log(X[:, 0]) + np.log(X[:, 1]) * np.log(X[:, 2])


def test_scores_are_those_of_mean_ranks():
    scores = NormalScores.learn(np.array([5.0, -1.0, 5.0, 200.0]), np.ones(4))
    expected = ndtri(np.array([0.5, 0.125, 0.5, 0.875]))
    np.testing.assert_allclose(scores.of(np.array([5.0, -1.0, 5.0, 200.0])), expected, atol=1e-12)


def test_a_weight_of_two_is_the_value_twice(generator):
    values = np.exp(generator.normal(size=50))
    weights = generator.integers(1, 4, 50).astype(float)
    one = NormalScores.learn(values, weights)
    other = NormalScores.learn(np.repeat(values, weights.astype(int)), np.ones(int(weights.sum())))
    np.testing.assert_allclose(one.of(values), other.of(values), atol=1e-12)


def test_many_values_share_few_knots_and_keep_their_order(generator):
    values = np.exp(3 * generator.normal(size=20_000))
    scores = NormalScores.learn(values, np.ones(len(values)))
    assert len(scores.values) <= module._MOST_KNOTS
    ordered = scores.of(np.sort(values))
    assert (np.diff(ordered) >= 0).all()
    # Between knots, 0.016 apart, the map is a line; the ends are kept.
    exact = ndtri((np.arange(20_000) + 0.5) / 20_000)
    assert np.abs(ordered - exact).max() < 0.03
    assert ordered[-1] == pytest.approx(exact[-1])


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda g: g.normal(size=800), False),
        (lambda g: g.uniform(size=800), False),
        (lambda g: g.poisson(3, size=800), False),
        (lambda g: (g.uniform(size=800) < 0.01) + 0.0, False),
        (lambda g: np.ones(800), False),
        (lambda g: np.exp(g.normal(size=800)), True),
        (lambda g: np.square(np.square(g.normal(size=800))), True),
        (lambda g: g.standard_cauchy(size=800), True),
    ],
)
def test_tails_are_heavy_by_kurtosis(generator, draw, expected):
    assert has_heavy_tails(draw(generator)) is expected


def test_columns_without_heavy_tails_are_coded_as_ever(generator):
    X = generator.normal(size=(300, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
    assert not any_heavy_tails(frame)
    plain, by_rank = (Coding.learn(frame, by_rank=each).code(frame) for each in (False, True))
    np.testing.assert_array_equal(plain, by_rank)


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_rising_map_of_heavy_columns_changes_nothing(incomes, as_frame):
    # Both are heavy, so both are ranks, and ranks are the same.
    y = of_logarithms(incomes)
    tables = incomes, incomes**2
    if as_frame:
        tables = tuple(pd.DataFrame(each, columns=list("abc")) for each in tables)
    one, other = (KernelMachineRegressor(by_rank=True, random_state=0).fit(X, y) for X in tables)
    np.testing.assert_allclose(one.predict(tables[0]), other.predict(tables[1]), rtol=1e-9)
    plain = KernelMachineRegressor(random_state=0).fit(incomes, y)
    assert one.loo_loss_ < 0.2 * plain.loo_loss_


def test_classes_too(incomes):
    y = of_logarithms(incomes) > 0
    losses = [
        KernelMachineClassifier(by_rank=each, random_state=0).fit(incomes, y).cv_loss_
        for each in (True, False)
    ]
    assert losses[0] < 0.8 * losses[1]


def test_gaps_stay_gaps(incomes):
    X = incomes.copy()
    X[::5, 0] = np.nan
    coding = Coding.learn(X, by_rank=True)
    coded = coding.code(X)
    assert coding.columns[0].normal_scores is not None
    # The mean of the others, and a flag.
    assert (coded[::5, 0] == 0).all()
    assert len(np.unique(coded[:, 1])) == 2
    np.testing.assert_allclose(coded[1::5, 2], Coding.learn(incomes, by_rank=True).code(X)[1::5, 1])


def test_draws_are_ranked_like_rows(incomes):
    y = of_logarithms(incomes)
    model = KernelMachineRegressor(by_rank=True, random_state=0).fit(incomes, y)
    fills = [{1: incomes[:, 0] * scale} for scale in (0.5, 1.0, 3.0, 10.0)]
    outputs = filled_outputs(model.machine_, incomes, fills)
    assert np.abs(outputs[0] - outputs[-1]).max() > 0.1
    for each, fill in zip(outputs, fills, strict=True):
        np.testing.assert_allclose(each[:, 0], model.predict(filled(incomes, fill)), atol=1e-9)


def test_the_default_model_learns_logarithms_by_ranks(incomes, generator):
    y = of_logarithms(incomes) + 0.3 * generator.normal(size=400)
    vi = lw.VariableImportance(random_state=0).fit(incomes, y)
    assert "on ranks" in vi.result_.model
    low, high = vi.result_.interval()
    # Var(log X) is 1.44, that of a product of two 1.44 squared.
    truth = [1.44, 1.44**2, 1.44**2]
    assert (low < truth).all()
    assert (high > truth).all()
    assert (low > 0.3).all()


def test_by_rank_must_be_a_flag(incomes):
    with pytest.raises((TypeError, ValueError), match="by_rank"):
        KernelMachineRegressor(by_rank="yes").fit(incomes, incomes[:, 0])


def test_the_learner_ranks_as_its_settings_say(incomes):
    y = of_logarithms(incomes)
    vi = lw.VariableImportance(
        KernelMachineRegressor(by_rank=True), inference="paired", random_state=0
    ).fit(incomes, y)
    plain = lw.VariableImportance("kernel", inference="paired", random_state=0).fit(incomes, y)
    assert vi.result_.full.value > plain.result_.full.value
