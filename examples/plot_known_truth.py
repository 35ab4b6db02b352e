"""
Does it find the truth?
=======================

A simulator that knows its answer: y = 1.5 X1 + 1.2 X2 + X3 + noise, X1 and X2 correlated, three
features worth nothing. The importance of X1 is the part of y that the others cannot tell.
"""

import lukewarm as lw

data = lw.datasets.make_correlated_linear(n_samples=1000, correlation=0.8, random_state=0)
truth = {name: data.true_importance(name) for name in data.X.columns}

vi = lw.VariableImportance("boosting", random_state=0).fit(data.X, data.y)
lw.plot_comparison({"estimate": vi.result_}, truth=truth)

# %%
# How many of the six 95 % intervals hold the truth?
frame = vi.result_.to_frame()
frame["truth"] = frame["feature"].map(truth)
frame["inside"] = frame["truth"].between(frame["ci_low"], frame["ci_high"])
frame[["feature", "truth", "importance", "ci_low", "ci_high", "inside"]]
