"""
Correlated columns: ask for the group
=====================================

Two columns that say the same can each be taken away without loss. Taken away together they are missed.
In the breast-cancer data radius, perimeter and area of a tumour are three names for its size.
"""

from sklearn.datasets import load_breast_cancer

import lukewarm as lw

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[[name for name in X.columns if name.startswith("worst")]]
size = ["worst radius", "worst perimeter", "worst area"]

vi = lw.VariableImportance(
    "boosting",
    task="classification",
    features=[*size, "worst texture", "worst smoothness"],
    groups={"size": size},
    inference="paired",
    random_state=0,
).fit(X, y)
vi.plot()

# %%
# ``groups={"correlation": 0.9}`` finds such columns by itself.
vi.result_.to_frame(sort=True)[["feature", "importance", "ci_low", "ci_high", "p_value"]]
