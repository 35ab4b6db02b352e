"""
Is one feature more important than another?
===========================================

Two intervals that overlap do not answer that: the importances come from the same rows and vary
together. ``difference`` knows how.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True)
vi = lw.VariableImportance(RidgeCV(), measure="r2", random_state=0).fit(X, y)
others = [name for name in vi.result_.names if name != "bmi"]
differences = {name: vi.result_.difference("bmi", name) for name in others}

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for place, difference in enumerate(differences.values()):
    ax.plot(difference.interval(), [place, place], color="tab:blue")
    ax.plot(difference.estimate, place, "o", color="tab:blue")
ax.axvline(0, color="grey", linewidth=0.8)
ax.set_yticks(range(len(others)), others)
ax.set_xlabel("importance of bmi minus that of ...")

# %%
# p-values of "bmi and the other are equally important", two-sided:
for name, difference in differences.items():
    print(f"{name:4} {difference.p_value():.3f}")
