import subprocess
import sys

import pytest

import lukewarm as lw

HEAVY = ("torch", "catboost", "lightgbm", "xgboost", "matplotlib", "numba")


def loaded_after(code, modules=HEAVY):
    script = f"{code}\nimport sys; print([m for m in {modules} if m in sys.modules])"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_importing_the_package_loads_no_engine():
    assert loaded_after("import lukewarm") == "[]"


def test_importing_every_public_name_loads_no_engine():
    assert loaded_after("from lukewarm import *\nimport lukewarm.cli, lukewarm.experiments") == "[]"


def test_asking_for_importances_loads_no_models_of_scikit_learn():
    rooms = ("sklearn.linear_model", "sklearn.metrics", "sklearn.feature_selection")
    assert loaded_after("import lukewarm\nlukewarm.VariableImportance", rooms) == "[]"


def test_every_public_name_is_there():
    for name in lw.__all__:
        assert getattr(lw, name) is not None
        assert name in dir(lw)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'shapely'"):
        _ = lw.shapely
