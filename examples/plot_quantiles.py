"""
What tells the expensive tail? Importance for a quantile
========================================================

A model of the 0.9 quantile is measured by the pinball loss it is trained on. The feature that
widens the distribution matters to it, and is worth nothing to a model of the mean.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import lukewarm as lw

generator = np.random.default_rng(0)
n = 1500
X = pd.DataFrame(generator.uniform(size=(n, 3)), columns=["level", "spread", "noise"])
y = 2 * X["level"] + X["spread"] * generator.normal(size=n)

quantile = HistGradientBoostingRegressor(
    loss="quantile", quantile=0.9, max_leaf_nodes=8, random_state=0
)
upper = lw.VariableImportance(quantile, inference="paired", random_state=0).fit(X, y)
upper.plot()

# %%
# The mean:
mean = lw.VariableImportance("boosting", inference="paired", random_state=0).fit(X, y)
mean.plot()
