from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtri, stdtr, stdtrit

import lukewarm as lw
from lukewarm.inference import skewed_widths
from lukewarm.results import ClosedFormTrace, MeasureValue, Missed, Remark, TrainingTrace
from lukewarm.results._result_record import field_kinds


def skewed_value(generator, n_rows, shift=0.0, scale=1.0):
    influence = scale * generator.exponential(size=n_rows)
    return MeasureValue(float(generator.normal()), influence - influence.mean(), shift)


@pytest.fixture
def whole(generator):
    """A result in which every field holds something, over several blocks of influence values."""
    n_sets, n_rows = 400, 700
    value = partial(skewed_value, generator)
    runs = (TrainingTrace(np.array([3.0, 2.0, 1.5]), 2), ClosedFormTrace(np.array([2.0, 1.0]), 1))
    limits = np.full((n_sets, 3), np.nan)
    limits[1] = [0.0, 1.0, 9.0]
    return lw.ImportanceResult(
        names=tuple(f"x{number}" for number in range(n_sets)),
        removed=tuple((number,) for number in range(n_sets)),
        full=value(n_rows, shift=0.3),
        reduced=tuple(value(n_rows, 0.01 * number, scale=3.0) for number in range(n_sets)),
        traces=tuple(runs[: 1 + number % 2] for number in range(n_sets)),
        seconds=tuple(0.5 * number for number in range(n_sets)),
        full_traces=runs,
        full_seconds=1.5,
        measure="neg_mse",
        method="projection",
        model="auto (trees)",
        inference="learning_curve",
        level=0.9,
        notes=("a note",),
        scores=tuple(value(500) for _ in range(n_sets)),
        # A score shows less than nothing here.
        worth=np.full(n_sets, np.nan),
        missed=Missed(np.array([0.0, ndtri(0.95), 5.0]), limits, without=np.arange(n_sets) / 100),
        remarks=(Remark("constant", "note", "x3", "holds one value only."),),
        clusters=np.arange(2 * n_rows) % n_rows,
        rows=np.arange(2 * n_rows)[::-1],
    )


def student_p_value(score):
    """By the degrees of freedom that the spread of influence values is known by."""
    scaled = score.influence / np.sqrt(np.mean(score.influence**2))
    freedom = min(2 * len(scaled) / (np.mean(scaled**4) - 1), len(scaled) - 1)
    return stdtr(freedom, -score.value / score.standard_error)


def test_the_frame_equals_that_of_single_differences(whole):
    whole = replace(whole, clusters=None)
    columns = ["importance", "std_error", "ci_low", "ci_high", "p_value", "shift"]
    found = whole.to_frame()[columns].to_numpy()
    quantile = ndtri(0.95)
    for number, (reduced, score) in enumerate(zip(whole.reduced, whole.scores, strict=True)):
        single = whole.full - reduced
        below, above = skewed_widths(single.influence, 0.9)
        moved = quantile * single.shift
        high = single.value + np.hypot(above, moved * (2 if moved > 0 else 1))
        expected = [
            single.value,
            single.standard_error,
            single.value - np.hypot(below, moved) - number / 100,
            max(high, 1.0) if number == 1 else high,
            student_p_value(score),
            single.shift,
        ]
        np.testing.assert_allclose(found[number], expected, rtol=1e-12, atol=1e-12)


def test_every_field_is_stored_merged_and_comes_back(whole, tmp_path):
    assert set(field_kinds(lw.ImportanceResult)) == {each.name for each in fields(whole)}
    whole = replace(whole, n_evaluated=700.0)
    stored = [each.name for each in fields(whole) if each.name != "evidence"]
    assert not any(getattr(whole, name) is None for name in stored)
    loaded = lw.ImportanceResult.load(whole.save(tmp_path / "result.npz"))
    parts = [_only(whole, slice(0, 250)), _only(whole, slice(250, None))]
    for other in (loaded, lw.ImportanceResult.merge(parts)):
        assert other.to_frame(0.7).equals(whole.to_frame(0.7))
        assert repr(other) == repr(whole)
        for name in ("names", "removed", "seconds", "notes", "remarks", "level", "model", "n_rows"):
            assert getattr(other, name) == getattr(whole, name)
        assert [type(run) for runs in other.traces for run in runs] == [
            type(run) for runs in whole.traces for run in runs
        ]
        np.testing.assert_array_equal(other.traces[1][1].losses, [2.0, 1.0])
        np.testing.assert_array_equal(other.rows, whole.rows)
        np.testing.assert_array_equal(other.clusters, whole.clusters)


