"""Modules that look codes up in embedding layers."""

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.results import HealthWarning

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{HealthWarning.__module__}.HealthWarning",
)
EFFECTS = np.array([3.0, -2.0, 1.0, -3.0, 2.0, -1.0])


class Mixed(torch.nn.Module):
    """A column of codes beside a column of numbers."""

    def __init__(self, casts):
        super().__init__()
        self.casts = casts
        self.levels = torch.nn.Embedding(6, 4)
        self.last = torch.nn.Linear(5, 1)

    def forward(self, rows):
        codes = rows[:, 0].long() if self.casts else rows[:, 0]
        return self.last(torch.cat([self.levels(codes), rows[:, 1:2].float()], dim=1))


class Codes(torch.nn.Module):
    """Columns of codes only."""

    def __init__(self):
        super().__init__()
        self.levels = torch.nn.Embedding(6, 4)
        self.last = torch.nn.Linear(8, 1)

    def forward(self, rows):
        return self.last(self.levels(rows).flatten(start_dim=1))


MODULES = {
    "cast by the module": lambda: Mixed(casts=True),
    "not cast": lambda: Mixed(casts=False),
    "codes only": Codes,
}


@pytest.fixture(scope="module", name="X")
def _features():
    return np.random.default_rng(0).integers(6, size=(300, 2))


@pytest.fixture(scope="module", name="y")
def _target(X):
    return 100 + 10 * EFFECTS[X[:, 0]]


def as_model(module, engine):
    if engine == "torch":
        return lw.learners.TorchLearner(module, learning_rate=0.03)
    skorch = pytest.importorskip("skorch")
    return skorch.NeuralNetRegressor(
        module, lr=0.1, max_epochs=30, verbose=0, optimizer=torch.optim.Adam, batch_size=32
    )


@pytest.mark.parametrize("engine", ["torch", "skorch"])
@pytest.mark.parametrize("name", MODULES)
def test_codes_reach_embedding_layers_as_they_are(name, engine, X, y):
    target = y if engine == "torch" else (y - 100) / 20
    vi = lw.VariableImportance(
        as_model(MODULES[name](), engine),
        measure="r2",
        random_state=0,
        method="early_stopping",
        inference="paired",
    )
    result = vi.fit(X, target).result_
    # Six levels whose effects are in no order: as numbers they explain little.
    assert result.full.value > 0.9
    assert result.importance[0] > 0.8
    assert abs(result.importance[1]) < 0.1


def test_a_trained_module_with_codes_is_explained_as_it_stands(X, y):
    target = ((y - 100) / 20).astype(np.float32)
    skorch_net = as_model(Codes(), "skorch").fit(X[:200], target[:200, np.newaxis])
    for model in (skorch_net, skorch_net.module_):
        vi = lw.VariableImportance(
            model, "dropout", "r2", prefit=True, random_state=0, inference="paired"
        )
        vi.fit(X[:200], target[:200], X_eval=X[200:], y_eval=target[200:])
        np.testing.assert_allclose(
            vi.predictions_.full, skorch_net.predict(X[200:]).ravel(), rtol=1e-5
        )
        assert vi.result_.importance[0] > 0.8
