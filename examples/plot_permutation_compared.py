"""
Permutation importance answers another question
===============================================

Permuting a column asks the model about rows that cannot exist. Of two columns that are nearly
copies each can be spared, and permutation ranks both high.
"""

import matplotlib.pyplot as plt
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import lukewarm as lw
from lukewarm.learners import ObliviousBoostingRegressor

data = lw.datasets.make_correlated_linear(n_samples=1500, correlation=0.95, random_state=0)
X_train, X_new, y_train, y_new = train_test_split(data.X, data.y, random_state=0)
model = ObliviousBoostingRegressor(random_state=0).fit(X_train, y_train)

permuted = permutation_importance(
    model, X_new, y_new, scoring="neg_mean_squared_error", n_repeats=5, random_state=0
).importances_mean
vi = lw.VariableImportance(model, prefit=True, random_state=0)
ours = vi.fit(X_train, y_train, X_eval=X_new, y_eval=y_new).result_

fig, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
truth = [data.true_importance(name) for name in data.X.columns]
for ax, title, values in zip(
    axes, ["permutation", "lukewarm"], [permuted, ours.importance], strict=True
):
    ax.barh(data.X.columns, values, color="tab:blue")
    ax.scatter(truth, data.X.columns, marker="|", s=250, color="black", label="truth")
    ax.set(title=title, xlabel="mean squared error gained")
axes[0].invert_yaxis()
axes[0].legend(frameon=False)
