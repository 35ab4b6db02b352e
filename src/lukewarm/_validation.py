"""Checks at the public door. Every message names the parameter, what came and what to do."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

# A standard error squares squared errors: the fourth power must be a float, with room to add up.
_LARGEST = 1e70


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`.

    Examples
    --------
    >>> check_choice("method", "dropuot", ["dropout", "retrain"])
    Traceback (most recent call last):
        ...
    ValueError: method must be one of 'dropout', 'retrain'; got 'dropuot'.
    """
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}.")
    return value


def check_count(name: str, value: Any, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return `value` as an int no smaller than `minimum` and no larger than `maximum`."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer; got {value!r}.")
    count = int(value)
    if count < minimum or (maximum is not None and count > maximum):
        bounds = f"at least {minimum}" if maximum is None else f"in {minimum}..{maximum}"
        raise ValueError(f"{name} must be {bounds}; got {count}.")
    return count


def check_number(
    name: str,
    value: Any,
    *,
    minimum: float = -np.inf,
    above: float | None = None,
    below: float | None = None,
) -> float:
    """Return `value` as a float with minimum <= value, above < value and value < below."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number; got {value!r}.")
    number = float(value)
    conditions = []
    if minimum > -np.inf:
        conditions.append((number >= minimum, f"at least {minimum:g}"))
    if above is not None:
        conditions.append((number > above, f"greater than {above:g}"))
    if below is not None:
        conditions.append((number < below, f"less than {below:g}"))
    if np.isnan(number) or not all(holds for holds, _ in conditions):
        wanted = " and ".join(text for _, text in conditions) or "a number other than nan"
        raise ValueError(f"{name} must be {wanted}; got {value!r}.")
    return number


def check_fraction(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    return check_number(name, value, above=0, below=1)


def check_vector(name: str, values: Any, *, n_rows: int | None = None) -> np.ndarray:
    """Return `values` as a finite float vector (n,)."""
    check_real(name, values)
    try:
        vector = np.asarray(unmasked(values), dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numeric; {error}.") from error
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one value per row; got shape {vector.shape}.")
    if n_rows is not None and len(vector) != n_rows:
        raise ValueError(f"{name} must have {n_rows} rows; got {len(vector)}.")
    check_finite(name, vector)
    return vector


def check_real(name: str, values: Any) -> None:
    """Raise when `values` is an array of complex numbers, whose imaginary part would be lost."""
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise TypeError(
            f"{name} must hold real numbers; got {values.dtype}. Pass real and imaginary parts as "
            "columns of their own, or the absolute values."
        )


def unmasked(values: Any) -> Any:
    """Return a masked array with gaps (nan, or None) for what is masked; all else as it is.

    Examples
    --------
    >>> unmasked(np.ma.masked_equal([1, 2], 2))
    array([ 1., nan])
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.getmaskarray(values).any():
        return values.data
    is_number = values.dtype.kind in "biuf"
    plain = values.data.astype(float if is_number else object)
    plain[values.mask] = np.nan if is_number else None
    return plain


def check_squarable(name: str, values: np.ndarray) -> np.ndarray:
    """Return `values` if squared errors of that size, and their variance, can be computed."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST:
        raise ValueError(
            f"{name} must not exceed {_LARGEST:g} in size, for squared errors would overflow; got "
            f"{largest:g}. Divide it by a constant."
        )
    return values


def check_finite(name: str, values: np.ndarray) -> None:
    """Raise when `values` holds nan or inf, saying how many and where the first stands."""
    bad = ~np.isfinite(values)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must be finite; {int(bad.sum())} of {len(values)} values are nan or inf, "
            f"the first in row {first}. Drop or impute those rows."
        )


def check_weights(values: Any, n_rows: int, name: str = "sample_weight") -> np.ndarray | None:
    """Return sample weights as a float vector (n,), or None."""
    if values is None:
        return None
    weights = check_vector(name, values, n_rows=n_rows)
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(f"{name} must not be negative; row {row} has {weights[row]:g}.")
    if not weights.any():
        raise ValueError(f"{name} must not be zero in every row.")
    return weights


def as_relative(weights: np.ndarray | None) -> np.ndarray | None:
    """Return the weights, mean 1 where positive: their size has no meaning, and might overflow.

    Examples
    --------
    >>> as_relative(np.array([1e308, 3e307]))
    array([1.53846154, 0.46153846])
    """
    if weights is None:
        return None
    shares = weights / weights.max()
    return shares / shares[shares > 0].mean()
