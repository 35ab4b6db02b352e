"""
Watch a warm start
==================

The paper's Algorithm 1: the model without a feature sets out from the full model, the feature held
at its mean, and trains until the loss on the stopping rows no longer falls.
"""

import lukewarm as lw
from lukewarm.reduction import EarlyStopping
from lukewarm.stopping import Patience

data = lw.datasets.make_correlated_linear(n_samples=1500, correlation=0.8, random_state=0)
algorithm_1 = EarlyStopping(Patience(10), max_steps=300, conditional_imputation=False)
vi = lw.VariableImportance(
    "boosting", algorithm_1, inference="paired", features=["X1", "X2", "X3"], random_state=0
).fit(data.X, data.y)
lw.plot_trace(vi.result_)

# %%
# X1 and X2 stand in for each other: without one of them the model learns to do with the other, and
# the loss falls. Nothing replaces X3.
vi.result_.to_frame()[["feature", "importance", "std_error", "steps"]]
