"""Draw the figure of the README: the same data, three explanations, and the truth.

python benchmarks/readme_figure.py          # needs shap: pip install shap
python benchmarks/readme_figure.py --redraw # from benchmarks/results/readme_figure.json

The paper's correlated linear data, y = 1.5 X1 + 1.2 X2 + X3 + noise, N = 5000, X1 and X2 correlated
0.8. Boosted trees are trained on three quarters of the rows and explained on the rest by
permutation importance and mean |SHAP|; lukewarm gets the same trees, untrained, and all rows. Each
is divided by the sum of its values, because mean |SHAP| has another unit. Numbers go to
benchmarks/results/readme_figure.json, the figure to docs/figures/readme.png.
"""

import json
from pathlib import Path

import click
import matplotlib as mpl
import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import lukewarm as lw
from lukewarm._files import write_text

mpl.use("Agg")

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "readme_figure.json"
FIGURE = ROOT / "docs" / "figures" / "readme.png"
TITLES = {
    "permutation": "permutation importance",
    "shap": "mean |SHAP value|",
    "lukewarm": "lukewarm, 95 % intervals",
}


def measure(seed):
    import shap

    data = lw.datasets.make_correlated_linear(correlation=0.8, random_state=seed)
    X_train, X_new, y_train, y_new = train_test_split(data.X, data.y, random_state=seed)
    model = HistGradientBoostingRegressor(random_state=seed).fit(X_train, y_train)
    permuted = permutation_importance(
        model, X_new, y_new, scoring="neg_mean_squared_error", random_state=seed
    )
    attributions = shap.TreeExplainer(model).shap_values(X_new)
    ours = lw.VariableImportance(clone(model), random_state=seed).fit(data.X, data.y).result_
    low, high = ours.interval()
    return {
        "features": list(data.X.columns),
        "truth": [data.true_importance(name) for name in data.X.columns],
        "permutation": permuted.importances_mean.tolist(),
        "shap": np.abs(attributions).mean(axis=0).tolist(),
        "lukewarm": ours.importance.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "seed": seed,
        "shap_version": shap.__version__,
    }


def draw(record):
    import matplotlib.pyplot as plt

    names = record["features"]
    truth = np.array(record["truth"]) / np.sum(record["truth"])
    fig, axes = plt.subplots(1, 3, figsize=(9, 2.7), sharex=True, sharey=True, layout="constrained")
    for ax, (key, title) in zip(axes, TITLES.items(), strict=True):
        values = np.array(record[key])
        total = values.sum()
        ours = key == "lukewarm"
        ax.barh(names, values / total, color="#1f77b4" if ours else "#b8b8b8", height=0.6)
        if ours:
            ends = np.abs(np.array([record["low"], record["high"]]) - values) / total
            ax.errorbar(values / total, names, xerr=ends, fmt="none", color="black", capsize=2)
        marks = ax.scatter(truth, names, marker="D", s=28, color="#d62728", zorder=3)
        ax.set_title(title, fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    # Inside the axes the mark of a legend would pass for a value.
    words = ["truth: the skill lost without the feature"]
    fig.legend([marks], words, loc="outside upper center", frameon=False, fontsize=9)
    axes[1].set_xlabel("share of the total")
    fig.savefig(FIGURE, dpi=110, metadata={"Software": None})


@click.command()
@click.option("--seed", default=0, show_default=True)
@click.option("--redraw", is_flag=True, help="Draw from the numbers on disk.")
def main(seed, redraw):
    if not redraw:
        write_text(RESULTS, json.dumps(measure(seed), indent=1) + "\n")
    record = json.loads(RESULTS.read_text(encoding="utf-8"))
    for name, *values in zip(
        record["features"], *(record[key] for key in ("truth", *TITLES)), strict=True
    ):
        print(name, *(f"{value:8.3f}" for value in values))
    draw(record)


if __name__ == "__main__":
    main()
