"""Tangent kernels of layers that act at many positions, against per-row gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lukewarm.kernels import TangentMap, tangent_kernel  # noqa: E402
from lukewarm.kernels.tangent import _factors  # noqa: E402
from lukewarm.learners import TorchLearner  # noqa: E402
from lukewarm.reduction import KernelFlow  # noqa: E402


class Attention(torch.nn.Module):
    """Every column is a token; one head, a residual connection, layer normalisation."""

    def __init__(self, n_columns, width, n_outputs=1):
        super().__init__()
        self.embed = torch.nn.Linear(1, width)
        self.places = torch.nn.Parameter(torch.randn(n_columns, width))
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))
        self.normal = torch.nn.LayerNorm(width)
        self.last = torch.nn.Linear(width, n_outputs)

    def reset_parameters(self):
        torch.nn.init.normal_(self.places)

    def forward(self, inputs):
        tokens = self.embed(inputs[:, :, None]) + self.places
        scores = self.query(tokens) @ self.key(tokens).transpose(1, 2) / tokens.shape[2] ** 0.5
        mixed = scores.softmax(dim=2) @ self.value(tokens)
        return self.last(self.normal(tokens + mixed).mean(dim=1))


class PositionsFirst(torch.nn.Module):
    """A layer that sees (T, n, d): rows are not where the map looks for them."""

    def __init__(self, n_columns):
        super().__init__()
        self.along = torch.nn.Linear(1, 4)
        self.last = torch.nn.Linear(4 * n_columns, 1)

    def forward(self, inputs):
        tokens = torch.tanh(self.along(inputs.T[:, :, None]))
        return self.last(tokens.transpose(0, 1).flatten(1))


def images(n_outputs, width):
    return torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 4, 3)),
        torch.nn.Conv2d(1, width, (2, 3), stride=(2, 1), padding=(1, 1), dilation=(1, 1)),
        torch.nn.Tanh(),
        torch.nn.Conv2d(width, width, 2, bias=False),
        torch.nn.Flatten(),
        torch.nn.LazyLinear(n_outputs),
    )


def signals(n_outputs, width):
    return torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 12)),
        torch.nn.Conv1d(1, width, 5, stride=3, padding=2, dilation=2),
        torch.nn.Tanh(),
        torch.nn.Flatten(),
        torch.nn.LazyLinear(n_outputs),
    )


def rows(n_rows, n_columns, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_rows, n_columns, generator=generator, dtype=torch.float64)


def by_rows(module, left, right):
    def gradients(inputs):
        found = []
        for row in inputs:
            for output in module(row[None]).reshape(-1):
                parts = torch.autograd.grad(output, list(module.parameters()), retain_graph=True)
                found.append(torch.cat([part.reshape(-1) for part in parts]))
        return torch.stack(found)

    return gradients(left) @ gradients(right).T


MODULES = {
    "image": images,
    "signal": signals,
    "attention": lambda k, width: Attention(12, width, k),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("width", [3, 150])
def test_the_kernel_is_that_of_row_gradients(name, n_outputs, width):
    torch.manual_seed(0)
    left, right = rows(4, 12, 0), rows(3, 12, 1)
    module = MODULES[name](n_outputs, width).double()
    module(left)  # lazy layers learn their sizes
    kernel = tangent_kernel(module, left, right, block_size=3)
    expected = by_rows(module, left, right)
    assert expected.abs().min() > 1e-6
    torch.testing.assert_close(kernel, expected, rtol=1e-8, atol=1e-8)


def test_wide_layers_at_few_positions_keep_their_factors():
    torch.manual_seed(0)
    module = Attention(4, 150).double()
    factors = TangentMap(module).factors(rows(3, 4, 0))
    by_positions = [layer for layer in factors.layers if layer.signals.ndim == 4]
    # Query, key and value; the embedding of one number and the last layer have no such need.
    assert [tuple(layer.inputs.shape) for layer in by_positions] == [(3, 4, 150)] * 3
    n_parameters = sum(weight.numel() for weight in module.parameters())
    assert factors.n_bytes_per_row < n_parameters * 8 / 10


def test_blocks_of_pairs_change_nothing(monkeypatch):
    torch.manual_seed(0)
    module, inputs = Attention(4, 150).double(), rows(5, 4, 0)
    whole = tangent_kernel(module, inputs)
    monkeypatch.setattr(_factors, "_PRODUCTS_AT_ONCE", 1)
    torch.testing.assert_close(tangent_kernel(module, inputs), whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 3, 4])
def test_layers_that_see_positions_first_are_differentiated_row_by_row(n_columns):
    torch.manual_seed(0)
    module, inputs = PositionsFirst(n_columns).double(), rows(4, n_columns, 0)
    torch.testing.assert_close(
        tangent_kernel(module, inputs), by_rows(module, inputs, inputs), rtol=1e-8, atol=1e-8
    )


def test_kernel_flow_of_an_attention_network_repairs_a_removed_column(generator):
    import lukewarm as lw

    torch.manual_seed(0)
    X = generator.normal(size=(400, 4))
    X[:, 1] = 0.9 * X[:, 0] + np.sqrt(1 - 0.81) * X[:, 1]
    y = X[:, 0] + X[:, 1] + 0.5 * X[:, 2] + 0.1 * generator.normal(size=400)
    learner = TorchLearner(Attention(4, 16), learning_rate=0.01, batch_size=64)
    importance = {}
    for method in ("dropout", KernelFlow()):
        model = lw.VariableImportance(
            learner, method, features=["x0"], inference="paired", max_steps=40, random_state=0
        )
        importance[str(method)[:7]] = float(model.fit(X, y).result_.importance[0])
    dropout, flow = importance.values()
    # Without x0 its copy takes over all but 1 - 0.81 of it.
    assert dropout > 0.5
    assert 0.05 < flow < 0.4
