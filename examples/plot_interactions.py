"""
Which features need each other?
===============================

``interactions`` compares what two features are worth one by one with what they are worth together,
VI_j + VI_k - VI_jk. It is positive where the two work together, as in a product.
"""

import numpy as np
import pandas as pd

import lukewarm as lw

generator = np.random.default_rng(0)
X = pd.DataFrame(generator.normal(size=(1000, 4)), columns=["a", "b", "c", "noise"])
y = X["a"] * X["b"] + X["c"] + generator.normal(scale=0.3, size=len(X))

vi = lw.VariableImportance("boosting", random_state=0).fit(X, y)
pairs = vi.interactions(top=3)
pairs

# %%
# The truth: taking a or b away loses the product, taking both away loses it once. So a and b
# interact by 1, and no other pair does.
lw.plot_interactions(pairs)

# %%
# The same as a network; the areas of the nodes are the importances.
lw.plot_interaction_network(pairs, vi.result_)
