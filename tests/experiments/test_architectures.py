import numpy as np
import pytest
from matplotlib import pyplot as plt

torch = pytest.importorskip("torch")

from lukewarm.experiments._architecture_stability import KINDS, ArchitectureStability  # noqa: E402
from lukewarm.experiments._architectures import ARCHITECTURES  # noqa: E402
from lukewarm.experiments._tangent_runs import architecture_drift  # noqa: E402
from lukewarm.kernels import TangentMap  # noqa: E402


def test_every_kind_is_known():
    assert set(KINDS) == set(ARCHITECTURES)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_and_kernels_are_of_order_one_at_every_width(kind):
    torch.manual_seed(0)
    rows = torch.randn(30, 6)
    outputs = {width: ARCHITECTURES[kind](6, width)(rows).std().item() for width in (16, 256)}
    # A random function of thirty rows: its spread is known to a factor of a few.
    assert all(0.1 < spread < 10 for spread in outputs.values())


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_need_no_gradients_of_single_rows(kind):
    torch.manual_seed(0)
    module = ARCHITECTURES[kind](6, 256)
    factors = TangentMap(module).factors(torch.randn(3, 6))
    n_parameters = sum(weight.numel() for weight in module.parameters())
    by_rows = 0 if factors.jacobian is None else factors.jacobian.shape[2]
    # What is left are layers with a handful of inputs at many positions.
    assert by_rows <= 0.02 * n_parameters


def test_a_run_is_repeated_by_its_seed_and_strays_less_where_it_is_wide():
    narrow, again, wide = (
        architecture_drift("residual", width, 24, np.random.default_rng(0))
        for width in (16, 16, 256)
    )
    assert narrow == again
    assert 0 < wide["kernel_change"] < narrow["kernel_change"]


def test_the_table_has_an_exponent_per_kind():
    records = [
        {
            **{"model": "network", "kind": kind, "size": size, "replicate": replicate},
            **{"prediction_gap": (1 + replicate) / size, "kernel_change": size**-0.5},
        }
        for kind in ("residual", "attention, one head")
        for size in (32, 64)
        for replicate in range(2)
    ]
    table = ArchitectureStability().table(records)
    assert len(table) == 2 * 2 * 2
    gaps = table[table["distance"] == "prediction_gap"]
    np.testing.assert_allclose(gaps["slope"], -1)
    figure = ArchitectureStability().figure(records)
    assert len(figure.axes) == 2
    plt.close("all")
