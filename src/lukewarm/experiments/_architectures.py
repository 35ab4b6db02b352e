"""Small networks of several kinds, in the parameterisation in which kernels have a limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm.learners.torch._layers import ScaledLinear

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

# Of weights and biases, as in the paper's scripts: their squares sum to one.
_SCALES = (0.99**0.5, 0.1)
# ReLU keeps half of the second moment of its input.
_AFTER_RELU = ((2 * 0.99) ** 0.5, 0.1)
_PLACES = 3  # that a convolution looks at
_HEAD_SIZE = 8  # where heads are many


class FullyConnected(torch.nn.Module):
    """Two hidden layers: the network of the paper."""

    def __init__(self, n_columns: int, width: int) -> None:
        super().__init__()
        self.first = ScaledLinear(n_columns, width, *_SCALES)
        self.second = ScaledLinear(width, width, *_AFTER_RELU)
        self.last = ScaledLinear(width, 1, *_AFTER_RELU)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return one output per row."""
        hidden = torch.relu(self.second(torch.relu(self.first(inputs))))
        return self.last(hidden)


class Convolutional(torch.nn.Module):
    """Two convolutions along the columns, which are taken as a ring, and a readout of all."""

    def __init__(self, n_columns: int, width: int) -> None:
        super().__init__()
        self.first = ScaledLinear(_PLACES, width, *_SCALES)
        self.second = ScaledLinear(_PLACES * width, width, *_AFTER_RELU)
        self.last = ScaledLinear(n_columns * width, 1, *_AFTER_RELU)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return one output per row."""
        hidden = torch.relu(self.first(_windows(inputs[:, :, None])))
        hidden = torch.relu(self.second(_windows(hidden)))
        return self.last(hidden.flatten(1))


class Residual(torch.nn.Module):
    """Two blocks that add to what they are given."""

    def __init__(self, n_columns: int, width: int) -> None:
        super().__init__()
        self.first = ScaledLinear(n_columns, width, *_SCALES)
        self.blocks = torch.nn.ModuleList(
            ScaledLinear(width, width, *_AFTER_RELU) for _ in range(2)
        )
        self.last = ScaledLinear(width, 1, *_SCALES)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return one output per row."""
        hidden = self.first(inputs)
        for block in self.blocks:
            hidden = (hidden + block(torch.relu(hidden))) / 2**0.5
        return self.last(hidden)


class Normalised(FullyConnected):
    """Two hidden layers with layer normalisation before each activation."""

    def __init__(self, n_columns: int, width: int) -> None:
        super().__init__(n_columns, width)
        # A trained gain per unit would multiply the kernel by the width.
        self.normal = torch.nn.LayerNorm(width, elementwise_affine=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return one output per row."""
        hidden = torch.relu(self.normal(self.first(inputs)))
        return self.last(torch.relu(self.normal(self.second(hidden))))


class Attention(torch.nn.Module):
    """Every column is a token; one layer of self-attention, added to the tokens.

    Parameters
    ----------
    n_columns, width : int
    head_size : int, optional
        Heads are as many as fit; by default one head as wide as the layer.
    """

    def __init__(self, n_columns: int, width: int, head_size: int | None = None) -> None:
        super().__init__()
        self.head_size = width if head_size is None else head_size
        # A token is the value of its column and which one it is.
        self.embed = ScaledLinear(1 + n_columns, width, 1.0, 0.1)
        self.query, self.key, self.value = (ScaledLinear(width, width, *_SCALES) for _ in range(3))
        self.after = ScaledLinear(width, width, *_SCALES)
        self.last = ScaledLinear(n_columns * width, 1, *_AFTER_RELU)
        self.register_buffer("places", torch.eye(n_columns))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return one output per row."""
        places: Any = self.places
        columns = places.to(inputs.dtype).expand(len(inputs), -1, -1)
        tokens = self.embed(torch.cat([2 * inputs[:, :, None], columns], dim=2))
        query, key, value = (
            part(tokens).unflatten(2, (-1, self.head_size)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        # Scores of order one at every width: keys and queries are random at the start.
        scores = query @ key.transpose(2, 3) / self.head_size**0.5
        mixed = tokens + (scores.softmax(dim=3) @ value).transpose(1, 2).flatten(2)
        return self.last(torch.relu(self.after(mixed)).flatten(1))


def _windows(signal: torch.Tensor) -> torch.Tensor:
    """Return what a convolution sees at every place, (n, p, d) -> (n, p, 3 d), the ring closed."""
    sides = [signal.roll(shift, dims=1) for shift in range(-(_PLACES // 2), _PLACES // 2 + 1)]
    return torch.cat(sides, dim=2)


ARCHITECTURES: dict[str, Callable[[int, int], torch.nn.Module]] = {
    "fully connected": FullyConnected,
    "convolutional": Convolutional,
    "residual": Residual,
    "layer normalisation": Normalised,
    "attention, one head": Attention,
    "attention, many heads": partial(Attention, head_size=_HEAD_SIZE),
}
