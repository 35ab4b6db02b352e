"""Figures of effect curves."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw
from lukewarm.results import EffectCurve, EffectCurves


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def curve(name, values, effect, *, is_numeric=True):
    effect = np.asarray(effect, dtype=float).reshape(len(values), -1)
    share = np.full(len(values), 1 / len(values))
    positions = np.array(values, dtype=float) if is_numeric else None
    return EffectCurve(name, tuple(values), effect, share, positions)


@pytest.fixture(name="effects")
def _effects():
    places = np.linspace(0, 1, 15).tolist()
    small, large = (curve(f"x{slope}", places, slope * np.array(places)) for slope in (1, 3))
    levels = curve("level", ["b", "a$"], [2.0, -2.0], is_numeric=False)
    return EffectCurves((small, large, levels), ("prediction",), "a model")


def test_the_curve_that_moves_most_comes_first_and_all_share_a_scale(effects):
    panels = lw.plot_effects(effects)
    assert [panel.get_xlabel() for panel in panels] == ["level", "x3", "x1"]
    assert len({panel.get_ylim() for panel in panels}) == 1
    assert len(lw.plot_effects(effects, max_features=2)) == 2


def test_a_line_is_drawn_at_its_values_and_levels_in_the_order_of_effects(effects):
    levels, large, _ = lw.plot_effects(effects)
    drawn = max((line.get_xydata() for line in large.lines), key=len)
    np.testing.assert_allclose(drawn[:, 1], 3 * drawn[:, 0])
    assert [label.get_text() for label in levels.get_xticklabels()] == [r"a\$", "b"]


def test_of_many_levels_the_extremes_are_named():
    names = [f"a tail number {place:03}" for place in range(100)]
    many = curve("tail", names, np.linspace(-1, 1, 100), is_numeric=False)
    axes = lw.plot_effects(EffectCurves((many,), ("prediction",), "a model"))
    assert [label.get_text() for label in axes.get_xticklabels()] == [names[0], names[-1]]
    assert axes.get_xlabel() == "tail\n(100 levels)"


def test_one_curve_goes_to_the_axes_given_and_several_do_not(effects):
    _, axes = plt.subplots()
    assert lw.plot_effects(effects["x1"], ax=axes) is axes
    with pytest.raises(ValueError, match="ax is for one curve and effects has 3"):
        lw.plot_effects(effects, ax=axes)
    with pytest.raises(ValueError, match="features must be"):
        effects["nothing"]


def test_outputs_are_told_apart_by_a_legend(effects):
    places = np.linspace(0, 1, 15).tolist()
    both = np.stack([places, [-each for each in places]], axis=1)
    two = EffectCurves((curve("x", places, both),), ("probability of a", "probability of b"), "m")
    (legend,) = lw.plot_effects(two).figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(two.outputs)


def test_the_title_says_the_model_and_how_many_curves_are_shown(effects):
    panels = lw.plot_effects(effects, max_features=2)
    assert panels[0].figure.get_suptitle() == "a model\n2 of 3 features shown"
    assert lw.plot_effects(effects["x1"]).get_title("left") == "a model"
