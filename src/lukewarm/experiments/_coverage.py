"""Section 5.6: whether intervals cover, and whether the test keeps its level at zero."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from lukewarm.datasets import make_correlated_linear
from lukewarm.estimators import VariableImportance
from lukewarm.evaluation import INFERENCES, NearZeroWarning, importance_from_predictions
from lukewarm.experiments._base import Description, Record, Settings
from lukewarm.experiments._models import paper_model
from lukewarm.plotting import COLOURS, new_figure, tidy

_FEATURE = "X1"
_LEVEL = 0.95
_CORRELATIONS = (0.0, 0.2, 0.5, 0.8, 1.0)
_REPLICATES = {"quick": 20, "paper": 100}
_METHODS = {
    "boosting": ("early_stopping", "retrain"),
    "catboost": ("early_stopping", "retrain"),
    "network": ("early_stopping", "kernel_flow"),
}
_STYLES = {"paired": "-", "split": ":"}
_MARKERS = ("o", "s", "^", "D", "v", "P")


class Coverage:
    """The Wald interval covers away from zero; at zero only the split one does."""

    description = Description(
        name="coverage",
        section="5.6",
        shows="coverage of the 95 % interval against the correlation of X1 and X2, paired and "
        "split; rejections when the importance is zero",
        minutes={"quick": 1.0, "paper": 4.0},
    )
    models = ("boosting", "catboost", "network")

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, method, correlation and replicate.

        Replicate r has the same data for every model and method.
        """
        return [
            {
                **{"scale": scale, "model": model, "method": method},
                **{"correlation": correlation, "replicate": replicate, "seed": seed},
            }
            for model in models
            for method in _METHODS[model]
            for correlation in _CORRELATIONS
            for replicate in range(n_replicates or _REPLICATES[scale])
        ]

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the estimate, standard error and p-value of both kinds of inference."""
        seed = [job["seed"], job["replicate"]]
        data = make_correlated_linear(
            correlation=job["correlation"], random_state=np.random.default_rng(seed)
        )
        started = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NearZeroWarning)
            predictions = (
                VariableImportance(
                    # The paper's width takes hours for a hundred data sets on two cores.
                    paper_model(job["model"], "quick"),
                    job["method"],
                    features=[_FEATURE],
                    random_state=np.random.default_rng(seed),
                    verbose=False,
                )
                .fit(data.X, data.y)
                .predictions_
            )
            outcome: dict[str, Any] = {"truth": data.true_importance(_FEATURE)}
            for inference in INFERENCES:
                result = importance_from_predictions(
                    predictions.y,
                    predictions.full,
                    predictions.reduced[0],
                    inference=inference,
                    random_state=job["replicate"],
                )
                numbers = (result.importance, result.standard_error, result.p_value())
                outcome[inference] = [float(each[0]) for each in numbers]
        outcome["seconds"] = perf_counter() - started
        return outcome

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return a row per model, method, inference and correlation.

        The columns: coverage with the band in which 95 % of exact intervals' would lie, rejection
        rate of "no importance" at 5 %, mean bias with its Monte-Carlo error, mean width.
        """
        long = _one_row_per_interval(records)
        groups = long.groupby(["model", "method", "inference", "correlation"], sort=False)
        table = groups.agg(
            replicates=("covered", "size"),
            truth=("truth", "first"),
            coverage=("covered", "mean"),
            rejection=("rejected", "mean"),
            bias=("error", "mean"),
            bias_error=("error", lambda errors: errors.std() / np.sqrt(len(errors))),
            width=("width", "mean"),
            seconds=("seconds", "mean"),
        ).reset_index()
        for column, end in (("band_low", 0.025), ("band_high", 0.975)):
            table[column] = binom.ppf(end, table["replicates"], _LEVEL) / table["replicates"]
        return table

    def figure(self, records: Sequence[Record]) -> Any:
        """Return coverage against correlation, a panel per model."""
        table = self.table(records)
        models = list(dict.fromkeys(table["model"]))
        figure, panels = new_figure(3.8 * len(models), 4.2, n_columns=len(models))
        for model, axes in zip(models, panels, strict=True):
            _draw_panel(axes, table[table["model"] == model], model)
        panels[0].set_ylabel(f"coverage of the {100 * _LEVEL:g} % interval")
        handles, labels = panels[0].get_legend_handles_labels()
        for axes in panels[1:]:
            more = zip(*axes.get_legend_handles_labels(), strict=True)
            for handle, label in more:
                if label not in labels:
                    handles.append(handle)
                    labels.append(label)
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        return figure


def _one_row_per_interval(records: Sequence[Record]) -> pd.DataFrame:
    shared = ("model", "method", "correlation", "truth", "seconds")
    long = pd.DataFrame(
        [*(record[key] for key in shared), inference, *record[inference]]
        for record in records
        for inference in INFERENCES
    )
    long.columns = pd.Index([*shared, "inference", "estimate", "std_error", "p_value"])
    half_width = norm.ppf(0.5 + _LEVEL / 2) * long["std_error"]
    error = long["estimate"] - long["truth"]
    return long.assign(
        error=error,
        covered=error.abs() <= half_width,
        rejected=long["p_value"] < 1 - _LEVEL,
        width=2 * half_width,
    )


def _draw_panel(axes: Any, table: pd.DataFrame, title: str) -> None:
    band = table.drop_duplicates("correlation").sort_values("correlation")
    axes.fill_between(
        band["correlation"], band["band_low"], band["band_high"], color="0.9", linewidth=0
    )
    axes.axhline(_LEVEL, color="0.4", linewidth=0.8)
    for number, method in enumerate(dict.fromkeys(table["method"])):
        for inference, style in _STYLES.items():
            rows = table[(table["method"] == method) & (table["inference"] == inference)]
            axes.plot(
                rows["correlation"],
                rows["coverage"],
                style,
                color=COLOURS[number],
                marker=_MARKERS[number],
                label=f"{method.replace('_', ' ')}, {inference}",
            )
    axes.set(title=title, xlabel="correlation of X1 and X2", ylim=(-0.03, 1.03))
    tidy(axes)
