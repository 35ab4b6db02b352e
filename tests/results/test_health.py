import warnings
from dataclasses import replace

import pytest

import lukewarm as lw


def caught(function, *arguments, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments, **options)
    return result, found


def kinds(result):
    health = result.health()
    return set(zip(health["severity"], health["name"], health["feature"], strict=True))


@pytest.fixture
def predictions(generator):
    """A target with a full model, and a reduced model that is clearly worse."""
    y, noise = generator.normal(size=(2, 500))
    full = y + noise
    return y, full, y + 1.5 * noise


def test_a_clear_importance_needs_no_remark(predictions):
    result, found = caught(lw.importance_from_predictions, *predictions)
    assert result.importance[0] > 4 * result.standard_error[0]
    assert result.health().empty
    assert list(result.health()) == ["severity", "name", "feature", "message"]
    assert not found
    assert "Health" not in repr(result)


def test_few_rows_are_warned_of(predictions):
    few = [each[:29] for each in predictions]
    result, found = caught(lw.importance_from_predictions, *few)
    assert ("warning", "few_rows", "") in kinds(result)
    assert "only 29 rows evaluate each model" in str(found[0].message)
    assert "few_rows" in repr(result)
    assert "few_rows" in result._repr_html_()


def test_with_split_each_model_has_half_of_the_rows(predictions):
    for n_rows, is_few in ((58, True), (60, False)):
        some = [each[:n_rows] for each in predictions]
        result, _ = caught(lw.importance_from_predictions, *some, inference="split")
        assert ("few_rows" in set(result.health()["name"])) == is_few


def test_better_without_comes_with_its_own_interval(predictions):
    y, full, worse = predictions
    result, found = caught(
        lw.importance_from_predictions, y, full, {"good": worse, "bad": y + 0.5 * (full - y)}
    )
    assert kinds(result) == {("warning", "better_without", "bad")}
    low, high = (end[1] for end in result.interval())
    assert low < result.importance[1] < high < 0
    message = result.health()["message"].iloc[0]
    assert f"by {-result.importance[1]:.3g} [{-high:.3g}, {-low:.3g}]" in message
    assert [each.category for each in found] == [lw.HealthWarning]


def test_slightly_better_without_is_a_note(predictions):
    y, full, worse = predictions
    slightly = y + 0.99 * (full - y)
    result, found = caught(lw.importance_from_predictions, y, full, {"a": worse, "b": slightly})
    assert kinds(result) == {("note", "better_without", "b")}
    assert not found


def test_an_interval_that_reaches_zero_is_a_note(predictions, generator):
    y, full, _ = predictions
    result, found = caught(lw.importance_from_predictions, y, full, y + generator.normal(size=500))
    assert result.interval()[0][0] < 0 < result.interval()[1][0]
    assert kinds(result) == {("note", "near_zero", "removed")}
    assert not found


def test_a_test_that_finds_what_is_negligible_is_warned_of_in_one_line(predictions):
    y, full, worse = predictions
    alike = {name: full + gap * (full - y) for name, gap in (("a", 1e-4), ("b", 2e-4))}
    result, found = caught(lw.importance_from_predictions, y, full, alike | {"c": worse})
    assert (result.p_value() < 1e-6).all()
    assert kinds(result) == {("warning", "near_zero", "a"), ("warning", "near_zero", "b")}
    assert [each.category for each in found] == [lw.NearZeroWarning]
    assert str(found[0].message).startswith("a, b: ")
    assert "\n" not in str(found[0].message)


def test_split_inference_needs_no_remark_near_zero(predictions):
    y, full, _ = predictions
    result, found = caught(lw.importance_from_predictions, y, full, full + 1e-6, inference="split")
    assert "near_zero" not in set(result.health()["name"])
    assert not found


def test_several_doubts_come_as_one_warning_with_a_list(predictions):
    y, full, _ = (each[:20] for each in predictions)
    better = {f"x{number}": y + 0.05 * number * (full - y) for number in range(15)}
    result, found = caught(lw.importance_from_predictions, y, full, better)
    assert len(result.health()) == 16
    assert [each.category for each in found] == [lw.HealthWarning]
    assert found[0].filename == __file__
    lines = str(found[0].message).splitlines()
    assert "health()" in lines[0]
    assert lines[-1] == "- and 6 more."


REMARK = lw.Remark("constant", "note", "a", "it holds one value only.")
OTHER = lw.Remark("constant", "note", "b", "it holds one value only.")


def test_remarks_are_saved_and_merged_without_repetition(predictions, tmp_path):
    y, full, worse = predictions
    first = replace(lw.importance_from_predictions(y, full, {"a": worse}), remarks=(REMARK, OTHER))
    second = replace(lw.importance_from_predictions(y, full, {"b": worse}), remarks=(REMARK,))
    merged = lw.ImportanceResult.merge([first, second])
    assert merged.remarks == (REMARK, OTHER)
    loaded = lw.ImportanceResult.load(merged.save(tmp_path / "result.npz"))
    assert loaded.remarks == merged.remarks
    assert loaded.health().equals(merged.health())
