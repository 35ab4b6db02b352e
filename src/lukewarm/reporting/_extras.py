"""What a page shows beyond its results, where it is given: effects, interactions, segments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Vector
from lukewarm._validation import check_instance
from lukewarm.inference import adjust_p_values
from lukewarm.reporting._bars import BarTable
from lukewarm.reporting._words import clean, listed, number, percent, probability, short
from lukewarm.results import EffectCurve, EffectCurves, SegmentedImportance, words_for

# Those that move most; each is a figure of its own on the page.
_MOST_CURVES = 12
# A curve that moves by less than this share of the scale says nothing about a way.
_LITTLE = 0.05
# Features of no more values are drawn as dots, and of no more than these each is named.
_MOST_DOTS, _MOST_MARKS = 10, 4
# What a reader takes in: curves in one figure, pairs in a table, features beside segments.
_MOST_OUTPUTS = 3
_MOST_PAIRS = 20
_MOST_FEATURES = 8
# Of the drawing of a curve, in units of its own.
_WIDTH, _HEIGHT = 200, 80
_DIRECTIONS = {
    "up": "the prediction rises with it",
    "down": "the prediction falls as it grows",
    "mixed": "the prediction rises and falls",
    "none": "the prediction does not move",
}
_NEEDED = ["first", "second", "interaction", "ci_low", "ci_high", "std_error", "p_value"]


@dataclass(frozen=True)
class Extras:
    """What was computed beside the results.

    Parameters
    ----------
    effects : EffectCurves, optional
    interactions : DataFrame, optional
    segments : SegmentedImportance, optional
    """

    effects: EffectCurves | None = None
    interactions: pd.DataFrame | None = None
    segments: SegmentedImportance | None = None

    def __post_init__(self) -> None:
        if self.effects is not None:
            check_instance("effects", self.effects, EffectCurves)
        if self.segments is not None:
            check_instance("segments", self.segments, SegmentedImportance)
        if self.interactions is not None:
            check_instance("interactions", self.interactions, pd.DataFrame)
            missing = [name for name in _NEEDED if name not in self.interactions]
            if missing:
                raise ValueError(
                    f"interactions has no columns {missing}; pass the frame of interactions()."
                )


@dataclass(frozen=True, eq=False)
class Curve:
    """The effect of one feature, drawn in a box of 200 by 80 units."""

    curve: EffectCurve
    outputs: tuple[str, ...]
    low: float
    high: float
    decimals: int

    @property
    def name(self) -> str:
        """The feature."""
        return short(self.curve.feature)

    @property
    def direction(self) -> str:
        """Which way the prediction goes, in words; nothing for levels and several outputs."""
        if self.curve.direction and self.curve.span < _LITTLE * (self.high - self.low):
            return "the prediction hardly moves"
        return _DIRECTIONS.get(self.curve.direction, "")

    @property
    def is_line(self) -> bool:
        """Whether the values have others between them."""
        return self.curve.positions is not None and len(self.curve.values) > _MOST_DOTS

    @property
    def names_dots(self) -> bool:
        """Whether there is room below the drawing for the value of every dot."""
        return not self.is_line and len(self.values) <= _MOST_MARKS

    @property
    def marks(self) -> list[str]:
        """What stands below the drawing: every value, the ends of an order, or how many levels."""
        if self.names_dots:
            return self.values
        if self.curve.positions is None:
            return [f"{len(self.values)} levels, named in the numbers"]
        return [self.values[0], self.values[-1]]

    @cached_property
    def values(self) -> list[str]:
        """The values as text; of numbers four digits."""
        return [_said(value) for value in self.curve.values]

    @cached_property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The table behind the drawing: values, and the effect on each output."""
        effects = self.curve.effect[:, : len(self.outputs)]
        cells = [[number(each, self.decimals) for each in row] for row in effects]
        return list(zip(self.values, cells, strict=True))

    @cached_property
    def _places(self) -> Vector:
        positions = self.curve.positions
        if positions is None or not self.is_line:
            return (np.arange(len(self.curve.values)) + 0.5) * _WIDTH / len(self.curve.values)
        return _WIDTH * (positions - positions[0]) / (positions[-1] - positions[0])

    def height(self, effect: float) -> float:
        """Return how far below the top of the box an effect is drawn."""
        return round(_HEIGHT * (self.high - effect) / (self.high - self.low), 1)

    @cached_property
    def drawn(self) -> list[list[tuple[float, float]]]:
        """The points of each output."""
        return [
            [
                (round(float(place), 1), self.height(each))
                for place, each in zip(self._places, self.curve.effect[:, output], strict=True)
            ]
            for output in range(len(self.outputs))
        ]


