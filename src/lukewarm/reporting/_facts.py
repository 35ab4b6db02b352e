"""What stands below the numbers: skill, groups, remarks, how it was obtained."""

from __future__ import annotations

import hashlib
import math
import platform
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from typing import Any

import numpy as np
from markupsafe import Markup

from lukewarm._text import duration
from lukewarm._version import __version__
from lukewarm.reporting._panel import Panel
from lukewarm.reporting._words import (
    INFERENCES,
    METHODS,
    clean,
    listed,
    number,
    percent,
    significant,
)

_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn")
# A model that gains less than this share of its skill from twice the rows has learnt what it can;
# one that gains more than the second is still learning (results call it underfit).
_LITTLE, _MUCH = 0.02, 0.1
_FINGERPRINT = "fingerprint of the numbers"
# These remarks quote cells of the table; a page that is handed on does not.
_WITHOUT_CELLS = {
    "numbers_as_text": "most of its values are numbers, but the column is text, so it counts as "
    "levels without order.",
    "decimal_comma": "its numbers are written with commas, so the column counts as text.",
    "dates_as_text": "it holds dates as text, so each is a level of its own without order.",
}


def skill_of(panel: Panel) -> Any:
    """Return the skill of the full model as a MeasureValue."""
    result: Any = panel.result
    return result.value_of(range(len(result))) if panel.is_shapley else result.full


def baseline_of(panel: Panel) -> float | None:
    """Return the skill of a constant guess, where it is known."""
    if panel.is_shapley:
        return float(panel.result.value_of([]).value)
    given = panel.subject.baseline
    return None if given is None or math.isnan(given) else given


