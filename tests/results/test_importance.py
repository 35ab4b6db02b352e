import numpy as np
import pytest

import lukewarm as lw


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
    np.testing.assert_allclose(difference.value, result.importance[0] - result.importance[1])
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
