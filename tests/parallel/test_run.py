import threading
import time
from contextlib import suppress

import joblib
import pytest

from lukewarm.parallel import _run, run_jobs


def slow_square(number):
    time.sleep(0.02 if number == 0 else 0.0)
    return number**2


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_keep_the_order_of_the_jobs(n_jobs):
    assert run_jobs(slow_square, list(range(5)), n_jobs=n_jobs) == [0, 1, 4, 9, 16]


def workers_of(jobs, **options):
    barrier = threading.Barrier(2)

    def thread_of(_):
        with suppress(threading.BrokenBarrierError):
            barrier.wait(0.2)  # so that a second worker, if any, has its share
        return threading.get_ident()

    return len(set(run_jobs(thread_of, jobs, **options)))


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(joblib._parallel_backends, "cpu_count", lambda: 8)


@pytest.mark.usefixtures("eight_cores")
def test_the_number_set_for_joblib_holds_where_none_is_given():
    assert workers_of(range(6)) == 1
    with joblib.parallel_config(n_jobs=2):
        assert workers_of(range(6)) == 2
        assert workers_of(range(6), n_jobs=1) == 1


@pytest.mark.usefixtures("eight_cores")
def test_a_back_end_that_takes_all_its_workers_by_default_does_so():
    class Cluster(joblib._parallel_backends.ThreadingBackend):
        default_n_jobs = -1  # as Dask's

    joblib.register_parallel_backend("cluster", Cluster)
    with joblib.parallel_config("cluster"):
        assert workers_of(range(6)) > 1
        assert workers_of(range(6), n_jobs=1) == 1


@pytest.mark.usefixtures("eight_cores")
@pytest.mark.parametrize(("n_tasks", "most"), [(3, 3), (500, 8)])
def test_there_are_no_more_workers_than_jobs_or_cores(monkeypatch, n_tasks, most):
    asked = []

    class Recorded(joblib.Parallel):
        def __init__(self, *args, **options):
            asked.append(options["n_jobs"])
            super().__init__(*args, **options)

    monkeypatch.setattr(_run, "Parallel", Recorded)
    assert run_jobs(abs, range(n_tasks), n_jobs=3000) == list(range(n_tasks))
    assert asked == [most]


def test_a_bar_is_drawn_when_asked_for(capfd):
    run_jobs(slow_square, [1, 2, 3], verbose=True, description="feature sets")
    assert "feature sets" in capfd.readouterr().err


def test_nothing_is_drawn_where_nobody_watches(capfd):
    run_jobs(slow_square, [1, 2, 3])
    assert capfd.readouterr().err == ""
