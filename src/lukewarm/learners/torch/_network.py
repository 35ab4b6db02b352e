"""The fully connected network as a learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._optional import require
from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.learners.torch._layers import ACTIVATIONS, LAYERS, fully_connected
from lukewarm.learners.torch._learner import TorchLearner
from lukewarm.learners.torch._loop import seeded
from lukewarm.measures import Task

if TYPE_CHECKING:
    import torch
    from typing_extensions import Self
else:
    torch = require("torch", "torch")


class Network(TorchLearner):
    """A fully connected network; it is built when it meets its first rows.

    Parameters
    ----------
    widths : sequence of int, default (256, 256)
        Units of each hidden layer.
    activation : "relu", "tanh" or "gelu", default "relu"
    parameterization : "ntk" or "standard", default "ntk"
        "ntk": parameters are standard normal and each layer's output carries the scales, so that
        the tangent kernel has a limit as the width grows. "standard": the parameters carry them.
    weight_scale, bias_scale : float
        Each layer's weights act with weight_scale / sqrt(inputs of the layer), its biases with
        bias_scale. Defaults: 1 and 0.1.
    optimizer : "sgd", "momentum", "adam" or callable, default "adam"
    learning_rate : float, default 1e-3
    batch_size : int, default 64
    device : str, default "cpu"
    steps_per_epoch : int, default 1
        With more than one, a step is that share of an epoch.
    n_classes : int, optional
        Number of classes; None for regression.
    seed : int, default 0

    Notes
    -----
    The paper's networks are ``Network((2048, 2048), weight_scale=0.99**0.5, bias_scale=0.1,
    optimizer="sgd", learning_rate=0.1, batch_size=32)``.

    Examples
    --------
    >>> learner = Network(widths=(32,), learning_rate=0.01)
    >>> X = np.random.default_rng(0).normal(loc=1000.0, size=(200, 2))
    >>> y = X[:, 0] - 2 * X[:, 1]
    >>> learner.advance(X, y, n_steps=50)
    >>> bool(np.mean((learner.predict(X) - y) ** 2) < 0.1 * np.var(y))
    True
    """

    def __init__(
        self,
        widths: Sequence[int] = (256, 256),
        *,
        activation: str = "relu",
        parameterization: str = "ntk",
        weight_scale: float = 1.0,
        bias_scale: float = 0.1,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        device: str = "cpu",
        steps_per_epoch: int = 1,
        n_classes: int | None = None,
        seed: int = 0,
    ) -> None:
        self._widths = tuple(check_count("widths", width) for width in widths)
        self._architecture: dict[str, Any] = {
            "activation": check_choice("activation", activation, ACTIVATIONS),
            "parameterization": check_choice("parameterization", parameterization, LAYERS),
            "weight_scale": check_number("weight_scale", weight_scale, above=0),
            "bias_scale": check_number("bias_scale", bias_scale, minimum=0),
        }
        self._seed = seed
        super().__init__(
            torch.nn.Identity(),
            optimizer=optimizer,
            learning_rate=learning_rate,
            batch_size=batch_size,
            device=device,
            steps_per_epoch=steps_per_epoch,
            n_classes=n_classes,
            seed=seed,
        )

    def fresh(self, seed: int) -> Self:
        """Return an untrained network, to be drawn from `seed` when it meets its first rows."""
        copied = super().fresh(seed)
        copied._module = torch.nn.Identity()
        copied._seed = seed
        return copied

    def for_classes(self, n_classes: int) -> Self:
        """Return an untrained network for `n_classes` classes, otherwise with these settings."""
        copied = self.fresh(self._seed)
        copied.task = Task(n_classes)
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Train `n_steps` further epochs on these rows."""
        self._build(X)
        super().advance(X, y, n_steps, weights)

    def predict(self, X: Features) -> Prediction:
        """Return the predictions (n,), or the class probabilities, on the scale of y."""
        self._build(X)
        return super().predict(X)

    def _build(self, X: Features) -> None:
        if not isinstance(self._module, torch.nn.Identity):
            return
        with seeded(self._seed):
            module = fully_connected(
                np.shape(X)[1], self._widths, self.task.n_outputs, **self._architecture
            )
        self._module = module.to(self._device).eval()
