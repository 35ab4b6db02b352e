"""How jobs are handed to Ray; `on_cluster.py` and `killed_workers.py` have a cluster."""

import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from lukewarm.parallel._ray import ray_results
from lukewarm.parallel._shared import SharedFunction


class TaskError(Exception):
    def __init__(self, cause):
        self.cause = cause


class FakeRay:
    """What is used of Ray, in one process; the task that was begun last is the first one done."""

    exceptions = SimpleNamespace(RayTaskError=TaskError)

    def __init__(self):
        self.put_away, self.sent, self.cancelled, self.at_work = [], [], [], []
        self.most_at_work = 0

    def put(self, data):
        self.put_away.append(data)
        return f"object {len(self.put_away) - 1}"

    def remote(self, **options):
        self.options = options

        def of(function):
            def begun(data, *others):
                self.sent.append(len(pickle.dumps((data, *others))))
                task = (function, len(self.sent), data, others)
                self.at_work.append(task)
                self.most_at_work = max(self.most_at_work, len(self.at_work))
                return task

            return SimpleNamespace(remote=begun)

        return of

    def wait(self, references, num_returns):
        return references[-num_returns:], references[:-num_returns]

    def get(self, task):
        function, _, data, others = task
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


def test_data_is_put_away_once_and_a_job_sends_less_than_ten_kilobytes(ray):
    values = np.arange(100_000.0)
    shared = SharedFunction.of(lambda job: values[job])
    assert list(ray_results(shared, range(7), 3, None)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert [each.nbytes > values.nbytes for each in ray.put_away] == [True]
    assert len(ray.sent) == 7
    assert max(ray.sent) < 10_000
    assert ray.most_at_work == 3
    assert ray.options == {"num_cpus": 1}


def test_an_error_is_that_of_the_job_and_the_others_are_called_off(ray):
    def failing(job):
        if job == 2:
            raise FloatingPointError("singular")
        return job

    results = ray_results(SharedFunction.of(failing), range(9), 2, {"num_cpus": 0.5})
    with pytest.raises(FloatingPointError, match="singular"):
        list(results)
    assert len(ray.sent) < 9
    assert ray.cancelled == ray.at_work
    assert len(ray.cancelled) == 1
    assert ray.options == {"num_cpus": 0.5}


def test_nobody_waits_for_tasks_once_the_user_broke_off(ray):
    ray.wait = lambda references, num_returns: (references[:1], references[1:])
    results = ray_results(SharedFunction.of(abs), range(9), 3, None)
    next(results)
    results.close()
    assert len(ray.cancelled) == len(ray.at_work) >= 2
