"""
Shapley values: shares that add up
==================================

An importance is what is lost when one feature goes. Correlated features hide behind each other.
Shapley values share out the whole skill of the model instead: they sum to its R2.
"""

import matplotlib.pyplot as plt

import lukewarm as lw

data = lw.datasets.make_correlated_linear(n_samples=800, correlation=0.9, random_state=0)
settings = {"measure": "r2", "inference": "paired", "random_state": 0}
vi = lw.VariableImportance("boosting", **settings).fit(data.X, data.y)
sv = lw.ShapleyImportance("boosting", n_coalitions=24, **settings).fit(data.X, data.y)

lw.plot_shapley(sv.result_, importance=vi.result_)

# %%
# X1 and X2 are correlated 0.9. Each is worth little while the other is there, and both together
# most of what there is to know. The waterfall adds the shares up.
_, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
lw.plot_waterfall(sv.result_, ax=ax)

# %%
# The errors have two parts: from the coalitions that were not fitted, and from the rows.
sv.result_.to_frame()
