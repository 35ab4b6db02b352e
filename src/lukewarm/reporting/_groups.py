"""Columns taken away together: those the user asked for, and those that are correlated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from lukewarm.reporting._bars import BarTable
from lukewarm.reporting._panel import Panel
from lukewarm.reporting._subjects import Correlated, Subject
from lukewarm.reporting._words import listed, number
from lukewarm.results import ImportanceResult

# Longer lists are not read.
_MOST_GROUPS = 50
_MOST_MEMBERS, _MOST_NAMED = 12, 20


def groups_of(panel: Panel) -> list[dict[str, Any]]:
    """Return the sets of several columns, with what they are worth together."""
    result: Any = panel.result
    sets = result.players if panel.is_shapley else result.removed
    groups = [
        {"row": panel.bars.rows[place], "members": _members(panel, sets[each])}
        for place, each in enumerate(panel.order)
        if len(sets[each]) > 1
    ]
    return groups[:_MOST_GROUPS]


def correlated_of(panels: list[Panel]) -> dict[str, Any] | None:
    """Return what the page says of correlated columns; None where there are none.

    Importances come before Shapley values, of which a cluster has the sum.
    """
    with_clusters = [panel for panel in panels if panel.subject.correlated is not None]
    if not with_clusters:
        return None
    panel = next((each for each in with_clusters if not each.is_shapley), with_clusters[0])
    correlated = panel.subject.correlated
    assert correlated is not None
    section: dict[str, Any] = {"threshold": f"{correlated.threshold:g}", "panel": panel}
    if panel.is_shapley:
        sums = _sums(panel, correlated)
        return {**section, "bars": None, "sums": sums, "others": [], "n_more": 0} if sums else None
    measured = set() if correlated.joint is None else set(correlated.joint.removed)
    others = [_members(panel, each) for each in correlated.clusters if each not in measured]
    return {
        **section,
        "bars": None if correlated.joint is None else joint_bars(panel, correlated.joint),
        "sums": [],
        "others": others[:_MOST_NAMED],
        "n_more": max(len(others) - _MOST_NAMED, 0),
    }


def joint_bars(panel: Panel, joint: ImportanceResult) -> BarTable:
    """Return the bars of clusters as a whole, with the sum of what their columns are worth."""
    whole = Panel(Subject(joint), "correlated", len(joint))
    worth = _worth_alone(panel)
    sums = [sum(worth.get(column, np.nan) for column in members) for members in joint.removed]
    bars = whole.bars
    heads = {"value": "Together", **{key: bars.heads[key] for key in bars.heads if key != "value"}}
    return replace(
        bars,
        columns={**bars.columns, "alone": np.array(sums)[whole.order]},
        heads={"value": heads.pop("value"), "alone": "Sum of each alone", **heads},
    )


def hidden_clusters(panel: Panel) -> list[tuple[int, tuple[int, ...]]]:
    """Return the clusters that are worth more than their columns one by one, the largest first.

    The place of a cluster in the joint result comes with the places of its columns in that of the
    panel. The difference is told from zero by its own interval.
    """
    result, correlated = panel.result, panel.subject.correlated
    if panel.is_shapley or correlated is None or correlated.joint is None:
        return []
    joint = correlated.joint
    place_of = {each[0]: at for at, each in enumerate(result.removed) if len(each) == 1}
    both = ImportanceResult.merge([result, joint])
    low = joint.interval()[0]
    hidden = []
    for place in np.argsort(-joint.importance, kind="stable"):
        members = joint.removed[place]
        if low[place] <= 0 or not set(members) <= set(place_of):
            continue
        places = tuple(place_of[column] for column in members)
        alone = {result.names[each]: -1.0 for each in places}
        if both.contrast({joint.names[place]: 1.0, **alone}).interval()[0] > 0:
            hidden.append((int(place), places))
    return hidden


def _sums(panel: Panel, correlated: Correlated) -> list[tuple[Markup, str]]:
    """Return the clusters whose columns all play for themselves, the largest sum first."""
    worth = _worth_alone(panel)
    scale, decimals = panel.bars.shown_scale, panel.bars.decimals
    sums = [
        (sum(worth[column] for column in members), members)
        for members in correlated.clusters
        if set(members) <= set(worth)
    ]
    return [
        (_members(panel, members), number(scale * total, decimals))
        for total, members in sorted(sums, reverse=True)[:_MOST_NAMED]
    ]


def _worth_alone(panel: Panel) -> dict[int, float]:
    """Return the value of each column that is a feature set of its own."""
    result: Any = panel.result
    sets = result.players if panel.is_shapley else result.removed
    return {
        each[0]: float(value)
        for each, value in zip(sets, panel.values, strict=True)
        if len(each) == 1
    }


def _members(panel: Panel, members: tuple[int, ...]) -> Markup:
    columns = panel.subject.details.columns
    names = [columns[at] if columns else f"column {at + 1}" for at in members]
    return listed(names, _MOST_MEMBERS)
