"""
A first look: which measurements tell how diabetes goes on?
===========================================================

442 patients, ten measurements, and a score of the disease a year later. How much worse is the score
predicted without each measurement?
"""

from sklearn.datasets import load_diabetes

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
vi = lw.VariableImportance(measure="r2", random_state=0).fit(X, y)
vi.plot()

# %%
# Filled bars are significant after Holm's adjustment for ten features. Whiskers are 95 %
# intervals. The same in words:
print(vi.result_.summary())

# %%
# And as a table. ``shift`` is what an estimate moved when the training rows doubled.
vi.result_.to_frame(sort=True)[["feature", "importance", "ci_low", "ci_high", "p_value", "shift"]]
