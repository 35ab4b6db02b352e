"""
A model you have already trained
================================

Any pipeline that predicts can be explained as it stands. Nothing is trained again: the model's own
predictions are averaged over what the missing feature may have been.
"""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.4, random_state=0)
models = {
    "forest": RandomForestRegressor(60, min_samples_leaf=5, random_state=0),
    "ridge": make_pipeline(StandardScaler(), RidgeCV()),
}
features = ["bmi", "s5", "bp", "sex", "age"]

results = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    vi = lw.VariableImportance(model, measure="r2", prefit=True, features=features, random_state=0)
    results[name] = vi.fit(X_train, y_train, X_eval=X_new, y_eval=y_new).result_

# %%
# Intervals are about these two models on new rows of the same kind.
lw.plot_comparison(results)
