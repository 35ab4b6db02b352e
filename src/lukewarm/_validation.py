"""Checks at the public door. Every message names the parameter, what came and what to do."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

# A standard error squares squared errors: the fourth power must be a float, with room to add up.
_LARGEST = 1e70
Kind = TypeVar("Kind")
# A line of an error message; longer values are cut.
_LONGEST_SHOWN = 80
# Beyond any machine: a larger number is a mistake.
_MOST_JOBS = 2**15


def shown(value: Any) -> str:
    """Return the value as an error message shows it: on one line, and not a whole table.

    Examples
    --------
    >>> shown("text"), len(shown("x" * 1000))
    ("'text'", 80)
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False; a text such as "False" would be true.

    Examples
    --------
    >>> check_flag("symmetric", "False")
    Traceback (most recent call last):
        ...
    TypeError: symmetric must be True or False; got 'False'.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {shown(value)}.")
    return bool(value)


def check_instance(name: str, value: Any, kind: type[Kind]) -> Kind:
    """Return `value` if it is a `kind`."""
    if not isinstance(value, kind):
        hint = " Pass its result_." if hasattr(value, "result_") else ""
        raise TypeError(
            f"{name} must be of class {kind.__name__}; got {type(value).__name__}.{hint}"
        )
    return value


def check_list(name: str, values: Any) -> list[Any]:
    """Return `values` as a list."""
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} must be a list; got {shown(values)}.") from None


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`.

    Examples
    --------
    >>> check_choice("method", "dropuot", ["dropout", "retrain"])
    Traceback (most recent call last):
        ...
    ValueError: method must be one of 'dropout', 'retrain'; got 'dropuot'.
    """
    allowed = list(choices)
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}; got {shown(value)}.")
    return value


def check_count(name: str, value: Any, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return `value` as an int no smaller than `minimum` and no larger than `maximum`."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer; got {shown(value)}.")
    count = int(value)
    if count < minimum or (maximum is not None and count > maximum):
        bounds = f"at least {minimum}" if maximum is None else f"in {minimum}..{maximum}"
        raise ValueError(f"{name} must be {bounds}; got {count}.")
    return count


def check_n_jobs(value: Any) -> None:
    """Raise unless `value` is None or a number of jobs that joblib knows: any integer but 0."""
    if value is None:
        return
    if check_count("n_jobs", value, minimum=-_MOST_JOBS, maximum=_MOST_JOBS) == 0:
        raise ValueError("n_jobs must not be 0; pass -1 for all cores, or None for one job.")


def check_number(
    name: str,
    value: Any,
    *,
    minimum: float = -np.inf,
    above: float | None = None,
    below: float | None = None,
    finite: bool = False,
) -> float:
    """Return `value` as a float with minimum <= value, above < value and value < below."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a number; got {shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} must fit into a float; got {shown(value)}.") from None
    conditions = []
    if minimum > -np.inf:
        conditions.append((number >= minimum, f"at least {minimum:g}"))
    if above is not None:
        conditions.append((number > above, f"greater than {above:g}"))
    if below is not None:
        conditions.append((number < below, f"less than {below:g}"))
    if finite:
        conditions.append((bool(np.isfinite(number)), "finite"))
    if np.isnan(number) or not all(holds for holds, _ in conditions):
        wanted = " and ".join(text for _, text in conditions) or "a number other than nan"
        raise ValueError(f"{name} must be {wanted}; got {shown(value)}.")
    return number


def check_fraction(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    return check_number(name, value, above=0, below=1)


def check_vector(name: str, values: Any, *, n_rows: int | None = None) -> np.ndarray:
    """Return `values` as a finite float vector (n,)."""
    array = check_readable(name, values)
    try:
        vector = array.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} must be numeric; {error}.") from error
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one value per row; got shape {vector.shape}.")
    if n_rows is not None and len(vector) != n_rows:
        raise ValueError(f"{name} must have {n_rows} rows; got {len(vector)}.")
    check_finite(name, vector)
    return vector


def check_readable(name: str, values: Any) -> np.ndarray:
    """Return `values` as an array, unless numpy would lose a part of them or cannot read them.

    Examples
    --------
    >>> check_readable("y", [1 + 2j])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    TypeError: y must hold real numbers; got complex128. ...
    """
    if hasattr(values, "tocsr"):
        raise TypeError(f"{name} must be dense; got a {type(values).__name__}. Pass its toarray().")
    try:
        array = np.asarray(unmasked(values))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of one shape; {error}.") from error
    check_real(name, array)
    return array


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


def check_rows(X: Any, Z: Any = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return `X`, and `Z` where it is given, as finite float matrices with the same columns."""
    X = check_matrix("X", X)
    if Z is None:
        return X, None
    Z = check_matrix("Z", Z)
    if Z.shape[1] != X.shape[1]:
        raise ValueError(
            f"X and Z must have the same columns; X has {X.shape[1]}, Z has {Z.shape[1]}."
        )
    return X, Z


def check_matrix(name: str, values: Any) -> np.ndarray:
    """Return `values` as a finite float matrix that is not empty."""
    try:
        matrix = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numeric; {error}.") from error
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{name} must be a matrix of rows by columns; got shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        n_bad = int((~np.isfinite(matrix)).sum())
        raise ValueError(f"{name} must be finite; {n_bad} values are nan or inf. Impute them.")
    return matrix


def check_weights(values: Any, n_rows: int, name: str = "sample_weight") -> np.ndarray | None:
    """Return the weights of rows as a float vector (n,), or None."""
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
