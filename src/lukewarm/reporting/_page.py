"""The page: from results to one HTML file."""

from __future__ import annotations

import base64
import datetime
import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lukewarm._files import write_text
from lukewarm._validation import check_instance
from lukewarm._version import __version__
from lukewarm.reporting._bars import SHOWN_BARS
from lukewarm.reporting._extras import (
    Extras,
    effect_figures,
    interaction_bars,
    segment_bars,
    segment_words,
)
from lukewarm.reporting._facts import (
    provenance_of,
    reading,
    remarks_of,
    skill_table,
    skill_words,
    versions,
)
from lukewarm.reporting._groups import correlated_of, groups_of
from lukewarm.reporting._panel import Panel
from lukewarm.reporting._subjects import Subject, as_subjects
from lukewarm.reporting._verdict import verdict
from lukewarm.reporting._words import clean
from lukewarm.results import EffectCurves, SegmentedImportance

# Mail servers and chat tools take a page of this size without a word.
MOST_BYTES = 500_000
# No table of more rows is tried: judgement.
_MOST_ROWS = 2_000
_TITLE = "Which features matter"


def report(
    results: Any,
    path: str | os.PathLike[str] = "report.html",
    *,
    title: str | None = None,
    effects: EffectCurves | None = None,
    interactions: pd.DataFrame | None = None,
    segments: SegmentedImportance | None = None,
) -> Path:
    """Write results as one self-contained HTML page and return its path.

    The page needs no network and holds no row of the data: names of features, estimates, and how
    they were obtained. It is smaller than 500 kB; of very many features the least important are
    left out, which the page then says.

    Parameters
    ----------
    results : fitted estimator, ImportanceResult, ShapleyResult or a list of them
        With several, the page has a switch between them.
    path : path, default "report.html"
        A file that is there is replaced, whole or not at all.
    title : str, optional
        The heading of the page. By default it names the target, where `y` had a name.
    effects : EffectCurves, optional
        Of ``estimator.effects()``: a small curve for each feature. The page then shows levels and
        quantiles of the columns.
    interactions : DataFrame, optional
        Of ``estimator.interactions()``.
    segments : SegmentedImportance, optional
        Of ``result.by(...)``; the page then names the segments.

    Examples
    --------
    >>> import tempfile, numpy as np, lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 100))
    >>> result = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = lw.report(result, f"{folder}/report.html").read_text(encoding="utf-8")
    >>> "matters most: without it the mean squared error rises by" in page
    True
    """
    subjects = as_subjects("results", results)
    extras = Extras(effects, interactions, segments)
    heading = _heading(subjects) if title is None else check_instance("title", title, str)

    def page(most_rows: int) -> str:
        panels = [
            Panel(subject, f"panel-{number}", most_rows) for number, subject in enumerate(subjects)
        ]
        return render(
            "report.html",
            title=clean(heading),
            panels=panels,
            labels=_labels(panels),
            sections=[
                section for build in _SECTIONS if (section := build(panels, extras)) is not None
            ],
            contents=_CONTENTS,
        )

    return write_page(path, page, max(len(subject.result) for subject in subjects))


def _heading(subjects: list[Subject]) -> str:
    """Return the title of the page; a target is named where all results are about it."""
    targets = {subject.details.target for subject in subjects}
    (target,) = targets if len(targets) == 1 else (None,)
    # scikit-learn calls the column of all its tables "target", which names nothing.
    return _TITLE if target in (None, "target") else f"What predicts {target}"


