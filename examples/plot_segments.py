"""
Does a feature matter equally everywhere?
=========================================

``by`` takes the importances apart by segments of the rows, without training anything, and tests
whether they are the same in all of them. Here the price depends on the size in town only.
"""

import numpy as np
import pandas as pd

import lukewarm as lw

generator = np.random.default_rng(0)
n = 900
X = pd.DataFrame(
    {
        "size": generator.normal(size=n),
        "age": generator.normal(size=n),
        "town": generator.integers(0, 2, size=n),
    }
)
y = X["size"] * X["town"] + 0.5 * X["age"] + generator.normal(scale=0.5, size=n)

vi = lw.VariableImportance("boosting", random_state=0).fit(X, y)
by = vi.result_.by(X["town"].map({0: "country", 1: "town"}))
by.to_frame()[["segment", "feature", "importance", "ci_low", "ci_high"]]

# %%
# A chi-square test for each feature. The size matters in town only, the age in both alike.
by.equality()

# %%
lw.plot_segments(by)
