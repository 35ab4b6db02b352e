"""
Correlated columns: ask for the group
=====================================

Columns that tell the same can each be taken away with little loss. Taken away together they are
missed. In the diabetes data s1 to s6 are six values of one blood sample.
"""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True)
serum = ["s1", "s2", "s3", "s4", "s5", "s6"]

vi = lw.VariableImportance(
    RidgeCV(),
    measure="r2",
    groups={"blood sample": serum},
    features=["blood sample", *serum],
    random_state=0,
).fit(X, y)
vi.plot()

# %%
# What the six are worth together, beyond the sum of what each is worth:
weights = {"blood sample": 1} | dict.fromkeys(serum, -1)
beyond = vi.result_.contrast(weights)
low, high = beyond.interval()
print(f"{beyond.estimate:.3f} of R2, 95 % interval {low:.3f} to {high:.3f}")

# %%
# Where it is not known which columns go together, ``groups={"correlation": 0.9}`` finds those with
# high rank correlations.
vi.result_.to_frame(sort=True)[["feature", "importance", "ci_low", "ci_high", "p_value"]]
