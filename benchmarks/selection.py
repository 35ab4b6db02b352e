"""How many of the selected features are worth nothing, and how many of the others are found.

    python benchmarks/selection.py [--datasets 40] [--rows 300]

Tables of twelve correlated columns, eight of which are worth nothing beyond the others, are drawn,
explained, and selected from by ``result.select``. The mean share of worthless features among those
selected (the false discovery rate) is to stay below what was asked for; power is the share of the
others that were selected.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression

import lukewarm as lw

MODELS = {"LinearRegression": LinearRegression(), "boosting": "boosting"}
RATES = (0.05, 0.1, 0.2)
N_COLUMNS, CORRELATION = 12, 0.5
OUT = Path(__file__).parent / "results" / "selection.json"


def draw(n_rows: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return columns that are correlated with their neighbours, and a target of four of them."""
    X = generator.normal(size=(n_rows, N_COLUMNS))
    for column in range(1, N_COLUMNS):
        X[:, column] = CORRELATION * X[:, column - 1] + np.sqrt(1 - CORRELATION**2) * X[:, column]
    # Useful columns stand among the others, with weaker and stronger effects, one of them bent.
    y = 0.6 * X[:, 0] - 0.4 * X[:, 3] + 0.3 * X[:, 6] + 0.5 * np.abs(X[:, 9])
    return X, y + generator.normal(size=n_rows)


def useful(name: str) -> set[str]:
    """Return the names of the features that matter to the best model of this kind.

    A line sees nothing of a bent effect that is symmetric around zero.
    """
    columns = (0, 3, 6) if name == "LinearRegression" else (0, 3, 6, 9)
    return {f"x{column}" for column in columns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=40)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name, model in MODELS.items():
        found = {rate: [] for rate in RATES}
        for seed in range(arguments.datasets):
            X, y = draw(arguments.rows, np.random.default_rng([2026, seed]))
            result = lw.VariableImportance(model, random_state=seed).fit(X, y).result_
            for rate in RATES:
                chosen = set(result.select(rate))
                false = len(chosen - useful(name)) / max(len(chosen), 1)
                power = len(chosen & useful(name)) / len(useful(name))
                found[rate].append((false, power))
        for rate, pairs in found.items():
            false, power = np.array(pairs).T
            rows.append(
                {
                    "model": name,
                    "fdr_asked": rate,
                    "fdr": false.mean(),
                    "fdr_std_error": false.std(ddof=1) / np.sqrt(len(false)),
                    "power": power.mean(),
                }
            )
            print(rows[-1], flush=True)
    record = {"n_datasets": arguments.datasets, "n_rows": arguments.rows, "rows": rows}
    arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
