"""The same data explained by seven tools and by lukewarm, where the truth is known.

pip install shap sage-importance lofo-importance hidimstat fippy vimpy
python benchmarks/tools_side_by_side.py

The data of the README's figure: y = 1.5 X1 + 1.2 X2 + X3 + noise, X1 and X2 correlated 0.8, 5,000
rows, scikit-learn's histogram boosting. Tools that explain a trained model get one of three
quarters of the rows and are given the rest; tools that train get the untrained model and all rows.
vimpy's R2 is multiplied by the variance of y. Numbers, process seconds and versions go to
benchmarks/results/tools_side_by_side.json.
"""

import json
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import click
import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

import lukewarm as lw
from lukewarm._files import write_text

RESULTS = Path(__file__).parent / "results" / "tools_side_by_side.json"
PACKAGES = (
    "scikit-learn",
    "shap",
    "sage-importance",
    "lofo-importance",
    "hidimstat",
    "fippy",
    "vimpy",
)


def permutation(model, train, new, seed):
    scoring = "neg_mean_squared_error"
    return permutation_importance(model, *new, scoring=scoring, random_state=seed).importances_mean


def mean_shap(model, train, new, seed):
    import shap

    return np.abs(shap.TreeExplainer(model).shap_values(new[0])).mean(axis=0)


def sage(model, train, new, seed):
    import sage

    # Fewer rows to average over, and a number of permutations, keep the minutes down.
    imputer = sage.MarginalImputer(model, train[0].to_numpy()[:128])
    estimator = sage.PermutationEstimator(imputer, "mse", random_state=seed)
    return estimator(*(each.to_numpy() for each in new), n_permutations=2048, bar=False).values


def fippy_cfi(model, train, new, seed):
    from fippy import Explainer
    from fippy.losses import squared_error
    from fippy.samplers import GaussianSampler

    np.random.seed(seed)  # noqa: NPY002 -- the package draws from the global generator
    explainer = Explainer(model.predict, train[0], squared_error, GaussianSampler(train[0]))
    found = explainer.cfi(*new, n_repeats=5).importance()
    return found["importance"].reindex(list(new[0].columns)).to_numpy()


def hidimstat_cfi(model, train, new, seed):
    import hidimstat

    method = hidimstat.CFI(model, imputation_model_continuous=LinearRegression(), random_state=seed)
    return method.fit(train[0].to_numpy()).importance(new[0].to_numpy(), new[1].to_numpy())


def hidimstat_loco(model, train, new, seed):
    import hidimstat

    method = hidimstat.LOCO(model)
    return method.fit(train[0].to_numpy(), train[1].to_numpy()).importance(
        new[0].to_numpy(), new[1].to_numpy()
    )


def lofo(model, X, y, seed):
    from lofo import Dataset, LOFOImportance

    data = Dataset(df=X.assign(target=y), target="target", features=list(X.columns))
    found = LOFOImportance(data, "neg_mean_squared_error", clone(model)).get_importance()
    return found.set_index("feature")["importance_mean"].reindex(list(X.columns)).to_numpy()


def vimpy(model, X, y, seed):
    from vimpy import cv_vim

    np.random.seed(seed)  # noqa: NPY002 -- the package draws from the global generator
    table, target = X.to_numpy(), y.to_numpy()
    shares = []
    for column in range(table.shape[1]):
        found = cv_vim(target, table, column, "r_squared", pred_func=clone(model))
        shares.append(float(found.get_point_est().vimp_))
    return np.array(shares) * target.var()


def ours(model, X, y, seed):
    return lw.VariableImportance(clone(model), random_state=seed).fit(X, y).result_.importance


TRAINED = {
    "permutation importance": permutation,
    "mean |SHAP|": mean_shap,
    "SAGE": sage,
    "fippy, CFI": fippy_cfi,
    "hidimstat, CFI": hidimstat_cfi,
    "hidimstat, LOCO": hidimstat_loco,
}
UNTRAINED = {"LOFO": lofo, "vimpy": vimpy, "lukewarm": ours}


@click.command()
@click.option("--seed", default=0, show_default=True)
def main(seed):
    warnings.simplefilter("ignore")
    data = lw.datasets.make_correlated_linear(correlation=0.8, random_state=seed)
    X_train, X_new, y_train, y_new = train_test_split(data.X, data.y, random_state=seed)
    untrained = HistGradientBoostingRegressor(random_state=seed)
    # Fitted to arrays, as some of the tools pass arrays on.
    trained = clone(untrained).fit(X_train.to_numpy(), y_train)
    calls = {
        name: (way, (trained, (X_train, y_train), (X_new, y_new))) for name, way in TRAINED.items()
    }
    calls |= {name: (way, (untrained, data.X, data.y)) for name, way in UNTRAINED.items()}
    rows = []
    for name, (way, arguments) in calls.items():
        begun = time.process_time()
        values = way(*arguments, seed)
        seconds = time.process_time() - begun
        rows.append(
            {"tool": name, "values": np.asarray(values, float).tolist(), "seconds": seconds}
        )
        print(f"{name:25}", *(f"{value:7.3f}" for value in values), f"{seconds:7.1f} s", flush=True)
    record = {
        "features": list(data.X.columns),
        "truth": [data.true_importance(name) for name in data.X.columns],
        "rows": rows,
        "seed": seed,
        "versions": {name: version(name) for name in PACKAGES},
    }
    write_text(RESULTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
