"""A result in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._text import printable
from lukewarm.results._measure_words import words_for
from lukewarm.results._tables import p_value_text

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult

_NO_SKILL = (
    "The model predicts no better than a constant guess, so there is no skill to lose and the "
    "importances mean nothing."
)
# Names in one sentence; the others are counted.
_MOST_NAMES = 5


def summary(result: ImportanceResult) -> str:
    """Return what matters most, what cannot be told from zero, and how settled the numbers are."""
    if any(remark.name in ("no_skill", "untrained") for remark in result.remarks):
        return "\n".join([_NO_SKILL, *result._footnotes])
    is_clear, is_above = result.p_value() < 1 - result.level, result.importance > 0
    ranked = np.argsort(-result.importance, kind="stable")
    clear = [number for number in ranked if is_clear[number] and is_above[number]]
    unmeasured = [number for number in ranked if is_clear[number] and not is_above[number]]
    open_questions = [number for number in ranked if not is_clear[number]]
    sentences = [
        *_on_the_largest(result, clear, is_largest=clear[:1] == [ranked[0]]),
        *_on_the_others(result, clear),
        *_on_the_unmeasured(result, unmeasured),
        *_on_zero(result, open_questions),
        *_on_more_rows(result),
    ]
    return "\n".join([" ".join(sentences), *result._footnotes])


def _on_the_largest(
    result: ImportanceResult, clear: Sequence[int], *, is_largest: bool
) -> list[str]:
    if not clear:
        return []
    first = clear[0]
    among = f"{len(result)} feature sets" if is_largest else "those that can be told from zero"
    rank = f" most of {among}" if len(result) > 1 else ""
    words = words_for(result.measure)
    low, high = (words.scale * end[first] for end in result.interval())
    said = f"{words.scale * result.importance[first]:.3g}"
    p_value = p_value_text(result.p_value()[first])
    return [
        f"{_named(result, [first])} matters{rank}: without it "
        f"{words.loss.format(said)} "
        f"({100 * result.level:.4g} % interval {low:.3g} to {high:.3g}, "
        f"p {p_value if p_value.startswith('<') else f'= {p_value}'})."
    ]


def _on_the_others(result: ImportanceResult, clear: Sequence[int]) -> list[str]:
    if len(clear) < 2:
        return []
    verb = "comes" if len(clear) == 2 else "come"
    return [f"Then {verb} {_named(result, clear[1:])}."]


def _on_the_unmeasured(result: ImportanceResult, unmeasured: Sequence[int]) -> list[str]:
    """Return that the test is sure of features whose estimates came out below zero."""
    if not unmeasured:
        return []
    verb = "matters" if len(unmeasured) == 1 else "matter"
    return [f"By the test {_named(result, unmeasured)} {verb}; how much is not known."]


def _on_zero(result: ImportanceResult, open_questions: Sequence[int]) -> list[str]:
    if not open_questions:
        return []
    level = f"At the {100 * (1 - result.level):.3g} % level"
    if len(result) == 1:
        return [f"{level} {_named(result, [0])} cannot be told from zero."]
    test = f"{level}, each tested alone,"
    if len(open_questions) == len(result):
        return [f"{test} none of {len(result)} feature sets can be told from zero."]
    return [f"{test} these cannot be told from zero: {_named(result, open_questions)}."]


def _on_more_rows(result: ImportanceResult) -> list[str]:
    """Return what the estimates moved when the training rows doubled, in words."""
    shift, error = result.shift, result._moments.standard_error
    if not shift.any():
        return []
    ranked = np.argsort(-np.abs(shift), kind="stable")
    moved = [number for number in ranked if abs(shift[number]) > error[number]]
    if not moved:
        return [
            "When the training rows doubled, no importance moved by more than the error of the "
            "evaluation rows: more rows would hardly change the estimates."
        ]
    first, words = moved[0], words_for(result.measure)
    direction = "rose" if shift[first] > 0 else "fell"
    others = len(moved) - 1
    return [
        f"When the training rows doubled, the importance of {_named(result, [first])} {direction} "
        f"by {words.scale * abs(shift[first]):.3g}{f' {words.unit}' if words.unit else ''}, more "
        "than the error of the evaluation rows"
        + (f", and {others} more moved by more than theirs" if others else "")
        + (": the model is still learning. " if (shift[moved] > 0).any() else ". ")
        + "The intervals allow for that."
    ]


def _named(result: ImportanceResult, numbers: Sequence[int]) -> str:
    names = [printable(result.names[number]) for number in numbers[:_MOST_NAMES]]
    more = len(numbers) - len(names)
    if more > 0:
        return f"{', '.join(names)} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