def effect_figures(effects: EffectCurves) -> dict[str, Any]:
    """Return the curves that move the prediction most, all on one scale."""
    ranked = sorted(effects.curves, key=lambda curve: -curve.span)
    chosen = ranked[:_MOST_CURVES]
    outputs = tuple(map(clean, effects.outputs[:_MOST_OUTPUTS]))
    every = np.concatenate([curve.effect[:, : len(outputs)].ravel() for curve in chosen])
    low, high = min(float(every.min()), 0.0), max(float(every.max()), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    decimals = max(2 - int(np.floor(np.log10(high - low))), 0)
    return {
        "curves": [Curve(each, outputs, low, high, decimals) for each in chosen],
        "outputs": outputs,
        "ends": (number(low, decimals), number(high, decimals)),
        "n_left_out": len(effects) - len(chosen),
        "width": _WIDTH,
        "height": _HEIGHT,
    }


def interaction_bars(interactions: pd.DataFrame, measure: str, level: float) -> BarTable:
    """Return the largest interactions as bars."""
    frame = interactions.iloc[:_MOST_PAIRS]
    names = [f"{row['first']} × {row['second']}" for _, row in frame.iterrows()]
    unit = "interaction: above zero the two need each other, below zero they stand for each other"
    return _bars(names, frame, "interaction", measure, level, unit, len(interactions) - len(frame))


def segment_bars(segments: SegmentedImportance) -> BarTable:
    """Return the importances of the leading features in each segment, feature by feature."""
    first = segments.results[0]
    largest = np.max([result.importance for result in segments.results], axis=0)
    order = np.argsort(-largest, kind="stable")[:_MOST_FEATURES]
    frame = segments.to_frame()
    chosen = [
        (segment * len(first) + number, f"{first.names[number]}, {name}")
        for number in order
        for segment, name in enumerate(segments.segments)
    ]
    words = words_for(first.measure)
    n_left_out = len(frame) - len(chosen)
    return _bars(
        [name for _, name in chosen],
        frame.iloc[[place for place, _ in chosen]],
        "importance",
        first.measure,
        first.level,
        words.column,
        n_left_out,
    )


def segment_words(segments: SegmentedImportance) -> str:
    """Return a sentence on the features whose importance differs among segments."""
    p_values = segments.equality()["p_value"].to_numpy(dtype=float)
    level = segments.results[0].level
    adjusted = adjust_p_values(p_values, "holm")
    differ = np.flatnonzero(adjusted < 1 - level)
    if not len(differ):
        return "No importance is known to differ among the segments."
    names = listed(segments.results[0].names[number] for number in differ)
    least = probability(float(adjusted[differ].max()))
    said = f"p {least}" if least.startswith("<") else f"p at most {least}"
    verb = "matters" if len(differ) == 1 else "matter"
    return names + f" {verb} differently in different segments (test of equality, {said})."


def _bars(
    names: list[str],
    frame: pd.DataFrame,
    quantity: str,
    measure: str,
    level: float,
    unit: str,
    n_left_out: int,
) -> BarTable:
    p_values = frame["p_value"].to_numpy(dtype=float)
    columns = {
        "value": quantity,
        "low": "ci_low",
        "high": "ci_high",
        "std_error": "std_error",
        "p_value": "p_value",
    }
    return BarTable(
        names=tuple(names),
        columns={
            **{key: frame[name].to_numpy(dtype=float) for key, name in columns.items()},
            "p_holm": adjust_p_values(p_values, "holm"),
        },
        heads={
            "value": quantity.capitalize(),
            "low": f"{percent(level)} from",
            "high": "to",
            "std_error": "Std. error",
            "p_value": "p",
            "p_holm": "p (Holm)",
        },
        intervals={},
        level=level,
        scale=words_for(measure).scale,
        unit=unit,
        quantity=quantity,
        n_left_out=n_left_out,
    )


def _said(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, float | int) and not isinstance(value, bool):
        is_long = 1e4 <= abs(value) < 1e9
        return f"{value:{',.0f' if is_long else '.4g'}}".replace("-", "\N{MINUS SIGN}")
    return short(str(value))
