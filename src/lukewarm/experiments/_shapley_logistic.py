"""Section 5.5 and the appendix's run-time table: Shapley values of the "logistic" data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.datasets import make_logistic
from lukewarm.experiments._base import Description, Record, Settings
from lukewarm.experiments._comparison import methods_of, one_row_per_method
from lukewarm.experiments._models import MODELS, paper_model
from lukewarm.experiments._shapley_fit import shapley_values
from lukewarm.experiments._style import LOOKS, panel_per_model, unique
from lukewarm.experiments._truths import true_logistic_shapley
from lukewarm.plotting import tidy

# The default of the simulator, and what takes a minute or two.
_ROWS = {"quick": 1500, "paper": 5000}
_REPLICATES = {"quick": 2, "paper": 10}
# None: every coalition.
_COALITIONS = {"quick": 100, "paper": None}
_PAPER_SPEED_UP = {"network": 5.44 / 2.98, "boosting": 154.12 / 56.94}


class ShapleyLogistic:
    """Early stopping is nearer to retraining than dropout, at a fraction of its time."""

    description = Description(
        name="shapley-logistic",
        section="5.5, appendix",
        shows="Shapley values of ten features for retraining, early stopping, kernel flow and "
        "dropout beside the truth, and the time each took",
        minutes={"quick": 1.5, "paper": 6.5},
    )
    models = MODELS

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, method and replicate."""
        return [
            {
                **{"scale": scale, "model": model, "method": method},
                **{"replicate": replicate, "seed": seed},
            }
            for model in models
            for replicate in range(n_replicates or _REPLICATES[scale])
            for method in methods_of(model)
        ]

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the Shapley values of one data set by one method, and the processor seconds."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        data = make_logistic(_ROWS[job["scale"]], random_state=generator)
        return shapley_values(
            data,
            paper_model(job["model"], job["scale"]),
            job["method"],
            n_coalitions=_COALITIONS[job["scale"]],
            generator=generator,
        )

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the error of all ten values (root mean square) and the time per method.

        Errors are to the truth and to retraining on the same data; "paper_speed_up" is the ratio
        of the appendix's table, for networks and for CatBoost.
        """
        table = one_row_per_method(
            _with_errors(records),
            replicates=("seconds", "size"),
            error_to_truth=("error_to_truth", "mean"),
            error_to_retrain=("error_to_retrain", "mean"),
            n_fits=("n_fits", "mean"),
            seconds=("seconds", "mean"),
            seconds_spread=("seconds", "std"),
        )
        table["paper_speed_up"] = (
            table["model"].replace("catboost", "boosting").map(_PAPER_SPEED_UP)
        ).where(table["method"] == "early_stopping")
        return table

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a panel per model: the ten Shapley values by each method over the truth."""
        models = unique(record["model"] for record in records)
        return panel_per_model(
            {model: [each for each in records if each["model"] == model] for model in models},
            _draw_panel,
            width=4.8,
            height=3.9,
            ylabel="Shapley value, mean ± sd\n(share of the fall in mean squared error)",
        )


def _with_errors(records: Sequence[Record]) -> pd.DataFrame:
    truth = true_logistic_shapley()
    reference = {
        (record["model"], record["replicate"]): np.array(record["shapley"])
        for record in records
        if record["method"] == "retrain"
    }
    rows = []
    for record in records:
        values = np.array(record["shapley"])
        retrained = reference.get((record["model"], record["replicate"]), np.full(10, np.nan))
        errors = {
            "error_to_truth": float(np.sqrt(np.mean((values - truth) ** 2))),
            "error_to_retrain": float(np.sqrt(np.mean((values - retrained) ** 2))),
        }
        shown = {key: record[key] for key in ("model", "method", "n_fits", "seconds")}
        rows.append({**shown, **errors})
    return pd.DataFrame(rows)


def _draw_panel(axes: Any, records: Sequence[Record]) -> None:
    places, methods = np.arange(10), unique(record["method"] for record in records)
    axes.bar(places, true_logistic_shapley(), 0.9, color="0.88", label="truth")
    for number, method in enumerate(methods):
        values = np.array([each["shapley"] for each in records if each["method"] == method])
        look = LOOKS[method]
        spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(10)
        axes.errorbar(
            places + 0.18 * (number - (len(methods) - 1) / 2),
            values.mean(axis=0),
            yerr=spread,
            fmt=look.marker,
            color=look.colour,
            markersize=4.5,
            capsize=2,
            label=look.label,
        )
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(places, [f"X{place + 1}" for place in places])
    axes.set_xlabel("feature (coefficient 0, 10, ..., 90)")
    tidy(axes)
