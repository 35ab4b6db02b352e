import numpy as np

from lukewarm.inference import _moments, mapped


def test_a_large_map_by_blocks_is_the_product(monkeypatch):
    generator = np.random.default_rng(0)
    weights = generator.normal(size=(3, 70))
    influence = generator.normal(size=(70, 11)).astype(np.float32)
    whole = mapped(weights, influence)
    monkeypatch.setattr(_moments, "_LARGEST_COPY", 100)  # blocks of nine rows
    # Sums of 70 products of size one, in another order.
    np.testing.assert_allclose(mapped(weights, influence), whole, atol=1e-12)
