from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import lukewarm as lw

MEANS = ("neg_mse", "neg_mae", "huber(0.5)")


@pytest.fixture
def table(generator):
    x, z, noise = generator.normal(size=(3, 600))
    segment = generator.choice(["north", "south", "west"], p=[0.5, 0.3, 0.2], size=600)
    y = x * (segment == "north") + z + 0.3 * noise
    full = x * (segment == "north") + z
    return y, full, {"x": z, "z": x * (segment == "north")}, segment


@pytest.mark.parametrize("measure", MEANS)
@pytest.mark.parametrize("with_folds", [False, True])
def test_segments_add_up_to_the_whole(table, generator, measure, with_folds):
    y, full, reduced, segment = table
    folds = np.sort(generator.choice(3, p=[0.2, 0.3, 0.5], size=600)) if with_folds else None
    weights = generator.exponential(size=600) if with_folds else None
    result = lw.importance_from_predictions(y, full, reduced, measure, folds=folds, weights=weights)
    by = result.by(segment)
    assert by.segments == ("north", "south", "west")
    assert sum(by.shares) == pytest.approx(1, rel=1e-12)
    total = sum(share * part.importance for share, part in zip(by.shares, by.results, strict=True))
    np.testing.assert_allclose(total, result.importance, rtol=1e-12)
    # And so do the errors of disjoint rows, without folds and weights up to their small samples
    # and to what the segments differ in, which counts as noise in the whole.
    if not with_folds:
        parts = zip(by.shares, by.results, strict=True)
        variance = sum(np.square(share * part.standard_error) for share, part in parts)
        between = sum(
            share * np.square(part.importance - result.importance)
            for share, part in zip(by.shares, by.results, strict=True)
        )
        np.testing.assert_allclose(
            variance + between / 600, np.square(result.standard_error), rtol=0.02
        )


def test_a_segment_is_what_its_rows_alone_would_give(table):
    y, full, reduced, segment = table
    result = lw.importance_from_predictions(y, full, reduced, "r2")
    inside = segment == "north"
    alone = lw.importance_from_predictions(
        y[inside], full[inside], {name: each[inside] for name, each in reduced.items()}, "r2"
    )
    found = result.by(segment)["north"]
    columns = ["importance", "std_error", "ci_low", "ci_high", "p_value"]
    pd.testing.assert_frame_equal(found.to_frame()[columns], alone.to_frame()[columns])
    np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))


def test_the_test_of_equality_finds_what_differs(table):
    y, full, reduced, segment = table
    by = lw.importance_from_predictions(y, full, reduced).by(segment)
    equality = by.equality().set_index("feature")
    # Where x is not used its importance is 0 without an error; only one segment can vary.
    assert equality["n_degrees"].tolist() == [1, 2]
    assert equality.loc["x", "p_value"] < 1e-6
    assert equality.loc["z", "p_value"] > 1e-3
    frame = by.to_frame(0.9)
    assert (
        frame["n_rows"].tolist()
        == np.repeat([np.sum(segment == name) for name in by.segments], 2).tolist()
    )
    assert "Segments differ most in x" in repr(by)
    assert by.to_markdown().count("north") == 2


def test_equality_of_two_segments_is_the_square_of_their_z(table):
    y, full, reduced, segment = table
    by = lw.importance_from_predictions(y, full, reduced).by(segment == "north")
    one, other = by["False"], by["True"]
    z = (one.importance - other.importance) / np.hypot(one.standard_error, other.standard_error)
    np.testing.assert_allclose(by.equality()["chi_square"], z**2, rtol=1e-10)


def test_the_test_of_equality_keeps_its_level():
    # Importance 1 in all of four segments; 400 samples of 400 rows at 5 %.
    generator = np.random.default_rng(0)
    rejected = 0
    segment = np.arange(400) % 4
    for _ in range(400):
        x, noise = generator.normal(size=(2, 400))
        by = lw.importance_from_predictions(x + noise, x, 0 * x).by(segment)
        rejected += by.equality()["p_value"][0] < 0.05
    # All but one in ten thousand runs; the chi-square law itself is off by up to 2 % at 100 rows.
    assert binom.ppf(5e-5, 400, 0.05) <= rejected <= binom.ppf(1 - 5e-5, 400, 0.07)


