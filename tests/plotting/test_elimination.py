import numpy as np
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw
from lukewarm.results import EliminationPath


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(name="path")
def _path(generator):
    a, b = generator.normal(size=(2, 200))
    y = 2 * a + b
    reduced = {"a": 0 * a, "b": 2 * a, "c": y}
    return EliminationPath(("c", "b", "a"), lw.importance_from_predictions(y, y, reduced))


def test_losses_are_drawn_from_top_to_bottom_in_the_order_of_leaving(path):
    axes = lw.plot_elimination(path)
    drawn = axes.lines[0].get_xydata()
    np.testing.assert_allclose(drawn[:, 0], path.result.importance[[2, 1, 0]])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "b", "a"]
    assert axes.yaxis_inverted()


def test_a_dashed_line_divides_what_is_needed_from_what_is_not(path):
    assert path.select() == ["a", "b"]
    (dashed,) = [line for line in lw.plot_elimination(path).lines if line.get_linestyle() == "--"]
    assert set(dashed.get_ydata()) == {0.5}


def test_the_path_goes_to_the_axes_given(path):
    _, axes = plt.subplots()
    assert lw.plot_elimination(path, ax=axes) is axes
