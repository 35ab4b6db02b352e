"""Jobs on a local cluster whose workers are killed: ``python killed_workers.py dask``.

Prints the sum of their results, and how many workers were killed.
"""

import os
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np

from lukewarm.parallel import run_jobs


def killing(folder, numbers):
    shared = np.ones(100_000)

    def job(number):
        time.sleep(0.1)
        mark = Path(folder) / str(number)
        if number in numbers and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * shared[number]

    return job


@contextmanager
def cluster(name):
    if name == "dask":
        from distributed import Client, LocalCluster

        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with (
            LocalCluster(**options) as local,
            Client(local),
            joblib.parallel_config("dask", wait_for_workers_timeout=100),
        ):
            yield
    elif name == "loky":
        with joblib.parallel_config("loky", n_jobs=2):
            yield
    else:
        import ray
        from ray.util.joblib import register_ray

        register_ray()
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        with joblib.parallel_config("ray", n_jobs=2):
            yield
        ray.shutdown()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name, cluster(sys.argv[1]):
        # Both workers die, so that the one which holds what is shared does.
        results = run_jobs(killing(name, {3, 4}), range(12))
        print(sum(results), len(list(Path(name).iterdir())))
    sys.stdout.flush()
