import os

import pandas as pd
import pytest

from lukewarm.datasets import load_gas_turbine

needs_data = pytest.mark.skipif(
    "LUKEWARM_DATA" not in os.environ, reason="LUKEWARM_DATA names no folder with the data"
)


@needs_data
@pytest.mark.parametrize("target", ["NOX", "CO"])
def test_the_other_emission_is_no_feature(target):
    data = load_gas_turbine(target=target)
    assert data.X.shape == (7384, 9)
    assert data.y.name == target
    assert not {"NOX", "CO"} & set(data.X)


def test_without_a_file_the_error_says_where_the_data_is(monkeypatch, tmp_path):
    monkeypatch.delenv("LUKEWARM_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="number 551"):
        load_gas_turbine()
    with pytest.raises(FileNotFoundError, match="number 551"):
        load_gas_turbine(tmp_path / "none.csv")


def test_another_table_is_refused(tmp_path):
    path = tmp_path / "other.csv"
    pd.DataFrame({"a": [1]}).to_csv(path)
    with pytest.raises(ValueError, match="Is it the gas-turbine file"):
        load_gas_turbine(path)


def test_an_unknown_target_is_refused():
    with pytest.raises(ValueError, match="target must be one of 'NOX', 'CO'"):
        load_gas_turbine(target="SO2")