def write_page(path: str | os.PathLike[str], page: Callable[[int], str], n_rows: int) -> Path:
    """Write `page(most_rows)` with as many rows as the size of a page allows."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path is {str(target)!r}, but there is no folder {str(target.parent)!r}; make it "
            "first."
        )
    most_rows = min(n_rows, _MOST_ROWS)
    text = page(most_rows)
    while (size := len(text.encode("utf-8"))) > MOST_BYTES and most_rows > 1:
        # A little less than in proportion, since not all of a page is rows.
        most_rows = max(1, min(most_rows - 1, int(0.95 * most_rows * MOST_BYTES / size)))
        text = page(most_rows)
    write_text(target, text)
    return target


def render(template: str, **context: Any) -> str:
    """Return a template filled in, with the style and the script of the house."""
    style, script = _asset("style.css"), _asset("script.js")
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),
            script=Markup(script),
            policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'",
            shown_bars=SHOWN_BARS,
            today=datetime.date.today().isoformat(),
            versions=versions(),
            version=__version__,
            **context,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("lukewarm.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The order of the columns is that of the download.
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


@cache
def _asset(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _hash(text: str) -> str:
    """Return how a content security policy names an inline text, so that no other one runs."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _labels(panels: list[Panel]) -> list[str]:
    """Return what the panels are called; models tell apart what is otherwise the same."""
    labels = [panel.title for panel in panels]
    if len(set(labels)) < len(labels):
        labels = [f"{panel.title}: {clean(panel.result.model)}" for panel in panels]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({number})" for number, label in enumerate(labels, 1)]
    return labels


def _first_of_each_kind(panels: list[Panel]) -> list[Panel]:
    """Return one panel of importances and one of Shapley values: the first of each."""
    return [
        panel
        for number, panel in enumerate(panels)
        if panel.is_shapley not in [each.is_shapley for each in panels[:number]]
    ]


# What the list of contents calls the sections; the verdict stands above it.
_CONTENTS = {
    "numbers": "Importances",
    "groups": "Groups",
    "correlated": "Correlated columns",
    "effects": "Effects",
    "interactions": "Interactions",
    "segments": "Segments",
    "skill": "Skill",
    "health": "Remarks",
    "provenance": "How it was obtained",
    "reading": "How to read it",
    "citing": "How to cite",
}


# A section is a builder here and a template of the same name in templates/sections/. A builder
# returns the template's context, or None where the results hold nothing to show.
def _verdict(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    chosen = _first_of_each_kind(panels)
    return {"name": "verdict", "verdicts": [(panel, verdict(panel)) for panel in chosen]}


def _numbers(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    return {"name": "numbers"}


def _groups(panels: list[Panel], extras: Extras) -> dict[str, Any] | None:
    groups = [(panel, sets) for panel in panels if (sets := groups_of(panel))]
    return {"name": "groups", "groups": groups} if groups else None


def _correlated(panels: list[Panel], extras: Extras) -> dict[str, Any] | None:
    clusters = correlated_of(panels)
    return None if clusters is None else {"name": "correlated", **clusters}


def _effects(panels: list[Panel], extras: Extras) -> dict[str, Any] | None:
    if extras.effects is None or not len(extras.effects):
        return None
    return {"name": "effects", **effect_figures(extras.effects)}


def _interactions(panels: list[Panel], extras: Extras) -> dict[str, Any] | None:
    if extras.interactions is None or extras.interactions.empty:
        return None
    result = panels[0].result
    bars = interaction_bars(extras.interactions, result.measure, result.level)
    return {"name": "interactions", "bars": bars}


def _segments(panels: list[Panel], extras: Extras) -> dict[str, Any] | None:
    segments = extras.segments
    if segments is None:
        return None
    return {
        "name": "segments",
        "bars": segment_bars(segments),
        "sentence": segment_words(segments),
        "segments": [
            (clean(name), result.n_rows)
            for name, result in zip(segments.segments, segments.results, strict=True)
        ],
    }


def _skill(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    heads, rows = skill_table(panels)
    return {
        "name": "skill",
        "sentences": [skill_words(panel) for panel in panels],
        "heads": heads,
        "rows": rows,
    }


def _health(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    return {"name": "health", "remarks": remarks_of(panels)}


def _provenance(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    return {"name": "provenance", "rows": provenance_of(panels)}


def _reading(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    return {"name": "reading", "lines": reading(_first_of_each_kind(panels))}


def _citing(panels: list[Panel], extras: Extras) -> dict[str, Any]:
    return {"name": "citing"}


_SECTIONS: tuple[Callable[[list[Panel], Extras], dict[str, Any] | None], ...] = (
    _verdict,
    _numbers,
    _groups,
    _correlated,
    _effects,
    _interactions,
    _segments,
    _skill,
    _health,
    _provenance,
    _reading,
    _citing,
)
