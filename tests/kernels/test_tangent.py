"""The tangent kernel by layers against per-row gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lukewarm.kernels import TangentMap, TangentWarning, tangent_kernel  # noqa: E402
from lukewarm.kernels.tangent._factors import kernel_of_factors  # noqa: E402
from lukewarm.learners.torch._layers import fully_connected  # noqa: E402


class Mixed(torch.nn.Module):
    """Embedding, layer normalisation, a convolution, a shared and a sequence-wise linear layer."""

    def __init__(self, n_outputs):
        super().__init__()
        self.codes = torch.nn.Embedding(4, 3)
        self.convolution = torch.nn.Conv1d(1, 2, 2)
        self.normal = torch.nn.LayerNorm(9)
        self.batch_normal = torch.nn.BatchNorm1d(9)
        self.twice = torch.nn.Linear(9, 9)
        self.along = torch.nn.Linear(3, 3)
        self.last = torch.nn.Linear(9, n_outputs, bias=False)

    def forward(self, inputs):
        code = self.codes(inputs[:, 0].long())
        filtered = self.convolution(inputs[:, None, 1:]).flatten(1)
        signal = self.normal(torch.cat([code, filtered], dim=1))
        signal = torch.tanh(self.twice(torch.tanh(self.twice(self.batch_normal(signal)))))
        signal = self.along(signal.reshape(len(inputs), 3, 3)).flatten(1)
        return self.last(signal)


def by_rows(module, left, right):
    """Inner products of gradients taken one row and one output at a time."""

    def gradients(inputs):
        rows = []
        trained = [weight for weight in module.parameters() if weight.requires_grad]
        for row in inputs:
            for output in module(row[None]).reshape(-1):
                parts = torch.autograd.grad(output, trained, retain_graph=True, allow_unused=True)
                rows.append(torch.cat([part.reshape(-1) for part in parts]))
        return torch.stack(rows)

    return gradients(left) @ gradients(right).T


def random_inputs(n_rows, n_columns, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_rows, n_columns, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("parameterization", ["ntk", "standard"])
@pytest.mark.parametrize("widths", [(7,), (7, 5), (7, 5, 6)])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_layers_equal_row_gradients(parameterization, widths, n_outputs):
    module = fully_connected(
        4, widths, n_outputs, activation="gelu", parameterization=parameterization,
        weight_scale=1.3, bias_scale=0.2,
    ).double()  # fmt: skip
    left, right = random_inputs(9, 4, 0), random_inputs(6, 4, 1)
    expected = by_rows(module, left, right)
    assert expected.abs().min() > 0
    kernel = tangent_kernel(module, left, right, block_size=4)
    torch.testing.assert_close(kernel, expected, rtol=1e-8, atol=1e-8)


def test_sampled_units_are_right_on_average():
    module = fully_connected(
        4, (40, 40), 1, activation="relu", parameterization="ntk", weight_scale=1.3, bias_scale=0.2
    ).double()
    inputs = random_inputs(8, 4, 0)
    exact = tangent_kernel(module, inputs)
    draws = torch.stack(
        [
            kernel_of_factors(factors, factors)
            for seed in range(300)
            for factors in [TangentMap(module, max_units=10, seed=seed).factors(inputs)]
        ]
    )
    spread = draws.std(dim=0)
    assert spread.min() > 0
    # 300 draws: the mean lies within 4.5 standard errors of the exact kernel in all 64 entries.
    assert ((draws.mean(dim=0) - exact).abs() < 4.5 * spread / 300**0.5).all()


def test_layers_without_bias():
    module = torch.nn.Sequential(
        torch.nn.Linear(4, 7, bias=False), torch.nn.ReLU(), torch.nn.Linear(7, 1, bias=False)
    ).double()
    left, right = random_inputs(9, 4, 0), random_inputs(6, 4, 1)
    torch.testing.assert_close(
        tangent_kernel(module, left, right), by_rows(module, left, right), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_other_layers_equal_row_gradients(n_outputs):
    module = Mixed(n_outputs).double().eval()
    left, right = random_inputs(5, 5, 0), random_inputs(4, 5, 1)
    left[:, 0], right[:, 0] = torch.arange(5) % 4, torch.arange(4)
    torch.testing.assert_close(
        tangent_kernel(module, left, right), by_rows(module, left, right), rtol=1e-8, atol=1e-8
    )


def test_frozen_parameters_are_left_out_and_said():
    module = torch.nn.Sequential(torch.nn.Linear(4, 7), torch.nn.Tanh(), torch.nn.Linear(7, 1))
    module = module.double()
    inputs = random_inputs(6, 4, 0)
    with_all = tangent_kernel(module, inputs)
    module[0].weight.requires_grad_(False)
    with pytest.warns(TangentWarning, match=r"0\.weight"):
        kernel = tangent_kernel(module, inputs)
    torch.testing.assert_close(kernel, by_rows(module, inputs, inputs), rtol=1e-8, atol=1e-8)
    assert not torch.allclose(kernel, with_all)


def test_module_without_trained_parameters_is_refused():
    module = torch.nn.Linear(2, 1).requires_grad_(False)
    with pytest.raises(ValueError, match="no trained parameters"):
        tangent_kernel(module, torch.zeros(3, 2))


def test_dropout_is_switched_off_and_said():
    module = torch.nn.Sequential(torch.nn.Linear(4, 7), torch.nn.Dropout(0.5)).double().train()
    inputs = random_inputs(6, 4, 0)
    with pytest.warns(TangentWarning, match="evaluation mode"):
        kernel = tangent_kernel(module, inputs)
    assert module.training
    torch.testing.assert_close(kernel, tangent_kernel(module.eval(), inputs))


def test_codes_instead_of_floats_are_refused():
    with pytest.raises(TypeError, match="float tensor; got"):
        tangent_kernel(torch.nn.Linear(2, 1), torch.zeros(3, 2, dtype=torch.int64))


def test_parameters_that_no_route_covers_are_named():
    class Branching(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.slope = torch.nn.Parameter(torch.ones(1))

        def forward(self, inputs):
            return inputs[:, :1] * self.slope if inputs.sum() > 0 else inputs[:, :1]

    with pytest.raises(TypeError, match="slope"):
        tangent_kernel(Branching(), torch.ones(3, 2))


def test_kernel_is_positive_semidefinite_and_not_diagonal():
    module = torch.nn.Sequential(torch.nn.Linear(4, 7), torch.nn.ReLU(), torch.nn.Linear(7, 1))
    kernel = tangent_kernel(module.double(), random_inputs(30, 4, 0)).detach().numpy()
    eigenvalues = np.linalg.eigvalsh(kernel)
    assert eigenvalues[0] > -1e-10 * eigenvalues[-1]
    assert np.abs(kernel - np.diag(np.diag(kernel))).max() > 0.1
