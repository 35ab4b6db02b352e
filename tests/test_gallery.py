"""Each script of the gallery runs as it is, as the site runs it."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


@pytest.fixture
def no_window():
    before = mpl.get_backend()
    mpl.use("Agg")
    yield
    plt.close("all")
    mpl.use(before)


def test_the_gallery_has_at_least_twelve_scripts():
    assert len(SCRIPTS) >= 12


# One process for all: imports and compiled code are paid for once.
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::lukewarm.exceptions.HealthWarning")
@pytest.mark.usefixtures("no_window")
def test_a_script_of_the_gallery_runs_and_draws(script):
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()
