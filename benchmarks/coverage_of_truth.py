"""What the intervals of coverage_of_intervals.py would cover around the true functions.

python benchmarks/coverage_of_truth.py --replicates 500

The same data sets and evaluation rows, but nothing is learnt: the full and the reduced model are
the best there are. What is missing from 95 % is the normal law's share, not the models'.
"""

import json
import warnings
from pathlib import Path

import click
import numpy as np

from lukewarm.data import split_rows
from lukewarm.datasets import make_correlated_linear
from lukewarm.evaluation import importance_from_predictions
from lukewarm.results import HealthWarning

RESULTS = Path(__file__).parent / "results" / "coverage_of_truth.json"
CORRELATIONS = (0.0, 0.2, 0.5, 0.8)


def covers(correlation, replicate):
    generator = np.random.default_rng([0, replicate])
    data = make_correlated_linear(correlation=correlation, random_state=generator)
    rows = split_rows(len(data.y), 0.75, generator).evaluation
    X, y = data.X.to_numpy()[rows], data.y.to_numpy()[rows]
    full = X @ data.coefficients
    reduced = full + data.coefficients[0] * (correlation * X[:, 1] - X[:, 0])
    low, high = importance_from_predictions(y, full, reduced).interval(reach_zero=True)
    return bool(low[0] <= data.true_importance("X1") <= high[0])


@click.command()
@click.option("--replicates", default=500, show_default=True)
def main(replicates):
    warnings.simplefilter("ignore", HealthWarning)
    coverage = {
        correlation: float(np.mean([covers(correlation, number) for number in range(replicates)]))
        for correlation in CORRELATIONS
    }
    print(coverage)
    RESULTS.write_text(json.dumps({"replicates": replicates, "coverage": coverage}) + "\n")


if __name__ == "__main__":
    main()
