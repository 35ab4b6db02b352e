import numpy as np
import pandas as pd
import pytest

from lukewarm.learners.additive import AdditiveBasis, RidgeFamily
from lukewarm.learners.additive import _ridge as ridge_module


def _direct(B, target, penalty, weights=None):
    weights = np.ones(len(B)) if weights is None else weights / weights.mean()
    mean, centre = np.average(target, weights=weights), np.average(B, axis=0, weights=weights)
    Z = B - centre
    gram = (Z * weights[:, None]).T @ Z + penalty * np.eye(B.shape[1])
    slopes = np.linalg.solve(gram, (Z * weights[:, None]).T @ (target - mean))
    return mean - centre @ slopes, slopes


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    B = generator.normal(size=(80, 7)) @ generator.normal(size=(7, 7)) + 1
    return B, generator.normal(size=80), generator.uniform(0.5, 2, size=80)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gone", [[], [2], [0, 3, 6]])
def test_a_downdated_inverse_gives_the_regression_on_the_kept_functions(table, gone, weighted):
    B, target, weights = table
    weights = weights if weighted else None
    kept = ~np.isin(np.arange(7), gone)
    fit = RidgeFamily(B, (0.5, 5.0), weights).fit(target, kept, 1)
    offset, slopes = _direct(B[:, kept], target, 5.0, weights)
    assert np.allclose(fit.coefficients[kept], slopes, rtol=1e-9, atol=1e-10)
    assert not fit.coefficients[~kept].any()
    assert fit.offset == pytest.approx(offset, rel=1e-9)


def test_screening_of_few_functions_is_the_regression_on_all(table, monkeypatch):
    B, target, _ = table
    monkeypatch.setattr(ridge_module, "_MOST_FUNCTIONS", 3)
    kept = np.arange(7) != 4
    fit = RidgeFamily(B, (2.0,)).fit(target, kept, 0)
    assert np.allclose(fit.coefficients[kept], _direct(B[:, kept], target, 2.0)[1], rtol=1e-9)


def test_the_functions_of_a_column_belong_to_it_and_are_centred():
    X = pd.DataFrame(
        {
            "number": np.linspace(-1, 1, 40),
            "level": pd.Categorical(["a", "b"] * 20),
            "gaps": [np.nan, 1.0, 2.0, 3.0] * 10,
        }
    )
    basis = AdditiveBasis.learn(X)
    functions = basis.transform(X)
    assert set(basis.owner) == {0, 1, 2}
    assert (basis.owner == 0).sum() == 9  # a line, a parabola and seven hinges
    assert np.allclose(functions.mean(axis=0), 0, atol=1e-12)
    changed = X.assign(number=0.3)
    differs = (basis.transform(changed) != functions).any(axis=0)
    assert set(basis.owner[differs]) == {0}


def test_a_level_not_seen_in_training_has_no_indicator():
    X = pd.DataFrame({"level": pd.Categorical(["a", "b", "c"] * 10)})
    basis = AdditiveBasis.learn(X.iloc[:2])
    unknown = basis.transform(X.iloc[[2]]) * basis.spread + basis.centre
    assert np.array_equal(unknown, np.zeros((1, 2)))


def test_lines_alone_are_transformed_as_column_by_column():
    X = np.random.default_rng(0).normal(size=(50, 4))
    basis = AdditiveBasis.learn(X, curved=False)
    one_by_one = basis.transform(pd.DataFrame(X))
    assert np.allclose(basis.transform(X), one_by_one, rtol=1e-12, atol=1e-12)


def test_a_selection_keeps_the_functions_that_clearly_take_part():
    generator = np.random.default_rng(0)
    B = generator.normal(size=(300, 30))
    target = B[:, 3] - 2 * B[:, 8] + generator.normal(size=300)
    kept = np.arange(30) != 5
    fit, _ = RidgeFamily(B, (1.0,)).fit_selected(target, kept, 0, np.arange(30))
    # Slopes of 1 and 2 have Student statistics of 17 and 35; the bound for 29 is 3.4.
    assert {3, 8} <= set(np.flatnonzero(fit.coefficients))
    assert np.count_nonzero(fit.coefficients) <= 4


def test_a_selection_regresses_on_the_selected_functions_alone():
    generator = np.random.default_rng(1)
    B = generator.normal(size=(300, 30))
    target = 3 * B[:, 3] + generator.normal(size=300)
    fit, _ = RidgeFamily(B, (1.0,)).fit_selected(target, np.ones(30, dtype=bool), 0, np.arange(30))
    selected = np.flatnonzero(fit.coefficients)
    _, slopes = _direct(B[:, selected], target, 1.0)
    assert np.allclose(fit.coefficients[selected], slopes, rtol=1e-9)


