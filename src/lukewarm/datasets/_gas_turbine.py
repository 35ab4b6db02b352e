"""The gas-turbine emission data, read from a file the user has."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from lukewarm._validation import check_choice
from lukewarm.datasets._base import Dataset

_FILE_NAME = "gas_turbine_2015.csv"
_FOLDER_VARIABLE = "LUKEWARM_DATA"
_TARGETS = ("NOX", "CO")


def load_gas_turbine(path: str | os.PathLike[str] | None = None, target: str = "NOX") -> Dataset:
    """Return hourly sensor readings of a gas turbine and its emissions of `target`.

    Parameters
    ----------
    path : str or path, optional
        The CSV file of the year 2015. Default: gas_turbine_2015.csv in the folder that the
        environment variable LUKEWARM_DATA names.
    target : "NOX" or "CO"
        The other of the two is left out of the features.

    Notes
    -----
    7,384 rows and nine features: UCI Machine Learning Repository, data set 551 ("Gas Turbine CO
    and NOx Emission Data Set"), Kaya, Tufekci and Uzun (2019), CC BY 4.0. The file is not part of
    this package.
    """
    check_choice("target", target, _TARGETS)
    source = Path(path) if path is not None else _default_path()
    if not source.is_file():
        raise FileNotFoundError(
            f"no gas-turbine file at {os.fspath(source)!r}. The data set is published by the UCI "
            "Machine Learning Repository as number 551, Gas Turbine CO and NOx Emission Data Set; "
            "pass the CSV of the year 2015 as path."
        )
    table = pd.read_csv(source)
    missing = [name for name in _TARGETS if name not in table]
    if missing:
        raise ValueError(
            f"{os.fspath(source)!r} has no column {missing}; it has {list(table)}. "
            "Is it the gas-turbine file?"
        )
    return Dataset(table.drop(columns=list(_TARGETS)), table[target])


def _default_path() -> Path:
    folder = os.environ.get(_FOLDER_VARIABLE)
    if not folder:
        raise FileNotFoundError(
            "load_gas_turbine needs a file: pass path, or set the environment variable "
            f"{_FOLDER_VARIABLE} to the folder that holds {_FILE_NAME}. The data set is published "
            "by the UCI Machine Learning Repository as number 551, Gas Turbine CO and NOx "
            "Emission Data Set."
        )
    return Path(folder) / _FILE_NAME
