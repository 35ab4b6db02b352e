"""
A page to hand over
===================

``report`` writes one HTML file with the verdict in sentences, bars, table and provenance. It loads
nothing from the network and holds none of the rows.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw

X, y = load_wine(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
vi = lw.VariableImportance(
    model, features=["alcohol", "flavanoids", "proline", "ash"], inference="paired", random_state=0
).fit(X, y)

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "wine.html"
    vi.report(page, title="What tells three vineyards apart")
    print(f"{page.name}: {page.stat().st_size / 1024:.0f} kB")

# %%
# The picture at its head, and the sentences below it:
vi.plot()

# %%
print(vi.result_.summary())