def skill_table(panels: list[Panel]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of a table of skills; a head nobody needs is left out."""
    columns: dict[str, list[str]] = {}
    for place, panel in enumerate(panels):
        skill, baseline = skill_of(panel), baseline_of(panel)
        skills = {
            "always the same guess": baseline,
            "a linear model": None if math.isnan(panel.subject.linear) else panel.subject.linear,
            "the model": skill.value - skill.shift,
            # A straight line may lead beyond what is possible.
            "where it is heading, with more rows": (
                min(skill.value, panel.words.best) if skill.shift else None
            ),
        }
        for head, value in skills.items():
            column = columns.setdefault(head, ["–"] * len(panels))
            if value is not None:
                column[place] = _skill_cell(panel, value)
    needed = {head: column for head, column in columns.items() if set(column) != {"–"}}
    return list(needed), [list(row) for row in zip(*needed.values(), strict=True)]


def _skill_cell(panel: Panel, value: float) -> str:
    shown = panel.words.scale * panel.words.sign * value
    return f"{number(shown, 1)} %" if panel.words.unit else significant(shown, 3)


def skill_words(panel: Panel) -> list[str]:
    """Return sentences on the model's skill and on what more rows would do."""
    skill, baseline = skill_of(panel), baseline_of(panel)
    at_hand = skill.value - skill.shift
    shown = panel.words.scale * panel.words.sign
    said = panel.words.skill.format(significant(shown * at_hand, 3))
    sentence = f"On the {panel.result.n_rows:,} evaluation rows the model {said}"
    if baseline is None:
        sentence += "."
    elif panel.words.sign < 0 and baseline < 0:
        change = 100 * (1 - at_hand / baseline)
        direction = "less" if change >= 0 else "more"
        sentence += f", {significant(abs(change), 2)} % {direction} than a constant guess."
    elif panel.words.unit and baseline <= 0:
        # The mean of the training rows is seldom that of the evaluation rows.
        sentence += "; a constant guess explains none of it."
    else:
        guess = number(shown * baseline, 1 if panel.words.unit else 3)
        sentence += f"; a constant guess {panel.words.skill.format(guess)}."
    sentences = [sentence, _linear_words(panel, at_hand)]
    return [*filter(None, sentences), _learning_words(panel, skill, at_hand, baseline)]


def _linear_words(panel: Panel, at_hand: float) -> str:
    """Return how a linear model of the same columns does; nothing where none was trained."""
    linear = panel.subject.linear
    if math.isnan(linear):
        return ""
    shown = panel.words.scale * panel.words.sign
    said = panel.words.skill.format(significant(shown * linear, 3))
    if linear < at_hand:
        return f"A linear model of the same columns {said}."
    return (
        f"A linear model of the same columns does no worse: it {said}. Importances of the better "
        "model are the ones to report."
    )


def _learning_words(panel: Panel, skill: Any, at_hand: float, baseline: float | None) -> str:
    if not skill.shift:
        return (
            "What more rows would change was not measured: no models were trained on half of the "
            "rows."
        )
    gain = at_hand - baseline if baseline is not None else abs(at_hand)
    share = skill.shift / gain if gain > 0 else math.inf
    moved = significant(abs(panel.words.scale * skill.shift), 2)
    unit = f" {panel.words.unit}" if panel.words.unit else ""
    if skill.shift < 0:
        return (
            f"When the training rows doubled, the model lost {moved}{unit} of skill: it does not "
            "learn more from more rows like these."
        )
    if share <= _LITTLE:
        meaning = "it has learnt what it can from rows like these."
    elif share <= _MUCH:
        meaning = "it still learns a little, and importances may still move by as much."
    else:
        meaning = (
            "it is still learning. More rows or another model would help, and importances are "
            "known with the uncertainty shown as their shift."
        )
    return f"When the training rows doubled, the model gained {moved}{unit} of skill: {meaning}"


def remarks_of(panels: list[Panel]) -> list[dict[str, Any]]:
    """Return the remarks of all panels, those that say the same of several features as one."""
    features_of: dict[tuple[str, str, str], list[str]] = {}
    for panel in panels:
        for remark in panel.result.health().to_dict("records"):
            message = _WITHOUT_CELLS.get(remark["name"], remark["message"])
            features = features_of.setdefault((remark["severity"], remark["name"], message), [])
            if remark["feature"] and remark["feature"] not in features:
                features.append(remark["feature"])
        for note in getattr(panel.result, "notes", ()):
            features_of.setdefault(("note", "note", note), [])
    ordered = sorted(features_of.items(), key=lambda item: item[0][0] != "warning")
    return [
        {
            "severity": severity,
            "name": name.replace("_", " "),
            # Messages are about one feature; of several they hold one by one.
            "features": (Markup("each of ") if len(features) > 1 else "") + listed(features, 10),
            "message": clean(message),
        }
        for (severity, name, message), features in ordered
    ]


def provenance_of(panels: list[Panel]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return how the numbers were obtained: facts with their values, one after the other.

    Neighbours with the same value share a cell; the number says how many.
    """
    by_panel = [_facts(panel) for panel in panels]
    names = dict.fromkeys(name for facts in by_panel for name in facts)
    # What only some panels have would come after it.
    names[_FINGERPRINT] = names.pop(_FINGERPRINT)
    return [
        (
            name,
            [
                (value, len(list(same)))
                for value, same in groupby(facts.get(name, "–") for facts in by_panel)
            ],
        )
        for name in names
    ]


def _facts(panel: Panel) -> dict[str, str]:
    result: Any = panel.result
    details = panel.subject.details
    inference = INFERENCES.get(result.inference, clean(result.inference))
    facts = {
        "model": panel.model,
        "model without a feature": METHODS.get(result.method, clean(result.method)),
        "measure": f"{panel.words.name} ({clean(result.measure)})",
        "intervals": f"{percent(result.level)}, {inference}",
        "p-values": _test_words(panel),
        "feature sets": f"{len(result):,}",
    }
    if details.n_rows is not None:
        facts["rows of the table"] = f"{details.n_rows:,}"
    facts["evaluation rows"] = f"{result.n_rows:,}"
    if panel.is_shapley:
        facts["solver"] = f"{clean(result.solver)}, {result.n_fits:,} reduced models"
    if result.full_seconds:
        facts["time for the full models"] = duration(float(result.full_seconds))
    if np.any(result.seconds):
        facts["time for the models without features"] = duration(float(np.sum(result.seconds)))
    if result.full_seconds and result.method != "retrain":
        facts["time by retraining instead"] = _retraining_words(panel)
    facts |= {_setting_name(name): clean(text) for name, text in details.settings.items()}
    return {**facts, _FINGERPRINT: fingerprint(panel)}


def _setting_name(name: str) -> str:
    return "seed (random_state)" if name == "random_state" else f"setting {name}"


def _retraining_words(panel: Panel) -> str:
    """Return what one training like those of the full models, for every set, would have cost."""
    result: Any = panel.result
    n_sets = result.n_fits if panel.is_shapley else len(result)
    retraining = n_sets * float(result.full_seconds)
    saved = retraining - float(np.sum(result.seconds))
    said = f"about {duration(retraining)}, estimated as {n_sets:,} times the full models"
    return f"{said}; {duration(saved)} saved" if saved > 0 else said


def _test_words(panel: Panel) -> str:
    if getattr(panel.result, "scores", None) is not None:
        return "one-sided, product test (projected covariance measure)"
    return "one-sided, from the standard error"


def fingerprint(panel: Panel) -> str:
    """Return twelve digits that two pages share if they show the same names and numbers."""
    digest = hashlib.sha256("\0".join(panel.result.names).encode("utf-8", "backslashreplace"))
    for values in (panel.values, panel.result.standard_error):
        digest.update(np.ascontiguousarray(values, dtype=float).tobytes())
    return digest.hexdigest()[:12]


def versions() -> str:
    """Return the versions that wrote the page."""
    parts = [f"lukewarm {__version__}", f"Python {platform.python_version()}"]
    for library in _LIBRARIES:
        try:
            parts.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def reading(panels: list[Panel]) -> list[Markup]:
    """Return how to read the numbers of the page, which shows values of these kinds."""
    has_importance = not all(panel.is_shapley for panel in panels)
    lines = [Markup("<b>{}.</b> {}").format(panel.quantity, _meaning(panel)) for panel in panels]
    lines += [
        Markup(
            "<b>Interval.</b> In {} of cases an interval made this way holds the true value. A "
            "wide one says that the value is not known well, not that it is small."
        ).format(percent(panels[0].result.level)),
        Markup(
            "<b>p.</b> How often a feature that is worth nothing would look at least this good. "
            "With many features some small p-values come by chance. Holm’s adjustment keeps the "
            "risk of any false claim below the level; BH keeps the share of false claims below it."
        ),
        Markup(
            "<b>p and interval together.</b> Decide whether a feature matters by p, and say how "
            "much by the interval. A small p with an interval that reaches zero says that the "
            "feature matters, and that how much is not clear."
        ),
    ]
    if has_importance:
        lines.append(
            Markup(
                "<b>Negative values.</b> No true importance is negative. A negative estimate is "
                "chance, or the model predicts better without the feature."
            )
        )
    if any(panel.has_shift for panel in panels):
        lines.append(
            Markup(
                "<b>Shift.</b> What the value moved when the training rows doubled. Small beside "
                "the value: more rows would change little."
            )
        )
    if has_importance and len(panels[0].result) > 1:
        is_shown = any(panel.subject.correlated is not None for panel in panels)
        lines.append(
            Markup(
                "<b>Correlated features</b> can each be worth little although together they are "
                "worth much, since each replaces the other. {}"
            ).format(
                "The section on columns that stand in for each other has the groups found here."
                if is_shown
                else "Ask for the importance of the group, or for Shapley values."
            )
        )
    lines.append(
        Markup(
            "<b>Not causes.</b> The page says what helps to predict, not what would happen if a "
            "feature were changed."
        )
    )
    return lines


def _meaning(panel: Panel) -> str:
    if panel.is_shapley:
        return (
            f"The feature's share of what the model gains in {panel.words.name} over a constant "
            "guess, averaged over the orders in which features may come. Shares add up to the "
            "whole gain, and correlated features divide what they both know."
        )
    return (
        "What the model's predictions lose when the feature is taken away and the other features "
        f"do what they can to replace it, here measured as {panel.unit}."
    )
