"""How jobs are handed to clusters; `on_cluster.py` and `killed_workers.py` have real ones."""

import pickle
import sys
import threading
import time
from types import SimpleNamespace

import joblib
import numpy as np
import pytest

from lukewarm.parallel import _chunks, run_jobs
from lukewarm.parallel._chunks import call_chunk, chunked_results
from lukewarm.parallel._ray import RayCluster
from lukewarm.parallel._shared import SharedFunction


class TaskError(Exception):
    def __init__(self, cause):
        self.cause = cause


class FakeRay:
    """What is used of Ray, in one process; the task that was begun last is the first one done."""

    exceptions = SimpleNamespace(RayTaskError=TaskError)

    def __init__(self):
        self.put_away, self.sent, self.cancelled, self.at_work = [], [], [], []
        self.sizes = []
        self.most_at_work = 0

    def put(self, data):
        self.put_away.append(data)
        return f"object {len(self.put_away) - 1}"

    def remote(self, **options):
        self.options = options

        def of(function):
            def begun(data, token, jobs, seconds):
                self.sent.append(len(pickle.dumps((data, token, jobs, seconds))))
                self.sizes.append(len(jobs))
                task = (function, len(self.sent), data, token, tuple(jobs), seconds)
                self.at_work.append(task)
                self.most_at_work = max(self.most_at_work, len(self.at_work))
                return task

            return SimpleNamespace(remote=begun)

        return of

    def wait(self, references, num_returns):
        return references[-num_returns:], references[:-num_returns]

    def get(self, task):
        function, _, data, *others = task
        self.at_work.remove(task)
        try:
            return function(self.put_away[int(data.split()[1])], *others)
        except Exception as error:
            raise TaskError(error) from error

    def cancel(self, task):
        self.cancelled.append(task)


@pytest.fixture
def ray(monkeypatch):
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    return fake


def results_of(function, jobs, n_workers, options=None):
    return chunked_results(RayCluster(SharedFunction.of(function), n_workers, options), jobs)


def in_order(results):
    return [result for _, result in sorted(results)]


def test_data_is_put_away_once_and_a_message_has_less_than_ten_kilobytes(ray):
    values = np.arange(100_000.0)
    assert in_order(results_of(lambda job: values[job], range(500), 3)) == list(range(500))
    assert [each.nbytes > values.nbytes for each in ray.put_away] == [True]
    assert max(ray.sent) < 10_000
    assert ray.most_at_work == 3
    assert ray.options == {"num_cpus": 1}


def test_chunks_shrink_to_single_jobs_towards_the_end(ray):
    assert in_order(results_of(abs, range(40), 2)) == list(range(40))
    assert ray.sizes == [14, 9, 6, 4, 3, 2, 1, 1]


@pytest.mark.parametrize(("job_seconds", "most"), [(0.3, 3), (2.0, 1)])
def test_a_chunk_takes_about_a_second(ray, monkeypatch, job_seconds, most):
    clock = [0.0]
    monkeypatch.setattr(_chunks, "time", SimpleNamespace(perf_counter=lambda: clock[0]))

    def call(_data, _token, job):
        clock[0] += job_seconds
        return -job

    monkeypatch.setattr(_chunks, "call_shared", call)
    assert in_order(results_of(abs, range(60), 2)) == [-job for job in range(60)]
    # The first two have been sent before anything was known; they hand back what is left.
    assert ray.sizes[0] == 20
    assert max(ray.sizes[2:]) == most
    assert len(ray.sizes) >= 60 / (1 + 1 / job_seconds)


def test_what_a_worker_hands_back_is_done_by_the_next(ray, monkeypatch):
    monkeypatch.setattr(_chunks, "_TASK_SECONDS", 0.0)  # every worker stops after one job
    monkeypatch.setattr(_chunks, "_chunk_size", lambda n_waiting, *_: min(3, n_waiting))
    assert in_order(results_of(abs, range(8), 2)) == list(range(8))
    assert ray.sizes[:2] == [3, 3]
    assert len(ray.sizes) == 8


