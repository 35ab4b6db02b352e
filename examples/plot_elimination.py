"""
Which features can be left out together?
========================================

Of two columns that say the same, each is worth nothing while the other is there. ``eliminate``
takes features away one after the other and asks again after each step.
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

import lukewarm as lw

generator = np.random.default_rng(0)
X = pd.DataFrame(generator.normal(size=(600, 4)), columns=["a", "b", "c", "noise"])
X["copy of a"] = X["a"] + 0.05 * generator.normal(size=600)
y = 2 * X["a"] + X["b"] + 0.5 * X["c"] + 0.5 * generator.normal(size=600)

vi = lw.VariableImportance(LinearRegression(), inference="paired", random_state=0).fit(X, y)
path = vi.eliminate()
path.to_frame()[["feature", "n_kept", "loss", "ci_low", "ci_high", "p_value"]]

# %%
# Below the dashed line taking away more is known to cost skill.
lw.plot_elimination(path)
