"""Section 4 where it is exact: kernel machines, every quantity of the theory along a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal, Rows
from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._slopes import slope_columns
from lukewarm.experiments._style import logarithmic, logarithmic_upwards
from lukewarm.kernels import (
    FixedKernelRun,
    fixed_kernel_run,
    kernel_eigenvalues,
    local_complexity,
    optimal_step,
    population_critical_radius,
)
from lukewarm.learners import KernelMachineRegressor, train_until
from lukewarm.learners.kernel import KernelMachine, n_updates
from lukewarm.plotting import COLOURS, new_figure, tidy
from lukewarm.stopping import Patience

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
# Of y on x1, and of x1 with x2: without x1, x2 takes over 0.8 of the slope.
_SLOPE, _CORRELATION = 1.5, 0.8
_NOISE_STD = 1.0
# Of y given x2 and x3.
_SIGMA = float(np.sqrt(_NOISE_STD**2 + _SLOPE**2 * (1 - _CORRELATION**2)))
# Fixed, so that all sizes are runs in one space; its eigenvalues fall polynomially.
_KERNEL: dict[str, Any] = {"kernel": "laplace", "length_scale": 2.0, "ard": False}
# 1.5 * 2**21 updates: by then the noise has been learnt by heart.
_N_STEPS = 44
_TEST_ROWS = 1000
# Enough rows that their eigenvalues stand for those of the population.
_POPULATION_ROWS = 500
STARTS = ("other rows", "same rows")


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


def exact_run(
    n_rows: int, start: str, generator: np.random.Generator, *, with_curves: bool
) -> dict[str, Any]:
    """Return the theory's quantities for a warm start on `n_rows` rows, and what the run did.

    Parameters
    ----------
    n_rows : int
    start : "other rows" or "same rows"
        Where the full model was trained: on rows of its own, as the theory has it, or on the rows
        of the warm start, as Algorithm 1 has it.
    generator : Generator
    with_curves : bool
        Whether all steps are kept, for the figure.
    """
    train, stopping, others = (_rows(n_rows, generator) for _ in range(3))
    learner = KernelMachine(KernelMachineRegressor(**_KERNEL))
    of_full = train if start == "same rows" else others
    full: Any = train_until(learner, of_full, stopping, Patience(6), 70)[0]
    removal = Removal.learn(train.X)
    X, X_new = (removal.apply(each, (0,)) for each in (train.X, _features(_TEST_ROWS, generator)))
    begun, target = full.predict(X), best_without(X)
    reduced = full.copy(0)
    reduced.advance(X, train.y, _N_STEPS)
    rate = reduced.learning_rate
    run = fixed_kernel_run(full.kernel_matrix(X), target - begun, _SIGMA, rate)
    steps = n_updates(range(_N_STEPS + 1))
    path = reduced.staged_predict(X, full.n_steps)
    terms = run.decomposition(train.y - target, steps, path - begun)
    population = np.square(reduced.staged_predict(X_new, full.n_steps) - best_without(X_new)).mean(
        axis=1
    )
    last = int(run.max_step)
    at_last = run.decomposition(train.y - target, [last])
    outcome = {
        "max_step": last,
        "optimal_step": _optimal(run, steps, terms.drift_term),
        "best_step": int(steps[np.argmin(terms.error)]),
        "radius": run.critical_radius,
        "population_radius": _population_radius(full, removal, run, n_rows, generator),
        "gap_norm": run.rkhs_gap_norm,
        "trace": float(run.decomposed.eigenvalues.sum()),
        "drift": float(terms.drift_term.max()),
        "lemma_holds": bool((terms.error <= terms.bound).all()),
        "dropout": float(terms.error[0]),
        "best": float(terms.error.min()),
        "error": float(at_last.error[0]),
        "population": float(np.interp(np.log(last), np.log(steps[1:]), population[1:])),
        "expected": float(sum(part[0] for part in run.expected_error([last]))),
        "lemma": float(at_last.bound[0]),
        "step_bound": float(run.bound([last])[0]),
        "rate_bound": run.rate_bound,
        "exceeds": 1 - run.error_law(last).cdf(float(run.bound([last])[0])),
    }
    return {**outcome, "curves": _curves(run, steps, terms, population)} if with_curves else outcome


def best_without(X: Matrix) -> Vector:
    """Return the best prediction of y from x2 and x3."""
    return _SLOPE * _CORRELATION * X[:, 1] + _bumps(X)


def _bumps(X: Matrix) -> Vector:
    up = np.square(X[:, 1] - 1) + np.square(X[:, 2] - 1)
    down = np.square(X[:, 1] + 1) + np.square(X[:, 2])
    return 2 * np.exp(-up / 4.5) - 2 * np.exp(-down / 4.5)


def _features(n_rows: int, generator: np.random.Generator) -> Matrix:
    X = generator.standard_normal((n_rows, 3))
    X[:, 0] = _CORRELATION * X[:, 1] + np.sqrt(1 - _CORRELATION**2) * X[:, 0]
    return X


def _rows(n_rows: int, generator: np.random.Generator) -> Rows:
    X = _features(n_rows, generator)
    noise = _NOISE_STD * generator.standard_normal(n_rows)
    return Rows(X, _SLOPE * X[:, 0] + _bumps(X) + noise)


def _optimal(run: FixedKernelRun, steps: Vector, drift: Vector) -> int:
    """Return T_op, the measured drift standing for its bound between the steps measured."""
    every = np.interp(np.arange(int(run.max_step) + 1), steps, drift)
    constant = float(run.bound([1])[0]) * run.learning_rate
    return optimal_step(every, constant, run.learning_rate, run.max_step)


def _population_radius(
    full: Any, removal: Removal, run: FixedKernelRun, n_rows: int, generator: np.random.Generator
) -> float:
    many = removal.apply(_features(_POPULATION_ROWS, generator), (0,))
    eigenvalues = kernel_eigenvalues(full.kernel_matrix(many))
    return population_critical_radius(eigenvalues, _SIGMA, run.rkhs_gap_norm, n_rows)


def _curves(run: FixedKernelRun, steps: Vector, terms: Any, population: Vector) -> dict[str, Any]:
    radii = np.geomspace(run.critical_radius / 30, run.critical_radius * 8, 60)
    complexity = np.asarray(local_complexity(run.decomposed.eigenvalues, radii))
    bias, variance = run.expected_error(steps)
    laws = [run.error_law(int(step)) for step in steps[1:]]
    curves = {
        "radii": radii,
        "complexity": complexity,
        "line": radii**2 * run.rkhs_gap_norm / (2 * np.e * run.noise_std),
        "steps": steps,
        "error": terms.error,
        "population": population,
        "bias_term": terms.bias_term,
        "variance_term": terms.variance_term,
        "drift_term": terms.drift_term,
        "expected": bias + variance,
        "low": np.array([bias[0], *(law.quantile(0.025) for law in laws)]),
        "high": np.array([bias[0], *(law.quantile(0.975) for law in laws)]),
        "step_bound": run.bound(np.maximum(steps, 1)),
    }
    return {name: [float(f"{value:.6g}") for value in values] for name, values in curves.items()}