def test_an_error_is_that_of_the_job_and_the_others_are_called_off(ray):
    def failing(job):
        if job == 2:
            raise FloatingPointError("singular")
        return job

    ray.wait = lambda references, num_returns: (references[:1], references[1:])
    results = results_of(failing, range(90), 2, {"num_cpus": 0.5})
    assert [next(results), next(results)] == [(0, 0), (1, 1)]
    with pytest.raises(FloatingPointError, match="singular"):
        list(results)
    assert sum(ray.sizes) < 90
    assert ray.cancelled == ray.at_work
    assert len(ray.cancelled) == 1
    assert ray.options == {"num_cpus": 0.5}


def test_jobs_of_a_chunk_before_one_that_fails_are_not_lost():
    shared = SharedFunction.of(lambda job: 1 / job)
    results, _ = call_chunk(shared.data, shared.token, [2, 4, 0, 1], 10.0)
    assert results == [0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        call_chunk(shared.data, shared.token, [0, 1], 10.0)


def test_models_find_no_workers_of_their_own_in_a_task():
    shared = SharedFunction.of(lambda _: joblib.effective_n_jobs(4))
    with joblib.parallel_config("threading", n_jobs=4):
        assert call_chunk(shared.data, shared.token, [0], 10.0)[0] == [1]


def test_nobody_waits_for_tasks_once_the_user_broke_off(ray):
    ray.wait = lambda references, num_returns: (references[:1], references[1:])
    results = results_of(abs, range(9), 3)
    next(results)
    results.close()
    assert len(ray.cancelled) == len(ray.at_work) >= 2


@pytest.fixture(scope="module")
def dask_client():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 3, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(dashboard_address=None, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def threads_of(**options):
    """Return how many threads of workers had a job, each waiting for the others."""

    def job(_):
        time.sleep(0.05)
        return threading.get_ident()

    return len(set(run_jobs(job, range(12), **options)))


@pytest.mark.usefixtures("dask_client")
def test_dask_runs_as_many_jobs_as_asked_for():
    with joblib.parallel_config("dask"):
        assert threads_of() == 3
        assert run_jobs(abs, range(-300, 0)) == list(range(300, 0, -1))
        assert threading.get_ident() in run_jobs(lambda _: threading.get_ident(), [0, 1], n_jobs=1)


AT_WORK, MOST_AT_WORK = [], []


def counted(number):
    """Take a while, and write down how many do at the same time."""
    AT_WORK.append(number)
    MOST_AT_WORK.append(len(AT_WORK))
    time.sleep(0.05)
    AT_WORK.remove(number)


@pytest.mark.usefixtures("dask_client")
def test_dask_respects_the_number_set_for_joblib():
    with joblib.parallel_config("dask", n_jobs=2):
        run_jobs(counted, range(8))
    assert len(MOST_AT_WORK) == 8
    assert max(MOST_AT_WORK) == 2


def test_the_jobs_of_dask_are_called_off_after_an_error(dask_client):
    with joblib.parallel_config("dask"), pytest.raises(ZeroDivisionError):
        run_jobs(lambda number: 1 / (number - 3), range(30))
    deadline = time.monotonic() + 10
    while dask_client.processing() and any(dask_client.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_task_of_dask_may_have_jobs_of_its_own(dask_client):
    def outer(number):
        with joblib.parallel_config("dask"):
            return sum(run_jobs(abs, range(number)))

    # As many as there are workers: each would wait for the others if it kept its place.
    futures = dask_client.map(outer, [10, 20, 30], pure=False)
    assert dask_client.gather(futures, errors="raise") == [45, 190, 435]


def test_a_worker_that_joins_dask_gets_jobs_too():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}

    def job(number):
        time.sleep(0.1)
        return distributed.get_worker().id

    with (
        distributed.LocalCluster(dashboard_address=None, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config("dask", client=client),
    ):
        growing = threading.Timer(0.5, cluster.scale, [2])
        growing.start()
        found = run_jobs(job, range(40))
        growing.join()
    assert len(set(found)) == 2
