"""What permutation importance says on data whose importances are known.

python benchmarks/peers.py

The paper's correlated linear data, N = 5000: y = 1.5 X1 + 1.2 X2 + X3 + noise, X1 and X2
correlated. Every method explains the same kind of model, trained on the same three quarters of
the rows; means over ten data sets go to benchmarks/results/peers.json.
"""

import json
import warnings
from pathlib import Path

import click
import numpy as np
import pandas as pd
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import lukewarm as lw
from lukewarm._files import write_text
from lukewarm.learners import ObliviousBoostingRegressor

RESULTS = Path(__file__).parent / "results"


def explain(correlation, seed):
    data = lw.datasets.make_correlated_linear(correlation=correlation, random_state=seed)
    rows = {"truth": data.true_importance("X1")}
    X_train, X_test, y_train, y_test = train_test_split(data.X, data.y, random_state=seed)
    model = ObliviousBoostingRegressor(random_state=seed).fit(X_train, y_train)
    permuted = permutation_importance(
        model, X_test, y_test, scoring="neg_mean_squared_error", random_state=seed
    )
    rows["permutation"] = permuted.importances_mean[0]
    rows["permutation ranks X1 first"] = float(np.argmax(permuted.importances_mean) == 0)
    for method in ("dropout", "early_stopping", "retrain"):
        vi = lw.VariableImportance(
            method=method, features=["X1"], random_state=seed, model="boosting", inference="paired"
        )
        rows[method] = vi.fit(data.X, data.y).result_.importance[0]
    return rows


@click.command()
@click.option("--replicates", default=10, show_default=True)
def main(replicates):
    warnings.simplefilter("ignore", lw.HealthWarning)
    table = {
        correlation: pd.DataFrame(explain(correlation, seed) for seed in range(replicates)).mean()
        for correlation in (0.0, 0.5, 0.8, 1.0)
    }
    frame = pd.DataFrame(table).T.rename_axis("correlation").reset_index()
    print(frame.round(3).to_string(index=False))
    write_text(RESULTS / "peers.json", json.dumps(frame.to_dict(orient="records"), indent=1) + "\n")


if __name__ == "__main__":
    main()