def _only(result, chosen):
    per_set = ("names", "removed", "reduced", "traces", "seconds", "scores", "worth")
    return replace(
        result,
        **{name: getattr(result, name)[chosen] for name in per_set},
        missed=replace(
            result.missed,
            limits=result.missed.limits[chosen],
            without=result.missed.without[chosen],
        ),
    )


class TestWhatTheTestShows:
    """Lower ends are not below what the product test shows."""

    ERROR = 0.1

    def result(self, whole, values, worth):
        """Like `whole`, scores with these values and a standard error of 0.1."""
        rows = np.array([1.0, -1.0] * 50)
        scores = tuple(MeasureValue(value, self.ERROR * np.sqrt(100) * rows) for value in values)
        first = _only(whole, slice(0, len(values)))
        return replace(first, scores=scores, worth=np.array(worth), clusters=None, level=0.95)

    def test_they_are_above_zero_where_it_rejects(self, whole):
        unsure = replace(whole, full=replace(whole.full, value=whole.full.value + 2.0, shift=9.0))
        quantile = stdtrit(99, 0.975)
        values = [0.0, quantile * self.ERROR - 1e-6, quantile * self.ERROR + 1e-6, 0.6]
        result = self.result(unsure, values, [3.0] * 4)
        low, high = result.interval()
        assert (low[:2] < 0).all()
        assert (low[2:] > 0).all()
        assert (high > result.importance).all()
        np.testing.assert_array_equal(result.p_value() < 0.025, low > 0)
        assert low[3] == pytest.approx(3 * (0.6 - quantile * self.ERROR) ** 2)

    def test_so_they_are_where_groups_are_few(self, whole):
        unsure = replace(whole, full=replace(whole.full, value=whole.full.value + 2.0, shift=9.0))
        # Student's law with five degrees of freedom asks for 2.57 standard errors.
        values = [2.5 * self.ERROR, 2.6 * self.ERROR]
        result = self.result(unsure, values, [1.0, 1.0])
        six = np.array([1.0, -1.0] * 3) * self.ERROR * np.sqrt(6)
        scores = tuple(MeasureValue(value, six) for value in values)
        grouped = replace(result, scores=scores, clusters=np.arange(len(whole.full.influence)))
        low, _ = grouped.interval()
        np.testing.assert_array_equal(grouped.p_value() < 0.025, [False, True])
        np.testing.assert_array_equal(low > 0, [False, True])

    def test_a_contrast_of_one_set_has_its_interval(self, whole):
        result = self.result(whole, [0.5, 0.6], [1.0, 1.0])
        low, high = result.interval()
        assert result.contrast({"x1": 2.0}).interval() == (2 * low[1], 2 * high[1])
        assert result.contrast({"x1": -1.0}).interval() == (-high[1], -low[1])
        assert result.contrast({"x1": 3.0}).p_value() == 2 * result.p_value()[1]

    def test_they_do_not_pass_the_estimate(self, whole):
        result = self.result(whole, [5.0], [1.0])
        assert result.interval()[0][0] == result.importance[0]

    def test_only_of_intervals_about_the_population(self, whole):
        result = self.result(whole, [5.0], [1.0])
        paired = replace(result, inference="paired")
        assert paired.interval()[0][0] < result.interval()[0][0]

    def test_a_worth_that_is_not_known_changes_nothing(self, whole):
        result = self.result(whole, [5.0, 5.0], [np.nan, np.nan])
        without = replace(result, worth=None)
        np.testing.assert_array_equal(result.interval(), without.interval())


def test_the_limit_of_an_ignored_set_follows_the_level(whole):
    # Nothing else speaks of the set: its influence values are those of the full model.
    ignored = replace(whole, reduced=(whole.full,) * len(whole))
    assert ignored.interval()[1][1] == 1.0
    narrow, wide = (ignored.interval(level)[1][1] for level in (0.5, 0.99))
    assert narrow == pytest.approx((ndtri(0.75) / ndtri(0.95)) ** 2)
    assert 1 < wide < 9
    assert (np.delete(ignored.interval(0.99)[1], 1) == 0).all()


