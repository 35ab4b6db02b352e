"""The verdict: what a result says, in sentences for somebody who will read nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from lukewarm.inference import adjust_p_values
from lukewarm.reporting._groups import hidden_clusters
from lukewarm.reporting._panel import Panel
from lukewarm.reporting._words import (
    decimals_for,
    listed,
    marked,
    number,
    percent,
    power,
    significant,
)

_NO_SKILL = Markup(
    "The model predicts no better than a constant guess, so there is no skill to share out. "
    "The numbers below mean nothing yet; another model, or more rows, may help."
)
# Sentences that are read; the table has the others.
_NAMED_NEXT = 4
_NAMED_CLUSTERS = 2
# More names than these are a number; the table has them.
_MOST_NAMED = 8


def verdict(panel: Panel) -> list[Markup]:
    """Return the sentences, most important first.

    A feature counts as told from zero where its p-value, adjusted by Holm's method for the number
    of features, is below one minus the level of the result.
    """
    result: Any = panel.result
    names = set(result.health()["name"])
    if names & {"no_skill", "untrained"}:
        return [_NO_SKILL]
    p_values = np.nan_to_num(result.p_value(), nan=1.0)
    is_clear = adjust_p_values(p_values, "holm") < panel.alpha
    is_open = ~is_clear & (p_values < panel.alpha)
    is_worse = result.interval()[1] < 0
    order = np.argsort(-panel.values, kind="stable")
    clear = [number for number in order if is_clear[number] and panel.values[number] > 0]
    # The test can be sure of a feature whose estimate came out below zero.
    unmeasured = [number for number in order if is_clear[number] and panel.values[number] <= 0]
    sentences = _leading(panel, clear)
    sentences += _order_of_first_two(panel, clear)
    sentences += _unmeasured(panel, unmeasured)
    sentences += _hidden(panel)
    if not sentences:
        sentences.append(_nothing(panel))
    if len(result) > 1:
        sentences += _less_clear(panel, [each for each in order if is_open[each]])
        if is_clear.any():
            rest = ~(is_clear | is_open | is_worse)
            sentences += _not_told(panel, [each for each in order if rest[each]])
    worse = [result.names[each] for each in order[::-1] if is_worse[each]]
    if worse:
        sentences.append(
            Markup("The model predicts better without {}: {} noise.").format(
                listed(worse), "it adds" if len(worse) == 1 else "they add"
            )
        )
    if "underfit" in names:
        sentences.append(
            Markup(
                "The model underfits: with more rows, or a better model, these numbers may "
                "change by more than usual."
            )
        )
    return sentences


def amount(panel: Panel, value: float, precision: float) -> str:
    """Return a value of the panel in its unit, to two digits of its precision."""
    if panel.bars.exponent:
        scale = panel.bars.shown_scale
        said = number(scale * value, decimals_for(scale * precision))
        return f"{said} × {power(panel.bars.exponent)}"
    return number(panel.words.scale * value, decimals_for(panel.words.scale * precision))


def _leading(panel: Panel, clear: list[int]) -> list[Markup]:
    if not clear:
        return []
    result: Any = panel.result
    first = clear[0]
    low, high = (end[first] for end in result.interval())
    # More than three digits are of no use in a sentence.
    precision = max((high - low) / 2, abs(panel.values[first]) / 10)
    said = amount(panel, panel.values[first], precision)
    ends = Markup("{} interval {} to {}").format(
        percent(result.level), amount(panel, low, precision), amount(panel, high, precision)
    )
    is_alone = len(result) == 1
    if panel.is_shapley:
        total = significant(panel.words.scale * float(panel.values.sum()), 3)
        opening = "holds" if is_alone else "has the largest share:"
        sentence = Markup("{} {} {} of the {} ({}).").format(
            marked(result.names[first]), opening, said, panel.words.total.format(total), ends
        )
    else:
        opening = "matters" if is_alone else f"matters most{_by_itself(panel, first)}"
        sentence = Markup("{} {}: without it {} ({}).").format(
            marked(result.names[first]), opening, panel.words.loss.format(said), ends
        )
    if low <= 0:
        sentence += " That it matters is clear; how much is not known well."
    return [sentence, *_next(panel, clear[1:])]


def _by_itself(panel: Panel, first: int) -> str:
    """Return a restriction where columns that hide each other are worth more together."""
    correlated, hidden = panel.subject.correlated, hidden_clusters(panel)
    if not hidden or correlated is None or correlated.joint is None:
        return ""
    is_topped = correlated.joint.importance[hidden[0][0]] > panel.values[first]
    return " by itself" if is_topped else ""


def _next(panel: Panel, following: list[int]) -> list[Markup]:
    if not following:
        return []
    result: Any = panel.result
    unit = f" {panel.words.unit}" if panel.words.unit else ""
    errors = result.standard_error
    parts = [
        Markup("{} ({}{})").format(
            marked(result.names[each]),
            amount(
                panel,
                panel.values[each],
                max(errors[each], abs(panel.values[each]) / 10),
            ),
            unit,
        )
        for each in following[:_NAMED_NEXT]
    ]
    n_more = len(following) - len(parts)
    if n_more:
        parts.append(Markup("{:,} more").format(n_more))
    enumerated = (
        parts[0] if len(parts) == 1 else Markup(", ").join(parts[:-1]) + " and " + parts[-1]
    )
    verb = "comes" if len(following) == 1 else "come"
    return [Markup("Then {} {}.").format(verb, enumerated)]


def _order_of_first_two(panel: Panel, clear: list[int]) -> list[Markup]:
    if panel.is_shapley or len(clear) < 2:
        return []
    result: Any = panel.result
    first, second = (result.names[each] for each in clear[:2])
    low, _ = result.difference(first, second).interval(result.level)
    if low > 0:
        return []
    return [
        Markup("Which of {} and {} matters more cannot be told from these rows.").format(
            marked(first), marked(second)
        )
    ]


def _hidden(panel: Panel) -> list[Markup]:
    """Return what correlated columns are worth together, where each alone looks like little."""
    hidden = hidden_clusters(panel)[:_NAMED_CLUSTERS]
    correlated = panel.subject.correlated
    if not hidden or correlated is None or correlated.joint is None:
        return []
    joint = correlated.joint
    lows, highs = joint.interval()
    sentences: list[Markup] = []
    for place, members in hidden:
        value, low, high = (float(each[place]) for each in (joint.importance, lows, highs))
        precision = max((high - low) / 2, abs(value) / 10)
        sentence = Markup(
            "{} stand in for each other: without {} {} ({} interval {} to {}){}."
        ).format(
            listed(panel.result.names[each] for each in members),
            "both" if len(members) == 2 else "all of them",
            panel.words.loss.format(amount(panel, value, precision)),
            percent(panel.result.level),
            amount(panel, low, precision),
            amount(panel, high, precision),
            "" if sentences else ", more than the sum of what each is worth alone",
        )
        sentences.append(sentence)
    return sentences


def _less_clear(panel: Panel, numbers: list[int]) -> list[Markup]:
    if not numbers:
        return []
    names = _counted(panel, numbers)
    verb, whose = ("stands", "its") if len(numbers) == 1 else ("stand", "their")
    return [
        Markup(
            "{} {} out by a test of {} own, but not when all {:,} features are tested together."
        ).format(names, verb, whose, len(panel.result))
    ]


def _unmeasured(panel: Panel, numbers: list[int]) -> list[Markup]:
    if not numbers:
        return []
    names = listed(panel.result.names[each] for each in numbers)
    verb = "matters" if len(numbers) == 1 else "matter"
    return [Markup("That {} {} is clear; how much is not known.").format(names, verb)]


def _not_told(panel: Panel, numbers: list[int]) -> list[Markup]:
    if not numbers:
        return []
    return [Markup("{} cannot be told from zero.").format(_counted(panel, numbers))]


def _counted(panel: Panel, numbers: list[int]) -> Markup:
    if len(numbers) > _MOST_NAMED:
        return Markup("{:,} other features").format(len(numbers))
    return listed((panel.result.names[each] for each in numbers), _MOST_NAMED)


def _nothing(panel: Panel) -> Markup:
    if len(panel.result) == 1:
        return Markup("{} cannot be told from zero.").format(marked(panel.result.names[0]))
    return Markup("None of the {:,} features can be told from zero.").format(len(panel.result))
