import time

import pytest

from lukewarm.parallel import run_jobs


def slow_square(number):
    time.sleep(0.02 if number == 0 else 0.0)
    return number**2


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_keep_the_order_of_the_jobs(n_jobs):
    assert run_jobs(slow_square, list(range(5)), n_jobs=n_jobs) == [0, 1, 4, 9, 16]


def test_a_bar_is_drawn_when_asked_for(capfd):
    run_jobs(slow_square, [1, 2, 3], verbose=True, description="feature sets")
    assert "feature sets" in capfd.readouterr().err


def test_nothing_is_drawn_where_nobody_watches(capfd):
    run_jobs(slow_square, [1, 2, 3])
    assert capfd.readouterr().err == ""
