"""Sections that are on the page where they are asked for."""

import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.results import EffectCurve, EffectCurves

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(name="result", scope="module")
def _result():
    a, b = np.random.default_rng(0).normal(size=(2, 300))
    y = a * (b > 0) + b
    reduced = {HOSTILE: b, "b": a * (b > 0)}
    return lw.importance_from_predictions(y, y, reduced), np.where(b > 0, "<b>north", "south")


@pytest.fixture(name="effects", scope="module")
def _effects():
    places = np.linspace(0, 1, 11)
    share = np.full(11, 1 / 11)
    line = EffectCurve(HOSTILE, tuple(places), 2 * places[:, None] - 1, share, places)
    levels = EffectCurve("level", (HOSTILE, "b"), np.array([[0.5], [-0.5]]), np.full(2, 0.5), None)
    return EffectCurves((levels, line), ("prediction",), "m")


def test_without_them_the_page_has_no_such_sections(page, result):
    assert not {"effects", "interactions", "segments"} & set(page(result[0]).sections)


def test_each_curve_has_a_table_of_its_values(page, result, effects):
    found = page(result[0], effects=effects)
    heads, *rows = found.rows(1)
    assert heads == ["Value", "prediction"]
    assert [row[0] for row in rows][:3] == ["0", "0.1", "0.2"]
    assert rows[0][1] == "\N{MINUS SIGN}1.00"
    assert rows[-1][1] == "1.00"
    assert "the prediction rises with it" in found.said("effects")
    drawn = [each["points"] for tag, each in found.tags if tag == "polyline"]
    assert drawn[0].split()[0] == "0.0,80.0"
    assert len([tag for tag, _ in found.tags if tag == "circle"]) == 2


def test_values_of_a_curve_are_written_out(page, result):
    places = np.array([611.0, 25879.4])
    curve = EffectCurve("income", tuple(places), places[:, None] / 1e4, np.full(2, 0.5), places)
    effects = EffectCurves((curve,), ("prediction",), "m")
    said = page(result[0], effects=effects).said("effects")
    assert "25,879" in said
    assert "e+0" not in said


def test_names_in_the_new_sections_are_text_and_never_markup(page, result, effects):
    importance, segment = result
    pairs = pd.DataFrame(
        {
            "first": [HOSTILE],
            "second": ["b"],
            "interaction": [0.5],
            "ci_low": [0.4],
            "ci_high": [0.6],
            "std_error": [0.05],
            "p_value": [1e-9],
        }
    )
    found = page(importance, effects=effects, interactions=pairs, segments=importance.by(segment))
    assert len(found.scripts) == 2
    assert "<b>north" not in found.source
    assert f"{HOSTILE} × b" in [row[0] for table in found.tables for row in found_rows(table)]
    assert "<b>north (" in found.said("segments")


def found_rows(table):
    return [[cell.strip() for cell in row] for row in table]


def test_segments_say_which_features_differ(page, result):
    importance, segment = result
    found = page(importance, segments=importance.by(segment))
    assert f"{HOSTILE} matters differently" in found.said("segments").replace("  ", " ")
    names = [row[0] for row in found.rows(1)[1:]]
    # The segments of a feature stand below each other.
    assert sorted(names) == sorted(
        f"{feature}, {part}" for feature in (HOSTILE, "b") for part in ("<b>north", "south")
    )
    assert names[0].split(",")[0] == names[1].split(",")[0]


def test_frames_without_intervals_are_refused(page, result):
    with pytest.raises(ValueError, match=r"interactions has no columns \['ci_low'"):
        page(result[0], interactions=pd.DataFrame({"first": [], "second": [], "interaction": []}))
    with pytest.raises(TypeError, match="effects must be"):
        page(result[0], effects="all")
