"""How results look in a notebook."""

from xml.etree import ElementTree

import numpy as np

import lukewarm as lw
from lukewarm.results import EffectCurves


def shown(reduced):
    y = np.random.default_rng(0).normal(size=300)
    result = lw.importance_from_predictions(y, y, {name: k * y for name, k in reduced.items()})
    text = result._repr_html_()
    return result, ElementTree.fromstring(f"<div>{text}</div>"), text


def test_the_fragment_is_well_formed_and_needs_nothing_else():
    _, tree, text = shown({"<script>alert(1)</script>": 0.0, 'a "b" & c': 0.5})
    assert {each.tag for each in tree.iter()} <= {
        *("div", "p", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "line")
    }
    assert "http" not in text
    assert "<script>alert(1)</script>" in [cell.text for cell in tree.iter("td")]


def test_bars_are_as_long_as_the_estimates():
    result, tree, _ = shown({"a": 0.0, "b": 0.5})
    widths = [float(bar.get("width")) for bar in tree.iter("rect")]
    # Rounded to a tenth of a point.
    np.testing.assert_allclose(
        widths[1] / widths[0], result.importance[1] / result.importance[0], atol=0.01
    )


def test_of_many_rows_the_largest_are_shown():
    _, tree, text = shown({f"x{number}": number / 100 for number in range(100)})
    names = [row[0].text for row in tree.iter("tr")][1:]
    assert names == [f"x{number}" for number in range(60)]
    assert "The 60 largest of 100 rows are shown." in text


def test_a_frame_without_intervals_has_no_bars():
    assert "<svg" not in EffectCurves((), ("prediction",), "m")._repr_html_()
