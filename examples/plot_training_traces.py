"""
Watch a warm start
==================

With ``method="early_stopping"`` the model without a feature sets out from the full model and trains
until the loss on the stopping rows no longer falls. A feature that is not missed needs no step.
"""

import lukewarm as lw

data = lw.datasets.make_correlated_linear(n_samples=1500, correlation=0.8, random_state=0)
vi = lw.VariableImportance(
    "boosting", "early_stopping", inference="paired", features=["X1", "X2", "X3"], random_state=0
).fit(data.X, data.y)
lw.plot_trace(vi.result_)

# %%
# X1 and X2 stand in for each other, so their curves fall: the model learns to do with the other one.
# Nothing replaces X3.
vi.result_.to_frame()[["feature", "importance", "std_error", "steps"]]
