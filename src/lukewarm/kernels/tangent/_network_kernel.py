"""The tangent kernel of a network learner at the place where it stands."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Features, Matrix, Vector

if TYPE_CHECKING:
    from lukewarm.learners import BaseLearner


def network_kernel(learner: BaseLearner, X: Features, y: Vector | None = None) -> Matrix:
    """Return the tangent kernel matrix of a network learner, divided by N, in double precision.

    Parameters
    ----------
    learner : Network or TorchLearner
        With one output; it is not changed.
    X : array of shape (n, p)
    y : ignored
        A network's kernel depends on its parameters only; taken for :func:`follow_run`.

    Notes
    -----
    Full-batch gradient descent on the mean squared error is ``f + eps K (y - f)`` to first order,
    with eps *twice* the learner's learning rate: its loss has no factor 1/2. The kernel of the
    module's standardised outputs is also that of the predictions on the scale of y.

    Examples
    --------
    >>> from lukewarm.learners import Network
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> network = Network(widths=(16,), optimizer="sgd", batch_size=20)
    >>> network.advance(X, X[:, 0], 1)
    >>> network_kernel(network, X).shape
    (20, 20)
    """
    from lukewarm.kernels.tangent._map import tangent_kernel
    from lukewarm.learners import DifferentiableLearner

    if not isinstance(learner, DifferentiableLearner):
        raise TypeError(
            f"learner must be a network (Network, TorchLearner); got {type(learner).__name__}."
        )
    module: Any = copy.deepcopy(learner.module).double()
    kernel = tangent_kernel(module, learner.inputs(X).double()).cpu().numpy() / len(X)
    if kernel.shape != (len(X), len(X)):
        raise ValueError(
            f"the network must have one output; got {kernel.shape[0] // len(X)}. "
            "The theory of this room is that of the squared error."
        )
    return np.asarray((kernel + kernel.T) / 2)
