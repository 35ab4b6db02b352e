"""
A page to hand over
===================

``report`` writes one HTML file with the verdict in sentences, bars, table and provenance. It loads
nothing from the network and holds none of the rows.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV

import lukewarm as lw

X, y = load_diabetes(return_X_y=True, as_frame=True)
vi = lw.VariableImportance(
    RidgeCV(), measure="r2", features=["age", "sex", "bmi", "bp", "s5"], random_state=0
).fit(X, y)

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "diabetes.html"
    vi.report(page, title="What tells how diabetes goes on")
    print(f"{page.name}: {page.stat().st_size / 1024:.0f} kB")

# %%
# The figure at its head, and the gist of its sentences:
vi.plot()

# %%
print(vi.result_.summary())
