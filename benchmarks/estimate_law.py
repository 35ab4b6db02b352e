"""The exact law of an importance by kernel ridge regression, beside the normal interval.

python benchmarks/estimate_law.py --sizes 50,100,200,400,800,2000

y = x0 + x1 x2 + noise of standard deviation 0.5, three independent normal columns, x0 taken away:
its importance is 1. RBF kernel of fixed length scale, fixed penalty. The model without x0 is
retrained, or the full model averaged over x0 (projection); both are linear in y, so the estimate
has a law in closed form (`lukewarm.kernels.importance_law`). Means over draws of the rows, three at
2,000 (half a minute each); results go to results/estimate_law.json.
"""

import json
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import click
import numpy as np
import pandas as pd
from sklearn.metrics.pairwise import rbf_kernel

from lukewarm.kernels import importance_law

OUT = Path(__file__).parent / "results" / "estimate_law.json"
NOISE, PENALTY, GAMMA = 0.5, 0.3, 0.1
NORMAL = 1.959964  # the quantile of 97.5 %
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(12)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def smoother_of(X):
    """Return the function from new rows to what y becomes there; a constant is free by centring."""
    n = len(X)
    weights = np.linalg.inv(rbf_kernel(X, gamma=GAMMA) + PENALTY * np.eye(n))
    weights -= weights.mean(axis=1, keepdims=True)
    return lambda X_new: rbf_kernel(X_new, X, gamma=GAMMA) @ weights + 1 / n


def laws(n, generator):
    """Return the laws of both estimates for one draw of the rows; a row is evaluated for two."""
    X, X_new = generator.normal(size=(n, 3)), generator.normal(size=(n // 2, 3))
    smoother = smoother_of(X)
    full = smoother(X_new)
    ways = {"retrain": smoother_of(X[:, 1:])(X_new[:, 1:]), "projection": 0.0}
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        filled = X_new.copy()
        filled[:, 0] = node
        ways["projection"] = ways["projection"] + weight * smoother(filled)
    signal, signal_new = (each[:, 0] + each[:, 1] * each[:, 2] for each in (X, X_new))
    best = X_new[:, 1] * X_new[:, 2]
    for way, reduced in ways.items():
        law = importance_law(full, reduced, signal, signal_new, best, NOISE)
        low, high = law.form.interval()
        spread = law.form.standard_deviation
        yield {
            "n": n,
            "way": way,
            "bias": law.bias,
            "standard_deviation": spread,
            "share_of_training": law.share_of_training,
            "skewness": law.form.skewness,
            "exact_low": low - law.truth,
            "exact_high": high - law.truth,
            "normal_low": law.bias - NORMAL * spread,
            "normal_high": law.bias + NORMAL * spread,
            "normal_coverage": law.normal_coverage(),
            "width_over_normal": (high - low) / (2 * NORMAL * spread),
        }


@click.command()
@click.option("--sizes", default="50,100,200,400,800,2000", show_default=True)
@click.option("--draws", default=5, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(sizes, draws, seed):
    rows = [
        row
        for n in map(int, sizes.split(","))
        for draw in range(draws if n < 2000 else min(draws, 3))
        for row in laws(n, np.random.default_rng([seed, n, draw]))
    ]
    table = pd.DataFrame(rows).groupby(["n", "way"]).mean().reset_index()
    print(table.round(4).to_string(index=False))
    records = json.loads(table.to_json(orient="records"))
    OUT.write_text(json.dumps({"seed": seed, "draws": draws, "rows": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
