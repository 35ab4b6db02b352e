"""Simulators that know the true importance, and the loader of the gas-turbine data."""

from lukewarm.datasets._base import Dataset
from lukewarm.datasets._gas_turbine import load_gas_turbine
from lukewarm.datasets._linear import (
    LinearGaussianDataset,
    make_correlated_linear,
    make_high_dimensional_linear,
)
from lukewarm.datasets._nonlinear import (
    NetworkDataset,
    make_high_dimensional_network,
    make_logistic,
)

__all__ = [
    "Dataset",
    "LinearGaussianDataset",
    "NetworkDataset",
    "load_gas_turbine",
    "make_correlated_linear",
    "make_high_dimensional_linear",
    "make_high_dimensional_network",
    "make_logistic",
]
