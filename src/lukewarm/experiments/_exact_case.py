"""Section 4 where it is exact: kernel machines, every quantity of the theory along a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._exact_runs import STARTS, exact_run
from lukewarm.experiments._slopes import slope_columns
from lukewarm.experiments._style import logarithmic, logarithmic_upwards
from lukewarm.plotting import COLOURS, new_figure, tidy

# Up to a thousand rows all of them are landmarks, and the machine is exact.
_ROWS = {"quick": (64, 128, 256), "paper": (64, 128, 256, 512, 1000)}
_REPLICATES = {"quick": 5, "paper": 20}
# Whose run is drawn: of the starts that have not seen the noise, the first data set of this size.
_SHOWN = 256
_ERRORS = {
    "error": "error at T_max",
    "expected": "its expectation",
    "population": "on new rows",
    "lemma": "lemma: B² + V + D²",
    "step_bound": "C / η",
    "rate_bound": "4 (1 + 1/e) σ C_H √(tr K / N)",
}
_LINES = {
    "error": "o-",
    "expected": "x-",
    "population": "^-",
    "lemma": "s--",
    "step_bound": "D--",
    "rate_bound": "v:",
}


class ExactCase:
    """With a kernel that stays, the drift is zero and every bound can be put beside the error."""

    description = Description(
        name="exact-case",
        section="4; open direction",
        shows="kernel machines: bias, variance, drift, T_max, T_op and critical radius along a "
        "run, and each bound beside the error as rows grow",
        minutes={"quick": 0.2, "paper": 3.0},
    )
    models = ("kernel",)

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per start, number of rows and replicate."""
        n = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n, seed, start=STARTS, n_rows=_ROWS[scale])

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the quantities of one run; all its steps for the run that is drawn."""
        generator = np.random.default_rng([job["seed"], job["replicate"], job["n_rows"]])
        is_shown = job["n_rows"] == _SHOWN and job["replicate"] == 0
        return exact_run(job["n_rows"], job["start"], generator, with_curves=is_shown)

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return means per start and number of rows, with the exponent of each error."""
        frame = pd.DataFrame([{**record, "curves": None} for record in records])
        rows = []
        for start, of_start in frame.groupby("start", sort=False):
            slopes = slope_columns(of_start, "n_rows", _ERRORS)
            for n_rows, chosen in of_start.groupby("n_rows"):
                rows.append(
                    {
                        **{"start": start, "n_rows": n_rows, "replicates": len(chosen)},
                        **_means(chosen),
                        **slopes,
                    }
                )
        return pd.DataFrame(rows)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return four panels: where to stop, the run, the bounds, the start that saw the noise."""
        figure, panels = new_figure(9.6, 7.4, n_rows=2, n_columns=2)
        shown = next(each for each in records if each["start"] == STARTS[0] and "curves" in each)
        table = self.table(records)
        _draw_rule(panels[0], shown)
        _draw_run(panels[1], shown)
        _draw_bounds(panels[2], table[table["start"] == STARTS[0]])
        _draw_starts(panels[3], table)
        for axes in panels:
            axes.legend(fontsize=8, frameon=False)
        return figure


def _means(chosen: pd.DataFrame) -> dict[str, Any]:
    middle = ("max_step", "optimal_step", "best_step")
    means = ("radius", "population_radius", "gap_norm", "trace", "dropout", "best", *_ERRORS)
    ratio = chosen["error"] / chosen["expected"]
    return {
        **{name: float(chosen[name].median()) for name in middle},
        **{name: float(chosen[name].mean()) for name in means},
        **{name: float(chosen[name].max()) for name in ("drift", "exceeds")},
        "lemma_holds": bool(chosen["lemma_holds"].all()),
        "within_step_bound": float((chosen["error"] <= chosen["step_bound"]).mean()),
        "ratio": float(ratio.mean()),
        "ratio_error": float(ratio.std() / np.sqrt(len(ratio))),
    }


def _draw_rule(axes: Any, record: Record) -> None:
    curves, radius = record["curves"], record["radius"]
    axes.loglog(curves["radii"], curves["complexity"], color=COLOURS[0], label="complexity R(ρ)")
    axes.loglog(curves["radii"], curves["line"], "--", color=COLOURS[1], label="ρ² C_H / (2 e σ)")
    axes.axvline(radius, color="0.4", linewidth=0.8)
    text = f"critical radius {radius:.3f}\nT_max = 1 / (ε ρ²) = {record['max_step']}"
    axes.text(0.04, 0.86, text, transform=axes.transAxes, fontsize=9)
    axes.set(title="1. Where to stop", xlabel="radius ρ")
    tidy(axes)


def _draw_run(axes: Any, record: Record) -> None:
    # Step 0 has no place on a logarithmic axis.
    curves = {name: np.array(values[1:]) for name, values in record["curves"].items()}
    steps, last = curves["steps"], record["max_step"]
    band = {"color": COLOURS[0], "alpha": 0.18, "linewidth": 0, "label": "95 % of all noise"}
    axes.fill_between(steps, curves["low"], curves["high"], **band)
    axes.plot(steps, curves["error"], "o", color=COLOURS[0], markersize=4, label="error of the run")
    axes.plot(steps, curves["expected"], color=COLOURS[0], label="expected error")
    axes.plot(steps, curves["bias_term"], "--", color=COLOURS[1], label="bias term B²")
    axes.plot(steps, curves["variance_term"], ":", color=COLOURS[2], label="variance term V")
    total = curves["bias_term"] + curves["variance_term"] + curves["drift_term"]
    axes.plot(steps, total, color="0.2", label="lemma: B² + V + D²")
    allowed = steps <= last
    axes.plot(steps[allowed], curves["step_bound"][allowed], "-.", color=COLOURS[3], label="C / η")
    axes.axvline(last, color="0.4", linewidth=0.8)
    text = f"T_max = T_op = {last}\nD² ≤ {record['drift']:.0e}"
    axes.text(last * 1.3, total.max() / 2, text, fontsize=9, va="top")
    axes.set_xscale("log")
    low, high = curves["low"].min() / 50, 2 * curves["step_bound"].max()
    axes.set(title="2. Along the run", xlabel="update", ylim=(low, high))
    logarithmic_upwards(axes)
    tidy(axes)


def _draw_bounds(axes: Any, table: pd.DataFrame) -> None:
    for number, (name, label) in enumerate(_ERRORS.items()):
        colour = COLOURS[number % len(COLOURS)]
        slope = table[f"{name}_slope"].iloc[0][0]
        axes.plot(
            table["n_rows"],
            table[name],
            _LINES[name],
            color=colour,
            markersize=5,
            label=f"{label}: slope {slope:.2f}",
        )
    axes.set(title="3. Each bound beside the error", xlabel="number of rows N")
    # Room for the legend.
    axes.set_ylim(table["expected"].min() / 1.5, table["rate_bound"].max() * 30)
    logarithmic(axes, np.unique(table["n_rows"]))
    tidy(axes)


def _draw_starts(axes: Any, table: pd.DataFrame) -> None:
    for start, marker, colour in zip(STARTS, "os", COLOURS, strict=False):
        rows = table[table["start"] == start]
        axes.errorbar(
            rows["n_rows"],
            rows["ratio"],
            2 * rows["ratio_error"],
            fmt=f"{marker}-",
            color=colour,
            label=f"full model trained on {start}",
        )
    axes.axhline(1, color="0.4", linewidth=0.8)
    # Room for the legend.
    axes.set_ylim(None, table["ratio"].max() + 4 * table["ratio_error"].max())
    axes.set(title="4. A start that has seen the noise", xlabel="number of rows N")
    axes.set_ylabel("error at T_max / expected error", fontsize=9)
    sizes = np.unique(table["n_rows"])
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.set_xticks([], minor=True)
    tidy(axes)
