"""Figures of interactions and of segments."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw

PAIRS = pd.DataFrame(
    {
        "first": ["a", "a", "b"],
        "second": ["b", "c$", "c$"],
        "interaction": [2.0, -1.0, 0.01],
        "p_value": [1e-6, 1e-4, 0.9],
    }
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(name="result", scope="module")
def _result():
    a, b = np.random.default_rng(0).normal(size=(2, 300))
    y = a * (b > 0) + b
    return lw.importance_from_predictions(y, y, {"a": b, "b": a * (b > 0), "c$": y}), b > 0


def test_a_heat_map_is_symmetric_and_stars_what_is_told_from_zero():
    axes = lw.plot_interactions(PAIRS)
    matrix = axes.images[0].get_array().filled(np.nan)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert matrix[0].tolist()[1:] == [2.0, -1.0]
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        2 * ["2.0*", "\u22121.0*", "0.0"]
    )


def test_a_network_draws_what_stands_for_each_other_dashed(result):
    axes = lw.plot_interaction_network(PAIRS, result[0])
    colours = [line.get_color() for line in axes.lines[:3]]
    assert len(set(colours)) == 3
    assert [line.get_linestyle() for line in axes.lines[:3]] == ["-", "--", "-"]
    assert axes.lines[0].get_linewidth() > axes.lines[1].get_linewidth()
    areas = axes.collections[0].get_sizes()
    assert np.argsort(areas).tolist() == np.argsort(result[0].importance).tolist()


@pytest.mark.parametrize("plot", [lw.plot_interactions, lw.plot_interaction_network])
def test_frames_without_pairs_are_refused(plot):
    with pytest.raises(ValueError, match=r"interactions has no columns \['interaction'\]"):
        plot(PAIRS.drop(columns="interaction"))
    with pytest.raises(ValueError, match="no pair to draw"):
        plot(PAIRS[:0])
    _, axes = plt.subplots()
    assert plot(PAIRS, ax=axes) is axes


def test_segments_are_told_apart_and_starred_where_they_differ(result):
    importance, is_north = result
    axes = lw.plot_segments(importance.by(np.where(is_north, "north", "south")))
    assert {label.get_text() for label in axes.get_yticklabels()} == {"a *", "b", r"c\$"}
    (legend,) = axes.figure.legends
    n_north = int(is_north.sum())
    assert [text.get_text() for text in legend.get_texts()] == [
        f"north ({n_north} rows)",
        f"south ({300 - n_north} rows)",
    ]


def test_long_names_of_segments_stay_within_the_figure(result):
    quarters = pd.qcut(np.random.default_rng(0).uniform(1e4, 9e4, 300), 4)
    figure = lw.plot_segments(result[0].by(quarters)).figure
    figure.canvas.draw()
    legend = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= legend.x0 < legend.x1 <= figure.bbox.x1


def test_more_segments_than_colours_are_refused(result):
    with pytest.raises(ValueError, match="7 segments, and a figure shows at most 6"):
        lw.plot_segments(result[0].by(np.arange(300) % 7))


def test_the_title_of_segments_says_model_measure_and_rows(result):
    axes = lw.plot_segments(result[0].by(result[1]), max_features=2)
    expected = "given predictions\nmean squared error on 300 rows\n2 of 3 features shown"
    assert axes.get_title("left") == expected


@pytest.mark.parametrize("share", [0.3, 0.6, 0.65, 0.8, 1.0])
def test_numbers_can_be_read_on_every_shade(share):
    pairs = PAIRS.assign(interaction=[2.0, 2.0 * share, -2.0 * share])
    axes = lw.plot_interactions(pairs)
    image = axes.images[0]
    for text in axes.texts:
        column, row = text.get_position()
        shade = np.array(image.to_rgba(image.get_array()[row, column])[:3])
        linear = np.where(shade > 0.04, ((shade + 0.055) / 1.055) ** 2.4, shade / 12.92)
        luminance = linear @ [0.2126, 0.7152, 0.0722] + 0.05
        contrast = 1.05 / luminance if text.get_color() == "w" else luminance / 0.05
        assert contrast >= 4.5, "what WCAG asks of small text"
