"""
Dropout, early stopping, projection, retraining
===============================================

Four ways to the model without a feature, on the same data and from the same kind of model.
Dropout only replaces the column by its mean; where features are correlated it is far off.
"""

import lukewarm as lw

data = lw.datasets.make_correlated_linear(n_samples=1500, correlation=0.8, random_state=1)
features = ["X1", "X2", "X3"]

results = {
    method: lw.VariableImportance(
        "boosting", method, features=features, inference="paired", random_state=0
    )
    .fit(data.X, data.y)
    .result_
    for method in ("dropout", "early_stopping", "projection", "retrain")
}
truth = {name: data.true_importance(name) for name in features}
lw.plot_comparison(results, truth=truth)

# %%
# What each took, in seconds for the three reduced models:
for method, result in results.items():
    print(f"{method:15} {result.to_frame()['seconds'].sum():6.2f}")
