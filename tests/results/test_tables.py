import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.results import Remark


@pytest.fixture
def result(generator):
    x, z, w, noise = generator.normal(size=(4, 400))
    y = 3 * x + 2 * z + 0.1 * noise
    full = 3 * x + 2 * z
    return lw.importance_from_predictions(
        y, full, {"z|_": 3 * x, "=x&": 2 * z, "w": full + 0.01 * w}
    )


def test_sort_top_and_relative_arrange_the_rows(result):
    plain = result.to_frame(adjust="holm")
    frame = result.to_frame(adjust="holm", sort=True, relative=True)
    assert frame["feature"].tolist() == ["=x&", "z|_", "w"]
    assert frame.index.tolist() == [0, 1, 2]
    np.testing.assert_allclose(frame["relative"], frame["importance"] / frame["importance"].max())
    top = result.to_frame(adjust="holm", top=2)
    assert top["feature"].tolist() == ["=x&", "z|_"]
    # Adjusted for all three sets, also where two of them are shown.
    assert top["p_holm"].tolist() == plain["p_holm"].tolist()[1::-1]
    with pytest.raises(ValueError, match="top must be"):
        result.to_frame(top=0)


def test_relative_is_unknown_where_nothing_is_positive(result):
    none = replace(result, reduced=(result.full,) * 3)
    assert none.to_frame(relative=True)["relative"].isna().all()


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (repr, "<1e-16"),
        (lw.ImportanceResult.to_markdown, "<1e-16"),
        (lw.ImportanceResult.to_latex, r"\textless{}1e-16"),
    ],
)
def test_a_p_value_is_never_shown_as_zero(result, form, shown):
    certain = replace(result, scores=tuple(replace(each, value=1e9) for each in result.reduced))
    assert (certain.p_value() == 0).all()
    assert (result.p_value()[:2] < 1e-16).all()
    for each in (result, certain):
        assert shown in form(each)
        assert "&lt;1e-16" in each._repr_html_()


def test_markdown_has_a_row_per_set_and_escapes_bars(result):
    lines = result.to_markdown(sort=True, top=2).splitlines()
    assert len(lines) == 4
    assert lines[3].startswith(r"| z\|_ | ")
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1


def test_latex_escapes_what_has_a_meaning_there(result):
    table = result.to_latex()
    # In LaTeX's own encoding of fonts a bar is printed as a dash, and < as an exclamation mark.
    assert r"z\textbar{}\_ & " in table
    assert r"=x\& & " in table
    assert r"std\_error" in table


def test_a_spreadsheet_holds_the_frame_and_no_formula(result, tmp_path):
    pytest.importorskip("openpyxl")
    path = result.to_excel(tmp_path / "importance.xlsx", sort=True)
    read = pd.read_excel(path)
    assert read["feature"].tolist() == ["'=x&", "z|_", "w"]
    np.testing.assert_allclose(read["importance"], result.to_frame(sort=True)["importance"])
    with pytest.raises(ValueError, match=r"path must end in \.xlsx"):
        result.to_excel(tmp_path / "importance.csv")


def test_a_spreadsheet_without_openpyxl_names_the_extra(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"lukewarm\[excel\]"):
        result.to_excel(tmp_path / "importance.xlsx")
    assert not list(tmp_path.iterdir())


def test_the_summary_says_what_matters_and_what_is_not_known(result):
    text = result.summary()
    low, high = (end[1] for end in result.interval())
    assert text.startswith(
        "=x& matters most of 3 feature sets: without it the mean squared error rises by "
    )
    assert f"95 % interval {low:.3g} to {high:.3g}, p <1e-16" in text
    assert "Then comes z|_." in text
    assert "cannot be told from zero: w." in text
    assert "training rows doubled" not in text


@pytest.mark.parametrize(
    ("shift", "said"),
    [(1e-6, "more rows would hardly change"), (5.0, "rose by 5"), (-5.0, "fell by 5")],
)
def test_the_summary_says_what_more_rows_would_change(result, shift, said):
    reduced = (result.reduced[0], replace(result.reduced[1], shift=-shift), result.reduced[2])
    text = replace(result, reduced=reduced).summary()
    assert said in text
    assert "None" not in text


def test_the_summary_does_not_say_that_importances_fell_where_they_rose(result):
    moved = [replace(result.reduced[0], shift=5.0), replace(result.reduced[1], shift=-4.0)]
    text = replace(result, reduced=(*moved, result.reduced[2])).summary()
    assert "the importance of z|_ fell by 5, more than" in text
    assert "and 1 more moved by more than theirs: the model is still learning" in text


def test_the_summary_of_importances_that_fell_does_not_call_the_model_learning(result):
    fell = replace(result.reduced[0], shift=5.0)
    assert "still learning" not in replace(result, reduced=(fell, *result.reduced[1:])).summary()


@pytest.mark.parametrize("name", ["no_skill", "untrained"])
def test_the_summary_of_a_model_without_skill_claims_nothing(result, name):
    text = replace(result, remarks=(Remark(name, "warning", "", "no skill."),)).summary()
    assert text.startswith("The model predicts no better than a constant guess")
    assert "matters" not in text


def test_the_summary_does_not_rank_above_larger_ones_that_may_be_chance(result):
    spread = np.tile([-1e3, 1e3], 200)
    unsure = replace(result.reduced[1], influence=result.reduced[1].influence + spread)
    text = replace(result, reduced=(result.reduced[0], unsure, result.reduced[2])).summary()
    assert text.startswith("z|_ matters most of those that can be told from zero: without it ")


def test_the_summary_of_one_feature_ranks_nothing(result):
    one = replace(result, names=result.names[:1], reduced=result.reduced[:1])
    assert one.summary().startswith("z|_ matters: without it the mean squared error")
    nothing = replace(one, reduced=(result.full,))
    assert nothing.summary().startswith("At the 5 % level z|_ cannot be told from zero.")


def test_the_summary_of_nothing_found_says_so(result):
    nothing = replace(result, reduced=(result.full,) * 3)
    assert nothing.summary().startswith(
        "At the 5 % level, each tested alone, none of 3 feature sets"
    )


def test_the_summary_does_not_measure_what_the_test_is_sure_of_below_zero(result):
    below = replace(result.reduced[2], value=result.full.value + 1)
    score = replace(result.full, value=100.0)
    sure = replace(result, reduced=(*result.reduced[:2], below), scores=(score,) * 3)
    assert "By the test w matters; how much is not known." in sure.summary()
    assert "told from zero" not in sure.summary()


def test_the_summary_of_a_share_is_in_percentage_points(generator):
    x, z = generator.normal(size=(2, 400))
    result = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x}, measure="r2")
    first = int(np.argmax(result.importance))
    points, low, high = (
        f"{100 * values[first]:.3g}" for values in (result.importance, *result.interval())
    )
    assert (
        f"without it the model explains {points} percentage points less of the variance "
        f"(95 % interval {low} to {high}, p <1e-16)"
    ) in result.summary()
