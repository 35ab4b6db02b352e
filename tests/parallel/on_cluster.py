"""Importances on a local cluster of two worker processes: ``python on_cluster.py dask FILE``.

A program of its own, since clusters start workers by running the main module again.
"""

import sys
from contextlib import contextmanager

import joblib
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

import lukewarm as lw


@contextmanager
def cluster(name):
    if name == "dask":
        from distributed import Client, LocalCluster

        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as local, Client(local), joblib.parallel_config("dask"):
            yield
    else:
        import ray
        from ray.util.joblib import register_ray

        register_ray()
        ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
        with joblib.parallel_config("ray", n_jobs=2):
            yield
        ray.shutdown()


def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(200, 5)), columns=list("abcde"))
    return X, X["b"] + 3 * X["c"] + X["a"] * X["d"] + generator.normal(size=200)


def measured(**options):
    """Return importances and Shapley values, with an influence value for every row."""
    # A model with chance in it, so that seeds count.
    model = DecisionTreeRegressor(max_features=2, max_depth=4)
    settings = {"inference": "paired", "random_state": 0, **options}
    vi = lw.VariableImportance(model, "retrain", **settings).fit(*table())
    settings |= {"solver": "kernel", "n_coalitions": 24}
    sv = lw.ShapleyImportance(model, "dropout", **settings).fit(*table())
    influences = [each.influence for each in vi.result_.reduced]
    return np.concatenate([vi.result_.importance, sv.result_.shapley_value, *influences])


if __name__ == "__main__":
    with cluster(sys.argv[1]):
        np.save(sys.argv[2], measured())