def test_windows_keep_their_order(table):
    y, full, reduced, _ = table
    result = lw.importance_from_predictions(y, full, reduced)
    window = pd.cut(np.arange(600), [-1, 199, 399, 599], labels=["early", "later", "last"])
    assert result.by(window).segments == ("early", "later", "last")
    assert result.by(pd.Series(window)[::-1]).segments == ("early", "later", "last")


def test_classes_are_segments_of_measures_that_are_means(generator):
    y = generator.choice(2, size=300)
    good = np.clip(0.5 + 0.3 * (2 * y - 1) + 0.1 * generator.normal(size=300), 0.01, 0.99)
    flat = np.full(300, 0.5)
    result = lw.importance_from_predictions(y, good, flat, "neg_log_loss")
    by = result.by(np.where(y == 1, "case", "control"))
    total = sum(share * part.importance for share, part in zip(by.shares, by.results, strict=True))
    np.testing.assert_allclose(total, result.importance, rtol=1e-12)
    for measure in ("auc", "deviance"):
        whole = lw.importance_from_predictions(y, good, flat, measure)
        with pytest.raises(ValueError, match=f"segment '0': measure '{measure}' needs rows of at"):
            whole.by(y)


def test_auc_needs_two_rows_of_each_class_in_a_segment(generator):
    y = generator.choice(2, size=300)
    y[:20] = 0
    y[3] = 1
    result = lw.importance_from_predictions(y, generator.random(300), np.full(300, 0.5), "auc")
    with pytest.raises(ValueError, match="segment 'True': measure 'auc' needs at least 2 rows of"):
        result.by(np.arange(300) < 20)


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (np.arange(599) % 2, r"segment must have one label for each of the 600 rows"),
        (np.zeros((600, 2)), r"segment must have one label .* got shape \(600, 2\)"),
        (np.zeros(600), "segment must have 2 to 100 different labels .* it has 1"),
        (np.arange(600.0), "it has 600. Cut numbers into ranges"),
        ([None, *["a", "b"] * 300][:600], "segment is missing in 1 of 600 evaluation rows"),
        (np.arange(600) < 4, "segment 'True': it has 4 rows to evaluate a model on"),
    ],
)
def test_wrong_segments_are_refused(table, segment, message):
    y, full, reduced, _ = table
    result = lw.importance_from_predictions(y, full, reduced)
    with pytest.raises(ValueError, match=message):
        result.by(segment)


def test_merged_results_know_their_segments(table):
    y, full, reduced, segment = table
    whole = lw.importance_from_predictions(y, full, reduced)
    parts = [lw.importance_from_predictions(y, full, {name: reduced[name]}) for name in reduced]
    merged = lw.ImportanceResult.merge(parts)
    pd.testing.assert_frame_equal(merged.by(segment).to_frame(), whole.by(segment).to_frame())


def test_a_result_from_a_file_says_why_it_has_no_segments(table, tmp_path):
    y, full, reduced, segment = table
    result = lw.importance_from_predictions(y, full, reduced)
    loaded = lw.ImportanceResult.load(result.save(tmp_path / "result.npz"))
    with pytest.raises(ValueError, match=r"by\(\) needs the predictions of the models"):
        loaded.by(segment)
    with pytest.raises(ValueError, match=r"by\(\) needs the predictions"):
        result.by(segment)["north"].by(segment)
    assert replace(result, notes=("kept",)).by(segment).segments


def test_split_rows_of_a_segment_evaluate_the_models_they_evaluated(table):
    y, full, reduced, segment = table
    result = lw.importance_from_predictions(y, full, reduced, inference="split", random_state=3)
    north = result.by(segment)["north"]
    plan = result.evidence.predictions.plan
    mine = plan.full_parts[0][segment[plan.full_parts[0]] == "north"]
    assert north.full.value == pytest.approx(-np.mean((y[mine] - full[mine]) ** 2))


def test_segments_without_any_error_are_equal_or_not(table):
    y, full, _, segment = table
    by = lw.importance_from_predictions(y, full, {"alike": full}).by(segment)
    assert by.equality()["p_value"].tolist() == [1.0]
    shifted = np.where(segment == "north", y + 2, y + 1)
    by = lw.importance_from_predictions(y, y, {"unlike": shifted}, "neg_mae").by(segment)
    assert by.equality()["p_value"][0] < 1e-16
