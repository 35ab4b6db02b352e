import numpy as np
import pytest

import lukewarm as lw


@pytest.fixture
def compare(tmp_path, parse):
    def write(first, second, **options):
        path = lw.report_comparison(first, second, tmp_path / "comparison.html", **options)
        return parse(path)

    return write


def test_what_moved_is_told_from_what_did_not(compare, make_result):
    before = make_result({"up": 0.1, "same": 0.2, "gone": 0.1})
    after = make_result({"up": 0.4, "same": 0.2, "new": 0.1})
    found = compare(before, after, names=("2023", "2024"))
    said = found.said("verdict")
    assert "1 of 2 features moved from 2023 to 2024 by more than chance explains." in said
    assert "up rose by" in said
    assert "Only 2023 has gone. Only 2024 has new." in said
    assert [row[0] for row in found.rows()] == ["Feature", "up", "same"]


def test_the_difference_and_its_error_are_those_of_two_independent_runs(compare, make_result):
    before, after = make_result({"a": 0.1}), make_result({"a": 0.4})
    row = compare(before, after).rows()[1]
    difference = 100 * float(after.importance[0] - before.importance[0])
    error = 100 * float(np.hypot(before.standard_error[0], after.standard_error[0]))
    assert float(row[3]) == pytest.approx(difference, abs=0.006)
    assert float(row[6]) == pytest.approx(error, abs=0.006)


def test_a_run_against_itself_moves_nothing(compare, make_result):
    result = make_result({"a": 0.3, "b": 0.0}, noise=0.0)
    assert "None of 2 features moved" in compare(result, result).said("verdict")


def test_runs_that_cannot_be_compared_are_refused(tmp_path, make_result, shapley):
    result, path = make_result({"a": 0.3}), tmp_path / "page.html"
    with pytest.raises(ValueError, match="must have the same measure; got 'r2' and 'neg_mse'"):
        lw.report_comparison(result, make_result({"a": 0.3}, measure="neg_mse"), path)
    with pytest.raises(ValueError, match="one kind"):
        lw.report_comparison(result, shapley, path)
    with pytest.raises(ValueError, match="no feature set in common"):
        lw.report_comparison(result, make_result({"b": 0.3}), path)
    with pytest.raises(TypeError, match="names must be two texts"):
        lw.report_comparison(result, result, path, names="ab")
    assert not path.exists()


def test_names_of_runs_are_text(compare, make_result):
    result = make_result({"a": 0.3})
    found = compare(result, result, names=("<img src=x>", "b"))
    assert not [tag for tag, _ in found.tags if tag == "img"]
