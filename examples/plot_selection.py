"""
Select features, with few false discoveries
===========================================

Five of twenty columns carry information. ``ImportanceSelector`` keeps those whose adjusted p-value
is small. It is a selector of scikit-learn: in a pipeline it selects anew within every fold.
"""

import numpy as np
from sklearn.datasets import make_regression
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

import lukewarm as lw

X, y, coefficients = make_regression(
    n_samples=300, n_features=20, n_informative=5, noise=20, coef=True, random_state=0
)
selector = lw.ImportanceSelector(RidgeCV(), inference="paired", random_state=0)
pipeline = make_pipeline(selector, RidgeCV()).fit(X, y)

print("informative:", np.flatnonzero(coefficients))
print("kept:       ", np.flatnonzero(pipeline[0].get_support()))

# %%
# What the selection went by:
vi = lw.VariableImportance(RidgeCV(), inference="paired", random_state=0).fit(X, y)
vi.plot(max_features=10)