def test_simultaneous_intervals_are_skewed_and_know_the_limits(whole):
    # By projection the shift would lengthen the other side.
    few = replace(_only(whole, slice(0, 3)), level=0.95, method="retrain")
    low, high = few.simultaneous_interval()
    single_low, single_high = few.interval()
    below, above = few.importance - low, high - few.importance
    lengthened = (above / (single_high - few.importance))[[0, 2]]
    # The tail to the left is the longer one; three intervals need 2.4 standard errors for 1.96.
    assert (below > above)[[0, 2]].all()
    np.testing.assert_allclose(lengthened, 2.39 / 1.96, rtol=0.06)
    assert (low < single_low).all()
    ignored = replace(few, reduced=(few.full,) * 3)
    # One interval alone is that of its level, up to what 20,000 draws know of a quantile.
    assert ignored.simultaneous_interval()[1][1] == pytest.approx(
        ignored.interval()[1][1], rel=0.05
    )


@pytest.fixture
def result(generator):
    x, z, noise = generator.normal(size=(3, 400))
    y = 2 * x + z + 0.1 * noise
    return lw.importance_from_predictions(y, 2 * x + z, {"x": z, "z": 2 * x})


def test_frame_has_a_row_per_set_and_the_promised_columns(result):
    frame = result.to_frame()
    assert list(frame) == [
        *(
            "feature",
            "importance",
            "std_error",
            "ci_low",
            "ci_high",
            "p_value",
            "shift",
            "steps",
            "seconds",
        )
    ]
    assert frame["feature"].tolist() == ["x", "z"]
    assert (frame["ci_low"] < frame["importance"]).all()


def test_a_higher_level_gives_wider_intervals(result):
    narrow, wide = result.to_frame(level=0.5), result.to_frame(level=0.99)
    assert (wide["ci_high"] > narrow["ci_high"]).all()


def test_a_saved_result_comes_back_whole(result, tmp_path):
    loaded = lw.ImportanceResult.load(result.save(tmp_path / "result.npz"))
    assert loaded.to_frame().equals(result.to_frame())
    np.testing.assert_array_equal(loaded.influence, result.influence)
    np.testing.assert_array_equal(loaded.traces[0][0].losses, result.traces[0][0].losses)
    assert repr(loaded) == repr(result)


def test_a_failed_save_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = result.save(tmp_path / "result.npz")
    before = path.read_bytes()

    def fail(file, array, **options):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(KeyboardInterrupt):
        result.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "table.npz"
    path.write_text("feature,importance\n")
    with pytest.raises(ValueError, match="not a saved lukewarm result"):
        lw.ImportanceResult.load(path)


def test_a_pickled_array_is_refused(tmp_path):
    path = tmp_path / "evil.npz"
    np.savez(path, record=np.array([object()], dtype=object))
    with pytest.raises(ValueError, match="not a saved lukewarm result"):
        lw.ImportanceResult.load(path)


def test_html_escapes_names():
    y = np.arange(4.0)
    result = lw.importance_from_predictions(y, y, {"<script>": y + np.array([1, -2, 1, -2])})
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


def test_a_difference_knows_that_both_saw_the_same_rows(result):
    difference = result.difference("x", "z")
    np.testing.assert_allclose(difference.estimate, result.importance[0] - result.importance[1])
    variance = np.var(result.influence[0] - result.influence[1]) / 400
    np.testing.assert_allclose(difference.standard_error, np.sqrt(variance), rtol=1e-12)
    with pytest.raises(ValueError, match="second must be one of 'x', 'z'"):
        result.difference("x", "w")


def test_simultaneous_intervals_are_wider_than_single_ones(result):
    low, high = result.interval()
    wide_low, wide_high = result.simultaneous_interval()
    assert (wide_low < low).all()
    assert (wide_high > high).all()


def test_adjusted_p_values_come_as_columns(result):
    frame = result.to_frame(adjust=("holm", "bh", "by"), delta=1.0)
    assert (frame["p_holm"] >= frame["p_value"]).all()
    assert {"p_bh", "p_by"} <= set(frame)


def test_merging_parts_gives_the_whole(generator):
    x, z = generator.normal(size=(2, 100))
    y, full = x + z, x + z + 0.1
    whole = lw.importance_from_predictions(y, full, {"x": z, "z": x})
    parts = [
        lw.importance_from_predictions(y, full, {name: prediction})
        for name, prediction in {"x": z, "z": x}.items()
    ]
    merged = lw.ImportanceResult.merge(parts)
    assert merged.to_frame().equals(whole.to_frame())
    with pytest.raises(ValueError, match=r"\['x'\] repeat"):
        lw.ImportanceResult.merge([parts[0], parts[0]])
    with pytest.raises(ValueError, match=r"results\[1\] comes from another full model"):
        lw.ImportanceResult.merge([parts[0], lw.importance_from_predictions(y, y, {"z": x})])
