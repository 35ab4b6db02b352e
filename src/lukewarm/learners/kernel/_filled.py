"""A machine's outputs for the same rows with other values in some columns, many times over.

Rows i get the values g_i + d_k in the changed columns, k = 1 .. K: a guess of each row and shifts
that all rows share (residuals of a guess, or one level instead of another). Of the RBF kernel with
inverse scales s, at a landmark m,

    exp(-s^2 (g_i + d_k - m)^2 / 2)
        = exp(-s^2 (g_i - m)^2 / 2)  exp(s^2 d_k m)  exp(-s^2 d_k g_i - s^2 d_k^2 / 2),

the second factor belongs to the landmark and the third to the row. One kernel matrix between rows
and landmarks, (n, m), therefore serves all K shifts: the landmarks' weights are multiplied by the
second factor, (m, K), the outputs by the third, (n, K). All factors are positive and of each term
the product is exact, so nothing cancels. Rows whose values are cut off at the end of a column's
range do not share the shift; they are computed one table at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lukewarm._typing import Features, Matrix
from lukewarm.learners.kernel._basis import row_blocks
from lukewarm.learners.kernel._machine import Machine

# Exponents up to which factors and their products are far from overflow, at exp(709).
_LARGEST_EXPONENT = 300.0
# In units of a column's spread: differences of the same shift are equal up to rounding.
_ROUNDING = 1e-9


def filled_outputs(machine: Machine, X: Features, fills: Sequence[dict[int, Any]]) -> list[Matrix]:
    """Return the outputs (n, n_outputs) for `X` with each fill's values in the fill's columns.

    Parameters
    ----------
    machine : Machine
    X : Features of shape (n, p)
    fills : sequence of dict
        Values (n,) by column number, the same columns in all of them.
    """
    coding, kernel = machine.coding, machine.kernel
    numbers = sorted(fills[0])
    assert coding.imputation is None
    rows = coding.code(X)
    changed = np.flatnonzero(np.isin(coding.owner, numbers))
    is_read = (kernel.inverse_scales != 0) | (kernel.slopes != 0)
    read = is_read[changed]
    if not read.any():
        return [_in_blocks(machine, rows)] * len(fills)
    parts = np.stack(
        [coding.code_columns(numbers, (fill[each] for each in numbers))[:, read] for fill in fills]
    )
    outputs = np.empty((len(fills), len(rows), machine.weights.shape[1]))
    is_done = np.zeros(outputs.shape[:2], dtype=bool)
    if kernel.shape == "rbf" and len(fills) > 1:
        is_done = _set_shifted(machine, rows, changed[read], parts, outputs)
    for part, target, done in zip(parts, outputs, is_done, strict=True):
        places = np.flatnonzero(~done)
        if len(places):
            table = rows[places]
            table[:, changed[read]] = part[places]
            target[places] = _in_blocks(machine, table)
    return list(outputs)


def _set_shifted(
    machine: Machine,
    rows: Matrix,
    changed: np.ndarray,
    parts: np.ndarray,
    outputs: np.ndarray,
) -> np.ndarray:
    """Set the outputs of the rows that share their shifts; return which are set, (K, n).

    Parameters
    ----------
    machine : Machine
    rows : ndarray of shape (n, q)
        Coded.
    changed : ndarray of int
        Coded columns that take other values.
    parts : ndarray of shape (K, n, n_changed)
        Their values in each of the fills.
    outputs : ndarray of shape (K, n, n_outputs)
        Written to.
    """
    # The middle one: the others are nearest to it, and it is hardly ever at the end of a range.
    guess = parts[len(parts) // 2]
    shifts = np.median(parts - guess, axis=1)
    is_shifted = (np.abs(parts - guess - shifts[:, None]) <= _ROUNDING).all(axis=2)
    # A gap among numbers is no shift of them.
    used = np.flatnonzero(is_shifted.mean(axis=1) > 0.5)
    is_shared, shifts = is_shifted[used].all(axis=0), shifts[used]
    is_done = np.zeros_like(is_shifted)
    squares = np.square(machine.kernel.inverse_scales[changed])
    of_landmarks = machine.landmarks[:, changed] @ (squares * shifts).T
    of_rows = -(guess @ (squares * shifts).T) - np.square(shifts) @ squares / 2
    is_shared &= np.abs(of_rows).max(axis=1) <= _LARGEST_EXPONENT
    # Few shared rows are not worth a matrix of their own.
    if 2 * is_shared.sum() < len(rows) or np.abs(of_landmarks).max() > _LARGEST_EXPONENT:
        return is_done
    weights = machine.weights[:, None, :] * np.exp(of_landmarks)[:, :, None]
    weights = weights.reshape(len(machine.landmarks), -1)
    line = machine.line[changed]
    places = np.flatnonzero(is_shared)
    for block in row_blocks(len(places), max(len(machine.landmarks), rows.shape[1])):
        here = places[block]
        table = rows[here]
        table[:, changed] = guess[here]
        kernel = machine.kernel.shape_matrix(table, machine.landmarks)
        shaped = (kernel @ weights).reshape(len(here), len(used), -1)
        shaped *= np.exp(of_rows[here])[:, :, None]
        shaped += (machine.constant + table @ machine.line)[:, None, :]
        outputs[np.ix_(used, here)] = shaped.transpose(1, 0, 2) + (shifts @ line)[:, None, :]
    is_done[np.ix_(used, places)] = True
    return is_done


def _in_blocks(machine: Machine, rows: Matrix) -> Matrix:
    blocks = row_blocks(len(rows), max(len(machine.landmarks), rows.shape[1]))
    return np.concatenate([machine.outputs_of_coded(rows[block]) for block in blocks])
