"""How a model's prediction moves with each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._text import printable
from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_choice, check_list
from lukewarm.results._tables import Tabular

# The correlation of a curve with its feature from which on it goes one way: that of a half circle
# with its diameter is 0, of a parabola over its right half 0.97.
_ONE_WAY = 0.5


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """The effect of one feature on the prediction, at some of its values.

    Parameters
    ----------
    feature : str
    values : tuple
        Numbers or dates in ascending order, or levels.
    effect : ndarray of shape (n_values, n_outputs)
        How far the prediction lies above its mean over the rows.
    share : ndarray of shape (n_values,)
        The share of the evaluation rows near each value.
    positions : ndarray of shape (n_values,), optional
        The values as floats; None for levels.
    """

    feature: str
    values: tuple[Any, ...]
    effect: Matrix
    share: Vector
    positions: Vector | None

    @property
    def direction(self) -> str:
        """Where the prediction goes as the feature grows: "up", "down", "mixed" or "none".

        Up or down where the curve has a correlation of at least 0.5 in size with the feature, over
        the rows; "none" where the prediction does not move. Levels have no order, and with several
        outputs no way is the one: "".
        """
        if self.positions is None or self.effect.shape[1] > 1:
            return ""
        curve = self.effect[:, 0]
        if np.ptp(curve) == 0:
            return "none"
        x = self.positions - np.average(self.positions, weights=self.share)
        x = x / np.abs(x).max()
        z = (curve - np.average(curve, weights=self.share)) / np.ptp(curve)
        product, *squares = (np.average(each, weights=self.share) for each in (x * z, x * x, z * z))
        correlation = product / np.sqrt(squares[0] * squares[1])
        if abs(correlation) < _ONE_WAY:
            return "mixed"
        return "up" if correlation > 0 else "down"

    @property
    def span(self) -> float:
        """The largest effect minus the smallest, of the output that moves most."""
        return float(np.ptp(self.effect, axis=0).max())


@dataclass(frozen=True, eq=False, repr=False)
class EffectCurves(Tabular):
    """How the prediction of the full models moves with each feature.

    Parameters
    ----------
    curves : tuple of EffectCurve
    outputs : tuple of str
        What moves: "prediction", or "probability of ..." for each class.
    model : str
        The model whose predictions they are.

    Notes
    -----
    Curves of numbers are accumulated local effects (Apley and Zhu 2020). The range of a feature is
    cut at quantiles; every row is moved from one end of its own bin to the other, the changes of
    its prediction are averaged in each bin and added up. No row is moved far from where it was
    seen, so a feature that the model ignores has a flat curve, however much it is correlated with
    others; the mean prediction at each value would rise with theirs.
    Levels, and numbers of few values, have no bins. There each row is given every pair of values,
    and the difference of its two predictions counts by the probability of both, given the other
    features. The effects are those that fit all pairs best.
    For a model that adds up functions of single features, both give the function, up to a constant.

    Examples
    --------
    >>> import lukewarm as lw
    >>> from sklearn.linear_model import LinearRegression
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> vi = lw.VariableImportance(LinearRegression(), features=["X1"], random_state=0)
    >>> curves = vi.fit(data.X, data.y).effects()
    >>> curves.directions()[["feature", "direction"]]
      feature direction
    0      X1        up
    """

    curves: tuple[EffectCurve, ...]
    outputs: tuple[str, ...]
    model: str

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, features: str | Sequence[str]) -> EffectCurves:
        """Return the curve of one feature, or those of several."""
        names = {curve.feature: curve for curve in self.curves}
        asked = [features] if isinstance(features, str) else check_list("features", features)
        chosen = [names[check_choice("features", name, tuple(names))] for name in asked]
        return replace(self, curves=tuple(chosen))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per feature, value and output.

        Returns
        -------
        DataFrame
            With columns feature, output, value, effect and share (of the evaluation rows).
        """
        rows = [
            {
                "feature": curve.feature,
                "output": output,
                "value": value,
                "effect": curve.effect[place, number],
                "share": curve.share[place],
            }
            for curve in self.curves
            for number, output in enumerate(self.outputs)
            for place, value in enumerate(curve.values)
        ]
        return pd.DataFrame(rows, columns=["feature", "output", "value", "effect", "share"])

    def directions(self) -> pd.DataFrame:
        """Return one row per feature: which way the prediction goes as it grows, and how far.

        Returns
        -------
        DataFrame
            With columns feature, direction ("up", "down", "mixed", "none"; "" for levels and for
            several outputs) and span, the largest effect minus the smallest.
        """
        return pd.DataFrame(
            {
                "feature": [curve.feature for curve in self.curves],
                "direction": [curve.direction for curve in self.curves],
                "span": [curve.span for curve in self.curves],
            }
        )

    def _headline(self) -> str:
        noun = "feature" if len(self) == 1 else "features"
        return f"{len(self)} {noun}; {printable(', '.join(self.outputs))} of {self.model}"

    @property
    def _footnotes(self) -> list[str]:
        return []