def test_a_target_that_is_a_line_leaves_no_room_for_rounding_to_take_part():
    generator = np.random.default_rng(1)
    B = generator.normal(size=(300, 30))
    target = 3 * B[:, 3] - B[:, 7]
    fit, _ = RidgeFamily(B, (1e-9,)).fit_selected(target, np.ones(30, dtype=bool), 0, np.arange(30))
    assert np.flatnonzero(fit.coefficients).tolist() == [3, 7]


def test_a_column_of_several_functions_is_selected_as_a_whole():
    generator = np.random.default_rng(2)
    B = generator.normal(size=(400, 12))
    owner = np.repeat(np.arange(4), 3)
    target = B[:, 3] + 0.5 * generator.normal(size=400)
    fit, _ = RidgeFamily(B, (1.0,)).fit_selected(target, np.ones(12, dtype=bool), 0, owner)
    assert set(np.flatnonzero(fit.coefficients)) == {3, 4, 5}


def test_blocks_of_the_inverse_of_fewer_functions_need_no_new_one(table):
    B, _, _ = table
    family = RidgeFamily(B, (0.5,))
    kept, owner = np.arange(7) < 5, np.array([0, 1, 1, 2, 2, 3, 3])
    Z = B[:, kept] - B[:, kept].mean(axis=0)
    direct = np.linalg.inv(Z.T @ Z + 0.5 * np.eye(5))
    blocks = family._blocks_of(kept, family._inverses[0], owner)
    assert [places.tolist() for places, _ in blocks] == [[[0]], [[1, 2], [3, 4]]]
    for places, found in blocks:
        for own, block in zip(places, found, strict=True):
            assert np.allclose(block, direct[np.ix_(own, own)], rtol=1e-8)


def test_the_regression_on_all_functions_comes_with_the_selection(table):
    B, target, _ = table
    family = RidgeFamily(B, (0.5,))
    kept = np.arange(7) != 2
    _, whole = family.fit_selected(target, kept, 0, np.arange(7))
    assert np.array_equal(whole.coefficients, family.fit(target, kept, 0).coefficients)


@pytest.mark.parametrize("weighted", [False, True])
def test_functions_regressed_on_the_others_all_at_once_are_as_one_by_one(weighted):
    generator = np.random.default_rng(3)
    B = generator.normal(size=(300, 12)) @ generator.normal(size=(12, 12)) + 1
    B[:, 2] = generator.normal(size=300)  # nothing is known of it
    owner = np.array([0, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8])
    weights = generator.uniform(0.5, 2, size=300) if weighted else None
    family = RidgeFamily(B, (0.5,), weights)
    places = np.array([0, 1, 2, 6, 9, 11])
    found = list(family.fit_functions(places, 0, owner))
    n_selected = []
    for place, fits in zip(places, found, strict=True):
        kept = owner != owner[place]
        for fit, expected in zip(
            fits, family.fit_selected(B[:, place], kept, 0, owner), strict=True
        ):
            assert np.allclose(fit.coefficients, expected.coefficients, rtol=1e-8, atol=1e-9)
            assert fit.offset == pytest.approx(expected.offset, rel=1e-8, abs=1e-9)
        n_selected.append(np.count_nonzero(fits[0].coefficients))
    assert n_selected[2] == 0
    assert max(n_selected) > 0


def test_the_functions_of_a_column_are_regressed_on_the_others_at_once_as_one_by_one():
    generator = np.random.default_rng(3)
    B = generator.normal(size=(300, 12)) @ generator.normal(size=(12, 12)) + 1
    B[:, 4] = generator.normal(size=300)  # nothing is known of it
    owner = np.array([0, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8])
    family = RidgeFamily(B, (0.5,), generator.uniform(0.5, 2, size=300))
    found = list(family.fit_column(np.array([3, 4, 5]), 0, owner))
    (alone,) = family.fit_column(np.array([4]), 0, owner)
    for fit, one in zip(alone, found[1], strict=True):
        np.testing.assert_array_equal(fit.coefficients, one.coefficients)
    assert len(found) == 3
    for place, fits in zip((3, 4, 5), found, strict=True):
        expected = family.fit_selected(B[:, place], owner != 3, 0, owner)
        for fit, one in zip(fits, expected, strict=True):
            assert np.allclose(fit.coefficients, one.coefficients, rtol=1e-8, atol=1e-9)
            assert fit.offset == pytest.approx(one.offset, rel=1e-8, abs=1e-9)
    assert [np.count_nonzero(selected.coefficients) > 0 for selected, _ in found] == [1, 0, 1]
