"""Draw the figures of theory.md: ``python docs/theory_figures.py`` (a minute or two).

Every number comes from `lukewarm.kernels`; what the page quotes is written
to ``docs/figures/theory_numbers.json``.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from lukewarm.kernels import (
    TheoreticalStop,
    boosting_kernel,
    critical_radius,
    error_decomposition,
    expected_update,
    follow_run,
    kernel_eigenvalues,
    local_complexity,
    max_theoretical_step,
    network_kernel,
    ntk,
    rkhs_gap_norm,
    run_decomposition,
    tree_kernel,
    tree_kernel_at,
)
from lukewarm.learners import Network, ObliviousBoosting

FIGURES = Path(__file__).parent / "figures"
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
PAPER = {"weight_scale": math.sqrt(1 - 0.1**2), "bias_scale": 0.1}


def new_axes() -> Any:
    """Return axes of the page's size, without the lines that carry nothing."""
    _, axes = plt.subplots(figsize=(5.4, 3.3), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def save(axes: Any, name: str) -> None:
    """Write the figure and close it."""
    axes.legend(frameon=False, fontsize=8)
    axes.figure.savefig(FIGURES / f"theory_{name}.png", dpi=110)
    plt.close(axes.figure)


def tree_rows(n: int, seed: int = 0) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the paper's discrete features, three of four values each, and their borders."""
    X = np.random.default_rng(seed).integers(4, size=(n, 3)) + np.arange(3.0)
    return X, [np.array([0.5, 1.5, 2.5]) + feature for feature in range(3)]


def draw_spectra() -> None:
    """Draw the eigenvalues of network and tree kernels."""
    n = 1000
    X = np.random.default_rng(0).normal(size=(n, 3))
    borders = [np.quantile(column, np.linspace(0, 1, 18)[1:-1]) for column in X.T]
    spectra = {
        "network, 1 hidden layer": ntk(X, n_hidden_layers=1, **PAPER) / n,
        "network, 3 hidden layers": ntk(X, n_hidden_layers=3, **PAPER) / n,
        "trees, depth 1": tree_kernel(X, borders=borders, depth=1),
        "trees, depth 2": tree_kernel(X, borders=borders, depth=2),
        "trees, depth 3": tree_kernel(X, borders=borders, depth=3),
    }
    axes = new_axes()
    for colour, (label, kernel) in zip(COLOURS, spectra.items(), strict=False):
        eigenvalues = kernel_eigenvalues(kernel)
        kept = eigenvalues[eigenvalues > 1e-12]
        axes.loglog(np.arange(1, len(kept) + 1), kept, color=colour, label=label)
    axes.set(xlabel="number of the eigenvalue", ylabel="eigenvalue of K", ylim=(1e-9, 3))
    save(axes, "spectra")


def draw_complexity() -> dict[str, float]:
    """Draw the complexity, the line for two noise levels, and where they meet."""
    n = 1000
    X = np.random.default_rng(0).normal(size=(n, 3))
    eigenvalues = kernel_eigenvalues(ntk(X, n_hidden_layers=1, **PAPER) / n)
    radii = np.geomspace(3e-3, 2, 300)
    axes = new_axes()
    axes.loglog(radii, local_complexity(eigenvalues, radii), color="0.2", label="complexity R(ρ)")
    meetings = {}
    for colour, noise in zip(COLOURS, (0.1, 1.0), strict=False):
        line = radii**2 / (2 * math.e * noise)
        meeting = critical_radius(eigenvalues, noise, 1.0)
        axes.loglog(radii, line, color=colour, label=f"ρ² C / (2 e σ), σ = {noise:g}")
        axes.plot(meeting, meeting**2 / (2 * math.e * noise), "o", color=colour)
        meetings[f"critical radius at noise {noise:g}"] = meeting
    axes.set(xlabel="radius ρ", ylabel="", ylim=(1e-3, 0.3))
    save(axes, "complexity")
    return meetings


def draw_max_step() -> dict[str, float]:
    """Draw T_max on the error of a warm start: network kernel, correlated linear part."""
    n, correlation, rate, n_steps = 500, 0.8, 0.5, 1000
    generator = np.random.default_rng(0)
    hidden, outer = generator.normal(size=(2, 2048)), generator.normal(size=2048)

    def draw() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        X = generator.normal(size=(n, 3))
        X[:, 0] = correlation * X[:, 1] + math.sqrt(1 - correlation**2) * X[:, 0]
        smooth = np.maximum(X[:, 1:] @ hidden, 0) @ outer / math.sqrt(2048)
        y = smooth + 3 * X[:, 0] + generator.normal(size=n)
        return X, y, smooth + 3 * correlation * X[:, 1]

    (X, y, truth), (X_new, y_new, _) = draw(), draw()
    weights = np.zeros(n)
    full_kernel = ntk(X, n_hidden_layers=1, **PAPER) / n
    for _ in range(400):
        weights += rate * (y - full_kernel @ weights)
    X_removed, X_new_removed = X * [0, 1, 1], X_new * [0, 1, 1]
    start = ntk(X_removed, X, n_hidden_layers=1, **PAPER) / n @ weights
    kernel = ntk(X_removed, n_hidden_layers=1, **PAPER) / n
    terms = error_decomposition([kernel] * n_steps, truth - start, y - truth, rate)
    # What is left of the removed feature is noise now.
    sigma = math.sqrt(1 + 9 * (1 - correlation**2))
    known = max_theoretical_step(
        kernel_eigenvalues(kernel),
        learning_rate=rate,
        noise_std=sigma,
        rkhs_gap_norm=rkhs_gap_norm(kernel, truth - start),
    )
    estimated = TheoreticalStop.learn(kernel, y - start, learning_rate=rate)
    held_out = held_out_losses(
        (X_removed, y - start), (X_new_removed, y_new), (X, weights), rate, n_steps
    )
    stops = {
        "T_max, all known": int(known),
        "T_max, estimated": int(estimated.max_step),
        "hold-out's best": int(np.argmin(held_out)),
        "best": int(np.argmin(terms.error)),
    }
    axes = new_axes()
    steps = np.arange(1, n_steps + 1)
    axes.loglog(steps, terms.error[1:], color=COLOURS[0], label="error on the rows")
    axes.loglog(steps, terms.bias_term[1:], "--", color=COLOURS[1], label="bias term")
    axes.loglog(steps, terms.variance_term[1:], ":", color=COLOURS[2], label="variance term")
    for mark, (label, step) in zip("ovs*", stops.items(), strict=True):
        axes.plot(step, terms.error[step], mark, color="0.15", label=f"{label}: step {step}")
    axes.set(xlabel="step", ylim=(1e-3, 300))
    save(axes, "max_step")
    return {
        **stops,
        **{f"error at {label}": terms.error[step] for label, step in stops.items()},
        "error at 0": terms.error[0],
        "sigma": sigma,
        "sigma, estimated": estimated.noise_std,
    }


def held_out_losses(train: Any, held_out: Any, full: Any, rate: float, n_steps: int) -> np.ndarray:
    """Return the mean squared error on new rows after every step of kernel descent."""
    (X, residuals), (X_new, y_new), (X_full, weights) = train, held_out, full
    n = len(X)
    kernel = ntk(X, n_hidden_layers=1, **PAPER) / n
    across = ntk(X_new, X, n_hidden_layers=1, **PAPER) / n
    prediction = ntk(X_new, X_full, n_hidden_layers=1, **PAPER) / n @ weights
    left, losses = residuals.copy(), [np.mean((y_new - prediction) ** 2)]
    for _ in range(n_steps):
        prediction = prediction + rate * across @ left
        left = left - rate * kernel @ left
        losses.append(np.mean((y_new - prediction) ** 2))
    return np.array(losses)


def draw_drift_by_width() -> dict[str, float]:
    """Draw how far the kernel of a warm-started run is from its limit and start, by width."""
    n, rate, n_steps, n_seeds = 100, 0.25, 50, 24
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    truth, X_removed = np.sin(2 * X[:, 1]), X * [0, 1, 1]
    y = truth + X[:, 0] + 0.3 * generator.normal(size=n)
    limit = ntk(X_removed, n_hidden_layers=1, **PAPER) / n
    widths = 2 ** np.arange(6, 14)
    values = np.zeros((3, len(widths), n_seeds))
    for place, width in enumerate(widths):
        for seed in range(n_seeds):
            full = Network(
                (width,), **PAPER, optimizer="sgd", learning_rate=rate, batch_size=n, seed=seed
            )
            full.advance(X, y, n_steps)
            run = follow_run(
                full, X_removed, y, n_steps, kernel=network_kernel, kernel_steps=[0, n_steps]
            )
            terms = run_decomposition(run.predictions, y, truth, 2 * rate, limit)
            drift = math.sqrt(terms.drift_term[-1])
            values[:, place, seed] = run.distances(limit)[1], run.distances()[1], drift
    axes = new_axes()
    slopes = {}
    labels = ("‖K_τ − K‖", "‖K_τ − K_0‖", "drift term D")
    for colour, label, per_seed in zip(COLOURS, labels, values, strict=False):
        mean, error = per_seed.mean(axis=1), per_seed.std(axis=1, ddof=1) / math.sqrt(n_seeds)
        slope, level = np.polyfit(np.log(widths), np.log(mean), 1)
        axes.errorbar(widths, mean, 2 * error, fmt="o", color=colour, markersize=4)
        fitted = np.exp(level) * widths.astype(float) ** slope
        axes.plot(widths, fitted, color=colour, label=f"{label}: slope {slope:.2f}")
        slopes[f"slope by width, {label}"] = slope
    axes.set(xscale="log", yscale="log", xlabel="width")
    save(axes, "drift_width")
    return slopes


def step_target(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a product of two steps, and the same with noise."""
    truth = (X[:, 1] > 2) * (X[:, 2] > 3.5) * 2.0
    return truth, truth + 0.5 * np.random.default_rng(1).normal(size=len(X))


def draw_drift_by_strength() -> dict[str, float]:
    """Draw how far the tree kernel is from the stationary one, and the drift term, by beta."""
    X, borders = tree_rows(200)
    truth, y = step_target(X)
    borders = [np.empty(0), *borders[1:]]
    stationary = tree_kernel(X, borders=borders, depth=2)
    strengths, rate, n_steps = np.geomspace(1e-2, 1e4, 13), 0.1, 50
    distances, drifts = [], []
    for strength in strengths:
        settings = {"borders": borders, "depth": 2, "random_strength": strength}
        distances.append(np.linalg.norm(tree_kernel_at(X, y, **settings) - stationary))
        path = [np.zeros(len(y))]
        for _ in range(n_steps):
            path.append(expected_update(X, y, path[-1], **settings, learning_rate=rate))
        terms = run_decomposition(np.array(path), y, truth, rate, stationary)
        drifts.append(math.sqrt(terms.drift_term.max()))
    axes = new_axes()
    slopes = {}
    for colour, label, values in zip(
        COLOURS, ("‖K_0 − K‖", "largest drift term D"), (distances, drifts), strict=False
    ):
        slope = np.polyfit(np.log(strengths[-6:]), np.log(values[-6:]), 1)[0]
        axes.loglog(
            strengths, values, "o-", color=colour, markersize=4, label=f"{label}: slope {slope:.2f}"
        )
        slopes[f"slope by beta, {label}"] = slope
    axes.set(xlabel="random strength β")
    save(axes, "drift_strength")
    return slopes


def measure_our_boosting() -> dict[str, float]:
    """Return the same drift along runs of our boosting, means over 100 seeds."""
    X, _ = tree_rows(200)
    truth, y = step_target(X)
    X_removed = X.copy()
    X_removed[:, 0] = X[:, 0].mean()
    measured = {}
    for strength in (0.01, 1.0, 100.0):
        full = ObliviousBoosting(depth=2, n_bins=4, random_strength=strength)
        full.advance(X, y + X[:, 0], 30)
        run = follow_run(full, X_removed, y, 50, kernel=boosting_kernel, seeds=range(100))
        stationary = boosting_kernel(full, X_removed)
        terms = run_decomposition(run.predictions, y, truth, full.learning_rate, stationary)
        measured[f"our boosting, largest D at beta {strength:g}"] = math.sqrt(
            terms.drift_term.max()
        )
    return measured


def main() -> None:
    """Draw all and write the numbers."""
    FIGURES.mkdir(exist_ok=True)
    draw_spectra()
    numbers: dict[str, float] = {}
    for part in (
        draw_complexity, draw_max_step, draw_drift_by_width, draw_drift_by_strength,
        measure_our_boosting,
    ):  # fmt: skip
        numbers |= {name: float(value) for name, value in part().items()}
    (FIGURES / "theory_numbers.json").write_text(json.dumps(numbers, indent=2) + "\n")


if __name__ == "__main__":
    main()
