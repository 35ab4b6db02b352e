"""
Which way does a feature work?
==============================

An importance says how much a feature is worth. ``effects`` says how the prediction moves with it,
while the other features stay as they are.
"""

import numpy as np
import pandas as pd

import lukewarm as lw

generator = np.random.default_rng(0)
n = 600
common = generator.normal(size=n)
X = pd.DataFrame(
    {
        "size": common + 0.5 * generator.normal(size=n),
        "age": generator.normal(size=n),
        "rooms": common + 0.5 * generator.normal(size=n),
        "region": generator.choice(["north", "south", "coast"], size=n),
    }
)
y = 2 * X["size"] + X["age"] ** 2 + X["region"].map({"north": 0, "south": 1, "coast": 3})
y = y + generator.normal(scale=0.3, size=n)

vi = lw.VariableImportance("boosting", inference="paired", random_state=0).fit(X, y)
effects = vi.effects()
lw.plot_effects(effects)

# %%
# The number of rooms goes up with the size, but the price does not depend on it: its curve is
# nearly flat. Beside the importances:
vi.result_.to_frame(effects=effects)[["feature", "importance", "p_value", "direction"]]
