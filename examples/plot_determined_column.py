"""
A column that the others determine
==================================

A column can be a strong predictor and still add nothing. In the diabetes data s5 is the logarithm
of the triglycerides. s2, the LDL cholesterol, was not measured: Friedewald's formula (1972) gave
it, from total cholesterol, HDL cholesterol and triglycerides. So s5 follows from s1, s2 and s3.
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
left = X["s5"] - np.log(5 * (X["s1"] - X["s2"] - X["s3"]))
print(f"s5 has standard deviation {X['s5'].std():.2f}; the formula leaves {left.std():.4f}")

# %%
# Whoever knows s1, s2 and s3 knows s5, so its importance is zero. A linear regression cannot see
# this, because the formula is not linear:
design = np.column_stack([np.ones(len(X)), X])
inverse = np.linalg.inv(design.T @ design)
slopes = inverse @ design.T @ y
residuals = y - design @ slopes
variance = residuals @ residuals / (len(y) - design.shape[1])
t_values = slopes / np.sqrt(variance * np.diag(inverse))
print(f"t-value of s5: {t_values[-2]:.1f}; of bmi: {t_values[3]:.1f}")

# %%
# Permutation importance ranks s5 among the first two. It shuffles s5 and leaves s1, s2 and s3 as
# they are, which makes rows of impossible patients:
forest = RandomForestRegressor(random_state=0).fit(X, y)
means = permutation_importance(forest, X, y, random_state=0).importances_mean
print({X.columns[number]: round(float(means[number]), 3) for number in np.argsort(-means)[:4]})

# %%
# The importance says how much worse one predicts without the column:
vi = lw.VariableImportance(measure="r2", random_state=0).fit(X, y)
vi.plot()

# %%
# s5 cannot be told from zero. That is not for lack of rows: bp, with an importance of much the same
# size, has a small p-value.
vi.result_.to_frame().set_index("feature").loc[
    ["bmi", "bp", "s5"], ["importance", "ci_low", "ci_high", "p_value"]
]
