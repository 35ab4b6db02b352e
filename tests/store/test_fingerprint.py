import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lukewarm.reduction import Dropout
from lukewarm.store import array_digest, column_digests, described, digest, packages_of, versions


def test_an_array_is_its_dtype_shape_and_values():
    digests = {
        array_digest(each)
        for each in (
            np.arange(4.0),
            np.arange(4.0).reshape(2, 2),
            np.arange(4),
            np.arange(4.0)[::-1],
            np.array(["0", "1", "2", "3"], dtype=object),
        )
    }
    assert len(digests) == 5
    assert array_digest(np.arange(8.0)[::2]) == array_digest(np.arange(0.0, 8, 2))


@pytest.mark.parametrize("as_table", [np.asarray, pd.DataFrame])
def test_a_changed_column_is_told_from_the_others(as_table):
    values = np.random.default_rng(0).normal(size=(5, 3))
    before = column_digests(as_table(values.copy()))
    values[2, 1] += 1e-15
    after = column_digests(as_table(values))
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, True]


def test_levels_in_another_order_are_another_column():
    text = ["a", "b", "a"]
    frames = [
        pd.DataFrame({"x": pd.Categorical(text, categories=levels)})
        for levels in (["a", "b"], ["b", "a"])
    ]
    assert column_digests(frames[0]) != column_digests(frames[1])


def test_a_model_is_its_class_and_parameters_also_inside_a_pipeline():
    def of(alpha):
        return digest(described(make_pipeline(StandardScaler(), Ridge(alpha=alpha))))

    assert of(1.0) == of(1.0) != of(2.0)
    assert described(Dropout()) == described(Dropout())
    assert described(Ridge()) != described(RandomForestRegressor())


def test_a_description_does_not_depend_on_the_process():
    code = (
        "from sklearn.pipeline import make_pipeline; from sklearn.linear_model import Ridge;"
        "from lukewarm.store import described, digest;"
        "print(digest(described([make_pipeline(Ridge()), {'a', 'b', 'c'}, object(), len])))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**__import__("os").environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_versions_of_engines_inside_the_model_count():
    assert "numpy" in versions(set())
    model = make_pipeline(StandardScaler(), Ridge())
    assert "sklearn" in packages_of(model)
    assert packages_of("network") == {"torch"}
    lightgbm = pytest.importorskip("lightgbm")
    found = versions(packages_of(make_pipeline(lightgbm.LGBMRegressor())))
    assert found["lightgbm"] == lightgbm.__version__
