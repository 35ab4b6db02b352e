"""
A model you have already trained
================================

Any pipeline that predicts can be explained as it stands. Nothing is trained again: the model's own
predictions are averaged over what the missing feature may have been.
"""

import pandas as pd
from sklearn.datasets import make_friedman1
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw

X, y = make_friedman1(1200, n_features=6, random_state=0)
X = pd.DataFrame(X, columns=["sine 1", "sine 2", "parabola", "line 10", "line 5", "noise"])
X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.4, random_state=0)
models = {
    "trees": ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0),
    "ridge": make_pipeline(StandardScaler(), RidgeCV()),
}

results = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    vi = lw.VariableImportance(model, measure="r2", prefit=True, random_state=0)
    results[name] = vi.fit(X_train, y_train, X_eval=X_new, y_eval=y_new).result_

# %%
# An importance is about a model. A line through a parabola is flat, so the third feature is worth
# nothing to the ridge regression, and much to the trees.
lw.plot_comparison(results)

# %%
for name, result in results.items():
    print(f"{name}: R2 {result.full.value:.2f}")
