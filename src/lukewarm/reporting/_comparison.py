"""Two runs side by side: which values moved, with a test of the difference."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.special import ndtr

from lukewarm._validation import check_instance
from lukewarm.inference import adjust_p_values, wald_interval
from lukewarm.reporting._bars import BarTable, uncertainty_heads
from lukewarm.reporting._facts import provenance_of
from lukewarm.reporting._page import render, write_page
from lukewarm.reporting._panel import LEVELS, Panel
from lukewarm.reporting._subjects import as_subjects
from lukewarm.reporting._words import clean, decimals_for, listed, marked, number, percent

# Sentences that are read; the table has the others.
_NAMED = 4


def report_comparison(
    first: Any,
    second: Any,
    path: str | os.PathLike[str] = "comparison.html",
    *,
    names: tuple[str, str] = ("first run", "second run"),
    title: str | None = None,
) -> Path:
    """Write two runs side by side as one HTML page and return its path.

    Each feature set that both runs have is tested for a difference between them.

    Parameters
    ----------
    first, second : fitted estimator, ImportanceResult or ShapleyResult
        Both of one kind and under the same measure; of an estimator with several measures, the
        first counts.
    path : path, default "comparison.html"
        A file that is there is replaced, whole or not at all.
    names : pair of str
        What the runs are called, such as ("2023", "2024").
    title : str, optional
        The heading of the page.

    Notes
    -----
    The variance of a difference is taken to be the sum of the two variances, as for runs on
    different rows. Runs that were evaluated on the same rows vary together, and the test is
    then cautious.

    Examples
    --------
    >>> import tempfile, numpy as np, lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 100))
    >>> before = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x})
    >>> after = lw.importance_from_predictions(3 * x + z, 3 * x + z, {"x": z, "z": 3 * x})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lw.report_comparison(before, after, f"{folder}/comparison.html")
    ...     "1 of 2 features moved" in path.read_text(encoding="utf-8")
    True
    """
    labels = _checked_names(names)
    subjects = [as_subjects(name, each)[0] for name, each in (("first", first), ("second", second))]
    runs = [
        Panel(subject, f"run-{number}", len(subject.result))
        for number, subject in enumerate(subjects)
    ]
    _check_alike(*runs)
    names_of_second = set(runs[1].result.names)
    shared = [name for name in runs[0].result.names if name in names_of_second]
    if not shared:
        raise ValueError(
            "first and second have no feature set in common; there is nothing to compare."
        )
    heading = (
        "What moved between two runs" if title is None else check_instance("title", title, str)
    )

    def page(most_rows: int) -> str:
        bars = _differences(runs, shared, labels, most_rows)
        return render(
            "comparison.html",
            title=clean(heading),
            labels=labels,
            runs=runs,
            bars=bars,
            sentences=_sentences(runs, shared, labels),
            facts=provenance_of(runs),
        )

    return write_page(path, page, len(shared))


def _checked_names(names: Any) -> tuple[str, str]:
    if not (
        isinstance(names, tuple | list)
        and len(names) == 2
        and all(isinstance(n, str) for n in names)
    ):
        raise TypeError(f"names must be two texts, one for each run; got {names!r}.")
    return clean(names[0]), clean(names[1])


def _check_alike(first: Panel, second: Panel) -> None:
    if first.is_shapley != second.is_shapley:
        raise ValueError(
            "first and second must be of one kind; one holds importances, the other Shapley values."
        )
    if first.result.measure != second.result.measure:
        raise ValueError(
            f"first and second must have the same measure; got {first.result.measure!r} and "
            f"{second.result.measure!r}."
        )


def _moved(runs: list[Panel], shared: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both runs' values and the standard errors of their differences, for shared names."""
    places = [[run.result.names.index(name) for name in shared] for run in runs]
    values = [run.values[place] for run, place in zip(runs, places, strict=True)]
    errors = [run.result.standard_error[place] for run, place in zip(runs, places, strict=True)]
    return values[0], values[1], np.hypot(*errors)


def _p_values(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of "nothing moved"; 1 where nothing did."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 1.0, 2 * ndtr(-np.abs(difference) / error))


def _differences(
    runs: list[Panel], shared: list[str], labels: tuple[str, str], most_rows: int
) -> BarTable:
    before, after, error = _moved(runs, shared)
    difference = after - before
    p_values = _p_values(difference, error)
    level = runs[0].result.level
    order = np.lexsort((-np.abs(difference), p_values))[:most_rows]
    ends = {each: wald_interval(difference, error, each) for each in {*LEVELS, level}}
    columns = {
        "value": difference,
        "low": ends[level][0],
        "high": ends[level][1],
        "before": before,
        "after": after,
        "std_error": error,
        "p_value": p_values,
        "p_holm": adjust_p_values(p_values, "holm"),
        "p_bh": adjust_p_values(p_values, "bh"),
    }
    heads = {
        "before": labels[0],
        "after": labels[1],
        "value": "Difference",
        **uncertainty_heads(level),
    }
    return BarTable(
        names=tuple(shared[each] for each in order),
        columns={key: column[order] for key, column in columns.items()},
        heads=heads,
        intervals={
            each: (low[order], high[order]) for each, (low, high) in ends.items() if each != level
        },
        level=level,
        scale=runs[0].words.scale,
        unit=f"difference in {runs[0].unit}",
        sort="p_value",
        quantity="difference",
        n_left_out=len(shared) - len(order),
    )


def _sentences(runs: list[Panel], shared: list[str], labels: tuple[str, str]) -> list[Markup]:
    before, after, error = _moved(runs, shared)
    difference = after - before
    level = runs[0].result.level
    is_moved = adjust_p_values(_p_values(difference, error), "holm") < 1 - level
    order = [each for each in np.argsort(-np.abs(difference), kind="stable") if is_moved[each]]
    sentences = [
        Markup("{} of {:,} {} moved from {} to {} by more than chance explains.").format(
            f"{len(order):,}" if order else "None",
            len(shared),
            "feature" if len(shared) == 1 else "features",
            *labels,
        )
    ]
    low, high = wald_interval(difference, error, level)
    sentences += [
        _movement(runs[0], shared[each], difference[each], low[each], high[each])
        for each in order[:_NAMED]
    ]
    in_both = set(shared)
    for label, run in zip(labels, runs, strict=True):
        alone = [name for name in run.result.names if name not in in_both]
        if alone:
            sentences.append(Markup("Only {} has {}.").format(label, listed(alone)))
    return sentences


def _movement(run: Panel, name: str, difference: float, low: float, high: float) -> Markup:
    """Return how far one value moved; the interval of what moved lies on one side of zero."""
    scale = run.words.scale
    decimals = decimals_for(scale * max((high - low) / 2, abs(difference) / 10))
    nearer, farther = sorted((abs(low), abs(high)))
    size, start, end = (
        number(scale * each, decimals) for each in (abs(difference), nearer, farther)
    )
    return Markup("{} {} by {}{} ({} interval {} to {}).").format(
        marked(name),
        "rose" if difference > 0 else "fell",
        size,
        f" {run.words.unit}" if run.words.unit else "",
        *(percent(run.result.level), start, end),
    )
