"""What a malformed call may do: succeed with sound numbers, or say which parameter is wrong."""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

# What the library's own documentation promises. ImportError names an extra, OSError a path.
ALLOWED = (ValueError, TypeError, ImportError, OSError)


@dataclass(frozen=True)
class Call:
    """One call through the public door.

    Parameters
    ----------
    text : str
        What is called, for whoever reads the complaint.
    run : callable without arguments
    names : tuple of str
        Words of which a refusal must hold one: the parameters that were changed.
    must_fail : bool or None
        True where success would itself be a fault, False where a refusal would, None for either.
    """

    text: str
    run: Callable[[], Any]
    names: tuple[str, ...]
    must_fail: bool | None = None


def complaint(call: Call) -> str | None:
    """Return what is wrong with the outcome of the call; None when nothing is."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outcome = call.run()
    except ALLOWED as error:
        return _complaint_of_refusal(call, error)
    except Exception as error:
        return f"{call.text}\n    raised {type(error).__name__}: {_short(error)}"
    if call.must_fail:
        return f"{call.text}\n    was accepted"
    arithmetic = [str(each.message) for each in caught if each.category is RuntimeWarning]
    if arithmetic:
        return f"{call.text}\n    warned of its own arithmetic: {arithmetic[0]}"
    unsound = _unsound(outcome)
    return f"{call.text}\n    returned {unsound}" if unsound else None


def _complaint_of_refusal(call: Call, error: Exception) -> str | None:
    message = str(error)
    if call.must_fail is False:
        return f"{call.text}\n    was refused: {type(error).__name__}: {_short(error)}"
    if not any(_mentions(message, name) for name in call.names):
        return (
            f"{call.text}\n    does not name any of {call.names}: "
            f"{type(error).__name__}: {_short(error)}"
        )
    return None


def _mentions(message: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) is not None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _unsound(outcome: Any) -> str | None:
    """Return what is not finite, or out of order, in the numbers that came back."""
    frames = outcome if isinstance(outcome, list) else [outcome]
    for frame in frames:
        if isinstance(frame, pd.DataFrame):
            found = _unsound_frame(frame)
            if found:
                return found
        elif isinstance(frame, float | np.ndarray) and not np.all(np.isfinite(frame)):
            return f"numbers that are not finite: {frame}"
    return None


def _unsound_frame(frame: pd.DataFrame) -> str | None:
    numbers = frame.select_dtypes("number")
    bad = [str(name) for name in numbers if not np.isfinite(numbers[name].to_numpy(float)).all()]
    if bad:
        return f"columns {bad} that are not finite"
    if "ci_low" not in frame:
        return None
    estimate = frame["importance" if "importance" in frame else "shapley_value"]
    if not ((frame["ci_low"] <= estimate) & (estimate <= frame["ci_high"])).all():
        return "an interval that misses its own estimate"
    tests = frame[[name for name in frame if str(name).startswith("p_")]].to_numpy(float)
    if not ((tests >= 0) & (tests <= 1)).all():
        return "a p-value outside [0, 1]"
    return "a negative standard error" if (frame["std_error"] < 0).any() else None
