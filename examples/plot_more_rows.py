"""
Would more rows change the answer?
==================================

``shift`` says what an estimate moved when the training rows doubled. Where it is small beside the
importance, more rows shorten the interval and leave the estimate where it is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

import lukewarm as lw

sizes = [250, 500, 1000, 2000]
rows = []
for n in sizes:
    X, y = make_friedman1(n, n_features=5, noise=1.0, random_state=n)
    vi = lw.VariableImportance("boosting", features=[3], random_state=0).fit(X, y)
    rows.append(vi.result_.to_frame().iloc[0])

# %%
# The fourth feature of Friedman's function enters as 10 x, so that it is worth 100 / 12.
importance = np.array([row["importance"] for row in rows])
low = np.array([row["ci_low"] for row in rows])
high = np.array([row["ci_high"] for row in rows])

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.errorbar(sizes, importance, [importance - low, high - importance], fmt="o-", capsize=3)
ax.axhline(100 / 12, color="grey", linestyle="--", label="truth")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
ax.set(xlabel="rows", ylabel="importance (neg_mse)")
ax.legend(frameon=False)

# %%
for n, row in zip(sizes, rows, strict=True):
    print(f"{n:5} rows: shift {row['shift']:+.2f}, standard error {row['std_error']:.2f}")
